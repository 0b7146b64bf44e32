//! Resolves references: which symbol a reference refers to, and how certain that is.

mod builtin;
mod globals;
mod members;
mod names;
mod namespaces;
mod overloads;
mod routers;
mod values;
pub(crate) mod world;

use crate::outline::{Kind, Ref, RefKind, Root};
use members::Member;
pub(crate) use routers::RouterId;
use std::cell::{Cell, RefCell};
use values::Value;
use world::World;

/// Maximum number of candidates of a reference.
pub(crate) const MAX_CANDIDATES: usize = 5;

/// Maximum number of steps to resolve one reference. Hand-written code needs fewer than a hundred.
const MAX_STEPS: u32 = 2000;

/// A symbol: its file, and its index in the outline of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SymbolId {
    /// The id of the file.
    pub file: u32,
    /// The index in [`Outline::symbols`](crate::outline::Outline::symbols).
    pub at: u32,
}

/// How certain a reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// The target is known.
    Proved,
    /// The target is one of the candidates, or none of them.
    Possible,
    /// Nothing in the project is known to match.
    Unresolved,
}

impl Certainty {
    /// The name stored in the database.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Possible => "possible",
            Self::Unresolved => "unresolved",
        }
    }
}

/// The result of resolving a reference.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// The kind of reference; a call of a class becomes [`RefKind::New`].
    pub kind: RefKind,
    /// The symbol to which the reference refers, if it is known.
    pub target: Option<SymbolId>,
    /// How certain the target is.
    pub certainty: Certainty,
    /// Possible targets.
    pub candidates: Vec<SymbolId>,
}

/// Name → its value, and the number of steps of the evaluation.
type Evaluated = world::Table<String, (Value, u32)>;

/// Resolves references.
#[derive(Debug)]
pub(crate) struct Resolver<'w, 'c> {
    pub(crate) world: &'w World<'c>,
    /// Method declared outside its type → that type.
    owners: RefCell<world::Table<SymbolId, Option<SymbolId>>>,
    /// The number of nested lookups of method owners in progress.
    pending_owners: Cell<u32>,
    /// The number of remaining steps for the current reference.
    steps: Cell<u32>,
    /// File and depth → the values that the file exports through wildcards.
    wildcards: RefCell<world::Table<(u32, usize), Evaluated>>,
}

impl<'w, 'c> Resolver<'w, 'c> {
    /// A resolver of the files of `world`.
    #[must_use]
    pub(crate) fn new(world: &'w World<'c>) -> Self {
        Self {
            world,
            owners: RefCell::default(),
            pending_owners: Cell::new(0),
            steps: Cell::new(MAX_STEPS),
            wildcards: RefCell::default(),
        }
    }

    /// Resolves a reference in a file.
    #[must_use]
    pub(crate) fn resolve(&self, file: u32, found: &Ref) -> Resolved {
        self.steps.set(MAX_STEPS);
        let place = Place { file, source: found.source, offset: found.at.offset };
        let is_type = matches!(found.kind, RefKind::Type | RefKind::Extends | RefKind::Implements);
        let value = match &found.receiver {
            None => self.plain(place, found, is_type),
            Some(receiver) => {
                let receiver_value = self.evaluate(place, receiver, 0);
                let member = self.member(&receiver_value, &found.name, Some(found.arguments), 0);
                match member {
                    Some(Member::Symbol(id)) => Value::Symbol(id),
                    Some(Member::Value(_)) => Value::Literal,
                    None => {
                        let is_call = found.kind == RefKind::Call;
                        let whole = receiver.clone().member(&found.name);
                        if receiver_value == Value::Unknown
                            && let Some((id, skip)) = self.constant_path(place, &whole)
                            && skip == whole.steps.len()
                        {
                            return self.resolved_to(found, id);
                        }
                        if let Some(id) = self.implied_member(place, &receiver_value, found) {
                            return self.resolved_to(found, id);
                        }
                        if let Some(resolved) =
                            is_call.then(|| self.extension(place, found, &receiver_value)).flatten()
                        {
                            return resolved;
                        }
                        return self.by_name(place, found, &receiver.root, &receiver_value);
                    }
                }
            }
        };
        match value {
            Value::Symbol(target) if found.kind == RefKind::Call && found.receiver.is_none() => {
                self.overloaded(place, found, target)
            }
            Value::Symbol(target) => self.overloaded_method(found, target),
            Value::Unknown => self.auto_imported(place, found),
            _ => Self::unresolved(found),
        }
    }

