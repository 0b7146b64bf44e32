//! Converts a draft to a page: writes the header, parses the page with our own reader, runs the
//! candidate examples and includes those with the expected result.

mod yaml;

use super::{Import, ImportDraft, NewEngine, NotImported, Page, Tool, slug, string_list};
use aidd_engine::check::Engine;
use aidd_engine::forms;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::Memory;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::scope_of;
use aidd_engine::workspace::examples::{self, Expected};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use yaml::{block, flow};

/// The draft of a page for a rule of another tool.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) tool: Tool,
    /// The configuration file that contains the rule.
    pub(super) file: String,
    /// The name of the rule in the other tool.
    pub(super) item: String,
    /// The second half of the rule id; derived from `item` unless a rule becomes several pages.
    pub(super) name: String,
    pub(super) severity: Severity,
    pub(super) enabled: bool,
    pub(super) message: Option<String>,
    pub(super) help: Option<String>,
    pub(super) sources: Vec<String>,
    /// Aliases, by which comments in files suppress the rule.
    pub(super) aliases: Vec<String>,
    /// `check` of the header; `None` if the page is only guidance.
    pub(super) check: Option<Json>,
    /// The requirement: the first paragraph of the page.
    pub(super) requirement: String,
    /// The messages and notes of the other tool, one paragraph each.
    pub(super) paragraphs: Vec<String>,
    /// How the page differs from the original rule.
    pub(super) notes: Vec<String>,
    pub(super) candidates: Vec<ExampleCandidate>,
    /// The content of a file that a fix creates.
    pub(super) template: Option<String>,
}

/// A candidate example: supporting files first, the checked file last.
#[derive(Clone, Debug)]
pub(super) struct ExampleCandidate {
    pub(super) passes: bool,
    /// Whether the example is used only if there is no other failing example. Only the first such
    /// example with the expected result is used.
    pub(super) is_fallback: bool,
    pub(super) files: Vec<(String, String)>,
}

impl Draft {
    /// A draft of severity warning for `requirement`.
    pub(super) fn new(tool: Tool, file: &str, item: &str, requirement: impl Into<String>) -> Self {
        Self {
            tool,
            file: file.to_owned(),
            item: item.to_owned(),
            name: slug(item),
            severity: Severity::Warning,
            enabled: true,
            message: None,
            help: None,
            sources: Vec::new(),
            aliases: Vec::new(),
            check: None,
            requirement: requirement.into(),
            paragraphs: Vec::new(),
            notes: Vec::new(),
            candidates: Vec::new(),
            template: None,
        }
    }

