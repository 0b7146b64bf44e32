//! Text within a token budget: facts about symbols, and as much of their source as fits.

use super::impact::over_http;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::Source;
use aidd_index::query::context::{Surroundings, TEST_DEPTH, Use};
use aidd_index::query::{EffectChain, Reader, SymbolRow};
use aidd_lexicon::tokens;
use std::fmt::Write as _;

/// Maximum number of files in a list of callers, callees or tests.
const MAX_FILES: usize = 8;
/// Maximum number of symbols per file in such a list.
const MAX_PER_FILE: usize = 5;
/// Maximum number of lines of source that are read for a symbol.
const MAX_LINES: usize = 400;
/// Maximum size of a source file in bytes; larger files are not in the index.
const MAX_BYTES: u64 = 1 << 20;

/// A symbol or file in an answer.
pub(super) struct Section {
    pub(super) path: String,
    /// The heading and the facts, one line each.
    pub(super) facts: Vec<String>,
    /// The source from the first line on.
    lines: Vec<String>,
    /// The number of the first line of the source, from 1.
    first: u32,
    /// The members of a type, shown if its source does not fit.
    outline: Vec<String>,
}

impl Section {
    /// The section of a symbol; `redact` masks secrets.
    pub(super) fn of_symbol(
        symbol: &SymbolRow,
        (around, http): (&Surroundings, &[String]),
        files: &dyn Files,
        redact: &dyn Fn(&str) -> String,
    ) -> Self {
        let mut facts = vec![heading(symbol)];
        let (code, _): (Vec<&Use>, Vec<&Use>) = around.callers.iter().partition(|user| !user.test);
        let possible = match around.possible {
            0 => String::new(),
            count => format!("; possibly at {count} more places"),
        };
        facts.push(match code.as_slice() {
            [] => format!("callers: none proved{possible}"),
            code => format!("callers ({}): {}{possible}", code.len(), by_file(code, &symbol.path)),
        });
        if !around.callees.is_empty() {
            let callees: Vec<&Use> = around.callees.iter().collect();
            facts.push(format!("calls: {}", by_file(&callees, &symbol.path)));
        }
        if let Some(purity) = around.purity.as_ref().filter(|purity| purity.level != "unknown") {
            let effects: Vec<String> =
                purity.effects.iter().filter_map(EffectChain::short).collect();
            facts.push(match effects.as_slice() {
                [] => purity.level.clone(),
                effects => format!("{}: {}", purity.level, effects.join(", ")),
            });
        }
        if around.chain.len() > 2 {
            facts.push(format!("flow: {}", flow(&around.chain)));
        }
        let tests: Vec<&Use> = around.tests.iter().collect();
        if !symbol.test && symbol.kind != "type" && symbol.kind != "interface" {
            facts.push(match tests.as_slice() {
                [] => over_http(&around.routes, http)
                    .unwrap_or_else(|| format!("tests: none reaches it within {TEST_DEPTH} calls")),
                tests => format!("tests {}", counted_by_file(tests)),
            });
        }
        let (lines, first) = source(symbol, files, redact);
        let outline =
            around.members.iter().map(|member| format!("{}: {}", member.line, member.signature));
        Self { path: symbol.path.clone(), facts, lines, first, outline: outline.collect() }
    }

    /// The section of a file: its symbols, and the files that import it.
    pub(super) fn of_file(path: &str, symbols: &[SymbolRow], importers: &[(String, bool)]) -> Self {
        let list = |tests: bool| {
            let all: Vec<&str> = importers
                .iter()
                .filter(|(_, is_test)| *is_test == tests)
                .map(|(path, _)| &**path)
                .collect();
            let more = all.len().saturating_sub(MAX_FILES);
            let shown: Vec<&str> = all.iter().take(MAX_FILES).copied().collect();
            let more = if more > 0 { format!(" (+{more})") } else { String::new() };
            (!all.is_empty()).then(|| format!("({}): {}{more}", all.len(), shown.join(", ")))
        };
        let mut facts = vec![format!("{} symbols", symbols.len())];
        facts.extend(list(false).map(|list| format!("imported by {list}")));
        facts.push(match list(true) {
            Some(list) => format!("tests {list}"),
            None => "tests: none imports it".to_owned(),
        });
        let is_part = |symbol: &&SymbolRow| !["field", "variant"].contains(&&*symbol.kind);
        let outline = symbols.iter().filter(is_part).map(|symbol| {
            let depth = symbol.qualified.matches(['.', ':']).count().min(4);
            format!("{}{}: {}", "  ".repeat(depth), symbol.line, symbol.signature)
        });
        let outline = outline.collect();
        Self { path: path.to_owned(), facts, lines: Vec::new(), first: 1, outline }
    }

