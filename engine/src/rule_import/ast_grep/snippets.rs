//! Code of each language that a rule is tried on when it has no test of its own: the first that it
//! matches becomes the example of its page.

/// The snippets of a language, by the name that ast-grep gives it.
pub(super) fn of(language: &str) -> &'static [&'static str] {
    match language {
        "typescript" => TYPESCRIPT,
        "javascript" => JAVASCRIPT,
        "tsx" => TSX,
        "python" => PYTHON,
        "rust" => RUST,
        "go" => GO,
        "java" => JAVA,
        "bash" => BASH,
        "c" => C,
        "css" => CSS,
        "html" => HTML,
        "php" => PHP,
        "ruby" => RUBY,
        "json" => &["{ \"name\": \"a\", \"list\": [1, true, null] }"],
        "yaml" => &["name: a\nlist:\n  - 1\n  - key: value"],
        _ => &[],
    }
}

const TYPESCRIPT: &[&str] = &[
    "const value = input as any;",
    "let list: any[] = [];",
    "const first = maybe!.name;",
    "// @ts-ignore\ncall();",
    "enum Colour { Red, Green }",
    "export default class Shop extends Base { private total = 0; }",
    "interface Thing { name: string; count?: number }",
    "type Name = string | null;",
    "namespace Inner { export const a = 1 }",
    "import type { Thing } from './thing';",
    "import { one, two } from 'package';",
    "import * as all from '../other';",
    "export * from './module';",
    "abstract class A { constructor(private readonly b: B) {} }",
    "const call = <T>(value: T): T => value;",
    "declare module 'x';",
    "@decorated() class C { @field name = 'a'; }",
    "function over(a: string, b = 1, ...rest: number[]): void {}",
    "try { run() } catch (error) {}",
    "try { run() } catch (error) { console.log(error) }",
    "for (const one of many) { await save(one); }",
    "async function load() { for (const one of many) { await save(one); } }",
    "if (a == null) { eval(text) } else if (b != c) { throw 'text' }",
    "switch (kind) { case 1: break; default: go() }",
    "new Promise(async (resolve) => { resolve(1) });",
    "console.log('text', process.env.NAME || 'none');",
    "export function run() { return null }",
    "const { a, b: c } = require('package');",
    "while (true) { debugger; }",
    "label: for (let i = 0; i < 3; i++) { continue label; }",
    "const text = `a ${b}` + 'c';",
    "describe('a', () => { it.only('b', () => { expect(a).toBe(true) }) });",
    "element.innerHTML = text;",
    "setTimeout(() => {}, 1000);",
    "delete object.key;",
    "var old = function () { return arguments };",
];

const JAVASCRIPT: &[&str] = &[
    "try { run() } catch (error) {}",
    "try { run() } catch (error) { console.log(error) }",
    "async function load() { for (const one of many) { await save(one); } }",
    "if (a == null) { eval(text) } else if (b != c) { throw 'text' }",
    "switch (kind) { case 1: break; default: go() }",
    "new Promise(async (resolve) => { resolve(1) });",
    "console.log('text', process.env.NAME || 'none');",
    "export default class Shop extends Base { total = 0; static run() {} }",
    "import one, { two } from 'package';",
    "import * as all from '../other';",
    "export * from './module';",
    "export function run(a, b = 1, ...rest) { return null }",
    "const { a, b: c } = require('package');",
    "module.exports = { a };",
    "while (true) { debugger; }",
    "label: for (let i = 0; i < 3; i++) { continue label; }",
    "const text = `a ${b}` + 'c';",
    "describe('a', () => { it.only('b', () => { expect(a).toBe(true) }) });",
    "element.innerHTML = text;",
    "setTimeout(() => {}, 1000);",
    "delete object.key;",
    "var old = function () { return arguments };",
    "const view = <div onClick={() => go()}>{a && <b/>}</div>;",
    "const image = <img src=\"a.png\" />;",
];

