//! Kinds that read the text of a file, as pages of the form `text`.

use super::super::draft::Draft;
use super::super::sample;
use super::Rule;
use serde_json::json;

/// A text that most expressions do not match.
const PLAIN: &str = "Nothing of the kind.\n";
/// Lines that alint looks at by default, from the top or the end.
const LINES: u64 = 20;

type Drafts = Result<Vec<Draft>, String>;

/// The drafts of a rule on contents; `None` for other kinds.
pub(super) fn drafts(rule: &Rule<'_>) -> Option<Drafts> {
    Some(match rule.kind {
        "file_content_forbidden" => pattern(rule).map(|regex| vec![forbidden(rule, &regex, None)]),
        "file_content_matches"
        | "file_header"
        | "file_footer"
        | "file_shebang"
        | "file_starts_with"
        | "file_ends_with" => required(rule),
        "for_each_match" => each_match(rule),
        "import_gate" => import(rule),
        kind if kind.starts_with("dotenv_")
            || kind.starts_with("properties_")
            || kind.starts_with("ini_") =>
        {
            settings(rule)
        }
        _ => return characters(rule).map(|made| made.map(|draft| vec![draft])),
    })
}

/// `^` and `$` of alint are the ends of a file, ours those of a line.
fn pattern(rule: &Rule<'_>) -> Result<String, String> {
    Ok(whole(rule.text("pattern")?))
}

fn whole(pattern: &str) -> String {
    let anchors = pattern.contains(['^', '$']);
    if anchors { format!("(?-m){pattern}") } else { pattern.to_owned() }
}

fn forbidden(rule: &Rule<'_>, regex: &str, bad: Option<&str>) -> Draft {
    let demand = format!("Files at {} NEVER hold what matches `{regex}`.", rule.said());
    let bad = bad.map(str::to_owned).or_else(|| Some(format!("{}\n", sample::of_regex(regex)?)));
    let draft = rule.draft(demand).check(rule.on_files("text", json!({"regex": regex})));
    let path = rule.sample("example");
    let draft = match bad {
        Some(bad) => draft.example(false, &path, bad),
        None => draft,
    };
    draft.example(true, &path, PLAIN)
}

fn required(rule: &Rule<'_>) -> Drafts {
    let lines = rule.options.get("lines").and_then(serde_json::Value::as_u64).unwrap_or(LINES);
    let (place, key, regex) = match rule.kind {
        "file_header" => {
            (format!("in their first {lines} lines"), Some(("first", lines)), pattern(rule)?)
        }
        "file_footer" => {
            let given = rule.text("pattern")?;
            // The start of what alint looks at is none that ours knows.
            let regex = if given.contains('^') { given.to_owned() } else { whole(given) };
            (format!("in their last {lines} lines"), Some(("last", lines)), regex)
        }
        "file_shebang" => {
            let given =
                rule.options.get("shebang").and_then(serde_json::Value::as_str).unwrap_or("^#!");
            ("in their first line".to_owned(), Some(("first", 1)), given.to_owned())
        }
        "file_starts_with" => (
            "at their very start".to_owned(),
            None,
            format!(r"\A{}", regex::escape(rule.text("prefix")?)),
        ),
        "file_ends_with" => (
            "at their very end".to_owned(),
            None,
            format!(r"{}\z", regex::escape(rule.text("suffix")?)),
        ),
        _ => (String::new(), None, pattern(rule)?),
    };
    let mut text = json!({"require": true, "regex": regex});
    if let Some((key, lines)) = key {
        text[key] = json!(lines);
    }
    let place = if place.is_empty() { place } else { format!(" {place}") };
    let demand = format!("Files at {} MUST hold what matches `{regex}`{place}.", rule.said());
    let path = rule.sample("example");
    let mut draft =
        rule.draft(demand).check(rule.on_files("text", text)).example(false, &path, PLAIN);
    if let Some(good) = sample::of_regex(&regex) {
        let good = if good.ends_with('\n') { good } else { format!("{good}\n") };
        draft = draft.example(true, &path, good);
    }
    Ok(vec![draft])
}

