//! Splits shell lines into commands: which commands run something, and whether their exit codes
//! determine that of the line.

use aidd_lexicon::tables::runs;

/// The commands that run something, without path arguments, commands that only read or move files,
/// install packages or list what they would run.
pub(super) fn executed_commands(commands: &str) -> String {
    let parts = split_commands(commands).into_iter().map(|(part, _)| executed_words(part));
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// The words of one command without path arguments; empty if it runs no check.
fn executed_words(command: &str) -> String {
    let is_prefix = |word: &&str| runs::PREFIXES.contains(word) || is_env_assignment(word);
    let mut words = command.split_whitespace().skip_while(is_prefix).peekable();
    let program = base_name(words.next().unwrap_or_default());
    // `test -f a`: the condition of a shell.
    let is_condition = program == "test" && words.peek().is_some_and(|word| word.starts_with('-'));
    if runs::FILE_PROGRAMS.contains(program) || is_condition {
        return String::new();
    }
    let mut executed = vec![program];
    let mut runs_a_file = runs::INTERPRETERS.contains(program);
    for word in words {
        if runs::LISTING_OPTIONS.contains(&word.to_lowercase()) {
            return String::new();
        }
        if !is_path(word) {
            // `python -m pytest`: the rest are arguments of that module.
            runs_a_file &= word.starts_with('-') && word != "-m";
            executed.push(word);
        } else if std::mem::take(&mut runs_a_file) {
            executed.push(base_name(word));
        }
    }
    let installs = |pair: &[&str]| {
        runs::PACKAGE_MANAGERS.contains(pair[0]) && runs::PACKAGE_COMMANDS.contains(pair[1])
    };
    if executed.windows(2).any(installs) { String::new() } else { executed.join(" ") }
}

/// Whether the exit code of a shell line is that of its commands that are checks: nothing negates
/// them, and no pipe, alternative, background job or later command replaces their exit code.
pub(super) fn decides_exit_code(line: &str, is_check: impl Fn(&str) -> bool) -> bool {
    let parts = split_commands(line);
    let parts: Vec<(&str, &str)> =
        parts.into_iter().map(|(part, operator)| (part.trim(), operator)).collect();
    let sets = |option: &str, letter: char| {
        let is_set = |(part, _): &(&str, &str)| {
            let Some(options) = part.strip_prefix("set ") else { return false };
            let has_letter =
                |word: &str| word.strip_prefix('-').is_some_and(|letters| letters.contains(letter));
            options.split_whitespace().any(|word| word == option || has_letter(word))
        };
        parts.iter().any(is_set)
    };
    let has_pipefail = sets("pipefail", '\0');
    let ends_on_failure = sets("errexit", 'e');
    let last = parts.iter().rposition(|(part, _)| !part.is_empty()).unwrap_or_default();
    let determines = |at: usize| {
        let (part, _) = parts[at];
        let is_alternative = at > 0 && parts[at - 1].1 == "||";
        let is_negated = part == "!" || part.starts_with("! ");
        let is_forwarded = |(at, (_, operator)): (usize, &(&str, &str))| match *operator {
            "&&" => true,
            "|" => has_pipefail,
            ";" => ends_on_failure || at == last,
            operator => operator.is_empty(),
        };
        let mut following = parts.iter().enumerate().skip(at);
        !is_alternative && !is_negated && following.all(is_forwarded)
    };
    (0..parts.len()).filter(|at| is_check(parts[*at].0)).all(determines)
}

/// Splits a shell line into commands, each with the operator after it: `&&`, `||`, `|`, `&`, `;` for
/// the end of a line too, or nothing. A quoted string is one word, and text after `<<` is input:
/// `git commit -m "feat: x; add tests"` is one command.
fn split_commands(text: &str) -> Vec<(&str, &str)> {
    let text = text.split_once("<<").map_or(text, |(before, _)| before);
    let mut parts = Vec::new();
    let (mut quote, mut start, mut previous) = (None, 0, ' ');
    let mut characters = text.char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let before = std::mem::replace(&mut previous, c);
        let operator = match (quote, c, next) {
            (Some(open), ..) => {
                quote = Some(open).filter(|open| *open != c);
                continue;
            }
            (None, '"' | '\'', _) => {
                quote = Some(c);
                continue;
            }
            // `2>&1`, `&> log`.
            (None, '&', _) if before == '>' => continue,
            (None, '&', Some('>')) => continue,
            (None, '&', Some('&')) => "&&",
            (None, '|', Some('|')) => "||",
            (None, '|', _) => "|",
            (None, '&', _) => "&",
            (None, ';' | '\n', _) => ";",
            _ => continue,
        };
        parts.push((&text[start..offset], operator));
        let is_pipe_of_errors = operator == "|" && next == Some('&');
        let length = operator.len() + usize::from(is_pipe_of_errors);
        for _ in 1..length {
            characters.next();
        }
        start = offset + length;
    }
    parts.push((&text[start..], ""));
    parts
}

/// Whether the word is an environment assignment, such as `RUST_LOG=debug`.
fn is_env_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether the word looks like a path: `tests/`, `src/a.rs`, `user.test.ts`; not `--filter=a`,
/// `build:all`, `1.2`.
fn is_path(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'', '(', ')', ',', ':']);
    let has_extension = || {
        let extension = word.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        extension.is_some_and(|(_, extension)| {
            (1..=5).contains(&extension.len())
                && extension.starts_with(|c: char| c.is_ascii_alphabetic())
                && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        })
    };
    !word.starts_with('-') && (word.contains(['/', '\\']) || has_extension())
}
