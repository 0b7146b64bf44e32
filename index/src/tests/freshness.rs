//! After any series of edits, the index equals one that is built from scratch.

use super::{dump, dump_fresh, namespace_texts, project, update, write};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// Paths of files in several languages that import each other.
pub(super) const PATHS: [&str; 29] = [
    "a.py",
    "b.py",
    "pkg/__init__.py",
    "pkg/c.py",
    "x.ts",
    "y.ts",
    "lib/index.ts",
    "m/a.go",
    "m/b.go",
    "src/lib.rs",
    "src/inner.rs",
    "j/A.java",
    "j/B.java",
    "j/E.java",
    "j/C.kt",
    "j/D.kt",
    "j/F.kt",
    "c/A.cs",
    "c/B.cs",
    "c/C.cs",
    "h/A.php",
    "h/B.php",
    "routes/web.php",
    "r/a.rb",
    "r/b.rb",
    "config/routes.rb",
    "app/controllers/bases_controller.rb",
    "web.ts",
    "web.py",
];

/// Texts by extension: definitions, base types, types of values, imports and re-exports that change
/// what the names in other files mean.
pub(super) fn texts(path: &str) -> &'static [&'static str] {
    match path.rsplit('.').next().expect("an extension") {
        "py" => &[
            "class Base:\n    def save_it(self): pass\n\nclass Other:\n    def save_it(self): pass\n\ndef make() -> Base: ...\n",
            "from a import *\nfrom b import Base as B\n\nclass Base(B):\n    x: B\n    def run(self):\n        self.save_it()\n        self.x.save_it()\n",
            "from a import make, Base\nimport pkg.c\n\ndef go():\n    make().save_it()\n    y = Base()\n    y.save_it()\n    pkg.c.make()\n",
            "from .c import make\nfrom . import c\n\ndef use(z):\n    z.save_it()\n    z.other_name()\n    c.make()\n    make().save_it()\n",
            "from b import make\nclass Base:\n    def other_name(self): return make()\n\ndef make():\n    return Base()\n",
            "\n\n\nclass Base:\n    def save_it(self): pass\n\ndef make() -> 'Base': ...\n",
            "from a import Base\n\nclass Repo(Base):\n    from b import make\n    def run(self):\n        from a import make\n        make()\n        self.make().save_it()\n",
            "from a import Base\n\nclass Repo(Base):\n    def run(self):\n        from b import make\n        make()\n        super().save_it()\n",
            "from a import Repo\nfrom b import Repo as R\n\ndef go():\n    Repo().make()\n    R().make()\n",
            "from fastapi import APIRouter\nrouter = APIRouter(prefix='/a')\n\n@router.get('/b')\ndef make():\n    pass\n",
            "from fastapi import APIRouter\nfrom web import router as r\nimport a\nrouter = APIRouter()\nrouter.include_router(r, prefix='/w')\nrouter.include_router(a.router, prefix='/v')\n",
            "from django.urls import include, path\nurlpatterns = [path('x', include('web')), path('y', include('pkg.c'))]\n",
            "from django.urls import path\nfrom a import make\nimport b\nurlpatterns = [path('x', make), path('y', b.Base)]\n",
            "def make(:\n",
            "from b import make, count\nimport pkg.c\n\ndef go(items):\n    items.append(make())\n    return go2(items)\n\ndef go2(items):\n    local = []\n    go(local)\n    return count\n",
            "import a\ncount = 0\n\nclass Base:\n    def __init__(self):\n        print(1)\n\n    def save_it(self):\n        self.x = 1\n\ndef make():\n    global count\n    count += 1\n    return a.go2([])\n",
            "from a import go, Base\nimport a\ncount = 1\n\nclass Sub(Base):\n    @property\n    def late(self):\n        return go([])\n\ndef make():\n    return Sub().late\n\ndef other_name():\n    return Base().save_it(), a.go2([])\n",
            "from b import make\n\ndef go(items):\n    return make()\n\ndef go2(items):\n    return [go(item) for item in items]\n\nclass Base:\n    def save_it(self):\n        return self\n",
        ],
        "ts" => &[
            "export class Base { saveIt() {} }\nexport function make(): Base { return new Base(); }\nexport default make;\n",
            "import { Base as B } from './y';\nexport class Base extends B { run() { this.saveIt(); } }\nexport * from './lib';\n",
            "export { make as build } from './x';\nimport d, { make } from './x';\nexport const go = () => { make().saveIt(); d().saveIt(); };\n",
            "import { build } from './y';\nimport { Base } from './lib';\nfunction f(b: Base) { b.saveIt(); build().saveIt(); }\n",
            "export * from '../x';\nexport interface Base { saveIt(): void }\nexport const make = () => ({ saveIt() {} });\n",
            "import { Router } from 'express';\nimport { make } from './x';\nimport * as y from './y';\nconst r = Router();\nr.get('/a', make);\nr.post('/b', y.go);\n",
            "import { Router } from 'express';\nimport { r as inner } from './x';\nimport web from './web';\nexport const r = Router();\nr.get('/c', make);\nr.use('/in', inner);\nr.use('/web', web);\nfunction make() {}\nexport default r;\n",
            "\nexport class Other { saveIt() {} otherName() {} }\nexport function make() { return new Other(); }\n",
            "export function {",
            "import { make } from './x';\nimport { total } from './y';\nexport let total = 0;\nexport function go(xs: number[]) { total += make(xs); return xs.map((x) => x + total); }\nexport class Base { saveIt() { console.log(make([])); } }\n",
            "import { go, total, Base } from './y';\nexport function make(xs: number[]) { xs.push(1); return go([]).length; }\nexport const sum = () => total;\nexport class Other extends Base { otherName() { this.saveIt(); } }\nexport const run = () => new Other().otherName();\n",
        ],
        "go" => &[
            "package m\n\ntype Base struct{}\n\nfunc (b *Base) Save() {}\n\nfunc Make() *Base { return &Base{} }\n",
            "package m\n\nfunc Go() { Make().Save(); b := Make(); b.Save() }\n",
            "package m\n\ntype Other struct{ Base }\n\nfunc (o Other) Run() { o.Save() }\n\nfunc Make() Other { return Other{} }\n",
            "package m\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc Add(r *gin.RouterGroup) { r.GET(\"/a\", Make) }\n\nfunc All(r *gin.Engine) { Add(r.Group(\"/g\")) }\n",
            "package m\n\nimport \"fmt\"\n\nvar seen = map[string]int{}\n\nfunc Make() int { seen[\"a\"]++; return Sum(nil) }\n\nfunc Show() { fmt.Println(Make()) }\n",
            "package m\n\nfunc Sum(xs []int) int { Fill(xs); return len(seen) }\n\nfunc Fill(xs []int) { xs[0] = 1; Sum(xs) }\n",
            "package m\n\nfunc (b *Base) Late() { b.Save() }\n\nfunc x(b Base) { b.Late() }\n",
        ],
        "rs" => &[
            "mod inner;\npub struct Base;\nimpl Base { pub fn save_it(&self) {} }\npub fn make() -> Base { Base }\nfn go() { make().save_it(); inner::run(); }\n",
            "use crate::{Base, make};\npub fn run() { make().save_it(); }\nimpl Base { pub fn late(&self) { self.save_it() } }\n",
            "mod inner;\npub use inner::Base;\nfn go(b: Base) { b.save_it(); b.late(); crate::inner::run(); }\n",
            "use crate::make;\npub fn run(xs: &mut Vec<u8>) { xs.push(1); fill(xs); }\npub fn fill(xs: &mut Vec<u8>) { println!(\"{}\", make().len()); run(xs) }\npub struct Base;\n",
            "mod inner;\npub fn make() -> Vec<u8> { let mut all = Vec::new(); inner::run(&mut all); all }\npub fn go() -> usize { make().len() }\n",
            "pub struct Base { x: u8 }\nimpl Base { pub fn save_it(&self) {} }\npub fn run() -> Base { Base { x: 1 } }\n",
        ],
        "kt" => namespace_texts::KOTLIN,
        "cs" => namespace_texts::CSHARP,
        "php" => namespace_texts::PHP,
        "rb" => namespace_texts::RUBY,
        _ => namespace_texts::JAVA,
    }
}

