//! Orders and commands in places that a reader does not see, and paths of one person's machine.

use super::AgentContext;
use super::library::is_home_of_one_person;
use super::model::Purpose;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;

/// Orders that a comment to readers does not give, in lower case.
const ORDERS: &[&str] = &[
    "ignore all previous",
    "ignore all prior",
    "ignore any previous",
    "ignore previous instructions",
    "ignore prior instructions",
    "ignore the above instructions",
    "disregard all previous",
    "disregard previous",
    "disregard the above",
    "override previous instructions",
    "override all previous",
    "forget all previous",
    "forget previous instructions",
    "do not tell the user",
    "don't tell the user",
    "never tell the user",
    "without telling the user",
    "without informing the user",
    "do not mention this to",
    "don't mention this to",
    "do not reveal this",
    "hide this from the user",
    "secretly",
    "exfiltrate",
    "send the contents of",
    "upload the contents of",
    "post the contents of",
];

pub(super) fn hidden_comment(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(instructions) = &context.instructions else { return };
    let text = context.source.text();
    let mut at = 0;
    while let Some(start) = text[at..].find("<!--").map(|start| at + start) {
        let end = text[start..].find("-->").map_or(text.len(), |end| start + end + "-->".len());
        at = end;
        let comment = text[start..end].to_ascii_lowercase();
        let span = Span::new(start, end);
        let Some(order) = ORDERS.iter().find(|order| comment.contains(**order)) else { continue };
        let is_sample = instructions.is_code(span)
            || instructions.document.blocks.iter().any(|block| block.span.overlaps(span));
        if !is_sample {
            let first = start + comment.find(order).unwrap_or_default();
            let message =
                "an HTML comment, which a reader does not see, gives an order to the agent";
            report
                .at(Span::new(first, first + order.len()), message)
                .help("find out who added the comment, and remove it");
        }
    }
}

/// Names of users in containers and in services, and names that stand for any user.
const USERS: &[&str] = &[
    "agent",
    "alice",
    "app",
    "bob",
    "circleci",
    "claude",
    "coder",
    "codespace",
    "dev",
    "developer",
    "deploy",
    "example",
    "foo",
    "gitpod",
    "jane",
    "jdoe",
    "jenkins",
    "john",
    "johndoe",
    "jovyan",
    "me",
    "myname",
    "myuser",
    "myusername",
    "name",
    "node",
    "opam",
    "pi",
    "public",
    "root",
    "runner",
    "sandbox",
    "shared",
    "someone",
    "test",
    "ubuntu",
    "user",
    "user1",
    "username",
    "vagrant",
    "vscode",
    "www",
    "you",
    "your-name",
    "your-username",
    "yourname",
    "youruser",
    "yourusername",
    "xxx",
    "linuxbrew",
    "ec2-user",
    "guest",
    "build",
    "builder",
    "ci",
    "debian",
    "docker",
];

/// The starts of paths to the home directory of one user.
const HOMES: [&str; 4] = ["/Users/", "/home/", "C:\\Users\\", "C:/Users/"];

/// Whether a path after `before`, the text of its line, is on another machine: after `host:`, or in a
/// command that `ssh` runs.
fn is_on_server(before: &str) -> bool {
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    if let Some(rest) = before.strip_suffix(':') {
        let mut words = rest.rsplit(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\''));
        let host = words.next().unwrap_or_default();
        let is_copied = ["scp ", "rsync ", "sftp "].iter().any(|it| before.contains(it));
        return is_copied && !host.is_empty() && host.chars().all(is_host);
    }
    // The argument of an option of `ssh` is a file of this machine.
    let is_option = ["-i", "-F", "-o"].iter().any(|option| before.trim_end().ends_with(option));
    !is_option
        && before.match_indices("ssh ").any(|(at, _)| {
            at == 0 || before[..at].ends_with(|c: char| c.is_whitespace() || "`\"'&;|(".contains(c))
        })
}

pub(super) fn personal_path(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let path = context.source.path();
    let is_local = path.contains(".local.");
    // Directly below the root, skills and agents are for this project.
    let is_own = path.starts_with('.') && context.file.is_markdown();
    let is_checked = context.project_instructions().is_some()
        || is_own
        || matches!(context.file.purpose, Purpose::Settings | Purpose::Hooks | Purpose::Mcp);
    if is_local || !is_checked || is_home_of_one_person(context) {
        return;
    }
    let text = context.source.text();
    for home in HOMES {
        let mut line_end = 0;
        for (at, _) in text.match_indices(home) {
            let before = text[..at].trim_end_matches("file://").chars().next_back();
            // `C:/Users/` is a home of its own.
            let mut drive = text[..at].chars().rev();
            if before == Some(':')
                && drive.nth(1).is_some_and(|c| c.is_ascii_alphabetic())
                && drive.next().is_none_or(|c| !c.is_alphanumeric())
            {
                continue;
            }
            // Part of a longer path, or of a URL.
            if before
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '}'))
            {
                continue;
            }
            let rest = &text[at + home.len()..];
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (user, after) = rest.split_at(length);
            let is_user = !user.is_empty()
                && !USERS.contains(&&*user.to_ascii_lowercase())
                && user.chars().any(char::is_alphabetic)
                && user.chars().any(|c| c.is_ascii_lowercase())
                && after.starts_with(['/', '\\']);
            if !is_user || at < line_end {
                continue;
            }
            let span = Span::new(at, at + home.len() + length);
            let line = context.source.slice(context.source.lines_around(span)).to_ascii_lowercase();
            let before = &text[..at];
            if is_on_server(&before[before.rfind('\n').map_or(0, |at| at + 1)..]) {
                continue;
            }
            let is_sample = ["example", "e.g", "such as", "never", "not ", "don't", "avoid", "bad"]
                .iter()
                .any(|word| line.contains(word));
            if is_sample {
                continue;
            }
            line_end = context.source.lines_around(span).end as usize;
            report
                .at(span, "the path exists only on the machine of one person")
                .help("write a path that is relative to the project, or `~`");
        }
    }
}

pub(super) fn command_injection(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let is_template = context.file.purpose == Purpose::Command
        && context.source.path().contains(".claude/commands/")
        || context.file.purpose == Purpose::Skill;
    if !is_template || context.data.broken.is_some() {
        return;
    }
    let text = context.source.text();
    let blocks = context.instructions.as_ref().map_or(&[][..], |it| it.document.blocks.as_slice());
    for (at, open) in text.match_indices("!`") {
        if blocks.iter().any(|block| block.span.range().contains(&at)) {
            continue;
        }
        // A command is at the start of a line or after a space.
        if at > 0 && !text[..at].ends_with([' ', '\n', '\t', '-']) {
            continue;
        }
        let start = at + open.len();
        let Some(length) = text[start..].find(['`', '\n']) else { continue };
        let command = &text[start..start + length];
        let argument = ["$ARGUMENTS", "$1", "$2", "$3"].iter().find_map(|it| {
            let found = command.find(it)?;
            Some((found, it.len()))
        });
        if let Some((found, length)) = argument {
            let span = Span::new(start + found, start + found + length);
            report
                .at(span, "the shell runs the text of the user as part of the command")
                .help("let the agent run the command, so that its permissions apply");
        }
    }
}
