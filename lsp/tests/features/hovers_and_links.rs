//! Hovers, links and the code lens.

use crate::features::support::{FULL_CLIENT, Project};
use aidd_engine::text::files::Files;
use aidd_engine::workspace::baseline::Baseline;
use aidd_lsp::client::Client;
use aidd_lsp::memory::Memories;
use aidd_lsp::{hover, lens, links};
use insta::assert_snapshot;
use tower_lsp_server::ls_types::HoverContents;

/// The text of the hover at the cursor, after a line that describes its range.
fn hover_text(project: &Project, path: &str, marked: &str, client: Client) -> String {
    let (snapshot, range) = project.open_at(path, marked);
    let hover = hover::hover(&snapshot, range.start, client, &Memories::default());
    let Some(hover) = hover.expect("the memory is readable") else {
        return "nothing".to_owned();
    };
    let HoverContents::Markup(content) = hover.contents else { panic!("no markup") };
    let range = hover.range.expect("a range");
    let span = aidd_lsp::convert::span(&snapshot.source, range, project.encoding);
    let text = format!("[{}] {:?}\n{}", snapshot.source.slice(span), content.kind, content.value);
    project.mask_root(&text)
}

#[test]
fn a_finding_is_shown_with_its_explanation() {
    let project = Project::new(&[]);
    let text = "FROM debian:la‸test\n";
    assert_snapshot!(hover_text(&project, "Dockerfile", text, FULL_CLIENT), @"
    [debian:latest] Markdown
    **warning**: image `debian` is tagged `latest`

    Pin the version you tested, or add a digest

    ---

    **[dockerfile/latest-tag](https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md)** · warning · also DL3007

    The tag `latest` moves: two builds of the same Dockerfile can start from different images, and upgrades arrive without a change to the Dockerfile.

    Use a version tag. If the reference also has a digest, the tag is only a label and is not reported. If the name of the image contains the version (`ubi9/ubi-minimal`), or if the project itself builds the image, the finding is an `info`.

    #### Fails

    ```dockerfile
    FROM debian:latest
    ```

    #### Passes

    ```dockerfile
    FROM debian:12
    ```

    ```dockerfile
    FROM debian:latest@sha256:1a2b3c
    ```

    ```dockerfile
    FROM debian:latest-slim
    ```
    ");
    assert_snapshot!(hover_text(&project, "Dockerfile", text, Client::default()), @"
    [debian:latest] PlainText
    warning: image debian is tagged latest

    Pin the version you tested, or add a digest


    dockerfile/latest-tag (https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md) · warning · also DL3007

    The tag latest moves: two builds of the same Dockerfile can start from different images, and upgrades arrive without a change to the Dockerfile.

    Use a version tag. If the reference also has a digest, the tag is only a label and is not reported. If the name of the image contains the version (ubi9/ubi-minimal), or if the project itself builds the image, the finding is an info.

    Fails

        FROM debian:latest

    Passes

        FROM debian:12

        FROM debian:latest@sha256:1a2b3c

        FROM debian:latest-slim
    ");
    assert_eq!(hover_text(&project, "Dockerfile", "FR‸OM debian:12\n", FULL_CLIENT), "nothing");
}

/// A page of the project with markup that must not take effect.
const HOSTILE: &str = "---
severity: warning
aliases: ['[x](command:a)<img src=b>']
message: \"`<match>` <img src=https://evil.example/p.png> [run](command:evil) ![i](https://evil.example/p.png)\\n# \\u202eno\\n```\"
help: \"<a href='command:evil'>click</a> or [here](javascript:x)\"
check:
  text: { regex: 'blue.*' }
---
# team/evil

Why <b>not</b>? ![logo](https://evil.example/p.png) [run it](command:workbench.action.quit) and
[this][ref] or <javascript:x>, see [the docs](https://ok.example/a) and [a file](../docs/a.md).

<script>alert(1)</script>

<!-- [hidden](command:x) -->

[ref]: command:evil

## Fails

```txt
blue <img src=x>
```
";

#[test]
fn markup_in_project_pages_has_no_effect() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let project = Project::new(&[("rules/evil.md", HOSTILE)]);
    let text = "a bl‸ue <img src=https://evil.example/q.png> [run](command:evil) \u{202e}\n";
    let shown = hover_text(&project, "a.txt", text, FULL_CLIENT);
    // The first line is added by the test.
    let shown = shown.split_once('\n').expect("a head").1;
    for event in Parser::new_ext(shown, Options::all()) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => panic!("HTML {html} in {shown}"),
            Event::Start(Tag::Image { dest_url, .. }) => panic!("image {dest_url} in {shown}"),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let allowed =
                    ["https://ok.example/a", "../docs/a.md", "file:///project/rules/evil.md"];
                assert!(allowed.contains(&&*dest_url), "link {dest_url} in {shown}");
            }
            _ => {}
        }
    }
    assert!(!shown.contains(['\u{202e}', '\u{1b}']), "{shown}");
    assert_snapshot!(shown, @r#"
    **warning**: `blue <img src=https://evil.example/q.png> [run](command:evil) \u{202e}` \<img src=https://evil.example/p.png> \[run\](command:evil) \!\[i\](https://evil.example/p.png)
    \# \\u{202e}no
    \`\`\`

    \<a href='command:evil'>click\</a> or \[here\](javascript:x)

    ---

    **[team/evil](file:///project/rules/evil.md)** · warning · also \[x\](command:a)\<img src=b>

    Why \<b>not\</b>? logo run it and
    this or javascript:x, see [the docs](https://ok.example/a) and [a file](../docs/a.md).

    \<script>alert(1)\</script>

    #### Fails

    ```txt
    blue <img src=x>
    ```
    "#);
    let plain = hover_text(&project, "a.txt", text, Client::default());
    assert!(
        plain.contains("see the docs (https://ok.example/a) and a file (../docs/a.md)."),
        "{plain}"
    );
    assert!(!plain.lines().skip(1).any(|line| line.contains('\u{202e}')), "{plain}");
    let snapshot = project.open("a.txt", &text.replace('‸', ""));
    let found = aidd_lsp::convert::diagnostics(&snapshot);
    assert!(!found[0].message.contains('\u{202e}'), "{}", found[0].message);
}

#[test]
fn several_findings_at_a_position_are_shown_without_examples() {
    let project = Project::new(&[]);
    let text = "FROM debian:12\nRUN apt-get ‸install curl\n";
    let shown = hover_text(&project, "Dockerfile", text, FULL_CLIENT);
    assert!(shown.matches("\n\n---\n\n").count() >= 3, "{shown}");
    assert!(!shown.contains("#### Fails"), "{shown}");
}

#[test]
fn the_status_of_a_finding_is_shown() {
    let first = Project::new(&[]);
    let known = first.open("Dockerfile", "FROM debian:latest\n").checked.findings;
    let baseline =
        Baseline::from_findings(known.iter().map(|finding| ("Dockerfile", finding))).to_json();
    let project = Project::new(&[(".aidd/baseline.json", &baseline)]);
    let shown = hover_text(&project, "Dockerfile", "FROM ‸debian:latest\n", FULL_CLIENT);
    assert!(shown.contains("\n*baselined*: recorded in the baseline\n"), "{shown}");
    let text = "# aidd:allow dockerfile/latest-tag it is a test\nFROM ‸debian:latest\n";
    let shown = hover_text(&project, "Dockerfile", text, FULL_CLIENT);
    assert!(shown.contains("\n*allowed*: it is a test\n"), "{shown}");
}

#[test]
fn a_rule_name_shows_the_rule_page() {
    let page = "---\nseverity: info\naliases: [T1]\n---\n# team/one\n\nBecause.\n";
    let project = Project::new(&[("rules/one.md", page)]);
    let text = "# aidd:allow DL3007, te‸am/one why\nFROM debian:latest\n";
    assert_snapshot!(hover_text(&project, "Dockerfile", text, FULL_CLIENT), @"
    [team/one] Markdown
    **[team/one](file:///project/rules/one.md)** · info · also T1

    Because.
    ");
    let text = "# aidd:allow team/o‸ne why\nFROM debian:12\n";
    let shown = hover_text(&project, "Dockerfile", text, FULL_CLIENT);
    assert!(shown.contains("allows nothing") && shown.ends_with("Because."), "{shown}");
    let config = "{\"rules\": {\"T‸1\": \"off\"}}";
    assert_snapshot!(hover_text(&project, ".aidd/config.json", config, FULL_CLIENT), @"
    [T1] Markdown
    **[team/one](file:///project/rules/one.md)** · info · also T1

    Because.
    ");
    let text = "# aidd:allow dockerfile/sudo w‸hy\nFROM debian:12\n";
    assert_eq!(hover_text(&project, "Dockerfile", text, FULL_CLIENT), "nothing");
}

#[test]
fn rule_names_link_to_their_pages() {
    let page = "---\nseverity: info\n---\n# team/one\n\nBecause.\n";
    let project = Project::new(&[("rules/one.md", page)]);
    let text = "# 😀\n# aidd:allow team/one, DL3007, no/rule why\n# hadolint ignore=DL3008\n";
    let snapshot = project.open("Dockerfile", text);
    let links: Vec<String> = links::links(&snapshot)
        .into_iter()
        .map(|link| {
            let span = aidd_lsp::convert::span(&snapshot.source, link.range, project.encoding);
            let target = link.target.as_ref().map_or("", |uri| uri.as_str()).to_owned();
            format!("{} -> {target}", snapshot.source.slice(span))
        })
        .collect();
    assert_snapshot!(project.mask_root(&links.join("\n")), @"
    team/one -> file:///project/rules/one.md
    DL3007 -> https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md
    DL3008 -> https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/unpinned-apt-package.md
    ");
}

#[test]
fn allowed_findings_are_counted() {
    let project = Project::new(&[]);
    let text = "FROM debian:12\nRUN sudo a\n";
    assert_eq!(lens::lenses(&project.open("Dockerfile", text)), []);
    let text = "FROM debian:12\n# aidd:allow dockerfile/sudo needed\nRUN sudo a\n";
    let snapshot = project.open("Dockerfile", text);
    let [lens] = &lens::lenses(&snapshot)[..] else { panic!("one lens") };
    let command = lens.command.as_ref().expect("a command");
    assert_eq!(command.title, "1 finding allowed in this file");
    assert_eq!(command.command, lens::SHOW_ALLOWED);
    let message = lens::message(&lens::allowed(&snapshot));
    assert_snapshot!(message, @"3: dockerfile/sudo: `sudo` is not needed in a build (needed)");
}

/// Two decisions and a mistake, as the tracked files contain them.
const MEMORY: [(&str, &str); 2] = [
    (
        "ai/memory/decisions.jsonl",
        concat!(
            r#"{"at":1767225600000,"content":"`loadUser` reads from the cache only","id":"decision_1767225600000_aaaaaaaaaaaa","metadata":{"reasoning":"The database was too slow."},"rev":"aaaaaaaaaaaa","schemaVersion":1,"topic":"user cache","type":"decision"}"#,
            "\n",
            r#"{"at":1767225600000,"content":"Never allow `dockerfile/latest-tag`","id":"decision_1767225600000_bbbbbbbbbbbb","rev":"bbbbbbbbbbbb","schemaVersion":1,"topic":"base images","type":"decision"}"#,
            "\n",
        ),
    ),
    (
        "ai/memory/mistakes.jsonl",
        concat!(
            r#"{"at":1767225600000,"content":"src/user.ts returned a stale user","id":"mistake_1767225600000_cccccccccccc","metadata":{"prevention":"Invalidate <the> cache."},"rev":"cccccccccccc","schemaVersion":1,"type":"mistake"}"#,
            "\n",
        ),
    ),
];

#[test]
fn the_message_is_omitted_for_a_client_that_shows_it_itself() {
    let project = Project::new(&[]);
    let client = Client { shows_messages: true, ..FULL_CLIENT };
    let text = hover_text(&project, "Dockerfile", "FROM debian:la‸test\n", client);
    assert!(text.contains("The tag `latest` moves") && !text.contains("Pin the"), "{text}");
    assert!(text.starts_with("[debian:latest] Markdown\n**[dockerfile/latest-tag]"), "{text}");
    // The client shows no diagnostic of an allowed finding.
    let allowed = "# aidd:allow dockerfile/latest-tag why\nFROM debian:la‸test\n";
    let text = hover_text(&project, "Dockerfile", allowed, client);
    assert!(text.contains("is tagged `latest`") && text.contains("*allowed*: why"), "{text}");
}

#[test]
fn memories_are_shown_where_a_symbol_or_a_rule_is_named() {
    let project = Project::new(&MEMORY);
    let code = "const user = load‸User(id)\n";
    assert_snapshot!(hover_text(&project, "src/a.ts", code, FULL_CLIENT), @"
    [loadUser] Markdown
    **Project memory**

    - **decision**: user cache: `loadUser` reads from the cache only — The database was too slow. (`decision_1767225600000_aaaaaaaaaaaa`)
    ");
    let ordinary = "const us‸er = loadUser(id)\n";
    assert_eq!(hover_text(&project, "src/a.ts", ordinary, FULL_CLIENT), "nothing");
    let finding = hover_text(&project, "Dockerfile", "FROM debian:la‸test\n", FULL_CLIENT);
    let memory = "- **decision**: base images: Never allow `dockerfile/latest-tag` (`decision_";
    assert!(finding.contains(memory), "{finding}");
    let comment = "# aidd:allow dockerfile/lat‸est-tag why\nFROM debian:latest\n";
    let rule = hover_text(&project, "Dockerfile", comment, FULL_CLIENT);
    assert!(rule.contains(memory), "{rule}");
}

#[test]
fn lenses_show_the_memories_that_name_the_file_or_a_symbol() {
    let project = Project::new(&MEMORY);
    let memories = Memories::default();
    let lenses = |path: &str| {
        let snapshot = project.open(path, "\nexport function loadUser() {}\nfunction other() {}\n");
        let lenses = lens::memory_lenses(&snapshot, &memories).expect("readable");
        let line = |lens: &tower_lsp_server::ls_types::CodeLens| {
            let command = lens.command.as_ref().expect("a command");
            format!("{}: {} {:?}", lens.range.start.line, command.title, command.arguments)
        };
        project.mask_root(&lenses.iter().map(line).collect::<Vec<_>>().join("\n"))
    };
    assert_snapshot!(lenses("src/user.ts"), @r#"
    0: 1 mistake in the project memory Some([String("file:///project/src/user.ts")])
    1: decision: user cache: `loadUser` reads from the cache only Some([String("file:///project/src/user.ts"), String("loadUser")])
    "#);
    assert_snapshot!(lenses("src/b.ts"), @r#"1: decision: user cache: `loadUser` reads from the cache only Some([String("file:///project/src/b.ts"), String("loadUser")])"#);
    let without = Project::new(&[]);
    let snapshot = without.open("src/user.ts", "function loadUser() {}\n");
    assert_eq!(lens::memory_lenses(&snapshot, &memories).expect("readable"), []);
    assert!(!without.disk().exists(".aidd"), "nothing is written without a memory");
}
