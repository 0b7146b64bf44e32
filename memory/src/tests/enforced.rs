//! Tests of conventions and mistakes with a `check`: the check is validated when the memory is
//! saved, and is preserved by changes to the rest of the memory.

use super::*;
use crate::kinds::Convention;
use crate::log;
use crate::permanent::Edit;
use crate::types::{Kind, Link, Relation};
use aidd_engine::text::files::Disk;
use aidd_engine::workspace::memory_checks;
use proptest::prelude::*;
use serde_json::{Value, json};

const FILE: &str = "ai/memory/conventions.jsonl";

fn convention(content: &str, check: Value) -> NewMemory<Convention> {
    let body = Convention { check: Some(check), ..Convention::default() };
    NewMemory { content: content.into(), body, ..NewMemory::default() }
}

fn no_moment_check() -> Value {
    json!({"files": ["*.ts"], "text": {"regex": r"\bmoment\("}, "fails": {"a.ts": "moment(1)"}})
}

fn rules(root: &Path) -> Vec<String> {
    let pages = memory_checks::read(&Disk::new(root)).pages;
    pages.into_iter().map(|page| page.rule).collect()
}

fn change(field: &str, value: Value) -> Edit {
    Edit { fields: [(field.to_owned(), value)].into_iter().collect(), ..Edit::default() }
}

