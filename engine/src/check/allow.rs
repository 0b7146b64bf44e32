//! Allow comments of aidd (`aidd:allow kind/name reason`) and of other tools.

use crate::rules::registry::Registry;
use crate::rules::rule::Report;
use crate::text::finding::{Finding, RuleId, Status};
use crate::text::kind::STYLE_PREFIXES;
use crate::text::paths::rule_globs;
use crate::text::source::{Source, Span};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

mod allowed_lines;
mod comment;
mod markers;
mod misspelt;
mod names;
mod unused;

use allowed_lines::AllowedLines;
pub(super) use comment::whole_comment;
use comment::{
    is_alone_on_line, is_code, opens_comment, opens_comment_line, split, text_around_marker,
    within_comment,
};
use markers::{
    FINDER, MARKERS, NameSyntax, Scope, is_aidd, is_certainly_absent, requires_block_comment,
};
pub use names::{name_at, names};
use unused::report_unused;

/// The id of the rule that reports allow comments without an effect.
pub const UNUSED: &str = "aidd/unused-allow";

/// Maximum number of different globs in the comments of one file. The limit exists because each
/// glob is compared with all rules.
const MAX_GLOBS: usize = 256;

/// The tag of rules that other secret scanners also have.
const SECRET_TAG: &str = "secret";
/// The tag of security rules.
const SECURITY_TAG: &str = "security";

/// One allow comment.
#[derive(Debug)]
struct Directive {
    /// From the marker to the end of the rule names.
    span: Span,
    scope: Scope,
    /// The first and last zero-based line that the comment applies to.
    lines: (usize, usize),
    rules: Rules,
    /// The names in the comment that are not rules.
    unknown: Vec<String>,
    reason: String,
    /// Whether the comment has a marker of aidd.
    is_aidd: bool,
    /// Whether the comment allows a finding.
    used: bool,
}

#[derive(Debug)]
enum Rules {
    All,
    Secrets,
    /// The `compliance` rules, except security rules.
    Style,
    /// The rules whose ids have one of these prefixes.
    WithPrefix(&'static [&'static str]),
    /// The rules that the comment names.
    Named(Vec<Rc<[RuleId]>>),
}

/// Resolves the names in the comments of a file, and looks up each name once.
struct NameCache<'a> {
    registry: &'a Registry,
    names: HashMap<&'a str, Rc<[RuleId]>>,
    /// The number of different globs so far. At most [`MAX_GLOBS`] of them are resolved.
    glob_count: usize,
}

/// The spans of the aidd comments that are used.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// Comments that allow a finding.
    pub(crate) used: Vec<Span>,
    /// Comments that can still allow a finding of the project pass, which runs the checks that need
    /// all files.
    pub(crate) pending_allows: Vec<Span>,
    /// Comments that allow nothing, but whose rules ran: a rule can take the comment for the
    /// explanation that it requires.
    pub(crate) unused: Vec<Span>,
}

/// Marks the findings that a comment allows, and reports unused aidd comments. `statements` are the
/// spans of the statements, sorted; a comment above the first line of a statement applies to the
/// whole statement.
pub(crate) fn apply(
    source: &Source,
    registry: &Registry,
    statements: impl FnOnce() -> Vec<Span>,
    findings: &mut [Finding],
    report: &mut Report<'_>,
) -> Applied {
    let text = source.text();
    if findings.is_empty() && memchr::memmem::find(text.as_bytes(), b"aidd").is_none() {
        return Applied::default();
    }
    misspelt::report(source, registry, report);
    let mut directives = directives(source, registry, statements);
    if directives.is_empty() {
        return Applied::default();
    }
    mark_allowed(source, registry, &mut directives, findings);
    let used = directives.iter().filter(|directive| directive.is_aidd && directive.used);
    let used = used.map(|directive| directive.span).collect();
    Applied { used, ..report_unused(source, registry, &directives, report) }
}

/// An allow comment that has an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From the marker to the end of the rule names.
    pub span: Span,
    /// The reason given in the comment.
    pub reason: Option<String>,
}

/// The effective allow comments of `source`: aidd comments that name a rule, and comments of other
/// tools that allow one of `findings`.
pub(crate) fn comments(
    source: &Source,
    registry: &Registry,
    statements: impl FnOnce() -> Vec<Span>,
    findings: &[Finding],
) -> Vec<Comment> {
    let mut directives = directives(source, registry, statements);
    mark_allowed(source, registry, &mut directives, &mut findings.to_vec());
    let names_rule = |directive: &Directive| match &directive.rules {
        Rules::Named(rules) => !rules.is_empty(),
        _ => true,
    };
    let has_effect =
        |directive: &Directive| directive.used || directive.is_aidd && names_rule(directive);
    let comment = |directive: Directive| Comment {
        span: directive.span,
        reason: directive.has_reason().then_some(directive.reason),
    };
    directives.into_iter().filter(has_effect).map(comment).collect()
}

