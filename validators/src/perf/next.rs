//! Rules for projects with Next: scripts, fonts, documents and links.

use super::ast::*;
use super::declared;
use super::project::NextRole;
use super::walk::Walker;
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// The modules of Next whose components have a meaning of their own.
const HEAD: &str = "next/head";
const DOCUMENT: &str = "next/document";
const SCRIPT: &str = "next/script";
const IMAGE: &str = "next/image";

const ANALYTICS: &str = "analytics compete with the page for the network";
const ANALYTICS_HELP: &str = "Use `GoogleAnalytics` or `GoogleTagManager` from `@next/third-parties/google`, or `Script` from `next/script`.";

/// The attribute of an element with this name.
fn attribute<'b, 'a>(
    element: &'b JSXOpeningElement<'a>,
    name: &str,
) -> Option<&'b JSXAttribute<'a>> {
    element
        .attributes
        .iter()
        .filter_map(JSXAttributeItem::as_attribute)
        .find(|attribute| attribute.is_identifier(name))
}

/// The text of an attribute that the source shows.
fn text_of<'a>(element: &JSXOpeningElement<'a>, name: &str) -> Option<&'a str> {
    match attribute(element, name)?.value.as_ref()? {
        JSXAttributeValue::StringLiteral(literal) => Some(literal.value.as_str()),
        JSXAttributeValue::ExpressionContainer(container) => {
            container.expression.as_expression().and_then(string_of)
        }
        _ => None,
    }
}

fn has_spread(element: &JSXOpeningElement<'_>) -> bool {
    element.attributes.iter().any(|item| item.as_spread().is_some())
}

/// The name of an element, and the module that exports it.
pub(super) fn name_and_module<'a>(
    walker: &Walker<'a, '_, '_>,
    element: &JSXOpeningElement<'a>,
) -> (&'a str, &'a str) {
    match &element.name {
        JSXElementName::Identifier(identifier) => (identifier.name.as_str(), ""),
        JSXElementName::IdentifierReference(identifier) => {
            let name = identifier.name.as_str();
            let mut components = walker.imports.next_components.iter();
            (name, components.find(|(local, _)| *local == name).map_or("", |(_, module)| *module))
        }
        _ => ("", ""),
    }
}

/// Checks an element in a project with Next. `outer` has the names and modules of the elements that
/// enclose it.
#[inline(never)]
pub(super) fn check_element<'a>(
    walker: &mut Walker<'a, '_, '_>,
    element: &JSXElement<'a>,
    outer: &[(&'a str, &'a str)],
) {
    let opening = &*element.opening_element;
    let (name, module) = name_and_module(walker, opening);
    let place = span(opening.span);
    let role = walker.imports.next_role;
    let in_module =
        |wanted: &str| outer.iter().any(|(name, module)| *name == "Head" && *module == wanted);
    match (name, module) {
        ("img", _) if outer.last().is_none_or(|(name, _)| *name != "picture") => {
            check_image(walker, opening, place);
        }
        ("script", _) => check_script(walker, opening, place),
        ("link", _) => check_link(walker, opening, place),
        ("a", _) => check_anchor(walker, opening, place),
        ("head", _) if matches!(role, NextRole::Page | NextRole::App) => {
            report(
                walker,
                "next-head-element",
                place,
                "`<head>` is not rendered into the head of the page",
                "Use `Head` from `next/head`.",
            );
        }
        ("title", _) if role == NextRole::Document && in_module(DOCUMENT) => {
            report(
                walker,
                "next-document-title",
                place,
                "a title in the document is the same on all pages",
                "Set the title with `Head` from `next/head` in the pages.",
            );
        }
        ("style", _) if role == NextRole::Document && attribute(opening, "jsx").is_some() => {
            report(
                walker,
                "next-document-style",
                place,
                "styled-jsx does not work in the document",
                "Import a style sheet in `_app`.",
            );
        }
        ("Head", DOCUMENT | HEAD) if role == NextRole::Document => {
            walker.document_heads += 1;
            if walker.document_heads == 2 {
                report(
                    walker,
                    "next-duplicate-head",
                    place,
                    "second `Head` in the document",
                    "Put the elements into the first one.",
                );
            }
        }
        (_, IMAGE) => check_next_image(walker, opening, place),
        (_, SCRIPT) => check_next_script(walker, element, place, in_module(HEAD)),
        _ => {}
    }
}

