//! What a project uses: languages, frameworks and linters.

use aidd_engine::project::linters::Settings;
use aidd_engine::project::stack;
use aidd_engine::text::files::Disk;
use aidd_report::number;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of languages listed.
const MAX_LANGUAGES: usize = 6;
/// Minimum number of files of a language that is listed after the most frequent one.
const MIN_FILES: usize = 3;

/// The languages of files, by extension.
const LANGUAGES: [(&str, &[&str]); 20] = [
    ("C#", &["cs"]),
    ("C/C++", &["c", "h", "cc", "cpp", "hpp"]),
    ("CSS", &["css", "scss", "less"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Go", &["go"]),
    ("HTML", &["html", "htm", "erb", "cshtml", "razor"]),
    ("Java", &["java"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Kotlin", &["kt", "kts"]),
    ("PHP", &["php"]),
    ("Python", &["py", "pyi"]),
    ("Ruby", &["rb", "rake"]),
    ("Rust", &["rs"]),
    ("SQL", &["sql"]),
    ("Shell", &["sh", "bash"]),
    ("Svelte", &["svelte"]),
    ("Swift", &["swift"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("Vue", &["vue"]),
];

/// The names of frameworks, by the dependency that shows their use.
const FRAMEWORKS: [(&str, &str); 26] = [
    ("@angular/core", "Angular"),
    ("@nestjs/core", "NestJS"),
    ("@playwright/test", "Playwright"),
    ("@sveltejs/kit", "SvelteKit"),
    ("actix-web", "Actix Web"),
    ("astro", "Astro"),
    ("axum", "Axum"),
    ("django", "Django"),
    ("express", "Express"),
    ("fastapi", "FastAPI"),
    ("flask", "Flask"),
    ("github.com/gin-gonic/gin", "Gin"),
    ("github.com/labstack/echo/v4", "Echo"),
    ("jest", "Jest"),
    ("laravel/framework", "Laravel"),
    ("next", "Next.js"),
    ("nuxt", "Nuxt"),
    ("prisma", "Prisma"),
    ("pytest", "pytest"),
    ("rails", "Rails"),
    ("react", "React"),
    ("sqlalchemy", "SQLAlchemy"),
    ("svelte", "Svelte"),
    ("symfony/framework-bundle", "Symfony"),
    ("vitest", "Vitest"),
    ("vue", "Vue"),
];

/// The languages, frameworks and linters of a project, each with its name; those without content
/// are omitted.
pub(super) fn describe(
    disk: &Disk,
    paths: &[String],
    settings: &Settings,
) -> Vec<(&'static str, String)> {
    let languages: Vec<String> = languages(paths)
        .into_iter()
        .map(|(language, count)| format!("{language} ({})", number(count, "file")))
        .collect();
    let stack = stack::detect(disk);
    let frameworks: BTreeSet<&str> =
        stack.dependencies().filter_map(|(_, dependency)| framework(&dependency.name)).collect();
    let frameworks: Vec<&str> = frameworks.into_iter().collect();
    let linters: Vec<String> =
        settings.linters().iter().map(|(tool, path)| format!("{tool} ({path})")).collect();
    let mut lines = vec![
        ("languages", languages.join(", ")),
        ("frameworks", frameworks.join(", ")),
        ("linters", linters.join(", ")),
    ];
    lines.retain(|(_, items)| !items.is_empty());
    lines
}

fn framework(dependency: &str) -> Option<&'static str> {
    // An extra is part of the name in requirements: `fastapi[standard]`.
    let name = dependency.split('[').next().unwrap_or(dependency).to_ascii_lowercase();
    // Spring Boot and ASP.NET consist of many packages.
    if name.starts_with("org.springframework.boot") {
        return Some("Spring Boot");
    }
    if name.starts_with("microsoft.aspnetcore.") {
        return Some("ASP.NET Core");
    }
    FRAMEWORKS.iter().find(|(known, _)| *known == name).map(|(_, framework)| *framework)
}

/// The languages of `paths` with their numbers of files, the most frequent first.
fn languages(paths: &[String]) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for path in paths {
        let Some((_, extension)) = path.rsplit_once('.') else { continue };
        let language = LANGUAGES.iter().find(|(_, all)| all.contains(&extension));
        if let Some((language, _)) = language {
            *counts.entry(language).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let is_rare = |(index, (_, count)): &(usize, (&str, usize))| *index == 0 || *count >= MIN_FILES;
    counts
        .into_iter()
        .enumerate()
        .filter(is_rare)
        .map(|(_, entry)| entry)
        .take(MAX_LANGUAGES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_ordered_by_their_number_of_files() {
        let paths = ["a.go", "b.go", "c/d.go", "x.sql", "e.ts", "f.ts", "g.tsx", "h.ts", "README"];
        let paths = paths.map(str::to_owned);
        assert_eq!(languages(&paths), [("TypeScript", 4), ("Go", 3)]);
    }

    #[test]
    fn frameworks_are_recognized_by_their_dependencies() {
        assert_eq!(framework("fastapi[standard]"), Some("FastAPI"));
        assert_eq!(framework("Django"), Some("Django"));
        assert_eq!(framework("org.springframework.boot:spring-boot-starter"), Some("Spring Boot"));
        assert_eq!(framework("Microsoft.AspNetCore.OpenApi"), Some("ASP.NET Core"));
        assert_eq!(framework("left-pad"), None);
    }
}