/// The allow comments of a source, each with the lines that it applies to.
fn directives(
    source: &Source,
    registry: &Registry,
    statements: impl FnOnce() -> Vec<Span>,
) -> Vec<Directive> {
    let text = source.text();
    if is_certainly_absent(text) {
        return Vec::new();
    }
    let mut names = NameCache { registry, names: HashMap::new(), glob_count: 0 };
    let mut directives: Vec<Directive> = FINDER
        .find_iter(text)
        .filter_map(|found| read(source, &mut names, found.pattern().as_usize(), found.start()))
        .collect();
    if !directives.is_empty() {
        extend_directives(source, &mut directives, &statements());
    }
    directives
}

/// Marks the findings that a comment allows, and the comments that allow a finding.
fn mark_allowed(
    source: &Source,
    registry: &Registry,
    directives: &mut [Directive],
    findings: &mut [Finding],
) {
    // Rule → the lines on which comments allow it.
    let mut allowed_lines: HashMap<RuleId, AllowedLines> = HashMap::new();
    for finding in findings {
        let allowed_lines = allowed_lines
            .entry(finding.rule.clone())
            .or_insert_with(|| AllowedLines::new(directives, &finding.rule, registry));
        let first = source.line_of(finding.span.start);
        let last = source.line_of(finding.span.end.saturating_sub(1).max(finding.span.start));
        if let Some(directive) = allowed_lines.at(first, last).and_then(|at| directives.get_mut(at))
        {
            directive.used = true;
            finding.status = Status::Allowed;
            finding.reason = Some(directive.reason.clone());
        } else if let Some(directive) = naming_comment(source, registry, directives, finding) {
            // The comment contains what its rule searches for, which does not count as a use of the
            // comment.
            finding.status = Status::Allowed;
            finding.reason = Some(directive.reason.clone());
        }
    }
}

/// The aidd comment that contains `finding` and names its rule; `None` for a secret, because no
/// comment needs to contain one.
fn naming_comment<'a>(
    source: &Source,
    registry: &Registry,
    directives: &'a [Directive],
    finding: &Finding,
) -> Option<&'a Directive> {
    let after = directives.partition_point(|known| known.span.start <= finding.span.start);
    let directive = directives.get(after.checked_sub(1)?)?;
    let is_inside = || finding.span.end <= whole_comment(source, directive.span).end;
    let is_named = directive.is_aidd
        && directive.allows(&finding.rule, registry)
        && !has_tag(registry, &finding.rule, SECRET_TAG);
    (is_named && is_inside()).then_some(directive)
}

impl Directive {
    /// Whether the comment states a reason; the default one names the marker.
    fn has_reason(&self) -> bool {
        !(self.reason.starts_with('`') && self.reason.ends_with("` comment"))
    }

    fn allows(&self, rule: &RuleId, registry: &Registry) -> bool {
        match &self.rules {
            Rules::All => true,
            Rules::Named(rules) => rules.iter().any(|ids| ids.contains(rule)),
            Rules::Secrets => has_tag(registry, rule, SECRET_TAG),
            Rules::WithPrefix(prefixes) => prefixes.iter().any(|prefix| rule.starts_with(prefix)),
            Rules::Style => {
                STYLE_PREFIXES.iter().any(|kind| rule.starts_with(kind))
                    && !has_tag(registry, rule, SECURITY_TAG)
            }
        }
    }
}

fn has_tag(registry: &Registry, rule: &RuleId, tag: &str) -> bool {
    registry.get(rule).is_some_and(|rule| rule.tags.iter().any(|rule_tag| rule_tag == tag))
}

