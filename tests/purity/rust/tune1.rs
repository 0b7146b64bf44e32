//! Expression language: lexer, parser, evaluator and the command line around it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Num(f64),
    Name(String),
    Op(char),
}

#[derive(Debug, Clone)]
pub enum Expr {
    Num(f64),
    Var(String),
    Bin(char, Box<Expr>, Box<Expr>),
}

pub type Scope = BTreeMap<String, f64>;

pub trait Resolver {
    fn resolve(&self, name: &str) -> Option<f64>;
}

const KEYWORDS: [&str; 3] = ["let", "print", "load"];
static ERRORS: AtomicUsize = AtomicUsize::new(0);
static PRECEDENCE: &[(char, u8)] = &[('+', 1), ('-', 1), ('*', 2), ('/', 2)];

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

pub fn precedence(op: char) -> Option<u8> {
    PRECEDENCE.iter().find(|(c, _)| *c == op).map(|(_, p)| *p)
}

fn take_while(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, digits: bool) -> String {
    let mut out = String::new();
    while let Some(&c) = chars.peek() {
        let keep = if digits {
            c.is_ascii_digit() || c == '.'
        } else {
            c.is_alphanumeric()
        };
        if !keep {
            break;
        }
        out.push(c);
        chars.next();
    }
    out
}

pub fn tokenize(source: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut chars = source.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
        } else if c.is_ascii_digit() {
            let text = take_while(&mut chars, true);
            tokens.push(Token::Num(
                text.parse().map_err(|_| format!("bad number {text}"))?,
            ));
        } else if c.is_alphabetic() {
            tokens.push(Token::Name(take_while(&mut chars, false)));
        } else {
            tokens.push(Token::Op(c));
            chars.next();
        }
    }
    Ok(tokens)
}

pub fn tokenize_lossy(source: &str) -> Vec<Token> {
    match tokenize(source) {
        Ok(tokens) => tokens,
        Err(message) => {
            report(&message);
            Vec::new()
        }
    }
}

pub fn report(message: &str) {
    ERRORS.fetch_add(1, Ordering::Relaxed);
    eprintln!("error: {message}");
}

pub fn error_count() -> usize {
    ERRORS.load(Ordering::Relaxed)
}

pub fn had_errors() -> bool {
    error_count() > 0
}

pub struct Parser {
    tokens: Vec<Token>,
    at: usize,
    warnings: Cell<u32>,
}

