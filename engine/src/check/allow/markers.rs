//! The supported allow comments of aidd and of other tools.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// Which lines a comment applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The line of the comment. If the comment is alone on its line, the next line that is not an
    /// allow comment.
    Here,
    /// Only the line of the comment.
    Line,
    /// The next line, and the statement that begins on it.
    Next,
    /// The next line, and all lines of the start tag that begins on it.
    Tag,
    /// The build stage of a Dockerfile whose `FROM` is on the next line.
    Stage,
    /// All lines of the file.
    File,
    /// The line of the comment and all lines below, up to an [`End`](Scope::End) comment.
    Rest,
    /// The line of the comment. If the comment is alone on its line, the same lines as `Rest`.
    LineOrRest,
    /// The line of the comment. If the comment is alone on its line and not indented, the same
    /// lines as `Rest`. If it is alone and indented, the next line: the tool itself would allow the
    /// rule in the enclosing block.
    LineOrBlock,
    /// No line: ends the range of a `Rest` comment above.
    End,
}

/// How a comment lists the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameSyntax {
    /// `a, b` after the marker, then the reason.
    List,
    /// Like `List`; without a list, the comment allows all rules.
    ListOrAll,
    /// Like `List`; without a list, the comment allows the `compliance/*` rules without the tag
    /// `security`, because a comment that disables a linter for a whole file is not meant for
    /// security rules.
    ListOrStyle,
    /// Like `List`; without a list, the comment allows the style rules of aidd, including the
    /// security rules among them. These markers are short words, so they are recognised only at the
    /// beginning of a comment.
    ListOrAllStyle,
    /// The rules that find secrets.
    Secrets,
    /// Names separated by white space or commas. Without names, the rules whose ids have one of these
    /// prefixes.
    Spaced(&'static [&'static str]),
}

