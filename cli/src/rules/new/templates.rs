//! The pages that `aidd rule new` writes, for each form and language.

use super::languages::{Data, Import, Language, Layers, Tree};
use crate::cli::Form;
use aidd_page::Form as CheckForm;

/// The reason that the author replaces.
pub(super) const REASON: &str = "Explain why it matters, in one or two short paragraphs.";
/// The files with JavaScript or TypeScript: most projects with one have some of the other.
const SCRIPTS: &[&str] = &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"];
/// The line that keeps the check off until its author has edited it.
const DISABLED: &str = "enabled: false # delete this line when `aidd rule test` passes";

/// A page whose examples pass. `package` is the one that the form `import` forbids.
pub(super) fn page(id: &str, form: Form, package: &str, language: &Language) -> String {
    let (header, fails, finding, passes) = match form {
        Form::Check(CheckForm::Text) => {
            let Language { regex, keyword, matched, grammars, .. } = language;
            let is_script = grammars.contains("typescript");
            let extensions = if is_script { SCRIPTS } else { language.extensions };
            let files: Vec<String> = extensions.iter().map(|one| format!("\"*.{one}\"")).collect();
            let files = files.join(", ");
            let header = format!(
                "severity: warning\nmessage: \"`<match>` is left over from debugging\"\n\
                 help: \"Delete it, or use the logger\"\ncheck:\n  files: [{files}]\n  \
                 text:\n    regex: '{regex}'\n    keywords: [\"{keyword}\"]"
            );
            code(language, header, matched.0)
        }
        Form::Check(CheckForm::Syntax) => {
            let Language { grammars, pattern, matched, .. } = language;
            let header = format!(
                "severity: warning\nmessage: \"debug output is left over\"\n\
                 help: \"Delete it, or use the logger\"\ncheck:\n  syntax:\n    \
                 language: {grammars}\n    rule: {pattern}"
            );
            code(language, header, matched.1)
        }
        Form::Check(CheckForm::Tree) => {
            let Tree { each, exclude, exists, source, test } = language.tree;
            let header = format!(
                "severity: warning\nmessage: \"`<stem>` has no test file\"\n\
                 help: \"Add a test with the same name\"\ncheck:\n  exclude: [\"{exclude}\"]\n  \
                 tree: {{ each: \"{each}\", exists: \"{exists}\" }}"
            );
            let fails = block(language, source, language.passes);
            let passes = format!("{fails}\n{}", block(language, test, language.passes));
            (header, fails, source.to_owned(), passes)
        }
        Form::Check(CheckForm::Data) => {
            let Data { file, at, fails, finding, passes } = language.data;
            let expected = finding.ends_with("false");
            let header = format!(
                "severity: warning\nmessage: \"`<key>` is `<value>`\"\n\
                 help: \"Set it to {expected}\"\ncheck:\n  files: [\"{file}\"]\n  \
                 data: {{ at: \"{at}\", equals: {expected} }}"
            );
            let format = file.rsplit('.').next().unwrap_or_default();
            let block = |text: &str| format!("```{format} path={file}\n{text}\n```\n");
            (header, block(fails), finding.to_owned(), block(passes))
        }
        Form::Check(CheckForm::Layers) => {
            let Layers { from, to, inner, outer, finding, passes } = language.layers;
            let header = format!(
                "severity: warning\nmessage: \"domain code depends on an outer layer\"\n\
                 help: \"Declare an interface in the domain, and implement it outside\"\ncheck:\n  \
                 layers:\n    forbid: {{ from: \"{from}\", to: \"{to}\" }}"
            );
            let file = |path: &str, text: &str| {
                let extension = path.rsplit('.').next().unwrap_or_default();
                let name = if extension == "mod" { "text" } else { extension };
                format!("```{name} path={path}\n{text}```\n")
            };
            let outer = file(outer.0, outer.1);
            let fails = format!("{}\n{outer}", file(inner.0, inner.1));
            let passes = format!("{}\n{outer}", file(inner.0, passes));
            (header, fails, finding.to_owned(), passes)
        }
        Form::Check(CheckForm::Dependencies) => {
            let header = "severity: warning\nhelp: \"Use one major version in all packages\"\n\
                          check:\n  dependencies: { report: major-drift }";
            let package = |name: &str, version: &str| {
                format!(
                    "```json path={name}/package.json\n{{ \"name\": \"{name}\", \
                     \"dependencies\": {{ \"zod\": \"{version}\" }} }}\n```\n"
                )
            };
            let fails = format!("{}\n{}", package("api", "^3.25.0"), package("web", "^4.1.0"));
            let passes = format!("{}\n{}", package("api", "^4.1.0"), package("web", "^4.2.0"));
            let finding = "api/package.json:1:37 zod".to_owned();
            (header.to_owned(), fails, finding, passes)
        }
        Form::Check(CheckForm::Commit) => {
            let header = "severity: warning\nmessage: \"the subject is longer than 72 characters\"\n\
                          help: \"Shorten the subject, and move the details to the body\"\n\
                          check:\n  commit: { subject: { max: 72 } }";
            let long =
                "Add a page that lists every order of a customer with its state and its total";
            let block = |text: &str| format!("```commit\n{text}\n```\n");
            let finding = format!("1:1 {long}");
            (header.to_owned(), block(long), finding, block("Add the page of orders"))
        }
        Form::Check(CheckForm::Doc) => {
            let header = "severity: warning\nmessage: \"a decision has no section `## Status`\"\n\
                          help: \"Add the section\"\ncheck:\n  files: [\"docs/decisions/*.md\"]\n  \
                          doc: { headings: [\"*\", \"## Status\", \"*\"] }";
            let block = |text: &str| format!("```md path=docs/decisions/1-cache.md\n{text}```\n");
            let fails = block("# Cache\n\nWe cache prices.\n");
            let passes = block("# Cache\n\nWe cache prices.\n\n## Status\n\nAccepted.\n");
            (header.to_owned(), fails, "1:1 # Cache".to_owned(), passes)
        }
        Form::Import => import(language, package),
        Form::Guidance => {
            return format!("---\nseverity: info\n---\n# {id}\n\n{REASON}\n");
        }
    };
    let header = with_paths(&header);
    format!(
        "---\n{DISABLED}\n{header}\n---\n# {id}\n\n{REASON}\n\n## Fails\n\n{fails}\n```finding\n{finding}\n```\n\n## Passes\n\n{passes}"
    )
}