fn report(walker: &mut Walker<'_, '_, '_>, rule: &str, place: Span, message: &str, help: &str) {
    if let Some(finding) = walker.at(&format!("perf/{rule}"), place, message) {
        finding.help(help);
    }
}

fn check_image<'a>(walker: &mut Walker<'a, '_, '_>, element: &JSXOpeningElement<'a>, place: Span) {
    // These are not optimized anyway.
    let is_unchanged = address_of(walker, element)
        .is_some_and(|source| source.starts_with("data:") || is_vector(&source));
    if attribute(element, "src").is_some() && !is_unchanged && !walker.imports.is_no_page {
        report(
            walker,
            "next-img-element",
            place,
            "`<img>` loads the image in its full size",
            "Use `Image` from `next/image`.",
        );
    }
}

/// The address of an image, as far as the file shows it.
fn address_of<'a>(walker: &Walker<'a, '_, '_>, element: &JSXOpeningElement<'a>) -> Option<String> {
    if let Some(text) = text_of(element, "src") {
        return Some(text.to_owned());
    }
    let JSXAttributeValue::ExpressionContainer(container) =
        attribute(element, "src")?.value.as_ref()?
    else {
        return None;
    };
    let expression = container.expression.as_expression()?;
    declared::text_of(expression).or_else(|| {
        let name = name_of(expression)?;
        walker.declared().text(name, element.span.start).map(str::to_owned)
    })
}

/// Whether the path of an address says that the image is a vector graphic, as badges are.
fn is_vector(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let is_raster =
        [".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif"].iter().any(|end| path.ends_with(end));
    path.ends_with(".svg")
        || !is_raster && path.split('/').skip(1).any(|part| matches!(part, "svg" | "badge"))
}

/// Reports an image that fills its container, and whose width in the page is unknown.
fn check_next_image<'a>(
    walker: &mut Walker<'a, '_, '_>,
    element: &JSXOpeningElement<'a>,
    place: Span,
) {
    let is_unknown = has_spread(element)
        || ["sizes", "unoptimized", "loader"].iter().any(|name| attribute(element, name).is_some());
    let is_vector = text_of(element, "src").is_some_and(is_vector);
    let fills = attribute(element, "fill").is_some_and(|fill| match &fill.value {
        None => true,
        Some(JSXAttributeValue::ExpressionContainer(container)) => matches!(
            container.expression.as_expression(),
            Some(Expression::BooleanLiteral(literal)) if literal.value
        ),
        Some(_) => false,
    });
    if fills && !is_unknown && !is_vector && !walker.package.has_plain_images {
        report(
            walker,
            "next-image-sizes",
            place,
            "`fill` without `sizes`: the browser loads an image as wide as the window",
            "Add `sizes` with the width of the image in the page, such as `sizes=\"(min-width: 768px) 50vw, 100vw\"`.",
        );
    }
}

/// Whether an inline script loads the analytics of Google.
fn loads_analytics<'a>(walker: &Walker<'a, '_, '_>, element: &JSXOpeningElement<'a>) -> bool {
    attribute(element, "dangerouslySetInnerHTML").is_some_and(|content| {
        let text = slice(walker.text, content);
        contains(text, "googletagmanager.com/gtm.js")
            || contains(text, "google-analytics.com/analytics.js")
    })
}

fn check_script<'a>(walker: &mut Walker<'a, '_, '_>, element: &JSXOpeningElement<'a>, place: Span) {
    if loads_analytics(walker, element) {
        report(walker, "next-analytics-script", place, ANALYTICS, ANALYTICS_HELP);
        return;
    }
    if attribute(element, "src").is_none() || has_spread(element) {
        return;
    }
    let is_analytics = text_of(element, "src").is_some_and(|source| {
        contains(source, "googletagmanager.com/gtag")
            || contains(source, "google-analytics.com/analytics.js")
    });
    let is_deferred = ["async", "defer", "type", "noModule"]
        .iter()
        .any(|name| attribute(element, name).is_some());
    if is_analytics {
        report(walker, "next-analytics-script", place, ANALYTICS, ANALYTICS_HELP);
    } else if !is_deferred {
        report(
            walker,
            "blocking-script",
            place,
            "script blocks rendering until it has loaded and run",
            "Use `Script` from `next/script`, or add `async` or `defer`.",
        );
    }
}

