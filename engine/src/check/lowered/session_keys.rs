//! Keys with which a web application signs its sessions, if production uses another key.

use crate::rules::rule::Rule;
use crate::text::files::{Files, sibling, side_file};
use crate::text::purpose::is_production;
use crate::text::source::Source;
use aidd_lexicon::tables::purposes;

/// The settings with the key of a web application, by the id of the rule.
const SETTINGS: [(&str, &[&str]); 3] = [
    ("secrets/rails-secret-key-base", &["secret_key_base", "SECRET_KEY_BASE"]),
    ("secrets/secret-key-base", &["secret_key_base", "SECRET_KEY_BASE"]),
    ("secrets/django-secret-key", &["SECRET_KEY"]),
];

/// Files of settings that Phoenix reads only in production or when a release starts.
const RELEASE_SETTINGS: [&str; 3] = ["runtime.exs", "releases.exs", "prod.secret.exs"];

/// Maximum number of files of settings that are read.
const MAX_FILES: usize = 8;

/// Whether a finding is in a file that only starts the application for tests or development.
pub(super) fn is_of_tests(rule: &Rule, source: &Source) -> bool {
    let path = source.path().to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_word_ci = |part: &str| part.split(['.', '_', '-']).any(|word| word == "ci");
    purposes::SESSION_KEYS.contains(&rule.id)
        && (path.starts_with(".github/workflows/")
            || path.starts_with(".circleci/")
            || name == "makefile"
            || is_word_ci(name)
            // Symfony requires this file in the repository; production overrides its values.
            || name == ".env" && &*rule.id == "secrets/symfony-app-secret")
}

/// Whether a finding is in settings that other settings in the same directory replace in production:
/// `config/config.exs` next to `config/runtime.exs`, `settings/base.py` next to
/// `settings/production.py`.
pub(super) fn is_replaced(rule: &Rule, source: &Source, files: &dyn Files) -> bool {
    let Some((_, settings)) = SETTINGS.iter().find(|(id, _)| *id == &*rule.id) else {
        return false;
    };
    let path = source.path();
    if is_production(path) {
        return false;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    let mut others: Vec<String> = files.names(folder);
    others.extend(RELEASE_SETTINGS.map(str::to_owned));
    others.sort_unstable();
    others.dedup();
    let others = others.iter().filter(|other| {
        other.rsplit_once('.').is_some_and(|(_, end)| end == extension)
            && other.as_str() != name
            && (is_production(other) || RELEASE_SETTINGS.contains(&other.as_str()))
    });
    let mut texts =
        others.take(MAX_FILES).filter_map(|other| side_file(files, &sibling(path, other)));
    texts.any(|text| settings.iter().any(|setting| text.contains(setting)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::registry::Registry;
    use crate::text::files::Memory;

    #[test]
    fn keys_that_production_replaces_are_recognised() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let key = "secret_key_base: System.fetch_env!(\"SECRET_KEY_BASE\")";
        for (rule, path, other, text, expected) in [
            ("rails-secret-key-base", "config/config.exs", "config/runtime.exs", key, true),
            ("rails-secret-key-base", "config/config.exs", "config/prod.exs", key, true),
            (
                "rails-secret-key-base",
                "config/config.exs",
                "config/prod.exs",
                "import Config",
                false,
            ),
            ("rails-secret-key-base", "config/config.exs", "config/dev.exs", key, false),
            ("rails-secret-key-base", "config/prod.exs", "config/runtime.exs", key, false),
            ("django-secret-key", "a/base.py", "a/production.py", "SECRET_KEY = env('K')", true),
            ("django-secret-key", "a/base.py", "a/local.py", "SECRET_KEY = env('K')", false),
        ] {
            let files = Memory([(other.to_owned(), text.as_bytes().to_vec())].into());
            let rule = registry.get(&format!("secrets/{rule}")).expect("a rule");
            let found = is_replaced(rule, &Source::new(path, ""), &files);
            assert_eq!(found, expected, "{path} {other}");
        }
    }
}
