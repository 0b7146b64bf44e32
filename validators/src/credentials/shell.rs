//! Detects secrets in shell profiles, scripts and histories: in assignments and on command lines.

use super::data::{Scan, report_named};
use super::names::Class;
use super::records::{lines, words};
use super::values::is_credible;
use super::{Found, sql};
use aidd_engine::parse::ini;
use aidd_engine::text::source::Span;

/// How a command receives a password.
#[derive(Clone, Copy)]
enum PasswordArg {
    /// The word after the flag.
    Next(&'static str),
    /// The rest of the word after the flag: `-pSECRET`.
    Attached(&'static str),
    /// The word `user:password` after the flag.
    Account(&'static str),
    /// The word `user%password` after the flag.
    Percent(&'static str),
    /// A word `user/password@service`.
    Slash,
    /// The n-th word that is not a flag.
    Position(usize),
}

use PasswordArg::{Account, Attached, Next, Percent, Position, Slash};

/// Commands and how they receive passwords. Long flags whose name denotes a secret require no
/// entry.
const COMMANDS: &[(&str, &[PasswordArg])] = &[
    ("mysql", &[Attached("-p")]),
    ("mysqldump", &[Attached("-p")]),
    ("mysqladmin", &[Attached("-p")]),
    ("mariadb", &[Attached("-p")]),
    ("mysqlimport", &[Attached("-p")]),
    ("mongo", &[Next("-p")]),
    ("mongosh", &[Next("-p")]),
    ("mongodump", &[Next("-p")]),
    ("mongorestore", &[Next("-p")]),
    ("redis-cli", &[Next("-a")]),
    ("sshpass", &[Next("-p"), Attached("-p")]),
    ("curl", &[Account("-u"), Account("--user"), Account("-U"), Account("--proxy-user")]),
    ("http", &[Account("-a")]),
    ("docker login", &[Next("-p")]),
    ("podman login", &[Next("-p")]),
    ("buildah login", &[Next("-p")]),
    ("oc login", &[Next("-p")]),
    ("az login", &[Next("-p")]),
    ("htpasswd", &[Position(3)]),
    ("smbclient", &[Percent("-U")]),
    ("rpcclient", &[Percent("-U")]),
    ("ldapsearch", &[Next("-w")]),
    ("ldapadd", &[Next("-w")]),
    ("ldapmodify", &[Next("-w")]),
    ("ldapwhoami", &[Next("-w")]),
    ("xfreerdp", &[Attached("/p:")]),
    ("rdesktop", &[Next("-p")]),
    ("sqlcmd", &[Next("-P"), Attached("-P")]),
    ("bcp", &[Next("-P")]),
    ("isql", &[Next("-P")]),
    ("ncftp", &[Next("-p")]),
    ("lftp", &[Account("-u")]),
    ("psexec", &[Next("-p")]),
    ("snmpwalk", &[Next("-A"), Next("-X")]),
    ("ipmitool", &[Next("-P")]),
    ("svn", &[]),
    ("openssl", &[Attached("pass:")]),
    ("zip", &[Next("-P")]),
    ("unzip", &[Next("-P")]),
    ("7z", &[Attached("-p")]),
    ("nmcli", &[]),
    ("keytool", &[Next("-storepass"), Next("-keypass")]),
    ("jarsigner", &[Next("-storepass"), Next("-keypass")]),
    ("wget", &[]),
    ("sqlplus", &[Slash]),
    ("schtasks", &[Next("/rp"), Next("/RP")]),
];

/// Reports the secrets in shell text.
pub(super) fn scan_text(text: &str, scan: Scan<'_>, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        // zsh and fish record the time: `: 1600000000:0;command`, `- cmd: command`.
        let skip = match line.strip_prefix(": ").and_then(|_| line.find(';')) {
            Some(at) => at + 1,
            None if line.starts_with("- cmd: ") => 7,
            None => 0,
        };
        scan_line(&line[skip..], offset + skip, scan, found);
        // An alias is a quoted command.
        if line.starts_with("alias ")
            && let Some(open) = line.find(['\'', '"'])
        {
            let inner = line[open + 1..].trim_end_matches(['\'', '"']);
            scan_line(inner, offset + open + 1, scan, found);
        }
    }
}

/// Reports the secrets in one line.
pub(super) fn scan_line(line: &str, offset: usize, scan: Scan<'_>, found: &mut Vec<Found>) {
    let words = words(line);
    if !line.starts_with("alias ") {
        report_assignments(line, offset, scan, found);
    }
    let mut password_args: &[PasswordArg] = &[];
    let mut operand_count = 0;
    let mut at = 0;
    while at < words.len() {
        let (start, word) = words[at];
        at += 1;
        let name = word.rsplit('/').next().unwrap_or(word);
        let is_command = |command: &str| match command.split_once(' ') {
            Some((command, verb)) => {
                command == name && words.get(at).is_some_and(|(_, w)| *w == verb)
            }
            None => command == name,
        };
        if let Some((_, args)) = COMMANDS.iter().find(|(command, _)| is_command(command)) {
            (password_args, operand_count) = (args, 0);
            continue;
        }
        if matches!(word, "|" | "&&" | "||" | ";") {
            password_args = &[];
            continue;
        }
        let next = words.get(at).copied();
        if let Some(value) = long_flag(word, start, next)
            .or_else(|| password_argument(word, start, next, password_args))
        {
            report_value(value, offset, scan, found);
            continue;
        }
        if !word.starts_with('-') {
            operand_count += 1;
            if password_args
                .iter()
                .any(|arg| matches!(arg, Position(position) if *position == operand_count))
                && line.contains(" -")
            {
                report_value((start, word), offset, scan, found);
            }
        }
    }
    report_special(line, &words, offset, scan, found);
    if line.len() < 4096 {
        sql::report_statement(line, &line.to_ascii_lowercase(), offset, scan.trust, found);
    }
}

/// The value of `--password=x` or `--password x`, also for tokens and secrets.
fn long_flag<'a>(
    word: &'a str,
    start: usize,
    next: Option<(usize, &'a str)>,
) -> Option<(usize, &'a str)> {
    let flag = word.strip_prefix("--")?;
    match flag.split_once('=') {
        Some((name, value)) => {
            super::names::classify(name)?;
            let inner = value.trim_matches(['"', '\'']);
            let at = word.len() - value.len() + usize::from(inner.len() < value.len());
            Some((start + at, inner))
        }
        None => {
            super::names::classify(flag)?;
            // `docker build --secret id=NAME` names a secret.
            let names_secret = |value: &str| flag == "secret" && value.starts_with("id=");
            next.filter(|(_, value)| !value.starts_with('-') && !names_secret(value))
        }
    }
}

fn password_argument<'a>(
    word: &'a str,
    start: usize,
    next: Option<(usize, &'a str)>,
    args: &[PasswordArg],
) -> Option<(usize, &'a str)> {
    args.iter().find_map(|arg| match arg {
        Next(flag) => next.filter(|(_, value)| word == *flag && !value.starts_with('-')),
        Attached(flag) => {
            let value = word
                .strip_prefix(flag)
                .filter(|value| !value.is_empty() && !value.starts_with('-'))?;
            let inner = value.trim_matches(['"', '\'']);
            Some((start + word.len() - value.len() + usize::from(inner.len() < value.len()), inner))
        }
        Account(flag) => {
            let (at, value) = next.filter(|_| word == *flag)?;
            let (_, password) = value.split_once([':', ','])?;
            Some((at + value.len() - password.len(), password))
        }
        Percent(flag) => {
            let (at, value) = next.filter(|_| word == *flag)?;
            let (_, password) = value.split_once('%')?;
            Some((at + value.len() - password.len(), password))
        }
        Slash => {
            let (user, rest) = word
                .split_once('/')
                .filter(|(user, _)| !user.is_empty() && !user.starts_with(['-', '.', '@']))?;
            let password = rest.split('@').next().unwrap_or(rest);
            Some((start + user.len() + 1, password))
        }
        Position(_) => None,
    })
}

fn report_value(
    (start, value): (usize, &str),
    offset: usize,
    scan: Scan<'_>,
    found: &mut Vec<Found>,
) {
    let span = Span::new(offset + start, offset + start + value.len());
    if is_credible(value, Class::Password, scan.trust) && !is_expanded(span, scan) {
        found.push(Found::new(scan.rule, span));
    }
}

/// Whether the shell replaces a part of the value with the value of a variable: `"admin-$RANDOM"`,
/// `x%NAME%`.
fn is_expanded(span: Span, scan: Scan<'_>) -> bool {
    let value = &scan.text[span.range()];
    let path = scan.path.to_ascii_lowercase();
    if path.ends_with(".bat") || path.ends_with(".cmd") {
        return value.split('%').skip(1).step_by(2).any(|name| !name.is_empty())
            && value.matches('%').count() >= 2;
    }
    let is_variable = |at: usize| {
        let next = value.as_bytes().get(at + 1);
        next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'{' | b'('))
    };
    !scan.text[..span.start as usize].ends_with('\'')
        && (value.contains('`') || value.match_indices('$').any(|(at, _)| is_variable(at)))
}

/// Reports secrets in assignments: `NAME=value` before or without a command, with or without
/// `export`, and `set -x` of fish.
fn report_assignments(line: &str, offset: usize, scan: Scan<'_>, found: &mut Vec<Found>) {
    let mut at = 0;
    // Only words at the start of a command are assignments; flags and arguments are handled
    // elsewhere.
    while let Some(length_before) = line[at..].find('=') {
        let equals = at + length_before;
        at = equals + 1;
        let name_length = line[..equals]
            .bytes()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b':')
            .count();
        let name = &line[equals - name_length..equals];
        let previous = line[..equals - name_length].chars().next_back();
        if name.is_empty() || !matches!(previous, None | Some(' ' | ';' | '\t' | '"' | '\'' | '('))
        {
            continue;
        }
        let rest = &line[at..];
        let (start, length) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => match ini::find_closing_quote(&rest[1..], quote) {
                Some(length) => (at + 1, length),
                None => continue,
            },
            _ => (
                at,
                rest.find(|c: char| {
                    c.is_whitespace() || matches!(c, ';' | '"' | '\'' | '&' | '|' | ')')
                })
                .unwrap_or(rest.len()),
            ),
        };
        let value = &line[start..start + length];
        let span = Span::new(offset + start, offset + start + length);
        if !is_expanded(span, scan) {
            report_named(name.trim_start_matches("$env:"), "", value, span, scan, found);
        }
        at = at.max(start + length);
    }
    for prefix in ["setenv ", "set -x ", "set -gx ", "set -Ux ", "set -xg "] {
        if let Some(rest) = line.strip_prefix(prefix) {
            let words = words(rest);
            if let [(_, name), (start, value), ..] = words[..] {
                let start = offset + prefix.len() + start;
                report_named(name, "", value, Span::new(start, start + value.len()), scan, found);
            }
        }
    }
}

