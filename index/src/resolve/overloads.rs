//! Functions that are chosen by the types of their arguments: extension functions of C# and Kotlin, and
//! Kotlin functions with the same name.

use super::values::Value;
use super::{Certainty, MAX_CANDIDATES, Place, Resolved, Resolver, SymbolId};
use crate::outline::{Kind, Ref, RefKind};
use aidd_engine::project::imports::Name;

/// Maximum number of types in a hierarchy that are compared.
const MAX_TYPES: usize = 64;

impl Resolver<'_, '_> {
    /// The result for a reference to one of several functions.
    fn one_of(&self, found: &Ref, all: Vec<SymbolId>) -> Resolved {
        if let [only] = all.as_slice() {
            return self.resolved_to(found, *only);
        }
        Resolved {
            kind: found.kind,
            target: None,
            certainty: Certainty::Possible,
            candidates: all.into_iter().take(MAX_CANDIDATES).collect(),
        }
    }

    fn fits(&self, id: SymbolId, arguments: u8) -> bool {
        let arity = self.world.symbol(id, |symbol| symbol.arity);
        arity.is_some_and(|(least, most)| {
            arguments == 255 || least <= arguments && arguments <= most
        })
    }

    /// The function that a Kotlin call without receiver refers to, among the functions with the full
    /// name of `target`.
    pub(super) fn overloaded(&self, place: Place, found: &Ref, target: SymbolId) -> Resolved {
        if self.world.symbol(target, |at| at.kind) == Some(Kind::Method) {
            return self.overloaded_method(found, target);
        }
        let is_top = |id: SymbolId| {
            self.world.symbol(id, |at| at.kind == Kind::Function && at.parent.is_none())
                == Some(true)
        };
        if !self.world.path(target.file).ends_with(".kt") || !is_top(target) {
            return self.resolved_to(found, target);
        }
        let full = self.full_name(target);
        let named = self.world.named(&found.name);
        let all = named.iter().copied().filter(|id| {
            is_top(*id) && self.fits(*id, found.arguments) && self.full_name(*id) == full
        });
        let all: Vec<SymbolId> = all.collect();
        if all.is_empty() {
            return self.resolved_to(found, target);
        }
        let of_type = |types: &[SymbolId]| -> Vec<SymbolId> {
            let is_of = |id: &SymbolId| self.owner_of(*id).is_some_and(|at| types.contains(&at));
            all.iter().copied().filter(is_of).collect()
        };
        let is_plain = |id: &SymbolId| self.world.symbol(*id, |at| !at.extension) == Some(true);
        let plain: Vec<SymbolId> = all.iter().copied().filter(is_plain).collect();
        if all.len() > 1 {
            let own = self.class_of(place).map(|class| of_type(&self.with_bases(class)));
            match (own.unwrap_or_default().as_slice(), plain.as_slice()) {
                ([only], _) | ([], [only]) => return self.resolved_to(found, *only),
                _ => {}
            }
        }
        self.one_of(found, all)
    }

    /// The result for a call of a method: it is not known which one is called if several methods of the
    /// type have its name and accept this number of arguments.
    pub(super) fn overloaded_method(&self, found: &Ref, target: SymbolId) -> Resolved {
        let path = self.world.path(target.file);
        let has_overloads = [".java", ".kt", ".cs"].iter().any(|end| path.ends_with(end));
        let count = found.arguments;
        if !has_overloads || found.kind != RefKind::Call || count == 255 {
            return self.resolved_to(found, target);
        }
        let parent = self.world.symbol(target, |at| (at.kind == Kind::Method).then_some(at.parent));
        let Some(Some(parent)) = parent else { return self.resolved_to(found, target) };
        let own = self.world.named_in(target.file, &found.name);
        // Exact matches are preferred to default arguments, and these to any number of arguments.
        let rank = |id: &SymbolId| {
            let (least, most) = self.world.symbol(*id, |symbol| {
                let is_sibling = symbol.parent == parent && symbol.kind == Kind::Method;
                is_sibling.then_some(symbol.arity)
            })??;
            let fits = least <= count && count <= most;
            fits.then_some(if least == most { 0 } else { 1 + u8::from(most == 255) })
        };
        let ranked: Vec<(u8, SymbolId)> =
            own.iter().filter_map(|id| Some((rank(id)?, *id))).collect();
        match ranked.iter().map(|(rank, _)| *rank).min() {
            Some(best) => {
                let all = ranked.into_iter().filter(|(rank, _)| *rank == best);
                self.one_of(found, all.map(|(_, id)| id).collect())
            }
            None => self.resolved_to(found, target),
        }
    }

