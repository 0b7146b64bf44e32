//! Characters that a model reads and a reviewer does not see.

use super::AgentContext;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::Span;

/// What a hidden character can be used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// Tag characters, which encode a second, invisible text.
    Tag,
    /// Variation selectors, of which a sequence encodes invisible bytes.
    Selector,
    /// Characters that change the direction of the text.
    Bidi,
    /// Characters that have no width.
    ZeroWidth,
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

pub(super) fn hidden_unicode(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let text = context.source.text();
    if text.is_ascii() {
        return;
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
        let run = &text[start..end];
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
        if is_text {
            continue;
        }
        let message = match hidden {
            Hidden::Tag => {
                format!("invisible text: `{}`", decode_tags(run))
            }
            Hidden::Selector => {
                format!("{count} invisible variation selectors, which can encode text")
            }
            Hidden::Bidi => {
                format!(
                    "the invisible character U+{:04X} changes the order of the text",
                    u32::from(c)
                )
            }
            Hidden::ZeroWidth => format!("invisible character U+{:04X}", u32::from(c)),
        };
        let span = Span::new(start, end);
        let finding = report.at(span, message);
        finding.fix("Remove the invisible characters", vec![Edit::delete(span)]);
        if hidden == Hidden::ZeroWidth {
            finding.severity = Severity::Info;
        }
    }
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

/// The text that tag characters encode.
fn decode_tags(text: &str) -> String {
    let decode = |c: char| u8::try_from(u32::from(c) - 0xE0000).ok().map(char::from);
    let decoded: String = text.chars().filter_map(decode).filter(|c| !c.is_control()).collect();
    decoded.chars().take(60).collect::<String>().replace('`', "'")
}
