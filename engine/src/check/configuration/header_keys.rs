//! Errors of the headers of rule pages and packs: unknown keys, and where they belong.

use crate::rules::rule::Report;
use crate::text::finding::Edit;
use crate::text::nearest::nearest;
use crate::text::source::Span;
use aidd_page::{Form, PageError};

/// Reports an error of a page header, with the key that was probably meant.
pub(super) fn report_malformed(error: &PageError, report: &mut Report<'_>) {
    let near = error
        .did_you_mean
        .as_ref()
        .and_then(|(word, known)| nearest(word, known.iter().map(String::as_str)));
    let known = error.did_you_mean.as_ref().map(|(_, known)| known.join(", "));
    let span = Span::from(error.span.clone());
    let misplacement =
        error.did_you_mean.as_ref().and_then(|(word, known)| misplaced_key_hint(word, known));
    if let Some(hint) = misplacement {
        report.at(span, format!("{}; {hint}", error.message));
        return;
    }
    let near = near.or_else(|| {
        let (word, known) = error.did_you_mean.as_ref()?;
        let (_, near) = SYNONYMS.iter().find(|(synonym, _)| synonym == word)?;
        known.iter().map(String::as_str).find(|known| known == near)
    });
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let finding = report.at(span, format!("{}{hint}", error.message));
    if let Some(near) = near {
        finding.fix_unsafe(format!("Replace with `{near}`"), vec![Edit::replace(span, near)]);
    } else if let Some(known) = known {
        let is_top_level = known.contains("severity") && known.contains("enforced-by");
        let forms = || Form::ALL.map(Form::key).join(", ");
        finding.help(match is_top_level {
            true => format!(
                "at the top level: {known}; under `check`: {}, and one of {}",
                CHECK_KEYS.join(", "),
                forms()
            ),
            false => format!("expected one of {known}"),
        });
    }
}

/// The keys directly under `check` of a rule page, besides that of the form.
const CHECK_KEYS: [&str; 5] = ["files", "exclude", "when", "params", "fix"];

/// Keys of other tools, and the key of a rule page with the same meaning.
const SYNONYMS: [(&str, &str); 18] = [
    ("category", "tags"),
    ("description", "summary"),
    ("disabled", "enabled"),
    ("excludes", "exclude"),
    ("glob", "files"),
    ("globs", "files"),
    ("hint", "help"),
    ("ignore", "exclude"),
    ("ignores", "exclude"),
    ("include", "files"),
    ("includes", "files"),
    ("level", "severity"),
    ("note", "help"),
    ("path", "files"),
    ("paths", "files"),
    ("pattern", "regex"),
    ("patterns", "regex"),
    ("title", "message"),
];

/// The hint for a key of a rule page that is in the wrong place.
fn misplaced_key_hint(word: &str, known: &[String]) -> Option<String> {
    const TOP_LEVEL: [&str; 7] =
        ["severity", "message", "help", "summary", "tags", "aliases", "enabled"];
    let is_known = |key: &str| known.iter().any(|known| known == key);
    let is_top_level = is_known("severity") && is_known("check");
    let synonym = SYNONYMS.iter().find(|(synonym, _)| *synonym == word).map(|(_, key)| *key);
    let is_key_of_check =
        CHECK_KEYS.contains(&word) || Form::ALL.iter().any(|form| form.key() == word);
    if is_top_level && is_key_of_check {
        return Some("it belongs under `check`".to_owned());
    }
    if let Some(key) = synonym.filter(|key| is_top_level && CHECK_KEYS.contains(key)) {
        return Some(format!("did you mean `{key}`, which belongs under `check`?"));
    }
    let is_in_check = is_known("params") && is_known("when");
    let is_in_form =
        !is_top_level && !is_in_check && !is_known("branch") && CHECK_KEYS.contains(&word);
    if is_in_check && TOP_LEVEL.contains(&word) {
        return Some("it belongs at the top level of the header, not under `check`".to_owned());
    }
    is_in_form.then(|| "it belongs directly under `check`, next to the form".to_owned())
}
