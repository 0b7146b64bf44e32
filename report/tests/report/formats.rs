//! Tests of the output of each format.

use crate::report::fixture::{GITHUB, Tree, render, render_with, rules, tree};
use aidd_report::{Format, Style, wire};
use insta::assert_snapshot;
use std::path::Path;

#[test]
fn findings_are_written_as_text() {
    assert_snapshot!(tree().write(Format::Text), @r#"
    error[secrets/some-key]: `[REDACTED]` is 100% | open
                             see @someone <b> #12
     --> conf, dir/sé#t:1.toml:2:9
      |
    1 | a = 1
    2 |     😀key = "**************"; again = "**************"
      |             ^^^^^^^^^^^^^^^^
      |
      = help: Revoke [REDACTED]

    warning[dockerfile/latest-tag]: Pin the tag
     --> Dockerfile:1:6
      |
    1 | FROM debian:latest
      |      ^^^^^^^^^^^^^
    2 | # aidd:allow
    3 | FROM alpine:latest
      |      ------ another base
      |
      = help: Name a version
      = fix: Use debian:12 (--fix)
      |
    1 - FROM debian:latest
    1 + FROM debian:12
      |

    1 error   secrets/some-key, fixable
    1 warning dockerfile/latest-tag, fixable
    1 info    team/no-shouting, not listed

    1 file skipped or only partly checked:
      big/blob\u{1b}.json: larger than 2 MiB | <b>

    1 error, 1 warning, 1 info in 12 files (0.2 s); 1 fixable with --fix, 1 with --fix-unsafe; 1 baselined, 1 allowed
    "#);
}

#[test]
fn text_is_coloured_and_linked() {
    let tree = tree();
    let mut run = tree.run();
    run.files.truncate(1);
    let style = Style { color: true, hyperlinks: true, width: 80, ..Style::default() };
    let text = render_with(Format::Text, &run, &style).replace('\u{1b}', "^");
    assert_snapshot!(text.lines().take(4).collect::<Vec<_>>().join("\n"), @r"
    ^[1m^[33mwarning[^]8;;https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md^\dockerfile/latest-tag^]8;;^\]^[0m^[1m: Pin the tag^[0m
    ^[1m^[94m -->^[0m Dockerfile:1:6
      ^[1m^[94m|^[0m
    ^[1m^[94m1^[0m ^[1m^[94m|^[0m FROM debian:latest
    ");
}

#[test]
fn findings_are_written_as_json() {
    assert_snapshot!(tree().write(Format::Json), @r#"
    {
      "schemaVersion": 1,
      "tool": {
        "name": "aidd",
        "version": "0.1.0"
      },
      "findings": [
        {
          "id": "000000000000a005",
          "rule": "dockerfile/latest-tag",
          "aliases": [
            "DL3007"
          ],
          "severity": "warning",
          "message": "Pin the tag",
          "help": "Name a version",
          "path": "Dockerfile",
          "start": {
            "line": 1,
            "column": 6,
            "offset": 5
          },
          "end": {
            "line": 1,
            "column": 19,
            "offset": 18
          },
          "status": "new",
          "reason": null,
          "fix": {
            "title": "Use debian:12",
            "safety": "safe",
            "edits": [
              {
                "start": {
                  "line": 1,
                  "column": 12,
                  "offset": 11
                },
                "end": {
                  "line": 1,
                  "column": 19,
                  "offset": 18
                },
                "text": ":12"
              }
            ]
          },
          "related": [
            {
              "path": "Dockerfile",
              "start": {
                "line": 3,
                "column": 6,
                "offset": 39
              },
              "end": {
                "line": 3,
                "column": 12,
                "offset": 45
              },
              "message": "another base"
            }
          ]
        },
        {
          "id": "000000000000a027",
          "rule": "dockerfile/latest-tag",
          "aliases": [
            "DL3007"
          ],
          "severity": "warning",
          "message": "Pin the tag",
          "help": null,
          "path": "Dockerfile",
          "start": {
            "line": 3,
            "column": 6,
            "offset": 39
          },
          "end": {
            "line": 3,
            "column": 19,
            "offset": 52
          },
          "status": "allowed",
          "reason": "a test image",
          "fix": null,
          "related": []
        },
        {
          "id": "000000000000a03b",
          "rule": "dockerfile/latest-tag",
          "aliases": [
            "DL3007"
          ],
          "severity": "warning",
          "message": "Pin the tag",
          "help": null,
          "path": "Dockerfile",
          "start": {
            "line": 4,
            "column": 6,
            "offset": 59
          },
          "end": {
            "line": 4,
            "column": 20,
            "offset": 73
          },
          "status": "baselined",
          "reason": null,
          "fix": null,
          "related": []
        },
        {
          "id": "0000000000016011",
          "rule": "secrets/some-key",
          "aliases": [],
          "severity": "error",
          "message": "`[REDACTED]` is 100% | open\nsee @someone <b> #12",
          "help": "Revoke [REDACTED]",
          "path": "conf, dir/sé#t:1.toml",
          "start": {
            "line": 2,
            "column": 9,
            "offset": 17
          },
          "end": {
            "line": 2,
            "column": 25,
            "offset": 33
          },
          "status": "new",
          "reason": null,
          "fix": null,
          "related": []
        },
        {
          "id": "000000000000c005",
          "rule": "team/no-shouting",
          "aliases": [],
          "severity": "info",
          "message": "Do not shout",
          "help": null,
          "path": "logs/big.log",
          "start": {
            "line": 41002,
            "column": 1,
            "offset": 5000000005
          },
          "end": {
            "line": 41002,
            "column": 7,
            "offset": 5000000011
          },
          "status": "new",
          "reason": null,
          "fix": null,
          "related": []
        }
      ],
      "summary": {
        "error": 1,
        "warning": 1,
        "info": 1,
        "moved": 0,
        "preExisting": 0,
        "fixed": 0,
        "baselined": 1,
        "allowed": 1,
        "ignored": 0,
        "stale": 0,
        "files": 12,
        "skipped": [
          {
            "path": "big/blob\u001b.json",
            "why": "larger than 2 MiB | <b>"
          }
        ]
      }
    }
    "#);
}

#[test]
fn findings_are_written_as_workflow_commands() {
    assert_snapshot!(tree().write(Format::Github), @"
    ::error file=conf%2C dir/sé#t%3A1.toml,line=2,endLine=2,col=9,endColumn=25,title=secrets/some-key::`[REDACTED]` is 100%25 | open%0Asee @someone <b> #12%0ARevoke [REDACTED]
    ::warning file=Dockerfile,line=1,endLine=1,col=6,endColumn=19,title=dockerfile/latest-tag::Pin the tag%0AName a version
    ::notice file=logs/big.log,line=41002,endLine=41002,col=1,endColumn=7,title=team/no-shouting::Do not shout
    1 file skipped or only partly checked:
      big/blob\\u{1b}.json: larger than 2 MiB | <b>
    1 error, 1 warning, 1 info in 12 files; 1 fixable with --fix, 1 with --fix-unsafe; 1 baselined, 1 allowed
    ");
}

#[test]
fn findings_are_written_as_markdown() {
    let tree = tree();
    let mut run = tree.run();
    run.version_control = Some(&*GITHUB);
    assert_snapshot!(render(Format::Markdown, &run), @r#"
    ## aidd: 1 error, 1 warning, 1 info in 12 files

    **Failing:** `[REDACTED]` is 100% \| open see \@&#8203;someone &lt;b&gt; \#&#8203;12 at [conf, dir/sé\#&#8203;t:1.toml:2](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/conf,%20dir/s%C3%A9%23t%3A1.toml#L2>) ([secrets/some-key](<https://github.com/aidd-dev/aidd/blob/main/content/rules/secrets/some-key.md>)), Pin the tag at [Dockerfile:1](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/Dockerfile#L1>) ([dockerfile/latest-tag](<https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md>))

    1 fixable with --fix, 1 with --fix-unsafe; 1 baselined, 1 allowed

    ### Errors (1)

    **[secrets/some-key](<https://github.com/aidd-dev/aidd/blob/main/content/rules/secrets/some-key.md>)** at [conf, dir/sé\#&#8203;t:1.toml:2](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/conf,%20dir/s%C3%A9%23t%3A1.toml#L2>): `[REDACTED]` is 100% \| open see \@&#8203;someone &lt;b&gt; \#&#8203;12

          1 | a = 1
        > 2 | 	😀key = "**************"; again = "**************"
            | 	        ^^^^^^^^^^^^^^^^
          3 |

    help: Revoke \[REDACTED\]

    ### Warnings (1)

    **[dockerfile/latest-tag](<https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md>)** at [Dockerfile:1](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/Dockerfile#L1>): Pin the tag

    help: Name a version

    <details>
    <summary>Info (1)</summary>

    | Location | Problem | Remedy | Rule |
    | --- | --- | --- | --- |
    | [logs/big.log:41002](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/logs/big.log#L41002>) | Do not shout |  | [team/no-shouting](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/rules/team/no-shouting.md>) |

    </details>

    <details>
    <summary>1 file skipped or only partly checked</summary>

    - big/blob\\u{1b}.json: larger than 2 MiB \| &lt;b&gt;

    </details>
    "#);
}

#[test]
fn findings_are_written_as_gitlab_issues() {
    assert_snapshot!(tree().write(Format::Gitlab), @r#"
    [
      {
        "description": "`[REDACTED]` is 100% | open\nsee @someone <b> #12",
        "check_name": "secrets/some-key",
        "fingerprint": "0000000000016011",
        "severity": "major",
        "location": {
          "path": "conf, dir/sé#t:1.toml",
          "lines": {
            "begin": 2
          }
        }
      },
      {
        "description": "Pin the tag",
        "check_name": "dockerfile/latest-tag",
        "fingerprint": "000000000000a005",
        "severity": "minor",
        "location": {
          "path": "Dockerfile",
          "lines": {
            "begin": 1
          }
        }
      },
      {
        "description": "Do not shout",
        "check_name": "team/no-shouting",
        "fingerprint": "000000000000c005",
        "severity": "info",
        "location": {
          "path": "logs/big.log",
          "lines": {
            "begin": 41002
          }
        }
      }
    ]
    "#);
}

#[test]
fn findings_are_written_as_junit() {
    assert_snapshot!(tree().write(Format::Junit), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="aidd" tests="4" failures="2" errors="0" skipped="1" time="0.230">
      <testsuite name="Dockerfile" tests="1" failures="1" errors="0" skipped="0">
        <testcase name="dockerfile/latest-tag (1:6)" classname="Dockerfile" file="Dockerfile" line="1">
          <failure type="warning" message="Pin the tag">Dockerfile:1:6: Pin the tag&#10;Name a version</failure>
        </testcase>
      </testsuite>
      <testsuite name="conf, dir/sé#t:1.toml" tests="1" failures="1" errors="0" skipped="0">
        <testcase name="secrets/some-key (2:9)" classname="conf, dir/sé#t:1.toml" file="conf, dir/sé#t:1.toml" line="2">
          <failure type="error" message="`[REDACTED]` is 100% | open&#10;see @someone &lt;b&gt; #12">conf, dir/sé#t:1.toml:2:9: `[REDACTED]` is 100% | open&#10;see @someone &lt;b&gt; #12&#10;Revoke [REDACTED]</failure>
        </testcase>
      </testsuite>
      <testsuite name="logs/big.log" tests="1" failures="0" errors="0" skipped="0">
        <testcase name="team/no-shouting (41002:1)" classname="logs/big.log" file="logs/big.log" line="41002">
          <system-out>info: logs/big.log:41002:1: Do not shout</system-out>
        </testcase>
      </testsuite>
      <testsuite name="skipped or only partly checked" tests="1" failures="0" errors="0" skipped="1">
        <testcase name="big/blob\u{1b}.json" classname="big/blob\u{1b}.json">
          <skipped message="larger than 2 MiB | &lt;b&gt;"/>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn a_run_without_findings_reports_no_problems() {
    let clean = Tree { files: Vec::new(), rules: rules(), skipped: Vec::new() };
    assert_snapshot!(clean.write(Format::Text), @"no problems in 12 files (0.2 s)");
    assert_snapshot!(clean.write(Format::Github), @"no problems in 12 files");
    assert_snapshot!(clean.write(Format::Markdown), @"## aidd: no problems in 12 files");
    assert_snapshot!(clean.write(Format::Gitlab), @"[]");
    assert_snapshot!(clean.write(Format::Junit), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="aidd" tests="1" failures="0" errors="0" skipped="0" time="0.230">
      <testsuite name="aidd" tests="1" failures="0" errors="0" skipped="0">
        <testcase name="no problems in 12 files" classname="aidd"/>
      </testsuite>
    </testsuites>
    "#);
}

/// `UPDATE_DOCS=1 cargo test -p aidd-report` rewrites the file.
#[test]
fn the_schema_in_the_docs_is_not_stale() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/findings.schema.json");
    let schema = wire::schema();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &schema).expect("docs can be written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/findings.schema.json can be read");
    assert_eq!(stored.replace("\r\n", "\n"), schema, "run again with UPDATE_DOCS=1");
}

#[test]
fn json_follows_its_schema() {
    let schema = serde_json::from_str(&wire::schema()).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let report = serde_json::from_str(&tree().write(Format::Json)).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}
