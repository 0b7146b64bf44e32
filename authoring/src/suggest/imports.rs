//! Drafts of which part of the code may import which.

use super::drafts::draft;
use super::ground::program;
use super::shapes::{Caught, Made};
use super::{Block, Draft, Ground, Sample, Trust};
use serde_json::json;

/// The target of a rule on imports: a folder that there is, else a package.
fn target(code: &str, ground: &Ground) -> Option<String> {
    let folder = ground.folder(code);
    folder.or_else(|| ground.package(code)).or_else(|| {
        let is_plain = code.chars().all(|c| c.is_ascii_alphanumeric() || "-_@/".contains(c));
        ground.any_package(code).filter(|_| is_plain && code == code.to_lowercase())
    })
}

pub(super) fn forbidden_from(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let before = caught.before().to_lowercase();
    let is_outside = ["outside", "outside of", "except", "other than", "not in"]
        .iter()
        .any(|word| before.trim_end().ends_with(word));
    // Code outside of a part must not: it alone may.
    match (is_outside, caught.codes_in("to").as_slice()) {
        (false, _) => forbidden(caught, ground),
        (true, [what]) => only_from(caught.code("from")?, what, ground),
        (true, _) => None,
    }
}

/// A part that is named by a word of the sentence: "Integrations must not import …".
pub(super) fn forbidden_word(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let word = caught.words("word")?.to_lowercase();
    ground.folder(&word)?;
    let Made::Draft(mut draft) = forbid(&word, caught, ground)? else { return None };
    draft.trust = Trust::Medium;
    Some(Made::Draft(draft))
}

pub(super) fn forbidden(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    forbid(caught.code("from")?, caught, ground)
}

fn forbid(from: &str, caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let source = ground.folder(from)?;
    let codes = caught.codes_in("to");
    let targets: Option<Vec<String>> = codes.iter().map(|to| target(to, ground)).collect();
    let targets = targets.filter(|targets| !targets.is_empty())?;
    let to = match targets.as_slice() {
        [one] => json!(one),
        many => json!(many),
    };
    let check = json!({"layers": {"forbid": [{"from": source, "to": to}]}});
    let said = format!("`{from}` must not import `{}`", codes.join("`, `"));
    let name = format!("no-{}-in-{from}", codes.first()?);
    let mut found = draft(&name, check, said, Trust::High);
    examples(&mut found, &source, targets.first()?, ground);
    Some(Made::Draft(Box::new(found)))
}

pub(super) fn only(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    only_from(caught.code("who")?, caught.code("what")?, ground)
}

fn only_from(who: &str, what: &str, ground: &Ground) -> Option<Made> {
    let source = ground.folder(who)?;
    let to = ground.folder(what).or_else(|| ground.package(what))?;
    let check = json!({"layers": {"only": [{"to": to, "from": source}]}});
    let said = format!("only `{who}` may import `{what}`");
    let mut found = draft(&format!("{what}-only-in-{who}"), check, said, Trust::High);
    examples(&mut found, "other/**", &to, ground);
    Some(Made::Draft(Box::new(found)))
}

/// Packages that are spoken of by name alone, with the manager that each is of; from their registries.
const WELL_KNOWN: [(&str, &str); 38] = [
    ("axios", "npm"),
    ("chalk", "npm"),
    ("date-fns", "npm"),
    ("dayjs", "npm"),
    ("dotenv", "npm"),
    ("enzyme", "npm"),
    ("express", "npm"),
    ("jest", "npm"),
    ("jquery", "npm"),
    ("lodash", "npm"),
    ("luxon", "npm"),
    ("mobx", "npm"),
    ("mocha", "npm"),
    ("moment", "npm"),
    ("node-fetch", "npm"),
    ("ramda", "npm"),
    ("redux", "npm"),
    ("request", "npm"),
    ("rxjs", "npm"),
    ("styled-components", "npm"),
    ("underscore", "npm"),
    ("uuid", "npm"),
    ("aiohttp", "py"),
    ("flask", "py"),
    ("httpx", "py"),
    ("numpy", "py"),
    ("pandas", "py"),
    ("requests", "py"),
    ("urllib3", "py"),
    ("anyhow", "crate"),
    ("async-std", "crate"),
    ("chrono", "crate"),
    ("failure", "crate"),
    ("lazy_static", "crate"),
    ("once_cell", "crate"),
    ("openssl", "crate"),
    ("reqwest", "crate"),
    ("thiserror", "crate"),
];