/// The header with comments that show how to limit the check to some paths.
fn with_paths(header: &str) -> String {
    let Some((before, check)) = header.split_once("check:\n") else { return header.to_owned() };
    // The check of commits has no paths of its own.
    if check.trim_start().starts_with("commit:") {
        return header.to_owned();
    }
    let mut paths = String::new();
    if !check.contains("  files:") {
        paths.push_str("  # files: [\"src/**\"]\n");
    }
    if !check.contains("  exclude:") {
        paths.push_str("  # exclude: [\"**/generated/**\"]\n");
    }
    format!("{before}check:\n{paths}{check}")
}

/// The parts of a page on a package that must not be imported.
fn import(language: &Language, package: &str) -> (String, String, String, String) {
    let Import { prefix, file, text, passes, manifest, .. } = language.import;
    let header = format!(
        "severity: warning\nmessage: \"`{package}` must not be imported\"\n\
         help: \"Use the module of the project that wraps it\"\ncheck:\n  \
         layers:\n    forbid: {{ from: \"**\", to: \"{prefix}:{package}\" }}"
    );
    let extension = file.rsplit('.').next().unwrap_or_default();
    let manifest = manifest.map_or_else(String::new, |(path, text)| {
        let text = text.replace('@', package);
        format!("\n```text path={path}\n{text}```\n")
    });
    let block = |text: &str| format!("```{extension} path={file}\n{text}```\n{manifest}");
    // The name of a crate in code has no `-`.
    let name = if prefix == "crate" { package.replace('-', "_") } else { package.to_owned() };
    let line = text.lines().position(|line| line.contains('@')).unwrap_or_default();
    let column = text.lines().nth(line).and_then(|line| line.find('@')).unwrap_or_default();
    let imported = match prefix {
        "crate" => format!("{name}::Client"),
        "java" => format!("{name}.Client"),
        _ => name.clone(),
    };
    let finding = format!("{file}:{}:{} {imported}", line + 1, column + 1);
    (header, block(&text.replace('@', &name)), finding, block(passes))
}

/// The parts of a page on debug output: the header, the examples and the finding.
fn code(language: &Language, header: String, matched: &str) -> (String, String, String, String) {
    let path = language.tree.source;
    let file = |statement| language.around.replace('@', statement);
    let fails = file(language.call);
    let at = fails.find(matched).unwrap_or_default();
    let line = fails[..at].matches('\n').count() + 1;
    let column = at - fails[..at].rfind('\n').map_or(0, |end| end + 1) + 1;
    let finding = format!("{line}:{column} {matched}");
    let passes = block(language, path, &file(language.passes));
    (header, block(language, path, &fails), finding, passes)
}

fn block(language: &Language, path: &str, text: &str) -> String {
    let name = language.extensions.first().unwrap_or(&"text");
    format!("```{name} path={path}\n{text}\n```\n")
}

#[cfg(test)]
mod tests {
    use super::super::languages::LANGUAGES;
    use super::*;
    use aidd_engine::check::{Engine, Selection};
    use aidd_engine::project::config::Config;
    use aidd_engine::rules::registry::Registry;
    use aidd_engine::workspace::examples;

    #[test]
    fn a_new_page_passes_its_own_test_in_every_form_and_language() {
        let mut failures = Vec::new();
        for language in &LANGUAGES {
            for form in CheckForm::ALL.map(Form::Check).into_iter().chain([Form::Import]) {
                let text = page("team/console-log", form, language.import.example, language);
                let registry =
                    Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), text)]);
                let engine = Engine::new(
                    &crate::DISTRIBUTION,
                    registry,
                    &Config::default(),
                    &Selection::default(),
                )
                .expect("valid");
                let rule = engine.registry().get("team/console-log").expect("present");
                let problems = aidd_engine::forms::problems(rule).into_iter();
                for failure in problems.chain(examples::run(&engine, rule)) {
                    failures.push(format!("{} {form:?}: {failure}", language.extensions[0]));
                }
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
