//! Every rule page is a test: its failing examples have findings of this rule only, its passing
//! examples have none, and its fix has the result shown on the page.

use aidd_engine::check;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::Memory;
use aidd_engine::text::finding::Status;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples::{self, Expected, JOIN_MARK};
use aidd_page::{Form, Severity};
use clap::CommandFactory as _;
use std::collections::BTreeSet;

fn engine() -> Engine {
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("shipped rules")
}

/// Panics if there are problems, and prints one per line.
fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_example_has_the_documented_findings() {
    let engine = engine();
    let problems: Vec<String> = engine
        .registry()
        .rules()
        .iter()
        // The rule on skipped files cannot have a small example.
        .filter(|rule| &*rule.id != check::SKIPPED)
        .flat_map(|rule| {
            examples::run(&engine, rule)
                .into_iter()
                .map(|problem| format!("{}: {problem}", rule.id))
        })
        .collect();
    assert_none(&problems);
}

/// Some editors write an invisible byte order mark; findings on the first line must not change.
#[test]
fn failing_examples_fail_after_a_byte_order_mark() {
    let engine = engine();
    let mut problems = Vec::new();
    let checks_files = |rule: &&Rule| !rule.is_project_check() && rule.form != Some(Form::Commit);
    for rule in engine.registry().rules().iter().filter(checks_files) {
        if ["aidd/", "tkb/"].iter().any(|kind| rule.id.starts_with(kind)) {
            continue;
        }
        let (examples, _) = examples::read(rule).expect("readable examples");
        for mut example in examples {
            if !matches!(example.expected, Expected::Fails(_))
                || example.text.starts_with('\u{FEFF}')
            {
                continue;
            }
            // A line and its content: the mark adds a column on the first line.
            let line_and_text = |line: &String| {
                let (position, text) = line.split_once(' ').unwrap_or((line, ""));
                let line = position.split(':').next().unwrap_or_default();
                format!("{line} {}", text.trim_start_matches('\u{FEFF}'))
            };
            let found = |example: &_| -> Vec<String> {
                examples::example_finding_lines(&engine, rule, example)
                    .iter()
                    .map(line_and_text)
                    .collect()
            };
            let plain = found(&example);
            example.text.insert(0, '\u{FEFF}');
            let marked = found(&example);
            if plain != marked {
                let (id, line) = (&rule.id, example.line);
                problems.push(format!("{id}: line {line}: {plain:?} became {marked:?}"));
            }
        }
    }
    assert_none(&problems);
}

