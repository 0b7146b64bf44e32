//! Settings that follow from recorded sessions and that a change adds, replaces or removes.

use aidd_engine::project::git::Repository;
use aidd_engine::project::overlay::{OVERLAY_PATH, Overlay};
use aidd_engine::text::files::Disk;
use std::path::Path;

/// Maximum number of settings that are listed.
const MAX_LISTED: usize = 8;

/// The settings that differ between the commits `base` and `head` (`None`: the work tree), in one
/// sentence; `None` if there are none, or a commit cannot be read.
pub(super) fn describe(root: &Path, base: &str, head: Option<&str>) -> Option<String> {
    let repository = Repository::open(root).ok()?;
    let base = Overlay::read(&repository.snapshot(base).ok()?).unwrap_or_default();
    let head = match head {
        Some(head) => Overlay::read(&repository.snapshot(head).ok()?),
        None => Overlay::read(&Disk::new(root)),
    };
    describe_difference(&base, &head.unwrap_or_default())
}

fn describe_difference(base: &Overlay, head: &Overlay) -> Option<String> {
    let mut changes = Vec::new();
    for name in ["severities", "routing", "models", "knowledge"] {
        let (before, after) = (base.section(name)?, head.section(name)?);
        let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
        keys.sort();
        keys.dedup();
        for key in keys.into_iter().filter(|key| before.get(*key) != after.get(*key)) {
            let value = |value: Option<&String>| value.map_or("none", String::as_str).to_owned();
            let (before, after) = (value(before.get(key)), value(after.get(key)));
            changes.push(format!("{name} of {key}: {before} → {after}"));
        }
    }
    let more = changes.len().saturating_sub(MAX_LISTED);
    changes.truncate(MAX_LISTED);
    if changes.is_empty() {
        return None;
    }
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("this change contains evolution ({OVERLAY_PATH}): {}{more}", changes.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_settings_are_named() {
        let (mut base, mut head) = (Overlay::default(), Overlay::default());
        assert_eq!(describe_difference(&base, &head), None);
        base.set("routing", "backend/bugfix", Some("tester"));
        head.set("routing", "backend/bugfix", Some("security-auditor"));
        head.set("severities", "team/logger", Some("error"));
        assert_eq!(
            describe_difference(&base, &head).as_deref(),
            Some(
                "this change contains evolution (.aidd/evolution/applied.json): severities of \
                 team/logger: none → error; routing of backend/bugfix: tester → security-auditor"
            )
        );
    }
}
