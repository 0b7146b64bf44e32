//! Renders a description as lines of text: for a terminal, an agent, or the comments of an empty
//! message.

use super::draft::OPEN;
use super::facts::{DependencyChange, FileChange, SettingChange, SymbolChange, SymbolChangeKind};
use super::{ChangeKind, Description, Difference, SeveralTopics};
use std::fmt::{self, Display};

/// Maximum number of entries shown per list; further entries are counted.
const MAX_LIST_ENTRIES: usize = 20;
/// Maximum number of files of other topics that are named.
const MAX_OTHER_FILES: usize = 4;
/// Maximum number of characters of a name.
const MAX_NAME: usize = 48;

impl Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.open_reason();
        match &self.draft {
            Some(draft) if draft.ends_with(OPEN) => {
                writeln!(f, "draft: {}\nopen: the description; {reason}", to_plain_line(draft))?;
            }
            Some(draft) => writeln!(f, "draft: {}", to_plain_line(draft))?,
            None => writeln!(f, "draft: none; {reason}")?,
        }
        if let (Some(kind), Some(why)) = (&self.r#type, &self.why) {
            writeln!(f, "type: {} ({why})", to_plain_line(kind))?;
        }
        if !self.likely_types.is_empty() {
            let types = to_plain_line(&self.likely_types.join(" or "));
            writeln!(f, "type: open; most likely {types}")?;
        }
        if let Some(scope) = &self.scope {
            writeln!(f, "scope: {}", to_plain_line(scope))?;
        }
        let convention = &self.convention;
        if convention.is_used() || convention.commits == 0 {
            let types = to_plain_line(&convention.types.join(", "));
            writeln!(f, "types: {types} ({})", convention.source())?;
        }
        if !convention.scopes.is_empty() {
            let required = if convention.scope_required { " (required)" } else { "" };
            writeln!(f, "scopes: {}{required}", to_plain_line(&convention.scopes.join(", ")))?;
        }
        if convention.commits > 0 {
            writeln!(f, "subject: {}", convention.style)?;
        }
        if let Some(reverted) = &self.reverts {
            writeln!(
                f,
                "reverts: {} {}",
                to_plain_line(&reverted.commit),
                to_plain_line(&reverted.subject)
            )?;
        }
        if let Some(version) = &self.version {
            writeln!(f, "version: {version}")?;
        }
        list(f, "breaking", &self.breaking, 0)?;
        list(f, "files", &self.files, self.omitted.files)?;
        list(f, "symbols", &self.symbols, self.omitted.symbols)?;
        list(f, "dependencies", &self.dependencies, self.omitted.dependencies)?;
        list(f, "settings", &self.settings, self.omitted.settings)
    }
}

fn list<T: Display>(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    entries: &[T],
    omitted: usize,
) -> fmt::Result {
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}:")?;
    for entry in entries.iter().take(MAX_LIST_ENTRIES) {
        writeln!(f, "- {entry}")?;
    }
    match entries.len().saturating_sub(MAX_LIST_ENTRIES) + omitted {
        0 => Ok(()),
        more => writeln!(f, "- {more} more"),
    }
}

impl Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match (self.change, &self.old_path) {
            (ChangeKind::Added, _) => "added",
            (ChangeKind::Deleted, _) => "deleted",
            (ChangeKind::Changed, Some(_)) => "renamed",
            (ChangeKind::Changed, None) => "changed",
        };
        write!(f, "{verb} ")?;
        if let Some(old) = &self.old_path {
            write!(f, "{} to ", to_plain_line(old))?;
        }
        write!(f, "{} ({}", to_plain_line(&self.path), self.kind.name())?;
        let difference = match self.difference {
            Difference::Content => "",
            Difference::Layout => ", layout only",
            Difference::Comments => ", comments only",
            Difference::Tests => ", tests only",
            Difference::None => ", same text",
        };
        f.write_str(difference)?;
        if self.added + self.removed > 0 {
            write!(f, ", +{} -{}", self.added, self.removed)?;
        }
        f.write_str(")")
    }
}

impl Display for SymbolChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = (self.kind.name(), in_backticks(&self.name));
        let path = to_plain_line(&self.path);
        let public = if self.is_public { "public " } else { "" };
        match (self.change, &self.from) {
            (SymbolChangeKind::Renamed, Some(from)) => {
                write!(f, "renamed {public}{kind} {} to {name} in {path}", in_backticks(from))
            }
            (SymbolChangeKind::Moved, Some(from)) => {
                write!(f, "moved {public}{kind} {name} from {} to {path}", to_plain_line(from))
            }
            (change, _) => write!(f, "{} {public}{kind} {name} in {path}", change.name()),
        }
    }
}

