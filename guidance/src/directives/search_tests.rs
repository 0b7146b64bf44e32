//! Measures the search of directives on labelled requests. The half `tune` was used to correct the
//! search, the half `held` was not.

use super::page::Directives;
use super::search::{Certainty, Filter, Searcher};
use crate::Library;

/// Requests, each with the directives that fit (separated by `|`) or `none`, and the half.
const REQUESTS: &str = include_str!("../../../tests/routing/directives.tsv");

/// The counts of one half.
#[derive(Debug, Default, PartialEq)]
struct Score {
    requests: usize,
    /// The first result fits.
    first: usize,
    /// One of the first three results fits.
    third: usize,
    /// The first result does not fit, and its score says to run it.
    wrong_runs: usize,
    /// Requests for which no directive fits.
    none: usize,
    /// Of them, those for which the search says so.
    none_found: usize,
    /// Of them, those for which the search says to run a directive.
    none_run: usize,
}

fn measure(half: &str) -> (Score, Vec<String>) {
    let directives = Directives::from_library(&Library::shipped(&aidd_content::RULES));
    let searcher = Searcher::new(&directives);
    let (mut score, mut missed) = (Score::default(), Vec::new());
    for line in REQUESTS.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [request, expected, own_half] = fields[..] else { panic!("{line}") };
        if own_half != half {
            continue;
        }
        let found = searcher.search(request, Filter::default());
        let certainty = Certainty::of(found[0].score);
        let is_run = matches!(certainty, Certainty::Certain | Certainty::Likely);
        let fits = |at: usize| expected.split('|').any(|name| found[at].directive.name == name);
        let near: Vec<String> = found[..3]
            .iter()
            .map(|found| format!("{} {:.2}", found.directive.name, found.score))
            .collect();
        let is_missed = if expected == "none" {
            score.none += 1;
            score.none_found += usize::from(certainty == Certainty::None);
            score.none_run += usize::from(is_run);
            certainty != Certainty::None
        } else {
            score.requests += 1;
            score.first += usize::from(fits(0));
            score.third += usize::from((0..3).any(fits));
            score.wrong_runs += usize::from(is_run && !fits(0));
            !fits(0)
        };
        if is_missed {
            missed.push(format!("{request} → {expected}: {}", near.join(", ")));
        }
    }
    (score, missed)
}

#[test]
fn requests_find_their_directives() {
    for (half, first, third, wrong_runs, none_found, none_run) in
        [("tune", 64, 82, 5, 14, 2), ("held", 58, 79, 7, 14, 3)]
    {
        let (score, missed) = measure(half);
        let is_as_good = score.first >= first
            && score.third >= third
            && score.wrong_runs <= wrong_runs
            && score.none_found >= none_found
            && score.none_run <= none_run;
        assert_eq!((score.requests, score.none), (100, 20));
        // The requests of the other half are not listed, so that the search is not fitted to them.
        let missed = if half == "tune" { missed.join("\n") } else { String::new() };
        assert!(is_as_good, "{half}: {score:?}\n{missed}");
    }
}
