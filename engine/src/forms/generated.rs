//! Detects generated files by a header comment or by code that only compilers, bundlers and
//! minifiers emit. Generated files are not fixed by hand.

/// Maximum number of lines that are searched for the header comment; in many files a licence
/// precedes the comment.
const MAX_HEAD_LINES: usize = 60;

/// The strings that open a comment in the supported languages.
const OPENERS: [&str; 9] = ["//", "#", "/*", "*", "--", "<!--", ";", "%", "\"\"\""];

/// Number of bytes of a script that are searched for the code that compilers emit.
const SEARCHED_BYTES: usize = 6000;

/// Code that compilers and bundlers put at the head of their output: TypeScript, Babel, esbuild,
/// webpack.
const COMPILER_MARKERS: [&str; 7] = [
    "Object.defineProperty(exports, \"__esModule\"",
    "Object.defineProperty(exports, '__esModule'",
    "(this && this.__",
    "var __defProp = Object.defineProperty",
    "@babel/runtime/helpers/",
    "__webpack_require__",
    "function _interopRequireDefault(",
];

/// Code that binding generators put into their Rust output: rust-bindgen, windows-bindgen.
const BINDING_MARKERS: [&str; 5] = [
    "__BindgenBitfieldUnit",
    "bindgen_test_layout_",
    "windows_link::link!(",
    "windows_targets::link!(",
    "windows_core::imp::",
];

/// Average line length in bytes from which a script or a style sheet counts as minified. GitHub's
/// Linguist uses 110 (`minified_files?`), which some handwritten files exceed.
const MINIFIED_LINE_LENGTH: usize = 250;

/// Whether a header comment states that the file is generated, or the file looks like compiler
/// output.
#[must_use]
pub fn is_generated(path: &str, text: &str) -> bool {
    has_generated_header(text) || is_tool_output(path, text)
}

/// Text that generators put into descriptions of APIs: NSwag, springdoc, FastAPI, NestJS, Strapi,
/// drf-spectacular without settings, exports of Amazon API Gateway, go-swagger, OpenAPI Generator.
const API_MARKERS: [&str; 12] = [
    "\"x-generator\":",
    "Generated server url",
    "/HTTPValidationError",
    "Controller_",
    "\"x-strapi-config\":",
    "\"x-generation-date\":",
    "${stageVariables",
    "\n  title: ''\n",
    " x-go-package: ",
    "\"x-go-package\":",
    "\n      x-accepts:",
    "\n      x-content-type: ",
];

/// Size in bytes from which an API description in JSON counts as generated. People write larger
/// descriptions in YAML, or split them.
const MAX_HANDWRITTEN_JSON: usize = 100_000;

