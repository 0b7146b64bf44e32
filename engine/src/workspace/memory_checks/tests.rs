//! Tests of memories as rules: their pages, the active memories, and the faults of checks.

use super::*;
use crate::check::{Engine, Selection};
use crate::parse::lines::log::{Op, Revision};
use crate::parse::lines::types::{Link, Relation};
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;
use crate::text::source::Source;
use crate::workspace::examples::{self, JOIN_MARK};
use proptest::prelude::*;
use serde_json::json;

/// A convention with a check.
fn convention(id: &str, at: i64, content: &str, check: Value) -> Revision {
    let mut revision = Revision::first(Kind::Convention, id.to_owned(), at, content);
    revision.metadata.insert(CHECK.to_owned(), check);
    revision.with_rev()
}

fn no_moment() -> Value {
    json!({"files": ["*.ts"], "rule": "no-moment", "text": {"regex": r"\bmoment\(", "keywords": ["moment"]}})
}

fn lines(revisions: &[Revision]) -> String {
    revisions.iter().map(|revision| revision.line() + "\n").collect()
}

fn files(files: &[(&str, &str)]) -> Memory {
    let file = |(name, text): &(&str, &str)| {
        (format!("{MEMORY_DIR}/{name}.jsonl"), text.as_bytes().to_vec())
    };
    Memory(files.iter().map(file).collect())
}

fn rules(checks: &MemoryChecks) -> Vec<&str> {
    checks.pages.iter().map(|page| &*page.rule).collect()
}

fn convention_checks(revisions: &[Revision]) -> MemoryChecks {
    read(&files(&[("conventions", &lines(revisions))]))
}

fn engine(checks: &MemoryChecks) -> Engine {
    let pages = checks.pages.iter().map(|page| (page.path.clone(), page.text.clone()));
    let registry = Registry::new(crate::DISTRIBUTION.pages, &pages.collect::<Vec<_>>());
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
        .expect("an engine")
}

/// The findings in a text, one line each.
fn reported_findings(checks: &MemoryChecks, path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let findings = engine(checks).check(&source, &Memory::default()).findings;
    let own = findings.iter().filter(|finding| finding.rule.contains('/'));
    own.map(|finding| format!("{} {}: {}", finding.severity, finding.rule, finding.message))
        .collect()
}

