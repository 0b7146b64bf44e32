//! What the shapes of sentences make of commits: their messages, branches, and what belongs to one
//! change.

use super::drafts::{as_path, draft, instance, is_on_commits, made};
use super::shapes::{Caught, Made};
use super::{Block, Draft, Ground, Trust};
use regex::Regex;
use serde_json::json;
use std::sync::LazyLock;

/// Examples that are messages of commits.
fn messages(draft: Draft, fails: &str, passes: &str) -> Option<Made> {
    let message = |text: &str| vec![Block::alone("commit/message", text)];
    made(draft, message(fails), message(passes))
}

/// Words that forbid what stands after them, or before.
static AGAINST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:never|not|don't|without|avoid|no)\b[^.,;]{0,25}$").expect("an expression")
});

pub(super) fn conventional(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let after = caught.after().to_lowercase();
    let is_after = [
        " not used",
        " not required",
        " are not",
        " is not",
        " not enforced",
        "않",
        "금지",
        "마세요",
    ];
    if AGAINST.is_match(caught.before()) || is_after.iter().any(|words| after.contains(words)) {
        return None;
    }
    let check = json!({"commit": {"conventional": {}, "title": true}});
    let said = "the message is no Conventional Commit";
    let draft = draft("conventional-commits", check, said, Trust::High);
    messages(draft, "Fixed the parser", "fix(parser): close the file")
}

pub(super) fn subject_start(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let start = caught.code("start")?;
    let matches = format!("^{}.*$", regex::escape(start));
    let check = json!({"commit": {"subject": {"matches": matches}}});
    let said = format!("the subject does not start with `{start}`");
    let passes = format!("{start} close the file");
    messages(draft("commit-subject", check, said, Trust::High), "Other work", &passes)
}

pub(super) fn subject_length(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let max: usize = caught.words("max")?.parse().ok().filter(|max| (10..1000).contains(max))?;
    let check = json!({"commit": {"subject": {"max": max}}});
    let said = format!("the subject has more than {max} characters");
    let long = format!("Write {}", "words ".repeat(max / 6 + 1));
    let draft = draft("commit-subject-length", check, said, Trust::High);
    messages(draft, long.trim_end(), "Close the file")
}

pub(super) fn trailer(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let trailer = caught.code("trailer")?.split(':').next()?.trim();
    let is_name = trailer.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if trailer.is_empty() || !is_name {
        return None;
    }
    let check = json!({"commit": {"trailers": [trailer]}});
    let said = format!("the message has no `{trailer}`");
    let passes = format!("Close the file\n\n{trailer}: Ada Example <ada@example.org>");
    messages(
        draft(&format!("commit-{trailer}"), check, said, Trust::High),
        "Close the file",
        &passes,
    )
}

pub(super) fn branch(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let starts = caught.codes_from("first");
    if starts.iter().any(|start| start.is_empty() || start.contains(char::is_whitespace)) {
        return None;
    }
    let any: Vec<String> = starts.iter().map(|start| regex::escape(start)).collect();
    let check = json!({"commit": {"branch": format!("^(?:main|master|{}).*$", any.join("|"))}});
    let said = format!("the branch does not start with `{}`", starts.join("`, `"));
    let draft = draft("branch-name", check, said, Trust::Medium);
    let branch = |text: String| vec![Block::alone("commit/branch", text)];
    made(draft, branch("some-work".to_owned()), branch(format!("{}some-work", starts.first()?)))
}

pub(super) fn branch_case(_: &Caught<'_>, _: &Ground) -> Option<Made> {
    let check = json!({"commit": {"branch": "^[a-z0-9.]+(?:[-/][a-z0-9.]+)*$"}});
    let draft = draft("branch-name", check, "the branch is not in kebab-case", Trust::High);
    let branch = |text: &str| vec![Block::alone("commit/branch", text)];
    made(draft, branch("Some_Work"), branch("some-work"))
}

pub(super) fn together(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let (touches, requires) = (caught.code("touches")?, caught.code("requires")?);
    let glob = |code: &str| {
        let is_known = code.contains(['/', '.', '*']);
        ground.folder(code).or_else(|| as_path(code).filter(|_| is_known))
    };
    let (from, to) = (glob(touches)?, glob(requires)?);
    let check = json!({"commit": {"change": {"touches": from, "requires": to}}});
    let said = format!("`{touches}` changed, and `{requires}` did not");
    let found = draft(&format!("{requires}-with-{touches}"), check, said, Trust::High);
    let change = |text: String| vec![Block::alone("commit/change", text)];
    let both = format!("{}\n{}", instance(&from), instance(&to));
    made(found, change(instance(&from)), change(both))
}

