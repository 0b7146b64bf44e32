//! Detects credentials in settings, dotfiles and credential stores, and in any other file by the
//! names to which values are assigned.
//!
//! A file with a known name ([`formats`]) is parsed by its format, and its values are trusted; in
//! any other file only literals with the name and the shape of a secret are reported ([`generic`]).

mod data;
mod embedded;
mod formats;
mod labels;
mod literals;
mod names;
mod records;
mod rules;
mod shell;
mod sql;
mod strength;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use strength::is_bare_key;

use crate::{check_ids, run_checks};
use aho_corasick::AhoCorasick;
use aidd_engine::check::family::Family;
use aidd_engine::forms::syntax::language_of;
use aidd_engine::parse::{ini, json, xml, yaml};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::placeholder::JOIN_MARK;
use aidd_engine::text::source::{Source, Span};
use aidd_engine::text::time_limit::step;
use aidd_lexicon::tables::credentials as table;
use data::Scan;
use formats::{Format, Syntax};
use std::sync::LazyLock;
use values::Trust;

/// Detects credentials in files known to contain credentials, and in any other file by the names to
/// which values are assigned.
pub(super) const FAMILY: Family = Family {
    name: "credentials",
    rules: || check_ids(rules::CHECKS),
    claim: |path, text| is_known(path, text).then_some(Kind("credentials")),
    check: |_, _, report| run_checks(rules::CHECKS, &parse(report.source()), report),
    keywords: || keywords().collect(),
    check_keyword_hits: |offsets, report| {
        let found = generic(report.source(), offsets.iter().copied());
        run_checks(rules::CHECKS, &found, report);
    },
    finds_secrets: true,
    ..Family::EMPTY
};

/// The secrets of one file.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    found: Vec<Found>,
}

/// A secret, and the rule that reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    rule: &'static str,
    span: Span,
    /// Whether the value is a default or a fallback, which is reported as information.
    weak: bool,
}

impl Found {
    fn new(rule: &'static str, span: Span) -> Self {
        Self { rule, span, weak: false }
    }
}

