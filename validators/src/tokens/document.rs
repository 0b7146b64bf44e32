//! A parsed file of design tokens: its values, and the tokens and groups among them.

use super::mode::Mode;
use aidd_engine::parse::values::{Datum, Format, Value, Values};
use aidd_engine::text::files::Files;
use aidd_engine::text::source::{Source, Span};
use std::collections::HashMap;

/// Maximum nesting of a file. Deeper files are not checked.
const MAX_DEPTH: usize = 100;
/// Maximum number of entries of a mapping without an index of its keys.
const MAX_SCANNED_ENTRIES: usize = 12;
/// Maximum number of groups that a lookup follows through `$extends`.
const MAX_HOPS: usize = 20;

/// Properties whose values contain data rather than tokens.
const DATA: [&str; 4] = ["$extensions", "$metadata", "$themes", "$value"];

/// How a file marks its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A token has `$value`, as in the Design Tokens format.
    Format,
    /// A token has `value`, as in Style Dictionary.
    Value,
    /// A token has `value`, and the root contains the sets of Tokens Studio.
    Sets,
}

/// A token or group.
#[derive(Debug)]
pub(super) struct Node {
    /// The index of its value.
    pub(super) at: usize,
    /// The names from the root, joined by `.`.
    pub(super) path: String,
    /// The index of the group that contains it, among the groups.
    pub(super) group: Option<usize>,
}

