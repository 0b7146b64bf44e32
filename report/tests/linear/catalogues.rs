//! Catalogues of translated texts, of any size.

use super::texts::Row;

/// Catalogues that are expensive for readers, or have many entries and defects.
pub(crate) const ROWS: &[Row] = &[
    ("texts in JSON", "locales/fr.json", |n| {
        let entries = (0..n).map(|n| format!("\"key{n}\": \"{{{{a}}}} <b>{n}</b>\""));
        format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
    }),
    ("duplicate keys in JSON", "locales/fr.json", |n| {
        format!("{{{}}}", vec!["\"key\": \"text\""; n].join(","))
    }),
    ("braces in a message", "l10n/app_fr.arb", |n| format!("{{\"a\": \"{}\"}}", "{a".repeat(n))),
    ("options of a message", "l10n/app_fr.arb", |n| {
        let options: String = (0..n).map(|n| format!("o{n} {{x}} ")).collect();
        format!("{{\"a\": \"{{g, select, {options}}}\"}}")
    }),
    ("strings in PO", "po/fr.po", |n| {
        (0..n).map(|n| format!("#, c-format\nmsgid \"%d {n}\"\nmsgstr \"%s {n}\"\n\n")).collect()
    }),
    ("continued strings in PO", "po/fr.po", |n| {
        format!("msgid \"\"\n{}msgstr \"\"\n{0}", "\"text\\n\"\n".repeat(n))
    }),
    ("keywords in PO", "po/fr.po", |n| "msgid \"a\"\n".repeat(n)),
    ("quotes in PO", "po/fr.po", |n| "\"".repeat(n)),
    ("placeables of Fluent", "i18n/fr/a.ftl", |n| format!("a = {}", "{ ".repeat(n))),
    ("closed placeables of Fluent", "i18n/fr/a.ftl", |n| {
        format!("a = {}{}", "{ a".repeat(n), "}".repeat(n))
    }),
    ("messages of Fluent", "i18n/fr/a.ftl", |n| {
        (0..n).map(|n| format!("a{n} = {{ $x }} {{ a{n}.b }}\n")).collect()
    }),
    ("lines of a Fluent message", "i18n/fr/a.ftl", |n| {
        format!("a =\n{}", "    text\n\n".repeat(n))
    }),
    ("backslashes in properties", "messages_fr.properties", |n| "\\".repeat(n)),
    ("continued lines of properties", "messages_fr.properties", |n| "a=\\\n".repeat(n)),
    ("pairs of Apple", "a/fr.lproj/a.strings", |n| "\"a\" = \"%d%%%@\";\n".repeat(n)),
    ("comments of Apple", "a/fr.lproj/a.strings", |n| "/* ".repeat(n)),
    ("keys without texts of Apple", "a/fr.lproj/a.strings", |n| "a ".repeat(n)),
    ("arrays of PHP", "lang/fr/a.php", |n| format!("<?php return {}", "['a' => ".repeat(n))),
    ("strings of PHP", "lang/fr/a.php", |n| {
        format!("<?php return [{}];", "'a' => ':b \\\\ \\'',".repeat(n))
    }),
    ("strings of Android", "res/values-fr/strings.xml", |n| {
        let strings = "<string name=\"a\">l'a &amp; %d <b>c</b></string>".repeat(n);
        format!("<resources>{strings}</resources>")
    }),
    ("texts in YAML", "config/locales/fr.yml", |n| {
        let lines: String = (0..n).map(|n| format!("  key{n}: \"%{{a}} %<b>d\"\n")).collect();
        format!("fr:\n{lines}")
    }),
    ("units of XLIFF", "a.fr.xlf", |n| {
        let unit =
            "<trans-unit id=\"a\"><source>a <x id=\"b\"/></source><target>a</target></trans-unit>";
        format!("<xliff>{}</xliff>", unit.repeat(n))
    }),
];