fn check_link<'a>(walker: &mut Walker<'a, '_, '_>, element: &JSXOpeningElement<'a>, place: Span) {
    let Some(target) = text_of(element, "href") else { return };
    let is_sheet = text_of(element, "rel") == Some("stylesheet");
    let is_font = is_sheet && contains(target, "fonts.googleapis.com/css");
    let role = walker.imports.next_role;
    if is_font {
        if matches!(role, NextRole::Page) {
            report(
                walker,
                "next-page-font",
                place,
                "the font is loaded for this page only",
                "Use `next/font`, or load the font in `_document`.",
            );
        }
    } else if is_sheet
        && target.starts_with('/')
        && !target.starts_with("//")
        && walker.package.has_next
    {
        report(
            walker,
            "next-style-link",
            place,
            "style sheet outside of the build: not minified, and requested separately",
            "Import the style sheet in a component.",
        );
    }
}

fn check_anchor<'a>(walker: &mut Walker<'a, '_, '_>, element: &JSXOpeningElement<'a>, place: Span) {
    let Some(target) = text_of(element, "href") else { return };
    let leaves = ["target", "download"].iter().any(|name| attribute(element, name).is_some());
    if !target.starts_with('/') || target.starts_with("//") || leaves || has_spread(element) {
        return;
    }
    let route = target.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
    let is_plain = route
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'));
    if !is_plain || route.split('/').next() == Some("api") {
        return;
    }
    let dir = &walker.package.dir;
    let below = if route.is_empty() { String::new() } else { format!("{route}/") };
    let stems =
        [format!("pages/{below}index"), format!("pages/{route}"), format!("app/{below}page")];
    let listing = walker.files.listing();
    let is_file = |path: &str| match listing {
        Some(listing) => listing.has_file(path),
        None => walker.files.exists(path),
    };
    let exists = ["", "src/"].iter().any(|source| {
        stems.iter().any(|stem| {
            ["tsx", "jsx", "ts", "js"]
                .iter()
                .any(|end| is_file(&format!("{dir}{source}{stem}.{end}")))
        })
    });
    if exists {
        report(
            walker,
            "next-html-link",
            place,
            "the link to a page of the project reloads everything",
            "Use `Link` from `next/link`.",
        );
    }
}

fn check_next_script<'a>(
    walker: &mut Walker<'a, '_, '_>,
    element: &JSXElement<'a>,
    place: Span,
    is_in_head: bool,
) {
    let opening = &*element.opening_element;
    if is_in_head {
        report(
            walker,
            "next-script-in-head",
            place,
            "`Script` does not work in `Head` of `next/head`",
            "Put it outside of `Head`.",
        );
    }
    let has_text = element.children.iter().any(|child| match child {
        JSXChild::Text(text) => !text.value.trim().is_empty(),
        JSXChild::ExpressionContainer(container) => container.expression.as_expression().is_some(),
        _ => false,
    });
    let is_inline = has_text || attribute(opening, "dangerouslySetInnerHTML").is_some();
    if is_inline && attribute(opening, "id").is_none() && !has_spread(opening) {
        report(
            walker,
            "next-inline-script-id",
            place,
            "inline `Script` without `id`: Next cannot tell whether it has already run",
            "Add a unique `id`.",
        );
    }
    let is_early = text_of(opening, "strategy") == Some("beforeInteractive");
    if is_early && matches!(walker.imports.next_role, NextRole::Page | NextRole::App) {
        report(
            walker,
            "next-before-interactive",
            place,
            "`beforeInteractive` has no effect outside of `_document`",
            "Move the script to `pages/_document`.",
        );
    }
}

/// Functions that Next calls by name.
const DATA_FUNCTIONS: [&str; 3] = ["getStaticProps", "getStaticPaths", "getServerSideProps"];

