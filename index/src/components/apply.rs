//! Completes the outline of a component: what uses it, and what the names in its markup refer to.

use super::{Dialect, Script};
use crate::outline::{Chain, Kind, Outline, Position, Ref, RefKind, Root, Symbol};
use aidd_engine::project::imports::{self, Binding, Imported, Name};
use aidd_engine::text::source::Span;
use std::collections::{HashMap, HashSet};

/// Assigns the references outside of functions to the component, and adds the names that the markup
/// uses.
pub(crate) fn complete(
    (path, script): (&str, &Script),
    outline: &mut Outline,
    imports: &imports::Facts,
) {
    if outline.symbols.first().is_none_or(|first| first.kind != Kind::Component) {
        return;
    }
    let bound = imports.bindings.iter().filter_map(|binding| binding.local.as_deref());
    let top = outline.symbols[1..].iter().filter(|symbol| symbol.parent.is_none());
    let known: HashSet<&str> = bound.chain(top.map(|symbol| symbol.name.as_str())).collect();
    let members = members(outline);
    // What the value of a variable uses is used by the component.
    let parents: HashSet<u32> = outline.symbols.iter().filter_map(|at| at.parent).collect();
    let is_value = |(at, symbol): &(u32, &Symbol)| {
        let is_variable = matches!(symbol.kind, Kind::Constant | Kind::Variable);
        is_variable && symbol.parent.is_none() && !parents.contains(at)
    };
    let values = (0_u32..).zip(&outline.symbols).filter(is_value).map(|(at, _)| at);
    let values: HashSet<u32> = values.collect();
    let mut refs = std::mem::take(&mut outline.refs);
    refs.retain_mut(|found| {
        let is_plain = found.source.is_none() && script.is_markup(found.at.offset);
        found.source = found.source.filter(|source| !values.contains(source)).or(Some(0));
        if !is_plain {
            return true;
        }
        let is_declared = |name: &str| script.declared.contains(name);
        match &found.receiver {
            None if is_declared(&found.name) => return false,
            None if !known.contains(&*found.name) => match members.get(&found.name) {
                Some(0) => found.receiver = Some(Chain::of(Root::Instance)),
                Some(setup) => found.source = Some(*setup),
                None => {}
            },
            Some(Chain { root: Root::Name(name), .. }) if is_declared(name) => {
                found.receiver = Some(Chain::of(Root::Unknown));
                return found.kind != RefKind::Value;
            }
            _ => {}
        }
        true
    });
    let has_auto_imports = Dialect::of_path(path) == Some(Dialect::Vue);
    let starts = line_starts(&script.text);
    for (name, at) in &script.names {
        let is_component = name.starts_with(|c: char| c.is_uppercase());
        let can_be_known = is_component && has_auto_imports;
        if !can_be_known && !known.contains(name.as_str()) {
            continue;
        }
        refs.push(Ref {
            kind: RefKind::Use,
            name: name.clone(),
            at: position(&starts, *at),
            source: Some(0),
            receiver: None,
            arguments: 255,
        });
    }
    refs.sort_by_key(|found| found.at.offset);
    outline.refs = refs;
}

/// Adds the uses of components that the file at `path` imports only when it needs them, as in
/// `() => import("./Page.vue")`, with the specifier as their name.
pub(crate) fn add_lazy_uses(text: &str, outline: &mut Outline, imports: &mut imports::Facts) {
    let is_lazy = |(index, import): &(usize, &imports::Import)| {
        let Name::Script(specifier) = &import.name else { return false };
        import.deferred
            && Dialect::of_path(specifier).is_some()
            && !imports.bindings.iter().any(|binding| binding.import == *index)
    };
    let found: Vec<(usize, String, Span)> = imports
        .imports
        .iter()
        .enumerate()
        .filter(is_lazy)
        .map(|(index, import)| (index, import.name.display(), import.span))
        .collect();
    if found.is_empty() {
        return;
    }
    let starts = line_starts(text);
    for (import, name, span) in found {
        let at = position(&starts, span.start);
        let contains = |(_, symbol): &(u32, &Symbol)| {
            symbol.start.offset <= span.start && span.start < symbol.end.offset
        };
        let source = (0_u32..).zip(&outline.symbols).filter(contains).last();
        let source = source.map(|(source, _)| source);
        imports.bindings.push(Binding {
            import,
            imported: Imported::Default,
            local: Some(name.clone()),
            exported: None,
            span,
        });
        let kind = RefKind::Use;
        outline.refs.push(Ref { kind, name, at, source, receiver: None, arguments: 255 });
    }
    outline.refs.sort_by_key(|found| found.at.offset);
}

fn position(starts: &[u32], offset: u32) -> Position {
    let line = starts.partition_point(|start| *start <= offset).saturating_sub(1);
    let start = starts.get(line).copied().unwrap_or_default();
    Position { offset, line: u32::try_from(line).unwrap_or(u32::MAX), column: offset - start }
}

/// The members of a component that its markup uses by their names: 0 for methods of the component, and
/// the function `setup` for what is declared in it.
fn members(outline: &Outline) -> HashMap<String, u32> {
    let mut all = HashMap::new();
    for symbol in outline.symbols.iter().skip(1) {
        let Some(parent) = symbol.parent else { continue };
        let is_setup = || {
            outline
                .symbols
                .get(parent as usize)
                .is_some_and(|symbol| symbol.parent == Some(0) && symbol.name == "setup")
        };
        if parent == 0 || is_setup() {
            all.entry(symbol.name.clone()).or_insert(parent);
        }
    }
    all
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let starts = breaks.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
    std::iter::once(0).chain(starts).collect()
}