/// Lines that are selected match further expressions.
fn each_match(rule: &Rule<'_>) -> Drafts {
    let select = rule.text("select")?;
    let require = rule.options.get("require").cloned().unwrap_or_default();
    if require.get("forbid").is_some() || require.get("equal").is_some() {
        return Err("`forbid` and `equal` of a selected line: an expression cannot say both that a line is selected and what it must not hold".to_owned());
    }
    let path = rule.sample("example");
    let wanted = require.get("matches").map(super::texts).unwrap_or_default();
    let inner = select.trim_start_matches('^').trim_end_matches('$');
    let head = if select.starts_with('^') { "^" } else { "^.*?" };
    let tail = if select.ends_with('$') { "$" } else { ".*$" };
    let regex = format!("{head}(?:{inner}){tail}");
    let one = |wanted: &String| {
        let demand =
            format!("A line that matches `{select}` in {} MUST match `{wanted}`.", rule.said());
        let draft = rule
            .draft(demand)
            .check(rule.on_files("text", json!({"regex": regex, "unless": [wanted]})));
        match sample::of_regex(select) {
            Some(bad) => {
                draft.example(false, &path, format!("{bad}\n")).example(true, &path, PLAIN)
            }
            None => draft,
        }
    };
    if wanted.is_empty() {
        Err("it requires nothing".to_owned())
    } else {
        Ok(wanted.iter().map(one).collect())
    }
}

