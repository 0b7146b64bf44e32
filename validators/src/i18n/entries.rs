//! Counts the entries of catalogues of other projects, for `tests/precision/rate`.

use super::layout::layout;
use super::{is_catalogue, is_skipped, read};
use aidd_engine::text::files::{Disk, Files};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The largest catalogue that is counted, in bytes.
const MAX_SIZE: u64 = 16 * 1024 * 1024;

#[expect(clippy::disallowed_methods, reason = "reads the list of other projects and writes counts")]
#[test]
#[ignore = "prints the entries of the files that the file CATALOGUES lists, a checkout and a path on each line"]
fn entries_of_catalogues() {
    let list = std::env::var_os("CATALOGUES").expect("the variable CATALOGUES");
    let output = std::env::var_os("ENTRIES").expect("the variable ENTRIES");
    let list = std::fs::read_to_string(list).expect("a list of files");
    let mut checkouts = BTreeMap::<&str, Vec<&str>>::new();
    for (checkout, path) in list.lines().filter_map(|line| line.split_once('\t')) {
        checkouts.entry(checkout).or_default().push(path);
    }
    let mut counts = String::new();
    for (checkout, paths) in checkouts {
        let disk = Disk::new(PathBuf::from(checkout));
        for path in paths {
            let Some(layout) = layout(path) else { continue };
            let Ok(bytes) = disk.read(path, MAX_SIZE) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            if !is_catalogue(path, &text) || is_skipped(path, &disk) {
                continue;
            }
            if let Some(catalogue) = read::read(&layout, &text) {
                let used = catalogue.entries.iter().filter(|entry| !entry.inactive).count();
                let syntax = if catalogue.is_icu { "icu" } else { "-" };
                let format = layout.format;
                let _ = writeln!(counts, "{checkout}\t{path}\t{format:?}\t{used}\t{syntax}");
            }
        }
    }
    std::fs::write(output, counts).expect("a file that can be written");
}