    /// The facts as lines.
    fn facts(&self) -> String {
        self.facts.iter().fold(String::new(), |text, fact| text + fact + "\n")
    }

    /// The source or the outline, in at most `budget` tokens.
    fn body(&self, budget: usize) -> String {
        // Joined lines have at least four fifths of the tokens of the single lines.
        if !self.lines.is_empty() && fitting(&self.lines, budget + budget / 4) == self.lines.len() {
            let whole = fenced(&self.lines, self.first, 0);
            if tokens::count(&whole) <= budget {
                return whole;
            }
        }
        let is_outline = !self.outline.is_empty();
        let lines = if is_outline { &self.outline } else { &self.lines };
        let render = |count: usize| {
            let omitted = lines.len() - count;
            if is_outline {
                let mut text = lines[..count].join("\n");
                text.push('\n');
                if omitted > 0 {
                    let _ = writeln!(text, "… {omitted} more");
                }
                text
            } else {
                fenced(&lines[..count], self.first, omitted)
            }
        };
        // The largest number of lines that fits, near the number by the sum of their tokens.
        let mut count = fitting(lines, budget);
        let fits = |count: usize| count == 0 || tokens::count(&render(count)) <= budget;
        if fits(count) {
            while count < lines.len() && fits(count + 1) {
                count += 1;
            }
        } else {
            while !fits(count) {
                count -= 1;
            }
        }
        if count == 0 { String::new() } else { render(count) }
    }
}

/// The number of lines whose tokens, counted line by line, are at most `budget`.
fn fitting(lines: &[String], budget: usize) -> usize {
    let mut sum = 0;
    let is_over = |line: &String| {
        sum += tokens::count(line) + 1;
        sum > budget
    };
    lines.iter().position(is_over).unwrap_or(lines.len())
}

fn heading(symbol: &SymbolRow) -> String {
    let test = if symbol.test { "test " } else { "" };
    let doc = symbol.doc.as_deref().map(|doc| format!(" — {doc}")).unwrap_or_default();
    format!(
        "{test}{} `{}` lines {}-{}{doc}",
        symbol.kind, symbol.qualified, symbol.line, symbol.end_line
    )
}

/// The source of a symbol with secrets masked, and the number of its first line.
fn source(
    symbol: &SymbolRow,
    files: &dyn Files,
    redact: &dyn Fn(&str) -> String,
) -> (Vec<String>, u32) {
    let Ok(bytes) = files.read(&symbol.path, MAX_BYTES) else { return (Vec::new(), symbol.line) };
    let source = Source::decode(&*symbol.path, bytes);
    let skipped = symbol.line.saturating_sub(1) as usize;
    let count = (symbol.end_line.saturating_sub(symbol.line) as usize + 1).min(MAX_LINES);
    let lines: Vec<&str> = source.text().lines().skip(skipped).take(count).collect();
    let text = redact(&lines.join("\n"));
    (text.lines().map(str::to_owned).collect(), symbol.line)
}

