//! Tests of the output on a terminal: a pseudo-terminal, as `script` of util-linux opens it.

use crate::cli::support::Project;

/// A message that is longer than a narrow terminal.
const MESSAGE: &str =
    "this colour was replaced in the spring by another one, which is easier to read on a screen";
const HELP: &str =
    "Use the colour that the page on the design of the product recommends for this kind of text";

fn project(findings: usize) -> Project {
    let rule = format!(
        "---\nseverity: warning\nmessage: \"{MESSAGE}\"\nhelp: \"{HELP}\"\ncheck:\n  files: [\"*.txt\"]\n  text: {{ regex: blue, keywords: [blue] }}\n---\n# team/colour\n\nBlue is last year's colour. {MESSAGE}.\n"
    );
    Project::new(&[("rules/colour.md", &rule), ("a.txt", &"blue\n".repeat(findings))])
}

/// The output of `aidd ARGS` on a terminal with `width` columns.
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn on_terminal(project: &Project, width: usize, env: &[(&str, &str)], args: &str) -> String {
    let line = format!("stty rows 40 cols {width}; {} {args}", env!("CARGO_BIN_EXE_aidd"));
    let mut command = std::process::Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    command.current_dir(project.path()).env_clear().envs(env.iter().copied());
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    project.finish(&mut command, b"").out.replace('\r', "")
}

/// The text without colours and links.
fn visible(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut visible = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = match part.strip_prefix(']') {
            Some(_) => None,
            None if part.starts_with('\\') => Some(1),
            None => part.find('m').map(|at| at + 1),
        };
        visible.push_str(end.map_or("", |end| &part[end..]));
    }
    visible
}

#[test]
fn lines_fit_the_terminal_and_words_are_not_split() {
    let project = project(1);
    for width in [50, 80, 120] {
        for args in
            ["check .", "check . --format concise --all", "explain team/colour", "rule packs"]
        {
            let text = visible(&on_terminal(&project, width, &[], args));
            assert!(!text.trim().is_empty(), "{args}");
            let words: Vec<&str> = text.split_whitespace().collect();
            if args == "check ." {
                for part in [MESSAGE, HELP] {
                    let expected: Vec<&str> = part.split(' ').collect();
                    let is_complete = words.windows(expected.len()).any(|found| found == expected);
                    assert!(is_complete, "{width}: {text}");
                }
            }
            if args != "check . --format concise --all" {
                let widest = text.lines().map(|line| line.chars().count()).max();
                assert!(widest <= Some(width), "{width}, {args}: {text}");
            }
        }
    }
}

#[test]
fn a_terminal_gets_fifty_findings_and_a_pipe_all() {
    let project = project(60);
    let text = visible(&on_terminal(&project, 80, &[], "check ."));
    assert_eq!(text.matches("--> a.txt").count(), 50, "{text}");
    assert!(text.contains("\n… and 10 more\n"), "{text}");
    let all = visible(&on_terminal(&project, 80, &[], "check . --all"));
    assert_eq!(all.matches("--> a.txt").count(), 60, "{all}");
    let piped = project.run(&["check", "."]).expect_code(0).out;
    assert_eq!(piped.matches("--> a.txt").count(), 60);
    assert!(!piped.contains("more\n"), "{piped}");
}

#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let project = project(1);
    let has_colour =
        |env: &[(&str, &str)], args: &str| on_terminal(&project, 80, env, args).contains('\x1b');
    for args in ["check .", "explain team/colour"] {
        assert!(has_colour(&[], args), "{args}");
        assert!(!has_colour(&[("NO_COLOR", "1")], args), "{args}");
        assert!(!has_colour(&[("TERM", "dumb")], args), "{args}");
        assert!(!has_colour(&[], &format!("{args} --color never")), "{args}");
    }
    let linked = on_terminal(&project, 80, &[], "check .");
    assert!(!linked.contains("\x1b]8;;") || linked.contains("\x1b]8;;\x1b\\"), "{linked:?}");
}
