//! JSON for programs.

use super::{Document, wire};
use std::io;

pub(super) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &wire::report(document))?;
    writeln!(out)
}