/// Lines of source in a fence, with the number of the first line and of the omitted lines.
fn fenced(lines: &[String], first: u32, omitted: usize) -> String {
    // A fence must be longer than the fences in the source.
    let ticks = lines.iter().map(|line| line.chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(ticks.unwrap_or_default().max(2) + 1);
    let mut text = format!("{fence}\n{}\n{fence}\n", lines.join("\n"));
    if omitted > 0 {
        let next = first as usize + lines.len();
        let _ = writeln!(text, "… {omitted} more lines from line {next}");
    }
    text
}

/// Places grouped by file: `path (A:12, B:30)`; the file `own` without its path.
pub(super) fn by_file(uses: &[&Use], own: &str) -> String {
    let mut files: Vec<(&str, Vec<&Use>)> = Vec::new();
    for user in uses {
        match files.iter_mut().find(|(path, _)| *path == user.path) {
            Some((_, list)) => list.push(user),
            None => files.push((&user.path, vec![user])),
        }
    }
    let groups = files.iter().take(MAX_FILES).map(|(path, list)| {
        let shown = list.iter().take(MAX_PER_FILE).map(|user| {
            if user.name.is_empty() {
                format!("line {}", user.line)
            } else {
                format!("{}:{}", shortened(&user.name), user.line)
            }
        });
        let shown: Vec<String> = shown.collect();
        let more = list.len().saturating_sub(MAX_PER_FILE);
        let more = if more > 0 { format!(", +{more}") } else { String::new() };
        let place = if *path == own { "here" } else { path };
        format!("{place} ({}{more})", shown.join(", "))
    });
    let groups: Vec<String> = groups.collect();
    let more = files.len().saturating_sub(MAX_FILES);
    let more = if more > 0 { format!("; +{more} files") } else { String::new() };
    format!("{}{more}", groups.join("; "))
}

/// Maximum number of test files in a list.
const MAX_TEST_FILES: usize = 5;
/// Maximum number of tests whose names are listed.
const MAX_NAMED_TESTS: usize = 3;

/// Tests by file: their number, and their names if they are few.
fn counted_by_file(tests: &[&Use]) -> String {
    if tests.len() <= MAX_NAMED_TESTS {
        return format!("({}): {}", tests.len(), by_file(tests, ""));
    }
    let mut files: Vec<(&str, usize)> = Vec::new();
    for test in tests {
        match files.iter_mut().find(|(path, _)| *path == test.path) {
            Some((_, count)) => *count += 1,
            None => files.push((&test.path, 1)),
        }
    }
    let shown = files.iter().take(MAX_TEST_FILES);
    let shown: Vec<String> = shown.map(|(path, count)| format!("{path} {count}")).collect();
    let more = files.len() - shown.len();
    let more = if more > 0 { format!(", +{more} files") } else { String::new() };
    format!("({} in {} files): {}{more}", tests.len(), files.len(), shown.join(", "))
}

/// The first characters of a long name, such as the title of a test.
fn shortened(name: &str) -> String {
    const MAX_CHARS: usize = 48;
    match name.char_indices().nth(MAX_CHARS) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
    }
}

/// The calls from one symbol to the next.
pub(super) fn flow(chain: &[SymbolRow]) -> String {
    let mut text = String::new();
    for (at, symbol) in chain.iter().enumerate() {
        let arrow = if at > 0 { " → " } else { "" };
        let _ = write!(text, "{arrow}{}", symbol.qualified);
        if at == 0 {
            let _ = write!(text, " ({}:{})", symbol.path, symbol.line);
        }
    }
    text
}

/// Renders `head` and the sections in at most `budget` tokens: first the facts of all sections, then
/// the sources, each with an equal share. Returns the text and the number of rendered sections.
pub(super) fn render(head: &str, sections: &[Section], budget: usize) -> (String, usize) {
    let mut count = sections.len();
    let mut allowed = budget;
    loop {
        let text = render_some(head, &sections[..count], allowed);
        let excess = tokens::count(&text).saturating_sub(budget);
        if excess == 0 {
            return (text, count);
        }
        if allowed > 0 {
            allowed = allowed.saturating_sub(excess.max(8));
        } else if count > 0 {
            // Not even the facts fit.
            count -= 1;
            allowed = budget;
        } else {
            return (super::first_lines(head, budget), 0);
        }
    }
}

fn render_some(head: &str, sections: &[Section], allowed: usize) -> String {
    let facts: Vec<String> = sections.iter().map(Section::facts).collect();
    let paths: Vec<String> = sections
        .iter()
        .enumerate()
        .map(|(at, section)| {
            let is_same = at > 0 && sections[at - 1].path == section.path;
            if is_same { String::new() } else { format!("\n## {}\n", section.path) }
        })
        .collect();
    let fixed: usize = facts.iter().chain(&paths).map(|text| tokens::count(text)).sum();
    let mut rest = allowed.saturating_sub(fixed + tokens::count(head));
    let mut text = head.to_owned();
    for (at, section) in sections.iter().enumerate() {
        text.push_str(&paths[at]);
        text.push_str(&facts[at]);
        let body = section.body(rest / (sections.len() - at));
        rest = rest.saturating_sub(tokens::count(&body));
        text.push_str(&body);
    }
    text.trim_start_matches('\n').to_owned()
}

/// The section of each symbol.
pub(super) fn of_symbols(
    reader: &Reader,
    symbols: &[SymbolRow],
    files: &dyn Files,
    redact: &dyn Fn(&str) -> String,
) -> Result<Vec<Section>, aidd_index::IndexError> {
    let section = |symbol: &SymbolRow| {
        let around = reader.surroundings(symbol)?;
        let http = match around.tests.is_empty() {
            true => reader.http_tests(&around.routes, files)?,
            false => Vec::new(),
        };
        Ok(Section::of_symbol(symbol, (&around, &http), files, redact))
    };
    symbols.iter().map(section).collect()
}