/// A package that no manifest here names, known by its name: one that is not wanted is seldom there.
pub(super) fn well_known(name: &str, ground: &Ground) -> Option<String> {
    let is_scoped = name.starts_with('@') && name.matches('/').count() == 1 && !name.ends_with('/');
    let kind = match WELL_KNOWN.iter().find(|(known, _)| *known == name) {
        Some((_, kind)) => *kind,
        None if is_scoped => "npm",
        None => return None,
    };
    let name = if kind == "crate" { name.replace('-', "_") } else { name.to_owned() };
    ground.has_manifest(kind).then(|| format!("{kind}:{name}"))
}

/// A package that nothing may import.
pub(super) fn ban_package(name: &str, package: &str) -> Draft {
    let check = json!({"layers": {"forbid": [{"from": "**", "to": package}]}});
    let mut found =
        draft(&format!("no-{name}"), check, format!("`{name}` is not used here"), Trust::High);
    let (kind, plain) = package.split_once(':').unwrap_or(("npm", package));
    found.fails = vec![import_of(kind, plain, "src")];
    found.passes = vec![import_of(kind, "another", "src")];
    found
}

/// An example that imports a package.
fn import_of(kind: &str, name: &str, folder: &str) -> Sample {
    match kind {
        "npm" => {
            Block::alone(format!("{folder}/example.ts"), format!("import thing from \"{name}\";"))
        }
        "py" => Block::alone(
            format!("{folder}/example.py"),
            format!("import {}", name.replace('-', "_")),
        ),
        "go" => Block::alone(
            format!("{folder}/example.go"),
            format!("package example\n\nimport thing \"{name}\""),
        ),
        _ => vec![
            Block::new(
                "Cargo.toml",
                format!("[package]\nname = \"example\"\n\n[dependencies]\n{name} = \"1\""),
            ),
            Block::new("src/lib.rs", "mod example;"),
            Block::new("src/example.rs", format!("use {name}::Thing;")),
        ],
    }
}

/// Examples of one part that imports another, in the language of the part.
fn examples(draft: &mut Draft, from: &str, to: &str, ground: &Ground) {
    let folder = |glob: &str| glob.trim_start_matches("**/").trim_end_matches("/**").to_owned();
    let source = folder(from);
    if let Some((kind, name)) = to.split_once(':') {
        if kind == "crate" {
            draft.fails = vec![member(&source, name)];
            draft.passes = vec![member(&source, "another")];
        } else {
            draft.fails = vec![import_of(kind, name, &source)];
            draft.passes = vec![import_of(kind, "another", &source)];
        }
        return;
    }
    let target = folder(to);
    let inside = |path: &&String| path.contains(&format!("{source}/")) || source == "other";
    let language = ground.paths.iter().filter(inside).find_map(|path| program(path));
    let language = language.or_else(|| ground.languages.first().copied()).unwrap_or("typescript");
    draft.fails = match language {
        "rust" => vec![crates(&source, &target), modules(&source, &target)],
        "python" => vec![python(&source, &target)],
        "go" => vec![go(&source, &target)],
        "java" => vec![java(&source, &target)],
        _ => vec![script(&source, &target)],
    };
    let alone = |sample: &Sample| {
        let block = sample.iter().find(|block| block.path.starts_with(&source))?;
        Some(Block::alone(block.path.clone(), ""))
    };
    draft.passes = draft.fails.iter().filter_map(alone).collect();
}

