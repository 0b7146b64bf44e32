//! An independent client calls every tool of the server.

use crate::agents::{AIDD, as_argument, script};
use std::path::Path;

#[test]
fn every_tool_of_every_profile_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/repositories/shop.txt");
    let Some(output) =
        script("every_tool.py", &[AIDD, as_argument(folder.path()), as_argument(&shop)])
    else {
        return;
    };
    let mut expected = String::new();
    for profile in ["engine", "lean", "core", "memory", "tools", "index", "aifp", "plan"] {
        let known = aidd_mcp::Profile::ALL.into_iter().find(|known| known.name() == profile);
        let known = known.expect("a profile");
        let tools = aidd_mcp::tools::all().iter().filter(|tool| tool.is_in(known)).count();
        let pages = (
            aidd_mcp::resources::ROWS.len(),
            aidd_mcp::prompts::all(&aidd_guidance::Library::shipped(&aidd_content::RULES)).len(),
        );
        let pages = if profile == "engine" {
            format!(", {} resources, {} prompts", pages.0, pages.1)
        } else {
            String::new()
        };
        expected += &format!("{profile}: {tools} tools{pages}\n");
    }
    assert_eq!(output.replace("\r\n", "\n"), expected);
}
