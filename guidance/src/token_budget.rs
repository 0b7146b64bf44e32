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
    /// The number of tokens that the part can use before the remaining budget is distributed.
    pub share: usize,
    /// The source of the omitted lines: the name of a tool with its arguments.
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

/// The rendered share of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The heading of the part.
    pub title: String,
    /// The number of rendered lines.
    pub shown: usize,
    /// The number of omitted lines.
    pub omitted: usize,
    /// The number of tokens of the rendered lines and the heading.
    pub tokens: usize,
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

impl Part {
    /// The part without the lines that do not fit into `tokens`.
    #[must_use]
    pub fn limited(mut self, tokens: usize) -> Self {
        let shares = fit(std::slice::from_ref(&self), tokens).shares;
        self.lines.truncate(shares.first().map_or(0, |share| share.shown));
        self
    }
}

/// Renders the parts into `budget` tokens. First, each part gets lines up to its share, in order.
/// The remaining budget goes to parts with more lines, in order. Lines are never truncated.
#[must_use]
pub fn fit(parts: &[Part], budget: usize) -> BudgetedText {
    let costs = costs(parts);
    let mut allowed = budget;
    loop {
        let rendered = fill(parts, &costs, allowed);
        // Tokens are counted per line; in rare cases, the joined text has more tokens.
        let excess = rendered.tokens.saturating_sub(budget);
        if excess == 0 {
            return BudgetedText { budget, ..rendered };
        }
        allowed = allowed.saturating_sub(excess);
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
    let mut layout = Layout::new(parts, costs, budget);
    for (index, part) in parts.iter().enumerate() {
        layout.include_lines(index, part.share);
    }
    for index in 0..parts.len() {
        layout.include_lines(index, usize::MAX);
    }
    layout.into_text()
}

struct Layout<'a> {
    parts: &'a [Part],
    budget: usize,
    /// The cumulative token costs, as returned by [`costs`].
    cumulative_costs: &'a [Vec<usize>],
    /// The number of lines of each part that are included.
    line_counts: Vec<usize>,
    /// The token cost of each part with the included lines.
    costs: Vec<usize>,
}

impl<'a> Layout<'a> {
    fn new(parts: &'a [Part], cumulative_costs: &'a [Vec<usize>], budget: usize) -> Self {
        let none = vec![0; parts.len()];
        Self { parts, budget, cumulative_costs, line_counts: none.clone(), costs: none }
    }

    /// The token cost of a part with its first `lines` lines.
    fn cost(&self, index: usize, lines: usize) -> usize {
        let part = &self.parts[index];
        if lines == 0 {
            return 0;
        }
        tokens::count(&part.heading())
            + self.cumulative_costs[index][lines]
            + tokens::count(&part.omission_note(lines))
    }

    /// Includes as many of the next lines of a part as fit.
    fn include_lines(&mut self, index: usize, share: usize) {
        let line_count = self.parts[index].lines.len();
        let other_costs: usize = self.costs.iter().sum::<usize>() - self.costs[index];
        let mut best = (self.line_counts[index], self.costs[index]);
        for lines in self.line_counts[index] + 1..=line_count {
            let cost = self.cost(index, lines);
            if cost + other_costs <= self.budget && cost <= share {
                best = (lines, cost);
            } else if lines + 1 < line_count {
                // Continue, because the last line can still fit: if no line is omitted, there is no
                // note.
                break;
            }
        }
        (self.line_counts[index], self.costs[index]) = best;
    }

    fn into_text(self) -> BudgetedText {
        let mut text = String::new();
        let mut shares = Vec::new();
        for (part, &lines) in self.parts.iter().zip(&self.line_counts) {
            text.push_str(&part.render(lines));
            if !part.lines.is_empty() {
                let omitted = part.lines.len() - lines;
                let tokens = tokens::count(&part.render(lines));
                shares.push(Share { title: part.title.clone(), shown: lines, omitted, tokens });
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
            (omitted, "") => format!("({omitted} more)\n"),
            (omitted, rest) => format!("({omitted} more: {rest})\n"),
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
    fn lines_are_distributed_by_share_and_then_in_order() {
        let lines = ["one two three four five"; 6];
        let parts = [part("A", 30, &lines), part("B", 30, &lines), part("", 30, &["last words"])];
        let rendered = fit(&parts, 72);
        assert_eq!(
            rendered.text,
            "## A\none two three four five\none two three four five\none two three four five\none two three four five\none two three four five\none two three four five\n## B\none two three four five\none two three four five\none two three four five\n(3 more: aidd_x)\nlast words"
        );
        assert!(rendered.tokens <= 72);
        let shown: Vec<(usize, usize)> =
            rendered.shares.iter().map(|share| (share.shown, share.omitted)).collect();
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
            let rendered = fit(&parts, budget);
            prop_assert!(rendered.tokens <= budget);
            prop_assert_eq!(tokens::count(&rendered.text), rendered.tokens);
            for share in &rendered.shares {
                prop_assert!(share.shown + share.omitted > 0);
            }
        }
    }
}
