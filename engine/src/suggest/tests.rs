//! Sentences in, checks out.

use super::*;
use crate::source::Source;
use std::fmt::Write as _;

const PATHS: [&str; 8] = [
    "package.json",
    "src/app/main.ts",
    "src/domain/user.ts",
    "src/infrastructure/db.ts",
    "packages/a/index.ts",
    "migrations/1.sql",
    "docs/schema.md",
    "tools/x.py",
];

/// Each sentence that demands something, and what it comes to.
fn told(markdown: &str) -> String {
    let paths: Vec<String> = PATHS.iter().map(|&path| path.to_owned()).collect();
    let holds = |path: &str, word: &str| path.ends_with(".ts") && word == "console.log";
    let ground = Ground { paths: &paths, holds: &holds };
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
    let markdown = "# Rules\n\nWe like tests. Never use `eval()`, e.g. in a\nparser. Be nice.\n\n\
        - Files MUST be small\n- a note\n\n> You must not read this.\n\n```\nnever use `x()`\n```\n\n\
        | must | a |\n|---|---|\n| b | c |\n";
    let source = Source::new("a.md", markdown);
    let found = sentences(&source);
    let texts: Vec<String> = found.iter().map(Sentence::text).collect();
    assert_eq!(texts, ["Never use `eval()`, e.g. in a parser.", "Files MUST be small"]);
    assert_eq!(source.slice(found[0].span), "Never use `eval()`, e.g. in a\nparser.");
    assert_eq!(source.slice(found[1].span), "Files MUST be small");
    assert_eq!(found[0].heading, "Rules");
}

#[test]
fn shapes_become_checks() {
    insta::assert_snapshot!(told("
- Never use `console.log`. Do not call `eval()`.
- Do not use `any`; avoid `dbg!` and `todo!`.
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
"), @r###"
    Never use `console.log`.
      high project/no-console-log {"syntax":{"language":["typescript"],"rule":{"pattern":"console.log"}}}
    Do not call `eval()`.
      high project/no-eval {"syntax":{"language":["python","typescript"],"rule":{"pattern":"eval($$$ARGS)"}}}
    Do not use `any`;
      high project/no-any {"syntax":{"language":["typescript"],"rule":{"kind":"predefined_type","regex":"^any$"}}}
    avoid `dbg!` and `todo!`.
      high project/no-dbg {"syntax":{"language":["rust"],"rule":{"pattern":"dbg!($$$ARGS)"}}}
    `domain` must not import `infrastructure`.
      high project/no-infrastructure-in-domain {"layers":{"forbid":[{"from":"**/domain/**","to":"**/infrastructure/**"}]}}
    `src/domain` must never depend on `react`.
      high project/no-react-in-src-domain {"layers":{"forbid":[{"from":"src/domain/**","to":"npm:react"}]}}
    Use `structuredClone()` instead of `cloneDeep()`.
      medium project/no-clonedeep {"syntax":{"language":["python","typescript"],"rule":{"pattern":"cloneDeep($$$ARGS)"}}}
    Every `packages/*` has a `README.md`.
      high project/readme-md-in-each-packages {"tree":{"each":"packages/<folder>/","exists":["packages/<folder>/README.md"]}}
    Files have at most 400 lines.
      high project/at-most-400-lines {"tree":{"each":"**/*.{py,ts}","lines":{"max":400}}}
    Never commit `dist/` or `.env`.
      high project/no-dist {"tree":{"absent":["**/dist/**","**/.env"],"tracked":true}}
    Set `strict` to `true` in `tsconfig.json`.
      medium project/strict-in-tsconfig-json {"files":["**/tsconfig.json"],"data":{"at":"$.strict","present":true,"equals":true}}
    Each of `docs/adr/*.md` must have the sections `Status` and `Decision`.
      high project/sections-of-docs-adr-md {"files":["docs/adr/*.md"],"doc":{"headings":["*","## Status","*","## Decision","*"]}}
    Commit messages follow Conventional Commits, always.
      high project/conventional-commits {"commit":{"conventional":{},"title":true}}
    When `migrations/` changes, update `docs/schema.md`.
      high project/docs-schema-md-with-migrations {"commit":{"change":{"touches":"migrations/**","requires":"docs/schema.md"}}}
    "###);
}

#[test]
fn what_no_check_can_tell_is_said_so() {
    insta::assert_snapshot!(told("
- Always run `npm test` before a commit.
- You must write clean code.
- Functions must have at most 20 lines.
- Use camelCase for variables, always.
- Never use `the old way`.
- Ask first, always.
- `domain` must not import `nothing at all`.
"), @"
    Always run `npm test` before a commit.
      run npm test
    You must write clean code.
      guidance
    Functions must have at most 20 lines.
      guidance
    Use camelCase for variables, always.
      guidance
    Never use `the old way`.
      guidance
    Ask first, always.
      guidance
    `domain` must not import `nothing at all`.
      guidance
    ");
}

#[test]
fn every_draft_is_a_page_that_loads() {
    let paths: Vec<String> = PATHS.iter().map(|&path| path.to_owned()).collect();
    let ground = Ground { paths: &paths, holds: &|_, _| true };
    let markdown = "Never use `console.log`.\n\nDo not use `any`.\n\nFiles have at most 400 lines.\n\n\
        `domain` must not import `infrastructure`.\n\nUse Conventional Commits.\n";
    for sentence in sentences(&Source::new("a.md", markdown)) {
        let Verdict::Draft(draft) = verdict(&sentence, &ground) else { panic!("{sentence:?}") };
        let page = page(&draft, "warning", &sentence.text());
        let header = aidd_content::page::header(&page);
        assert!(header.is_ok_and(|header| header.check.is_some()), "{page}");
    }
}