/// Whether a file is an OpenAPI description that was generated from code, with `head` as the start
/// of its `text`.
fn is_generated_api_description(path: &str, head: &str, text: &str) -> bool {
    let is_description =
        ["\"openapi\"", "\"swagger\"", "openapi:", "swagger:"].iter().any(|key| head.contains(key));
    // swag names definitions after Go packages: `#/definitions/repo.Item`.
    let is_go_type = |name: &str| {
        let start = name
            .trim_start_matches(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let mut rest = start.chars();
        start.len() < name.len()
            && rest.next() == Some('.')
            && rest.next().is_some_and(|c| c.is_ascii_uppercase())
    };
    // `# Generated with protoc-gen-openapi`; in other files, such a comment can describe a template
    // that people then edit.
    let first = head.trim_start_matches('\u{feff}').trim_start().lines().next().unwrap_or_default();
    let comment = first.trim_start_matches(['#', ' ']).to_ascii_lowercase();
    let is_stated = first.starts_with('#') && comment.starts_with("generated ");
    let name = path.rsplit('/').next().unwrap_or(path);
    // The default name of swagger-autogen.
    let is_output = matches!(name, "swagger_output.json" | "swagger-output.json")
        || name.split(['.', '-', '_']).any(|part| part == "generated");
    let is_large = text.len() >= MAX_HANDWRITTEN_JSON && text.trim_start().starts_with('{');
    is_description
        && (is_output
            || is_stated
            || is_large
            || API_MARKERS.iter().any(|marker| text.contains(marker))
            || text.split("#/definitions/").skip(1).take(20).any(is_go_type))
}

/// Whether a file is a lock file, or whether a script, a style sheet or an HTML page is the output
/// of a compiler, a minifier or a documentation generator.
fn is_tool_output(path: &str, text: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_script = matches!(extension, "js" | "mjs" | "cjs" | "jsx");
    let head = &text[..text.floor_char_boundary(SEARCHED_BYTES)];
    if extension == "lock" {
        return true;
    }
    if matches!(extension, "json" | "yaml" | "yml") {
        return is_generated_api_description(path, head, text);
    }
    if extension == "rs" {
        // A list of modules can precede the bindings.
        let head = &text[..text.floor_char_boundary(8 * SEARCHED_BYTES)];
        return BINDING_MARKERS.iter().any(|pattern| head.contains(pattern));
    }
    if is_script && COMPILER_MARKERS.iter().any(|pattern| head.contains(pattern)) {
        return true;
    }
    if matches!(extension, "html" | "htm") {
        let generator = [
            "<meta name=\"generator\"",
            "<meta name=\"Generator\"",
            "<!-- Generated by ",
            // Pages that styled-components rendered, such as those of Redoc.
            "<style data-styled=\"true\"",
        ];
        return generator.iter().any(|pattern| head.contains(pattern));
    }
    if !is_script && extension != "css" {
        return false;
    }
    let last = text.trim_end().rsplit('\n').next().unwrap_or("");
    let lines = text.lines().count().max(1);
    last.starts_with("//# sourceMappingURL=")
        || last.starts_with("/*# sourceMappingURL=")
        || (text.len() > 4 * MINIFIED_LINE_LENGTH && text.len() / lines > MINIFIED_LINE_LENGTH)
}

/// Whether the comments before the first line of code state that the file is generated: Go's `Code
/// generated by … DO NOT EDIT.` (<https://go.dev/s/generatedcode>), protobuf's `Generated by the
/// protocol buffer compiler.  DO NOT EDIT!` and similar sentences, `File generated from our OpenAPI
/// spec`, or the tag `@generated` alone (<https://generated.at>).
fn has_generated_header(text: &str) -> bool {
    let mut in_block = false;
    let mut is_stated = false;
    for line in text.trim_start_matches('\u{feff}').lines().take(MAX_HEAD_LINES).map(str::trim) {
        let opens = OPENERS.iter().any(|opener| line.starts_with(opener));
        let is_head = in_block || opens || line.is_empty() || line.starts_with("<?php");
        if !is_head {
            return false;
        }
        in_block = (in_block || line.starts_with("/*")) && !line.contains("*/");
        if has_generated_tag(line) {
            return true;
        }
        let lower = line.to_ascii_lowercase();
        if is_complete_statement(&lower) {
            return true;
        }
        let (before, after) = lower.split_once("generated").unwrap_or((&lower, ""));
        // `DO NOT EDIT THIS FILE. It is generated from a template.`
        if ["do not edit ", "do not modify "].iter().any(|words| before.contains(words))
            && ["it is ", "it was ", "file is ", "file was "].iter().any(|it| before.ends_with(it))
        {
            return true;
        }
        // The sentence can be split over two lines, with the warning on the second.
        let warnings = ["do not edit", "do not modify", "don't edit"];
        if warnings
            .iter()
            .any(|words| after.contains(words) || (is_stated && before.contains(words)))
        {
            return true;
        }
        is_stated = states_generated(&lower) || (is_stated && !line.is_empty());
    }
    false
}

/// Whether a line states in a complete sentence that the file is generated. After such a sentence,
/// a warning like `DO NOT EDIT` is not required.
fn is_complete_statement(lower: &str) -> bool {
    let statement = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let starts = [
        "file generated ",
        "automatically generated by ",
        "bindings generated by ",
        "this file is generated ",
        "this file was generated ",
        "this file is automatically generated",
        "this file was automatically generated",
        "this file is auto-generated",
        "this file was auto-generated",
        "this is a generated file",
        "auto-generated file",
        "autogenerated file",
    ];
    starts.iter().any(|start| statement.starts_with(start))
}

/// Whether the line contains `@generated` as a whole word.
fn has_generated_tag(line: &str) -> bool {
    let mut found = line.match_indices("@generated");
    found.any(|(at, tag)| {
        !line[at + tag.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
    })
}

/// Whether the line states that the file itself is generated.
fn states_generated(lower: &str) -> bool {
    let words = ["code generated", "generated by", "generated from", "generated file"];
    let automatic = ["automatically generated", "auto-generated", "autogenerated", "is generated"];
    words.iter().chain(&automatic).any(|words| lower.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_headers_are_recognised() {
        for text in [
            "// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage a\n",
            "\u{feff}/*\nCopyright X\n\nLicensed under Y.\n*/\r\n\r\n// Code generated by MockGen. DO NOT EDIT.\r\npackage a\n",
            "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\nimport a\n",
            "#!/usr/bin/env python3\n# This file was automatically generated by tool.\n# Please do not edit it by hand.\n",
            "# DO NOT EDIT THIS FILE. It is generated from a template. Changes should be\n# proposed there.\na: 1\n",
            "/**\n * @generated SignedSource<<0>>\n */\nexport {};\n",
            "<?php\n// @generated\nreturn [];\n",
            "<!-- This page is generated from the rules: do not edit it. -->\n# Rules\n",
        ] {
            assert!(has_generated_header(text), "{text}");
        }
    }

    #[test]
    fn compiler_output_is_recognised() {
        let minified = format!("{}\n", "a(1);".repeat(300));
        for (path, text) in [
            (
                "a.js",
                "\"use strict\";\nObject.defineProperty(exports, \"__esModule\", { value: true });\n",
            ),
            (
                "lib/a.js",
                "\"use strict\";\nvar __importDefault = (this && this.__importDefault) || f;\n",
            ),
            ("a.mjs", "export const a = 1;\n//# sourceMappingURL=a.mjs.map\n"),
            ("a.css", ".a{}\n/*# sourceMappingURL=a.css.map */"),
            ("a.js", &minified),
            ("a.html", "<!DOCTYPE html>\n<html>\n<!-- Generated by javadoc (1.8) -->\n"),
            ("a.rs", "/* automatically generated by rust-bindgen 0.69.4 */\n\npub type a = u8;\n"),
            ("a.rs", "pub mod b;\nwindows_link::link!(\"a.dll\" \"system\" fn A());\n"),
            ("a.ts", "// File generated from our OpenAPI spec by Stainless.\nexport class A {}\n"),
            ("a.yaml", "swagger: '2.0'\npaths: {a: {$ref: '#/definitions/repo.Item'}}\n"),
            ("a.json", "{\"openapi\": \"3.1.0\", \"$ref\": \"#/x/HTTPValidationError\"}"),
            ("a.json", "{\"openapi\": \"3.0.0\", \"operationId\": \"CartController_find\"}"),
            ("a.yaml", "# Generated with protoc-gen-openapi\n\nopenapi: 3.0.3\n"),
            ("src/swagger_output.json", "{\"swagger\": \"2.0\"}"),
            ("api/openapi.generated.yml", "openapi: 3.1.0\n"),
            ("a.json", &*format!("{{\"openapi\": \"3.0.0\"{}}}", " ".repeat(MAX_HANDWRITTEN_JSON))),
        ] {
            assert!(is_generated(path, text), "{path} {text}");
        }
        let json = format!("const data = {{\n{}}};\n", "  key: 'value',\n".repeat(300));
        for (path, text) in [
            ("a.ts", &*minified),
            ("a.js", &json),
            ("a.js", "const short = 'one line';"),
            ("a.ts", "Object.defineProperty(exports, \"__esModule\", { value: true });\n"),
            ("a.js", "// sets __esModule by hand\nexports.a = 1;\n"),
            ("a.html", "<!DOCTYPE html>\n<html><body></body></html>\n"),
            ("a.yaml", "swagger: '2.0'\npaths: {a: {$ref: '#/definitions/item.small'}}\n"),
            ("a.yaml", "# Describes the generated client\nopenapi: 3.0.3\n"),
            ("a.yaml", "# Generated with a template\nname: shop\n"),
            ("a.yaml", "paths: {a: {$ref: '#/definitions/repo.Item'}}\n"),
        ] {
            assert!(!is_generated(path, text), "{path} {text}");
        }
    }

    #[test]
    fn other_files_are_not_generated() {
        for text in [
            "",
            "package a\n// Code generated by x. DO NOT EDIT.\n",
            "// Writes the table. Do not edit what is below.\nfn main() {}\n",
            "# The report is generated at night.\n\n# Do not edit while it runs.\nimport a\n",
            "// @generatedBy is a decorator\nlet a = 1;\n",
            "const MARK = 'Code generated by x. DO NOT EDIT.';\n",
            "# Generated by Django 4.2 on 2024-01-01 10:00\n\nfrom django.db import migrations\n",
        ] {
            assert!(!has_generated_header(text), "{text}");
        }
    }
}