const TSX: &[&str] = &[
    "const view = <div onClick={() => go()} style={{ color: 'red' }}>text</div>;",
    "const image = <img src=\"a.png\" />;",
    "const button = <button disabled>{label}</button>;",
    "const list = <>{items.map((one) => <Item key={one.id} {...one} />)}</>;",
    "const link = <a href=\"https://example.org\" target=\"_blank\">text</a>;",
    "const shown = <div>{count && <b>{count}</b>}{ok ? <A/> : <B/>}</div>;",
    "const raw = <div dangerouslySetInnerHTML={{ __html: text }} className=\"a\" />;",
    "export default function View({ a }: Props) { useEffect(() => { load() }); return null }",
    "const [state, setState] = useState<any>(null);",
    "class View extends React.Component { render() { return null } }",
    "const value = input as any;",
    "console.log('text');",
];

const PYTHON: &[&str] = &[
    "try:\n    run()\nexcept:\n    pass",
    "try:\n    run()\nexcept Exception as error:\n    print(error)",
    "def call(a=[], b={}, *args, **kwargs):\n    return None",
    "class Shop(Base):\n    total = 0\n\n    def run(self) -> None:\n        self.total += 1",
    "import os, sys",
    "from package.module import *",
    "from . import one as two",
    "if a == None and not b:\n    print('text')\nelse:\n    raise ValueError('text')",
    "for one in range(len(many)):\n    while True:\n        break",
    "with open('file') as handle:\n    text = handle.read()",
    "assert a, 'text'",
    "x = lambda a: a + 1",
    "names = [one for one in many if one]",
    "text = f'{a} and {b}' % c",
    "@decorated\nasync def load():\n    await save()",
    "global state\ndel state",
    "os.system('rm ' + name)",
    "response = requests.get(url)",
    "eval(text)",
    "def typed(a: int, b: str = 'x') -> dict[str, int]:\n    return {'a': a}",
];

const RUST: &[&str] = &[
    "fn main() { let x = call().unwrap(); println!(\"{}\", x); }",
    "fn f() { todo!(); }",
    "fn f() { unsafe { call() } }",
    "pub struct Shop { pub total: u32 }",
    "pub enum Kind { One, Two(u8) }",
    "impl Shop { pub fn new() -> Self { Self { total: 0 } } }",
    "trait Run { fn run(&self) -> Result<(), Error>; }",
    "use std::collections::*;",
    "mod inner { pub const A: u8 = 1; static mut B: u8 = 2; }",
    "#[derive(Debug, Clone)]\nstruct A;",
    "#[test]\nfn works() { assert!(true); }",
    "#[allow(dead_code)]\nfn f() -> Option<String> { None?; Some(\"a\".to_string()) }",
    "fn f() { for i in 0..3 { loop { break; } } while true {} }",
    "fn f(a: &mut Vec<u8>) { a.clone().clone(); let b = a as *const _; match b { _ => {} } }",
    "async fn f() { let x = async { 1 }.await; let c = |a| a + 1; panic!(\"text\"); dbg!(x); }",
    "macro_rules! m { () => {} }",
    "fn f() { if let Some(x) = y { x.expect(\"text\"); } else { return; } }",
];

const GO: &[&str] = &[
    "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"text\") }",
    "package main\n\nfunc f() error { if err != nil { return err }; panic(\"text\") }",
    "package main\n\nfunc f() { for { go func() { run() }() } }",
    "package main\n\nfunc f() { for i := 0; i < 3; i++ { defer close() } }",
    "package main\n\nimport (\n\t. \"a\"\n\t_ \"b\"\n)",
    "package main\n\nfunc init() { value, _ := call() }",
    "package main\n\ntype Shop struct { Total int `json:\"total\"` }",
    "package main\n\ntype Run interface { Run(ctx context.Context, a interface{}) error }",
    "package main\n\nfunc (s *Shop) Run(ch chan int) { select { case <-ch: default: } }",
    "package main\n\nvar total = map[string]int{\"a\": 1}\nconst name = \"a\"",
    "package main\n\nfunc f() { switch x := y.(type) { case int: fmt.Errorf(\"text\") }; time.Sleep(1) }",
];

