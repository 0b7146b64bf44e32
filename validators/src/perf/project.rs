//! What the manifest and the path of a file tell about where its code runs.

use crate::cached::cached;
use aidd_engine::project::linters::{Settings, Tool};
use aidd_engine::project::manifest;
use aidd_engine::text::files::{Files, side_file};
use serde_json::Value;
use std::sync::Arc;

/// The properties of the package that contains a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Package {
    /// The directory of the manifest, with a final `/`; empty for the root.
    pub(super) dir: String,
    pub(super) has_next: bool,
    pub(super) has_react: bool,
    /// Whether the React Compiler memoizes values and functions.
    pub(super) has_compiler: bool,
    /// Whether the package has a framework that runs in browsers.
    pub(super) is_client: bool,
    /// Whether the package has a framework that runs on servers.
    pub(super) is_server: bool,
    /// Whether a plug-in of the bundler replaces imports of whole libraries.
    pub(super) narrows_imports: bool,
    /// Whether Next serves images as they are.
    pub(super) has_plain_images: bool,
    pub(super) has_nuxt: bool,
    /// Whether Astro renders pages when somebody requests them, unless a page says otherwise.
    pub(super) renders_on_demand: bool,
    /// Whether the files of the package are read from the disk of the user.
    pub(super) is_desktop: bool,
}

/// Packages of which one suffices to show that the code runs in browsers.
const CLIENT: [&str; 14] = [
    "react-dom",
    "vue",
    "svelte",
    "@angular/core",
    "solid-js",
    "preact",
    "nuxt",
    "next",
    "@remix-run/react",
    "astro",
    "jquery",
    "gatsby",
    "lit",
    "@sveltejs/kit",
];

/// Packages of servers.
const SERVER: [&str; 11] = [
    "express",
    "fastify",
    "koa",
    "@nestjs/core",
    "hono",
    "@hapi/hapi",
    "electron",
    "typeorm",
    "mongoose",
    "@trpc/server",
    "socket.io",
];

/// Names of files with the settings of linters.
pub(super) const LINTERS: [&str; 15] = [
    "biome.json",
    "biome.jsonc",
    ".oxlintrc.json",
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    ".eslintrc",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
    "package.json",
];

/// Names of files with settings, without extension.
const SETTINGS: [&str; 5] =
    ["next.config", "vite.config", "babel.config", "app.config", "astro.config"];

impl Package {
    /// The package of the file at `path`, from the nearest `package.json`.
    pub(super) fn of_file(files: &dyn Files, path: &str) -> Arc<Self> {
        let mut dir = path;
        loop {
            dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
            let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
            let manifest = format!("{prefix}package.json");
            let has_manifest = match files.listing() {
                Some(listing) => listing.has_file(&manifest),
                None => files.exists(&manifest),
            };
            if has_manifest {
                return match files.run_cache() {
                    Some(cache) => cache
                        .get_or_compute(&format!("perf {manifest}"), || Self::read(files, &prefix)),
                    None => Arc::new(Self::read(files, &prefix)),
                };
            }
            if dir.is_empty() {
                return Arc::default();
            }
        }
    }

    fn read(files: &dyn Files, dir: &str) -> Self {
        let data = manifest::json(files, &format!("{dir}package.json"));
        let groups = ["dependencies", "devDependencies", "peerDependencies"];
        let has = |name: &str| {
            groups.iter().any(|group| data.get(group).and_then(|group| group.get(name)).is_some())
        };
        let has_any = |names: &[&str]| names.iter().any(|name| has(name));
        let settings = || {
            let mut paths = vec![format!("{dir}.babelrc"), format!("{dir}app.json")];
            for name in SETTINGS {
                for end in ["js", "ts", "mjs", "cjs", "mts", "json"] {
                    paths.push(format!("{dir}{name}.{end}"));
                }
            }
            paths.into_iter().filter_map(|path| side_file(files, &path))
        };
        let has_compiler = has_any(&["babel-plugin-react-compiler", "react-compiler-runtime"])
            || has_any(&["next", "expo", "@vitejs/plugin-react"])
                && settings().any(|text| {
                    text.contains("reactCompiler") && !text.contains("reactCompiler: false")
                });
        let renders_on_demand = has("astro")
            && settings().any(|text| {
                let text: String = text.split_whitespace().collect();
                ["output:\"server\"", "output:'server'"].iter().any(|it| text.contains(it))
            });
        let narrowing =
            ["babel-plugin-lodash", "lodash-webpack-plugin", "babel-plugin-transform-imports"];
        let engine_field = |name: &str| data.get("engines").and_then(|it| it.get(name)).is_some();
        Self {
            dir: dir.to_owned(),
            has_next: has("next"),
            has_react: has_any(&["react", "preact", "next"]),
            has_compiler,
            is_client: has_any(&CLIENT),
            is_server: has_any(&SERVER)
                || data.get("bin").is_some_and(|bin| *bin != Value::Null)
                || engine_field("vscode"),
            narrows_imports: has_any(&narrowing)
                || settings().any(|text| text.contains("modularizeImports")),
            has_plain_images: has("next")
                && settings().any(|text| {
                    text.contains("unoptimized: true") || text.contains("output: \"export\"")
                }),
            has_nuxt: has_any(&["nuxt", "nuxt-nightly"]),
            renders_on_demand,
            is_desktop: has_any(&["electron", "@tauri-apps/api"]),
        }
    }

