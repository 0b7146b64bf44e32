//! Whether a function is pure, and the calls that lead to each effect.

use super::Reader;
use crate::IndexError;
use crate::effects::{Effect, callee_of};
use rusqlite::OptionalExtension;
use serde::Serialize;
use std::collections::BTreeSet;

/// Maximum number of calls that lead to an effect.
const MAX_CHAIN: usize = 12;

/// Whether a function is pure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Purity {
    /// `pure`, `effectful` or `unknown`.
    pub level: String,
    /// The effects; for an unknown function, the code that can have an effect.
    pub effects: Vec<EffectChain>,
}

/// An effect, and the calls that lead to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EffectChain {
    /// `io`, `clock`, `random`, `env`, `global`, `mutation` or `unknown`.
    pub effect: String,
    /// The code in each function on the way: calls, then the code that has the effect.
    pub chain: Vec<Effect>,
}

impl EffectChain {
    /// The effect, the line in the function and the code at this line; for a call, also the code that
    /// has the effect in the end, such as `fetch`.
    #[must_use]
    pub fn short(&self) -> Option<String> {
        let (first, last) = (self.chain.first()?, self.chain.last()?);
        let end = if self.chain.len() > 1 { format!(" → {}", last.code) } else { String::new() };
        Some(format!("{} {} ({}{end})", self.effect, first.line, first.code))
    }

    /// The effect and the chain in one line.
    #[must_use]
    pub fn display(&self) -> String {
        let steps: Vec<String> = self
            .chain
            .iter()
            .map(|step| format!("{} ({}:{})", step.code, step.path, step.line))
            .collect();
        format!("{}: {}", self.effect, steps.join(" → "))
    }
}

impl Reader {
    /// Whether the function with this id is pure. `None` if effects are not determined for the symbol.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn purity(&self, id: i64) -> Result<Option<Purity>, IndexError> {
        let Some((level, effects)) = self.effects(id)? else { return Ok(None) };
        let mut chains = Vec::with_capacity(effects.len());
        for first in effects {
            let effect = first.effect.clone();
            let (mut at, mut seen) = (id, BTreeSet::from([id]));
            let mut chain = vec![first];
            while chain.len() < MAX_CHAIN
                && chain.last().is_some_and(|step| step.inherited)
                && let Some(next) = callee_of(&self.connection, at, &effect)?
                && seen.insert(next)
            {
                let step = self.effects(next)?.and_then(|(_, effects)| {
                    // A changed parameter of the callee can be a global of the caller.
                    let same = effects.iter().position(|found| found.effect == effect);
                    let at = same
                        .or_else(|| effects.iter().position(|found| found.effect == "mutation"))?;
                    effects.into_iter().nth(at)
                });
                let Some(step) = step else { break };
                chain.push(step);
                at = next;
            }
            chains.push(EffectChain { effect, chain });
        }
        Ok(Some(Purity { level, effects: chains }))
    }

    fn effects(&self, id: i64) -> Result<Option<(String, Vec<Effect>)>, IndexError> {
        let sql = "SELECT p.purity_level, p.side_effects FROM purity p JOIN symbols s
            ON s.id = p.symbol WHERE p.symbol = ?1 AND s.kind IN ('function', 'method')";
        let row: Option<(String, Option<String>)> = self
            .connection
            .prepare_cached(sql)?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let parse = |text: String| serde_json::from_str(&text).unwrap_or_default();
        Ok(row.map(|(level, effects)| (level, effects.map(parse).unwrap_or_default())))
    }
}
