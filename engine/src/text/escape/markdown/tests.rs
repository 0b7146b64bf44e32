use super::*;
use proptest::prelude::*;

/// The parts of `markdown` that would load, run or hide something in a renderer with these
/// `options`.
fn unsafe_parts(markdown: &str, options: Options) -> Vec<String> {
    let mut found = Vec::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => found.push(format!("HTML {html}")),
            Event::Start(Tag::Image { dest_url, .. }) => found.push(format!("image {dest_url}")),
            Event::Start(Tag::Link { dest_url, .. }) if !is_safe(&dest_url) => {
                found.push(format!("link {dest_url}"));
            }
            Event::Text(text) | Event::Code(text)
                if text.contains(|c| is_hidden(c) && !"\n\t".contains(c)) =>
            {
                found.push(format!("hidden {text:?}"));
            }
            _ => {}
        }
    }
    found
}

const RENDERERS: [Options; 3] = [
    Options::empty(),
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS),
    Options::all(),
];

fn assert_safe(markdown: &str) {
    for options in RENDERERS {
        let found = unsafe_parts(markdown, options);
        assert!(found.is_empty(), "{found:?} in\n{markdown}");
    }
}

#[test]
fn a_page_retains_its_text() {
    let text = "# A `b`\n\nOne *two* **three** [four](https://x.example/a_(b)?c=d&e=f) ~~five~~\nsix  \nseven\n\n\
                - a\n  - b\n- c\n\n1. x\n\n   y\n2. z\n\n> q\n> r\n\n```rust ignore\nlet a = \"<b>\";\n```\n\n\
                | a | b |\n| :-- | --: |\n| `x\\|y` | 1 |\n\n---\n\nend";
    insta::assert_snapshot!(page(text), @r#"
    # A `b`

    One *two* **three** [four](https://x.example/a_%28b%29?c=d\&e=f) ~~five~~
    six\
    seven

    - a
      - b
    - c

    1. x

       y

    2. z

    > q
    > r

    ```rust
    let a = "<b>";
    ```

    | a | b |
    | :--- | ---: |
    | `x\|y` | 1 |

    ---

    end
    "#);
    insta::assert_snapshot!(plain(text), @r#"
    A b

    One two three four (https://x.example/a_(b)?c=d&e=f) five
    six
    seven

    - a
      - b
    - c

    1. x

       y

    2. z

      q
      r

        let a = "<b>";

     a   b
     x|y   1


    end
    "#);
}

#[test]
fn active_and_hidden_content_is_removed() {
    let text = "<script>x</script>\n\nA <b onclick=x>bold</b> ![alt *text*](https://evil.example/p.png) word\n\n\
                [run](command:evil) [js](JaVaScRiPt:x) [d](data:text/html,x) [f](file:///etc/passwd) \
                [v](vbscript:x) [u](//evil.example) [t](java&#9;script:x) <https://ok.example> [r][ref]\n\n\
                [ref]: command:x\n\n[^1]: <img src=x>\n\n<!-- hidden -->\n\n\u{202e}reordered\u{1b}[2J\n\n\
                &lt;img src=x onerror=y&gt; \\<i>";
    let text = page(text);
    assert_safe(&text);
    insta::assert_snapshot!(text, @r#"
    \<script>x\</script>

    A \<b onclick=x>bold\</b> alt text word

    run js d f v u t [https://ok.example](https://ok.example) r

    \\u{202e}reordered\\u{1b}\[2J

    \<img src=x onerror=y> \<i>
    "#);
}

#[test]
fn a_block_after_an_empty_item_is_outside_the_item() {
    let text = page("- \n```\n*<a href='x'>");
    assert_safe(&text);
    insta::assert_snapshot!(text, @r"
    -

    ```
    *<a href='x'>
    ```
    ");
    assert_safe(&page("> \n\n```\n*<a href='x'>"));
}

#[test]
fn a_message_retains_its_text_and_code_spans() {
    let text = "`a_b` is <b>![x](y)</b> \\ `` c ` d `` [z](command:q) `\n# 1. x\n1. y\n- z | ```";
    assert_safe(&message(text));
    insta::assert_snapshot!(message(text), @r#"
    `a_b` is \<b>\!\[x\](y)\</b> \\ `` c ` d `` \[z\](command:q) \`
    \# 1. x
    1\. y
    \- z \| \`\`\`
    "#);
    let words = "key `__a__` at <x>: 1.5 & C# [b](c)";
    assert_eq!(plain(&message(words)), words.replace('`', ""));
}

#[test]
fn links_created_by_aidd_are_retained() {
    let text = link("a](b) <i>", "https://x.example/a)b [c]");
    assert_safe(&text);
    assert_eq!(text, "[a\\](b) \\<i>](https://x.example/a%29b%20%5Bc%5D)");
}

#[test]
fn output_for_deep_nesting_is_at_most_eight_times_as_long_as_the_text() {
    for part in ["> ", "- ", "1. ", "[", "*", "`", "![", "<a>", "\\", "| "] {
        let text = part.repeat(40_000);
        let out = page(&format!("{text}x\n{text}y\n"));
        assert!(out.len() <= 8 * text.len(), "{part:?}: {}", out.len());
    }
}

/// The document as events, with adjacent text merged. Two documents with equal events have the same
/// meaning.
fn meaning(markdown: &str) -> Vec<String> {
    let options = RENDERERS[1];
    let mut events = Vec::new();
    for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
        events.push(match event {
            Event::Start(Tag::Link { dest_url, .. }) => format!("link {dest_url}"),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                format!("code {}", info.split(' ').next().unwrap_or_default())
            }
            Event::Start(Tag::CodeBlock(_)) => "code ".to_owned(),
            Event::Text(text) => format!("text {text}"),
            Event::Code(code) => format!("span {code}"),
            other => format!("{other:?}"),
        });
    }
    events
}

#[test]
fn shipped_pages_retain_their_meaning() {
    // The examples of `agents/hidden-unicode` contain the characters that are escaped.
    let pages = aidd_content::RULES.pages.iter().filter(|page| page.id != "agents/hidden-unicode");
    for (id, text) in pages.map(|page| (page.id, page.text)) {
        let body = aidd_page::split(text).map_or(text, |(_, body)| &text[body]);
        assert_eq!(meaning(&page(body)), meaning(body), "{id}");
    }
}

proptest! {
    #[test]
    fn the_output_contains_nothing_unsafe(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("<img src=x>"), Just("<!--"), Just("-->"), Just("<a href='x'>"), Just("![a](b)"),
                Just("[a](command:x)"), Just("[a]"), Just("(b)"), Just("[a]: javascript:x"), Just("[^1]"),
                Just(": "), Just("!"), Just("["), Just("]"), Just("("), Just(")"), Just("<"), Just(">"),
                Just("`"), Just("```"), Just("~~~"), Just("|"), Just("---"), Just("\n"), Just("\n\n"),
                Just("    "), Just("- "), Just("1. "), Just("> "), Just("#"), Just("="), Just("\\"),
                Just("*"), Just("_"), Just("&lt;"), Just("&#60;"), Just("\t"), Just("\r"), Just("x"),
                Just("\u{202e}"), Just("\u{1b}"), Just("\u{a0}"), Just("https://x.example"), Just("$$"),
                Just("{#a .b}"), Just(":::"), Just("[["), Just("+++"), Just("é"), Just("0"),
            ],
            0..30,
        ),
    ) {
        let text = parts.concat();
        assert_safe(&page(&text));
        assert_safe(&message(&text));
        let plain = plain(&text);
        prop_assert!(!plain.contains(|c| is_hidden(c) && !"\n\t".contains(c)), "{plain:?}");
    }
}
