//! Names that a script uses without declaring or importing them, because a build tool imports them, as
//! Nuxt does.

use super::names::local;
use super::{Certainty, MAX_CANDIDATES, Place, Resolved, Resolver, SymbolId};
use crate::outline::{Kind, Ref, RefKind};

impl Resolver<'_, '_> {
    /// The exported functions and components with the name of a call or tag that the file neither
    /// declares nor imports. Which of them is imported, if any, is a setting of the build.
    pub(super) fn auto_imported(&self, place: Place, found: &Ref) -> Resolved {
        let is_use = found.kind == RefKind::Use;
        if !(found.kind == RefKind::Call || is_use)
            || found.receiver.is_some()
            || self.family(place.file) != "script"
        {
            return Self::unresolved(found);
        }
        let Some(facts) = self.world.facts(place.file) else { return Self::unresolved(found) };
        let mut bindings = facts.imports.bindings.iter();
        if local(&facts.outline.locals, &found.name, place.offset).is_some()
            || bindings.any(|binding| binding.local.as_deref() == Some(&*found.name))
        {
            return Self::unresolved(found);
        }
        let named = self.world.named(&found.name);
        let suits = |id: &&SymbolId| {
            id.file != place.file
                && self.family(id.file) == "script"
                && self.world.symbol(**id, |symbol| {
                    let kind = if is_use { Kind::Component } else { Kind::Function };
                    symbol.kind == kind && symbol.exported && symbol.parent.is_none()
                }) == Some(true)
        };
        let candidates: Vec<SymbolId> =
            named.iter().filter(suits).take(MAX_CANDIDATES).copied().collect();
        if candidates.is_empty() {
            return Self::unresolved(found);
        }
        Resolved { kind: found.kind, target: None, certainty: Certainty::Possible, candidates }
    }
}
