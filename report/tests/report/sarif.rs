//! Tests of SARIF: the schema, the fingerprints and the limits of code scanning.

use crate::report::fixture::{GITHUB, Tree, finding, render, rule, rules, tree};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::Source;
use aidd_report::{Format, Run, line_hashes};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn sarif(run: &Run<'_>) -> Value {
    let log: Value = serde_json::from_str(&render(Format::Sarif, run)).expect("JSON");
    let schema: Value =
        serde_json::from_str(include_str!("../sarif-2.1.0.schema.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&log).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    log["runs"][0].clone()
}

#[test]
fn findings_are_written_as_sarif() {
    let tree = tree();
    let mut run = tree.run();
    run.files.remove(1);
    (run.baseline, run.suppressed) = (true, true);
    run.category = Some("linux");
    run.version_control = Some(&*GITHUB);
    sarif(&run);
    assert_snapshot!(render(Format::Sarif, &run), @r##"
    {
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "runs": [
        {
          "automationDetails": {
            "id": "aidd/linux/"
          },
          "columnKind": "unicodeCodePoints",
          "invocations": [
            {
              "executionSuccessful": true,
              "toolExecutionNotifications": [
                {
                  "descriptor": {
                    "id": "aidd/skipped-file"
                  },
                  "level": "warning",
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "big/blob%1B.json",
                          "uriBaseId": "%SRCROOT%"
                        }
                      }
                    }
                  ],
                  "message": {
                    "text": "big/blob\\u{1b}.json: larger than 2 MiB | <b>"
                  }
                }
              ]
            }
          ],
          "originalUriBaseIds": {
            "%SRCROOT%": {
              "description": {
                "text": "The checked directory"
              }
            }
          },
          "results": [
            {
              "baselineState": "new",
              "fixes": [
                {
                  "artifactChanges": [
                    {
                      "artifactLocation": {
                        "uri": "Dockerfile",
                        "uriBaseId": "%SRCROOT%"
                      },
                      "replacements": [
                        {
                          "deletedRegion": {
                            "endColumn": 19,
                            "endLine": 1,
                            "startColumn": 12,
                            "startLine": 1
                          },
                          "insertedContent": {
                            "text": ":12"
                          }
                        }
                      ]
                    }
                  ],
                  "description": {
                    "text": "Use debian:12"
                  },
                  "properties": {
                    "safety": "safe"
                  }
                }
              ],
              "level": "warning",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "Dockerfile",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "endColumn": 19,
                      "endLine": 1,
                      "startColumn": 6,
                      "startLine": 1
                    }
                  }
                }
              ],
              "message": {
                "text": "Pin the tag. Name a version"
              },
              "partialFingerprints": {
                "aidd/v1": "000000000000a005",
                "primaryLocationLineHash": "72488c1ab7aa123a:1"
              },
              "relatedLocations": [
                {
                  "id": 1,
                  "message": {
                    "text": "another base"
                  },
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "Dockerfile",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "endColumn": 12,
                      "endLine": 3,
                      "startColumn": 6,
                      "startLine": 3
                    }
                  }
                }
              ],
              "ruleId": "dockerfile/latest-tag",
              "ruleIndex": 0
            },
            {
              "level": "warning",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "Dockerfile",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "endColumn": 19,
                      "endLine": 3,
                      "startColumn": 6,
                      "startLine": 3
                    }
                  }
                }
              ],
              "message": {
                "text": "Pin the tag"
              },
              "partialFingerprints": {
                "aidd/v1": "000000000000a027",
                "primaryLocationLineHash": "5cb16b6243e533da:1"
              },
              "ruleId": "dockerfile/latest-tag",
              "ruleIndex": 0,
              "suppressions": [
                {
                  "justification": "a test image",
                  "kind": "inSource",
                  "status": "accepted"
                }
              ]
            },
            {
              "baselineState": "unchanged",
              "level": "warning",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "Dockerfile",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "endColumn": 20,
                      "endLine": 4,
                      "startColumn": 6,
                      "startLine": 4
                    }
                  }
                }
              ],
              "message": {
                "text": "Pin the tag"
              },
              "partialFingerprints": {
                "aidd/v1": "000000000000a03b",
                "primaryLocationLineHash": "e901401fab3aeee4:1"
              },
              "ruleId": "dockerfile/latest-tag",
              "ruleIndex": 0,
              "suppressions": [
                {
                  "kind": "external",
                  "status": "accepted"
                }
              ]
            },
            {
              "baselineState": "new",
              "level": "note",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "logs/big.log",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "endColumn": 7,
                      "endLine": 41002,
                      "startColumn": 1,
                      "startLine": 41002
                    }
                  }
                }
              ],
              "message": {
                "text": "Do not shout"
              },
              "partialFingerprints": {
                "aidd/v1": "000000000000c005"
              },
              "ruleId": "team/no-shouting",
              "ruleIndex": 1
            }
          ],
          "tool": {
            "driver": {
              "informationUri": "https://github.com/aidd-dev/aidd",
              "name": "aidd",
              "notifications": [
                {
                  "fullDescription": {
                    "text": "A file was skipped or only partly checked. The file can contain unreported findings. The message states why it was not checked."
                  },
                  "help": {
                    "text": "The file can contain unreported findings. The message states why it was not checked."
                  },
                  "id": "aidd/skipped-file",
                  "shortDescription": {
                    "text": "A file was skipped or only partly checked"
                  }
                },
                {
                  "fullDescription": {
                    "text": "More results than code scanning accepts. The least severe results are omitted. They appear once the other results are fixed, or when the run is split into categories."
                  },
                  "help": {
                    "text": "The least severe results are omitted. They appear once the other results are fixed, or when the run is split into categories."
                  },
                  "id": "aidd/results-left-out",
                  "shortDescription": {
                    "text": "More results than code scanning accepts"
                  }
                },
                {
                  "fullDescription": {
                    "text": "A commit, a branch, a title or a change breaks a rule. The violation is outside of files, so it cannot be a result. The message names the rule."
                  },
                  "help": {
                    "text": "The violation is outside of files, so it cannot be a result. The message names the rule."
                  },
                  "id": "aidd/commit",
                  "shortDescription": {
                    "text": "A commit, a branch, a title or a change breaks a rule"
                  }
                }
              ],
              "rules": [
                {
                  "defaultConfiguration": {
                    "enabled": true,
                    "level": "warning"
                  },
                  "fullDescription": {
                    "text": "A moving tag changes under your feet. It hurts."
                  },
                  "help": {
                    "markdown": "# dockerfile/latest-tag\n\nA moving tag changes under your feet. It\nhurts.\n\nMore.\n",
                    "text": "# dockerfile/latest-tag\n\nA moving tag changes under your feet. It\nhurts.\n\nMore.\n"
                  },
                  "helpUri": "https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md",
                  "id": "dockerfile/latest-tag",
                  "properties": {
                    "aliases": [
                      "DL3007"
                    ],
                    "precision": "high",
                    "problem.severity": "warning"
                  },
                  "shortDescription": {
                    "text": "A moving tag changes under your feet."
                  }
                },
                {
                  "defaultConfiguration": {
                    "enabled": true,
                    "level": "note"
                  },
                  "fullDescription": {
                    "text": "We do not shout. It hurts."
                  },
                  "help": {
                    "markdown": "# team/no-shouting\n\nWe do not shout. It\nhurts.\n\nMore.",
                    "text": "team/no-shouting\n\nWe do not shout. It\nhurts.\n\nMore."
                  },
                  "helpUri": "https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/rules/team/no-shouting.md",
                  "id": "team/no-shouting",
                  "properties": {
                    "precision": "high",
                    "problem.severity": "recommendation"
                  },
                  "shortDescription": {
                    "text": "We do not shout."
                  }
                }
              ],
              "semanticVersion": "0.1.0",
              "version": "0.1.0"
            }
          },
          "versionControlProvenance": [
            {
              "branch": "main",
              "mappedTo": {
                "uriBaseId": "%SRCROOT%"
              },
              "repositoryUri": "https://github.com/owner/name",
              "revisionId": "0123456789abcdef0123456789abcdef01234567"
            }
          ]
        }
      ],
      "version": "2.1.0"
    }
    "##);
}

