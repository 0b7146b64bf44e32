//! The catalogues of a project, grouped by the texts that they translate.

use super::layout::{Layout, layout};
use super::locale;
use super::model::Catalogue;
use super::read;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::{Decoded, Source};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum size of a catalogue that is read to check another, in bytes.
const MAX_SIZE: u64 = 8 << 20;

/// How many times as large as the English catalogue another one must be to be the source.
const SOURCE_FACTOR: u64 = 2;

/// The catalogues with the same texts: their locales and paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) members: Vec<(Option<String>, String)>,
}

/// The groups of a project, by [`Layout::group`].
pub(super) type Groups = HashMap<String, Group>;

/// The value for `key`, computed once per run.
fn cached<T: Send + Sync + 'static>(
    files: &dyn Files,
    key: &str,
    compute: impl Fn() -> T,
) -> Arc<T> {
    match files.run_cache() {
        Some(cache) => cache.get_or_compute(key, compute),
        None => Arc::new(compute()),
    }
}

/// The groups of the project; empty if its files were not listed.
pub(super) fn groups(files: &dyn Files) -> Arc<Groups> {
    cached(files, "i18n groups", || {
        let mut groups = Groups::new();
        let paths = files.listing().map(Listing::files).unwrap_or_default();
        for path in paths {
            let Some(Layout { locale, group, .. }) = layout(path) else { continue };
            groups.entry(group).or_default().members.push((locale, path.clone()));
        }
        groups
    })
}

/// The catalogue at `path`; `None` if it cannot be read or is not a catalogue.
pub(super) fn catalogue(files: &dyn Files, path: &str) -> Arc<Option<Catalogue>> {
    cached(files, &format!("i18n catalogue {path}"), || {
        let bytes = files.read(path, MAX_SIZE + 1).ok()?;
        if bytes.len() as u64 > MAX_SIZE {
            return None;
        }
        let source = Source::decode(path, bytes);
        read::read(&layout(path)?, source.text()).filter(|_| source.decoded() != Decoded::Lossy)
    })
}

impl Group {
    /// The path of the catalogue with the source texts: that of the default locale or the English
    /// one, unless another one is much larger. `None` if no catalogue is certainly the source.
    pub(super) fn source(&self, files: &dyn Files) -> Option<String> {
        let (_, first) = self.members.first()?;
        let source = || self.find_source(files).map(str::to_owned);
        Option::clone(&cached(files, &format!("i18n source of {first}"), source))
    }

    fn find_source(&self, files: &dyn Files) -> Option<&str> {
        let rank = |locale: &Option<String>| match locale.as_deref() {
            None => Some(0),
            Some("en") => Some(1),
            Some("en-US") => Some(2),
            Some("en-GB") => Some(3),
            Some(locale) if locale::language(locale) == "en" => Some(4),
            Some(_) => None,
        };
        if let Some(default) = self.rails_default(files) {
            let is_default =
                |(locale, _): &&(Option<String>, String)| locale.as_deref() == Some(&*default);
            return self.members.iter().find(is_default).map(|(_, path)| path.as_str());
        }
        let ranked = self.members.iter().filter_map(|(locale, path)| Some((rank(locale)?, path)));
        let (_, source) = ranked.min()?;
        let size = |path: &str| files.size(path).unwrap_or_default();
        // The text on standard input has no size.
        let own = files.size(source).unwrap_or(u64::MAX / SOURCE_FACTOR);
        let is_larger = |(_, path): &&(Option<String>, String)| size(path) > SOURCE_FACTOR * own;
        self.members.iter().find(is_larger).is_none().then_some(source.as_str())
    }

    /// The default locale of a Rails application, if its configuration sets it.
    fn rails_default(&self, files: &dyn Files) -> Option<String> {
        let (_, path) = self.members.first()?;
        let (root, _) = path.split_once("config/locales/")?;
        let settings = side_file(files, &format!("{root}config/application.rb"))?;
        let mut lines = settings.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        lines.find_map(|line| {
            let value = line.split_once("i18n.default_locale")?.1.trim_start().strip_prefix('=')?;
            let tag = value.trim_start().trim_start_matches([':', '"', '\'']);
            let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
            locale::parse(&tag[..end.unwrap_or(tag.len())])
        })
    }

    /// Whether the texts of `locale` fall back to those of another locale of the group, such as
    /// `fr-CA` to `fr`.
    pub(super) fn has_fallback(&self, locale: &str) -> bool {
        let language = locale::language(locale);
        language != locale
            && self.members.iter().any(|(other, _)| {
                other.as_deref().is_some_and(|other| {
                    other == language
                        || other != locale
                            && other.len() < locale.len()
                            && locale.starts_with(other)
                })
            })
    }
}

/// Maximum number of files of a locale that are read to find a definition.
const MAX_SIBLINGS: usize = 50;

/// The other catalogues of the same format and locale in the same directory, and the source.
pub(super) fn siblings(files: &dyn Files, own: &Layout, path: &str) -> Vec<Arc<Option<Catalogue>>> {
    let groups = groups(files);
    let mut paths: Vec<String> = Vec::new();
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    for group in groups.values() {
        for (locale, other) in &group.members {
            let is_near =
                other.strip_prefix(dir).is_some_and(|rest| dir.is_empty() || rest.starts_with('/'));
            let is_same = *locale == own.locale
                && is_near
                && layout(other).is_some_and(|it| it.format == own.format);
            if is_same && other != path {
                paths.push(other.clone());
            }
        }
    }
    if let Some(source) = groups.get(&own.group).and_then(|group| group.source(files)) {
        paths.push(source);
    }
    paths.sort_unstable();
    paths.dedup();
    paths.iter().take(MAX_SIBLINGS).map(|path| catalogue(files, path)).collect()
}
