//! Generates texts, of any size, that are expensive for parsers and patterns.

/// Name, path, and text of a given size.
pub(crate) type Row = (&'static str, &'static str, fn(usize) -> String);

/// Texts that were once slow to check.
pub(crate) const ONCE_SLOW: &[Row] = &[
    ("tokens on one line", "a.log", tokens),
    ("tokens in one string", "a.js", |n| format!("const t = \"{}\";\n", tokens(n))),
    ("runs of backticks, each longer", "a.md", backticks),
    ("backticks in one run", "a.md", |n| "`".repeat(n)),
    ("fences on one line", "a.md", |n| "```a".repeat(n)),
    ("password= on one line", "a.txt", |n| "password=".repeat(n)),
    ("password= on one line of settings", "a.ini", |n| "password=".repeat(n)),
    ("password= on one line of variables", "a.env", |n| "password=".repeat(n)),
    ("password= in quotes", "a.py", |n| "password='".repeat(n)),
    ("made-up passwords on one line", "config.json", |n| {
        format!("{{{}\"z\": 1}}", "\"password\": \"Kite-00000-x\", ".repeat(n))
    }),
    ("password lines", "a.env", |n| "password=Xk9mQ2vL7\n".repeat(n)),
    ("calls that log in", "a.py", |n| ".login('a'".repeat(n)),
    ("secure strings", "a.ps1", |n| "ConvertTo-SecureString ".repeat(n)),
    ("allow comments", "a.py", |n| "x # aidd:allow secrets/generic-secret why\n".repeat(n)),
    ("allow comments on one line", "a.py", |n| "# noqa ".repeat(n)),
    ("allow comments behind an indent", "a.py", |n| " ".repeat(8 * n) + &"#noqa ".repeat(n)),
    ("allow comments that allow", "a.py", |n| {
        let token = format!("gh{}_{}", "p", "0Zx9Qm3Lw8Rt5Yk2Vb7Nc4Jd1Hf6Gs0PaE2u");
        format!("t = '{token}' # gitleaks:allow\n").repeat(n)
    }),
    ("allow comments, switched off and on", "a.js", |n| {
        let token = format!("gh{}_{}", "p", "0Zx9Qm3Lw8Rt5Yk2Vb7Nc4Jd1Hf6Gs0PaE2u");
        format!("/* eslint-disable */ t = '{token}'; /* eslint-enable T1 */\n").repeat(n)
    }),
    ("names in allow comments", "a.py", |n| {
        (0..n).map(|index| format!("# nolint:x{index}\n")).collect()
    }),
];

/// Segments of base64 as in JSON web tokens, on one line.
pub(crate) fn tokens(n: usize) -> String {
    (0..n).map(|index| format!("eyJhbGciOiJIUzI1NiIsInR5cCI{index:05}.")).collect()
}

/// Equal segments of base64.
pub(crate) fn equal_tokens(n: usize) -> String {
    "eyJhbGciOiJIUzI1NiIsInR5cCI.".repeat(n)
}

/// Runs of backticks, all of different lengths.
fn backticks(n: usize) -> String {
    let mut text = String::new();
    let mut run = 1;
    while text.len() < n {
        text.extend(std::iter::repeat_n('`', run));
        text.push(' ');
        run += 1;
    }
    text
}

/// Constructs that start and never end.
pub(crate) const UNCLOSED: &[Row] = &[
    ("comments in Markdown", "a.md", |n| "<!--".repeat(n)),
    ("brackets in Markdown", "a.md", |n| "![[".repeat(n)),
    ("links in Markdown", "a.md", |n| "[a](".repeat(n)),
    ("emphasis in Markdown", "a.md", |n| "*a_ ".repeat(n)),
    ("quotes in settings", "a.env", |n| "token: \"".repeat(n)),
    ("CDATA in XML", "a.xml", |n| "<![CDATA[".repeat(n)),
    ("attributes in XML", "web.config", |n| "<a b=\"".repeat(n)),
    ("private keys", "a.txt", |n| "-----BEGIN RSA PRIVATE KEY-----".repeat(n)),
    ("addresses", "a.txt", |n| "://a:b@".repeat(n)),
    ("base64 on one line", "a.txt", |n| "QUJD".repeat(n)),
    ("rows in SQL", "a.sql", |n| "insert into a values ('".repeat(n)),
    ("strings in TOML", "a.toml", |n| "a = \"\"\"".repeat(n)),
    ("here-documents", "Dockerfile", |n| "FROM a\n".to_owned() + &"RUN <<EOF\n".repeat(n)),
    ("continued lines", "Dockerfile", |n| "FROM a\n".to_owned() + &"RUN a && \\\n".repeat(n)),
    ("substitutions", "Dockerfile", |n| "FROM a\nRUN ".to_owned() + &"echo $(".repeat(n)),
    ("templates", "Dockerfile", |n| "{{\n".repeat(n)),
    ("lines of memory", "ai/memory/decisions.jsonl", |n| "{\n".repeat(n)),
    ("one line of memory", "ai/memory/decisions.jsonl", |n| {
        format!("{{\"id\": \"a\", \"content\": \"{}\"}}", "word ".repeat(n))
    }),
];

