//! Tests with unusual paths and files: links out of the project, read-only directories, files that
//! are not text, and files that Git replaces while a process uses them.

use super::*;
use crate::log::ProblemKind;
use std::fs;

const FILE: &str = "ai/memory/decisions.jsonl";

#[cfg(unix)]
mod unix {
    use super::super::processes::Job;
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn assert_refused(root: &Path, name: &str) {
        for choice in [BackendChoice::Auto, BackendChoice::Sqlite, BackendChoice::Json] {
            let clock = crate::project::system_clock();
            let error =
                ProjectMemory::open(&crate::DISTRIBUTION, root, choice, clock).expect_err(name);
            assert!(
                error.to_string().contains("is a link, and the store is neither read nor written"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_store_behind_a_link_is_refused() {
        let (folder, other) = (ram_temp_dir(), ram_temp_dir());
        let victim = other.path().join("victim.db");
        let connection = rusqlite::Connection::open(&victim).expect("a database");
        connection.execute_batch("CREATE TABLE mine (x)").expect("made");
        drop(connection);
        let before = fs::read(&victim).expect("bytes");
        symlink(other.path(), folder.path().join(".aidd")).expect("linked");
        assert_refused(folder.path(), "a folder");
        fs::remove_file(folder.path().join(".aidd")).expect("removed");
        fs::create_dir(folder.path().join(".aidd")).expect("made");
        for name in ["data.db", "data.db-wal", "data.db-shm", "data.jsonl"] {
            let link = folder.path().join(".aidd").join(name);
            symlink(&victim, &link).expect("linked");
            assert_refused(folder.path(), name);
            fs::remove_file(link).expect("removed");
        }
        assert_eq!(fs::read(&victim).expect("bytes"), before);
        assert_eq!(fs::read_dir(other.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn locks_and_probes_behind_links_are_refused() {
        let (folder, other) = (ram_temp_dir(), ram_temp_dir());
        let aidd = folder.path().join(".aidd");
        fs::create_dir(&aidd).expect("made");
        let victim = other.path().join("victim");
        for name in ["data.lock", "data.journal.lock", "data.salvage.lock", "data.salvage"] {
            for content in [None, Some("mine")] {
                content.map_or(Ok(()), |text| fs::write(&victim, text)).expect("written");
                symlink(&victim, aidd.join(name)).expect("linked");
                assert_refused(folder.path(), name);
                fs::remove_file(aidd.join(name)).expect("removed");
                let content_after = fs::read_to_string(&victim).ok();
                assert_eq!(content_after.as_deref(), content, "{name}");
            }
            fs::remove_file(&victim).expect("removed");
        }
        // Switching branches adds a link while the store is open.
        let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        fs::write(&victim, "mine").expect("written");
        let lock = aidd.join("data.journal.lock");
        let _ = fs::remove_file(&lock);
        symlink(other.path().join("new"), &lock).expect("linked");
        let error = memory.save_decision(&decision("Ours", None)).expect_err("refused");
        assert!(error.to_string().contains("is a link"), "{error}");
        assert!(!other.path().join("new").exists());
        let probe = aidd.join(format!("data.probe-{}", std::process::id()));
        symlink(&victim, &probe).expect("linked");
        assert!(crate::store::lock::can_write(&aidd));
        assert_eq!(fs::read_to_string(&victim).expect("read"), "mine");
        assert!(!probe.exists());
    }

    /// A cloned repository must not choose which of the user's files are read.
    #[test]
    fn only_files_next_to_a_list_of_damaged_stores_are_examined() {
        for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
            let (folder, other) = (ram_temp_dir(), ram_temp_dir());
            let mut theirs = open_with_notices(other.path(), choice);
            theirs.save_insight("secret plan", None, &Insight::default(), None).expect("saved");
            let path = theirs.read(&mut |store| Ok(store.path().to_owned())).expect("a path");
            drop(theirs);
            let aidd = folder.path().join(".aidd");
            fs::create_dir(&aidd).expect("made");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let up = format!(
                "../../{}/.aidd/{name}",
                other.path().file_name().expect("a name").to_string_lossy()
            );
            rustix::fs::mknodat(
                rustix::fs::CWD,
                aidd.join("data.pipe"),
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
                0,
            )
            .expect("a pipe");
            let list = format!("first {}\nfirst {up}\nfirst data.pipe\n", path.display());
            fs::write(aidd.join("data.salvage"), list).expect("written");
            let mut memory = open_with_notices(folder.path(), choice);
            assert_eq!(counts(&mut memory), [0; 4], "{choice:?}");
            assert!(!aidd.join("data.salvage").exists());
            // A store next to the list is examined.
            fs::copy(&path, aidd.join("data.old")).expect("copied");
            fs::write(aidd.join("data.salvage"), "first data.old\n").expect("written");
            let found = if choice == BackendChoice::Sqlite { 1 } else { 0 };
            assert_eq!(counts(&mut open_with_notices(folder.path(), choice))[1], found);
        }
    }

    #[test]
    fn an_unreadable_file_does_not_affect_the_other_files() {
        for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
            let folder = ram_temp_dir();
            let mut memory = open_with_notices(folder.path(), choice);
            memory.save_decision(&decision("Ours", None)).expect("saved");
            let link = folder.path().join("ai/memory/mistakes.jsonl");
            symlink("mistakes.jsonl", &link).expect("linked");
            assert_eq!(counts(&mut memory)[2], 1);
            assert_eq!(memory.take_notices(), [""; 0]);
            memory.import().expect("imported");
            let problems = memory.problems().expect("problems");
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!(problems[0].kind, ProblemKind::UnreadableFile);
            assert!(problems[0].message.starts_with("cannot read ai/memory/mistakes.jsonl"));
            let notice = memory.new_unread_notice().expect("a notice");
            assert!(notice.starts_with("cannot read ai/memory/mistakes.jsonl: "), "{notice}");
            assert!(notice.ends_with("; run `aidd memory doctor`"), "{notice}");
            assert_eq!(memory.new_unread_notice(), None);
            memory.save_decision(&decision("More", None)).expect("saved");
            memory.save_mistake(&mistake("boom", "f")).expect_err("it cannot be written");
            fs::remove_file(link).expect("removed");
            memory.save_mistake(&mistake("boom", "f")).expect("saved");
            assert_eq!(memory.problems().expect("problems"), []);
            assert_eq!(counts(&mut memory)[2], 3);
        }
    }

    #[test]
    fn tracked_files_behind_a_link_that_leads_out_are_neither_read_nor_written() {
        let (folder, other) = (ram_temp_dir(), ram_temp_dir());
        let theirs =
            open_memory(other.path(), BackendChoice::Json).save_decision(&decision("Theirs", None));
        theirs.expect("saved");
        let before = text(other.path(), FILE);
        symlink(other.path().join("ai"), folder.path().join("ai")).expect("linked");
        let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        assert_eq!(counts(&mut memory), [0; 4]);
        let problems = memory.problems().expect("problems");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].kind, ProblemKind::UnreadableFile);
        assert!(problems[0].message.ends_with("a link that leads out of the project"));
        let error = memory.save_decision(&decision("Ours", None)).expect_err("refused");
        assert!(error.to_string().contains("is a link"), "{error}");
        assert_eq!(text(other.path(), FILE), before);
        // A link within the project is treated like a file.
        fs::remove_file(folder.path().join("ai")).expect("removed");
        write(folder.path(), "docs/memory/decisions.jsonl", &before);
        fs::create_dir(folder.path().join("ai")).expect("made");
        symlink(folder.path().join("docs/memory"), folder.path().join("ai/memory"))
            .expect("linked");
        assert_eq!(counts(&mut memory), [0, 0, 1, 0]);
        memory.save_decision(&decision("Ours", None)).expect("saved");
    }

    #[test]
    fn devices_and_pipes_are_not_read() {
        for source in ["/dev/zero", "pipe"] {
            let folder = ram_temp_dir();
            fs::create_dir_all(folder.path().join("ai/memory")).expect("made");
            let path = folder.path().join(FILE);
            if source == "pipe" {
                rustix::fs::mknodat(
                    rustix::fs::CWD,
                    &path,
                    rustix::fs::FileType::Fifo,
                    rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
                    0,
                )
                .expect("a pipe");
            } else {
                symlink(source, &path).expect("linked");
            }
            let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
            memory.import().expect("imported");
            let problems = memory.problems().expect("problems");
            assert!(problems[0].message.ends_with("it is not a file"), "{problems:?}");
        }
    }

    /// Lets a worker that runs as another user read a project of this user; only root can do this.
    fn run_as_nobody(root: &Path) -> Option<std::process::Output> {
        use std::os::unix::fs::MetadataExt;
        use std::os::unix::process::CommandExt;
        if fs::metadata(root).expect("a directory").uid() != 0 {
            return None;
        }
        let job = Job {
            work: "report-contents",
            root,
            choice: BackendChoice::Sqlite,
            number: 0,
            count: 0,
        };
        let mut command = job.command();
        Some(command.uid(65_534).gid(65_534).output().expect("a process"))
    }

    #[test]
    fn a_project_of_another_user_can_be_read() {
        let folder = TempDir::new().expect("a directory");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("set");
        let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        save_some(&mut memory, &mut Rng(6), 3);
        let set_mode = |path: &str, mode: u32| {
            let path = folder.path().join(path);
            if path.exists() {
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
            }
        };
        for path in [".aidd", "ai", "ai/memory"] {
            set_mode(path, 0o755);
        }
        for name in [".aidd/data.db", ".aidd/data.db-wal", ".aidd/data.db-shm", ".aidd/data.lock"] {
            set_mode(name, 0o644);
        }
        // The other user can read the files of this user, while the log is in use and after
        // closing.
        let nobody = run_as_nobody(folder.path());
        drop(memory);
        let Some(nobody) = nobody else {
            print_note("only root can start a process as another user");
            return;
        };
        for output in [Some(nobody), run_as_nobody(folder.path())].into_iter().flatten() {
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{stderr}");
            assert!(stderr.contains("contents: 3 permanent, 3 sessions"), "{stderr}");
            // The message comes from the system or from SQLite.
            let why = ["Permission denied", "readonly database"];
            assert!(why.iter().any(|why| stderr.contains(why)), "{stderr}");
        }
        // A tracked file that only its owner can read: the store's copy remains in use.
        set_mode(FILE, 0o600);
        let output = run_as_nobody(folder.path()).expect("another user");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("contents: 3 permanent, 3 sessions"), "{stderr}");
        set_mode(FILE, 0o644);
        // The directory is writable, and the files of the log are not.
        set_mode(".aidd", 0o777);
        set_mode(".aidd/data.db", 0o666);
        let memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        set_mode(".aidd/data.db-shm", 0o600);
        set_mode(".aidd/data.db-wal", 0o600);
        let output = run_as_nobody(folder.path()).expect("another user");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stderr}");
        assert!(stderr.contains("contents: 3 permanent, 3 sessions"), "{stderr}");
        drop(memory);
    }
}

/// A lock that this user cannot take prevents writing; readers retry it from time to time.
#[test]
fn a_blocked_lock_is_not_retried_at_every_read() {
    let folder = ram_temp_dir();
    let mut memory = open_with_notices(folder.path(), BackendChoice::Json);
    memory.save_insight("lesson", None, &Insight::default(), None).expect("saved");
    drop(memory);
    let lock = folder.path().join(".aidd/data.lock");
    fs::remove_file(&lock).expect("removed");
    fs::create_dir(&lock).expect("a directory in place of the lock");
    let mut memory = open_with_notices(folder.path(), BackendChoice::Json);
    assert_eq!(memory.take_notices().len(), 1);
    let mut notices = 0;
    for _ in 0..50 {
        assert_eq!(counts(&mut memory)[1], 1);
        notices += memory.take_notices().len();
    }
    // Each attempt adds a notice. Even on a slow machine, most reads do not attempt to write.
    assert!(notices < 25, "{notices} attempts");
    let error = memory.save_insight("more", None, &Insight::default(), None).expect_err("refused");
    assert!(error.to_string().starts_with("nothing can be saved in this project"), "{error}");
    // Unlike a reader, a writer retries immediately.
    fs::remove_dir(&lock).expect("removed");
    memory.save_insight("more", None, &Insight::default(), None).expect("saved");
    assert_eq!(counts(&mut memory)[1], 2);
}

/// Prints the contents of a project as a worker reads them.
pub(super) fn report_contents(root: &Path, choice: BackendChoice) {
    let mut memory = open_with_notices(root, choice);
    let [_, _, permanent, sessions] = counts(&mut memory);
    print_note(&format!("contents: {permanent} permanent, {sessions} sessions"));
    print_note(&format!("{:?}", memory.take_notices()));
    let saved = memory.save_decision(&decision("Mine", None));
    print_note(&format!("{:?}", saved.map_err(|error| error.to_string())));
}

#[test]
fn binary_and_oversized_files_are_skipped() {
    on_both_stores(|root, memory| {
        memory.save_decision(&decision("Good", None)).expect("saved");
        let good = text(root, FILE);
        let mut numbers = Rng(8);
        let mut bytes: Vec<u8> = (0..200_000).map(|_| numbers.next().to_le_bytes()[0]).collect();
        bytes.extend([0; 100_000]);
        bytes.push(b'\n');
        bytes.extend(good.bytes());
        fs::write(root.join(FILE), &bytes).expect("written");
        assert_eq!(counts(memory)[2], 1);
        let problems = memory.problems().expect("problems");
        assert!(problems.iter().all(|problem| problem.kind == ProblemKind::MalformedLine));
        memory.save_decision(&decision("More", None)).expect("saved");
        assert!(fs::read(root.join(FILE)).expect("bytes").starts_with(&bytes));

        // A gigabyte of zeros: a hole in the file, so that it uses no disk space.
        let file = fs::OpenOptions::new().write(true).open(root.join(FILE)).expect("a file");
        file.set_len(1 << 30).expect("long");
        assert_eq!(counts(memory)[2], 2);
        let problems = memory.problems().expect("problems");
        assert!(problems[0].message.ends_with("longer than 256 MiB"), "{problems:?}");
        file.set_len(bytes.len() as u64).expect("short");
        drop(file);
        assert_eq!(counts(memory)[2], 1);
    });
}

/// Git replaces an open file. No saved memory is lost from the store, and all lines of the new file
/// are read.
#[test]
fn saved_memories_are_retained_when_git_switches_branches() {
    on_both_stores(|root, memory| {
        let base = memory.save_decision(&decision("Base", Some("base"))).expect("saved").id;
        let base_lines = text(root, FILE);
        let other = ram_temp_dir();
        write(other.path(), FILE, &base_lines);
        let theirs = open_with_notices(other.path(), BackendChoice::Json)
            .save_decision(&decision("Theirs", Some("theirs")))
            .expect("saved")
            .id;
        let branch = text(other.path(), FILE);
        for n in 0..size(20, 400) {
            let ours = decision(&format!("Ours {}", Rng(n as u64).words(3)), None);
            let ours = memory.save_decision(&ours).expect("saved").id;
            let mine = text(root, FILE);
            // As Git does it: the old file is deleted, and a new file gets its name.
            fs::remove_file(root.join(FILE)).expect("removed");
            write(root, FILE, &branch);
            let is_visible = |memory: &mut ProjectMemory, id: &str| {
                memory.read(&mut |store| store.entry(id)).expect("read").is_some()
            };
            assert!(
                is_visible(memory, &theirs)
                    && is_visible(memory, &base)
                    && !is_visible(memory, &ours)
            );
            fs::remove_file(root.join(FILE)).expect("removed");
            write(root, FILE, &mine);
            assert!(is_visible(memory, &ours) && !is_visible(memory, &theirs));
        }
        assert_eq!(permanent_text(memory), permanent_text_of_files(root));
    });
}

/// Git replaces the file while another thread saves continuously.
#[test]
fn acknowledged_writes_are_retained_during_concurrent_merges() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let folder = ram_temp_dir();
        let root = folder.path().to_owned();
        drop(open_with_notices(&root, choice));
        let writes = size(60, 2000);
        let writer = {
            let root = root.clone();
            std::thread::spawn(move || {
                let mut memory = open_with_notices(&root, choice);
                let mut numbers = Rng(12);
                (0..writes)
                    .map(|_| {
                        let text = numbers.words(4);
                        memory.save_decision(&decision(&text, None)).expect("saved").id
                    })
                    .collect::<Vec<String>>()
            })
        };
        // Adds lines as a merge does: writes all existing lines and one more.
        let mut numbers = Rng(13);
        let mut foreign = Vec::new();
        while !writer.is_finished() {
            let line = crate::log::Revision::first(
                Kind::Decision,
                format!("decision_1_{}", foreign.len()),
                START,
                numbers.words(3),
            );
            let line = line.with_rev();
            let lock = crate::journal::Journal::new(&root).lock();
            // A real merge does not take the lock. The test holds it between reading and writing,
            // because a merge loses the lines that others write in between.
            let before = fs::read_to_string(root.join(FILE)).unwrap_or_default();
            let merged = root.join("ai/memory/merged");
            if before.is_empty() {
                continue;
            }
            fs::write(&merged, format!("{before}{}\n", line.line())).expect("written");
            fs::rename(&merged, root.join(FILE)).expect("renamed");
            drop(lock);
            foreign.push(line.id);
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
        let saved = writer.join().expect("written");
        let mut memory = open_with_notices(&root, choice);
        for id in saved.iter().chain(&foreign) {
            memory.get(std::slice::from_ref(id)).expect("there");
        }
        assert_eq!(permanent_text(&mut memory), permanent_text_of_files(&root));
        assert_eq!(memory.problems().expect("problems"), []);
    }
}
