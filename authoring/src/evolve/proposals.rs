//! The loop from experience to rules: mistakes that recur, rules that are mostly allowed, observations
//! that several sessions confirm.

use super::check::{Occurrence, find_check};
use super::{Evolve, EvolveError, slug};
use aidd_engine::check::Selection;
use aidd_engine::project::config::{ChangeKind, Level};
use aidd_engine::text::finding::Severity;
use aidd_evolution::SessionRecord;
use aidd_evolution::log::{Category, Figures};
use aidd_evolution::statistics::beta_posterior_greater;
use aidd_memory::kinds::{Mistake, Observation};
use aidd_memory::project::ProjectMemory;
use aidd_memory::store::{Layers, Order, Query};
use aidd_memory::types::{Entry, Kind};
use aidd_memory::words::{pieces, similarity};
use std::collections::{BTreeMap, BTreeSet};

/// Number of occurrences after which a mistake becomes a drafted rule.
pub(super) const MIN_OCCURRENCES: u64 = 3;
/// Number of sessions that must confirm an observation.
const MIN_CONFIRMATIONS: usize = 3;
/// Number of the newest observations that are compared.
const MAX_OBSERVATIONS: usize = 500;
/// Similarity from which two observations are the same.
const MIN_SIMILARITY: f64 = 0.6;
/// Minimum number of findings of a rule before its share of allowed findings counts.
const MIN_FINDINGS: u32 = 6;
/// Minimum number of sessions in which findings of a rule were allowed.
const MIN_ALLOWING_SESSIONS: u32 = 3;
/// Maximum length of a title, in characters.
const MAX_TITLE: usize = 100;

/// A draft that experience suggests.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The same for the same suggestion.
    pub key: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// What the draft becomes.
    pub category: Category,
    /// One line that says what changes.
    pub title: String,
    /// The name of the file, without its extension.
    pub name: String,
    /// The text of the draft.
    pub text: String,
    /// Remarks for the person who decides.
    pub notes: Vec<String>,
    /// How often it occurred, and in how many sessions.
    pub figures: Figures,
}

/// All proposals of the loop.
pub(super) fn all(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    records: &[SessionRecord],
    now: i64,
) -> Result<Vec<Proposal>, EvolveError> {
    let state = evolve.store().state()?;
    let is_new =
        |key: &str, title: &str| !state.has(key) && state.silenced_by(title, now).is_none();
    let mut found = Vec::new();
    mistakes(evolve, memory, &is_new, &mut found)?;
    observations(memory, &mut found)?;
    allowed_rules(evolve, records, &mut found)?;
    found.retain(|proposal| {
        evolve.config().proposes(proposal.kind) && is_new(&proposal.key, &proposal.title)
    });
    Ok(found)
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    line.chars().take(MAX_TITLE).collect()
}

fn mistakes(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    is_new: &dyn Fn(&str, &str) -> bool,
    found: &mut Vec<Proposal>,
) -> Result<(), EvolveError> {
    let query = Query::active(Layers::PERMANENT, Kind::Mistake);
    let entries: Vec<Entry> = memory.read(&mut |store| store.entries(&query))?;
    for entry in entries {
        let Ok(mistake) = aidd_memory::kinds::typed::<Mistake>(&entry.metadata) else { continue };
        let occurrences = mistake.occurrences.unwrap_or(1);
        if occurrences < MIN_OCCURRENCES || mistake.check.is_some() {
            continue;
        }
        let title = first_line(&entry.content);
        let name = slug(&title);
        let key = format!("new_convention:mistake:{}", entry.id);
        let draft = format!("rule against a mistake that occurred {occurrences} times: {title}");
        // Searching for a check reads the project and its history.
        if !is_new(&key, &draft) {
            continue;
        }
        let check = find_check(
            evolve.project,
            &Occurrence {
                texts: [&entry.content, &mistake.root_cause, &mistake.prevention]
                    .map(String::as_str),
                files: &mistake.files,
            },
        )?;
        let mut notes = vec![format!("the mistake {} occurred {occurrences} times", entry.id)];
        notes.push(match &check {
            Some(check) => format!(
                "the check finds `{}`, which occurs only in the files of the mistake",
                check.literal
            ),
            None => "no check: no text of the mistake matches its files and nothing else; add \
                     one by hand, or keep the page as guidance"
                .to_owned(),
        });
        let mut reasons = Vec::new();
        for (label, text) in [
            ("Cause", &mistake.root_cause),
            ("Fix", &mistake.fix),
            ("Prevention", &mistake.prevention),
        ] {
            if !text.trim().is_empty() {
                reasons.push(format!("{label}: {}", text.trim()));
            }
        }
        let header = match &check {
            Some(check) => check.header(&mistake.prevention, &mistake.fix),
            None => "severity: info\n".to_owned(),
        };
        let examples = check.as_ref().map(super::check::LiteralCheck::examples).unwrap_or_default();
        let text = format!(
            "---\n{header}---\n# project/{name}\n\n{} This mistake occurred {occurrences} times.\n\n{}\n{examples}",
            sentence(&title),
            reasons.join("\n\n"),
        );
        found.push(Proposal {
            key,
            kind: ChangeKind::NewConvention,
            category: Category::Rules,
            title: draft,
            name,
            text,
            notes,
            figures: Figures {
                sessions_with: u32::try_from(occurrences).unwrap_or(u32::MAX),
                ..Figures::default()
            },
        });
    }
    Ok(())
}

