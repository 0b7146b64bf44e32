//! Tests with full disks and read-only directories: saving fails with a message, reading works, and
//! saving works again when there is space.
#![expect(clippy::disallowed_methods, reason = "runs `mount` and writes files")]

use super::processes::Job;
use super::*;
use crate::MemoryError;
use std::fs;
use std::process::Command;

/// A small file system, mounted in a temporary directory.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts a file system of this size; `None` if this user cannot mount one.
    fn mounted(kilobytes: usize) -> Option<Self> {
        let folder = TempDir::new().expect("a directory");
        let options = format!("size={kilobytes}k,mode=777");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then_some(Self(folder))
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, options: &str) {
        let status = Command::new("mount").args(["-o", options]).arg(self.root()).status();
        assert!(status.expect("a status").success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.root()).status();
    }
}

/// Fills the disk except for `free` bytes.
fn fill_except(root: &Path, free: usize) -> std::path::PathBuf {
    use std::io::Write as _;
    let path = root.join("filler");
    let mut file = fs::File::create(&path).expect("a file");
    while file.write_all(&[b'x'; 1024]).is_ok() {}
    let length = file.metadata().expect("a length").len();
    file.set_len(length.saturating_sub(free as u64)).expect("shorter");
    path
}

/// Runs one round on a disk with `free` free bytes: saves until saving fails, and again when there
/// is space.
fn check_full_disk(root: &Path, choice: BackendChoice, free: usize) {
    let mut numbers = Rng(free as u64);
    let mut memory = open_with_notices(root, choice);
    save_some(&mut memory, &mut numbers, 3);
    let filler = fill_except(root, free);
    let mut saved_ids = Vec::new();
    let mut failures = 0;
    for n in 0..600 {
        if failures == 6 {
            break;
        }
        let text = numbers.words(40);
        let result = match n % 3 {
            0 => memory.save_decision(&decision(&text, None)).map(|saved| saved.id),
            1 => memory.save_insight(&text, None, &Insight::default(), None),
            _ => memory.start_session(new_session("main")).map(|session| session.id),
        };
        match result {
            Ok(id) => saved_ids.push(id),
            Err(
                error @ (MemoryError::Io { .. }
                | MemoryError::Store(_)
                | MemoryError::Unwritable(_)),
            ) => {
                assert!(!error.to_string().contains("damaged"), "{error}");
                failures += 1;
            }
            Err(error) => panic!("{free} bytes: {error}"),
        }
    }
    assert!(failures > 0, "{free} bytes: the disk was not full");
    let notices = memory.take_notices();
    assert!(notices.iter().all(|notice| !notice.contains("damaged")), "{free} bytes: {notices:?}");
    // Existing data can be read, by this process and by a new one.
    let read_back = |id: &str, memory: &mut ProjectMemory| match id.starts_with("session_") {
        true => memory.session(id).map(|_| ()),
        false => memory.get(&[id.to_owned()]).map(|_| ()),
    };
    for id in &saved_ids {
        read_back(id, &mut memory).unwrap_or_else(|error| panic!("{free} bytes, open: {error}"));
    }
    let mut other = open_with_notices(root, choice);
    for id in &saved_ids {
        read_back(id, &mut other).unwrap_or_else(|error| panic!("{free} bytes, reopened: {error}"));
    }
    fs::remove_file(filler).expect("removed");
    for memory in [&mut memory, &mut other] {
        let text = numbers.words(40);
        saved_ids.push(memory.save_decision(&decision(&text, None)).expect("space again").id);
        let text = numbers.words(40);
        saved_ids.push(
            memory.save_insight(&text, None, &Insight::default(), None).expect("space again"),
        );
    }
    drop((memory, other));
    let mut reopened = open_with_notices(root, choice);
    for id in &saved_ids {
        read_back(id, &mut reopened).unwrap_or_else(|error| panic!("{free} bytes, after: {error}"));
    }
    assert_eq!(reopened.check().expect("checked"), [""; 0]);
    assert_eq!(reopened.problems().expect("problems"), []);
    assert_eq!(permanent_text(&mut reopened), permanent_text_of_files(root), "{free} bytes");
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let rounds = size(6, 50);
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        for round in 0..rounds {
            let Some(disk) = SmallDisk::mounted(4096) else {
                print_note(
                    "cannot mount a separate disk; testing with a limit on file sizes instead",
                );
                return check_file_size_limit(choice);
            };
            check_full_disk(disk.root(), choice, round * 150_000 / rounds);
        }
    }
}

