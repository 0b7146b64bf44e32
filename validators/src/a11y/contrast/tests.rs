//! Style sheets of a project, and inputs that are large or broken.

use super::theme::replaces_color;
use crate::a11y::tests::findings;
use aidd_engine::text::files::{Listed, Memory};
use aidd_engine::text::listing::Listing;

/// Whether a text with a low contrast is found in the first file.
fn is_low(files: &[(&str, &str)]) -> bool {
    let found = findings(files, "");
    let other: Vec<&String> = found.iter().filter(|rule| *rule != "a11y/low-contrast").collect();
    assert!(other.is_empty(), "{other:?}");
    !found.is_empty()
}

/// A page with this content of its head and its body.
fn page(head: &str, body: &str) -> String {
    let head = format!("<title>Prices</title>{head}");
    format!("<!DOCTYPE html><html lang=\"en\"><head>{head}</head><body>{body}</body></html>")
}

const LINK: &str = r#"<link rel="stylesheet" href="../css/a.css?v=1">"#;
const NOTE: &str = r#"<p class="note">Sold out</p>"#;

#[test]
fn a_linked_style_sheet_of_the_project_is_read() {
    let page = page(LINK, NOTE);
    let sheet = ".note { color: #aaa; font-size: 14px }";
    assert!(is_low(&[("site/a/index.html", &page), ("site/css/a.css", sheet)]));
    // Without the file, other colors are possible.
    assert!(!is_low(&[("site/a/index.html", &page)]));
    let imports = "@import url(b.css); .note { color: #aaa }";
    assert!(!is_low(&[("site/a/index.html", &page), ("site/css/a.css", imports)]));
}

#[test]
fn the_cascade_decides_between_style_sheets() {
    let own = "<style>p { color: #aaa !important }</style>";
    let page = page(&format!("{own}{LINK}"), NOTE);
    let check = |sheet: &str| is_low(&[("site/a/index.html", &page), ("site/css/a.css", sheet)]);
    assert!(check(".note { color: #111 }"));
    assert!(!check(".note { color: #111 !important }"));
    assert!(!check("body { background: #000 }"));
    assert!(!check(":root { color-scheme: dark }"));
    assert!(check(":root { color-scheme: light dark }"));
}

