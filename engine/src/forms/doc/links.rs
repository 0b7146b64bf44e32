//! Checks that links, fragments, paths and commands in code spans can be resolved, and that images
//! have an alternative text.

use super::commands::Commands;
use super::{Fault, site};
use crate::parse::document::{self, Block, Document, Link};
use crate::text::files::{Files, side_file};
use crate::text::nearest::nearest;
use crate::text::paths::{join, parent_dir};
use crate::text::source::{Source, Span};
use crate::text::time_limit::Stepped;
use aidd_page::LinkKind;
use std::collections::HashMap;

pub(super) fn check(
    kinds: &[LinkKind],
    source: &Source,
    document: &Document,
    files: &dyn Files,
    faults: &mut Vec<Fault>,
) {
    let is_enabled = |kind: LinkKind| kinds.contains(&kind);
    let mut other_documents = OtherDocuments { files, documents: HashMap::new(), missing: 0 };
    for link in document.links.iter().stepped() {
        let lacks_alt_text = link.is_image && !link.is_decorative && link.text.trim().is_empty();
        if lacks_alt_text && is_enabled(LinkKind::Images) {
            faults.push(Fault::new(link.span, "image without alternative text"));
        }
        if !is_enabled(LinkKind::Files) && !is_enabled(LinkKind::Anchors) {
            continue;
        }
        let Some(target) = Target::parse(source, &link.to, files) else { continue };
        let on_site = |path| {
            site::has_page(path, files) && site::is_on_site(source.path(), source.text(), files)
        };
        let target_exists =
            target.path.as_deref().is_none_or(|path| path_exists(files, path) || on_site(path));
        if !target_exists && is_enabled(LinkKind::Files) {
            faults.push(missing_file(link, &target, files));
        } else if target_exists && is_enabled(LinkKind::Anchors) {
            faults.extend(other_documents.missing_anchor(link, &target, document));
        }
    }
    let mut commands = Commands::new(source, files);
    for (code, span) in document.code.iter().stepped() {
        if is_enabled(LinkKind::Paths) {
            faults.extend(missing_path(code, *span, source.path(), files));
        }
        if is_enabled(LinkKind::Commands)
            && let Some(why) = commands.undefined(code)
        {
            faults.push(Fault::new(*span, why));
        }
    }
    if is_enabled(LinkKind::Commands) {
        let shell = document.blocks.iter().filter(|block| is_shell(block));
        shell.for_each(|block| report_undefined_commands(block, source, &mut commands, faults));
    }
}

/// Whether a block contains shell commands, by the language of its fence.
fn is_shell(block: &Block) -> bool {
    const SHELLS: [&str; 8] =
        ["sh", "bash", "zsh", "shell", "console", "terminal", "shell-session", "shellsession"];
    let language = block.info.split([' ', ',', '{', ':']).next().unwrap_or_default();
    SHELLS.iter().any(|shell| language.eq_ignore_ascii_case(shell))
}

/// Reports commands in a shell block that run an undefined script, target or recipe.
fn report_undefined_commands(
    block: &Block,
    source: &Source,
    commands: &mut Commands<'_>,
    faults: &mut Vec<Fault>,
) {
    /// Commands after which the following commands run in another directory or in a newly created
    /// project.
    const CONTEXT_CHANGES: [&str; 6] = ["cd ", "pushd ", "git clone", " create", " init", "npx "];
    let lines = || block.parts.iter().flat_map(|part| split(source, *part, &["\n"]));
    if lines()
        .any(|line| CONTEXT_CHANGES.iter().any(|command| source.slice(line).contains(command)))
    {
        return;
    }
    for line in lines() {
        for span in split(source, line, &["&&", "||", ";", "|"]) {
            let code = source.slice(span);
            let command = code.trim_start().trim_start_matches(['$', '%', '>']).trim();
            // A trailing comment is not part of the command.
            let command = command.split(" #").next().unwrap_or(command).trim_end();
            if let Some(why) = commands.undefined(command) {
                let start = span.start as usize + code.find(command).unwrap_or(0);
                faults.push(Fault::new(Span::new(start, start + command.len()), why));
            }
        }
    }
}

/// Splits `span` at any of `separators`.
fn split(source: &Source, span: Span, separators: &[&str]) -> Vec<Span> {
    let text = source.slice(span);
    let mut parts = Vec::new();
    let mut start = 0;
    for at in text.char_indices().map(|(at, _)| at) {
        if at < start {
            continue;
        }
        if let Some(separator) =
            separators.iter().find(|separator| text[at..].starts_with(**separator))
        {
            parts.push((start, at));
            start = at + separator.len();
        }
    }
    parts.push((start, text.len()));
    let base = span.start as usize;
    parts.into_iter().map(|(from, to)| Span::new(base + from, base + to)).collect()
}

/// The target of a link within the project.
struct Target {
    /// The path as written in the document.
    written: String,
    /// The path from the root; `None` if the link leads to the document itself.
    path: Option<String>,
    fragment: Option<String>,
}

impl Target {
    /// Resolves a link. Returns `None` if the link leads out of the project, is a template, or can
    /// be an address of a site.
    fn parse(source: &Source, to: &str, files: &dyn Files) -> Option<Self> {
        let from = source.path();
        // `a::b` is a Rust item: crate documentation can be a Markdown page.
        let is_template = ["{{", "${", "{%", "<", "::"].iter().any(|syntax| to.contains(syntax));
        if to.is_empty() || to.starts_with("//") || has_scheme(to) || is_template {
            return None;
        }
        let (path, fragment) = match to.split_once('#') {
            Some((path, fragment)) => (path, Some(percent_decode(fragment))),
            None => (to, None),
        };
        let written = percent_decode(path.split('?').next().unwrap_or_default());
        let path = match written.as_str() {
            "" => None,
            path => Some(match path.strip_prefix('/') {
                Some(address) => {
                    match site::resolve_address(from, address, &|path| path_exists(files, path)) {
                        Some(path) => path,
                        // `/guide/start` is an address of the site that is built from these pages.
                        None if !address.rsplit('/').next().unwrap_or(address).contains('.')
                            || site::is_on_site(from, source.text(), files) =>
                        {
                            return None;
                        }
                        None => join("", address)?,
                    }
                }
                None => join(parent_dir(from), path)?,
            }),
        };
        Some(Self { written, path, fragment: fragment.filter(|fragment| !fragment.is_empty()) })
    }
}