/// Windows line breaks have two bytes, and the node of a comment can include the first of them. A
/// pattern that ends with `$` would then not match.
#[test]
fn failing_examples_fail_with_windows_line_endings() {
    let engine = engine();
    let mut problems = Vec::new();
    let rules = engine.registry().rules().iter();
    for rule in rules.filter(|rule| {
        rule.id.starts_with("compliance/")
            && matches!(rule.form, Some(Form::Syntax | Form::Text | Form::Data))
    }) {
        let (examples, _) = examples::read(rule).expect("readable examples");
        for mut example in examples {
            let Expected::Fails(expected) = &example.expected else { continue };
            let position = |line: &String| line.split(' ').next().map(str::to_owned);
            let expected: Vec<_> = expected.iter().map(position).collect();
            example.text = example.text.replace('\n', "\r\n");
            let found: Vec<_> = examples::example_finding_lines(&engine, rule, &example)
                .iter()
                .map(position)
                .collect();
            if found != expected {
                problems.push(format!("{}: line {}: {found:?}", rule.id, example.line));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn pages_and_checks_are_one_to_one() {
    let pages: BTreeSet<&str> = aidd_content::RULES.pages.iter().map(|page| page.id).collect();
    let engine = engine();
    let patterns =
        engine.registry().rules().iter().filter(|rule| rule.check.is_some()).map(|rule| &*rule.id);
    let in_rust = aidd_validators::ALL
        .iter()
        .flat_map(|family| (family.rules)())
        .chain(check::configuration::RULES)
        .chain(check::OWN_RULES);
    let mut checks = BTreeSet::new();
    for id in patterns.map(str::to_owned).chain(in_rust.map(str::to_owned)) {
        assert!(checks.insert(id.clone()), "duplicate check {id}");
    }
    assert_eq!(pages, checks.iter().map(String::as_str).collect());
}

#[test]
fn every_pattern_compiles_and_every_rule_has_texts() {
    let mut problems = Vec::new();
    for rule in engine().registry().rules() {
        problems.extend(
            aidd_engine::forms::problems(rule).into_iter().map(|why| format!("{}: {why}", rule.id)),
        );
        if rule.summary.is_empty() {
            problems.push(format!("{}: no text under the title", rule.id));
        }
        // Checks of these forms have several requirements, and report which one is not met.
        let has_own_messages =
            rule.check.as_ref().is_some_and(|check| check.doc.is_some() || check.commit.is_some());
        if rule.check.is_some() && rule.message.is_none() && !has_own_messages {
            problems.push(format!("{}: a shipped pattern requires `message`", rule.id));
        }
        if rule.security_severity.is_some() && !rule.tags.iter().any(|tag| tag == "security") {
            problems.push(format!("{}: security-severity requires the tag `security`", rule.id));
        }
    }
    assert_none(&problems);
}

/// Rules whose examples are reported by another rule when all rules run: the rule, the other rule
/// and the reason.
const MORE_SPECIFIC: [(&str, &str, &str); 16] = [
    ("aws-credentials-file", "aws-access-key-id", "the format of the key is more specific"),
    ("aws-credentials-file", "aws-secret-access-key", "the name of the key is more specific"),
    ("ci-secret", "docker-login-password", "the command is more specific"),
    ("connection-string-password", "ado-net-connection-password", "the format is more specific"),
    ("connection-string-password", "url-password-http", "the protocol is more specific"),
    ("htpasswd-hash", "htpasswd-entry", "the format is more specific"),
    ("netrc-entry", "netrc-password", "the file is more specific"),
    ("npmrc-auth-token", "npm-legacy-token", "the format of the token is more specific"),
    ("private-key-file", "pem-private-key", "the format of the key is more specific"),
    ("script-secret", "curl-auth-user", "the command is more specific"),
    ("script-secret", "mysql-command-password", "the command is more specific"),
    ("secret-key-base", "rails-secret-key-base", "the file is more specific"),
    ("shell-history-secret", "curl-auth-user", "the command is more specific"),
    ("shell-history-secret", "mysql-command-password", "the command is more specific"),
    ("shell-profile-secret", "mysql-command-password", "the command is more specific"),
    ("terraform-variable-secret", "hashicorp-terraform-password", "the argument is more specific"),
];

/// Example secrets must not be stored as valid secrets in the repository. When all rules run, they
/// must be reported by their own rule, so that a rule that becomes ineffective is noticed.
#[test]
fn example_secrets_are_marked_and_found_among_all_rules() {
    let engine = engine();
    let mut problems = Vec::new();
    let shadowing_entry = |rule: &str, found: &[&str]| {
        MORE_SPECIFIC.iter().position(|(shadowed, other, _)| {
            let has_name = |id: &str, name: &str| id.strip_prefix("secrets/") == Some(name);
            has_name(rule, shadowed) && found.iter().any(|id| has_name(id, other))
        })
    };
    let mut shadowed = BTreeSet::new();
    for rule in engine.registry().rules().iter().filter(|rule| rule.id.starts_with("secrets/")) {
        let Ok((examples, _)) = examples::read(rule) else { continue };
        if !rule.page.contains(JOIN_MARK) {
            problems.push(format!("{}: no join mark in the examples", rule.id));
        }
        for example in examples.iter().filter(|example| example.expected != Expected::Passes) {
            let source = Source::new(example.path.as_str(), example.text.as_str());
            let findings_of_rule = engine.check_rule(&rule.id, &source, &example.siblings);
            let findings_of_all = engine.check(&source, &example.siblings).findings;
            for secret in findings_of_rule.iter().filter_map(|finding| finding.secret) {
                let found: Vec<&str> = findings_of_all
                    .iter()
                    .filter(|other| other.secret.is_some_and(|span| span.overlaps(secret)))
                    .map(|other| &*other.rule)
                    .collect();
                if found.contains(&&*rule.id) || !rule.enabled {
                    continue;
                }
                match shadowing_entry(&rule.id, &found) {
                    Some(index) => drop(shadowed.insert(index)),
                    None => problems.push(format!(
                        "{}: line {}: reported by {found:?} instead",
                        rule.id, example.line
                    )),
                }
            }
        }
    }
    for (index, (rule, other, _)) in MORE_SPECIFIC.iter().enumerate() {
        if !shadowed.contains(&index) {
            problems.push(format!("{rule}: no longer shadowed by {other}"));
        }
    }
    assert_none(&problems);
}

/// The project's own pages must have no findings of secrets. This detects a join mark that does not
/// interrupt its secret.
#[test]
fn the_pages_contain_no_secret() {
    let engine = engine();
    let mut problems = Vec::new();
    for page in aidd_content::RULES.pages {
        let source = Source::new(format!("content/rules/{}.md", page.id), page.text);
        for finding in engine.check(&source, &Memory::default()).findings {
            if finding.secret.is_some() && finding.status == Status::New {
                let line = source.line_of(finding.span.start) + 1;
                problems.push(format!("{}:{line}: {} reports a secret", page.id, finding.rule));
            }
        }
    }
    assert_none(&problems);
}

/// The engine with one pack enabled.
fn with_pack(name: &str) -> Engine {
    let config = Config { compliance: Some(vec![name.to_owned()]), ..Config::default() };
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &config,
        &Selection::default(),
    )
    .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A pack whose list matches no rule would silently have no effect, and users would not find a rule
/// that is in no pack.
#[test]
fn packs_enable_rules_and_every_compliance_rule_is_in_a_pack() {
    let known = engine();
    let mut packed: BTreeSet<String> = BTreeSet::new();
    for pack in aidd_content::RULES.packs {
        let engine_with_pack = with_pack(pack.id);
        let rules = known.registry().rules().iter().filter(|rule| !rule.enabled);
        let names: BTreeSet<String> = rules
            .filter(|rule| engine_with_pack.is_enabled_anywhere(&rule.id))
            .map(|rule| rule.id.to_string())
            .collect();
        assert!(names.len() > 2, "{}: {names:?}", pack.id);
        packed.extend(names);
    }
    let unlisted: Vec<&str> = known
        .registry()
        .rules()
        .iter()
        .map(|rule| &*rule.id)
        .filter(|id| id.starts_with("compliance/") && !packed.contains(*id))
        .collect();
    assert_eq!(unlisted, [""; 0], "rules in no pack");
}

/// Each piece of inline code in the guidance, with the path of its page.
fn code_of_guidance() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pages = aidd_content::RULES.guides.iter();
    pages.flat_map(|page| page.text.split('`').skip(1).step_by(2).map(|word| (page.path, word)))
}

#[test]
fn rules_in_the_guidance_exist() {
    let engine = engine();
    let mut problems = Vec::new();
    let mut seen = 0;
    for (page, word) in code_of_guidance() {
        let Some((kind, name)) = word.split_once('/') else { continue };
        let is_id = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
        };
        let known = engine
            .registry()
            .rules()
            .iter()
            .any(|rule| rule.id.split_once('/').is_some_and(|(own, _)| own == kind));
        if !known || !is_id(name) {
            continue;
        }
        seen += 1;
        if engine.registry().get(word).is_none() {
            problems.push(format!("{page}: unknown rule `{word}`"));
        }
    }
    assert_none(&problems);
    assert!(seen > 100, "only {seen} names were checked");
}

/// Unknown tools, packs and commands would lead an agent into costly errors.
#[test]
fn tools_packs_and_commands_in_the_guidance_exist() {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for tool in aidd_mcp::tools::all() {
        known.insert(tool.name);
        known.extend(tool.aliases);
    }
    let prompts =
        aidd_content::RULES.guides.iter().filter(|page| page.path.starts_with("prompts/"));
    known
        .extend(prompts.filter_map(|page| page.path.strip_prefix("prompts/")?.strip_suffix(".md")));
    let mut problems = Vec::new();
    for page in aidd_content::RULES.guides {
        let words = page.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| word.starts_with("aidd_") && !known.contains(word)) {
            problems.push(format!("{}: unknown tool `{word}`", page.path));
        }
        for rest in page.text.split("pack `").skip(1) {
            let name = rest.split('`').next().unwrap_or_default();
            if !aidd_content::RULES.packs.iter().any(|pack| pack.id == name) {
                problems.push(format!("{}: unknown pack `{name}`", page.path));
            }
        }
    }
    let commands = aidd_cli::cli::Cli::command();
    for (page, code) in code_of_guidance() {
        let mut words = code.split_whitespace();
        let (Some("aidd"), Some(name)) = (words.next(), words.next()) else { continue };
        if commands.find_subcommand(name).is_none() {
            problems.push(format!("{page}: unknown command `aidd {name}`"));
        }
    }
    assert_none(&problems);
}

/// Claims about external facts require a source; rules without a source have severity *info*.
#[test]
fn rules_in_packs_have_sources() {
    let mut problems = Vec::new();
    for page in aidd_content::RULES.pages {
        let header = aidd_page::header(page.text).expect("a header");
        let has_source = header.sources.iter().any(|source| source.starts_with("https://"));
        let is_convention =
            ["compliance/", "repository/"].iter().any(|kind| page.id.starts_with(kind));
        if is_convention && !has_source && header.severity != Severity::Info {
            problems.push(format!("{}: a source is missing", page.id));
        }
    }
    assert_none(&problems);
}

/// Users need not repeat suppression comments of other tools for aidd.
#[test]
fn comments_of_other_tools_allow_the_rules_they_name() {
    let cases = [
        ("python", "src/a.py", "from cart import *  # noqa: F403\n", "from cart import *\n"),
        (
            "go",
            "load.go",
            "package load\n\nfunc f() {\n\tos.Open(\"a\") //nolint:errcheck // tried again\n}\n",
            "package load\n\nfunc f() {\n\tos.Open(\"a\")\n}\n",
        ),
        (
            "typescript-strict",
            "src/a.ts",
            "// eslint-disable-next-line @typescript-eslint/no-explicit-any\nlet a: any;\n",
            "let a: any;\n",
        ),
        (
            "typescript-strict",
            "src/b.ts",
            "/* eslint-disable no-console, @typescript-eslint/no-explicit-any -- old */\nlet a: any;\n",
            "/* eslint-disable @typescript-eslint/no-explicit-any */\nlet a = 1;\n/* eslint-enable */\nlet b: any;\n",
        ),
        (
            "typescript-strict",
            "src/c.ts",
            "/* eslint-disable */\nlet a: any;\n/* eslint-enable */\n",
            "// eslint-disable is what we do not write\nlet a: any;\n",
        ),
        (
            "typescript-strict",
            "src/d.ts",
            "/* eslint-disable @typescript-eslint/no-explicit-any, no-var */\n/* eslint-enable no-var */\nlet a: any;\n",
            "/* eslint-disable @typescript-eslint/no-explicit-any, no-var */\n/* eslint-enable no-explicit-any */\nlet a: any;\n",
        ),
        // After a general disable, one rule is enabled and disabled again.
        (
            "typescript-strict",
            "src/f.ts",
            "/* eslint-disable */\n/* eslint-enable no-var */\nlet a: any;\n/* eslint-enable @typescript-eslint/no-explicit-any */\n/* eslint-disable no-explicit-any */\nlet b: any;\n",
            "/* eslint-disable */\nlet a: any;\n/* eslint-enable no-explicit-any */\nlet b: any;\n/* eslint-disable */\nlet c: any;\n",
        ),
        (
            "security",
            "src/e.ts",
            "/* eslint-disable no-eval */\neval(a);\n",
            "/* eslint-disable */\neval(a);\n",
        ),
        ("python", "src/b.py", "# ruff: noqa: F403\nfrom cart import *\n", "from cart import *\n"),
        ("python", "src/c.py", "from cart import *  # NOQA\n", "from cart import *  # E501\n"),
        ("python", "src/d.py", "from cart import *  # noqa\n", "from cart import *  # the noqa\n"),
        (
            "security",
            "src/f.py",
            "hashlib.md5(a)  # nosec B324\n",
            "hashlib.md5(a)  # nosec B602\n",
        ),
        (
            "security",
            "src/g.py",
            "hashlib.md5(a)  # nosec: not for passwords\n",
            "hashlib.md5(a)  # not nosec\n",
        ),
        (
            "security",
            "f.go",
            "package a\n\nvar c = tls.Config{InsecureSkipVerify: true} //nolint:gosec\n",
            "package a\n\nvar c = tls.Config{InsecureSkipVerify: true} //nolint:errcheck\n",
        ),
        (
            "security",
            "g.go",
            "package a\n\nvar c = tls.Config{InsecureSkipVerify: true} // #nosec G402 -- a test server\n",
            "package a\n\nvar c = tls.Config{InsecureSkipVerify: true} // #nosec G404\n",
        ),
        (
            "python",
            "src/h.py",
            "# pylint: disable=W0401,wildcard-import\nfrom cart import *\n",
            "if a:\n    # pylint: disable=wildcard-import\n    b = 1\nfrom cart import *\n",
        ),
        (
            "testing",
            "a_spec.rb",
            "# rubocop:disable RSpec/Focus\nfit \"adds\" do\nend\n",
            "# rubocop:disable RSpec\n# rubocop:enable RSpec/Focus\nfit \"adds\" do\nend\n",
        ),
        (
            "react",
            "src/i.tsx",
            "// eslint-disable-next-line react/no-danger\nlet a = <p dangerouslySetInnerHTML={{ __html: b }} />;\n",
            "let a = <p dangerouslySetInnerHTML={{ __html: b }} />;\n",
        ),
        (
            "docs",
            "a.md",
            "# A\n\n<!-- markdownlint-disable-next-line MD001 -->\n### B\n",
            "# A\n\n### B\n",
        ),
        (
            "accessibility",
            "a.css",
            "a:focus {\n  /* stylelint-disable-next-line a11y/no-outline-none */\n  outline: none;\n}\n",
            "a:focus {\n  outline: none;\n}\n",
        ),
    ];
    for (pack, path, listed, plain) in cases {
        let engine = with_pack(pack);
        let new = |text: &str| {
            let checked = engine.check(&Source::new(path, text), &Memory::default());
            checked.findings.iter().filter(|finding| finding.status == Status::New).count()
        };
        assert_eq!((new(listed), new(plain)), (0, 1), "{path}");
    }
}
