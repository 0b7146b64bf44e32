//! Tests of the violations that `doc` checks report in documents.

use super::*;
use crate::text::files::{Listed, Memory};
use crate::text::listing::Listing;
use proptest::prelude::*;
use std::fmt::Write as _;

fn doc(yaml: &str) -> DocCheck {
    let page = format!("---\nseverity: error\ncheck:\n  doc: {yaml}\n---\n");
    let header = aidd_page::header(&page).expect("a header");
    DocCheck::new(&header.check.expect("a check").doc.expect("doc")).expect("valid")
}

fn faults(yaml: &str, text: &str, nearby: &[(&str, &str)]) -> (Source, Vec<Fault>) {
    let source = Source::new("docs/a.md", text);
    let mut files = Memory::default();
    for (path, text) in nearby.iter().chain(&[("docs/a.md", text)]) {
        files.0.insert((*path).to_owned(), text.as_bytes().to_vec());
    }
    let listing = Listing::new(files.0.keys().cloned());
    let files = Listed { files: &files, listing: &listing };
    let document = crate::parse::document::parse(source.text());
    let faults = doc(yaml).check(&source, &document, &files);
    (source, faults)
}

fn display(yaml: &str, text: &str, nearby: &[(&str, &str)]) -> String {
    let (source, faults) = faults(yaml, text, nearby);
    let mut out = String::new();
    for Fault { span, message, help, fix } in faults {
        let line = source.line_of(span.start) + 1;
        let _ = write!(out, "{line} {:?}: {message}", source.slice(span));
        let _ = write!(out, "{}", help.map_or(String::new(), |help| format!(" ({help})")));
        let fix =
            fix.map(|(title, edit)| format!(" [{title}: {} {:?}]", edit.span.start, edit.text));
        let _ = writeln!(out, "{}", fix.unwrap_or_default());
    }
    out
}

const ADR: &str =
    r###"{headings: ["# *", "## Status", "## Context", "## Decision", "*", "?## Consequences"]}"###;

