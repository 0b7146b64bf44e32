//! What the name of an attribute means in each language.

use crate::Language;
use crate::model::AttributeKind;
use std::borrow::Cow;

/// The meaning of a name as written.
pub(crate) struct Meaning<'a> {
    pub(crate) kind: AttributeKind,
    pub(crate) name: Cow<'a, str>,
    /// Whether the value is an expression.
    pub(crate) is_expression: bool,
}

impl<'a> Meaning<'a> {
    fn new(kind: AttributeKind, name: Cow<'a, str>, is_expression: bool) -> Self {
        Self { kind, name, is_expression }
    }
}

/// The name in lower case.
pub(crate) fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// The meaning of a property in JSX.
pub(crate) fn jsx(name: &str) -> Meaning<'_> {
    use AttributeKind::{Content, Event, Plain};
    let rest = name.strip_prefix("on").filter(|rest| rest.starts_with(|c: char| c.is_uppercase()));
    if let Some(event) = rest {
        return Meaning::new(Event, common(event).unwrap_or_else(|| lower(event)), true);
    }
    match name {
        "dangerouslySetInnerHTML"
        | "children"
        | "innerHTML"
        | "innerText"
        | "textContent"
        | "v-html"
        | "v-text" => Meaning::new(Content, name.into(), true),
        _ if name.starts_with("use:") || name.starts_with("v-") => {
            Meaning::new(AttributeKind::Directive, name.into(), true)
        }
        _ => Meaning::new(Plain, common(name).unwrap_or_else(|| lower(name)), true),
    }
}

/// Names that differ in HTML, and frequent names, to avoid an allocation for each.
fn common(name: &str) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(match name {
        "className" => "class",
        "htmlFor" => "for",
        "httpEquiv" => "http-equiv",
        "tabIndex" => "tabindex",
        "autoFocus" => "autofocus",
        "srcSet" => "srcset",
        "viewBox" => "viewbox",
        "strokeWidth" => "strokewidth",
        "Click" => "click",
        "Change" => "change",
        "Submit" => "submit",
        "KeyDown" => "keydown",
        "Blur" => "blur",
        "Focus" => "focus",
        "MouseEnter" => "mouseenter",
        "MouseLeave" => "mouseleave",
        _ => return None,
    }))
}

/// The meaning of an attribute in a language other than JSX.
pub(crate) fn html(name: &str, language: Language) -> Meaning<'_> {
    match language {
        Language::Svelte => svelte(name),
        Language::Astro => astro(name),
        _ => directive(name),
    }
}

fn svelte(name: &str) -> Meaning<'_> {
    use AttributeKind::{Content, Directive, Event, Plain};
    if let Some((prefix, rest)) = name.split_once(':') {
        let rest = rest.split('|').next().unwrap_or(rest);
        match prefix {
            "on" => return Meaning::new(Event, rest.into(), true),
            "bind" if matches!(rest, "innerHTML" | "textContent" | "innerText") => {
                return Meaning::new(Content, rest.into(), true);
            }
            "bind" => return Meaning::new(Plain, lower(rest), true),
            "use" | "class" | "style" | "transition" | "in" | "out" | "animate" | "let" => {
                return Meaning::new(Directive, name.into(), true);
            }
            _ => {}
        }
    }
    handler(name)
}

fn astro(name: &str) -> Meaning<'_> {
    use AttributeKind::{Content, Directive};
    match name.split_once(':') {
        Some(("set", _)) => Meaning::new(Content, name.into(), true),
        Some(("client" | "server" | "is" | "define" | "class" | "transition", _)) => {
            Meaning::new(Directive, name.into(), true)
        }
        _ => handler(name),
    }
}

/// The meaning of an attribute that HTML defines.
fn handler(name: &str) -> Meaning<'_> {
    let name = lower(name);
    let event = match &name {
        Cow::Borrowed(name) => name.strip_prefix("on").map(Cow::Borrowed),
        Cow::Owned(name) => name.strip_prefix("on").map(|event| Cow::Owned(event.to_owned())),
    };
    match event.filter(|event| event.len() > 2 && event.bytes().all(|b| b.is_ascii_alphabetic())) {
        Some(event) => Meaning::new(AttributeKind::Event, event, false),
        None => Meaning::new(AttributeKind::Plain, name, false),
    }
}

