//! Files of front ends, agents and design tokens, of any size, and projects of such files.

use super::measure::Case;
use super::texts::Row;
use super::{ENGINE, Source};
use aidd_engine::text::files::{ForRun, Listed, Memory};
use aidd_engine::text::listing::Listing;

/// `count` copies of `copy`, in which `#` is the number of the copy.
fn numbered(count: usize, copy: &str) -> String {
    (0..count).map(|index| copy.replace('#', &index.to_string())).collect()
}

/// Texts on which the rules of a family compare parts with each other, or which are nested.
pub(crate) const ROWS: &[Row] = &[
    ("labels in HTML", "a.html", |n| {
        numbered(n, "<label for=i#>a</label><input id=i#><a aria-labelledby='i# i0'>b</a>")
    }),
    ("blocks of Angular", "a.component.html", |n| "@if (a) { <img [src]='b'> ".repeat(n)),
    ("loops in Svelte", "a.svelte", |n| "{#each a as b}<img src={b}>".repeat(n)),
    ("components", "a.tsx", |n| {
        numbered(
            n,
            "function A#() { useEffect(() => { setB(c#); }, []); return <img onClick={d} />; }\n",
        )
    }),
    ("awaited calls", "a.ts", |n| {
        format!("async function f() {{\n{}}}\n", numbered(n, "const a# = await b(#);\n"))
    }),
    ("nested loops", "a.ts", |n| {
        let (begin, end) = ("for (const a of b) { ".repeat(n), "}".repeat(n));
        format!("function f() {{\n{begin}{end}}}\n")
    }),
    ("tokens", "a.tokens.json", |n| {
        let token = "\"c#\": {\"$type\": \"color\", \"$value\": \"#00#\"},";
        format!("{{{}\"z\": {{}}}}", numbered(n, token))
    }),
    ("aliases of tokens in a circle", "a.tokens.json", |n| {
        let token = |index: usize| {
            format!(
                "\"c{index}\": {{\"$type\": \"color\", \"$value\": \"{{c{}}}\"}},",
                (index + 1) % n
            )
        };
        format!("{{{}\"z\": {{}}}}", (0..n).map(token).collect::<String>())
    }),
    ("missing tokens", "a.tokens.json", |n| {
        let token = "\"c#\": {\"$type\": \"color\", \"$value\": \"{d#}\"},";
        format!("{{{}\"z\": {{}}}}", numbered(n, token))
    }),
    ("groups of tokens that extend a group", "a.tokens.json", |n| {
        let group =
            "\"g#\": {\"$extends\": \"{g0}\", \"a\": {\"$value\": 1, \"$type\": \"number\"}},";
        format!("{{{}\"z\": {{}}}}", numbered(n, group))
    }),
    ("nested groups of tokens", "a.tokens.json", |n| "{\"a\":".repeat(n) + "1" + &"}".repeat(n)),
    ("values in a style sheet", "a.css", |n| numbered(n, ".a# { color: #ff00ff; margin: 4px }\n")),
    ("fonts of a style sheet", "a.css", |n| {
        numbered(n, "@font-face { font-family: a#; src: url(b#.woff2) }\n")
    }),
    ("files of one font", "a.css", |n| {
        numbered(n, "@font-face { font-family: a; src: url(b#.woff2) }\n")
    }),
    ("functions in a style sheet", "a.css", |n| "a{b:c(".repeat(n)),
    ("links of instructions on one line", "AGENTS.md", |n| numbered(n, "[a](b/c#.md) ")),
    ("imports of instructions", "CLAUDE.md", |n| numbered(n, "@docs/a#.md ")),
    ("comments in instructions", "CLAUDE.md", |n| numbered(n, "<!-- @docs/a#.md ")),
    ("hidden characters in instructions", "AGENTS.md", |n| "a\u{200b}\u{202e}b ".repeat(n)),
    ("fields of a skill", ".claude/skills/a/SKILL.md", |n| {
        format!("---\nname: a\ndescription: b\n{}---\n# a\n", numbered(n, "k#: v\n"))
    }),
    ("demands of instructions", "AGENTS.md", |n| {
        numbered(n, "- Always use part#.\n- Never use part#.\n")
    }),
    ("permissions of an agent", ".claude/settings.json", |n| {
        let allow = numbered(n, "\"Bash(npm run a#:*)\",");
        format!("{{\"permissions\": {{\"allow\": [{allow}\"Read\"]}}}}")
    }),
    ("permissions that are allowed and denied", ".claude/settings.json", |n| {
        let (allow, deny) =
            (numbered(n, "\"Bash(a#)\",\"Write(b#)\","), numbered(n, "\"Bash(c#)\","));
        format!("{{\"permissions\": {{\"allow\": [{allow}\"Read\"], \"deny\": [{deny}\"Read\"]}}}}")
    }),
    ("servers of an agent", ".mcp.json", |n| {
        let servers = numbered(n, "\"s#\": {\"command\": \"npx\", \"args\": [\"-y\", \"a#\"]},");
        format!("{{\"mcpServers\": {{{servers}\"z\": {{\"command\": \"a\"}}}}}}")
    }),
    ("different headings of a document", "docs/a.md", |n| numbered(n, "## Part #\n\n")),
    ("missing fragments of a document", "docs/a.md", |n| numbered(n, "# a#\n\n[b](#c#)\n\n")),
    ("commands of a document", "docs/a.md", |n| numbered(n, "`npm run t#` `make t#`\n")),
    ("styles and texts in JSX", "a.tsx", |n| {
        let component =
            "export const A# = () => <p style={{ color: '#fff' }} title='Text #'>Some text</p>;\n";
        numbered(n, component)
    }),
    ("hooks and titles of tests", "a.test.js", |n| {
        let test = "test('it should a#', done => { if (b) expect(c == #).toBe(true); done(); });\n";
        numbered(n, &format!("{test}beforeEach(() => {{}});\n"))
    }),
    ("nested blocks of tests", "a.test.js", |n| {
        "describe('a', () => { beforeEach(() => {}); ".repeat(n) + &"});".repeat(n)
    }),
    ("fixtures", "test_a.py", |n| {
        numbered(
            n,
            "@pytest.fixture\ndef f#(request):\n    yield #\n\ndef test_#(f#, f0=1):\n    assert f# and f0\n",
        )
    }),
    ("parameters of a test", "test_a.py", |n| {
        let values = numbered(n, "('a#', #), ");
        format!("@pytest.mark.parametrize('a,b', [{values}])\ndef test_a(a, b):\n    assert a\n")
    }),
    ("tests in Go", "a_test.go", |n| {
        let test = "func TestA#(t *testing.T) {\n\tassert.Equal(t, f(#), true)\n}\n";
        format!("package a\n{}", numbered(n, test))
    }),
    ("secrets of an environment", "deploy/.env.docker", |n| {
        numbered(n, "A#_API_TOKEN=qX7vR2mK9tLw4Bn8Yc3HsDf6Jg#\n")
    }),
    ("passwords in settings", "deploy/settings.yml", |n| {
        numbered(n, "service#:\n  password: qX7vR2mK9tLw4Bn8Yc#\n")
    }),
    ("unknown names of rules", ".aidd/config.json", |n| {
        format!("{{\"rules\": {{{}\"a/b\": \"off\"}}}}", numbered(n, "\"no/rule#\": \"off\","))
    }),
    ("keys of a rule page", "rules/a.md", |n| {
        format!("---\nseverity: info\n{}---\n# a/b\n", numbered(n, "k#: v\n"))
    }),
    ("keys in braces of a rule page", "rules/a.md", |n| {
        format!(
            "---\nseverity: info\ncheck: {{ text: {{ {} }} }}\n---\n# a/b\n",
            numbered(n, "k#: v, ")
        )
    }),
];