    /// Allows all steps for another reference.
    fn reset_steps(&self) {
        self.steps.set(MAX_STEPS);
    }

    /// Counts a step; `false` if no step remains or the evaluation is nested too deeply.
    fn step(&self, depth: usize) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0 && depth <= names::MAX_DEPTH
    }

    fn unresolved(found: &Ref) -> Resolved {
        Resolved {
            kind: found.kind,
            target: None,
            certainty: Certainty::Unresolved,
            candidates: Vec::new(),
        }
    }

    fn plain(&self, place: Place, found: &Ref, is_type: bool) -> Value {
        let is_call = matches!(found.kind, RefKind::Call);
        if is_call && self.has_implicit_members(place.file) {
            return match self.implicit_method(place, &found.name, found.arguments, 0) {
                Some(id) => Value::Symbol(id),
                None => Value::Unknown,
            };
        }
        if matches!(found.kind, RefKind::Value | RefKind::Use) && self.has_field_uses(place.file) {
            if let Some(nested) = self.nested(place, &found.name) {
                return Value::Symbol(nested);
            }
            let has_methods =
                found.kind == RefKind::Use || matches!(self.family(place.file), "csharp" | "ruby");
            match self.implicit_member(place, &found.name, has_methods) {
                Some(Member::Symbol(id)) => return Value::Symbol(id),
                Some(Member::Value(_)) => return Value::Unknown,
                None => {}
            }
            if let Some(id) = self.imported_member(place.file, &found.name) {
                return Value::Symbol(id);
            }
        }
        let value = self.lookup(place, &found.name, is_type, 0);
        // `[Foo]` names the attribute `FooAttribute`.
        if found.kind == RefKind::Decorates
            && !matches!(value, Value::Symbol(_))
            && self.family(place.file) == "csharp"
        {
            return self.lookup(place, &format!("{}Attribute", found.name), true, 0);
        }
        value
    }

    /// Resolves `found` to `target`, if the target suits the kind of the reference.
    fn resolved_to(&self, found: &Ref, target: SymbolId) -> Resolved {
        let Some((kind, callable)) = self.world.symbol(target, |at| (at.kind, at.callable)) else {
            return Self::unresolved(found);
        };
        let is_suitable = match found.kind {
            RefKind::Call | RefKind::New | RefKind::Decorates => {
                kind.is_function() || kind.is_type() || callable
            }
            RefKind::Use => kind != Kind::Test,
            RefKind::Value => {
                kind.is_function()
                    || kind.is_type()
                    || self.has_field_uses(target.file) && kind != Kind::Test
            }
            RefKind::Extends | RefKind::Implements | RefKind::Type => kind.is_type(),
        };
        if !is_suitable {
            let is_value = matches!(found.kind, RefKind::Call | RefKind::New);
            return Resolved {
                kind: found.kind,
                target: None,
                certainty: if is_value { Certainty::Possible } else { Certainty::Unresolved },
                candidates: if is_value { vec![target] } else { Vec::new() },
            };
        }
        let kind = match found.kind {
            RefKind::Call if kind.is_type() => RefKind::New,
            other => other,
        };
        Resolved {
            kind,
            target: Some(target),
            certainty: Certainty::Proved,
            candidates: Vec::new(),
        }
    }

    /// The candidates for a member of a value of unknown type.
    fn by_name(&self, place: Place, found: &Ref, root: &Root, receiver: &Value) -> Resolved {
        let is_open = match receiver {
            Value::Unknown => true,
            Value::Instance(class) | Value::Super(class) => self.has_unknown_base(*class, 0),
            _ => false,
        };
        let is_open = is_open && !matches!(found.kind, RefKind::Type | RefKind::Value);
        if !is_open || *root == Root::Literal {
            return Self::unresolved(found);
        }
        let family = self.family(place.file);
        let all = self.world.named(&found.name);
        let suits = |id: &&SymbolId| {
            self.family(id.file) == family
                && self.world.symbol(**id, |symbol| symbol.kind == Kind::Method) == Some(true)
        };
        let candidates: Vec<SymbolId> =
            all.iter().filter(suits).take(MAX_CANDIDATES + 1).copied().collect();
        if candidates.is_empty() {
            return Self::unresolved(found);
        }
        if let [only] = candidates.as_slice()
            && matches!(receiver, Value::Unknown)
            && all.len() == 1
            && self.is_certain_name(place, *only, &found.name)
            && (family != "rust" || self.uses_crate_of(place.file, only.file))
            && self.world.symbol(*only, |symbol| {
                let is_accessible = symbol.exported || only.file == place.file;
                !symbol.extension && (is_accessible || !self.has_field_uses(only.file))
            }) == Some(true)
            && (!matches!(family, "java" | "csharp") || word_count(&found.name) >= 3)
            && (family != "ruby" || found.arguments > 0 || found.name.ends_with(['?', '!']))
        {
            return self.resolved_to(found, *only);
        }
        Resolved {
            kind: found.kind,
            target: None,
            certainty: Certainty::Possible,
            candidates: candidates.into_iter().take(MAX_CANDIDATES).collect(),
        }
    }

    /// Whether a call on an unknown receiver can be resolved to the only definition of the name: the
    /// name has at least two words, no built-in type has a method of that name, and the method does not
    /// call itself.
    fn is_certain_name(&self, place: Place, target: SymbolId, name: &str) -> bool {
        let words = word_count(name);
        let is_itself = place.file == target.file && place.source == Some(target.at);
        words >= 2 && !is_itself && !builtin::METHODS.contains(&name)
    }

    /// Whether a Rust file is in the crate of another file or imports from it. The crate is identified by
    /// the directory above `src`, `tests`, `benches` or `examples`.
    fn uses_crate_of(&self, file: u32, other: u32) -> bool {
        let root = |file: u32| {
            let path = self.world.path(file);
            let mut at = 0;
            for part in path.split_inclusive('/') {
                if matches!(part, "src/" | "tests/" | "benches/" | "examples/") {
                    return &path[..at];
                }
                at += part.len();
            }
            path.rsplit_once('/').map_or("", |(dir, _)| dir)
        };
        let wanted = root(other);
        let is_imported = |facts: &std::sync::Arc<crate::facts::FileFacts>| {
            facts.targets.iter().flat_map(|at| &at.files).any(|file| root(*file) == wanted)
        };
        root(file) == wanted || self.world.facts(file).is_some_and(is_imported)
    }

    /// The language family of a file; code in the languages of a family can call each other.
    pub(crate) fn family(&self, file: u32) -> &'static str {
        let path = self.world.path(file);
        match path.rsplit('.').next().unwrap_or_default() {
            "py" | "pyi" => "python",
            "rs" => "rust",
            "go" => "go",
            "java" | "kt" | "kts" | "ktm" => "java",
            "cs" => "csharp",
            "rb" | "rake" | "gemspec" | "rbw" => "ruby",
            "php" => "php",
            _ => "script",
        }
    }

    /// Whether every type must be declared or imported, so that a type unknown to the project comes
    /// from a package.
    pub(crate) fn has_declared_types(&self, file: u32) -> bool {
        matches!(self.family(file), "java" | "csharp" | "php")
    }

    /// Whether uses of fields and constants are references too.
    pub(crate) fn has_field_uses(&self, file: u32) -> bool {
        matches!(self.family(file), "java" | "csharp" | "php" | "ruby")
    }

    /// Whether an unqualified name can refer to a member of the enclosing type.
    pub(crate) fn has_implicit_members(&self, file: u32) -> bool {
        matches!(self.family(file), "java" | "csharp" | "ruby")
    }
}

/// The number of words in a name: `getUserName` and `get_user_name` have three.
fn word_count(name: &str) -> usize {
    let parts = name.split('_').filter(|word| !word.is_empty()).count();
    parts.max(1 + name.chars().skip(1).filter(|c| c.is_uppercase()).count())
}

/// The position of a name, and the symbol that encloses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) file: u32,
    /// The index of the enclosing symbol.
    pub(crate) source: Option<u32>,
    pub(crate) offset: u32,
}
