//! Determines which names in a file refer to functions of test frameworks, by its imports and
//! declarations.

use super::framework::Framework;
use oxc_ast::ast::{
    Argument, BindingPattern, CallExpression, Declaration, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, Program, Statement,
};
use oxc_span::{GetSpan, Span};
use std::collections::BTreeMap;

/// Maximum number of links in a chain such as `test.describe.only`.
const MAX_CHAIN: usize = 8;

/// The role of a function of a test framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Test,
    Suite,
    Hook,
    Expect,
    /// The function that defines a test in a framework with other interfaces, such as ava.
    Foreign,
    /// Not a function of a test framework.
    None,
}

/// The names in a file that refer to functions of test frameworks, and its framework.
pub(super) struct Names<'a> {
    /// Few names, so that a comparison is faster than a hash.
    roles: BTreeMap<&'a str, Role>,
    /// The framework whose package the file imports; without such an import, the framework of the
    /// project.
    pub(super) framework: Framework,
    /// Whether `expect` is the function of Playwright, whose assertions on pages are asynchronous.
    pub(super) has_playwright_expect: bool,
}

/// A call that defines a test or suite, or registers a hook.
pub(super) struct Block<'a, 'n> {
    pub(super) role: Role,
    /// The name of the function: `it`, `describe`, `beforeEach`.
    pub(super) name: &'a str,
    /// The span of the name without modifiers.
    pub(super) name_span: Span,
    /// The names after the first: `only`, `each`.
    pub(super) modifiers: Vec<(&'a str, Span)>,
    pub(super) title: Option<&'n Argument<'a>>,
    pub(super) callback: Option<Callback<'a, 'n>>,
    /// The options object between title and callback, or after the callback.
    pub(super) options: Option<&'n oxc_ast::ast::ObjectExpression<'a>>,
}

/// The function that a call of a test framework runs.
#[derive(Clone, Copy)]
pub(super) struct Callback<'a, 'n> {
    pub(super) span: Span,
    pub(super) is_async: bool,
    pub(super) params: &'n oxc_ast::ast::FormalParameters<'a>,
    /// The body in braces; `None` for an expression.
    pub(super) body: Option<&'n oxc_ast::ast::FunctionBody<'a>>,
}

impl Block<'_, '_> {
    pub(super) fn has_modifier(&self, name: &str) -> bool {
        self.modifiers.iter().any(|(modifier, _)| *modifier == name)
    }

