//! Invisible characters that carry or reorder text: a model reads them, a reviewer does not see them.

use super::source::Span;
use std::borrow::Cow;

/// What an invisible character can be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Tag characters, which encode a second, invisible text.
    Tag,
    /// Variation selectors, of which a sequence encodes invisible bytes.
    Selector,
    /// Characters that change the direction of the text.
    Bidi,
    /// Characters that have no width.
    ZeroWidth,
}

/// A sequence of invisible characters of one kind that no script and no emoji requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenRun {
    /// The use of the characters.
    pub kind: Hidden,
    /// The location in the text.
    pub span: Span,
    /// The number of characters.
    pub count: usize,
}

fn kind(c: char) -> Option<Hidden> {
    match c {
        '\u{E0000}'..='\u{E007F}' => Some(Hidden::Tag),
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => Some(Hidden::Selector),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some(Hidden::Bidi),
        '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => Some(Hidden::ZeroWidth),
        _ => None,
    }
}

/// A sequence of variation selectors that is too long for an emoji.
const MIN_SELECTORS: usize = 4;

/// The sequences of invisible characters in a text, in order.
#[must_use]
pub fn hidden_runs(text: &str) -> Vec<HiddenRun> {
    let mut runs = Vec::new();
    if text.is_ascii() {
        return runs;
    }
    let mut chars = text.char_indices().peekable();
    let mut before = '\n';
    // The end of the line that was checked last, and whether it has letters from right to left.
    let (mut line_end, mut is_rtl) = (0, false);
    while let Some((start, c)) = chars.next() {
        let Some(hidden) = kind(c) else {
            before = c;
            continue;
        };
        let mut end = start + c.len_utf8();
        let mut count = 1_usize;
        while let Some(&(at, next)) = chars.peek().filter(|(_, next)| kind(*next) == Some(hidden)) {
            end = at + next.len_utf8();
            count += 1;
            chars.next();
        }
        let after = chars.peek().map_or('\n', |(_, c)| *c);
        if hidden == Hidden::Bidi && start >= line_end {
            let line = line_of(text, start);
            line_end = start + text[start..].find('\n').map_or(text.len() - start, |at| at + 1);
            is_rtl = is_right_to_left(line);
        }
        let is_text = match hidden {
            // Flags of regions: a black flag, then tags.
            Hidden::Tag => before == '\u{1F3F4}',
            Hidden::Selector => count < MIN_SELECTORS,
            Hidden::Bidi => is_rtl,
            // Joiners between emoji or letters of scripts that need them; marks of line breaks in
            // scripts without spaces; a byte order mark; a fence that must not close the outer one.
            Hidden::ZeroWidth => {
                let is_fence = before == '\n' && text[end..].starts_with("```");
                !before.is_ascii() || !after.is_ascii() || start == 0 || is_fence
            }
        };
        before = c;
        if !is_text {
            runs.push(HiddenRun { kind: hidden, span: Span::new(start, end), count });
        }
    }
    runs
}

/// The text without the characters that [`hidden_runs`] finds.
#[must_use]
pub fn without_hidden(text: &str) -> Cow<'_, str> {
    let runs = hidden_runs(text);
    if runs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut end = 0;
    for run in &runs {
        clean.push_str(&text[end..run.span.start as usize]);
        end = run.span.end as usize;
    }
    clean.push_str(&text[end..]);
    Cow::Owned(clean)
}

fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].split('\n').next().unwrap_or_default()
}

/// Whether a line has letters of a script that is written from right to left.
fn is_right_to_left(line: &str) -> bool {
    line.chars().any(
        |c| matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_text_is_removed_and_scripts_are_retained() {
        let planted =
            "Run\u{e0068}\u{e0069} the\u{202e} log\u{200b}ger\u{fe00}\u{fe01}\u{fe02}\u{fe03}.";
        assert_eq!(without_hidden(planted), "Run the logger.");
        let text = "Families 👨\u{200d}👩, hearts ❤\u{fe0f}, می\u{200c}خواهم";
        assert!(matches!(without_hidden(text), Cow::Borrowed(same) if same == text));
    }
}
