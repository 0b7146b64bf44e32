//! Checks on the API description as a whole: servers, tags, links and descriptions.

use super::document::{Document, is_template};
use super::fixes::{entry_removal, item_removal, unquoted};
use super::specification::Version;
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use std::collections::{HashMap, HashSet};

pub(super) fn duplicate_tag(document: &Document<'_>, report: &mut Report<'_>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for tag in document.objects("tag") {
        let Some(at) = document.get(tag, "name") else { continue };
        let Some(name) = document.text(at) else { continue };
        match seen.get(name) {
            Some(&first) => {
                let finding = report.at(document.span(at), format!("duplicate tag `{name}`"));
                finding.help("Remove the tag, or rename it");
                finding.related(document.span(first), "the first tag");
                // A duplicate without other fields adds nothing to the first tag.
                if document.children(tag).len() == 1
                    && let Some(edit) = item_removal(document, tag)
                {
                    finding.fix("Remove the duplicate", vec![edit]);
                }
            }
            None => _ = seen.insert(name, at),
        }
    }
}

/// The addresses of the servers, each with the index of its value. In Swagger 2.0, the address is
/// the field `host`.
pub(super) fn servers<'d>(document: &'d Document<'_>) -> Vec<(&'d str, usize)> {
    let mut found = Vec::new();
    if document.version == Version::V2 {
        found.extend(document.get(document.root, "host"));
    }
    found.extend(document.objects("server").filter_map(|server| document.get(server, "url")));
    let texts = found.into_iter().filter_map(|at| Some((document.text(at)?, at)));
    texts.filter(|(text, _)| !is_template(text)).collect()
}

/// The host of an address, without its port.
pub(super) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

pub(super) fn example_host(document: &Document<'_>, report: &mut Report<'_>) {
    for (url, at) in servers(document) {
        let host = host(url).to_ascii_lowercase();
        let is_below = |domain: &str| {
            host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
        };
        if ["example.com", "example.org", "example.net"].iter().any(|domain| is_below(domain)) {
            report
                .at(document.span(at), format!("`{host}` is reserved for examples"))
                .help("Write the address of the server");
        }
    }
}

pub(super) fn server_trailing_slash(document: &Document<'_>, report: &mut Report<'_>) {
    for (url, at) in servers(document) {
        if url.len() > 1 && url.ends_with('/') {
            let finding = report.at(document.span(at), format!("`{url}` ends with a slash"));
            finding.help("Remove the slash: the paths start with one");
            let shorter = url.trim_end_matches('/');
            if let Some(span) = unquoted(document, at).filter(|_| !shorter.is_empty()) {
                let edits = vec![Edit::replace(span, shorter)];
                finding.fix(format!("Replace with `{shorter}`"), edits);
            }
        }
    }
}

pub(super) fn undefined_server_variable(document: &Document<'_>, report: &mut Report<'_>) {
    for server in document.objects("server") {
        let Some(at) = document.get(server, "url") else { continue };
        let Some(url) = document.text(at).filter(|url| !is_template(url)) else { continue };
        let variables = document.get(server, "variables");
        if variables.is_some_and(|variables| document.targets.contains_key(&variables)) {
            continue;
        }
        let declared = variables.map_or(&[][..], |variables| document.children(variables));
        let mut used = HashSet::new();
        let mut rest = url;
        while let Some((name, after)) =
            rest.split_once('{').and_then(|(_, after)| after.split_once('}'))
        {
            if used.insert(name) && variables.and_then(|at| document.get(at, name)).is_none() {
                report
                    .at(document.span(at), format!("the variable `{name}` is not defined"))
                    .help(format!("Add `{name}` to `variables` of the server"));
            }
            rest = after;
        }
        for &variable in declared {
            let name = document.key(variable);
            if !used.contains(name) && !name.starts_with("x-") {
                let message = format!("the URL does not use the variable `{name}`");
                let finding = report.at(document.key_span(variable), message);
                finding.help("Remove the variable, or use it in `url`");
                if let Some(span) = entry_removal(document, variable) {
                    finding.fix_unsafe(format!("Remove `{name}`"), vec![Edit::delete(span)]);
                }
            }
        }
    }
    for variable in document.objects("server-variable") {
        if let Some(values) = document.get(variable, "enum")
            && *document.datum(values) == Datum::List
            && document.children(values).is_empty()
        {
            report
                .at(document.key_span(values), "`enum` is empty: no value is valid")
                .help("Add a value, or remove the field");
        }
    }
}

pub(super) fn invalid_url(document: &Document<'_>, report: &mut Report<'_>) {
    let fields = [
        ("contact", "url"),
        ("license", "url"),
        ("external-docs", "url"),
        ("info", "termsOfService"),
    ];
    for (object, field) in fields {
        for at in document.objects(object).filter_map(|at| document.get(at, field)) {
            let Some(url) = document.text(at) else { continue };
            if is_template(url) || is_url(url, document.version) {
                continue;
            }
            report
                .at(document.span(at), format!("`{url}` is not a URL"))
                .help("Write an absolute URL, such as `https://example.com/terms`");
        }
    }
}

/// Whether a text is an absolute URL or, where the version allows it, a relative reference.
fn is_url(url: &str, version: Version) -> bool {
    if url.is_empty() || url.contains(char::is_whitespace) {
        return false;
    }
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    match url.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        Some(("http" | "https", rest)) => rest.starts_with("//") && rest.len() > 2,
        Some((scheme, rest)) => !rest.is_empty() && !scheme.contains('.'),
        None => version != Version::V2 && url.starts_with(['/', '.', '#']),
    }
}

pub(super) fn script_in_description(document: &Document<'_>, report: &mut Report<'_>) {
    for (at, value) in document.values.all.iter().enumerate() {
        let Datum::Text(text) = &value.datum else { continue };
        let is_text = matches!(document.key(at), "description" | "summary");
        let is_typed = value.parent.is_some_and(|parent| document.types[parent].is_some());
        if !is_text || !is_typed {
            continue;
        }
        let Some(found) = find_script(text) else { continue };
        let written = document.source.slice(value.span);
        // The source of the text can contain escapes or indentation, but the script usually
        // does not.
        let span = written.find(found).map_or_else(
            || document.key_span(at),
            |offset| Span::new(offset, offset + found.len()).shift(value.span.start as usize),
        );
        report
            .at(span, format!("the description contains `{found}`"))
            .help("Remove the script, or write it as code");
    }
}

/// The start of a script in Markdown, outside code.
fn find_script(text: &str) -> Option<&str> {
    if !text.contains('<') && !text.contains("eval(") {
        return None;
    }
    let mut is_fenced = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        if is_fenced {
            continue;
        }
        let lower = line.to_ascii_lowercase();
        for word in ["<script", "eval("] {
            let (mut last, mut ticks) = (0, 0);
            for (at, _) in lower.match_indices(word) {
                ticks += line[last..at].matches('`').count();
                last = at;
                let is_code = ticks % 2 == 1;
                let is_call = word == "eval(";
                let before = line[..at].chars().next_back();
                let is_name = before.is_some_and(|c| c.is_alphanumeric() || "_.".contains(c));
                let after = lower[at + word.len()..].chars().next();
                let is_tag = after.is_some_and(|c| c == '>' || c == '/' || c.is_whitespace());
                if !is_code && (is_call && !is_name || !is_call && is_tag) {
                    return Some(&line[at..at + word.len()]);
                }
            }
        }
    }
    None
}
