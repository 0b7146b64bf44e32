//! Checks that the scripts, targets and recipes of commands in code spans and in shell blocks are
//! defined.

use crate::project::manifest;
use crate::text::files::{Files, side_file};
use crate::text::listing::Listing;
use crate::text::paths::{join, parent_dir, upwards};
use crate::text::source::Source;
use crate::text::time_limit::step;
use regex::Regex;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Scripts that npm runs without a definition (<https://docs.npmjs.com/cli/using-npm/scripts>).
const NPM_DEFAULTS: [&str; 3] = ["env", "start", "restart"];

/// The commands of a page.
pub(super) struct Commands<'a> {
    page: &'a Source,
    files: &'a dyn Files,
    /// Read when a command first requires them.
    shown: OnceCell<ShownDefinitions<'a>>,
    /// The results of the commands so far: a page can repeat a command.
    results: HashMap<String, Option<String>>,
}

impl<'a> Commands<'a> {
    pub(super) fn new(page: &'a Source, files: &'a dyn Files) -> Self {
        Self { page, files, shown: OnceCell::new(), results: HashMap::new() }
    }

    /// Why a command cannot run, if the script, target or recipe is not defined. `None` if the name is
    /// defined, if no file that could define the name exists, or if the page itself shows how to
    /// define the name.
    pub(super) fn undefined(&mut self, code: &str) -> Option<String> {
        if let Some(result) = self.results.get(code) {
            return result.clone();
        }
        let shown = || self.shown.get_or_init(|| ShownDefinitions::new(self.page.text()));
        let result = undefined_command(code, self.page, shown, self.files);
        self.results.insert(code.to_owned(), result.clone());
        result
    }
}

/// The names that a page itself shows how to define.
#[derive(Default)]
struct ShownDefinitions<'a> {
    /// Keys in quotes, before a colon: `"name":`.
    scripts: HashSet<&'a str>,
    /// Names at the start of a line, before a colon.
    targets: HashSet<&'a str>,
    /// Keys of TOML: `name = `.
    aliases: HashSet<&'a str>,
}

/// Maximum number of colons in the name of a target.
const MAX_COLONS: usize = 8;

impl<'a> ShownDefinitions<'a> {
    fn new(text: &'a str) -> Self {
        let mut shown = Self::default();
        for (at, _) in text.match_indices("\":") {
            let name = last_name(&text[..at]);
            if text[..at - name.len()].ends_with('"') {
                shown.scripts.insert(name);
            }
        }
        for (at, _) in text.match_indices(" = ") {
            shown.aliases.insert(last_name(&text[..at]));
        }
        for line in text.split('\n').skip(1) {
            let end = line.bytes().position(|byte| !is_part_of_name(byte)).unwrap_or(line.len());
            let name = &line[..end];
            let colons = name.match_indices(':').take(MAX_COLONS);
            shown.targets.extend(colons.map(|(at, _)| &name[..at]));
        }
        shown
    }
}

/// The name at the end of a text.
fn last_name(text: &str) -> &str {
    let end = text.bytes().rposition(|byte| !is_part_of_name(byte));
    &text[end.map_or(0, |end| end + 1)..]
}

fn is_part_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-:./".contains(&byte)
}

fn undefined_command<'a, 'p: 'a>(
    code: &str,
    page: &Source,
    shown: impl FnOnce() -> &'a ShownDefinitions<'p>,
    files: &dyn Files,
) -> Option<String> {
    step();
    let mut words = code.split_whitespace();
    let (program, second) = (words.next()?, words.next()?);
    let (name, runner) = match (program, second) {
        ("npm" | "pnpm" | "yarn" | "bun", "run") => (words.next()?, Runner::Script),
        ("make", _) => (second, Runner::Make),
        ("just", _) => (second, Runner::Just),
        // Any other name can be a separate program: `cargo nextest` runs `cargo-nextest`.
        ("cargo", "xtask") => (second, Runner::Cargo),
        _ => return None,
    };
    // An option can redirect the command to another project, and a placeholder is not a name.
    let rest = code.split_whitespace().skip(1);
    let is_plain =
        |word: &str| word.bytes().all(is_part_of_name) && !word.starts_with(['-', '.', '/']);
    let redirecting_options =
        ["-C", "-f", "-w", "--prefix", "--workspace", "--filter", "--cwd", "--dir"];
    let is_redirected = rest.into_iter().any(|word| {
        redirecting_options.iter().any(|option| word.split('=').next() == Some(option))
    });
    // `bun run` also accepts files.
    let is_file = program == "bun" && name.contains(['/', '.']);
    if is_redirected || is_file || !is_plain(name) {
        return None;
    }
    let shown = shown();
    let (shown, defining_files): (_, &[&str]) = match runner {
        Runner::Script => (&shown.scripts, &["package.json"]),
        Runner::Make => (&shown.targets, &["GNUmakefile", "makefile", "Makefile"]),
        Runner::Just => (&shown.targets, &["justfile", "Justfile", ".justfile"]),
        Runner::Cargo => (&shown.aliases, &[".cargo/config.toml", ".cargo/config"]),
    };
    if shown.contains(name) {
        return None;
    }
    let dirs: Vec<&str> = upwards(parent_dir(page.path())).collect();
    let existing = existing_files(defining_files, &dirs, files);
    match runner {
        Runner::Script => undefined_script(name, &existing, files),
        Runner::Make => undefined_target(name, &existing, files),
        Runner::Just => undefined_recipe(name, &existing, files),
        Runner::Cargo => undefined_cargo_alias(name, &existing, files),
    }
}