impl Display for DependencyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, path) = (to_plain_line(&self.name), to_plain_line(&self.path));
        let version =
            |version: &Option<String>| version.clone().unwrap_or_else(|| "no version".to_owned());
        match self.change {
            ChangeKind::Added => match &self.to {
                Some(to) => write!(f, "added {name} {to} in {path}"),
                None => write!(f, "added {name} in {path}"),
            },
            ChangeKind::Deleted => write!(f, "removed {name} in {path}"),
            ChangeKind::Changed => {
                let (from, to) = (version(&self.from), version(&self.to));
                write!(f, "changed {name} from {from} to {to} in {path}")
            }
        }
    }
}

impl Display for SettingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.change {
            ChangeKind::Added => "added",
            ChangeKind::Deleted => "removed",
            ChangeKind::Changed => "changed",
        };
        write!(f, "{verb} {}", in_backticks(&self.key))?;
        if let Some(value) = &self.value {
            write!(f, " to {value}")?;
        }
        write!(f, " in {}", to_plain_line(&self.path))
    }
}

impl Description {
    /// The reason why the description of the change is left open.
    fn open_reason(&self) -> String {
        let Some(SeveralTopics { main, other_files }) = &self.several_topics else {
            return "the files do not show what the change is for".to_owned();
        };
        let (named, more) = other_files.split_at(other_files.len().min(MAX_OTHER_FILES));
        let named: Vec<String> = named.iter().map(|path| to_plain_line(path)).collect();
        let more = match more.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (named, main) = (named.join(", "), to_plain_line(main));
        format!(
            "probably several topics: {main}, and changes that do not mention it in {named}{more}"
        )
    }

    /// Every string that was read from the project, so that secrets in it can be masked.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        let convention = &mut self.convention;
        let mut texts: Vec<&mut String> = convention
            .types
            .iter_mut()
            .chain(&mut convention.scopes)
            .chain(&mut convention.style.trailers)
            .chain(&mut self.breaking)
            .chain(&mut self.draft)
            .chain(&mut self.r#type)
            .chain(&mut self.likely_types)
            .chain(&mut self.scope)
            .chain(&mut self.version)
            .collect();
        if let Some(SeveralTopics { main, other_files }) = &mut self.several_topics {
            texts.extend(std::iter::once(main).chain(other_files));
        }
        texts.extend(self.reverts.iter_mut().map(|reverted| &mut reverted.subject));
        for file in &mut self.files {
            texts.extend([&mut file.path].into_iter().chain(&mut file.old_path));
        }
        for symbol in &mut self.symbols {
            let names = [&mut symbol.name, &mut symbol.path];
            texts.extend(names.into_iter().chain(&mut symbol.from));
        }
        for dependency in &mut self.dependencies {
            let names = [&mut dependency.name, &mut dependency.path];
            texts.extend(names.into_iter().chain(&mut dependency.from));
            texts.extend(&mut dependency.to);
        }
        for setting in &mut self.settings {
            texts.extend([&mut setting.key, &mut setting.path]);
        }
        texts
    }
}

/// `text` on one line, without control characters that a terminal would interpret.
pub(super) fn to_plain_line(text: &str) -> String {
    let control_to_space = |c: char| if c.is_control() { ' ' } else { c };
    // Bidirectional controls and zero-width characters could change how the message reads.
    let is_invisible = |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let text: String = text.chars().filter(|c| !is_invisible(c)).map(control_to_space).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name in backticks; of a name longer than [`MAX_NAME`], only the end is shown, after an
/// ellipsis.
pub(super) fn in_backticks(name: &str) -> String {
    let name = to_plain_line(name).replace('`', "'");
    let short = match name.char_indices().rev().nth(MAX_NAME - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &name[at..]),
        _ => name,
    };
    format!("`{short}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_sanitized() {
        assert_eq!(to_plain_line("a\nb\u{1b}[31m\u{202e}c"), "a b [31mc");
        assert_eq!(in_backticks(&"a".repeat(48)), format!("`{}`", "a".repeat(48)));
        assert_eq!(in_backticks(&"a".repeat(60)), format!("`…{}`", "a".repeat(48)));
    }
}
