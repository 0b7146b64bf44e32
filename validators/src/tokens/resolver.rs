//! Resolver documents, which combine token files into sets, and sets and modifiers into results.

use super::document::Document;
use super::{INVALID_RESOLVER, Issue};
use aidd_engine::parse::values::Datum;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::paths::{join, parent_dir};
use std::collections::{HashMap, HashSet};

const VERSION: &str = "2025.10";
/// Maximum number of sets that are searched for circles.
const MAX_SETS: usize = 500;

/// Whether the document is a resolver document.
pub(super) fn is_resolver(document: &Document<'_>) -> bool {
    let Some(root) = document.root() else { return false };
    let has = |key: &str| document.child(root, key).is_some();
    let has_map = |key: &str| document.child(root, key).is_some_and(|at| document.is_map(at));
    document.child_text(root, "$schema").is_some_and(|schema| {
        schema.contains("designtokens.org/") && schema.ends_with("resolver.json")
    }) || has("resolutionOrder")
        && (has_version(document, root) || has_map("sets") || has_map("modifiers"))
        || has("version") && has_map("sets") && has_map("modifiers")
        || document.source.path().ends_with(".resolver.json")
            && (has("resolutionOrder") || has_map("sets") || has_map("modifiers"))
}

fn has_version(document: &Document<'_>, root: usize) -> bool {
    document.child_text(root, "version") == Some(VERSION)
}

pub(super) fn check(document: &Document<'_>, files: &dyn Files, issues: &mut Vec<Issue>) {
    let Some(root) = document.root() else { return };
    let mut checker = Checker { document, files, issues };
    checker.version(root);
    checker.order(root);
    for &set in checker.members(root, "sets") {
        checker.sources(set, "the set", false);
    }
    for &modifier in checker.members(root, "modifiers") {
        checker.contexts(modifier);
    }
    checker.cycles(root);
}

struct Checker<'d, 'a, 'c> {
    document: &'d Document<'a>,
    files: &'c dyn Files,
    issues: &'c mut Vec<Issue>,
}

impl<'d> Checker<'d, '_, '_> {
    fn report(&mut self, at: usize, message: impl Into<String>) {
        let issue = Issue::new(INVALID_RESOLVER, self.document.span(at), message);
        self.issues.push(issue);
    }

    /// Reports at the key, because the value can span many lines.
    fn report_key(&mut self, at: usize, message: impl Into<String>) {
        let span = match self.document.value(at).parent {
            Some(_) => self.document.key_span(at),
            None => self.document.source.line_span(0),
        };
        self.issues.push(Issue::new(INVALID_RESOLVER, span, message));
    }