/// Checks the imports and exports of a module.
pub(super) fn check_module<'a>(walker: &mut Walker<'a, '_, '_>, program: &Program<'a>) {
    let role = walker.imports.next_role;
    // Other exports of `next/document` are types.
    const COMPONENTS: [&str; 6] = ["*", "default", "Head", "Html", "Main", "NextScript"];
    let span_of = |walker: &Walker<'a, '_, '_>, module: &str| {
        let mut imports = walker.imports.all.iter();
        imports
            .find(|it| it.module == module && !it.is_type && COMPONENTS.contains(&it.name))
            .map(|import| import.span)
    };
    if matches!(role, NextRole::Page | NextRole::App | NextRole::AppRouter)
        && let Some(place) = span_of(walker, DOCUMENT)
    {
        report(
            walker,
            "next-document-import",
            place,
            "`next/document` only works in `pages/_document`",
            "Use `Head` from `next/head` or `metadata`.",
        );
    }
    if role == NextRole::Document
        && let Some(place) = span_of(walker, HEAD)
    {
        report(
            walker,
            "next-head-in-document",
            place,
            "`next/head` does not work in the document",
            "Use `Head` from `next/document`.",
        );
    }
    for statement in &program.body {
        match statement {
            Statement::ExportDeclaration(export) if role == NextRole::Page => {
                let id = match &export.declaration {
                    Declaration::FunctionDeclaration(function) => {
                        function.id.as_ref().map(|id| (id.name.as_str(), id.span))
                    }
                    Declaration::VariableDeclaration(declaration) => {
                        declaration.declarations.first().and_then(|it| {
                            let identifier = it.id.get_binding_identifier()?;
                            Some((identifier.name.as_str(), identifier.span))
                        })
                    }
                    _ => None,
                };
                if let Some((name, place)) = id {
                    check_name(walker, program, name, span(place));
                }
            }
            Statement::ExportDefaultDeclaration(export) if walker.imports.is_client_module => {
                if let Some(place) = async_component(program, &export.declaration) {
                    report(
                        walker,
                        "next-async-client-component",
                        place,
                        "client components cannot be `async`",
                        "Load the data in a server component, or with a hook.",
                    );
                }
            }
            _ => {}
        }
    }
}

/// The start of the `async` function that is exported as a component.
fn async_component(
    program: &Program<'_>,
    declaration: &ExportDefaultDeclarationKind<'_>,
) -> Option<Span> {
    let of_function = |function: &Function<'_>| {
        let id = function.id.as_ref().filter(|id| is_component_name(&id.name))?;
        function.r#async.then_some(Span { start: function.span.start, end: id.span.end })
    };
    if let ExportDefaultDeclarationKind::FunctionDeclaration(function) = declaration {
        return of_function(function);
    }
    let name = name_of(declaration.as_expression()?).filter(|name| is_component_name(name))?;
    program.body.iter().find_map(|statement| match statement {
        Statement::FunctionDeclaration(function) => {
            function.id.as_ref().filter(|id| id.name == name).and_then(|_| of_function(function))
        }
        Statement::VariableDeclaration(declaration) => {
            let mut all = declaration.declarations.iter();
            let declarator = all.find(|it| binding_name(&it.id) == Some(name))?;
            let function = Callable::of(declarator.init.as_ref()?)?;
            function.is_async().then(|| span(declarator.id.span()))
        }
        _ => None,
    })
}

/// Whether a statement exports a function or constant with this name.
fn exports(statement: &Statement<'_>, name: &str) -> bool {
    match statement {
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::FunctionDeclaration(it) => {
                it.id.as_ref().is_some_and(|id| id.name == name)
            }
            Declaration::VariableDeclaration(it) => {
                it.declarations.iter().any(|it| binding_name(&it.id) == Some(name))
            }
            _ => false,
        },
        Statement::ExportNamedDeclaration(export) => {
            export.specifiers.iter().any(|it| it.exported.name() == name)
        }
        _ => false,
    }
}

fn check_name(walker: &mut Walker<'_, '_, '_>, program: &Program<'_>, name: &str, place: Span) {
    if DATA_FUNCTIONS.contains(&name) || !name.starts_with("get") {
        return;
    }
    let nearest =
        DATA_FUNCTIONS.iter().map(|known| (strsim::levenshtein(known, name), known)).min();
    // Next to the function itself, a similar name is a helper.
    if let Some((1 | 2, known)) = nearest
        && !program.body.iter().any(|statement| exports(statement, known))
    {
        let message = format!("Next does not call `{name}`; did you mean `{known}`?");
        if let Some(finding) = walker.at("perf/next-data-function-name", place, message) {
            finding.help(format!("Rename it to `{known}`."));
        }
    }
}
