//! The names under which packages are used: modules, commands, and short names in configurations.

use super::mentions::Style;
use crate::project::declared::normalize;
use std::collections::BTreeSet;

/// Each line contains a package and its commands.
const NPM_COMMANDS: &str = include_str!("data/npm-commands.txt");
/// Each line contains a distribution and its modules.
const PYTHON_MODULES: &str = include_str!("data/python-modules.txt");

/// The words after `name` in a table.
fn row<'t>(table: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let rows = table.lines().map(str::split_whitespace);
    let found = rows.filter_map(|mut words| Some((words.next()?, words)));
    let found = found.filter(move |(key, _)| *key == name).map(|(_, words)| words).next();
    found.into_iter().flatten()
}

/// Prefixes that configurations omit from the names of plugins and presets.
const NPM_PLUGIN_PREFIXES: [&str; 16] = [
    "eslint-plugin-",
    "eslint-config-",
    "eslint-import-resolver-",
    "eslint-formatter-",
    "babel-plugin-",
    "babel-preset-",
    "postcss-",
    "stylelint-config-",
    "prettier-plugin-",
    "jest-environment-",
    "karma-",
    "grunt-",
    "gulp-",
    "semantic-release-",
    "commitlint-config-",
    "remark-",
];

/// The words that count as a use of an npm package outside of imports.
pub(super) fn npm_words(name: &str) -> Vec<(String, Style)> {
    let mut words = vec![(name.to_owned(), Style::Quoted)];
    words.extend(row(NPM_COMMANDS, name).map(|command| (command.to_owned(), Style::Command)));
    let (scope, base) = name.split_once('/').unwrap_or(("", name));
    // The command of a package usually has the name of the package, without the scope or `-cli`.
    let command = match base.strip_suffix("-cli") {
        Some(command) => command,
        None if base == "cli" => scope.trim_start_matches('@'),
        None => base,
    };
    words.push((command.to_owned(), Style::Command));
    let short = NPM_PLUGIN_PREFIXES.iter().find_map(|prefix| base.strip_prefix(prefix));
    let trimmed = ["eslint-plugin", "eslint-config", "prettier-config"].contains(&base);
    match short {
        Some(short) if scope.is_empty() => words.push((short.to_owned(), Style::Quoted)),
        Some(short) => words.push((format!("{scope}/{short}"), Style::Quoted)),
        None if trimmed => words.push((scope.to_owned(), Style::Quoted)),
        // `@babel/preset-env` can be written as `@babel/env`.
        None if !scope.is_empty() => {
            let plain = base.strip_prefix("preset-").or_else(|| base.strip_prefix("plugin-"));
            words.extend(plain.map(|plain| (format!("{scope}/{plain}"), Style::Quoted)));
        }
        None => {}
    }
    words
}

/// Packages that another package or a tool loads by itself when they are installed.
const LOADED_BY_OTHERS: [&str; 39] = [
    "baseline-browser-mapping",
    "browserslist",
    "caniuse-lite",
    "@babel/core",
    "@babel/runtime",
    "@next/swc",
    "@swc/core",
    "@swc/helpers",
    "@nestjs/platform-express",
    "@angular/compiler",
    "@angular/compiler-cli",
    "@angular/animations",
    "@angular/platform-browser-dynamic",
    "@vitest/coverage-v8",
    "@vitest/coverage-istanbul",
    "@vitest/ui",
    "autoprefixer",
    "better-sqlite3",
    "bufferutil",
    "class-transformer",
    "class-validator",
    "core-js",
    "encoding",
    "eslint",
    "fsevents",
    "graphql",
    "husky",
    "less",
    "mysql2",
    "pg",
    "pino-pretty",
    "postcss",
    "prettier",
    "react-dom",
    "react-native-web",
    "sass",
    "sharp",
    "sqlite3",
    "utf-8-validate",
];