#[test]
fn selectors_with_elements_around() {
    let check = |selector: &str| {
        let style = format!("<style>{selector} {{ color: #aaa }}</style>");
        is_low(&[(
            "a.html",
            &page(&style, r#"<div id="a"><ul class="b c"><li>Sold out</li></ul></div>"#),
        )])
    };
    for matching in ["li", "#a li", "#a > ul > li", "ul.b.c li", "div ul li", "*"] {
        assert!(check(matching), "{matching}");
    }
    let other = [
        "#a > li",
        "ul.d li",
        "ol li",
        "li.b",
        "li:first-child",
        "ul + li",
        "li::before",
        "[id] li",
    ];
    for other in other {
        assert!(!check(other), "{other}");
    }
}

#[test]
fn custom_properties_have_one_value() {
    let check =
        |style: &str| is_low(&[("a.html", &page(&format!("<style>{style}</style>"), NOTE))]);
    assert!(check(":root { --a: #aaa; --b: var(--a) } .note { color: var(--b) }"));
    assert!(!check(":root { --a: #aaa } .note { color: var(--a) } .dark { --a: #000 }"));
    assert!(!check(":root { --a: var(--b); --b: var(--a) } .note { color: var(--a) }"));
    assert!(!check(".note { color: var(--a, #aaa) }"));
}

#[test]
fn broken_and_deep_inputs_are_unknown() {
    let deep = "a{".repeat(2_000);
    let broken = [".note { color: #aaa", "}}}", ".note { color: #aaa; & p { color: red } }", &deep];
    for style in broken {
        assert!(!is_low(&[("a.html", &page(&format!("<style>{style}</style>"), NOTE))]), "{style}");
    }
    let nested = format!("{}color: #aaa{}", "p{".repeat(50_000), "}".repeat(50_000));
    assert!(!is_low(&[("a.html", &page(&format!("<style>{nested}</style>"), NOTE))]));
    let selector = "p ".repeat(2_000);
    let style = format!("<style>{selector} {{ color: #aaa }}</style>");
    assert!(!is_low(&[("a.html", &page(&style, NOTE))]));
}

#[test]
fn components_have_the_style_sheets_that_they_import() {
    let check = |script: &str, files: &[(&str, &str)]| {
        let page = format!(
            "{script}\nexport const a = <div><p className={{styles.note}}>Sold out</p></div>;"
        );
        is_low(&[&[("src/a.tsx", &*page)], files].concat())
    };
    let low = ".note { color: #999; background: #fff; font-size: 14px }";
    let import = r#"import styles from "./a.module.css";"#;
    assert!(check(import, &[("src/a.module.css", low)]));
    assert!(!check(import, &[("src/a.module.css", ".other { color: #999; background: #fff }")]));
    assert!(!check(import, &[]));
    let composed = ".base { color: #000 } .note { composes: base; background: #fff; color: #999 }";
    assert!(!check(import, &[("src/a.module.css", composed)]));
    // The names of another module.
    assert!(!check(r#"import styles from "./b.js";"#, &[("src/a.module.css", low)]));

    let plain = |script: &str, sheet: &str| {
        let page =
            format!("{script}\nexport const a = <div><p className=\"note\">Sold out</p></div>;");
        is_low(&[("src/a.tsx", &page), ("src/a.css", sheet)])
    };
    assert!(plain(r#"import "./a.css";"#, low));
    assert!(!plain("", low));
    assert!(!plain(r#"import "./a.css"; import "./b.css";"#, low));
    // An element around the component can have the class.
    assert!(!plain(r#"import "./a.css";"#, &format!("{low} .dark .note {{ color: #000 }}")));
    assert!(plain(r#"import "./a.css";"#, &format!("{low} html .note {{ font-weight: bold }}")));
}

#[test]
fn classes_of_modules_in_expressions() {
    let check = |class: &str| {
        let page = format!(
            "import styles from \"./a.module.css\";\nexport const a = <p className={{{class}}}>Sold out</p>;"
        );
        let sheet =
            ".note { color: #999; background: #fff; font-size: 14px } .strong { color: #111 }";
        is_low(&[("src/a.tsx", &page), ("src/a.module.css", sheet)])
    };
    for low in ["styles.note", "styles['note']", "`${styles.note}`", "clsx(styles.note, 'flex')"] {
        assert!(check(low), "{low}");
    }
    let other = [
        "`${styles.note}x`",
        "`a-${styles.note}`",
        "clsx(styles.note, styles.strong)",
        "clsx(styles.note, { [styles.strong]: on })",
        "clsx(styles.note, 'unknown')",
        "on ? styles.note : ''",
        "styles[name]",
    ];
    // A class that is not known can set only what the others do not set.
    for other in other.into_iter().filter(|it| !it.contains("unknown")) {
        assert!(!check(other), "{other}");
    }
}

#[test]
fn color_schemes_of_the_user() {
    let check =
        |style: &str| is_low(&[("a.html", &page(&format!("<style>{style}</style>"), NOTE))]);
    let dark = |rules: &str| format!("@media (prefers-color-scheme: dark) {{ {rules} }}");
    assert!(check(&format!(".note {{ color: #333 }} {}", dark("body { background: #111 }"))));
    assert!(check(&format!(".note {{ color: #999 }} {}", dark(".note { color: #333 }"))));
    let both = "body { background: #111 } .note { color: #ddd }";
    assert!(!check(&format!(".note {{ color: #333 }} {}", dark(both))));
    // The last rule wins.
    assert!(!check(&format!("{} .note {{ color: #333 }}", dark(".note { color: #eee }"))));
    let variables = ":root { --text: #333 } body { background: #fff } .note { color: var(--text) }";
    assert!(!check(variables));
    assert!(check(&format!("{variables} {}", dark(":root { --text: #ddd }"))));
    assert!(!check(&format!("{} {variables}", dark(":root { --text: #ddd }"))));
    let wide = "@media (min-width: 9px) { .note { color: #ddd } }";
    assert!(!check(&format!(".note {{ color: #333 }} {wide}")));
    // The browser decides the background in dark mode.
    let scheme = ":root { color-scheme: light dark }";
    assert!(!check(&format!("{scheme} .note {{ color: #333 }} {}", dark(".note { color: #888 }"))));
    assert!(check(&format!(".note {{ color: #333 }} {}", dark(".note { color: #888 }"))));
}

#[test]
fn translucent_colors_are_mixed_with_the_background() {
    let check = |outer: &str, inner: &str| {
        let body =
            format!("<div style='{outer}'><p style='font-size: 14px; {inner}'>Sold out</p></div>");
        is_low(&[("a.html", &page("", &body))])
    };
    assert!(check("background: #fff", "color: rgba(0, 0, 0, 0.4)"));
    assert!(!check("background: #fff", "color: rgba(0, 0, 0, 0.7)"));
    assert!(check("background: #000", "color: #fff; background: rgb(255 255 255 / 60%)"));
    assert!(!check("background: #000", "color: #fff; background: rgb(255 255 255 / 20%)"));
    assert!(!check("background: url(a.png)", "color: #fff; background: rgb(255 255 255 / 60%)"));
    assert!(!check("", "color: transparent"));
    assert!(check("background: hsl(0, 0%, 100%)", "color: hsl(210 10% 60%)"));
    assert!(!check("background: hsl(0, 0%, 100%)", "color: hsl(210 10% 30%)"));
}

#[test]
fn nested_rules_apply_at_most_to_their_last_selector() {
    let check = |style: &str| {
        let vue = format!(
            "<template><div><p class=\"note\">Sold out</p></div></template>\n<style scoped lang=\"scss\">{style}</style>"
        );
        is_low(&[("a.vue", &vue)])
    };
    assert!(check(
        ".note { color: #999; background: #fff; font-size: 14px; &:hover { color: #000 } }"
    ));
    assert!(check(
        ".note { color: #999; background: #fff; font-size: 14px } .a { .b { color: #000 } }"
    ));
    assert!(!check(".note { color: #999; background: #fff } .a { .note { color: #000 } }"));
    assert!(!check(".note { color: #999; background: #fff; &:first-child { color: #000 } }"));
    assert!(!check(".note { @include text; color: #999; background: #fff }"));
    assert!(!check(".note { color: $muted; background: #fff }"));
}

#[test]
fn what_a_build_inserts_is_unknown() {
    let note = "<style>body { background: #fff } .note { color: #ccc }</style>";
    assert!(is_low(&[("a.html", &page(note, NOTE))]));
    assert!(!is_low(&[("a.html", &page(note, r#"<p class="note">%app.body%</p>"#))]));
    assert!(is_low(&[("a.html", &page(&format!("{note}<!-- The style of notes -->"), NOTE))]));
    for placeholder in ["%app.head%", "<!--app-head-->", "{{ head }}"] {
        assert!(!is_low(&[("a.html", &page(&format!("{note}{placeholder}"), NOTE))]));
    }
}

#[test]
fn a_project_replaces_colors_of_the_palette() {
    let replaces = |path: &str, text: &str| {
        let memory = Memory([(path.to_owned(), text.as_bytes().to_vec())].into_iter().collect());
        let listing = Listing::new(vec![path.to_owned()]);
        let files = Listed { files: &memory, listing: &listing };
        replaces_color(&files, r#"className="p-2 dark:text-gray-400/50 bg-white""#)
    };
    let theme = |text: &str| replaces("src/app.css", &format!("@theme {{ {text} }}"));
    for text in ["--color-gray-400: #111;", "--color-gray-*: initial;", "--color-*: initial;"] {
        assert!(theme(text), "{text}");
    }
    for text in
        ["--color-gray-500: #111;", "--color-brand: var(--color-gray-400);", "--gray: #111;"]
    {
        assert!(!theme(text), "{text}");
    }
    let config = |text: &str| replaces("tailwind.config.js", text);
    assert!(config(
        "module.exports = { theme: { extend: { colors: { gray: { 400: '#111' } } } } }"
    ));
    assert!(config("module.exports = { theme: { colors: { brand: '#111' } } }"));
    assert!(!config("module.exports = { theme: { extend: { colors: { brand: '#111' } } } }"));
    assert!(!config("module.exports = { content: ['src'], plugins: [] }"));
}