    pub(super) fn check(mut self, check: Json) -> Self {
        self.check = Some(check);
        self
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds an example with one file.
    pub(super) fn example(self, passes: bool, path: &str, text: impl Into<String>) -> Self {
        self.example_project(passes, vec![(path.to_owned(), text.into())])
    }

    /// Adds an example with several files.
    pub(super) fn example_project(mut self, passes: bool, files: Vec<(String, String)>) -> Self {
        self.candidates.push(ExampleCandidate { passes, is_fallback: false, files });
        self
    }

    /// Adds a failing example that is used only if there is no better example.
    pub(super) fn fallback_example(mut self, path: &str, text: impl Into<String>) -> Self {
        let files = vec![(path.to_owned(), text.into())];
        self.candidates.push(ExampleCandidate { passes: false, is_fallback: true, files });
        self
    }

    fn id(&self) -> String {
        format!("{}/{}", self.tool, self.name)
    }

    /// The text of the page, with `examples`, their findings and the results of fixes.
    fn page(&self, examples: &[VerifiedExample<'_>]) -> String {
        let mut page = format!("---\nseverity: {}\n", self.severity);
        let line = |text: &Option<String>| text.as_deref().map(one_line).unwrap_or_default();
        for (key, value) in [
            ("enabled", if self.enabled { Json::Null } else { false.into() }),
            ("message", line(&self.message).into()),
            ("help", line(&self.help).into()),
            ("aliases", self.aliases.clone().into()),
            ("sources", self.sources.clone().into()),
        ] {
            if ![Json::Null, "".into(), Json::Array(Vec::new())].contains(&value) {
                let _ = writeln!(page, "{key}: {}", flow(&value));
            }
        }
        if let Some(check) = &self.check {
            page.push_str("check:");
            block(check, 1, &mut page);
        }
        let _ = write!(page, "---\n# {}\n\n{}\n", self.id(), one_line(&self.requirement));
        self.paragraphs.iter().for_each(|paragraph| write_foreign_text(paragraph, &mut page));
        for note in &self.notes {
            let _ = write!(page, "\nDiffers from {}: {}.\n", self.tool, one_line(note));
        }
        let _ = write!(
            page,
            "\nImported from `{}`, where {} calls it `{}`.\n",
            self.file, self.tool, self.item
        );
        if let Some(template) = &self.template {
            page.push_str("\n## Template\n");
            write_fence(&mut page, "text", template);
        }
        // The blocks of a rule on the whole project already form one project.
        let is_on_project =
            |check: &Json| ["tree", "layers"].iter().any(|form| !check[*form].is_null());
        let is_project = self.check.as_ref().is_some_and(is_on_project);
        for (heading, passes) in [("Fails", false), ("Passes", true)] {
            let mut in_section =
                examples.iter().filter(|(example, ..)| example.passes == passes).peekable();
            if in_section.peek().is_some() {
                let _ = write!(page, "\n## {heading}\n");
            }
            in_section.for_each(|(example, found, _)| example.write(found, is_project, &mut page));
        }
        let fixed = examples
            .iter()
            .filter_map(|(example, _, fixed)| fixed.as_ref().zip(example.files.last()));
        for (at, (text, (path, _))) in fixed.enumerate() {
            page.push_str(if at == 0 { "\n## Fixed\n" } else { "" });
            write_fence(&mut page, info_string(path), text);
        }
        page
    }

    /// The examples that can be written, in the order of the sections of a page.
    fn writable(&self) -> Vec<&ExampleCandidate> {
        let in_section = |passes: bool| {
            self.candidates.iter().filter(move |candidate| candidate.passes == passes)
        };
        let all = in_section(false).chain(in_section(true));
        all.filter(|candidate| candidate.is_writable()).collect()
    }
}

/// An example with its findings and the result of fixes.
type VerifiedExample<'d> = (&'d ExampleCandidate, Vec<String>, Option<String>);

impl ExampleCandidate {
    /// Appends the blocks of the example. `is_project` states whether all blocks form one project.
    fn write(&self, found: &[String], is_project: bool, page: &mut String) {
        for (at, (path, text)) in self.files.iter().enumerate() {
            let with = if is_project || at + 1 == self.files.len() { "" } else { " with" };
            let info = format!("{} path={path}{with}", info_string(path));
            match text.as_str() {
                // A page cannot contain an empty block.
                "" => write_fence(page, &format!("{info} times=0"), "nothing\n"),
                text => write_fence(page, &info, text),
            }
        }
        if !self.passes {
            write_fence(page, "finding", &format!("{}\n", found.join("\n")));
        }
    }

    /// Whether the example can be written into a page.
    fn is_writable(&self) -> bool {
        let plain = |path: &String| !path.contains(|c: char| c.is_whitespace() || c.is_control());
        self.files.iter().all(|(path, text)| plain(path) && is_block(text))
    }
}

/// Whether a text can be the content of a block, which ends with a line break.
fn is_block(text: &str) -> bool {
    (text.is_empty() || text.ends_with('\n')) && !text.contains('\r')
}

/// The info string of a code block for the file at `path`.
fn info_string(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("text", |(_, extension)| extension);
    let plain = !extension.is_empty() && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    if plain && !matches!(extension, "finding" | "dockerfile" | "mermaid" | "commit") {
        extension
    } else {
        "text"
    }
}

/// Writes a code block with a fence that is longer than any fence in its text.
fn write_fence(page: &mut String, info: &str, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest.max(2) + 1);
    let _ = write!(page, "\n{marks}{info}\n{text}{marks}\n");
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a text of another tool: paragraphs as prose, indented lines and list items verbatim.
fn write_foreign_text(text: &str, page: &mut String) {
    let mut lines = text.trim_end().lines().skip_while(|line| line.trim().is_empty()).peekable();
    while lines.peek().is_some() {
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.trim().is_empty()).collect();
        let is_preformatted = |line: &&str| {
            let is_item = ["- ", "* ", "1. "].iter().any(|mark| line.starts_with(mark));
            is_item || line.starts_with(['\t', ' '])
        };
        if block.len() > 1 && block.iter().any(is_preformatted) {
            write_fence(page, "text", &format!("{}\n", block.join("\n")));
        } else if !block.is_empty() {
            let _ = write!(page, "\n{}\n", escape_prose(&block.join(" ")));
        }
    }
}

