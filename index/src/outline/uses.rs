//! Names that are used as values: every name in an expression that no other reference covers. Where a
//! name is not an expression, such as the name of a declaration or the target of an assignment, is data.

use super::build::{Build, child_of, named};
use super::grammars::{CSHARP, GO, Grammar, JAVA, KOTLIN, PYTHON, RUST, SCRIPT};
use super::{Chain, Kind, RefKind, Root, csharp_values, go, java, kotlin_values};
use super::{python_values, rust_values, script_values};
use crate::fields::Fields as _;
use ast_grep_core::tree_sitter::LanguageExt;
use ast_grep_language::SupportLang;
use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::LazyLock;
use tree_sitter::{Node, TreeCursor};

/// An identifier that can refer to a function.
const NAME: u8 = 1;
/// A member of a value.
const MEMBER: u8 = 2;
/// No name below is a value.
const PRUNED: u8 = 4;
/// The node is in the same position as its parent.
const TRANSPARENT: u8 = 8;

/// Nothing is read below the node.
pub(super) const LEAF: u8 = 16;

/// The positions in a grammar by the numbers of its kinds and fields.
#[derive(Debug)]
pub(super) struct Positions {
    flags: Vec<u8>,
    declared: Vec<Option<Vec<u16>>>,
}

impl Positions {
    /// The positions of a language in which functions are used as values by their names.
    pub(super) fn of(language: SupportLang) -> Option<&'static Self> {
        static ALL: LazyLock<[Positions; 9]> = LazyLock::new(|| {
            [
                Positions::new(SupportLang::JavaScript, &SCRIPT),
                Positions::new(SupportLang::TypeScript, &SCRIPT),
                Positions::new(SupportLang::Tsx, &SCRIPT),
                Positions::new(SupportLang::Python, &PYTHON),
                Positions::new(SupportLang::Go, &GO),
                Positions::new(SupportLang::Rust, &RUST),
                Positions::new(SupportLang::Java, &JAVA),
                Positions::new(SupportLang::Kotlin, &KOTLIN),
                Positions::new(SupportLang::CSharp, &CSHARP),
            ]
        });
        let at = match language {
            SupportLang::JavaScript => 0,
            SupportLang::TypeScript => 1,
            SupportLang::Tsx => 2,
            SupportLang::Python => 3,
            SupportLang::Go => 4,
            SupportLang::Rust => 5,
            SupportLang::Java => 6,
            SupportLang::Kotlin => 7,
            SupportLang::CSharp => 8,
            _ => return None,
        };
        ALL.get(at)
    }

    fn new(language: SupportLang, grammar: &Grammar) -> Self {
        let language = language.get_ts_language();
        let name = |id: usize| {
            let id = u16::try_from(id).ok().filter(|id| language.node_kind_is_named(*id));
            id.and_then(|id| language.node_kind_for_id(id)).unwrap_or_default()
        };
        let flags = |id: usize| {
            let name = name(id);
            let groups = [
                (grammar.names, NAME),
                (grammar.members, MEMBER),
                (grammar.pruned, PRUNED),
                (grammar.leaves, LEAF),
                (grammar.transparent, TRANSPARENT),
            ];
            let all = groups.iter();
            all.filter(|(group, _)| group.contains(&name)).fold(0, |flags, (_, flag)| flags | flag)
        };
        let declared = |id: usize| {
            let name = name(id);
            let (_, fields) = grammar.declared.iter().find(|(parent, _)| *parent == name)?;
            let fields = fields.iter().filter_map(|field| language.field_id_for_name(field));
            Some(fields.map(NonZero::get).collect())
        };
        let count = language.node_kind_count();
        Self {
            flags: (0..count).map(flags).collect(),
            declared: (0..count).map(declared).collect(),
        }
    }

    pub(super) fn flags(&self, kind: u16) -> u8 {
        self.flags.get(usize::from(kind)).copied().unwrap_or_default()
    }

    /// Whether the node at the cursor is not a value. `parent`: the kind of its parent, and whether the
    /// parent is not a value itself.
    fn is_declared(
        &self,
        (parent, is_parent_declared): (u16, bool),
        cursor: &TreeCursor<'_>,
    ) -> bool {
        if self.flags(parent) & TRANSPARENT != 0 {
            return is_parent_declared;
        }
        match self.declared.get(usize::from(parent)) {
            Some(Some(fields)) if fields.is_empty() => true,
            Some(Some(fields)) => {
                cursor.field_id().is_some_and(|field| fields.contains(&field.get()))
            }
            _ => false,
        }
    }
}

/// A name or member that can be a value.
#[derive(Clone, Copy, Debug)]
struct Use<'t> {
    node: Node<'t>,
    is_member: bool,
    source: Option<u32>,
}

/// The names of a file that can be values, and where the pass over the tree is.
#[derive(Debug, Default)]
pub(super) struct Uses<'t> {
    found: Vec<Use<'t>>,
    /// The ancestors of the current node: their kinds, and whether they are outside of values.
    parents: Vec<(u16, bool)>,
    /// The end of a part without values.
    pruned_until: usize,
    /// Whether the last node that is in the same position as its parent is not a value.
    is_declared: bool,
}

impl<'t> Uses<'t> {
    /// Enters the children of the node that was visited last, which has this kind.
    pub(super) fn enter(&mut self, kind: u16) {
        self.parents.push((kind, std::mem::take(&mut self.is_declared)));
    }

