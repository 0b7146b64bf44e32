//! The rule on loops that read and write the layout in turn.

use super::ast::*;
use super::loops::{Loop, MAX_BODY, innermost};
use super::walk::Walker;
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// How the enclosing block leaves the loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Leaving {
    #[default]
    No,
    /// The block is part of a `switch`, which a `break` leaves instead.
    Switch,
    Break,
    Return,
}

/// Notes whether a block leaves the loop at its end. Returns what held before.
#[inline(never)]
pub(super) fn enter_block<'a>(
    walker: &mut Walker<'a, '_, '_>,
    statements: &[Statement<'a>],
) -> Leaving {
    let Some(the_loop) = innermost(walker) else { return Leaving::No };
    let outer = the_loop.leaving;
    the_loop.leaving = match (statements.last(), outer) {
        // In a callback, `return` ends only this round.
        (Some(Statement::ReturnStatement(_)), _) if !the_loop.is_callback => Leaving::Return,
        (Some(Statement::BreakStatement(_)), Leaving::No) => Leaving::Break,
        _ => outer,
    };
    outer
}

/// Notes the start of a `switch`. Returns what held before.
#[inline(never)]
pub(super) fn enter_switch(walker: &mut Walker<'_, '_, '_>) -> Leaving {
    let Some(the_loop) = innermost(walker) else { return Leaving::No };
    let outer = the_loop.leaving;
    if outer == Leaving::No {
        the_loop.leaving = Leaving::Switch;
    }
    outer
}

/// Restores what held before a block.
#[inline(never)]
pub(super) fn leave_block(walker: &mut Walker<'_, '_, '_>, outer: Leaving) {
    if let Some(the_loop) = innermost(walker) {
        the_loop.leaving = outer;
    }
}

pub(super) fn note_read(walker: &mut Walker<'_, '_, '_>, place: Span) {
    if let Some(the_loop) = innermost(walker) {
        the_loop.read.get_or_insert(place);
    }
}

/// Notes a change of a style, unless the element is not part of the document yet.
pub(super) fn note_write<'a>(
    walker: &mut Walker<'a, '_, '_>,
    object: &Expression<'a>,
    place: Span,
) {
    let text = walker.text;
    let Some(the_loop) = innermost(walker) else { return };
    let is_detached = root_name(object).is_some_and(|name| {
        let body = text.get(the_loop.span.range()).unwrap_or_default();
        let body = &body[..body.floor_char_boundary(MAX_BODY)];
        name.to_ascii_lowercase().contains("clone")
            || contains(body, &format!("{name} = document.create"))
    });
    match the_loop.leaving {
        _ if is_detached => {}
        Leaving::No | Leaving::Switch => {
            the_loop.write.get_or_insert(place);
        }
        leaving => {
            the_loop.last_write.get_or_insert((place, leaving));
        }
    }
}

/// Properties for which the browser must compute the layout.
const LAYOUT: [&str; 10] = [
    "offsetWidth",
    "offsetHeight",
    "offsetTop",
    "offsetLeft",
    "clientWidth",
    "clientHeight",
    "scrollWidth",
    "scrollHeight",
    "getBoundingClientRect",
    "getClientRects",
];

#[inline(never)]
pub(super) fn check_member<'a>(walker: &mut Walker<'a, '_, '_>, member: &MemberExpression<'a>) {
    if let Some(name) = member.static_property_name()
        && LAYOUT.contains(&name)
    {
        note_read(walker, span(member.span()));
    }
}

/// Reports a loop that reads and writes the layout, or passes both to the enclosing loop.
pub(super) fn finish(walker: &mut Walker<'_, '_, '_>, the_loop: &Loop<'_>) {
    if let (Some(read), Some(write), false) = (the_loop.read, the_loop.write, the_loop.is_search) {
        let message = "layout is read and written in the same loop";
        if let Some(finding) =
            walker.at("perf/layout-thrash", first_line(walker, the_loop.span), message)
        {
            finding
                .help("Read everything first, then write.")
                .related(read, "read here")
                .related(write, "written here");
        }
    } else if let Some(outer) = innermost(walker) {
        outer.read = outer.read.or(the_loop.read);
        outer.write = outer.write.or(the_loop.write);
        match the_loop.last_write {
            Some((_, Leaving::Return)) if !outer.is_callback => {
                outer.last_write = outer.last_write.or(the_loop.last_write);
            }
            Some((place, _)) => outer.write = outer.write.or(Some(place)),
            None => {}
        }
    }
}

fn first_line(walker: &Walker<'_, '_, '_>, place: Span) -> Span {
    let length = walker.slice(place).lines().next().unwrap_or_default().len();
    Span::new(place.start as usize, place.start as usize + length)
}
