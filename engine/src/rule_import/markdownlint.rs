//! markdownlint (<https://github.com/DavidAnson/markdownlint/blob/main/doc/Rules.md>, 0.40): what of
//! its rules says something about a document; its rules of style are a formatter's.

use super::draft::Draft;
use super::modules::Modules;
use super::{Left, Made, Tool, anchored, listed, read_one, script, texts};
use crate::files::Files;
use crate::finding::Severity;
use crate::paths::folder_of;
use serde_json::{Map, Value as Json, json};

/// What becomes of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A page.
    Page,
    /// A rule of ours says it: its id, and the pack that switches it on.
    Ours(&'static str, &'static str),
    /// How text is laid out, not what it says.
    Style,
    /// Not carried over; why.
    Left(&'static str),
}

/// Every rule: its name, its other names, what becomes of it.
pub(super) const RULES: [(&str, &[&str], Way); 53] = [
    ("MD001", &["heading-increment"], Way::Ours("compliance/heading-jump", "docs")),
    ("MD003", &["heading-style"], Way::Style),
    ("MD004", &["ul-style"], Way::Style),
    ("MD005", &["list-indent"], Way::Style),
    ("MD007", &["ul-indent"], Way::Style),
    ("MD009", &["no-trailing-spaces"], Way::Style),
    ("MD010", &["no-hard-tabs"], Way::Style),
    ("MD011", &["no-reversed-links"], Way::Page),
    ("MD012", &["no-multiple-blanks"], Way::Style),
    ("MD013", &["line-length"], Way::Style),
    ("MD014", &["commands-show-output"], Way::Style),
    ("MD018", &["no-missing-space-atx"], Way::Page),
    ("MD019", &["no-multiple-space-atx"], Way::Style),
    ("MD020", &["no-missing-space-closed-atx"], Way::Style),
    ("MD021", &["no-multiple-space-closed-atx"], Way::Style),
    ("MD022", &["blanks-around-headings"], Way::Style),
    ("MD023", &["heading-start-left"], Way::Style),
    (
        "MD024",
        &["no-duplicate-heading"],
        Way::Left("the form `doc` says which headings there are, not that they differ"),
    ),
    ("MD025", &["single-title", "single-h1"], Way::Page),
    ("MD026", &["no-trailing-punctuation"], Way::Page),
    ("MD027", &["no-multiple-space-blockquote"], Way::Style),
    ("MD028", &["no-blanks-blockquote"], Way::Style),
    ("MD029", &["ol-prefix"], Way::Style),
    ("MD030", &["list-marker-space"], Way::Style),
    ("MD031", &["blanks-around-fences"], Way::Style),
    ("MD032", &["blanks-around-lists"], Way::Style),
    (
        "MD033",
        &["no-inline-html"],
        Way::Left("HTML in Markdown is in no part of a file that `in` of the form `text` names"),
    ),
    (
        "MD034",
        &["no-bare-urls"],
        Way::Left("an expression cannot tell an address from the target of a link"),
    ),
    ("MD035", &["hr-style"], Way::Style),
    ("MD036", &["no-emphasis-as-heading"], Way::Page),
    ("MD037", &["no-space-in-emphasis"], Way::Style),
    ("MD038", &["no-space-in-code"], Way::Style),
    ("MD039", &["no-space-in-links"], Way::Style),
    ("MD040", &["fenced-code-language"], Way::Ours("compliance/unnamed-code-block", "docs")),
    ("MD041", &["first-line-heading", "first-line-h1"], Way::Page),
    ("MD042", &["no-empty-links"], Way::Page),
    ("MD043", &["required-headings"], Way::Page),
    ("MD044", &["proper-names"], Way::Page),
    ("MD045", &["no-alt-text"], Way::Page),
    ("MD046", &["code-block-style"], Way::Style),
    ("MD047", &["single-trailing-newline"], Way::Style),
    ("MD048", &["code-fence-style"], Way::Style),
    ("MD049", &["emphasis-style"], Way::Style),
    ("MD050", &["strong-style"], Way::Style),
    ("MD051", &["link-fragments"], Way::Page),
    (
        "MD052",
        &["reference-links-images"],
        Way::Left("the form `doc` follows links, not the names of references"),
    ),
    (
        "MD053",
        &["link-image-reference-definitions"],
        Way::Left("the form `doc` follows links, not the names of references"),
    ),
    ("MD054", &["link-image-style"], Way::Style),
    ("MD055", &["table-pipe-style"], Way::Style),
    ("MD056", &["table-column-count"], Way::Left("no form reads tables")),
    ("MD058", &["blanks-around-tables"], Way::Style),
    ("MD059", &["descriptive-link-text"], Way::Page),
    ("MD060", &["table-column-style"], Way::Style),
];

