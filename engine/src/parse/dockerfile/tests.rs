use super::*;
use proptest::prelude::*;

fn text_of(text: &str, span: Span) -> &str {
    &text[span.range()]
}

fn kinds(file: &Dockerfile) -> Vec<Keyword> {
    file.instructions.iter().map(|instruction| instruction.kind).collect()
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| &*word.text).collect()
}

fn problems(text: &str) -> Vec<String> {
    let file = parse(text);
    file.problems.iter().map(|p| format!("{} {}", text_of(text, p.span), p.message)).collect()
}

#[test]
fn continuations_are_removed_and_mapped_back() {
    let text = "RUN a \\\n  # note\n\n  b \\  \n c\nCMD x";
    let file = parse(text);
    let run = &file.instructions[0];
    assert_eq!(run.argument(), "a   b  c");
    let at = run.argument().find('b').expect("present");
    assert_eq!(text_of(text, run.span_of(at..at + 1)), "b");
    assert_eq!(text_of(text, run.span), "RUN a \\\n  # note\n\n  b \\  \n c");
    assert_eq!(run.blanks.len(), 1);
    assert_eq!(file.comments[0].within, Some(0));
    assert_eq!(text_of(text, file.comments[0].span), "# note");
    assert_eq!(kinds(&file), [Keyword::Run, Keyword::Cmd]);
}

#[test]
fn directives_end_at_the_first_other_line() {
    let text = "# syntax=docker/dockerfile:1\n#escape=`\n# check = skip=A,B;error=true\n# note\n# check=x\nFROM a\nRUN a `\n b";
    let file = parse(text);
    let names: Vec<_> = file.directives.iter().map(|d| (&*d.name, &*d.text)).collect();
    assert_eq!(
        names,
        [("syntax", "docker/dockerfile:1"), ("escape", "`"), ("check", "skip=A,B;error=true")]
    );
    assert_eq!(file.instructions[1].argument(), "a  b");
    assert_eq!(file.comments.len(), 2);
}

#[test]
fn flags_words_and_stages_are_parsed() {
    let text = "FROM --platform=linux/arm64 ghcr.io/a/b:1 AS Base\nFROM base as two\nCOPY --from=base --chown=\"a b\" [\"x y\", \"/z\"]\nCOPY a b/ c/";
    let file = parse(text);
    assert_eq!(file.stages.len(), 2);
    assert_eq!(file.stages[1].base, Some(0));
    assert_eq!(file.stages[0].name.as_ref().map(|name| &*name.text), Some("Base"));
    assert_eq!(file.instructions[0].flags[0].text(), "linux/arm64");
    let copy = &file.instructions[2];
    assert!(copy.json);
    assert_eq!(copy.flag("chown").map(Flag::text), Some("a b"));
    assert_eq!(texts(&copy.words), ["x y", "/z"]);
    assert_eq!(text_of(text, copy.words[0].span), "\"x y\"");
    assert_eq!(texts(&file.instructions[3].words), ["a", "b/", "c/"]);
    assert_eq!(file.instructions[3].stage, Some(1));
}

#[test]
fn pairs_of_env_label_and_arg_are_parsed() {
    let text = "ARG A B=\"x y\"\nENV one two  three \nENV a=1 b='2 3' c=\"4\\\" 5\"\\\n d=e\\ f\n";
    let file = parse(text);
    let pairs = |at: usize| -> Vec<(&str, Option<&str>)> {
        let pair = |pair| {
            let Pair { key, value, .. }: &Pair = pair;
            (&*key.text, value.as_ref().map(|value| &*value.text))
        };
        file.instructions[at].pairs.iter().map(pair).collect()
    };
    assert_eq!(pairs(0), [("A", None), ("B", Some("x y"))]);
    assert_eq!(pairs(1), [("one", Some("two  three"))]);
    assert!(file.instructions[1].pairs[0].legacy);
    let expected = [("a", Some("1")), ("b", Some("2 3")), ("c", Some("4\" 5")), ("d", Some("e f"))];
    assert_eq!(pairs(2), expected);
    assert_eq!(file.problems, []);
}

#[test]
fn heredoc_bodies_are_the_lines_after_the_instruction() {
    let text = "RUN <<EOF cat > /x && <<-\"B\" sh\n#!/usr/bin/env python\nFROM x\nEOF\n\techo\n\tB\nCOPY <<a <<b /dst/\n1\na\n2\nb\nCMD x";
    let file = parse(text);
    assert_eq!(kinds(&file), [Keyword::Run, Keyword::Copy, Keyword::Cmd]);
    let [first, second] = &*file.instructions[0].heredocs else { panic!("two heredocs") };
    assert_eq!(text_of(text, first.body), "#!/usr/bin/env python\nFROM x\n");
    assert_eq!(first.shebang.map(|span| text_of(text, span)), Some("#!/usr/bin/env python"));
    assert_eq!((first.quoted, first.strip_tabs), (false, false));
    assert_eq!(text_of(text, second.body), "\techo\n");
    assert_eq!((second.quoted, second.strip_tabs, &*second.name), (true, true, "B"));
    let copy = &file.instructions[1];
    assert_eq!(copy.heredoc(&copy.words[1]).map(|h| text_of(text, h.body)), Some("2\n"));
    assert_eq!(file.problems, []);
}