/// Nested and repeated constructs.
pub(crate) const NESTED: &[Row] = &[
    ("elements in HTML", "a.html", |n| "<div>".repeat(n)),
    ("controls in HTML", "a.html", |n| "<a href=x><button><label><h1>".repeat(n)),
    ("lists in HTML", "a.html", |n| "<ul><li>a".repeat(n)),
    ("attributes in HTML", "a.html", |n| format!("<a {}>", "aria-a b=c ".repeat(n))),
    ("elements in Vue", "a.vue", |n| format!("<template>{}", "<b @click=a><i>".repeat(n))),
    ("blocks in Svelte", "a.svelte", |n| "{#if a}<b>{/each}".repeat(n)),
    ("expressions in Astro", "a.astro", |n| "<b>{a".repeat(n)),
    ("elements in a list of JSX", "a.tsx", |n| {
        format!("x = <ul>{}</ul>", "<a href='b'><Icon /></a>".repeat(n))
    }),
    ("lists in JSON", "a.json", |n| "[".repeat(n) + &"]".repeat(n)),
    ("objects in JSON", "package.json", |n| "{\"a\":".repeat(n) + "1" + &"}".repeat(n)),
    ("keys in JSON", "package.json", |n| {
        format!("{{{}\"z\": 1}}", "\"password\": \"Xk9mQ2vL7\", ".repeat(n))
    }),
    ("lists in YAML", "a.yaml", |n| "[".repeat(n)),
    ("items in YAML", "a.yaml", |n| "- ".repeat(n) + "a"),
    ("keys in YAML", "docker-compose.yml", |n| {
        (0..n).map(|index| format!("password{index}: Xk9mQ2vL7\n")).collect()
    }),
    ("aliases in YAML", "a.yaml", nested_aliases),
    ("tables in TOML", "Cargo.toml", |n| format!("a = {}", "[".repeat(n))),
    ("quotes in Markdown", "a.md", |n| "> ".repeat(n) + "a"),
    ("lists in Markdown", "a.md", |n| "1. ".repeat(n) + "a"),
    ("tables in Markdown", "a.md", |n| "|a".repeat(n) + "\n" + &"|-".repeat(n) + "\n"),
    ("headings in Markdown", "a.md", |n| "# a\n\n".repeat(n)),
    ("subgraphs", "a.mmd", |n| "flowchart TD\n".to_owned() + &"subgraph a\n".repeat(n)),
    // Fewer edges, because those of a larger input leave the caches of the processor.
    ("edges", "a.mmd", |n| {
        (0..n / 32).fold("flowchart TD\n".to_owned(), |text, index| {
            text + &format!("a{index} --> b{index}\n")
        })
    }),
    ("a long label", "a.mmd", |n| format!("flowchart TD\na[\"{}\"]\n", "word ".repeat(n))),
    ("stages", "Dockerfile", |n| "FROM a:1 AS b\n".repeat(n)),
    ("variables", "Dockerfile", |n| "FROM a:1\nENV ".to_owned() + &"a=b ".repeat(n)),
    ("elements in XML", "a.xml", |n| "<a>".repeat(n) + &"</a>".repeat(n)),
    ("a shell history", ".bash_history", |n| "mysql -u a -pXk9mQ2vL7\n".repeat(n)),
    ("entries of a manifest", "package.json", |n| {
        let entry = |index: usize| format!("\"left-pad{index}\": \"github:a/b{index}\", ");
        format!("{{\"dependencies\": {{{}\"a\": \"*\"}}}}", (0..n).map(entry).collect::<String>())
    }),
    ("paths in OpenAPI", "openapi.yaml", |n| {
        let path = |index: usize| {
            format!(
                "  /{{a}}/b{index}: {{get: {{operationId: a, tags: [a], security: [{{a: []}}]}}}}\n"
            )
        };
        format!("{OPENAPI}{}", (0..n).map(path).collect::<String>())
    }),
    ("paths in OpenAPI with one path item", "openapi.yaml", |n| {
        let parameters = "{name: a, in: path}, ".repeat(n);
        let path = |index: usize| format!("  /a{index}: {{$ref: '#/paths/~1a0'}}\n");
        let paths: String = (1..n).map(path).collect();
        format!("{OPENAPI}  /a0: {{parameters: [{parameters}], get: {{}}}}\n{paths}")
    }),
    ("tests in one suite", "a.test.ts", |n| {
        let test = |index: usize| {
            format!(
                "it.skip('a{index}', async () => {{ expect(a.length).resolves.toBe(1); }}); // a\n"
            )
        };
        format!("describe('a', () => {{\n{}}});\n", (0..n).map(test).collect::<String>())
    }),
    ("nested suites", "a.test.ts", |n| {
        "describe('a', () => {// it('a')\n".repeat(n) + &"});\n".repeat(n)
    }),
    ("nested operators in a test", "a.test.ts", |n| format!("it('a', () => {}a);", "!".repeat(n))),
    ("a chain of calls in a test", "a.test.ts", |n| {
        format!("it('a', () => {{ expect(a){}; }});", ".not.toBe(1)".repeat(n))
    }),
    ("tests in Python", "test_a.py", |n| {
        let test = |index: usize| {
            format!(
                "def test_a{index}(_a, b=1):\n    with pytest.raises(Exception) as e:\n        assert e\n"
            )
        };
        format!("import pytest\n{}", (0..n).map(test).collect::<String>())
    }),
    ("nested parentheses in a test in Python", "test_a.py", |n| {
        format!("def test_a():\n    assert {}1{}\n", "(".repeat(n), ")".repeat(n))
    }),
    ("schemas in OpenAPI that extend one", "openapi.json", |n| {
        let schema = |index: usize| {
            format!("\"a{index}\": {{\"allOf\": [{{\"$ref\": \"#/definitions/a\"}}], \"a\": 1}}, ")
        };
        let properties: String =
            (0..n).map(|index| format!("\"b{index}\": {{\"type\": \"string\"}}, ")).collect();
        let base = format!("{{\"properties\": {{{properties} \"b\": {{}}}}}}");
        let schemas: String = (0..n).map(schema).collect();
        format!("{{\"swagger\": \"2.0\", \"definitions\": {{{schemas} \"a\": {base}}}}}")
    }),
    ("statements in SQL", "postgres/migrations/1_a.sql", |n| {
        (0..n).map(|index| format!("alter table a add column b{index} int not null;\n")).collect()
    }),
    ("parentheses in SQL", "postgres/migrations/1_a.sql", |n| {
        "select ".to_owned() + &"(".repeat(n)
    }),
    ("operators in SQL", "postgres/migrations/1_a.sql", |n| {
        "select 1".to_owned() + &" + 1".repeat(n)
    }),
    ("tables in MySQL", "mysql/migrations/1_a.sql", |n| {
        (0..n)
            .map(|index| format!("create table a{index} (a int, b int, key c (a, b));\n"))
            .collect()
    }),
    ("columns in SQLite", "sqlite/migrations/1_a.sql", |n| {
        let columns: String = (0..n).map(|index| format!("a{index} text, ")).collect();
        format!("create table a ({columns} b text);\nupdate a set b = 1;\n")
    }),
    ("delimiters in SQL", "mysql/a.sql", |n| "delimiter //\nselect 1//\n".repeat(n)),
    ("dollar quotes in SQL", "postgres/a.sql", |n| "do $a$ begin $b$ ".repeat(n)),
];

const OPENAPI: &str = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\ntags: [{name: b}]\npaths:\n";

/// Each list contains the previous one twice.
fn nested_aliases(n: usize) -> String {
    let line = |index: usize| format!("a{}: &a{} [*a{index}, *a{index}]\n", index + 1, index + 1);
    "a0: &a0 [x]\n".to_owned() + &(0..n).map(line).collect::<String>()
}
