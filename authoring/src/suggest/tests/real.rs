//! Demands as people write them in AGENTS.md and CONTRIBUTING, in our words: what each should come
//! to, by a person's judgement, and what it comes to.

use super::{FILES, ground};
use crate::suggest::{Verdict, sentences, verdict};
use aidd_engine::text::source::Source;

/// What a sentence should come to: `run`, `guidance`, or the id and form of the draft.
const REAL: &[(&str, &str)] = &[
    // Calls, members, macros, constructs.
    ("Never use `console.log` in production code.", "no-console-log syntax"),
    ("Do not leave `console.log` statements behind.", "no-console-log syntax"),
    ("Avoid `any`; use `unknown` and narrow it.", "no-any syntax"),
    ("**Types**: never use `any`.", "no-any syntax"),
    ("No `enum`: write a union of literals.", "no-enum syntax"),
    ("Do NOT use `export default`.", "no-export-default syntax"),
    ("`eval()` is forbidden.", "no-eval syntax"),
    ("You must not call `process.exit()` outside of `src/app`.", "no-process-exit syntax"),
    ("Avoid using `unwrap()` or `expect()` in library code.", "no-unwrap syntax"),
    ("Don't use `unwrap()`.", "no-unwrap syntax"),
    ("Never commit `dbg!` calls.", "guidance"),
    ("Don't add `println!` to library crates.", "no-println syntax"),
    ("Use `tracing::info!` instead of `println!`.", "no-println syntax"),
    ("Never use `print()`; use the logger.", "no-print syntax"),
    ("Never use `os.system()`.", "no-os-system syntax"),
    ("Do not call `fmt.Println` in server code.", "no-fmt-println syntax"),
    ("Prefer `structuredClone()` over `cloneDeep()`.", "no-clonedeep syntax"),
    ("Use `Temporal.now()` rather than `Date.now()`.", "no-date-now syntax"),
    ("Instead of `var`, use `const`.", "no-var syntax"),
    ("Do not use `@ts-ignore`.", "no-ts-ignore text"),
    ("Never add `eslint-disable` comments.", "no-eslint-disable text"),
    ("Do not leave `TODO` comments.", "no-todo text"),
    ("Do not use `!important`.", "no-important text"),
    ("Never add `#[allow(dead_code)]`.", "no-allow-dead-code text"),
    ("Never use localStorage.setItem() directly.", "no-localstorage-setitem syntax"),
    ("Only use `fetch()` in `src/infrastructure`.", "no-fetch syntax"),
    // Packages and parts.
    ("Do not use `moment`.", "no-moment layers"),
    ("Avoid `lodash` in new code.", "no-lodash layers"),
    (
        "`src/domain` must not import from `src/infrastructure`.",
        "no-src-infrastructure-in-src-domain layers",
    ),
    (
        "`domain` must never depend on `infrastructure` or `app`.",
        "no-infrastructure-in-domain layers",
    ),
    ("Never import `react` in `src/domain`.", "no-react-in-src-domain layers"),
    ("Only `src/infrastructure` may import `lodash`.", "lodash-only-in-src-infrastructure layers"),
    // Files, names, limits.
    ("Every package must have a `README.md`.", "readme-md-in-each-packages tree"),
    ("Each crate needs a `CHANGELOG.md`.", "changelog-md-in-each-crates tree"),
    ("All `src/**/*.ts` files have a `.test.ts` beside them.", "test-ts-beside-src-ts tree"),
    ("Use kebab-case for file names in `src/app`.", "kebab-case-names tree"),
    ("Components are named in PascalCase: `src/components/*.tsx`.", "pascalcase-names tree"),
    ("Keep files under 500 lines.", "at-most-500-lines tree"),
    ("AGENTS.md must not exceed 300 lines.", "at-most-300-lines tree"),
    ("Never commit `.env` files.", "no-env tree"),
    ("Do not check in `dist/` or `coverage/`.", "no-dist tree"),
    ("`*.pem` and `*.key` files must never be committed.", "no-pem tree"),
    ("Use `pnpm`, not `npm` or `yarn`.", "only-pnpm tree"),
    ("Always use pnpm instead of npm.", "only-pnpm tree"),
    // Values and documents.
    ("TypeScript strict mode must stay enabled.", "compileroptions-strict-in-tsconfig-json data"),
    (
        "Keep `noUncheckedIndexedAccess` enabled in `tsconfig.json`.",
        "compileroptions-nouncheckedindexedaccess-in-tsconfig-json data",
    ),
    ("Set `private` to `true` in `package.json`.", "private-in-package-json data"),
    (
        "Each `docs/adr/*.md` must have the sections `Context` and `Decision`.",
        "sections-of-docs-adr-md doc",
    ),
    // Commits.
    ("We follow Conventional Commits; your PR title must too.", "conventional-commits commit"),
    ("Commit subjects must be at most 72 characters.", "commit-subject-length commit"),
    ("Every commit must carry a `Signed-off-by` line.", "commit-signed-off-by commit"),
    (
        "When you change `migrations/`, update `docs/schema.md`.",
        "docs-schema-md-with-migrations commit",
    ),
    ("Branch names must start with `feature/` or `fix/`.", "branch-name commit"),
    ("Commit messages use the format `<type>(<scope>): <subject>`.", "conventional-commits commit"),
    ("The subject of a commit must not end with a period.", "commit-subject-end commit"),
    ("The commit subject starts with a lowercase letter, always.", "commit-subject-case commit"),
    // What other pages said that nothing was drafted for.
    ("Use bun as package manager.", "only-bun tree"),
    ("Always use `uv` for package management.", "only-uv tree"),
    ("Only use uv, never pip.", "run"),
    (
        "Do not reintroduce `package-lock.json` — it broke the deployment.",
        "no-package-lock-json tree",
    ),
    ("Never create `utils.py` files.", "no-utils-py tree"),
    ("No `console.*` in production code.", "no-console syntax"),
    ("Never use `localStorage`.", "no-localstorage syntax"),
    ("Do not use `print`; use the logger.", "no-print syntax"),
    ("No print statements.", "no-print syntax"),
    ("Named exports only — no default exports.", "no-export-default syntax"),
    ("Use Tailwind utility classes; avoid inline styles.", "no-inline-style syntax"),
    (
        "Always use `@/` instead of relative paths when importing from `src/app/`.",
        "no-relative-import syntax",
    ),
    ("Never use `jest.*`.", "no-jest syntax"),
    ("Never leave console logs behind.", "no-console-log syntax"),
    ("Lines must not be longer than 100 characters.", "long-line text"),
    ("No emojis in code or comments.", "no-emoji text"),
    ("All imports go at the top of the file.", "imports-at-the-top syntax"),
    ("Always pass `encoding=` to `open()`.", "open-with-encoding syntax"),
    ("Do not call `open()` without passing `encoding`.", "open-with-encoding syntax"),
    ("Use `anyio.sleep()` not `asyncio.sleep()`.", "no-asyncio-sleep syntax"),
    (
        "Use `self.create_task()` instead of raw `asyncio.create_task()`.",
        "no-asyncio-create-task syntax",
    ),
    (
        "Do NOT use `@pytest.mark.asyncio` — it conflicts with anyio.",
        "no-pytest-mark-asyncio syntax",
    ),
    ("Write `X | None`, never `Optional[X]`.", "no-optional-x syntax"),
    ("Do not suppress lint errors (`# noqa`, `# type: ignore`).", "no-noqa text"),
    (
        "All contributions must include a `Signed-off-by` line in the commit message.",
        "commit-signed-off-by commit",
    ),
    ("DO NOT add any `feature` attributes.", "no-feature-attribute syntax"),
    ("Use `date-fns` instead of `moment`.", "no-moment layers"),
    ("Always use `===` instead of `==`.", "no-loose-equality syntax"),
    ("Do not add `@tauri-apps/plugin-sql`.", "no-tauri-apps-plugin-sql layers"),
    ("Say \"allowlist\" instead of \"blacklist\".", "write-allowlist text"),
    ("Each crate has a changelog.", "changelog-md-in-each-crates tree"),
    // Korean.
    ("any 타입 사용 금지", "no-any syntax"),
    ("`console.log`를 사용하지 마세요.", "no-console-log syntax"),
    ("eslint-disable 주석은 절대 남기지 말 것", "no-eslint-disable text"),
    ("moment 대신 date-fns를 사용하세요.", "no-moment layers"),
    (
        "`src/domain`은 `src/infrastructure`를 import하지 않는다.",
        "no-src-infrastructure-in-src-domain layers",
    ),
    ("`.env` 파일은 절대 커밋하지 마세요.", "no-env tree"),
    ("npm 대신 pnpm을 사용합니다.", "only-pnpm tree"),
    ("파일은 500줄 이하로 유지한다.", "at-most-500-lines tree"),
    ("파일 이름은 kebab-case를 사용한다.", "kebab-case-names tree"),
    ("모든 패키지에는 `README.md`가 있어야 한다.", "readme-md-in-each-packages tree"),
    ("커밋 메시지는 Conventional Commits를 따른다.", "conventional-commits commit"),
    (
        "`migrations/`를 변경하면 `docs/schema.md`도 함께 업데이트해야 한다.",
        "docs-schema-md-with-migrations commit",
    ),
    ("커밋하기 전에 반드시 `pnpm test`를 실행하세요.", "run"),
    ("main 브랜치에 직접 푸시하지 마세요.", "run"),
    ("의미 있는 이름을 사용해야 한다.", "guidance"),
    ("추측으로 고치지 마라.", "guidance"),
    ("`src/components/ui/` 직접 수정 금지", "guidance"),
    ("함수는 50줄을 넘지 않는다.", "guidance"),
    ("`console.log`: 절대 사용 금지.", "no-console-log syntax"),
    ("모든 커밋 메시지는 한국어로 작성해야 합니다.", "commit-in-korean commit"),
    ("커밋 요약에는 한글 포함 필수", "commit-in-korean commit"),
    ("커밋 제목 끝에 마침표를 붙이지 않는다.", "commit-subject-end commit"),
    ("모든 패키지 관련 명령어는 'pnpm' 으로 진행합니다.", "only-pnpm tree"),
    ("인라인 스타일 사용 금지", "no-inline-style syntax"),
    ("인라인 스타일 사용 (외부 CSS 금지)", "guidance"),
    ("함수형 컴포넌트만 사용", "no-class-component syntax"),
    ("새 파일은 케밥 케이스로 작성한다.", "kebab-case-names tree"),
    ("폴더 이름은 kebab-case를 원칙으로 한다.", "kebab-case-folders tree"),
    ("컴포넌트 파일은 PascalCase로 작성할 수 있다.", "guidance"),
    ("파일 이름은 일반적으로 kebab-case로 작성한다.", "guidance"),
    ("`feat:` 등 conventional commit 접두사는 사용하지 않는다.", "guidance"),
    ("변수명은 영어로 작성", "guidance"),
    // Constructs in words.
    ("Named exports, not default exports.", "guidance"),
    ("Prefer named exports over default exports.", "no-export-default syntax"),
    ("Use named exports for components", "no-export-default syntax"),
    ("Use named exports unless a framework wants another", "guidance"),
    ("Avoid classes; write functions.", "no-class syntax"),
    ("Never use class syntax.", "no-class syntax"),
    ("Avoid utility classes.", "guidance"),
    ("Never use class names as hooks for tests.", "guidance"),
    ("Use functional components with hooks.", "no-class-component syntax"),
    ("No class components.", "no-class-component syntax"),
    ("Prefer types over interfaces (except when extending other types).", "no-interface syntax"),
    ("Prefer interfaces over types for object shapes.", "no-object-type-alias syntax"),
    ("Always use curly braces for control flow.", "curly-braces syntax"),
    ("Never use curly braces around single props.", "guidance"),
    ("Use `<Img>`, not `<img>`.", "no-img-element syntax"),
    (
        "TypeScript: `tsconfig.json` must have `\"strict\": true`.",
        "compileroptions-strict-in-tsconfig-json data",
    ),
    ("Never set `strict: true` in tsconfig.", "guidance"),
    ("Never use Next.js `unstable_cache()`.", "no-unstable-cache syntax"),
    (
        "In `src/app`, application code must not read `process.env` directly.",
        "no-process-env syntax",
    ),
    ("Commit messages must be written in English.", "commit-in-english commit"),
    ("No AI co-author trailers in commit messages.", "no-machine-co-author commit"),
    ("No `console.*` in domain; use the logger.", "no-console syntax"),
    ("예시: 영어로 `alert()` 금지", "guidance"),
    ("There are package-lock.json and yarn.lock, but always use yarn, never npm.", "guidance"),
    ("Avoid `bind()` and `call()` solely to control `this`.", "guidance"),
    // Who, what for, and that it is not asked for.
    ("Repositories must not call `fetch()`.", "guidance"),
    ("No `useState` for animation state.", "guidance"),
    ("Use `type` declarations over `interface` for component props", "guidance"),
    ("Use `writeJson()` instead of `JSON.stringify()` for writes of files.", "guidance"),
    (
        "Prefer `structuredClone()` over `cloneDeep()` for better performance.",
        "no-clonedeep syntax",
    ),
    ("Do not use Conventional Commits here, ever.", "guidance"),
    ("Components: always in PascalCase (`UserCard`).", "guidance"),
    ("Components: always in PascalCase (`UserCard.tsx`).", "pascalcase-names tree"),
    // To run, or not to be done.
    ("Always run `pnpm test` before committing.", "run"),
    ("Run `cargo fmt` and `cargo clippy` before you push.", "run"),
    ("Never push directly to `main`.", "run"),
    ("Do not commit directly to main.", "run"),
    ("All code must pass `cargo clippy --all-features`.", "run"),
    ("Format: `cargo fmt --all`, always.", "run"),
    ("Never run `cargo publish` yourself.", "run"),
    // Seen in pages of others.
    ("Use `fs-err` instead of `std::fs`.", "no-std-fs syntax"),
    (
        "Code outside `src/app` should NEVER import from `infrastructure/`.",
        "infrastructure-only-in-src-app layers",
    ),
    ("Domain code must not import from `infrastructure/`.", "no-infrastructure-in-domain layers"),
    ("Branches: name git branches using kebab-case, never snake.", "branch-name commit"),
    ("Other Conventional Commits types are fine; they must be lower-case.", "guidance"),
    ("Do not edit `README.md` directly.", "guidance"),
    ("Use the `DateTime` module instead of `Date` and `Date.now()`.", "no-date-now syntax"),
    ("Use `ManagedRuntime` to run programs.", "guidance"),
    ("Optional dependencies such as `boto3` may not be installed.", "guidance"),
    ("Export only shared contracts from `src/app/main.ts`.", "guidance"),
    ("Use `FIXME` for non-blocking follow-up work.", "guidance"),
    // What only people can judge.
    ("Write clean, readable code.", "guidance"),
    ("Always ask before adding a dependency.", "guidance"),
    ("Prefer composition over inheritance.", "guidance"),
    ("Functions should be at most 30 lines.", "guidance"),
    ("Keep pull requests under 400 lines.", "guidance"),
    ("You do not need to call `init()` yourself.", "guidance"),
    ("Never remove `validate()` calls.", "guidance"),
    ("Do not disable `strict` mode.", "guidance"),
    ("Never merge without `approve` from a maintainer.", "guidance"),
    ("Do not edit files in `generated/` by hand.", "guidance"),
    ("Use `camelCase` for variables and functions.", "guidance"),
    ("Use `Result` for errors that can be handled.", "guidance"),
    ("Never use the old way of doing things.", "guidance"),
    ("Each test must test one behaviour.", "guidance"),
    ("Don't forget to update the docs.", "guidance"),
    ("Do not hesitate to use `git blame`.", "guidance"),
    ("Always prefer small commits.", "guidance"),
    ("Every public function must be documented.", "guidance"),
    ("Never assume that `user.id` is a number.", "guidance"),
    ("Do not change the signature of `render()`.", "guidance"),
    ("Do not rely on the order of `Object.keys()`.", "guidance"),
    ("Avoid names such as `data` or `tmp`.", "guidance"),
    ("Only maintainers may publish to `npm`.", "guidance"),
    ("Use `src/app/main.ts` as the example to follow.", "guidance"),
    ("Never block the event loop.", "guidance"),
    ("Use imperative mood (\"add feature\" not \"added feature\").", "guidance"),
    ("Avoid using emojis in all communication unless asked.", "guidance"),
    ("Never import integration libraries at the top of the file.", "guidance"),
    ("Never parse frames by ad-hoc `dict` access.", "guidance"),
    ("Do not call `flush()` synchronously from async code without this guard.", "guidance"),
    ("Don't use `load()` as the normal path.", "guidance"),
    ("Use `logger.exception()` instead of `logger.error()` when catching exceptions.", "guidance"),
    ("Never call `setup()` manually before `save()`.", "guidance"),
    ("Do not edit `package.json` by hand.", "guidance"),
    ("Never add secrets to `src/app/main.ts`.", "guidance"),
    ("Keep commit bodies under 100 characters per line.", "guidance"),
    ("Do not add `main.ts` to the list.", "guidance"),
    ("Never use `user` as a variable name.", "guidance"),
];

