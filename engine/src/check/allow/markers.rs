//! The supported allow comments: those of aidd, and those of other tools.

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// Which lines a comment applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Its own line; if the comment is alone on its line, the next line that is not such a comment.
    Here,
    /// Only its own line.
    Line,
    /// The next line, and the statement that begins there.
    Next,
    /// All lines of the file.
    File,
    /// Its own line and all lines below, up to an [`End`](Reach::End).
    Rest,
    /// Its own line; if the comment is alone on its line, as `Rest`.
    LineOrRest,
    /// Its own line. If the comment is alone on its line, as `Rest` at the left margin; when
    /// indented, the next line, because the tool means the enclosing block.
    LineOrBlock,
    /// No line: ends what a `Rest` above allows.
    End,
}

/// How a comment lists the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// `a, b` after the marker, then the reason.
    List,
    /// As `List`; without a list, all rules.
    ListOrAll,
    /// As `List`; without a list, the style rules of aidd that are not about security: silencing a
    /// linter for a whole file is not meant to include those.
    ListOrStyle,
    /// As `List`; without a list, the style rules of aidd, including those on security. These
    /// markers are short words, so they only count at the beginning of a comment.
    ListOrOurs,
    /// The rules that find secrets.
    Secrets,
    /// Names separated by blanks; without any, the rules whose ids have one of these prefixes.
    Spaced(&'static [&'static str]),
}

/// The supported markers. Longer markers come before their prefixes.
pub(super) const MARKERS: &[(&str, Reach, Names)] = &[
    ("aidd:allow-file", Reach::File, Names::List),
    ("aidd:allow", Reach::Here, Names::List),
    ("hadolint global ignore=", Reach::File, Names::List),
    ("hadolint ignore=", Reach::Next, Names::List),
    ("check=skip=", Reach::File, Names::List),
    ("shellcheck disable=", Reach::Next, Names::List),
    ("gitleaks:allow", Reach::Line, Names::Secrets),
    ("betterleaks:allow", Reach::Line, Names::Secrets),
    ("kingfisher:ignore", Reach::Line, Names::Secrets),
    ("noseyparker:ignore", Reach::Line, Names::Secrets),
    ("trufflehog:ignore", Reach::Line, Names::Secrets),
    ("pragma: allowlist nextline secret", Reach::Next, Names::Secrets),
    ("pragma: allowlist secret", Reach::Line, Names::Secrets),
    ("secretlint-disable-next-line", Reach::Next, Names::Secrets),
    ("secretlint-disable-line", Reach::Line, Names::Secrets),
    ("squawk-ignore-file", Reach::File, Names::ListOrAll),
    ("squawk-ignore", Reach::Next, Names::ListOrAll),
    ("eslint-disable-next-line", Reach::Next, Names::ListOrAll),
    ("eslint-disable-line", Reach::Line, Names::ListOrAll),
    ("eslint-disable", Reach::Rest, Names::ListOrStyle),
    ("eslint-enable", Reach::End, Names::ListOrStyle),
    ("oxlint-disable-next-line", Reach::Next, Names::ListOrAll),
    ("oxlint-disable-line", Reach::Line, Names::ListOrAll),
    ("oxlint-disable", Reach::Rest, Names::ListOrStyle),
    ("oxlint-enable", Reach::End, Names::ListOrStyle),
    ("biome-ignore-all", Reach::File, Names::List),
    ("biome-ignore", Reach::Next, Names::List),
    ("nolint:", Reach::Line, Names::List),
    ("nolint", Reach::Line, Names::ListOrOurs),
    ("ruff: noqa:", Reach::File, Names::List),
    ("flake8: noqa:", Reach::File, Names::List),
    ("noqa:", Reach::Line, Names::List),
    ("noqa", Reach::Line, Names::ListOrOurs),
    ("NOQA:", Reach::Line, Names::List),
    ("NOQA", Reach::Line, Names::ListOrOurs),
    ("nosec", Reach::Line, Names::ListOrOurs),
    ("NOSONAR", Reach::Line, Names::ListOrOurs),
    ("NOPMD", Reach::Line, Names::ListOrOurs),
    ("pylint: disable-next=", Reach::Next, Names::List),
    ("pylint: disable=", Reach::LineOrBlock, Names::List),
    ("pylint: enable=", Reach::End, Names::List),
    ("rubocop:disable", Reach::LineOrRest, Names::List),
    ("rubocop:todo", Reach::LineOrRest, Names::List),
    ("rubocop:enable", Reach::End, Names::List),
    ("stylelint-disable-next-line", Reach::Next, Names::ListOrStyle),
    ("stylelint-disable-line", Reach::Line, Names::ListOrStyle),
    ("stylelint-disable", Reach::Rest, Names::ListOrStyle),
    ("stylelint-enable", Reach::End, Names::ListOrStyle),
    ("ast-grep-ignore", Reach::Here, Names::ListOrAll),
    (
        "markdownlint-disable-next-line",
        Reach::Next,
        Names::Spaced(&["markdownlint/", "compliance/"]),
    ),
    ("markdownlint-disable-line", Reach::Line, Names::Spaced(&["markdownlint/", "compliance/"])),
    ("markdownlint-disable-file", Reach::File, Names::Spaced(&["markdownlint/", "compliance/"])),
    ("markdownlint-disable", Reach::Rest, Names::Spaced(&["markdownlint/", "compliance/"])),
    ("markdownlint-enable", Reach::End, Names::Spaced(&["markdownlint/", "compliance/"])),
    ("mermaid-lint-disable-next-line", Reach::Next, Names::ListOrAll),
];

pub(super) static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(MARKERS.iter().map(|(marker, ..)| *marker))
        .expect("a few literals")
});

/// Whether a marker for a range of lines only counts in block comments, because these tools ignore
/// it in line comments.
pub(super) fn wants_block(literal: &str) -> bool {
    ["eslint", "oxlint", "stylelint", "markdownlint"].iter().any(|tool| literal.starts_with(tool))
}

/// Whether this is a marker of aidd.
pub(super) fn is_own(literal: &str) -> bool {
    literal.starts_with("aidd:")
}
