//! The table in the documentation on what is checked in each format: a defect of each class is written
//! into a catalogue of each format, and the rules that report it are counted.

use super::tests::findings;
use std::fmt::Write as _;

/// A format: a name, the paths of the source and of the Polish translation, a placeholder and another
/// one, and texts with plural forms: those of the source, the Polish ones, and some of these.
struct Sample {
    name: &'static str,
    source: &'static str,
    path: &'static str,
    placeholders: [&'static str; 2],
    plurals: [&'static str; 3],
}

/// A key, its source text and its translation.
type Entry<'t> = (&'t str, &'t str, String);

const SAMPLES: [Sample; 14] = [
    Sample {
        name: "JSON of i18next",
        source: "locales/en.json",
        path: "locales/pl.json",
        placeholders: ["{{n}}", "{{x}}"],
        plurals: [
            r#""f_one": "a", "f_other": "b""#,
            r#""f_one": "a", "f_few": "b", "f_many": "c", "f_other": "d""#,
            r#""f_one": "a", "f_many": "c", "f_other": "d""#,
        ],
    },
    Sample {
        name: "JSON with messages of ICU",
        source: "locales/en.json",
        path: "locales/pl.json",
        placeholders: ["{n}", "{x}"],
        plurals: [
            r#""f": "{c, plural, one {# a} other {# b}}""#,
            r#""f": "{c, plural, one {# a} few {# b} many {# c} other {# d}}""#,
            r#""f": "{c, plural, one {# a} other {# d}}""#,
        ],
    },
    Sample {
        name: "YAML of Rails",
        source: "config/locales/en.yml",
        path: "config/locales/pl.yml",
        placeholders: ["%{n}", "%{x}"],
        plurals: [
            "  f: { one: a, other: b }\n",
            "  f: { one: a, few: b, many: c, other: d }\n",
            "  f: { one: a, many: c, other: d }\n",
        ],
    },
    Sample {
        name: "ARB",
        source: "lib/l10n/app_en.arb",
        path: "lib/l10n/app_pl.arb",
        placeholders: ["{n}", "{x}"],
        plurals: [
            r#""f": "{c, plural, one {# a} other {{c} b}}""#,
            r#""f": "{c, plural, one {# a} few {{c} b} many {{c} c} other {{c} d}}""#,
            r#""f": "{c, plural, one {# a} other {{c} d}}""#,
        ],
    },
    Sample {
        name: "PO",
        source: "",
        path: "po/pl.po",
        placeholders: ["%(n)s", "%(x)s"],
        plurals: [
            "",
            "\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"d\"\nmsgstr[2] \"e\"\n",
            "\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"d\"\n",
        ],
    },
    Sample {
        name: "Fluent",
        source: "i18n/en/app.ftl",
        path: "i18n/pl/app.ftl",
        placeholders: ["{ $n }", "{ $x }"],
        plurals: [
            "f = { $c ->\n    [one] a\n   *[other] b\n}\n",
            "f = { $c ->\n    [one] a\n    [few] b\n    [many] c\n   *[other] d\n}\n",
            "f = { $c ->\n    [one] a\n   *[other] d\n}\n",
        ],
    },
    Sample {
        name: "properties of Java",
        source: "messages.properties",
        path: "messages_pl.properties",
        placeholders: ["{0}", "{1}"],
        plurals: [""; 3],
    },
    Sample {
        name: "strings of Android",
        source: "res/values/strings.xml",
        path: "res/values-pl/strings.xml",
        placeholders: ["%1$s", "%2$s"],
        plurals: [
            "<plurals name=\"f\"><item quantity=\"one\">a</item><item quantity=\"other\">b</item></plurals>",
            "<plurals name=\"f\"><item quantity=\"one\">a</item><item quantity=\"few\">b</item>\
             <item quantity=\"many\">c</item><item quantity=\"other\">d</item></plurals>",
            "<plurals name=\"f\"><item quantity=\"one\">a</item><item quantity=\"other\">d</item></plurals>",
        ],
    },
    Sample {
        name: "`.strings`",
        source: "en.lproj/a.strings",
        path: "pl.lproj/a.strings",
        placeholders: ["%1$@", "%2$@"],
        plurals: [""; 3],
    },
    Sample {
        name: "`.stringsdict`",
        source: "en.lproj/a.stringsdict",
        path: "pl.lproj/a.stringsdict",
        placeholders: ["%1$@", "%2$@"],
        plurals: ["one other", "one few many other", "one other"],
    },
    Sample {
        name: "`.xcstrings`",
        source: "",
        path: "a.xcstrings",
        placeholders: ["%1$@", "%2$@"],
        plurals: [
            "",
            r#""f": {"localizations": {"pl": {"variations": {"plural": {"one": {"stringUnit": {"value": "a"}}, "few": {"stringUnit": {"value": "b"}}, "many": {"stringUnit": {"value": "c"}}, "other": {"stringUnit": {"value": "d"}}}}}}}"#,
            r#""f": {"localizations": {"pl": {"variations": {"plural": {"one": {"stringUnit": {"value": "a"}}, "other": {"stringUnit": {"value": "d"}}}}}}}"#,
        ],
    },
    Sample {
        name: "`.resx`",
        source: "Texts.resx",
        path: "Texts.pl.resx",
        placeholders: ["{0}", "{1}"],
        plurals: [""; 3],
    },
    Sample {
        name: "PHP of Laravel",
        source: "lang/en/app.php",
        path: "lang/pl/app.php",
        placeholders: [":name", ":other"],
        plurals: [""; 3],
    },
    Sample {
        name: "XLIFF",
        source: "",
        path: "src/locale/messages.pl.xlf",
        placeholders: ["<x id=\"n\"/>", "<x id=\"x\"/>"],
        plurals: [""; 3],
    },
];

/// A catalogue with these entries, and a text with plural forms.
fn write(sample: &Sample, entries: &[Entry<'_>], plurals: &str, is_source: bool) -> String {
    let text = |entry: &Entry<'_>| if is_source { entry.1.to_owned() } else { entry.2.clone() };
    let each = |line: &dyn Fn(&Entry<'_>) -> String| entries.iter().map(line).collect::<String>();
    match sample.path.rsplit('.').next() {
        Some("json" | "arb") => {
            let mut lines: Vec<String> =
                entries.iter().map(|it| format!("\"{}\": \"{}\"", it.0, text(it))).collect();
            lines.push(plurals.to_owned());
            format!("{{\n{}\n}}\n", lines.join(",\n"))
        }
        Some("yml") => {
            let locale = if is_source { "en" } else { "pl" };
            format!("{locale}:\n{}{plurals}", each(&|it| format!("  {}: \"{}\"\n", it.0, text(it))))
        }
        Some("po") => {
            let forms = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2);";
            let header = format!(
                "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: {forms}\\n\"\n"
            );
            let entry = |it: &Entry<'_>| {
                let flag = if it.1.contains('%') { "#, python-format\n" } else { "" };
                format!("\n{flag}msgid \"{}\"\nmsgstr \"{}\"\n", it.1, it.2)
            };
            format!("{header}{}{plurals}", each(&entry))
        }
        Some("xml") => {
            let lines = each(&|it| format!("<string name=\"{}\">{}</string>\n", it.0, text(it)));
            format!("<resources>\n{lines}{plurals}\n</resources>\n")
        }
        Some("strings") => each(&|it| format!("\"{}\" = \"{}\";\n", it.0, text(it))),
        Some("stringsdict") => {
            let key = "<key>NSStringLocalizedFormatKey</key>";
            let rule = |forms: String| format!("<key>n</key><dict>{forms}</dict>");
            let value =
                |name: &str, text: &str| format!("<key>{name}</key><string>{text}</string>");
            let lines = each(&|it| {
                let forms =
                    plurals.split(' ').map(|name| value(name, &text(it).replace('<', "&lt;")));
                let rule = rule(forms.collect());
                format!("<key>{}</key><dict>{key}<string>%#@n@</string>{rule}</dict>\n", it.0)
            });
            format!("<plist><dict>\n{lines}</dict></plist>\n")
        }
        Some("xcstrings") => {
            let entry = |it: &Entry<'_>| {
                let unit = format!(r#"{{"state": "translated", "value": "{}"}}"#, it.2);
                format!(r#""{}": {{"localizations": {{"pl": {{"stringUnit": {unit}}}}}}}, "#, it.1)
            };
            format!(r#"{{"sourceLanguage": "en", "strings": {{{}{plurals}}}}}"#, each(&entry))
        }
        Some("resx") => {
            let value = |it: &Entry<'_>| text(it).replace('<', "&lt;");
            let line = |it: &Entry<'_>| {
                format!("<data name=\"{}\"><value>{}</value></data>\n", it.0, value(it))
            };
            format!("<{0}>\n{1}</{0}>\n", "root", each(&line))
        }
        Some("php") => {
            format!(
                "<?php\nreturn [\n{}];\n",
                each(&|it| format!("'{}' => '{}',\n", it.0, text(it)))
            )
        }
        Some("xlf") => {
            let unit = |it: &Entry<'_>| {
                // Elements of the format are written as they are.
                let escaped = |text: &str| text.replace('<', "&lt;").replace("&lt;x ", "<x ");
                let (source, target) = (escaped(it.1), escaped(&it.2));
                format!(
                    "<trans-unit id=\"{}\"><source>{source}</source><target>{target}</target></trans-unit>\n",
                    it.0
                )
            };
            format!("<xliff><file><body>\n{}</body></file></xliff>\n", each(&unit))
        }
        Some("properties") => each(&|it| format!("{} = {}\n", it.0, text(it))),
        _ => each(&|it| format!("{} = {}\n", it.0, text(it))) + plurals,
    }
}

/// The classes of defects: a title, and the rules that report it.
const CLASSES: [(&str, &[&str]); 11] = [
    ("syntax", &["syntax-error", "invalid-message"]),
    ("missing key", &["missing-key"]),
    ("extra key", &["extra-key"]),
    ("missing placeholder", &["missing-placeholder", "format-mismatch"]),
    ("unknown placeholder", &["unknown-placeholder", "format-mismatch"]),
    ("tag", &["tag-mismatch"]),
    ("plural form", &["missing-plural", "plural-forms"]),
    ("copy", &["untranslated"]),
    ("encoding", &["mojibake"]),
    ("duplicate key", &["duplicate-key"]),
    ("control character", &["bidi-control"]),
];

/// The translation with a defect of the class.
fn defective(class: &str, sample: &Sample, entries: &[Entry<'_>]) -> String {
    let mut entries = entries.to_vec();
    let [placeholder, other] = sample.placeholders;
    let mut plurals = sample.plurals[1];
    match class {
        "missing key" => drop(entries.pop()),
        "extra key" => entries.push(("more", "Show more of it", "Więcej".to_owned())),
        "missing placeholder" => entries[1].2 = entries[1].2.replace(placeholder, ""),
        "unknown placeholder" => entries[1].2 = entries[1].2.replace(placeholder, other),
        "tag" => entries[2].2 = entries[2].2.replace("link>", "odsyłacz>"),
        "plural form" => plurals = sample.plurals[2],
        "copy" => entries[3].2 = entries[3].1.to_owned(),
        "encoding" => entries[3].2 = "ZmieÅ„ wszystkie rzeczy".to_owned(),
        "duplicate key" => {
            let (key, source, text) = entries[3].clone();
            // In XLIFF, a text can occur in several places.
            let is_xliff = sample.path.ends_with(".xlf");
            entries.push((key, if is_xliff { "Another text" } else { source }, text));
        }
        "control character" => entries[3].2.insert(0, '\u{202E}'),
        _ => {}
    }
    let text = write(sample, &entries, plurals, false);
    if class != "syntax" {
        return text;
    }
    match sample.path.rsplit('.').next() {
        Some("ftl") => text + "x = { $",
        Some("properties") => text + "x = \\u12\n",
        Some("yml") => text + "  \"x: [\n",
        _ => text[..text.floor_char_boundary(text.len() - 12)].to_owned(),
    }
}

/// The names of the rules that report something in the translation with a defect of the class.
fn reported(class: &str, sample: &Sample, entries: &[Entry<'_>]) -> String {
    let source = write(sample, entries, sample.plurals[0], true);
    let text = defective(class, sample, entries);
    let mut files = vec![(sample.source, &*source), (sample.path, &*text)];
    files.retain(|(path, _)| !path.is_empty());
    findings(&files).join("\n")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "reads and updates a page of the documentation")]
fn the_table_on_formats_is_current() {
    let mut table = String::from("| format |");
    for (class, _) in CLASSES {
        let _ = write!(table, " {class} |");
    }
    let _ = writeln!(table, "\n|---|{}", "---|".repeat(CLASSES.len()));
    for sample in &SAMPLES {
        let [placeholder, _] = sample.placeholders;
        let source = format!("Found {placeholder} in all");
        let entries: [Entry<'_>; 4] = [
            ("open", "Open the file menu", "Otwórz menu".to_owned()),
            ("count", &source, format!("Znaleziono {placeholder}")),
            ("linked", "A <link>text</link> here", "Jakiś <link>tekst</link>".to_owned()),
            ("save", "Change all of the things", "Zmień wszystko".to_owned()),
        ];
        let baseline = reported("", sample, &entries);
        assert_eq!(baseline, "", "{}", sample.name);
        let _ = write!(table, "| {} |", sample.name);
        for (class, rules) in CLASSES {
            let found = reported(class, sample, &entries);
            let is_found = rules.iter().any(|rule| found.contains(&format!("i18n/{rule} ")));
            table.push_str(if is_found { " yes |" } else { " – |" });
        }
        table.push('\n');
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/i18n.md");
    let page = std::fs::read_to_string(path).expect("a page").replace("\r\n", "\n");
    let (before, rest) = page.split_once("<!-- formats -->\n").expect("a mark");
    let (_, after) = rest.split_once("<!-- end of formats -->").expect("a mark");
    let current = format!("{before}<!-- formats -->\n{table}<!-- end of formats -->{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &current).expect("written");
        return;
    }
    let hint = "UPDATE_DOCS=1 cargo test -p aidd-validators coverage";
    assert!(page == current, "the table in docs/i18n.md is out of date; update it with {hint}");
}
