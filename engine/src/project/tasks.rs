//! The tasks that a project defines under a name: scripts of `package.json` and `composer.json`,
//! targets of Makefiles, recipes of justfiles, tasks of Taskfiles.

use crate::parse::values::{Format, Values};
use crate::project::manifest;
use crate::text::files::{Files, of_inputs, side_file};
use crate::text::listing::{Listing, file_name};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A program that runs tasks by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskRunner {
    /// npm, pnpm, Yarn and Bun, which run the scripts of a `package.json`.
    Npm,
    /// GNU Make, which reads Makefiles.
    Make,
    /// The command runner just, which reads justfiles.
    Just,
    /// Task, with a `Taskfile.yml`.
    Task,
    /// Composer, which runs the scripts of a `composer.json`.
    Composer,
}

impl TaskRunner {
    /// Whether the file with this name defines tasks.
    #[must_use]
    pub fn reads(self, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        match self {
            Self::Npm => lower == "package.json",
            Self::Make => matches!(&*lower, "makefile" | "gnumakefile") || lower.ends_with(".mk"),
            Self::Just => matches!(&*lower, "justfile" | ".justfile") || lower.ends_with(".just"),
            Self::Task => lower
                .strip_suffix(".yml")
                .or_else(|| lower.strip_suffix(".yaml"))
                .is_some_and(|stem| stem.trim_end_matches(".dist") == "taskfile"),
            Self::Composer => lower == "composer.json",
        }
    }

    /// The files that define tasks, for messages.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Self::Npm => "package.json",
            Self::Make => "Makefile",
            Self::Just => "justfile",
            Self::Task => "Taskfile",
            Self::Composer => "composer.json",
        }
    }
}

/// Files from which Makefiles are generated.
const MAKE_GENERATORS: [&str; 7] = [
    "CMakeLists.txt",
    "Makefile.PL",
    "Makefile.am",
    "Makefile.in",
    "configure",
    "configure.ac",
    "configure.in",
];

/// The names of the tasks that files define.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    names: BTreeSet<String>,
    /// The beginning and the end of the names that pattern rules match.
    patterns: Vec<(String, String)>,
    /// Whether some names are computed, or are in files that are not part of the project.
    is_partial: bool,
    /// The number of files that define tasks.
    pub files: usize,
}

impl Targets {
    /// The tasks that all files of the project define for `runner`, read once per run, and in an editor
    /// once until one of these files changes.
    #[must_use]
    pub fn of_project(runner: TaskRunner, files: &dyn Files, listing: &Listing) -> Arc<Self> {
        let is_input = |path: &str| runner.reads(file_name(path));
        of_inputs(files, listing, &format!("tasks of {runner:?}"), is_input, |paths| {
            Self::of_files(runner, files, listing, paths)
        })
    }

    fn of_files(
        runner: TaskRunner,
        files: &dyn Files,
        listing: &Listing,
        paths: &[String],
    ) -> Self {
        let has_name = |included: &str| listing.named(file_name(included)).next().is_some();
        let is_partial = runner == TaskRunner::Make && MAKE_GENERATORS.into_iter().any(has_name);
        let mut targets = Self { is_partial, ..Self::default() };
        for path in paths {
            targets.files += 1;
            match runner {
                TaskRunner::Npm | TaskRunner::Composer => {
                    let value = manifest::json(files, path);
                    let scripts = manifest::at(&value, &["scripts"]).as_object();
                    targets.is_partial |= value.is_null();
                    targets.names.extend(scripts.into_iter().flatten().map(|it| it.0.clone()));
                }
                TaskRunner::Make | TaskRunner::Just | TaskRunner::Task => {
                    let Some(text) = side_file(files, path) else {
                        targets.is_partial = true;
                        continue;
                    };
                    match runner {
                        TaskRunner::Make => targets.add_makefile(&text, &has_name),
                        TaskRunner::Just => targets.add_justfile(&text),
                        _ => targets.add_taskfile(&text),
                    }
                }
            }
        }
        targets
    }

    /// The targets of the text of a Makefile.
    #[must_use]
    pub fn read(makefile: &str) -> Self {
        let mut targets = Self { files: 1, ..Self::default() };
        targets.add_makefile(makefile, &|_| true);
        targets
    }

