//! Tests of the root, the configuration and the remedies of a project.

use super::*;
use std::fs;

#[test]
fn the_root_is_the_nearest_directory_with_a_marker() {
    let dir = tempfile::tempdir().expect("a directory");
    let inner = dir.path().join("a/b");
    fs::create_dir_all(&inner).expect("created");
    fs::create_dir(dir.path().join("a/.aidd")).expect("created");
    assert_eq!(root_of(&inner), dir.path().join("a"));
    fs::write(inner.join("f"), "").expect("written");
    assert_eq!(root_of(&inner.join("f")), dir.path().join("a"));
    assert_eq!(directory_of(&inner.join("absent")), inner);
}

#[test]
fn the_remedy_depends_on_why_the_configuration_cannot_be_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let hint = |config: Option<&Path>| {
        let error = Project::open(&crate::DISTRIBUTION, dir.path(), config).err();
        error.and_then(|error| error.hint).unwrap_or("none")
    };
    assert_eq!(hint(None), "none");
    let absent = dir.path().join("nope.json");
    assert_eq!(
        hint(Some(&absent)),
        "correct the path in `--config` or in the environment variable AIDD_CONFIG"
    );
    fs::create_dir_all(dir.path().join(CONFIG_PATH)).expect("created");
    assert_eq!(hint(None), "replace it with a regular file inside the project");
    fs::remove_dir(dir.path().join(CONFIG_PATH)).expect("removed");
    for text in ["", " \n", "// nothing\n", "{\"failOn\": \"error\" \"include\": []}"] {
        fs::write(dir.path().join(CONFIG_PATH), text).expect("written");
        assert_eq!(
            hint(None),
            "the file must be JSON, optionally with comments and trailing commas",
            "{text}"
        );
    }
}
