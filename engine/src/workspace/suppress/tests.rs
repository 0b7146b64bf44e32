//! Tests of the edits that suppress a finding.

use super::*;
use crate::project::config::Config;
use crate::text::files::Memory;

fn engine() -> Engine {
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("valid")
}

/// Allows the first finding of `rule`, and returns the changed text.
fn allowed(path: &str, text: &str, rule: &str) -> Option<String> {
    let (engine, files) = (engine(), Memory::default());
    let source = Source::new(path, text);
    let findings = engine.check(&source, &files).findings;
    let finding = findings.iter().find(|finding| &*finding.rule == rule).expect("a finding");
    let edit = allow(&engine, &source, finding, &files, "why")?;
    let mut text = text.to_owned();
    text.insert_str(edit.span.start as usize, &edit.text);
    Some(text)
}

/// A token that is only complete once concatenated, so that this file has no secret.
fn token() -> String {
    format!("gh{}_{}", "p", "0Zx9Qm3Lw8Rt5Yk2Vb7Nc4Jd1Hf6Gs0PaE2u")
}

#[test]
fn the_comment_is_indented_and_has_the_syntax_of_the_file() {
    let write =
        |path: &str, text: &str| allowed(path, text, "secrets/github-personal-access-token");
    let with_secret = |line: &str| line.replace("SECRET", &token());
    let first_line = |path: &str, text: &str| {
        let text = write(path, &with_secret(text)).expect("a comment");
        text.lines().find(|line| line.contains("aidd:allow")).expect("written").to_owned()
    };
    assert!(first_line("a.py", "if x:\n    t = \"SECRET\"\n").starts_with("    # aidd:allow "));
    assert!(first_line("a.ts", "const t = \"SECRET\";\n").starts_with("// aidd:allow "));
    assert!(first_line("a.md", "Token SECRET\n").starts_with("<!-- aidd:allow "));
    assert!(first_line("a.md", "> Token SECRET\n").ends_with(" why -->"));
    assert!(first_line("a.md", "> ```sh\n> t=SECRET\n> ```\n").starts_with("> # aidd:allow "));
    assert!(first_line("a.md", "```sh\nt=SECRET\n```\n").starts_with("# aidd:allow "));
    assert!(first_line("a.css", "/* SECRET */\n").starts_with("/* aidd:allow "));
    assert!(first_line(".env", "T=SECRET\n").starts_with("# aidd:allow "));
    assert_eq!(write("a.json", &with_secret("{\"t\": \"SECRET\"}\n")), None);
}

/// The text after the finding is allowed; `SECRET` marks the token.
fn placed(path: &str, text: &str) -> Option<String> {
    let rule = "secrets/github-personal-access-token";
    let text = allowed(path, &text.replace("SECRET", &token()), rule)?;
    Some(
        text.replace(&token(), "SECRET")
            .replace(&format!("aidd:allow {rule} why"), "ALLOW")
            .replace(&format!("aidd:allow-file {rule} why"), "FILE"),
    )
}

#[test]
fn a_comment_is_placed_outside_of_literals_and_tags() {
    let cases = [
        ("a.py", "K = \"\"\"\nx\nSECRET\n\"\"\"\n", "# ALLOW\nK = \"\"\"\nx\nSECRET\n\"\"\"\n"),
        ("a.js", "f(1)\nconst q = `\n  SECRET\n`\n", "f(1)\n// ALLOW\nconst q = `\n  SECRET\n`\n"),
        (
            "a.go",
            "package a\n\nconst t = `\nSECRET\n`\n",
            "package a\n\n// ALLOW\nconst t = `\nSECRET\n`\n",
        ),
        (
            "a.rs",
            "const T: &str = \"\nSECRET\n\";\n",
            "// ALLOW\nconst T: &str = \"\nSECRET\n\";\n",
        ),
        ("a.rb", "t = <<~E\n  SECRET\nE\n", "# ALLOW\nt = <<~E\n  SECRET\nE\n"),
        ("a.sh", "cat <<E\nSECRET\nE\n", "# ALLOW\ncat <<E\nSECRET\nE\n"),
        (
            "a.yaml",
            "data:\n  a.json: |\n    {\n    \"t\": \"SECRET\"}\n",
            "data:\n  # ALLOW\n  a.json: |\n    {\n    \"t\": \"SECRET\"}\n",
        ),
        (
            "pom.xml",
            "<p>\n  <s\n    id=\"x\"\n    token=\"SECRET\"/>\n</p>\n",
            "<p>\n  <!-- ALLOW -->\n  <s\n    id=\"x\"\n    token=\"SECRET\"/>\n</p>\n",
        ),
        (
            "a.html",
            "<body>\n<b\n  data-t=\"SECRET\">\n</b></body>\n",
            "<body>\n<!-- ALLOW -->\n<b\n  data-t=\"SECRET\">\n</b></body>\n",
        ),
        (
            "b.html",
            "<script>\nlet a = `\nSECRET`\n</script>\n<p>\n",
            "<script>\nlet a = `\nSECRET` /* ALLOW */\n</script>\n<p>\n",
        ),
        (
            "c.html",
            "<script>\nlet a = \"SECRET\"\n</script>\n",
            "<script>\n/* ALLOW */\nlet a = \"SECRET\"\n</script>\n",
        ),
        (
            "a.tsx",
            "const B = () => <p>\n  text SECRET\n</p>\n",
            "const B = () => <p>\n  {/* ALLOW */}\n  text SECRET\n</p>\n",
        ),
        ("a.md", "one\nSECRET\n", "one\nSECRET <!-- ALLOW -->\n"),
    ];
    for (path, text, expected) in cases {
        assert_eq!(placed(path, text).as_deref(), Some(expected), "{path}: {text}");
    }
}

