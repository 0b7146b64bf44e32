//! Sentences in, checks out.

mod real;
mod surveys;

use super::ground::word;
use super::*;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::Source;
use std::fmt::Write as _;

const FILES: [(&str, &str); 13] = [
    ("package.json", r#"{"dependencies": {"lodash": "4", "moment": "2", "react": "19"}}"#),
    ("tsconfig.json", r#"{"compilerOptions": {"strict": true}}"#),
    ("src/app/main.ts", "console.log(1);\ncloneDeep(a);\n"),
    ("src/domain/user.ts", "export const user = 1;\n"),
    ("src/infrastructure/db.ts", "export const db = 1;\n"),
    ("src/components/UserCard.tsx", "export const UserCard = 1;\n"),
    ("packages/a/index.ts", ""),
    ("migrations/1.sql", ""),
    ("docs/schema.md", ""),
    ("tools/x.py", "print(1)\nos.system('a')\n"),
    ("crates/core/Cargo.toml", "[package]\nname = \"core\"\n"),
    ("crates/core/src/lib.rs", "fn a() { b().unwrap(); }\n"),
    ("server/main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n"),
];

fn memory(files: &[(&str, &str)]) -> Memory {
    Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    )
}

/// What is known of a project of `files`, for the sentences of `markdown`.
fn ground(files: &[(&str, &str)], markdown: &str) -> Ground {
    let files = memory(files);
    let paths: Vec<String> = files.0.keys().cloned().collect();
    let sentences = sentences(&Source::new("AGENTS.md", markdown));
    let words = sentences.iter().flat_map(|one| &one.code).map(|code| word(code)).collect();
    Ground::new(&files, &paths, &words)
}

/// Each sentence that demands something, and what it comes to.
fn told(markdown: &str) -> String {
    let ground = ground(&FILES, markdown);
    let source = Source::new("AGENTS.md", markdown);
    let mut text = String::new();
    for sentence in sentences(&source) {
        let said = match verdict(&sentence, &ground) {
            Verdict::Draft(draft) => format!("{} {} {}", draft.trust.word(), draft.id, draft.check),
            Verdict::Run(command) => format!("run {command}"),
            Verdict::Guidance => "guidance".to_owned(),
        };
        let _ = writeln!(text, "{}\n  {said}", sentence.text());
    }
    text
}

#[test]
fn sentences_are_those_that_demand_something() {
    let markdown = "---\ndescription: Always read this\n---\n# Rules\n\nWe like tests. Never use `eval()`, e.g. in a\nparser. Be nice.\n\n\
        - Files MUST be small\n- a note\n\n> You must not read this.\n\n```\nnever use `x()`\n```\n\n\
        | must | a |\n|---|---|\n| b | c |\n\n<!-- aidd:rules -->\n- MUST: be told\n\n<!-- /aidd:rules -->\n\nNever «0» that.\n";
    let source = Source::new("a.md", markdown);
    let found = sentences(&source);
    let texts: Vec<String> = found.iter().map(Sentence::text).collect();
    assert_eq!(
        texts,
        ["Never use `eval()`, e.g. in a parser.", "Files MUST be small", "Never \"0\" that."]
    );
    assert_eq!(source.slice(found[0].span), "Never use `eval()`, e.g. in a\nparser.");
    assert_eq!(source.slice(found[1].span), "Files MUST be small");
    assert_eq!(found[0].heading, "Rules");
}

#[test]
fn what_looks_like_code_needs_no_backticks() {
    let of = |text: &str| {
        let found = sentences(&Source::new("a.md", text));
        found.first().map(|one| (one.shape.clone(), one.code.clone())).expect("a sentence")
    };
    let (shape, code) =
        of("Never call console.log or `a()` and b.c() in src/app/*.ts, and/or .env");
    assert_eq!(shape, "Never call «0» or «1» and «2» in «3», and/or «4»");
    assert_eq!(code, ["console.log", "a()", "b.c()", "src/app/*.ts", ".env"]);
}

#[test]
fn shapes_become_checks() {
    insta::assert_snapshot!(told("
- Never use `console.log`. Do not call `eval()`.
- Do not use `any`; avoid `dbg!` and `panic!`.
- `domain` must not import `infrastructure`.
- `src/domain` must never depend on `react`.
- Use `structuredClone()` instead of `cloneDeep()`.
- Every `packages/*` has a `README.md`.
- File names in `src/**/*.ts` are kebab-case.
- Files have at most 400 lines.
- Never commit `dist/` or `.env`.
- Set `strict` to `true` in `tsconfig.json`.
- Each of `docs/adr/*.md` must have the sections `Status` and `Decision`.
- Commit messages follow Conventional Commits, always.
- When `migrations/` changes, update `docs/schema.md`.
- Never use `console.log` outside of `tools/`.
- Do not use `any` in `src/domain`.
"), @r###"
    Never use `console.log`.
      high project/no-console-log {"syntax":{"language":["typescript"],"rule":{"pattern":"console.log"}}}
    Do not call `eval()`.
      high project/no-eval {"syntax":{"language":["python","typescript"],"rule":{"pattern":"eval($$$ARGS)"}}}
    Do not use `any`
      high project/no-any {"syntax":{"language":["typescript"],"rule":{"kind":"predefined_type","regex":"^any$"}}}
    avoid `dbg!` and `panic!`.
      high project/no-dbg {"syntax":{"language":["rust"],"rule":{"any":[{"pattern":"dbg!($$$ARGS)"},{"pattern":"panic!($$$ARGS)"}]}}}
    `domain` must not import `infrastructure`.
      high project/no-infrastructure-in-domain {"layers":{"forbid":[{"from":"**/domain/**","to":"**/infrastructure/**"}]}}
    `src/domain` must never depend on `react`.
      high project/no-react-in-src-domain {"layers":{"forbid":[{"from":"src/domain/**","to":"npm:react"}]}}
    Use `structuredClone()` instead of `cloneDeep()`.
      medium project/no-clonedeep {"syntax":{"language":["typescript"],"rule":{"pattern":"cloneDeep($$$ARGS)"},"fix":"structuredClone($$$ARGS)"}}
    Every `packages/*` has a `README.md`.
      high project/readme-md-in-each-packages {"tree":{"each":"packages/<folder>/","exists":["packages/<folder>/README.md"]}}
    File names in `src/**/*.ts` are kebab-case.
      high project/kebab-case-names {"exclude":["**/{index,main,mod,lib,__init__}.*","**/*.config.*","**/*.d.ts"],"tree":{"each":"src/**/*.ts","name":["kebab","/^[a-z0-9]+$/"]}}
    Files have at most 400 lines.
      high project/at-most-400-lines {"tree":{"each":"**/*.{go,py,rs,ts,tsx}","lines":{"max":400}}}
    Never commit `dist/` or `.env`.
      high project/no-dist {"tree":{"absent":["**/dist/**","**/.env"],"tracked":true}}
    Set `strict` to `true` in `tsconfig.json`.
      medium project/compileroptions-strict-in-tsconfig-json {"files":["**/tsconfig.json"],"data":{"at":"$.compilerOptions.strict","present":true,"equals":true}}
    Each of `docs/adr/*.md` must have the sections `Status` and `Decision`.
      high project/sections-of-docs-adr-md {"files":["docs/adr/*.md"],"doc":{"headings":["*","## Status","*","## Decision","*"]}}
    Commit messages follow Conventional Commits, always.
      high project/conventional-commits {"commit":{"conventional":{},"title":true}}
    When `migrations/` changes, update `docs/schema.md`.
      high project/docs-schema-md-with-migrations {"commit":{"change":{"touches":"migrations/**","requires":"docs/schema.md"}}}
    Never use `console.log` outside of `tools/`.
      high project/no-console-log {"syntax":{"language":["typescript"],"rule":{"pattern":"console.log"}},"exclude":["tools/**"]}
    Do not use `any` in `src/domain`.
      high project/no-any {"syntax":{"language":["typescript"],"rule":{"kind":"predefined_type","regex":"^any$"}},"files":["src/domain/**"]}
    "###);
}

#[test]
fn a_hostile_page_costs_little() {
    let begun = std::time::Instant::now();
    let long = format!("Never use {}`x()`.\n\n", "the any new a an with to direct ".repeat(20_000));
    let many = "- Never use `foo()` in `a/b` or (((((((\n".repeat(20_000);
    for text in [long, many, "«".repeat(100_000), "never `".repeat(50_000)] {
        let ground = Ground::default();
        let found = sentences(&Source::new("AGENTS.md", text));
        for sentence in found.iter().take(2000) {
            assert!(sentence.shape.chars().count() <= 700);
            let _ = verdict(sentence, &ground);
        }
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn a_heading_that_forbids_turns_its_items() {
    insta::assert_snapshot!(told("
## Do

- Use `eval()` sparingly, never in loops

## Don't

- Use `console.log`
- Never call `alert()`
- Commit `.env` files

Use `moment` here.

## 금지 사항

- console.log 남기기
- TODO/FIXME 주석 (완전히 구현할 것)
- 요청하지 않은 리팩토링
"), @r#"
    Use `eval()` sparingly, never in loops
      guidance
    Don't: Use `console.log`
      high project/no-console-log {"syntax":{"language":["typescript"],"rule":{"pattern":"console.log"}}}
    Never call `alert()`
      high project/no-alert {"syntax":{"language":["typescript"],"rule":{"pattern":"alert($$$ARGS)"}}}
    Don't: Commit `.env` files
      high project/no-env {"tree":{"absent":["**/.env"],"tracked":true}}
    Use `moment` here.
      guidance
    금지 사항: `console.log` 남기기
      high project/no-console-log {"syntax":{"language":["typescript"],"rule":{"pattern":"console.log"}}}
    금지 사항: `TODO`/`FIXME` 주석 (완전히 구현할 것)
      high project/no-todo {"files":["**/*.{go,py,rs,ts,tsx}"],"text":{"regex":"\\bTODO\\b|\\bFIXME\\b"}}
    "#);
}

#[test]
fn words_that_leave_room_are_not_sure() {
    insta::assert_snapshot!(told("
- Never use `alert()`.
- Generally, never use `alert()`.
- Prefer `unknown` over `any`.
- Never commit secrets, keys, or `.env` files.
- Never commit `.env` files.
- Rules take `edit()`, never `alert()`.
"), @r#"
    Never use `alert()`.
      high project/no-alert {"syntax":{"language":["typescript"],"rule":{"pattern":"alert($$$ARGS)"}}}
    Generally, never use `alert()`.
      medium project/no-alert {"syntax":{"language":["typescript"],"rule":{"pattern":"alert($$$ARGS)"}}}
    Prefer `unknown` over `any`.
      medium project/no-any {"syntax":{"language":["typescript"],"rule":{"kind":"predefined_type","regex":"^any$"},"fix":"unknown"}}
    Never commit secrets, keys, or `.env` files.
      medium project/no-env {"tree":{"absent":["**/.env"],"tracked":true}}
    Never commit `.env` files.
      high project/no-env {"tree":{"absent":["**/.env"],"tracked":true}}
    Rules take `edit()`, never `alert()`.
      medium project/no-alert {"syntax":{"language":["typescript"],"rule":{"pattern":"alert($$$ARGS)"}}}
    "#);
}
