//! Error rates and power of the decisions, by simulation: `cargo bench -p aidd-evolution`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

pub use aidd_evolution::{candidates, record};

mod worlds;

use worlds::{Shares, World, simulate};

const SEED: u64 = 7;

fn main() {
    let worlds: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(500);
    println!("{worlds} worlds of {} sessions, a look after every session", worlds::SESSIONS);
    println!(
        "roles usage  base effect | applied  wrong | drafted by {}  others drafted",
        worlds::DRAFT_SESSIONS
    );
    for (roles, usage, base, effect) in [
        (1, 0.5, 0.5, 0.0),
        (8, 0.5, 0.5, 0.0),
        (8, 0.5, 0.8, 0.0),
        (8, 0.2, 0.5, 0.0),
        (8, 0.5, 0.6, -0.3),
        (1, 0.5, 0.5, 0.3),
        (4, 0.5, 0.5, 0.3),
        (8, 0.5, 0.5, 0.3),
        (8, 0.5, 0.6, 0.3),
        (16, 0.5, 0.5, 0.3),
        (8, 0.3, 0.5, 0.3),
        (8, 0.2, 0.5, 0.3),
        (8, 0.5, 0.5, 0.15),
    ] {
        let world = World { roles, usage, base, effect };
        let Shares { applied, wrong, drafted, drafted_wrong } = simulate(world, worlds, 1, SEED);
        println!(
            "{roles:5} {usage:5.2} {base:5.2} {effect:6.2} | {applied:7.3} {wrong:6.3} | {drafted:13.3} {drafted_wrong:15.3}"
        );
    }
}