#[test]
fn an_unclosed_heredoc_does_not_hide_instructions() {
    assert_eq!(
        problems("FROM a\nRUN cat <<EOF\nUSER x\n"),
        ["<<EOF heredoc is never closed by a line `EOF`"]
    );
    let file = parse("FROM a\nRUN cat <<EOF>/x\ntext\nEOF\nUSER x\n");
    assert_eq!(file.instructions.len(), 3);
    assert_eq!(file.problems, []);
}

#[test]
fn onbuild_and_healthcheck_contain_an_instruction() {
    let text = "FROM a\nSHELL [\"bash\", \"-c\"]\nONBUILD COPY <<E /x\nin\nE\nHEALTHCHECK --interval=5s CMD [\"a\"]\nHEALTHCHECK NONE\nFROM b";
    let file = parse(text);
    let copy = file.instructions[2].inner.as_deref().expect("an instruction");
    assert_eq!((copy.kind, copy.heredocs.len(), copy.shell), (Keyword::Copy, 1, Some(1)));
    let cmd = file.instructions[3].inner.as_deref().expect("a command");
    assert_eq!((cmd.kind, texts(&cmd.words)), (Keyword::Cmd, vec!["a"]));
    assert!(file.instructions[4].inner.is_none());
    assert_eq!(file.instructions[5].shell, None);
    assert_eq!(file.problems, []);
}

#[test]
fn template_lines_are_not_parsed() {
    let text = "{{\n  def x: 1;\n-}}\nFROM a\n{{ if x then ( -}}\nRUN set -e; \\\n{{ if y -}}\n\tapk add b; \\\n{{ end -}}\n\ttrue\n{{ ) end -}}\n<% if z %>\nUSER {{ .User }}\ninclude(`x')\n";
    let file = parse(text);
    assert!(file.template);
    assert_eq!(kinds(&file), [Keyword::From, Keyword::Run, Keyword::User]);
    assert_eq!(file.instructions[1].argument(), "set -e; \tapk add b; \ttrue");
    assert_eq!(file.problems, []);
    let copy = parse("COPY --from={{ a b }} x{{ y }} <% z %>/ {{ w\n");
    assert_eq!(texts(&copy.instructions[0].words), ["x{{ y }}", "<% z %>/", "{{", "w"]);
}

#[test]
fn problems_are_reported_and_the_rest_is_parsed() {
    assert_eq!(
        problems("FORM a\nCOPY a\nUSER x"),
        ["FORM unknown instruction `FORM`", "a COPY requires a source and a destination"]
    );
    assert_eq!(problems("FROM a\nRUN b\n  c d\n  e f\nUSER x\n"), ["c unknown instruction `c`"]);
    assert_eq!(
        problems("FROM a b\nENV a=\"x b\nCOPY --form=a b c\nEXPOSE\n"),
        [
            "a b FROM requires an image, or `image AS name`",
            "\" unclosed \"",
            "--form=a COPY has no flag --form",
            "EXPOSE EXPOSE has no argument",
        ]
    );
}

#[test]
fn variables_are_resolved_across_stages() {
    let text = "ARG V=1\nFROM a:$V AS x\nARG V\nARG W=2\nENV E=3\nFROM x\nRUN y";
    let file = parse(text);
    let seen: Vec<_> = file.variables_at(6).iter().map(|v| (v.name, v.origin, v.value)).collect();
    assert_eq!(
        seen,
        [
            ("V", Origin::Arg, Some("1")),
            ("W", Origin::Arg, Some("2")),
            ("E", Origin::Env, Some("3"))
        ]
    );
    let global: Vec<_> = file.variables_at(1).iter().map(|v| (v.name, v.origin)).collect();
    assert_eq!(global, [("V", Origin::Global)]);
}

#[test]
fn variables_in_a_word_are_found() {
    let raw = "a$B'$C'\"$D\"\\$E${F:-x$G}${H}$1$";
    let found = uses(raw, Escape::default());
    let found: Vec<_> = found.iter().map(|u| (&*u.name, &raw[u.at.clone()], u.operator)).collect();
    assert_eq!(
        found,
        [
            ("B", "$B", ""),
            ("D", "$D", ""),
            ("F", "${F:-x$G}", ":-"),
            ("G", "$G", ""),
            ("H", "${H}", "")
        ]
    );
}

