//! The commands `chmod` of scripts and documents, and the files that they make executable.

use aidd_engine::text::paths::parent_dir;

/// The permission of the owner to execute a file, in an octal mode.
const OWNER_EXECUTES: u32 = 0o100;
/// Maximum number of digits of an octal mode.
const MAX_DIGITS: usize = 4;

/// Whether a mode of `chmod` lets the owner of a file execute it: `+x`, `u=rwx`, `755`. What a mode
/// without it leaves as it was does not count.
fn sets_execute(mode: &str) -> bool {
    if mode.chars().all(|c| c.is_digit(8)) {
        let is_mode = (1..=MAX_DIGITS).contains(&mode.len());
        return is_mode
            && u32::from_str_radix(mode, 8).is_ok_and(|bits| bits & OWNER_EXECUTES != 0);
    }
    let mut can_execute = false;
    for clause in mode.split(',') {
        let Some(at) = clause.find(['+', '-', '=']) else { return false };
        let (who, mut rest) = clause.split_at(at);
        if !who.chars().all(|c| matches!(c, 'u' | 'g' | 'o' | 'a')) {
            return false;
        }
        let concerns_owner = who.is_empty() || who.contains(['u', 'a']);
        // One clause can have several operations: `u-w+x`.
        while let Some(operator) = rest.chars().next() {
            let end = rest[1..].find(['+', '-', '=']).map_or(rest.len(), |at| at + 1);
            let permissions = &rest[1..end];
            rest = &rest[end..];
            if !permissions.chars().all(|c| "rwxXstugo".contains(c)) {
                return false;
            }
            if concerns_owner {
                let has_execute = permissions.contains('x');
                can_execute = match operator {
                    '+' => can_execute || has_execute,
                    '-' => can_execute && !has_execute,
                    _ => has_execute,
                };
            }
        }
    }
    can_execute
}

/// The words of a line without quotes and other marks around them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| matches!(c, '`' | '"' | '\'' | ',' | ';' | '(' | ')' | '[' | ']');
    line.split_whitespace().map(move |word| word.trim_matches(is_mark))
}

/// Whether a line has a `chmod` that makes files executable.
pub(super) fn makes_executable(line: &str) -> bool {
    let mut words = words(line);
    while let Some(word) = words.next() {
        let mode = match word.rsplit('/').next() {
            Some("chmod") => {
                // Before the mode are options, which unlike a mode such as `-x` name no permission.
                let is_option = |word: &&str| {
                    word.starts_with('-') && !word[1..].chars().all(|c| "rwxXst".contains(c))
                };
                words.by_ref().find(|word| !is_option(word))
            }
            // `git update-index --chmod=+x`
            _ => word.strip_prefix("--chmod="),
        };
        if mode.is_some_and(sets_execute) {
            return true;
        }
    }
    false
}

/// Whether a line names the file at `path`, a pattern for the files of its directory, or the directory.
pub(super) fn names_file(line: &str, path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_directory = |written: &str| {
        let rest = written.strip_suffix(directory);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    words(line).any(|word| {
        let last = word.rsplit('/').next().unwrap_or(word);
        let pattern = last.split_once('*');
        let is_pattern = pattern.is_some_and(|(start, end)| {
            name.starts_with(start) && name.ends_with(end.trim_start_matches('*'))
        });
        let parent = parent_dir(word).trim_end_matches("/**");
        last == name
            || is_pattern && (is_directory(parent) || directory.is_empty() && parent == ".")
            || !directory.is_empty() && is_directory(word.trim_end_matches('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_lets_the_owner_execute() {
        for mode in
            ["+x", "u+x", "a+x", "ug+rwx", "u=rwx,go=rx", "755", "0755", "700", "u-w+x", "a=rx"]
        {
            assert!(sets_execute(mode), "{mode}");
        }
        for mode in [
            "-x", "g+x", "o=rx", "644", "0644", "611", "u+x,u-x", "+X", "a+r", "", "x", "77",
            "file",
        ] {
            assert!(!sets_execute(mode), "{mode}");
        }
    }

    #[test]
    fn a_line_makes_files_executable() {
        for line in [
            "chmod +x .claude/hooks/*.sh",
            "RUN chmod -R 755 scripts",
            "Run `chmod u+x a.sh` once.",
            "find .claude/hooks -name '*.sh' -exec /bin/chmod +x {} \\;",
            "git update-index --chmod=+x a.sh",
            "chmod 600 key; chmod +x a.sh",
        ] {
            assert!(makes_executable(line), "{line}");
        }
        for line in [
            "chmod 644 .claude/hooks/*.sh",
            "chmod -x a.sh",
            "chmod go+x a.sh",
            "chmod -R go-w .",
            "The hook needs chmod.",
        ] {
            assert!(!makes_executable(line), "{line}");
        }
    }

    #[test]
    fn a_line_names_a_file_by_name_pattern_or_directory() {
        let path = ".claude/hooks/check.sh";
        for line in [
            "chmod +x .claude/hooks/check.sh",
            "chmod +x \"$ROOT\"/.claude/hooks/*.sh",
            "chmod -R +x .claude/hooks/",
            "cd .claude/hooks && chmod +x check.sh",
        ] {
            assert!(names_file(line, path), "{line}");
        }
        for line in [
            "chmod +x .claude/hooks/recheck.sh",
            "chmod +x scripts/*.sh",
            "chmod +x .claude/hooks/*.py",
        ] {
            assert!(!names_file(line, path), "{line}");
        }
        assert!(names_file("chmod +x *.sh", "a.sh") && !names_file("chmod +x b/*.sh", "a.sh"));
    }
}
