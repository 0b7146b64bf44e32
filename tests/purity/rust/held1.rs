//! Text tables, durations, log files and diagnostics for a maintenance tool.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    Debug,
    Info,
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Record {
    pub seconds: u64,
    pub level: Level,
    pub text: String,
}

#[derive(Debug, Default, Clone)]
pub struct Table {
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
}

pub trait Filter {
    fn accept(&mut self, record: &Record) -> bool;
}

const UNITS: &[(&str, u64)] = &[("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
static VERBOSITY: AtomicU8 = AtomicU8::new(1);
static LOG_DIR: OnceLock<PathBuf> = OnceLock::new();

pub fn human_duration(duration: Duration) -> String {
    let mut rest = duration.as_secs();
    let mut out = String::new();
    for (name, size) in UNITS {
        if rest >= *size {
            write!(out, "{}{name}", rest / size).expect("write to string");
            rest %= size;
        }
    }
    if out.is_empty() {
        out.push_str("0s");
    }
    out
}

pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut total = 0;
    let mut digits = 0u64;
    for c in text.chars() {
        if let Some(d) = c.to_digit(10) {
            digits = digits * 10 + u64::from(d);
            continue;
        }
        let (_, size) = UNITS.iter().find(|(name, _)| name.starts_with(c))?;
        total += std::mem::take(&mut digits) * size;
    }
    Some(Duration::from_secs(total))
}

pub fn next_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let trimmed = rest.trim_start();
    if trimmed.is_empty() {
        return None;
    }
    let end = trimmed.find(' ').unwrap_or(trimmed.len());
    let (word, tail) = trimmed.split_at(end);
    *rest = tail;
    Some(word)
}

pub fn parse_level(word: &str) -> Level {
    match word.to_ascii_lowercase().as_str() {
        "debug" => Level::Debug,
        "error" | "fatal" => Level::Error,
        _ => Level::Info,
    }
}

pub fn parse_record(line: &str) -> Option<Record> {
    let mut rest = line;
    let seconds = next_word(&mut rest)?.parse().ok()?;
    let level = parse_level(next_word(&mut rest)?);
    Some(Record {
        seconds,
        level,
        text: rest.trim().to_string(),
    })
}

pub fn parse_records(text: &str) -> Vec<Record> {
    text.lines().filter_map(parse_record).collect()
}

pub fn read_records(path: &Path) -> io::Result<Vec<Record>> {
    let reader = BufReader::new(File::open(path)?);
    let mut records = Vec::new();
    for line in reader.lines() {
        records.extend(parse_record(&line?));
    }
    Ok(records)
}

pub fn error_total(paths: &[PathBuf]) -> io::Result<usize> {
    let mut n = 0;
    for path in paths {
        n += read_records(path)?
            .iter()
            .filter(|r| r.level == Level::Error)
            .count();
    }
    Ok(n)
}

pub fn count_levels(records: &[Record]) -> BTreeMap<Level, usize> {
    let mut counts = BTreeMap::new();
    for record in records {
        *counts.entry(record.level).or_insert(0) += 1;
    }
    counts
}

pub fn tally(counts: &mut BTreeMap<Level, usize>, record: &Record) {
    *counts.entry(record.level).or_default() += 1;
}

pub fn by_time(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_by_key(|record| record.seconds);
    records
}

pub fn latest_first(records: &mut Vec<Record>) -> Option<&Record> {
    records.sort_by(|a, b| b.seconds.cmp(&a.seconds));
    records.first()
}

pub fn span(records: &[Record]) -> Option<Duration> {
    let sorted = by_time(records.to_vec());
    let (first, last) = (sorted.first()?, sorted.last()?);
    Some(Duration::from_secs(last.seconds - first.seconds))
}

pub fn select(records: &[Record], filter: &mut dyn Filter) -> Vec<Record> {
    let mut kept = Vec::new();
    for record in records {
        if filter.accept(record) {
            kept.push(record.clone());
        }
    }
    kept
}

pub fn set_verbosity(level: u8) -> u8 {
    VERBOSITY.swap(level, Ordering::Relaxed)
}

pub fn visible(record: &Record) -> bool {
    record.level as u8 >= VERBOSITY.load(Ordering::Relaxed)
}

pub fn visible_text(records: &[Record]) -> String {
    let lines: Vec<&str> = records
        .iter()
        .filter(|r| visible(r))
        .map(|r| r.text.as_str())
        .collect();
    lines.join("\n")
}

pub fn log_dir() -> &'static Path {
    LOG_DIR.get_or_init(|| match std::env::var_os("LOG_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => std::env::temp_dir(),
    })
}

pub fn log_path(name: &str) -> PathBuf {
    log_dir().join(name).with_extension("log")
}

pub fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(suffix);
    path.with_file_name(name)
}

pub fn append(path: &Path, record: &Record) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{}", render(record))
}

pub fn render(record: &Record) -> String {
    format!("{} {:?} {}", record.seconds, record.level, record.text)
}

pub fn render_echo(record: &Record) -> String {
    let line = render(record);
    if record.level == Level::Error {
        eprintln!("{line}");
    }
    line
}

pub fn render_all(records: &[Record]) -> Vec<String> {
    records.iter().map(render_echo).collect()
}

pub fn record_now(level: Level, text: &str) -> Record {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Record {
        seconds: since.as_secs(),
        level,
        text: text.to_owned(),
    }
}

pub fn info(text: &str) -> Record {
    record_now(Level::Info, text)
}

pub fn digest(record: &Record) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.hash(&mut hasher);
    hasher.finish()
}

pub fn run_tag() -> String {
    let hasher = RandomState::new().build_hasher();
    format!("run-{:08x}", hasher.finish() as u32)
}

pub fn tagged(name: &str) -> PathBuf {
    PathBuf::from(format!("{name}-{}", run_tag()))
}

impl Table {
    pub fn add(&mut self, cells: &[&str]) -> &mut Self {
        for (i, cell) in cells.iter().enumerate() {
            if i == self.widths.len() {
                self.widths.push(0);
            }
            self.widths[i] = self.widths[i].max(cell.chars().count());
        }
        self.rows
            .push(cells.iter().map(|c| c.to_string()).collect());
        self
    }

    pub fn with_row(mut self, cells: &[&str]) -> Self {
        self.add(cells);
        self
    }

    pub fn is_ragged(&self) -> bool {
        self.rows.iter().any(|row| row.len() != self.widths.len())
    }

    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            for (cell, width) in row.iter().zip(&self.widths) {
                let _ = write!(out, "{cell:<width$} ");
            }
            out.push('\n');
        }
        out
    }

    pub fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(self.to_text().as_bytes())
    }

    pub fn map_cells(&self, edit: fn(&str) -> String) -> Vec<Vec<String>> {
        self.rows
            .iter()
            .map(|row| row.iter().map(|cell| edit(cell)).collect())
            .collect()
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Error => "ERROR",
        })
    }
}
