//! A tree as one line: `(Plus Mobility (MultERC:5 CornerCount*0.9))`.
//!
//! A node is its primitive's name, then `:` and what it stores (a number, or row and column), then `*` and its factor
//! unless that is 1; arguments follow inside brackets. Numbers are the shortest that read back to the same bits.

use std::fmt;

use crate::{NODES_MAX, Node, Op, PrimitiveSet, Stored, Tree, Type};

/// Why a text is not a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {at}: {reason}")]
pub struct TreeError {
    /// Character of the text, from 1.
    pub at: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Longest text that is read, in bytes.
const LONGEST: usize = 4 << 20;
/// Most nodes of a tree, so that its text is below [`LENGTH_MAX`] whatever it stores: a number has up to some 330 digits.
const NODES_SHORT: usize = LONGEST / 1_024;
/// Deepest nesting of brackets that is read.
const DEEPEST: usize = 1_000;

impl Tree {
    /// The tree as one line.
    pub fn to_text(&self, set: &PrimitiveSet) -> String {
        Line { tree: self, set }.to_string()
    }

    /// Whether it can be written, read again and compiled: operators make only such trees.
    pub fn is_usable(&self, set: &PrimitiveSet) -> bool {
        self.size() <= NODES_MAX && (self.size() <= NODES_SHORT || self.to_text(set).len() <= LONGEST)
    }

    /// Reads the text of a tree with a root of type `kind`.
    ///
    /// # Errors
    /// `text` is not a tree of `set`; the error says where and why.
    pub fn parse(text: &str, kind: Type, set: &PrimitiveSet) -> Result<Tree, TreeError> {
        if text.len() > LONGEST {
            return Err(TreeError { at: 1, reason: format!("longer than {LONGEST} bytes") });
        }
        let mut parser = Parser { text, at: 0, set, nodes: Vec::new() };
        parser.node(kind, "the root", 1)?;
        parser.spaces();
        if parser.at < text.len() {
            return Err(parser.wrong("the tree has ended before this"));
        }
        Ok(Tree::of(parser.nodes))
    }
}

struct Line<'a> {
    tree: &'a Tree,
    set: &'a PrimitiveSet,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments left to write at each open bracket.
        let mut open: Vec<usize> = Vec::new();
        for node in self.tree.nodes() {
            if !open.is_empty() {
                f.write_str(" ")?;
            }
            let primitive = self.set.get(node.primitive);
            if primitive.arity() > 0 {
                f.write_str("(")?;
            }
            f.write_str(&primitive.name)?;
            match node.stored {
                Stored::None => {}
                Stored::Number(number) => write!(f, ":{number}")?,
                Stored::Square { row, column } => write!(f, ":{row}:{column}")?,
            }
            if node.factor != 1.0 {
                write!(f, "*{}", node.factor)?;
            }
            if primitive.arity() > 0 {
                open.push(primitive.arity());
                continue;
            }
            while let Some(left) = open.last_mut() {
                *left -= 1;
                if *left > 0 {
                    break;
                }
                open.pop();
                f.write_str(")")?;
            }
        }
        Ok(())
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    set: &'a PrimitiveSet,
    nodes: Vec<Node>,
}

impl<'a> Parser<'a> {
    fn wrong(&self, reason: impl Into<String>) -> TreeError {
        self.wrong_at(self.at, reason)
    }

    fn wrong_at(&self, at: usize, reason: impl Into<String>) -> TreeError {
        TreeError { at: self.text[..at].chars().count() + 1, reason: reason.into() }
    }

    fn spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        let eaten = self.text[self.at..].starts_with(c);
        self.at += if eaten { c.len_utf8() } else { 0 };
        eaten
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn node(&mut self, kind: Type, place: &str, depth: usize) -> Result<(), TreeError> {
        if depth > DEEPEST {
            return Err(self.wrong(format!("deeper than {DEEPEST} levels")));
        }
        self.spaces();
        let bracket = self.eat('(');
        self.spaces();
        let start = self.at;
        let word = self.word();
        if word.is_empty() {
            return Err(self.wrong(format!("{place} is missing: {kind} is wanted")));
        }
        // A name may begin with any of these, as `*` does.
        let name_end = word.char_indices().skip(1).find(|&(_, c)| c == ':' || c == '*').map_or(word.len(), |(i, _)| i);
        let (name, given) = word.split_at(name_end);
        let Some(index) = self.set.find(name) else {
            let names: Vec<&str> = self.set.all().iter().map(|p| p.name.as_str()).collect();
            return Err(self.wrong_at(start, format!("there is no `{name}` here; there are {}", names.join(", "))));
        };
        let primitive = self.set.get(index);
        if primitive.op.result() != kind {
            let found = primitive.op.result();
            return Err(self.wrong_at(start, format!("{place} must be {kind}, and `{name}` is {found}")));
        }
        let (stored, factor) = self.given(given, primitive.op, name, start)?;
        self.nodes.push(Node { primitive: index, stored, factor });
        let arity = primitive.arity();
        if arity > 0 && !bracket {
            return Err(self.wrong_at(start, format!("`{name}` takes {arity} arguments: write `({name} …)`")));
        }
        for i in 0..arity {
            let primitive = self.set.get(index);
            let place = format!("argument {} of `{}`", i + 1, primitive.name);
            self.node(primitive.argument(i), &place, depth + 1)?;
        }
        if bracket {
            self.spaces();
            if !self.eat(')') {
                return Err(self.wrong(format!("`)` is wanted: `{name}` takes {arity} arguments")));
            }
        }
        Ok(())
    }

    fn given(&self, text: &str, op: Op, name: &str, start: usize) -> Result<(Stored, f64), TreeError> {
        let (stored, factor) = text.split_once('*').map_or((text, None), |(stored, factor)| (stored, Some(factor)));
        let number = |text: &str| {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| self.wrong_at(start, format!("`{text}` of `{name}` is not a finite number")))
        };
        let factor = match factor {
            None => 1.0,
            Some(factor) if self.set.factors && op.result() == Type::Float => number(factor)?,
            Some(_) => return Err(self.wrong_at(start, format!("`{name}` has no factor"))),
        };
        let stored = match (op, stored.strip_prefix(':')) {
            (Op::Random | Op::Scale, Some(text)) => Stored::Number(number(text)?),
            (Op::Random | Op::Scale, None) => {
                return Err(self.wrong_at(start, format!("`{name}` needs its number: `{name}:1.5`")));
            }
            (Op::Square(_), given) => {
                let (rows, columns) = (self.set.rows, self.set.columns);
                let square = given.and_then(|text| text.split_once(':')).and_then(|(row, column)| {
                    let (row, column) = (row.parse::<u8>().ok()?, column.parse::<u8>().ok()?);
                    (row < rows && column < columns).then_some(Stored::Square { row, column })
                });
                square.ok_or_else(|| {
                    let (row, column) = (rows.saturating_sub(1), columns.saturating_sub(1));
                    let reason =
                        format!("`{name}` needs its square, row and column from 0: up to `{name}:{row}:{column}`");
                    self.wrong_at(start, reason)
                })?
            }
            (_, None) => Stored::None,
            (_, Some(_)) => return Err(self.wrong_at(start, format!("`{name}` stores nothing"))),
        };
        Ok((stored, factor))
    }
}
