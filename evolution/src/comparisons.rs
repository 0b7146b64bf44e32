//! Which observations are compared for each kind of change.

use crate::candidates::{Facts, Observation};
use crate::record::SessionRecord;
use aidd_engine::project::config::ChangeKind;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum share of the sessions with one tool in which the other follows: "always", with some slack.
const ALWAYS: f64 = 0.8;
/// Minimum number of sessions with a tool before its successor is looked at.
const MIN_TOGETHER: usize = 5;

/// The observations with and without a property.
pub(crate) struct Comparison {
    pub(crate) kind: ChangeKind,
    pub(crate) task: String,
    pub(crate) subject: String,
    pub(crate) title: String,
    pub(crate) observations: Vec<Observation>,
}

/// All comparisons that the records allow.
pub(crate) fn all(records: &[SessionRecord], facts: &Facts) -> Vec<Comparison> {
    let mut found = Vec::new();
    let mut by_task: BTreeMap<String, Vec<(&SessionRecord, f64)>> = BTreeMap::new();
    for record in records {
        if let Some(success) = record.success() {
            by_task.entry(record.task.name()).or_default().push((record, success));
        }
    }
    for (task, sessions) in &by_task {
        roles_and_knowledge(task, sessions, &mut found);
        skills(task, sessions, &mut found);
        models(task, sessions, &mut found);
    }
    rules(records, facts, &mut found);
    tools(records, &mut found);
    found
}

/// The model of a session; the stratum of comparisons of anything else.
fn model(record: &SessionRecord) -> String {
    match (record.provider.as_str(), record.model.as_str()) {
        ("", model) => model.to_owned(),
        (provider, "") => provider.to_owned(),
        (provider, model) => format!("{provider}/{model}"),
    }
}

fn of_task(task: &str) -> String {
    if task.is_empty() { String::new() } else { format!(" for {task}") }
}

fn compared<'a>(
    sessions: impl IntoIterator<Item = &'a (&'a SessionRecord, f64)>,
    stratum: impl Fn(&SessionRecord) -> String,
    has: impl Fn(&SessionRecord) -> bool,
) -> Vec<Observation> {
    sessions
        .into_iter()
        .map(|(record, value)| Observation {
            at: record.ended_at,
            stratum: stratum(record),
            with: has(record),
            value: *value,
        })
        .collect()
}

