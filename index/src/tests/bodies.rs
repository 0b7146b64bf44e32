//! The complexity of functions, and the hashes of their bodies.

use super::{project, update};
use crate::sql::query;

/// File name, code, and the expected functions with their complexity.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "a.py",
        "def plain():\n    return 1\n\ndef all(a, b):\n    if a and b or a:\n        pass\n    elif b:\n        pass\n    else:\n        pass\n    for x in a:\n        while b:\n            break\n    try:\n        pass\n    except E:\n        pass\n    finally:\n        pass\n    return 1 if a else [y for y in a if y]\n\ndef cases(a):\n    match a:\n        case 1:\n            pass\n        case _:\n            pass\n",
        &["all 11", "cases 2", "plain 1"],
    ),
    (
        "a.ts",
        "export const arrow = (a?: string) => a ? 1 : a ?? 2;\nfunction outer(a, b) {\n  if (a && b || !a) {} else if (b) {}\n  for (const x of a) { for (;;) {} }\n  while (a) {}\n  do {} while (b);\n  switch (a) { case 1: case 2: break; default: }\n  try {} catch {}\n  a ||= b?.c;\n  b.map((x) => x ? 1 : 2);\n  function inner() { if (a) {} }\n  return class { method() { return a || b; } };\n}\n",
        &["arrow 3", "inner 2", "method 2", "outer 14"],
    ),
    (
        "a.rs",
        "fn f(a: Option<u8>, b: bool) -> u8 {\n    if b && true || !b { return 1; } else if b {}\n    for _ in 0..1 {}\n    while b {}\n    let c = || 1;\n    match a { Some(x) if x > 1 => c(), Some(_) => 2, None => 3 }\n}\ntrait T { fn declared(&self); }\n",
        &["declared -", "f 9"],
    ),
    (
        "a.go",
        "package a\n\nfunc f(a int, b bool) {\n\tif b && a > 1 || b {\n\t}\n\tfor i := range 3 {\n\t\t_ = i\n\t}\n\tswitch a {\n\tcase 1, 2:\n\tdefault:\n\t}\n\tselect {\n\tcase <-c:\n\t}\n}\n",
        &["f 7"],
    ),
    (
        "A.java",
        "class A {\n  int f(int a, boolean b) {\n    if (b && a > 1 || b) {}\n    for (;;) { for (int x : xs) {} }\n    while (b) {}\n    do {} while (b);\n    switch (a) { case 1: case 2: break; default: }\n    try {} catch (E e) {}\n    return b ? 1 : switch (a) { case 1 -> 2; default -> 3; };\n  }\n}\n",
        &["f 13"],
    ),
    (
        "a.kt",
        "fun f(a: Int?, b: Boolean): Int {\n    if (b && a == 1 || b) {}\n    for (x in 1..2) {}\n    while (b) {}\n    do {} while (b)\n    try {} catch (e: E) {}\n    when (a) { 1, 2 -> 1\n 3 -> 2\n else -> 3 }\n    return a ?: 1\n}\n",
        &["f 12"],
    ),
    (
        "A.cs",
        "class A {\n  int F(int a, bool b, object c) {\n    if (b && a > 1 || b) {}\n    for (;;) { foreach (var x in xs) {} }\n    while (b) {}\n    do {} while (b);\n    switch (a) { case 1: break; default: break; }\n    try {} catch (E) {}\n    var d = a switch { 1 => 2, _ => 3 };\n    return b ? 1 : (c ?? d);\n  }\n}\n",
        &["F 13"],
    ),
    (
        "a.rb",
        "def f(a, b)\n  if a && b or a\n  elsif b\n  end\n  1 unless a\n  while a do end\n  for x in a do end\n  case a\n  when 1 then 2\n  else 3\n  end\n  a ? 1 : 2\nrescue E\n  1\nend\n",
        &["f 11"],
    ),
    (
        "a.php",
        "<?php\nfunction f($a, $b) {\n  if ($a && $b || $a) {} elseif ($b) {}\n  for (;;) { foreach ($a as $x) {} }\n  while ($a) {}\n  switch ($a) { case 1: break; default: }\n  try {} catch (E $e) {}\n  return $a ? 1 : match ($b) { 1 => 2, default => 3 } ?? 4;\n}\n",
        &["f 13"],
    ),
];

#[test]
fn the_complexity_of_a_function_counts_its_branches() {
    for (path, code, expected) in CASES {
        let dir = project(&[(path, code)]);
        update(dir.path());
        let sql = "SELECT name, complexity FROM functions ORDER BY name";
        let rows = query(dir.path(), sql).expect("rows");
        let text = |row: &serde_json::Value| {
            format!(
                "{} {}",
                row["name"].as_str().unwrap_or_default(),
                match &row["complexity"] {
                    serde_json::Value::Null => "-".to_owned(),
                    number => number.to_string(),
                }
            )
        };
        assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), *expected, "{path}");
    }
}

#[test]
fn bodies_have_the_same_hash_if_they_differ_only_in_indentation() {
    let code = "def one(a):\n    if a:\n        return 1\n\nclass A:\n    def two(self, a):\n\n        if a:\n            return 1\n\n    def three(self, a):\n        if a:\n            return 2\n";
    let dir = project(&[("a.py", code)]);
    update(dir.path());
    let sql = "SELECT group_concat(name, ' ' ORDER BY name) AS names FROM symbols
        WHERE body_hash IS NOT NULL GROUP BY body_hash ORDER BY names";
    let rows = query(dir.path(), sql).expect("rows");
    let names: Vec<_> = rows.iter().map(|row| row["names"].as_str()).collect();
    assert_eq!(names, [Some("one two"), Some("three")]);
}