    /// Whether the linter of the project, according to its settings, must not check the dependencies of
    /// hooks.
    pub(super) fn ignores_dependencies(&self, files: &dyn Files) -> bool {
        *cached(files, &format!("perf dependencies {}", self.dir), || {
            let dirs = self.dir.match_indices('/').map(|(at, _)| &self.dir[..=at]);
            let paths: Vec<String> = std::iter::once("")
                .chain(dirs)
                .flat_map(|dir| LINTERS.iter().map(move |name| format!("{dir}{name}")))
                .filter(|path| match files.listing() {
                    Some(listing) => listing.has_file(path),
                    None => files.exists(path),
                })
                .collect();
            let settings = Settings::read(files, &paths);
            settings.disables(Tool::Biome, "useExhaustiveDependencies")
                || settings.disables(Tool::Eslint, "react-hooks/exhaustive-deps")
                || settings.disables(Tool::Oxlint, "react-hooks/exhaustive-deps")
        })
    }

    /// The path of the file within the package.
    pub(super) fn relative<'p>(&self, path: &'p str) -> &'p str {
        path.strip_prefix(&self.dir).unwrap_or(path)
    }
}

/// The role of a file in the file system routes of Next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextRole {
    /// `_document` of the pages router.
    Document,
    /// `_app` of the pages router.
    App,
    /// Another page of the pages router, not of its API.
    Page,
    /// A file of the app router.
    AppRouter,
    Other,
}

/// The role of the file at `path` (relative to the package).
pub(super) fn next_role(path: &str) -> NextRole {
    let path = path.strip_prefix("src/").unwrap_or(path);
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or("");
    if path.starts_with("app/") {
        return NextRole::AppRouter;
    }
    let Some(below) = path.strip_prefix("pages/") else { return NextRole::Other };
    match stem {
        "_document" | "_app" | "index" if is_special(below, "_document") => NextRole::Document,
        "_app" | "index" if is_special(below, "_app") => NextRole::App,
        _ if below.starts_with("api/") => NextRole::Other,
        _ => NextRole::Page,
    }
}

/// Whether a path below `pages` is that of this special file, which can have a directory of its own.
fn is_special(below: &str, name: &str) -> bool {
    let rest = below.strip_prefix(name).unwrap_or_default();
    rest.starts_with('.') && !rest.contains('/') || rest.starts_with("/index.")
}

/// Parts of paths of code that runs on servers, in build steps or in tools.
const SERVER_DIRS: [&str; 20] = [
    "server",
    "servers",
    "api",
    "backend",
    "functions",
    "lambda",
    "scripts",
    "script",
    "bin",
    "cli",
    "tools",
    "workers",
    "worker",
    "jobs",
    "cron",
    "migrations",
    "prisma",
    "db",
    "build",
    "netlify",
];

/// Whether the path shows that the file does not run in browsers.
pub(super) fn is_server_path(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    dirs.split('/').any(|dir| SERVER_DIRS.contains(&dir))
        || matches!(
            stem,
            "route" | "middleware" | "proxy" | "instrumentation" | "gatsby-node" | "server"
        )
        || stem.ends_with(".server")
        || stem.ends_with(".config")
        || stem.contains("config.")
        || stem == "+server"
        || stem == "+page.server"
        || stem == "+layout.server"
}

/// Parts of paths of scripts that run once, by hand.
const ONE_OFF_DIRS: [&str; 10] = [
    "scripts",
    "script",
    "migrations",
    "migration",
    "seeds",
    "seed",
    "seeders",
    "tools",
    "bin",
    "cli",
];

/// Whether the file is a script or migration that runs once, so that its speed does not matter.
pub(super) fn is_one_off(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    dirs.split('/').any(|dir| ONE_OFF_DIRS.contains(&dir))
        || ["seed", "migrat", "backfill"].iter().any(|word| name.contains(word))
}
