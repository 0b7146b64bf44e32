//! commitlint (<https://commitlint.js.org/reference/rules.html>): what commit messages are like.
//! What its rules take was read from and tried with 20.5.3.

mod body;
mod cases;
mod lines;
mod parse;
mod shared;

use super::draft::Draft;
use super::modules::Modules;
use super::{Left, Made, Tool, listed, read_one, script, texts};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use parse::Parse;
use serde_json::{Map, Value as Json, json};
use shared::{DEEPEST, Gathered, NOT_LITERAL, gather, known};

/// Every rule of commitlint; each becomes a page, or part of one.
pub(super) const RULES: [&str; 38] = [
    "body-case",
    "body-empty",
    "body-full-stop",
    "body-leading-blank",
    "body-max-length",
    "body-max-line-length",
    "body-min-length",
    "breaking-change-exclamation-mark",
    "footer-empty",
    "footer-leading-blank",
    "footer-max-length",
    "footer-max-line-length",
    "footer-min-length",
    "header-case",
    "header-full-stop",
    "header-max-length",
    "header-min-length",
    "header-trim",
    "references-empty",
    "scope-case",
    "scope-delimiter-style",
    "scope-empty",
    "scope-enum",
    "scope-max-length",
    "scope-min-length",
    "signed-off-by",
    "subject-case",
    "subject-empty",
    "subject-exclamation-mark",
    "subject-full-stop",
    "subject-max-length",
    "subject-min-length",
    "trailer-exists",
    "type-case",
    "type-empty",
    "type-enum",
    "type-max-length",
    "type-min-length",
];

/// One rule as it is set.
struct Set<'a> {
    name: &'a str,
    severity: Severity,
    never: bool,
    value: Json,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, String> {
    let mut made = Made::default();
    let modules = Modules::new(files, known);
    let config = if script::is_script(path) {
        let read = modules.exported(path)?;
        made.left.extend(read.odd.into_iter().map(|odd| Left::new(odd, NOT_LITERAL)));
        let nothing = || format!("{path} exports no configuration");
        read.value.as_object().cloned().ok_or_else(nothing)?
    } else {
        let config = read_one(files, path)?;
        match config.get("commitlint") {
            Some(Json::Object(inner)) if path.ends_with("package.json") => inner.clone(),
            _ => config,
        }
    };
    let mut all = Gathered::default();
    gather(&modules, path, &config, DEEPEST, &mut all, &mut made);
    others(&config, &mut made);
    let mut set = Vec::new();
    for (name, value) in &all.rules {
        match settled(name, value) {
            Ok(Some(one)) => set.push(one),
            Ok(None) => {}
            Err(why) => made.left.push(Left::new(name, why)),
        }
    }
    let (preset, from) = all.preset.unwrap_or_else(|| (Json::Null, path.to_owned()));
    let parse = Parse::of(&preset, &from, &modules);
    if let Parse::Unknown(why) = &parse {
        made.left.push(Left::new("parserPreset", why));
    }
    let prefixes = Parse::prefixes(&preset, &from, &modules);
    draft(&set, path, (&parse, &prefixes), &mut made);
    Ok(made)
}

/// Keys beside `rules`.
fn others(config: &Map<String, Json>, made: &mut Made) {
    for (key, value) in config {
        let why = match key.as_str() {
            "extends" | "rules" | "$schema" | "helpUrl" | "prompt" | "formatter" => continue,
            // It says how messages are read, in whatever page is made.
            "parserPreset" => continue,
            "defaultIgnores" if value == &json!(true) => continue,
            "ignores" if value == &json!([]) => continue,
            "plugins" => "a plugin is a program",
            "ignores" => {
                "it is a list of functions; merges, reverts and, with `skip`, bots are left out"
            }
            "defaultIgnores" => {
                "merges and reverts are left out; set `skip: []` in the pages to judge them"
            }
            _ => "it is no key of commitlint that is known",
        };
        made.left.push(Left::new(key, why));
    }
}

