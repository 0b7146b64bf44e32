//! Checks that the scripts, targets and recipes of commands in code spans and in shell blocks are
//! defined.

use crate::project::manifest;
use crate::text::files::{Files, side_file};
use crate::text::listing::Listing;
use crate::text::paths::{join, parent_dir, upwards};
use crate::text::source::Source;
use regex::Regex;
use std::sync::LazyLock;

/// Scripts that npm runs without a definition (<https://docs.npmjs.com/cli/using-npm/scripts>).
const NPM_DEFAULTS: [&str; 3] = ["env", "start", "restart"];

/// Why a command in `page` cannot run, if the script, target or recipe is not defined. `None` if
/// the name is defined, if no file that could define the name exists, or if the page itself shows
/// how to define the name.
pub(super) fn undefined_command(code: &str, page: &Source, files: &dyn Files) -> Option<String> {
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
    let is_plain = |word: &str| {
        word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-:./".contains(&b))
            && !word.starts_with(['-', '.', '/'])
    };
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
    let (definitions, defining_files): (&[String], &[&str]) = match runner {
        Runner::Script => (&[format!("\"{name}\":")], &["package.json"]),
        Runner::Make => (&[format!("\n{name}:")], &["GNUmakefile", "makefile", "Makefile"]),
        Runner::Just => (&[format!("\n{name}:")], &["justfile", "Justfile", ".justfile"]),
        Runner::Cargo => (&[format!("{name} = ")], &[".cargo/config.toml", ".cargo/config"]),
    };
    if definitions.iter().any(|definition| page.text().contains(definition.as_str())) {
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
