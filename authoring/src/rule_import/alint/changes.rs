//! Kinds on documents, commits and imports between files.

use super::super::draft::Draft;
use super::super::{listed, sample};
use super::{Rule, texts};
use serde_json::{Value as Json, json};

type Drafts = Result<Vec<Draft>, String>;

/// The drafts of a rule on what files say to one another, and on changes; `None` for other kinds.
pub(super) fn drafts(rule: &Rule<'_>) -> Option<Drafts> {
    Some(match rule.kind {
        "markdown_links_resolve"
        | "markdown_fragments_resolve"
        | "markdown_images_have_alt"
        | "markdown_paths_resolve"
        | "markdown_required_headings" => document(rule),
        "changeset_requires_path" | "pair_changed_together" => change(rule),
        kind if kind.starts_with("git_commit_") => commit(rule),
        "file_graph" => graph(rule),
        _ => return None,
    })
}

fn document(rule: &Rule<'_>) -> Drafts {
    let path = rule.sample("example");
    let path = path.as_str();
    let of = |demand: &str, form: Json, bad: &str, good: &str| {
        rule.draft(demand)
            .check(rule.on_files("doc", form))
            .example(false, path, bad)
            .example(true, path, good)
    };
    let special = ["root", "relative"]
        .into_iter()
        .find(|key| rule.options.get(*key).is_some_and(|value| value != "resolve"));
    if let Some(key) = special {
        return Err(format!(
            "`{key}`: links are followed as GitHub does, from the file and from the root"
        ));
    }
    Ok(vec![match rule.kind {
        "markdown_links_resolve" => of(
            "A link to a file MUST lead to one that is there.",
            json!({"links": ["files"]}),
            "# A\n\n[b](gone.md)\n",
            "# A\n\n[a](#a)\n",
        ),
        "markdown_fragments_resolve" => of(
            "A link to a heading MUST name one that is there.",
            json!({"links": ["anchors"]}),
            "# A\n\n[b](#b)\n",
            "# A\n\n[a](#a)\n",
        ),
        "markdown_images_have_alt" => of(
            "An image MUST say what it shows.",
            json!({"links": ["images"]}),
            "# A\n\n![](a.png)\n",
            "# A\n\n![a plan](a.png)\n",
        ),
        "markdown_paths_resolve" => {
            let folder = ("src/main.rs".to_owned(), "Text.\n".to_owned());
            rule.draft("A path in backticks MUST be there.")
                .check(rule.on_files("doc", json!({"links": ["paths"]})))
                .note("judged is what begins with a folder that is there, whatever `prefixes` says")
                .project(
                    false,
                    vec![folder.clone(), (path.to_owned(), "# A\n\n`src/gone.rs`\n".to_owned())],
                )
                .project(true, vec![folder, (path.to_owned(), "# A\n\n`src/main.rs`\n".to_owned())])
        }
        _ => {
            let headings = rule.options.get("headings").map(texts).unwrap_or_default();
            let named: Vec<String> = headings.iter().filter(|one| *one != "*").cloned().collect();
            let text = |names: &[String]| {
                names.iter().map(|name| format!("{name}\n\n")).collect::<String>()
            };
            let last = named.len().saturating_sub(1);
            let bad = if last == 0 { "## Other\n\n".to_owned() } else { text(&named[..last]) };
            of(
                &format!(
                    "A document MUST have the headings {}, in this order.",
                    listed(&named, "and")
                ),
                json!({"headings": headings}),
                &bad,
                &text(&named),
            )
            .note("headings deeper than all that are named are not judged")
        }
    }])
}

fn change(rule: &Rule<'_>) -> Drafts {
    let path = "commit/change";
    let (touches, key, wanted) = if rule.kind == "pair_changed_together" {
        (Some(rule.text("if_changed")?), "requires", rule.text("then_changed")?)
    } else {
        (rule.options.get("when_changed").and_then(Json::as_str), "added", rule.text("add_glob")?)
    };
    let mut change = json!({});
    change[key] = json!([super::anchored(wanted)]);
    let when = touches.map_or_else(String::new, |touches| format!(" that touches `{touches}`"));
    if let Some(touches) = touches {
        change["touches"] = json!([super::anchored(touches)]);
    }
    let verb = if key == "added" { "add" } else { "touch" };
    let first = sample::of_glob(touches.unwrap_or("src/a.txt"), "example");
    let second = sample::of_glob(wanted, "example");
    let mark = if key == "added" { "A " } else { "" };
    Ok(vec![
        rule.draft(format!("A change{when} MUST {verb} `{wanted}`."))
            .check(rule.on_project("commit", json!({"change": change})))
            .example(false, path, format!("{first}\n"))
            .example(true, path, format!("{first}\n{mark}{second}\n")),
    ])
}

