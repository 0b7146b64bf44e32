//! Tests of the violations that `layers` checks report in small projects.

use super::*;
use crate::project::imports::{self, Graph};
use crate::text::files::Memory;
use crate::text::listing::Listing;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Parses a graph of files from lines such as `a.ts: ./b c`, each with the files and packages that
/// a file imports. The prefix `+` marks a type-only import, `~` an import inside a function.
fn graph(text: &str) -> Graph {
    let mut files = Memory::default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (path, imports) = line.split_once(':').expect("a colon");
        let code: String = imports
            .split_whitespace()
            .map(|name| match (name.strip_prefix('+'), name.strip_prefix('~')) {
                (Some(name), _) => format!("import type {{}} from \"{name}\";\n"),
                (_, Some(name)) => format!("const f = () => import(\"{name}\");\n"),
                _ => format!("import \"{name}\";\n"),
            })
            .collect();
        files.0.insert(path.to_owned(), code.into_bytes());
    }
    let listing = Listing::new(files.0.keys().cloned());
    let (facts, too_large) = imports::gather(&files, &listing, &imports::FactsCache::default());
    assert_eq!(too_large, 0);
    Graph::new(&files, &listing, &facts)
}

fn layers(yaml: &str) -> LayersCheck {
    let page = format!("---\nseverity: error\ncheck:\n  layers: {yaml}\n---\n");
    let header = aidd_page::header(&page).expect("a header");
    let header = header.check.expect("a check").layers.expect("layers");
    LayersCheck::new(&header, "").expect("valid")
}

fn violations(yaml: &str, text: &str) -> String {
    let mut out = String::new();
    for breach in layers(yaml).check(&graph(text), &|_| true) {
        let _ = writeln!(out, "{} @{}: {}", breach.path, breach.span.start, breach.message);
        for step in breach.steps {
            let _ = writeln!(out, "    {} imports {}", step.path, step.to);
        }
    }
    out
}

