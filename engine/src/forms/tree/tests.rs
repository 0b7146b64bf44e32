use crate::check::{Engine, Selection};
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::text::finding::{FileChange, Safety};
use crate::workspace::examples;

/// The failures of a page's examples.
fn failures(page: &str) -> Vec<String> {
    let registry =
        Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page.to_owned())]);
    let rule = registry.get("t/x").expect("a rule");
    assert_eq!(crate::forms::problems(rule), Vec::<String>::new());
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("valid");
    let rule = engine.registry().get("t/x").expect("a rule");
    examples::run(&engine, rule)
}

const CREATE_PAGE: &str = "---
severity: warning
check:
  exclude: ['*.test.ts']
  tree: { each: 'src/**/*.ts', exists: ['<dir>/<stem>.test.ts'] }
  fix: { create: true }
---
# t/x

Why.

## Template

```ts
test('<stem>')
```

## Fails

```ts path=src/a.ts
export {}
```

```finding
src/a.ts
```

## Passes

```ts path=src/b.ts
export {}
```

```ts path=src/b.test.ts
export {}
```

## Fixed

```ts
test('a')
```
";

#[test]
fn a_missing_sibling_file_is_created() {
    assert_eq!(failures(CREATE_PAGE), Vec::<String>::new());
    let page_with_other_text = CREATE_PAGE.replace("test('a')", "test('b')");
    let expected = "line 20: fixed: expected \"test('b')\\n\", found \"test('a')\\n\"";
    assert_eq!(failures(&page_with_other_text), [expected]);
}

const RENAME_PAGE: &str = "---
severity: warning
check:
  tree: { each: 'src/**/*.ts', name: ['/x[0-9]/', kebab] }
  fix: { rename: true }
---
# t/x

Why.

## Fails

```ts path=src/ui/UserCard.test.ts
export {}
```

```finding
src/ui/UserCard.test.ts
```

## Passes

```ts path=src/x1.ts
export {}
```

## Fixed

```text
src/ui/user-card.test.ts
```
";

#[test]
fn a_file_with_an_invalid_name_is_renamed_unless_the_new_name_is_taken() {
    assert_eq!(failures(RENAME_PAGE), Vec::<String>::new());
    let taken = RENAME_PAGE.replace(
        "```ts path=src/ui/UserCard.test.ts\nexport {}\n```\n",
        "```ts path=src/ui/UserCard.test.ts\nexport {}\n```\n\n```ts path=src/ui/user-card.test.ts\nexport {}\n```\n",
    );
    assert!(failures(&taken)[0].contains("surplus block"), "{:?}", failures(&taken));
    // An expression cannot suggest a name.
    let page = RENAME_PAGE.replace("['/x[0-9]/', kebab]", "'/x[0-9]/'");
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page)]);
    let problems = crate::forms::problems(registry.get("t/x").expect("a rule"));
    assert_eq!(problems, ["`fix: { rename: true }` requires a case in `name` to rename to"]);
}

#[test]
fn creating_and_renaming_files_is_never_safe() {
    for page in [CREATE_PAGE, RENAME_PAGE] {
        let safe = page.replace("true }\n---", "true, safe: true }\n---");
        let error = aidd_page::header(&safe).expect_err("safe");
        assert!(error.message.contains("is never safe"), "{}", error.message);
        let registry =
            Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page.to_owned())]);
        let engine =
            Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
                .expect("valid");
        let rule = engine.registry().get("t/x").expect("a rule");
        let (examples, _) = examples::read(rule).expect("read");
        let listing = crate::text::listing::Listing::new(examples[0].siblings.0.keys().cloned());
        let findings = crate::workspace::project_checks::check_rule(
            &engine,
            rule,
            &examples[0].siblings,
            &listing,
        );
        let fix = findings[0].1.fix.as_ref().expect("a fix");
        assert_eq!(fix.safety, Safety::Unsafe);
        assert!(matches!(fix.file, Some(FileChange::Create { .. } | FileChange::Rename { .. })));
    }
}

/// A page that checks file names and accepts the prevailing convention of the project. `passes` are
/// the files of a project without findings; `fails` are the files of a project in which the last
/// file is reported.
fn naming_page(passes: &[&str], fails: &[&str]) -> String {
    let blocks = |paths: &[&str]| -> String {
        paths.iter().map(|path| format!("```ts path={path}\nexport {{}}\n```\n\n")).collect()
    };
    let last = fails.last().expect("a file");
    format!(
        "---\nseverity: warning\ncheck:\n  tree: {{ each: 'src/**/*.{{ts,js}}', name: kebab, prevailing: true }}\n---\n\
         # t/x\n\nWhy.\n\n## Fails\n\n{}```finding\n{last}\n```\n\n## Passes\n\n{}",
        blocks(fails),
        blocks(passes),
    )
}

#[test]
fn the_convention_that_most_names_follow_is_accepted() {
    let camel =
        ["src/a/oneA.ts", "src/a/twoB.ts", "src/b/threeC.ts", "src/b/fourD.ts", "src/b/e-f.ts"];
    let kebab =
        ["src/a/one-a.ts", "src/a/two-b.ts", "src/b/three-c.ts", "src/b/four-d.ts", "src/b/eF.ts"];
    assert_eq!(failures(&naming_page(&camel, &kebab)), Vec::<String>::new());
    // A few names or single words do not show a convention, and each extension has its own
    // convention.
    let few = ["src/index.ts", "src/user.ts", "src/cart.ts", "src/list.ts", "src/oneA.ts"];
    assert_eq!(failures(&naming_page(&camel, &few)), Vec::<String>::new());
    let script =
        ["src/a-b.ts", "src/c-d.ts", "src/e-f.ts", "src/g-h.ts", "src/i-j.ts", "src/twoB.ts"];
    assert_eq!(failures(&naming_page(&camel, &script)), Vec::<String>::new());
    // The nearest directory with enough names decides.
    let inner = [
        &["src/k/oneA.ts", "src/k/twoB.ts", "src/k/threeC.ts", "src/k/fourD.ts", "src/k/fiveE.ts"]
            [..],
        &kebab[..4],
    ]
    .concat();
    assert_eq!(failures(&naming_page(&inner, &kebab)), Vec::<String>::new());
}
