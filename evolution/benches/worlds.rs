//! Simulated worlds: sessions whose success depends on one of several roles, or on none. Every look
//! after a session and every candidate counts.

use crate::candidates::{Facts, Verdict, analyze};
use crate::record::{SessionRecord, TaskType};
use aidd_engine::project::config::{AutoApply, ChangeKind, EvolutionConfig};
use std::collections::BTreeMap;

/// Milliseconds between two sessions: a quarter of a day.
const STEP: i64 = 21_600_000;
/// Number of sessions of a world.
pub(crate) const SESSIONS: usize = 200;
/// Number of sessions within which a draft is expected.
pub(crate) const DRAFT_SESSIONS: usize = 60;

/// The parameters of a simulated world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    /// Number of roles, of which each session uses some.
    pub(crate) roles: usize,
    /// Probability that a session uses a role.
    pub(crate) usage: f64,
    /// Probability of success without the first role.
    pub(crate) base: f64,
    /// What the first role adds.
    pub(crate) effect: f64,
}

/// Shares of the worlds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shares {
    /// The first role was applied within 200 sessions.
    pub(crate) applied: f64,
    /// Another role was applied, or the first one although it has no positive effect.
    pub(crate) wrong: f64,
    /// The first role was drafted within 60 sessions.
    pub(crate) drafted: f64,
    /// Any other role was drafted within 60 sessions.
    pub(crate) drafted_wrong: f64,
}

/// A random number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Simulates `worlds` worlds, and looks after every `every` sessions.
pub(crate) fn simulate(world: World, worlds: usize, every: usize, seed: u64) -> Shares {
    let mut random = Random(seed);
    let mut shares = Shares::default();
    for _ in 0..worlds {
        let seen = one_world(world, every, &mut random);
        let add = |share: &mut f64, is_so: bool| {
            if is_so {
                *share += 1.0 / worlds as f64;
            }
        };
        add(&mut shares.applied, seen.applied && world.effect > 0.0);
        add(&mut shares.wrong, seen.wrong || seen.applied && world.effect <= 0.0);
        add(&mut shares.drafted, seen.drafted);
        add(&mut shares.drafted_wrong, seen.drafted_wrong);
    }
    shares
}

#[derive(Default)]
struct Seen {
    applied: bool,
    wrong: bool,
    drafted: bool,
    drafted_wrong: bool,
}

fn one_world(world: World, every: usize, random: &mut Random) -> Seen {
    let config = EvolutionConfig {
        auto_apply: Some(AutoApply::Above(0.9)),
        types: Some(vec![ChangeKind::RoutingWeight]),
        ..EvolutionConfig::default()
    };
    let mut facts = Facts::default();
    let mut records: Vec<SessionRecord> = Vec::new();
    let mut seen = Seen::default();
    for session in 1..=SESSIONS {
        let roles: BTreeMap<String, u32> = (0..world.roles)
            .filter(|_| random.next() < world.usage)
            .map(|role| (format!("role-{role}"), 1))
            .collect();
        let effect = if roles.contains_key("role-0") { world.effect } else { 0.0 };
        let at = session as i64 * STEP;
        records.push(SessionRecord {
            id: session.to_string(),
            ended_at: at,
            task: TaskType { domain: "backend".to_owned(), nature: "feature".to_owned() },
            last_run_passed: Some(random.next() < world.base + effect),
            roles,
            ..SessionRecord::default()
        });
        if session % every != 0 {
            continue;
        }
        for candidate in analyze(&records, &mut facts, &config, at) {
            let is_first = candidate.subject == "role-0";
            let is_drafted = session <= DRAFT_SESSIONS && candidate.verdict != Verdict::Pending;
            if candidate.verdict == Verdict::Apply {
                *(if is_first { &mut seen.applied } else { &mut seen.wrong }) = true;
            }
            if is_drafted {
                *(if is_first { &mut seen.drafted } else { &mut seen.drafted_wrong }) = true;
            }
        }
        if seen.applied && seen.wrong {
            break;
        }
    }
    seen
}
