//! The steps of a placeholder in the tables: they format the value of an option.

use super::{anchor_glob, format_list, sample, string_list};
use serde_json::{Map, Value as Json};

/// Maximum number to which a numeric option is expanded in an example.
const MAX_REPEAT: u64 = 2000;

/// alint's placeholders for the parts of a path, and the corresponding captures of a page.
const PATH_PLACEHOLDERS: [(&str, &str); 5] = [
    ("{dir}", "<dir>"),
    ("{stem}", "<stem>"),
    ("{ext}", "<ext>"),
    ("{basename}", "<name>"),
    ("{path}", "<path>"),
];

/// Applies a step to a value; `None` when the step does not support the value. `other` returns the
/// value of the option that the argument names.
///
/// # Errors
/// Fails with the reason why the value cannot be imported.
pub(super) fn apply_step(
    step: &str,
    argument: &str,
    value: &Json,
    other: &dyn Fn() -> String,
) -> Result<Option<Json>, String> {
    match step {
        "template" => {
            return value
                .as_str()
                .map(convert_template)
                .transpose()
                .map(|text| text.map(Json::from));
        }
        "sample" => {
            let text = value.as_str().and_then(sample::from_regex);
            return text
                .map(|text| Some(text.into()))
                .ok_or_else(|| format!("no string matches `{value}`"));
        }
        _ => {}
    }
    Ok(number_step(step, argument, value)
        .or_else(|| list_step(step, argument, value))
        .or_else(|| text_step(step, argument, value, other)))
}

/// Applies a step that converts a number.
fn number_step(step: &str, argument: &str, value: &Json) -> Option<Json> {
    let number = value.as_u64()?;
    let times = usize::try_from(number.min(MAX_REPEAT)).ok()?;
    Some(match step {
        "add" => number.saturating_add_signed(argument.parse().ok()?).into(),
        "most" => number.min(argument.parse().ok()?).into(),
        "repeat" => argument.repeat(times).into(),
        "words" => "words ".repeat(times / 6 + 2).into(),
        "numbered" => (0..times).map(|at| format!("a{at}")).collect(),
        _ => return None,
    })
}

/// Applies a step that converts a string, or a list of strings as a whole.
fn list_step(step: &str, argument: &str, value: &Json) -> Option<Json> {
    let all = string_list(value);
    Some(match step {
        "and" | "or" => format_list(&all, step).into(),
        "list" => all.into(),
        "either" => all.join(" | ").into(),
        "commas" => all.join(", ").into(),
        "alternatives" => all.join("|").into(),
        "escaped" => {
            all.iter().map(|text| regex::escape(text)).collect::<Vec<_>>().join("|").into()
        }
        "first" => all.into_iter().next()?.into(),
        "init" => all.split_last().map_or(&[][..], |(_, init)| init).into(),
        "and-also" => all.into_iter().chain([argument.to_owned()]).collect(),
        "but" => all.into_iter().filter(|text| text != argument).collect(),
        "named" => all.into_iter().filter(|text| !["*", "+"].contains(&text.as_str())).collect(),
        "blocks" => all.iter().map(|text| format!("{text}\n\n")).collect::<String>().into(),
        "codes" => {
            let codes = all.iter().flat_map(|text| text.chars());
            codes.map(|c| format!(r"\u{{{:X}}}", u32::from(c))).collect::<String>().into()
        }
        "corrected" => {
            let pair = |word: &String| (word.to_lowercase(), word.as_str().into());
            all.iter().map(pair).collect::<Map<_, _>>().into()
        }
        // The result is a path that the first glob matches, with the argument in place of wildcards.
        "path" => sample::from_glob(all.first().map_or("", String::as_str), argument).into(),
        // The result is a path in a subdirectory if possible, because the root can be excluded.
        "deep" => {
            let glob = all.first()?;
            let nested = glob.strip_prefix("**/").map(|name| format!("part/{name}"));
            let path = sample::from_glob(nested.as_ref().unwrap_or(glob), "example");
            path.trim_end_matches('/').into()
        }
        _ => return None,
    })
}