/// The allow comment whose marker is `MARKERS[marker]` and begins at `start`; `None` if the match
/// is not an allow comment.
fn read<'a>(
    source: &'a Source,
    name_cache: &mut NameCache<'a>,
    marker: usize,
    start: usize,
) -> Option<Directive> {
    let (literal, scope, names) = MARKERS[marker];
    let is_aidd = is_aidd(literal);
    let line = source.line_of(Span::at(start).start);
    let (before, after) = text_around_marker(source, literal, start)?;
    let is_block = || ["/*", "<!--"].iter().any(|opener| before.trim_end().ends_with(opener));
    if matches!(scope, Scope::Rest | Scope::End) && requires_block_comment(literal) && !is_block() {
        return None;
    }
    if names == NameSyntax::ListOrAllStyle && !opens_comment(before) {
        return None;
    }
    let is_alone = is_alone_on_line(before);
    let scope = match scope {
        Scope::LineOrRest | Scope::LineOrBlock if !is_alone => Scope::Line,
        Scope::LineOrBlock if before.starts_with([' ', '\t']) => Scope::Here,
        Scope::LineOrRest | Scope::LineOrBlock => Scope::Rest,
        scope => scope,
    };
    let (words, reason, length) = match names {
        NameSyntax::Spaced(_) => {
            let inner = within_comment(after);
            let names = inner.split(|c: char| c.is_whitespace() || c == ',');
            (names.filter(|it| !it.is_empty()).collect(), String::new(), inner.trim_end().len())
        }
        _ => split(after),
    };
    let (rules, unknown) = match names {
        NameSyntax::Secrets => (Rules::Secrets, Vec::new()),
        NameSyntax::ListOrAll if words.is_empty() => (Rules::All, Vec::new()),
        NameSyntax::ListOrStyle if words.is_empty() => (Rules::Style, Vec::new()),
        // Text that is not a list of rules is a reason: `nosec this is a test`.
        NameSyntax::ListOrAllStyle => match name_cache.resolve(words) {
            (Rules::Named(rules), unknown)
                if rules.is_empty() && !unknown.iter().any(|word| is_code(word)) =>
            {
                (Rules::WithPrefix(&STYLE_PREFIXES), Vec::new())
            }
            named => named,
        },
        NameSyntax::Spaced(prefixes) if words.is_empty() => {
            (Rules::WithPrefix(prefixes), Vec::new())
        }
        NameSyntax::List
        | NameSyntax::ListOrAll
        | NameSyntax::ListOrStyle
        | NameSyntax::Spaced(_) => name_cache.resolve(words),
    };
    let target = match scope {
        Scope::Next | Scope::Tag | Scope::Stage => line + 1,
        Scope::Here if is_alone => line + 1,
        _ => line,
    };
    let last = if scope == Scope::Rest { usize::MAX } else { target };
    let reason = if reason.is_empty() { format!("`{literal}` comment") } else { reason };
    let span = Span::new(start, start + literal.len() + length);
    let lines = (target, last);
    Some(Directive { span, scope, lines, rules, unknown, reason, is_aidd, used: false })
}

impl<'a> NameCache<'a> {
    /// Resolves `words` to rules; also returns the words that are not rule names.
    fn resolve(&mut self, mut words: Vec<&'a str>) -> (Rules, Vec<String>) {
        let mut seen = HashSet::new();
        words.retain(|word| seen.insert(*word));
        let mut rules = Vec::new();
        let mut unknown = Vec::new();
        for word in words {
            let is_glob = word.contains('*');
            if !self.names.contains_key(word) {
                self.glob_count += usize::from(is_glob);
                if is_glob && self.glob_count > MAX_GLOBS {
                    continue;
                }
                self.names.insert(word, self.look_up(word, is_glob));
            }
            match self.names.get(word) {
                Some(ids) if !ids.is_empty() => rules.push(Rc::clone(ids)),
                _ => unknown.push(word.to_owned()),
            }
        }
        (Rules::Named(rules), unknown)
    }

    fn look_up(&self, word: &str, is_glob: bool) -> Rc<[RuleId]> {
        // Before version 5, Svelte wrote its names with hyphens.
        let renamed = word.starts_with("a11y-").then(|| word.replace('-', "_"));
        let word = renamed.as_deref().unwrap_or(word);
        let globs = is_glob.then(|| rule_globs(&[word]).ok()).flatten();
        match globs {
            Some(globs) => {
                let ids = self.registry.rules().iter().map(|rule| &rule.id);
                ids.filter(|id| globs.is_match(&***id)).cloned().collect()
            }
            None => {
                // `jsx-a11y/alt-text`: other tools write the name of the plugin first.
                let without_plugin =
                    word.rsplit('/').next().filter(|_| !self.registry.contains(word));
                let named = self.registry.named(without_plugin.unwrap_or(word));
                let exact: Rc<[RuleId]> = named.map(|rule| rule.id.clone()).collect();
                if !exact.is_empty() {
                    return exact;
                }
                // golangci-lint uses the name of the linter (`nolint:gosec`), gosec uses the code
                // of the rule (`nosec G204`), and RuboCop accepts both.
                self.registry.named_by_alias_part(word).map(|rule| rule.id.clone()).collect()
            }
        }
    }
}

