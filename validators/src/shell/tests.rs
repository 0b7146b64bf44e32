use super::*;

fn script(text: &str) -> Script {
    Script::parse(&ShellText::new(text, &Span::new), &mut TIME_LIMIT.clone())
}

fn parse_with_tree(text: &str) -> Script {
    tree::parse(&ShellText::new(text, &Span::new), &mut TIME_LIMIT.clone())
}

/// Renders one line per command: scope, join, assignments, words, redirections.
fn outline(script: &Script) -> String {
    let mut out = String::new();
    for command in &script.commands {
        let scope = &script.scopes[command.scope];
        let kind = if scope.kind == ScopeKind::Script {
            String::new()
        } else {
            format!("{:?}/", scope.kind)
        };
        out += &format!("{kind}{:?}", command.before);
        for word in &command.assignments {
            out += &format!(" {}", word.text());
        }
        for word in &command.words {
            let mark = if word.is_literal() { "" } else { "$" };
            out += &format!(" {mark}[{}]", word.text());
        }
        for redirect in &command.redirects {
            let target = redirect.target.as_ref().map_or("", |word| word.text());
            out += &format!(" {}{target}", redirect.operator);
        }
        out.push('\n');
    }
    for fault in &script.faults {
        out += &format!("fault {}..{} {}\n", fault.span.start, fault.span.end, fault.message);
    }
    out
}

fn check(text: &str, expected: &str) {
    let expected: String =
        expected.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(outline(&script(text)), expected, "{text}");
}

#[test]
fn plain_commands_are_joined_by_operators() {
    check(
        "apt-get update && apt-get install -y 'curl' \"wget\" ; rm -rf /x || true | cat & ls",
        "Start [apt-get] [update]
         And [apt-get] [install] [-y] [curl] [wget]
         Then [rm] [-rf] [/x]
         Or [true]
         Pipe [cat]
         Background [ls]",
    );
    check("a # && b\nc", "Start [a]\nThen [c]");
    check("a &&\n\n b", "Start [a]\nAnd [b]");
    check("a \\\n b", "Start [a] [b]");
    check("", "");
}

