//! `aidd rule new`: creates a rule page that passes its own test, in the language of the project.

mod languages;
mod templates;

use crate::cli::Form;
use aidd_engine::check::Selection;
use aidd_engine::rules::registry::is_id;
use aidd_engine::workspace::walk::{self, Walk};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::Project;
use anyhow::{Context, Result};
use languages::{LANGUAGES, Language};
use std::fs;
use std::io::Write;
use templates::page;

pub(super) fn run(project: &Project, id: &str, form: Form, io: &mut Io<'_>) -> Result<Exit> {
    if !is_id(id) {
        return Err(UserError::new(format!("`{id}` is not a rule id"))
            .hint("expected `kind/kebab-name`, such as team/console-log, with a name that makes sense after \"allow\"")
            .into());
    }
    if let Some(rule) = project.registry().get(id) {
        let message = format!("rule {id} already exists");
        let origin =
            rule.path.clone().unwrap_or_else(|| "the rule is shipped with aidd".to_owned());
        return Err(UserError::new(message).hint(origin).into());
    }
    let path = format!(".aidd/rules/{id}.md");
    let location = project.disk.locate(&project.disk.path_for_new_file(&path)?)?;
    let directory = location.parent().context("the page has no parent directory")?;
    let text = page(id, form, most_frequent_language(project)?);
    fs::create_dir_all(directory).with_context(|| path.clone())?;
    fs::write(&location, text).with_context(|| path.clone())?;
    writeln!(io.out, "{path}")?;
    writeln!(
        io.err,
        "wrote {path}; describe the reason, replace the examples, then run: aidd rule test {id}"
    )?;
    Ok(Exit::Clean)
}

/// The language of most of the project's files; TypeScript if the project has no code.
fn most_frequent_language(project: &Project) -> Result<&'static Language> {
    let engine = project.engine(&Selection::default())?;
    let root = Walk::over(vec![project.root().to_owned()]);
    let listing = walk::listing(&engine, &project.disk, &root);
    Ok(most_frequent(listing.files().iter().map(String::as_str)))
}

fn most_frequent<'a>(paths: impl Iterator<Item = &'a str>) -> &'static Language {
    let mut counts = vec![0_usize; LANGUAGES.len()];
    for path in paths {
        let Some((_, extension)) = path.rsplit_once('.') else { continue };
        let index = LANGUAGES.iter().position(|one| one.extensions.contains(&extension));
        if let Some(index) = index {
            counts[index] += 1;
        }
    }
    // The first of several languages with the same number of files.
    let rows = LANGUAGES.iter().zip(counts).rev();
    rows.max_by_key(|(_, count)| *count).map_or(&LANGUAGES[0], |(language, _)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_most_files() {
        let extension = |paths: &[&str]| most_frequent(paths.iter().copied()).extensions[0];
        assert_eq!(extension(&[]), "ts");
        assert_eq!(extension(&["a.go", "b.go", "c.ts", "README.md"]), "go");
        assert_eq!(extension(&["a.py", "b.ts"]), "ts");
    }
}
