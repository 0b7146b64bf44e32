//! The rule on listeners, timers, observers and subscriptions that are never stopped.

use super::ast::*;
use super::cleanup;
use super::effects::Dependencies;
use super::layouts;
use super::recurring;
use super::subscriptions;
use super::walk::{Role, Walker};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;

/// How a callback declares that it stops what it starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cleanup {
    /// It returns a function.
    Returned,
    /// Another callback or method does it.
    Elsewhere,
}

/// Something that runs until it is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    Listener,
    /// A listener of the element of a ref.
    ElementListener,
    Timer,
    Observer,
    Subscription,
    /// A listener of a socket or of another emitter of events.
    EmitterListener,
    /// A listener that the renderer of Angular added.
    RendererListener,
}

impl Resource {
    fn name(self) -> &'static str {
        match self {
            Self::Listener
            | Self::ElementListener
            | Self::EmitterListener
            | Self::RendererListener => "listener",
            Self::Timer => "timer",
            Self::Observer => "observer",
            Self::Subscription => "subscription",
        }
    }

    /// What the cleanup must call.
    fn remedy(self) -> &'static str {
        match self {
            Self::Listener | Self::ElementListener => "`removeEventListener`",
            Self::Timer => "`clearInterval`",
            Self::Observer => "`disconnect`",
            Self::Subscription => "`unsubscribe`",
            Self::EmitterListener => "`off`",
            Self::RendererListener => "the function that `listen` returns",
        }
    }

    /// Words of calls that stop it.
    fn stops(self) -> &'static [&'static str] {
        match self {
            Self::Listener | Self::ElementListener => &["removeEventListener", ".abort("],
            Self::Timer => &["clearInterval", "clearTimeout"],
            Self::Observer => &["disconnect(", "unobserve("],
            Self::Subscription => &["nsubscribe", "takeUntil", ".complete("],
            Self::EmitterListener => {
                &[".off(", "emoveListener", "emoveAllListeners", "isconnect(", ".close("]
            }
            Self::RendererListener => &["nlisten"],
        }
    }
}

/// Words of calls that stop something, in an effect of React or in a class.
pub(super) const STOPS: [&str; 12] = [
    "removeEventListener",
    "clearInterval",
    "disconnect(",
    "unobserve(",
    "nsubscribe",
    ".close(",
    ".off(",
    "removeListener",
    ".remove(",
    ".destroy(",
    ".abort(",
    ".terminate(",
];

/// Modules that export the lifecycle of Vue.
const VUE: [&str; 4] = ["vue", "#imports", "@vue/composition-api", "nuxt/app"];

/// Checks the calls that register callbacks of Vue and Svelte.
#[inline(never)]
pub(super) fn check_call<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let (cleanup, dependencies) = match name_of(&call.callee) {
        Some("onMount") if walker.imports.is_from_any("onMount", &["svelte"]) => {
            (Cleanup::Returned, Dependencies::Mount)
        }
        Some("$effect") if walker.imports.has_runes => (Cleanup::Returned, Dependencies::Unknown),
        Some(name @ ("onMounted" | "onBeforeMount" | "onActivated")) => {
            // The name can be imported automatically, also in a project with components of React.
            let is_vue = match walker.imports.find(name) {
                Some(import) => VUE.contains(&import.module),
                None => walker.imports.is_vue_file || !walker.package.has_react,
            };
            if !is_vue {
                return;
            }
            let is_repeated = name == "onActivated";
            let dependencies =
                if is_repeated { Dependencies::Unknown } else { Dependencies::Mount };
            (Cleanup::Elsewhere, dependencies)
        }
        _ => return,
    };
    let Some(function) = Callable::of_argument(call, 0) else { return };
    if cleanup == Cleanup::Returned {
        cleanup::check_async(walker, function, "Svelte");
    }
    check_component(walker, function, &dependencies, cleanup);
}

/// Checks the options of a component of Vue: `mounted() { … }`.
#[inline(never)]
pub(super) fn check_options<'a>(walker: &mut Walker<'a, '_, '_>, object: &ObjectExpression<'a>) {
    if !walker.imports.is_vue_file {
        return;
    }
    for name in ["mounted", "created", "beforeMount", "activated"] {
        let Some(function) = property(object, name).and_then(Callable::of) else { continue };
        let dependencies =
            if name == "activated" { Dependencies::Unknown } else { Dependencies::Mount };
        check_component(walker, function, &dependencies, Cleanup::Elsewhere);
    }
}