#[test]
fn missing_and_misplaced_headings_are_reported() {
    let valid = "# 1. Use it\n\n## Status\n\n### Deeper\n\n## Context\n\n## Decision\n\n## Notes\n\n## More\n";
    assert_eq!(display(ADR, valid, &[]), "");
    insta::assert_snapshot!(display(ADR, "# 1. Use it\n\nText.\n\n## Context\n\nWhy.\n", &[]), @r###"
    1 "# 1. Use it": `## Status` is missing; it belongs after `# 1. Use it` [Insert `## Status`: 20 "## Status\n\n"]
    5 "## Context": `## Decision` is missing; it belongs after `## Context` [Insert `## Decision`: 37 "\n## Decision\n"]
    "###);
    insta::assert_snapshot!(display(ADR, "# 1\n\n## Context\n\n## Status\n\n## Odd\n\n## Decision\n", &[]), @r###"
    5 "## Status": `## Status` belongs after `# 1`
    7 "## Odd": unexpected heading `## Odd`
    "###);
    insta::assert_snapshot!(display(ADR, "", &[]), @r###"
    1 "": `# *` is missing; it belongs at the top
    1 "": `## Status`, `## Context`, `## Decision` are missing; they belong at the top [Insert `## Status`, `## Context`, `## Decision`: 0 "## Status\n\n## Context\n\n## Decision\n"]
    "###);
    insta::assert_snapshot!(display(ADR, "---\ntitle: 1\n---\n## Status\n## Context\n## Decision\n", &[]), @"");
    insta::assert_snapshot!(display(ADR, "---\nother: {title: 1}\n---\nText\n\n## Status\n## Context\n## Decision", &[]), @r#"4 "Text": `# *` is missing; it belongs at the top"#);
    insta::assert_snapshot!(display(r###"{headings: ["# API *", "Usage", "## Licence"]}"###, "# API 2\r\n\r\n### Usage\r\n", &[]), @r####"3 "### Usage": `## Licence` is missing; it belongs after `### Usage` [Insert `## Licence`: 22 "\r\n## Licence\r\n"]"####);
}

#[test]
fn inserted_headings_fix_the_faults() {
    for text in
        ["# 1", "# 1\n\n## Context\n", "", "# 1\r\n\r\ntext\r\n\r\n## Decision\r\n\r\n## Notes"]
    {
        let (_, found) = faults(ADR, text, &[]);
        let mut text = text.to_owned();
        let mut edits: Vec<Edit> =
            found.into_iter().filter_map(|fault| Some(fault.fix?.1)).collect();
        edits.sort();
        for edit in edits.into_iter().rev() {
            text.insert_str(edit.span.start as usize, &edit.text);
        }
        let remaining: Vec<String> =
            faults(ADR, &text, &[]).1.into_iter().map(|fault| fault.message).collect();
        // The text of `# *` is unknown.
        assert!(
            remaining.iter().all(|message| message.contains("`# *`")),
            "{text:?}: {remaining:?}"
        );
    }
}

#[test]
fn size_and_depth_are_limited() {
    let text = "intro\n# A\n\n### B\n\none two three\n";
    insta::assert_snapshot!(display("{lines: {max: 5}, tokens: {min: 20}, depth: {max: 2}}", text, &[]), @r####"
    4 "### B": heading level 3 is deeper than 2
    2 "# A": the document has 6 lines, more than 5
    2 "# A": the document has 12 tokens, fewer than 20
    "####);
    insta::assert_snapshot!(display("{lines: {min: 9}, tokens: {max: 2}, depth: {min: 4}}", text, &[]), @r##"
    2 "# A": no heading of level 4
    2 "# A": the document has 6 lines, fewer than 9
    2 "# A": the document has 12 tokens, more than 2
    "##);
    insta::assert_snapshot!(display("{lines: {min: 1}, depth: {min: 1}}", "", &[]), @r#"
    1 "": no heading of level 1
    1 "": the document has 0 lines, fewer than 1
    "#);
}

#[test]
fn broken_links_are_reported() {
    let text = r##"# A b

[ok](b.md) [ok](../src/x.rs#L3) [ok](/src/) [ok](#a-b) [ok](b.md#deep) [ok](https://x.y/z) [ok](mailto:a@b)
[ok](c%20d.md?raw=1) [ok](<c d.md>) [out](../../../elsewhere) [ok]({{ site }}/x) [ok](#top) [ok](b.md#here)
[lost](c.md) [lost](../src/y.rs) ![lost](pic.png) [r][r] [anchor](#a-c) [anchor](b.md#deeper) [odd](b)

[r]: gone/x.rs
"##;
    let nearby = [
        ("docs/b.md", "## Deep\n<a name=\"here\"></a>\n"),
        ("docs/c d.md", ""),
        ("src/x.rs", ""),
        ("src/deep/pic.png", ""),
    ];
    insta::assert_snapshot!(display("{links: [files, anchors]}", text, &nearby), @r#"
    5 "[lost](c.md)": the link target `c.md` does not exist
    5 "[lost](../src/y.rs)": the link target `../src/y.rs` does not exist
    5 "![lost](pic.png)": the image target `pic.png` does not exist (did you mean `src/deep/pic.png`?)
    5 "[r][r]": the link target `gone/x.rs` does not exist (did you mean `src/x.rs`?)
    5 "[anchor](#a-c)": no heading in this document has the fragment `#a-c` (did you mean `#a-b`?)
    5 "[anchor](b.md#deeper)": no heading in `docs/b.md` has the fragment `#deeper` (did you mean `#deep`?)
    5 "[odd](b)": the link target `b` does not exist (did you mean `docs/b.md`?)
    "#);
}

#[test]
fn broken_paths_undefined_commands_and_images_without_text_are_reported() {
    let text = r#"
`src/x.rs` `src/y.rs` `src/x.rs:12` `src/` `and/or` `./src/z.rs` `sub/b.md` `../src/x.rs` `../src/q.rs` `src/*.rs` `docs/none/`
`npm run build` `npm run lint` `pnpm run -r x` `npm run <name>` `make all` `make none` `make -C x y` `just test` `just t` `just none`
`cargo test` `cargo xtask` `cargo nextest run` `cargo +nightly fmt`
`npm run own`, defined as `"own": "x"`; `npm run part`

![](a.png) ![a](b.png) <img src=x>
"#;
    let nearby = [
        ("src/x.rs", ""),
        ("docs/sub/b.md", ""),
        ("package.json", r#"{"scripts": {"build": "x"}}"#),
        ("packages/a/package.json", r#"{"scripts": {"part": "x"}}"#),
        ("Makefile", ".PHONY: all\nall deps: x.o\n\tcc x.o\nVAR := none\n"),
        ("justfile", "alias t := test\nset shell := ['a']\n@test name='x':\n  none: x\n"),
        (".cargo/config.toml", "[alias]\nxtask = \"run -p xtask\"\n"),
    ];
    insta::assert_snapshot!(display("{links: [paths, commands, images]}", text, &nearby), @r#"
    7 "![](a.png)": image without alternative text
    7 "<img src=x>": image without alternative text
    2 "`src/y.rs`": `src/y.rs` does not exist
    2 "`./src/z.rs`": `./src/z.rs` does not exist
    2 "`../src/q.rs`": `../src/q.rs` does not exist
    2 "`docs/none/`": `docs/none/` does not exist
    3 "`npm run lint`": no `package.json` in this directory or above defines the script `lint`
    3 "`make none`": no Makefile in this directory or above defines the target `none`
    3 "`just none`": no justfile in this directory or above defines the recipe `none`
    "#);
}

#[test]
fn commands_without_a_possible_definition_are_ignored() {
    let text = "`npm run build` `make all` `just test` `cargo xtask` `cargo deny check`\n";
    insta::assert_snapshot!(display("{links: [commands]}", text, &[]), @"1 \"`cargo xtask`\": no `.cargo/config.toml` in this directory or above has the alias `xtask`");
}

#[test]
fn images_can_span_several_lines() {
    let text = "<p>\n<img src=\"a.png\"\n  alt=\"A\">\n<img\n  src=\"a.png\">\n<img alt=\"\" src=\"a.png\">\n</p>\n\n<a@b.example> [`T`](a::T)\n";
    insta::assert_snapshot!(display("{links: [files, images]}", text, &[("docs/a.png", "")]), @r#"4 "<img\n  src=\"a.png\">": image without alternative text"#);
}

#[test]
fn undefined_commands_in_shell_blocks_are_reported() {
    let text = "```sh\nnpm run lint # style\n$ npm ci && npm run build; make none\n```\n\n> ```console\n> $ npm run x\n> ```\n\n```bash\ncd web\nnpm run y\n```\n\n```js\n// npm run z\n```\n\n```sh\nnpx create-shop\nnpm run dev\n```\n\n`bun run src/main.ts`\n";
    let nearby =
        [("package.json", r#"{"scripts": {"build": "x"}}"#), ("Makefile", "all:\n\ttrue\n")];
    insta::assert_snapshot!(display("{links: [commands]}", text, &nearby), @r#"
    2 "npm run lint": no `package.json` in this directory or above defines the script `lint`
    3 "make none": no Makefile in this directory or above defines the target `none`
    7 "npm run x": no `package.json` in this directory or above defines the script `x`
    "#);
}

#[test]
fn skipped_levels_and_unnamed_blocks_are_reported() {
    let text = "\u{feff}# A\n\nUse `a`.\n\n### B\n\n<!--\n##### C\n-->\n\n## D\n\n~~~\nx\n~~~\n\n> ```\n> y\n> ```\n\n````md\n```\n#### z\n```\n````\n\n    ```\n    w\n    ```\n";
    insta::assert_snapshot!(display("{steps: true, named-blocks: true}", text, &[]), @r####"
    5 "### B": heading level 3 directly below level 1
    13 "~~~": code block without a language
    17 "```": code block without a language
    "####);
    assert_eq!(display("{steps: true}", "### A\n\n#### B\n\n# C\n", &[]), "");
}

#[test]
fn heading_ids_and_site_addresses_are_resolved() {
    let text = "# A {#first}\n\n[a](#first) [b](/guide/start) [c](/guide.md) [d](#last)\n";
    insta::assert_snapshot!(display("{links: [files, anchors]}", text, &[]), @r#"
    3 "[c](/guide.md)": the link target `/guide.md` does not exist
    3 "[d](#last)": no heading in this document has the fragment `#last`
    "#);
}

#[test]
fn malformed_headings_are_rejected() {
    let problem = |text: &str| HeadingPattern::new(text).expect_err("malformed");
    insta::assert_snapshot!(problem("##"), @"`##` is not a heading: expected one to six `#` and text; `*` matches any run of headings");
    insta::assert_snapshot!(problem("####### x"), @"`####### x` is not a heading: expected one to six `#` and text; `*` matches any run of headings");
}

proptest! {
    #[test]
    fn the_spans_of_faults_are_valid_in_any_document(text in "(# |## |A|B|\n|\r\n|---\n|title: x\n|\\[a\\]\\(b#c\\)|`|make x|é|src/|```sh\n|~~~\n|;|&&| #|\u{feff}){0,40}") {
        let yaml = r###"{headings: ["# A", "*", "## B", "?## A", "## *"], links: [files, anchors, paths, commands, images], lines: {max: 1}, tokens: {max: 1}, depth: {max: 1}, steps: true, named-blocks: true}"###;
        let (source, found) = faults(yaml, &text, &[("src/a", "")]);
        for fault in found {
            prop_assert!(source.text().get(fault.span.range()).is_some());
            if let Some((_, edit)) = fault.fix {
                prop_assert!(source.text().is_char_boundary(edit.span.start as usize));
            }
        }
    }
}

#[test]
fn duplicate_headings_are_reported() {
    let text =
        "# Log\n\n## 1.1\n\n### Added\n\n### Fixed\n\n## 1.0\n\n### Added\n\n### Added\n\n## 1.1\n";
    insta::assert_snapshot!(display("{unique: siblings}", text, &[]), @r####"
    13 "### Added": duplicate heading `Added`
    15 "## 1.1": duplicate heading `1.1`
    "####);
    insta::assert_snapshot!(display("{unique: document}", text, &[]), @r####"
    11 "### Added": duplicate heading `Added`
    13 "### Added": duplicate heading `Added`
    15 "## 1.1": duplicate heading `1.1`
    "####);
}

#[test]
fn html_bare_urls_and_references_are_checked() {
    let text = "# A <br> <kbd>x</kbd>\n\nhttps://a.example, [b][c] [d][e] [f]\n\n[e]: e.md\n[g]: g.md\n[//]: # (words)\n";
    let yaml = "{html: [kbd], links: [addresses, references, definitions]}";
    insta::assert_snapshot!(display(yaml, text, &[]), @r#"
    1 "<br>": the HTML element `br`
    3 "https://a.example": bare URL (write `<address>` or `[text](address)`)
    3 "[b][c]": undefined reference `[c]`
    6 "[g]: g.md": unused definition `[g]`
    "#);
    assert_eq!(display("{html: [br, KBD]}", text, &[]), "");
    assert!(!doc("{links: [addresses, images]}").follows_links());
    assert!(doc("{links: [anchors]}").follows_links());
}

#[test]
fn site_addresses_are_resolved_in_the_directories_of_the_site() {
    let absolute = "[logo](/img/logo.png) [lost](/img/gone.png)\n";
    let lost = "1 \"[lost](/img/gone.png)\": the link target `/img/gone.png` does not exist\n";
    for path in
        ["img/logo.png", "docs/img/logo.png", "docs/public/img/logo.png", "static/img/logo.png"]
    {
        let found = display("{links: [files]}", absolute, &[(path, "")]);
        assert_eq!(found, lost, "{path}");
    }
    let relative = "[page](limits) [page](guide/) [page](./limits.html) [lost](gone)\n";
    let pages = [("docs/limits.md", ""), ("docs/guide/index.md", "")];
    assert_eq!(display("{links: [files]}", relative, &pages).lines().count(), 3);
    for root in ["mkdocs.yml", "docs/docusaurus.config.ts", "docs/.vitepress/config.mts"] {
        assert_eq!(display("{links: [files]}", absolute, &[(root, "")]), "", "{root}");
        let found = display("{links: [files]}", relative, &[&pages[..], &[(root, "")]].concat());
        assert_eq!(found, "1 \"[lost](gone)\": the link target `gone` does not exist\n", "{root}");
    }
    let page = format!("---\ntitle: A\n---\n\n{absolute}");
    assert_eq!(display("{links: [files]}", &page, &[]), "");
}
