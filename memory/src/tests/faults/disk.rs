//! Full disks and read-only directories: saving fails with a message, reading works, and everything
//! continues when there is space again.
#![expect(clippy::disallowed_methods, reason = "mounts are made by programs")]

use super::processes::Job;
use super::*;
use crate::MemoryError;
use std::fs;
use std::process::Command;

/// A separate file system with this size in kilobytes, where this user can create one.
struct Small(TempDir);

impl Small {
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
        let done = Command::new("mount").args(["-o", options]).arg(self.root()).status();
        assert!(done.expect("a status").success());
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.root()).status();
    }
}

/// Fills the disk except for this number of bytes.
fn fill_but(root: &Path, left: usize) -> std::path::PathBuf {
    use std::io::Write as _;
    let path = root.join("filler");
    let mut file = fs::File::create(&path).expect("a file");
    while file.write_all(&[b'x'; 1024]).is_ok() {}
    let length = file.metadata().expect("a length").len();
    file.set_len(length.saturating_sub(left as u64)).expect("shorter");
    path
}

/// One round on a disk with `left` free bytes: saves until that fails, and again when there is
/// space.
fn on_a_full_disk(root: &Path, wanted: Wanted, left: usize) {
    let mut numbers = Numbers(left as u64);
    let mut memory = opened(root, wanted);
    save_some(&mut memory, &mut numbers, 3);
    let filler = fill_but(root, left);
    let mut acked = Vec::new();
    let mut failed = 0;
    for n in 0..600 {
        if failed == 6 {
            break;
        }
        let text = numbers.words(40);
        let result = match n % 3 {
            0 => memory.save_decision(&decision(&text, None)).map(|saved| saved.id),
            1 => memory.save_insight(&text, None, &Insight::default(), None),
            _ => memory.start_session(new_session("main")).map(|session| session.id),
        };
        match result {
            Ok(id) => acked.push(id),
            Err(
                error @ (MemoryError::Io { .. }
                | MemoryError::Store(_)
                | MemoryError::Unwritable(_)),
            ) => {
                assert!(!error.to_string().contains("damaged"), "{error}");
                failed += 1;
            }
            Err(error) => panic!("{left} bytes: {error}"),
        }
    }
    assert!(failed > 0, "{left} bytes: the disk was not full");
    let said = memory.take_notices();
    assert!(said.iter().all(|notice| !notice.contains("damaged")), "{left} bytes: {said:?}");
    // Existing data can be read, by this process and by a new one.
    let of = |id: &str, memory: &mut ProjectMemory| match id.starts_with("session_") {
        true => memory.session(id).map(|_| ()),
        false => memory.get(&[id.to_owned()]).map(|_| ()),
    };
    for id in &acked {
        of(id, &mut memory).unwrap_or_else(|error| panic!("{left} bytes, open: {error}"));
    }
    let mut other = opened(root, wanted);
    for id in &acked {
        of(id, &mut other).unwrap_or_else(|error| panic!("{left} bytes, reopened: {error}"));
    }
    fs::remove_file(filler).expect("removed");
    for memory in [&mut memory, &mut other] {
        let text = numbers.words(40);
        acked.push(memory.save_decision(&decision(&text, None)).expect("room again").id);
        let text = numbers.words(40);
        acked
            .push(memory.save_insight(&text, None, &Insight::default(), None).expect("room again"));
    }
    drop((memory, other));
    let mut again = opened(root, wanted);
    for id in &acked {
        of(id, &mut again).unwrap_or_else(|error| panic!("{left} bytes, after: {error}"));
    }
    assert_eq!(again.check().expect("checked"), [""; 0]);
    assert_eq!(again.problems().expect("problems"), []);
    assert_eq!(permanent(&mut again), by_files_alone(root), "{left} bytes");
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let rounds = size(6, 50);
    for wanted in [Wanted::Sqlite, Wanted::Json] {
        for round in 0..rounds {
            let Some(disk) = Small::mounted(4096) else {
                say("no disk of its own can be made here: a limit on file sizes instead");
                return limited(wanted);
            };
            on_a_full_disk(disk.root(), wanted, round * 150_000 / rounds);
        }
    }
}