    /// Leaves the children of a node.
    pub(super) fn leave(&mut self) {
        self.parents.pop();
    }

    /// Adds the node at the cursor, which has these flags.
    pub(super) fn add(
        &mut self,
        positions: &Positions,
        cursor: &TreeCursor<'t>,
        (node, flags): (Node<'t>, u8),
        source: impl FnOnce() -> Option<u32>,
    ) {
        self.is_declared = false;
        if flags & LEAF != 0 || node.start_byte() < self.pruned_until {
            return;
        }
        if flags & PRUNED != 0 {
            self.pruned_until = node.end_byte();
            return;
        }
        let is_declared = self.parents.last().is_some_and(|at| positions.is_declared(*at, cursor));
        if flags & TRANSPARENT != 0 {
            self.is_declared = is_declared;
        } else if !is_declared {
            let is_member = flags & MEMBER != 0;
            self.found.push(Use { node, is_member, source: source() });
        }
    }
}

/// Adds references for the names that are used as values. `known`: the names that the file declares and
/// imports, if other names cannot refer to symbols of the project.
pub(super) fn add_references(build: &mut Build<'_>, known: Option<&HashSet<String>>) {
    let uses = std::mem::take(&mut build.uses.found);
    let covered: HashSet<u32, foldhash::fast::RandomState> =
        build.out.refs.iter().map(|found| found.at.offset).collect();
    let is_known = |name: &str| known.is_none_or(|known| known.contains(name));
    let mut locals: HashMap<&str, Vec<(u32, u32)>, foldhash::fast::RandomState> =
        HashMap::default();
    let all = std::mem::take(&mut build.out.locals);
    for local in &all {
        locals.entry(&local.name).or_default().push((local.from, local.to));
    }
    let fields = build.out.symbols.iter().filter(|symbol| symbol.kind == Kind::Field);
    let fields = fields.map(|symbol| symbol.name.clone());
    let fields: HashSet<String, foldhash::fast::RandomState> =
        fields.chain(build.out.fields.iter().map(|field| field.name.clone())).collect();
    let is_local = |name: &str, at: u32| {
        let ranges = locals.get(name);
        ranges.is_some_and(|ranges| ranges.iter().any(|(from, to)| *from <= at && at < *to))
    };
    let has_field_uses =
        matches!(build.language, SupportLang::Java | SupportLang::Kotlin | SupportLang::CSharp);
    for found in uses {
        let (name, receiver) = match found.is_member {
            false => (Some(found.node), None),
            true => match member(found.node) {
                Some((object, name)) => (Some(name), Some(object)),
                None => (None, None),
            },
        };
        let Some(name) = name else { continue };
        let at = super::build::start(name).offset;
        let text = build.text_of(name);
        let is_value = match receiver {
            None => is_known(text) && !is_local(text, at) && !is_argument_name(build.text, name),
            // Here, uses of fields are references too.
            Some(_) if has_field_uses => true,
            Some(object) => match build.text_of(object) {
                "this" | "self" | "cls" | "super" | "Self" => !fields.contains(text),
                root => is_known(root) && is_path(root),
            },
        };
        if !is_value || covered.contains(&at) {
            continue;
        }
        let receiver = receiver.map(|object| value(build, object));
        if receiver.as_ref().is_some_and(|receiver| receiver.root == Root::Unknown) {
            continue;
        }
        build.refer_from(found.source, RefKind::Value, name, receiver);
    }
    build.out.locals = all;
}

/// Whether a Kotlin name is that of an argument, such as `a` in `f(a = 1)`.
fn is_argument_name(text: &str, node: Node<'_>) -> bool {
    let rest = text.get(node.end_byte()..).unwrap_or_default().trim_start();
    // tree-sitter searches siblings and parents from the root, so most names are decided before.
    node.kind_name() == "simple_identifier"
        && rest.starts_with('=')
        && node.next_sibling().is_some_and(|next| next.kind_name() == "=")
        && node.parent().is_some_and(|parent| parent.kind_name() == "value_argument")
}

/// Whether an expression consists of names.
fn is_path(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'))
}

/// The object and the name of a member.
fn member(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if node.kind_name() == "navigation_expression" {
        let suffix = named(node).last()?;
        return Some((named(node).next()?, child_of(suffix, &["simple_identifier"])?));
    }
    let first = |fields: [&str; 4]| fields.into_iter().find_map(|field| node.field(field));
    let object = first(["object", "operand", "path", "expression"])?;
    let name = match node.kind_name() {
        "member_expression" => node.field("property"),
        "attribute" => node.field("attribute"),
        "selector_expression" | "field_access" => node.field("field"),
        _ => node.field("name"),
    }?;
    // `a.b<C>` in C#
    let name = if name.kind_name() == "generic_name" { named(name).next()? } else { name };
    Some((object, name))
}

fn value(build: &Build<'_>, node: Node<'_>) -> Chain {
    match build.language {
        SupportLang::Python => python_values::value(build, node),
        SupportLang::Go => go::value(build, node, 0),
        SupportLang::Rust => rust_values::value(build, node, 0),
        SupportLang::Java => java::value(build, node, 0),
        SupportLang::Kotlin => kotlin_values::value(build, node, 0),
        SupportLang::CSharp => csharp_values::value(build, node, 0),
        _ => script_values::value(build, node),
    }
}
