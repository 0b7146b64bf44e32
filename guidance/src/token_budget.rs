//! Text within a token budget: parts in order, each with a share of the budget, and a note on
//! omitted lines.

use aidd_lexicon::tokens;

/// A part of an answer.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The heading; empty for none.
    pub title: String,
    /// The lines, most important first.
    pub lines: Vec<String>,
    /// The number of tokens that the part can use before the other parts get theirs.
    pub share: usize,
    /// Where to get the omitted lines: the name of a tool with its arguments.
    pub rest: &'static str,
}

impl Part {
    /// Creates a part.
    pub fn new(
        title: impl Into<String>,
        share: usize,
        rest: &'static str,
        lines: Vec<String>,
    ) -> Self {
        Self { title: title.into(), lines, share, rest }
    }
}

/// What was rendered of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The heading of the part.
    pub title: String,
    /// The number of rendered lines.
    pub shown: usize,
    /// The number of omitted lines.
    pub left_out: usize,
}

/// Text within its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetedText {
    /// The rendered text.
    pub text: String,
    /// The size in tokens, as counted by [`tokens::count`].
    pub tokens: usize,
    /// The maximum size in tokens.
    pub budget: usize,
    /// The share of each part that has lines.
    pub shares: Vec<Share>,
}

/// Renders the parts into `budget` tokens. First each part gets lines up to its share, in order;
/// the rest goes to parts with more lines, in order. Lines are never cut.
#[must_use]
pub fn fit(parts: &[Part], budget: usize) -> BudgetedText {
    let costs = costs(parts);
    let mut allowed = budget;
    loop {
        let sheet = fill(parts, &costs, allowed);
        // Lines are counted individually; joined, they can rarely cost one token more.
        let over = sheet.tokens.saturating_sub(budget);
        if over == 0 {
            return BudgetedText { budget, ..sheet };
        }
        allowed = allowed.saturating_sub(over);
    }
}

/// The cumulative token cost of the first 0, 1, 2, … lines of each part.
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

fn fill(parts: &[Part], costs: &[Vec<usize>], budget: usize) -> BudgetedText {
    let mut fitting = Layout::new(parts, costs, budget);
    for (at, part) in parts.iter().enumerate() {
        fitting.take_lines(at, part.share);
    }
    for at in 0..parts.len() {
        fitting.take_lines(at, usize::MAX);
    }
    fitting.into_text()
}

struct Layout<'a> {
    parts: &'a [Part],
    budget: usize,
    /// See [`costs`].
    sums: &'a [Vec<usize>],
    /// The number of lines that each part has taken.
    taken: Vec<usize>,
    /// The token cost of each part with those lines.
    costs: Vec<usize>,
}

impl<'a> Layout<'a> {
    fn new(parts: &'a [Part], sums: &'a [Vec<usize>], budget: usize) -> Self {
        let none = vec![0; parts.len()];
        Self { parts, budget, sums, taken: none.clone(), costs: none }
    }

    /// The token cost of a part with its first `lines` lines.
    fn cost(&self, at: usize, lines: usize) -> usize {
        let part = &self.parts[at];
        if lines == 0 {
            return 0;
        }
        tokens::count(&part.heading())
            + self.sums[at][lines]
            + tokens::count(&part.omission_note(lines))
    }

    /// Takes as many of the next lines of a part as fit.
    fn take_lines(&mut self, at: usize, share: usize) {
        let most = self.parts[at].lines.len();
        let others: usize = self.costs.iter().sum::<usize>() - self.costs[at];
        let mut best = (self.taken[at], self.costs[at]);
        for lines in self.taken[at] + 1..=most {
            let cost = self.cost(at, lines);
            if cost + others <= self.budget && cost <= share {
                best = (lines, cost);
            } else if lines + 1 < most {
                // The last line can still fit: without omitted lines there is no note about them.
                break;
            }
        }
        (self.taken[at], self.costs[at]) = best;
    }

    fn into_text(self) -> BudgetedText {
        let mut text = String::new();
        let mut shares = Vec::new();
        for (part, &lines) in self.parts.iter().zip(&self.taken) {
            text.push_str(&part.render(lines));
            if !part.lines.is_empty() {
                let left_out = part.lines.len() - lines;
                shares.push(Share { title: part.title.clone(), shown: lines, left_out });
            }
        }
        let text = text.trim_end().to_owned();
        let tokens = tokens::count(&text);
        BudgetedText { text, tokens, budget: self.budget, shares }
    }
}

impl Part {
    fn heading(&self) -> String {
        if self.title.is_empty() { String::new() } else { format!("## {}\n", self.title) }
    }

    /// The note on the lines after the first `lines`.
    fn omission_note(&self, lines: usize) -> String {
        match (self.lines.len() - lines, self.rest) {
            (0, _) => String::new(),
            (left, "") => format!("({left} more)\n"),
            (left, rest) => format!("({left} more: {rest})\n"),
        }
    }

    /// The first `lines` lines under the heading, with a trailing line break.
    fn render(&self, lines: usize) -> String {
        if lines == 0 {
            return String::new();
        }
        let mut text = self.heading();
        for line in &self.lines[..lines] {
            text.push_str(line);
            text.push('\n');
        }
        text + &self.omission_note(lines)
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
        fn no_text_exceeds_its_budget(
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
