//! The hash by which GitHub code scanning recognizes a line: `primaryLocationLineHash`.

use std::collections::HashMap;

/// Number of UTF-16 units covered by a line's hash, starting at the line and continuing across
/// lines.
const WINDOW: usize = 100;
/// The base of the rolling hash.
const FACTOR: u64 = 37;

/// The hash of each line, followed by `:` and the number of lines with the same hash up to this
/// line.
#[must_use]
pub fn line_hashes(text: &str) -> Vec<String> {
    let mut hasher = Hasher::default();
    let mut starts_line = true;
    let mut after_cr = false;
    for unit in text.encode_utf16().chain([u16::MAX]) {
        let second_of_crlf = after_cr && unit == u16::from(b'\n');
        after_cr = false;
        if unit == u16::from(b' ') || unit == u16::from(b'\t') || second_of_crlf {
            continue;
        }
        after_cr = unit == u16::from(b'\r');
        let unit = if after_cr { u16::from(b'\n') } else { unit };
        hasher.push(unit, starts_line);
        starts_line = unit == u16::from(b'\n');
    }
    // Zeros after the end move the last lines out of the window.
    for _ in 0..WINDOW {
        hasher.push(0, false);
    }
    hasher.lines
}

/// A rolling hash over a window of units. The hash of a line is the value at the moment when the
/// first unit of the line leaves the window.
struct Hasher {
    window: [u16; WINDOW],
    /// Whether a line starts with the unit in the same slot of `window`.
    starts_line: [bool; WINDOW],
    slot: usize,
    hash: u64,
    /// `FACTOR` to the power of `WINDOW`: the weight of the unit that leaves the window.
    oldest_weight: u64,
    seen: HashMap<u64, usize>,
    lines: Vec<String>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            window: [0; WINDOW],
            starts_line: [false; WINDOW],
            slot: 0,
            hash: 0,
            oldest_weight: (0..WINDOW).fold(1, |power: u64, _| power.wrapping_mul(FACTOR)),
            seen: HashMap::new(),
            lines: Vec::new(),
        }
    }
}

impl Hasher {
    fn push(&mut self, unit: u16, starts_line: bool) {
        if self.starts_line[self.slot] {
            let count = self.seen.entry(self.hash).or_default();
            *count += 1;
            self.lines.push(format!("{:x}:{count}", self.hash));
        }
        self.starts_line[self.slot] = starts_line;
        let leaving = u64::from(std::mem::replace(&mut self.window[self.slot], unit));
        self.hash = self
            .hash
            .wrapping_mul(FACTOR)
            .wrapping_add(u64::from(unit))
            .wrapping_sub(self.oldest_weight.wrapping_mul(leaving));
        self.slot = (self.slot + 1) % WINDOW;
    }
}
