//! Spreads effects along calls to a fixed point, for all functions or for those that an edit affects.

use super::{
    ALL_CALLS, ALL_LEVELS, CALLS, CAPTURED, Cause, EFFECTS, Edge, Effect, Equation, IO, Levels,
    MUTATION, Nested, UNKNOWN,
};
use crate::IndexError;
use rusqlite::{Connection, OptionalExtension};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Beginnings of code that only writes messages. Other input and output is more important to know.
const MESSAGES: &[&str] = &[
    "console.",
    "debug",
    "eprint",
    "fmt.Print",
    "log.",
    "logger.",
    "logging.",
    "pino",
    "print",
    "slog.",
    "this.logger",
    "tracing::",
    "warnings.",
    "winston",
    "zap.",
];

impl Cause {
    /// Whether the code only writes a message.
    fn is_message(&self) -> bool {
        self.bits == IO && MESSAGES.iter().any(|start| self.text.starts_with(start))
    }
}

impl Equation {
    pub(crate) fn add(&mut self, cause: Cause) {
        let known = self.own();
        if cause.bits & !known != 0 {
            self.causes.push(cause);
        } else if cause.bits == IO
            && !cause.is_message()
            && let Some(message) = self.causes.iter_mut().find(|known| known.is_message())
        {
            *message = cause;
        }
    }

    /// The effects of the function itself.
    fn own(&self) -> u64 {
        self.causes.iter().fold(0, |bits, cause| bits | cause.bits)
    }

    /// The effects of the function, if the called functions have the effects that `value` returns.
    fn evaluate(&self, mut value: impl FnMut(i64) -> u64) -> u64 {
        self.edges.iter().fold(self.own(), |bits, edge| bits | edge.transfer(value(edge.target)))
    }
}

impl Edge {
    /// The effects of a call of a function with these effects.
    fn transfer(&self, value: u64) -> u64 {
        let mut bits = value & !(ALL_LEVELS | ALL_CALLS | CAPTURED);
        if value & CAPTURED != 0 {
            bits |= match self.nested {
                Nested::Inner => 0,
                Nested::Sibling => CAPTURED,
                Nested::Other => MUTATION,
            };
        }
        let join = |a: Levels, b: &Levels| (a.0 | b.0, a.1 | b.1, a.2 | b.2, a.3 | b.3);
        let all = self.arguments.iter().fold(self.rest, join);
        for index in 0..16 {
            let (own, inner, deep, call) = match index {
                0 => self.receiver,
                15 => all,
                index => *self.arguments.get(index - 1).unwrap_or(&all),
            };
            if index < 8 && value & (1 << (CALLS + index as u32)) != 0 {
                // The default value is unknown.
                let is_missing = index > self.arguments.len() && self.rest == (0, 0, 0, 0);
                bits |= if is_missing { UNKNOWN } else { call };
            }
            for (level, argument) in [own, inner, deep].into_iter().enumerate() {
                if value & (1 << (index + 16 * level)) != 0 {
                    bits |= argument;
                }
            }
        }
        bits
    }
}

/// The equations and effects of a function.
#[derive(Clone, Debug, Default)]
struct Row {
    bits: u64,
    equation: Equation,
}

/// The equations of the functions that are written.
#[derive(Debug, Default)]
pub(crate) struct Spread {
    equations: BTreeMap<i64, Equation>,
    /// The path of the file of each function.
    files: HashMap<i64, u32>,
    paths: HashMap<u32, String>,
    /// The functions before the change.
    before: HashMap<i64, Row>,
}

/// The level and the effects of a function.
fn display(
    path: &str,
    equation: &Equation,
    value: &dyn Fn(i64) -> u64,
) -> (&'static str, Vec<Effect>) {
    let bits = equation.evaluate(value);
    let unknown = UNKNOWN | ALL_CALLS;
    let level = match (bits & !unknown, bits) {
        (0, 0) => "pure",
        (0, _) => "unknown",
        _ => "effectful",
    };
    let mut effects = Vec::new();
    for (name, mask) in EFFECTS {
        if bits & mask == 0 || *mask == unknown && level == "effectful" {
            continue;
        }
        let cause = equation.causes.iter().find(|cause| cause.bits & mask != 0);
        let edge = || {
            let passes = |edge: &&Edge| edge.transfer(value(edge.target)) & mask != 0;
            equation.edges.iter().find(passes)
        };
        let (line, code, inherited) = match (cause, edge) {
            (Some(cause), _) => (cause.line, &cause.text, false),
            (None, edge) => match edge() {
                Some(edge) => (edge.line, &edge.text, true),
                None => continue,
            },
        };
        effects.push(Effect {
            effect: (*name).to_owned(),
            path: path.to_owned(),
            line: line + 1,
            code: code.clone(),
            inherited,
        });
    }
    (level, effects)
}

