//! Keys that program code and templates use, compared with the catalogues of the project.

use super::calls::{Use, uses};
use super::groups::{self, Groups};
use super::layout::layout;
use super::libraries;
use super::locale;
use super::messages_in_code;
use super::model::Format;
use super::own_texts::is_of_laravel;
use super::routes;
use aidd_engine::check::family::FileContext;
use aidd_engine::forms::syntax::language_of;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::purpose::Purpose;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Keys that no catalogue defines.
pub(super) const RULE: &str = "i18n/undefined-key";
/// Texts that differ a little from those of the catalogues.
pub(super) const CHANGED: &str = "i18n/changed-message";

/// How many known keys a file must use for each unknown key, unless the unknown key is in a known
/// group.
const KNOWN_FACTOR: usize = 3;

/// How many keys there are at most for each key that is a text, if keys are texts.
const TEXTS_FACTOR: usize = 5;

/// How many characters a key differs from the one that was meant.
const MAX_DISTANCE: usize = 2;

/// The conventions of a language for the use of texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Convention {
    /// `t('key')`, `$t('key')` and `i18nKey="key"` of i18next, next-intl and vue-i18n.
    JavaScript,
    /// `t('key')` and `t('.key')` of Rails.
    Rails,
    /// `__('file.key')`, `trans('file.key')` and `@lang('file.key')` of Laravel.
    Laravel,
}

/// Whether the file is a template or a program in a language without a grammar.
pub(super) fn is_template(path: &str) -> bool {
    [".vue", ".svelte", ".erb", ".haml", ".slim"].iter().any(|extension| path.ends_with(extension))
        || messages_in_code::is_supported(path) && language_of(path).is_none()
}

fn convention(path: &str) -> Option<Convention> {
    let extension = path.rsplit('.').next()?;
    match extension {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "vue" | "svelte" => Some(Convention::JavaScript),
        "rb" | "erb" | "haml" | "slim" => Some(Convention::Rails),
        "php" => Some(Convention::Laravel),
        _ => None,
    }
}

/// Words, one of which a file contains that uses the library of a convention.
fn marks(convention: Convention) -> &'static [&'static str] {
    match convention {
        Convention::JavaScript => &[
            "seTranslation",
            "i18n",
            "seI18n",
            "next-intl",
            "$t(",
            "i18nKey",
            "getTranslation",
            "formatMessage",
            "FormattedMessage",
        ],
        Convention::Rails => &["t('", "t(\"", "t ('", "t '", "t \""],
        Convention::Laravel => &["__(", "trans(", "@lang(", "trans_choice("],
    }
}

/// The keys of all catalogues, with each suffix that starts at a level, and the groups of keys.
#[derive(Default)]
pub(super) struct Known {
    keys: HashSet<String>,
    /// The keys as their catalogues define them.
    full: BTreeSet<String>,
    /// Paths of objects that contain keys.
    groups: HashSet<String>,
    /// The names of the files of Laravel.
    files: HashSet<String>,
    /// How many keys contain a space.
    texts: usize,
}

impl Known {
    fn add(&mut self, key: &str) {
        let base = super::compare::plural_suffix(key).map_or(key, |(base, _)| base);
        self.full.insert(base.to_owned());
        self.texts += usize::from(key.contains(' '));
        for key in [key, base] {
            self.keys.insert(key.to_owned());
            for (at, _) in key.match_indices('.') {
                self.keys.insert(key[at + 1..].to_owned());
                self.add_group(&key[..at]);
            }
        }
    }

    fn add_group(&mut self, group: &str) {
        if self.groups.insert(group.to_owned()) {
            for (at, _) in group.match_indices('.') {
                self.groups.insert(group[at + 1..].to_owned());
            }
        }
    }

    /// Whether many keys are texts, which are shown if no catalogue has them.
    fn has_texts(&self) -> bool {
        self.texts * TEXTS_FACTOR > self.full.len()
    }

    /// Whether the key, an object at its path, or the key with a context is defined.
    fn has(&self, key: &str) -> bool {
        self.keys.contains(key) || self.groups.contains(key)
    }
}

