//! Checks commands in code spans and in shell blocks whose script, target or recipe must be
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

/// Why a command in `page` cannot run, if the name it runs is not defined. `None` if it is defined,
/// if no file that could define it exists, or if the page itself shows how to define it.
pub(super) fn undefined_command(code: &str, page: &Source, files: &dyn Files) -> Option<String> {
    let mut words = code.split_whitespace();
    let (program, second) = (words.next()?, words.next()?);
    let (name, whose) = match (program, second) {
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
    let elsewhere = ["-C", "-f", "-w", "--prefix", "--workspace", "--filter", "--cwd", "--dir"];
    let sent = rest
        .into_iter()
        .any(|word| elsewhere.iter().any(|option| word.split('=').next() == Some(option)));
    // `bun run` also accepts files.
    let is_file = program == "bun" && name.contains(['/', '.']);
    if sent || is_file || !is_plain(name) {
        return None;
    }
    let (marks, definers): (&[String], &[&str]) = match whose {
        Runner::Script => (&[format!("\"{name}\":")], &["package.json"]),
        Runner::Make => (&[format!("\n{name}:")], &["GNUmakefile", "makefile", "Makefile"]),
        Runner::Just => (&[format!("\n{name}:")], &["justfile", "Justfile", ".justfile"]),
        Runner::Cargo => (&[format!("{name} = ")], &[".cargo/config.toml", ".cargo/config"]),
    };
    if marks.iter().any(|mark| page.text().contains(mark.as_str())) {
        return None;
    }
    let above: Vec<&str> = upwards(parent_dir(page.path())).collect();
    let here = existing_files(definers, &above, files);
    match whose {
        Runner::Script => script(name, &here, files),
        Runner::Make => target(name, &here, files),
        Runner::Just => recipe(name, &here, files),
        Runner::Cargo => cargo(name, &here, files),
    }
}

enum Runner {
    Script,
    Make,
    Just,
    Cargo,
}

/// The files with one of `names` in the directories.
fn existing_files(names: &[&str], folders: &[&str], files: &dyn Files) -> Vec<String> {
    let paths =
        folders.iter().flat_map(|folder| names.iter().filter_map(|name| join(folder, name)));
    paths.filter(|path| files.exists(path)).collect()
}

fn script(name: &str, manifests: &[String], files: &dyn Files) -> Option<String> {
    let defines = |path: &str| {
        let scripts = manifest::json(files, path);
        manifest::at(&scripts, &["scripts", name]).is_string()
    };
    let known = NPM_DEFAULTS.contains(&name) || manifests.iter().any(|path| defines(path));
    if known || manifests.is_empty() || parts(files).any(defines) {
        return None;
    }
    Some(format!("no `package.json` here or above defines the script `{name}`"))
}

/// The manifests of the project's members, up to a limit: a page can mean one of them after a `cd`.
fn parts(files: &dyn Files) -> impl Iterator<Item = &str> {
    const MAX_PARTS: usize = 200;
    let all = files.listing().map_or(&[][..], Listing::files);
    all.iter().map(String::as_str).filter(|path| path.ends_with("/package.json")).take(MAX_PARTS)
}

fn target(name: &str, makefiles: &[String], files: &dyn Files) -> Option<String> {
    static TARGETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^([^\s#:=][^#:=\n]*?)[ \t]*::?(?:[^=\n]|$)").expect("a constant pattern")
    });
    for path in makefiles {
        let text = side_file(files, path)?;
        // Included files, computed targets and pattern rules cannot be evaluated.
        let is_open = text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("include") || line.starts_with("-include") || line.contains("$(eval")
        });
        let found = TARGETS.captures_iter(&text);
        let mut targets = found.flat_map(|found| {
            let targets = found.get(1).map_or("", |targets| targets.as_str());
            targets.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        });
        if is_open || targets.any(|target| target == name || target.contains(['%', '$'])) {
            return None;
        }
    }
    let any = !makefiles.is_empty();
    any.then(|| format!("no Makefile here or above defines the target `{name}`"))
}

fn recipe(name: &str, justfiles: &[String], files: &dyn Files) -> Option<String> {
    static RECIPES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^@?([A-Za-z_][\w-]*)(?:[ \t]+[^\n:=]*(?:=[^\n:]*)?)?:(?:[^=]|$)|^alias[ \t]+([\w-]+)[ \t]*:=")
            .expect("a constant pattern")
    });
    for path in justfiles {
        let text = side_file(files, path)?;
        let is_open = text.lines().any(|line| {
            ["import", "mod ", "mod?", "set fallback"].iter().any(|start| line.starts_with(start))
        });
        let mut found = RECIPES.captures_iter(&text);
        let is_it = |group: Option<regex::Match<'_>>| group.is_some_and(|it| it.as_str() == name);
        if is_open || found.any(|found| is_it(found.get(1)) || is_it(found.get(2))) {
            return None;
        }
    }
    let any = !justfiles.is_empty();
    any.then(|| format!("no justfile here or above defines the recipe `{name}`"))
}

/// `cargo xtask` is by convention an alias defined in the repository
/// (<https://github.com/matklad/cargo-xtask>).
fn cargo(name: &str, configs: &[String], files: &dyn Files) -> Option<String> {
    let defines = |path: &String| {
        let config = manifest::toml(files, path);
        !manifest::at(&config, &["alias", name]).is_null()
    };
    let any = configs.iter().any(defines);
    (!any).then(|| format!("no `.cargo/config.toml` here or above has the alias `{name}`"))
}