/// Runs a worker with a file size limit, for systems on which no disk can be mounted.
fn check_file_size_limit(choice: BackendChoice) {
    if cfg!(not(unix)) {
        return;
    }
    let folder = TempDir::new().expect("a directory");
    let root = folder.path();
    save_some(&mut open_with_notices(root, choice), &mut Rng(1), 3);
    let job = Job { work: "disk", root, choice, number: 0, count: 60 };
    let command = job.command();
    // 96 blocks of 1,024 bytes. A write beyond the limit fails, because the signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 96; exec \"$0\" \"$@\"";
    let mut shell = Command::new("bash");
    shell.args(["-c", script]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        shell.env(name, value.expect("a value"));
    }
    let output = shell.output().expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut memory = open_with_notices(root, choice);
    let saved_ids = fs::read_to_string(root.join("acked")).expect("acks");
    for id in saved_ids.lines() {
        memory.get(&[id.to_owned()]).expect("what was acknowledged");
    }
    memory.save_decision(&decision("There is room again", None)).expect("saved");
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    assert_eq!(permanent_text(&mut memory), permanent_text_of_files(root));
}

/// Saves until files cannot grow any more; writes the acknowledged ids to a file.
pub(super) fn fill(job: &Job<'_>) {
    let mut numbers = Rng(2);
    let mut memory = open_with_notices(job.root, job.choice);
    let (mut saved_ids, mut failures) = (String::new(), 0);
    for _ in 0..job.count {
        let text = numbers.words(200);
        match memory.save_decision(&decision(&text, None)) {
            Ok(saved) => saved_ids += &(saved.id + "\n"),
            Err(MemoryError::Io { .. } | MemoryError::Store(_) | MemoryError::Unwritable(_)) => {
                failures += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(failures > 0, "no write exceeded the file size limit");
    fs::write(job.root.join("acked"), saved_ids).expect("written");
}

#[test]
fn a_file_size_limit_loses_no_acknowledged_memory() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        check_file_size_limit(choice);
    }
}

#[test]
fn a_read_only_disk_can_be_read() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let Some(disk) = SmallDisk::mounted(4096) else {
            print_note("cannot mount a separate disk");
            return;
        };
        check_read_only(disk.root(), choice, |writable| {
            disk.remount(if writable { "remount,rw" } else { "remount,ro" });
        });
    }
}

/// Checks a project on a disk that `switch` makes writable (`true`) or read-only.
fn check_read_only(root: &Path, choice: BackendChoice, switch: impl Fn(bool)) {
    let mut memory = open_with_notices(root, choice);
    save_some(&mut memory, &mut Rng(4), 4);
    let (counts_before, permanent_before) = (counts(&mut memory), permanent_text(&mut memory));
    drop(memory);
    switch(false);
    let mut memory = open_with_notices(root, choice);
    let notices = memory.take_notices();
    assert!(notices[0].ends_with("memory is read-only in this project"), "{notices:?}");
    assert_eq!(permanent_text(&mut memory), permanent_before);
    assert_eq!(counts(&mut memory), counts_before);
    for error in [
        memory.save_decision(&decision("No", None)).map(|_| ()).expect_err("refused"),
        memory.start_session(new_session("main")).map(|_| ()).expect_err("refused"),
        memory.import().map(|_| ()).expect_err("refused"),
    ] {
        assert!(error.to_string().contains("nothing can be saved in this project: "), "{error}");
    }
    switch(true);
    memory.save_decision(&decision("Now it can be saved", None)).expect("saved");
    memory.start_session(new_session("main")).expect("a session");
    assert_eq!(counts(&mut open_with_notices(root, choice))[3], counts_before[3] + 1);
    assert_eq!(permanent_text(&mut memory), permanent_text_of_files(root));
}
