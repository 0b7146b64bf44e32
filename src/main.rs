//! `aidd`: one engine behind every door. See the crates `aidd-engine`, `aidd-ci` and
//! `aidd-lsp`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(aidd_ci::main(aidd_ci::Doors { lsp: aidd_lsp::run }))
}