/// The form of a Conventional Commit, written out: `<type>(<scope>): <subject>`.
pub(super) fn form(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^[<\[{(]?type[>\]})]?(?:\(?\[?\(?[<\[{]?(?:optional |optional-)?scope[>\]}]?\)?\]?\)?)?!?: ?[<\[{(]?\w")
            .expect("an expression")
    });
    FORM.is_match(caught.code("form")?).then(|| conventional(caught, ground)).flatten()
}

/// Whether the sentence speaks of a commit, by its own words or by the heading above.
fn on_commits(caught: &Caught<'_>) -> bool {
    is_on_commits(caught)
        || caught.sentence.english.to_lowercase().contains("commit")
        || caught.sentence.shape.contains("커밋")
}

/// A limit of the subject, under a heading on commits.
pub(super) fn subject_length_here(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    if !on_commits(caught) { None } else { subject_length(caught, ground) }
}

pub(super) fn subject_case(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    if !on_commits(caught) {
        return None;
    }
    let check = json!({"commit": {"subject": {"case": "lower"}}});
    let draft =
        draft("commit-subject-case", check, "the subject begins with a capital", Trust::High);
    messages(draft, "fix: Add the file", "fix: add the file")
}

pub(super) fn subject_end(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let words = caught.sentence.english.to_lowercase();
    let of_subject = ["subject", "title", "header", "summary", "first line", "end "];
    if !on_commits(caught) || !of_subject.iter().any(|word| words.contains(word)) {
        return None;
    }
    // The signs themselves, where the sentence lists them.
    let is_sign = |code: &&String| {
        let mut letters = code.chars();
        letters.next().is_some_and(|c| !c.is_alphanumeric()) && letters.next().is_none()
    };
    let signs: String = caught.sentence.code.iter().filter(is_sign).map(String::as_str).collect();
    let end = if signs.contains('.') { signs } else { ".".to_owned() };
    let check = json!({"commit": {"subject": {"end": end}}});
    let draft =
        draft("commit-subject-end", check, "the subject ends with a full stop", Trust::High);
    messages(draft, "Close the file.", "Close the file")
}

/// The language of messages: letters that only it has, or those that English has not.
pub(super) fn language(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let (key, expression, fails, passes) = match caught.words("language")?.to_lowercase().as_str() {
        "korean" => ("matches", r"^.*\p{Hangul}.*$", "fix: close the file", "fix: 파일을 닫는다"),
        "japanese" => (
            "matches",
            r"^.*[\p{Hiragana}\p{Katakana}\p{Han}].*$",
            "fix: close the file",
            "fix: ファイルを閉じる",
        ),
        "chinese" => ("matches", r"^.*\p{Han}.*$", "fix: close the file", "fix: 关闭文件"),
        "english" => (
            "not-matches",
            r"[\p{Hangul}\p{Hiragana}\p{Katakana}\p{Han}\p{Cyrillic}\p{Arabic}]",
            "fix: 파일을 닫는다",
            "fix: close the file",
        ),
        _ => return None,
    };
    let language = caught.words("language")?.to_lowercase();
    let check = json!({"commit": {"subject": {key: expression}}});
    let said = format!("the subject is not in {}", capital(&language));
    let name = format!("commit-in-{language}");
    messages(draft(&name, check, said, Trust::Medium), fails, passes)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Trailers that name a program as an author; the names are those of the programs' own trailers.
pub(super) fn no_machine(_: &Caught<'_>, _: &Ground) -> Option<Made> {
    // People are called Claude and Ai, too.
    let expression = concat!(
        r"(?im)^co-authored-by:.*(?:claude (?:<|code|opus|sonnet|haiku)|@anthropic\.com|@openai\.com",
        r"|copilot|cursoragent|codex|chatgpt|gemini-cli|devin-ai|aider\.chat|windsurf|(?-i:\bAI\b))"
    );
    let check = json!({"commit": {"message": {"not-matches": expression}}});
    let said = "a trailer names a program as an author";
    let fails = "Close the file\n\nCo-Authored-By: Claude <bot@example.org>";
    let passes = "Close the file\n\nCo-Authored-By: Ada Example <ada@example.org>";
    messages(draft("no-machine-co-author", check, said, Trust::Medium), fails, passes)
}