    /// Whether the block runs for each row of a table.
    pub(super) fn is_each(&self) -> bool {
        self.has_modifier("each") || self.has_modifier("for")
    }
}

fn global_role(name: &str) -> Role {
    match name {
        "it" | "test" | "specify" | "fit" | "xit" | "xtest" | "xspecify" => Role::Test,
        "describe" | "context" | "suite" | "fdescribe" | "xdescribe" | "fcontext" | "xcontext" => {
            Role::Suite
        }
        "beforeEach" | "afterEach" | "beforeAll" | "afterAll" | "before" | "after" => Role::Hook,
        "expect" => Role::Expect,
        _ => Role::None,
    }
}

impl<'a> Names<'a> {
    pub(super) fn new(program: &Program<'a>, framework: impl FnOnce() -> Framework) -> Self {
        let mut names = Self {
            roles: BTreeMap::new(),
            framework: Framework::Unknown,
            has_playwright_expect: false,
        };
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(import) => names.import(import),
                Statement::VariableDeclaration(declaration) => {
                    for declarator in &declaration.declarations {
                        if let Some(init) = &declarator.init {
                            names.declare(&declarator.id, init);
                        }
                    }
                }
                Statement::FunctionDeclaration(function) => {
                    if let Some(id) = &function.id {
                        names.bind(id.name.as_str(), Role::None);
                    }
                }
                Statement::ExportDeclaration(export) => {
                    if let Declaration::VariableDeclaration(declaration) = &export.declaration {
                        for declarator in &declaration.declarations {
                            if let Some(init) = &declarator.init {
                                names.declare(&declarator.id, init);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        if names.framework == Framework::Unknown {
            names.framework = framework();
        }
        names
    }

    fn bind(&mut self, name: &'a str, role: Role) {
        if role != Role::None || global_role(name) != Role::None {
            self.roles.insert(name, role);
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'a>) {
        let module = import.source.value.as_str();
        let origin = Framework::of_module(module);
        if let Some(framework) = origin
            && (self.framework == Framework::Unknown || framework.is_known())
        {
            self.framework = framework;
        }
        for specifier in import.specifiers.iter().flatten() {
            let local = specifier.local().name.as_str();
            let imported = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    specifier.imported.name().as_str().to_owned()
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_)
                    if matches!(origin, Some(Framework::Node | Framework::Foreign)) =>
                {
                    "test".to_owned()
                }
                _ => local.to_owned(),
            };
            self.bind_from(local, &imported, module, origin);
        }
    }

    /// Binds `local` to the export `imported` of a module.
    fn bind_from(
        &mut self,
        local: &'a str,
        imported: &str,
        module: &str,
        origin: Option<Framework>,
    ) {
        let role = match origin {
            Some(Framework::Foreign) if imported == "test" => Role::Foreign,
            Some(Framework::Foreign) => Role::None,
            Some(_) => global_role(imported),
            // The module can be a file of the project that extends the functions of the framework.
            None if global_role(local) == global_role(imported) => match global_role(local) {
                Role::Test if !matches!(local, "it" | "test") => Role::None,
                Role::Expect if module == "unexpected" || module == "expect.js" => Role::None,
                role => role,
            },
            None => Role::None,
        };
        if role == Role::Expect && origin == Some(Framework::Playwright) {
            self.has_playwright_expect = true;
        }
        self.bind(local, role);
    }

    /// Binds the names of a declaration at the top level.
    fn declare(&mut self, pattern: &BindingPattern<'a>, init: &Expression<'a>) {
        let module = match init {
            Expression::CallExpression(call) => {
                call.common_js_require().map(|literal| literal.value.as_str().to_owned())
            }
            _ => None,
        };
        let origin = module.as_deref().and_then(Framework::of_module);
        if let Some(framework) = origin {
            self.framework = framework;
        }
        match (pattern, &module) {
            (BindingPattern::ObjectPattern(object), Some(module)) => {
                for property in &object.properties {
                    let Some(id) = property.value.get_binding_identifier() else { continue };
                    let Some(imported) = property.key.static_name() else { continue };
                    self.bind_from(id.name.as_str(), &imported, module, origin);
                }
            }
            (BindingPattern::BindingIdentifier(id), Some(module)) => {
                let name = id.name.as_str();
                let is_default = matches!(origin, Some(Framework::Node | Framework::Foreign));
                let imported = if is_default { "test" } else { name };
                self.bind_from(name, imported, module, origin);
            }
            (BindingPattern::BindingIdentifier(id), None) => {
                let name = id.name.as_str();
                let role = global_role(name);
                // `const test = base.extend(…)`, `const it = isLinux ? test : test.skip`.
                let is_derived = match init {
                    Expression::CallExpression(call) => {
                        call.callee.get_member_expr().is_some_and(|member| {
                            matches!(
                                member.static_property_name(),
                                Some("extend" | "skipIf" | "runIf" | "scoped")
                            )
                        })
                    }
                    Expression::ConditionalExpression(_) => true,
                    _ => false,
                };
                self.bind(name, if is_derived { role } else { Role::None });
            }
            (BindingPattern::ObjectPattern(object), None) => {
                // `const { expect } = chai`.
                let is_chai = init.is_specific_id("chai");
                for property in &object.properties {
                    if let Some(id) = property.value.get_binding_identifier()
                        && !is_chai
                    {
                        self.bind(id.name.as_str(), Role::None);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn role(&self, name: &str) -> Role {
        self.roles.get(name).copied().unwrap_or_else(|| global_role(name))
    }

    /// The test, suite or hook that a call defines.
    pub(super) fn block<'n>(&self, call: &'n CallExpression<'a>) -> Option<Block<'a, 'n>> {
        // Most calls do not define a test.
        let root = root_name(&call.callee)?;
        let defines = |role| matches!(role, Role::Test | Role::Suite | Role::Hook | Role::Foreign);
        if root != "Deno" && !defines(self.role(root)) {
            return None;
        }
        let mut modifiers = Vec::new();
        let mut callee = &call.callee;
        let (name, name_span) = loop {
            match callee {
                Expression::Identifier(id) => break (id.name.as_str(), id.span),
                Expression::StaticMemberExpression(member) if modifiers.len() < MAX_CHAIN => {
                    modifiers.push((member.property.name.as_str(), member.property.span));
                    callee = &member.object;
                }
                // `it.each(table)(…)`, `it.skipIf(condition)(…)`.
                Expression::CallExpression(inner) if modifiers.is_empty() => {
                    let member = inner.callee.get_member_expr()?;
                    let name = member.static_property_name()?;
                    is_factory(name).then_some(())?;
                    callee = &inner.callee;
                }
                Expression::CallExpression(inner) if modifiers.len() < MAX_CHAIN => {
                    callee = &inner.callee;
                }
                Expression::TaggedTemplateExpression(tagged) if modifiers.is_empty() => {
                    callee = &tagged.tag;
                }
                _ => return None,
            }
        };
        // `it.each(table)` returns the function that defines the tests.
        if let Expression::StaticMemberExpression(member) = &call.callee
            && is_factory(member.property.name.as_str())
        {
            return None;
        }
        modifiers.reverse();
        let mut role = self.role(name);
        if name == "Deno" && modifiers.first().is_some_and(|(first, _)| *first == "test") {
            modifiers.remove(0);
            role = Role::Foreign;
        }
        // `test.describe(…)` and `test.beforeEach(…)` of Playwright.
        if role == Role::Test
            && let Some(&(first, _)) = modifiers.first()
            && matches!(global_role(first), Role::Suite | Role::Hook)
        {
            role = global_role(first);
            modifiers.remove(0);
        }
        if !defines(role) || !modifiers.iter().all(|(modifier, _)| is_modifier(modifier)) {
            return None;
        }
        let callback = call.arguments.iter().take(3).find_map(callback);
        let is_hook = role == Role::Hook;
        let title = call.arguments.first().filter(|_| !is_hook);
        let options = call.arguments.iter().skip(1).take(2).find_map(|argument| match argument {
            Argument::ObjectExpression(object) => Some(&**object),
            _ => None,
        });
        Some(Block { role, name, name_span, modifiers, title, callback, options })
    }
}

/// The name with which a callee begins: `it` in `it.each(table)`.
fn root_name<'a>(mut callee: &Expression<'a>) -> Option<&'a str> {
    for _ in 0..=2 * MAX_CHAIN {
        callee = match callee {
            Expression::Identifier(id) => return Some(id.name.as_str()),
            Expression::StaticMemberExpression(member) => &member.object,
            Expression::CallExpression(call) => &call.callee,
            Expression::TaggedTemplateExpression(tagged) => &tagged.tag,
            _ => return None,
        };
    }
    None
}

/// Whether a member of a test function returns the function that defines the test.
fn is_factory(name: &str) -> bool {
    matches!(name, "each" | "for" | "if" | "runIf" | "skipIf" | "todoIf")
}

fn is_modifier(name: &str) -> bool {
    is_factory(name)
        || matches!(
            name,
            "only"
                | "skip"
                | "todo"
                | "concurrent"
                | "sequential"
                | "serial"
                | "parallel"
                | "failing"
                | "fails"
                | "fail"
                | "fixme"
                | "shuffle"
                | "slow"
                | "ignore"
        )
}

fn callback<'a, 'n>(argument: &'n Argument<'a>) -> Option<Callback<'a, 'n>> {
    match argument {
        Argument::FunctionExpression(function) => Some(Callback {
            span: function.span,
            is_async: function.r#async,
            params: &function.params,
            body: function.body.as_deref(),
        }),
        Argument::ArrowFunctionExpression(arrow) => Some(Callback {
            span: arrow.span(),
            is_async: arrow.r#async,
            params: &arrow.params,
            body: arrow.body.as_function_body(),
        }),
        _ => None,
    }
}
