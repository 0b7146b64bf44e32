//! `aidd explain`: prints a rule page for people.

mod how_to;
mod markdown;

use crate::cli::Explain;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::workspace::examples::JOIN_MARK;
use aidd_report::exit::{Exit, UserError};
use aidd_report::layout;
use aidd_report::project::Project;
use aidd_report::{Io, Style, When, one_line, printable};
use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// Runs `aidd explain`.
///
/// # Errors
/// Fails when the rule is unknown.
pub fn run(args: &Explain, config: Option<&Path>, color: When, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let engine = project.engine(&Selection::default())?;
    let registry = engine.registry();
    let rules: Vec<&Rule> = registry.named(&args.rule).collect();
    let style = io.style(color);
    if rules.is_empty() {
        if !how_to::TOPICS.contains(&&*args.rule.to_lowercase()) {
            return Err(unknown_rule(registry, &args.rule).into());
        }
        write!(io.out, "{}", laid_out(&how_to::allow_text(), &style))?;
        return Ok(Exit::Clean);
    }
    for rule in rules {
        if args.markdown {
            write!(io.out, "{}", rule.page)?;
        } else {
            write!(io.out, "{}", page(rule, &engine, &style))?;
        }
    }
    Ok(Exit::Clean)
}

/// Maximum number of rules suggested for a name.
const MAX_SIMILAR: usize = 5;

/// The error for an unknown rule name.
pub(crate) fn unknown_rule(registry: &Registry, name: &str) -> UserError {
    let error = UserError::new(format!("unknown rule `{name}`"));
    if aidd_engine::rules::packs::header(name, registry).is_ok() {
        return error.hint(format!("`{name}` is a rule pack: aidd rule packs {name}"));
    }
    let similar = similar(registry, name);
    match registry.nearest(name) {
        Some(kind) if kind.ends_with("/*") && !similar.is_empty() && !kind.starts_with(name) => {
            error.hint(format!("similar rules: {}", similar.join(", ")))
        }
        None if !similar.is_empty() => error.hint(format!("similar rules: {}", similar.join(", "))),
        Some(kind) if kind.ends_with("/*") => {
            error.hint(format!("`aidd rule list '{kind}'` lists the rules of this kind"))
        }
        Some(suggestion) => error.hint(format!("did you mean `{suggestion}`?")),
        None => error.hint("`aidd rule list` lists all rules"),
    }
}

/// The ids that contain all words of `name`, the shortest first.
fn similar(registry: &Registry, name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect();
    let ids = registry.rules().iter().map(|rule| &*rule.id);
    let is_similar = |id: &&str| !words.is_empty() && words.iter().all(|word| id.contains(word));
    let mut similar: Vec<String> = ids.filter(is_similar).map(str::to_owned).collect();
    similar.sort_by_key(String::len);
    similar.truncate(MAX_SIMILAR);
    similar
}

/// The page below a summary of its header. In the secrets of its examples, `…` replaces the
/// [`JOIN_MARK`]. On a terminal, the page is laid out for its width.
fn page(rule: &Rule, engine: &Engine, style: &Style) -> String {
    let (bold, dim, off) =
        if style.color { ("\x1b[1m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
    let mut facts = how_to::status(rule, engine);
    if !rule.aliases.is_empty() {
        facts.push(format!("also {}", rule.aliases.join(", ")));
    }
    if !rule.enforced_by.is_empty() {
        facts.push(format!("enforced by {}", rule.enforced_by.join(", ")));
    }
    if !rule.tags.is_empty() {
        facts.push(rule.tags.join(", "));
    }
    if let Some(path) = &rule.path {
        facts.push(path.clone());
    }
    let facts = layout::wrap(&one_line(&facts.join(" · ")), 0, style);
    let mut text = format!("{bold}{}{off}\n{dim}{facts}{off}\n", one_line(&rule.id));
    let body = rule.body().replace(JOIN_MARK, "…");
    // The remedy comes before the examples.
    let end = body.find("\n## ").map_or(body.len(), |at| at + 1);
    let (reason, examples) = body.split_at(end);
    let how_to = how_to::sections(rule, engine);
    let body = format!("{}\n\n{how_to}\n{examples}", reason.trim_end());
    text.push_str(&laid_out(printable(&body).trim_end(), style));
    text
}

/// Markdown without its title, for a terminal or a pipe.
fn laid_out(body: &str, style: &Style) -> String {
    if style.wrap {
        return markdown::render(body, style);
    }
    let (bold, off) = if style.color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let mut text = String::new();
    let mut is_code = false;
    for line in body.lines() {
        is_code ^= line.starts_with("```");
        if !is_code && line.starts_with("# ") {
            continue;
        }
        let heading = line.strip_prefix("## ").filter(|_| !is_code);
        let heading = heading.map(|heading| format!("{bold}{heading}{off}"));
        text.push_str(heading.as_deref().unwrap_or(line));
        text.push('\n');
    }
    text
}