fn script(from: &str, to: &str) -> Sample {
    let up = "../".repeat(from.split('/').count());
    vec![
        Block::new(
            format!("{from}/example.ts"),
            format!("import {{ thing }} from \"{up}{to}/thing\";"),
        ),
        Block::new(format!("{to}/thing.ts"), "export const thing = 1;"),
    ]
}

fn python(from: &str, to: &str) -> Sample {
    let mut sample = vec![
        Block::new(
            format!("{from}/example.py"),
            format!("from {} import thing", to.trim_start_matches("src/").replace('/', ".")),
        ),
        Block::new(format!("{to}/thing.py"), "thing = 1"),
    ];
    for folder in [from, to] {
        sample.push(Block::new(format!("{folder}/__init__.py"), ""));
    }
    sample
}

fn go(from: &str, to: &str) -> Sample {
    vec![
        Block::new("go.mod", "module example.org/app"),
        Block::new(
            format!("{from}/example.go"),
            format!("package example\n\nimport \"example.org/app/{to}\""),
        ),
        Block::new(format!("{to}/thing.go"), "package thing"),
    ]
}

fn java(from: &str, to: &str) -> Sample {
    let package = |folder: &str| folder.trim_start_matches("src/main/java/").replace('/', ".");
    vec![
        Block::new(
            format!("src/main/java/{}/Example.java", package(from).replace('.', "/")),
            format!(
                "package {};\n\nimport {}.Thing;\n\nclass Example {{}}",
                package(from),
                package(to)
            ),
        ),
        Block::new(
            format!("src/main/java/{}/Thing.java", package(to).replace('.', "/")),
            format!("package {};\n\npublic class Thing {{}}", package(to)),
        ),
    ]
}

/// The crate in a folder uses a package.
fn member(folder: &str, name: &str) -> Sample {
    let folder = folder.trim_end_matches("/src");
    vec![
        Block::new(
            format!("{folder}/Cargo.toml"),
            format!("[package]\nname = \"example\"\n\n[dependencies]\n{name} = \"1\""),
        ),
        Block::new(format!("{folder}/src/lib.rs"), format!("use {name}::Thing;")),
    ]
}

/// Two crates of one workspace.
fn crates(from: &str, to: &str) -> Sample {
    let name = |folder: &str| folder.rsplit('/').next().unwrap_or(folder).replace('-', "_");
    let (own, other) = (name(from), name(to));
    let up = "../".repeat(from.split('/').count());
    vec![
        Block::new("Cargo.toml", format!("[workspace]\nmembers = [\"{from}\", \"{to}\"]")),
        Block::new(
            format!("{from}/Cargo.toml"),
            format!(
                "[package]\nname = \"{own}\"\n\n[dependencies]\n{other} = {{ path = \"{up}{to}\" }}"
            ),
        ),
        Block::new(format!("{from}/src/lib.rs"), format!("use {other}::Thing;")),
        Block::new(format!("{to}/Cargo.toml"), format!("[package]\nname = \"{other}\"")),
        Block::new(format!("{to}/src/lib.rs"), "pub struct Thing;"),
    ]
}

/// Two modules of one crate.
fn modules(from: &str, to: &str) -> Sample {
    let split = |folder: &str| match folder.rsplit_once("src/") {
        Some((base, module)) => (base.to_owned(), module.to_owned()),
        None => (String::new(), folder.to_owned()),
    };
    let ((base, own), (_, other)) = (split(from), split(to));
    vec![
        Block::new(format!("{base}Cargo.toml"), "[package]\nname = \"example\""),
        Block::new(format!("{base}src/lib.rs"), format!("mod {own};\nmod {other};")),
        Block::new(format!("{base}src/{own}/mod.rs"), format!("use {}::{other}::Thing;", "crate")),
        Block::new(format!("{base}src/{other}/mod.rs"), "pub struct Thing;"),
    ]
}