/// The supported markers. Longer markers come before their own prefixes, because the first match
/// wins.
pub(super) const MARKERS: &[(&str, Scope, NameSyntax)] = &[
    ("aidd:allow-file", Scope::File, NameSyntax::List),
    ("aidd:allow", Scope::Here, NameSyntax::List),
    ("hadolint global ignore=", Scope::File, NameSyntax::List),
    ("hadolint global ignore =", Scope::File, NameSyntax::List),
    ("hadolint stage ignore=", Scope::Stage, NameSyntax::List),
    ("hadolint stage ignore =", Scope::Stage, NameSyntax::List),
    ("hadolint ignore=", Scope::Next, NameSyntax::List),
    ("hadolint ignore =", Scope::Next, NameSyntax::List),
    ("check=skip=", Scope::File, NameSyntax::List),
    ("shellcheck disable=", Scope::Next, NameSyntax::List),
    ("gitleaks:allow", Scope::Line, NameSyntax::Secrets),
    ("betterleaks:allow", Scope::Line, NameSyntax::Secrets),
    ("kingfisher:ignore", Scope::Line, NameSyntax::Secrets),
    ("noseyparker:ignore", Scope::Line, NameSyntax::Secrets),
    ("trufflehog:ignore", Scope::Line, NameSyntax::Secrets),
    ("pragma: allowlist nextline secret", Scope::Next, NameSyntax::Secrets),
    ("pragma: allowlist secret", Scope::Line, NameSyntax::Secrets),
    ("secretlint-disable-next-line", Scope::Next, NameSyntax::Secrets),
    ("secretlint-disable-line", Scope::Line, NameSyntax::Secrets),
    ("squawk-ignore-file", Scope::File, NameSyntax::ListOrAll),
    ("squawk-ignore", Scope::Next, NameSyntax::ListOrAll),
    ("eslint-disable-next-line", Scope::Next, NameSyntax::ListOrAll),
    ("eslint-disable-line", Scope::Line, NameSyntax::ListOrAll),
    ("eslint-disable", Scope::Rest, NameSyntax::ListOrStyle),
    ("eslint-enable", Scope::End, NameSyntax::ListOrStyle),
    ("oxlint-disable-next-line", Scope::Next, NameSyntax::ListOrAll),
    ("oxlint-disable-line", Scope::Line, NameSyntax::ListOrAll),
    ("oxlint-disable", Scope::Rest, NameSyntax::ListOrStyle),
    ("oxlint-enable", Scope::End, NameSyntax::ListOrStyle),
    ("biome-ignore-all", Scope::File, NameSyntax::List),
    ("biome-ignore", Scope::Next, NameSyntax::List),
    ("svelte-ignore", Scope::Tag, NameSyntax::Spaced(&[])),
    ("nolint:", Scope::Line, NameSyntax::List),
    ("nolint", Scope::Line, NameSyntax::ListOrAllStyle),
    ("ruff: noqa:", Scope::File, NameSyntax::List),
    ("flake8: noqa:", Scope::File, NameSyntax::List),
    ("noqa:", Scope::Line, NameSyntax::List),
    ("noqa", Scope::Line, NameSyntax::ListOrAllStyle),
    ("NOQA:", Scope::Line, NameSyntax::List),
    ("NOQA", Scope::Line, NameSyntax::ListOrAllStyle),
    ("nosec", Scope::Line, NameSyntax::ListOrAllStyle),
    ("NOSONAR", Scope::Line, NameSyntax::ListOrAllStyle),
    ("NOPMD", Scope::Line, NameSyntax::ListOrAllStyle),
    ("pylint: disable-next=", Scope::Next, NameSyntax::List),
    ("pylint: disable=", Scope::LineOrBlock, NameSyntax::List),
    ("pylint: enable=", Scope::End, NameSyntax::List),
    ("rubocop:disable", Scope::LineOrRest, NameSyntax::List),
    ("rubocop:todo", Scope::LineOrRest, NameSyntax::List),
    ("rubocop:enable", Scope::End, NameSyntax::List),
    ("stylelint-disable-next-line", Scope::Next, NameSyntax::ListOrStyle),
    ("stylelint-disable-line", Scope::Line, NameSyntax::ListOrStyle),
    ("stylelint-disable", Scope::Rest, NameSyntax::ListOrStyle),
    ("stylelint-enable", Scope::End, NameSyntax::ListOrStyle),
    ("ast-grep-ignore", Scope::Here, NameSyntax::ListOrAll),
    (
        "markdownlint-disable-next-line",
        Scope::Next,
        NameSyntax::Spaced(&["markdownlint/", "compliance/"]),
    ),
    (
        "markdownlint-disable-line",
        Scope::Line,
        NameSyntax::Spaced(&["markdownlint/", "compliance/"]),
    ),
    (
        "markdownlint-disable-file",
        Scope::File,
        NameSyntax::Spaced(&["markdownlint/", "compliance/"]),
    ),
    ("markdownlint-disable", Scope::Rest, NameSyntax::Spaced(&["markdownlint/", "compliance/"])),
    ("markdownlint-enable", Scope::End, NameSyntax::Spaced(&["markdownlint/", "compliance/"])),
    ("mermaid-lint-disable-next-line", Scope::Next, NameSyntax::ListOrAll),
];

/// Maximum length of a text in which each marker is searched for separately, in bytes: building the
/// automaton takes about as long as searching this many bytes.
const MAX_SEPARATE_BYTES: usize = 8 << 10;

/// Whether a text cannot contain a marker. Only determined for short texts.
pub(super) fn is_certainly_absent(text: &str) -> bool {
    let occurs = |marker: &str| memchr::memmem::find(text.as_bytes(), marker.as_bytes()).is_some();
    text.len() <= MAX_SEPARATE_BYTES && !MARKERS.iter().any(|(marker, ..)| occurs(marker))
}

pub(super) static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    // The automaton that the builder would choose by itself takes five times as long to build.
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .match_kind(MatchKind::LeftmostFirst)
        .build(MARKERS.iter().map(|(marker, ..)| *marker))
        .expect("a few literals")
});

/// Whether a marker for a range of lines is recognised only in block comments, because its tool
/// ignores it in line comments.
pub(super) fn requires_block_comment(literal: &str) -> bool {
    ["eslint", "oxlint", "stylelint", "markdownlint"].iter().any(|tool| literal.starts_with(tool))
}

/// Whether `literal` is a marker of aidd.
pub(super) fn is_aidd(literal: &str) -> bool {
    literal.starts_with("aidd:")
}
