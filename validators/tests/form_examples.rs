//! Runs the examples of pages with a check of the form `layers`, `doc` or `commit`.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::workspace::examples;

/// The failures in the examples of a page.
fn failures(page: &str) -> Vec<String> {
    let registry =
        Registry::new(crate::DISTRIBUTION.pages, &[("rules/x.md".to_owned(), page.to_owned())]);
    let rule = registry.get("t/x").expect("a rule").clone();
    assert_eq!(aidd_engine::forms::problems(&rule), Vec::<String>::new());
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default());
    examples::run(&engine.expect("an engine"), &rule)
}

const LAYERS: &str = r#"---
severity: error
check:
  layers:
    order: ["src/app/**", "src/domain/**"]
    forbid: { from: "src/domain/**", to: "npm:express" }
    acyclic: "src/<part>/**"
---
# t/x

The domain knows no one.

## Fails

```ts path=src/domain/order.ts
import { send } from "../app/mail";
import express from "express";
```
```ts path=src/app/mail.ts
import { Order } from "../domain/order";
export const send = 1;
```
```finding
src/app/mail.ts:1:24 ../domain/order
src/domain/order.ts:1:23 ../app/mail
src/domain/order.ts:2:22 express
```

## Passes

```ts path=src/app/main.ts
import { Order } from "../domain/order";
```
```ts path=src/domain/order.ts
export type Order = { id: string };
```
"#;

const DOC: &str = r###"---
severity: warning
check:
  files: ["docs/adr/*.md"]
  doc:
    headings: ["# *", "## Status", "*", "?## Consequences"]
    front: [{ at: "$.date", matches: '^\d{4}-\d\d-\d\d$' }]
    links: [files, anchors]
    lines: { max: 20 }
  fix: { insert: true, safe: true }
---
# t/x

A decision has a status.

## Fails

````markdown path=docs/adr/1.md
---
date: tomorrow
---
# Use it

## Context

[more](2.md) [above](#use-that)
````
```finding
2:7 tomorrow
4:1 # Use it
8:1 [more](2.md)
8:14 [above](#use-that)
```

## Fixed

````markdown
---
date: tomorrow
---
# Use it

## Status

## Context

[more](2.md) [above](#use-that)
````

## Passes

```markdown with path=docs/adr/2.md
# Other
```
````markdown path=docs/adr/1.md
---
date: 2026-01-31
---
# Use it

## Status

[other](2.md#other)
````
"###;

const COMMIT: &str = r#"---
severity: error
check:
  commit:
    conventional: { types: [feat, fix], scopes: workspace }
    subject: { max: 30, end: "." }
    title: true
    branch: "^[a-z/-]+$"
    change: { touches: ["src/**"], requires: ["CHANGELOG.md | .changeset/*.md"], added: ["tests/**"] }
---
# t/x

Messages are read by those who come after.

## Fails

```json with path=packages/core/package.json
{"name": "@acme/core"}
```
```commit
feet(cor): add a thing.
```
```finding
1:1 feet
1:6 cor
1:12 add a thing.
```
```commit path=commit/title
Some work
```
```finding
1:1 Some work
```
```commit path=commit/branch
Mine
```
```finding
1:1 Mine
```
```commit path=commit/change
README.md
src/b.ts
A src/a.ts
tests/a.ts
```
```finding
1:1 src/a.ts
1:1 src/a.ts
```

## Passes

```json with path=packages/core/package.json
{"name": "@acme/core"}
```
```commit
fix(core): read empty files (#12345)
```
```commit path=commit/change
src/a.ts
.changeset/a.md
A tests/a.ts
```
"#;

#[test]
fn the_examples_of_each_form_pass() {
    for page in [LAYERS, DOC, COMMIT] {
        assert_eq!(failures(page), Vec::<String>::new());
    }
}

#[test]
fn a_wrong_example_is_reported() {
    let changed = [
        LAYERS.replace("src/domain/order.ts:2:22 express\n", ""),
        DOC.replace("2:7 tomorrow\n", ""),
        COMMIT.replace("1:6 cor\n", ""),
        LAYERS.replace("export type Order", "import \"../app/main\";\nexport type Order"),
        DOC.replace("2.md#other", "2.md#none"),
        COMMIT.replace("A tests/a.ts\n```\n", "tests/a.ts\n```\n"),
    ];
    for page in changed {
        assert_eq!(failures(&page).len(), 1, "{page}");
    }
}