    /// A type and the types of the project that it extends.
    fn with_bases(&self, class: SymbolId) -> Vec<SymbolId> {
        let mut all = vec![class];
        let mut at = 0;
        while let Some(class) = all.get(at).copied() {
            at += 1;
            for base in self.bases(class, 1) {
                if let Value::Symbol(id) | Value::Instance(id) = base
                    && !all.contains(&id)
                    && all.len() < MAX_TYPES
                {
                    all.push(id);
                }
            }
        }
        all
    }

    /// The extension function to which a member call refers. It must be visible in the file.
    pub(super) fn extension(
        &self,
        place: Place,
        found: &Ref,
        receiver: &Value,
    ) -> Option<Resolved> {
        let path = self.world.path(place.file);
        let is_csharp = path.ends_with(".cs");
        if !is_csharp && !path.ends_with(".kt") {
            return None;
        }
        let family = self.family(place.file);
        let named = self.world.named(&found.name);
        let mut all: Vec<(SymbolId, bool)> = Vec::new();
        for id in named.iter().copied() {
            let is_extension = self.world.symbol(id, |symbol| {
                let is_accessible = symbol.exported || id.file == place.file;
                symbol.extension && symbol.kind.is_function() && is_accessible
            });
            if is_extension == Some(true)
                && self.family(id.file) == family
                && self.fits(id, found.arguments)
            {
                match self.visibility(place, id, is_csharp) {
                    Some(is_imported) => all.push((id, is_imported)),
                    // In C#, `global using` of another file can make the function visible.
                    None if is_csharp => all.push((id, false)),
                    None => {}
                }
            }
        }
        if is_csharp {
            return match all.as_slice() {
                [(only, _)] if self.is_certain_name(place, *only, &found.name) => {
                    Some(self.resolved_to(found, *only))
                }
                _ => None,
            };
        }
        let owner = |id: SymbolId| self.owner_of(id);
        let fitting: Vec<(SymbolId, bool)> = match receiver {
            Value::Instance(class) => {
                let types = self.with_bases(*class);
                let typed = all
                    .iter()
                    .filter(|(id, _)| owner(*id).is_some_and(|owner| types.contains(&owner)));
                let typed: Vec<(SymbolId, bool)> = typed.copied().collect();
                if !typed.is_empty() {
                    return Some(self.one_of(found, typed.into_iter().map(|(id, _)| id).collect()));
                }
                all.into_iter().filter(|(id, _)| owner(*id).is_none()).collect()
            }
            Value::Literal | Value::List(_) => {
                all.into_iter().filter(|(id, _)| owner(*id).is_none()).collect()
            }
            _ => all,
        };
        // The type of the receiver is not compared. If it is a type of a package, or if the function is not
        // imported by its name, then the name must be distinctive.
        let is_enough = *receiver != Value::External;
        match fitting.as_slice() {
            [] => None,
            [(only, is_imported)] => (is_enough && *is_imported
                || self.is_certain_name(place, *only, &found.name))
            .then(|| self.resolved_to(found, *only)),
            _ => Some(self.one_of(found, fitting.into_iter().map(|(id, _)| id).collect())),
        }
    }

    /// Whether a file imports an extension function by its name; `None` if the function is not visible.
    fn visibility(&self, place: Place, id: SymbolId, is_csharp: bool) -> Option<bool> {
        let full = self.full_name(id)?;
        let (outer, _) = full.rsplit_once('.').unwrap_or(("", &full));
        // In C#, the function is a member of a static class in the namespace.
        let namespace = match is_csharp {
            true => outer.rsplit_once('.').map_or("", |(namespace, _)| namespace),
            false => outer,
        };
        let facts = self.world.facts(place.file)?;
        let own = facts.imports.package.as_deref().unwrap_or_default();
        let is_imported =
            facts.imports.imports.iter().any(
                |import| matches!(&import.name, Name::Java { name, all: false } if *name == full),
            );
        let is_visible = is_imported
            || id.file == place.file
            || own == namespace
            || self.wildcards(place.file).iter().any(|import| import == namespace);
        is_visible.then_some(is_imported)
    }
}