/// One change: a path, what happens to it, and the text that is written.
pub(super) type Change = (usize, u8, usize);

pub(super) fn apply(root: &Path, (path, operation, text): Change) {
    let at = PATHS[path % PATHS.len()];
    match operation % 8 {
        0 => drop(fs::remove_file(root.join(at))),
        1 => {
            let same = PATHS
                .iter()
                .filter(|other| other.rsplit('.').next() == at.rsplit('.').next() && **other != at);
            let to = same.cycle().nth(text).expect("another path of the language");
            if root.join(at).exists() {
                let target = root.join(to);
                fs::create_dir_all(target.parent().expect("a directory")).expect("created");
                fs::rename(root.join(at), target).expect("renamed");
            }
        }
        2 => {
            let old = fs::read_to_string(root.join(at)).unwrap_or_default();
            let is_hash = at.ends_with(".py") || at.ends_with(".rb");
            let comment = if is_hash { "#" } else { "//" };
            write(root, at, &format!("{comment} moved\n\n{old}"));
        }
        _ => {
            let all = texts(at);
            write(root, at, all[text % all.len()]);
        }
    }
}

pub(super) fn start() -> tempfile::TempDir {
    project(&[
        ("package.json", "{\"name\": \"p\"}"),
        ("Cargo.toml", "[package]\nname = \"p\"\n"),
        ("go.mod", "module p\n"),
    ])
}

