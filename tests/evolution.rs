//! A simulated month of three teams: what is proposed to each, and when.

mod conventions;
mod experience;

use crate::cli::evolve::TimedMemory;
use crate::cli::support::Project;
use aidd_authoring::evolve::{self, Evolve, log_line, overview};
use aidd_memory::kinds::Mistake;
use aidd_memory::permanent::NewMemory;
use std::fmt::Write as _;

const DAY: i64 = 86_400_000;
/// 1 November 2026.
const START: i64 = 1_793_491_200_000;
/// Sessions on a day.
const SESSIONS: usize = 6;

/// What happens in a team: the roles of a session and the probability in percent that it succeeds.
struct Team {
    name: &'static str,
    config: &'static str,
    sessions: fn(usize) -> (&'static [&'static str], u64),
    /// The days on which the same mistake is made.
    mistakes: &'static [i64],
}

const TEAMS: [Team; 3] = [
    Team {
        name: "a team without any effect",
        config: r#"{"evolution": {"autoApply": 0.9}}"#,
        sessions: |at| {
            ([&["tester"][..], &["architect"], &["tester", "architect"], &[]][at % 4], 60)
        },
        mistakes: &[],
    },
    Team {
        name: "a team that is helped by a role, and lets aidd apply",
        config: r#"{"evolution": {"autoApply": 0.9}}"#,
        sessions: |at| if at % 2 == 0 { (&["security-auditor"], 90) } else { (&["tester"], 50) },
        mistakes: &[3, 9],
    },
    Team {
        name: "a team that decides by itself, and repeats a mistake",
        config: "{}",
        sessions: |at| if at % 2 == 0 { (&["security-auditor"], 90) } else { (&["tester"], 50) },
        mistakes: &[2, 8, 15],
    },
];

/// A number from 0 to 99 that depends on `at` only.
fn chance(at: usize) -> u64 {
    let mut z = (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) % 100
}

/// Replaces ids, which depend on the time of the run, by their kind.
fn without_ids(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n', ';', ':']) {
        let kind = ["draft_", "change_", "entry_", "mistake_"].iter().find(|kind| {
            word.strip_prefix(**kind)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        match kind {
            Some(kind) => {
                let tail = &word[word.trim_end_matches([' ', '\n', ';', ':']).len()..];
                let _ = write!(out, "{}ID{tail}", kind.to_uppercase());
            }
            None => out.push_str(word),
        }
    }
    out
}

#[test]
fn a_month_of_three_teams() {
    let mut text = String::new();
    for team in &TEAMS {
        let _ = writeln!(text, "# {}\n", team.name);
        let project = Project::new(&[
            (".aidd/config.json", team.config),
            ("src/time.ts", "const now = moment();\n"),
            ("src/other.ts", "const other = clock();\n"),
        ]);
        let mut memory = TimedMemory::open(&project, START);
        let mut at = 0;
        for day in 0..30 {
            if team.mistakes.contains(&day) {
                let mistake = NewMemory {
                    content: "`moment()` returned the local time".to_owned(),
                    body: Mistake {
                        prevention: "Create dates with Temporal".to_owned(),
                        files: vec!["src/time.ts".to_owned()],
                        ..Mistake::default()
                    },
                    ..NewMemory::default()
                };
                memory.memory.save_mistake(&mistake).expect("saved");
            }
            for _ in 0..SESSIONS {
                let (roles, percent) = (team.sessions)(at);
                memory.session(("backend", "bugfix"), roles, chance(at) < percent);
                at += 1;
                let opened = aidd_engine::workspace::project::Project::open(
                    &crate::DISTRIBUTION,
                    project.path(),
                    None,
                )
                .expect("a project");
                let evolve = Evolve::new(&opened, None, "aidd");
                let now = memory.now();
                let report = evolve::run(&evolve, &mut memory.memory, now).expect("a run");
                let new = report.applied.iter().chain(&report.drafted).chain(&report.drifted);
                for entry in new {
                    let _ = writeln!(text, "session {at}: {}", log_line(entry));
                    for note in entry.draft.iter().flat_map(|draft| &draft.notes) {
                        let _ = writeln!(text, "  {note}");
                    }
                }
            }
            memory.pass(DAY - SESSIONS as i64 * 3_600_000);
        }
        let opened = aidd_engine::workspace::project::Project::open(
            &crate::DISTRIBUTION,
            project.path(),
            None,
        )
        .expect("a project");
        let evolve = Evolve::new(&opened, None, "aidd");
        let _ = writeln!(text, "\n{}", overview(&evolve).expect("an overview"));
    }
    insta::assert_snapshot!(without_ids(&text));
}