/// Where no disk can be mounted: a worker with a file size limit.
fn limited(wanted: Wanted) {
    if cfg!(not(unix)) {
        return;
    }
    let folder = TempDir::new().expect("a directory");
    let root = folder.path();
    save_some(&mut opened(root, wanted), &mut Numbers(1), 3);
    let job = Job { work: "disk", root, wanted, number: 0, count: 60 };
    let command = job.command();
    // 64 blocks of 1,024 bytes; a write beyond that fails, because the signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 96; exec \"$0\" \"$@\"";
    let mut shell = Command::new("bash");
    shell.args(["-c", script]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        shell.env(name, value.expect("a value"));
    }
    let output = shell.output().expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut memory = opened(root, wanted);
    let acked = fs::read_to_string(root.join("acked")).expect("acks");
    for id in acked.lines() {
        memory.get(&[id.to_owned()]).expect("what was acknowledged");
    }
    memory.save_decision(&decision("There is room again", None)).expect("saved");
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    assert_eq!(permanent(&mut memory), by_files_alone(root));
}

/// Saves until files cannot grow any more; returns the acknowledged ids.
pub(super) fn fill(job: &Job<'_>) {
    let mut numbers = Numbers(2);
    let mut memory = opened(job.root, job.wanted);
    let (mut acked, mut failed) = (String::new(), 0);
    for _ in 0..job.count {
        let text = numbers.words(200);
        match memory.save_decision(&decision(&text, None)) {
            Ok(saved) => acked += &(saved.id + "\n"),
            Err(MemoryError::Io { .. } | MemoryError::Store(_) | MemoryError::Unwritable(_)) => {
                failed += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(failed > 0, "nothing was too long");
    fs::write(job.root.join("acked"), acked).expect("written");
}

#[test]
fn a_limit_on_the_length_of_files_loses_nothing() {
    for wanted in [Wanted::Sqlite, Wanted::Json] {
        limited(wanted);
    }
}

#[test]
fn a_disk_without_write_access_is_read() {
    for wanted in [Wanted::Sqlite, Wanted::Json] {
        let Some(disk) = Small::mounted(4096) else {
            say("no disk of its own can be made here");
            return;
        };
        read_only(disk.root(), wanted, |writable| {
            disk.remount(if writable { "remount,rw" } else { "remount,ro" });
        });
    }
}

/// Tests a project whose disk `switch` makes writable and read-only.
fn read_only(root: &Path, wanted: Wanted, switch: impl Fn(bool)) {
    let mut memory = opened(root, wanted);
    save_some(&mut memory, &mut Numbers(4), 4);
    let (had, whole) = (counts(&mut memory), permanent(&mut memory));
    drop(memory);
    switch(false);
    let mut memory = opened(root, wanted);
    let notices = memory.take_notices();
    assert!(notices[0].ends_with("memory is read-only here"), "{notices:?}");
    assert_eq!(permanent(&mut memory), whole);
    assert_eq!(counts(&mut memory), had);
    for error in [
        memory.save_decision(&decision("No", None)).map(|_| ()).expect_err("refused"),
        memory.start_session(new_session("main")).map(|_| ()).expect_err("refused"),
        memory.import().map(|_| ()).expect_err("refused"),
    ] {
        assert!(error.to_string().contains("nothing can be saved here: "), "{error}");
    }
    switch(true);
    memory.save_decision(&decision("Now it can be saved", None)).expect("saved");
    memory.start_session(new_session("main")).expect("a session");
    assert_eq!(counts(&mut opened(root, wanted))[3], had[3] + 1);
    assert_eq!(permanent(&mut memory), by_files_alone(root));
}
