//! `aidd explain`: prints a rule page for people.

mod markdown;

use crate::cli::Explain;
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
    let registry = Project::open(io.distribution, &io.cwd, config)?.registry();
    let rules: Vec<&Rule> = registry.named(&args.rule).collect();
    if rules.is_empty() {
        return Err(unknown_rule(&registry, &args.rule).into());
    }
    let style = io.style(color);
    for rule in rules {
        if args.markdown {
            write!(io.out, "{}", rule.page)?;
        } else {
            write!(io.out, "{}", page(rule, &style))?;
        }
    }
    Ok(Exit::Clean)
}

/// The error for an unknown rule name.
pub(crate) fn unknown_rule(registry: &Registry, name: &str) -> UserError {
    let error = UserError::new(format!("unknown rule `{name}`"));
    if aidd_engine::rules::packs::header(name, registry).is_ok() {
        return error.hint(format!("`{name}` is a rule pack: aidd rule packs {name}"));
    }
    match registry.nearest(name) {
        Some(kind) if kind.ends_with("/*") => {
            error.hint(format!("`aidd rule list '{kind}'` lists the rules of this kind"))
        }
        Some(suggestion) => error.hint(format!("did you mean `{suggestion}`?")),
        None => error.hint("`aidd rule list` lists all rules"),
    }
}

/// The page below a summary of its header. In the secrets of its examples, `…` replaces the
/// [`JOIN_MARK`]. On a terminal, the page is laid out for its width.
fn page(rule: &Rule, style: &Style) -> String {
    let (bold, dim, off) =
        if style.color { ("\x1b[1m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
    let mut facts = vec![rule.severity.to_string()];
    if !rule.enabled {
        facts.push("disabled by default".to_owned());
    }
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
    let body = printable(&rule.body().replace(JOIN_MARK, "…"));
    if style.wrap {
        text.push_str(&markdown::render(&body, style));
        return text;
    }
    for line in body.lines() {
        if line.starts_with("# ") {
            continue;
        }
        let heading = line.strip_prefix("## ").map(|heading| format!("{bold}{heading}{off}"));
        text.push_str(heading.as_deref().unwrap_or(line));
        text.push('\n');
    }
    text
}
