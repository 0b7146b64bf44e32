use super::*;
use aidd_engine::parse::syntax::parse_text;
use ast_grep_core::Language as _;

fn outline(path: &str, text: &str) -> Outline {
    let language = SupportLang::from_path(path).expect("a known language");
    let tree = parse_text(text, language).expect("a tree");
    read(path, text, language, &tree)
}

fn symbols(path: &str, text: &str) -> Vec<String> {
    let describe = |symbol: &Symbol| {
        let exported = if symbol.exported { "+" } else { "-" };
        let (line, column) = (symbol.start.line + 1, symbol.start.column);
        format!("{line}:{column} {} {}{exported}", symbol.kind.name(), symbol.qualified)
    };
    outline(path, text).symbols.iter().map(describe).collect()
}

fn refs(path: &str, text: &str) -> Vec<String> {
    let found = outline(path, text);
    let describe = |at: &Ref| {
        let source = at.source.map_or("", |source| &found.symbols[source as usize].qualified);
        let receiver = at.receiver.as_ref().map_or(String::new(), |receiver| {
            format!("{}.", receiver.names().collect::<Vec<_>>().join("."))
        });
        format!("{source} {} {receiver}{}", at.kind.name(), at.name)
    };
    found.refs.iter().map(describe).collect()
}

#[test]
fn nested_functions_of_python_are_symbols() {
    let text = "class A(B):\n    x: int = 1\n    @property\n    def b(self):\n        def c():\n            return d()\n        return c()\n";
    assert_eq!(
        symbols("a.py", text),
        ["1:0 class A+", "2:4 field A.x+", "4:4 method A.b+", "5:8 function A.b.c-"]
    );
    assert_eq!(
        refs("a.py", text),
        [" extends B", "A type int", "A decorates property", "A.b.c call d", "A.b call c"]
    );
}

#[test]
fn functions_in_variables_and_objects_of_scripts_are_symbols() {
    let text = "export const a = async () => b();\nconst c = { d() { e(); }, f: () => g() };\nexport default class H extends I { j = () => this.k(); }\n";
    assert_eq!(
        symbols("a.ts", text),
        [
            "1:13 function a+",
            "2:6 constant c-",
            "2:12 method c.d-",
            "2:26 method c.f-",
            "3:15 class H+",
            "3:35 method H.j+"
        ]
    );
    assert_eq!(
        refs("a.ts", text),
        ["a call b", "c.d call e", "c.f call g", " extends I", "H.j call .k"]
    );
}

#[test]
fn methods_of_rust_and_go_belong_to_their_type() {
    let text = "pub struct A;\nimpl A {\n    pub fn b(&self) { c(); self.d() }\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn e() {}\n}\n";
    assert_eq!(
        symbols("src/lib.rs", text),
        ["1:0 struct A+", "3:4 method A::b+", "6:0 module tests-", "8:4 function tests::e-"]
    );
    assert!(outline("src/lib.rs", text).symbols[3].test);
    let text = "package a\n\ntype A struct{ b B }\n\nfunc (a *A) C() { a.b.D() }\n";
    assert_eq!(symbols("a.go", text), ["3:5 struct A+", "3:15 field A.b-", "5:0 method A.C+"]);
    assert_eq!(refs("a.go", text), ["A type B", "A.C type A", "A.C call a.b.D"]);
}

#[test]
fn the_methods_of_java_start_after_their_annotations() {
    let text = "class A {\n  @Test\n  public void b() { c(1); new D().e(); }\n}\n";
    assert_eq!(symbols("A.java", text), ["1:0 class A-", "3:2 method A.b+"]);
    let found = refs("A.java", text);
    assert!(found.contains(&"A.b call c".to_owned()), "{found:?}");
    assert!(found.contains(&"A.b new D".to_owned()), "{found:?}");
}

proptest::proptest! {
    /// Symbols lie within the text, and parents come before their parts.
    #[test]
    fn any_text_is_read_without_a_panic(text in "(class|def|fn|func|const|impl|let|=>|[a-z{}*(),.:;='\"<> \n]){0,60}") {
        for path in ["a.ts", "a.tsx", "a.js", "a.py", "src/lib.rs", "a.go", "A.java"] {
            let found = outline(path, &text);
            for (index, symbol) in found.symbols.iter().enumerate() {
                proptest::prop_assert!(symbol.end.offset as usize <= text.len());
                proptest::prop_assert!(symbol.parent.is_none_or(|at| (at as usize) < index));
            }
            for at in &found.refs {
                proptest::prop_assert!(at.source.is_none_or(|at| (at as usize) < found.symbols.len()));
            }
        }
    }
}
