//! A parsed OpenAPI document: its values, the objects among them, and its references.

use super::breaking::Change;
use super::bundle::{Parts, Text};
use super::pointer::{self, Target};
use super::specification::{Grammar, Version};
use super::structure;
use aidd_engine::parse::values::{Datum, Format, Values};
use aidd_engine::text::files::Files;
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::{Source, Span};
use aidd_engine::text::time_limit::step;
use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};

/// Maximum nesting of a document. Deeper documents are not checked.
pub(super) const MAX_DEPTH: usize = 200;

/// Maximum number of entries of a mapping without an index of its keys.
const MAX_SCANNED_ENTRIES: usize = 12;

/// Maximum length of a chain of references.
const MAX_HOPS: usize = 50;

/// Maximum number of searches for a word that is similar to an unknown word, per document.
const MAX_SUGGESTIONS: usize = 200;
/// Maximum number of known words that an unknown word is compared with.
const MAX_CANDIDATES: usize = 500;
/// Maximum length in bytes of a text that is quoted in a message that can occur several times.
const MAX_QUOTED: usize = 100;

/// The fields that identify a document; a document has at least one of these fields.
const PARTS: [&str; 5] = ["info", "paths", "components", "webhooks", "definitions"];

/// The HTTP methods that are fields of a path item.
pub(super) const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// For each large mapping, its entries by key.
pub(super) type Entries = HashMap<usize, HashMap<String, usize>>;

/// An OpenAPI document.
pub(super) struct Document<'a> {
    /// The text of the document. If the document consists of several files, their texts are joined.
    pub(super) source: Text<'a>,
    /// The files of the document.
    pub(super) parts: Parts,
    /// The values of other files that the walk visited.
    pub(super) visited: HashSet<usize>,
    /// The files of the project, for references to other files.
    pub(super) files: &'a dyn Files,
    pub(super) version: Version,
    pub(super) grammar: &'static Grammar,
    pub(super) values: Values,
    pub(super) root: usize,
    entries: Entries,
    /// For each value, its type if it is an object of the specification or a reference to one.
    pub(super) types: Vec<Option<&'static str>>,
    /// The objects by type, in source order, without references.
    pub(super) objects: HashMap<&'static str, Vec<usize>>,
    /// Violations of the specification.
    pub(super) faults: Vec<Fault>,
    /// The references at positions where the specification allows a reference.
    pub(super) references: Vec<Reference>,
    /// The targets of all references, by the object that contains `$ref`.
    pub(super) targets: HashMap<usize, Target>,
    /// The number of searches so far for a word that is similar to an unknown word.
    suggestions: Cell<usize>,
    /// The changes since the base, once they are computed.
    pub(super) changes: OnceCell<Vec<Change>>,
    /// Whether schemas have their own base URIs, so that references cannot be resolved by position.
    pub(super) has_base_uris: bool,
}

/// A violation of the specification.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fault {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// The span and the replacement of a fix that can change the meaning.
    pub(super) fix_unsafe: Option<(Span, String)>,
    /// The offset and the text of an insertion that preserves the meaning.
    pub(super) insertion: Option<(u32, String)>,
    /// The span of a deletion that preserves the meaning.
    pub(super) removal: Option<Span>,
    /// Whether a part of the document is missing that another program can add: `info`, `paths`.
    pub(super) is_incomplete: bool,
}

impl Fault {
    pub(super) fn new(span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            span,
            message,
            help: None,
            fix_unsafe: None,
            insertion: None,
            removal: None,
            is_incomplete: false,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A `$ref`, and the type of the object to which it must refer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    /// The value of `$ref`.
    pub(super) at: usize,
    /// The object that contains `$ref`.
    pub(super) object: usize,
    /// The required type; `None` if the specification does not define it.
    pub(super) target: Option<&'static str>,
}

/// An operation, and its position in the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation<'d> {
    /// The path, or the name of the webhook.
    pub(super) path: &'d str,
    /// The value of the path in `paths`.
    pub(super) entry: usize,
    pub(super) method: &'d str,
    pub(super) at: usize,
}

