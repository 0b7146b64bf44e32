//! Tests of the model: each case is a text and its tree as text.

use crate::{AttributeKind, Document, Language, Node, Value};
use cpu_time::ThreadTime;
use proptest::prelude::*;
use std::fmt::Write as _;

/// The tree of a document, one node a line.
fn tree(document: &Document<'_>) -> String {
    let mut text = String::new();
    let mut pending: Vec<(usize, Node<'_>)> = document.roots().map(|node| (0, node)).collect();
    pending.reverse();
    while let Some((depth, node)) = pending.pop() {
        let _ = write!(text, "{}", "  ".repeat(depth));
        let children: Vec<Node<'_>> = match node {
            Node::Element(element) => {
                let _ = write!(text, "<{}", element.name());
                for attribute in element.attributes() {
                    let mark = match attribute.kind {
                        AttributeKind::Plain => "",
                        AttributeKind::Event => "on ",
                        AttributeKind::Content => "content ",
                        AttributeKind::Spread => "...",
                        AttributeKind::Directive => "directive ",
                    };
                    let _ = write!(text, " {mark}{}", attribute.name);
                    let _ = match attribute.value {
                        Value::Empty => Ok(()),
                        Value::Static { text: value, .. } => write!(text, "={value:?}"),
                        Value::Absent => write!(text, "=absent"),
                        Value::Dynamic { .. } => write!(text, "=?"),
                    };
                }
                let _ = write!(text, "{}>", if element.is_native() { "" } else { " component" });
                element.children().collect()
            }
            Node::Text(found, _) => {
                let _ = write!(text, "{:?}", found.trim());
                Vec::new()
            }
            Node::Block(block) => {
                let _ = write!(text, "block{}", if block.may_be_text { "?" } else { "" });
                block.children().collect()
            }
            Node::Slot(block) => {
                let _ = write!(text, "slot");
                block.children().collect()
            }
        };
        text.push('\n');
        pending.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
    }
    text
}

fn assert_tree(language: Language, source: &str, expected: &str) {
    let document = Document::parse(source, language);
    let lines: Vec<&str> = expected.lines().filter(|line| !line.trim().is_empty()).collect();
    let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let expected: String = lines.iter().map(|line| format!("{}\n", &line[indent..])).collect();
    assert_eq!(tree(&document), expected, "{source}");
}

#[test]
fn end_tags_that_html_implies_are_added() {
    assert_tree(
        Language::Html,
        "<!doctype html><UL><li>a<li>b</ul><p>c<div>d</div><table><tr><td>e<td>f<tr><td>g</table>",
        r#"
        <ul>
          <li>
            "a"
          <li>
            "b"
        <p>
          "c"
        <div>
          "d"
        <table>
          <tr>
            <td>
              "e"
            <td>
              "f"
          <tr>
            <td>
              "g"
        "#,
    );
}

#[test]
fn stray_and_missing_end_tags_do_not_hide_elements() {
    assert_tree(
        Language::Html,
        "</b><div><span><p>a</span></p></i></div><a href=x>b",
        r#"
        <div>
          <span>
            <p>
              "a"
        <a href="x">
          "b"
        "#,
    );
}

#[test]
fn values_with_template_tags_are_dynamic() {
    assert_tree(
        Language::Html,
        r#"<a href="{{ url("x") }}" {% if a %}class="b"{% endif %} title='<%= t("c") %>'>{# no #}{% trans "d" %}{% if e %}<b>f</b>{% endif %}</a>"#,
        r#"
        <a href=? ...=? class="b" ...=? title=?>
          block?
          block
          <b>
            "f"
          block
        "#,
    );
}