impl Credentials {
    /// Reports the findings of one rule.
    fn report(&self, rule: &str, message: &str, help: &str, report: &mut Report<'_>) {
        for found in self.found.iter().filter(|found| found.rule == rule) {
            step();
            let finding = report.at(found.span, message).help(help);
            // A credential store is reported as a file; there is no value to hide.
            if !found.span.is_empty() {
                finding.secret(found.span);
            }
            if found.weak {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    }
}

/// Whether the format of the file at `path`, which starts with `start`, contains credentials.
pub(crate) fn is_known(path: &str, start: &str) -> bool {
    formats::for_path(path).is_some_and(|(format, _)| !is_other_xml(format, start))
        || detect_format(path, start).is_some()
}

/// Whether an XML file with the name of the settings of a package manager has resources of an
/// application: `res/values/settings.xml`.
fn is_other_xml(format: &Format, text: &str) -> bool {
    format.syntax == Syntax::Xml && text.contains("<resources")
}

/// Parses a file for which [`is_known`] returns true.
pub(crate) fn parse(source: &Source) -> Credentials {
    // A byte order mark is not part of any format.
    let text = source.text().strip_prefix('\u{FEFF}').unwrap_or(source.text());
    let bom_len = source.text().len() - text.len();
    let known = formats::for_path(source.path())
        .filter(|(format, _)| !is_other_xml(format, text))
        .or_else(|| detect_format(source.path(), text).map(|format| (format, Trust::High)));
    let Some((format, trust)) = known else { return generic(source, hits(source.text())) };
    let scan = Scan::new(text, source.path(), format, trust);
    let mut found = Vec::new();
    report_by_syntax(scan, format, &mut found);
    if !matches!(format.syntax, Syntax::Store | Syntax::Key) {
        embedded::report_private_keys(text, &mut found);
        embedded::report_authorization(text, format.rule, trust, &mut found);
        embedded::report_connection_strings(text, trust, &mut found);
        embedded::report_urls(text, url_rule(format), trust, &mut found);
    }
    drop_sealed(text, &mut found);
    let mut found = strength::assess(text, source.path(), deduplicate(text, found));
    for secret in found.iter_mut().filter(|secret| !secret.span.is_empty()) {
        step();
        secret.span = secret.span.shift(bom_len);
    }
    Credentials { found }
}

fn url_rule(format: &Format) -> &'static str {
    match format.syntax {
        Syntax::Urls => format.rule,
        _ => "secrets/connection-string-password",
    }
}

/// Reports the secrets of a file with a known format.
fn report_by_syntax(scan: Scan<'_>, format: &Format, found: &mut Vec<Found>) {
    let Scan { text, trust, .. } = scan;
    match format.syntax {
        Syntax::Settings => {
            if scan.path.to_ascii_lowercase().ends_with(".rdp") {
                records::report_rdp(text, found);
            }
            report_settings(scan, found);
            if format.rule == "secrets/network-service-password" {
                records::report_snmp_users(text, trust, found);
            }
            if format.rule == "secrets/chat-client-password" {
                records::report_identify(text, trust, found);
            }
        }
        Syntax::Words => records::report_named_words(text, format, trust, found),
        Syntax::Json | Syntax::Yaml | Syntax::Xml => report_tree(scan, format.syntax, found),
        Syntax::Code => {
            literals::report_assignments(scan, hits_wide(text), false, found);
            literals::report_login_calls(text, trust, found);
            literals::report_secure_strings(text, trust, found);
        }
        Syntax::Shell => shell::scan_text(text, scan, found),
        Syntax::Sql => sql::scan(text, trust, found),
        Syntax::Pgpass => records::report_pgpass(text, trust, found),
        Syntax::Htpasswd => records::report_htpasswd(text, found),
        Syntax::Shadow => records::report_shadow(text, found),
        Syntax::Urls => {
            embedded::report_urls(text, format.rule, trust, found);
            data::scan_tree(&ini::parse(text), scan, found);
        }
        Syntax::Chap => records::report_chap(text, trust, found),
        Syntax::Sasl => records::report_sasl(text, trust, found),
        Syntax::TwoLines => records::report_two_lines(text, trust, found),
        Syntax::Ipsec => records::report_ipsec(text, trust, found),
        Syntax::Key => records::report_private_key(text, found),
        Syntax::Whole => records::report_first_line(text, format, trust, found),
        Syntax::Store => records::report_store(text, format, found),
        Syntax::Values => records::report_values(text, format, trust, found),
    }
}

/// Reports the secrets of a settings file. A file with the name of a settings file can also contain
/// JSON, YAML or XML.
fn report_settings(scan: Scan<'_>, found: &mut Vec<Found>) {
    match scan.text.trim_start_matches('\u{FEFF}').trim_start().chars().next() {
        Some('{') => report_tree(scan, Syntax::Json, found),
        Some('<') if scan.text.contains("</") => report_tree(scan, Syntax::Xml, found),
        _ if scan.path.ends_with(".yml") || scan.path.ends_with(".yaml") => {
            report_tree(scan, Syntax::Yaml, found);
        }
        _ => {
            data::scan_tree(&ini::parse(scan.text), scan, found);
            // Scan blocks with several settings per line: `server { password = "x"; }`.
            let comments = Comments { text: scan.text, ..Comments::default() };
            literals::report_assignments(scan, comments.retain_code(hits(scan.text)), true, found);
        }
    }
}

/// Comments of a settings file, line by line; each byte is scanned once.
#[derive(Default)]
struct Comments<'a> {
    text: &'a str,
    /// End of the scanned text.
    scanned_end: usize,
    /// Whether the current line is a comment.
    is_comment: bool,
}

impl<'a> Comments<'a> {
    /// Returns the offsets whose line is not a comment; `offsets` are in ascending order.
    fn retain_code(mut self, offsets: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        self.begin_line(0);
        offsets.filter(move |&offset| {
            let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
            let skipped = &self.text.as_bytes()[self.scanned_end..offset];
            if let Some(end) = skipped.iter().rposition(is_line_end) {
                self.begin_line(self.scanned_end + end + 1);
            }
            self.scanned_end = offset;
            !self.is_comment
        })
    }

    fn begin_line(&mut self, start: usize) {
        let line = self.text[start..].trim_start_matches([' ', '\t']);
        self.is_comment = ini::is_comment(line);
    }
}

