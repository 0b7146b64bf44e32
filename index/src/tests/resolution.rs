//! Which symbol a call means.

use super::{project, update};
use crate::store;

/// The references as `source -> target`, or `source ? candidates` where the target is possible.
#[track_caller]
pub(super) fn edges(files: &[(&str, &str)]) -> Vec<String> {
    let dir = project(files);
    update(dir.path());
    let connection = store::open_read_only(dir.path()).expect("an index");
    let sql = "SELECT coalesce(s.qualified, '-'), t.key, r.certainty,
          (SELECT group_concat(k, ' ') FROM (SELECT c.key AS k FROM candidates JOIN symbols c
            ON c.id = symbol WHERE ref = r.id ORDER BY c.key)), r.name
        FROM refs r JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.source
        LEFT JOIN symbols t ON t.id = r.target WHERE r.kind IN ('call', 'new')
        ORDER BY f.path, r.line, r.column";
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| {
        let (source, target): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        let (certainty, candidates): (String, Option<String>) = (row.get(2)?, row.get(3)?);
        let name: String = row.get(4)?;
        Ok(match (target, certainty.as_str()) {
            (Some(target), "proved") => format!("{source} -> {target}"),
            (_, "possible") => format!("{source} ? {}", candidates.unwrap_or_default()),
            _ => format!("{source} x {name}"),
        })
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

#[test]
fn python_receivers_have_types() {
    let base =
        "class Base:\n    def __init__(self):\n        pass\n    def save(self):\n        pass\n";
    let text = "from base import Base as B\n\nclass A(B):\n    def __init__(self, other: B):\n        super().__init__()\n        self.other = other\n    def save(self):\n        super().save()\n        self.other.save()\n        self.run()\n    def run(self):\n        def inner():\n            self.save()\n        inner()\n\ndef make():\n    return A(B())\n\ndef use(x):\n    make().run()\n    x.save()\n    x.get()\n";
    assert_eq!(
        edges(&[("base.py", base), ("a.py", text)]),
        [
            "A.__init__ -> base.py#Base.__init__~method",
            "A.save -> base.py#Base.save~method",
            "A.save -> base.py#Base.save~method",
            "A.save -> a.py#A.run~method",
            "A.run.inner -> a.py#A.save~method",
            "A.run -> a.py#A.run.inner~function",
            "make -> a.py#A~class",
            "make -> base.py#Base~class",
            "use -> a.py#make~function",
            "use -> a.py#A.run~method",
            "use ? a.py#A.save~method base.py#Base.save~method",
            "use x get",
        ]
    );
}

#[test]
fn a_function_of_another_file_needs_an_import() {
    assert_eq!(
        edges(&[("a.py", "def f(): pass\nX = 1\n"), ("b.py", "def g():\n    f()\n    len([])\n")]),
        ["g x f", "g x len"]
    );
    assert_eq!(
        edges(&[
            ("a.ts", "export const LIMIT = 1;\nexport function f() {}\n"),
            (
                "b.ts",
                "import { f as g, LIMIT } from './a';\nfunction h(f: () => void) { f(); g(); LIMIT(); }\n"
            ),
        ]),
        ["h x f", "h -> a.ts#f~function", "h ? a.ts#LIMIT~constant"]
    );
}

#[test]
fn scripts_follow_reexports_and_fields() {
    let files = [
        ("a.ts", "export class Repo { all() {} }\nexport default function start() {}\n"),
        ("index.ts", "export { Repo as Store } from './a';\nexport { default } from './a';\n"),
        (
            "b.ts",
            "import begin, { Store } from './index';\nimport * as ns from './a';\nclass S {\n  constructor(private repo: Store) {}\n  run = () => { this.repo.all(); };\n  get self(): S { return this; }\n  go() { this.self.run(); begin(); new ns.Repo().all(); }\n}\nexport const api = { list() { api.one(); }, one: () => {} };\n",
        ),
    ];
    assert_eq!(
        edges(&files),
        [
            "S.run -> a.ts#Repo.all~method",
            "S.go -> b.ts#S.run~method",
            "S.go -> a.ts#start~function",
            "S.go -> a.ts#Repo~class",
            "S.go -> a.ts#Repo.all~method",
            "api.list -> b.ts#api.one~method",
        ]
    );
}

#[test]
fn imports_in_functions_and_classes_bind_there() {
    let files = [
        ("a.py", "def clean():\n    pass\n\nclass One:\n    def run(self):\n        pass\n"),
        (
            "b.py",
            "from lib import Other\nfrom a import One\n\ndef clean():\n    from a import clean\n    clean()\n\nclass Repo(Other, One):\n    from a import clean\n    def run(self):\n        self.clean()\n        super().run()\n",
        ),
    ];
    assert_eq!(
        edges(&files),
        ["clean -> a.py#clean~function", "Repo.run -> a.py#clean~function", "Repo.run x run",]
    );
}

#[test]
fn injected_classes_and_awaited_generic_calls_have_types() {
    let files = [(
        "a.ts",
        "class Toast { show() {} }\nclass App {\n  toast = inject(Toast);\n  go() { this.toast.show(); }\n}\nasync function f<T>() {}\nconst g = (async () => { await f<string>(); }) satisfies unknown;\nconst shown = useMemo(() => f());\n",
    )];
    assert_eq!(
        edges(&files),
        [
            "App x inject",
            "App.go -> a.ts#Toast.show~method",
            "g -> a.ts#f~function",
            "shown x useMemo",
            "shown -> a.ts#f~function",
        ]
    );
}

#[test]
fn go_methods_belong_to_types_of_the_package() {
    let files = [
        ("go.mod", "module p\n"),
        (
            "m/a.go",
            "package m\n\ntype Base struct{}\n\nfunc (b *Base) Save() {}\n\nfunc Make() *Base { return &Base{} }\n",
        ),
        (
            "m/b.go",
            "package m\n\ntype Outer struct { Base; inner *Base }\n\nfunc (o *Outer) Run() { o.Save(); o.inner.Save(); Make().Save() }\n",
        ),
        ("main.go", "package main\n\nimport \"p/m\"\n\nfunc main() { b := m.Make(); b.Save() }\n"),
    ];
    assert_eq!(
        edges(&files),
        [
            "Make -> m/a.go#Base~struct",
            "Outer.Run -> m/a.go#Base.Save~method",
            "Outer.Run -> m/a.go#Base.Save~method",
            "Outer.Run -> m/a.go#Make~function",
            "Outer.Run -> m/a.go#Base.Save~method",
            "main -> m/a.go#Make~function",
            "main -> m/a.go#Base.Save~method",
        ]
    );
}

#[test]
fn rust_paths_lead_through_modules_and_reexports() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"p\"\n"),
        (
            "src/lib.rs",
            "mod inner;\npub use inner::Base;\nuse inner::make;\nfn go(b: &Base) { b.save(); make().save(); Base::new().late(); crate::inner::make(); }\nimpl Base { fn late(&self) { self.save(); Self::new(); } }\n",
        ),
        (
            "src/inner.rs",
            "pub struct Base;\nimpl Base { pub fn new() -> Self { Self } pub fn save(&self) {} }\npub fn make() -> Base { Base::new() }\n",
        ),
    ];
    assert_eq!(
        edges(&files),
        [
            "make -> src/inner.rs#Base::new~method",
            "go -> src/inner.rs#Base::save~method",
            "go -> src/inner.rs#make~function",
            "go -> src/inner.rs#Base::save~method",
            "go -> src/inner.rs#Base::new~method",
            "go -> src/lib.rs#Base::late~method",
            "go -> src/inner.rs#make~function",
            "Base::late -> src/inner.rs#Base::save~method",
            "Base::late -> src/inner.rs#Base::new~method",
        ]
    );
}

#[test]
fn java_selects_methods_by_the_number_of_arguments() {
    let files = [
        (
            "p/A.java",
            "package p;\npublic class A {\n  void save() {}\n  void save(int a) {}\n  static A make() { return new A(); }\n}\n",
        ),
        (
            "q/B.java",
            "package q;\nimport p.A;\nclass B extends A {\n  A a;\n  void run() { save(1); a.save(); A.make().save(2); }\n}\n",
        ),
    ];
    assert_eq!(
        edges(&files),
        [
            "A.make -> p/A.java#A~class",
            "B.run -> p/A.java#A.save~method~2",
            "B.run -> p/A.java#A.save~method",
            "B.run -> p/A.java#A.make~method",
            "B.run -> p/A.java#A.save~method~2",
        ]
    );
}
