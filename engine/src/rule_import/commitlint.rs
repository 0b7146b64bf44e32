//! commitlint (<https://commitlint.js.org/reference/rules.html>): what commit messages are like.
//! What its rules take was read from and tried with 20.5.3.

mod lines;

use super::draft::Draft;
use super::{Left, Made, Tool, listed, read_one, read_text, script, texts};
use crate::files::Files;
use crate::finding::Severity;
use serde_json::{Map, Value as Json, json};

/// How a rule is carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As a page of the form `commit`.
    Page,
    /// Not; why.
    Left(&'static str),
}

const NO_BODY: &str =
    "the form `commit` says of a body that there is one and how long its lines are";
const NO_FOOTER: &str = "the form `commit` says of footers which there must be";

/// Every rule of commitlint.
pub(super) const RULES: [(&str, Way); 38] = [
    ("body-case", Way::Left(NO_BODY)),
    ("body-empty", Way::Page),
    ("body-full-stop", Way::Left(NO_BODY)),
    ("body-leading-blank", Way::Page),
    ("body-max-length", Way::Left(NO_BODY)),
    ("body-max-line-length", Way::Page),
    ("body-min-length", Way::Left(NO_BODY)),
    ("breaking-change-exclamation-mark", Way::Page),
    ("footer-empty", Way::Left(NO_FOOTER)),
    (
        "footer-leading-blank",
        Way::Left("what follows no blank line is read as part of the body, not as a footer"),
    ),
    ("footer-max-length", Way::Left(NO_FOOTER)),
    ("footer-max-line-length", Way::Page),
    ("footer-min-length", Way::Left(NO_FOOTER)),
    ("header-case", Way::Page),
    ("header-full-stop", Way::Page),
    ("header-max-length", Way::Page),
    ("header-min-length", Way::Page),
    ("header-trim", Way::Page),
    (
        "references-empty",
        Way::Left("what counts as a reference is settled by a parser preset, a program"),
    ),
    ("scope-case", Way::Page),
    ("scope-delimiter-style", Way::Page),
    ("scope-empty", Way::Page),
    ("scope-enum", Way::Page),
    ("scope-max-length", Way::Page),
    ("scope-min-length", Way::Page),
    ("signed-off-by", Way::Page),
    ("subject-case", Way::Page),
    ("subject-empty", Way::Page),
    ("subject-exclamation-mark", Way::Page),
    ("subject-full-stop", Way::Page),
    ("subject-max-length", Way::Page),
    ("subject-min-length", Way::Page),
    ("trailer-exists", Way::Page),
    ("type-case", Way::Page),
    ("type-empty", Way::Page),
    ("type-enum", Way::Page),
    ("type-max-length", Way::Page),
    ("type-min-length", Way::Page),
];

