//! Dots and Boxes against a slow program written from the rules, at every turn of random games on boards of all sizes; and its
//! symmetries.

use games::{
    Game as _, Moves as _, Seed, Turn, below,
    dots_and_boxes::{DotsAndBoxes, Symmetry},
};

use crate::dots_and_boxes_slow::Slow;

/// Games on each of 49 boards.
const GAMES: u64 = 60;

#[track_caller]
fn compare(fast: &DotsAndBoxes, slow: &Slow) {
    let text = slow.text();
    assert_eq!(fast.position_text(), text);
    let free = slow.free();
    let moves = fast.moves();
    let legal: Vec<usize> = (0..moves.len()).map(|index| fast.edge_number(moves.get(index)) as usize).collect();
    assert_eq!(legal, free, "{text}");
    assert_eq!(fast.free_edges() as usize, free.len(), "{text}");
    let turn = if free.is_empty() { Turn::Over } else { Turn::Player(slow.mover) };
    assert_eq!(fast.turn(), turn, "{text}");
    let completed = slow.completed();
    assert_eq!(fast.completed().map(|count| count as usize), completed, "{text}");
    assert_eq!(fast.score_difference(), completed[0] as i64 - completed[1] as i64, "{text}");
    assert_eq!(fast.open_boxes() as usize, slow.owners.len() - completed[0] - completed[1], "{text}");
    for (place, &owner) in slow.owners.iter().enumerate() {
        assert_eq!(fast.owner((place / slow.columns) as u32, (place % slow.columns) as u32), owner, "{text}");
    }
    for &edge in &free {
        let chosen = fast.edge(edge as u32).expect("an edge of the board");
        let kind = if edge < (slow.rows + 1) * slow.columns { 'h' } else { 'v' };
        assert_eq!(fast.move_text(chosen), format!("{kind}{}{}", chosen.row(), chosen.column()));
        assert_eq!(fast.completes(chosen) as usize, slow.clone().play(edge), "{text}: {edge}");
    }
}

#[test]
fn every_turn_is_that_of_a_slow_program() {
    for size in 0..49 {
        let (rows, columns) = (size / 7 + 1, size % 7 + 1);
        for index in 0..GAMES {
            let mut rng = Seed::derive(size, 0, index, "twin").rng();
            let mut fast = DotsAndBoxes::new(rows as u8, columns as u8);
            let mut slow = Slow::new(rows as usize, columns as usize);
            assert_eq!(fast.edges() as usize, slow.drawn.len());
            assert_eq!(fast.edge(fast.edges()), None);
            loop {
                compare(&fast, &slow);
                let moves = fast.moves();
                if moves.is_empty() {
                    break;
                }
                let chosen = moves.get(below(&mut rng, moves.len() as u32) as usize);
                slow.play(fast.edge_number(chosen) as usize);
                fast.play(chosen);
            }
        }
    }
}

/// A turned board has its boxes where the turn takes their edges, and playing on commutes with turning.
#[test]
fn turned_games_are_played_alike() {
    for index in 0..1_500 {
        let mut rng = Seed::derive(7, 0, index, "turned").rng();
        let mut game = DotsAndBoxes::new(1 + below(&mut rng, 7) as u8, 1 + below(&mut rng, 7) as u8);
        let symmetry = Symmetry::ALL[(index % 8) as usize];
        let mut turned = game.turned(symmetry);
        let sides =
            if symmetry.transposed { [turned.columns(), turned.rows()] } else { [turned.rows(), turned.columns()] };
        assert_eq!(sides, [game.rows(), game.columns()]);
        while game.turn() != Turn::Over {
            let moves = game.moves();
            let mut images: Vec<u32> =
                (0..moves.len()).map(|i| turned.edge_number(game.turned_edge(symmetry, moves.get(i)))).collect();
            images.sort_unstable();
            let all = turned.moves();
            assert_eq!(images, (0..all.len()).map(|i| turned.edge_number(all.get(i))).collect::<Vec<_>>());
            let chosen = moves.get(below(&mut rng, moves.len() as u32) as usize);
            let image = game.turned_edge(symmetry, chosen);
            assert_eq!((chosen.is_vertical() != image.is_vertical()), symmetry.transposed);
            game.play(chosen);
            turned.play(image);
            assert_eq!(turned, game.turned(symmetry), "{} {symmetry:?}", game.position_text());
        }
    }
}

/// A board has eight symmetries where it is square, else four, all different.
#[test]
fn boards_have_their_symmetries() {
    for (rows, columns, count) in [(5, 5, 8), (3, 4, 4), (7, 7, 8), (1, 6, 4)] {
        let game = DotsAndBoxes::new(rows, columns);
        let symmetries = game.symmetries();
        assert_eq!(symmetries.len(), count);
        let edge = game.edge(1).expect("an edge");
        let mut images: Vec<u32> = symmetries
            .iter()
            .map(|&symmetry| game.turned(symmetry).edge_number(game.turned_edge(symmetry, edge)))
            .collect();
        images.sort_unstable();
        images.dedup();
        assert!(symmetries.iter().all(|&symmetry| game.turned(symmetry) == game), "the empty board is its own image");
        assert!(images.len() > 1, "{rows}x{columns}");
    }
}
