//! Instructions that a client does not read, or of which it reads only a part.

use super::AgentContext;
use super::markdown::Instructions;
use super::model::{Client, Purpose};
use super::references::imports;
use super::words::SAMPLE_DIRS;
use crate::cached::cached;
use aidd_engine::parse::values::{Format, Values, front_matter};
use aidd_engine::project::ignored::is_ignored_by_git;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{below, join, parent_dir, upwards};
use aidd_engine::text::purpose::Purpose as PathPurpose;
use aidd_engine::text::source::{Source, Span};

pub(super) fn not_read(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(listing) = context.listing() else { return };
    if context.source.path() != "AGENTS.md" {
        return;
    }
    let is_read = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]
        .iter()
        .any(|path| context.files.exists(path));
    let has_settings = ["agents", "commands", "rules", "skills"]
        .iter()
        .any(|name| listing.has_dir(&format!(".claude/{name}")))
        || listing.has_file(".claude/settings.json");
    // Without it in Git, each user can have the file.
    let is_personal = || is_ignored_by_git(context.files, "CLAUDE.md");
    if has_settings && !is_read && !is_personal() {
        report
            .at(context.source.line_span(0), "Claude Code does not read AGENTS.md by itself")
            .help("add a file CLAUDE.md with the line `@AGENTS.md`");
    }
}

