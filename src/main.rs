//! `aidd`: one engine in the editor, the pull request and the AI agent. Assembles the program: the
//! shipped pages and families of rules, and the frontends.

use aidd_cli::Place;
use aidd_cli::cli::Mcp;
use aidd_engine::check::Distribution;
use aidd_mcp::{Door, Options};
use std::process::ExitCode;

/// What the program ships.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

fn main() -> ExitCode {
    let doors = aidd_cli::Doors {
        distribution: &DISTRIBUTION,
        lsp: |config| aidd_lsp::run(&DISTRIBUTION, config),
        mcp: |args, place| aidd_mcp::run(&options(args, place)),
    };
    ExitCode::from(aidd_cli::main(doors))
}

/// What was typed, in the words of the agent door.
fn options(args: &Mcp, place: Place) -> Options {
    let http = args.http.as_ref().map(|address| Door {
        address: address.clone(),
        token_file: args.token_file.as_ref().map(|file| place.cwd.join(file)),
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
    });
    Options {
        distribution: &DISTRIBUTION,
        root: place.root,
        config: place.config,
        profile: args.profile,
        is_list: args.list,
        is_dynamic: args.dynamic,
        http,
        environment: |name| std::env::var(name).ok(),
    }
}
