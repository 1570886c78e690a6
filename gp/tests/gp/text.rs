//! Texts that are not trees, and what the errors say.

use gp::{Tree, Type};
use proptest::prelude::*;

use crate::common::reversi;

#[track_caller]
fn wrong(text: &str, at: usize, says: &str) {
    let error = Tree::parse(text, Type::Float, &reversi()).expect_err("no tree");
    assert_eq!(error.at, at, "{text}: {error}");
    assert!(error.reason.contains(says), "{text}: {error}");
}

#[test]
fn faults_have_a_place_and_a_reason() {
    wrong("", 1, "the root is missing: a number is wanted");
    wrong("True", 1, "the root must be a number, and `True` is a truth value");
    wrong("Mobilty", 1, "there is no `Mobilty` here; there are ERC, One");
    wrong("(Plus One", 10, "argument 2 of `Plus` is missing: a number is wanted");
    wrong("(Plus One One One)", 15, "`)` is wanted: `Plus` takes 2 arguments");
    wrong("(Plus One One", 14, "`)` is wanted");
    wrong("Plus One One", 1, "`Plus` takes 2 arguments: write `(Plus …)`");
    wrong("(Plus One True)", 11, "argument 2 of `Plus` must be a number, and `True` is a truth value");
    wrong("(IfTrue One One One)", 9, "argument 1 of `IfTrue` must be a truth value");
    wrong("One One", 5, "the tree has ended before this");
    wrong("ERC", 1, "`ERC` needs its number");
    wrong("ERC:x", 1, "`x` of `ERC` is not a finite number");
    wrong("ERC:inf", 1, "not a finite number");
    wrong("One:3", 1, "`One` stores nothing");
    wrong("One*", 1, "not a finite number");
    wrong("(IfTrue True*2 One One)", 9, "`True` has no factor");
    wrong("(IfTrue IsManPiece One One)", 9, "needs its square, row and column from 0: up to `IsManPiece:7:7`");
    wrong("(IfTrue IsManPiece:8:0 One One)", 9, "needs its square");
    wrong("(IfTrue IsManPiece:1 One One)", 9, "needs its square");
    // Characters are counted, not bytes.
    wrong("(Plus Önö One)", 7, "there is no `Önö` here");
}

#[test]
fn absurd_texts_are_refused_without_harm() {
    let deep = "(MultERC:1 ".repeat(100_000);
    assert!(Tree::parse(&deep, Type::Float, &reversi()).expect_err("too deep").reason.contains("deeper than"));
    let long = " ".repeat(5 << 20);
    assert!(Tree::parse(&long, Type::Float, &reversi()).expect_err("too long").reason.contains("longer than"));
}

#[test]
fn spaces_and_brackets_are_free() {
    let set = reversi();
    let tree = Tree::parse("  ( Plus\tOne  (Zero)*2 )", Type::Float, &set);
    assert!(tree.is_err(), "a factor stands at its name");
    let tree = Tree::parse("  ( Plus\n One*0.5  (Zero) ) ", Type::Float, &set).expect("a tree");
    assert_eq!(tree.to_text(&set), "(Plus One*0.5 Zero)");
}

proptest! {
    #[test]
    fn no_text_does_harm(text in "[(): *.0-9A-Za-zé-]{0,80}") {
        let set = reversi();
        if let Ok(tree) = Tree::parse(&text, Type::Float, &set) {
            prop_assert_eq!(Tree::parse(&tree.to_text(&set), Type::Float, &set), Ok(tree));
        }
    }
}