/// Applies a step that converts a string, or each string of a list.
fn text_step(step: &str, argument: &str, value: &Json, other: &dyn Fn() -> String) -> Option<Json> {
    if let (Json::Array(items), false) = (value, step == "json" || step == "plain") {
        return items.iter().map(|item| text_step(step, argument, item, other)).collect();
    }
    let text = match value {
        Json::String(text) => text.as_str(),
        _ if step == "json" || step == "plain" => return Some(value.to_string().into()),
        _ => return None,
    };
    Some(
        match step {
            "text" | "plain" => text.to_owned(),
            "json" => value.to_string(),
            "lower" => text.to_lowercase(),
            "plain-name" => text.to_lowercase().replace(['-', '_'], ""),
            "head" => text.chars().next()?.to_string(),
            "only" => Some(text).filter(|text| text.chars().count() == 1)?.to_owned(),
            "one-line" => Some(text).filter(|text| !text.contains('\n'))?.to_owned(),
            "else" if text.is_empty() => argument.to_owned(),
            "else" => text.to_owned(),
            "line" => format!("{}\n", text.strip_suffix('\n').unwrap_or(text)),
            "trailer" => text.trim_end().trim_end_matches(':').to_owned(),
            "runs" => if text == "+" { "*" } else { text }.to_owned(),
            "endings" => heading_endings(text),
            // In other tools, `^` and `$` match at the ends of a file; in aidd, at the ends of a line.
            "whole" if text.contains(['^', '$']) => format!("(?-m){text}"),
            "whole" => text.to_owned(),
            "folder" => text.trim_end_matches('/').to_owned(),
            "anchored" => anchor_glob(text),
            "anywhere" if text.contains('/') => text.to_owned(),
            "anywhere" => format!("**/{text}"),
            "elsewhere" => text.replacen("**/", "other/", 1),
            "each" => argument.replace('*', text),
            "paths" => sample::from_glob(text, argument),
            "at" => sample::from_glob(&other(), text),
            "below" => format!("{}/{text}", other()),
            "siblings" => expand_template(text, &other()),
            _ => return None,
        }
        .into(),
    )
}

/// Converts an alint template for paths to a path with captures.
///
/// # Errors
/// Fails when the template has a placeholder without a corresponding capture.
pub(super) fn convert_template(text: &str) -> Result<String, String> {
    let fill = |text: String, (theirs, ours): &(&str, &str)| text.replace(theirs, ours);
    let filled = PATH_PLACEHOLDERS.iter().fold(text.to_owned(), fill);
    if filled.contains("{parent_name}") || filled.contains("{{") {
        return Err(format!("`{text}` has a placeholder that paths of a page do not support"));
    }
    Ok(filled)
}

/// Expands an alint template to the path for `subject`.
pub(super) fn expand_template(template: &str, subject: &str) -> String {
    let (dir, name) = subject.rsplit_once('/').unwrap_or(("", subject));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let values = [dir, stem, extension, name, subject];
    let fill = |path: String, ((placeholder, _), value): (&(&str, &str), &str)| {
        path.replace(placeholder, value)
    };
    let path = PATH_PLACEHOLDERS.iter().zip(values).fold(template.to_owned(), fill);
    sample::from_glob(path.trim_start_matches('/'), "example")
}

/// An expression for headings that end with one of the characters `marks`; `&copy;` and `:tada:` do
/// not count.
fn heading_endings(marks: &str) -> String {
    let plain: String = marks.chars().filter(|c| !";:".contains(*c)).collect();
    let mut all = Vec::new();
    if !plain.is_empty() {
        all.push(format!("[{}]", regex::escape(&plain)));
    }
    for (mark, ending) in [(';', r"(?:^|[^&\w#])[\w#]*;"), (':', r"(?:^|[^:\w+-])[\w+-]*:")] {
        all.extend(marks.contains(mark).then(|| ending.to_owned()));
    }
    all.join("|")
}