enum Runner {
    Script,
    Make,
    Just,
    Cargo,
}

/// The existing files in `dirs` whose name is one of `names`.
fn existing_files(names: &[&str], dirs: &[&str], files: &dyn Files) -> Vec<String> {
    let paths = dirs.iter().flat_map(|dir| names.iter().filter_map(|name| join(dir, name)));
    paths.filter(|path| files.exists(path)).collect()
}

fn undefined_script(name: &str, manifests: &[String], files: &dyn Files) -> Option<String> {
    let defines = |path: &str| {
        let scripts = manifest::json(files, path);
        manifest::at(&scripts, &["scripts", name]).is_string()
    };
    let is_defined = NPM_DEFAULTS.contains(&name) || manifests.iter().any(|path| defines(path));
    if is_defined || manifests.is_empty() || member_manifests(files).any(defines) {
        return None;
    }
    Some(format!("no `package.json` in this directory or above defines the script `{name}`"))
}

/// The manifests of the project's members, up to a limit: after a `cd`, a command can refer to a
/// script of a member.
fn member_manifests(files: &dyn Files) -> impl Iterator<Item = &str> {
    const MAX_MANIFESTS: usize = 200;
    let all = files.listing().map_or(&[][..], Listing::files);
    all.iter()
        .map(String::as_str)
        .filter(|path| path.ends_with("/package.json"))
        .take(MAX_MANIFESTS)
}

fn undefined_target(name: &str, makefiles: &[String], files: &dyn Files) -> Option<String> {
    static TARGETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^([^\s#:=][^#:=\n]*?)[ \t]*::?(?:[^=\n]|$)").expect("a constant pattern")
    });
    for path in makefiles {
        let text = side_file(files, path)?;
        // Included files, computed targets and pattern rules cannot be evaluated.
        let is_dynamic = text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("include") || line.starts_with("-include") || line.contains("$(eval")
        });
        let found = TARGETS.captures_iter(&text);
        let mut targets = found.flat_map(|found| {
            let targets = found.get(1).map_or("", |targets| targets.as_str());
            targets.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        });
        if is_dynamic || targets.any(|target| target == name || target.contains(['%', '$'])) {
            return None;
        }
    }
    let has_makefiles = !makefiles.is_empty();
    has_makefiles
        .then(|| format!("no Makefile in this directory or above defines the target `{name}`"))
}

fn undefined_recipe(name: &str, justfiles: &[String], files: &dyn Files) -> Option<String> {
    static RECIPES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^@?([A-Za-z_][\w-]*)(?:[ \t]+[^\n:=]*(?:=[^\n:]*)?)?:(?:[^=]|$)|^alias[ \t]+([\w-]+)[ \t]*:=")
            .expect("a constant pattern")
    });
    for path in justfiles {
        let text = side_file(files, path)?;
        let is_dynamic = text.lines().any(|line| {
            ["import", "mod ", "mod?", "set fallback"].iter().any(|start| line.starts_with(start))
        });
        let mut found = RECIPES.captures_iter(&text);
        let is_name =
            |group: Option<regex::Match<'_>>| group.is_some_and(|found| found.as_str() == name);
        if is_dynamic || found.any(|found| is_name(found.get(1)) || is_name(found.get(2))) {
            return None;
        }
    }
    let has_justfiles = !justfiles.is_empty();
    has_justfiles
        .then(|| format!("no justfile in this directory or above defines the recipe `{name}`"))
}

/// `cargo xtask` is by convention an alias defined in the repository
/// (<https://github.com/matklad/cargo-xtask>).
fn undefined_cargo_alias(name: &str, configs: &[String], files: &dyn Files) -> Option<String> {
    let defines = |path: &String| {
        let config = manifest::toml(files, path);
        !manifest::at(&config, &["alias", name]).is_null()
    };
    let is_defined = configs.iter().any(defines);
    (!is_defined).then(|| {
        format!("no `.cargo/config.toml` in this directory or above has the alias `{name}`")
    })
}
