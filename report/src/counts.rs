//! Counts of findings by status and severity, and their text.

use super::wire::{Severities, Status};
use super::{number, severity_count};
use aidd_engine::text::finding::Severity;

/// Counts of findings by status and severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// New findings.
    pub new: Severities,
    /// New findings with a safe fix.
    pub safe: usize,
    /// New findings with an unsafe fix.
    pub unsafe_: usize,
    pub moved: usize,
    pub pre_existing: usize,
    pub fixed: usize,
    pub baselined: usize,
    pub allowed: usize,
    /// Ignored by the policy.
    pub ignored: usize,
}

impl Counts {
    /// Adds a finding; `fix` is the safety of its fix.
    pub fn add(&mut self, status: Status, severity: Severity, fix: Option<&str>) {
        match status {
            Status::Baselined => self.baselined += 1,
            Status::Allowed => self.allowed += 1,
            Status::Moved => self.moved += 1,
            Status::PreExisting => self.pre_existing += 1,
            Status::Fixed => self.fixed += 1,
            Status::New => {
                self.new.add(severity);
                match fix {
                    Some("safe") => self.safe += 1,
                    Some(_) => self.unsafe_ += 1,
                    None => {}
                }
            }
        }
    }

    /// `3 errors, 2 warnings`, or `no problems`.
    pub fn found_text(&self) -> String {
        self.text(severity_count, "no problems")
    }

    /// `3 new errors, 2 new warnings`, or `no new problems`.
    pub fn new_text(&self) -> String {
        let text = |count, severity: Severity| match severity {
            Severity::Info => format!("{count} new info"),
            _ => number(count, &format!("new {severity}")),
        };
        self.text(text, "no new problems")
    }

    fn text(&self, text: impl Fn(usize, Severity) -> String, none: &str) -> String {
        let parts: Vec<String> = Severity::ALL
            .into_iter()
            .filter(|&severity| self.new.count(severity) > 0)
            .map(|severity| text(self.new.count(severity), severity))
            .collect();
        if parts.is_empty() { none.to_owned() } else { parts.join(", ") }
    }

    /// `; 2 fixable with --fix, 1 with --fix-unsafe`, or an empty string.
    pub fn fixable_text(&self) -> String {
        match (self.safe, self.unsafe_) {
            (0, 0) => String::new(),
            (safe, 0) => format!("; {safe} fixable with --fix"),
            (0, unsafe_) => format!("; {unsafe_} fixable with --fix-unsafe"),
            (safe, unsafe_) => format!("; {safe} fixable with --fix, {unsafe_} with --fix-unsafe"),
        }
    }

    /// Counts of the findings that are not new: `; 3 pre-existing, 4 baselined`, or an empty
    /// string.
    pub fn known_text(&self) -> String {
        let counts = [
            (self.pre_existing, "pre-existing"),
            (self.moved, "moved"),
            (self.fixed, "fixed"),
            (self.baselined, "baselined"),
            (self.allowed, "allowed"),
            (self.ignored, "ignored"),
        ];
        let nonzero = counts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> =
            nonzero.map(|(count, status)| format!("{count} {status}")).collect();
        if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
    }
}
