//! Style sheets of a project, and inputs that are large or broken.

use crate::a11y::tests::findings;

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
    assert!(!check(":root { color-scheme: light dark }"));
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
    let selector = "p ".repeat(2_000);
    let style = format!("<style>{selector} {{ color: #aaa }}</style>");
    assert!(!is_low(&[("a.html", &page(&style, NOTE))]));
}
