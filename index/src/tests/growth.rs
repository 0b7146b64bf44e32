//! The time for indexing a file must not grow faster than the file: eight times the text can take at
//! most twelve times as long. `benches/growth/run` measures larger files.

use super::{project, update};
use cpu_time::ThreadTime;
use std::time::Duration;

/// The size of the smaller file, in bytes.
const SIZE: usize = 8 << 10;
/// The larger file is this many times as large.
const FACTOR: usize = 8;
/// Maximum ratio of the times for both files.
const MAX_RATIO: u32 = 12;
/// Other load makes shorter times imprecise.
const MIN_TIME: Duration = Duration::from_millis(40);
/// Maximum number of measurements of each file; the shortest time counts.
const MAX_ATTEMPTS: usize = 8;

/// Path, text before and after all copies, a copy, in which `#` is a number, and its end, which
/// follows all copies.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    ("a.ts", "", "", "export function f#(a: B#) { return f0(a).c().d#; }\n", ""),
    ("a.ts", "", "", "export const a# = f(a0); ", ""),
    ("a.ts", "", "", "function f() { g(); ", "}"),
    ("a.ts", "x = ", "", "a(", ")"),
    ("a.ts", "x", "", ".then(a => b(a))", ""),
    ("a.ts", "f(", ");", "{ a: ", "}"),
    ("a.tsx", "", "", "export class C# extends C0 { m() { this.n#(); } n#() {} }\n", ""),
    ("a.tsx", "x = ", "", "<a b={c}>", "</a>"),
    ("a.py", "", "", "def f#(a):\n    return f0(a).c().d#\n", ""),
    ("a.py", "", "", "class C#(C0):\n    @d\n    def m(self):\n        self.n()\n", ""),
    ("a.py", "x = ", "", "(", ")"),
    ("a.go", "package a\n", "", "func (r *T#) F#(a int) int { return g(a).h() }\n", ""),
    ("a.go", "package a\nfunc f() { ", "}\n", "func() { g(); ", "}()"),
    ("a.rs", "", "", "impl T# { #[a] fn f#(&self) -> u8 { self.g().h() } }\n", ""),
    ("a.rs", "", "", "mod a { fn f() { g(); } ", "}"),
    ("a.rs", "fn f() { ", "}", "if let A(b) = c { ", "}"),
    ("a.java", "class A {\n", "}\n", "@B int f#(int a) { return g(a).h(); }\n", ""),
    ("a.java", "", "", "class A { ", "}"),
    ("a.kt", "", "", "fun f#(a: Int) = g(a).h()\n", ""),
    ("a.kt", "", "", "class A { ", "}"),
    ("a.cs", "class A {\n", "}\n", "[B] int F#(int a) { return G(a).H(); }\n", ""),
    ("a.cs", "", "", "namespace A { ", "}"),
    ("a.php", "<?php\n", "", "function f#($a) { return g($a)->h(); }\n", ""),
    ("a.php", "<?php\n", "", "if ($a) { ", "}"),
    ("a.rb", "", "", "def f#(a)\n  g(a).h\nend\n", ""),
    ("a.rb", "", "", "module A\n", "end\n"),
];

fn text((_, before, after, copy, end): &Row, size: usize) -> String {
    let count = size / (copy.len() + end.len());
    let copies: String = (0..count).map(|index| copy.replace('#', &index.to_string())).collect();
    format!("{before}{copies}{}{after}", end.repeat(count))
}

/// The shortest time so far for indexing a project of this file.
fn measure(row: &Row, size: usize, shortest: Duration) -> Duration {
    let project = project(&[(row.0, &text(row, size))]);
    let start = ThreadTime::now();
    let _ = update(project.path());
    shortest.min(start.elapsed())
}

#[test]
fn files_of_each_language_are_indexed_in_linear_time() {
    let mut slow = Vec::new();
    for row in ROWS {
        let (mut smaller, mut larger) = (Duration::MAX, Duration::MAX);
        let is_linear = (0..MAX_ATTEMPTS).any(|_| {
            smaller = measure(row, SIZE, smaller);
            larger = measure(row, SIZE * FACTOR, larger);
            larger <= MAX_RATIO * smaller.max(MIN_TIME)
        });
        if !is_linear {
            slow.push(format!("{} {:?}: {smaller:.1?}, {larger:.1?}", row.0, row.3));
        }
    }
    assert!(slow.is_empty(), "the time grows faster than the file:\n{}", slow.join("\n"));
}
