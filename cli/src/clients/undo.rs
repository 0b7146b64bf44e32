//! The previous content of client files that a removal of aidd would not restore exactly, such as
//! an empty object or an object on a single line. The content is stored with the local data of the
//! checkout until aidd is removed or the file is edited.

use super::{Change, write_or_remove};
use aidd_engine::parse::lines::id::digest;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Path of the file with the records. The ignore line of the store covers this path.
pub(super) const PATH: &str = ".aidd/data.clients.json";

/// Records of client files, by path.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Undo(BTreeMap<String, Record>);

#[derive(Debug, Deserialize, Serialize)]
struct Record {
    /// Content before aidd changed the file.
    before: String,
    /// Digest of the content that aidd wrote.
    after: String,
}

impl Undo {
    /// Reads the records of the project at `root`. An unreadable file counts as empty, because only
    /// formatting is lost.
    pub(super) fn read(root: &Path) -> Self {
        let text = fs::read_to_string(root.join(PATH)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// The previous content of a file; `None` if the file was edited after aidd changed it.
    pub(super) fn previous_content(&self, path: &str, text: &str) -> Option<&str> {
        let record = self.0.get(path)?;
        (record.after == digest(&[text])).then_some(&*record.before)
    }

    /// Records a file before it is written. `after_without_aidd` and `before_without_aidd` are the
    /// new and the old content without aidd's entries.
    pub(super) fn note(
        &mut self,
        change: &Change,
        after_without_aidd: Option<&str>,
        before_without_aidd: Option<&str>,
    ) {
        let (Some(before), Some(after)) = (&change.before, &change.after) else { return };
        let recorded = self.previous_content(&change.path, before).map(str::to_owned);
        let is_own_content = recorded.is_none() && before_without_aidd != Some(before);
        if is_own_content || after_without_aidd == Some(recorded.as_deref().unwrap_or(before)) {
            self.0.remove(&change.path);
            return;
        }
        let before = recorded.unwrap_or_else(|| before.clone());
        self.0.insert(change.path.clone(), Record { before, after: digest(&[after]) });
    }

    /// Removes the record of a file.
    pub(super) fn forget(&mut self, path: &str) {
        self.0.remove(path);
    }

    /// Saves the records; without records, deletes the file.
    ///
    /// # Errors
    /// Fails when the file cannot be written.
    pub(super) fn save(&self, root: &Path) -> Result<()> {
        let path = root.join(PATH);
        if self.0.is_empty() {
            return match path.exists() {
                true => write_or_remove(root, &path, None).with_context(|| PATH.to_owned()),
                false => Ok(()),
            };
        }
        write_or_remove(root, &path, Some(&serde_json::to_string(self)?))
            .with_context(|| PATH.to_owned())?;
        restrict_to_owner(&path).with_context(|| PATH.to_owned())
    }
}

/// Restricts the file to its owner, since the previous content can be private.
#[cfg(unix)]
fn restrict_to_owner(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "same signature as on Unix")]
fn restrict_to_owner(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{files, project, run_init};
    use super::PATH;
    use crate::cli::Client;
    use clap::ValueEnum;

    /// Contents of a client file without aidd.
    const JSON: [&str; 13] = [
        "",
        " \n\n",
        "{}",
        "{}\n",
        "{\n}\n",
        "// mine\n{\n  // nothing\n}\n",
        "{\r\n\t\"x\": 1,\r\n\t\"y\": [1, 2],\r\n}\r\n",
        "{\n\t\"x\": {\n\t\t\"a\": 1, // c\n\t},\n}\n",
        "{\"x\":1,\"y\":{\"z\":[]}}",
        "{\n    \"x\": 1\n}",
        "\u{FEFF}{\n  \"이름\": \"값\"\n}\n",
        "{\"mcpServers\": {}, \"servers\": {}, \"context_servers\": {}, \"hooks\": {}}\n",
        "{\"hooks\":{\"SessionStart\":[],\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}}",
    ];
    const TOML: [&str; 5] =
        ["", "model = 1", "# mine\r\n[a]\r\nb = 1", "a = 1\n\n\n", "\u{FEFF}a = 1\n"];
    const RULES: [&str; 5] =
        ["", "# Mine", "# Mine\r\n\r\nText", "한글\n\n\n", "\n---\na: b\n---\n"];

    #[test]
    fn the_previous_content_is_restored_byte_for_byte() {
        for template in aidd_content::RULES.templates {
            let client = Client::from_str(template.client, false).expect("a known client");
            let texts = match template.path.rsplit('.').next() {
                Some("json") => &JSON[..],
                Some("toml") => &TOML,
                _ => &RULES,
            };
            for text in texts {
                let folder = project(&[(template.path, text)]);
                let before = files(folder.path());
                let run = |remove| run_init(folder.path(), &[client], remove, false);
                run(false).unwrap_or_else(|error| panic!("{}: {error}", template.path));
                let after = files(folder.path());
                assert_ne!(after, before);
                run(false).expect("again");
                assert_eq!(files(folder.path()), after, "{}: {text:?}", template.path);
                run(true).expect("removed");
                assert_eq!(files(folder.path()), before, "{}: {text:?}", template.path);
            }
        }
    }

    #[test]
    fn later_edits_are_preserved() {
        let folder = project(&[(".mcp.json", "{\"x\":1}")]);
        let run =
            |remove| run_init(folder.path(), &[Client::ClaudeCode], remove, false).expect("done");
        run(false);
        assert!(files(folder.path()).contains_key(PATH));
        let path = folder.path().join(".mcp.json");
        let text = std::fs::read_to_string(&path).expect("text").replace("\"x\":1", "\"x\":2");
        std::fs::write(&path, text).expect("written");
        run(true);
        let remaining = files(folder.path());
        assert_eq!(remaining[".mcp.json"], "{\n  \"x\":2\n}");
        assert!(!remaining.contains_key(PATH));
        // An invalid record is ignored.
        std::fs::create_dir_all(folder.path().join(".aidd")).expect("made");
        std::fs::write(folder.path().join(PATH), "{\"a\": 1").expect("written");
        run(false);
        run(true);
        assert_eq!(files(folder.path()), remaining);
    }

    /// A later version of aidd rewrites the entries of an earlier version; these entries do not
    /// become the user's content.
    #[test]
    fn an_updated_entry_restores_the_original_content() {
        let folder = project(&[("AGENTS.md", ""), (".codex/hooks.json", "{}")]);
        let before = files(folder.path());
        let run = |remove| run_init(folder.path(), &[Client::Codex], remove, false).expect("done");
        run(false);
        let path = folder.path().join("AGENTS.md");
        let text = std::fs::read_to_string(&path).expect("text");
        let outdated = text.replace("## aidd", "## older");
        std::fs::write(&path, &outdated).expect("written");
        run(false);
        assert_eq!(std::fs::read_to_string(&path).expect("text"), text);
        run(true);
        let remaining = files(folder.path());
        assert_eq!(remaining.get(".codex/hooks.json"), before.get(".codex/hooks.json"));
        assert_eq!(remaining.get("AGENTS.md"), None);
    }
}
