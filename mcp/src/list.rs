//! The tools of each profile, and the number of tokens that they cost in each conversation.

use crate::catalog::Catalog;
use crate::profile::Profile;
use crate::tool::Tool;
use crate::tools;
use aidd_lexicon::tokens;
use std::fmt::Write as _;

/// Size of a tool in `tools/list`, in bytes.
#[must_use]
pub fn bytes_of(tool: &Tool) -> usize {
    serde_json::to_string(&tool.listed()).map_or(0, |row| row.len())
}

/// The tool list of a profile as sent to the client.
fn tool_list_json(profile: Profile) -> String {
    let listed: Vec<_> = Catalog::new(tools::all(), profile).listed().map(Tool::listed).collect();
    serde_json::to_string(&listed).unwrap_or_default()
}

/// A table of all profiles with their cost, and of the tools of one profile.
#[must_use]
pub fn table(chosen: Profile) -> String {
    let mut text = String::from("profile  tools   bytes  tokens\n");
    for profile in Profile::ALL {
        let count = Catalog::new(tools::all(), profile).listed().count();
        let (name, list) = (profile.name(), tool_list_json(profile));
        let (bytes, tokens) = (list.len(), tokens::count(&list));
        let _ = writeln!(text, "{name:<7}  {count:>5}  {bytes:>6}  {tokens:>6}");
    }
    let _ = writeln!(text, "\ntools in `{}`, with the size of each in bytes:", chosen.name());
    for tool in Catalog::new(tools::all(), chosen).listed() {
        let _ = writeln!(text, "{:>6}  {:<34} {}", bytes_of(tool), tool.name, tool.title);
    }
    if chosen == Profile::Engine {
        let _ = writeln!(text, "\ntools that can be called but are not listed:");
        for tool in Catalog::new(tools::all(), chosen).unlisted() {
            let _ = writeln!(text, "{:>6}  {:<34} {}", bytes_of(tool), tool.name, tool.title);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum size of the `lean` list, in bytes: 8 KiB plus 15 %, because descriptions in full
    /// sentences are longer.
    const MAX_LEAN_BYTES: usize = (8 << 10) * 115 / 100;
    /// Maximum size of the `engine` list, in bytes, with all planned tools: 36 KiB plus 15 %, for
    /// the same reason.
    const MAX_ENGINE_BYTES: usize = (36 << 10) * 115 / 100;
    /// Number of planned tools.
    const PLANNED_TOOLS: usize = 62;

    #[test]
    fn tool_lists_stay_small() {
        assert!(tool_list_json(Profile::Lean).len() <= MAX_LEAN_BYTES, "{}", table(Profile::Lean));
        let (bytes, count) = (tool_list_json(Profile::Engine).len(), tools::all().len());
        assert!(
            bytes * PLANNED_TOOLS <= MAX_ENGINE_BYTES * count.max(1),
            "{}",
            table(Profile::Engine)
        );
    }

    #[test]
    fn the_lean_profile_lists_at_most_eleven_tools() {
        assert!(Catalog::new(tools::all(), Profile::Lean).listed().count() <= 11);
    }

    #[test]
    fn the_table_names_every_profile_and_tool() {
        let text = table(Profile::Engine);
        for profile in Profile::ALL {
            assert!(text.lines().any(|line| line.starts_with(profile.name())), "{text}");
        }
        for tool in tools::all() {
            assert!(text.contains(tool.name), "{text}");
        }
    }
}
