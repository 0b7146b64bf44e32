//! What of a document is not Markdown, leads to no definition, or is said twice.

use super::Fault;
use crate::parse::document::Document;
use crate::parse::markup::{self, Markup};
use crate::text::source::Source;
use aidd_page::{LinkKind, UniqueHeadings};

/// Whether any of the demands asks for what is read here.
pub(super) fn is_asked(kinds: &[LinkKind], html: Option<&[String]>) -> bool {
    let here = [LinkKind::Addresses, LinkKind::References, LinkKind::Definitions];
    html.is_some() || kinds.iter().any(|kind| here.contains(kind))
}

/// What breaks the demands on HTML, addresses, references and definitions.
pub(super) fn judge(
    kinds: &[LinkKind],
    html: Option<&[String]>,
    source: &Source,
    faults: &mut Vec<Fault>,
) {
    if !is_asked(kinds, html) {
        return;
    }
    let Markup { tags, bare, undefined, unused } = markup::read(source.text());
    let judges = |kind: LinkKind| kinds.contains(&kind);
    if let Some(allowed) = html {
        let is_allowed = |name: &String| allowed.iter().any(|one| one.eq_ignore_ascii_case(name));
        let odd = tags.iter().filter(|(name, _)| !is_allowed(name));
        faults.extend(
            odd.map(|(name, span)| Fault::new(*span, format!("the HTML element `{name}`"))),
        );
    }
    if judges(LinkKind::Addresses) {
        let told = |span| {
            Fault::new(span, "an address that is no link")
                .with_help(Some("`<address>` or `[text](address)`".to_owned()))
        };
        faults.extend(bare.into_iter().map(told));
    }
    if judges(LinkKind::References) {
        let told = |(name, span)| Fault::new(span, format!("nothing defines `[{name}]`"));
        faults.extend(undefined.into_iter().map(told));
    }
    if judges(LinkKind::Definitions) {
        // `[//]: # (words)` is how a comment is written.
        let unused = unused.into_iter().filter(|(name, _)| name != "//");
        let told = |(name, span)| Fault::new(span, format!("nothing refers to `[{name}]`"));
        faults.extend(unused.map(told));
    }
}

/// Headings that say what one before them says.
pub(super) fn twice(wanted: UniqueHeadings, document: &Document, faults: &mut Vec<Fault>) {
    // The headings that are open, and those that stood below each.
    let mut open: Vec<(u8, Vec<&str>)> = vec![(0, Vec::new())];
    for heading in &document.headings {
        let level = if wanted == UniqueHeadings::Siblings { heading.level } else { 1 };
        while open.len() > 1 && open.last().is_some_and(|(above, _)| *above >= level) {
            open.pop();
        }
        let Some((_, said)) = open.last_mut() else { return };
        if said.contains(&heading.text.as_str()) {
            let text = format!("there is a heading `{}` before this one", heading.text);
            faults.push(Fault::new(heading.span, text));
        } else {
            said.push(&heading.text);
        }
        if wanted == UniqueHeadings::Siblings {
            open.push((level, Vec::new()));
        }
    }
}
