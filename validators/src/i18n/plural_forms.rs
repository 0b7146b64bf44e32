//! The field `Plural-Forms` of PO files: the number of forms, and an expression of C that selects
//! one of them.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The largest number for which the expression is evaluated.
const MAX_TESTED: u64 = 1000;
/// The maximum number of operators in an expression.
const MAX_NODES: usize = 400;
/// The maximum depth of parentheses and conditions.
const MAX_DEPTH: usize = 60;

/// A node of an expression: operands are indexes of earlier nodes.
#[derive(Clone, Copy)]
enum Node {
    Number(u64),
    Variable,
    Not(usize),
    Binary(&'static str, usize, usize),
    Condition(usize, usize, usize),
}

/// The operators by precedence, the loosest first.
const OPERATORS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

struct Parser<'t> {
    rest: &'t str,
    nodes: Vec<Node>,
}

/// For each form, how many of the numbers up to 1,000 use it; or the reason why the value is invalid.
type Uses = Result<Vec<usize>, String>;

/// The values that were read; the files of a project have few different ones.
static KNOWN: LazyLock<Mutex<HashMap<String, Uses>>> = LazyLock::new(Mutex::default);
/// Maximum number of cached values.
const MAX_KNOWN: usize = 64;
/// Maximum length of a cached value, in bytes.
const MAX_KEPT: usize = 400;

/// Reads a value as [`parse`] does, at most once for each value.
///
/// # Errors
/// The reason why the value is invalid.
pub(super) fn parse_once(value: &str) -> Uses {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(uses) = known().get(value) {
        return uses.clone();
    }
    let uses = parse(value);
    let mut known = known();
    if known.len() < MAX_KNOWN && value.len() <= MAX_KEPT {
        known.insert(value.to_owned(), uses.clone());
    }
    uses
}

/// Counts the numbers that select each form.
fn parse(value: &str) -> Uses {
    let field = |name: &str| {
        value.split(';').find_map(|part| {
            Some(part.trim().strip_prefix(name)?.trim_start().strip_prefix('=')?.trim())
        })
    };
    let count = field("nplurals").ok_or("`nplurals` is missing")?;
    let count: usize = count.parse().map_err(|_| format!("`{count}` is not a number of forms"))?;
    if count == 0 || count > 20 {
        return Err(format!("`nplurals={count}` is not a number of forms"));
    }
    let expression = field("plural").ok_or("`plural` is missing")?;
    let mut parser = Parser { rest: expression, nodes: Vec::new() };
    let root = parser.condition(0).ok_or("the expression is not valid")?;
    if !parser.rest.trim().is_empty() {
        return Err("the expression is not valid".to_owned());
    }
    let mut uses = vec![0; count];
    let mut values = Vec::with_capacity(parser.nodes.len());
    for n in 0..=MAX_TESTED {
        let Some(index) = evaluate(&parser.nodes, root, n, &mut values) else {
            return Err(format!("division by zero for n = {n}"));
        };
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let Some(used) = uses.get_mut(index) else {
            return Err(format!(
                "the expression selects form {index} for n = {n}, but `nplurals={count}`"
            ));
        };
        *used += 1;
    }
    Ok(uses)
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    fn add(&mut self, node: Node) -> Option<usize> {
        (self.nodes.len() < MAX_NODES).then(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn condition(&mut self, depth: usize) -> Option<usize> {
        if depth > MAX_DEPTH {
            return None;
        }
        let test = self.binary(0, depth)?;
        if !self.take("?") {
            return Some(test);
        }
        let yes = self.condition(depth + 1)?;
        if !self.take(":") {
            return None;
        }
        let no = self.condition(depth + 1)?;
        self.add(Node::Condition(test, yes, no))
    }

    fn binary(&mut self, level: usize, depth: usize) -> Option<usize> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            let right = self.binary(level + 1, depth)?;
            left = self.add(Node::Binary(operator, left, right))?;
        }
        Some(left)
    }

    fn unary(&mut self, depth: usize) -> Option<usize> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.take("!") {
            let inner = self.unary(depth + 1)?;
            return self.add(Node::Not(inner));
        }
        if self.take("(") {
            let inner = self.condition(depth + 1)?;
            return self.take(")").then_some(inner);
        }
        if self.take("n") {
            return self.add(Node::Variable);
        }
        let digits =
            self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = self.rest[..digits].parse().ok()?;
        self.rest = &self.rest[digits..];
        self.add(Node::Number(number))
    }
}

/// The value for `n`. Operands precede their operators, so one pass is sufficient.
fn evaluate(nodes: &[Node], root: usize, n: u64, values: &mut Vec<Option<u64>>) -> Option<u64> {
    values.clear();
    for node in nodes {
        let value = match *node {
            Node::Number(number) => Some(number),
            Node::Variable => Some(n),
            Node::Not(inner) => values[inner].map(|value| u64::from(value == 0)),
            Node::Condition(test, yes, no) => {
                values[test].and_then(|test| if test != 0 { values[yes] } else { values[no] })
            }
            Node::Binary(operator, left, right) => match (operator, values[left], values[right]) {
                ("||", Some(left), right) if left != 0 || right.is_some() => {
                    Some(u64::from(left != 0 || right != Some(0)))
                }
                ("&&", Some(0), _) => Some(0),
                (_, Some(left), Some(right)) => binary(operator, left, right),
                _ => None,
            },
        };
        values.push(value);
    }
    values.get(root).copied().flatten()
}

fn binary(operator: &str, left: u64, right: u64) -> Option<u64> {
    Some(match operator {
        "&&" => u64::from(left != 0 && right != 0),
        "==" => u64::from(left == right),
        "!=" => u64::from(left != right),
        "<=" => u64::from(left <= right),
        ">=" => u64::from(left >= right),
        "<" => u64::from(left < right),
        ">" => u64::from(left > right),
        "+" => left.saturating_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.saturating_mul(right),
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_evaluated_for_many_numbers() {
        let russian = "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && \
                       (n%100<10 || n%100>=20) ? 1 : 2);";
        assert_eq!(parse(russian).map(|uses| uses.len()), Ok(3));
        assert_eq!(parse("nplurals=1; plural=0;"), Ok(vec![1001]));
        assert_eq!(parse("nplurals=2; plural=n != 1"), Ok(vec![1, 1000]));
        for (value, reason) in [
            ("nplurals=INTEGER; plural=EXPRESSION;", "`INTEGER` is not a number of forms"),
            ("plural=0", "`nplurals` is missing"),
            ("nplurals=2", "`plural` is missing"),
            ("nplurals=2; plural=n>;", "the expression is not valid"),
            ("nplurals=2; plural=n==1 ? 0;", "the expression is not valid"),
            ("nplurals=2; plural=n;", "the expression selects form 2 for n = 2, but `nplurals=2`"),
            ("nplurals=2; plural=1/n;", "division by zero for n = 0"),
        ] {
            assert_eq!(parse(value), Err(reason.to_owned()), "{value}");
        }
        assert!(parse(&format!("nplurals=2; plural={}n", "(".repeat(100_000))).is_err());
        assert!(parse(&format!("nplurals=2; plural={}n", "!".repeat(100_000))).is_err());
    }
}