#[test]
fn words_are_resolved() {
    check(r#"a b\ c"d $e 'f'"'g"h'"#, r#"Start [a] $[b cd $e 'f'g"h]"#);
    check(r#"pip install "x>=1" y==2 'z<3'"#, "Start [pip] [install] [x>=1] [y==2] [z<3]");
    check(
        "a ${b:-c d} $1x $(e f) `g` $((1 + 2))",
        "Start [a] $[${b:-c d}] $[$1x] $[$(e f)] $[`g`] $[$((1 + 2))]\nSubstitution/Start [e] [f]\nSubstitution/Start [g]",
    );
    check("a $ b$", "Start [a] [$] [b$]");
}

#[test]
fn expansions_have_positions() {
    let text = r#"rm "$a"/$b ${c%x} "$(d)" ${#e}"#;
    let script = script(text);
    let all: Vec<_> = script.commands[0]
        .words
        .iter()
        .flat_map(|word| &word.expansions)
        .map(|it| (&text[it.span.range()], it.quoted, it.kind.clone()))
        .collect();
    let parameter = |name: &str| ExpansionKind::Parameter(name.into());
    assert_eq!(
        all,
        [
            ("$a", true, parameter("a")),
            ("$b", false, parameter("b")),
            ("${c%x}", false, parameter("c")),
            ("$(d)", true, ExpansionKind::Command),
            ("${#e}", false, parameter("#e")),
        ]
    );
}

#[test]
fn assignments_and_redirections_are_parsed() {
    check(
        "A=1 B=\"$x\" make > /dev/null 2>&1 <in; C=2; 3>x d &> e >>f",
        "Start A=1 B=$x [make] >/dev/null >&1 <in
         Then C=2
         Then [d] >x &>e >>f",
    );
    check("cat <<EOF > x\nrm -rf /\nEOF\nls", "Start [cat] <<EOF >x\nThen [ls]");
    check("python3 <<EOF", "Start [python3] <<EOF");
}

#[test]
fn compound_commands_are_flattened() {
    check(
        "set -e; if [ -n \"$a\" ]; then cd /x && make; else true; fi; for f in *.c; do cc $f | cat; done",
        "Start [set] [-e]
         If/Start [[] [-n] $[$a] []]
         If/Then [cd] [/x]
         If/And [make]
         If/Then [true]
         Loop/Start [cc] $[$f]
         Loop/Pipe [cat]",
    );
    check(
        "( cd x && a ) || { b; } && c",
        "Subshell/Start [cd] [x]\nSubshell/And [a]\nGroup/Start [b]\nAnd [c]",
    );
    check(
        "case $x in a|b) c ;; *) d; e ;; esac; f",
        "Case/Start [c]\nCase/Then [d]\nCase/Then [e]\nThen [f]",
    );
    check("f() { g; }; f", "Group/Start [g]\nThen [f]");
    check(
        "while read -r x; do echo $x; done < in",
        "Loop/Start [read] [-r] [x]\nLoop/Then [echo] $[$x]",
    );
    check(
        "export A=$(b c) && [[ a == b && c ]] && d",
        "Start [export] $[A=$(b c)]\nSubstitution/Start [b] [c]\nAnd [[[] [a] [==] [b] [&&] [c] []]]\nAnd [d]",
    );
}

#[test]
fn unambiguous_syntax_errors_are_reported() {
    check("a && && b", "Start [a]\nAnd [b]\nfault 2..4 `&&` has no command after it");
    check("a &&", "Start [a]\nfault 2..4 `&&` has no command after it");
    check("&& a", "And [a]\nfault 0..2 `&&` has no command before it");
    check("echo \"a", "Start [echo] [a]\nfault 5..6 `\"` is never closed");
    let faults =
        |text: &str| script(text).faults.into_iter().map(|it| it.message).collect::<Vec<_>>();
    assert_eq!(faults("if a; then b; "), ["`if` is never closed by `fi`"]);
    assert_eq!(faults("for a in b; do if c; then d; fi done"), [""; 0]);
    assert_eq!(faults("for a in b; do c; fi"), ["`fi` appears where `for` is still open"]);
    assert_eq!(faults("(a && b"), ["`(` is never closed by `)`"]);
    assert_eq!(faults("a && b )"), ["`)` is unmatched"]);
    assert_eq!(faults("while a; b; done"), ["`while` has no `do`"]);
    assert_eq!(faults("if a then b; fi"), ["`if` has no `then`"]);
    assert_eq!(faults("a; done"), ["`done` is unmatched"]);
    for valid in [
        "if a; then b; fi",
        "case a in (b) c;; d) e;; done|fi) f;; esac",
        "for a do b; done",
        "for a in b; do if c; then d; else e; fi; done | while f; do g; done",
        "f() { a; }; g() ( b ); { c; } 2>&1; echo if done } fi",
        "a=$(case b in c) d;; esac)",
        "[ a ] && ! { b; }",
        "(case a in\n b) c;;\n esac)",
    ] {
        assert_eq!(faults(valid), [""; 0], "{valid}");
    }
}

#[test]
fn both_parsers_agree() {
    for text in [
        "apt-get update && apt-get install -y 'curl' \"wget\" ; rm -rf /x || true | cat & ls",
        "A=1 B=\"$x\" make > /dev/null 2>&1 <in; C=2 D=3; d &> e >>f",
        r#"echo "a $(b "c d" | e) f" | g -x `h`"#,
        "set -eux; x=\"$(dpkg --print-architecture | awk -F- '{ print $NF }')\"; export Y=$x",
        "! a && b\nc\n# d\ne",
        "find / -exec rm '{}' ';' -o -name \\; && echo {} {a,b}",
        "curl -sSL https://x/y?z=1 | tar -xzC /opt --strip-components=1",
        "[ -z \"$a\" ] || apt-mark manual $a > /dev/null",
    ] {
        assert_eq!(outline(&script(text)), outline(&parse_with_tree(text)), "{text}");
    }
}

#[test]
fn the_next_join_skips_inner_scopes() {
    let script = script("cd $(a; b) || exit; (c); d && { e; }");
    let after = |name: &str| {
        let index = script.commands.iter().position(|it| it.program() == name);
        script.join_after(index.expect("present"))
    };
    assert_eq!(after("cd"), Some(Join::Or));
    assert_eq!(after("a"), Some(Join::Then));
    assert_eq!(after("exit"), Some(Join::Then));
    assert_eq!(after("d"), Some(Join::And));
    assert_eq!(after("e"), None);
}

#[test]
fn hostile_text_does_not_panic() {
    for text in
        ["$(", "`", "${", "$((", "\\", "'", "\"$(", "a<", "<<", "\u{FEFF}é$é", "$(((((", "case"]
    {
        let _ = (script(text), parse_with_tree(text));
    }
    let deep = "$(a ".repeat(3000);
    let _ = (script(&deep), parse_with_tree(&"(".repeat(5000)));
    let _ = parse_with_tree(&"if a; then ".repeat(3000));
}

proptest::proptest! {
    #[test]
    fn any_text_is_parsed_without_panic(text in "[ab $(){}\"'`;|&<>\n\\\\=#\\[\\]!é-]{0,40}") {
        for script in [script(&text), parse_with_tree(&text)] {
            for command in &script.commands {
                proptest::prop_assert!(command.span.end as usize <= text.len());
                proptest::prop_assert!(command.scope < script.scopes.len());
            }
        }
    }
}
