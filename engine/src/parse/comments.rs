//! Comment syntax, by kind of file and position in the file.

use crate::parse::markdown;
use crate::text::kind::{self, Kind};
use crate::text::source::Source;

/// The delimiters of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    open: &'static str,
    close: &'static str,
    /// Whether a comment can follow other text on its line.
    pub may_trail: bool,
}

const HASH: Comment = Comment { open: "#", close: "", may_trail: true };
/// For files in which a `#` after other text is part of that text.
const HASH_LINE: Comment = Comment { may_trail: false, ..HASH };
const SLASHES: Comment = Comment { open: "//", close: "", may_trail: true };
const DASHES: Comment = Comment { open: "--", close: "", may_trail: true };
const SEMICOLON: Comment = Comment { open: ";", close: "", may_trail: false };
const PERCENTS: Comment = Comment { open: "%%", close: "", may_trail: false };
const STARS: Comment = Comment { open: "/*", close: "*/", may_trail: true };
const MARKUP: Comment = Comment { open: "<!--", close: "-->", may_trail: true };
const PERCENT: Comment = Comment { open: "%", close: "", may_trail: true };
const REM: Comment = Comment { open: "rem", close: "", may_trail: false };
const BRACES: Comment = Comment { open: "{/*", close: "*/}", may_trail: true };

/// Comments between JSX elements.
pub(crate) const IN_JSX: Comment = BRACES;

/// Comment syntax by file extension, file name, or language of a fenced block.
const SYNTAXES: &[(Comment, &[&str])] = &[
    (
        HASH,
        &[
            "awk",
            "bash",
            "bzl",
            "cmake",
            "coffee",
            "cr",
            "elixir",
            "ex",
            "exs",
            "fish",
            "gd",
            "graphql",
            "hcl",
            "jl",
            "julia",
            "ksh",
            "mk",
            "nim",
            "nix",
            "perl",
            "pl",
            "pm",
            "powershell",
            "ps1",
            "psd1",
            "psm1",
            "py",
            "pyi",
            "python",
            "r",
            "rake",
            "rb",
            "ruby",
            "sh",
            "shell",
            "tcl",
            "terraform",
            "tf",
            "tfvars",
            "toml",
            "yaml",
            "yml",
            "zsh",
            "bashrc",
            "zshrc",
            "profile",
            "gemfile",
            "rakefile",
            "vagrantfile",
            "justfile",
        ],
    ),
    (
        HASH_LINE,
        &[
            "conf",
            "cfg",
            "containerfile",
            "docker",
            "dockerfile",
            "dockerignore",
            "editorconfig",
            "env",
            "gitattributes",
            "gitconfig",
            "gitignore",
            "htaccess",
            "makefile",
            "netrc",
            "npmrc",
            "pgpass",
            "properties",
            "service",
            "http",
            "po",
            "pot",
            "procfile",
        ],
    ),
    (
        SLASHES,
        &[
            "c",
            "cc",
            "cjs",
            "cpp",
            "cs",
            "csharp",
            "cts",
            "cxx",
            "dart",
            "fs",
            "go",
            "gradle",
            "groovy",
            "h",
            "hpp",
            "java",
            "javascript",
            "js",
            "json5",
            "jsonc",
            "jsx",
            "kotlin",
            "kt",
            "kts",
            "less",
            "m",
            "mjs",
            "mm",
            "mts",
            "php",
            "prisma",
            "proto",
            "rs",
            "rust",
            "scala",
            "scss",
            "sol",
            "swift",
            "ts",
            "tsx",
            "typescript",
            "zig",
            "jenkinsfile",
            "bicep",
            "mod",
            "work",
        ],
    ),
    (DASHES, &["ada", "adb", "ads", "elm", "haskell", "hs", "lua", "psql", "sql"]),
    (SEMICOLON, &["asm", "clj", "cljs", "edn", "el", "ini", "lisp", "scm"]),
    (PERCENTS, &["mermaid", "mmd"]),
    (STARS, &["css"]),
    (
        MARKUP,
        &[
            "htm", "html", "markdown", "md", "mdown", "mkd", "plist", "svg", "xhtml", "xml", "xsd",
            "xsl",
        ],
    ),
    (
        MARKUP,
        &[
            "vue",
            "svelte",
            "astro",
            "ejs",
            "erb",
            "handlebars",
            "hbs",
            "liquid",
            "mustache",
            "njk",
            "twig",
        ],
    ),
    (BRACES, &["mdx"]),
    (PERCENT, &["sty", "tex"]),
    (REM, &["bat", "cmd"]),
];

impl Comment {
    /// Whether the syntax is that of HTML and XML.
    #[must_use]
    pub fn is_markup(self) -> bool {
        self == MARKUP
    }

    /// Whether the syntax is that of SQL.
    #[must_use]
    pub fn is_sql(self) -> bool {
        self == DASHES
    }

    /// Formats `text` as a comment.
    #[must_use]
    pub fn write(self, text: &str) -> String {
        [self.open, text.trim(), self.close].join(" ").trim_end().to_owned()
    }