/// The keys of the source catalogues of the formats that a convention uses, or of all catalogues.
fn known(convention: Convention, files: &dyn Files, groups: &Groups, all: bool) -> Arc<Known> {
    let name = match convention {
        Convention::JavaScript => "JavaScript",
        Convention::Rails => "Rails",
        Convention::Laravel => "Laravel",
    };
    let used = || {
        groups.values().filter_map(|group| {
            let format = layout(&group.members.first()?.1)?.format;
            let is_used = match convention {
                Convention::JavaScript => matches!(format, Format::Json | Format::Yaml),
                Convention::Rails => format == Format::Yaml,
                Convention::Laravel => format == Format::Php,
            };
            is_used.then_some((group, format))
        })
    };
    let compute = || {
        let mut known = Known::default();
        for (group, format) in used() {
            let source = group.source(files).filter(|_| !all).map(|path| vec![path]);
            let paths = source
                .unwrap_or_else(|| group.members.iter().map(|(_, path)| path.clone()).collect());
            for path in paths {
                let catalogue = groups::catalogue(files, &path);
                let name = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
                // The name of the file is the namespace, unless it is the locale.
                let is_php = format == Format::Php;
                let stem = name.map(|(stem, _)| stem).filter(|stem| {
                    is_php || format == Format::Json && locale::parse(stem).is_none()
                });
                let Some(catalogue) = &*catalogue else { continue };
                for key in &catalogue.empty_keys {
                    known.add(key);
                }
                for entry in &catalogue.entries {
                    if let Some(stem) = stem {
                        known.add(&format!("{stem}.{}", entry.key));
                    }
                    if !is_php {
                        known.add(&entry.key);
                    }
                }
                let is_whole = is_php && catalogue.complete;
                known.files.extend(stem.filter(|_| is_whole).map(str::to_owned));
            }
        }
        known
    };
    let Some(cache) = files.run_cache() else { return Arc::new(compute()) };
    let known = cache.get_or_compute(&format!("i18n keys {name} {all}"), || {
        // In an editor, the catalogues seldom change between two checks of a file.
        let state = if cache.outlives_changes() {
            groups::state(files, used().map(|(group, _)| group))
        } else {
            String::new()
        };
        cache.get_or_replace(("i18n keys", name, all), state, compute)
    });
    Arc::clone(&known)
}

pub(super) fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let (path, text) = (source.path(), source.text());
    let has = |mark: &str| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    let is_gettext = messages_in_code::is_supported(path) && (has("gettext") || has("_("));
    if is_gettext && !is_test(path) && context.files.listing().is_some() && report.begin(CHANGED) {
        messages_in_code::check(context.files, report);
    }
    let Some(convention) = convention(path) else { return };
    let has_marks = marks(convention).iter().any(|mark| has(mark));
    let is_skipped = || {
        let purpose = Purpose::of_file(path, context.files);
        // Generators of Rails copy their templates into other projects.
        let is_copied =
            convention == Convention::Rails && path.split('/').any(|part| part == "templates");
        is_copied || matches!(purpose, Purpose::Vendored | Purpose::Archived)
    };
    if !has_marks
        || is_test(path)
        || is_skipped()
        || context.files.listing().is_none()
        || !report.begin(RULE)
    {
        return;
    }
    let groups = groups::groups(context.files);
    if groups.is_empty() {
        return;
    }
    let mut uses = uses(convention, text);
    let is_javascript = convention == Convention::JavaScript;
    if is_javascript {
        uses.extend(libraries::ids(text).into_iter().map(|(key, span)| Use { key, span }));
    }
    let mut namespaces = if is_javascript && libraries::is_next_intl(text) {
        libraries::namespaces(text).unwrap_or_default()
    } else {
        Vec::new()
    };
    let mut seen = HashSet::new();
    namespaces.retain(|namespace| seen.insert(*namespace));
    if uses.is_empty() {
        return;
    }
    let known_in = |all: bool| known(convention, context.files, &groups, all);
    let known = known_in(false);
    if known.keys.is_empty() {
        return;
    }
    let in_namespace = |namespace: &str, key: &str| match namespace {
        "" => key.to_owned(),
        _ => format!("{namespace}.{key}"),
    };
    let resolve = |used: &Use<'_>| {
        let is_defined = |key: String| {
            let is_known = known.has(&key) || is_of_library(convention, &key);
            is_known
                && (namespaces.is_empty()
                    || namespaces.iter().any(|it| known.has(&in_namespace(it, &key))))
        };
        resolved(convention, path, text, used).is_none_or(is_defined)
            || without_action(convention, path, used).is_some_and(|key| known.has(&key))
    };
    let (defined, undefined): (Vec<&Use<'_>>, Vec<&Use<'_>>) =
        uses.iter().partition(|used| resolve(used));
    for used in undefined.iter().copied() {
        let Some(mut key) = resolved(convention, path, text, used) else { continue };
        if let [namespace] = &*namespaces {
            key = in_namespace(namespace, &key);
        }
        // Packages generate catalogues in JSON from those of Laravel.
        if is_javascript && self::known(Convention::Laravel, context.files, &groups, true).has(&key)
        {
            continue;
        }
        let parent = key.rsplit_once('.').map(|(parent, _)| parent);
        let is_in_group = parent.is_some_and(|parent| known.groups.contains(parent));
        let is_known_file = convention == Convention::Laravel
            && key.split('.').next().is_some_and(|file| known.files.contains(file));
        // Other libraries have functions with the same name.
        let is_certain = match convention {
            Convention::Laravel => is_known_file,
            // Keys that start with a dot are used only by Rails.
            Convention::Rails if used.key.starts_with('.') => is_in_group,
            _ => is_in_group && defined.len() >= undefined.len(),
        };
        let is_likely = convention == Convention::JavaScript
            && parent.is_none()
            && !known.has_texts()
            // `PEM` is shown as it is.
            && key.contains(|c: char| c.is_lowercase())
            && defined.len() >= KNOWN_FACTOR * undefined.len();
        if (is_certain || is_likely)
            && !routes::is_unreachable(context.files, path, text, used.span)
        {
            let similar = || known.full.iter().map(String::as_str);
            let name = key.rsplit('.').next().map_or(0, str::len);
            let max = MAX_DISTANCE.min(name / 3);
            let is_near = |near: &&str| strsim::osa_distance(near, &key) <= max;
            let near = nearest(&key, similar()).filter(is_near);
            let help = match near {
                Some(near) => format!("Did you mean `{near}`?"),
                None => "Correct the key, or add it to the catalogue of the source".to_owned(),
            };
            let all = known_in(true);
            let is_elsewhere = match &*namespaces {
                [] | [_] => all.has(&key),
                several => several.iter().any(|it| all.has(&in_namespace(it, &key))),
            };
            let of_namespaces = match &*namespaces {
                [] | [_] => String::new(),
                several => {
                    let names: Vec<String> = several.iter().map(|it| format!("`{it}`")).collect();
                    format!(" in the namespaces {}", names.join(", "))
                }
            };
            let message = if is_elsewhere {
                format!("only catalogues of other locales define the key `{key}`{of_namespaces}")
            } else {
                format!("no catalogue defines the key `{key}`{of_namespaces}")
            };
            let finding = report.at(used.span, message);
            finding.help(help);
            if let Some(text) = near.and_then(|near| corrected(used.key, &key, near)) {
                let edit = Edit::replace(used.span, text.as_str());
                finding.fix_unsafe(format!("Replace with `{text}`"), vec![edit]);
            }
        }
    }
}

