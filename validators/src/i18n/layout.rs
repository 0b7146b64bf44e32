//! Recognises catalogues by their path: the format, the locale, and the group of catalogues with
//! the same texts in other locales.

use super::locale;
use super::model::Format;

/// What the path of a catalogue states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) format: Format,
    /// The locale; `None` for the catalogue of the default locale and for all locales.
    pub(super) locale: Option<String>,
    /// The path with `*` in place of the locale.
    pub(super) group: String,
}

/// Directories that contain catalogues, in lower case.
const DIRECTORIES: [&str; 18] = [
    "locales",
    "locale",
    "i18n",
    "lang",
    "langs",
    "language",
    "languages",
    "translations",
    "translation",
    "intl",
    "messages",
    "l10n",
    "localization",
    "localizations",
    "locals",
    "strings",
    "dictionaries",
    "translate",
];

/// Directories whose files are the input of tests, or the files of others.
const NOT_CATALOGUES: [&str; 14] = [
    "node_modules",
    "vendor",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test",
    "tests",
    "spec",
    "__tests__",
    "__mocks__",
    "dist",
    "tinymce",
    "e2e",
    "third_party",
];

/// Names of properties that have settings of programs; `application_it` can be those of integration tests.
const SETTINGS: [&str; 12] = [
    "application",
    "bootstrap",
    "build",
    "database",
    "gradle",
    "hibernate",
    "jdbc",
    "log4j",
    "log4j2",
    "logging",
    "persistence",
    "quartz",
];

