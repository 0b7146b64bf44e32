//! markdownlint (<https://github.com/DavidAnson/markdownlint/blob/main/doc/Rules.md>, 0.42): what of
//! its rules says something about a document; its rules of style are a formatter's.

mod pages;
mod places;

use super::modules::{Modules, find};
use super::{Left, Made, read_one, script, texts};
use aidd_engine::text::files::Files;
use places::Place;
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

/// Tags that speak of several rules (same source).
const TAGS: [(&str, &[&str]); 24] = [
    ("accessibility", &["MD045", "MD059"]),
    ("atx", &["MD018", "MD019"]),
    ("atx_closed", &["MD020", "MD021"]),
    ("blank_lines", &["MD012", "MD022", "MD031", "MD032", "MD047"]),
    ("blockquote", &["MD027", "MD028"]),
    ("bullet", &["MD004", "MD005", "MD007", "MD032"]),
    ("code", &["MD014", "MD031", "MD038", "MD040", "MD046", "MD048"]),
    ("emphasis", &["MD036", "MD037", "MD049", "MD050"]),
    ("hard_tab", &["MD010"]),
    (
        "headings",
        &[
            "MD001", "MD003", "MD018", "MD019", "MD020", "MD021", "MD022", "MD023", "MD024",
            "MD025", "MD026", "MD036", "MD041", "MD043",
        ],
    ),
    ("hr", &["MD035"]),
    ("html", &["MD033"]),
    ("images", &["MD045", "MD052", "MD053", "MD054"]),
    ("indentation", &["MD005", "MD007", "MD027"]),
    ("language", &["MD040"]),
    ("line_length", &["MD013"]),
    ("links", &["MD011", "MD034", "MD039", "MD042", "MD051", "MD052", "MD053", "MD054", "MD059"]),
    ("ol", &["MD029", "MD030", "MD032"]),
    ("spaces", &["MD018", "MD019", "MD020", "MD021", "MD023"]),
    ("spelling", &["MD044"]),
    ("table", &["MD055", "MD056", "MD058", "MD060"]),
    ("ul", &["MD004", "MD005", "MD007", "MD030", "MD032"]),
    ("url", &["MD034"]),
    (
        "whitespace",
        &["MD009", "MD010", "MD012", "MD027", "MD028", "MD030", "MD037", "MD038", "MD039"],
    ),
];