/// The meaning of an attribute with the directives of Vue, Angular, Alpine, AngularJS, Thymeleaf and
/// Knockout, whose names do not overlap.
fn directive(name: &str) -> Meaning<'_> {
    use AttributeKind::{Content, Directive, Event, Plain, Spread};
    let without_modifiers = |name| str::split(name, '.').next().unwrap_or(name);
    let bound = |name: &'_ str| -> (AttributeKind, Cow<'_, str>) {
        match name {
            "innerHTML" | "innerText" | "textContent" | "innerhtml" | "innertext"
            | "textcontent" | "translate" | "transloco" | "i18next" => {
                (Content, Cow::Owned(name.to_owned()))
            }
            _ if name.starts_with("aria") && name[4..].starts_with(char::is_uppercase) => {
                (Plain, Cow::Owned(format!("aria-{}", name[4..].to_ascii_lowercase())))
            }
            _ if name.starts_with('[') => (Spread, Cow::Borrowed("")),
            _ => (Plain, Cow::Owned(name.to_ascii_lowercase())),
        }
    };
    let make = |(kind, name): (AttributeKind, Cow<'_, str>)| {
        Meaning::new(kind, Cow::Owned(name.into_owned()), true)
    };
    let first = name.bytes().next().unwrap_or_default();
    match first {
        b':' if name.len() > 1 => return make(bound(without_modifiers(&name[1..]))),
        b'@' if name.len() > 1 => {
            return Meaning::new(Event, lower(without_modifiers(&name[1..])), true);
        }
        b'#' | b'*' => return Meaning::new(Directive, name.into(), true),
        b'[' => {
            let inner = name.trim_matches(['[', ']', '(', ')']);
            if inner.starts_with("class.") || inner.starts_with("style.") || inner.starts_with('@')
            {
                return Meaning::new(Directive, inner.into(), true);
            }
            let inner = inner.strip_prefix("attr.").unwrap_or(inner);
            if inner == "htmlFor" {
                return Meaning::new(Plain, "for".into(), true);
            }
            return make(bound(inner));
        }
        b'(' => {
            let inner = without_modifiers(name.trim_matches(['(', ')']));
            return Meaning::new(Event, lower(inner), true);
        }
        _ => {}
    }
    let prefixes = ["v-bind:", "x-bind:", "ng-attr-", "th:attr:", "data-th-", "th:", "bind-"];
    if let Some(rest) = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)) {
        return match rest {
            "text" | "utext" | "replace" | "insert" | "include" => {
                Meaning::new(Content, rest.into(), true)
            }
            "attr" | "attrappend" | "attrprepend" | "alt-title" | "lang-xmllang" => {
                Meaning::new(Spread, rest.into(), true)
            }
            "if" | "unless" | "each" | "fragment" | "object" | "case" | "switch" | "with" => {
                Meaning::new(Directive, name.into(), true)
            }
            _ => make(bound(without_modifiers(rest))),
        };
    }
    for prefix in ["v-on:", "x-on:", "on-"] {
        if let Some(rest) = name.strip_prefix(prefix) {
            return Meaning::new(Event, lower(without_modifiers(rest)), true);
        }
    }
    match name {
        "v-html" | "v-text" | "v-t" | "x-text" | "x-html" | "ng-bind" | "ng-bind-html"
        | "data-ng-bind" | "translate" | "data-i18n" | "data-l10n-id" | "data-bind"
        | "data-i18n-key" | "data-i18next" | "data-translate" | "data-localize" | "transloco"
        | "l10ntranslate" | "data-content" | "ng-transclude" | "tal:content" | "tal:replace"
        | "wire:text" => {
            return Meaning::new(Content, name.into(), true);
        }
        "v-bind" | "v-on" | "x-bind" | "v-attrs" => {
            return Meaning::new(Spread, name.into(), true);
        }
        "ng-src" | "ng-href" | "ng-srcset" | "ng-disabled" | "ng-checked" => {
            return Meaning::new(Plain, name[3..].into(), true);
        }
        "ng-click" => return Meaning::new(Event, "click".into(), true),
        _ => {}
    }
    let is_directive = ["v-", "x-", "ng-", "data-ng-", "wire:", "tal:", "i18n"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if is_directive {
        return Meaning::new(Directive, name.into(), true);
    }
    // Bindings of Aurelia (`alt.bind`) and Polymer (`alt$`).
    if let Some((base, "bind" | "one-way" | "two-way" | "to-view" | "from-view" | "one-time")) =
        name.split_once('.')
    {
        return make(bound(base));
    }
    if let Some(base) = name.strip_suffix('$') {
        return make(bound(base));
    }
    handler(name)
}

/// The value of an expression that is a literal: a number, a string without escapes, `true` or
/// `false`, as the range in the expression.
pub(crate) fn literal(expression: &str) -> Option<(usize, usize)> {
    let start = expression.len() - expression.trim_ascii_start().len();
    let inner = expression.trim_ascii();
    let is_number = !inner.is_empty()
        && inner.strip_prefix('-').unwrap_or(inner).bytes().all(|byte| byte.is_ascii_digit())
        && inner != "-";
    if is_number || matches!(inner, "true" | "false") {
        return Some((start, start + inner.len()));
    }
    let quote = inner.chars().next().filter(|quote| matches!(quote, '\'' | '"' | '`'))?;
    let text = inner.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_plain = !text.contains([quote, '\\', '\n']) && (quote != '`' || !text.contains("${"));
    is_plain.then(|| (start + 1, start + 1 + text.len()))
}
