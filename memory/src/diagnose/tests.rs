//! Tests with error output of many languages, in the form in which their tools print it.

use super::*;
use proptest::prelude::*;
use std::fmt::Write as _;

/// The parsed output, as text.
fn render_trace(text: &str) -> String {
    let trace = read(text);
    let mut output = format!("{} | {}\n", trace.language.unwrap_or("?"), trace.raised.line());
    if let Some(cause) = &trace.cause {
        let _ = writeln!(output, "cause {}", cause.line());
    }
    for frame in &trace.frames {
        let number = |number: Option<u32>| number.map_or_else(String::new, |n| format!(":{n}"));
        let (line, column) = (number(frame.line), number(frame.column));
        let function = frame.function.as_deref().unwrap_or("-");
        let _ = writeln!(output, "{}{line}{column} {function}", frame.file);
    }
    output
}

pub(super) fn assert_trace(text: &str, expected: &str) {
    assert_eq!(render_trace(text), expected.trim_start(), "{text}");
}

#[test]
fn javascript_errors_are_parsed() {
    assert_trace(
        "/srv/app/src/user.js:41
    return user.id;
                ^

TypeError: Cannot read properties of undefined (reading 'id')
    at getUser (/srv/app/src/user.js:41:17)
    at async Promise.all (index 0)
    at async Object.<anonymous> (file:///srv/app/src/main.mjs:7:3)
    at new Cart (/srv/app/src/cart.js:3:9)
    at /srv/app/node_modules/express/lib/router.js:5:1
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5) {
  [cause]: Error: row is missing
      at load (/srv/app/src/db.js:9:11)
}

Node.js v22.1.0",
        "
javascript | TypeError: Cannot read properties of undefined (reading 'id')
cause Error: row is missing
/srv/app/src/db.js:9:11 load
/srv/app/src/user.js:41:17 getUser
file:///srv/app/src/main.mjs:7:3 Object.<anonymous>
/srv/app/src/cart.js:3:9 Cart
/srv/app/node_modules/express/lib/router.js:5:1 -
node:internal/process/task_queues:95:5 process.processTicksAndRejections
",
    );
    assert_trace(
        "Uncaught (in promise) ReferenceError: cart is not defined
render@http://localhost:5173/src/App.tsx?t=1:12:5
@http://localhost:5173/src/main.tsx:3:1",
        "
typescript | ReferenceError: cart is not defined
http://localhost:5173/src/App.tsx?t=1:12:5 render
http://localhost:5173/src/main.tsx:3:1 -
",
    );
}

#[test]
fn python_errors_are_parsed() {
    assert_trace(
        "Traceback (most recent call last):
  File \"/app/src/db.py\", line 12, in fetch
    return cache[key]
           ~~~~~^^^^^
KeyError: 'user:7'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"/app/main.py\", line 31, in <module>
    main()
  File \"/app/src/db.py\", line 14, in fetch
    raise LookupFailed(key) from None
app.errors.LookupFailed: no row for user:7",
        "
python | app.errors.LookupFailed: no row for user:7
cause KeyError: 'user:7'
/app/src/db.py:12 fetch
/app/src/db.py:14 fetch
/app/main.py:31 <module>
",
    );
    assert_trace(
        "Traceback (most recent call last):\n  File \"x.py\", line 3, in <module>\n    go()\nKeyboardInterrupt",
        "\npython | KeyboardInterrupt\nx.py:3 <module>\n",
    );
    assert_trace(
        "  File \"a.py\", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax",
        "\npython | SyntaxError: invalid syntax\na.py:2 -\n",
    );
    assert_trace(
        "    def test_total():
>       assert total([1]) == 2
E       AssertionError: assert 1 == 2
E        +  where 1 = total([1])

tests/test_cart.py:9: AssertionError",
        "\npython | AssertionError: assert 1 == 2\ntests/test_cart.py:9 -\n",
    );
}