fn check(rounds: &[Vec<Change>]) -> Result<(), TestCaseError> {
    let dir = start();
    for (at, path) in PATHS.iter().enumerate() {
        write(dir.path(), path, texts(path)[at % texts(path).len()]);
    }
    update(dir.path());
    for changes in rounds {
        for change in changes {
            apply(dir.path(), *change);
        }
        update(dir.path());
    }
    let edited = dump(dir.path());
    let fresh = dump_fresh(dir.path());
    for (table, rows) in &fresh {
        prop_assert_eq!(&edited[table], rows, "table {} after {:?}", table, rounds);
    }
    Ok(())
}

fn rounds() -> impl Strategy<Value = Vec<Vec<Change>>> {
    let change = (0..PATHS.len(), any::<u8>(), 0_usize..64);
    proptest::collection::vec(proptest::collection::vec(change, 1..4), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn an_edited_index_equals_a_fresh_index(rounds in rounds()) {
        check(&rounds)?;
    }
}

#[test]
fn an_edit_resolves_only_what_it_can_affect() {
    let dir = project(&[
        ("a.py", "def one():\n    pass\n"),
        ("b.py", "from a import one\n\ndef two():\n    one()\n"),
        ("c.py", "def three():\n    pass\n"),
    ]);
    assert!(update(dir.path()).built);
    assert_eq!(update(dir.path()).changed, 0);
    write(dir.path(), "a.py", "\ndef one():\n    print()\n");
    let done = update(dir.path());
    assert_eq!((done.changed, done.resolved, done.built), (1, 1, false));
    write(dir.path(), "a.py", "\nclass one:\n    pass\n");
    assert_eq!(update(dir.path()).resolved, 2);
    write(dir.path(), "c.py", "def three():\n    one()\n");
    assert_eq!(update(dir.path()).resolved, 1);
}

#[test]
fn files_without_changes_are_not_written_to_the_index_again() {
    let dir = project(&[("a.py", "def one():\n    pass\n"), ("b.py", ""), ("v.ts", "a\0b")]);
    let root = dir.path();
    let state = || -> String {
        let connection = crate::store::open_read_only(root).expect("an index");
        let sql = "SELECT value FROM meta WHERE key = 'generation'";
        connection.query_row(sql, [], |row| row.get(0)).expect("read")
    };
    let built = update(root);
    assert_eq!((built.files, built.unread), (2, 1));
    // Their stamps are too new to prove anything.
    let before = state();
    let again = update(root);
    assert_eq!((again.files, again.changed, again.unread), (2, 0, 1));
    assert_eq!(before, state());
    write(root, "a.py", "def two():\n    pass\n");
    assert_eq!(update(root).changed, 1);
    // The stamps are stored when they are old enough, and once.
    let edited = state();
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert_eq!(update(root).changed, 0);
    let settled = state();
    assert_ne!(edited, settled);
    assert_eq!(update(root).changed, 0);
    assert_eq!(settled, state());
    fs::write(root.join("v.ts"), "export function three() {}\n").expect("written");
    assert_eq!(update(root).changed, 1);
    fs::write(root.join("v.ts"), "a\0b").expect("written");
    assert_eq!(update(root).changed, 1);
    assert_eq!(dump(root), dump_fresh(root));
}