/// `[level, applicable, value]`; `None` when it is off.
fn settled<'a>(name: &'a str, value: &Json) -> Result<Option<Set<'a>>, String> {
    if !RULES.contains(&name) {
        return Err("it is no rule of commitlint 21: a plugin may have it".to_owned());
    }
    if *value == json!({"not literal": true}) {
        return Ok(None);
    }
    let list = match value {
        Json::Array(list) => list.clone(),
        other => vec![other.clone()],
    };
    let severity = match list.first().and_then(Json::as_u64) {
        Some(0) => return Ok(None),
        Some(1) => Severity::Warning,
        Some(2) => Severity::Error,
        _ => return Err("its level is none of 0, 1 and 2".to_owned()),
    };
    if script::is_unread(value) {
        // That it is not literal has been told.
        return Ok(None);
    }
    let given = list.get(2).cloned().unwrap_or(Json::Null);
    let nothing = match name {
        _ if name.ends_with("max-length") || name.ends_with("max-line-length") => {
            given == "Infinity"
        }
        _ if name.ends_with("min-length") => given == 0,
        "scope-enum" | "type-enum" => lines::enumerated(&given).is_empty(),
        _ => false,
    };
    // So set it says nothing of any message.
    if nothing {
        return Ok(None);
    }
    let never = match list.get(1).and_then(Json::as_str) {
        Some(applicable) => applicable == "never",
        // As the rules themselves have it when nothing is said.
        None => ["references-empty", "subject-exclamation-mark"].contains(&name),
    };
    Ok(Some(Set { name, severity, never, value: given }))
}

/// The rules that say together what a Conventional Commit is.
const TOGETHER: [&str; 6] = [
    "type-enum",
    "type-empty",
    "subject-empty",
    "scope-enum",
    "body-leading-blank",
    "breaking-change-exclamation-mark",
];

