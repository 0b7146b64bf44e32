//! The tools of each profile, and the number of tokens that they cost in each conversation.

use crate::catalog::Catalog;
use crate::profile::Profile;
use crate::tool::Tool;
use crate::tools;
use aidd_lexicon::tokens;
use std::fmt::Write as _;

/// Size of a tool in `tools/list`, in bytes.
#[must_use]
pub fn bytes_of(tool: &Tool, profile: Profile) -> usize {
    serde_json::to_string(&tool.listed(profile)).map_or(0, |row| row.len())
}

/// The tool list of a profile as sent to the client.
fn tool_list_json(profile: Profile) -> String {
    let catalog = Catalog::new(tools::all(), profile);
    let listed: Vec<_> = catalog.listed().map(|tool| tool.listed(profile)).collect();
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
        let _ = writeln!(text, "{:>6}  {:<34} {}", bytes_of(tool, chosen), tool.name, tool.title);
    }
    if chosen == Profile::Engine {
        let _ = writeln!(text, "\ntools that can be called but are not listed:");
        for tool in Catalog::new(tools::all(), chosen).unlisted() {
            let _ =
                writeln!(text, "{:>6}  {:<34} {}", bytes_of(tool, chosen), tool.name, tool.title);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum size of the `lean` list, in bytes.
    const MAX_LEAN_BYTES: usize = 8_000;
    /// Maximum size of the `engine` list, in bytes.
    const MAX_ENGINE_BYTES: usize = 20_000;

    #[test]
    fn tool_lists_stay_small() {
        for (profile, max) in [(Profile::Lean, MAX_LEAN_BYTES), (Profile::Engine, MAX_ENGINE_BYTES)]
        {
            assert!(tool_list_json(profile).len() <= max, "{}", table(profile));
        }
    }

    #[test]
    fn the_plan_profile_lists_every_tool() {
        let catalog = Catalog::new(tools::all(), Profile::Plan);
        assert_eq!(catalog.listed().count(), tools::all().len());
        assert_eq!(catalog.unlisted().count(), 0);
    }

    #[test]
    fn the_lean_profile_lists_at_most_twelve_tools() {
        assert!(Catalog::new(tools::all(), Profile::Lean).listed().count() <= 12);
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
