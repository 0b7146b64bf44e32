//! Packs that are built with stored answers are the same as packs that are built without.

use super::*;
use std::process::Command;

const STORED: &str = ".aidd/data.packs.json";

fn git(root: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let status = Command::new("git").args(identity).args(args).current_dir(root).status();
    assert!(status.expect("git").success(), "git {args:?}");
}

/// Builds the packs of the branch and compares them with packs without stored answers.
fn check(root: &Path, step: &str) -> Vec<Pack> {
    let project = open(root);
    let reader = index(&project);
    let gathered = gather(&project, None, Limits::MAX).expect("gathered");
    let fresh = PackKind::ALL.map(|kind| gathered.pack(kind, Some(&reader)).expect("a pack"));
    let packs = gathered.packs(Some(&reader)).expect("packs");
    assert_eq!(packs, fresh, "{step}");
    for pack in &packs {
        pack.write(root).expect("written");
    }
    packs
}

#[test]
fn packs_follow_edits_reverts_and_branches() {
    let dir = project();
    let root = dir.path();
    write(root, "src/shop.py", "from login import login\n\ndef shop():\n    return login()\n");
    write(root, ".aidd/.gitignore", "/data.*\n/.gitignore\n");
    git(root, &["init", "--quiet", "--template=", "--initial-branch=main"]);
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "chore: all files"]);
    git(root, &["checkout", "--quiet", "-b", "feat/ABC-1-login"]);
    let login = fs::read_to_string(root.join("src/login.py")).expect("read");
    let spec = fs::read_to_string(root.join("docs/specs/abc-1-login.md")).expect("read");
    let steps: &[(&str, &dyn Fn())] = &[
        ("first build", &|| ()),
        ("nothing changed", &|| ()),
        ("code", &|| write(root, "src/login.py", &format!("{login}\ndef logout():\n    pass\n"))),
        ("specification", &|| {
            write(root, "docs/specs/abc-1-login.md", &spec.replace("50 ms", "70 ms"));
        }),
        ("code reverted", &|| write(root, "src/login.py", &login)),
        ("new file", &|| write(root, "src/new.py", "def added():\n    return 1\n")),
        ("commit", &|| {
            git(root, &["add", "."]);
            git(root, &["commit", "--quiet", "-m", "feat: more"]);
        }),
        ("rename", &|| {
            fs::rename(root.join("src/shop.py"), root.join("src/market.py")).expect("renamed");
        }),
        ("base branch", &|| {
            git(root, &["stash", "--quiet", "-u"]);
            git(root, &["checkout", "--quiet", "main"]);
        }),
        ("base moved", &|| {
            write(root, "src/login.py", &login.replace("Session()", "None"));
            git(root, &["commit", "--quiet", "-am", "fix: no session"]);
        }),
        ("ticket again", &|| git(root, &["checkout", "--quiet", "feat/ABC-1-login"])),
        ("merge", &|| git(root, &["merge", "--quiet", "-m", "chore: merge", "main"])),
        ("memory", &|| write(root, "ai/memory/decisions.jsonl", "")),
    ];
    let mut before = Vec::new();
    for (step, change) in steps {
        change();
        let packs = check(root, step);
        assert_eq!(packs == before, *step == "nothing changed", "{step}");
        before = packs;
    }
}

#[test]
fn changed_and_damaged_files_are_repaired() {
    let dir = project();
    let root = dir.path();
    // Until the times of the files prove that they are unchanged.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let before = check(root, "first build");
    let stored = fs::read_to_string(root.join(STORED)).expect("stored");
    write(root, &before[0].path, "{\"terms\":1}\n");
    assert_eq!(check(root, "a changed pack"), before);
    assert_eq!(fs::read_to_string(root.join(&before[0].path)).expect("read"), before[0].text);
    assert_eq!(fs::read_to_string(root.join(STORED)).expect("stored"), stored);
    for text in ["", "{", "{\"program\":1}", "[]"] {
        write(root, STORED, text);
        assert_eq!(check(root, text), before);
    }
    assert_eq!(fs::read_to_string(root.join(STORED)).expect("stored"), stored);
}
