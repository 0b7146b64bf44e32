//! Parsing of scripts in JavaScript and TypeScript, for all families.

pub(crate) mod nesting;

use aidd_engine::text::source::Source;
use nesting::{TooComplex, with_stack};
use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use std::cell::RefCell;

/// Maximum number of bytes that a thread keeps allocated between two files.
const MAX_RETAINED_BYTES: usize = 8 << 20;

thread_local! {
    /// The memory of the trees of a thread. Most of the cost of fresh memory is in the page faults.
    static ALLOCATOR: RefCell<Allocator> = RefCell::default();
}

/// Parses a script and passes its tree to `check`, on a stack on which a walk over the tree does not
/// overflow. `check` is not called if the parser cannot recover from an error in the text.
pub(crate) fn with_program(
    source: &Source,
    check: impl FnOnce(&Program<'_>),
) -> Result<(), TooComplex> {
    let Ok(source_type) = SourceType::from_path(source.path()) else { return Ok(()) };
    with_program_of_type(source.text(), source_type, check)
}

/// Like [`with_program`], for a text of a known type.
pub(crate) fn with_program_of_type(
    text: &str,
    source_type: SourceType,
    check: impl FnOnce(&Program<'_>),
) -> Result<(), TooComplex> {
    // Many projects write JSX in files with the extension `.js`.
    let source_type = source_type.with_jsx(source_type.is_javascript() || source_type.is_jsx());
    with_stack(text, || {
        with_allocator(|allocator| {
            let options = ParseOptions {
                preserve_parens: false,
                allow_return_outside_function: true,
                // Names are compared with strings only.
                enable_ident_hashes: false,
                ..ParseOptions::default()
            };
            let parsed = Parser::new(allocator, text, source_type).with_options(options).parse();
            if !parsed.panicked {
                check(&parsed.program);
            }
        });
    })
}

/// Runs `check` with the memory of the thread, which is empty before and after.
fn with_allocator(check: impl FnOnce(&Allocator)) {
    ALLOCATOR.with(|retained| match retained.try_borrow_mut() {
        Ok(mut allocator) => {
            // A check that panicked has not emptied the memory.
            allocator.reset();
            check(&allocator);
            if allocator.capacity() > MAX_RETAINED_BYTES {
                *allocator = Allocator::default();
            } else {
                allocator.reset();
            }
        }
        Err(_) => check(&Allocator::default()),
    });
}