impl Parser {
    pub fn new(tokens: Vec<Token>) -> Self {
        Parser {
            tokens,
            at: 0,
            warnings: Cell::new(0),
        }
    }

    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub fn bump(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    pub fn warn(&self) {
        self.warnings.set(self.warnings.get() + 1);
    }

    pub fn remaining(&self) -> usize {
        self.tokens.len().saturating_sub(self.at)
    }

    pub fn atom(&mut self) -> Result<Expr, String> {
        match self.bump() {
            Some(Token::Num(n)) => Ok(Expr::Num(n)),
            Some(Token::Name(name)) => Ok(Expr::Var(name)),
            Some(Token::Op('(')) => {
                let inner = self.binary(0)?;
                self.bump();
                Ok(inner)
            }
            other => Err(format!("unexpected {other:?}")),
        }
    }

    pub fn binary(&mut self, min: u8) -> Result<Expr, String> {
        let mut left = self.atom()?;
        while let Some(Token::Op(op)) = self.peek().cloned() {
            let Some(p) = precedence(op).filter(|p| *p > min) else {
                break;
            };
            self.bump();
            let right = self.binary(p)?;
            left = Expr::Bin(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    pub fn finish(mut self) -> Vec<Token> {
        self.tokens.drain(..self.at.min(self.tokens.len()));
        self.tokens
    }
}

pub fn parse(source: &str) -> Result<Expr, String> {
    let mut parser = Parser::new(tokenize(source)?);
    let expr = parser.binary(0)?;
    if parser.remaining() > 0 {
        parser.warn();
    }
    Ok(expr)
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Num(n) => write!(f, "{n}"),
            Expr::Var(name) => f.write_str(name),
            Expr::Bin(op, a, b) => write!(f, "({a} {op} {b})"),
        }
    }
}

pub fn eval(expr: &Expr, scope: &Scope) -> Result<f64, String> {
    Ok(match expr {
        Expr::Num(n) => *n,
        Expr::Var(name) => *scope.get(name).ok_or_else(|| format!("unbound {name}"))?,
        Expr::Bin(op, a, b) => apply(*op, eval(a, scope)?, eval(b, scope)?),
    })
}

pub fn apply(op: char, a: f64, b: f64) -> f64 {
    match op {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        '/' => a / b,
        _ => panic!("operator {op}"),
    }
}

pub fn eval_with(expr: &Expr, resolver: &dyn Resolver) -> Option<f64> {
    match expr {
        Expr::Num(n) => Some(*n),
        Expr::Var(name) => resolver.resolve(name),
        Expr::Bin(op, a, b) => Some(apply(*op, eval_with(a, resolver)?, eval_with(b, resolver)?)),
    }
}

pub fn eval_deep(expr: &Expr) -> usize {
    DEPTH.with(|depth| depth.set(depth.get().max(height(expr))));
    DEPTH.with(Cell::get)
}

pub fn height(expr: &Expr) -> usize {
    match expr {
        Expr::Bin(_, a, b) => 1 + height(a).max(height(b)),
        _ => 1,
    }
}

pub fn fold(expr: Expr) -> Expr {
    match expr {
        Expr::Bin(op, a, b) => match (fold(*a), fold(*b)) {
            (Expr::Num(x), Expr::Num(y)) => Expr::Num(apply(op, x, y)),
            (x, y) => Expr::Bin(op, Box::new(x), Box::new(y)),
        },
        leaf => leaf,
    }
}

pub fn rename(expr: &mut Expr, from: &str, to: &str) {
    match expr {
        Expr::Var(name) if name == from => *name = to.to_string(),
        Expr::Bin(_, a, b) => {
            rename(a, from, to);
            rename(b, from, to);
        }
        _ => {}
    }
}

pub fn renamed(expr: &Expr, from: &str, to: &str) -> Expr {
    let mut copy = expr.clone();
    rename(&mut copy, from, to);
    copy
}

pub fn collect_names(expr: &Expr, out: &mut Vec<String>) {
    match expr {
        Expr::Num(_) => {}
        Expr::Var(name) => out.push(name.clone()),
        Expr::Bin(_, a, b) => {
            collect_names(a, out);
            collect_names(b, out);
        }
    }
}

pub fn names(expr: &Expr) -> Vec<String> {
    let mut out = Vec::new();
    collect_names(expr, &mut out);
    out.sort();
    out.dedup();
    out
}

pub fn bind(scope: &mut Scope, line: &str) -> Result<(), String> {
    let (name, source) = line.split_once('=').ok_or("expected '='")?;
    let value = eval(&parse(source)?, scope)?;
    scope.insert(name.trim().to_string(), value);
    Ok(())
}

pub fn run_program(source: &str) -> Result<Scope, String> {
    let mut scope = Scope::new();
    for line in source.lines().filter(|line| !line.trim().is_empty()) {
        bind(&mut scope, line)?;
    }
    Ok(scope)
}

pub fn run_file(path: &str) -> Result<Scope, String> {
    let source = fs::read_to_string(path).map_err(|e| e.to_string())?;
    run_program(&source)
}

pub fn script_args() -> Vec<String> {
    std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect()
}

pub fn read_line(prompt: &str) -> io::Result<String> {
    print!("{prompt}");
    io::stdout().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

pub fn show(scope: &Scope) -> String {
    scope
        .iter()
        .map(|(name, value)| format!("{name} = {value}\n"))
        .collect()
}
