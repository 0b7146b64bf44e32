//! Standard output and standard error of this process. Their writes reach a terminal in the order
//! in which they were made.

use std::cell::RefCell;
use std::io::{self, BufWriter, Stderr, Stdout, Write};
use std::rc::Rc;

/// Buffered standard output. It is flushed before each write to standard error, so a terminal shows
/// the output of both in the order of writing.
#[derive(Debug)]
pub(crate) struct Out<W: Write>(Rc<RefCell<BufWriter<W>>>);

/// Standard error, which flushes standard output first.
#[derive(Debug)]
pub(crate) struct Err<W: Write, E: Write> {
    out: Rc<RefCell<BufWriter<W>>>,
    err: E,
}

/// Standard output and standard error of this process.
pub(crate) fn process_streams() -> (Out<Stdout>, Err<Stdout, Stderr>) {
    linked_streams(io::stdout(), io::stderr())
}

fn linked_streams<W: Write, E: Write>(out: W, err: E) -> (Out<W>, Err<W, E>) {
    let out = Rc::new(RefCell::new(BufWriter::new(out)));
    (Out(Rc::clone(&out)), Err { out, err })
}

impl<W: Write> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

impl<W: Write, E: Write> Write for Err<W, E> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Standard output can be closed while standard error is still read. Ignore the error here;
        // the next write to standard output reports it.
        let _ = self.out.borrow_mut().flush();
        self.err.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.err.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two streams with one destination, as on a terminal.
    #[derive(Clone, Default)]
    struct Terminal(Rc<RefCell<Vec<u8>>>);

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn output_order_is_preserved_on_a_terminal() {
        let terminal = Terminal::default();
        let (mut out, mut err) = linked_streams(terminal.clone(), terminal.clone());
        writeln!(out, "wrote a file").expect("written");
        writeln!(err, "next: check").expect("written");
        writeln!(out, "end").expect("written");
        out.flush().expect("written");
        let shown = String::from_utf8(terminal.0.borrow().clone()).expect("text");
        assert_eq!(shown, "wrote a file\nnext: check\nend\n");
    }
}