const INSERT: &str = "INSERT OR REPLACE INTO purity VALUES (?1,?2,?3,?4,?5)";

fn write(
    connection: &Connection,
    id: i64,
    path: &str,
    equation: &Equation,
    value: &dyn Fn(i64) -> u64,
) -> Result<(), IndexError> {
    let (level, effects) = display(path, equation, value);
    // Effects contain only text and numbers, so that the conversion does not fail.
    let effects = (!effects.is_empty()).then(|| serde_json::to_string(&effects).ok()).flatten();
    connection.prepare_cached(INSERT)?.execute((
        id,
        level,
        effects,
        value(id).cast_signed(),
        postcard::to_allocvec(equation)?,
    ))?;
    // The references do not name constructors and getters.
    for edge in equation.edges.iter().filter(|edge| edge.indirect) {
        connection
            .prepare_cached("INSERT OR IGNORE INTO indirect_calls VALUES (?1,?2)")?
            .execute((edge.target, id))?;
    }
    Ok(())
}

/// The stored row of a function.
fn stored(connection: &Connection, id: i64) -> Result<Option<Row>, IndexError> {
    let mut statement =
        connection.prepare_cached("SELECT bits, equation FROM purity WHERE symbol = ?1")?;
    let row: Option<(i64, Vec<u8>)> =
        statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((bits, bytes)) = row else { return Ok(None) };
    let bits = bits.cast_unsigned();
    Ok(Some(Row { bits, equation: postcard::from_bytes(&bytes)? }))
}

/// The function through which a function has an effect.
pub(crate) fn callee_of(
    connection: &Connection,
    id: i64,
    effect: &str,
) -> Result<Option<i64>, IndexError> {
    let mask = EFFECTS.iter().find(|(name, _)| *name == effect).map_or(0, |(_, mask)| *mask);
    let Some(row) = stored(connection, id)? else { return Ok(None) };
    for edge in &row.equation.edges {
        let bits = stored(connection, edge.target)?.map_or(UNKNOWN, |row| row.bits);
        if edge.transfer(bits) & mask != 0 {
            return Ok(Some(edge.target));
        }
    }
    Ok(None)
}

/// Solves all equations. A function without an equation is unknown.
pub(crate) fn solve(equations: &BTreeMap<i64, Equation>) -> HashMap<i64, u64> {
    let mut callers: HashMap<i64, Vec<i64>> = HashMap::new();
    for (id, equation) in equations {
        for edge in &equation.edges {
            callers.entry(edge.target).or_default().push(*id);
        }
    }
    let mut values: HashMap<i64, u64> =
        equations.iter().map(|(id, equation)| (*id, equation.own())).collect();
    let mut pending: Vec<i64> = equations.keys().copied().collect();
    while let Some(id) = pending.pop() {
        let Some(equation) = equations.get(&id) else { continue };
        let bits = equation.evaluate(|at| values.get(&at).copied().unwrap_or(UNKNOWN));
        if values.insert(id, bits) != Some(bits) {
            pending.extend(callers.get(&id).into_iter().flatten());
        }
    }
    values
}

impl Spread {
    /// Adds the equations of a file.
    pub(crate) fn add(&mut self, file: u32, path: &str, equations: Vec<(i64, Equation)>) {
        if equations.is_empty() {
            return;
        }
        self.paths.insert(file, path.to_owned());
        for (id, equation) in equations {
            self.files.insert(id, file);
            self.equations.insert(id, equation);
        }
    }

    fn path(&self, id: i64) -> &str {
        self.files.get(&id).and_then(|file| self.paths.get(file)).map_or("", String::as_str)
    }

