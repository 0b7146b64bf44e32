//! Names that are used as values: every name in an expression that no other reference covers. Where a
//! name is not an expression, such as the name of a declaration or the target of an assignment, is data.

use super::build::Build;
use super::{Chain, Kind, RefKind, Root, go, python_values, rust_values, script_values};
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

/// The positions of names in a grammar.
struct Grammar {
    names: &'static [&'static str],
    members: &'static [&'static str],
    pruned: &'static [&'static str],
    leaves: &'static [&'static str],
    transparent: &'static [&'static str],
    /// Parent → the fields in which a node is not a value; empty: everywhere.
    declared: &'static [(&'static str, &'static [&'static str])],
}

const SCRIPT: Grammar = Grammar {
    names: &["identifier"],
    members: &["member_expression"],
    pruned: &["namespace_export"],
    leaves: &["comment", "import_statement", "regex", "string"],
    transparent: &[],
    declared: &[
        ("abstract_class_declaration", &["name"]),
        ("array_pattern", &[]),
        ("arrow_function", &["parameter"]),
        ("assignment_expression", &["left"]),
        ("assignment_pattern", &["left"]),
        ("augmented_assignment_expression", &["left"]),
        ("catch_clause", &["parameter"]),
        ("class", &["name"]),
        ("class_declaration", &["name"]),
        ("enum_declaration", &["name"]),
        ("export_specifier", &[]),
        ("for_in_statement", &["left"]),
        ("formal_parameters", &[]),
        ("function_declaration", &["name"]),
        ("function_expression", &["name"]),
        ("function_signature", &["name"]),
        ("generator_function", &["name"]),
        ("generator_function_declaration", &["name"]),
        ("index_signature", &["name"]),
        ("internal_module", &["name"]),
        ("jsx_closing_element", &[]),
        ("jsx_opening_element", &["name"]),
        ("jsx_self_closing_element", &["name"]),
        ("module", &["name"]),
        ("nested_identifier", &[]),
        ("nested_type_identifier", &[]),
        ("object_assignment_pattern", &["left"]),
        ("object_pattern", &[]),
        ("optional_parameter", &["name", "pattern"]),
        ("pair_pattern", &["value"]),
        ("required_parameter", &["name", "pattern"]),
        ("rest_pattern", &[]),
        ("type_predicate", &["name"]),
        ("update_expression", &[]),
        ("variable_declarator", &["name"]),
    ],
};

const PYTHON: Grammar = Grammar {
    names: &["identifier"],
    members: &["attribute"],
    pruned: &["global_statement", "nonlocal_statement", "type"],
    leaves: &["future_import_statement", "import_from_statement", "import_statement"],
    transparent: &["list_pattern", "pattern_list", "tuple_pattern"],
    declared: &[
        ("aliased_import", &[]),
        ("as_pattern_target", &[]),
        ("assignment", &["left"]),
        ("attribute", &["attribute"]),
        ("augmented_assignment", &["left"]),
        ("case_pattern", &[]),
        ("class_definition", &["name"]),
        ("default_parameter", &["name"]),
        ("delete_statement", &[]),
        ("dictionary_splat_pattern", &[]),
        ("dotted_name", &[]),
        ("for_in_clause", &["left"]),
        ("for_statement", &["left"]),
        ("function_definition", &["name"]),
        ("keyword_argument", &["name"]),
        ("keyword_pattern", &[]),
        ("lambda_parameters", &[]),
        ("list_splat_pattern", &[]),
        ("named_expression", &["name"]),
        ("parameters", &[]),
        ("typed_default_parameter", &["name"]),
        ("typed_parameter", &[]),
    ],
};

const GO: Grammar = Grammar {
    names: &["identifier"],
    members: &["selector_expression"],
    pruned: &["import_declaration", "package_clause"],
    leaves: &["interpreted_string_literal"],
    transparent: &["expression_list", "literal_element"],
    declared: &[
        ("assignment_statement", &["left"]),
        ("const_spec", &["name"]),
        ("function_declaration", &["name"]),
        ("keyed_element", &["key"]),
        ("parameter_declaration", &["name"]),
        ("range_clause", &["left"]),
        ("receive_statement", &["left"]),
        ("short_var_declaration", &["left"]),
        ("type_switch_statement", &["alias"]),
        ("var_spec", &["name"]),
        ("variadic_parameter_declaration", &["name"]),
    ],
};

const RUST: Grammar = Grammar {
    names: &["identifier"],
    members: &["scoped_identifier"],
    pruned: &[
        "attribute_item",
        "extern_crate_declaration",
        "inner_attribute_item",
        "label",
        "lifetime",
        "macro_definition",
        "match_pattern",
        "token_tree",
        "use_declaration",
        "visibility_modifier",
    ],
    leaves: &["string_literal"],
    transparent: &[
        "captured_pattern",
        "mut_pattern",
        "or_pattern",
        "ref_pattern",
        "reference_pattern",
        "slice_pattern",
        "tuple_pattern",
    ],
    declared: &[
        ("closure_parameters", &[]),
        ("const_item", &["name"]),
        ("const_parameter", &["name"]),
        ("enum_variant", &["name"]),
        ("field_pattern", &[]),
        ("for_expression", &["pattern"]),
        ("function_item", &["name"]),
        ("function_signature_item", &["name"]),
        ("let_condition", &["pattern"]),
        ("let_declaration", &["pattern"]),
        ("macro_invocation", &["macro"]),
        ("mod_item", &["name"]),
        ("parameter", &["pattern"]),
        ("scoped_identifier", &["name"]),
        ("static_item", &["name"]),
        ("struct_pattern", &[]),
        ("tuple_struct_pattern", &[]),
    ],
};

/// The positions in a grammar by the numbers of its kinds and fields.
#[derive(Debug)]
pub(super) struct Positions {
    flags: Vec<u8>,
    declared: Vec<Option<Vec<u16>>>,
}

impl Positions {
    /// The positions of a language in which functions are used as values by their names.
    pub(super) fn of(language: SupportLang) -> Option<&'static Self> {
        static ALL: LazyLock<[Positions; 6]> = LazyLock::new(|| {
            [
                Positions::new(SupportLang::JavaScript, &SCRIPT),
                Positions::new(SupportLang::TypeScript, &SCRIPT),
                Positions::new(SupportLang::Tsx, &SCRIPT),
                Positions::new(SupportLang::Python, &PYTHON),
                Positions::new(SupportLang::Go, &GO),
                Positions::new(SupportLang::Rust, &RUST),
            ]
        });
        let at = match language {
            SupportLang::JavaScript => 0,
            SupportLang::TypeScript => 1,
            SupportLang::Tsx => 2,
            SupportLang::Python => 3,
            SupportLang::Go => 4,
            SupportLang::Rust => 5,
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
            None => is_known(text) && !is_local(text, at),
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

/// Whether an expression consists of names.
fn is_path(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'))
}

/// The object and the name of a member.
fn member(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let first = |fields: [&str; 3]| fields.into_iter().find_map(|field| node.field(field));
    let object = first(["object", "operand", "path"])?;
    let name = match node.kind_name() {
        "member_expression" => node.field("property"),
        "attribute" => node.field("attribute"),
        "selector_expression" => node.field("field"),
        _ => node.field("name"),
    }?;
    Some((object, name))
}

fn value(build: &Build<'_>, node: Node<'_>) -> Chain {
    match build.language {
        SupportLang::Python => python_values::value(build, node),
        SupportLang::Go => go::value(build, node, 0),
        SupportLang::Rust => rust_values::value(build, node, 0),
        _ => script_values::value(build, node),
    }
}
