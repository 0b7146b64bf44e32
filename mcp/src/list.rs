//! What each profile lists, and what that costs an agent in every conversation.

use crate::catalog::Catalog;
use crate::profile::Profile;
use crate::tool::Tool;
use crate::tools;
use aidd_lexicon::tokens;
use std::fmt::Write as _;

/// Bytes of a tool as it is listed.
#[must_use]
pub fn bytes_of(tool: &Tool) -> usize {
    serde_json::to_string(&tool.listed()).map_or(0, |row| row.len())
}

/// A profile's list, as it is sent.
fn sent(profile: Profile) -> String {
    let listed: Vec<_> = Catalog::new(tools::all(), profile).listed().map(Tool::listed).collect();
    serde_json::to_string(&listed).unwrap_or_default()
}

/// Every profile with its cost, and the tools of one.
#[must_use]
pub fn table(chosen: Profile) -> String {
    let mut text = String::from("profile  tools   bytes  tokens\n");
    for profile in Profile::ALL {
        let count = Catalog::new(tools::all(), profile).listed().count();
        let (word, list) = (profile.word(), sent(profile));
        let (bytes, tokens) = (list.len(), tokens::count(&list));
        let _ = writeln!(text, "{word:<7}  {count:>5}  {bytes:>6}  {tokens:>6}");
    }
    let _ = writeln!(text, "\nin `{}`, bytes of each:", chosen.word());
    for tool in Catalog::new(tools::all(), chosen).listed() {
        let _ = writeln!(text, "{:>6}  {:<34} {}", bytes_of(tool), tool.name, tool.title);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the list of `lean` may cost.
    const LEAN: usize = 8 << 10;
    /// What the list of `engine` may cost when every tool that is planned is there.
    const ENGINE: usize = 36 << 10;
    const PLANNED: usize = 62;

    #[test]
    fn lists_stay_cheap() {
        assert!(sent(Profile::Lean).len() <= LEAN, "{}", table(Profile::Lean));
        let (bytes, count) = (sent(Profile::Engine).len(), tools::all().len());
        assert!(bytes * PLANNED <= ENGINE * count.max(1), "{}", table(Profile::Engine));
    }

    #[test]
    fn lean_lists_ten_at_most() {
        assert!(Catalog::new(tools::all(), Profile::Lean).listed().count() <= 10);
    }

    #[test]
    fn the_table_names_every_profile_and_tool() {
        let text = table(Profile::Engine);
        for profile in Profile::ALL {
            assert!(text.lines().any(|line| line.starts_with(profile.word())), "{text}");
        }
        for tool in tools::all() {
            assert!(text.contains(tool.name), "{text}");
        }
    }
}
