//! Rule packs that fit a project: which ones, and what they would find.

use crate::suggest::Sample;
use crate::suggest::trial::sample_of;
use aidd_engine::check::Selection;
use aidd_engine::project::linters::Settings;
use aidd_engine::project::stack;
use aidd_engine::rules::packs::{self, Packs};
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::finding::{Finding, RuleId, Severity, Status};
use aidd_engine::text::paths::{GlobError, Globs, rule_globs};
use aidd_engine::workspace::project::{Project, ProjectError};
use aidd_engine::workspace::walk::{self, FileReport, Walk};
use aidd_page as page;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Minimum number of matching files for which a pack fits.
const MIN_FILES: usize = 3;
/// One of this number of code files must match for a pack to fit: the packs for a language do not
/// fit a project with two scripts in that language.
const MIN_SHARE: usize = 50;
/// Maximum number of settings files of other linters that are read.
const MAX_SETTINGS: usize = 100;
/// Time limit for the check with the rules of all packs.
const TRIAL_BUDGET: Duration = Duration::from_secs(60);

/// Why the packs cannot be tried.
#[derive(Debug, Error)]
pub enum TrialError {
    /// The engine cannot be built.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A glob of the configuration is malformed.
    #[error("`include` or `exclude`: {0}")]
    Glob(#[from] GlobError),
}

/// A pack that fits the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The name of the pack.
    pub name: String,
    /// The first paragraph of the pack's page.
    pub summary: String,
    /// The number of files that match the pack; 0 for a pack that fits because of a dependency.
    pub files: usize,
}

/// A rule that a linter of the project enforces already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enforced {
    /// The rule of aidd.
    pub rule: RuleId,
    /// The rule of the linter: `eslint/no-var`.
    pub by: String,
    /// The path of the linter's settings.
    pub settings: String,
}

/// What the packs that fit a project would find.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// The packs that add rules.
    pub packs: Vec<PackTrial>,
    /// The time that the check with the rules of all packs took.
    pub time: Duration,
}

/// What a pack would find in the project.
#[derive(Clone, Debug)]
pub struct PackTrial {
    /// The pack.
    pub fit: Fit,
    /// The rules that the pack adds, without those in `enforced`.
    pub rules: BTreeSet<RuleId>,
    /// The rules of the pack that linters of the project enforce.
    pub enforced: Vec<Enforced>,
    /// The number of findings by severity.
    pub counts: BTreeMap<Severity, usize>,
    /// The first finding of the highest severity.
    pub sample: Option<Sample>,
    /// Whether the time limit ended the check: the counts are lower bounds.
    pub is_partial: bool,
}

/// The packs that fit a project with the files `paths`, those with the most matching files first.
#[must_use]
pub fn fitting(project: &Project, registry: &Registry, paths: &[String]) -> Vec<Fit> {
    let mut dependencies: Option<Vec<String>> = None;
    let mut fits: Vec<Fit> = Vec::new();
    for pack in registry.tables().packs {
        let Ok(header) = packs::header(pack.id, registry) else { continue };
        let globs = &header.fits.files.0;
        let files = match Globs::new(globs, &[]) {
            Ok(matcher) if !globs.is_empty() => {
                paths.iter().filter(|path| matcher.matches(path)).count()
            }
            _ => 0,
        };
        let mut is_used = |globs: &[String]| {
            let names = dependencies.get_or_insert_with(|| {
                let stack = stack::detect(&project.disk);
                stack.dependencies().map(|(_, dependency)| dependency.name.clone()).collect()
            });
            rule_globs(globs).is_ok_and(|globs| names.iter().any(|name| globs.is_match(name)))
        };
        let has_files = files >= MIN_FILES && files * MIN_SHARE >= paths.len();
        let wanted = &header.fits.dependencies.0;
        if has_files || (!wanted.is_empty() && is_used(wanted)) {
            let body = page::split(pack.text).map_or(0, |(_, body)| body.start);
            let summary = page::summary(&pack.text[body..]);
            fits.push(Fit { name: pack.id.to_owned(), summary, files });
        }
    }
    fits.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    fits
}

/// Tries the packs `fits` on the project, each without the rules that are enabled by default and
/// without the rules that another linter enforces. Changes only the configuration in memory. All
/// packs share one pass over the files, after each of which `after_file` is called.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn try_packs(
    project: &mut Project,
    paths: &[String],
    fits: Vec<Fit>,
    after_file: &(dyn Fn() + Sync),
) -> Result<Trials, TrialError> {
    let registry = project.registry();
    let mut linters = Linters::read(project, paths);
    let configured = project.config.compliance.take();
    let mut packs = Vec::new();
    for fit in fits {
        project.config.compliance = Some(vec![fit.name.clone()]);
        let Ok(pack) = Packs::from_config(&project.config, &registry) else { continue };
        let mut enforced = Vec::new();
        let mut rules = BTreeSet::new();
        for rule in pack.enabled.iter().filter_map(|id| registry.get(id)) {
            if rule.enabled {
                continue;
            }
            match linters.enforcing(&rule.aliases) {
                Some((by, settings)) => {
                    enforced.push(Enforced { rule: rule.id.clone(), by, settings });
                }
                None => drop(rules.insert(rule.id.clone())),
            }
        }
        if !rules.is_empty() {
            let counts = BTreeMap::new();
            packs.push(PackTrial { fit, rules, enforced, counts, sample: None, is_partial: false });
        }
    }
    project.config.compliance = Some(packs.iter().map(|pack| pack.fit.name.clone()).collect());
    let trials = check_with(project, packs, after_file);
    project.config.compliance = configured;
    trials
}

