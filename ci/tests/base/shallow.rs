//! Shallow histories, histories with no or several merge bases, and failing fetches.

use crate::base::*;
use insta::assert_snapshot;
use std::cell::Cell;

#[test]
fn a_shallow_clone_is_deepened_until_the_merge_base_is_certain() {
    let (server, fork) = server(30);
    // An unreachable submodule, which must not be fetched.
    let modules = "[submodule \"s\"]\n path = s\n url = file:///nowhere\n";
    server.git(&["switch", "--quiet", "topic"]);
    server.write(".gitmodules", modules);
    server.git(&["add", ".gitmodules"]);
    let link = format!("160000,{fork},s");
    server.git(&["update-index", "--add", "--cacheinfo", &link]);
    server.git(&["commit", "--quiet", "--message", "a submodule"]);
    let clone = checkout(&server, "topic", &SHALLOW);
    clone.git(&["submodule", "--quiet", "init"]);
    let event = pull_request(&server, "topic");
    let result = find(&clone, &event);
    result.expect_base(&fork, "merge base of main and the pull request");
    assert_snapshot!(result.messages, @"
    fetching HASH (main)
    the clone is shallow: fetching 3 more commits of each line
    the clone is shallow: fetching 12 more commits of each line
    the clone is shallow: fetching 48 more commits of each line
    ");
    // The fetched objects are present in the next run.
    let result = find(&clone, &event);
    result.expect_base(&fork, "merge base of main and the pull request");
    assert_eq!(result.messages, "");
}

#[test]
fn a_common_ancestor_is_not_used_while_a_newer_one_can_be_hidden() {
    // Both sides reach the first commit by a short path, and a newer common commit by a long path.
    let server = Repository::new();
    let first = server.commit(&[("a.txt", "one\n")]);
    let newest = server.commits(5);
    server.git(&["switch", "--quiet", "--create", "topic"]);
    server.commits(20);
    for (branch, short_cut) in [("topic", "one"), ("main", "two")] {
        server.git(&["switch", "--quiet", "--create", short_cut, &first]);
        server.commits(1);
        server.git(&["switch", "--quiet", branch]);
        server.commits(if branch == "main" { 20 } else { 0 });
        server.merge(short_cut);
    }
    let clone = checkout(&server, "topic", &["--depth=4"]);
    clone.git(&["fetch", "--quiet", "--depth=4", "--no-write-fetch-head", "origin", "main"]);
    assert_eq!(clone.git(&["merge-base", &server.rev("main"), "HEAD"]), first);
    let result = find(&clone, &pull_request(&server, "topic"));
    result.expect_base(&newest, "merge base of main and the pull request");
}

#[test]
fn the_server_is_queried_before_a_deep_history_is_fetched() {
    let (server, fork) = server(150);
    let event = pull_request(&server, "topic");
    let calls = Cell::new(0);
    let (main, topic) = (server.rev("main"), server.rev("topic"));
    let compare = |first: &str, second: &str| {
        calls.set(calls.get() + 1);
        assert_eq!((first, second), (&*main, &*topic));
        Ok(fork.clone())
    };
    let clone = checkout(&server, "topic", &SHALLOW);
    let result = find_with(
        &clone,
        &event,
        SearchInput { compare: Some(&compare), ..SearchInput::default() },
    );
    result.expect_base(&fork, "merge base of main and the pull request");
    assert_eq!(calls.get(), 1);
    assert_snapshot!(result.messages, @"
    fetching HASH (main)
    the clone is shallow: fetching 3 more commits of each line
    the clone is shallow: fetching 12 more commits of each line
    the clone is shallow: fetching 48 more commits of each line
    requesting the merge base from the server
    fetching HASH (merge base)
    ");
    // A missing or invalid response of the server only leads to a note.
    let responses: [Compare<'_>; 2] =
        [&|_, _| anyhow::bail!("rate limit"), &|_, _| Ok("--upload-pack=x".to_owned())];
    for compare in responses {
        let clone = checkout(&server, "topic", &SHALLOW);
        let result = find_with(
            &clone,
            &event,
            SearchInput { compare: Some(compare), ..SearchInput::default() },
        );
        result.expect_base(&fork, "merge base of main and the pull request");
        let note =
            result.messages.lines().find(|line| line.contains("did not provide a merge base"));
        let reasons = ["rate limit", "not a commit hash"];
        assert!(note.is_some_and(|note| reasons.iter().any(|why| note.ends_with(why))));
    }
}

#[test]
fn criss_cross_merges_have_the_base_that_git_chooses() {
    let server = Repository::new();
    server.commit(&[("a.txt", "one\n")]);
    server.git(&["branch", "topic"]);
    let first = server.commits(1);
    server.git(&["switch", "--quiet", "topic"]);
    let second = server.commits(1);
    server.merge(&first);
    server.commit(&[("topic.txt", "new\n")]);
    server.git(&["switch", "--quiet", "main"]);
    server.merge(&second);
    server.commits(1);
    let chosen = server.git(&["merge-base", "main", "topic"]);
    for depth in [&SHALLOW[..], &[]] {
        let result = find(&checkout(&server, "topic", depth), &pull_request(&server, "topic"));
        result.expect_base(&chosen, "merge base of main and the pull request");
        let note = "2 merge bases: using HASH, as Git does\n";
        assert!(result.messages.contains(note), "{}", result.messages);
    }
}

/// A random history of `count` commits with one or two parents, most of them recent commits. The
/// last two commits are the tips of `topic` and `main`.
fn random_history(seed: u64, count: u64) -> Repository {
    let server = Repository::new();
    server.commit(&[("a.txt", "one\n")]);
    let mut state = seed;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut stream = "reset refs/heads/start\nfrom refs/heads/main^0\n\n".to_owned();
    for mark in 1..=count {
        let branch = if mark == count { "main" } else { "topic" };
        let time = 1_750_100_000 + mark * 60;
        stream += &format!(
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter A <a> {time} +0000\ndata 0\n"
        );
        // Some parents are far back in the history.
        let mut parent = || {
            let reach = if random(4) == 0 { 40 } else { 6 };
            match mark.saturating_sub(1 + random(reach)) {
                0 => "refs/heads/start".to_owned(),
                mark => format!(":{mark}"),
            }
        };
        let (first, second) = (parent(), parent());
        stream += &format!("from {first}\n");
        if second != first && random(2) == 0 {
            stream += &format!("merge {second}\n");
        }
        stream += "\n";
    }
    server.import(&stream);
    server
}

#[test]
fn the_merge_base_is_independent_of_the_depth_of_the_clone() {
    // With these seeds, a shallow clone shows an older common ancestor first.
    for seed in [1, 27] {
        let server = random_history(seed, 60);
        let base = server.git(&["merge-base", "main", "topic"]);
        for depth in ["--depth=1", "--depth=7"] {
            let clone = checkout(&server, "topic", &[depth]);
            let result = find(&clone, &pull_request(&server, "topic"));
            result.expect_base(&base, "merge base of main and the pull request");
        }
    }
}

#[test]
fn unrelated_histories_have_no_base() {
    let (server, _) = server(1);
    server.git(&["switch", "--quiet", "--orphan", "other"]);
    server.commit(&[("c.txt", "one\n")]);
    let event = pull_request(&server, "other");
    for depth in [&SHALLOW[..], &[]] {
        let result = find(&checkout(&server, "other", depth), &event);
        assert_eq!(result.base, Err("HASH and HASH have no common commit".to_owned()));
    }
    let clone = checkout(&server, "other", &SHALLOW);
    let result =
        find_with(&clone, &event, SearchInput { no_base: NoBase::Full, ..SearchInput::default() });
    result.expect_whole_tree("HASH and HASH have no common commit");
}

#[test]
fn a_failed_fetch_is_reported() {
    let (server, _) = server(3);
    let event = pull_request(&server, "topic");
    let clone = checkout(&server, "topic", &SHALLOW);
    clone.git(&["remote", "rename", "origin", "one"]);
    // The only remote is used.
    assert!(find(&clone, &event).base.is_ok());
    let clone = checkout(&server, "topic", &SHALLOW);
    clone.git(&["remote", "remove", "origin"]);
    let result = find(&clone, &event);
    assert_snapshot!(result.base.expect_err("refused"), @"the clone has no remote to fetch from");
    clone.git(&["remote", "add", "origin", "file:///nowhere/u:secret@x.git"]);
    let result = find(&clone, &event);
    let error = result.base.expect_err("refused");
    assert!(error.starts_with("git fetch: fatal: "), "{error}");
    assert!(error.ends_with("`fetch-depth: 0`, so that nothing must be fetched"), "{error}");
    // A remote that no longer exists is not an error if all commits are present.
    let clone = checkout(&server, "topic", &[]);
    clone.git(&[
        "fetch",
        "--quiet",
        "--no-write-fetch-head",
        "origin",
        "main:refs/remotes/origin/main",
    ]);
    clone.git(&["remote", "set-url", "origin", "file:///nowhere"]);
    assert!(find(&clone, &event).base.is_ok());
}

#[test]
fn a_treeless_clone_fetches_directories_that_differ() {
    let (server, _) = server(1);
    server.commit(&[("folder/deep/c.txt", "one\n")]);
    let before = server.commit(&[("folder/deep/c.txt", "two\n")]);
    server.commit(&[("folder/deep/c.txt", "three\n")]);
    let clone = server.cloned(&["--filter=tree:0"]);
    let push = Event {
        git_ref: Some("refs/heads/main".to_owned()),
        before: Some(before.clone()),
        ..event(Trigger::Push)
    };
    let changed = || {
        let clone = aidd_engine::project::git::Repository::open(clone.root())?;
        clone.changes(&clone.snapshot(&before)?, &clone.snapshot(&clone.commit("HEAD")?)?)
    };
    assert!(changed().is_err());
    let found = base::find(
        &crate::DISTRIBUTION,
        clone.root(),
        &push,
        None,
        NoBase::Error,
        None,
        &mut |_| {},
    );
    assert!(found.is_ok());
    let paths: Vec<_> = changed().expect("read").into_iter().map(|change| change.head).collect();
    assert_eq!(paths, [Some("folder/deep/c.txt".to_owned())]);
}

#[test]
fn a_partial_clone_fetches_old_contents_in_one_request() {
    let (server, fork) = server(1);
    for number in 0..20 {
        server.write(format!("many/{number}"), format!("old {number}\n"));
    }
    let before = server.commit(&[]);
    for number in 0..20 {
        server.write(format!("many/{number}"), format!("new {number}\n"));
    }
    server.commit(&[]);
    let clone = server.cloned(&["--filter=blob:none"]);
    let push = Event {
        git_ref: Some("refs/heads/main".to_owned()),
        before: Some(before.clone()),
        ..event(Trigger::Push)
    };
    let found = base::find(
        &crate::DISTRIBUTION,
        clone.root(),
        &push,
        None,
        NoBase::Error,
        None,
        &mut |_| {},
    );
    assert!(found.is_ok());
    let listed = clone.git(&["ls-tree", "-r", "--object-only", &before]);
    let ids: Vec<String> = listed.lines().map(str::to_owned).collect();
    let packs = || {
        let packs = std::fs::read_dir(clone.path(".git/objects/pack")).expect("packs");
        packs
            .filter(|pack| {
                pack.as_ref()
                    .expect("an entry")
                    .path()
                    .extension()
                    .is_some_and(|extension| extension == "pack")
            })
            .count()
    };
    let missing = || {
        clone
            .git(&["rev-list", "--objects", "--missing=print", &before, "--not", &fork])
            .matches('?')
            .count()
    };
    let count = packs();
    assert_eq!(missing(), 20);
    base::ensure_blobs(&crate::DISTRIBUTION, clone.root(), &ids).expect("fetched");
    assert_eq!((missing(), packs()), (0, count + 1));
    base::ensure_blobs(&crate::DISTRIBUTION, clone.root(), &ids).expect("present");
    assert_eq!(packs(), count + 1);
    base::ensure_blobs(&crate::DISTRIBUTION, clone.root(), &[]).expect("no ids");
    assert!(base::ensure_blobs(&crate::DISTRIBUTION, clone.root(), &["--all".to_owned()]).is_err());
    let error = base::ensure_blobs(&crate::DISTRIBUTION, server.root(), &["1".repeat(40)])
        .expect_err("refused");
    assert_snapshot!(error, @"
    missing from the repository: 1 object
    hint: run `git fsck` to find the cause
    ");
}
