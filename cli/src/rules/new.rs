//! `aidd rule new`: creates a rule page, with examples that pass, in the language of the project.

mod languages;
mod templates;

use crate::cli::Form;
use aidd_engine::check::Selection;
use aidd_engine::rules::registry::is_id;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT};
use aidd_engine::workspace::walk::{self, Walk};
use aidd_page::Form as CheckForm;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::Project;
use anyhow::{Context, Result};
use languages::{LANGUAGES, Language};
use std::fs;
use std::io::Write;
use templates::{REASON, page};

pub(super) fn run(
    project: &Project,
    id: &str,
    (form, extension): (Option<Form>, Option<&str>),
    io: &mut Io<'_>,
) -> Result<Exit> {
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
    let paths = paths(project)?;
    let chosen = extension.and_then(Language::of_extension);
    let language = chosen.unwrap_or_else(|| likeliest(id, paths.iter().map(String::as_str)));
    let named = subject(id);
    let declared = named.as_deref().and_then(|name| declared_package(project, &paths, name));
    let declared = declared.map(|(package, of)| (package, chosen.unwrap_or(of)));
    let (form, package, language) = match (form, declared) {
        (Some(Form::Import) | None, Some((package, language))) => (Form::Import, package, language),
        (form, _) => {
            let package = named.unwrap_or_else(|| language.import.example.to_owned());
            (form.unwrap_or(Form::Check(CheckForm::Text)), package, language)
        }
    };
    let text = page(id, form, &package, language);
    fs::create_dir_all(directory).with_context(|| path.clone())?;
    fs::write(&location, text).with_context(|| path.clone())?;
    writeln!(io.out, "{path}")?;
    writeln!(
        io.err,
        "wrote {path}, disabled; state the reason, correct the check and its examples, delete `enabled: false`, then run: aidd rule test {id}"
    )?;
    Ok(Exit::Clean)
}

/// The line of the template's reason in the page of a rule, if its author has not replaced it.
pub(super) fn untouched_line(project: &Project, rule: &Rule) -> Option<usize> {
    let path = rule.path.as_deref()?;
    let (_, text) = project.pages.iter().find(|(other, _)| other == path)?;
    text.lines().position(|line| line.trim() == REASON).map(|line| line + 1)
}

/// The files of the project.
fn paths(project: &Project) -> Result<Vec<String>> {
    let engine = project.engine(&Selection::default())?;
    let root = Walk::over(vec![project.root().to_owned()]);
    Ok(walk::listing(&engine, &project.disk, &root).files().to_vec())
}

/// What the name of a rule forbids: `axios` of `team/no-direct-axios`.
fn subject(id: &str) -> Option<String> {
    const VERBS: [&str; 6] = ["no", "never", "ban", "avoid", "forbid", "without"];
    const WORDS: [&str; 7] = ["direct", "raw", "import", "imports", "importing", "use", "using"];
    let (_, name) = id.rsplit_once('/')?;
    let mut words = name.split('-').skip_while(|word| WORDS.contains(word)).peekable();
    words.next_if(|word| VERBS.contains(word))?;
    let words: Vec<&str> = words.filter(|word| !WORDS.contains(word)).collect();
    (!words.is_empty()).then(|| words.join("-"))
}

/// The package in a manifest of the project whose name is, or ends with, `name`, and the language
/// of its manifest.
fn declared_package(
    project: &Project,
    paths: &[String],
    name: &str,
) -> Option<(String, &'static Language)> {
    /// Maximum number of manifests that are read.
    const MAX: usize = 50;
    let manifests = paths.iter().filter_map(|path| {
        let file = path.rsplit('/').next().unwrap_or(path);
        let extension = match file {
            "package.json" => "ts",
            "go.mod" => "go",
            "Cargo.toml" => "rs",
            "pyproject.toml" => "py",
            _ if file.starts_with("requirements") && file.ends_with(".txt") => "py",
            _ => return None,
        };
        Some((path, Language::of_extension(extension)?))
    });
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '@' | '/' | '.' | '_' | '-');
    manifests.take(MAX).find_map(|(path, language)| {
        let bytes = project.disk.read(path, SIDE_FILE_LIMIT).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let package = text.split(|c| !is_part(c)).find(|word| {
            let flat = word.trim_start_matches('@').replace(['/', '.', '_'], "-");
            flat == name || word.rsplit_once('/').is_some_and(|(_, last)| last == name)
        })?;
        Some((package.to_owned(), language))
    })
}

/// The languages that `--language` accepts, by extension.
pub(crate) fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().filter_map(|language| language.extensions.first().copied())
}

/// The language of most files; among those with files, one whose debug output the id names, such as
/// Go for `team/no-fmt-println`, is preferred.
fn likeliest<'a>(id: &str, paths: impl Iterator<Item = &'a str>) -> &'static Language {
    let mut counts = vec![0_usize; LANGUAGES.len()];
    for path in paths {
        let Some((_, extension)) = path.rsplit_once('.') else { continue };
        let index = LANGUAGES.iter().position(|one| one.extensions.contains(&extension));
        if let Some(index) = index {
            counts[index] += 1;
        }
    }
    let words: Vec<&str> = id.split(['/', '-']).collect();
    let is_named = |language: &Language| {
        let name = language.call.split(|c: char| !c.is_alphanumeric()).next();
        name.is_some_and(|name| words.contains(&&*name.to_lowercase()))
    };
    // The first of several languages with the same number of files.
    let rows = LANGUAGES.iter().zip(counts).rev();
    rows.max_by_key(|(language, count)| (*count > 0 && is_named(language), *count))
        .map_or(&LANGUAGES[0], |(language, _)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_rule_names_what_it_forbids() {
        let named = |id| subject(id);
        assert_eq!(named("team/no-direct-axios").as_deref(), Some("axios"));
        assert_eq!(named("team/no-react-query").as_deref(), Some("react-query"));
        assert_eq!(named("team/never-import-lodash").as_deref(), Some("lodash"));
        assert_eq!(named("team/console-log"), None);
    }

    #[test]
    fn the_language_is_that_of_most_files() {
        let extension = |id, paths: &[&str]| likeliest(id, paths.iter().copied()).extensions[0];
        assert_eq!(extension("team/a", &[]), "ts");
        assert_eq!(extension("team/a", &["a.go", "b.go", "c.ts", "README.md"]), "go");
        assert_eq!(extension("team/a", &["a.py", "b.ts"]), "ts");
        assert_eq!(extension("team/no-fmt-println", &["a.ts", "b.ts", "c.go"]), "go");
        assert_eq!(extension("team/no-fmt-println", &["a.ts"]), "ts");
    }
}