/// Checks a callback of a component whose whole script can stop what the callback starts.
fn check_component<'a>(
    walker: &mut Walker<'a, '_, '_>,
    function: Callable<'_, 'a>,
    dependencies: &Dependencies<'_, 'a>,
    cleanup: Cleanup,
) {
    if walker.stops_on_removal() || recurring::is_root(walker.report.source().path()) {
        return;
    }
    check_leaks(walker, function, Scope::Script, dependencies, cleanup);
}

/// Checks the code that runs for each new component of Vue or Svelte.
pub(super) fn check_setup<'a>(walker: &mut Walker<'a, '_, '_>, program: &Program<'a>) {
    if walker.stops_on_removal() || recurring::is_root(walker.report.source().path()) {
        return;
    }
    let mut found = Vec::new();
    collect_starts(walker, &program.body, walker.text, &Dependencies::Mount, &mut found);
    retain_unstopped(walker.text, &mut found);
    report(walker, found, &Dependencies::Mount, Cleanup::Elsewhere);
}

/// Checks the method of a class that runs when its component appears.
pub(super) fn check_method<'a>(
    walker: &mut Walker<'a, '_, '_>,
    method: &Function<'a>,
    class: Span,
) {
    let function = Callable::Function(method);
    let scope = Scope::Part(class);
    check_leaks(walker, function, scope, &Dependencies::Mount, Cleanup::Elsewhere);
}

/// Where the source can stop what a callback starts.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    /// In the effect or the class.
    Part(Span),
    /// Anywhere in the script of a component, with a call for the same kind of thing.
    Script,
}

/// Maximum length in bytes of an effect that is checked for leaks.
const MAX_EFFECT: usize = 16 << 10;

/// Reports what a callback starts and never stops.
pub(super) fn check_leaks<'a>(
    walker: &mut Walker<'a, '_, '_>,
    function: Callable<'_, 'a>,
    scope: Scope,
    dependencies: &Dependencies<'_, 'a>,
    cleanup: Cleanup,
) {
    if cleanup == Cleanup::Returned && returns_value(function.statements()) {
        return;
    }
    if let Scope::Part(scope) = scope {
        let text = walker.slice(scope);
        let is_too_long = cleanup == Cleanup::Returned && text.len() > MAX_EFFECT;
        if is_too_long || STOPS.iter().any(|word| contains(text, word)) {
            return;
        }
    }
    let mut found = Vec::new();
    if let Some(call) = function.expression().and_then(call_of) {
        // An arrow function returns the result, which can be the function that stops it.
        if callee_name(call) == Some("addEventListener") {
            found.extend(started_by(walker, call, dependencies));
        }
    }
    let body = walker.slice(function.span());
    collect_starts(walker, function.statements(), body, dependencies, &mut found);
    if let Scope::Script = scope {
        retain_unstopped(walker.text, &mut found);
    }
    report(walker, found, dependencies, cleanup);
}

/// Drops what some call in the script can stop.
fn retain_unstopped(script: &str, found: &mut Vec<Started>) {
    found.retain(|(_, what)| !what.stops().iter().any(|word| contains(script, word)));
}

