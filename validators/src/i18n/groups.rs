//! The catalogues of a project, grouped by the texts that they translate.

use super::layout::{Layout, default_bundle, layout};
use super::locale;
use super::model::Catalogue;
use super::read;
use crate::cached::cached;
use aidd_engine::text::files::{Files, contents_state, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::{Decoded, Source};
use std::collections::{HashMap, HashSet};
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

/// The groups of the project; empty if its files were not listed.
pub(super) fn groups(files: &dyn Files) -> Arc<Groups> {
    let Some(listing) = files.listing() else { return Arc::default() };
    let Some(cache) = files.run_cache() else { return Arc::new(groups_of(listing)) };
    let groups = cache.get_or_compute("i18n groups", || {
        let id = listing.id().to_string();
        cache.get_or_replace("i18n groups", id, || groups_of(listing))
    });
    Arc::clone(&groups)
}

fn groups_of(listing: &Listing) -> Groups {
    let mut groups = Groups::new();
    for path in listing.files() {
        let Some(Layout { locale, group, .. }) = layout(path) else { continue };
        groups.entry(group).or_default().members.push((locale, path.clone()));
    }
    for (group, Group { members }) in &mut groups {
        // Other bundles show that the file without a locale is one.
        let default = group.strip_suffix("*.properties").map(|base| format!("{base}.properties"));
        let is_alone = members.len() < 2 || members.iter().any(|(locale, _)| locale.is_none());
        let is_listed = |path: &String| listing.has_file(path);
        members.extend(default.filter(|_| !is_alone).filter(is_listed).map(|path| (None, path)));
    }
    groups
}

/// The catalogue at `path`; `None` if it cannot be read or is not a catalogue.
pub(super) fn catalogue(files: &dyn Files, path: &str) -> Arc<Option<Catalogue>> {
    let catalogue = cached(files, &format!("i18n catalogue {path}"), || {
        let bytes = files.read(path, MAX_SIZE + 1).ok().filter(|it| it.len() as u64 <= MAX_SIZE);
        let Some(bytes) = bytes else { return Arc::default() };
        let source = Source::decode(path, bytes);
        let read = || {
            let layout = match layout(path) {
                Some(layout) if super::is_catalogue(path, source.text()) => layout,
                Some(_) => return None,
                None => default_bundle(path)?,
            };
            read::read(&layout, source.text()).filter(|_| source.decoded() != Decoded::Lossy)
        };
        // In an editor, another file changed.
        match files.run_cache() {
            Some(cache) => cache.get_or_parse(("i18n catalogue", path), source.text(), read),
            None => Arc::new(read()),
        }
    });
    Arc::clone(&catalogue)
}

/// A text that changes when a catalogue of `groups` or the choice of a source changes: the stamps of the
/// files, or hashes of the files that were written recently or are open in an editor.
pub(super) fn state<'g>(files: &dyn Files, groups: impl Iterator<Item = &'g Group>) -> String {
    let mut states = Vec::new();
    for group in groups {
        let mut state = format!("{:?}\n", group.rails_default(files));
        state += &contents_state(files, group.members.iter().map(|(_, path)| &**path));
        states.push(state);
    }
    states.sort_unstable();
    states.concat()
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
        let count =
            |path: &str| Some(Option::as_ref(&catalogue(files, path))?.entries.len() as u64);
        // The letters of other scripts have more bytes.
        let is_larger = |(_, path): &&(Option<String>, String)| {
            size(path) > SOURCE_FACTOR * own
                && count(path)
                    .zip(count(source))
                    .is_none_or(|(other, own)| other > SOURCE_FACTOR * own)
        };
        self.members.iter().find(is_larger).is_none().then_some(source.as_str())
    }

    /// The default locale of a Rails application, if its configuration sets it.
    fn rails_default(&self, files: &dyn Files) -> Option<String> {
        let (_, path) = self.members.first()?;
        let value = rails_setting(files, path, "i18n.default_locale")?;
        let tag = value.trim_start_matches([':', '"', '\'']);
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
        locale::parse(&tag[..end.unwrap_or(tag.len())])
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

/// The value of a setting of the Rails application that the catalogue at `path` belongs to.
fn rails_setting(files: &dyn Files, path: &str, name: &str) -> Option<String> {
    let (root, _) = path.split_once("config/locales/")?;
    let settings = side_file(files, &format!("{root}config/application.rb"))?;
    let mut lines = settings.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.find_map(|line| {
        let value = line.split_once(name)?.1.trim_start().strip_prefix('=')?;
        Some(value.trim().to_owned())
    })
}

/// Whether a Rails application does not offer the locale of the catalogue at `path`. Packages bring
/// catalogues of more locales.
pub(super) fn is_not_offered(files: &dyn Files, path: &str, locale: &str) -> bool {
    let Some(value) = rails_setting(files, path, "i18n.available_locales") else { return false };
    let items = value.trim_start_matches("%i").trim_start_matches("%w");
    let Some((items, _)) = items.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    let tags = items.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
    let offered: Vec<Option<String>> =
        tags.filter(|tag| !tag.is_empty()).map(locale::parse).collect();
    // A name that is not a locale is that of a constant.
    !offered.is_empty() && offered.iter().all(|it| it.as_deref().is_some_and(|it| it != locale))
}

/// The names of all Fluent messages and terms of a locale and of the locales that it falls back to;
/// `None` if some could not be read.
pub(super) fn fluent_names(
    files: &dyn Files,
    locale: Option<&str>,
) -> Arc<Option<HashSet<String>>> {
    let key = format!("i18n fluent {}", locale.unwrap_or_default());
    let is_near = |other: Option<&str>| {
        other.is_none_or(|other| Some(other) == locale || locale::language(other) == "en")
    };
    cached(files, &key, || {
        let mut names = HashSet::new();
        for (locale, path) in groups(files).values().flat_map(|group| &group.members) {
            if !path.ends_with(".ftl") || !is_near(locale.as_deref()) {
                continue;
            }
            let catalogue = catalogue(files, path);
            // The text on standard input has no file; the caller adds its names.
            if catalogue.is_none() && files.size(path).is_err() {
                continue;
            }
            let catalogue = Option::as_ref(&catalogue).filter(|it| it.complete)?;
            for entry in &catalogue.entries {
                // A message can consist only of attributes.
                names.extend(entry.key.split_once('.').map(|(owner, _)| owner.to_owned()));
                names.insert(entry.key.clone());
            }
        }
        Some(names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;

    #[test]
    fn the_state_changes_with_a_catalogue() {
        let path = "locales/en.json".to_owned();
        let group = Group { members: vec![(Some("en".to_owned()), path.clone())] };
        let state = |text: Option<&str>| {
            let file = text.map(|text| (path.clone(), text.as_bytes().to_vec()));
            state(&Memory(file.into_iter().collect()), std::iter::once(&group))
        };
        assert_eq!(state(Some("{}")), state(Some("{}")));
        assert_ne!(state(Some("{}")), state(Some("{\"a\": \"A\"}")));
        assert_ne!(state(Some("{}")), state(None));
    }
}
