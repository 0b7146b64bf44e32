use super::layout::layout;
use super::read;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::{Listed, Memory};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Source;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let only = vec!["i18n/*".to_owned()];
    let selection = Selection { only, ..Selection::default() };
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection)
        .expect("valid rules")
});

/// The entries and problems of a catalogue.
fn entries(path: &str, text: &str) -> String {
    let Some(catalogue) = read::read(&layout(path).expect("a catalogue"), text) else {
        return "no catalogue".to_owned();
    };
    let mut shown = String::new();
    for entry in &catalogue.entries {
        let key = entry.key.replace('\u{4}', "|");
        let _ = write!(shown, "{key} [{}]", &text[entry.key_span.range()]);
        for form in &entry.forms {
            let category = form.category.as_deref().map_or(String::new(), |it| format!("{it}: "));
            let _ = write!(shown, " {category}{:?} [{}]", form.value, &text[form.span.range()]);
        }
        shown.push('\n');
    }
    for problem in &catalogue.problems {
        let source = &text[problem.span.range()];
        let _ = writeln!(shown, "{} {} [{source}]", problem.rule, problem.message);
    }
    shown
}

/// The findings in the last of several files.
pub(super) fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let memory = Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    );
    let listing = Listing::new(files.iter().map(|(path, _)| (*path).to_owned()));
    let listed = Listed { files: &memory, listing: &listing };
    let (path, text) = files.last().expect("a file");
    let source = Source::new(*path, *text);
    let checked = ENGINE.check(&source, &listed);
    let shown = |it: &aidd_engine::text::finding::Finding| {
        format!("{} {} [{}]", it.rule, it.message, source.slice(it.span))
    };
    checked.findings.iter().map(shown).collect()
}