fn report(
    walker: &mut Walker<'_, '_, '_>,
    found: Vec<Started>,
    dependencies: &Dependencies<'_, '_>,
    cleanup: Cleanup,
) {
    if found.is_empty() {
        return;
    }
    let is_recurring = match walker.component() {
        // The source does not show which components use a hook.
        Some(frame) if frame.role == Role::Hook => false,
        frame => {
            recurring::is_recurring(walker.report.source().path())
                || frame.and_then(|frame| frame.name).is_some_and(recurring::has_word)
        }
    };
    let is_recurring =
        is_recurring && !layouts::only_layouts_use(walker.files, walker.report.source().path());
    for (place, what) in found {
        let message = format!("{} is never stopped", what.name());
        let Some(finding) = walker.at("perf/leaking-effect", place, message) else { continue };
        let remedy = what.remedy();
        finding.help(match cleanup {
            Cleanup::Returned => format!("Return a function that calls {remedy}."),
            Cleanup::Elsewhere => format!("Call {remedy} when the component is removed."),
        });
        // Most components that exist once are removed with the page, and nothing accumulates. The
        // element of a ref can be another one each time.
        let is_repeated = dependencies.is_repeated() || is_recurring;
        if !is_repeated || what == Resource::ElementListener {
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

/// What something starts, and where.
pub(super) type Started = (Span, Resource);

/// Collects what statements start, also in branches, but not in nested functions.
fn collect_starts<'a>(
    walker: &Walker<'a, '_, '_>,
    statements: &[Statement<'a>],
    body: &str,
    dependencies: &Dependencies<'_, 'a>,
    found: &mut Vec<Started>,
) {
    for statement in statements {
        match statement {
            Statement::ExpressionStatement(statement) => {
                if let Some(call) = call_of(&statement.expression) {
                    found.extend(started_by(walker, call, dependencies));
                }
            }
            Statement::VariableDeclaration(declaration) => {
                for declarator in &declaration.declarations {
                    found.extend(started_by_declaration(walker, declarator, body));
                }
            }
            Statement::IfStatement(branch) => {
                let inner = block_statements(&branch.consequent);
                collect_starts(walker, inner, body, dependencies, found);
            }
            Statement::BlockStatement(block) => {
                collect_starts(walker, &block.body, body, dependencies, found);
            }
            _ => {}
        }
    }
}

/// What a call starts whose result nobody uses.
fn started_by<'a>(
    walker: &Walker<'a, '_, '_>,
    call: &CallExpression<'a>,
    dependencies: &Dependencies<'_, 'a>,
) -> Option<Started> {
    let object = receiver(call);
    let root = object.and_then(root_name);
    let place = span(call.span);
    match callee_name(call)? {
        "addEventListener" => {
            let is_global = match object {
                None => true,
                Some(object) => {
                    let text = slice(walker.text, object);
                    matches!(text, "window" | "document" | "globalThis" | "self" | "document.body")
                        || text == "window.visualViewport"
                }
            };
            // The element of a ref disappears with the component, but not between two effects.
            let is_repeated = dependencies.is_repeated()
                && !matches!(dependencies, Dependencies::Unknown)
                && object.is_some_and(|object| slice(walker.text, object).ends_with(".current"));
            let stops_itself = match call.arguments.get(2).and_then(Argument::as_expression) {
                None => false,
                Some(options) => match options.get_inner_expression() {
                    Expression::BooleanLiteral(_) => false,
                    Expression::ObjectExpression(object) => {
                        property(object, "once").is_some() || property(object, "signal").is_some()
                    }
                    _ => true,
                },
            };
            let is_one_time = string_argument(call, 0)
                .is_some_and(|event| matches!(event, "load" | "DOMContentLoaded"));
            let is_leak = (is_global || is_repeated) && !stops_itself && !is_one_time;
            let what = if is_global { Resource::Listener } else { Resource::ElementListener };
            is_leak.then_some((place, what))
        }
        "setInterval" => {
            let is_timer = matches!(root, None | Some("window" | "globalThis"))
                && walker.state_of_setter("setInterval").is_none()
                && call.arguments.len() >= 2;
            is_timer.then_some((place, Resource::Timer))
        }
        "subscribe" => {
            let is_endless = subscriptions::is_endless(walker, object?);
            is_endless.then_some((place, Resource::Subscription))
        }
        "listen" => {
            let is_leak = subscriptions::is_global_listener(call, object?);
            is_leak.then_some((place, Resource::RendererListener))
        }
        "on" => {
            let name = object.and_then(name_of)?.to_ascii_lowercase();
            let is_emitter = name.ends_with("socket") || name.ends_with("emitter");
            is_emitter.then_some((place, Resource::EmitterListener))
        }
        _ => None,
    }
}

/// What a declaration starts, if nothing but the declaration and calls of `observe` use the name.
fn started_by_declaration<'a>(
    walker: &Walker<'a, '_, '_>,
    declarator: &VariableDeclarator<'a>,
    body: &str,
) -> Option<Started> {
    let name = binding_name(&declarator.id)?;
    let init = declarator.init.as_ref()?;
    if body.len() > MAX_EFFECT {
        return None;
    }
    if let Expression::NewExpression(new) = init.get_inner_expression() {
        let class = name_of(&new.callee).filter(|class| class.ends_with("Observer"))?;
        let observes = body.matches(&format!("{name}.observe(")).count()
            + body.matches(&format!("{name}?.observe(")).count();
        if observes == 0 || count_mentions(body, name) != observes + 1 {
            return None;
        }
        let is_known = matches!(
            class,
            "ResizeObserver" | "IntersectionObserver" | "MutationObserver" | "PerformanceObserver"
        );
        return is_known.then_some((span(new.span), Resource::Observer));
    }
    let call = call_of(init).filter(|call| callee_name(call) == Some("setInterval"))?;
    let is_timer =
        walker.state_of_setter("setInterval").is_none() && count_mentions(body, name) == 1;
    is_timer.then(|| (span(call.span), Resource::Timer))
}
