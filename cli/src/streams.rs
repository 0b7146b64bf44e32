//! Standard output and error of this process, in the order in which they are written.

use std::cell::RefCell;
use std::io::{self, BufWriter, Stderr, Stdout, Write};
use std::rc::Rc;

/// Standard output, buffered; what is written to standard error comes behind all that was written
/// here before. A terminal shows both.
#[derive(Debug)]
pub(crate) struct Out<W: Write>(Rc<RefCell<BufWriter<W>>>);

/// Standard error.
#[derive(Debug)]
pub(crate) struct Err<W: Write, E: Write> {
    out: Rc<RefCell<BufWriter<W>>>,
    err: E,
}

/// The two of this process.
pub(crate) fn of_process() -> (Out<Stdout>, Err<Stdout, Stderr>) {
    both(io::stdout(), io::stderr())
}

fn both<W: Write, E: Write>(out: W, err: E) -> (Out<W>, Err<W, E>) {
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
        // Whoever closed standard output may still read this; the fault is told where it is met.
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

    /// Two streams that end in one place, as on a terminal.
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
    fn a_terminal_shows_what_was_written_first_first() {
        let terminal = Terminal::default();
        let (mut out, mut err) = both(terminal.clone(), terminal.clone());
        writeln!(out, "wrote a file").expect("written");
        writeln!(err, "next: check").expect("written");
        writeln!(out, "end").expect("written");
        out.flush().expect("written");
        let shown = String::from_utf8(terminal.0.borrow().clone()).expect("text");
        assert_eq!(shown, "wrote a file\nnext: check\nend\n");
    }
}
