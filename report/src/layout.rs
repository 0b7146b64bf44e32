//! Wraps text between words at the width of a terminal.

use crate::Style;

/// Minimum width of wrapped text, so that it stays readable next to long prefixes.
const MIN_WRAPPED: usize = 16;
/// Maximum width of prose: longer lines are hard to read.
pub const MAX_PROSE_WIDTH: usize = 100;

/// Wraps `text` so that each line fits when `used` columns of it are taken. Returns `text`
/// unchanged if `style` does not wrap.
#[must_use]
pub fn wrap(text: &str, used: usize, style: &Style) -> String {
    if !style.wrap {
        return text.to_owned();
    }
    let width = style.width.saturating_sub(used).max(MIN_WRAPPED);
    textwrap::wrap(text, options(width)).join("\n")
}

/// `prefix` and `text` on one line, wrapped with an indent that aligns the text. If the prefix
/// takes more than half of the width, the text starts on the next line.
#[must_use]
pub fn hanging(prefix: &str, text: &str, style: &Style) -> String {
    const NARROW_INDENT: usize = 8;
    let used = textwrap::core::display_width(prefix);
    if !style.wrap {
        return format!("{prefix}{text}");
    }
    let is_narrow = used > style.width / 2;
    let indent = " ".repeat(if is_narrow { NARROW_INDENT } else { used });
    let width = style.width.max(MIN_WRAPPED);
    if !is_narrow {
        let options = options(width).initial_indent(prefix).subsequent_indent(&indent);
        return textwrap::fill(text, options);
    }
    if used + textwrap::core::display_width(text) <= width {
        return format!("{prefix}{text}");
    }
    let options = options(width).initial_indent(&indent).subsequent_indent(&indent);
    format!("{}\n{}", prefix.trim_end(), textwrap::fill(text, options))
}

/// A complete line wrapped at `width`; the following lines have the indent of the first one.
#[must_use]
pub fn wrap_line(line: &str, width: usize) -> String {
    if textwrap::core::display_width(line) <= width {
        return line.to_owned();
    }
    let rest = line.trim_start_matches(' ');
    let indent = &line[..line.len() - rest.len()];
    textwrap::fill(rest, options(width).initial_indent(indent).subsequent_indent(indent))
}

/// Breaks only at spaces: a broken path or id cannot be copied.
fn options(width: usize) -> textwrap::Options<'static> {
    textwrap::Options::new(width)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(width: usize) -> Style {
        Style { width, wrap: true, ..Style::default() }
    }

    #[test]
    fn text_is_aligned_with_its_column() {
        let text = "words that do not fit on a line of forty columns";
        assert_eq!(
            hanging("off  a/rule  ", text, &style(40)),
            "off  a/rule  words that do not fit on a\n             line of forty columns"
        );
        assert_eq!(
            hanging("off  kind/a-rule-with-a-long-name  ", text, &style(40)),
            "off  kind/a-rule-with-a-long-name\n        words that do not fit on a line\n        of forty columns"
        );
        let piped = Style::default();
        assert_eq!(hanging("off  ", text, &piped), format!("off  {text}"));
    }

    #[test]
    fn a_line_is_never_broken_inside_a_word() {
        let path = "a".repeat(60);
        assert_eq!(wrap_line(&format!("  see {path} now"), 40), format!("  see\n  {path}\n  now"));
        assert_eq!(wrap_line("short", 40), "short");
    }
}
