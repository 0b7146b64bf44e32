//! The page of each rule of markdownlint that says something about a document.

use super::super::draft::Draft;
use super::super::{Tool, listed, sample, texts};
use super::places::Place;
use aidd_engine::text::finding::Severity;
use serde_json::{Map, Value as Json, json};

/// The page of a rule that is on.
pub(super) fn page(rule: &str, options: &Json, place: &Place) -> Result<Draft, String> {
    let of = |demand: &str, form: (&str, Json)| {
        let markdown = || vec!["*.md".to_owned(), "*.markdown".to_owned()];
        let files = if place.files.is_empty() { markdown() } else { place.files.clone() };
        let mut check = json!({"files": files});
        if !place.exclude.is_empty() {
            check["exclude"] = json!(place.exclude);
        }
        check[form.0] = form.1;
        let mut draft = Draft::new(Tool::Markdownlint, &place.file, rule, demand).check(check);
        let number = rule.to_ascii_lowercase();
        draft.sources =
            vec![format!("https://github.com/DavidAnson/markdownlint/blob/main/doc/{number}.md")];
        draft.severity = match options["severity"].as_str() {
            Some("warning") => Severity::Warning,
            _ => Severity::Error,
        };
        draft
    };
    let text = |regex: &str, parts: &[&str]| ("text", json!({"regex": regex, "in": parts}));
    let level = options["level"].as_u64().unwrap_or(1).clamp(1, 6);
    let marks = "#".repeat(usize::try_from(level).unwrap_or(1));
    let path = place
        .files
        .first()
        .map_or_else(|| "docs/example.md".to_owned(), |glob| sample::of_glob(glob, "example"));
    let is_out = |folder: &str| {
        place.exclude.iter().any(|glob| glob.trim_start_matches(['/', '*']).starts_with(folder))
    };
    let path = match path {
        path if path.ends_with(".md") && !is_out(path.split('/').next().unwrap_or(&path)) => path,
        _ if is_out("docs") => "example.md".to_owned(),
        _ => "docs/example.md".to_owned(),
    };
    let said = |draft: Draft, bad: &str, good: &str| {
        draft.example(false, &path, bad).example(true, &path, good)
    };
    Ok(match rule {
        "MD011" => said(
            of(
                "A link is `[text](target)`, NEVER `(text)[target]`.",
                text(r"\([^()\[\]\n]+\)\[[^\]\^\n][^\]\n]*\]", &["prose"]),
            ),
            "# A\n\nSee (the guide)[guide.md].\n",
            "# A\n\nSee [the guide](guide.md).\n",
        ),
        "MD018" => said(
            of(
                "A space MUST follow the `#` of a heading: without it there is no heading.",
                text(r"^#+[^#\s\x{FE0F}](?:.*[^#\s])?[ \t]*$", &["prose"]),
            ),
            "#A\n\nText.\n",
            "# A\n\nText.\n",
        ),
        "MD024" => {
            let siblings = options["siblings_only"] == json!(true);
            let (unique, place) = if siblings {
                ("siblings", " of those below the same heading")
            } else {
                ("document", "")
            };
            said(
                of(
                    &format!("No heading says what another{place} says."),
                    ("doc", json!({"unique": unique})),
                ),
                "# A\n\n## B\n\n## B\n",
                "# A\n\n## B\n\n## C\n",
            )
        }
        "MD025" => {
            let draft = said(
                of(
                    &format!("A document MUST have no more than one heading of level {level}."),
                    ("doc", json!({"headings": [format!("?{marks} *")]})),
                ),
                &format!("{marks} A\n\n{marks} B\n"),
                &format!("{marks} A\n\n{marks}# B\n"),
            );
            let draft = draft.note("a second one is told wherever the first stands; markdownlint asks that it begins the document");
            if options["front_matter_title"] == json!("") {
                draft
            } else {
                draft.note("a title in the front matter and one heading are no two")
            }
        }
        "MD026" => {
            let marks = options["punctuation"].as_str().unwrap_or(".,;:!。，；：！");
            if marks.is_empty() {
                return Err("it names no marks".to_owned());
            }
            said(
                of(
                    &format!("A heading NEVER ends with one of `{marks}`."),
                    text(&format!("(?:{})[ #]*$", endings(marks)), &["headings"]),
                ),
                &format!("# A{}\n", marks.chars().next().unwrap_or('.')),
                "# A\n",
            )
        }
        "MD033" => {
            let allowed = texts(&options["allowed_elements"]);
            let demand = if allowed.is_empty() {
                "A document MUST NOT hold HTML.".to_owned()
            } else {
                format!("A document MUST NOT hold HTML, but for {}.", listed(&allowed, "and"))
            };
            let good = allowed
                .first()
                .map_or_else(|| "Text.".to_owned(), |name| format!("A <{name}>text</{name}>."));
            let draft = said(
                of(&demand, ("doc", json!({"html": allowed}))),
                "# A\n\nA <blink>text</blink>.\n",
                &format!("# A\n\n{good}\n"),
            );
            let in_tables = &options["table_allowed_elements"];
            if in_tables.is_null() || *in_tables == options["allowed_elements"] {
                draft
            } else {
                draft.note("what tables alone may hold is told, too")
            }
        }
        "MD034" => said(
            of(
                "An address MUST be a link: `<https://example.org>`, or `[text](address)`.",
                ("doc", json!({"links": "addresses"})),
            ),
            "# A\n\nSee https://example.org/a.\n",
            "# A\n\nSee <https://example.org/a>.\n",
        ),
        "MD036" => {
            let marks = options["punctuation"].as_str().unwrap_or(".,;:!?。，；：！？");
            let class: String = marks.chars().map(|c| regex::escape(&c.to_string())).collect();
            // Where a match counts is told by the words, not by the marks around them.
            let words = format!(r"[^*_\s`\[<][^*_\n`\[<]*[^*_\s{class}]|[^*_\s{class}]");
            let marks = r"(?:\*\*|__|\*|_)";
            let regex = format!(r"^{marks}(?P<at>{words}){marks}[ \t]*$");
            said(
                of(
                    "A heading MUST be a heading, NEVER a paragraph in bold or italics.",
                    text(&regex, &["prose"]),
                )
                .note("a line of a longer paragraph that is all bold is told too"),
                "# A\n\n**Part one**\n\nText.\n",
                "# A\n\n## Part one\n\nText with **words**.\n",
            )
        }
        "MD041" => {
            let pattern = options["front_matter_title"].as_str();
            let title =
                if pattern == Some("") { "" } else { r"|\A---\r?\n(?:(?s:.*?)\n)?\s*title\s*[:=]" };
            // The line below a heading is of `=` or of `-`.
            let below = match level {
                1 => r"|[^\s#>\-][^\n]*\n=+[ \t]*\r?\n",
                2 => r"|[^\s#>\-][^\n]*\n-{2,}[ \t]*\r?\n",
                _ => "",
            };
            if options["allow_preamble"] == json!(true) {
                return Ok(after_preamble(&of, level, &path));
            }
            let regex = format!(
                r"(?-m)\A\s*\z|\A(?:---\r?\n(?s:.*?)\n---\r?\n)?(?:\s|<!--(?s:.*?)-->)*(?:{marks}[ \t]|<h{level}[ >]{below}){title}"
            );
            said(
                of(
                    &format!("A document MUST begin with a heading of level {level}."),
                    ("text", json!({"require": true, "regex": regex})),
                ),
                &format!("Text.\n\n{marks} A\n"),
                &format!("{marks} A\n\nText.\n"),
            )
        }
        "MD042" => said(
            of(
                "A link MUST lead somewhere.",
                text(r"\[(?P<at>[^\]\n]+)\]\((?:#|<>|<#>)?\)", &["prose", "headings"]),
            ),
            "# A\n\nSee [the guide]().\n",
            "# A\n\nSee [the guide](#a).\n",
        ),
        "MD043" => headings(options, &of, &path)?,
        "MD044" => {
            let names = texts(&options["names"]);
            let swap: Map<String, Json> =
                names.iter().map(|name| (name.to_lowercase(), json!(name))).collect();
            let parts: &[&str] = if options["code_blocks"] == json!(false) {
                &["prose", "headings"]
            } else {
                &["prose", "headings", "code"]
            };
            let wrong = names.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>().join(", ");
            let draft = said(
                of(
                    &format!("Names MUST be written {}.", listed(&names, "and")),
                    ("text", json!({"swap": swap, "in": parts})),
                ),
                &format!("# A\n\nWe use {wrong}.\n"),
                &format!("# A\n\nWe use {}.\n", names.join(", ")),
            );
            if options["html_elements"] == json!(false) {
                draft
            } else {
                draft.note("names in HTML are not read")
            }
        }
        "MD045" => said(
            of("An image MUST say what it shows.", ("doc", json!({"links": ["images"]}))),
            "# A\n\n![](a.png)\n",
            "# A\n\n![a plan](a.png)\n",
        ),
        "MD051" => {
            let mut draft = said(
                of(
                    "A link to a heading MUST name one that is there.",
                    ("doc", json!({"links": ["anchors"]})),
                ),
                "# A\n\n[b](#b)\n",
                "# A\n\n[a](#a)\n",
            )
            .note("headings of other files are looked up too");
            if options["ignore_case"] == json!(true) {
                draft = draft.note("capitals count: `#Setup` is no link to `# Setup`");
            }
            if options["ignored_pattern"].as_str().is_some_and(|pattern| !pattern.is_empty()) {
                draft = draft.note("links that match `ignored_pattern` are told, too");
            }
            draft
        }
        "MD052" => {
            let draft = said(
                of(
                    "A reference MUST name what is defined.",
                    ("doc", json!({"links": "references"})),
                ),
                "# A\n\nSee [the guide][guide].\n",
                "# A\n\nSee [the guide][guide].\n\n[guide]: guide.md\n",
            );
            let ignored = texts(&options["ignored_labels"]);
            if options["shortcut_syntax"] == json!(true) {
                draft.note("of `[name]` alone nothing is said: it may be words in brackets")
            } else if ignored.iter().any(|label| label != "x") {
                draft.note("no label is left out")
            } else {
                draft
            }
        }
        "MD053" => {
            let draft = said(
                of(
                    "What is defined MUST be referred to.",
                    ("doc", json!({"links": "definitions"})),
                ),
                "# A\n\nText.\n\n[guide]: guide.md\n",
                "# A\n\nSee [the guide][guide].\n\n[guide]: guide.md\n",
            )
            .note("a second definition of a name is not told");
            let ignored = texts(&options["ignored_definitions"]);
            if ignored.iter().any(|name| name != "//") {
                draft.note("of all definitions `[//]` alone is left out")
            } else {
                draft
            }
        }
        "MD059" => {
            let given = texts(&options["prohibited_texts"]);
            let all = if given.is_empty() {
                ["click here", "here", "link", "more"].map(str::to_owned).to_vec()
            } else {
                given
            };
            let names: Vec<String> = all.iter().map(|name| regex::escape(name)).collect();
            said(
                of(
                    &format!(
                        "The text of a link says where it leads, NEVER {}.",
                        listed(&all, "or")
                    ),
                    text(
                        &format!(r"\[\s*(?P<at>(?i:{}))\s*\](?:\(|\[)", names.join("|")),
                        &["prose", "headings"],
                    ),
                ),
                &format!("# A\n\nSee [{}](b.md).\n", all[0]),
                "# A\n\nSee [the guide](b.md).\n",
            )
        }
        other => return Err(format!("no page is made of {other}")),
    })
}