fn commit(rule: &Rule<'_>) -> Drafts {
    let path = "commit/message";
    let of = |demand: String, mut form: Json, bad: &str, good: &str| {
        form["skip"] = if rule.is("include_merges") { json!([]) } else { json!(["merges"]) };
        rule.draft(demand)
            .check(rule.on_project("commit", form))
            .example(false, path, format!("{bad}\n"))
            .example(true, path, format!("{good}\n"))
    };
    match rule.kind {
        "git_commit_subject_matches" => {
            let given = rule.text("matches")?;
            let good = sample::of_regex(given).unwrap_or_default();
            Ok(vec![of(
                format!("The first line of a commit message MUST match `{given}`."),
                json!({"subject": {"matches": given}}),
                "%",
                &good,
            )])
        }
        "git_commit_signed_off" => {
            let mut draft = of(
                "A commit message MUST be signed off.".to_owned(),
                json!({"trailers": ["Signed-off-by"]}),
                "Fix it",
                "Fix it\n\nSigned-off-by: A Person <person@example.org>",
            );
            if rule.options.get("pattern").is_some_and(|pattern| !pattern.is_null()) {
                draft = draft.note("that the trailer is there is asked, not how it is written");
            }
            Ok(vec![draft])
        }
        "git_commit_no_fixup" => {
            let marks = ["amend!", "fixup!", "squash!"];
            Ok(vec![of("A commit that fixes up, squashes or amends another MUST be joined with it before it is merged.".to_owned(), json!({"subject": {"matches": beginning_with_none(&marks)}}), "fixup! Fix it", "Fix it")])
        }
        _ => message(rule, &of),
    }
}

fn message(rule: &Rule<'_>, of: &dyn Fn(String, Json, &str, &str) -> Draft) -> Drafts {
    let mut drafts = Vec::new();
    if let Some(pattern) = rule.options.get("pattern").and_then(Json::as_str) {
        // alint holds it against the whole message, the form against the first line.
        let flags = pattern.starts_with("(?");
        let lines = pattern.contains(r"\n") || pattern.contains('$') || pattern.contains(r"\s");
        if !pattern.starts_with('^') || flags || lines {
            return Err(format!(
                "`{pattern}` is held against the whole message, which no key of the form `commit` is"
            ));
        }
        let good = sample::of_regex(pattern).unwrap_or_default();
        drafts.push(of(
            format!("A commit message MUST begin with what matches `{pattern}`."),
            json!({"subject": {"matches": pattern}}),
            "%",
            &good,
        ));
    }
    if let Some(max) = rule.options.get("subject_max_length").and_then(Json::as_u64) {
        let long = "x".repeat(usize::try_from(max.min(1000)).unwrap_or(0) + 1);
        drafts.push(
            of(
                format!("The first line of a commit message MUST have at most {max} characters."),
                json!({"subject": {"max": max}}),
                &long,
                "x",
            )
            .note("the number of a pull request at the end, ` (#12)`, is not counted"),
        );
    }
    if rule.is("requires_body") {
        drafts.push(of(
            "A commit message MUST have a body.".to_owned(),
            json!({"body": {"required-for": ["*"]}}),
            "Fix it",
            "Fix it\n\nWhy.",
        ));
    }
    if drafts.is_empty() { Err("it requires nothing".to_owned()) } else { Ok(drafts) }
}