/// Why a text is not checked as an OpenAPI document.
pub(super) enum Refusal {
    /// The text cannot be parsed, or is nested too deeply: span and message.
    Syntax(Span, String),
    /// The file is a template or not an OpenAPI document.
    NotChecked,
    /// The file has the name of an OpenAPI document but no content.
    Empty,
    /// The version is not supported: span and text of its value.
    Version(Span, String),
}

/// Whether the file at `path` has the name of an OpenAPI document, such as `openapi.yaml` or
/// `swagger.json`.
pub(super) fn has_document_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let stem = ["json", "yaml", "yml"].iter().find_map(|it| name.strip_suffix(it));
    matches!(stem, Some("openapi." | "swagger."))
}

/// Whether the file name has the word `template`: `swagger.template.json`.
fn is_template_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split(['.', '-', '_']).any(|word| word.eq_ignore_ascii_case("template"))
}

impl<'a> Document<'a> {
    /// Parses the text of `source`.
    pub(super) fn parse(source: &'a Source, files: &'a dyn Files) -> Result<Self, Refusal> {
        let format = match Format::from_path(source.path()) {
            Some(Format::Json) => Format::Json,
            _ => Format::Yaml,
        };
        let mut values = Values::read(format, source.text());
        if let Some((span, message)) = values.broken.take() {
            let is_template =
                ["{{", "{%", "${", "<%"].iter().any(|mark| source.text().contains(mark));
            return Err(if is_template {
                Refusal::NotChecked
            } else {
                Refusal::Syntax(span, message)
            });
        }
        if let Some(value) = values.deeper_than(MAX_DEPTH) {
            let span = Span { start: value.span.start, end: value.span.start };
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Refusal::Syntax(span, message));
        }
        let is_named = has_document_name(source.path());
        let is_empty = |root: &usize| values.all[*root].datum == Datum::Null;
        let Some(root) = values.roots.first().copied().filter(|root| !is_empty(root)) else {
            return Err(if is_named { Refusal::Empty } else { Refusal::NotChecked });
        };
        let field = ["openapi", "swagger"];
        let Some((field, at)) =
            field.iter().find_map(|&field| Some((field, values.child(root, field)?)))
        else {
            return Err(Refusal::NotChecked);
        };
        let Some(text) = values.text(at) else { return Err(Refusal::NotChecked) };
        if is_template(&text) {
            return Err(Refusal::NotChecked);
        }
        // A program completes such a file with the paths.
        if values.child(root, "paths").is_none() && is_template_name(source.path()) {
            return Err(Refusal::NotChecked);
        }
        // Files in other formats can have a field with this name too.
        if !is_named && !PARTS.iter().any(|part| values.child(root, part).is_some()) {
            return Err(Refusal::NotChecked);
        }
        let Some(version) = Version::from_field(field, &text) else {
            return Err(Refusal::Version(values.all[at].span, text));
        };
        let (parts, source) = Parts::read(source, &mut values, files);
        merge_keys(&mut values);
        let mut document = Document {
            source,
            parts,
            visited: HashSet::new(),
            files,
            version,
            grammar: Grammar::of(version),
            root,
            entries: index(&values),
            types: vec![None; values.all.len()],
            values,
            objects: HashMap::new(),
            faults: Vec::new(),
            references: Vec::new(),
            targets: HashMap::new(),
            has_base_uris: false,
            suggestions: Cell::new(0),
            changes: OnceCell::new(),
        };
        pointer::find_targets(&mut document);
        structure::walk(&mut document);
        Ok(document)
    }

    pub(super) fn datum(&self, at: usize) -> &Datum {
        &self.values.all[at].datum
    }

    pub(super) fn is_map(&self, at: usize) -> bool {
        *self.datum(at) == Datum::Map
    }

    /// The value of the entry `key` of the mapping `at`.
    pub(super) fn get(&self, at: usize, key: &str) -> Option<usize> {
        step();
        match self.entries.get(&at) {
            Some(entries) => entries.get(key).copied(),
            None => self.values.child(at, key),
        }
    }

    /// The value to which a path of keys leads, starting at the mapping `at`.
    pub(super) fn get_path(&self, at: usize, keys: &[&str]) -> Option<usize> {
        keys.iter().try_fold(at, |at, key| self.get(at, key))
    }

    pub(super) fn children(&self, at: usize) -> &[usize] {
        &self.values.all[at].children
    }

    /// The string at `at`.
    pub(super) fn text(&self, at: usize) -> Option<&str> {
        match self.datum(at) {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The string of the field `key`.
    pub(super) fn text_of(&self, at: usize, key: &str) -> Option<&str> {
        self.get(at, key).and_then(|at| self.text(at))
    }

    pub(super) fn bool_of(&self, at: usize, key: &str) -> Option<bool> {
        match self.get(at, key).map(|at| self.datum(at)) {
            Some(Datum::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// The number at `at`.
    pub(super) fn number(&self, at: usize) -> Option<f64> {
        match self.datum(at) {
            Datum::Number(text) => read_number(text),
            _ => None,
        }
    }

    pub(super) fn number_of(&self, at: usize, key: &str) -> Option<f64> {
        self.get(at, key).and_then(|at| self.number(at))
    }

    /// The key of the value `at`, empty for items of lists.
    pub(super) fn key(&self, at: usize) -> &str {
        self.values.all[at].key.as_ref().map_or("", |(key, _)| key)
    }

    /// A short span for the value `at`: its key, or the start of an item.
    pub(super) fn key_span(&self, at: usize) -> Span {
        let value = &self.values.all[at];
        if let Some((_, span)) = &value.key {
            return *span;
        }
        match value.children.first() {
            Some(&child) => self.values.all[child].key.as_ref().map_or_else(
                || Span { start: value.span.start, end: value.span.start },
                |(_, span)| *span,
            ),
            None => value.span,
        }
    }

    /// The span of a single-line scalar, or [`Self::key_span`] for other values.
    pub(super) fn span(&self, at: usize) -> Span {
        let value = &self.values.all[at];
        match value.datum {
            Datum::Map | Datum::List => self.key_span(at),
            _ if value.span.is_empty() => self.key_span(at),
            // The span of a multi-line string would be too long to underline.
            _ if self.source.slice(value.span).contains('\n') => self.key_span(at),
            _ => value.span,
        }
    }

    /// The `$ref` of the object `at`, if it has one.
    pub(super) fn reference(&self, at: usize) -> Option<usize> {
        let reference = self.get(at, "$ref")?;
        self.text(reference).map(|_| reference)
    }

    /// Follows references from `at` to an object in this document. `None` if a target is in another
    /// file, does not exist, or refers back to itself.
    pub(super) fn resolve(&self, at: usize) -> Option<usize> {
        let mut at = at;
        for _ in 0..MAX_HOPS {
            match self.targets.get(&at) {
                None => return Some(at),
                Some(Target::Local(target)) => at = *target,
                Some(_) => return None,
            }
        }
        None
    }

    /// The objects of one type, in source order, without references to such objects.
    pub(super) fn objects(&self, name: &str) -> impl Iterator<Item = usize> {
        self.objects.get(name).into_iter().flatten().copied()
    }

    pub(super) fn is_type(&self, at: usize, name: &str) -> bool {
        self.types[at] == Some(name)
    }

    /// The operations of the paths. Path items in other files are skipped.
    pub(super) fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        self.operations_in("paths")
    }

    /// The operations of all path items in the field `field` of the document.
    pub(super) fn operations_in(&self, field: &str) -> impl Iterator<Item = Operation<'_>> {
        let mut seen = HashSet::new();
        self.path_items(field).flat_map(move |(path, entry, item)| {
            // Several paths can share a path item.
            let item = item.filter(|&item| self.is_map(item) && seen.insert(item));
            let methods = METHODS.iter().filter_map(move |&method| {
                let item = item?;
                let at = self.get(item, method).filter(|&at| self.is_type(at, "operation"))?;
                let is_object = self.is_map(at) && !self.targets.contains_key(&at);
                is_object.then_some(Operation { path, entry, method, at })
            });
            methods.collect::<Vec<_>>()
        })
    }

    /// The entries of the field `field` of the document: the path, its value, and the path item, or
    /// `None` if the path item cannot be resolved.
    pub(super) fn path_items<'d>(
        &'d self,
        field: &str,
    ) -> impl Iterator<Item = (&'d str, usize, Option<usize>)> + use<'a, 'd> {
        let paths = self.get(self.root, field).and_then(|paths| self.resolve(paths));
        let entries = paths.map_or(&[][..], |paths| self.children(paths));
        let entries = entries.iter().filter(|&&entry| self.is_type(entry, "path-item"));
        entries.map(|&entry| (self.key(entry), entry, self.resolve(entry)))
    }

    /// The known word that is most similar to `word`. The search is slow, so it runs for at most
    /// [`MAX_SUGGESTIONS`] unknown words of a document.
    pub(super) fn nearest<'c>(
        &self,
        word: &str,
        candidates: impl Iterator<Item = &'c str>,
    ) -> Option<&'c str> {
        self.suggestions.set(self.suggestions.get() + 1);
        (self.suggestions.get() <= MAX_SUGGESTIONS)
            .then(|| nearest(word, candidates.take(MAX_CANDIDATES)))
            .flatten()
    }

    /// Whether the value `at` is in a file other than the root file of the document.
    pub(super) fn is_in_other_file(&self, at: usize) -> bool {
        self.parts.index_of(at) > 0
    }

    /// Whether the document refers to files that were not read.
    pub(super) fn has_external_references(&self) -> bool {
        self.targets.values().any(|target| matches!(target, Target::External))
    }

    /// The mapping or list that contains the value `at`.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.values.all[at].parent
    }
}