/// Expressions for what a heading ends with, of these marks: `&copy;` and `:tada:` end with none.
fn endings(marks: &str) -> String {
    let plain: String = marks
        .chars()
        .filter(|c| !";:".contains(*c))
        .map(|c| regex::escape(&c.to_string()))
        .collect();
    let mut all = Vec::new();
    if !plain.is_empty() {
        all.push(format!("[{plain}]"));
    }
    for (mark, ending) in [(';', r"(?:^|[^&\w#])[\w#]*;"), (':', r"(?:^|[^:\w+-])[\w+-]*:")] {
        all.extend(marks.contains(mark).then(|| ending.to_owned()));
    }
    all.join("|")
}

/// MD041 where text may stand before the first heading: that one has the level.
fn after_preamble(of: &dyn Fn(&str, (&str, Json)) -> Draft, level: u64, path: &str) -> Draft {
    let marks = "#".repeat(usize::try_from(level).unwrap_or(1));
    let line = r"(?:[^#\n][^\n]*)?\n";
    let regex = format!(r"(?-m)\A(?:{line})*(?:{marks}[ \t]|[^#\n][^\n]*\z|\z)");
    let demand = format!("The first heading of a document MUST be of level {level}.");
    of(&demand, ("text", json!({"require": true, "regex": regex})))
        .note("judged is the first line that begins with `#`, also in a block of code")
        .example(false, path, format!("Text.\n\n{marks}# A\n"))
        .example(true, path, format!("Text.\n\n{marks} A\n"))
}