#[test]
fn layers_import_only_lower_layers() {
    let text = "
src/app/main.ts: ../billing/a ../domain/x ../util
src/billing/a.ts: ../catalog/b ../domain/x
src/catalog/b.ts: ../domain/x
src/domain/x.ts: ../app/main +../billing/a ../util
src/domain/x.test.ts: ../app/main
src/util.ts: ./app/main
";
    let order = r#"order: ["src/app/**", ["src/billing/**", "src/catalog/**"], "src/domain/**"]"#;
    insta::assert_snapshot!(violations(&format!("{{{order}}}"), text), @"
    src/billing/a.ts @8: `src/billing/**` must not import `src/catalog/b.ts` of `src/catalog/**`, part of the same layer
    src/domain/x.ts @8: `src/domain/**` must not import `src/app/main.ts` of `src/app/**`, a higher layer
    src/domain/x.ts @43: `src/domain/**` must not import `src/billing/a.ts` of `src/billing/**`, a higher layer
    ");
    insta::assert_snapshot!(violations(&format!("{{{order}, types: skip, tests: check, transitive: true}}"), text), @"
    src/billing/a.ts @8: `src/billing/**` must not import `src/catalog/b.ts` of `src/catalog/**`, part of the same layer
    src/domain/x.test.ts @8: `src/domain/**` must not import `src/app/main.ts` of `src/app/**`, a higher layer
    src/domain/x.ts @8: `src/domain/**` must not import `src/app/main.ts` of `src/app/**`, a higher layer
    src/domain/x.ts @66: `src/domain/**` must not import `src/app/main.ts` of `src/app/**`, a higher layer, but does so through `src/util.ts`
        src/util.ts imports src/app/main.ts
    ");
}

#[test]
fn forbidden_imports_of_files_and_packages_are_reported() {
    let text = "
src/domain/a.ts: react react-dom lodash/fp ../infra/db ../infra/types
src/domain/b.ts: ../mid
src/mid.ts: ./far
src/far.ts: @aws-sdk/client-s3 ./infra/db
src/infra/db.ts: pg
src/infra/types.ts:
";
    insta::assert_snapshot!(violations(r#"{forbid: [{from: "src/domain/**", to: ["npm:react", "npm:lodash", "npm:@aws-sdk/*", "src/infra/**"], except: "src/infra/types.ts"}], transitive: true}"#, text), @"
    src/domain/a.ts @8: `src/domain/**` must not import `npm:react`
    src/domain/a.ts @44: `src/domain/**` must not import `npm:lodash/fp`
    src/domain/a.ts @64: `src/domain/**` must not import `src/infra/db.ts`
    src/domain/b.ts @8: `src/domain/**` must not import `npm:@aws-sdk/client-s3`, but does so through `src/mid.ts`
        src/mid.ts imports src/far.ts
        src/far.ts imports npm:@aws-sdk/client-s3
    ");
    insta::assert_snapshot!(violations(r#"{only: {to: ["npm:pg", "src/infra/db.ts"], from: "src/infra/**"}, transitive: true}"#, text), @"
    src/domain/a.ts @64: `src/domain/a.ts` must not import `src/infra/db.ts`, which only `src/infra/**` may import
    src/far.ts @37: `src/far.ts` must not import `src/infra/db.ts`, which only `src/infra/**` may import
    ");
}

#[test]
fn imports_between_independent_parts_are_reported() {
    let text = "
src/features/cart/a.ts: ../user/b ./c ../../shared
src/features/cart/c.ts: ./a
src/features/user/b.ts:
src/shared.ts: ./features/user/b
";
    insta::assert_snapshot!(violations(r#"{independent: "src/features/<feature>/**"}"#, text), @"src/features/cart/a.ts @8: `cart` must not import `src/features/user/b.ts` of `user`: the parts of `src/features/<feature>/**` are independent");
    insta::assert_snapshot!(violations(r#"{independent: "src/features/<feature>/**", transitive: true}"#, text), @"
    src/features/cart/a.ts @8: `cart` must not import `src/features/user/b.ts` of `user`: the parts of `src/features/<feature>/**` are independent
    src/features/cart/a.ts @42: `cart` must not import `src/features/user/b.ts` of `user`: the parts of `src/features/<feature>/**` are independent, but does so through `src/shared.ts`
        src/shared.ts imports src/features/user/b.ts
    ");
}

#[test]
fn cycles_of_files_and_of_parts_are_reported() {
    let text = "
src/a/one.ts: ./two ../b/one
src/a/two.ts: ./three
src/a/three.ts: ./one ./two
src/b/one.ts: ../c/one
src/c/one.ts: ../a/four
src/a/four.ts:
lib/x.ts: ./x
";
    insta::assert_snapshot!(violations(r#"{acyclic: "**/*.ts"}"#, text), @"
    src/a/one.ts @8: import cycle: `src/a/one.ts` → `src/a/two.ts` → `src/a/three.ts` → `src/a/one.ts`
        src/a/two.ts imports src/a/three.ts
        src/a/three.ts imports src/a/one.ts
    ");
    insta::assert_snapshot!(violations(r#"{acyclic: "src/<part>/**"}"#, text), @"
    src/a/one.ts @24: import cycle: `a` → `b` → `c` → `a`
        src/b/one.ts imports src/c/one.ts
        src/c/one.ts imports src/a/four.ts
    ");
}

#[test]
fn a_cycle_through_a_deferred_import_is_ignored() {
    let cycles = |text: &str| violations(r#"{acyclic: "**"}"#, text);
    assert_eq!(cycles("a.ts: ./b\nb.ts: ~./a\n"), "");
    assert!(cycles("a.ts: ./b\nb.ts: ~./a ./a\n").contains("import cycle"));
}

#[test]
fn malformed_checks_are_rejected() {
    let problem = |yaml: &str| {
        let page = format!("---\nseverity: error\ncheck:\n  layers: {yaml}\n---\n");
        let header = aidd_page::header(&page).expect("a header");
        let header = header.check.expect("a check").layers.expect("layers");
        LayersCheck::new(&header, "").expect_err("malformed")
    };
    insta::assert_snapshot!(problem(r#"{acyclic: "src/{a"}"#), @"not a path pattern: `src/{a`: `{` is not closed");
    insta::assert_snapshot!(problem(r#"{independent: "src/*/x"}"#), @"`independent` requires a capture that distinguishes the parts, as in `src/<part>/**`; `src/*/x` has none");
    insta::assert_snapshot!(problem(r#"{independent: "src/<a b>/x"}"#), @"not a path pattern: `src/<a b>/x`: `<` must start a name such as `<pkg>`");
    insta::assert_snapshot!(problem(r#"{forbid: {from: "a", to: "gem:rails"}}"#), @"`gem:rails` is neither a glob nor a package with one of the prefixes npm:, crate:, py:, go:, java:");
}

#[test]
fn globs_are_relative_to_the_directory_of_the_rules() {
    let page = "---\nseverity: error\ncheck:\n  layers: {forbid: {from: \"src/**\", to: \"lib/**\"}}\n---\n";
    let header = aidd_page::header(page).expect("a header");
    let header = header.check.expect("a check").layers.expect("layers");
    let layers = LayersCheck::new(&header, "packages/a").expect("valid");
    let graph = graph(
        "packages/a/src/x.ts: ../lib/y\npackages/a/lib/y.ts:\nsrc/x.ts: ../lib/y\nlib/y.ts:\n",
    );
    let paths: Vec<String> =
        layers.check(&graph, &|_| true).into_iter().map(|breach| breach.path).collect();
    assert_eq!(paths, ["packages/a/src/x.ts"]);
    assert_eq!(layers.check(&graph, &|path| path.starts_with("src/")), []);
}

/// A graph of `nodes` files with these imports.
fn graph_of(nodes: usize, edges: &[(usize, usize)]) -> Graph {
    let mut text = String::new();
    for node in 0..nodes {
        let to = edges.iter().filter(|(from, _)| *from == node);
        let to: Vec<String> = to.map(|(_, to)| format!("./n{to}")).collect();
        let _ = writeln!(text, "n{node}.ts: {}", to.join(" "));
    }
    graph(&text)
}

#[test]
fn long_chains_and_large_cycles_are_searched() {
    let chain: Vec<(usize, usize)> = (0..3000).map(|at| (at, at + 1)).collect();
    let layers_check =
        layers(r#"{forbid: {from: "n0.ts", to: "n3000.ts"}, acyclic: "**", transitive: true}"#);
    let breaches = layers_check.check(&graph_of(3001, &chain), &|_| true);
    assert_eq!(breaches.len(), 1);
    assert_eq!(breaches[0].steps.len(), 2999);
    let mut ring = chain;
    ring.push((3000, 0));
    assert_eq!(layers_check.check(&graph_of(3001, &ring), &|_| true).len(), 2);
}

proptest! {
    /// A cycle is reported exactly if one exists, that is, if the files cannot be ordered so that
    /// every import points backwards.
    #[test]
    fn a_cycle_is_reported_exactly_if_one_exists(
        edges in proptest::collection::vec((0_usize..8, 0_usize..8), 0..14)
    ) {
        let edges: Vec<(usize, usize)> = edges.into_iter().filter(|(a, b)| a != b).collect();
        let breaches = layers(r#"{acyclic: "**"}"#).check(&graph_of(8, &edges), &|_| true);
        let mut remaining: BTreeSet<usize> = (0..8).collect();
        while let Some(&without_imports) = remaining.iter().find(|node| {
            !edges.iter().any(|(from, to)| from == *node && remaining.contains(to))
        }) {
            remaining.remove(&without_imports);
        }
        prop_assert_eq!(breaches.is_empty(), remaining.is_empty());
        for breach in breaches {
            // Each step begins where the previous one ended.
            let mut at = breach.steps.first().map(|step| step.path.clone()).expect("a step of the cycle");
            for step in &breach.steps {
                prop_assert_eq!(&step.path, &at);
                at.clone_from(&step.to);
            }
            prop_assert_eq!(at, breach.path);
        }
    }

    /// Indirect imports are reported exactly if a path exists.
    #[test]
    fn an_indirect_import_is_reported_exactly_if_a_path_exists(
        edges in proptest::collection::vec((0_usize..7, 0_usize..7), 0..12)
    ) {
        let layers_check = layers(r#"{forbid: {from: "n0.ts", to: "n6.ts"}, transitive: true}"#);
        let breaches = layers_check.check(&graph_of(7, &edges), &|_| true);
        let mut reachable = BTreeSet::from([0]);
        for _ in 0..7 {
            let more: Vec<usize> = edges.iter().filter(|(a, _)| reachable.contains(a)).map(|(_, b)| *b).collect();
            reachable.extend(more);
        }
        prop_assert_eq!(!breaches.is_empty(), reachable.contains(&6));
    }
}

#[test]
fn package_imports_must_precede_project_imports() {
    let files = |text: &str| {
        let mut files = Memory::default();
        for part in text.split("== ").skip(1) {
            let (path, text) = part.split_once('\n').expect("a path");
            files.0.insert(path.to_owned(), text.as_bytes().to_vec());
        }
        files
    };
    let late_imports = |text: &str| {
        let files = files(text);
        let listing = Listing::new(files.0.keys().cloned());
        let (facts, _) = imports::gather(&files, &listing, &imports::FactsCache::default());
        let graph = Graph::new(&files, &listing, &facts);
        let breaches = layers("{packages-first: true, types: skip}").check(&graph, &|_| true);
        breaches.iter().map(|breach| format!("{} {}\n", breach.path, breach.to)).collect::<String>()
    };
    let own = "== src/own.ts\nexport const a = 1;\n== hooks/use.ts\nexport const a = 1;\n";
    let text = |imports: &str| format!("== src/a.ts\n{imports}{own}");
    assert_eq!(late_imports(&text("import a from './own';\nimport b from 'b';\n")), "src/a.ts b\n");
    assert_eq!(
        late_imports(&text("import a from '@/x';\nimport b from 'node:fs';\n")),
        "src/a.ts fs\n"
    );
    for valid in [
        "import b from 'b';\nimport a from './own';\n",
        "import './own';\nimport b from 'b';\n",
        "import a from './own';\nimport 'b';\n",
        "import a from './own';\nimport type { B } from 'b';\n",
        "import a from './own';\nimport b from 'hooks/use';\n",
        "import a from './own';\nimport b from '@app/hooks/use';\n",
        "import a from './own';\nimport b from '@styles/a.css';\n",
        "import a from './own';\nimport b from 'virtual:b';\n",
        "import a from './own';\nconst b = await import('b');\n",
        "import a from './own';\nconst b = require('b');\n",
        "import a from './own';\nexport * from 'b';\n",
        "import a from 'hooks/use';\nimport b from 'b';\n",
    ] {
        assert_eq!(late_imports(&text(valid)), "", "{valid}");
    }
    let workspace = "== package.json\n{\"workspaces\": [\"packages/*\"]}\n\
        == packages/ui/package.json\n{\"name\": \"@shop/ui\", \"main\": \"src/index.ts\"}\n\
        == packages/ui/src/index.ts\nexport const a = 1;\n\
        == packages/web/src/b.ts\nexport const b = 1;\n\
        == packages/web/src/a.ts\nimport { b } from './b';\nimport { a } from '@shop/ui';\n\
        == packages/web/src/c.ts\nimport { a } from '@shop/ui';\nimport { c } from 'c';\n";
    assert_eq!(late_imports(workspace), "");
}