/// The text of another tool as a paragraph that is not parsed as a heading, block or list.
fn escape_prose(text: &str) -> String {
    let line = one_line(text);
    let needs_escape = line.starts_with(['#', '`', '~', '>', '|', '-', '+', '*', '<'])
        && !line.starts_with('`')
        || line.starts_with("```");
    if needs_escape { format!("\\{line}") } else { line }
}

/// Writes the pages of an imported configuration and parses each page again; `engine` creates an
/// engine from pages.
pub(super) fn write_pages(import_draft: ImportDraft, to: &str, engine: NewEngine<'_>) -> Import {
    let mut import = Import { not_imported: import_draft.not_imported, ..Import::default() };
    let mut drafts = import_draft.drafts;
    make_names_unique(&mut drafts);
    let mut valid = Vec::new();
    let mut pages = Vec::new();
    for draft in &drafts {
        let path = format!("{}/{}.md", to.trim_end_matches('/'), draft.id());
        let examples: Vec<VerifiedExample<'_>> = draft
            .writable()
            .into_iter()
            .map(|example| (example, vec![String::new()], None))
            .collect();
        let text = draft.page(&examples);
        match parse_page(&path, &text, &draft.id()) {
            Ok(rule) => match forms::problems(&rule).first() {
                // An option that our check does not support is not a defect of the page.
                Some(why) => import.not_imported.push(NotImported::new(&draft.item, why)),
                None => {
                    valid.push((draft, path.clone()));
                    pages.push((path, text));
                }
            },
            Err(why) => import.defects.push(format!("{path}: {why}")),
        }
    }
    let engine = engine(&pages);
    let mut written = Vec::new();
    for (draft, path) in valid {
        let examples =
            engine.as_ref().map(|engine| verified_examples(engine, draft)).unwrap_or_default();
        let text = draft.page(&examples);
        if let Err(why) = parse_page(&path, &text, &draft.id()) {
            import.defects.push(format!("{path}: {why}"));
            continue;
        }
        let shows = |passes: bool| examples.iter().any(|(example, ..)| example.passes == passes);
        let has_examples = draft.check.is_none() || shows(false) && shows(true);
        let (item, notes) = (draft.item.clone(), draft.notes.clone());
        let page = Page { path, id: draft.id(), item, text, notes, has_examples };
        written.push((draft, examples, page));
    }
    let text = |page: &Page| (page.path.clone(), page.text.clone().into_bytes());
    let files = Memory(written.iter().map(|(.., page)| text(page)).collect());
    let (own, glob) = page_dir(to);
    for (draft, examples, mut page) in written {
        if engine.as_ref().is_some_and(|engine| reports_findings_in(engine, &page.id, &files, &own))
        {
            let mut excluding = draft.clone();
            if let Some(check) = &mut excluding.check {
                let exclude = string_list(&check["exclude"]).into_iter();
                check["exclude"] = exclude.chain([glob.clone(), format!("{glob}/")]).collect();
            }
            page.text = excluding.page(&examples);
        }
        import.pages.push(page);
    }
    import.pages.sort_by(|page, next| page.path.cmp(&next.path));
    import
}

/// The directory of the pages, which the pages do not need to check: its path relative to the root,
/// and the glob with which a page excludes the directory.
fn page_dir(to: &str) -> (String, String) {
    let to = to.trim_end_matches('/');
    let scope = scope_of(&format!("{to}/x.md")).to_owned();
    let inner = to.strip_prefix(&scope).unwrap_or(to).trim_start_matches('/');
    // A directory such as `.aidd` belongs to aidd as a whole.
    let own = match inner.split_once('/') {
        Some((top, _)) if top.starts_with('.') => top,
        _ => inner,
    };
    let path = if scope.is_empty() { own.to_owned() } else { format!("{scope}/{own}") };
    (path, format!("/{own}"))
}

/// Whether a rule reports findings in the pages themselves, which `files` contains.
fn reports_findings_in(engine: &Engine, id: &str, files: &Memory, own: &str) -> bool {
    let Some(rule) = engine.registry().get(id) else { return false };
    let is_own = |path: &str| {
        path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    examples::files_with_findings(engine, rule, files).iter().any(|path| is_own(path))
}

/// Adds numbers to equal names of drafts, in order, so that ids are stable between runs.
fn make_names_unique(drafts: &mut [Draft]) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for draft in drafts {
        let plain = draft.name.clone();
        let mut number = 2;
        while !seen.insert(draft.name.clone()) {
            draft.name = format!("{plain}-{number}");
            number += 1;
        }
    }
}