/// The pages of what is set. Messages are taken apart as `parse` says, and refer to others by
/// `prefixes`.
fn draft(set: &[Set<'_>], file: &str, by: (&Parse, &[String]), made: &mut Made) {
    let (parse, prefixes) = by;
    let find = |name: &str| set.iter().find(|one| one.name == name);
    let demands = |name: &str| find(name).is_some_and(|one| one.never);
    let mut whole = false;
    match parse {
        Parse::Conventional if demands("type-empty") && demands("subject-empty") => {
            made.drafts.push(together(set, file));
            whole = true;
        }
        Parse::Own(pattern, names) => {
            let empty = |part: &str| {
                !names.iter().any(|name| name == part) || demands(&format!("{part}-empty"))
            };
            if empty("type") && empty("subject") || demands("scope-empty") && empty("type") {
                match lines::own_line(set, pattern, names) {
                    Ok(line) => {
                        let mut draft = of_line(OWN, file, Severity::Error, line);
                        draft.name = "first-line".to_owned();
                        made.drafts.push(draft);
                        whole = true;
                    }
                    Err(why) => made.left.push(Left::new("parserPreset", why)),
                }
            }
        }
        _ => {}
    }
    let types =
        find("type-enum").filter(|one| !one.never).map(|one| texts(&one.value)).unwrap_or_default();
    for one in set {
        let of_types = one.name == "type-case"
            && !one.never
            && one.value == "lower-case"
            && !types.is_empty()
            && types.iter().all(|kind| kind.to_lowercase() == *kind);
        // A page on the lines below the first judges body and footers alike.
        let said = one.name == "footer-max-line-length"
            && find("body-max-line-length").is_some_and(|body| body.value == one.value);
        if said || whole && (is_within(one, parse) || of_types) {
            continue;
        }
        match page(one, file, parse, prefixes) {
            Ok(mut draft) => {
                let both = one.name == "body-max-line-length"
                    && find("footer-max-line-length").is_some_and(|foot| foot.value == one.value);
                if both {
                    draft.item = "body-max-line-length, footer-max-line-length".to_owned();
                }
                made.drafts.push(draft);
            }
            Err(why) => made.left.push(Left::new(one.name, why)),
        }
    }
}

/// What the page of a first line that has a parser of its own is made of.
const OWN: &str = "type-enum, type-empty, subject-empty, scope-enum, scope-empty";

/// Whether the page on the first line as a whole says a rule, too.
fn is_within(one: &Set<'_>, parse: &Parse) -> bool {
    match parse {
        Parse::Own(..) => {
            OWN.split(", ").any(|name| name == one.name) && one.never == one.name.ends_with("empty")
        }
        _ => match one.name {
            "type-empty" | "subject-empty" => one.never,
            _ => TOGETHER.contains(&one.name) && !one.never,
        },
    }
}

/// A page on the first line.
fn of_line(names: &str, file: &str, severity: Severity, line: lines::Line) -> Draft {
    let mut draft = base(names, file, severity, line.demand, json!({"subject": line.subject}));
    for (passes, example) in [(false, line.bad), (true, line.good)] {
        if let Some(example) = example {
            draft = draft.example(passes, "commit/message", format!("{example}\n"));
        }
    }
    draft
}

/// The page of a check on commits.
fn base(names: &str, file: &str, severity: Severity, demand: String, commit: Json) -> Draft {
    let mut commit = commit;
    // Bots are judged as everybody is; the rest is what commitlint leaves out by itself.
    commit["skip"] = json!(["merges", "reverts", "fixups"]);
    let mut draft =
        Draft::new(Tool::Commitlint, file, names, demand).check(json!({"commit": commit}));
    draft.severity = severity;
    draft
}

fn together(set: &[Set<'_>], file: &str) -> Draft {
    let find = |name: &str| set.iter().find(|one| one.name == name && !one.never);
    let mut conventional = json!({});
    let mut demand =
        "The first line of a commit message MUST be `type(scope): description`".to_owned();
    let types = find("type-enum").map(|one| texts(&one.value)).unwrap_or_default();
    if !types.is_empty() {
        demand = format!("{demand}, the type one of {}", listed(&types, "and"));
        conventional["types"] = json!(types);
    }
    let scopes = find("scope-enum").map(|one| lines::enumerated(&one.value)).unwrap_or_default();
    let of_workspace = scopes.iter().any(|scope| scope == "workspace");
    if of_workspace {
        demand = format!(
            "{demand}, the scope, where there is one, the name or the folder of a part of the workspace"
        );
        conventional["scopes"] = json!(scopes);
    } else if !scopes.is_empty() {
        demand =
            format!("{demand}, the scope, where there is one, one of {}", listed(&scopes, "and"));
        conventional["scopes"] = json!(scopes);
    }
    let of: Vec<&Set<'_>> = set
        .iter()
        .filter(|one| TOGETHER.contains(&one.name) && is_within(one, &Parse::Conventional))
        .collect();
    let severity = of.iter().map(|one| one.severity).max().unwrap_or(Severity::Error);
    let has = |name: &str| of.iter().find(|one| one.name == name);
    let items: Vec<&str> = TOGETHER
        .into_iter()
        .filter(|name| TOGETHER[..4].contains(name) || has(name).is_some())
        .collect();
    let milder: Vec<String> =
        of.iter().filter(|one| one.severity < severity).map(|one| one.name.to_owned()).collect();
    let breaks = has("breaking-change-exclamation-mark").is_some();
    if breaks {
        demand = format!(
            "{demand}, and what breaks is marked by `!` and by a footer `BREAKING CHANGE:`"
        );
        conventional["breaking"] = json!("footer");
    }
    let kind = types.first().map_or("feat", String::as_str);
    let mut draft = base(
        &items.join(", "),
        file,
        severity,
        format!("{demand}."),
        json!({"conventional": conventional}),
    )
    .note("a version alone is judged too")
    .example(false, "commit/message", "Update\n")
    .example(true, "commit/message", format!("{kind}: read empty files\n"));
    if !types.is_empty() {
        draft = draft.example(false, "commit/message", "unknown: read empty files\n");
    }
    if !milder.is_empty() {
        draft = draft.note(format!("{} is as grave as the rest", listed(&milder, "and")));
    }
    if breaks {
        draft =
            draft.example(false, "commit/message", format!("{kind}!: read empty files\n")).example(
                true,
                "commit/message",
                format!("{kind}!: read empty files\n\nBREAKING CHANGE: no error\n"),
            );
    }
    if let Some(scope) = scopes.first().filter(|_| !of_workspace) {
        draft = draft
            .example(false, "commit/message", format!("{kind}(unknown): read empty files\n"))
            .example(true, "commit/message", format!("{kind}({scope}): read empty files\n"));
    }
    draft.name = "conventional".to_owned();
    draft.sources = vec!["https://www.conventionalcommits.org/en/v1.0.0/".to_owned()];
    draft
}

fn page(one: &Set<'_>, file: &str, parse: &Parse, prefixes: &[String]) -> Result<Draft, String> {
    let number = || one.value.as_u64().ok_or_else(|| "it has no number".to_owned());
    let never = |why: &str| if one.never { Err(why.to_owned()) } else { Ok(()) };
    let of = |demand: String, commit: Json| base(one.name, file, one.severity, demand, commit);
    let long =
        |length: u64| "words ".repeat(usize::try_from(length.min(2000)).unwrap_or(100) / 6 + 2);
    let message = "commit/message";
    Ok(match one.name {
        "header-max-length" => {
            let max = number()?;
            of(
                format!("The first line of a commit message MUST have at most {max} characters."),
                json!({"subject": {"max": max}}),
            )
            .note("the number of a pull request at the end, ` (#12)`, is not counted")
            .example(false, message, format!("fix: {}end\n", long(max)))
            .example(true, message, "fix: short\n")
        }
        "body-max-line-length" | "footer-max-line-length" => {
            let max = number()?;
            of(format!("Lines of a commit message below the first MUST have at most {max} characters."), json!({"body": {"max-line": max}}))
                .note("body and footers are judged alike, and lines that cannot be broken (an address, one long word) and those of who signed are left")
                .example(false, message, format!("fix: short\n\n{}end\n", long(max)))
                .example(true, message, "fix: short\n\nWhy.\n")
        }
        "body-leading-blank" => {
            never("a body without a blank line before it is none")?;
            of(
                "A blank line MUST follow the first line of a commit message.".to_owned(),
                json!({"body": {}}),
            )
            .example(false, message, "fix: short\nWhy.\n")
            .example(true, message, "fix: short\n\nWhy.\n")
        }
        "signed-off-by" | "trailer-exists" => {
            never("the form says which trailers there must be")?;
            let name = one
                .value
                .as_str()
                .unwrap_or("Signed-off-by:")
                .trim_end()
                .trim_end_matches(':')
                .to_owned();
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err("a trailer is one word".to_owned());
            }
            of(
                format!("A commit message MUST end with the trailer `{name}:`."),
                json!({"trailers": [name]}),
            )
            .example(false, message, "fix: short\n")
            .example(
                true,
                message,
                format!("fix: short\n\n{name}: A Person <person@example.org>\n"),
            )
        }
        "breaking-change-exclamation-mark" => {
            never("that the mark and the footer differ is nothing a page asks for")?;
            of(
                "A change that breaks MUST be marked by `!` in the first line and by a footer `BREAKING CHANGE:`.".to_owned(),
                json!({"conventional": {"breaking": "footer"}}),
            )
            .note("the message must be a Conventional Commit for that")
            .example(false, message, "fix!: short\n")
            .example(true, message, "fix!: short\n\nBREAKING CHANGE: names\n")
        }
        _ if one.name.starts_with("body-") => body::page(one, &of)?,
        "footer-empty" => body::footers(one, &of),
        "footer-leading-blank" => body::blank_before_footers(one, &of)?,
        "footer-max-length" | "footer-min-length" => body::length_of_footers(one, &of)?,
        "references-empty" => body::references(one, prefixes, &of)?,
        _ => of_line(one.name, file, one.severity, lines::first_line(one, parse)?),
    })
}