/// What `@commitlint/config-conventional` 20 and `@commitlint/config-angular` 20 set
/// (<https://github.com/conventional-changelog/commitlint>).
fn known(extended: &str) -> Option<Map<String, Json>> {
    let conventional = json!({
        "body-leading-blank": [1, "always"],
        "body-max-line-length": [2, "always", 100],
        "footer-leading-blank": [1, "always"],
        "footer-max-line-length": [2, "always", 100],
        "header-max-length": [2, "always", 100],
        "header-trim": [2, "always"],
        "subject-case": [2, "never", ["sentence-case", "start-case", "pascal-case", "upper-case"]],
        "subject-empty": [2, "never"],
        "subject-full-stop": [2, "never", "."],
        "type-case": [2, "always", "lower-case"],
        "type-empty": [2, "never"],
        "type-enum": [2, "always", ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"]],
    });
    let name =
        extended.trim_start_matches("@commitlint/config-").trim_start_matches("@commitlint/");
    match (name, conventional) {
        ("conventional", Json::Object(rules)) => Some(rules),
        ("angular", Json::Object(mut rules)) => {
            rules.remove("header-trim");
            rules.insert("subject-exclamation-mark".to_owned(), json!([2, "never"]));
            rules.insert(
                "type-enum".to_owned(),
                json!([
                    2,
                    "always",
                    [
                        "build", "ci", "docs", "feat", "fix", "perf", "refactor", "revert",
                        "style", "test"
                    ]
                ]),
            );
            rules.insert("header-max-length".to_owned(), json!([2, "always", 72]));
            Some(rules)
        }
        _ => None,
    }
}

/// One rule as it is set.
struct Set<'a> {
    name: &'a str,
    severity: Severity,
    never: bool,
    value: Json,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, String> {
    let mut made = Made::default();
    let config = if script::is_script(path) {
        let read = script::read(&read_text(files, path)?, path)?;
        let why = "it is no literal: nothing of the repository is run";
        made.left.extend(read.odd.into_iter().map(|odd| Left::new(odd, why)));
        read.value.as_object().cloned().unwrap_or_default()
    } else {
        let config = read_one(files, path)?;
        match config.get("commitlint") {
            Some(Json::Object(inner)) if path.ends_with("package.json") => inner.clone(),
            _ => config,
        }
    };
    let mut rules: Map<String, Json> = Map::new();
    for extended in config.get("extends").map(texts).unwrap_or_default() {
        match known(&extended) {
            Some(known) => rules.extend(known),
            None => made.left.push(
                Left::new(
                    format!("extends `{extended}`"),
                    "what it sets is known only to the package",
                )
                .instead("write the rules out, or extend `@commitlint/config-conventional`"),
            ),
        }
    }
    if let Some(Json::Object(own)) = config.get("rules") {
        rules.extend(own.clone());
    }
    others(&config, &mut made);
    let mut set = Vec::new();
    for (name, value) in &rules {
        match settled(name, value) {
            Ok(Some(one)) => set.push(one),
            Ok(None) => {}
            Err(why) => made.left.push(Left::new(name, why)),
        }
    }
    draft(&set, path, &mut made);
    Ok(made)
}

/// Keys beside `rules`.
fn others(config: &Map<String, Json>, made: &mut Made) {
    for (key, value) in config {
        let why = match key.as_str() {
            "extends" | "rules" | "$schema" | "helpUrl" | "prompt" | "formatter" => continue,
            "parserPreset" if value.to_string().contains("conventional") => continue,
            "defaultIgnores" if value == &json!(true) => continue,
            "ignores" if value == &json!([]) => continue,
            "parserPreset" => {
                "a parser is a program; messages are read by Conventional Commits 1.0"
            }
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
    let Some((_, way)) = RULES.iter().find(|(known, _)| *known == name) else {
        return Err("it is no rule of commitlint 20: a plugin may have it".to_owned());
    };
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
    if let Way::Left(why) = way {
        return Err((*why).to_owned());
    }
    let never = list.get(1).and_then(Json::as_str) == Some("never");
    Ok(Some(Set { name, severity, never, value: list.get(2).cloned().unwrap_or(Json::Null) }))
}

/// The rules that say together what a Conventional Commit is.
const TOGETHER: [&str; 4] = ["type-empty", "subject-empty", "type-enum", "scope-enum"];

fn draft(set: &[Set<'_>], file: &str, made: &mut Made) {
    let find = |name: &str| set.iter().find(|one| one.name == name);
    let demands = |name: &str| find(name).is_some_and(|one| one.never);
    let conventional = demands("type-empty") && demands("subject-empty");
    if conventional {
        made.drafts.push(together(set, file));
    }
    let types =
        find("type-enum").filter(|one| !one.never).map(|one| texts(&one.value)).unwrap_or_default();
    for one in set {
        let within = TOGETHER.contains(&one.name) && !one.never
            || ["type-empty", "subject-empty"].contains(&one.name);
        let of_types = one.name == "type-case"
            && !one.never
            && one.value == "lower-case"
            && !types.is_empty()
            && types.iter().all(|kind| kind.to_lowercase() == *kind);
        // A page on the lines below the first judges body and footers alike.
        let said = one.name == "footer-max-line-length"
            && find("body-max-line-length").is_some_and(|body| body.value == one.value);
        if said {
            continue;
        }
        if conventional && (within && !(one.name == "scope-enum" && one.never) || of_types) {
            continue;
        }
        match page(one, file) {
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

/// The page of a check on commits.
fn base(names: &str, file: &str, severity: Severity, demand: String, commit: Json) -> Draft {
    let mut commit = commit;
    // Bots are judged as everybody is; merges and reverts are not.
    commit["skip"] = json!(["merges", "reverts"]);
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
    let scopes = find("scope-enum").map(|one| texts(&one.value)).unwrap_or_default();
    if !scopes.is_empty() {
        demand =
            format!("{demand}, the scope, where there is one, one of {}", listed(&scopes, "and"));
        conventional["scopes"] = json!(scopes);
    }
    let of = set.iter().filter(|one| TOGETHER.contains(&one.name));
    let severity = of.map(|one| one.severity).max().unwrap_or(Severity::Error);
    let kind = types.first().map_or("feat", String::as_str);
    let mut draft = base(
        "type-enum, type-empty, subject-empty, scope-enum",
        file,
        severity,
        format!("{demand}."),
        json!({"conventional": conventional}),
    )
    .note("what begins with `fixup!`, `squash!` or `amend!`, or is a version alone, is judged too")
    .example(false, "commit/message", "Update\n")
    .example(true, "commit/message", format!("{kind}: read empty files\n"));
    if !types.is_empty() {
        draft = draft.example(false, "commit/message", "unknown: read empty files\n");
    }
    if let Some(scope) = scopes.first() {
        draft = draft
            .example(false, "commit/message", format!("{kind}(unknown): read empty files\n"))
            .example(true, "commit/message", format!("{kind}({scope}): read empty files\n"));
    }
    draft.name = "conventional".to_owned();
    draft.sources = vec!["https://www.conventionalcommits.org/en/v1.0.0/".to_owned()];
    draft
}

fn page(one: &Set<'_>, file: &str) -> Result<Draft, String> {
    let number = || {
        one.value
            .as_u64()
            .filter(|number| *number <= 1000)
            .ok_or_else(|| "it has no number up to 1000".to_owned())
    };
    let never = |why: &str| if one.never { Err(why.to_owned()) } else { Ok(()) };
    let of = |demand: String, commit: Json| base(one.name, file, one.severity, demand, commit);
    let long = |length: u64| "words ".repeat(usize::try_from(length).unwrap_or(100) / 6 + 2);
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
        "body-empty" => {
            if !one.never {
                return Err(NO_BODY.to_owned());
            }
            of(
                "A commit message MUST have a body.".to_owned(),
                json!({"body": {"required-for": ["*"]}}),
            )
            .example(false, message, "fix: short\n")
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
        _ => {
            let line = lines::first_line(one)?;
            of(line.demand, json!({"subject": {"matches": line.matches}}))
                .example(false, message, format!("{}\n", line.bad))
                .example(true, message, format!("{}\n", line.good))
        }
    })
}
