//! JSON reports.

use super::{Document, escape, wire};
use std::io;

pub(super) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    escape::write_json(&wire::report(document), out)
}
