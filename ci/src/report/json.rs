//! JSON for programs.

use super::{Run, wire};
use std::io;

pub(super) fn write(run: &Run<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &wire::report(run))?;
    writeln!(out)
}
