//! Commands and programs of the project that write an API description.

use crate::text::files::{Files, side_file};
use crate::text::paths;
use std::sync::Arc;

/// Names of files with commands: scripts of packages, targets of builds, settings of generators.
const SCRIPTS: [&str; 15] = [
    "Justfile",
    "Makefile",
    "Rakefile",
    "Taskfile.yaml",
    "Taskfile.yml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "justfile",
    "mise.toml",
    "nswag.json",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "tox.ini",
];

/// Words before the path of a file that a command writes: options, and fields of settings.
const OUTPUTS: [&str; 10] = [
    ">",
    "-o",
    "--out",
    "--outfile",
    "--output",
    "--output-file",
    "--outputfile",
    "output",
    "outputFileName",
    "outputFilePath",
];

/// Parts of the names of programs that write API descriptions.
const PROGRAM_WORDS: [&str; 4] = ["openapi", "swagger", "api_spec", "apispec"];

/// Parts of the calls that write a file.
const WRITING_CALLS: [&str; 5] = ["write", "dump(", "file_put_contents", "\"w\"", "'w'"];

/// Maximum number of files that are read.
const MAX_FILES: usize = 200;

/// Whether a command or a program of the project writes the file at `path`.
pub(super) fn write(path: &str, files: &dyn Files) -> bool {
    let Some(listing) = files.listing() else { return false };
    listing.answer(&format!("written {path}"), || {
        let find = || {
            let is_source = |file: &&String| is_script(file) || is_program(file);
            listing.files().iter().filter(is_source).take(MAX_FILES).cloned().collect()
        };
        let sources: Arc<Vec<String>> = match files.run_cache() {
            Some(cache) => cache.get_or_compute("sources of API descriptions", find),
            None => Arc::new(find()),
        };
        sources.iter().filter(|file| *file != path).any(|file| {
            let writes = if is_program(file) { calls_write } else { redirects };
            side_file(files, file)
                .is_some_and(|text| text.lines().any(|line| writes(line, path, file)))
        })
    })
}

fn is_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    SCRIPTS.contains(&name)
        || name.ends_with(".sh")
        || name.ends_with(".mk")
        || name.ends_with(".csproj")
        || path.starts_with(".github/workflows/")
}

/// Whether the path is that of a program on API descriptions, such as `scripts/export_openapi.py`.
fn is_program(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let (_, extension) = lower.rsplit_once('.').unwrap_or_default();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    matches!(extension, "go" | "js" | "kts" | "mjs" | "php" | "py" | "rb" | "rs" | "ts")
        && PROGRAM_WORDS.iter().any(|word| name.contains(word))
}

/// Whether the line of a program passes `path` to a call that writes a file.
fn calls_write(line: &str, path: &str, program: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    WRITING_CALLS.iter().any(|call| lower.contains(call))
        && line.split(['"', '\'', '`']).skip(1).step_by(2).any(|it| is_path(it, path, program))
}

/// Whether the command on the line writes to `path`: `… > api/openapi.yaml`, `--output=openapi.json`.
/// In drf-spectacular, `--file` is an output too. A command that also reads the file, such as a
/// formatter, does not create it.
fn redirects(line: &str, path: &str, script: &str) -> bool {
    let is_separator =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | ',' | ';' | ')' | '(');
    let is_spectacular = line.contains("spectacular");
    let (mut before, mut is_written) = ("", false);
    for word in line.split(is_separator).filter(|word| !word.is_empty() && *word != ":") {
        // `<outputFileName>openapi.json</outputFileName>`
        let element = word.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let (option, word) = match element {
            Some((name, rest)) => (name, rest.split('<').next().unwrap_or(rest)),
            None => (before.trim_end_matches(':'), word),
        };
        let is_output = OUTPUTS.contains(&option) || is_spectacular && option == "--file";
        let attached = word.strip_prefix('>').filter(|rest| !rest.is_empty());
        if is_path(attached.unwrap_or(word), path, script) {
            if !is_output && attached.is_none() {
                return false;
            }
            is_written = true;
        }
        before = word;
    }
    is_written
}

/// Whether the operand of a command in `script` is `path`: relative to the root or to the directory
/// of the script, or with a directory in common.
fn is_path(operand: &str, path: &str, script: &str) -> bool {
    let operand = operand.trim_start_matches("./").trim_start_matches("../");
    let operand = operand.rsplit('}').next().unwrap_or(operand).trim_start_matches('/');
    !operand.is_empty()
        && (operand == path
            || paths::below(paths::parent_dir(script), operand) == path
            || operand.contains('/')
                && path.strip_suffix(operand).is_some_and(|rest| rest.ends_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_write_to_the_path_after_an_output() {
        for (line, path, script, expected) in [
            ("\tpython manage.py spectacular --file schema.yml", "schema.yml", "Makefile", true),
            (
                "swagger tofile --output wwwroot/api.json bin/a.dll v1",
                "src/wwwroot/api.json",
                "src/a.csproj",
                true,
            ),
            (
                "  \"openapi\": \"tsx gen.ts > ./openapi.json\",",
                "web/openapi.json",
                "web/package.json",
                true,
            ),
            ("<outputFileName>openapi.json</outputFileName>", "openapi.json", "pom.xml", true),
            (
                "  \"output\": \"web/specification.json\",",
                "src/web/specification.json",
                "src/nswag.json",
                true,
            ),
            ("redocly bundle src/api.yaml -o dist/api.yaml", "src/api.yaml", "Makefile", false),
            ("openapi-typescript openapi.json -o types.ts", "openapi.json", "Makefile", false),
            ("<inputSpec>openapi.json</inputSpec>", "openapi.json", "pom.xml", false),
            ("openapi-format openapi.yaml -o openapi.yaml", "openapi.yaml", "Makefile", false),
            ("tool --file schema.yml", "schema.yml", "Makefile", false),
            ("tool -o openapi.json", "api/openapi.json", "Makefile", false),
        ] {
            assert_eq!(redirects(line, path, script), expected, "{line}");
        }
    }

    #[test]
    fn programs_write_to_the_path_in_a_call() {
        for (line, expected) in [
            ("openapi.CreateAndWrite(\"docs/api/openapi.yml\")", true),
            ("fs.writeFileSync('./docs/api/openapi.yml', text)", true),
            ("const api = load('docs/api/openapi.yml');", false),
            ("writeFile('types.ts', text)", false),
        ] {
            assert_eq!(
                calls_write(line, "docs/api/openapi.yml", "cmd/openapi.go"),
                expected,
                "{line}"
            );
        }
    }
}
