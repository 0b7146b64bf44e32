//! Runs the examples of the pages, and texts that once were slow or wrong.

use crate::DISTRIBUTION;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::{Listed, Memory};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = Selection { only: vec!["perf/*".to_owned()], ..Selection::default() };
    Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("shipped rules")
});

#[test]
fn examples_of_all_pages_have_the_documented_findings() {
    let rules = ENGINE.registry().rules().iter().filter(|rule| rule.id.starts_with("perf/"));
    let problems: Vec<String> = rules
        .flat_map(|rule| {
            let run = examples::run(&ENGINE, rule);
            run.into_iter().map(|problem| format!("{}: {problem}", rule.id))
        })
        .collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_rule_has_a_page() {
    let missing: Vec<&str> =
        super::rules().into_iter().filter(|rule| ENGINE.registry().get(rule).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn scripts_in_markup_keep_their_offsets() {
    let text = "<template>é</template>\n<script setup lang=\"ts\">\nlet a = 1;\n</script>\n<style></style>";
    let script = super::script_only(text);
    assert_eq!(script.len(), text.len());
    assert_eq!(script.find("let a"), text.find("let a"));
    assert_eq!(script.trim(), "let a = 1;");
    let generic = "<script setup generic=\"T extends Record<string, any>\">let b = 1;</script>";
    assert_eq!(super::script_only(generic).trim(), "let b = 1;");
}

/// The messages of the findings in a component of a project with React and Next.
fn messages(path: &str, text: &str) -> Vec<String> {
    let manifest = r#"{ "dependencies": { "react": "19", "react-dom": "19", "next": "16" } }"#;
    let files = Memory([("package.json".to_owned(), manifest.as_bytes().to_vec())].into());
    let checked = ENGINE.check(&Source::new(path, text), &files);
    checked.findings.iter().map(|finding| finding.message.clone()).collect()
}

#[test]
fn deeply_nested_code_does_not_overflow_the_stack() {
    let nested = [
        ("f(", ")"),
        ("useEffect(() => {", "});"),
        ("x.map((a) => ", ")"),
        ("<A b={", "}/>"),
        ("<A>", "</A>"),
        ("for (const a of b) {", "}"),
        ("if (a) {", "}"),
        ("{ mounted() {} , a: ", "}"),
        ("a.b(c).", ""),
        ("await ", ""),
    ];
    for (open, close) in nested {
        let text = format!("const A = () => {}1{};", open.repeat(3000), close.repeat(3000));
        let _ = messages("a.tsx", &text);
        let text = format!("function A() {{ {} {} }}", open.repeat(3000), close.repeat(3000));
        let _ = messages("a.jsx", &text);
    }
}

#[test]
fn renamed_imports_are_recognised() {
    let text = "import Late from 'next/script';\nexport default () => <Late>{`a()`}</Late>;";
    let found = messages("pages/index.tsx", text);
    assert_eq!(
        found,
        ["inline `Script` without `id`: Next cannot tell whether it has already run"]
    );
}

#[test]
fn tests_and_bundles_are_not_checked() {
    let text = "window.onunload = save;\n";
    assert_eq!(messages("src/a.ts", text).len(), 1);
    assert_eq!(messages("src/a.test.ts", text), [""; 0]);
    assert_eq!(messages("src/__tests__/a.ts", text), [""; 0]);
    let bundle = format!("{text}{}", "a();".repeat(3000));
    assert_eq!(messages("src/a.ts", &bundle), [""; 0]);
}

#[test]
fn a_whole_library_is_reported_once_in_a_package() {
    let client = r#"{ "dependencies": { "vue": "3" } }"#;
    let import = "import _ from 'lodash';\n";
    let component = "<script setup>\nimport { debounce } from 'lodash';\n</script>";
    let files = [
        ("package.json", client),
        ("apps/shop/package.json", client),
        ("apps/shop/src/a.ts", import),
        ("src/a.test.ts", import),
        ("src/b.vue", component),
        ("src/c.ts", import),
        ("src/d.ts", "const text = 'lodash';\n"),
        ("src/server/a.ts", import),
    ];
    let memory = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let memory = Memory(memory.into());
    let listing = Listing::new(files.map(|(path, _)| path.to_owned()));
    let files = &Listed { files: &memory, listing: &listing };
    let messages = |path: &str| -> Vec<String> {
        let text = String::from_utf8(memory.0[path].clone()).expect("UTF-8");
        let checked = ENGINE.check(&Source::new(path, text), files);
        checked.findings.iter().map(|finding| finding.message.clone()).collect()
    };
    assert_eq!(messages("src/b.vue"), ["`lodash` is bundled in full: 2 files import it"]);
    assert_eq!(messages("src/c.ts"), [""; 0]);
    assert_eq!(messages("apps/shop/src/a.ts"), ["`lodash` is bundled in full"]);
}

#[test]
fn a_leak_is_a_warning_only_where_it_is_repeated() {
    let severity = |path: &str, text: &str| {
        let manifest = br#"{ "dependencies": { "react": "19", "vue": "3" } }"#;
        let files = Memory([("package.json".to_owned(), manifest.to_vec())].into());
        let checked = ENGINE.check(&Source::new(path, text), &files);
        let found: Vec<Severity> = checked.findings.iter().map(|it| it.severity).collect();
        assert_eq!(found.len(), 1, "{path}: {text}");
        found[0]
    };
    let effect = |function: &str, dependencies: &str| {
        let effect = "useEffect(() => { window.addEventListener('a', b); }";
        format!("function {function}() {{ {effect}, {dependencies}); }}\n")
    };
    let mounted = "<script setup>\nonMounted(() => {\n  setInterval(tick, 1000);\n});\n</script>";
    let activated = mounted.replace("onMounted", "onActivated");
    let refs = effect("ListItem", "[size]").replace("window", "box.current?");
    for (path, text, expected) in [
        ("src/a.tsx", effect("Sidebar", "[open]"), Severity::Warning),
        ("src/a.tsx", effect("Sidebar", "[]"), Severity::Info),
        ("src/a.tsx", effect("OrderDialog", "[]"), Severity::Warning),
        ("src/a.tsx", effect("DialogProvider", "[]"), Severity::Info),
        ("src/a.tsx", refs, Severity::Info),
        ("src/pages/orders.tsx", effect("Orders", "[]"), Severity::Warning),
        ("src/pages/orders.tsx", effect("useOrders", "[]"), Severity::Info),
        ("src/pages/_app.tsx", effect("Shop", "[]"), Severity::Info),
        ("src/order-list-item.vue", mounted.to_owned(), Severity::Warning),
        ("src/PageFooter.vue", mounted.replace("setI", "window.setI"), Severity::Warning),
        ("src/Footer.vue", mounted.to_owned(), Severity::Info),
        ("src/Footer.vue", activated, Severity::Warning),
    ] {
        assert_eq!(severity(path, &text), expected, "{path}: {text}");
    }
}

/// The severity and the number of other places of each finding in a component of React.
fn severities(text: &str) -> Vec<(Severity, usize)> {
    let manifest = br#"{ "dependencies": { "react": "19" } }"#;
    let files = Memory([("package.json".to_owned(), manifest.to_vec())].into());
    let checked = ENGINE.check(&Source::new("src/a.tsx", text), &files);
    checked.findings.iter().map(|it| (it.severity, it.related.len())).collect()
}

#[test]
fn a_nested_component_without_state_is_an_info() {
    for (inner, expected) in [
        ("<><MailIcon size={13} /> Resend <Loader2 /></>", Severity::Info),
        ("<p className={kind}>{text} <Badge>{count}</Badge></p>", Severity::Info),
        ("<button>Resend</button>", Severity::Warning),
        ("<p onClick={send}>Resend</p>", Severity::Warning),
        ("<p {...props}>Resend</p>", Severity::Warning),
        ("<div>{children}</div>", Severity::Warning),
        ("<p>{useName()}</p>", Severity::Warning),
        ("<UpgradeModal />", Severity::Warning),
    ] {
        let text = format!("function A() {{ const Row = () => {inner}; return <Row />; }}");
        assert_eq!(severities(&text), [(expected, 0)], "{inner}");
    }
}

#[test]
fn unstable_dependencies_of_one_list_are_one_finding() {
    let listen =
        "window.addEventListener('keydown', go); return () => removeEventListener('keydown', go);";
    for (hook, expected) in [
        (format!("useEffect(() => {{ {listen} }}, [go, back])"), (Severity::Info, 2)),
        (
            format!("useEffect(() => {{ if (open) {{ {listen} }} }}, [go, back])"),
            (Severity::Info, 2),
        ),
        (format!("useEffect(() => {{ load(); {listen} }}, [go, back])"), (Severity::Warning, 2)),
        ("useImperativeHandle(ref, () => ({ go }), [go])".to_owned(), (Severity::Info, 1)),
        ("useMemo(() => go(), [go])".to_owned(), (Severity::Warning, 1)),
    ] {
        let text = format!(
            "function A() {{ const go = () => 1; const back = () => 2; {hook}; return null; }}"
        );
        assert_eq!(severities(&text), [expected], "{text}");
    }
}

#[test]
fn a_dialog_that_only_the_layout_uses_exists_once() {
    let dialog = "<script setup>\nonMounted(() => {\n  setInterval(tick, 1000);\n});\n</script>";
    let import = |path: &str| format!("<script setup>\nimport Dialog from \"{path}\";\n</script>");
    let severity = |other: &str| {
        let files = [
            ("package.json", r#"{ "dependencies": { "vue": "3" } }"#.to_owned()),
            ("src/components/NoteDialog.vue", dialog.to_owned()),
            ("src/layouts/Main.vue", import("@/components/NoteDialog.vue")),
            ("src/views/Notes.vue", import(other)),
        ];
        let memory = files.clone().map(|(path, text)| (path.to_owned(), text.into_bytes()));
        let memory = Memory(memory.into());
        let listing = Listing::new(files.map(|(path, _)| path.to_owned()));
        let files = &Listed { files: &memory, listing: &listing };
        let checked = ENGINE.check(&Source::new("src/components/NoteDialog.vue", dialog), files);
        checked.findings.iter().map(|it| it.severity).collect::<Vec<_>>()
    };
    assert_eq!(severity("@/components/Note.vue"), [Severity::Info]);
    assert_eq!(severity("../components/NoteDialog.vue"), [Severity::Warning]);
}