/// A title as a sentence.
fn sentence(title: &str) -> String {
    if title.ends_with(['.', '!', '?']) { title.to_owned() } else { format!("{title}.") }
}

/// Observations with the same content in several sessions.
fn observations(memory: &mut ProjectMemory, found: &mut Vec<Proposal>) -> Result<(), EvolveError> {
    let query = Query {
        order: Order::Newest,
        limit: Some(MAX_OBSERVATIONS),
        ..Query::new(Layers::SESSION)
    };
    let entries: Vec<Entry> = memory.read(&mut |store| store.entries(&query))?;
    let known = Query::new(Layers::PERMANENT);
    let mut known_entries: Option<Vec<BTreeSet<u64>>> = None;
    let kinds = [Kind::Convention, Kind::Pattern, Kind::Preference, Kind::Insight];
    let mut groups: Vec<(BTreeSet<u64>, Vec<&Entry>)> = Vec::new();
    for entry in entries.iter().filter(|entry| kinds.contains(&entry.kind)) {
        let own = pieces(&entry.content);
        match groups.iter_mut().find(|(words, _)| similarity(words, &own) >= MIN_SIMILARITY) {
            Some((_, group)) => group.push(entry),
            None => groups.push((own, vec![entry])),
        }
    }
    for (words, group) in groups {
        let sessions: BTreeSet<&str> =
            group.iter().filter_map(|entry| entry.session_id.as_deref()).collect();
        if sessions.len() < MIN_CONFIRMATIONS {
            continue;
        }
        let known = match &known_entries {
            Some(known) => known,
            None => {
                let entries = memory.read(&mut |store| store.entries(&known))?;
                known_entries.insert(entries.iter().map(|entry| pieces(&entry.content)).collect())
            }
        };
        if known.iter().any(|other| similarity(other, &words) >= MIN_SIMILARITY) {
            continue;
        }
        let newest = group.iter().max_by_key(|entry| entry.created_at).unwrap_or(&group[0]);
        let title = first_line(&newest.content);
        let narrative = aidd_memory::kinds::typed::<Observation>(&newest.metadata)
            .ok()
            .and_then(|observation| observation.narrative)
            .map(|narrative| format!("\n{narrative}\n"));
        found.push(Proposal {
            key: format!("new_convention:observation:{}", slug(&title)),
            kind: ChangeKind::NewConvention,
            category: Category::Conventions,
            title: format!("convention that {} sessions observed: {title}", sessions.len()),
            name: slug(&title),
            text: format!("{}\n{}", newest.content.trim(), narrative.unwrap_or_default()),
            notes: vec![format!("observed in {} sessions", sessions.len())],
            figures: Figures {
                sessions_with: u32::try_from(sessions.len()).unwrap_or(u32::MAX),
                ..Figures::default()
            },
        });
    }
    Ok(())
}

/// Rules of which more than half of the findings are allowed: a patch of the configuration relaxes
/// them.
fn allowed_rules(
    evolve: &Evolve<'_>,
    records: &[SessionRecord],
    found: &mut Vec<Proposal>,
) -> Result<(), EvolveError> {
    let mut sums: BTreeMap<&str, (u32, u32, u32)> = BTreeMap::new();
    for (rule, uses) in records.iter().flat_map(|record| &record.rules) {
        let (introduced, allowed, sessions) = sums.entry(rule).or_default();
        *introduced += uses.introduced;
        *allowed += uses.allowed;
        *sessions += u32::from(uses.allowed > 0);
    }
    let engine = evolve.project.engine(&Selection::default())?;
    let settings = engine.settings("");
    for (rule, (introduced, allowed, sessions)) in sums {
        // An allowed finding is not always counted as introduced in the same session.
        let all = introduced.max(allowed);
        let confidence =
            beta_posterior_greater(f64::from(allowed), f64::from(all), 500_000.0, 1e6, 0.0);
        let is_mostly_allowed = 2 * allowed > all && all >= MIN_FINDINGS;
        if !is_mostly_allowed || sessions < MIN_ALLOWING_SESSIONS {
            continue;
        }
        let Some(severity) = settings.get(rule).and_then(|setting| setting.severity) else {
            continue;
        };
        let lower = match severity {
            Severity::Error => Level::Warning,
            Severity::Warning => Level::Info,
            Severity::Info => Level::Off,
        };
        let level = serde_json::to_value(lower).unwrap_or_default();
        let level = level.as_str().unwrap_or("off").to_owned();
        let patch = serde_json::json!({"config": {"rules": {rule: level}}});
        found.push(Proposal {
            key: format!("rule_severity:relax:{rule}"),
            kind: ChangeKind::RuleSeverity,
            category: Category::Settings,
            title: format!("relax {rule} to {level}: {allowed} of {all} findings were allowed"),
            name: format!("relax-{}", slug(rule)),
            text: format!("{}\n", serde_json::to_string_pretty(&patch).unwrap_or_default()),
            notes: vec![format!(
                "allowed in {sessions} sessions; a rule that does not fit can also be excluded \
                 for some paths with `overrides`"
            )],
            figures: Figures {
                confidence: Some(confidence),
                sessions_with: sessions,
                share_with: Some(f64::from(allowed) / f64::from(all)),
                ..Figures::default()
            },
        });
    }
    Ok(())
}
