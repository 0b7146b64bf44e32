//! `aidd`: one engine behind every door. See the crates `aidd-engine` and `aidd-ci`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(aidd_ci::main())
}
