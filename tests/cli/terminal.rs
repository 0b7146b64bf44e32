//! Tests of the output on a terminal: a pseudo-terminal, as `script` of util-linux opens it.

use crate::cli::support::{Project, token};
use insta::assert_snapshot;

/// A message that is longer than a narrow terminal.
const MESSAGE: &str =
    "this colour was replaced in the spring by another one, which is easier to read on a screen";
const HELP: &str =
    "Use the colour that the page on the design of the product recommends for this kind of text";

fn project(findings: usize) -> Project {
    let rule = format!(
        "---\nseverity: warning\nmessage: \"`<match>`: {MESSAGE}\"\nhelp: \"{HELP}\"\ncheck:\n  files: [\"*.txt\"]\n  text: {{ regex: 'blue\\d*', keywords: [blue] }}\n---\n# team/colour\n\nBlue is last year's colour. {MESSAGE}.\n"
    );
    let lines: String = (0..findings).map(|at| format!("blue{at}\n")).collect();
    Project::new(&[("rules/colour.md", &rule), ("a.txt", &lines)])
}

/// The output of `aidd ARGS` on a terminal with `width` columns.
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn on_terminal(project: &Project, width: usize, env: &[(&str, &str)], args: &str) -> String {
    let line = format!("stty rows 40 cols {width}; {} {args}", env!("CARGO_BIN_EXE_aidd"));
    let mut command = std::process::Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    command.current_dir(project.path()).env_clear().envs(env.iter().copied());
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    project.finish(&mut command, b"").out.replace('\r', "")
}

/// The text without colours and links.
fn visible(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut visible = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = match part.strip_prefix(']') {
            Some(_) => None,
            None if part.starts_with('\\') => Some(1),
            None => part.find('m').map(|at| at + 1),
        };
        visible.push_str(end.map_or("", |end| &part[end..]));
    }
    visible
}

#[test]
fn lines_fit_the_terminal_and_words_are_not_split() {
    let project = project(1);
    for width in [50, 80, 120] {
        for args in
            ["check .", "check . --format concise --all", "explain team/colour", "rule packs"]
        {
            let text = visible(&on_terminal(&project, width, &[], args));
            assert!(!text.trim().is_empty(), "{args}");
            let words: Vec<&str> = text.split_whitespace().collect();
            if args == "check ." {
                for part in [MESSAGE, HELP] {
                    let expected: Vec<&str> = part.split(' ').collect();
                    let is_complete = words.windows(expected.len()).any(|found| found == expected);
                    assert!(is_complete, "{width}: {text}");
                }
            }
            if args != "check . --format concise --all" {
                let widest = text.lines().map(|line| line.chars().count()).max();
                assert!(widest <= Some(width), "{width}, {args}: {text}");
            }
        }
    }
}

#[test]
fn a_terminal_gets_fifty_findings_and_a_pipe_all() {
    let project = project(60);
    let text = visible(&on_terminal(&project, 80, &[], "check ."));
    assert_eq!(text.matches("--> a.txt").count(), 50, "{text}");
    assert!(text.contains("\n… and 10 more; `--all` lists them\n"), "{text}");
    let all = visible(&on_terminal(&project, 80, &[], "check . --all"));
    assert_eq!(all.matches("--> a.txt").count(), 60, "{all}");
    let piped = project.run(&["check", "."]).expect_code(0).out;
    assert_eq!(piped.matches("--> a.txt").count(), 60);
    assert!(!piped.contains("more\n"), "{piped}");
}

#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let project = project(1);
    let has_colour =
        |env: &[(&str, &str)], args: &str| on_terminal(&project, 80, env, args).contains('\x1b');
    for args in ["check .", "explain team/colour"] {
        assert!(has_colour(&[], args), "{args}");
        assert!(!has_colour(&[("NO_COLOR", "1")], args), "{args}");
        assert!(!has_colour(&[("TERM", "dumb")], args), "{args}");
        assert!(!has_colour(&[], &format!("{args} --color never")), "{args}");
    }
    let linked = on_terminal(&project, 80, &[], "check .");
    assert!(!linked.contains("\x1b]8;;") || linked.contains("\x1b]8;;\x1b\\"), "{linked:?}");
}

#[test]
fn equal_messages_share_an_excerpt_and_secrets_are_always_named() {
    let project = project(60);
    project.write("b.txt", "blue\n".repeat(12));
    project.write("c.txt", "a line with 80 characters before the word, so that the window moves right: blue77 and more text\n");
    project.write(".aidd/config.json", r#"{"rules": {"secrets/*": "info"}}"#);
    project.write("src/app.conf", format!("token = {}\n", token()));
    let text = visible(&on_terminal(&project, 80, &[], "check b.txt c.txt src"));
    let text = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_snapshot!(text);
    let all = visible(&on_terminal(&project, 80, &[], "check b.txt --all"));
    assert_eq!(all.matches("--> b.txt").count(), 12, "{all}");
    let text = visible(&on_terminal(&project, 80, &[], "check ."));
    assert!(text.contains("info[secrets/github-personal-access-token]"), "{text}");
}

#[test]
fn a_pipe_is_wrapped_at_the_columns_of_the_environment() {
    let project = project(1);
    let wrapped = project.run_env(&[("COLUMNS", "60")], &["explain", "team/colour"]).out;
    assert!(wrapped.lines().all(|line| line.chars().count() <= 60), "{wrapped}");
    assert_snapshot!(project.run(&["explain", "team/colour"]).out, @r#"
    team/colour
    warning · enabled in this project · rules/colour.md

    Blue is last year's colour. this colour was replaced in the spring by another one, which is easier to read on a screen.

    Fix

    Use the colour that the page on the design of the product recommends for this kind of text.

    Allow one finding

    Write a comment on its line, or alone on the line above:

    ```
    # aidd:allow team/colour REASON
    ```

    Turn off

    ```json path=.aidd/config.json
    "rules": {"team/colour": "off"}
    ```
    "#);
    let allow = project.run(&["explain", "allow"]).expect_code(0).out;
    assert!(allow.contains("aidd:allow RULE REASON"), "{allow}");
}