/// The key that replaces the one in the code: `near` without the parts that the code does not contain.
fn corrected(used: &str, key: &str, near: &str) -> Option<String> {
    let relative = used.rsplit(':').next().unwrap_or(used).trim_start_matches('.');
    let known = key.strip_suffix(relative)?;
    let start = used.strip_suffix(relative)?;
    Some(format!("{start}{}", near.strip_prefix(known)?))
}

/// Whether the key is defined by the framework or by a common library.
fn is_of_library(convention: Convention, key: &str) -> bool {
    match convention {
        Convention::Rails => is_of_rails(key),
        Convention::Laravel => is_of_laravel(key),
        Convention::JavaScript => false,
    }
}

/// Whether Rails or a common library of Ruby uses the key.
pub(super) fn is_of_rails(key: &str) -> bool {
    const ROOTS: [&str; 14] = [
        "activemodel",
        "activerecord",
        "attributes",
        "date",
        "datetime",
        "devise",
        "doorkeeper",
        "errors",
        "helpers",
        "number",
        "simple_form",
        "support",
        "time",
        "will_paginate",
    ];
    let root = key.split('.').next().unwrap_or_default();
    ROOTS.contains(&root)
}

fn is_test(path: &str) -> bool {
    let parts = || path.split('/');
    parts().any(|part| {
        matches!(part, "test" | "tests" | "spec" | "__tests__" | "e2e" | "cypress" | "features")
    }) || path.contains(".test.")
        || path.contains(".spec.")
        || path.contains(".stories.")
}

/// The full key; `None` if it cannot be known.
fn resolved(convention: Convention, path: &str, text: &str, used: &Use<'_>) -> Option<String> {
    let key = used.key;
    match convention {
        Convention::JavaScript => {
            let key = key.rsplit_once(':').map_or(key, |(_, key)| key);
            Some(key.to_owned())
        }
        Convention::Laravel => Some(key.to_owned()),
        Convention::Rails => {
            let Some(relative) = key.strip_prefix('.') else { return Some(key.to_owned()) };
            // Keys that start with a dot are relative to the view or the action.
            if let Some((_, controller)) = path.split_once("app/controllers/") {
                let controller = controller.strip_suffix("_controller.rb")?;
                let action = action(&text[..used.span.start as usize])?;
                return Some(format!("{}.{action}.{relative}", controller.replace('/', ".")));
            }
            let view = path.split_once("app/views/")?.1;
            // In the block of a layout, keys are relative to the layout.
            let has_layout = |line: &str| line.contains("render") && line.contains("layout");
            if text[..used.span.start as usize].lines().any(has_layout) {
                return None;
            }
            let mut parts: Vec<&str> = view.split('/').collect();
            let name = parts.pop()?.split('.').next()?;
            let name = name.strip_prefix('_').unwrap_or(name);
            parts.push(name);
            parts.push(relative);
            Some(parts.join("."))
        }
    }
}

/// The key without the action, with which the controllers of Rails also look up a relative key.
fn without_action(convention: Convention, path: &str, used: &Use<'_>) -> Option<String> {
    let relative = used.key.strip_prefix('.').filter(|_| convention == Convention::Rails)?;
    let (_, controller) = path.split_once("app/controllers/")?;
    let controller = controller.strip_suffix("_controller.rb")?;
    Some(format!("{}.{relative}", controller.replace('/', ".")))
}

/// The name of the action of a controller in which `before` ends. Private methods are used by several
/// actions.
fn action(before: &str) -> Option<&str> {
    let is_private = before.lines().any(|line| matches!(line.trim(), "private" | "protected"));
    let (_, name) = before.rsplit_once("\n  def ")?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    (!is_private && end > 0).then(|| &name[..end])
}