fn report_tree(scan: Scan<'_>, syntax: Syntax, found: &mut Vec<Found>) {
    let parsed = match syntax {
        Syntax::Json => json::parse(scan.text),
        Syntax::Yaml => yaml::parse(scan.text),
        _ => xml::parse(scan.text),
    };
    data::scan_tree(&parsed, scan, found);
    if !parsed.complete {
        literals::report_assignments(scan, hits(scan.text), syntax == Syntax::Yaml, found);
    }
    if syntax == Syntax::Yaml {
        report_commands(&parsed, scan, found);
    }
}

/// Reports secrets in the commands of a pipeline: `script: - docker login -p …`.
fn report_commands(tree: &aidd_engine::parse::tree::Tree, scan: Scan<'_>, found: &mut Vec<Found>) {
    for node in &tree.nodes {
        step();
        let Some(value) = node.value.as_deref() else { continue };
        if (node.key.is_empty() || data::is_command(&node.key))
            && value.contains(' ')
            && scan.text.get(node.span.range()).is_some()
        {
            for (offset, line) in records::lines(&scan.text[node.span.range()]) {
                shell::scan_line(line, offset + node.span.start as usize, scan, found);
            }
        }
    }
}

/// Detects the format from the first lines of a text.
fn detect_format(path: &str, start: &str) -> Option<&'static Format> {
    if is_documentation(path) {
        return None;
    }
    let text = start.trim_start_matches('\u{FEFF}');
    let start = &text[..text.floor_char_boundary(4096)];
    let format_of = |name: &str| formats::for_path(name).map(|(format, _)| format);
    if text.starts_with("PuTTY-User-Key-File-") {
        return format_of("key.ppk");
    }
    if text.starts_with("-----BEGIN ")
        && text[..text.floor_char_boundary(64)].contains("PRIVATE KEY-----")
    {
        return format_of("id_rsa");
    }
    // A Secret can be one of many documents, or an item of a list.
    if start.contains("apiVersion:") && has_kind(text, "Secret") {
        return format_of("secret.yaml");
    }
    // A program can contain a template of a kubeconfig.
    let is_program = language_of(path).is_some_and(|(name, _)| name != "yaml");
    (!is_program && start.contains("clusters:") && has_kind(start, "Config"))
        .then(|| format_of("kubeconfig"))
        .flatten()
}

/// Whether a YAML text contains a Kubernetes object of this kind: `kind: Secret`,
/// `- kind: "Secret" # db`.
fn has_kind(text: &str, kind: &str) -> bool {
    text.match_indices("kind:").any(|(at, name)| {
        let before = text[..at].trim_end_matches([' ', '-']);
        let is_key = before.is_empty() || before.ends_with(['\n', '\r']);
        let value = || text[at + name.len()..].lines().next().unwrap_or_default();
        let is_kind = |value: &str| {
            let value = value.split(" #").next().unwrap_or_default().trim();
            value.trim_matches(['"', '\'']) == kind
        };
        is_key && is_kind(value())
    })
}

/// Removes the values of documents of the kind `SealedSecret`, which are encrypted.
fn drop_sealed(text: &str, found: &mut Vec<Found>) {
    if found.is_empty() || !text.contains("SealedSecret") {
        return;
    }
    let mut sealed: Vec<Span> = Vec::new();
    let mut start = 0;
    for end in text.match_indices("\n---").map(|(at, _)| at).chain([text.len()]) {
        if has_kind(&text[start..end], "SealedSecret") {
            sealed.push(Span::new(start, end));
        }
        start = end;
    }
    found.retain(|found| {
        let before = sealed.partition_point(|document| document.start <= found.span.start);
        !before.checked_sub(1).is_some_and(|at| sealed[at].contains(found.span))
    });
}

/// Finds literals with the name and the shape of a secret in a file of unknown format; `hits` are
/// the offsets of [`keywords`] in the text of the file.
pub(crate) fn generic(source: &Source, hits: impl IntoIterator<Item = usize>) -> Credentials {
    let text = source.text();
    if is_documentation(source.name()) {
        return Credentials::default();
    }
    let (trust, allows_unquoted) = trust(source);
    let scan = Scan { text, path: source.path(), rule: "secrets/generic-secret", keys: &[], trust };
    let mut found = Vec::new();
    literals::report_assignments(scan, hits, allows_unquoted, &mut found);
    if trust == Trust::Low {
        literals::report_login_calls(text, trust, &mut found);
        literals::report_secure_strings(text, trust, &mut found);
    }
    drop_sealed(text, &mut found);
    for hit in &mut found {
        step();
        let is_named_password = hit.rule == scan.rule && is_password(text, hit.span);
        if is_named_password {
            hit.rule = "secrets/generic-password";
        }
    }
    Credentials { found: strength::assess(text, source.path(), deduplicate(text, found)) }
}

