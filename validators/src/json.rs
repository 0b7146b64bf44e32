//! JSON files that no other family reads: their syntax.

use super::{agents, i18n, openapi, tokens};
use aidd_engine::check::family::{Family, FileContext};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::conflict::first_conflict;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::purpose::Purpose;
use aidd_engine::text::source::Span;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;

/// The rule on the syntax of JSON files.
pub(super) const FAMILY: Family = Family {
    name: "json",
    rules: || vec![RULE],
    claim: |path, text| (has_extension(path) && is_unread(path, text)).then_some(KIND),
    may_check: has_extension,
    check: |_, context, report| check(context, report),
    ..Family::EMPTY
};

const RULE: &str = "repository/invalid-json";
const KIND: Kind = Kind("json");

/// Text at which a template engine inserts a value. A line with such text is no JSON yet.
const PLACEHOLDERS: [&str; 6] = ["{{", "{%", "<%", "<#", "${", "#{"];
/// The first characters of other placeholders, outside strings.
const MARKERS: [char; 4] = ['@', '_', '%', '$'];

/// Words of paths to files that are invalid on purpose.
const INVALID: [&str; 7] =
    ["bad", "broken", "corrupt", "corrupted", "invalid", "malformed", "truncated"];

fn has_extension(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("json"))
}

/// Whether nothing else reports the syntax errors of the file.
fn is_unread(path: &str, text: &str) -> bool {
    !path.starts_with(".aidd/")
        && !tokens::has_token_name(path)
        && (agents::FAMILY.claim)(path, text).is_none()
        && (i18n::FAMILY.claim)(path, text) != Some(i18n::CATALOGUE)
        && (openapi::FAMILY.claim)(path, text) != Some(openapi::OPENAPI)
}

fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let text = source.text().strip_prefix('\u{FEFF}').unwrap_or(source.text());
    let base = source.text().len() - text.len();
    // Other texts are references to files in another store, or parts of JSON.
    if !text.trim_start().starts_with(['{', '[']) || !report.begin(RULE) {
        return;
    }
    // Most files are strict JSON, which is faster to read.
    if serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return;
    }
    // The extensions of JSONC and JSON5 are accepted: many tools read them from `.json` files.
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Err(error) = parsed else { return };
    let is_other_format = matches!(
        error.kind(),
        // Lines of JSON, and a limit of the parser.
        ParseErrorKind::MultipleRootJsonValues | ParseErrorKind::NestingDepthExceeded
    );
    let span = Span::new(error.range().start, error.range().end);
    let purpose = || Purpose::of_file(source.path(), context.files);
    if is_other_format
        || is_invalid_on_purpose(source.path())
        || is_in_template(text, span)
        || first_conflict(text).is_some()
        || !matches!(purpose(), Purpose::Product | Purpose::Development)
    {
        return;
    }
    report
        .at(span.shift(base), format!("invalid JSON: {}", error.kind()))
        .help("Complete or correct the file; programs cannot read any part of it");
}

/// Whether there is an error because of a placeholder of a template.
fn is_in_template(text: &str, error: Span) -> bool {
    let (before, after) = text.split_at(text.floor_char_boundary(error.start as usize));
    let start = before.rfind('\n').unwrap_or(0);
    let line_end = after.find('\n').unwrap_or(after.len());
    let line = &text[start..before.len() + line_end];
    after.starts_with(MARKERS) || PLACEHOLDERS.iter().any(|placeholder| line.contains(placeholder))
}

fn is_invalid_on_purpose(path: &str) -> bool {
    let mut words = path.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| INVALID.iter().any(|invalid| word.eq_ignore_ascii_case(invalid)))
}

#[cfg(test)]
mod tests {
    use aidd_engine::check::{Engine, Selection};
    use aidd_engine::project::config::Config;
    use aidd_engine::rules::registry::Registry;
    use aidd_engine::text::files::Memory;
    use aidd_engine::text::source::Source;

    fn findings(path: &str, text: &str) -> Vec<String> {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let selection = Selection { only: vec![super::RULE.to_owned()], ..Selection::default() };
        let engine = Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection)
            .expect("valid");
        let checked = engine.check(&Source::new(path, text), &Memory::default());
        checked.findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn the_configuration_has_findings_of_its_own() {
        assert_eq!(findings(".aidd/config.json", "{\"rules\": [}"), [""; 0]);
    }

    #[test]
    fn truncated_and_malformed_files_are_reported() {
        for text in
            ["{\n  \"a\": \"b\",\n  \"c\": [\"d\"", "{\"a\": \"b", "[1, 2,", "{\"schema\" 1}}"]
        {
            assert_eq!(findings("data/locales.json", text).len(), 1, "{text}");
        }
        assert_eq!(findings("package.json", "\u{FEFF}{")[0], "invalid JSON: Unterminated object");
    }

    #[test]
    fn other_formats_and_templates_are_not_reported() {
        for text in [
            "",
            "{\"a\": 1}",
            "// a\n{'a': 1,}",
            "{\"a\": 1}\n{\"a\": 2}\n",
            "version https://git-lfs.github.com/spec/v1\n",
            "../a.json",
            "{\"a\": {{ value }}}",
            "{\n  \"a\": ${VALUE}\n}",
            "{\n  \"a\": @VALUE@\n}",
            "{\n  \"a\": __VALUE__\n}",
            "[\n{% for a in b %}\n{},\n{% endfor %}\n]",
        ] {
            assert_eq!(findings("data/a.json", text), [""; 0], "{text}");
        }
        for path in ["tests/fixtures/a.json", "src/invalid-config.json", "a.jsonl", "openapi.json"]
        {
            assert_eq!(findings(path, "{\"openapi\": \"3.0.0\""), [""; 0], "{path}");
        }
    }

    #[test]
    fn deep_texts_are_not_reported() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(findings("a.json", &text), [""; 0]);
        assert!(findings("a.json", &"[".repeat(500_000)).len() <= 1);
    }
}