/// A file of design tokens.
pub(super) struct Document<'a> {
    pub(super) source: &'a Source,
    pub(super) values: Values,
    /// For each large mapping, its entries by key.
    entries: HashMap<usize, HashMap<String, usize>>,
    pub(super) layout: Layout,
    pub(super) mode: Mode,
    pub(super) too_deep: bool,
    pub(super) tokens: Vec<Node>,
    pub(super) groups: Vec<Node>,
    /// Members of groups that are neither tokens, groups nor properties.
    pub(super) stray: Vec<usize>,
    /// For each path, the index of the token.
    pub(super) by_path: HashMap<String, usize>,
    /// For each value of a token, the index of the token.
    pub(super) by_value: HashMap<usize, usize>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(source: &'a Source) -> Self {
        let values = Values::read(Format::Json, source.text());
        let mut entries = HashMap::new();
        for (at, value) in values.all.iter().enumerate() {
            if value.datum == Datum::Map && value.children.len() > MAX_SCANNED_ENTRIES {
                // The last entry of a duplicated key wins, as in most parsers.
                let keyed = value.children.iter().filter_map(|&child| {
                    values.all[child].key.as_ref().map(|(key, _)| (key.clone(), child))
                });
                entries.insert(at, keyed.collect());
            }
        }
        Self {
            source,
            too_deep: values.deeper_than(MAX_DEPTH).is_some(),
            values,
            entries,
            layout: Layout::Format,
            mode: Mode::Draft,
            tokens: Vec::new(),
            groups: Vec::new(),
            stray: Vec::new(),
            by_path: HashMap::new(),
            by_value: HashMap::new(),
        }
    }

    pub(super) fn root(&self) -> Option<usize> {
        self.values.roots.first().copied()
    }

    pub(super) fn value(&self, at: usize) -> &Value {
        &self.values.all[at]
    }

    pub(super) fn datum(&self, at: usize) -> &Datum {
        &self.values.all[at].datum
    }

    pub(super) fn span(&self, at: usize) -> Span {
        self.values.all[at].span
    }

    /// The span of the key, or of the value if it has no key.
    pub(super) fn key_span(&self, at: usize) -> Span {
        let value = self.value(at);
        value.key.as_ref().map_or(value.span, |(_, span)| *span)
    }

    pub(super) fn key(&self, at: usize) -> &str {
        self.value(at).key.as_ref().map_or("", |(key, _)| key)
    }

    pub(super) fn child(&self, at: usize, key: &str) -> Option<usize> {
        match self.entries.get(&at) {
            Some(entries) => entries.get(key).copied(),
            None => self.values.child(at, key),
        }
    }

    pub(super) fn children(&self, at: usize) -> &[usize] {
        &self.value(at).children
    }

    pub(super) fn text(&self, at: usize) -> Option<&str> {
        match self.datum(at) {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn child_text(&self, at: usize, key: &str) -> Option<&str> {
        self.child(at, key).and_then(|child| self.text(child))
    }

    pub(super) fn is_map(&self, at: usize) -> bool {
        *self.datum(at) == Datum::Map
    }

    /// Whether `$schema` names a schema of the Design Tokens format.
    pub(super) fn has_schema(&self) -> bool {
        let schema = self.root().and_then(|root| self.child_text(root, "$schema"));
        schema.is_some_and(|schema| schema.contains("designtokens.org/"))
    }

    /// How the file marks its tokens; `None` if it is not certain that it has tokens.
    pub(super) fn layout(&self, has_token_name: bool, files: &dyn Files) -> Option<Layout> {
        let root = self.root()?;
        // A schema or a manifest can describe the property `$value`.
        let is_schema = ["properties", "$defs", "definitions", "swagger", "openapi"]
            .iter()
            .any(|key| self.child(root, key).is_some_and(|at| self.is_map(at)));
        if is_schema && !has_token_name {
            return None;
        }
        let is_position = |at: &usize| {
            let mut above = self.value(*at).parent;
            let mut steps = 0;
            while let Some(at) = above {
                if !self.is_map(at) || DATA.contains(&self.key(at)) {
                    return false;
                }
                above = self.value(at).parent;
                steps += 1;
            }
            steps > 1
        };
        let marked = |key: &str| {
            let is_marked = |at: &usize| self.key(*at) == key && is_position(at);
            (0..self.values.all.len()).any(|at| is_marked(&at))
        };
        // Other formats, such as converted XML, also have the key `$value`.
        let has_type = || {
            self.source.text().contains("\"$type\"")
                || has_token_name
                || super::project::is_token_path(self.source.path())
        };
        if self.has_schema() || marked("$value") && has_type() {
            return Some(Layout::Format);
        }
        // Other formats use the same names of files.
        let has_property =
            || self.values.all.iter().enumerate().any(|(at, _)| self.key(at).starts_with('$'));
        if has_token_name && !marked("value") && (has_property() || !self.is_map(root)) {
            let is_format = self.is_map(root) || self.source.text().contains("\"$value\"");
            return is_format.then_some(Layout::Format);
        }
        if !marked("value") {
            return None;
        }
        if self.child(root, "$themes").is_some() || self.child(root, "$metadata").is_some() {
            return Some(Layout::Sets);
        }
        // A program can start Style Dictionary, so that no configuration names the file.
        let is_source =
            has_token_name || super::project::is_named_source(files, self.source.path());
        is_source.then_some(Layout::Value)
    }

    /// The key whose presence makes an object a token.
    pub(super) fn value_key(&self) -> &'static str {
        if self.layout == Layout::Format { "$value" } else { "value" }
    }

    /// The index of the value of a token, or of the reference that replaces it.
    pub(super) fn token_value(&self, token: &Node) -> Option<usize> {
        self.child(token.at, self.value_key()).or_else(|| self.child(token.at, "$ref"))
    }

    /// Collects the tokens and groups.
    pub(super) fn collect(&mut self, layout: Layout) {
        self.layout = layout;
        let Some(root) = self.root() else { return };
        if !self.is_map(root) {
            return;
        }
        self.groups.push(Node { at: root, path: String::new(), group: None });
        let mut next = 0;
        while next < self.groups.len() {
            let (at, path) = (self.groups[next].at, self.groups[next].path.clone());
            let is_root = layout == Layout::Sets && self.value(at).parent.is_none();
            let is_set = layout == Layout::Sets
                && self.value(at).parent.is_some_and(|up| Some(up) == self.root());
            for child in self.value(at).children.clone() {
                let key = self.key(child).to_owned();
                let is_data = DATA.contains(&key.as_str());
                let is_named = !is_property(&key) || self.is_map(child) && self.has_tokens(child);
                if is_data || !is_named {
                    continue;
                }
                if !self.is_map(child) {
                    self.stray.push(child);
                    continue;
                }
                // The names of sets are not part of the names of tokens.
                let path = if path.is_empty() || is_set && !is_root {
                    key
                } else {
                    format!("{path}.{key}")
                };
                let node = Node { at: child, path, group: Some(next) };
                if self.is_token(child) {
                    self.add_token(node);
                } else {
                    self.groups.push(node);
                }
            }
            next += 1;
        }
    }

    fn add_token(&mut self, node: Node) {
        let index = self.tokens.len();
        self.by_path.insert(node.path.clone(), index);
        // Without several sets, the root contains groups.
        if self.layout == Layout::Sets {
            let full = self.full_path(node.at);
            self.by_path.entry(full).or_insert(index);
        }
        self.by_value.insert(node.at, index);
        self.tokens.push(node);
    }

    /// The names from the root, with that of the set, joined by `.`.
    pub(super) fn full_path(&self, at: usize) -> String {
        let mut path = self.key(at).to_owned();
        let mut above = self.value(at).parent;
        while let Some(at) = above.filter(|&at| self.value(at).parent.is_some()) {
            path = format!("{}.{path}", self.key(at));
            above = self.value(at).parent;
        }
        path
    }

    /// Whether the object is a token.
    pub(super) fn is_token(&self, at: usize) -> bool {
        if self.child(at, self.value_key()).is_some() {
            return true;
        }
        // A reference to a token makes a token, and a reference to a group a group.
        self.layout == Layout::Format
            && self.child_text(at, "$ref").is_some_and(|pointer| {
                self.pointer(pointer).is_none_or(|to| self.child(to, "$value").is_some())
                    && !self.children(at).iter().any(|&child| !self.key(child).starts_with('$'))
            })
    }

    /// Whether an object below `at` is a token.
    pub(super) fn has_tokens(&self, at: usize) -> bool {
        let mut pending = vec![at];
        while let Some(at) = pending.pop() {
            if self.is_map(at) {
                if self.child(at, self.value_key()).is_some() {
                    return true;
                }
                let is_searched = |child: &&usize| self.key(**child) != "$extensions";
                pending.extend(self.children(at).iter().filter(is_searched));
            }
        }
        false
    }

    /// The value at a path of names. Groups contain what they inherit through `$extends`.
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        let mut at = self.root()?;
        let mut hops = 0;
        for name in path.split('.') {
            loop {
                if let Some(child) = self.child(at, name) {
                    at = child;
                    break;
                }
                hops += 1;
                let extended = self.extended(at)?;
                at = extended.filter(|_| hops < MAX_HOPS)?;
            }
        }
        Some(at)
    }

    /// The group that a group extends: `None` if it extends none, `Some(None)` if that is missing.
    pub(super) fn extended(&self, at: usize) -> Option<Option<usize>> {
        self.extended_within(at, &mut 0)
    }

    fn extended_within(&self, at: usize, hops: &mut usize) -> Option<Option<usize>> {
        if let Some(pointer) = self.child_text(at, "$ref") {
            return Some(self.pointer_within(pointer, hops));
        }
        let to = self.child_text(at, "$extends")?;
        Some(match to.strip_prefix('{').and_then(|to| to.strip_suffix('}')) {
            Some(path) => path.split('.').try_fold(self.root()?, |at, name| self.child(at, name)),
            None => self.pointer_within(to, hops),
        })
    }

    /// The value at a JSON pointer of this document, such as `#/a/$value`.
    pub(super) fn pointer(&self, pointer: &str) -> Option<usize> {
        self.pointer_within(pointer, &mut 0)
    }

    /// Follows a pointer; `hops` counts the groups that were followed, which can form a circle.
    fn pointer_within(&self, pointer: &str, hops: &mut usize) -> Option<usize> {
        let rest = pointer.strip_prefix('#')?;
        let mut at = self.root()?;
        if rest.is_empty() || rest == "/" {
            return Some(at);
        }
        for part in rest.strip_prefix('/')?.split('/') {
            let part = part.replace("~1", "/").replace("~0", "~");
            at = match self.datum(at) {
                Datum::List => *self.children(at).get(part.parse::<usize>().ok()?)?,
                _ => self.child(at, &part).or_else(|| {
                    *hops += 1;
                    let inherited =
                        (*hops < MAX_HOPS).then(|| self.extended_within(at, hops))???;
                    self.child(inherited, &part)
                })?,
            };
        }
        Some(at)
    }

    /// The token that contains a value.
    pub(super) fn token_around(&self, at: usize) -> Option<usize> {
        let mut at = Some(at);
        while let Some(index) = at {
            if let Some(&token) = self.by_value.get(&index) {
                return Some(token);
            }
            at = self.value(index).parent;
        }
        None
    }
}

/// Whether the key is a property of the format rather than a name.
fn is_property(key: &str) -> bool {
    key.starts_with('$') && key != "$root"
}

/// The target of a curly brace reference, if the whole text is one.
pub(super) fn alias(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    (!inner.contains(['{', '}'])).then(|| inner.trim())
}