#[test]
fn rust_errors_are_parsed() {
    assert_trace(
        "thread 'main' (4711) panicked at src/parse.rs:88:14:
called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:652:5
   1: app::parse::number
             at ./src/parse.rs:88:14
   2: app::main
             at ./src/main.rs:5:9
note: run with `RUST_BACKTRACE=full` for a verbose backtrace",
        "
rust | called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }
src/parse.rs:88:14 -
/rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:652:5 rust_begin_unwind
./src/parse.rs:88:14 app::parse::number
./src/main.rs:5:9 app::main
",
    );
    assert_trace(
        "thread 'tests::adds' panicked at 'assertion failed: x', src/lib.rs:3:5",
        "\nrust | assertion failed: x\nsrc/lib.rs:3:5 -\n",
    );
    assert_trace(
        "Error: cannot read the settings

Caused by:
    0: while opening /etc/app.toml
    1: No such file or directory (os error 2)",
        "
? | cannot read the settings
cause No such file or directory (os error 2)
"
        .replace('?', "rust")
        .as_str(),
    );
    assert_trace(
        "error[E0308]: mismatched types
  --> src/main.rs:4:18
   |
4  |     let n: u32 = \"4\";
   |                  ^^^ expected `u32`, found `&str`

error: could not compile `app` (bin \"app\") due to 1 previous error",
        "\nrust | E0308: mismatched types\nsrc/main.rs:4:18 -\n",
    );
}

#[test]
fn go_errors_are_parsed() {
    assert_trace(
        "panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48f0a2]

goroutine 34 [running]:
main.(*Server).handle(0xc0000b4000, {0x1, 0x2})
\t/home/a/app/server.go:52 +0x1d
net/http.HandlerFunc.ServeHTTP(0xc0?, {0x7?, 0xc1?}, 0x0?)
\t/usr/local/go/src/net/http/server.go:2136 +0x29
created by main.main in goroutine 1
\t/home/a/app/main.go:12 +0x8f
exit status 2",
        "
go | runtime error: invalid memory address or nil pointer dereference
/home/a/app/server.go:52 main.(*Server).handle
/usr/local/go/src/net/http/server.go:2136 net/http.HandlerFunc.ServeHTTP
/home/a/app/main.go:12 main.main
",
    );
    assert_trace(
        "# example.com/app\n./main.go:7:2: undefined: cart",
        "\ngo | undefined: cart\n./main.go:7:2 -\n",
    );
}

#[test]
fn java_and_kotlin_errors_are_parsed() {
    assert_trace(
        "Exception in thread \"main\" java.lang.IllegalStateException: cart is closed
\tat com.acme.shop.Cart.add(Cart.java:41)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
\tat com.acme.shop.MainKt.main(Main.kt)
\tat java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
Caused by: java.sql.SQLException: connection closed
\tat com.acme.shop.Db.query(Db.kt:17) ~[shop.jar:1.0]
\t... 3 more",
        "
java | java.lang.IllegalStateException: cart is closed
cause java.sql.SQLException: connection closed
Db.kt:17 com.acme.shop.Db.query
Cart.java:41 com.acme.shop.Cart.add
ArrayList.java:1511 java.util.ArrayList.forEach
",
    );
    assert_trace(
        "src/Cart.java:12: error: cannot find symbol\n    totl();\n    ^\n  symbol:   method totl()",
        "\njava | cannot find symbol\nsrc/Cart.java:12 -\n",
    );
    assert_trace(
        "e: file:///srv/app/src/Main.kt:4:9 Unresolved reference: foo",
        "\nkotlin | Unresolved reference: foo\n/srv/app/src/Main.kt:4:9 -\n",
    );
}