/// Sets the lines of each comment that applies to a line below it: the first following line that is
/// not a comment, and the whole statement that begins on this line.
fn extend_directives(source: &Source, directives: &mut [Directive], statements: &[Span]) {
    // Line of a comment → the first following line that is not a comment.
    let mut below: HashMap<usize, usize> = HashMap::new();
    let mut last = None;
    for directive in directives.iter().rev() {
        let line = source.line_of(directive.span.start);
        // One line can contain thousands of comments.
        if last.replace(line) != Some(line) && opens_comment_line(source, line) {
            let next = below.get(&(line + 1)).copied().unwrap_or(line + 1);
            below.insert(line, next);
        }
    }
    for directive in directives {
        let comment_line = source.line_of(directive.span.start);
        let is_above =
            matches!(directive.scope, Scope::Next | Scope::Here | Scope::Tag | Scope::Stage);
        if !is_above || directive.lines.0 == comment_line {
            continue;
        }
        let line = below.get(&directive.lines.0).copied().unwrap_or(directive.lines.0);
        directive.lines = (line, line);
        if directive.scope == Scope::Tag {
            directive.lines.1 = last_line_of_tag(source, line);
            continue;
        }
        let first = statements.partition_point(|span| source.line_of(span.start) < line);
        let begins_here = |span: &&Span| source.line_of(span.start) == line;
        let begin_here = statements[first..].iter().take_while(begins_here);
        let last_line = |span: &Span| source.line_of(span.end.saturating_sub(1).max(span.start));
        if let Some(last) = begin_here.map(last_line).max() {
            directive.lines.1 = last;
            let statement = &statements[first];
            if directive.scope == Scope::Stage && begins_stage(source, statement) {
                let next = statements[first + 1..].iter().find(|next| begins_stage(source, next));
                let end = next.map(|next| source.line_of(next.start));
                directive.lines.1 = end.map_or(usize::MAX, |line| line.saturating_sub(1));
            }
        }
    }
}

/// The last line of the start tag that begins on a line; the line itself if none does.
fn last_line_of_tag(source: &Source, line: usize) -> usize {
    const MAX_TAG: usize = 4 << 10;
    let start = source.line_span(line).start as usize;
    let text = source.text();
    let tag = &text.as_bytes()[start..text.len().min(start + MAX_TAG)];
    if !tag.trim_ascii_start().starts_with(b"<") {
        return line;
    }
    let (mut braces, mut quote) = (0_usize, None);
    for (at, &byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) => quote = (open != byte).then_some(open),
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'{') => braces += 1,
            (None, b'}') => braces = braces.saturating_sub(1),
            (None, b'>') if braces == 0 => return source.line_of(Span::at(start + at).start),
            _ => {}
        }
    }
    line
}

/// Whether a statement of a Dockerfile begins a stage.
fn begins_stage(source: &Source, statement: &Span) -> bool {
    let keyword = source.slice(*statement).split_whitespace().next().unwrap_or_default();
    keyword.eq_ignore_ascii_case("FROM")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_names_are_separated_from_the_reason() {
        let read = |text: &'static str| {
            let (words, reason, _) = split(text);
            (words, reason)
        };
        assert_eq!(read(" a/b needed for x"), (vec!["a/b"], "needed for x".to_owned()));
        assert_eq!(read(" a/b, c/d: why -->"), (vec!["a/b", "c/d"], "why".to_owned()));
        assert_eq!(read("DL3007,SC2086"), (vec!["DL3007", "SC2086"], String::new()));
        assert_eq!(read("=DL3007 , DL3008"), (vec!["DL3007", "DL3008"], String::new()));
        assert_eq!(
            read(" jsx-a11y/alt-text -- decorative */"),
            (vec!["jsx-a11y/alt-text"], "decorative".to_owned())
        );
        assert_eq!(
            read(" lint/a11y/useAltText: why"),
            (vec!["lint/a11y/useAltText"], "why".to_owned())
        );
        assert_eq!(read(""), (vec![], String::new()));
    }

    #[test]
    fn a_comment_alone_on_its_line_is_deleted_with_the_line() {
        let delete_comment = |text: &str| {
            let source = Source::new("x", text);
            let start = text.find("aidd:").expect("present");
            let span = whole_comment(&source, Span::new(start, start + "aidd:allow a/b".len()));
            format!("{}{}", &text[..span.start as usize], &text[span.end as usize..])
        };
        assert_eq!(delete_comment("a\n# aidd:allow a/b why\nb"), "a\nb");
        assert_eq!(delete_comment("a # aidd:allow a/b why\nb"), "a\nb");
        assert_eq!(delete_comment("a /* aidd:allow a/b why */ b"), "a b");
    }
}