/// Whether the name to the left of a value denotes a password.
fn is_password(text: &str, value: Span) -> bool {
    let start = value.start as usize;
    let before = &text[text.floor_char_boundary(start.saturating_sub(120))..start];
    let line = before.rsplit('\n').next().unwrap_or(before).to_ascii_lowercase();
    let last = |word: &str| line.rfind(word);
    last("pass").max(last("pwd")) > last("secret").max(last("token")).max(last("key"))
}

/// Whether the file is documentation, in which examples look like real secrets.
fn is_documentation(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["md", "mdx", "rst", "adoc", "html", "tex", "ipynb", "po", "pot", "svg", "css", "map", "lock"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

/// How far an unknown file is trusted, and whether its values can be unquoted.
fn trust(source: &Source) -> (Trust, bool) {
    let path = source.path().to_ascii_lowercase();
    let extension =
        source.name().rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let is_settings = matches!(
        extension.as_str(),
        "ini"
            | "conf"
            | "cfg"
            | "cnf"
            | "config"
            | "properties"
            | "toml"
            | "yml"
            | "yaml"
            | "json"
            | "xml"
            | "env"
    );
    let name = source.name().to_ascii_lowercase();
    let is_made_up = formats::is_for_tests(&path)
        || ["test", "example", "sample", "schema", "messages", "fixture"]
            .iter()
            .any(|word| name.contains(word))
        || path.split('/').any(|directory| table::TRANSLATION_FOLDERS.contains(directory));
    match (is_settings, is_made_up) {
        (true, false) => (
            Trust::Medium,
            matches!(
                extension.as_str(),
                "ini" | "conf" | "cfg" | "cnf" | "properties" | "yml" | "yaml" | "env"
            ),
        ),
        _ => (Trust::Low, false),
    }
}

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| finder(keywords()));
static WIDE_FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| finder(keywords().chain(table::KEYWORDS_IN_KNOWN_FILES.iter())));

fn finder(words: impl Iterator<Item = &'static str>) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
}

/// The keywords of the prefilter: every name of a secret contains at least one of them.
pub(crate) fn keywords() -> impl Iterator<Item = &'static str> {
    table::KEYWORDS.iter()
}

/// The offsets of [`keywords`] in `text`.
pub(crate) fn hits(text: &str) -> impl Iterator<Item = usize> {
    FINDER.iter().flat_map(move |finder| finder.find_iter(text)).map(|hit| hit.start())
}

/// Like [`hits`], but also returns the offsets of words that denote secrets only in known files.
fn hits_wide(text: &str) -> impl Iterator<Item = usize> {
    WIDE_FINDER.iter().flat_map(move |finder| finder.find_iter(text)).map(|hit| hit.start())
}

/// Removes duplicates: of overlapping findings, the finding that was reported first is retained.
/// Examples marked with [`JOIN_MARK`] are removed too.
fn deduplicate(text: &str, found: Vec<Found>) -> Vec<Found> {
    let is_example = |found: &Found| {
        let secret = if found.span.is_empty() { text } else { &text[found.span.range()] };
        secret.contains(JOIN_MARK)
    };
    let mut candidates: Vec<(usize, Found)> =
        found.into_iter().filter(|found| !is_example(found)).enumerate().collect();
    candidates.sort_by_key(|(index, found)| (found.span.start, *index));
    let mut retained: Vec<(usize, Found)> = Vec::with_capacity(candidates.len());
    for (index, found) in candidates {
        step();
        match retained.last_mut() {
            Some(last) if last.1.span.overlaps(found.span) || last.1.span == found.span => {
                if index < last.0 {
                    *last = (index, found);
                }
            }
            _ => retained.push((index, found)),
        }
    }
    retained.into_iter().map(|(_, found)| found).collect()
}