/// Whether `to` begins with `scheme:` (<https://www.rfc-editor.org/rfc/rfc3986#section-3.1>).
fn has_scheme(to: &str) -> bool {
    let Some((scheme, _)) = to.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
}

/// Decodes percent escapes such as `%20`; malformed escapes are left unchanged.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a file or directory exists at `path`. Without a listing, existing and missing
/// directories cannot be distinguished, so a directory is assumed to exist.
fn path_exists(files: &dyn Files, path: &str) -> bool {
    if path.is_empty() || files.exists(path) {
        return true;
    }
    match files.listing() {
        Some(listing) => listing.has_dir(path),
        None => !path.rsplit('/').next().unwrap_or(path).contains('.'),
    }
}

fn missing_file(link: &Link, target: &Target, files: &dyn Files) -> Fault {
    let kind = if link.is_image { "image" } else { "link" };
    let message = format!("the {kind} target `{}` does not exist", target.written);
    let candidates = target.path.as_deref().and_then(|path| candidates(files, path));
    Fault::new(link.span, message).with_help(candidates)
}

/// Existing files that the author of the link may have meant: files with the same name in another
/// directory, or with the same path and an added extension.
fn candidates(files: &dyn Files, path: &str) -> Option<String> {
    /// Maximum number of suggestions.
    const MAX_CANDIDATES: usize = 3;
    let with_extension = format!("{path}.md");
    if files.exists(&with_extension) {
        return Some(format!("did you mean `{with_extension}`?"));
    }
    let name = path.rsplit('/').next().filter(|name| !name.is_empty())?;
    let same = files.listing()?.named(name);
    let found: Vec<String> = same.take(MAX_CANDIDATES).map(|path| format!("`{path}`")).collect();
    (!found.is_empty()).then(|| format!("did you mean {}?", found.join(" or ")))
}

/// Other documents of the project; each is read when a link first refers to a fragment in it.
struct OtherDocuments<'a> {
    files: &'a dyn Files,
    documents: HashMap<String, Option<Document>>,
    /// The number of missing fragments so far.
    missing: usize,
}

/// Maximum number of missing fragments for which similar headings are searched for: each fragment is
/// compared with all headings.
const MAX_SEARCHED: usize = 100;

impl OtherDocuments<'_> {
    fn missing_anchor(
        &mut self,
        link: &Link,
        target: &Target,
        current: &Document,
    ) -> Option<Fault> {
        let fragment = target.fragment.as_deref()?;
        // `#top` is defined by HTML (<https://html.spec.whatwg.org/#scroll-to-fragid>).
        if fragment.eq_ignore_ascii_case("top") {
            return None;
        }
        let (document, location) = match target.path.as_deref() {
            None => (current, "in this document".to_owned()),
            Some(path) => {
                if !path.to_ascii_lowercase().ends_with(".md") {
                    return None;
                }
                let files = self.files;
                let read = || side_file(files, path).map(|text| document::parse(&text));
                let known = self.documents.entry(path.to_owned()).or_insert_with(read);
                (known.as_ref()?, format!("in `{path}`"))
            }
        };
        if document.has_anchor(fragment) {
            return None;
        }
        let anchors = document.headings.iter().map(|heading| heading.anchor.as_str());
        self.missing += 1;
        let is_searched = self.missing <= MAX_SEARCHED;
        let near = is_searched.then(|| nearest(fragment, anchors)).flatten();
        let help = near.map(|near| format!("did you mean `#{near}`?"));
        let message = format!("no heading {location} has the fragment `#{fragment}`");
        Some(Fault::new(link.span, message).with_help(help))
    }
}

/// Reports a path in a code span that does not exist. Only text that begins with an existing
/// directory is treated as a path, which excludes `and/or` and `application/json`.
fn missing_path(code: &str, span: Span, from: &str, files: &dyn Files) -> Option<Fault> {
    let listing = files.listing()?;
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"._-/+@()[]".contains(&b);
    let (path, line) = code.split_once(':').unwrap_or((code, ""));
    let is_position = line.bytes().all(|b| b.is_ascii_digit() || b == b':' || b == b'-');
    let relative = path.strip_prefix("./").unwrap_or(path);
    let (first, rest) = relative.split_once('/')?;
    if !is_position || !path.bytes().all(is_plain) || path.starts_with('/') || path.contains("...")
    {
        return None;
    }
    let dir = parent_dir(from);
    let bases = if first == ".." { vec![dir] } else { vec!["", dir] };
    let is_in_existing_dir = bases.iter().any(|base| {
        first == ".." || join(base, first).is_some_and(|first| listing.has_dir(&first))
    });
    if !is_in_existing_dir || rest.is_empty() {
        return None;
    }
    let candidate_paths: Vec<String> =
        bases.iter().filter_map(|base| join(base, relative)).collect();
    let path_exists =
        candidate_paths.iter().any(|path| files.exists(path) || listing.has_dir(path));
    if path_exists || candidate_paths.is_empty() {
        return None;
    }
    let help = candidates(files, relative);
    Some(Fault::new(span, format!("`{path}` does not exist")).with_help(help))
}
