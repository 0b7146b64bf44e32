//! What the gate enforces, as it is stated.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::{self, Config};
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::finding::{FailOn, Severity};
use aidd_report::{ComplianceFormat, Gated, compliance};
use insta::assert_snapshot;
use serde_json::Value;

const PAGES: [(&str, &str); 2] = [
    ("rules/a.md", "---\nseverity: error\ntags: [team-style]\n---\n# team/a\n\nA.\n"),
    ("rules/b.md", "---\nseverity: warning\ntags: [team-style]\n---\n# team/b\n\nB.\n"),
];

/// Switches every shipped rule off, so that the catalogue may grow.
const CONFIG: &str = r#"{
  "failOn": "warning",
  "rules": { "*": "off", "team/*": "warning", "team/b": { "severity": "info", "params": { "z": 1, "a": [2] } } },
  "overrides": [{ "files": ["docs/"], "rules": { "team/a": "off" } }],
  "ci": { "blockOn": ["team/b", "commit_format"], "warnOn": ["team-stile"], "ignore": ["secrets/*"] }
}"#;

fn state(config: &str, pages: &[(&str, &str)], format: ComplianceFormat) -> String {
    let (config, unknown): (Config, _) = config::read(config).expect("valid");
    assert_eq!(unknown, []);
    let pages: Vec<(String, String)> =
        pages.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
    let engine = Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &pages),
        &config,
        &Selection::default(),
    )
    .expect("an engine");
    let fail_on = FailOn::Severity(Severity::Warning);
    let text =
        compliance(Gated { config: &config, engine: &engine, fail_on, baseline: Some(3) }, format);
    let shipped = Registry::new(crate::DISTRIBUTION.pages, &[]).rules().len();
    text.replace(&(shipped + 2).to_string(), "TOTAL").replace(&shipped.to_string(), "SHIPPED")
}

#[test]
fn in_markdown() {
    assert_snapshot!(state(CONFIG, &PAGES, ComplianceFormat::Markdown), @r"
    ## aidd: what the gate enforces

    TOTAL rules in all, 2 on, SHIPPED off.

    | A new finding | Rules | Errors | Warnings | Info |
    | --- | ---: | ---: | ---: | ---: |
    | fails the run | 2 | 0 | 1 | 1 |
    | is reported | 0 | 0 | 0 | 0 |
    | is left out | 0 | 0 | 0 | 0 |

    Where no list says otherwise, warnings and errors fail the run.

    | List | Selector | Names | Rules |
    | --- | --- | --- | ---: |
    | blockOn | team/b | a rule | 1 |
    | ignore | secrets/\* | a glob | 0 |

    <details>
    <summary>By kind</summary>

    | Kind | Fails | Reported | Left out |
    | --- | ---: | ---: | ---: |
    | team | 2 | 0 | 0 |

    </details>

    <details>
    <summary>By tag</summary>

    | Tag | Fails | Reported | Left out |
    | --- | ---: | ---: | ---: |
    | team-style | 2 | 0 | 0 |

    </details>

    ### The project's own rules

    | Rule | Page | Severity |
    | --- | --- | --- |
    | team/a | rules/a.md | warning |
    | team/b | rules/b.md | info |

    - Baseline: 3 findings put off
    - Set otherwise for some paths: 1
    - Note: ci.blockOn: \`commit\_format\` selects nothing: no rule has its tag yet
    - Note: ci.warnOn: \`team-stile\` names no rule, tag or category; did you mean \`team-style\`?
    - Made by aidd 0.1.0
    - Settings and rule pages: `sha256:46017f4f07cc2912852088868d5921dac27c51d5530fcb7990c5492cdba98394`
    ");
}

#[test]
fn in_json() {
    assert_snapshot!(state(CONFIG, &PAGES, ComplianceFormat::Json), @r#"
    {
      "schemaVersion": 1,
      "tool": {
        "name": "aidd",
        "version": "0.1.0"
      },
      "failOn": "warning",
      "blockOn": [
        {
          "selector": "team/b",
          "means": "rule",
          "rules": 1
        }
      ],
      "warnOn": [],
      "ignore": [
        {
          "selector": "secrets/*",
          "means": "glob",
          "rules": 0
        }
      ],
      "rules": {
        "total": TOTAL,
        "on": 2,
        "off": SHIPPED,
        "blocking": {
          "rules": 2,
          "bySeverity": {
            "error": 0,
            "warning": 1,
            "info": 1
          },
          "byKind": {
            "team": 2
          },
          "byTag": {
            "team-style": 2
          }
        },
        "warning": {
          "rules": 0,
          "bySeverity": {
            "error": 0,
            "warning": 0,
            "info": 0
          },
          "byKind": {},
          "byTag": {}
        },
        "ignored": {
          "rules": 0,
          "bySeverity": {
            "error": 0,
            "warning": 0,
            "info": 0
          },
          "byKind": {},
          "byTag": {}
        }
      },
      "overrides": 1,
      "projectRules": [
        {
          "id": "team/a",
          "path": "rules/a.md",
          "severity": "warning"
        },
        {
          "id": "team/b",
          "path": "rules/b.md",
          "severity": "info"
        }
      ],
      "baseline": 3,
      "checksum": "sha256:46017f4f07cc2912852088868d5921dac27c51d5530fcb7990c5492cdba98394",
      "notes": [
        "ci.blockOn: `commit_format` selects nothing: no rule has its tag yet",
        "ci.warnOn: `team-stile` names no rule, tag or category; did you mean `team-style`?"
      ]
    }
    "#);
}

#[test]
fn github_gets_a_notice_besides() {
    let text = state(CONFIG, &PAGES, ComplianceFormat::Github);
    let notice = text.lines().last().expect("a line");
    let start = "::notice title=aidd::2 rules block, 0 warn; sha256:";
    assert!(notice.starts_with(start), "{notice}");
    assert_eq!(text.matches("::notice").count(), 1);
}

#[test]
fn the_checksum_is_of_what_is_enforced() {
    let sum = |config: &str, pages: &[(&str, &str)]| {
        let text = state(config, pages, ComplianceFormat::Json);
        let statement: Value =
            serde_json::from_str(&text.replace("TOTAL", "0").replace("SHIPPED", "0"))
                .expect("JSON");
        statement["checksum"].as_str().expect("text").to_owned()
    };
    let now = sum(CONFIG, &PAGES);
    let written_otherwise =
        format!("// why\n{}", CONFIG.replace(r#""z": 1, "a": [2]"#, r#""a": [2], "z": 1"#));
    assert_eq!(sum(&written_otherwise, &PAGES), now);
    let crlf = PAGES.map(|(path, text)| (path, text.replace('\n', "\r\n")));
    let crlf: Vec<(&str, &str)> = crlf.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert_eq!(sum(CONFIG, &crlf), now);
    assert_ne!(
        sum(&CONFIG.replace("\"failOn\": \"warning\"", "\"failOn\": \"info\""), &PAGES),
        now
    );
    assert_ne!(sum(CONFIG, &PAGES[..1]), now);
}