/// Tags that speak of several rules (same source); those of style alone are of no use here.
const TAGS: [(&str, &[&str]); 6] = [
    ("accessibility", &["MD045", "MD059"]),
    ("headings", &["MD001", "MD018", "MD024", "MD025", "MD026", "MD036", "MD041", "MD043"]),
    ("html", &["MD033"]),
    ("images", &["MD045", "MD052", "MD053", "MD054"]),
    ("links", &["MD011", "MD034", "MD039", "MD042", "MD051", "MD052", "MD053", "MD054", "MD059"]),
    ("spelling", &["MD044"]),
];

const STYLE: &str =
    "how text is laid out is a formatter's: let one write it, and no rule need say it";

/// Whether a key of a configuration is the name of a rule.
pub(super) fn is_rule(key: &str) -> bool {
    RULES.iter().any(|row| is_named(row, key))
}

fn is_named(row: &(&str, &[&str], Way), key: &str) -> bool {
    row.0.eq_ignore_ascii_case(key) || row.1.iter().any(|name| name.eq_ignore_ascii_case(key))
}

/// Where the rules apply.
struct Place {
    file: String,
    files: Vec<String>,
    exclude: Vec<String>,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, String> {
    let mut made = Made::default();
    let mut config = if script::is_script(path) {
        let read = Modules::new(files, |_| None).exported(path)?;
        let why = "it is no literal: nothing of the repository is run";
        made.left.extend(read.odd.into_iter().map(|odd| Left::new(odd, why)));
        read.value.as_object().cloned().unwrap_or_default()
    } else {
        read_one(files, path)?
    };
    if path.ends_with("package.json") {
        let inner = config.get("markdownlint-cli2").and_then(Json::as_object).cloned();
        config = inner.unwrap_or_default();
    }
    let is_runner = path.contains("cli2")
        || path.ends_with("package.json")
        || config.get("config").is_some_and(Json::is_object);
    let mut place = Place { file: path.to_owned(), files: Vec::new(), exclude: Vec::new() };
    let rules = if is_runner { runner(&config, files, &mut place, &mut made)? } else { config };
    if rules.contains_key("extends") {
        made.left
            .push(Left::new("extends", "only this file is read; import the other by its name"));
    }
    let known =
        |key: &str| is_rule(key) || TAGS.iter().any(|(tag, _)| tag.eq_ignore_ascii_case(key));
    let others = ["default", "extends", "$schema"];
    for key in rules.keys().filter(|key| !known(key) && !others.contains(&key.as_str())) {
        made.left
            .push(Left::new(key, "it is no rule of markdownlint 0.40, or a tag of rules of style"));
    }
    for row in &RULES {
        let Some(options) = options(row, &rules) else { continue };
        // On without a list, these two judge nothing.
        let list = match row.0 {
            "MD043" => &options["headings"],
            "MD044" => &options["names"],
            _ => &Json::Null,
        };
        if matches!(row.0, "MD043" | "MD044") && texts(list).is_empty() {
            continue;
        }
        match row.2 {
            Way::Page => match page(row.0, &options, &place) {
                Ok(mut draft) => {
                    draft.name = format!("{}-{}", draft.name, row.1[0]);
                    made.drafts.push(draft);
                }
                Err(why) => made.left.push(Left::new(named(row), why)),
            },
            Way::Ours(id, pack) => made.left.push(
                Left::new(named(row), "a rule that is built in says it")
                    .instead(format!("`{id}`, switched on by the pack `{pack}`")),
            ),
            Way::Style => made.left.push(Left::new(named(row), STYLE)),
            Way::Left(why) => made.left.push(Left::new(named(row), why)),
        }
    }
    Ok(made)
}

fn named(row: &(&str, &[&str], Way)) -> String {
    format!("{} {}", row.0, row.1[0])
}

/// A glob that leaves out what it names, and all below it when that is a folder.
fn whole(glob: &str) -> Vec<String> {
    let glob = glob.trim_end_matches('/');
    let below = format!("{}/", anchored(glob));
    let is_folder = !glob.ends_with('*') && !glob.ends_with(".md");
    std::iter::once(anchored(glob)).chain(is_folder.then_some(below)).collect()
}

/// The rules in a configuration of markdownlint-cli2, and where they apply.
fn runner(
    config: &Map<String, Json>,
    files: &dyn Files,
    place: &mut Place,
    made: &mut Made,
) -> Result<Map<String, Json>, String> {
    for glob in config.get("globs").map(texts).unwrap_or_default() {
        match glob.strip_prefix(['!', '#']) {
            Some(not) => place.exclude.extend(whole(not)),
            None => place.files.push(anchored(&glob)),
        }
    }
    for glob in config.get("ignores").map(texts).unwrap_or_default() {
        place.exclude.extend(whole(&glob));
    }
    for (key, value) in config {
        let why = match key.as_str() {
            "config" | "globs" | "ignores" | "gitignore" | "noBanner" | "noProgress"
            | "showFound" | "$schema" | "outputFormatters" => continue,
            "fix" if value == &json!(false) => continue,
            "customRules" | "markdownItPlugins" | "modulePaths" => "it is a program",
            "frontMatter" => "front matter stands between `---` lines",
            "noInlineConfig" => "allow comments of markdownlint say nothing here",
            "fix" => "fixes are applied by `aidd check --fix`",
            _ => "it is no key of markdownlint-cli2 that is known",
        };
        made.left.push(Left::new(key, why));
    }
    if let Some(Json::Object(rules)) = config.get("config") {
        return Ok(rules.clone());
    }
    // Without rules of its own it takes those of the file beside it.
    let folder = folder_of(&place.file);
    for name in
        [".markdownlint.jsonc", ".markdownlint.json", ".markdownlint.yaml", ".markdownlint.yml"]
    {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        if files.exists(&path) {
            return read_one(files, &path);
        }
    }
    Ok(Map::new())
}

/// The options of a rule; `None` when it is off.
fn options(row: &(&str, &[&str], Way), rules: &Map<String, Json>) -> Option<Json> {
    let by_default = rules.get("default").is_none_or(|value| value != &json!(false));
    let of_tags = TAGS.iter().filter(|(_, of)| of.contains(&row.0));
    let by_tag = of_tags
        .filter_map(|(tag, _)| rules.iter().find(|(key, _)| key.eq_ignore_ascii_case(tag)))
        .map(|(_, value)| value != &json!(false))
        .next_back();
    let own =
        rules.iter().filter(|(key, _)| is_named(row, key)).map(|(_, value)| value).next_back();
    match own {
        Some(Json::Bool(false) | Json::Null) => None,
        Some(options @ Json::Object(map)) => {
            (map.get("enabled") != Some(&json!(false))).then(|| options.clone())
        }
        Some(_) => Some(json!({})),
        None => by_tag.unwrap_or(by_default).then(|| json!({})),
    }
}

fn page(rule: &str, options: &Json, place: &Place) -> Result<Draft, String> {
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
    let path = place.files.first().map_or_else(
        || "docs/example.md".to_owned(),
        |glob| super::sample::of_glob(glob, "example"),
    );
    let path = if path.ends_with(".md") { path } else { "docs/example.md".to_owned() };
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
                text(r"^#{1,6}[^#\s!].*$", &["prose"]),
            ),
            "#A\n\nText.\n",
            "# A\n\nText.\n",
        ),
        "MD025" => said(
            of(
                "A document MUST have no more than one heading of the first level.",
                ("doc", json!({"headings": [format!("?{marks} *")]})),
            ),
            "# A\n\n# B\n",
            "# A\n\n## B\n",
        ),
        "MD026" => {
            let marks = options["punctuation"].as_str().unwrap_or(".,;:!。，；：！");
            if marks.is_empty() {
                return Err("it names no marks".to_owned());
            }
            let class: String = marks.chars().map(|c| regex::escape(&c.to_string())).collect();
            said(
                of(
                    &format!("A heading NEVER ends with one of `{marks}`."),
                    text(&format!("[{class}][ #]*$"), &["headings"]),
                ),
                &format!("# A{}\n", marks.chars().next().unwrap_or('.')),
                "# A\n",
            )
        }
        "MD036" => {
            let marks = options["punctuation"].as_str().unwrap_or(".,;:!?。，；：！？");
            let class: String = marks.chars().map(|c| regex::escape(&c.to_string())).collect();
            // Where a match counts is told by the words, not by the marks around them.
            let words = format!(r"[^*_\s][^*_\n]*[^*_\s{class}]|[^*_\s{class}]");
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
            let regex = format!(
                r"(?-m)\A(?:---\r?\n(?s:.*?)\n---\r?\n)?(?:\s|<!--(?s:.*?)-->)*(?:{marks}[ \t]|<h{level}[ >]|[^\s#>\-][^\n]*\n=+[ \t]*\r?\n){title}"
            );
            said(
                of(
                    "A document MUST begin with a heading of the first level.",
                    ("text", json!({"require": true, "regex": regex})),
                ),
                "Text.\n\n# A\n",
                "# A\n\nText.\n",
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
            said(
                of(
                    &format!("Names MUST be written {}.", listed(&names, "and")),
                    ("text", json!({"swap": swap, "in": parts})),
                ),
                &format!("# A\n\nWe use {wrong}.\n"),
                &format!("# A\n\nWe use {}.\n", names.join(", ")),
            )
        }
        "MD045" => said(
            of("An image MUST say what it shows.", ("doc", json!({"links": ["images"]}))),
            "# A\n\n![](a.png)\n",
            "# A\n\n![a plan](a.png)\n",
        ),
        "MD051" => said(
            of(
                "A link to a heading MUST name one that is there.",
                ("doc", json!({"links": ["anchors"]})),
            ),
            "# A\n\n[b](#b)\n",
            "# A\n\n[a](#a)\n",
        )
        .note("headings of other files are looked up too"),
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