fn comes_to(sentence: &str) -> String {
    let ground = ground(&FILES, sentence);
    let found = sentences(&Source::new("AGENTS.md", sentence));
    let said = found.iter().map(|one| match verdict(one, &ground) {
        Verdict::Draft(draft) => {
            let form = ["text", "syntax", "tree", "data", "layers", "commit", "doc"]
                .into_iter()
                .find(|form| draft.check.get(form).is_some());
            format!("{} {}", draft.id.trim_start_matches("project/"), form.unwrap_or_default())
        }
        Verdict::Run(_) => "run".to_owned(),
        Verdict::Guidance => "guidance".to_owned(),
    });
    let said: Vec<String> = said.collect();
    said.iter()
        .find(|one| *one != "guidance")
        .or(said.first())
        .cloned()
        .unwrap_or_else(|| "guidance".to_owned())
}

/// Precision: how many drafts are what a person would draft. Recall: how many of what a person would
/// draft are drafted. The table is ours, so that both say how well the shapes do what they were made
/// for, and not how well they do on pages nobody has seen.
#[test]
fn real_sentences_come_to_what_a_person_says() {
    assert!(REAL.len() >= 60);
    let is_draft = |said: &str| said != "guidance" && said != "run";
    let (mut drafted, mut right, mut wanted) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (sentence, expected) in REAL {
        let said = comes_to(sentence);
        drafted += usize::from(is_draft(&said));
        wanted += usize::from(is_draft(expected));
        right += usize::from(is_draft(&said) && said == *expected);
        if said != *expected {
            wrong.push(format!("{sentence}\n  expected {expected}, got {said}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "precision {right}/{drafted}, recall {right}/{wanted}\n{}",
        wrong.join("\n")
    );
}