    /// Whether a task with this name is defined.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let is_match = |(start, end): &(String, String)| {
            name.len() > start.len() + end.len()
                && name.starts_with(&**start)
                && name.ends_with(&**end)
        };
        self.names.contains(name) || self.patterns.iter().any(is_match)
    }

    /// Whether there are files with tasks, and none of them can define `name`.
    #[must_use]
    pub fn lacks(&self, name: &str) -> bool {
        self.files > 0 && !self.is_partial && !self.has(name)
    }

    /// The names of the tasks, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// `exists`: whether the project has a file with this name.
    fn add_makefile(&mut self, text: &str, exists: &dyn Fn(&str) -> bool) {
        let joined = text.replace("\\\n", " ");
        let mut in_definition = false;
        for line in joined.lines() {
            let code = line.split('#').next().unwrap_or_default();
            let first = code.split_whitespace().next().unwrap_or_default();
            if in_definition || line.starts_with('\t') {
                in_definition &= first != "endef";
                continue;
            }
            match first {
                "define" => in_definition = true,
                "include" | "-include" | "sinclude" => {
                    // All files with the extension `mk` of the project are read.
                    let is_known =
                        |name: &str| name.ends_with(".mk") && !name.contains('$') && exists(name);
                    self.is_partial |= !code.split_whitespace().skip(1).all(is_known);
                }
                _ => self.add_rule(code),
            }
        }
    }

    fn add_rule(&mut self, code: &str) {
        // A colon in a variable reference is part of the reference; one after a backslash, of a name.
        let is_escaped = |at: &usize| code.as_bytes()[..*at].ends_with(b"\\");
        let colon = memchr::memchr_iter(b':', code.as_bytes()).find(|at| !is_escaped(at));
        let Some((names, rest)) = colon.map(|at| (&code[..at], &code[at + 1..])) else {
            self.is_partial |= code.contains("$(eval") || code.contains("$(call");
            return;
        };
        if names.contains('=') || rest.trim_start_matches(':').starts_with('=') {
            return;
        }
        if names.contains('$') {
            self.is_partial = true;
            return;
        }
        let rest = rest.split(';').next().unwrap_or_default();
        let listed = if names.trim() == ".PHONY" { rest } else { "" };
        for name in names.split_whitespace().chain(listed.split_whitespace()) {
            let name = name.replace("\\:", ":");
            match name.split_once('%') {
                Some((start, end)) => self.patterns.push((start.to_owned(), end.to_owned())),
                None => _ = self.names.insert(name),
            }
        }
    }

    fn add_justfile(&mut self, text: &str) {
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["alias", name, ..] | ["mod" | "mod?", name, ..] => {
                    self.names.insert(name.to_owned());
                    self.is_partial |= words[0].starts_with("mod");
                    continue;
                }
                ["import" | "import?", path, ..] => {
                    self.is_partial |= !path.trim_matches(['"', '\'']).ends_with(".just");
                    continue;
                }
                _ => {}
            }
            let Some((head, rest)) = line.split_once(':') else { continue };
            if line.starts_with([' ', '\t', '#', '[']) || rest.starts_with('=') {
                continue;
            }
            let name = head.split_whitespace().next().unwrap_or_default();
            self.names.insert(name.trim_start_matches('@').to_owned());
        }
    }

    fn add_taskfile(&mut self, text: &str) {
        let values = Values::read(Format::Yaml, text);
        let Some(&root) = values.roots.first() else { return };
        self.is_partial |= values.broken.is_some() || values.child(root, "includes").is_some();
        let tasks = values.child(root, "tasks").map(|at| values.all[at].children.as_slice());
        for &task in tasks.unwrap_or_default() {
            self.names.extend(values.all[task].key.as_ref().map(|(key, _)| key.clone()));
            let aliases = values.child(task, "aliases");
            let aliases = aliases.map(|at| values.all[at].children.as_slice());
            let texts = aliases.unwrap_or_default().iter().filter_map(|&at| values.text(at));
            self.names.extend(texts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    fn names(runner: TaskRunner, path: &str, text: &str) -> String {
        let files = Memory([(path.to_owned(), text.as_bytes().to_vec())].into());
        let listing = Listing::new([path.to_owned()]);
        let targets = Targets::of_project(runner, &files, &listing);
        let names: Vec<&str> = targets.names().collect();
        format!("{}{}", names.join(" "), if targets.is_partial { " …" } else { "" })
    }

    #[test]
    fn tasks_are_read_from_each_kind_of_file() {
        let make =
            ".PHONY: a b\nA := x:y\nB = c:d\ntest lint: deps # x\n\techo c:\ndefine D\ne:\nendef\n";
        assert_eq!(names(TaskRunner::Make, "Makefile", make), ".PHONY a b lint test");
        assert_eq!(names(TaskRunner::Make, "Makefile", "$(ALL): x\nb:\n"), "b …");
        assert_eq!(names(TaskRunner::Make, "a/x.mk", "include x.mk\nb:\n"), "b");
        assert_eq!(names(TaskRunner::Make, "a/x.mk", "include common.mk\nb:\n"), "b …");
        let just = "set shell := [\"sh\"]\nv := \"a\"\nalias t := test\n@test *args: build\n  echo a: b\n[private]\nbuild:\n";
        assert_eq!(names(TaskRunner::Just, "justfile", just), "build t test");
        let task = "version: '3'\ntasks:\n  build:\n    aliases: [b]\n  lint: echo\n";
        assert_eq!(names(TaskRunner::Task, "Taskfile.yml", task), "b build lint");
        let npm = r#"{"scripts": {"test": "vitest"}}"#;
        assert_eq!(names(TaskRunner::Npm, "web/package.json", npm), "test");
    }

    #[test]
    fn generated_makefiles_have_more_targets() {
        let files = Memory([("Makefile".to_owned(), b"b:\n".to_vec())].into());
        let lacks = |paths: &[&str]| {
            let listing = Listing::new(paths.iter().map(|&path| path.to_owned()));
            Targets::of_project(TaskRunner::Make, &files, &listing).lacks("c")
        };
        assert!(lacks(&["Makefile"]) && !lacks(&["CMakeLists.txt", "Makefile"]));
    }

    #[test]
    fn pattern_rules_define_names() {
        let targets = Targets::read("build-%:\n\techo\n");
        assert!(targets.has("build-web") && !targets.has("build-"));
        assert!(targets.lacks("test") && !targets.lacks("build-web"));
    }
}
