//! The `aidd` binary: connects the engine and the built-in rules with the frontends for the editor,
//! the pull request and the AI agent.

use aidd_cli::cli;
use aidd_cli::{Frontends, ServerContext};
use aidd_engine::check::Distribution;
use aidd_mcp::tool::Profile;
use aidd_mcp::{HttpOptions, Options};
use std::process::ExitCode;

/// The embedded rule pages and validators.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

fn main() -> ExitCode {
    let frontends = Frontends {
        distribution: &DISTRIBUTION,
        lsp: |config| aidd_lsp::run(&DISTRIBUTION, config),
        mcp: |args, context| aidd_mcp::run(&options(args, context)),
    };
    ExitCode::from(aidd_cli::main(frontends))
}

/// Converts the arguments of `aidd mcp` to the options of the agent frontend.
fn options(args: &cli::Mcp, context: ServerContext) -> Options {
    let http = args.http.as_ref().map(|address| HttpOptions {
        address: address.clone(),
        token_file: args.token_file.as_ref().map(|file| context.cwd.join(file)),
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
    });
    Options {
        distribution: &DISTRIBUTION,
        root: context.root,
        config: context.config,
        profile: profile(args.profile),
        is_list: args.list,
        is_dynamic: args.dynamic,
        http,
        environment: |name| std::env::var(name).ok(),
    }
}

fn profile(argument: cli::Profile) -> Profile {
    match argument {
        cli::Profile::Engine => Profile::Engine,
        cli::Profile::Core => Profile::Core,
        cli::Profile::Memory => Profile::Memory,
        cli::Profile::Tools => Profile::Tools,
        cli::Profile::Index => Profile::Index,
        cli::Profile::Aifp => Profile::Aifp,
        cli::Profile::Lean => Profile::Lean,
        cli::Profile::Plan => Profile::Plan,
    }
}