#[test]
fn a_memory_is_a_rule_page() {
    let mut revision = convention(
        "convention_1_a",
        1,
        "Dates are made with Temporal. Never with moment",
        json!({
            "rule": "no-moment", "severity": "error", "message": "`<match>` is \"old\": use <lib>\u{7f}",
            "help": "See docs", "params": {"lib": "moment"}, "exclude": ["old/"],
            "text": {"regex": "${lib}"},
            "fails": {"src/a.ts": "moment()\n"}, "passes": {"src/a.ts": "Temporal.Now"},
        }),
    );
    revision.metadata.insert("example".to_owned(), "Temporal.Now.instant()".into());
    revision.metadata.insert("rationale".to_owned(), "# moment\nis not maintained".into());
    let checks = convention_checks(&[revision.with_rev()]);
    insta::assert_snapshot!(checks.pages[0].text, @r#"
    ---
    severity: error
    tags: [memory]
    message: "`<match>` is \"old\": use <lib>\u007f"
    help: "See docs"
    check:
      exclude: ["old/","/ai/memory/","/memory/*.jsonl"]
      params: {"lib":"moment"}
      text: {"regex":"${lib}"}
    ---
    # convention/no-moment

    Dates are made with Temporal. Never with moment

    \# moment
    is not maintained

    ## Correct examples

    ```
    Temporal.Now.instant()
    ```

    ## Fails

    ```ts path=src/a.ts
    moment()
    ```

    ## Passes

    ```ts path=src/a.ts
    Temporal.Now
    ```

    ## Source

    The convention `convention_1_a`. `aidd memory show convention_1_a` prints its history; `aidd memory edit` changes it.
    "#);
    assert_eq!(validate_page(&checks.pages[0]), Ok(()));
    let engine = engine(&checks);
    let rule = engine.registry().get("convention/no-moment").expect("a rule");
    assert_eq!(rule.path.as_deref(), Some("ai/memory/conventions.jsonl"));
    assert_eq!(rule.summary, "Dates are made with Temporal.");
    assert_eq!(examples::run(&engine, rule), [""; 0]);
    let line = "error convention/no-moment: `moment` is \"old\": use <lib>\u{7f}";
    assert_eq!(reported_findings(&checks, "src/b.ts", "moment()"), [line]);
    assert_eq!(reported_findings(&checks, "old/b.ts", "moment()"), [""; 0]);
    // Memories contain examples of the text that they forbid.
    assert_eq!(reported_findings(&checks, "ai/memory/mistakes.jsonl", "").len(), 0);
    let lines = reported_findings(&checks, "ai/memory/decisions.jsonl", "moment");
    assert!(!lines.iter().any(|line| line.contains("no-moment")), "{lines:?}");
}

#[test]
fn a_name_consists_of_words_or_falls_back_to_the_hash() {
    let name = |content: &str| name_of(Kind::Convention, content);
    assert_eq!(name("Dates: never `moment`!"), "dates-never-moment");
    assert_eq!(name(&"word ".repeat(30)), "word-word-word-word-word-word-word-word");
    assert_eq!(name(&"x".repeat(99)).len(), 40);
    for unsuitable in ["인증은 JWT 로만 한다", "日付は Temporal で作る、必ずそうする", "?", "a"]
    {
        let name = name(unsuitable);
        assert!(name.len() == 12 && registry::is_id(&format!("x/{name}")), "{unsuitable}: {name}");
    }
}

#[test]
fn only_active_memories_are_enforced() {
    let first = convention("convention_1_a", 1, "No moment", no_moment());
    assert_eq!(rules(&convention_checks(std::slice::from_ref(&first))), ["convention/no-moment"]);
    let after =
        |revision: Revision| Revision { parents: vec![first.rev.clone()], ..revision }.with_rev();
    // The memory is removed, loses its check, or is superseded by a memory of the same kind or by a
    // decision.
    let base = Revision::first(Kind::Convention, first.id.clone(), 2, "");
    let removed = after(Revision { op: Op::Remove, ..base.clone() });
    assert_eq!(rules(&convention_checks(&[first.clone(), removed])), [""; 0]);
    let without_check = after(Revision { content: "No moment".to_owned(), ..base });
    assert_eq!(rules(&convention_checks(&[without_check.clone(), first.clone()])), [""; 0]);
    let links = vec![Link::new(Relation::Supersedes, &first.id)];
    let superseding = |kind: Kind, id: &str| {
        let revision = Revision::first(kind, id.to_owned(), 3, "Use date-fns");
        Revision { links: links.clone(), ..revision }.with_rev()
    };
    let same_kind = superseding(Kind::Convention, "convention_3_b");
    assert_eq!(rules(&convention_checks(&[first.clone(), same_kind.clone()])), [""; 0]);
    let decision = superseding(Kind::Decision, "decision_3_c");
    let two_files = [
        ("conventions", &*lines(std::slice::from_ref(&first))),
        ("decisions", &lines(std::slice::from_ref(&decision))),
    ];
    assert_eq!(rules(&read(&files(&two_files))), [""; 0]);
    // The superseding memory was itself removed.
    let removal = Revision {
        op: Op::Remove,
        parents: vec![decision.rev.clone()],
        ..Revision::first(Kind::Decision, decision.id.clone(), 4, "")
    };
    let decisions = lines(&[decision, removal.with_rev()]);
    let two_files =
        [("conventions", &*lines(std::slice::from_ref(&first))), ("decisions", &decisions)];
    assert_eq!(rules(&read(&files(&two_files))), ["convention/no-moment"]);
    // In a cycle all memories stay active.
    let cycle =
        Revision { links: vec![Link::new(Relation::Supersedes, &same_kind.id)], ..first.clone() };
    assert_eq!(rules(&convention_checks(&[cycle.with_rev(), same_kind])), ["convention/no-moment"]);
    // A decision has no check.
    let mut decision = Revision::first(Kind::Decision, "decision_5_d".to_owned(), 5, "No moment");
    decision.metadata.insert(CHECK.to_owned(), no_moment());
    assert_eq!(
        read(&files(&[("decisions", &lines(&[decision.with_rev()]))])),
        MemoryChecks::default()
    );
}

#[test]
fn the_same_check_on_two_branches_is_one_rule() {
    let ours = convention("convention_1_a", 1, "No moment", no_moment());
    let theirs = convention("convention_2_b", 2, "No moment", no_moment());
    let other = json!({"rule": "no-moment", "text": {"regex": "moment"}});
    let other = convention("convention_3_c", 3, "No moment", other);
    let conflict = format!(
        "<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n",
        lines(std::slice::from_ref(&ours)),
        lines(&[theirs, other])
    );
    let merged = read(&files(&[("conventions", &conflict)]));
    // The identical checks become one rule; the different check with the same name becomes a second
    // rule.
    let names = rules(&merged);
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(names[0], "convention/no-moment");
    assert!(
        names[1].starts_with("convention/no-moment-") && registry::is_id(names[1]),
        "{names:?}"
    );
    assert_eq!(reported_findings(&merged, "a.ts", "moment(1)").len(), 2);
    // A page with the same name is not lost either.
    let page = "---\nseverity: info\n---\n# convention/no-moment\n\nA page.\n".to_owned();
    let memory_page = &merged.pages[0];
    let pages =
        [("rules/a.md".to_owned(), page), (memory_page.path.clone(), memory_page.text.clone())];
    let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
    assert!(registry.get("convention/no-moment").is_some_and(|rule| rule.check.is_none()));
    assert!(registry.get("convention/no-moment-memory").is_some_and(|rule| rule.check.is_some()));
}

#[test]
fn problems_contain_the_key_and_the_remedy() {
    let problem = |check: Value| {
        let revision = convention("convention_1_a", 1, "No moment", check);
        let folded = crate::parse::lines::log::fold(&[revision]).expect("a memory");
        let why = validate(&folded.entry).err();
        why.map_or_else(|| "no problem".to_owned(), |why| why.to_string())
    };
    let problems = [
        json!("text"),
        json!({"text": {"regx": "a"}}),
        json!({"text": {"regex": "a"}, "severty": "error"}),
        json!({"zzz": 1}),
        json!({"text": {"regex": "a("}}),
        json!({"text": {"regex": "a"}, "severity": "loud"}),
        json!({"text": {"regex": "a"}, "rule": "No Moment"}),
        json!({"text": {"regex": "a"}, "message": 1}),
        json!({"text": {"regex": "a"}, "fails": ["a"]}),
        json!({"text": {"regex": "a"}, "passes": {"a b": "c"}}),
        json!({"text": {"regex": "a"}, "tree": {"absent": "x"}}),
        json!({"text": {"regex": "a"}, "files": ["a{"]}),
        json!({"text": {"regex": "(?:(?:a{1000}){1000}){1000}"}}),
        json!({"syntax": {"language": ["rust"], "rule": {"pattern": "fn ("}}}),
        json!({"text": {"regex": ["a"]}}),
        json!({"regex": "a"}),
        json!({"text": {"regex": "a"}, "language": "python"}),
        json!({"syntax": {"rule": {"pattern": "a()"}}}),
        json!({"text": {"regex": "a".repeat(40_000)}}),
    ]
    .map(problem);
    assert!(!problems.iter().any(|why| why == "no problem"), "{problems:#?}");
    insta::assert_snapshot!(problems.join("\n"), @r#"
    `check` must be an object with the keys of `check:` in a rule page, such as {"files": ["*.ts"], "text": {"regex": "…"}}
    `check`: unknown key `regx`; did you mean `regex`?
    `check`: unknown key `severty`; did you mean `severity`?
    `check`: unknown key `zzz`; expected one of files, exclude, when, params, text, syntax, tree, data, layers, dependencies, commit, doc, fix, rule, severity, message, help, fails, passes
    `check.text` cannot run: unclosed group
    `check.severity`: unknown severity `loud`; expected error, warning or info
    `check.rule` must be the second half of the rule id, in lower-case letters, digits and dashes, such as no-moment; found `No Moment`
    `check.message` must be a string
    `check.fails` must map paths to texts, such as {"src/a.ts": "…"}; a path must not have spaces or quotes
    `check.passes` must map paths to texts, such as {"src/a.ts": "…"}; a path must not have spaces or quotes
    `check`: a check must have exactly one of `text`, `syntax`, `tree`, `data`, `layers`, `dependencies`, `commit`, `doc`
    `check.text` cannot run: not a glob: `a{`: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
    `check.text` cannot run: the expression is too large to match efficiently; bound its repetitions
    `check.syntax` cannot run: the rule has no node kind to start at; add a `kind`, or check that its `pattern` is a complete piece of code
    `check`: expected a single value, not a list or a mapping at `["a"]}`
    `check`: unknown key `regex`; it belongs under `text`: {"text": {"regex": …}}
    `check`: unknown key `language`; it belongs under `syntax`: {"syntax": {"language": ["typescript"], "rule": {"pattern": "…"}}}
    `check.syntax.language` is missing; expected {"syntax": {"language": ["typescript"], "rule": {"pattern": "…"}}}
    `check` has 40021 bytes, more than 32768; write it as a rule page, which has no such limit
    "#);
}

#[test]
fn a_malformed_check_does_not_disable_the_others() {
    let revisions = [
        convention("convention_1_a", 1, "One", json!(7)),
        convention("convention_2_b", 2, "Two", json!({"tekst": 1})),
        convention("convention_3_c", 3, "No moment", no_moment()),
    ];
    let text = format!("{{\"check\"\n{}", lines(&revisions));
    let files = files(&[("conventions", &text)]);
    let malformed: Vec<String> = faults_in(&files, &[]).into_iter().map(|(_, id, _)| id).collect();
    assert_eq!(malformed, ["convention_1_a", "convention_2_b"]);
    let checks = read(&files);
    let registry: Vec<_> =
        checks.pages.iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    assert!(
        Registry::new(crate::DISTRIBUTION.pages, &registry).get("convention/no-moment").is_some()
    );
    assert_eq!(reported_findings(&checks, "a.ts", "moment(1)").len(), 1);
}

proptest! {
    /// Whatever text and check a memory has, its generated page either parses back to the same
    /// values, or a problem is reported.
    #[test]
    fn a_page_round_trips_the_check(
        content in "\\PC{0,40}(\n\\PC{0,20}){0,3}",
        message in "\\PC{0,30}",
        globs in proptest::collection::vec("[a-z*./\"'\\\\#:{}, -]{1,12}", 0..3),
        example in "\\PC{0,20}(\n[`~#-]{0,5}\\PC{0,9}){0,3}",
    ) {
        // The mark that prevents a secret in an example from being detected is removed when the
        // page is parsed.
        prop_assume!(!content.trim().is_empty() && !example.contains(JOIN_MARK));
        let check = json!({
            "files": globs, "message": message, "text": {"regex": regex::escape(&message)},
            "fails": {"a.ts": example},
        });
        let mut revision = convention("convention_1_a", 1, &content, check);
        revision.metadata.insert("example".to_owned(), example.clone().into());
        let checks = convention_checks(&[revision.with_rev()]);
        prop_assert_eq!(&checks.malformed, &vec![]);
        let page = &checks.pages[0];
        let header = page::header(&page.text);
        prop_assert!(header.is_ok(), "{:?}\n{}", header, page.text);
        let header = header.expect("read");
        prop_assert_eq!(header.message.as_deref(), Some(&*message));
        let check = header.check.expect("a check");
        prop_assert_eq!(&check.files, &globs);
        prop_assert_eq!(check.text.expect("text").regex, Some(regex::escape(&message)));
        let rule = registry::project_rule(&page.path, &page.text).expect("a rule");
        prop_assert_eq!(&*rule.id, &*page.rule);
        let (examples, _) = examples::read(&rule).expect("read");
        prop_assert_eq!(examples.len(), 1, "{}", page.text);
        let text = examples[0].text.trim_end_matches('\n').to_owned();
        prop_assert_eq!(text, example.trim_end_matches('\n'));
    }
}

#[test]
fn markup_in_a_memory_does_not_affect_the_rest_of_its_page() {
    let words = [
        "\n<?",
        "<!-- open",
        "a\n<script>",
        "````\n```",
        "~~~\n~~~ no end",
        "```\n~~~",
        " ## Fails",
        "Fails\n---",
        "Fails\n===",
        "```rs\n# a\n``` no end",
        "- ```",
        "> ```",
        "``` a`b",
    ];
    for content in words {
        let mut check = no_moment();
        check["fails"] = json!({"a.ts": "moment()\n"});
        let checks = convention_checks(&[convention("convention_1_a", 1, content, check)]);
        let page = &checks.pages[0];
        let rule = registry::project_rule(&page.path, &page.text).expect("a rule");
        let (examples, faults) = examples::read(&rule).expect("read");
        assert_eq!(faults, [""; 0], "{}", page.text);
        let found: Vec<&str> = examples.iter().map(|example| example.text.as_str()).collect();
        assert_eq!(found, ["moment()\n"], "{}", page.text);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a project on the disk")]
fn a_memory_of_a_directory_is_enforced_below_that_directory() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        std::fs::write(path, text).expect("written");
    };
    let mut check = no_moment();
    check["fails"] = json!({"src/a.ts": "moment()"});
    let nested_memory = convention("convention_2_b", 2, "No moment here", check);
    let root = convention(
        "convention_1_a",
        1,
        "No moment",
        json!({"rule": "no-moment", "text": {"regex": "old"}}),
    );
    let malformed = convention("convention_3_c", 3, "Wrong", json!({"text": 1}));
    write("ai/memory/conventions.jsonl", &lines(&[root]));
    write("packages/a/ai/memory/conventions.jsonl", &lines(std::slice::from_ref(&nested_memory)));
    write("packages/b/ai/memory/mistakes.jsonl", "{}\n");
    write("packages/b/ai/memory/conventions.jsonl", &lines(&[malformed]));
    // Files of dependencies and in deeper directories do not belong to the project's memory.
    write(
        "node_modules/x/ai/memory/conventions.jsonl",
        &lines(std::slice::from_ref(&nested_memory)),
    );
    write("packages/a/deep/ai/memory/conventions.jsonl", &lines(&[nested_memory]));
    let disk = Disk::new(dir.path().to_owned());
    let nested = nested(&disk).memories;
    assert_eq!(nested, ["packages/a", "packages/b"]);
    let checks = read_all(&disk, &nested);
    let engine = engine(&checks);
    let rules = ["convention/no-moment", "convention/no-moment-packages-a"];
    let convention_rules =
        engine.registry().rules().iter().filter(|rule| rule.id.starts_with("convention/"));
    assert_eq!(convention_rules.map(|rule| &*rule.id).collect::<Vec<_>>(), rules);
    let violated_rules = |path: &str| {
        let findings = engine.check(&Source::new(path, "moment() // old"), &disk).findings;
        findings.into_iter().map(|finding| finding.rule.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(violated_rules("a.ts"), rules[..1]);
    assert_eq!(violated_rules("packages/b/a.ts"), rules[..1]);
    assert_eq!(violated_rules("packages/a/src/a.ts"), [rules[1], rules[0]]);
    let rule = engine.registry().get(rules[1]).expect("the rule");
    assert_eq!(examples::run(&engine, rule), Vec::<String>::new());
    let faults = faults(&disk);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].0, "packages/b/ai/memory/conventions.jsonl");
}
