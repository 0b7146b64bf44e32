//! Prepares text for an AI agent. Every text that can quote the repository, its instruction files
//! included, passes through here before an agent reads it.

use super::{Distribution, REDACTED};
use crate::text::files::Memory;
use crate::text::hidden::without_hidden;
use crate::text::source::{Source, Span};

/// The text between two strings that are examined together, so that neither is context of the other.
const SEPARATOR: &str = "\n\n";

impl Distribution {
    /// The text with secrets masked and without invisible characters that carry text.
    #[must_use]
    pub fn agent_text(&'static self, text: &str) -> String {
        let mut text = text.to_owned();
        self.clean_for_agent(vec![&mut text]);
        text
    }

    /// Masks the secrets in the strings and removes invisible characters that carry text. The
    /// strings are examined together, because an answer can have thousands of them.
    pub fn clean_for_agent(&'static self, mut texts: Vec<&mut String>) {
        for text in &mut texts {
            // Invisible characters in a secret would hide it.
            if let std::borrow::Cow::Owned(clean) = without_hidden(text) {
                **text = clean;
            }
        }
        let joined = texts.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(SEPARATOR);
        // Without the rules, secrets cannot be found, so no text is shown.
        let Ok(engine) = self.secrets_engine() else {
            texts.into_iter().for_each(|text| REDACTED.clone_into(text));
            return;
        };
        let source = Source::new("message", joined.as_str());
        let secrets = engine.check_secrets(&source, &Memory::default()).secrets;
        if secrets.is_empty() {
            return;
        }
        let mut start = 0;
        let mut next = 0;
        for text in texts {
            let end = start + text.len();
            // A secret that spans several strings is masked in each.
            while secrets.get(next).is_some_and(|secret| secret.end as usize <= start) {
                next += 1;
            }
            let overlapping = secrets[next..].iter().take_while(|span| (span.start as usize) < end);
            let parts: Vec<Span> = overlapping
                .map(|span| {
                    let part = |at: u32| (at as usize).clamp(start, end) - start;
                    Span::new(part(span.start), part(span.end))
                })
                .collect();
            for part in parts.iter().rev() {
                text.replace_range(part.range(), REDACTED);
            }
            start = end + SEPARATOR.len();
        }
    }
}