/// The path and the text of a file of a project, by its index and the number of files.
type File = fn(usize, usize) -> (String, String);

/// Projects whose files are compared with each other: a name, and the files.
const PROJECTS: &[(&str, &[File])] = &[
    (
        "locales",
        &[
            |index, _| {
                (format!("locales/l{index}/a.json"), "{\"k1\": \"b\", \"k2\": \"{{c}}\"}".into())
            },
            |_, count| {
                (
                    "locales/en/a.json".into(),
                    format!("{{{}\"z\": \"\"}}", numbered(count, "\"k#\": \"a\",")),
                )
            },
        ],
    ),
    (
        "keys of texts",
        &[
            |index, _| (format!("src/a{index}.ts"), format!("t('k{index}'); t('x{index}');\n")),
            |_, count| {
                (
                    "locales/en.json".into(),
                    format!("{{{}\"z\": \"\"}}", numbered(count, "\"k#\": \"a\",")),
                )
            },
            |_, _| ("package.json".into(), "{\"dependencies\": {\"i18next\": \"1\"}}".into()),
        ],
    ),
    (
        "files of tokens",
        &[|index, _| {
            let token = format!(
                "{{\"c{index}\": {{\"$type\": \"color\", \"$value\": \"{{c{}}}\"}}}}",
                index + 1
            );
            (format!("tokens/a{index}.tokens.json"), token)
        }],
    ),
    (
        "literals and tokens",
        &[
            |index, _| (format!("src/a{index}.css"), format!(".a {{ color: #{index:06x} }}\n")),
            |_, count| {
                let token = |index| {
                    format!("\"c{index}\": {{\"$type\": \"color\", \"$value\": \"#{index:06x}\"}},")
                };
                (
                    "a.tokens.json".into(),
                    format!("{{{}\"z\": {{}}}}", (0..count).map(token).collect::<String>()),
                )
            },
        ],
    ),
    (
        "skills",
        &[|index, _| {
            let text =
                format!("---\nname: s{index}\ndescription: Use it for a{index}.\n---\n# s\n");
            (format!(".claude/skills/s{index}/SKILL.md"), text)
        }],
    ),
    (
        "parts of an OpenAPI document",
        &[
            |index, _| (format!("p{index}.yaml"), "get: {responses: {}}\n".into()),
            |_, count| {
                let head = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths:\n";
                (
                    "openapi.yaml".into(),
                    head.to_owned() + &numbered(count, "  /a#: {$ref: './p#.yaml'}\n"),
                )
            },
        ],
    ),
    (
        "migrations",
        &[
            |index, _| {
                let (path, before) = (20_240_101_000_000 + index, index.saturating_sub(1));
                let text = format!(
                    "CREATE TABLE \"t{index}\" (\"a\" TEXT);\nALTER TABLE \"t{before}\" ADD COLUMN \"b{index}\" JSONB;\n"
                );
                (format!("prisma/migrations/{path}_m/migration.sql"), text)
            },
            |_, _| {
                let path = "prisma/migrations/migration_lock.toml";
                (path.into(), "provider = \"postgresql\"\n".into())
            },
        ],
    ),
    (
        "links of documents",
        &[|index, _| {
            let text = format!("# a\n\n[b](a{}.md) [c](x{index}.md#d)\n", index + 1);
            (format!("docs/a{index}.md"), text)
        }],
    ),
    (
        "imports of a whole library",
        &[
            |index, _| (format!("src/a{index}.ts"), "import { debounce } from 'lodash';\n".into()),
            |_, _| ("package.json".into(), "{\"dependencies\": {\"vue\": \"3\"}}".into()),
        ],
    ),
    (
        "components of a project",
        &[
            |index, _| {
                let component = "export const B = ({ className, ...props }) => <button className={className} {...props} />;\n";
                (format!("src/components/B{index}.tsx"), component.into())
            },
            |index, _| {
                let text = format!(
                    "import {{ B }} from './components/B{index}';\nexport const A = () => <a href='/'><B /></a>;\n"
                );
                (format!("src/a{index}.tsx"), text)
            },
        ],
    ),
    (
        "instructions",
        &[|index, _| {
            (format!("d{index}/AGENTS.md"), format!("Always run `make t{index}`. Use tabs.\n"))
        }],
    ),
];