#[test]
fn the_content_of_a_helper_of_erb_is_that_of_a_component() {
    assert_tree(
        Language::Html,
        "<ul><%= tag.li do %><% if a %><b>x</b><% end %><% end %></ul><%= form_with do |f| -%><p>y<% end %>z<%= t(:do) %></ul><%= if a do %><i>w</i><% end %>",
        r#"
        <ul>
          block?
          <tag.li component>
            block
            <b>
              "x"
            block
            block
        block?
        <form_with component>
          <p>
            "y"
            block
        "z"
        block?
        block?
        <i>
          "w"
        block
        "#,
    );
}

#[test]
fn vue_components_contain_the_elements_of_their_template() {
    assert_tree(
        Language::Vue,
        r#"<script setup>const a = "<p>"</script><template><MyLink :to="a" @click.prevent="b" v-if="c" :tabindex="-1" v-bind="d"/><p v-html="e" :aria-label="'f'">{{ g }} h</p></template><style>p{}</style>"#,
        r#"
        <template>
          <MyLink to=? on click=? directive v-if=? tabindex="-1" ...v-bind=? component>
          <p content v-html=? aria-label="f">
            block?
            "h"
        "#,
    );
}

#[test]
fn svelte_blocks_and_shorthands_are_known() {
    assert_tree(
        Language::Svelte,
        "{#each items as item (item.id)}<li on:click|once={go} {title} {...rest} bind:value={x}>{item.name}{:else}<p>none{/each}<img alt=\"a {b}\">",
        r#"
        block
          <li on click=? title=? ...=? value=?>
            block?
        block
          <p>
            "none"
        <img alt=?>
        "#,
    );
}

#[test]
fn angular_bindings_and_blocks_are_known() {
    assert_tree(
        Language::Angular,
        r#"@if (a; as b) {<button [attr.aria-label]="c" (click)="d()" *ngIf="e" [tabindex]="0">{{ f }}</button>} @else {<app-x></app-x>}"#,
        r#"
        block
          <button aria-label=? on click=? directive *ngIf=? tabindex="0">
            block?
        block
          <app-x component>
        "#,
    );
}

#[test]
fn astro_expressions_contain_elements() {
    assert_tree(
        Language::Astro,
        "---\nconst a = '<p>';\n---\n<ul>{items.map((item) => (<li>{item}</li>))}</ul>",
        r#"
        <ul>
          block?
            <li>
              block?
        "#,
    );
}

/// Texts that begin a construct of some language.
const PARTS: &[&str] = &[
    "<div>",
    "<p ",
    "</p>",
    "</div>",
    "<b>",
    "</i>",
    "<a href=\"",
    "{{",
    "}}",
    "{% if %}",
    "<%",
    "%>",
    "<?",
    "${",
    "{",
    "}",
    "{#if a}",
    "{:else}",
    "{/if}",
    "@if (a) {",
    "@if (",
    "<#if a>",
    "...a",
    "@",
    "\"",
    "'",
    "`",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<template>",
    "</template>",
    "<li>",
    "<table><tr><td>",
    "=",
    "é",
    " ",
    "/>",
    ">",
    "[",
    "(",
    "/*",
    "//",
    "\n",
    "<title>",
    "---\n",
];

const LANGUAGES: [Language; 5] =
    [Language::Html, Language::Vue, Language::Svelte, Language::Angular, Language::Astro];

fn assert_valid(text: &str) {
    for language in LANGUAGES {
        let document = Document::parse(text, language);
        for element in document.elements() {
            for span in [element.span(), element.tag_span(), element.name_span()] {
                assert!(text.get(span.range()).is_some(), "{language:?} {text:?} {span:?}");
            }
            assert!(element.span().contains(element.tag_span()), "{language:?} {text:?}");
            for attribute in element.attributes() {
                assert!(element.tag_span().contains(attribute.span), "{language:?} {text:?}");
                assert!(attribute.span.contains(attribute.name_span), "{language:?} {text:?}");
                if let Value::Static { text: value, span } = attribute.value {
                    assert_eq!(text.get(span.range()), Some(value), "{language:?} {text:?}");
                }
            }
            assert!(element.descendants().count() < text.len());
        }
    }
}