/// The languages that a settings file is about, as extensions, by the start of its name.
const LANGUAGES: [(&[&str], &[&str]); 4] = [
    (
        &["biome.", "eslint.", ".eslintrc", "package.json"],
        &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro"],
    ),
    (&["pyproject.toml", "ruff.toml", ".ruff.toml"], &["py", "pyi"]),
    (&[".golangci."], &["go"]),
    (&["Cargo.toml", "clippy.toml", ".clippy.toml", "lib.rs", "main.rs"], &["rs"]),
];

/// The settings of other linters, each file with the directory that it applies to.
struct Linters<'a> {
    paths: &'a [String],
    /// The directory (empty or with a final `/`), the language, and the settings of a file.
    files: Vec<(&'a str, usize, Settings)>,
    /// Directories and language → whether they contain most files of the language.
    covers: BTreeMap<(Vec<&'a str>, usize), bool>,
}

impl<'a> Linters<'a> {
    fn read(project: &Project, paths: &'a [String]) -> Self {
        let named = paths.iter().filter_map(|path| {
            let (dir, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
            let is_about =
                |(names, _): &(&[&str], _)| names.iter().any(|one| name.starts_with(one));
            Some((dir, LANGUAGES.iter().position(is_about)?, path))
        });
        let mut named: Vec<(&str, usize, &String)> =
            named.filter(|(dir, ..)| !dir.contains("node_modules/")).collect();
        // Those nearest to the root apply to most files.
        named.sort_by_key(|(dir, _, path)| (dir.matches('/').count(), *path));
        named.truncate(MAX_SETTINGS);
        let read = |(dir, language, path): (&'a str, usize, &String)| {
            (dir, language, Settings::read(&project.disk, std::slice::from_ref(path)))
        };
        Self { paths, files: named.into_iter().map(read).collect(), covers: BTreeMap::new() }
    }

    /// The rule with one of these names that linters enable for most files of a language, and the
    /// path of the first settings. Settings of one package do not cover a whole repository.
    fn enforcing(&mut self, aliases: &[String]) -> Option<(String, String)> {
        for language in 0..LANGUAGES.len() {
            let files = self.files.iter().filter(|(_, known, _)| *known == language);
            let enabling: Vec<_> = files
                .filter_map(|(dir, _, settings)| {
                    Some((*dir, settings.by_alias(aliases, &|_| true)?))
                })
                .collect();
            let Some((_, first)) = enabling.first().cloned() else { continue };
            let dirs = enabling.into_iter().map(|(dir, _)| dir).collect();
            if self.covers(dirs, language) {
                return Some(first);
            }
        }
        None
    }

    fn covers(&mut self, dirs: Vec<&'a str>, language: usize) -> bool {
        let paths = self.paths;
        let (_, extensions) = LANGUAGES[language];
        *self.covers.entry((dirs, language)).or_insert_with_key(|(dirs, _)| {
            let is_code = |path: &&String| {
                path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
            };
            let is_covered = |path: &&&String| dirs.iter().any(|dir| path.starts_with(dir));
            let code: Vec<&String> = paths.iter().filter(is_code).collect();
            code.iter().filter(is_covered).count() * 2 > code.len()
        })
    }
}

/// Checks the project with the rules of `packs`, and counts the findings of each pack.
fn check_with(
    project: &Project,
    mut packs: Vec<PackTrial>,
    after_file: &(dyn Fn() + Sync),
) -> Result<Trials, TrialError> {
    let only: BTreeSet<&RuleId> = packs.iter().flat_map(|pack| &pack.rules).collect();
    if only.is_empty() {
        return Ok(Trials::default());
    }
    let only = only.into_iter().map(ToString::to_string).collect();
    let engine = project.engine(&Selection { only, ..Selection::default() })?;
    let stop = Arc::new(AtomicBool::new(false));
    let root = Walk::over(vec![project.root().to_owned()]);
    let walk = Walk { stop: Some(stop.clone()), ..root };
    let start = Instant::now();
    let after_each = || {
        after_file();
        if start.elapsed() > TRIAL_BUDGET {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let outcome = walk::check_tree(&engine, &project.config, &project.disk, &walk, &after_each)?;
    for pack in &mut packs {
        pack.is_partial = stop.load(Ordering::Relaxed);
        let mut first: Option<(&FileReport, &Finding)> = None;
        for file in &outcome.files {
            let is_counted = |finding: &&Finding| {
                finding.status == Status::New && pack.rules.contains(&finding.rule)
            };
            for finding in file.checked.findings.iter().filter(is_counted) {
                *pack.counts.entry(finding.severity).or_insert(0) += 1;
                if first.is_none_or(|(_, worst)| finding.severity > worst.severity) {
                    first = Some((file, finding));
                }
            }
        }
        pack.sample = first.map(|(file, finding)| {
            sample_of(&file.source, &file.checked, finding, file.source.path())
        });
    }
    Ok(Trials { packs, time: start.elapsed() })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests create projects")]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::atomic::AtomicUsize;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project, Vec<String>) {
        let directory = tempfile::tempdir().expect("a directory");
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(path, text).expect("written");
        }
        let project =
            Project::open(&crate::DISTRIBUTION, directory.path(), None).expect("a project");
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        (directory, project, paths)
    }

    #[test]
    fn settings_of_one_package_do_not_cover_a_repository() {
        let biome = r#"{"linter": {"rules": {"suspicious": {"noExplicitAny": "error"}}}}"#;
        let code = |path: &'static str| (path, "export {}\n");
        let mut files = vec![("a/biome.json", biome), code("a/x.ts"), code("b/x.ts"), code("c.ts")];
        let enforced = |files: &[(&str, &str)]| {
            let (_directory, project, paths) = project(files);
            Linters::read(&project, &paths).enforcing(&["noExplicitAny".to_owned()])
        };
        assert_eq!(enforced(&files), None);
        files.push(("b/biome.json", biome));
        assert_eq!(
            enforced(&files),
            Some(("biome/noExplicitAny".to_owned(), "a/biome.json".to_owned()))
        );
    }

    fn names(files: &[(&str, &str)]) -> Vec<String> {
        let (_directory, project, paths) = project(files);
        let fits = fitting(&project, &project.registry(), &paths);
        fits.into_iter().map(|fit| fit.name).collect()
    }

    #[test]
    fn packs_fit_the_files_and_dependencies_of_a_project() {
        let go = [("a.go", ""), ("b.go", ""), ("c.go", ""), ("setup.py", "")];
        assert_eq!(names(&go), ["security", "go"]);
        let react = [("package.json", r#"{"dependencies": {"react": "19.0.0"}}"#)];
        assert_eq!(names(&react), ["dependencies", "react"]);
        assert_eq!(names(&[("Dockerfile", "FROM scratch\n")]), Vec::<String>::new());
    }

    #[test]
    fn a_trial_counts_what_a_pack_adds_without_the_rules_of_other_linters() {
        let code = "export function f(a: any) {}\nexport enum Color { Red }\n";
        let files = [
            ("src/a.ts", code),
            ("src/b.ts", code),
            ("src/c.ts", code),
            ("biome.json", r#"{"linter": {"rules": {"suspicious": {"noExplicitAny": "error"}}}}"#),
        ];
        let (_directory, mut project, paths) = project(&files);
        let fits = fitting(&project, &project.registry(), &paths);
        let checked = AtomicUsize::new(0);
        let after_file = || {
            checked.fetch_add(1, Ordering::Relaxed);
        };
        let trials = try_packs(&mut project, &paths, fits, &after_file).expect("tried");
        assert_eq!(checked.into_inner(), files.len(), "each file is checked once for all packs");
        assert!(trials.packs.len() > 1 && !trials.packs[0].is_partial);
        let strict = trials.packs.iter().find(|trial| trial.fit.name == "typescript-strict");
        let strict = strict.expect("the pack fits");
        let enforced: Vec<&str> = strict.enforced.iter().map(|one| &*one.rule).collect();
        assert!(enforced.contains(&"compliance/any-type"), "{enforced:?}");
        let sample = strict.sample.as_ref().expect("a sample");
        assert_eq!((sample.path.as_str(), sample.line), ("src/a.ts", 2));
        assert!(strict.counts.values().sum::<usize>() >= 3, "{:?}", strict.counts);
        assert!(sample.message.contains("enum"), "{}", sample.message);
        assert!(project.config.compliance.is_none());
    }

    #[test]
    fn a_trial_of_several_packs_counts_what_each_finds_alone() {
        let code = "// eslint-disable-next-line\nexport let a: any = eval('b');\nexport enum C { D }\n\nexport class E {\n  f() {\n    for (const a of b) console.log(a!);\n  }\n}\n";
        let files = [("src/a.ts", code), ("src/b.ts", code), ("src/c.ts", code)];
        let (_directory, mut project, paths) = project(&files);
        let fits = fitting(&project, &project.registry(), &paths);
        let mut try_them =
            |fits| try_packs(&mut project, &paths, fits, &|| ()).expect("tried").packs;
        let together = try_them(fits.clone());
        let alone: Vec<PackTrial> = fits.into_iter().flat_map(|fit| try_them(vec![fit])).collect();
        let counts = |trials: &[PackTrial]| -> Vec<_> {
            trials.iter().map(|trial| (trial.fit.name.clone(), trial.counts.clone())).collect()
        };
        assert_eq!(counts(&together), counts(&alone));
        assert!(together.iter().filter(|trial| !trial.counts.is_empty()).count() > 1);
    }
}