/// Truncates a text that is quoted in a message to [`MAX_QUOTED`] bytes.
pub(super) fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_QUOTED)]
}

/// Whether `text` contains a placeholder of a template language.
pub(super) fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("${") || text.contains("{%")
}

/// The value of a JSON or YAML number.
pub(super) fn read_number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let radix = |prefix, radix| {
        let digits = digits.strip_prefix(prefix)?;
        u64::from_str_radix(digits, radix).ok()
    };
    #[expect(clippy::cast_precision_loss, reason = "bounds are compared approximately")]
    let as_float = |number: u64| number as f64;
    radix("0x", 16).or_else(|| radix("0o", 8)).map(as_float).or_else(|| digits.parse().ok())
}

/// Adds the entries of YAML merge keys (`<<`) to their mappings.
fn merge_keys(values: &mut Values) {
    // The values in a mapping follow it, so nested merge keys are expanded first.
    for at in (0..values.all.len()).rev() {
        if values.all[at].datum != Datum::Map {
            continue;
        }
        let is_merge = |&child: &usize| {
            let value = &values.all[child];
            value.key.as_ref().is_some_and(|(key, _)| key == "<<")
                && matches!(value.datum, Datum::Map | Datum::List)
        };
        let (merges, mut own): (Vec<usize>, Vec<usize>) =
            values.all[at].children.iter().partition(|child| is_merge(child));
        if merges.is_empty() {
            continue;
        }
        let mut maps = Vec::new();
        for merge in merges {
            match values.all[merge].datum {
                Datum::Map => maps.push(merge),
                _ => maps.extend(values.all[merge].children.iter().copied()),
            }
        }
        let key = |child: usize| values.all[child].key.as_ref().map(|(key, _)| key.clone());
        let mut keys: HashSet<_> = own.iter().map(|&child| key(child)).collect();
        for map in maps {
            for &child in &values.all[map].children {
                if keys.insert(key(child)) {
                    own.push(child);
                }
            }
        }
        values.all[at].children = own;
    }
}

/// The index of the keys of large mappings.
pub(super) fn index(values: &Values) -> Entries {
    let all = values.all.iter().enumerate();
    let large = all.filter(|(_, value)| {
        value.datum == Datum::Map && value.children.len() > MAX_SCANNED_ENTRIES
    });
    large
        .map(|(at, value)| {
            let entries = value.children.iter().filter_map(|&child| {
                let (key, _) = values.all[child].key.as_ref()?;
                Some((key.clone(), child))
            });
            (at, entries.collect())
        })
        .collect()
}
