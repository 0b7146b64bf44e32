//! Members of types that functions change through the type.

use super::{FileNames, Owner};
use crate::effects::scan::{Action, Expr, Source};
use crate::effects::{Map, Set};
use tree_sitter::Node;

impl<'s, 't> FileNames<'s, 't> {
    /// Finds the members that are changed through a type: `Type.count += 1`, `cls.all.append(x)`.
    pub(super) fn read_changed_members(&mut self) {
        let mut changed = Set::default();
        for (index, function) in self.scan.functions.iter().enumerate().skip(1) {
            let mut aliases: Map<&str, &'s str> = Map::default();
            let member = |node: Node<'t>, aliases: &Map<&str, &'s str>| {
                self.member_of_type(index, node, aliases)
            };
            for event in &function.events {
                match &event.action {
                    Action::Bind(name, Source::Value(value) | Source::Element(value)) => {
                        aliases.extend(member(*value, &aliases).map(|found| (*name, found)));
                    }
                    Action::Write(base, ..) => {
                        let found = member(event.node, &aliases).or(member(*base, &aliases));
                        changed.extend(found);
                    }
                    Action::Call(call) => {
                        let table = self.scan.table;
                        let method = match self.scan.expr(call.function) {
                            Expr::Member(object, name) => Some((object, name)),
                            _ => None,
                        };
                        if let Some((object, name)) = method
                            && table.can_change("", self.scan.text_of(name))
                        {
                            changed.extend(member(object, &aliases));
                        }
                        for (at, argument) in call.arguments.iter().enumerate() {
                            let Some(found) = member(argument.node, &aliases) else { continue };
                            let full = self.path_at(index, call.function);
                            let full = full.as_deref();
                            let is_plain = full
                                .is_some_and(|path| table.effects(path, None).is_some())
                                || method.is_some() && full.is_none();
                            let is_changed = |path: &str| table.changes(path).contains(&(at + 1));
                            if !is_plain || full.is_some_and(is_changed) {
                                changed.insert(found);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        self.changed_members = changed;
    }

    /// The member of a type that an expression reads, or to which it belongs: `all` in `cls.all[0].x`.
    fn member_of_type(
        &self,
        function: usize,
        node: Node<'t>,
        aliases: &Map<&str, &'s str>,
    ) -> Option<&'s str> {
        let mut node = node;
        for _ in 0..16 {
            match self.scan.expr(node) {
                Expr::Name(name) => return aliases.get(name).copied(),
                Expr::Member(object, name) => {
                    if let Expr::Name(root) = self.scan.expr(object)
                        && (root == "cls" || self.owner(function, root) == Owner::Declared)
                    {
                        return Some(self.scan.text_of(name));
                    }
                    node = object;
                }
                Expr::Index(object) | Expr::Part(object) => node = object,
                Expr::Either(parts) => node = *parts.first()?,
                Expr::Call(call) => match self.scan.expr(call.function) {
                    Expr::Member(object, _) => node = object,
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }
}
