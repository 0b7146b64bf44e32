//! Tests of the files that `aidd init` writes for agent clients.

use crate::cli::agent_hooks::set_up;
use crate::cli::support::Project;
use insta::assert_snapshot;
use std::fmt::Write;

#[test]
fn the_files_of_every_client_are_written_and_removed() {
    let project = set_up();
    let clients = ["claude-code", "cursor", "vscode", "codex", "windsurf", "zed", "gemini"];
    let mut args = vec!["init"];
    args.extend(clients.iter().flat_map(|client| ["--client", client]));
    assert_snapshot!(project.run(&args).expect_code(0).out, @"
    wrote .claude/rules/aidd.md
    wrote .claude/settings.json
    wrote .mcp.json
    wrote .cursor/hooks.json
    wrote .cursor/mcp.json
    wrote .cursor/rules/aidd.mdc
    wrote .github/hooks/aidd.json
    wrote .github/instructions/aidd.instructions.md
    wrote .vscode/mcp.json
    wrote .codex/config.toml
    wrote .codex/hooks.json
    wrote AGENTS.md
    wrote .devin/config.json
    wrote .devin/hooks.v1.json
    wrote .windsurf/hooks.json
    wrote .zed/settings.json
    wrote .gemini/settings.json
    wrote GEMINI.md
    unchanged: .aidd/config.json
    ");
    let mut files = String::new();
    for path in [
        ".cursor/hooks.json",
        ".cursor/rules/aidd.mdc",
        ".vscode/mcp.json",
        ".codex/config.toml",
        ".devin/hooks.v1.json",
        ".windsurf/hooks.json",
        ".zed/settings.json",
        ".gemini/settings.json",
    ] {
        writeln!(files, "=== {path}\n{}", project.read(path)).expect("writing to memory");
    }
    assert_snapshot!(files, @r#"
    === .cursor/hooks.json
    {
      "version": 1,
      "hooks": {
        "sessionStart": [{ "command": "aidd hook session-start", "timeout": 10 }],
        "beforeSubmitPrompt": [{ "command": "aidd hook user-prompt", "timeout": 10 }],
        "preToolUse": [
          { "command": "aidd hook pre-tool-use", "matcher": "Write|Edit|StrReplace", "timeout": 10 }
        ],
        "postToolUse": [
          { "command": "aidd hook post-tool-use", "matcher": "Write|Edit|StrReplace|Shell", "timeout": 10 }
        ],
        "preCompact": [{ "command": "aidd hook pre-compact", "timeout": 10 }],
        "stop": [{ "command": "aidd hook stop", "timeout": 10 }],
        "sessionEnd": [{ "command": "aidd hook session-end", "timeout": 10 }]
      }
    }

    === .cursor/rules/aidd.mdc
    ---
    description: The project's memory and checks
    alwaysApply: true
    ---

    <!-- aidd init -->
    ## aidd

    This project uses aidd for memory and checks; the tools are provided by the MCP server `aidd`.

    - Resuming earlier work: `load_checkpoint`. Before a break: `save_checkpoint`.
    - Before making a decision or fixing an error: `aidd_memory_search` with two or three `otherWordings`. For an error or stack trace: `aidd_diagnose_error`.
    - After making a decision: `save_decision`. When its outcome is known: `evolve_outcome`. After fixing an error: `aidd_memory_add_mistake`.
    - Findings returned after an edit are those the pull request would report: fix them. Before a commit: `aidd_ci_diff_check`.
    - Do not put keys or passwords in any file that Git tracks.
    <!-- /aidd init -->

    === .vscode/mcp.json
    {
      "servers": {
        "aidd": {
          "type": "stdio",
          "command": "aidd",
          "args": ["mcp", "--profile", "lean", "--root", "${workspaceFolder}"]
        }
      }
    }

    === .codex/config.toml
    [mcp_servers.aidd]
    command = "aidd"
    args = ["mcp", "--profile", "lean"]

    === .devin/hooks.v1.json
    {
      "SessionStart": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook session-start || exit 0", "timeout": 10 }]
        }
      ],
      "UserPromptSubmit": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook user-prompt || exit 0", "timeout": 10 }]
        }
      ],
      "PreToolUse": [
        {
          "matcher": "edit|write",
          "hooks": [{ "type": "command", "command": "aidd hook pre-tool-use || exit 0", "timeout": 10 }]
        }
      ],
      "PostToolUse": [
        {
          "matcher": "edit|write|exec",
          "hooks": [{ "type": "command", "command": "aidd hook post-tool-use || exit 0", "timeout": 10 }]
        }
      ],
      "Stop": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook stop || exit 0", "timeout": 10 }]
        }
      ],
      "SessionEnd": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook session-end || exit 0", "timeout": 10 }]
        }
      ]
    }

    === .windsurf/hooks.json
    {
      "hooks": {
        "pre_write_code": [{ "command": "aidd hook pre-tool-use", "show_output": true }],
        "post_write_code": [{ "command": "aidd hook post-tool-use", "show_output": true }],
        "post_run_command": [{ "command": "aidd hook post-tool-use", "show_output": false }],
        "post_cascade_response": [{ "command": "aidd hook stop", "show_output": false }]
      }
    }

    === .zed/settings.json
    {
      "context_servers": {
        "aidd": {
          "command": "aidd",
          "args": ["mcp", "--profile", "lean"],
          "env": {}
        }
      }
    }

    === .gemini/settings.json
    {
      "mcpServers": {
        "aidd": {
          "command": "aidd",
          "args": ["mcp", "--profile", "lean"]
        }
      },
      "hooks": {
        "SessionStart": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook session-start", "timeout": 10000 }]
          }
        ],
        "BeforeAgent": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook user-prompt", "timeout": 10000 }]
          }
        ],
        "BeforeTool": [
          {
            "matcher": "write_file|replace",
            "hooks": [{ "type": "command", "command": "aidd hook pre-tool-use", "timeout": 10000 }]
          }
        ],
        "AfterTool": [
          {
            "matcher": "write_file|replace|run_shell_command",
            "hooks": [{ "type": "command", "command": "aidd hook post-tool-use", "timeout": 10000 }]
          }
        ],
        "PreCompress": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook pre-compact", "timeout": 10000 }]
          }
        ],
        "AfterAgent": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook stop", "timeout": 10000 }]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook session-end", "timeout": 10000 }]
          }
        ]
      }
    }
    "#);
    args.push("--remove");
    project.run(&args).expect_code(0);
    let remaining: Vec<String> = std::fs::read_dir(project.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(remaining, [".aidd"]);
}

#[test]
fn installed_clients_are_listed() {
    let project = Project::new(&[(".cursor/rules/x.mdc", ""), ("GEMINI.md", "# Mine\n")]);
    let output = project.run(&["init"]).expect_code(0);
    assert!(
        output.err.contains(
            "also found: Cursor, Gemini CLI; set up with: aidd init --client cursor --client gemini"
        ),
        "{}",
        output.err
    );
    let output = project.run(&["init", "--client", "gemini"]).expect_code(0);
    assert!(
        output.err.contains("also found: Cursor; set up with: aidd init --client cursor"),
        "{}",
        output.err
    );
    assert!(project.read("GEMINI.md").starts_with("# Mine\n\n<!-- aidd init -->\n"));
    project.run(&["init", "--remove"]).expect_code(2);
    let output = project.run(&["init", "--client", "cursor", "--dry-run"]).expect_code(0);
    assert!(output.out.contains("+++ b/.cursor/mcp.json"), "{}", output.out);
    assert!(output.err.contains("would write .cursor/mcp.json"), "{}", output.err);
    assert!(!project.path().join(".cursor/mcp.json").exists());
}