/// The layout of the file at `path`; `None` if it is not a catalogue. For JSON and YAML, the content
/// must confirm it.
pub(super) fn layout(path: &str) -> Option<Layout> {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.')?;
    let format = match extension {
        "json" => Format::Json,
        "yml" | "yaml" => Format::Yaml,
        "arb" => Format::Arb,
        "po" => Format::Po,
        "pot" => Format::Pot,
        "ftl" => Format::Fluent,
        "properties" => Format::Properties,
        "xml" => Format::Android,
        "strings" => Format::Strings,
        "stringsdict" => Format::StringsDict,
        "xcstrings" => Format::XcStrings,
        "resx" => Format::Resx,
        "php" => Format::Php,
        "xlf" | "xliff" => Format::Xliff,
        _ => return None,
    };
    if dir.split('/').any(|part| NOT_CATALOGUES.contains(&part)) {
        return None;
    }
    let whole = |locale| Some(Layout { format, locale, group: path.to_owned() });
    match format {
        Format::Pot | Format::XcStrings => whole(None),
        Format::Po | Format::Fluent | Format::Xliff | Format::Arb => {
            by_file(dir, stem, extension, format)
                .or_else(|| by_directory(dir, name, format))
                .or_else(|| whole(None))
        }
        Format::Android => android(dir, name),
        Format::Strings | Format::StringsDict => apple(dir, name, format),
        Format::Properties => properties(dir, stem),
        Format::Resx => {
            Some(match stem.rsplit_once('.').map(|(base, tag)| (base, locale::parse(tag))) {
                Some((base, Some(locale))) => Layout {
                    format,
                    locale: Some(locale),
                    group: join(dir, &format!("{base}*.resx")),
                },
                _ => Layout { format, locale: None, group: join(dir, &format!("{stem}*.resx")) },
            })
        }
        Format::Php => {
            let parent = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
            let is_lang = parent == "lang" || parent.ends_with("/lang");
            by_directory(dir, name, format).filter(|_| is_lang)
        }
        Format::Json | Format::Yaml => {
            // Texts of browser extensions have a format of their own.
            let is_known =
                dir.split('/').any(|part| DIRECTORIES.contains(&&*part.to_ascii_lowercase()));
            if !is_known || dir.split('/').any(|part| part == "_locales") {
                return None;
            }
            by_file(dir, stem, extension, format).or_else(|| by_directory(dir, name, format))
        }
    }
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// The locale at the end of a file name: `fr.json`, `messages.fr_FR.xlf`, `app_pt_BR.arb`.
fn by_file(dir: &str, stem: &str, extension: &str, format: Format) -> Option<Layout> {
    let starts = stem.char_indices().filter(|(_, c)| matches!(c, '.' | '_' | '-'));
    let mut starts = std::iter::once(0).chain(starts.map(|(at, _)| at + 1));
    let (at, locale) = starts.find_map(|at| Some((at, locale::parse(&stem[at..])?)))?;
    // In `en-us.json`, the whole name is the locale; `ui-is.json` can be a word.
    if at > 0 && stem.as_bytes()[at - 1] == b'-' && locale.len() == 2 {
        return None;
    }
    let group = join(dir, &format!("{}*.{extension}", &stem[..at]));
    Some(Layout { format, locale: Some(locale), group })
}

/// The locale in a directory: `locales/fr/common.json`, `locale/de/LC_MESSAGES/django.po`.
fn by_directory(dir: &str, name: &str, format: Format) -> Option<Layout> {
    let parts: Vec<&str> = dir.split('/').collect();
    for (at, part) in parts.iter().enumerate().rev() {
        let Some(locale) = locale::parse(part) else { continue };
        let is_below =
            parts[..at].iter().any(|part| DIRECTORIES.contains(&&*part.to_ascii_lowercase()));
        if !is_below {
            return None;
        }
        let mut group = parts.clone();
        group[at] = "*";
        group.push(name);
        return Some(Layout { format, locale: Some(locale), group: group.join("/") });
    }
    None
}

/// The layout of Android: `res/values-fr/strings.xml`.
fn android(dir: &str, name: &str) -> Option<Layout> {
    let (parent, values) = dir.rsplit_once('/')?;
    let qualifier = values.strip_prefix("values")?;
    let is_resource =
        parent == "res" || parent.ends_with("/res") || parent.ends_with("composeResources");
    let is_texts = name.contains("string") || name.contains("plural") || name.contains("arrays");
    if !is_resource || !is_texts {
        return None;
    }
    let locale = match qualifier.strip_prefix('-') {
        None if qualifier.is_empty() => None,
        // The code of Indonesian before 1989, which Android uses.
        Some("in") => Some("id".to_owned()),
        // Other qualifiers, such as `values-night` and `values-v26`, are not locales.
        Some(tag) => Some(locale::parse(tag)?),
        None => return None,
    };
    Some(Layout { format: Format::Android, locale, group: format!("{parent}/values*/{name}") })
}

/// The layout of Apple: `fr.lproj/Localizable.strings`.
fn apple(dir: &str, name: &str, format: Format) -> Option<Layout> {
    let (parent, project) = dir.rsplit_once('/').unwrap_or(("", dir));
    let tag = project.strip_suffix(".lproj")?;
    let locale = if tag == "Base" { None } else { Some(locale::parse(tag)?) };
    Some(Layout { format, locale, group: join(parent, &format!("*.lproj/{name}")) })
}

/// `messages_fr.properties`; the file without a locale is that of the default locale.
fn properties(dir: &str, stem: &str) -> Option<Layout> {
    let (base, locale) = stem
        .match_indices('_')
        .find_map(|(at, _)| Some((&stem[..at], locale::parse(&stem[at + 1..])?)))
        .map_or((stem, None), |(base, locale)| (base, Some(locale)));
    // Settings of programs have the same format; without a locale, a known name is required.
    let is_bundle = ["messages", "dictionary", "strings", "bundle", "labels", "translation"]
        .iter()
        .any(|word| base.to_ascii_lowercase().contains(word));
    if locale.is_none() && !is_bundle {
        return None;
    }
    if SETTINGS.contains(&base) {
        return None;
    }
    let group = join(dir, &format!("{base}*.properties"));
    Some(Layout { format: Format::Properties, locale, group })
}

/// The layout of the bundle of the default locale, whose name alone does not show that it is one.
pub(super) fn default_bundle(path: &str) -> Option<Layout> {
    let group = format!("{}*.properties", path.strip_suffix(".properties")?);
    Some(Layout { format: Format::Properties, locale: None, group })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_states_format_locale_and_group() {
        let shown = |path: &str| {
            layout(path).map_or_else(String::new, |it| {
                format!("{:?} {} {}", it.format, it.locale.as_deref().unwrap_or("-"), it.group)
            })
        };
        for (path, expected) in [
            ("src/locales/fr.json", "Json fr src/locales/*.json"),
            ("public/locales/pt-BR/app.json", "Json pt-BR public/locales/*/app.json"),
            ("src/i18n/lang/fr/index.ts", ""),
            ("src/fr.json", ""),
            ("src/locales/package.json", ""),
            ("tests/fixtures/locales/fr.json", ""),
            ("_locales/fr/messages.json", ""),
            ("config/locales/views.fr.yml", "Yaml fr config/locales/views.*.yml"),
            ("lib/l10n/app_pt_BR.arb", "Arb pt-BR lib/l10n/app_*.arb"),
            ("po/de.po", "Po de po/*.po"),
            (
                "src/locale/de_DE/LC_MESSAGES/django.po",
                "Po de-DE src/locale/*/LC_MESSAGES/django.po",
            ),
            ("po/app.pot", "Pot - po/app.pot"),
            ("i18n/fr/app.ftl", "Fluent fr i18n/*/app.ftl"),
            (
                "app/src/main/res/values-pt-rBR/strings.xml",
                "Android pt-BR app/src/main/res/values*/strings.xml",
            ),
            (
                "app/src/main/res/values/strings.xml",
                "Android - app/src/main/res/values*/strings.xml",
            ),
            ("app/src/main/res/values-night/strings.xml", ""),
            (
                "app/src/main/res/values-in/strings.xml",
                "Android id app/src/main/res/values*/strings.xml",
            ),
            ("App/de.lproj/Main.strings", "Strings de App/*.lproj/Main.strings"),
            ("messages_zh_CN.properties", "Properties zh-CN messages*.properties"),
            ("application.properties", ""),
            ("application_it.properties", ""),
            ("Resources/Texts.fr.resx", "Resx fr Resources/Texts*.resx"),
            ("lang/fr/auth.php", "Php fr lang/*/auth.php"),
            ("src/fr/auth.php", ""),
            ("src/locale/messages.fr_FR.xlf", "Xliff fr-FR src/locale/messages.*.xlf"),
            ("Localizable.xcstrings", "XcStrings - Localizable.xcstrings"),
        ] {
            assert_eq!(shown(path), expected, "{path}");
        }
    }
}
