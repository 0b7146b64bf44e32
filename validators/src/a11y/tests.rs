//! Runs the examples of the pages.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config;
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::{Disk, Files as _, Memory};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples;
use std::collections::HashSet;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
        .expect("shipped rules")
});

#[test]
fn examples_of_the_pages_have_the_documented_findings() {
    let rules = ENGINE.registry().rules().iter().filter(|rule| rule.id.starts_with("a11y/"));
    let problems: Vec<String> = rules
        .flat_map(|rule| {
            examples::run(&ENGINE, rule)
                .into_iter()
                .map(|problem| format!("{}: {problem}", rule.id))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Each rule of the other tools is an alias, or the documentation states why it is not checked.
#[test]
fn rules_of_other_tools_are_aliases_or_documented() {
    const MAX_SIZE: u64 = 1 << 20;
    let root = Disk::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let read = |path: &str| {
        let bytes = root.read(path, MAX_SIZE).expect("a readable file");
        String::from_utf8(bytes).expect("text")
    };
    let docs = read("docs/accessibility.md");
    let ids = read("validators/src/a11y/peers.txt");
    let aliases: HashSet<&str> = ENGINE
        .registry()
        .rules()
        .iter()
        .flat_map(|rule| rule.aliases.iter().map(|alias| &**alias))
        .collect();
    let ids = ids.lines().filter(|line| !line.starts_with('#'));
    let mut problems = Vec::new();
    for id in ids {
        let is_listed = docs.contains(&format!("| `{id}` |"));
        if aliases.contains(id) == is_listed {
            problems.push(id);
        }
    }
    assert!(problems.is_empty(), "neither or both: {problems:?}");
}

/// The rules that report something in the first file, in a project with these files and components.
pub(super) fn findings(files: &[(&str, &str)], components: &str) -> Vec<String> {
    findings_with(files, &format!(r#""components": {{{components}}}"#))
}

/// The rules that report something in the first file, in a project with these files and settings.
fn findings_with(files: &[(&str, &str)], settings: &str) -> Vec<String> {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let config =
        format!(r#"{{ "compliance": ["accessibility"], "accessibility": {{ {settings} }} }}"#);
    let (config, problems) = config::read(&config).expect("valid configuration");
    assert!(problems.is_empty(), "{problems:?}");
    let only = Selection { only: vec!["a11y/*".to_owned()], ..Selection::default() };
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &config, &only).expect("shipped rules");
    let to_owned = |&(path, text): &(&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
    let memory = Memory(files.iter().map(to_owned).collect());
    let (path, text) = files[0];
    let checked = engine.check(&Source::new(path, text), &memory);
    checked.findings.iter().map(|finding| finding.rule.to_string()).collect()
}

#[test]
fn the_configuration_lists_what_components_render() {
    let page = r#"const a = <Link href="/a" />; const b = <Form.Field />; const c = <Other />;"#;
    let found = findings(&[("page.tsx", page)], r#""Link": "a", "Form.Field": "input""#);
    assert_eq!(found, ["a11y/empty-link"]);
    assert!(findings(&[("page.tsx", page)], "").is_empty());
    let page = r#"<template><div><base-image src="a.png" /></div></template>"#;
    let found = findings(&[("page.vue", page)], r#""BaseImage": "img""#);
    assert_eq!(found, ["a11y/missing-alt"]);
}

#[test]
fn a_component_that_replaces_its_element_is_unknown() {
    let page = r#"const a = <Link as="button" href="/a" />; const b = <Link asChild href="/a" />;"#;
    assert!(findings(&[("page.tsx", page)], r#""Link": "a""#).is_empty());
}

#[test]
fn a_property_that_the_configuration_lists_names_the_element() {
    let page = r#"const a = <Box as="img" src={url} />; const b = <Box as={Image} src={url} />;"#;
    assert!(findings(&[("page.tsx", page)], "").is_empty());
    let found = findings_with(&[("page.tsx", page)], r#""polymorphic": ["as"]"#);
    assert_eq!(found, ["a11y/missing-alt"]);
}

const PAGE: &str = r#"import { Button } from "@/components/ui/button";
const page = <Button onClick={save}><svg /></Button>;"#;

/// Whether a button without a name is found, given the file with the component.
fn is_button(component: &str) -> bool {
    let files = [("src/page.tsx", PAGE), ("src/components/ui/button.tsx", component)];
    let found = findings(&files, "");
    assert!(found.is_empty() || found == ["a11y/unnamed-button"], "{component}: {found:?}");
    !found.is_empty()
}

#[test]
fn the_element_of_a_plain_component_is_inferred() {
    let plain = [
        "export const Button = (props) => <button {...props} />;",
        "export const Button = ({ className, ...rest }) => <button className={cn(className)} {...rest} />;",
        "export function Button({ children, type, ...props }: Props) { return <button type={type} {...props}>{children}</button>; }",
        "const Button = React.forwardRef<A, B>((props, ref) => { return <button ref={ref} {...props} />; });\nexport { Button };",
        r#"function Button({ asChild = false, ...props }) { const Comp = asChild ? Slot : "button"; return <Comp {...props} />; } export { Button };"#,
        "const Inner = memo(({ ...rest }) => <button {...rest} />);\nexport { Inner as Button };",
    ];
    for component in plain {
        assert!(is_button(component), "{component}");
    }
}

#[test]
fn the_element_of_other_components_is_unknown() {
    let other = [
        r#"export const Button = (props) => <button aria-label="Save" {...props} />;"#,
        "export const Button = (props) => <button {...props}>Save</button>;",
        "export const Button = ({ icon, ...props }) => <button {...props}>{icon}</button>;",
        "export const Button = (props) => <button onClick={props.onClick}>{props.children}</button>;",
        "export const Button = (props) => { if (props.a) return <a {...props} />; return <button {...props} />; };",
        r#"export const Button = ({ title = "Save", ...props }) => <button title={title} {...props} />;"#,
        "export const Button = (props) => <div><button {...props} /></div>;",
        "const Button = (props) => <button {...props} />;",
    ];
    for component in other {
        assert!(!is_button(component), "{component}");
    }
}

#[test]
fn components_are_found_through_other_files_and_in_single_files() {
    let page = r#"import { Button } from "./components"; const page = <Button><svg /></Button>;"#;
    let files = [
        ("page.tsx", page),
        ("components/index.ts", r#"export { Button } from "./Button";"#),
        ("components/Button.tsx", "export const Button = (props) => <button {...props} />;"),
    ];
    assert_eq!(findings(&files, ""), ["a11y/unnamed-button"]);
    let page = r#"<script setup>import BaseButton from "./components/BaseButton.vue";</script>
<template><div><BaseButton><i /></BaseButton></div></template>"#;
    let button = "<template><button class=\"button\"><slot /></button></template>";
    let files = [("page.vue", page), ("components/BaseButton.vue", button)];
    assert_eq!(findings(&files, ""), ["a11y/unnamed-button"]);
    let named = "<template><button><slot>Save</slot></button></template>";
    let files = [("page.vue", page), ("components/BaseButton.vue", named)];
    assert!(findings(&files, "").is_empty());
    let page = r#"<script>import Button from "./ui/Button.svelte";</script><div><Button><i /></Button></div>"#;
    let button = "<script>let { children, ...rest } = $props();</script>\n<button {...rest}>{@render children?.()}</button>";
    let files = [("page.svelte", page), ("ui/Button.svelte", button)];
    assert_eq!(findings(&files, ""), ["a11y/unnamed-button"]);
}

#[test]
fn components_that_pass_each_other_on_end() {
    let page = r#"import { Button } from "./components"; const page = <Button><svg /></Button>;"#;
    let files =
        [("page.tsx", page), ("components/index.ts", r#"export { Button } from "./index";"#)];
    assert!(findings(&files, "").is_empty());
}

#[test]
fn examples_copies_and_items_that_keys_move_through_are_infos() {
    let severity = |path: &str, text: &str| {
        let checked = ENGINE.check(&Source::new(path, text), &Memory([].into()));
        let mut found = checked.findings.iter().filter(|it| &*it.rule == "a11y/role-without-focus");
        found.next().map(|it| it.severity)
    };
    let item = r#"const a = <div role="switch" aria-checked={on} onClick={f}>A</div>;"#;
    let marked = item.replace("{on}", "{index === focusedIndex}");
    let moved = format!("{item}\nif (key === 'ArrowDown') next();");
    for (path, text, expected) in [
        ("src/a.tsx", item, Severity::Warning),
        ("src/a.tsx", &marked, Severity::Info),
        ("src/a.tsx", &marked.replace("onClick", "onKeyDown={f} onClick"), Severity::Info),
        ("src/a.tsx", &moved, Severity::Info),
        ("src/a.tsx", &moved.replace("onClick", "onKeyDown={f} onClick"), Severity::Warning),
        ("docs/src/registry/examples/a.tsx", item, Severity::Info),
        ("app/static/pdfjs/web/viewer.tsx", item, Severity::Info),
    ] {
        assert_eq!(severity(path, text), Some(expected), "{path}: {text}");
    }
}

#[test]
fn elements_in_a_render_prop_get_the_attributes_of_the_component() {
    let is_found = |render: &str| {
        let page = format!("const a = {};", render.replace("IMG", r#"<img src="a.png" />"#));
        findings(&[("page.tsx", &page)], "") == ["a11y/missing-alt"]
    };
    for rendered in [
        "<Image render={IMG} />",
        "<Image render={(IMG as Rendered)} />",
        "<Image render={isSmall ? <Small /> : IMG} />",
        "<Image render={<Tooltip render={IMG} />} />",
        r#"<Image render={(props) => <img src="a.png" {...props} />} />"#,
    ] {
        assert!(!is_found(rendered), "{rendered}");
    }
    for other in [
        "<Image render={() => IMG} />",
        "<Image render={<Box>IMG</Box>} />",
        "<Image fallback={IMG} />",
        "<div render={IMG} />",
        "<Image>IMG</Image>",
    ] {
        assert!(is_found(other), "{other}");
    }
}