proptest! {
    #[test]
    fn spans_are_inside_the_text(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..24),
    ) {
        assert_valid(&parts.concat());
    }
}

#[test]
fn the_cost_grows_with_the_length() {
    for language in LANGUAGES {
        let prefix = if language == Language::Vue { "<template>" } else { "" };
        for part in PARTS {
            for prefix in [prefix, "<template><div><b {#if a}"] {
                let cost = |count: usize| {
                    let text = format!("{prefix}{}", part.repeat(count));
                    let start = ThreadTime::now();
                    let elements = Document::parse(&text, language).elements().count();
                    assert!(elements <= text.len());
                    start.elapsed().as_secs_f64()
                };
                let smaller = cost(1_000).max(0.004);
                let larger = cost(8_000);
                // Load on the machine slows single runs.
                let is_linear = |cost: f64| cost < smaller * 16.0;
                let holds = is_linear(larger) || (0..5).any(|_| is_linear(cost(8_000)));
                assert!(holds, "{language:?} {prefix}{part}: {smaller} {larger}");
            }
        }
    }
}

#[test]
fn components_and_variables_are_not_elements_and_statements() {
    assert_tree(
        Language::Astro,
        "<a><Image alt=`a ${b} c` /><Filter /></a>",
        r#"
        <a>
          <Image alt=? component>
          <Filter component>
        "#,
    );
    assert_tree(
        Language::Html,
        "<p>{{ range }}{{ end_date }}{{this.a}}</p>{{ if .A }}{{ range $b }}{{- end -}}<Input />",
        r#"
        <p>
          block?
          block?
          block?
        block
        block
        block
        <Input component>
        "#,
    );
    assert_tree(Language::Vue, "<template>{{ endDate }}</template>", "<template>\n  block?\n");
}

#[test]
fn statements_among_the_attributes_can_add_any() {
    assert_tree(
        Language::Html,
        r#"<p @if ($a) class="b" @else c @endif></p><p ...attributes></p><p {@rest} a={b}></p>
        <p <#if a>b="c"</#if>></p><p a$="[[b]]" c.bind="d"></p><i <c:if>d</c:if>></i>"#,
        r#"
        <p ...=? on $a=? class="b" ...=? c ...=?>
        <p ...=?>
        <p ...=? a=?>
        <p ...=? b="c" ...=?>
        <p a=? c=?>
        <i ...=?>
          <c:if component>
            "d"
          ">"
        "#,
    );
}

#[test]
fn a_page_is_complete_without_scripts_and_statements() {
    let facts = |text: &str| {
        let document = Document::parse(text, Language::Html);
        (document.is_whole(), document.is_complete())
    };
    assert_eq!(facts("<body><p>A</p></body>"), (true, true));
    assert_eq!(facts("<p>A</p>"), (false, false));
    assert_eq!(facts("<body><p>{{ a }}</p></body>"), (false, false));
    assert_eq!(facts("<body>{% if a %}<p>A</p>{% endif %}</body>"), (false, false));
    assert_eq!(facts("<body><p onclick=\"a()\">A</p></body>"), (true, false));
    assert_eq!(facts("<body><app-root></app-root></body>"), (true, false));
    assert_eq!(facts("<body><script src=\"a.js\"></script></body>"), (true, false));
    let data = "<body><script type=\"application/ld+json\">{}</script></body>";
    assert_eq!(facts(data), (true, true));
}

#[test]
fn ids_lead_to_the_first_element_and_to_its_labels() {
    let text = "<label for=a>B</label><p id=b><i id=a></i><b id=a></b><label for=' a '>C</label>";
    let document = Document::parse(text, Language::Html);
    assert_eq!(document.by_id("a").map(crate::Element::name), Some("i"));
    assert!(document.by_id("c").is_none());
    assert_eq!(document.labels_for("a").count(), 2);
}