    /// The functions that were added, with their levels and effects.
    pub(crate) fn results(&self) -> BTreeMap<i64, (&'static str, Vec<Effect>)> {
        let values = solve(&self.equations);
        let value = |id: i64| values.get(&id).copied().unwrap_or(UNKNOWN);
        self.equations
            .iter()
            .map(|(id, equation)| (*id, display(self.path(*id), equation, &value)))
            .collect()
    }

    /// Writes all functions of a new database.
    pub(crate) fn write_all(&self, connection: &Connection) -> Result<(), IndexError> {
        let values = solve(&self.equations);
        let value = |id: i64| values.get(&id).copied().unwrap_or(UNKNOWN);
        for (id, equation) in &self.equations {
            write(connection, *id, self.path(*id), equation, &value)?;
        }
        Ok(())
    }

    /// Removes the functions of a file from the database, and notes what they were.
    pub(crate) fn forget(&mut self, connection: &Connection, file: u32) -> Result<(), IndexError> {
        let mut statement = connection.prepare_cached(
            "SELECT p.symbol, p.bits, p.equation FROM symbols s JOIN purity p ON p.symbol = s.id
             WHERE s.file = ?1",
        )?;
        let rows =
            statement.query_map([file], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let rows: Vec<(i64, i64, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
        for (id, bits, bytes) in rows {
            let (bits, equation) = (bits.cast_unsigned(), postcard::from_bytes(&bytes)?);
            self.before.entry(id).or_insert(Row { bits, equation });
            connection.prepare_cached("DELETE FROM purity WHERE symbol = ?1")?.execute([id])?;
            connection
                .prepare_cached("DELETE FROM indirect_calls WHERE source = ?1")?
                .execute([id])?;
        }
        Ok(())
    }

    /// Writes the functions that were added, and those whose effects depend on them.
    pub(crate) fn write_changes(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let mut graph = Graph { connection, spread: self, rows: HashMap::new() };
        let ids: Vec<i64> = graph.spread.equations.keys().copied().collect();
        // Effects that lost a reason are removed, and found again if there is another reason.
        let mut lost: HashMap<i64, u64> = HashMap::new();
        let removed: Vec<i64> = graph.spread.before.keys().copied().collect();
        for id in removed {
            let bits = graph.lost_bits(id)?;
            if bits != 0 {
                lost.insert(id, bits);
            }
        }
        let mut pending: Vec<i64> = lost.keys().copied().collect();
        let mut affected: BTreeSet<i64> = ids.iter().copied().collect();
        while let Some(id) = pending.pop() {
            let bits = lost.get(&id).copied().unwrap_or_default();
            for caller in graph.callers(id)? {
                let Some(row) = graph.row(caller)? else { continue };
                let all = row.equation.edges.iter().filter(|edge| edge.target == id);
                let passed = all.fold(0, |passed, edge| passed | edge.transfer(bits));
                let removed = passed & row.bits & !row.equation.own();
                let known = lost.entry(caller).or_default();
                if removed & !*known != 0 {
                    *known |= removed;
                    pending.push(caller);
                    affected.insert(caller);
                }
            }
        }
        let mut original: HashMap<i64, u64> = HashMap::new();
        for id in &affected {
            let removed = lost.get(id).copied().unwrap_or_default();
            let before = graph.spread.before.get(id).map(|row| row.bits);
            let Some(row) = graph.row(*id)? else { continue };
            let own = row.equation.own();
            // A new function has no effects yet.
            let bits = match before {
                Some(bits) => bits,
                None if graph.spread.equations.contains_key(id) => 0,
                None => row.bits,
            };
            original.insert(*id, before.unwrap_or(row.bits));
            graph.set(*id, bits & !removed | own);
        }
        let mut changed: BTreeSet<i64> = BTreeSet::new();
        let mut pending: Vec<i64> = affected.iter().copied().collect();
        while let Some(id) = pending.pop() {
            let Some(row) = graph.row(id)? else { continue };
            let bits = graph.evaluate(&row.equation)?;
            if bits != row.bits {
                original.entry(id).or_insert(row.bits);
                graph.set(id, bits);
                affected.insert(id);
                pending.extend(graph.callers(id)?);
            }
        }
        for id in &affected {
            let bits = graph.row(*id)?.map(|row| row.bits);
            let is_new = !graph.spread.before.contains_key(id) && ids.contains(id);
            if is_new || bits != original.get(id).copied() {
                changed.insert(*id);
            }
        }
        // The reason that is displayed can differ although the effects are the same.
        let mut written: BTreeSet<i64> = ids.into_iter().collect();
        for id in changed {
            written.insert(id);
            written.extend(graph.callers(id)?);
        }
        graph.write(&written)
    }
}

/// The functions of the database, with the changes of an update.
struct Graph<'g, 'c> {
    connection: &'c Connection,
    spread: &'g mut Spread,
    /// The functions that were read or changed.
    rows: HashMap<i64, Option<Row>>,
}

impl Graph<'_, '_> {
    fn row(&mut self, id: i64) -> Result<Option<Row>, IndexError> {
        if let Some(row) = self.rows.get(&id) {
            return Ok(row.clone());
        }
        let row = match self.spread.equations.get(&id) {
            Some(equation) => {
                let bits = self.spread.before.get(&id).map_or(0, |row| row.bits);
                Some(Row { bits, equation: equation.clone() })
            }
            None => stored(self.connection, id)?,
        };
        self.rows.insert(id, row.clone());
        Ok(row)
    }

    fn set(&mut self, id: i64, bits: u64) {
        if let Some(Some(row)) = self.rows.get_mut(&id) {
            row.bits = bits;
        }
    }

    fn evaluate(&mut self, equation: &Equation) -> Result<u64, IndexError> {
        let mut bits = equation.own();
        for edge in &equation.edges {
            let value = self.row(edge.target)?.map_or(UNKNOWN, |row| row.bits);
            bits |= edge.transfer(value);
        }
        Ok(bits)
    }

    /// The earlier effects of a function that have no cause any more.
    fn lost_bits(&mut self, id: i64) -> Result<u64, IndexError> {
        let Some(before) = self.spread.before.get(&id).cloned() else { return Ok(0) };
        let Some(after) = self.spread.equations.get(&id).cloned() else { return Ok(before.bits) };
        let mut lost = before.equation.own();
        for edge in &before.equation.edges {
            let is_same = |other: &&Edge| {
                other.target == edge.target
                    && other.receiver == edge.receiver
                    && other.arguments == edge.arguments
                    && (other.rest, other.nested) == (edge.rest, edge.nested)
            };
            if after.edges.iter().any(|other| is_same(&other)) {
                continue;
            }
            let value = match self.spread.before.get(&edge.target) {
                Some(row) => row.bits,
                None => stored(self.connection, edge.target)?.map_or(UNKNOWN, |row| row.bits),
            };
            lost |= edge.transfer(value);
        }
        Ok(lost & before.bits & !after.own())
    }

    /// The functions that call a function.
    fn callers(&mut self, id: i64) -> Result<Vec<i64>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT source FROM refs WHERE target = ?1 AND source IS NOT NULL
             UNION SELECT source FROM indirect_calls WHERE target = ?1",
        )?;
        let found = statement.query_map([id], |row| row.get(0))?;
        let found: Vec<i64> = found.collect::<Result<_, _>>()?;
        let mut callers = Vec::new();
        for caller in found {
            let row = self.row(caller)?;
            if row.is_some_and(|row| row.equation.edges.iter().any(|edge| edge.target == id)) {
                callers.push(caller);
            }
        }
        Ok(callers)
    }

    fn write(&mut self, ids: &BTreeSet<i64>) -> Result<(), IndexError> {
        for id in ids {
            let Some(row) = self.row(*id)? else { continue };
            for edge in &row.equation.edges {
                self.row(edge.target)?;
            }
            let path = match self.spread.files.contains_key(id) {
                true => self.spread.path(*id).to_owned(),
                false => self
                    .connection
                    .prepare_cached(
                        "SELECT f.path FROM symbols s JOIN files f ON f.id = s.file WHERE s.id = ?1",
                    )?
                    .query_row([id], |row| row.get(0))?,
            };
            let rows = &self.rows;
            let value = |id: i64| match rows.get(&id) {
                Some(Some(row)) => row.bits,
                _ => UNKNOWN,
            };
            write(self.connection, *id, &path, &row.equation, &value)?;
        }
        Ok(())
    }
}
