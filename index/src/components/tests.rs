//! The scripts of components, and the uses in their markup.

use super::script_of;
use crate::facts::{outline_of, read};

/// The script of a component, without the spaces at the ends of lines and empty lines.
fn script(path: &str, text: &str) -> Vec<String> {
    let script = script_of(path, text).expect("a component");
    assert_eq!(script.text.len(), text.len());
    let breaks = |text: &str| text.matches('\n').count();
    assert_eq!(breaks(&script.text), breaks(text));
    let lines = script.text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let lines = lines.map(|words| words.join(" "));
    lines.filter(|line| !line.trim_matches(';').is_empty()).collect()
}

/// The references of a component, as `source kind receiver.name line:column`.
fn refs(path: &str, text: &str) -> Vec<String> {
    let found = read(path, text).expect("facts").outline;
    let describe = |at: &crate::outline::Ref| {
        let source = at.source.map_or("", |source| &found.symbols[source as usize].qualified);
        let receiver = at.receiver.as_ref().map_or(String::new(), |receiver| {
            let names: Vec<&str> = receiver.names().collect();
            format!("{}.", if names.is_empty() { "this".to_owned() } else { names.join(".") })
        });
        let (line, column) = (at.at.line + 1, at.at.column);
        format!("{source} {} {receiver}{} {line}:{column}", at.kind.name(), at.name)
    };
    found.refs.iter().map(describe).collect()
}

const VUE: &str = r#"<script setup lang="ts">
import UserCard from './UserCard.vue'
import { save } from './api'
const open = () => save(1)
</script>

<template>
  <div :class="{ on: open }" @click="open(); save(2)">
    <template v-for="(item, i) of list" :key="i"><user-card :user="item" @close="open" /></template>
    {{ format(open) }} text's <UserCard v-if="a > b" #title="{ open }" />
  </div>
</template>

<style>a { b: c }</style>
"#;

#[test]
fn expressions_of_vue_are_statements_at_their_positions() {
    assert_eq!(
        script("a/Page.vue", VUE),
        [
            "import UserCard from './UserCard.vue'",
            "import { save } from './api'",
            "const open = () => save(1)",
            ";({ on: open }) ;{open(); save(2)};",
            ";( list) ;(i); ;(item) ;{open} ;",
            ";( format(open) ); ;(a > b) ;",
        ]
    );
}

#[test]
fn the_component_uses_what_its_markup_uses() {
    let outline = outline_of("a/Page.vue", VUE).expect("an outline");
    let names: Vec<&str> = outline.symbols.iter().map(|symbol| &*symbol.qualified).collect();
    assert_eq!(names, ["Page", "open"]);
    let mut found = refs("a/Page.vue", VUE);
    // `open` is a variable of the slot `#title`, so its uses in the markup are not those of the function.
    found.retain(|found| !found.contains("format"));
    assert_eq!(
        found,
        [
            "open call save 4:19",
            "Page call save 8:45",
            "Page use UserCard 9:50",
            "Page use UserCard 10:31",
        ]
    );
}

#[test]
fn markup_of_options_components_uses_methods() {
    let text = "<template><p @click=\"save\">{{ total() }} {{ name }}</p></template>\n\
        <script>\nexport default defineComponent({\n  setup() { const name = () => 1; return { name } },\n\
        methods: { save() { this.total() } },\n  computed: { total() { return 1 } },\n})\n</script>\n";
    assert_eq!(
        refs("Form.vue", text),
        [
            "Form use this.save 1:21",
            "Form call this.total 1:30",
            "Form.setup use name 1:44",
            "Form call defineComponent 3:15",
            "Form.setup use name 4:43",
            "Form.save call this.total 5:25",
        ]
    );
}

#[test]
fn blocks_of_svelte_are_statements() {
    let text = "<script module>\nexport const id = 1;\n</script>\n<script lang=\"ts\">\n\
        import { fade } from './fade';\nimport { user } from './store';\nlet n = $state(0);\n\
        $: twice = $user.n * 2;\n</script>\n\
        {#if $user.ok}<p transition:fade on:click={() => go(n)} class=\"a {n} b\" {id}>it's {n}</p>\n\
        {:else if n}{#each list as item, i (item.id)}<Row {...item} {i} />{/each}{/if}\n\
        {#snippet row(x)}{@render x()}{/snippet}\n<style>p { color: red }</style>\n";
    assert_eq!(
        script("Page.svelte", text),
        [
            ";export const id = 1;",
            "import { fade } from './fade';",
            "import { user } from './store';",
            "let n = $state(0);",
            "$: twice = user.n * 2;",
        ]
        .map(|line| line.trim_start_matches(';'))
        .into_iter()
        .chain([
            "{ user.ok} ;(() => go(n)) ;{n} ;{id}; ;{n}",
            "{ n}{ list } ;{ item};{i} ;",
            ";{ x()}"
        ])
        .collect::<Vec<_>>()
    );
    assert!(refs("Page.svelte", text).contains(&"Page use fade 10:28".to_owned()));
}

#[test]
fn elements_in_expressions_of_astro_are_values() {
    let text = "---\nimport Card from './Card.astro';\nimport { all } from './data';\n---\n\
        <ul class={join(all)}>\n{all.map((post) => <li><Card {...post} size={size(post)} /> {post.title}</li>)}\n\
        {all.length > 0 && <br />}\n</ul>\n<script>\nimport { start } from './client';\nstart();\n</script>\n";
    assert_eq!(
        script("Posts.astro", text),
        [
            "import Card from './Card.astro';",
            "import { all } from './data';",
            ";(join(all));",
            "{all.map((post) => 0 ( post) (size(post)) (post.title) )}",
            "{all.length > 0 && 0 }",
            "import { start } from './client';",
            "start();",
        ]
    );
    assert_eq!(
        refs("Posts.astro", text),
        [
            "Posts call join 5:11",
            "Posts use all 5:16",
            "Posts use all 6:1",
            "Posts call all.map 6:5",
            "Posts use Card 6:24",
            "Posts call size 6:45",
            "Posts use all 7:1",
            "Posts use all.length 7:5",
            "Posts call start 11:0",
        ]
    );
}

#[test]
fn damaged_components_are_read() {
    let texts = [
        "<script>",
        "<template><a",
        "<template>{{ a",
        "{",
        "{#each",
        "---\n<a {",
        "<a b='",
        "<a b={é",
        "<",
        "</",
        "<!--",
        "é<a é=\"é\" :é=é>{é}",
        "<script><template>{{",
        "{a}}{",
        "<a =\"b\">",
        "<template><é :é='é'/>{{é}}</template>",
        "{<a>{<b>}",
        "{@const",
        "<>{`${<a>}`",
    ];
    for text in texts {
        for path in ["a.vue", "a.svelte", "a.astro"] {
            script(path, text);
            assert!(read(path, text).is_some());
        }
    }
}

#[test]
fn long_damaged_components_are_read_in_linear_time() {
    let parts = ["{{", "{", "<a {", "<a b='", "{<a>", "<template>", "<!--", "</", "{#each "];
    for part in parts {
        let text = format!("<template>{}", part.repeat(60_000));
        for path in ["a.vue", "a.svelte", "a.astro"] {
            let start = cpu_time::ProcessTime::now();
            assert!(script_of(path, &text).is_some());
            assert!(start.elapsed().as_secs() < 20, "{part} {path}");
        }
    }
}
