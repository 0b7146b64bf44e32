//! markdownlint (<https://github.com/DavidAnson/markdownlint/blob/main/doc/Rules.md>, 0.40): what of
//! its rules says something about a document; its rules of style are a formatter's.

mod pages;

use super::modules::{Modules, find};
use super::{Left, Made, anchored, read_one, script, texts};
use crate::files::Files;
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
    ("MD024", &["no-duplicate-heading"], Way::Page),
    ("MD025", &["single-title", "single-h1"], Way::Page),
    ("MD026", &["no-trailing-punctuation"], Way::Page),
    ("MD027", &["no-multiple-space-blockquote"], Way::Style),
    ("MD028", &["no-blanks-blockquote"], Way::Style),
    ("MD029", &["ol-prefix"], Way::Style),
    ("MD030", &["list-marker-space"], Way::Style),
    ("MD031", &["blanks-around-fences"], Way::Style),
    ("MD032", &["blanks-around-lists"], Way::Style),
    ("MD033", &["no-inline-html"], Way::Page),
    ("MD034", &["no-bare-urls"], Way::Page),
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
    ("MD052", &["reference-links-images"], Way::Page),
    ("MD053", &["link-image-reference-definitions"], Way::Page),
    ("MD054", &["link-image-style"], Way::Style),
    ("MD055", &["table-pipe-style"], Way::Style),
    ("MD056", &["table-column-count"], Way::Left("no form reads tables")),
    ("MD058", &["blanks-around-tables"], Way::Style),
    ("MD059", &["descriptive-link-text"], Way::Page),
    ("MD060", &["table-column-style"], Way::Style),
];

/// How many files may extend one another.
const DEEPEST: usize = 8;

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
    let mut rules = rules;
    extended(files, path, &mut rules, &mut made);
    let known =
        |key: &str| is_rule(key) || TAGS.iter().any(|(tag, _)| tag.eq_ignore_ascii_case(key));
    let others = ["default", "extends", "$schema"];
    for key in rules.keys().filter(|key| !known(key) && !others.contains(&key.as_str())) {
        made.left
            .push(Left::new(key, "it is no rule of markdownlint 0.40, or a tag of rules of style"));
    }
    let mut style = Vec::new();
    for row in &RULES {
        let Some(options) = options(row, &rules) else { continue };
        // That it is not literal has been told.
        if script::is_unread(&options) {
            continue;
        }
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
            Way::Page => match pages::page(row.0, &options, &place) {
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
            // What nobody has named is told by number.
            Way::Style if !rules.keys().any(|key| is_named(row, key)) => style.push(row.0),
            Way::Style => made.left.push(Left::new(named(row), STYLE)),
            Way::Left(why) => made.left.push(Left::new(named(row), why)),
        }
    }
    if !style.is_empty() {
        let item =
            format!("{} rules of style that are on by default ({})", style.len(), style.join(", "));
        made.left.push(Left::new(item, STYLE));
    }
    Ok(made)
}

/// Puts in what the rules extend, the rules of their own winning.
fn extended(files: &dyn Files, path: &str, rules: &mut Map<String, Json>, made: &mut Made) {
    let mut from = path.to_owned();
    let mut next = rules.remove("extends");
    for _ in 0..DEEPEST {
        let Some(Json::String(name)) = next.take() else { return };
        // markdownlint takes a name for a path first.
        let plain = find(files, &from, &format!("./{}", name.trim_start_matches("./")));
        let place = plain.or_else(|| find(files, &from, &name));
        let read = place.as_ref().map(|place| Modules::new(files, |_| None).exported(place));
        match (place, read) {
            (Some(place), Some(Ok(read))) => {
                let mut inner = read.value.as_object().cloned().unwrap_or_default();
                next = inner.remove("extends");
                for (key, value) in inner {
                    rules.entry(key).or_insert(value);
                }
                from = place;
            }
            (_, Some(Err(why))) => {
                made.left.push(Left::new(format!("extends `{name}`"), why));
                return;
            }
            _ => {
                let why = "it is not in the project, nor in `node_modules`";
                made.left.push(Left::new(format!("extends `{name}`"), why));
                return;
            }
        }
    }
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