#[test]
fn image_names_are_parsed() {
    let parts = |text| {
        let image::Image { registry, name, tag, digest } = image::parse(text);
        (registry, name, tag, digest)
    };
    assert_eq!(parts("debian"), (None, "debian", None, None));
    assert_eq!(
        parts("h:5000/a/b:1@sha256:0"),
        (Some("h:5000"), "a/b", Some("1"), Some("sha256:0"))
    );
    assert_eq!(parts("a/b:${V:-1}"), (None, "a/b", Some("${V:-1}"), None));
    assert_eq!(parts("${R:-x.y}/b"), (None, "${R:-x.y}/b", None, None));
    assert_eq!(parts("localhost/b"), (Some("localhost"), "b", None, None));
}

/// All spans of the file, to check that they are within the text.
fn spans(file: &Dockerfile) -> Vec<Span> {
    let mut spans: Vec<Span> = file.comments.iter().map(|comment| comment.span).collect();
    spans.extend(file.problems.iter().map(|problem| problem.span));
    spans.extend(file.directives.iter().flat_map(|d| [d.span, d.value]));
    let mut pending: Vec<&Instruction> = file.instructions.iter().collect();
    while let Some(instruction) = pending.pop() {
        spans.extend([instruction.keyword, instruction.span, instruction.argument_span()]);
        spans.extend(instruction.words.iter().map(|word| word.span));
        spans.extend(instruction.flags.iter().map(|flag| flag.span));
        spans.extend(instruction.pairs.iter().map(|pair| pair.key.span));
        spans.extend(instruction.heredocs.iter().flat_map(|h| [h.opener, h.body, h.end]));
        pending.extend(instruction.inner.as_deref());
    }
    spans
}

fn assert_lossless(text: &str) {
    let file = parse(text);
    let mut end = 0;
    for piece in &file.pieces {
        assert_eq!(piece.span.start as usize, end, "pieces are contiguous: {text:?}");
        assert!(!piece.span.is_empty());
        end = piece.span.end as usize;
    }
    assert_eq!(end, text.len(), "pieces cover the whole text: {text:?}");
    for span in spans(&file) {
        assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
    }
    for instruction in &file.instructions {
        for (at, c) in instruction.logical.text().char_indices() {
            let source_offset = instruction.logical.offset(at);
            assert!(
                text[source_offset..].starts_with(c),
                "each character maps to its offset in the source: {text:?}"
            );
        }
    }
    for at in 0..file.instructions.len().min(50) {
        assert!(file.variables_at(at).len() <= text.len());
    }
}

#[test]
fn long_files_are_truncated() {
    let text = "RUN a\n".repeat(MAX_INSTRUCTIONS + 2);
    let file = parse(&text);
    assert_eq!(file.instructions.len(), MAX_INSTRUCTIONS);
    assert_eq!(file.problems.len(), 1);
    assert_lossless(&text);
}

#[test]
fn malformed_texts_are_parsed_without_loss() {
    for text in [
        "",
        "\n",
        "\u{FEFF}",
        "\u{FEFF}FROM a",
        "RUN \\",
        "RUN \\\n",
        "RUN a\\\r\n\r\n b",
        "ONBUILD ONBUILD ONBUILD ONBUILD",
        "COPY --\\\n",
        "FROM",
        "é \\\n😀",
        "{{",
        "{{ \n}}x",
        "# escape=x\nRUN <<A <<B\nB\nA\n",
        "ENV \\",
        "CMD [\"\\u12é\"]",
        "\\\nFROM a",
    ] {
        assert_lossless(text);
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_loss(text in any::<String>()) {
        assert_lossless(&text);
    }

    #[test]
    fn any_dockerfile_is_parsed_without_loss(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("FROM "), Just("RUN "), Just("COPY "), Just("ENV "), Just("ARG "), Just("ONBUILD "),
                Just("HEALTHCHECK "), Just("CMD "), Just("\n"), Just("\r\n"), Just("\\\n"), Just("\\"),
                Just("# c"), Just("# escape=`\n"), Just("`\n"), Just("<<EOF"), Just("<<-'A'"), Just("EOF"),
                Just("\n\tA\n"), Just("--from="), Just("--"), Just(" "), Just("\t"), Just("\""), Just("'"),
                Just("["), Just("]"), Just(","), Just("${A:-"), Just("}"), Just("$B"), Just("="), Just("a"),
                Just("é😀"), Just("{{"), Just("}}"), Just("\u{A0}"), Just(" AS "), Just("SHELL [\"a\"]"),
            ],
            0..40,
        )
    ) {
        assert_lossless(&parts.concat());
    }
}