fn names<'a>(
    sessions: &[(&'a SessionRecord, f64)],
    map: impl Fn(&'a SessionRecord) -> &'a BTreeMap<String, u32>,
) -> BTreeSet<&'a str> {
    sessions.iter().flat_map(|(record, _)| map(record).keys()).map(String::as_str).collect()
}

fn roles_and_knowledge(
    task: &str,
    sessions: &[(&SessionRecord, f64)],
    found: &mut Vec<Comparison>,
) {
    for role in names(sessions, |record| &record.roles) {
        found.push(Comparison {
            kind: ChangeKind::RoutingWeight,
            task: task.to_owned(),
            subject: role.to_owned(),
            title: format!("prefer the role {role}{}", of_task(task)),
            observations: compared(sessions, model, |record| record.roles.contains_key(role)),
        });
    }
    for entry in names(sessions, |record| &record.knowledge) {
        found.push(Comparison {
            kind: ChangeKind::KnowledgePromotion,
            task: task.to_owned(),
            subject: entry.to_owned(),
            title: format!("list the knowledge entry {entry} first{}", of_task(task)),
            observations: compared(sessions, model, |record| record.knowledge.contains_key(entry)),
        });
    }
}

/// Among the sessions with a role, those with and without a skill.
fn skills(task: &str, sessions: &[(&SessionRecord, f64)], found: &mut Vec<Comparison>) {
    for role in names(sessions, |record| &record.roles) {
        let with_role: Vec<(&SessionRecord, f64)> = sessions
            .iter()
            .filter(|(record, _)| record.roles.contains_key(role))
            .copied()
            .collect();
        for skill in names(&with_role, |record| &record.skills) {
            if skill == role {
                continue;
            }
            found.push(Comparison {
                kind: ChangeKind::SkillCombo,
                task: task.to_owned(),
                subject: format!("{role} + {skill}"),
                title: format!("use the skill {skill} with the role {role}{}", of_task(task)),
                observations: compared(&with_role, model, |record| {
                    record.skills.contains_key(skill)
                }),
            });
        }
    }
}

fn models(task: &str, sessions: &[(&SessionRecord, f64)], found: &mut Vec<Comparison>) {
    let all: BTreeSet<String> = sessions.iter().map(|(record, _)| model(record)).collect();
    for name in all.into_iter().filter(|name| !name.is_empty()) {
        found.push(Comparison {
            kind: ChangeKind::ModelRecommendation,
            task: task.to_owned(),
            title: format!("recommend the model {name}{}", of_task(task)),
            observations: compared(sessions, |_| String::new(), |record| model(record) == name),
            subject: name,
        });
    }
}

/// The share of a rule's findings whose change was reverted, against that of all other rules.
fn rules(records: &[SessionRecord], facts: &Facts, found: &mut Vec<Comparison>) {
    for rule in facts.raisable.keys() {
        let mut observations = Vec::new();
        for record in records {
            let mut add = |with: bool, introduced: u32, reverted: u32| {
                if introduced > 0 {
                    observations.push(Observation {
                        at: record.ended_at,
                        stratum: String::new(),
                        with,
                        value: f64::from(reverted.min(introduced)) / f64::from(introduced),
                    });
                }
            };
            let own = record.rules.get(rule).copied().unwrap_or_default();
            let others = record.rules.iter().filter(|(name, _)| *name != rule);
            let others = others.fold((0, 0), |(introduced, reverted), (_, one)| {
                (introduced + one.introduced, reverted + one.reverted)
            });
            add(true, own.introduced, own.reverted);
            add(false, others.0, others.1);
        }
        let severity = &facts.raisable[rule];
        found.push(Comparison {
            kind: ChangeKind::RuleSeverity,
            task: String::new(),
            subject: rule.clone(),
            title: format!("raise the severity of {rule} to {severity}"),
            observations,
        });
    }
}

/// Pairs of tools: the sessions in which the second follows the first, against the sessions without
/// the first that use the second anyway, which is what chance gives.
fn tools(records: &[SessionRecord], found: &mut Vec<Comparison>) {
    let mut pairs: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    let successors: Vec<BTreeSet<(&str, &str)>> = records
        .iter()
        .map(|record| {
            let pairs = record.sequence.windows(2);
            pairs.map(|pair| (pair[0].as_str(), pair[1].as_str())).collect()
        })
        .collect();
    for (record, pairs_of_record) in records.iter().zip(&successors) {
        let names: BTreeSet<&str> = record.sequence.iter().map(String::as_str).collect();
        names.into_iter().for_each(|name| *uses.entry(name).or_default() += 1);
        pairs_of_record.iter().for_each(|pair| *pairs.entry(*pair).or_default() += 1);
    }
    for ((first, second), count) in pairs {
        let all = uses.get(first).copied().unwrap_or_default();
        let is_always = first != second && count as f64 >= ALWAYS * all as f64;
        if !is_always || all < MIN_TOGETHER {
            continue;
        }
        let observations =
            records.iter().zip(&successors).filter(|(record, _)| !record.sequence.is_empty());
        let observations = observations.map(|(record, successors)| {
            let with = record.sequence.iter().any(|name| name == first);
            let is_together = if with {
                successors.contains(&(first, second))
            } else {
                record.sequence.iter().any(|name| name == second)
            };
            Observation {
                at: record.ended_at,
                stratum: String::new(),
                with,
                value: if is_together { 1.0 } else { 0.0 },
            }
        });
        found.push(Comparison {
            kind: ChangeKind::CompoundWorkflow,
            task: String::new(),
            subject: format!("{first} → {second}"),
            title: format!("one workflow for {first} and {second}, which always follow each other"),
            observations: observations.collect(),
        });
    }
}