/// The options of the rules that become pages (same source); the others have none.
const OPTIONS: [(&str, &[&str]); 12] = [
    ("MD024", &["siblings_only"]),
    ("MD025", &["front_matter_title", "level"]),
    ("MD026", &["punctuation"]),
    ("MD033", &["allowed_elements", "table_allowed_elements"]),
    ("MD036", &["punctuation"]),
    ("MD041", &["allow_preamble", "front_matter_title", "level"]),
    ("MD043", &["headings", "match_case"]),
    ("MD044", &["code_blocks", "html_elements", "names"]),
    ("MD051", &["ignore_case", "ignored_pattern"]),
    ("MD052", &["ignored_labels", "shortcut_syntax"]),
    ("MD053", &["ignored_definitions"]),
    ("MD059", &["prohibited_texts"]),
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
    let mut place = Place::of(path);
    let mut overrides = Vec::new();
    let mut rules = if is_runner {
        overrides = places::overrides(&config, &mut made);
        places::runner(&config, files, &mut place, &mut made)?
    } else {
        places::ignored(files, &mut place, &mut made);
        config
    };
    extended(files, path, &mut rules, &mut made);
    odd_keys(&rules, &mut made);
    for over in &mut overrides {
        odd_keys(&over.rules, &mut made);
        if over.is_merged {
            let base = rules.clone();
            over.rules = base.into_iter().chain(std::mem::take(&mut over.rules)).collect();
        }
    }
    let mut style = Vec::new();
    for row in &RULES {
        if row.2 == Way::Page {
            rule_pages(row, &rules, &overrides, &place, &mut made);
            continue;
        }
        if options(row, &rules).is_none() {
            continue;
        }
        match row.2 {
            Way::Page => {}
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

/// The pages of a rule: one of the configuration, and one of each override that has it otherwise.
fn rule_pages(
    row: &(&str, &[&str], Way),
    rules: &Map<String, Json>,
    overrides: &[places::Override],
    place: &Place,
    made: &mut Made,
) {
    let base = judging(row, rules);
    let mut whole = place.clone();
    let mut parts = Vec::new();
    for (at, over) in overrides.iter().enumerate() {
        let other = judging(row, &over.rules);
        if other == base {
            continue;
        }
        whole.exclude.extend(over.files.iter().cloned());
        if let Some(options) = other {
            let mut part = place.clone();
            part.files.clone_from(&over.files);
            // The first that fits a file is taken.
            part.exclude.extend(overrides[..at].iter().flat_map(|over| over.files.clone()));
            parts.push((options, part));
        }
    }
    let all = base.map(|options| (options, whole)).into_iter().chain(parts);
    for (options, place) in all {
        let known = OPTIONS.iter().find(|(rule, _)| *rule == row.0).map_or(&[][..], |(_, all)| all);
        let odd = options.as_object().into_iter().flat_map(Map::keys).filter(|key| {
            !known.contains(&key.as_str()) && !["enabled", "severity"].contains(&key.as_str())
        });
        made.left.extend(odd.map(|key| {
            Left::new(
                format!("{}: {key}", row.0),
                "it is no option of that rule in markdownlint 0.42",
            )
        }));
        match pages::page(row.0, &options, &place) {
            Ok(mut draft) => {
                draft.name = format!("{}-{}", draft.name, row.1[0]);
                draft.aliases.push(row.0.to_owned());
                draft.aliases.extend(row.1.iter().map(|&name| name.to_owned()));
                made.drafts.push(draft);
            }
            Err(why) => made.left.push(Left::new(named(row), why)),
        }
    }
}

/// The options of a rule that judges something.
fn judging(row: &(&str, &[&str], Way), rules: &Map<String, Json>) -> Option<Json> {
    // On without a list, these two judge nothing; that one is not literal has been told.
    options(row, rules).filter(|options| {
        let list = match row.0 {
            "MD043" => &options["headings"],
            "MD044" => &options["names"],
            _ => return !script::is_unread(options),
        };
        !script::is_unread(options) && !texts(list).is_empty()
    })
}

/// Tells of keys that are no rules.
fn odd_keys(rules: &Map<String, Json>, made: &mut Made) {
    let is_tag = |key: &str| TAGS.iter().any(|(tag, _)| tag.eq_ignore_ascii_case(key));
    let others = ["default", "extends", "$schema"];
    let is_other = |key: &str| others.iter().any(|other| other.eq_ignore_ascii_case(key));
    let odd = rules.keys().filter(|key| !is_rule(key) && !is_tag(key) && !is_other(key));
    made.left
        .extend(odd.map(|key| Left::new(key, "it is no rule and no tag of markdownlint 0.42")));
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

/// The options of a rule; `None` when it is off. Its own name goes before its tags, and those
/// before `default`: the order in which they are written is not known here.
fn options(row: &(&str, &[&str], Way), rules: &Map<String, Json>) -> Option<Json> {
    let of_tags = TAGS.iter().filter(|(_, of)| of.contains(&row.0));
    let by_tag = of_tags
        .filter_map(|(tag, _)| rules.iter().find(|(key, _)| key.eq_ignore_ascii_case(tag)))
        .map(|(_, value)| value)
        .next_back();
    let own =
        rules.iter().filter(|(key, _)| is_named(row, key)).map(|(_, value)| value).next_back();
    let by_default =
        rules.iter().find(|(key, _)| key.eq_ignore_ascii_case("default")).map(|(_, value)| value);
    match own.or(by_tag).or(by_default) {
        Some(options @ Json::Object(map)) => {
            map.get("enabled").is_none_or(is_on).then(|| options.clone())
        }
        Some(value) => is_on(value).then(|| json!({"severity": value})),
        None => Some(json!({})),
    }
}

/// Whether JavaScript takes a value for true.
fn is_on(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(on) => *on,
        Json::Number(number) => number.as_f64() != Some(0.0),
        Json::String(text) => !text.is_empty(),
        _ => true,
    }
}