/// Whether an npm package is in use without being named.
pub(super) fn is_implicit_npm(name: &str, declared: &BTreeSet<&str>) -> bool {
    let declares = |other: &str| declared.contains(other);
    let declares_any =
        |start: &str| declared.range(start..).next().is_some_and(|found| found.starts_with(start));
    // A shared configuration loads its plugins by itself.
    let is_lint_plugin = name.contains("eslint-plugin") && declares_any("eslint-config-");
    name.starts_with("@types/")
        || LOADED_BY_OTHERS.contains(&name)
        || name == "react" && declares("next")
        || name == "typescript"
        || name == "tslib"
        || name == "vite"
        || name == "rxjs" && (declares("@angular/core") || declares("@nestjs/core"))
        || name == "reflect-metadata" && declares("@nestjs/core")
        || name == "ts-node"
        || is_lint_plugin
        || name == "@mdx-js/react" && declares("@docusaurus/core")
        // Collections of icons and plugins are found by their prefix.
        || name.starts_with("@iconify-json/")
        || name.starts_with("@stryker-mutator/")
        || name.starts_with("jest-environment-")
        || name == "regenerator-runtime"
        // Packages with the binaries for one platform.
        || ["darwin", "linux", "win32"].iter().any(|platform| name.contains(platform))
}

/// The modules of a distribution.
pub(super) fn python_modules(distribution: &str) -> Vec<String> {
    let name = normalize(distribution);
    let mut modules: Vec<String> = row(PYTHON_MODULES, &name).map(str::to_owned).collect();
    let bare = name.strip_prefix("python-").or_else(|| name.strip_suffix("-python"));
    let bare = bare.or_else(|| name.strip_suffix("-py")).or_else(|| name.strip_prefix("py-"));
    let bare =
        bare.or_else(|| name.strip_suffix("-binary")).or_else(|| name.strip_prefix("django-"));
    modules.push(name.replace('-', "_"));
    modules.push(name.replace('-', ""));
    // `ruamel.yaml` and other modules in a namespace.
    modules.extend(name.split_once('-').map(|(first, _)| first.to_owned()));
    modules.extend(bare.map(|bare| bare.replace('-', "_")));
    modules
}

/// Whether a distribution is in use without being named: drivers, servers and plugins that a
/// framework loads, and pins of indirect dependencies.
pub(super) fn is_implicit_python(name: &str) -> bool {
    const LOADED_BY_OTHERS: [&str; 25] = [
        "aiofiles",
        "blinker",
        "httpx",
        "setproctitle",
        "argon2-cffi",
        "bcrypt",
        "cryptography",
        "email-validator",
        "gevent",
        "greenlet",
        "gunicorn",
        "httptools",
        "itsdangerous",
        "markupsafe",
        "openpyxl",
        "psycopg2",
        "psycopg2-binary",
        "pysocks",
        "python-multipart",
        "setuptools",
        "tzdata",
        "uvicorn",
        "uvloop",
        "wheel",
        "werkzeug",
    ];
    let name = normalize(name);
    LOADED_BY_OTHERS.contains(&&*name)
        || name.starts_with("types-")
        || name.ends_with("-stubs")
        || name.starts_with("pytest")
        || name.starts_with("mkdocs")
        || name.starts_with("opentelemetry")
        || name.starts_with("psycopg")
}

/// Whether a Go import path is in the module.
pub(super) fn is_in_module(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Each line contains a crate and the name of its library.
const CRATE_NAMES: &str = include_str!("data/crate-names.txt");

/// The names by which code can refer to a crate.
pub(super) fn crate_names(declared: &str, package: &str) -> Vec<String> {
    let mut names = vec![declared.replace('-', "_")];
    if declared == package {
        names.extend(row(CRATE_NAMES, package).map(str::to_owned));
        let stem = package.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('-');
        let bare = package.strip_prefix("rust-").or_else(|| package.strip_suffix("-rs"));
        let bare = bare.or_else(|| package.strip_suffix("-rust"));
        names.extend([stem, bare].into_iter().flatten().map(|name| name.replace('-', "_")));
    }
    names
}