/// The page as parsed by our own reader.
fn parse_page(path: &str, text: &str, id: &str) -> Result<Rule, String> {
    aidd_page::header(text).map_err(|error| {
        let at = text.get(error.span.clone()).unwrap_or_default();
        format!("{} (`{at}`)", error.message)
    })?;
    let rule = aidd_engine::rules::registry::project_rule(path, text)
        .ok_or("the page is not parsed as a rule")?;
    if *rule.id == *id { Ok(rule) } else { Err(format!("read as `{}`", rule.id)) }
}

/// The examples that have the expected result.
fn verified_examples<'d>(engine: &Engine, draft: &'d Draft) -> Vec<VerifiedExample<'d>> {
    let Some(rule) = engine.registry().get(&draft.id()) else { return Vec::new() };
    let Ok((read, _)) = examples::read(rule) else { return Vec::new() };
    let candidates = draft.writable();
    if read.len() != candidates.len() {
        return Vec::new();
    }
    let mut verified: Vec<VerifiedExample<'d>> = Vec::new();
    for (candidate, example) in candidates.into_iter().zip(&read) {
        let has_failing = verified.iter().any(|(other, ..)| !other.passes);
        if candidate.passes != (example.expected == Expected::Passes)
            || candidate.is_fallback && has_failing
        {
            continue;
        }
        let results = examples::results(engine, rule, example);
        let line = |(source, finding): &(_, _)| examples::line(rule, source, finding);
        let found: Vec<String> = results.iter().map(line).collect();
        let mut fixed = examples::apply_fixes(&results);
        let (last, others) = (fixed.pop().map(|(_, text)| text), fixed);
        let is_writable = others.is_empty() && last.as_deref().is_none_or(is_block);
        if candidate.passes == found.is_empty() && is_writable {
            verified.push((candidate, found, last));
        }
    }
    verified
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::check::Selection;
    use aidd_engine::project::config::Config;
    use aidd_engine::rules::registry::Registry;
    use proptest::prelude::*;
    use serde_json::json;

    fn engine_of(pages: &[(String, String)]) -> Option<Engine> {
        Engine::new(
            &crate::DISTRIBUTION,
            Registry::new(crate::DISTRIBUTION.pages, pages),
            &Config::default(),
            &Selection::default(),
        )
        .ok()
    }

    #[test]
    fn a_draft_becomes_a_page_that_passes_its_own_test() {
        let draft = Draft::new(Tool::Alint, ".alint.yml", "no-todo", "Files NEVER contain `TODO`.")
            .check(json!({"files": ["src/**"], "text": {"regex": "TODO"}}))
            .example(false, "src/a.rs", "// TODO: `x`\n")
            .example(true, "src/a.rs", "// done\n")
            .example(true, "src/a.rs", "// TODO that does not pass\n");
        let import = write_pages(
            ImportDraft { drafts: vec![draft.clone(), draft], not_imported: Vec::new() },
            ".aidd/rules",
            &engine_of,
        );
        assert_eq!(import.defects, Vec::<String>::new());
        insta::assert_snapshot!(import.pages[1].text, @"
        ---
        severity: warning
        check:
          files: ['src/**']
          text:
            regex: TODO
        ---
        # alint/no-todo

        Files NEVER contain `TODO`.

        Imported from `.alint.yml`, where alint calls it `no-todo`.

        ## Fails

        ```rs path=src/a.rs
        // TODO: `x`
        ```

        ```finding
        1:4 TODO
        ```

        ## Passes

        ```rs path=src/a.rs
        // done
        ```
        ");
        assert_eq!(import.pages[0].path, ".aidd/rules/alint/no-todo-2.md");
        for page in &import.pages {
            let engine = engine_of(&[(page.path.clone(), page.text.clone())]).expect("valid");
            let rule = engine.registry().get(&page.id).expect("present");
            assert_eq!(examples::run(&engine, rule), Vec::<String>::new());
        }
    }

    proptest! {
        #[test]
        fn scalars_round_trip(text in "[a-c\"'\\\\:#{}\\[\\],\n\t é\u{200B}~0-9yn-]{0,20}") {
            let value = json!({"text": {"regex": text.clone()}, "files": [text.clone()]});
            let mut yaml = String::new();
            block(&value, 1, &mut yaml);
            let read: Json = serde_saphyr::from_str(&format!("check:{yaml}")).expect("YAML");
            prop_assert_eq!(&read["check"], &value);
        }
    }
}