#[test]
fn json_of_any_depth_is_read() {
    let text = r#"{"a": {"b": "x\n", "c": ["y"]}, "a.d": "z"}"#;
    insta::assert_snapshot!(entries("locales/fr.json", text));
    assert_eq!(entries("locales/fr.json", r#"{"a": 1}"#), "no catalogue");
    assert_eq!(entries("locales/fr.json", "[]"), "no catalogue");
}

#[test]
fn po_files_are_read_with_contexts_plurals_and_flags() {
    let text = concat!(
        "# Comment\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n",
        "\"Plural-Forms: nplurals=2; plural=n != 1;\\n\"\n\n",
        "#: a.c:1\n#, c-format\nmsgctxt \"menu\"\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\n",
        "msgstr[0] \"%d fichier\"\nmsgstr[1] \"\"\n\"%d \"\n\"fichiers\"\n",
        "#, fuzzy\n#| msgid \"Store\"\nmsgid \"Save\"\nmsgstr \"Sauver\"\n",
        "#~ msgid \"\"\n#~ \"Old\"\n#~ msgstr \"Vieux\"\n\nmsgid \"a \\\"b\\\" \\q\"\nmsgstr \"c\nmsgid \"d\"\n",
    );
    insta::assert_snapshot!(entries("po/fr.po", text));
}

#[test]
fn fluent_is_read_with_terms_attributes_and_selections() {
    let text = concat!(
        "-brand = Boutique\n# Comment\nwelcome = Bienvenue chez { -brand }\n    .title = Titre\n",
        "count =\n    { $n ->\n        [one] un\n       *[other] { $n } fichiers\n    }\nempty =\n",
        "open = { $name\nno message\nbad = { $n ->\n        [one] un\n    }\n",
    );
    insta::assert_snapshot!(entries("i18n/fr/a.ftl", text));
}

#[test]
fn yaml_is_read_below_the_locale() {
    let text = "fr:\n  users:\n    one: x\n    title: \"y %{n}\"\n  count:\n    one: 1 u\n    other: n u\n";
    insta::assert_snapshot!(entries("config/locales/fr.yml", text));
    assert_eq!(entries("config/locales/fr.yml", "a: 1\nb: true\n"), "no catalogue");
}

#[test]
fn properties_are_read_with_escapes_and_continued_lines() {
    let text = "# c\na = b\\u00e9\\\n   c\nkey\\ d:e\n! c\nf\ng=\\u12\na=x\n";
    insta::assert_snapshot!(entries("messages_fr.properties", text));
}

#[test]
fn formats_of_android_apple_and_net_are_read() {
    let android = "<resources>\n<string name=\"a\">l'a <b>x</b> &lt;</string>\n<plurals name=\"p\"><item quantity=\"one\">u</item><item quantity=\"other\">%d</item></plurals>\n<string-array name=\"l\"><item>i</item></string-array>\n</resources>";
    let strings = "/* c */\n\"a\" = \"b \\\"c\\\"\";\nd = \"e\"; // f\n\"g\" = h\n\"i\" = \"j\";";
    let dict = "<plist><dict><key>files</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string><key>n</key><dict><key>one</key><string>un</string><key>other</key><string>%d</string></dict></dict></dict></plist>";
    let data = "<data name=\"a\"><value>b {0}</value></data><data name=\"i\" type=\"x\"><value>c</value></data>";
    let resx = &format!("<{0}>{data}</{0}>", "root");
    let catalog = r#"{"sourceLanguage": "en", "strings": {"Save": {"localizations": {"fr": {"stringUnit": {"state": "translated", "value": "Enregistrer"}}}}, "%d files": {"localizations": {"de": {"variations": {"plural": {"one": {"stringUnit": {"value": "Eine"}}, "other": {"stringUnit": {"value": "%d"}}}}}}}}}"#;
    let xliff = "<xliff><file><body><trans-unit id=\"a\"><source>S <x id=\"I\"/></source><target>T</target></trans-unit></body></file></xliff>";
    let php = "<?php\n// c\nreturn [\n  'a' => 'b \\'c\\'',\n  'd' => ['e' => \"f\", 'g',],\n  'h' => trans('x'), 'i' => 'j' . 'k', 'a' => 'l'\n];";
    let all = [
        ("res/values-fr/strings.xml", android),
        ("fr.lproj/a.strings", strings),
        ("fr.lproj/a.stringsdict", dict),
        ("Texts.fr.resx", resx),
        ("a.xcstrings", catalog),
        ("a.fr.xlf", xliff),
        ("lang/fr/a.php", php),
    ];
    let shown: String =
        all.iter().map(|(path, text)| format!("## {path}\n{}", entries(path, text))).collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn locales_are_compared_with_the_source() {
    let en = r#"{"a": "{{n}} of {{m}}", "b_one": "{{count}} day", "b_other": "{{count}} days", "c": "<0>x</0>", "d": "Only in English"}"#;
    let pl = r#"{"a": "{{n}} z {{k}}", "b_one": "dzień", "b_other": "{{count}} dni", "c": "x", "e": "y"}"#;
    insta::assert_snapshot!(
        findings(&[("locales/en.json", en), ("locales/pl.json", pl)]).join("\n")
    );
    // Without a source, only the plural forms of the language are checked.
    let found = findings(&[("locales/de.json", en), ("locales/pl.json", pl)]);
    let expected =
        "i18n/missing-plural `b` has no plural forms `few`, `many`, which `pl` needs [b_one]";
    assert_eq!(found, [expected]);
    let (de, pl) = (r#"{"a": "{{n}}", "b": "x"}"#, r#"{"a": "{{k}}"}"#);
    assert_eq!(findings(&[("locales/de.json", de), ("locales/pl.json", pl)]), Vec::<String>::new());
}

#[test]
fn french_does_not_need_the_form_many() {
    let en = r#"{"b_one": "{{count}} day", "b_other": "{{count}} days"}"#;
    for locale in ["fr", "es", "it", "pt", "pt-BR"] {
        let path = format!("locales/{locale}.json");
        assert_eq!(findings(&[("locales/en.json", en), (&path, en)]), Vec::<String>::new());
    }
}

#[test]
fn a_much_larger_catalogue_is_not_a_translation_of_english() {
    let en = r#"{"a": "A"}"#;
    let de = r#"{"a": "A", "b": "Ein Text", "c": "Noch ein Text"}"#;
    assert_eq!(findings(&[("locales/en.json", en), ("locales/de.json", de)]), Vec::<String>::new());
    let long = r#"{"b": "A text in a script with many bytes for each letter"}"#;
    let found = findings(&[("locales/en.json", en), ("locales/hi.json", long)]);
    assert_eq!(found.len(), 2, "{found:?}");
}

const PATHS: [&str; 13] = [
    "locales/fr.json",
    "l10n/app_fr.arb",
    "po/ru.po",
    "i18n/fr/a.ftl",
    "config/locales/fr.yml",
    "messages_fr.properties",
    "res/values-fr/strings.xml",
    "fr.lproj/a.strings",
    "fr.lproj/a.stringsdict",
    "a.xcstrings",
    "Texts.fr.resx",
    "lang/fr/a.php",
    "a.fr.xlf",
];

proptest! {
    #[test]
    fn the_spans_of_any_text_are_valid(
        text in "(msgid |msgstr |msgstr\\[0\\] |return |<resources>|\\{|\\}|\\[|\\]|\"|'|=>|=|;|,|:|#|\\*|\\$|%|->|\\\\|\n|  |é|a|b|\\.|-|<|/|>|u00e9){0,40}",
    ) {
        for path in PATHS {
            let Some(catalogue) = read::read(&layout(path).expect("a catalogue"), &text) else { continue };
            let spans = catalogue.entries.iter().flat_map(|entry| {
                entry.forms.iter().map(|form| form.span).chain([entry.key_span])
            });
            for span in spans.chain(catalogue.problems.iter().map(|problem| problem.span)) {
                prop_assert!(text.get(span.range()).is_some(), "{path} {span:?} {text:?}");
            }
        }
    }
}

#[test]
fn unknown_placeholders_of_a_text_are_one_finding() {
    let en = r#"{"range": "{{from}} to {{until}}", "region": "{{region}}"}"#;
    let fr = r#"{"range": "{{de}} à {{jusque}}", "region": "{{Region}}"}"#;
    let found = findings(&[("locales/en.json", en), ("locales/fr.json", fr)]);
    assert_eq!(
        found,
        [
            "i18n/unknown-placeholder the source text of `range` has no placeholders `{{de}}`, `{{jusque}}` [{{de}}]",
            "i18n/unknown-placeholder the source text of `region` has no placeholder `{{Region}}` [{{Region}}]",
        ]
    );
}

#[test]
fn sections_of_character_data_are_read_after_space() {
    let en = "<resources><string name=\"a\">\n<![CDATA[<b>%1$s</b>]]>\n</string></resources>";
    let fr = "<resources><string name=\"a\"><![CDATA[<b>%1$s</b> !]]></string></resources>";
    let found = findings(&[("res/values/strings.xml", en), ("res/values-fr/strings.xml", fr)]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn placeholders_of_other_files_of_the_directory_are_usual() {
    let en = r#"{"a": "{n} of {m}", "b": "{n}", "c": "{m}"}"#;
    let files = |text| {
        [
            ("locales/en/a.json", en),
            ("locales/en/b.json", r#"{"x": "Open"}"#),
            ("locales/fr/b.json", text),
        ]
    };
    let found = findings(&files(r#"{"x": "Ouvrir {n}"}"#));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(findings(&files(r#"{"x": "Ouvrir"}"#)), Vec::<String>::new());
}

#[test]
fn empty_fields_and_conversions_are_placeholders_in_po_files() {
    let header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
    let found = |entry: &str| findings(&[("po/fr.po", &format!("{header}{entry}"))]);
    assert_eq!(found("msgid \"{}th\"\nmsgstr \"e\"\n").len(), 1);
    assert_eq!(found("msgid \"{}th {n!r}\"\nmsgstr \"{}e {n}\"\n"), Vec::<String>::new());
}

#[test]
fn keys_that_are_texts_need_no_catalogue() {
    let en = r#"{"All keys": "All keys", "Open": "Open", "Save": "Save", "Close": "Close"}"#;
    let code = "const { t } = useTranslation(); t('Open'); t('Save'); t('Close'); t('Kind');";
    assert_eq!(findings(&[("locales/en.json", en), ("src/a.ts", code)]), Vec::<String>::new());
    let en = en.replace("All keys", "all");
    assert_eq!(findings(&[("locales/en.json", &en), ("src/a.ts", code)]).len(), 1);
}

#[test]
fn keys_that_only_other_locales_define_are_stated_as_such() {
    let code = "const { t } = useTranslation(); t('menu.open'); t('menu.new');";
    let found = findings(&[
        ("locales/en.json", r#"{"menu": {"open": "Open"}}"#),
        ("locales/fr.json", r#"{"menu": {"open": "Ouvrir", "new": "Nouveau"}}"#),
        ("src/a.ts", code),
    ]);
    let expected =
        "i18n/undefined-key only catalogues of other locales define the key `menu.new` [menu.new]";
    assert_eq!(found, [expected]);
}

#[test]
fn keys_of_actions_are_those_of_the_action() {
    let en = "en:\n  users:\n    create:\n      done: Done\n";
    let found = |text: &str| {
        findings(&[("config/locales/en.yml", en), ("app/controllers/users_controller.rb", text)])
    };
    let action =
        |body: &str| format!("class UsersController\n  def create\n    {body}\n  end\nend\n");
    assert_eq!(found(&action("t('.done')")), Vec::<String>::new());
    assert_eq!(found(&action("t('.failed')")).len(), 1);
    // A private method is used by several actions.
    let private = action("t('.done')").replace("  def", "  private\n\n  def");
    assert_eq!(found(&private.replace("done", "failed")), Vec::<String>::new());
}

#[test]
fn duplicates_with_the_same_texts_are_harmless() {
    let harmless = |path: &str, text: &str| -> Vec<bool> {
        let catalogue = read::read(&layout(path).expect("a catalogue"), text).expect("read");
        catalogue.problems.iter().map(|problem| problem.is_harmless).collect()
    };
    let php = "<?php return ['a' => ['b' => 'B', 'c' => 'C'], 'd' => 'D', 'a' => ['b' => 'B', 'c' => 'C'],
        'e' => ['f' => ['g' => 'G']], 'e' => ['f' => ['g' => 'H']], 'd' => 'D', 'd' => 'E'];";
    assert_eq!(harmless("lang/fr/app.php", php), [true, false, true, false]);
    let yaml = "fr:\n  a:\n    b: B\n  c:\n    d: D\n  a:\n    b: B\n  c:\n    d: E\n";
    assert_eq!(harmless("config/locales/fr.yml", yaml), [true, false]);
}