const JAVA: &[&str] = &[
    "class A { void f() { System.out.println(\"text\"); } }",
    "class A { void f() { try { run(); } catch (Exception e) { } } }",
    "class A { void f() { try { run(); } catch (Exception e) { e.printStackTrace(); } finally { } } }",
    "import java.util.*;\nclass A { }",
    "class A { @Autowired private Service service; }",
    "public interface A { String name(); }",
    "public enum A { ONE, TWO }",
    "record A(String name) { }",
    "class A extends B implements C { public A() { super(); } }",
    "class A { static final int N = 1; int f(int a) { return a == 1 ? 2 : 3; } }",
    "class A { void f() { for (String s : list) { if (s == \"a\") { continue; } } while (true) { break; } } }",
    "class A { void f() throws Exception { throw new RuntimeException(\"text\"); } }",
    "class A { void f() { list.stream().map(x -> x.y()).collect(toList()); new Thread(() -> { }).start(); } }",
];

const BASH: &[&str] = &[
    "#!/bin/bash\nset -e\necho \"$name\"",
    "rm -rf $folder",
    "if [ $a = b ]; then eval $c; fi",
    "for one in $(ls); do cat $one | grep x; done",
    "run() { local a=1; curl http://example.org | sh; }",
];

const C: &[&str] = &[
    "#include <stdio.h>\nint main(void) { printf(\"text\"); return 0; }",
    "void f(char *a) { strcpy(a, b); goto end; end: return; }",
    "struct shop { int total; };\n#define MAX 3",
    "int f(void) { for (int i = 0; i < 3; i++) { if (a = b) { free(c); } } while (1) { } }",
];

const CSS: &[&str] = &[
    ".shop { color: #f00 !important; margin: 0 }",
    "@media (min-width: 10px) { #id > a:hover { width: 10px } }",
    "@import url('a.css');",
];

const HTML: &[&str] = &[
    "<img src=\"a.png\">",
    "<a href=\"#\" onclick=\"go()\" style=\"color: red\">text</a>",
    "<script src=\"a.js\"></script>",
    "<button class=\"a\"><b>text</b></button>",
];

const PHP: &[&str] = &[
    "<?php\necho $_GET['a'];",
    "<?php\nclass A extends B { public function f($a) { return var_dump($a); } }",
    "<?php\ntry { run(); } catch (Exception $e) { }",
    "<?php\nif ($a == null) { eval($b); }",
    "<?php\n$query = \"SELECT * FROM t WHERE id = $id\";",
];

const RUBY: &[&str] = &[
    "puts 'text'",
    "class Shop < Base\n  def run(a, b = 1)\n    a.each { |one| p one }\n  end\nend",
    "begin\n  run\nrescue => error\n  raise\nend",
    "if a == nil\n  eval(text)\nend",
    "require 'json'",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_that_is_built_in_has_snippets_without_a_fault() {
        use ast_grep_core::tree_sitter::LanguageExt;
        use ast_grep_language::SupportLang;
        for name in [
            "bash",
            "c",
            "css",
            "go",
            "html",
            "java",
            "javascript",
            "json",
            "php",
            "python",
            "ruby",
            "rust",
            "tsx",
            "typescript",
            "yaml",
        ] {
            assert!(!of(name).is_empty(), "{name}");
            let language: SupportLang = name.parse().expect(name);
            for snippet in of(name) {
                let tree = language.ast_grep(snippet);
                let odd = tree.root().dfs().any(|node| node.is_error());
                assert!(!odd, "{name}: {snippet}");
            }
        }
    }
}