    /// Formats all lines of `text` as one comment; `eol` ends every line except the last.
    #[must_use]
    pub fn write_lines(self, text: &str, eol: &str) -> String {
        let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
        if self.close.is_empty() {
            let line = |line: &&str| [self.open, *line].join(" ").trim_end().to_owned();
            return lines.iter().map(line).collect::<Vec<_>>().join(eol);
        }
        match lines[..] {
            [line] => self.write(line),
            _ => [&[self.open], &lines[..], &[self.close]].concat().join(eol),
        }
    }
}

/// The extensions of templates; `a.yml.erb` is a template of a YAML file.
const TEMPLATE_EXTENSIONS: [&str; 8] =
    ["ejs", "erb", "handlebars", "hbs", "liquid", "mustache", "njk", "twig"];

/// The comment syntax at `offset`; `None` if comments are not possible there.
#[must_use]
pub fn at(source: &Source, offset: u32) -> Option<Comment> {
    let outer = of_file(source.path(), source.text())?;
    let text = source.text();
    let offset = text.floor_char_boundary(offset as usize);
    if outer == MARKUP || outer == BRACES {
        if is_in_header(text, offset) {
            let is_script = source.path().ends_with(".astro");
            return Some(if is_script { SLASHES } else { HASH });
        }
        if kind::kinds(source.path(), "").contains(&Kind::MARKDOWN) {
            return in_markdown(source, offset).unwrap_or(Some(outer));
        }
        return if is_in_script(text, offset) { Some(STARS) } else { Some(outer) };
    }
    Some(outer)
}

/// The comment syntax of the file at `path`, outside of embedded blocks; `None` if the format has
/// no comments.
#[must_use]
pub fn of_file(path: &str, text: &str) -> Option<Comment> {
    let kinds = kind::kinds(path, text);
    if kinds.contains(&Kind::DOCKERFILE) {
        return Some(HASH_LINE);
    }
    if kinds.contains(&Kind::CONFIG) {
        return Some(SLASHES);
    }
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    // `.env.local` is an environment file like `.env`.
    if name.starts_with(".env.") {
        return syntax_by_name("env");
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or(("", &name));
    if extension == "txt" && (stem.starts_with("requirements") || stem == "constraints") {
        return Some(HASH);
    }
    let inner = stem.rsplit_once('.').filter(|_| TEMPLATE_EXTENSIONS.contains(&extension));
    if let Some((_, inner)) = inner {
        return syntax_by_name(inner);
    }
    syntax_by_name(extension)
}

fn syntax_by_name(name: &str) -> Option<Comment> {
    SYNTAXES.iter().find(|(_, names)| names.contains(&name)).map(|(comment, _)| *comment)
}

/// The comment syntax in the fenced block at `offset`; the outer `None` means that there is no
/// block.
#[expect(clippy::option_option, reason = "the language of a block can have no comments")]
fn in_markdown(source: &Source, offset: usize) -> Option<Option<Comment>> {
    let contains_offset = |fence: &markdown::Fence| {
        let first = fence.pieces.first().map_or(usize::MAX, |(_, span)| span.start as usize);
        let last = fence.pieces.last().map_or(0, |(_, span)| span.end as usize);
        first <= offset && offset < last
    };
    let fence = markdown::fences(source, |_| true).into_iter().find(contains_offset)?;
    Some(syntax_by_name(&fence.language().to_ascii_lowercase()))
}

/// Whether `offset` is in the front matter, between the `---` lines at the start.
fn is_in_header(text: &str, offset: usize) -> bool {
    aidd_page::split(text).is_ok_and(|(header, _)| header.start <= offset && offset < header.end)
}

/// Whether `offset` is inside a script or style sheet element.
fn is_in_script(text: &str, offset: usize) -> bool {
    let before = text[..offset].to_ascii_lowercase();
    ["script", "style"].iter().any(|name| {
        before
            .rfind(&format!("<{name}"))
            .is_some_and(|open| before.rfind(&format!("</{name}")).is_none_or(|close| close < open))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_use_the_syntax_of_the_file() {
        let written =
            |path: &str| of_file(path, "").map(|syntax| syntax.write_lines("a\n\nb \n", "\n"));
        assert_eq!(written("x.rs").as_deref(), Some("// a\n//\n// b"));
        assert_eq!(written("x.py").as_deref(), Some("# a\n#\n# b"));
        assert_eq!(written("x.css").as_deref(), Some("/*\na\n\nb\n*/"));
        assert_eq!(written("x.json"), None);
        let line = |path: &str| of_file(path, "").map(|syntax| syntax.write("a"));
        for path in ["a.vue", "a.svelte", "a.astro", "a.erb", "a.html.erb", "a.hbs", "a.twig"] {
            assert_eq!(line(path).as_deref(), Some("<!-- a -->"), "{path}");
        }
        assert_eq!(line("a.yml.erb").as_deref(), Some("# a"));
        assert_eq!(line("requirements-dev.txt").as_deref(), Some("# a"));
        assert_eq!(line("notes.txt"), None);
        assert_eq!(line("go.mod").as_deref(), Some("// a"));
        assert_eq!(line("fr.po").as_deref(), Some("# a"));
        assert_eq!(line("a.bat").as_deref(), Some("rem a"));
        assert_eq!(line("a.tex").as_deref(), Some("% a"));
        let single_line = of_file("x.html", "").map(|syntax| syntax.write_lines(" a\n", "\r\n"));
        assert_eq!(single_line.as_deref(), Some("<!-- a -->"));
    }
}