/// An expression for texts that begin with none of `words`: there is no look-ahead in a linear
/// engine, so all that differs at some letter is spelled out.
fn beginning_with_none(words: &[&str]) -> String {
    let mut prefixes: Vec<String> = vec![String::new()];
    for word in words {
        for (at, _) in word.char_indices().skip(1) {
            let prefix = word[..at].to_owned();
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
    }
    let mut parts = Vec::new();
    for prefix in &prefixes {
        let next: String = words
            .iter()
            .filter_map(|word| word.strip_prefix(prefix.as_str())?.chars().next())
            .map(|c| regex::escape(&c.to_string()))
            .collect();
        parts.push(format!("{}(?:[^{next}]|$)", regex::escape(prefix)));
    }
    format!("^(?:{})", parts.join("|"))
}

/// References between files: by imports as they are resolved, or by links.
fn graph(rule: &Rule<'_>) -> Drafts {
    let nodes = rule.text("nodes")?;
    let require = rule.options.get("require").cloned().unwrap_or_default();
    if rule.options.get("edges").and_then(|edges| edges.get("from_content")).is_none() {
        return Err("files made of others are judged by the program that makes them".to_owned());
    }
    let note = "imports are read and resolved by the language of the file, not by the expression of the rule";
    let code = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "py", "rs", "go", "java"];
    let is_code =
        code.iter().any(|ending| nodes.ends_with(&format!(".{ending}"))) || nodes.ends_with('}');
    let markdown = nodes.ends_with(".md");
    if require == "no_dangling" && markdown {
        let mut check = rule.on_project("doc", json!({"links": ["files"]}));
        check["files"] = json!([super::anchored(nodes)]);
        let path = sample::of_glob(nodes, "example");
        return Ok(vec![
            rule.draft("A link to a file MUST lead to one that is there.")
                .check(check)
                .example(false, &path, "# A\n\n[b](gone.md)\n")
                .example(true, &path, "# A\n\nText.\n"),
        ]);
    }
    if !is_code {
        return Err(format!("no imports are read in `{nodes}`"));
    }
    let ending = nodes.rsplit('.').next().unwrap_or_default();
    let imports = |from: &str, to: &str| -> Option<(String, String)> {
        let script = ["js", "ts", "jsx", "tsx", "mjs", "mts"].contains(&ending);
        let up = "../".repeat(from.matches('/').count());
        let to = to.rsplit_once('.').map_or(to, |(stem, _)| stem);
        script.then(|| (from.to_owned(), format!("import {{ x }} from './{up}{to}'\n")))
    };
    let plain = |path: &str| (path.to_owned(), "export const x = 1\n".to_owned());
    if require == "acyclic" {
        let (one, two) = (sample::of_glob(nodes, "one"), sample::of_glob(nodes, "two"));
        let mut draft = rule
            .draft(format!("Files at `{nodes}` NEVER import themselves by way of others."))
            .check(rule.on_project("layers", json!({"acyclic": nodes})))
            .note(note);
        if let (Some(there), Some(back)) = (imports(&one, &two), imports(&two, &one)) {
            draft = draft
                .project(false, vec![there.clone(), back])
                .project(true, vec![there, plain(&two)]);
        }
        return Ok(vec![draft]);
    }
    let edges = require["forbidden_edges"].as_array().cloned().unwrap_or_default();
    if edges.is_empty() {
        return Err("what no file refers to is not told".to_owned());
    }
    let ends = |edge: &Json| {
        let end = |key: &str| edge[key].as_str().unwrap_or_default().to_owned();
        (end("from"), end("to"))
    };
    let ends: Vec<(String, String)> = edges.iter().map(ends).collect();
    let forbid: Vec<Json> = ends.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
    let said: Vec<String> =
        ends.iter().map(|(from, to)| format!("`{from}` NEVER imports `{to}`")).collect();
    let mut draft = rule
        .draft(format!("{}.", said.join(", and ")))
        .check(rule.on_project("layers", json!({"forbid": forbid})))
        .note(note);
    if let Some((from, to)) = ends.first() {
        let name = |name: &str| format!("{name}.{ending}");
        let (from, to) = (sample::of_glob(from, &name("one")), sample::of_glob(to, &name("two")));
        if let Some(importing) = imports(&from, &to) {
            draft = draft
                .project(false, vec![importing, plain(&to)])
                .project(true, vec![plain(&from), plain(&to)]);
        }
    }
    Ok(vec![draft])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_begin_with_none_of_the_words() {
        let regex = regex::Regex::new(&beginning_with_none(&["amend!", "fixup!", "squash!"]))
            .expect("valid");
        for well in ["Fix it", "fix it", "fixup", "amend it", "", "squash", "a!"] {
            assert!(regex.is_match(well), "{well}");
        }
        for odd in ["fixup! a", "amend!", "squash! b"] {
            assert!(!regex.is_match(odd), "{odd}");
        }
    }
}
