//! Checks HTML elements, bare URLs, undefined references, unused definitions and duplicate
//! headings.

use super::Fault;
use crate::parse::document::Document;
use crate::parse::markup::{self, Markup};
use crate::text::source::Source;
use aidd_page::{LinkKind, UniqueHeadings};
use std::collections::HashSet;

/// Whether a page checks anything that this module reports.
pub(super) fn is_needed(kinds: &[LinkKind], html: Option<&[String]>) -> bool {
    let markup_kinds = [LinkKind::Addresses, LinkKind::References, LinkKind::Definitions];
    html.is_some() || kinds.iter().any(|kind| markup_kinds.contains(kind))
}

/// Reports disallowed HTML, bare URLs, undefined references and unused definitions.
pub(super) fn check(
    kinds: &[LinkKind],
    html: Option<&[String]>,
    source: &Source,
    faults: &mut Vec<Fault>,
) {
    if !is_needed(kinds, html) {
        return;
    }
    let Markup { tags, bare, undefined, unused } = markup::read(source.text());
    let is_enabled = |kind: LinkKind| kinds.contains(&kind);
    if let Some(allowed) = html {
        let is_allowed =
            |name: &String| allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(name));
        let disallowed = tags.iter().filter(|(name, _)| !is_allowed(name));
        faults.extend(
            disallowed.map(|(name, span)| Fault::new(*span, format!("the HTML element `{name}`"))),
        );
    }
    if is_enabled(LinkKind::Addresses) {
        let fault = |span| {
            Fault::new(span, "bare URL")
                .with_help(Some("write `<address>` or `[text](address)`".to_owned()))
        };
        faults.extend(bare.into_iter().map(fault));
    }
    if is_enabled(LinkKind::References) {
        let fault = |(name, span)| Fault::new(span, format!("undefined reference `[{name}]`"));
        faults.extend(undefined.into_iter().map(fault));
    }
    if is_enabled(LinkKind::Definitions) {
        // `[//]: # (words)` is a comment by convention.
        let unused = unused.into_iter().filter(|(name, _)| name != "//");
        let fault = |(name, span)| Fault::new(span, format!("unused definition `[{name}]`"));
        faults.extend(unused.map(fault));
    }
}

/// Reports headings with the same text as an earlier heading.
pub(super) fn check_duplicates(
    uniqueness: UniqueHeadings,
    document: &Document,
    faults: &mut Vec<Fault>,
) {
    // The open headings, each with the texts of the headings directly below it.
    let mut open: Vec<(u8, HashSet<&str>)> = vec![(0, HashSet::new())];
    for heading in &document.headings {
        let level = if uniqueness == UniqueHeadings::Siblings { heading.level } else { 1 };
        while open.len() > 1 && open.last().is_some_and(|(above, _)| *above >= level) {
            open.pop();
        }
        let Some((_, texts)) = open.last_mut() else { return };
        if !texts.insert(&heading.text) {
            let text = format!("duplicate heading `{}`", heading.text);
            faults.push(Fault::new(heading.span, text));
        }
        if uniqueness == UniqueHeadings::Siblings {
            open.push((level, HashSet::new()));
        }
    }
}