#[test]
fn a_security_rule_has_the_properties_of_code_scanning() {
    let tree = tree();
    let run = sarif(&tree.run());
    assert_eq!(
        run["tool"]["driver"]["rules"][1]["properties"],
        json!({
            "tags": ["security", "external/cwe/cwe-798"],
            "precision": "high",
            "problem.severity": "error",
            "security-severity": "8.5",
        })
    );
    let worst = &run["results"][0];
    assert_eq!(worst["ruleIndex"], json!(1));
    assert_eq!(
        worst["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        json!("conf,%20dir/s%C3%A9%23t%3A1.toml")
    );
    assert_eq!(worst["fixes"], Value::Null, "the edits would reveal the secret");
}

#[test]
fn baselined_and_allowed_findings_are_omitted_unless_requested() {
    let tree = tree();
    let statuses = |suppressed| {
        let run = sarif(&Run { suppressed, ..tree.run() });
        let results = run["results"].as_array().expect("an array").clone();
        results.iter().map(|r| r["suppressions"][0]["kind"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(statuses(false), [Value::Null, Value::Null, Value::Null]);
    assert_eq!(
        statuses(true),
        [Value::Null, Value::Null, json!("inSource"), json!("external"), Value::Null]
    );
}

#[test]
fn the_most_severe_results_are_retained_up_to_the_limit() {
    let rules =
        vec![rule("a/mild", Severity::Info, "Mild."), rule("b/bad", Severity::Error, "Bad.")];
    let source = Source::new("x", "x\n".repeat(26_000));
    let new_finding = |rule| finding(&source, rule, "x", "no");
    let mut findings = vec![new_finding(&rules[0]); 25_500];
    findings.extend(vec![new_finding(&rules[1]); 500]);
    let tree = Tree { files: vec![(source, findings, Vec::new())], rules, skipped: Vec::new() };
    let run: Value = serde_json::from_str(&render(Format::Sarif, &tree.run())).expect("JSON");
    let results = run["runs"][0]["results"].as_array().expect("an array");
    assert_eq!(results.len(), 25_000);
    assert_eq!(results.iter().filter(|result| result["level"] == "error").count(), 500);
    let notes = &run["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(
        notes[0]["message"]["text"],
        json!("1000 results omitted, least severe first: code scanning accepts at most 25000")
    );
}

#[test]
fn excess_tags_are_omitted() {
    let mut rules = rules();
    rules[2].tags = (0..30).map(|tag| format!("tag-{tag}")).collect();
    let source = Source::new("x", "SHOUT");
    let found = finding(&source, &rules[2], "SHOUT", "no");
    let tree = Tree { files: vec![(source, vec![found], Vec::new())], rules, skipped: Vec::new() };
    let run = sarif(&tree.run());
    let tags = run["tool"]["driver"]["rules"][0]["properties"]["tags"].as_array().map(Vec::len);
    assert_eq!(tags, Some(20));
}

#[test]
fn line_hashes_equal_those_of_code_scanning() {
    let hashes = |text: &str| line_hashes(text).join(" ");
    assert_eq!(hashes(""), "c129715d7a2bc9a3:1");
    assert_eq!(hashes("hello world\nhello world!"), "b3f92fc68745ab4e:1 fe495ada356341d0:1");
    assert_eq!(
        hashes("hello,\nworld\r\n!"),
        "72a2f1174189b1a0:1 e0c3b9d23dad32ea:1 9aa8a85b9f977624:1"
    );
    assert_eq!(
        hashes("\n\n\n"),
        "4e5d562094661a0d:1 5b5d4caf73a13177:1 3c5bef55b72b93c9:1 c129715d7a2bc9a3:1"
    );
    let repeated = line_hashes(&"Lorem ipsum dolor sit amet.\n".repeat(10));
    assert_eq!(repeated[..2], ["a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2"]);
    assert_eq!(
        repeated[5..],
        [
            "a7f2ff13bc495cf2:6",
            "a7f2ff1481e87703:1",
            "a9cf91f7bbf1862b:1",
            "55ec222b86bcae53:1",
            "cc97dc7b1d7d8f7b:1",
            "c129715d7a2bc9a3:1"
        ]
    );
}