#[test]
fn a_check_is_validated_before_anything_is_written() {
    on_both_stores(|root, memory| {
        let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
        let errors: Vec<String> = [
            json!([1]),
            json!({"text": {"regx": "a"}}),
            json!({"text": {"regex": "a("}}),
            json!({"text": {"regex": "moment"}, "fails": {"a.ts": "Temporal"}}),
            json!({"text": {"regex": "moment"}, "passes": {"a.ts": "let a = moment()"}}),
            json!({"tree": {"absent": "*.orig"}, "fails": {"a.ts": ""}}),
            json!({"text": {"regex": token}}),
        ]
        .into_iter()
        .map(|check| {
            let error = memory.save_convention(&convention("No moment", check));
            error.expect_err("refused").to_string()
        })
        .collect();
        insta::allow_duplicates! { insta::assert_snapshot!(errors.join("\n"), @r#"
        `check` must be an object with the keys of `check:` in a rule page, such as {"files": ["*.ts"], "text": {"regex": "…"}}
        `check`: unknown key `regx`; did you mean `regex`?
        `check.text` cannot run: unclosed group
        `check` fails its own examples: `fails`: no finding in a.ts
        `check` fails its own examples: `passes`: finding in a.ts: 1:9 moment
        `check` fails its own examples: `fails`: no finding in the files
        `check` contains a secret or private text, which memories never store; use an example that only looks like a secret
        "#); }
        assert!(!root.join(FILE).exists());
        let known = memory.save_convention(&convention("No moment", json!({}))).expect("saved").id;
        assert!(
            memory.edit(Kind::Convention, &known, &change("check", json!({"text": 1}))).is_err()
        );
        assert_eq!(text(root, FILE).lines().count(), 1);
        let decision = memory.save_decision(&decision("Temporal", None)).expect("saved").id;
        let error = memory.edit(Kind::Decision, &decision, &change("check", no_moment_check()));
        assert!(error.expect_err("refused").to_string().contains("add a convention"));
    });
}

#[test]
fn a_rule_is_preserved_by_edits_and_removed_with_its_memory() {
    on_both_stores(|root, memory| {
        let id =
            memory.save_convention(&convention("No moment", no_moment_check())).expect("saved").id;
        assert_eq!(rules(root), ["convention/no-moment"]);
        let words = Edit { content: Some("Dates are Temporal's".into()), ..Edit::default() };
        memory.edit(Kind::Convention, &id, &words).expect("edited");
        assert_eq!(rules(root), ["convention/no-moment"]);
        let other = json!({"text": {"regex": "moment"}});
        memory.edit(Kind::Convention, &id, &change("check", other.clone())).expect("edited");
        assert_eq!(rules(root), ["convention/no-moment"]);
        // Saving again with the same check writes nothing; saving with another check replaces the
        // check.
        let before = text(root, FILE);
        let again = |memory: &mut ProjectMemory, check| {
            memory.save_convention(&convention("dates are temporal's.", check)).expect("saved")
        };
        assert!(!again(memory, other).is_edited);
        assert_eq!(text(root, FILE), before);
        assert!(again(memory, no_moment_check()).is_edited);
        assert_eq!(rules(root), ["convention/no-moment"]);
        memory.edit(Kind::Convention, &id, &change("check", json!({}))).expect("edited");
        assert_eq!(rules(root), [""; 0]);
        memory.edit(Kind::Convention, &id, &change("check", no_moment_check())).expect("edited");
        assert_eq!(rules(root), ["convention/dates-are-temporal-s"]);
        memory.remove(Kind::Convention, &id, None).expect("removed");
        assert_eq!(rules(root), [""; 0]);
        // A mistake and its successor.
        let mut new = mistake("ReferenceError: moment is not defined", "import it");
        new.body.check = Some(no_moment_check());
        let id = memory.save_mistake(&new).expect("saved").id;
        assert_eq!(rules(root), ["mistake/referenceerror-moment-is-not-defined"]);
        let later =
            NewMemory { links: vec![Link::new(Relation::Supersedes, &id)], ..decision("x", None) };
        memory.save_decision(&later).expect("saved");
        assert_eq!(rules(root), [""; 0]);
    });
}

#[test]
fn every_memory_has_its_own_rule() {
    on_both_stores(|root, memory| {
        let long = "Dates are made with Temporal and nothing but Temporal";
        let first = memory.save_convention(&convention(long, no_moment_check())).expect("saved").id;
        let other = json!({"text": {"regex": "luxon"}});
        let second = convention(&format!("{long}, not luxon"), other.clone());
        memory.save_convention(&second).expect("saved");
        let names = rules(root);
        assert_eq!(names[0], "convention/dates-are-made-with-temporal-and-nothing");
        assert!(names[1].starts_with("convention/dates-are-made-with-temporal-and-nothing-"));
        // The second rule retains its name when the first memory is removed.
        memory.remove(Kind::Convention, &first, None).expect("removed");
        assert_eq!(rules(root), names[1..]);
        let mut taken = other;
        taken["rule"] = names[1].trim_start_matches("convention/").into();
        taken["severity"] = "error".into();
        let error = memory.save_convention(&convention("No luxon", taken)).expect_err("taken");
        assert!(error.to_string().contains("choose another name"), "{error}");
    });
}

#[test]
fn a_merge_that_removes_a_check_disables_its_rule() {
    on_both_stores(|root, memory| {
        let id =
            memory.save_convention(&convention("No moment", no_moment_check())).expect("saved").id;
        let base = text(root, FILE);
        let other = TempDir::new().expect("a directory");
        write(other.path(), FILE, &base);
        let mut theirs = open_memory(other.path(), BackendChoice::Json);
        theirs.edit(Kind::Convention, &id, &change("check", Value::Null)).expect("edited");
        assert_eq!(rules(other.path()), [""; 0]);
        // This side adds no line, so the merge has the lines of the other side.
        write(root, FILE, &text(other.path(), FILE));
        assert_eq!(rules(root), [""; 0]);
        // A merge that drops the line of the other side restores the check.
        write(root, FILE, &base);
        assert_eq!(rules(root), ["convention/no-moment"]);
        // Both sides changed the memory: the later edit is used until the conflict is resolved.
        let words = Edit { content: Some("Never moment".into()), ..Edit::default() };
        memory.edit(Kind::Convention, &id, &words).expect("edited");
        let both = text(root, FILE) + &text(other.path(), FILE).replace(&base, "");
        write(root, FILE, &both);
        let entry = memory.read(&mut |store| store.entry(&id)).expect("read").expect("there");
        assert!(entry.is_contested());
        assert_eq!(rules(root).len(), usize::from(memory_checks::check_of(&entry).is_some()));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A check is unchanged after an export as lines, a merge of two branches, and an import into
    /// another project.
    #[test]
    fn a_check_is_unchanged_after_export_merge_and_import(
        words in proptest::collection::vec("[a-z]{3,9}", 1..4),
        literal in "[a-z(){}.*+\"\\\\é가 -]{1,16}",
        files in proptest::collection::vec("[a-z]{1,5}", 0..3),
        split_at in 0_usize..4,
    ) {
        let (ours, theirs) = (TempDir::new().expect("a directory"), TempDir::new().expect("a directory"));
        let check = json!({
            "files": files.iter().map(|name| format!("{name}/**")).collect::<Vec<_>>(),
            "message": literal, "severity": "error",
            "text": {"regex": regex::escape(&literal)},
        });
        let mut memory = open_memory(ours.path(), BackendChoice::Json);
        for (index, word) in words.iter().enumerate() {
            let content = format!("{word} {index}");
            memory.save_convention(&convention(&content, check.clone())).expect("saved");
        }
        let pages = |root: &Path| memory_checks::read(&Disk::new(root)).pages;
        let before = pages(ours.path());
        prop_assert_eq!(before.len(), words.len());
        // Merges two branches that each contain some of the lines, in any order.
        let text = text(ours.path(), FILE);
        let lines: Vec<&str> = text.lines().collect();
        let split_at = split_at.min(lines.len());
        let merged = [&lines[split_at..], &lines[..], &lines[..split_at]].concat().join("\n");
        let (revisions, _) = log::read(FILE, merged.as_bytes());
        let mut other = open_memory(theirs.path(), BackendChoice::Json);
        other.import_entries(&revisions, &[], false).expect("imported");
        prop_assert_eq!(&pages(theirs.path()), &before);
        // Rewrites the file from the other store.
        std::fs::remove_file(theirs.path().join(FILE)).expect("removed");
        other.export(true).expect("exported");
        prop_assert_eq!(&pages(theirs.path()), &before);
    }
}