#[test]
fn where_no_line_can_have_a_comment_the_rule_is_allowed_in_the_file() {
    let cases = [
        ("a.xml", "<!-- FILE -->", "<a><![CDATA[\nSECRET\n]]></a>\n"),
        ("strings.xml", "<!-- FILE -->", "<r>\n<s name=\"a\">x\nSECRET\n</s>\n</r>\n"),
        ("a.html", "<!-- FILE -->", "<body>\n<pre>\nSECRET\n</pre></body>\n"),
        ("b.html", "<!-- FILE -->", "<body>\n<textarea>\nSECRET\n</textarea></body>\n"),
        ("a.md", "<!-- FILE -->", "| a |\n| - |\n| b |\n| SECRET |\n"),
        ("a.sql", "-- FILE", "SELECT 1;\nINSERT INTO a VALUES ('x\nSECRET\n');\n"),
        ("a.toml", "# FILE", "a = 1\nt = \"\"\"\nSECRET\n\"\"\"\n"),
        ("a.kt", "// FILE", "val a = 1\nval t = \"\"\"\nSECRET\n\"\"\"\n"),
    ];
    for (path, comment, text) in cases {
        let expected = format!("{comment}\n{text}");
        assert_eq!(placed(path, text), Some(expected), "{path}: {text}");
    }
    let text = "<html>\n<p><?= $x ?></p>\n<b>SECRET</b>\n";
    assert_eq!(placed("a.php", text), None);
    let text = "#!/bin/sh SECRET\n";
    assert_eq!(placed("a.sh", text).as_deref(), Some("#!/bin/sh SECRET\n# FILE\n"));
}

#[test]
fn templates_and_components_have_comments() {
    let cases = [
        (
            "a.vue",
            "<template>\n  <b a=\"SECRET\" />\n</template>\n",
            "<template>\n  <!-- ALLOW -->\n  <b a=\"SECRET\" />\n</template>\n",
        ),
        (
            "b.vue",
            "<script setup>\nlet a = 'SECRET'\n</script>\n",
            "<script setup>\n/* ALLOW */\nlet a = 'SECRET'\n</script>\n",
        ),
        (
            "a.svelte",
            "<p>\n{#if a}\n  SECRET\n{/if}</p>\n",
            "<p>\n{#if a}\n  <!-- ALLOW -->\n  SECRET\n{/if}</p>\n",
        ),
        (
            "a.astro",
            "---\nconst a = 'SECRET';\n---\n<p>a</p>\n",
            "---\n// ALLOW\nconst a = 'SECRET';\n---\n<p>a</p>\n",
        ),
        (
            "a.erb",
            "<p>\n<%= a(b,\n  'SECRET') %></p>\n",
            "<p>\n<%= a(b,\n  'SECRET') %></p> <!-- ALLOW -->\n",
        ),
        (
            "requirements.txt",
            "a==1\nb @ https://SECRET@x.y/z\n",
            "a==1\n# ALLOW\nb @ https://SECRET@x.y/z\n",
        ),
    ];
    for (path, text, expected) in cases {
        assert_eq!(placed(path, text).as_deref(), Some(expected), "{path}: {text}");
    }
}

#[test]
fn a_rule_is_disabled_and_comments_are_preserved() {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let disable = |text: &str| disable_rule(&registry, text, "dockerfile/sudo", "Dockerfile");
    assert_eq!(
        disable("").as_deref(),
        Some("{\n  \"rules\": {\n    \"dockerfile/sudo\": \"off\"\n  }\n}\n")
    );
    assert_eq!(
        disable("{\n  // why\n  \"failOn\": \"error\" // this\n}\n").as_deref(),
        Some(
            "{\n  // why\n  \"failOn\": \"error\", // this\n  \"rules\": {\n    \"dockerfile/sudo\": \"off\"\n  }\n}\n"
        )
    );
    assert_eq!(
        disable("{\"rules\": {\"DL3004\": \"error\", \"dockerfile/sudo\": {\"severity\": \"error\", \"params\": {}}}}").as_deref(),
        Some("{\"rules\": {\"DL3004\": \"off\", \"dockerfile/sudo\": {\"severity\": \"off\", \"params\": {}}}}")
    );
    assert_eq!(disable("{"), None);
    assert_eq!(disable("[]"), None);
    let deep = format!("{{\"include\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(disable(&deep), None);
    let override_entry = |setting: &str| {
        format!("{{\"overrides\": [{{\"files\": [\"*\"], \"rules\": {{{setting}}}}}]}}")
    };
    assert!(disable(&override_entry("\"dockerfile/sudo\": \"error\"")).is_some());
    assert_eq!(disable(&override_entry("\"dockerfile/*\": \"error\"")), None, "it would still run");
}