#[test]
fn csharp_errors_are_parsed() {
    assert_trace(
        "Unhandled exception. System.InvalidOperationException: the order has no lines
 ---> System.NullReferenceException: Object reference not set to an instance of an object.
   at Shop.Order.Total(Int32 rate) in C:\\src\\Shop\\Order.cs:line 23
   --- End of inner exception stack trace ---
   at Shop.Order.Close() in C:\\src\\Shop\\Order.cs:line 40
   at System.Linq.Enumerable.First[TSource](IEnumerable`1 source)",
        "
csharp | System.InvalidOperationException: the order has no lines
cause System.NullReferenceException: Object reference not set to an instance of an object.
C:\\src\\Shop\\Order.cs:23 Shop.Order.Total(Int32 rate)
C:\\src\\Shop\\Order.cs:40 Shop.Order.Close()
",
    );
    assert_trace(
        "Order.cs(23,9): error CS0103: The name 'rat' does not exist in the current context [Shop.csproj]",
        "
csharp | CS0103: The name 'rat' does not exist in the current context [Shop.csproj]
Order.cs:23:9 -
",
    );
}

#[test]
fn ruby_and_php_errors_are_parsed() {
    assert_trace(
        "app/cart.rb:12:in `total': undefined method `price' for nil:NilClass (NoMethodError)
\tfrom app/cart.rb:5:in 'block in close'
\tfrom /usr/lib/ruby/3.3.0/set.rb:501:in `each'
\tfrom bin/shop:3:in '<main>'",
        "
ruby | NoMethodError: undefined method `price' for nil:NilClass
app/cart.rb:12 total
app/cart.rb:5 block in close
/usr/lib/ruby/3.3.0/set.rb:501 each
bin/shop:3 <main>
",
    );
    assert_trace(
        "PHP Fatal error:  Uncaught App\\CartException: empty in /var/www/src/Cart.php:31
Stack trace:
#0 /var/www/src/Shop.php(12): App\\Cart->close()
#1 [internal function]: run()
#2 {main}
  thrown in /var/www/src/Cart.php on line 31",
        "
php | App\\CartException: empty
/var/www/src/Cart.php:31 -
/var/www/src/Shop.php:12 App\\Cart->close()
",
    );
}

#[test]
fn c_and_cpp_errors_are_parsed() {
    assert_trace(
        "=================================================================
==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x602 at pc 0x4f bp 0x7 sp 0x8
READ of size 4 at 0x602 thread T0
    #0 0x4f0a2b in sum /srv/sum/sum.c:14:9
    #1 0x4f0b00 in main /srv/sum/main.c:8
    #2 0x7f1c in __libc_start_main (/lib/libc.so.6+0x21b96)",
        "
c | AddressSanitizer: heap-use-after-free on address 0x602 at pc 0x4f bp 0x7 sp 0x8
/srv/sum/sum.c:14:9 sum
/srv/sum/main.c:8 main
",
    );
    assert_trace(
        "Program received signal SIGSEGV, Segmentation fault.
0x0000555555555131 in sum (n=3) at src/sum.cpp:14
#0  0x0000555555555131 in sum (n=3) at src/sum.cpp:14
#1  main () at src/main.cpp:8",
        "
cpp | SIGSEGV: Segmentation fault.
src/sum.cpp:14 sum
src/main.cpp:8 main
",
    );
    assert_trace(
        "src/a.c: In function 'main':\nsrc/a.c:4:5: error: 'x' undeclared (first use in this function)",
        "\nc | 'x' undeclared (first use in this function)\nsrc/a.c:4:5 -\n",
    );
    assert_trace(
        "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::at",
        "\nc | std::out_of_range: vector::at\n",
    );
}

#[test]
fn elixir_swift_and_dart_errors_are_parsed() {
    assert_trace(
        "** (FunctionClauseError) no function clause matching in Shop.Cart.total/1
    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total(nil)
    (elixir 1.16.0) lib/enum.ex:987: Enum.\"-each/2-lists^foreach/1-0-\"/2",
        "
elixir | FunctionClauseError: no function clause matching in Shop.Cart.total/1
lib/shop/cart.ex:12 Shop.Cart.total(nil)
lib/enum.ex:987 Enum.\"-each/2-lists^foreach/1-0-\"/2
",
    );
    assert_trace(
        "Shop/Cart.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value
0 [ra] 0x000000010 Cart.total() + 40 in shop at /srv/Shop/Cart.swift:12:20
#1 0x00005 in main at /srv/Shop/main.swift:3:1",
        "
swift | Fatal error: Unexpectedly found nil while unwrapping an Optional value
Shop/Cart.swift:12 -
/srv/Shop/Cart.swift:12:20 Cart.total()
/srv/Shop/main.swift:3:1 main
",
    );
    assert_trace(
        "Unhandled exception:
type 'Null' is not a subtype of type 'int' in type cast
#0      Cart.total (package:shop/cart.dart:12:20)
#1      main (file:///srv/bin/main.dart:3:1)
#2      _startIsolate (dart:isolate-patch/isolate_patch.dart:301:19)",
        "
dart | type 'Null' is not a subtype of type 'int' in type cast
package:shop/cart.dart:12:20 Cart.total
file:///srv/bin/main.dart:3:1 main
dart:isolate-patch/isolate_patch.dart:301:19 _startIsolate
",
    );
}

#[test]
fn typescript_lua_perl_and_unknown_errors_are_parsed() {
    assert_trace(
        "src/a.ts(4,5): error TS2322: Type 'string' is not assignable to type 'number'.",
        "\ntypescript | TS2322: Type 'string' is not assignable to type 'number'.\nsrc/a.ts:4:5 -\n",
    );
    assert_trace(
        "\u{1b}[96msrc/a.tsx\u{1b}[0m:4:5 - \u{1b}[91merror\u{1b}[0m TS2304: Cannot find name 'x'.",
        "\ntypescript | TS2304: Cannot find name 'x'.\nsrc/a.tsx:4:5 -\n",
    );
    assert_trace(
        "lua: cart.lua:3: attempt to index a nil value (local 'x')\nstack traceback:\n\tcart.lua:3: in function 'total'",
        "\nlua | attempt to index a nil value (local 'x')\ncart.lua:3 -\n",
    );
    assert_trace(
        "Can't locate Foo.pm in @INC at a.pl line 3.",
        "\nperl | Can't locate Foo.pm in @INC\na.pl:3 -\n",
    );
    assert_trace("something went wrong\nreally", "\n? | something went wrong\n");
}

#[test]
fn timestamps_and_service_names_of_logs_are_skipped() {
    assert_trace(
        "2026-01-05T10:00:00.1234567Z TypeError: x is not a function
2026-01-05T10:00:00.1234567Z     at go (/srv/a.js:1:2)",
        "\njavascript | TypeError: x is not a function\n/srv/a.js:1:2 go\n",
    );
    assert_trace(
        "web-1  | Traceback (most recent call last):
web-1  |   File \"/app/a.py\", line 1, in go
web-1  | ValueError: x",
        "\npython | ValueError: x\n/app/a.py:1 go\n",
    );
}

#[test]
fn hostile_text_is_read_in_linear_time() {
    let start = std::time::Instant::now();
    let units = "at (|\n    at a (b:1:1)|File \"|** (|:in `|#0 |\u{1b}[|\u{1b}]|x: |\r|\n ❯ a.b:1:1\
        |a.b:1 |\nError: a.b (1:1)|\n● x\n|'|error: ";
    for unit in units.split('|') {
        let text = unit.repeat((4 << 20) / unit.len());
        let trace = read(&text);
        assert!(trace.is_truncated && trace.frames.len() <= 200);
    }
    // 64 MB of input, of which 4 MB are read; a backtracking pattern would take minutes.
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn arbitrary_text_is_parsed(
        parts in proptest::collection::vec(
            prop_oneof![
                ".{0,12}",
                Just("    at f (a.js:1:2)\n".to_owned()),
                Just("Traceback (most recent call last):\n".to_owned()),
                Just("  File \"a.py\", line 1, in f\n".to_owned()),
                Just("Caused by:\n".to_owned()),
                Just("Caused by: a.B: c\n".to_owned()),
                Just("thread 'main' panicked at a.rs:1:2:\n".to_owned()),
                Just("Unhandled exception:\n".to_owned()),
                Just("\u{1b}[31m 인증 é\n".to_owned()),
                Just("main.f(0x1)\n\ta.go:99999999999\n".to_owned()),
                Just("  what():  \n".to_owned()),
                Just("A: b ---> C: d ---> E\n".to_owned()),
            ],
            0..24,
        )
    ) {
        let text = parts.concat();
        let trace = read(&text);
        prop_assert!(!trace.is_truncated);
        prop_assert!(trace.frames.iter().all(|frame| text.contains(&frame.file)));
        prop_assert!(category::classify(&trace.raised.line()).confidence <= 0.9);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test makes files")]
fn known_mistakes_are_ranked_by_similarity() {
    use crate::kinds::Observation;
    use crate::tests::{mistake, new_session, on_both_stores};
    on_both_stores(|root, memory| {
        std::fs::create_dir_all(root.join("src")).expect("made");
        std::fs::write(root.join("src/user.ts"), "").expect("written");
        let id = |memory: &mut ProjectMemory, error: &str, fix: &str| {
            memory.save_mistake(&mistake(error, fix)).expect("saved").id
        };
        let same = "TypeError: Cannot read properties of undefined (reading 'id')
    at getUser (/srv/app/src/user.ts:12:7)";
        let same = id(memory, same, "check for undefined");
        let near = "TypeError: Cannot read properties of undefined (reading 'name')";
        let near = id(memory, near, "give it a default");
        id(memory, "Error: connect ECONNREFUSED 127.0.0.1:5432", "start the database first");
        id(memory, "ModuleNotFoundError: No module named 'redis'", "add it to the extras");
        let reported = id(memory, "The users page is blank on Safari", "rotate the refresh token");
        let session = memory.start_session(new_session("main")).expect("a session").id;
        let body = Observation {
            narrative: Some("the pool was closed".into()),
            files_modified: vec!["src/user.ts".into()],
            ..Observation::default()
        };
        let title = "Error: pool is closed, cannot use it";
        let observed = memory.observe(&session, Kind::Mistake, title, &body).expect("observed");

        let trace = "TypeError: Cannot read properties of undefined (reading 'id')
    at getUser (/home/runner/work/app/app/src/user.ts:44:9)
    at next (/home/runner/work/app/app/node_modules/express/lib/router.js:5:1)";
        let found = memory.diagnose(trace, 0.3, 5).expect("diagnosed");
        let ids: Vec<&str> = found.matches.iter().map(|known| &*known.id).collect();
        assert_eq!(ids, [&same, &near], "{:?}", found.matches);
        assert_eq!((found.matched, found.known), (2, 6));
        assert_eq!(
            (found.matches[0].similarity, &*found.matches[0].fix),
            (1.0, "check for undefined")
        );
        assert_eq!(found.matches[0].files, ["src/user.ts"]);
        assert!(found.matches[1].similarity < 1.0 && found.matches[1].similarity > 0.3);
        assert_eq!(
            found.primary.and_then(|frame| frame.project_path).as_deref(),
            Some("src/user.ts")
        );
        assert_eq!(found.category.name, "type");
        assert_eq!(memory.diagnose(trace, 0.3, 1).expect("diagnosed").matches.len(), 1);

        let pool = memory.diagnose("Error: pool is closed\n    at run (src/user.ts:1:1)", 0.3, 5);
        let pool = pool.expect("diagnosed").matches;
        assert_eq!((&*pool[0].id, &*pool[0].fix), (&*observed, "the pool was closed"));
        let other = memory.diagnose("Error: refresh token rotate", 0.3, 5).expect("diagnosed");
        assert_eq!(other.matches.first().map(|known| &*known.id), Some(&*reported));
        let none = memory.diagnose("segmentation fault in libfoo", 0.3, 5).expect("diagnosed");
        assert_eq!((none.matches.len(), none.known), (0, 6));
        assert!(memory.diagnose(" \n", 0.3, 5).is_err());
    });
}