/// What stands before and after the target of an import, by language.
const IMPORTS: [(&str, &str, &str); 8] = [
    ("go", r#"^\s*(?:import\s+)?(?:_\s+|[A-Za-z][\w.]*\s+)?""#, r#"""#),
    ("python", r"^\s*(?:from|import)\s+", ""),
    ("rust", r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+", ""),
    ("js", r#"(?:from\s*|require\s*\(\s*|import\s*\(\s*|import\s+)['"]"#, r#"['"]"#),
    ("scala", r"^\s*import\s+", ""),
    ("java", r"^\s*import\s+(?:static\s+)?", ""),
    ("dart", r#"^\s*(?:import|export)\s+['"]"#, r#"['"]"#),
    ("nix", r"\bimport\s+", ""),
];

/// The target of an import must not match.
fn import(rule: &Rule<'_>) -> Drafts {
    let forbid = rule.text("forbid")?;
    let regex = match rule.options.get("import_pattern").and_then(serde_json::Value::as_str) {
        Some(pattern) => {
            let (before, any, after) = around_target(pattern).ok_or_else(|| format!("the target in its expression for the line of an import, `{pattern}`, is no run of characters"))?;
            format!("{before}(?P<at>{}){after}", targets(forbid, &any)?)
        }
        None => {
            let language = rule.text("language")?;
            let (_, before, after) = *IMPORTS
                .iter()
                .find(|(name, ..)| *name == language)
                .ok_or_else(|| format!("`{language}` has no preset"))?;
            let any = if after.is_empty() { r"[\w.:/]" } else { r#"[^'"\n]"# };
            format!("{before}(?P<at>{}){after}", targets(forbid, any)?)
        }
    };
    let demand = format!("Files at {} NEVER import what matches `{forbid}`.", rule.said());
    let mut draft = rule.draft(demand);
    let mut check = rule.on_files("text", json!({"regex": regex}));
    let allowed = rule.options.get("allow").map(super::texts).unwrap_or_default();
    if !allowed.is_empty() {
        let mut exclude = check["exclude"].as_array().cloned().unwrap_or_default();
        exclude.extend(allowed.iter().map(|glob| json!(super::anchored(glob))));
        check["exclude"] = json!(exclude);
    }
    draft = draft.check(check);
    let path = rule.sample("example");
    if let Some(bad) = sample::of_regex(&regex) {
        draft = draft.example(false, &path, format!("{bad}\n"));
    }
    Ok(vec![draft.example(true, &path, PLAIN)])
}

/// Expressions for all of a target, of characters like `any`, in which `forbid` finds something.
fn targets(forbid: &str, any: &str) -> Result<String, String> {
    let mut all = Vec::new();
    for part in top_level(forbid) {
        let (head, inner) = match part.strip_prefix('^') {
            Some(rest) => (String::new(), rest),
            None => (format!("{any}*?"), part.as_str()),
        };
        if let Some(inner) = inner.strip_suffix('$') {
            all.push(format!("{head}{inner}"));
            continue;
        }
        // The end may be one of the alternatives that it ends with.
        let last =
            last_group(inner).map(|at| (&inner[..at], top_level(&inner[at + 1..inner.len() - 1])));
        match last {
            Some((before, parts)) if parts.iter().any(|part| part == "$") => {
                let others: Vec<String> = parts.into_iter().filter(|part| part != "$").collect();
                all.push(format!("{head}{before}"));
                all.push(format!("{head}{before}(?:{}){any}*", others.join("|")));
            }
            _ => all.push(format!("{head}{inner}{any}*")),
        }
    }
    let odd = all.iter().any(|part| part.replace(r"\$", "").contains('$'));
    if odd {
        return Err(format!("`{forbid}` asks for the end of a target in its midst"));
    }
    Ok(format!("(?:{})", all.join("|")))
}

/// Where the group begins that an expression ends with.
fn last_group(expression: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut last = None;
    let mut escaped = false;
    for (at, c) in expression.char_indices() {
        match c {
            '(' if !escaped => open.push(at),
            ')' if !escaped => last = open.pop().map(|start| (start, at)),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    let (start, end) = last?;
    (end + 1 == expression.len() && !expression[start..].starts_with("(?")).then_some(start)
}

/// What stands before and behind the target in the expression for the line of an import, and of
/// what characters that is: `(…)` with one class in it.
fn around_target(pattern: &str) -> Option<(&str, String, &str)> {
    let start = pattern.find('(')?;
    let end = start + pattern[start..].find(')')?;
    let class = pattern[start + 1..end].strip_suffix(['+', '*'])?;
    let is_class = class.starts_with('[') && class.ends_with(']') || class == r"\S";
    let after = &pattern[end + 1..];
    (is_class && !after.contains('(')).then(|| (&pattern[..start], class.to_owned(), after))
}

/// The alternatives of an expression that stand in no parentheses.
fn top_level(expression: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut escaped) = (0_i32, false);
    for c in expression.chars() {
        match c {
            '|' if depth == 0 && !escaped => {
                parts.push(String::new());
                continue;
            }
            '(' | '[' if !escaped => depth += 1,
            ')' | ']' if !escaped => depth -= 1,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

/// Values in files of lines `key = value`, by name.
fn settings(rule: &Rule<'_>) -> Drafts {
    let (format, rest) = rule.kind.split_once('_').unwrap_or_default();
    let path = rule.text("path")?;
    let names = names(path).ok_or_else(|| {
        format!("`{path}` is no plain way to a value: this format is read line by line")
    })?;
    let key = match (format, &names[..]) {
        ("ini", [section, key]) => format!(
            r"^\[{}\][ \t]*(?:\r?\n(?:[ \t]*[^\[\r\n][^\r\n]*)?)*?\r?\n[ \t]*{}[ \t]*[=:]",
            regex::escape(section),
            regex::escape(key)
        ),
        ("ini", _) => return Err(format!("`{path}` is not of a section and a key")),
        ("dotenv", [key]) => format!(r"^[ \t]*(?:export[ \t]+)?{}[ \t]*=", regex::escape(key)),
        ("dotenv", _) => return Err(format!("`{path}` is not of one key")),
        _ => format!(r"^[ \t]*{}[ \t]*[=:]", regex::escape(&names.join("."))),
    };
    let shown = names.join(".");
    let file = rule.sample("example");
    let bad = |value: &str| match (format, &names[..]) {
        ("ini", [section, key]) => format!("[{section}]\n{key} = {value}\n"),
        _ => format!("{shown}={value}\n"),
    };
    if rest == "path_absent" {
        let demand = format!("`{shown}` MUST NOT be set in {}.", rule.said());
        let draft = rule.draft(demand).check(rule.on_files("text", json!({"regex": key})));
        return Ok(vec![draft.example(false, &file, bad("x")).example(true, &file, "other=1\n")]);
    }
    let (unless, good, said) = match rest {
        "path_equals" => {
            let value = rule.options.get("equals").cloned().unwrap_or_default();
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (format!("^{}$", regex::escape(&value)), Some(value.clone()), format!("be `{value}`"))
        }
        _ => {
            let pattern = rule.text("matches")?;
            (pattern.to_owned(), sample::of_regex(pattern), format!("match `{pattern}`"))
        }
    };
    let regex = format!(r#"{key}[ \t]*["']?(?P<at>[^"'\r\n]*?)["']?[ \t]*$"#);
    let demand = format!("`{shown}` in {} MUST {said}.", rule.said());
    let mut value = rule
        .draft(demand)
        .check(rule.on_files("text", json!({"regex": regex, "unless": [unless]})))
        .example(false, &file, bad("something-else"));
    let mut present = rule
        .draft(format!("`{shown}` MUST be set in {}.", rule.said()))
        .check(rule.on_files("text", json!({"require": true, "regex": key})))
        .example(false, &file, "other=1\n");
    if let Some(good) = good.filter(|good| !good.contains('\n')) {
        value = value.example(true, &file, bad(&good));
        present = present.example(true, &file, bad(&good));
    }
    present.name = format!("{}-present", present.name);
    Ok(if rule.is("if_present") { vec![value] } else { vec![value, present] })
}

/// The names of a query that is a plain way from the root.
fn names(path: &str) -> Option<Vec<String>> {
    let mut rest = path.strip_prefix('$')?;
    let mut names = Vec::new();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("['").or_else(|| rest.strip_prefix("[\"")) {
            let end = quoted.find(['\'', '"'])?;
            names.push(quoted[..end].to_owned());
            rest = quoted[end + 1..].strip_prefix(']')?;
        } else {
            let plain = rest.strip_prefix('.')?;
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            let name = &plain[..end];
            if name.is_empty() || name.contains(['*', '?', '@']) {
                return None;
            }
            names.push(name.to_owned());
            rest = &plain[end..];
        }
    }
    (!names.is_empty()).then_some(names)
}

/// Kinds on single characters and lines; `None` for other kinds.
fn characters(rule: &Rule<'_>) -> Option<Result<Draft, String>> {
    let number = |key: &str| {
        rule.number(key).and_then(|number| {
            if number <= 1000 { Ok(number) } else { Err(format!("`{key}` is more than 1000")) }
        })
    };
    let page = |demand: String, regex: String, bad: &str, good: &str| {
        let path = rule.sample("example");
        let demand = demand.replace("FILES", &format!("Files at {}", rule.said()));
        rule.draft(demand)
            .check(rule.on_files("text", json!({"regex": regex})))
            .example(false, &path, bad)
            .example(true, &path, good)
    };
    Some(match rule.kind {
        "file_is_ascii" => {
            let allowed = rule.options.get("allow").map(super::texts).unwrap_or_default();
            let allowed: String = allowed.iter().flat_map(|text| text.chars()).map(|c| format!(r"\u{{{:X}}}", u32::from(c))).collect();
            Ok(page("FILES MUST hold ASCII alone.".to_owned(), format!(r"[^\x00-\x7F{allowed}]+"), "caf\u{e9} \u{4e00}\n", PLAIN))
        }
        "no_bidi_controls" => Ok(page("FILES NEVER hold marks that turn the direction of text: what is read is not what runs.".to_owned(), r"[\u{061C}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]".to_owned(), "a\u{202e}b\n", PLAIN)),
        "no_zero_width_chars" => Ok(page("FILES NEVER hold characters of no width.".to_owned(), r"[\u{200B}-\u{200D}\u{2060}\u{180E}]|[^\n\r]\u{FEFF}".to_owned(), "a\u{200b}b\n", PLAIN)),
        "no_bom" => Ok(page("FILES NEVER begin with a byte order mark.".to_owned(), r"\A\u{FEFF}".to_owned(), "\u{feff}a\n", PLAIN)),
        "no_merge_conflict_markers" => Ok(page("FILES NEVER hold the marks of a merge that was not finished.".to_owned(), r"^(?:<{7}|>{7}|\|{7}) ".to_owned(), "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", PLAIN)),
        "no_trailing_whitespace" => {
            let mut draft = page("Lines of files NEVER end in spaces or tabs.".to_owned(), r"[ \t]+$".to_owned(), "a  \n", PLAIN);
            if let Some(check) = &mut draft.check {
                check["fix"] = json!({"replace": ""});
            }
            Ok(draft)
        }
        "final_newline" => Ok(page("FILES MUST end with a line break.".to_owned(), r"(?-m)(?P<at>[^\n])\z".to_owned(), PLAIN, PLAIN)),
        "line_endings" => Ok(match rule.options.get("target").and_then(|target| target.as_str()) {
            Some("crlf") => page("Lines of files MUST end in CRLF.".to_owned(), r"(?:\A|[^\r])(?P<at>\n)".to_owned(), "a\n", ""),
            _ => page("Lines of files MUST end in LF.".to_owned(), r"\r\n?".to_owned(), "a\r\n", PLAIN),
        }),
        "line_max_width" => number("max_width").map(|max| {
            let long = format!("{}\n", "x".repeat(usize::try_from(max).unwrap_or(0) + 1));
            page(format!("Lines of files MUST have at most {max} characters."), format!("^.{{{max}}}(?P<at>.+)$"), &long, PLAIN)
        }),
        "max_consecutive_blank_lines" => number("max").map(|max| {
            let many = format!("a\n{}b\n", "\n".repeat(usize::try_from(max).unwrap_or(0) + 1));
            page(format!("There MUST be no more than {max} blank lines in a row."), format!(r"(?:^[ \t]*\r?\n){{{},}}", max + 1), &many, PLAIN)
        }),
        "indent_style" => Ok(match (rule.options.get("style").and_then(|style| style.as_str()), rule.options.get("width").and_then(serde_json::Value::as_u64)) {
            (Some("tabs"), _) => page("Lines of files MUST be indented by tabs.".to_owned(), "^ +".to_owned(), "a\n  b\n", "a\n\tb\n"),
            (_, Some(width)) if (2..=16).contains(&width) => page(
                format!("Lines of files MUST be indented by spaces, {width} a level."),
                format!(r"^(?: *\t|(?: {{{width}}})* {{1,{}}}(?:[^ \t\r\n]))", width - 1),
                "a\n b\n",
                &format!("a\n{}b\n", " ".repeat(usize::try_from(width).unwrap_or(2))),
            ),
            _ => page("Lines of files MUST be indented by spaces.".to_owned(), r"^ *(?P<at>\t)".to_owned(), "a\n\tb\n", "a\n  b\n"),
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_and_alternatives_are_cut() {
        assert_eq!(
            names("$.a['b c'].d"),
            Some(vec!["a".to_owned(), "b c".to_owned(), "d".to_owned()])
        );
        assert_eq!(names("$.a[*]"), None);
        assert_eq!(names("$"), None);
        assert_eq!(top_level(r"^a\||(b|c)|[|]d"), [r"^a\|", "(b|c)", "[|]d"]);
    }
}
