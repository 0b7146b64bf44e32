//! What it costs to open a memory of a thousand decisions and to save one more. Most of a save is
//! the disk's: `sync` is the limit, one line of 400 bytes written and synced.

use aidd_engine::memory::permanent::New;
use aidd_engine::memory::project::{ProjectMemory, system_clock};
use aidd_engine::memory::store::Wanted;
use divan::Bencher;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

fn main() {
    divan::main();
}

fn open(root: &Path) -> ProjectMemory {
    ProjectMemory::open(root, Wanted::Sqlite, system_clock()).expect("a memory")
}

fn save(memory: &mut ProjectMemory, n: usize) {
    let content = format!("number {n}: component {} serves team {}", n % 97, n % 13);
    let topic = Some(format!("topic {n}"));
    memory.save_decision(&New { content, topic, ..New::default() }).expect("saved");
}

fn of_a_thousand() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let mut memory = open(folder.path());
    (0..1000).for_each(|n| save(&mut memory, n));
    folder
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn save_at_1000(bencher: Bencher) {
    let folder = of_a_thousand();
    let mut memory = open(folder.path());
    let mut n = 1000;
    bencher.bench_local(|| {
        n += 1;
        save(&mut memory, n);
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn open_at_1000(bencher: Bencher) {
    let folder = of_a_thousand();
    bencher.bench_local(|| open(folder.path()));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn sync(bencher: Bencher) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("lines");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
    bencher.bench_local(|| {
        file.write_all(&[b'x'; 400]).and_then(|()| file.sync_data()).expect("synced");
    });
}
