//! Actions of controllers to which no route leads, so that nobody sees their texts.

use crate::cached::cached;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Span;
use std::collections::HashSet;

/// The actions for which `resources` of Rails and `resource` of Laravel make routes.
const RESOURCES: [&str; 10] = [
    "create",
    "destroy",
    "edit",
    "index",
    "new",
    "show",
    "store",
    "update",
    "__construct",
    "__invoke",
];

/// Whether the text at `span` is in an action of a controller that no route names and no other method
/// of the file calls.
pub(super) fn is_unreachable(files: &dyn Files, path: &str, text: &str, span: Span) -> bool {
    let is_ruby = path.contains("app/controllers/") && path.ends_with("_controller.rb");
    let is_php = path.contains("/Controllers/") && path.ends_with("Controller.php");
    // Concerns and base classes have the actions of others; `Auth::routes()` leads to those of Laravel.
    let parts =
        ["/concerns/", "/Auth/", "base_controller", "application_controller", "/Controller.php"];
    let is_other = parts.iter().any(|part| path.contains(part)) || path.contains("BaseController");
    if !is_ruby && !is_php || is_other {
        return false;
    }
    let keyword = if is_ruby { "\n  def " } else { "\n    public function " };
    let before = &text[..span.start as usize];
    // Actions are public.
    if before.lines().any(|line| matches!(line.trim(), "private" | "protected")) {
        return false;
    }
    let Some((_, after)) = before.rsplit_once(keyword) else { return false };
    let name = after.split(|c: char| !is_word(c)).next().unwrap_or_default();
    if name.is_empty() || RESOURCES.contains(&name) {
        return false;
    }
    // `before_action :name`, or a call in another method.
    let uses = text.match_indices(name).filter(|(at, _)| {
        let is_start = !text[..*at].ends_with(is_word);
        is_start && !text[at + name.len()..].starts_with(is_word)
    });
    if uses.count() > 1 {
        return false;
    }
    let names = cached(files, "i18n routes", || names(files));
    !names.is_empty() && !names.contains(name)
}

/// The words of all files of routes.
fn names(files: &dyn Files) -> HashSet<String> {
    let mut names = HashSet::new();
    for path in files.listing().map(Listing::files).unwrap_or_default() {
        let is_route = path.ends_with("config/routes.rb")
            || path.contains("config/routes/") && path.ends_with(".rb")
            || path.ends_with(".php")
                && path.split('/').any(|part| matches!(part, "routes" | "Routes" | "routes.php"));
        if let Some(text) = is_route.then(|| side_file(files, path)).flatten() {
            // A route for all actions.
            if text.contains(":action") {
                return HashSet::new();
            }
            names.extend(text.split(|c: char| !is_word(c)).map(str::to_owned));
        }
    }
    names
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