/// Reports secrets in cases that [`COMMANDS`] does not cover: `echo x | sudo -S`, `chpasswd`, `aws
/// configure set`, headers.
fn report_special(
    line: &str,
    words: &[(usize, &str)],
    offset: usize,
    scan: Scan<'_>,
    found: &mut Vec<Found>,
) {
    let is_word =
        |index: usize, text: &str| words.get(index).is_some_and(|(_, word)| *word == text);
    let stdin_readers =
        ["sudo -S", "passwd --stdin", "--password-stdin", "chpasswd", "cryptsetup", "kinit"];
    if is_word(0, "echo") && stdin_readers.iter().any(|reader| line.contains(reader)) {
        let value = words[1..].iter().find(|(_, word)| !word.starts_with('-'));
        if let Some(&(start, word)) = value {
            let inner = if line.contains("chpasswd") {
                word.split_once(':').map_or(word, |(_, inner)| inner)
            } else {
                word
            };
            report_value((start + word.len() - inner.len(), inner), offset, scan, found);
        }
    }
    if is_word(0, "net") && is_word(1, "use") && line.to_ascii_lowercase().contains("/user:") {
        let value = words[2..]
            .iter()
            .find(|(_, word)| !word.starts_with(['\\', '/', '*']) && !word.ends_with(':'));
        if let Some(&value) = value {
            report_value(value, offset, scan, found);
        }
    }
    if is_word(0, "aws")
        && is_word(1, "configure")
        && is_word(2, "set")
        && let (Some((_, name)), Some(&(start, value))) = (words.get(3), words.get(4))
    {
        report_named(
            name,
            "",
            value,
            Span::new(offset + start, offset + start + value.len()),
            scan,
            found,
        );
    }
}
