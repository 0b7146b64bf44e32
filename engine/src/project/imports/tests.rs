//! Tests of import graphs built from small projects.

use super::*;
use crate::text::files::Memory;
use crate::text::listing::Listing;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Parses a project: `== path` lines, each followed by the text of the file.
fn project(text: &str) -> Memory {
    let mut files = Memory::default();
    for part in text.split("== ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap_or((part, ""));
        files.0.insert(path.trim().to_owned(), text.as_bytes().to_vec());
    }
    files
}

fn graph_of(files: &Memory) -> Graph {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let facts: BTreeMap<String, Arc<Facts>> = files
        .0
        .iter()
        .filter_map(|(path, bytes)| Some((path.clone(), Arc::new(read(path, &text(bytes))?))))
        .collect();
    Graph::new(files, &Listing::new(files.0.keys().cloned()), &facts)
}

/// Renders the graph with one line per import: the importing file, the name as written, and the
/// target.
fn render(text: &str) -> String {
    let files = project(text);
    let graph = graph_of(&files);
    let slice = |path: &str, span: Span| {
        String::from_utf8_lossy(&files.0[path][span.range()]).replace('\n', " ")
    };
    let mut out = String::new();
    for edge in &graph.edges {
        let from = &graph.files[edge.from].path;
        let to = match &edge.to {
            Target::Files(to) => {
                let to: Vec<&str> = to.iter().map(|&at| graph.files[at].path.as_str()).collect();
                to.join(" ")
            }
            Target::Package(name) => name.clone(),
        };
        let labels =
            [(edge.type_only, " (types)"), (edge.deferred, " (later)"), (edge.test, " (test)")];
        let labels: String =
            labels.iter().filter(|(is_set, _)| *is_set).map(|(_, label)| *label).collect();
        let _ = writeln!(out, "{from}: {} -> {to}{labels}", slice(from, edge.span));
    }
    for unresolved in &graph.unresolved {
        let _ = writeln!(
            out,
            "{}: {} -> ? ({})",
            unresolved.path,
            slice(&unresolved.path, unresolved.span),
            unresolved.name
        );
    }
    out
}

/// Like [`render`], with `krate` instead of `crate`, which the layer test of this crate searches
/// for.
fn render_rust(text: &str) -> String {
    let word = |name: &str| format!("{name}::");
    render(&text.replace(&word("krate"), &word("crate"))).replace(&word("crate"), &word("krate"))
}

#[test]
fn javascript_specifiers_are_resolved() {
    let text = r##"
== tsconfig.base.json
{"compilerOptions": {"paths": {"@lib/*": ["libs/*/src"]}}} // shared
== package.json
{"name": "root", "workspaces": ["packages/*"], "imports": {"#env": "./src/env.ts"}}
== packages/ui/package.json
{"name": "@acme/ui", "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"}, "./forms/*": "./src/forms/*.ts"}}
== packages/ui/src/index.ts
export * from "./forms/button";
export type { A } from "./types.js";
== packages/ui/src/types.ts
== packages/ui/src/forms/button.ts
== packages/bare/package.json
{"name": "bare"}
== libs/money/src/index.ts
== app/tsconfig.json
{"extends": "../tsconfig.base"}
== svc/tsconfig.json
{"compilerOptions": {"baseUrl": "./code"}}
== svc/a.ts
import based from "deep/thing";
== svc/code/deep/thing.ts
== app/main.tsx
import React from "react";
import { Button } from "@acme/ui";
import field from '@acme/ui/forms/button';
import type { T } from "./types";
import { type A, type B } from "./types";
import { type C, d } from "./types";
import money from "@lib/money";
import lost from "@lib/none";
import "./style.css";
import bare from "bare";
import env from "#env";
import gone from "../gone";
import fs from "node:fs/promises";
const a = require("./types"), b = await import("./deep/thing"), c = require(name);
import old = require("lodash/fp");
// import no from "./no"; "import also from './no'"
== app/types.d.ts
== app/deep/thing.jsx
import up from "..";
== app/index.ts
== app/style.css
== src/env.ts
== app/main.test.ts
import { it } from "vitest";
import "./main";
"##;
    insta::assert_snapshot!(render(text), @"
    app/deep/thing.jsx: .. -> app/index.ts
    app/main.test.ts: vitest -> npm:vitest (test)
    app/main.test.ts: ./main -> app/main.tsx (test)
    app/main.tsx: react -> npm:react
    app/main.tsx: @acme/ui -> packages/ui/src/index.ts
    app/main.tsx: @acme/ui/forms/button -> packages/ui/src/forms/button.ts
    app/main.tsx: ./types -> app/types.d.ts (types)
    app/main.tsx: ./types -> app/types.d.ts (types)
    app/main.tsx: ./types -> app/types.d.ts
    app/main.tsx: @lib/money -> libs/money/src/index.ts
    app/main.tsx: ./style.css -> app/style.css
    app/main.tsx: bare -> packages/bare/package.json
    app/main.tsx: #env -> src/env.ts
    app/main.tsx: node:fs/promises -> npm:fs/promises
    app/main.tsx: ./types -> app/types.d.ts
    app/main.tsx: ./deep/thing -> app/deep/thing.jsx (later)
    app/main.tsx: lodash/fp -> npm:lodash/fp
    packages/ui/src/index.ts: ./forms/button -> packages/ui/src/forms/button.ts
    packages/ui/src/index.ts: ./types.js -> packages/ui/src/types.ts (types)
    svc/a.ts: deep/thing -> svc/code/deep/thing.ts
    app/main.tsx: @lib/none -> ? (@lib/none)
    app/main.tsx: ../gone -> ? (../gone)
    ");
}

