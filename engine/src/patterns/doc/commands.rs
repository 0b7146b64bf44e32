//! Commands in backticks whose script, target or recipe must be defined.

use crate::files::{Files, side_file};
use crate::manifest;
use crate::paths::{folder_of, join, upwards};
use regex::Regex;
use std::sync::LazyLock;

/// Commands of Cargo itself (`cargo --list`), and of tools that many install beside it.
const CARGO: [&str; 100] = [
    "about",
    "add",
    "audit",
    "auditable",
    "b",
    "bench",
    "binstall",
    "bloat",
    "build",
    "c",
    "c-build",
    "careful",
    "check",
    "chef",
    "clean",
    "clippy",
    "component",
    "config",
    "crev",
    "criterion",
    "d",
    "deadlinks",
    "deb",
    "deny",
    "depgraph",
    "dist",
    "doc",
    "edit",
    "expand",
    "fetch",
    "fix",
    "flamegraph",
    "fmt",
    "fuzz",
    "geiger",
    "generate",
    "generate-lockfile",
    "hack",
    "hakari",
    "help",
    "info",
    "init",
    "insta",
    "install",
    "lambda",
    "leptos",
    "license",
    "llvm-cov",
    "llvm-lines",
    "locate-project",
    "login",
    "logout",
    "machete",
    "make",
    "metadata",
    "miri",
    "msrv",
    "mutants",
    "ndk",
    "new",
    "nextest",
    "outdated",
    "owner",
    "package",
    "pgrx",
    "pkgid",
    "public-api",
    "publish",
    "r",
    "release",
    "remove",
    "report",
    "rm",
    "run",
    "rustc",
    "rustdoc",
    "search",
    "semver-checks",
    "set-version",
    "shear",
    "sort",
    "sqlx",
    "t",
    "tarpaulin",
    "tauri",
    "test",
    "tree",
    "udeps",
    "uninstall",
    "update",
    "upgrade",
    "vendor",
    "verify-project",
    "version",
    "vet",
    "watch",
    "workspaces",
    "xwin",
    "yank",
    "zigbuild",
];
/// What npm runs without a script of that name (<https://docs.npmjs.com/cli/using-npm/scripts>).
const NPM_DEFAULTS: [&str; 3] = ["env", "start", "restart"];

/// Why a command cannot run, when nothing defines what it names; `None` when something does, or
/// when that cannot be told.
pub(super) fn undefined(code: &str, from: &str, files: &dyn Files) -> Option<String> {
    let mut words = code.split_whitespace();
    let (program, second) = (words.next()?, words.next()?);
    let (name, whose) = match (program, second) {
        ("npm" | "pnpm" | "yarn" | "bun", "run") => (words.next()?, Whose::Script),
        ("make", _) => (second, Whose::Make),
        ("just", _) => (second, Whose::Just),
        ("cargo", _) => (second, Whose::Cargo),
        _ => return None,
    };
    // An option may send the command elsewhere, and a placeholder names nothing.
    let rest = code.split_whitespace().skip(1);
    let is_plain = |word: &str| {
        word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-:./".contains(&b))
            && !word.starts_with(['-', '.', '/'])
    };
    let elsewhere = ["-C", "-f", "-w", "--prefix", "--workspace", "--filter", "--cwd", "--dir"];
    let sent = rest
        .into_iter()
        .any(|word| elsewhere.iter().any(|option| word.split('=').next() == Some(option)));
    if sent || !is_plain(name) {
        return None;
    }
    let folders: Vec<&str> = upwards(folder_of(from)).collect();
    match whose {
        Whose::Script => script(name, &folders, files),
        Whose::Make => target(name, &folders, files),
        Whose::Just => recipe(name, &folders, files),
        Whose::Cargo => cargo(name, &folders, files),
    }
}

enum Whose {
    Script,
    Make,
    Just,
    Cargo,
}

/// The files called one of `names` in the folders.
fn side_files(names: &[&str], folders: &[&str], files: &dyn Files) -> Vec<String> {
    let paths =
        folders.iter().flat_map(|folder| names.iter().filter_map(|name| join(folder, name)));
    paths.filter(|path| files.exists(path)).collect()
}

fn script(name: &str, folders: &[&str], files: &dyn Files) -> Option<String> {
    let manifests = side_files(&["package.json"], folders, files);
    let defines = |path: &String| {
        let scripts = manifest::json(files, path);
        manifest::at(&scripts, &["scripts", name]).is_string()
    };
    let known = NPM_DEFAULTS.contains(&name) || manifests.iter().any(defines);
    (!known).then(|| format!("no `package.json` here or above defines the script `{name}`"))
}

fn target(name: &str, folders: &[&str], files: &dyn Files) -> Option<String> {
    static TARGETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^([^\s#:=][^#:=\n]*?)[ \t]*::?(?:[^=\n]|$)").expect("a constant pattern")
    });
    let names = ["GNUmakefile", "makefile", "Makefile"];
    for path in side_files(&names, folders, files) {
        let text = side_file(files, &path)?;
        // What is included, computed or made by a pattern cannot be told.
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
    Some(format!("no Makefile here or above defines the target `{name}`"))
}

fn recipe(name: &str, folders: &[&str], files: &dyn Files) -> Option<String> {
    static RECIPES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^@?([A-Za-z_][\w-]*)(?:[ \t]+[^\n:=]*(?:=[^\n:]*)?)?:(?:[^=]|$)|^alias[ \t]+([\w-]+)[ \t]*:=")
            .expect("a constant pattern")
    });
    let names = ["justfile", "Justfile", ".justfile"];
    for path in side_files(&names, folders, files) {
        let text = side_file(files, &path)?;
        let is_open = text.lines().any(|line| {
            ["import", "mod ", "mod?", "set fallback"].iter().any(|start| line.starts_with(start))
        });
        let mut found = RECIPES.captures_iter(&text);
        let is_it = |group: Option<regex::Match<'_>>| group.is_some_and(|it| it.as_str() == name);
        if is_open || found.any(|found| is_it(found.get(1)) || is_it(found.get(2))) {
            return None;
        }
    }
    Some(format!("no justfile here or above defines the recipe `{name}`"))
}

fn cargo(name: &str, folders: &[&str], files: &dyn Files) -> Option<String> {
    let is_known = CARGO.contains(&name);
    let names = [".cargo/config.toml", ".cargo/config"];
    let configs = side_files(&names, folders, files);
    let aliased = || {
        configs.iter().any(|path| {
            let config = manifest::toml(files, path);
            !manifest::at(&config, &["alias", name]).is_null()
        })
    };
    let unknown = !is_known && !aliased();
    unknown.then(|| {
        format!("`cargo {name}` is no command of Cargo, and no `.cargo/config.toml` has an alias of that name")
    })
}