/// Checks each file of a project, with the others listed.
fn check_all(memory: &Memory) {
    let listing = Listing::new(memory.0.keys().cloned());
    let listed = Listed { files: memory, listing: &listing };
    let files = ForRun::new(&listed);
    for (path, text) in &memory.0 {
        let source = Source::new(path.as_str(), String::from_utf8_lossy(text).into_owned());
        drop(ENGINE.check(&source, &files));
    }
}

/// Projects of many files.
pub(crate) fn projects() -> impl Iterator<Item = Case<'static>> {
    PROJECTS.iter().map(|&(name, files)| {
        let make = move |count: usize| {
            let texts =
                (0..count).flat_map(|index| files.iter().map(move |file| file(index, count)));
            Memory(texts.map(|(path, text)| (path, text.into_bytes())).collect())
        };
        Case::new(name, 4_000, make, |memory: Memory| check_all(&memory))
    })
}

/// Demands in the instructions of one agent, and the opposite ones in those of another.
pub(crate) fn opposite_demands() -> Case<'static> {
    let make = |count: usize| {
        let file = |path: &str, word: &str| {
            (path.to_owned(), numbered(count, &format!("- {word} use part#.\n")).into_bytes())
        };
        Memory([file("AGENTS.md", "Always"), file("CLAUDE.md", "Never")].into())
    };
    Case::new("opposite demands", 48_000, make, |memory: Memory| check_all(&memory))
}

/// The same servers in the files of two clients, in two versions.
pub(crate) fn servers_of_two_clients() -> Case<'static> {
    let make = |count: usize| {
        let file = |path: &str, version: &str| {
            let servers = numbered(count, &format!("\"s#\": {{\"args\": [\"a@{version}\"]}},"));
            let text = format!("{{\"mcpServers\": {{{servers}\"z\": {{\"command\": \"a\"}}}}}}");
            (path.to_owned(), text.into_bytes())
        };
        Memory([file(".cursor/mcp.json", "1"), file(".mcp.json", "2")].into())
    };
    Case::new("servers of two clients", 48_000, make, |memory: Memory| check_all(&memory))
}