#[test]
fn references_in_typescript_settings_are_followed() {
    let text = r#"
== tsconfig.json
{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tsconfig.node.json"}]}
== tsconfig.app.json
{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}
== tsconfig.node.json
{"extends": "./tsconfig.node.json"}
== src/a.ts
import "@/b";
import "@/c";
import "@/../tsconfig.app.json";
import "@/../../outside";
import "@acme/other";
import "fs";
== src/b.ts
== fs/package.json
{"name": "fs", "exports": {"node": "./on-node.js", "default": "./fs.js"}}
== fs/on-node.js
== fs/fs.js
"#;
    insta::assert_snapshot!(render(text), @"
    src/a.ts: @/b -> src/b.ts
    src/a.ts: @/../tsconfig.app.json -> tsconfig.app.json
    src/a.ts: @acme/other -> npm:@acme/other
    src/a.ts: fs -> fs/on-node.js
    src/a.ts: @/c -> ? (@/c)
    src/a.ts: @/../../outside -> ? (@/../../outside)
    ");
}

#[test]
fn python_modules_are_resolved() {
    let text = r#"
== pyproject.toml
[tool.setuptools.packages.find]
where = ["python"]
== python/shop/__init__.py
== python/shop/domain/__init__.py
from typing import TYPE_CHECKING
import os, json as j
if TYPE_CHECKING:
    from shop.db import Session
else:
    Session = None
from . import order
from .order import Order, Line
from ..db import (
    connect,
    models,
)
from ...outside import x
import shop.db.models as m
import shop.gone
from shop import db, domain
from shop.db import *
import requests.sessions
== python/shop/domain/order.py
def late():
    from shop.db import connect
== python/shop/db/__init__.py
== python/shop/db/models.py
== scripts/run.py
import helper
import shop
== scripts/helper.py
== tests/test_order.py
from shop.domain.order import Order
"#;
    insta::assert_snapshot!(render(text), @"
    python/shop/domain/__init__.py: typing -> py:typing
    python/shop/domain/__init__.py: os -> py:os
    python/shop/domain/__init__.py: json as j -> py:json
    python/shop/domain/__init__.py: shop.db -> python/shop/db/__init__.py (types)
    python/shop/domain/__init__.py: . -> python/shop/domain/order.py
    python/shop/domain/__init__.py: .order -> python/shop/domain/order.py
    python/shop/domain/__init__.py: connect -> python/shop/db/__init__.py
    python/shop/domain/__init__.py: models -> python/shop/db/models.py
    python/shop/domain/__init__.py: shop.db.models as m -> python/shop/db/models.py
    python/shop/domain/__init__.py: shop -> python/shop/db/__init__.py
    python/shop/domain/__init__.py: shop.db -> python/shop/db/__init__.py
    python/shop/domain/__init__.py: requests.sessions -> py:requests.sessions
    python/shop/domain/order.py: shop.db -> python/shop/db/__init__.py (later)
    scripts/run.py: helper -> scripts/helper.py
    scripts/run.py: shop -> python/shop/__init__.py
    tests/test_order.py: shop.domain.order -> python/shop/domain/order.py (test)
    python/shop/domain/__init__.py: x -> ? (...outside.x)
    python/shop/domain/__init__.py: shop.gone -> ? (shop.gone)
    ");
}

#[test]
fn rust_paths_are_resolved() {
    let text = r#"
== Cargo.toml
[workspace]
members = ["crates/*"]
== crates/core/Cargo.toml
[package]
name = "shop-core"
[dependencies]
serde = "1"
log = { version = "1", package = "tracing" }
[dev-dependencies]
proptest = "1"
== crates/core/src/lib.rs
pub mod domain;
pub(crate) mod infra;
#[path = "odd/place.rs"]
mod other;
mod gone;
pub mod inline {
    pub mod deep;
    use super::infra::db as database;
    pub use self::deep::Thing;
}
#[cfg(test)]
mod tests;
== crates/core/src/inline/deep.rs
== crates/core/src/odd/place.rs
use krate::domain::{self, order::{Order, Line}, Money};
use krate::domain::{Money, Other};
== crates/core/src/domain/mod.rs
pub mod order;
use std::collections::HashMap;
use serde::Serialize;
use log::info;
use super::super::nothing;
pub struct Money;
fn f() {
    krate::infra::db::connect();
    let x: krate::infra::db::Pool<super::other::Place> = krate::infra::db::pool();
    tracing::info!("no name of the manifest");
    Vec::<u8>::new();
}
#[cfg(test)]
mod tests {
    use super::*;
    use krate::infra::db;
    #[test]
    fn t() { krate::inline::go(); }
}
== crates/core/src/domain/order.rs
use order_local::X;
use super::Money;
== crates/core/src/infra.rs
pub mod db;
== crates/core/src/infra/db.rs
pub(in krate::infra) fn pool() {}
use krate::domain::*;
== crates/core/src/tests.rs
use super::domain;
use proptest::prelude::*;
== crates/core/tests/whole.rs
mod common;
use shop_core::domain::order;
use common::help;
== crates/core/tests/common/mod.rs
== crates/app/Cargo.toml
[package]
name = "app"
[dependencies]
shop-core = { path = "../core" }
anyhow = { workspace = true }
== crates/app/src/main.rs
use shop_core::infra::db::Pool;
use anyhow::{Context as _, Result};
extern crate anyhow;
fn main() { ::shop_core::domain::order::new(); }
"#;
    insta::assert_snapshot!(render_rust(text), @"
    crates/app/src/main.rs: shop_core::infra::db::Pool -> crates/core/src/infra/db.rs
    crates/app/src/main.rs: anyhow::{Context as _, Result} -> crate:anyhow
    crates/app/src/main.rs: anyhow -> crate:anyhow
    crates/app/src/main.rs: ::shop_core::domain::order::new -> crates/core/src/domain/order.rs
    crates/core/src/domain/mod.rs: std::collections::HashMap -> crate:std
    crates/core/src/domain/mod.rs: serde::Serialize -> crate:serde
    crates/core/src/domain/mod.rs: log::info -> crate:tracing
    crates/core/src/domain/mod.rs: krate::infra::db::connect -> crates/core/src/infra/db.rs
    crates/core/src/domain/mod.rs: super::other::Place -> crates/core/src/odd/place.rs
    crates/core/src/domain/mod.rs: krate::infra::db -> crates/core/src/infra/db.rs (test)
    crates/core/src/domain/mod.rs: krate::inline::go -> crates/core/src/lib.rs (test)
    crates/core/src/domain/order.rs: super::Money -> crates/core/src/domain/mod.rs
    crates/core/src/infra/db.rs: krate::domain::* -> crates/core/src/domain/mod.rs
    crates/core/src/lib.rs: super::infra::db -> crates/core/src/infra/db.rs
    crates/core/src/lib.rs: self::deep::Thing -> crates/core/src/inline/deep.rs
    crates/core/src/odd/place.rs: self -> crates/core/src/domain/mod.rs
    crates/core/src/odd/place.rs: Order -> crates/core/src/domain/order.rs
    crates/core/src/odd/place.rs: krate::domain::{Money, Other} -> crates/core/src/domain/mod.rs
    crates/core/src/tests.rs: super::domain -> crates/core/src/domain/mod.rs (test)
    crates/core/src/tests.rs: proptest::prelude::* -> crate:proptest (test)
    crates/core/tests/whole.rs: shop_core::domain::order -> crates/core/src/domain/order.rs (test)
    crates/core/tests/whole.rs: common::help -> crates/core/tests/common/mod.rs (test)
    crates/core/src/domain/mod.rs: super::super::nothing -> ? (super::super::nothing)
    crates/core/src/lib.rs: gone -> ? (mod gone)
    ");
}

#[test]
fn go_and_java_packages_are_resolved() {
    let text = r#"
== go.mod
module example.com/shop // the shop

go 1.22
== domain/order.go
package domain
import "fmt"
import (
    db "example.com/shop/infra/db"
    . "example.com/shop/gone"
    "github.com/lib/pq"
)
== domain/order_test.go
package domain
import "example.com/shop/infra/db"
== infra/db/a.go
package db
== infra/db/b.go
package db
== infra/db/b_test.go
package db
== tools/go.mod
module example.com/shop/tools
== tools/main.go
package main
import "example.com/shop/tools/gen"
== tools/gen/gen.go
package gen
== src/main/java/shop/domain/Order.java
package shop.domain;
import java.util.List;
import shop.infra.Db;
import shop.infra.Db.Row;
import static shop.infra.Db.connect;
import shop.infra.*;
import shop.infra.Gone;
== src/main/java/shop/infra/Db.java
package shop.infra;
== src/main/java/shop/infra/Pool.java
package shop.infra;
== src/test/java/shop/domain/OrderTest.java
package shop.domain;
import shop.infra.Db;
"#;
    insta::assert_snapshot!(render(text), @"
    domain/order.go: fmt -> go:fmt
    domain/order.go: example.com/shop/infra/db -> infra/db/a.go infra/db/b.go
    domain/order.go: github.com/lib/pq -> go:github.com/lib/pq
    domain/order_test.go: example.com/shop/infra/db -> infra/db/a.go infra/db/b.go (test)
    src/main/java/shop/domain/Order.java: java.util.List -> java:java.util.List
    src/main/java/shop/domain/Order.java: shop.infra.Db -> src/main/java/shop/infra/Db.java
    src/main/java/shop/domain/Order.java: shop.infra.Db.Row -> src/main/java/shop/infra/Db.java
    src/main/java/shop/domain/Order.java: shop.infra.Db.connect -> src/main/java/shop/infra/Db.java
    src/main/java/shop/domain/Order.java: shop.infra -> src/main/java/shop/infra/Db.java src/main/java/shop/infra/Pool.java
    src/test/java/shop/domain/OrderTest.java: shop.infra.Db -> src/main/java/shop/infra/Db.java (test)
    tools/main.go: example.com/shop/tools/gen -> tools/gen/gen.go
    domain/order.go: example.com/shop/gone -> ? (example.com/shop/gone)
    src/main/java/shop/domain/Order.java: shop.infra.Gone -> ? (shop.infra.Gone)
    ");
}

#[test]
fn cyclic_settings_and_deeply_nested_code_are_handled() {
    let deep = format!("use {}x{};", "a::{".repeat(5000), "}".repeat(5000));
    assert!(read("a.rs", &deep).is_some());
    let deep = format!("fn f() {{ {}x{} }}", "(".repeat(20_000), ")".repeat(20_000));
    assert!(read("a.rs", &deep).is_some());
    let long = format!("use {}x;", "a::".repeat(20_000));
    assert_eq!(read("a.rs", &long).expect("Rust").imports.len(), 1);
    let text = "
== Cargo.toml
[package]
name = \"a\"
== src/lib.rs
#[path = \"lib.rs\"]
mod again;
use krate::again::again::x;
== a/tsconfig.json
{\"extends\": [\"../b/tsconfig.json\"]}
== b/tsconfig.json
{\"extends\": \"../a/tsconfig\", \"references\": [{\"path\": \"./tsconfig.json\"}]}
== a/x.ts
import \"y\";
";
    insta::assert_snapshot!(render_rust(text), @"a/x.ts: y -> npm:y");
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_a_panic(text in "(import |from |use |mod |crate:{2}|super::|[{}();:.,*\"'@#\\n a-cé]|type |require|package |if TYPE_CHECKING:\\n ){0,60}") {
        for path in ["a.ts", "b.py", "src/lib.rs", "c.go", "d.java", "e.tsx", "f.js"] {
            let facts = read(path, &text).expect("a known language");
            for import in &facts.imports {
                prop_assert!(text.get(import.span.range()).is_some());
                prop_assert!(text.get(import.statement.range()).is_some());
            }
            let manifest = "[package]\nname = \"a\"\n";
            let files = Memory([
                (path.to_owned(), text.clone().into_bytes()),
                ("Cargo.toml".to_owned(), manifest.as_bytes().to_vec()),
                ("package.json".to_owned(), text.clone().into_bytes()),
                ("tsconfig.json".to_owned(), text.clone().into_bytes()),
                ("pyproject.toml".to_owned(), text.clone().into_bytes()),
                ("go.mod".to_owned(), text.clone().into_bytes()),
            ].into());
            let graph = graph_of(&files);
            prop_assert!(graph.edges.iter().all(|edge| edge.from < graph.files.len()));
        }
    }
}

#[test]
fn imports_in_functions_are_deferred() {
    let text = "
== a.py
def f():
    from b import g
    return g()
from c import h
== b.py
== c.py
== d.ts
const later = () => import(\"./e\");
const now = require(\"./e\");
function alone() { return require(\"./f\"); }
== e.ts
== f.ts
";
    insta::assert_snapshot!(render(text), @"
    a.py: b -> b.py (later)
    a.py: c -> c.py
    d.ts: ./e -> e.ts (later)
    d.ts: ./e -> e.ts
    d.ts: ./f -> f.ts (later)
    ");
}
