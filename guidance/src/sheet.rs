//! A text that keeps to a number of tokens: parts in order, each with its share, and what is left out
//! said.

use aidd_lexicon::tokens;

/// A part of an answer.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its heading; empty: none.
    pub title: String,
    /// Its lines, the most important first.
    pub lines: Vec<String>,
    /// Its share: tokens that it may take before other parts had theirs.
    pub share: usize,
    /// Where the rest can be had: the name of a tool with its arguments.
    pub rest: &'static str,
}

impl Part {
    /// A part.
    pub fn new(
        title: impl Into<String>,
        share: usize,
        rest: &'static str,
        lines: Vec<String>,
    ) -> Self {
        Self { title: title.into(), lines, share, rest }
    }
}

/// What was written of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its heading.
    pub title: String,
    /// Lines that are there.
    pub shown: usize,
    /// Lines that are not.
    pub left_out: usize,
}

/// A text within its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The text.
    pub text: String,
    /// Its tokens, as [`tokens::count`] has them.
    pub tokens: usize,
    /// What it may cost.
    pub budget: usize,
    /// Each part that had something to say.
    pub shares: Vec<Share>,
}

/// Writes the parts into `budget` tokens. First each gets lines for its share, in order; what is left
/// then goes to those that have more to say, in order. A line is there whole or not at all.
#[must_use]
pub fn fit(parts: &[Part], budget: usize) -> Sheet {
    let costs = costs(parts);
    let mut allowed = budget;
    loop {
        let sheet = fill(parts, &costs, allowed);
        // Lines are counted one by one: put together they may, rarely, cost a token more.
        let over = sheet.tokens.saturating_sub(budget);
        if over == 0 {
            return Sheet { budget, ..sheet };
        }
        allowed = allowed.saturating_sub(over);
    }
}

/// What the first lines of each part cost together: none, one, two…
fn costs(parts: &[Part]) -> Vec<Vec<usize>> {
    let sums = parts.iter().map(|part| {
        let lines = part.lines.iter().scan(0, |sum, line| {
            *sum += tokens::count(&format!("{line}\n"));
            Some(*sum)
        });
        std::iter::once(0).chain(lines).collect()
    });
    sums.collect()
}

fn fill(parts: &[Part], costs: &[Vec<usize>], budget: usize) -> Sheet {
    let mut fitting = Fitting::new(parts, costs, budget);
    for (at, part) in parts.iter().enumerate() {
        fitting.take(at, part.share);
    }
    for at in 0..parts.len() {
        fitting.take(at, usize::MAX);
    }
    fitting.written()
}

struct Fitting<'a> {
    parts: &'a [Part],
    budget: usize,
    /// See [`costs`].
    sums: &'a [Vec<usize>],
    /// How many lines each part has taken.
    taken: Vec<usize>,
    /// What each part costs with them.
    costs: Vec<usize>,
}

impl<'a> Fitting<'a> {
    fn new(parts: &'a [Part], sums: &'a [Vec<usize>], budget: usize) -> Self {
        let none = vec![0; parts.len()];
        Self { parts, budget, sums, taken: none.clone(), costs: none }
    }

    /// What a part costs with its first `lines` lines.
    fn cost(&self, at: usize, lines: usize) -> usize {
        let part = &self.parts[at];
        if lines == 0 {
            return 0;
        }
        tokens::count(&part.head()) + self.sums[at][lines] + tokens::count(&part.tail(lines))
    }

    /// Takes the next lines of a part, as far as they go.
    fn take(&mut self, at: usize, share: usize) {
        let most = self.parts[at].lines.len();
        let others: usize = self.costs.iter().sum::<usize>() - self.costs[at];
        let mut best = (self.taken[at], self.costs[at]);
        for lines in self.taken[at] + 1..=most {
            let cost = self.cost(at, lines);
            if cost + others <= self.budget && cost <= share {
                best = (lines, cost);
            } else if lines + 1 < most {
                // The last line may still fit: nothing is left out then, and that is not said.
                break;
            }
        }
        (self.taken[at], self.costs[at]) = best;
    }

    fn written(self) -> Sheet {
        let mut text = String::new();
        let mut shares = Vec::new();
        for (part, &lines) in self.parts.iter().zip(&self.taken) {
            text.push_str(&part.written(lines));
            if !part.lines.is_empty() {
                let left_out = part.lines.len() - lines;
                shares.push(Share { title: part.title.clone(), shown: lines, left_out });
            }
        }
        let text = text.trim_end().to_owned();
        let tokens = tokens::count(&text);
        Sheet { text, tokens, budget: self.budget, shares }
    }
}

impl Part {
    fn head(&self) -> String {
        if self.title.is_empty() { String::new() } else { format!("## {}\n", self.title) }
    }

    /// What is said of the lines after the first `lines`.
    fn tail(&self, lines: usize) -> String {
        match (self.lines.len() - lines, self.rest) {
            (0, _) => String::new(),
            (left, "") => format!("({left} more)\n"),
            (left, rest) => format!("({left} more: {rest})\n"),
        }
    }

    /// Its first `lines` lines under its heading, ended by a line break.
    fn written(&self, lines: usize) -> String {
        if lines == 0 {
            return String::new();
        }
        let mut text = self.head();
        for line in &self.lines[..lines] {
            text.push_str(line);
            text.push('\n');
        }
        text + &self.tail(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(title: &str, share: usize, lines: &[&str]) -> Part {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        Part::new(title, share, "aidd_x", lines)
    }

    #[test]
    fn shares_first_and_the_rest_in_order() {
        let lines = ["one two three four five"; 6];
        let parts = [part("A", 30, &lines), part("B", 30, &lines), part("", 30, &["last words"])];
        let sheet = fit(&parts, 72);
        assert_eq!(
            sheet.text,
            "## A\none two three four five\none two three four five\none two three four five\none two three four five\none two three four five\none two three four five\n## B\none two three four five\none two three four five\none two three four five\n(3 more: aidd_x)\nlast words"
        );
        assert!(sheet.tokens <= 72);
        let shown: Vec<(usize, usize)> =
            sheet.shares.iter().map(|share| (share.shown, share.left_out)).collect();
        assert_eq!(shown, [(6, 0), (3, 3), (1, 0)]);
    }

    proptest! {
        #[test]
        fn no_sheet_is_over_its_budget(
            parts in prop::collection::vec(
                (prop::collection::vec("[ -~가-힣]{0,80}", 0..12), 0..300_usize), 0..6),
            budget in 0..900_usize,
        ) {
            let parts: Vec<Part> = parts
                .into_iter()
                .map(|(lines, share)| Part::new("Part", share, "aidd_x", lines))
                .collect();
            let sheet = fit(&parts, budget);
            prop_assert!(sheet.tokens <= budget);
            prop_assert_eq!(tokens::count(&sheet.text), sheet.tokens);
            for share in &sheet.shares {
                prop_assert!(share.shown + share.left_out > 0);
            }
        }
    }
}