/// MD043: the headings that a document has.
fn headings(
    options: &Json,
    of: &dyn Fn(&str, (&str, Json)) -> Draft,
    path: &str,
) -> Result<Draft, String> {
    let given = texts(&options["headings"]);
    if let Some(odd) = given.iter().find(|one| one.as_str() == "?") {
        return Err(format!(
            "`{odd}`, one heading of any text and level, has no like in the form `doc`"
        ));
    }
    // `+` is a run of at least one.
    let ours: Vec<String> =
        given.iter().map(|one| if one == "+" { "*".to_owned() } else { one.clone() }).collect();
    let named: Vec<String> = given.iter().filter(|one| one.starts_with('#')).cloned().collect();
    let text =
        |names: &[String]| names.iter().map(|name| format!("{name}\n\n")).collect::<String>();
    let last = named.len().saturating_sub(1);
    let mut draft = of(
        &format!("A document MUST have the headings {}, in this order.", listed(&named, "and")),
        ("doc", json!({"headings": ours})),
    )
    .note("headings deeper than all that are named are not judged")
    .example(false, path, if last == 0 { "## Other\n\n".to_owned() } else { text(&named[..last]) })
    .example(true, path, text(&named));
    if given.iter().any(|one| one == "+") {
        draft = draft.note("`+`, a run of at least one heading, may be empty");
    }
    if options["match_case"] != json!(true) {
        draft = draft.note("capitals count");
    }
    Ok(draft)
}
