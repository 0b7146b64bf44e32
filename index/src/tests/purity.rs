//! The effects of functions.

use super::{dump, dump_fresh, project, update, write};
use crate::purity::{functions_in, guess_language};
use crate::query::Reader;

/// The level and the effects of the functions of a text.
fn levels(language: &str, text: &str) -> String {
    let functions = functions_in(language, text).expect("a supported language");
    let lines = functions.iter().map(|function| {
        let effects = function.side_effects.iter();
        let effects = effects.map(|effect| format!(" {}:{}", effect.effect, effect.line));
        format!("{} {}{}", function.function, function.purity_level, effects.collect::<String>())
    });
    lines.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_change_of_a_local_value_is_no_effect_and_a_change_of_a_parameter_is_one() {
    let text = "def f(xs):\n    ys = list(xs)\n    ys.append(1)\n    return ys\n\ndef g(xs):\n    xs.append(1)\n\ndef h():\n    ys = []\n    g(ys)\n    return ys\n\ndef i(xs):\n    g(xs)\n";
    assert_eq!(
        levels("python", text),
        "f pure, g effectful mutation:7, h pure, i effectful mutation:15"
    );
    let text = "export function f(xs: number[]) { const ys = [...xs]; ys.push(1); return ys; }\nexport function g(xs: number[]) { xs.push(1); }\n";
    assert_eq!(levels("typescript", text), "f pure, g effectful mutation:2");
    let text = "package a\n\nfunc f(xs []int) []int {\n\tys := append([]int(nil), xs...)\n\tys[0] = 1\n\treturn ys\n}\n\nfunc g(xs []int) {\n\txs[0] = 1\n}\n";
    assert_eq!(levels("go", text), "f pure, g effectful mutation:10");
    let text = "fn f(xs: &[u8]) -> Vec<u8> {\n    let mut ys = xs.to_vec();\n    ys.push(1);\n    ys\n}\nfn g(xs: &mut Vec<u8>) {\n    xs.push(1);\n}\n";
    assert_eq!(levels("rust", text), "f pure, g effectful mutation:7");
}

#[test]
fn a_value_that_is_stored_in_a_local_container_is_still_the_value_of_the_caller() {
    let text = "export function f(items: Item[]) {\n  const all = new Map<string, Item>();\n  for (const item of items) {\n    const seen = all.get(item.key);\n    if (seen) seen.count += 1;\n    else all.set(item.key, item);\n  }\n}\n";
    assert_eq!(levels("typescript", text), "f effectful mutation:5");
}

#[test]
fn calls_that_are_not_known_make_a_function_unknown_unless_it_has_an_effect() {
    let text = "import box\n\ndef f(x):\n    return box.open(x)\n\ndef g(x):\n    print(x)\n    return box.open(x)\n\ndef h(f, x):\n    return f(x)\n\ndef i(x):\n    return h(lambda y: y + 1, x)\n\ndef j(x):\n    return h(g, x)\n";
    assert_eq!(
        levels("python", text),
        "f unknown unknown:4, g effectful io:7, h unknown unknown:11, i pure, j effectful io:17"
    );
}

#[test]
fn the_language_of_code_is_guessed() {
    for (language, text) in [
        ("python", "def f(x):\n    return x\n"),
        ("typescript", "const f = (x: number): number => x;\n"),
        ("typescript", "function f(x) { return x }\n"),
        ("rust", "fn f(x: u8) -> u8 { x }\n"),
        ("go", "package a\n\nfunc f(x int) int { return x }\n"),
    ] {
        assert_eq!(guess_language(text), Some(language), "{text}");
    }
    assert_eq!(guess_language("1 + 1"), None);
}

#[test]
fn an_effect_is_listed_with_the_calls_that_lead_to_it() {
    let dir = project(&[
        ("a.py", "from b import save\n\ndef run(x):\n    return save(x)\n"),
        (
            "b.py",
            "def save(x):\n    return write(x)\n\ndef write(x):\n    print(x)\n    return open(x)\n",
        ),
    ]);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    let symbol = reader.named("run").expect("read").remove(0);
    let purity = reader.purity(symbol.id).expect("read").expect("a function");
    assert_eq!(purity.level, "effectful");
    let lines: Vec<String> =
        purity.effects.iter().map(crate::query::EffectChain::display).collect();
    // Opening a file is more important than the message.
    assert_eq!(lines, ["io: save (a.py:4) → write (b.py:2) → open (b.py:6)"]);
    assert_eq!(purity.effects[0].short().as_deref(), Some("io 4 (save → open)"));
}

#[test]
fn an_effect_that_is_removed_disappears_from_all_callers_also_in_cycles() {
    let dir = project(&[
        ("a.py", "from b import g\n\ndef f(x):\n    print(x)\n    return g(x)\n"),
        ("b.py", "from a import f\n\ndef g(x):\n    return f(x) if x else x\n"),
        ("c.py", "from b import g\n\ndef h(x):\n    return g(x)\n"),
    ]);
    update(dir.path());
    write(dir.path(), "a.py", "from b import g\n\ndef f(x):\n    return g(x)\n");
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    for name in ["f", "g", "h"] {
        let symbol = reader.named(name).expect("read").remove(0);
        assert_eq!(reader.purity(symbol.id).expect("read").expect("a function").level, "pure");
    }
    assert_eq!(dump(dir.path()), {
        let copy = project(&[]);
        for path in ["a.py", "b.py", "c.py"] {
            let text = std::fs::read_to_string(dir.path().join(path)).expect("a file");
            write(copy.path(), path, &text);
        }
        update(copy.path());
        dump(copy.path())
    });
    write(
        dir.path(),
        "c.py",
        "from b import g\nimport time\n\ndef h(x):\n    return g(time.time())\n",
    );
    update(dir.path());
    let edited = dump(dir.path());
    assert_eq!(edited, dump_fresh(dir.path()));
}