    fn members(&self, at: usize, key: &str) -> &'d [usize] {
        self.document.child(at, key).map_or(&[], |at| self.document.children(at))
    }

    fn version(&mut self, root: usize) {
        match self.document.child(root, "version") {
            None => self.report_key(root, "the resolver document has no `version`"),
            Some(at) if self.document.text(at) != Some(VERSION) => {
                let span = self.document.span(at);
                let text = format!("\"{VERSION}\"");
                let message = format!("`version` must be \"{VERSION}\"");
                self.issues.push(
                    Issue::new(INVALID_RESOLVER, span, message)
                        .fix_unsafe(format!("Write {text}"), vec![Edit::replace(span, text)]),
                );
            }
            Some(_) => {}
        }
    }

    fn order(&mut self, root: usize) {
        let Some(order) = self.document.child(root, "resolutionOrder") else {
            self.report_key(root, "the resolver document has no `resolutionOrder`");
            return;
        };
        if *self.document.datum(order) != Datum::List {
            self.report(order, "`resolutionOrder` must be an array");
            return;
        }
        let mut names: HashSet<&str> = HashSet::new();
        for &item in self.document.children(order) {
            if self.document.child(item, "$ref").is_some() {
                self.reference(item, true);
                continue;
            }
            if !self.document.is_map(item) {
                self.report(item, "an entry must be a reference, a set or a modifier");
                continue;
            }
            match self.document.child(item, "name") {
                None => self.report(item, "an inline set or modifier must have a `name`"),
                Some(at) => {
                    if let Some(name) = self.document.text(at)
                        && !names.insert(name)
                    {
                        self.report(
                            at,
                            format!("the name `{name}` is used twice in `resolutionOrder`"),
                        );
                    }
                }
            }
            match self.document.child_text(item, "type") {
                Some("set") => self.sources(item, "the set", false),
                Some("modifier") => self.contexts(item),
                _ => self
                    .report(item, "an inline entry must have the `type` \"set\" or \"modifier\""),
            }
        }
    }

    fn sources(&mut self, at: usize, what: &str, is_context: bool) {
        let list = if is_context { Some(at) } else { self.document.child(at, "sources") };
        let Some(list) = list else {
            if self.document.child(at, "$ref").is_none() {
                self.report_key(at, format!("{what} has no `sources`"));
            }
            return;
        };
        if *self.document.datum(list) != Datum::List {
            self.report(list, format!("the sources of {what} must be an array"));
            return;
        }
        for &item in self.document.children(list) {
            if !self.document.is_map(item) {
                self.report(item, "a source must be a reference or tokens");
            } else if self.document.child(item, "$ref").is_some() {
                self.reference(item, false);
            }
        }
    }

    fn contexts(&mut self, modifier: usize) {
        let Some(contexts) = self.document.child(modifier, "contexts") else {
            if self.document.child(modifier, "$ref").is_none() {
                self.report_key(modifier, "the modifier has no `contexts`");
            }
            return;
        };
        if !self.document.is_map(contexts) || self.document.children(contexts).is_empty() {
            self.report(contexts, "`contexts` must be an object with at least one context");
            return;
        }
        for &context in self.document.children(contexts) {
            self.sources(context, "the context", true);
        }
        if let Some(default) = self.document.child(modifier, "default") {
            let name = self.document.text(default);
            if name.is_none_or(|name| self.document.child(contexts, name).is_none()) {
                let names = self.document.children(contexts).iter();
                let names: Vec<&str> = names.map(|&at| self.document.key(at)).collect();
                let message = format!("`default` must be one of the contexts {}", names.join(", "));
                self.report(default, message);
            }
        }
    }

    fn reference(&mut self, item: usize, is_order: bool) {
        let Some(at) = self.document.child(item, "$ref") else { return };
        let Some(target) = self.document.text(at) else {
            self.report(at, "`$ref` must be a string");
            return;
        };
        if target.starts_with("#/resolutionOrder") {
            self.report(at, "a reference must not point into `resolutionOrder`");
        } else if target.starts_with("#/modifiers/") && !is_order {
            self.report(at, "only `resolutionOrder` can refer to a modifier");
        } else if target.starts_with('#') {
            if self.document.pointer(target).is_none() {
                self.report(at, format!("`{target}` does not exist in this document"));
            }
        } else if !target.contains("://") {
            self.file(at, target);
        }
    }

    fn file(&mut self, at: usize, target: &str) {
        let file = target.split('#').next().unwrap_or(target);
        let Some(path) = join(parent_dir(self.document.source.path()), file) else { return };
        // A directory that does not exist here can be generated.
        let is_here = self.files.listing().is_some_and(|listing| {
            let folder = parent_dir(&path);
            folder.is_empty() || listing.has_dir(folder)
        });
        if is_here && !self.files.exists(&path) {
            self.report(at, format!("the file `{path}` does not exist"));
        }
    }

    /// Reports sets that contain themselves.
    fn cycles(&mut self, root: usize) {
        let sets = self.members(root, "sets");
        if sets.len() > MAX_SETS {
            return;
        }
        let mut targets: HashMap<&str, Vec<(&str, usize)>> = HashMap::new();
        for &set in sets {
            for &item in self.members(set, "sources") {
                let at = self.document.child(item, "$ref");
                let to = at.and_then(|at| self.document.text(at));
                if let (Some(at), Some(to)) = (at, to.and_then(|to| to.strip_prefix("#/sets/"))) {
                    let to = to.split('/').next().unwrap_or(to);
                    targets.entry(self.document.key(set)).or_default().push((to, at));
                }
            }
        }
        for &set in sets {
            let name = self.document.key(set);
            let mut seen = HashSet::new();
            let mut pending: Vec<(&str, Option<usize>)> = vec![(name, None)];
            while let Some((current, first)) = pending.pop() {
                for &(to, at) in targets.get(current).map_or(&[][..], Vec::as_slice) {
                    let first = first.or(Some(at));
                    if to == name {
                        self.report(
                            first.unwrap_or(at),
                            format!("the set `{name}` contains itself"),
                        );
                        pending.clear();
                        break;
                    }
                    if seen.insert(to) {
                        pending.push((to, first));
                    }
                }
            }
        }
    }
}