/// The files of which Zed reads the first one.
pub(super) const ZED: [&str; 9] = [
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

pub(super) fn shadowed(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(listing) = context.listing() else { return };
    let path = context.source.path();
    let winner = match context.source.name() {
        "AGENTS.md" => codex_override(context, listing)
            .map(|winner| ("Codex", winner))
            .or_else(|| zed_file(context, listing).map(|winner| ("Zed", winner))),
        "GEMINI.md" => gemini_file(context).map(|winner| ("Gemini CLI", winner)),
        _ => None,
    };
    let Some((client, winner)) = winner else { return };
    let help = if path.ends_with("GEMINI.md") {
        "add this name to `context.fileName` in `.gemini/settings.json`, or remove this file"
            .to_owned()
    } else {
        format!("remove `{winner}`, or name this file in it")
    };
    report
        .at(context.source.line_span(0), format!("{client} reads `{winner}` instead of this file"))
        .help(help);
}

/// The file that Zed reads instead of `AGENTS.md` in the root.
fn zed_file(context: &AgentContext<'_, '_>, listing: &Listing) -> Option<String> {
    let path = context.source.path();
    let is_used = listing.has_dir(".zed") || listing.has_file(".rules");
    let own = ZED.iter().position(|it| *it == path).filter(|_| is_used)?;
    let winner = ZED[..own].iter().find(|it| listing.has_file(it))?;
    replaces(context, winner).then(|| (*winner).to_owned())
}

/// The file that Codex reads instead of `AGENTS.md` in the same directory.
fn codex_override(context: &AgentContext<'_, '_>, listing: &Listing) -> Option<String> {
    let winner = below(parent_dir(context.source.path()), "AGENTS.override.md");
    (listing.has_file(&winner) && replaces(context, &winner)).then_some(winner)
}

/// Whether the file at `winner` has other content: it is not a link, and does not refer to this file.
fn replaces(context: &AgentContext<'_, '_>, winner: &str) -> bool {
    let text = side_file(context.files, winner).unwrap_or_default();
    text != context.source.text()
        && !text.contains(context.source.path())
        && !text.trim().is_empty()
}

/// The first of the names that the settings of Gemini CLI list, if `GEMINI.md` is not one of them.
fn gemini_file(context: &AgentContext<'_, '_>) -> Option<String> {
    let text = side_file(context.files, ".gemini/settings.json")?;
    let data = Values::read(Format::Json, &text);
    let root = *data.roots.first()?;
    let setting = data
        .child(root, "context")
        .and_then(|at| data.child(at, "fileName"))
        .or_else(|| data.child(root, "contextFileName"))?;
    let items = data.all[setting].children.iter().copied().chain([setting]);
    let names: Vec<String> = items.filter_map(|at| data.text(at)).collect();
    let is_read = names.iter().any(|name| name.ends_with("GEMINI.md"));
    names.into_iter().next().filter(|_| !is_read)
}

pub(super) fn local_file_tracked(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let path = context.source.path();
    let is_local = matches!(context.source.name(), "settings.local.json" | "CLAUDE.local.md");
    let directories = path.rsplit_once('/').map_or("", |(directories, _)| directories);
    let mut words = directories.split(['/', '-', '_']);
    let is_copied = words.any(|word| SAMPLE_DIRS.contains(&word))
        || matches!(
            PathPurpose::of_file(path, context.files),
            PathPurpose::Sample | PathPurpose::Template | PathPurpose::Test
        );
    let Some(listing) = context.listing().filter(|_| is_local && !is_copied) else { return };
    let is_shared = match listing.tracked() {
        Some(tracked) => tracked.has_file(path),
        None => !is_ignored_by_git(context.files, path),
    };
    // What a README lists is part of what its readers copy.
    let above = upwards(parent_dir(parent_dir(path)));
    let mut readmes = above.filter_map(|dir| side_file(context.files, &below(dir, "README.md")));
    if is_shared && !readmes.any(|text| text.contains(context.source.name())) {
        let first = context.source.line_span(0);
        if is_ignored_by_git(context.files, path) {
            let message = "this file belongs to one user and is tracked although ignored";
            report.at(first, message).help(format!("run `git rm --cached {path}`"));
        } else {
            let message = "this file belongs to one user, but Git does not ignore it";
            report
                .at(first, message)
                .help(format!("run `git rm --cached {path}`, and add it to .gitignore"));
        }
    }
}

pub(super) fn wrong_extension(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.file.purpose != Purpose::Misnamed || front_matter(context.source.text()).is_none() {
        return;
    }
    let (keys, ending): (&[&str], _) = match context.file.client {
        Client::Claude => {
            skill_without_directory(context, report);
            return;
        }
        Client::Cursor => (&["alwaysApply", "globs"], ".mdc"),
        _ if context.source.path().contains("prompts/") => (&["agent", "mode"], ".prompt.md"),
        _ => (&["applyTo"], ".instructions.md"),
    };
    let name = context.source.name();
    let is_rule = keys.iter().any(|key| context.at(&[key]).is_some());
    if !is_rule || name.eq_ignore_ascii_case("rule.md") {
        return;
    }
    if ending == ".mdc" && is_written_by_installer(context) {
        return;
    }
    let client = context.file.client.name();
    let stem = name.split('.').next().unwrap_or(name);
    report
        .at(context.source.line_span(0), format!("{client} reads only files `*{ending}` here"))
        .help(format!("rename the file to `{stem}{ending}`"));
}

/// Maximum number of scripts that are searched.
const MAX_SCRIPTS: usize = 200;
/// Extensions of scripts.
const SCRIPTS: [&str; 7] = [".cjs", ".js", ".mjs", ".ps1", ".py", ".sh", ".ts"];

/// Whether a script that installs or builds names the extension of Cursor's rules: it renames them.
fn is_written_by_installer(context: &AgentContext<'_, '_>) -> bool {
    let Some(listing) = context.listing() else { return false };
    *cached(context.files, "agents rules of installers", || {
        let is_script = |path: &&String| {
            let is_installer = ["install", "script", "build", "sync", "convert"]
                .iter()
                .any(|word| path.contains(word));
            is_installer && SCRIPTS.iter().any(|ending| path.ends_with(ending))
        };
        let scripts = listing.files().iter().filter(is_script).take(MAX_SCRIPTS);
        let mut texts = scripts.filter_map(|path| side_file(context.files, path));
        texts.any(|text| text.contains(".mdc") && text.contains("cursor"))
    })
}

/// Reports a skill that is a file, not a directory.
fn skill_without_directory(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let has = |key: &str| context.at(&[key]).is_some();
    if has("name") && has("description") {
        let name = context.source.name();
        let stem = name.strip_suffix(".md").unwrap_or(name);
        report
            .at(context.source.line_span(0), "Claude Code reads skills only from `SKILL.md`")
            .help(format!("move the file to `.claude/skills/{stem}/SKILL.md`"));
    }
}

/// Maximum number of bytes that Codex reads of all `AGENTS.md` of a directory and those above.
const CODEX_BYTES: usize = 32_768;

pub(super) fn too_long(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let source = context.source;
    // The limit of Copilot is for the text below the front matter.
    let body = match front_matter(source.text()) {
        Some((_, end)) if context.file.client == Client::Copilot => &source.text()[end..],
        _ => source.text(),
    };
    let characters = body.chars().count();
    let (max, client) = match (context.file.client, context.file.purpose) {
        (Client::Windsurf, Purpose::Command | Purpose::Rule) => (12_000, "Windsurf"),
        (Client::Kiro, Purpose::Rule) => (50_000, "Kiro"),
        (Client::Copilot, Purpose::Agent) if context.source.path().contains("/agents/") => {
            (30_000, "Copilot")
        }
        (Client::Shared, Purpose::Instructions) if source.name() == "AGENTS.md" => {
            codex(context, report);
            return;
        }
        _ => return,
    };
    if characters > max {
        let message = format!("{client} reads {max} of the {characters} characters");
        report.at(source.line_span(0), message).help("divide the file, or shorten it");
    }
}

/// The instructions of a directory and of those above, which Codex cuts.
fn codex(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.project_instructions().is_none() {
        return;
    }
    let path = context.source.path();
    let config = side_file(context.files, ".codex/config.toml");
    if config.as_ref().is_some_and(|text| text.contains("project_doc_max_bytes")) {
        return;
    }
    let above = upwards(parent_dir(path)).map(|directory| below(directory, "AGENTS.md"));
    let above: usize = above
        .filter(|it| it != path)
        .filter_map(|it| context.files.size(&it).ok())
        .filter_map(|size| usize::try_from(size).ok())
        .sum();
    let own = context.source.text().len();
    let sum = above + own;
    if sum <= CODEX_BYTES || above > CODEX_BYTES {
        return;
    }
    let message = if above == 0 {
        format!("Codex reads {CODEX_BYTES} of the {own} bytes")
    } else {
        format!("Codex reads {CODEX_BYTES} of the {sum} bytes in this file and those above")
    };
    let finding = report.at(context.source.line_span(0), message);
    finding.help("move parts to nested files, or raise `project_doc_max_bytes`");
    // Other clients read the whole file.
    if config.is_none() {
        finding.severity = Severity::Info;
    }
}

/// Maximum depth of the imports of Claude Code.
const MAX_CLAUDE_DEPTH: usize = 4;
/// Maximum depth of the imports of Gemini CLI.
const MAX_GEMINI_DEPTH: usize = 5;
/// Maximum number of files that are followed.
const MAX_IMPORTS: usize = 200;

pub(super) fn import_depth(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let max_depth = match context.file.client {
        Client::Claude => MAX_CLAUDE_DEPTH,
        Client::Gemini => MAX_GEMINI_DEPTH,
        _ => return,
    };
    let has_imports = context.file.purpose == Purpose::Instructions;
    let (Some(instructions), true) = (&context.instructions, has_imports) else { return };
    let path = context.source.path();
    for (span, import) in imports(instructions) {
        let Some(target) = join(parent_dir(path), import) else { continue };
        let mut chain = vec![path.to_owned()];
        let mut budget = MAX_IMPORTS;
        if let Some(problem) = follow(context, target, &mut chain, (max_depth, &mut budget)) {
            add(report, span, problem, max_depth);
        }
    }
}

/// Why Claude Code does not load an import.
enum Cut {
    /// The files from the one that is imported again.
    Cycle(Vec<String>),
    /// The file that is too deep.
    Depth(String),
}

/// Follows an import through the files of `chain`.
fn follow(
    context: &AgentContext<'_, '_>,
    target: String,
    chain: &mut Vec<String>,
    (max_depth, budget): (usize, &mut usize),
) -> Option<Cut> {
    if let Some(first) = chain.iter().position(|it| *it == target) {
        let mut cycle = chain[first..].to_vec();
        cycle.push(target);
        return Some(Cut::Cycle(cycle));
    }
    let text = side_file(context.files, &target)?;
    if chain.len() > max_depth {
        return Some(Cut::Depth(target));
    }
    *budget = budget.checked_sub(1)?;
    let source = Source::new(target.as_str(), text);
    let instructions = Instructions::parse(&source);
    chain.push(target.clone());
    let mut targets =
        imports(&instructions).into_iter().filter_map(|(_, it)| join(parent_dir(&target), it));
    let found = targets.find_map(|next| follow(context, next, chain, (max_depth, &mut *budget)));
    chain.pop();
    found
}

fn add(report: &mut Report<'_>, span: Span, problem: Cut, max_depth: usize) {
    match problem {
        Cut::Cycle(cycle) => {
            let files: Vec<String> = cycle.iter().map(|it| format!("`{it}`")).collect();
            report
                .at(span, format!("the files import each other: {}", files.join(" → ")))
                .help("remove one of the imports");
        }
        Cut::Depth(path) => {
            report
                .at(span, format!("`{path}` is not loaded: imports are followed {max_depth} times"))
                .help("import the file directly");
        }
    }
}
