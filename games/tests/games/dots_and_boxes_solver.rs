//! The solver of endings against another program's answers, published values, and every line of random positions.

use std::{collections::BTreeMap, time::Instant};

use games::{
    Game as _, Moves as _, Rng, Seed, Turn, below,
    dots_and_boxes::{DotsAndBoxes, Solver},
    endings::Endings as _,
};

use crate::{
    dots_and_boxes_oracle::{by_edge, game, list, number, numbers, oracle, position},
    dots_and_boxes_slow::Slow,
};

/// What the side to move gains by each move, by the solver.
fn gains(solver: &mut Solver, position: &DotsAndBoxes) -> BTreeMap<u32, i64> {
    let Turn::Player(seat) = position.mover() else { panic!("players move") };
    let mut values = Vec::new();
    solver.values(position, &mut values);
    let moves = position.moves();
    assert_eq!(values.len(), moves.len());
    let gain = |value: i64| (value - position.score_difference()) * if seat == 0 { 1 } else { -1 };
    let gains = values.into_iter().map(gain);
    (0..moves.len()).map(|index| position.edge_number(moves.get(index))).zip(gains).collect()
}

#[test]
fn values_of_tricky_positions_and_of_state_s() {
    let oracle = oracle();
    let mut solver = Solver::default();
    for case in list(&oracle, "tricky") {
        let wanted = by_edge(&case["move_values"]);
        for seat in 0..2 {
            let position = position(case).with_mover(seat).expect("either may move");
            assert_eq!(gains(&mut solver, &position), wanted, "{}", case["id"]);
        }
    }
    for state in list(&oracle, "state_S") {
        let position = game(&format!("dots-and-boxes:start={}", state["id"].as_str().expect("a name")));
        assert_eq!(gains(&mut solver, &position), by_edge(&state["move_values"]), "{}", state["id"]);
        let value = number(&state["value_for_mover"]);
        assert_eq!(solver.value(&position), value);
        assert_eq!(state["winner_with_best_play"], if value > 0 { "P1" } else { "P2" });
    }
}

/// Boards from the start, up to 3x4, by the table and the search of other programs and as published.
#[test]
fn values_of_whole_boards() {
    let oracle = oracle();
    let boards = list(&oracle, "solved_empty_boards");
    assert_eq!(boards.len(), 14);
    for board in boards {
        let (rows, columns) = (number(&board["rows"]) as u8, number(&board["cols"]) as u8);
        // 1x8 is longer than boards are here.
        if columns > 7 {
            continue;
        }
        let (mut solver, start) = (Solver::new(128 << 20), DotsAndBoxes::new(rows, columns));
        let wanted = number(&board["value_first_player"]);
        assert_eq!(solver.value(&start), wanted, "{rows}x{columns}");
        if let Some(best) = board.get("best_first_moves") {
            let gains = gains(&mut solver, &start);
            let found = gains.iter().filter(|(_, gain)| **gain == wanted).map(|(&edge, _)| edge as usize);
            assert_eq!(found.collect::<Vec<_>>(), numbers(best), "{rows}x{columns}");
        }
    }
}

/// `REDQUEEN_DOTS_BOARDS=4x4 cargo test --workspace --test games larger_boards -- --nocapture` compares the published values of larger
/// boards, with a table of `REDQUEEN_DOTS_TABLE_GIB` GiB (2 if it is not set); docs/speed.md says how long that takes.
#[test]
fn larger_boards_as_published() {
    let oracle = oracle();
    let published = list(&oracle, "published");
    assert_eq!(published.len(), 2);
    let asked = std::env::var("REDQUEEN_DOTS_BOARDS").unwrap_or_default();
    let gib: usize = std::env::var("REDQUEEN_DOTS_TABLE_GIB").map_or(2, |gib| gib.parse().expect("a number of GiB"));
    for asked in asked.split_whitespace() {
        let sides = |board: &&serde_json::Value| format!("{}x{}", board["rows"], board["cols"]) == asked;
        let board = published.iter().find(sides).unwrap_or_else(|| panic!("no value of {asked} is published"));
        #[expect(clippy::disallowed_methods, reason = "the time is printed and changes nothing")]
        let (mut solver, began) = (Solver::new(gib << 30), Instant::now());
        let start = DotsAndBoxes::new(number(&board["rows"]) as u8, number(&board["cols"]) as u8);
        assert_eq!(solver.value(&start), number(&board["value_first_player"]), "{asked}");
        println!("{asked}: {} positions searched in {:.0} s", solver.nodes(), began.elapsed().as_secs_f64());
    }
}

/// What the side to move gains with every set of the free edges left, by a table over all sets.
struct Exhaustive {
    free: Vec<usize>,
    gains: Vec<i8>,
}

impl Exhaustive {
    fn of(slow: &Slow) -> Self {
        let free = slow.free();
        // By free edge, the free edges of each of its boxes.
        let mut boxes: Vec<Vec<u32>> = vec![Vec::new(); free.len()];
        for place in 0..slow.owners.len() {
            let sides = slow.sides(place).map(|side| free.iter().position(|&edge| edge == side));
            let set = sides.iter().flatten().fold(0, |set, side| set | 1 << side);
            sides.iter().flatten().for_each(|&side| boxes[side].push(set));
        }
        let mut gains = vec![0i8; 1 << free.len()];
        for set in 1u32..1 << free.len() {
            let gain = |edge: usize| {
                let rest = set & !(1 << edge);
                let completed = boxes[edge].iter().filter(|&&of_box| of_box & rest == 0).count() as i8;
                if completed > 0 { completed + gains[rest as usize] } else { -gains[rest as usize] }
            };
            gains[set as usize] = (0..free.len()).filter(|edge| set >> edge & 1 == 1).map(gain).max().unwrap_or(0);
        }
        Exhaustive { free, gains }
    }

    /// The gain of a position that has only edges of these free.
    fn gain(&self, slow: &Slow) -> i64 {
        let set = (0..self.free.len()).filter(|&at| !slow.drawn[self.free[at]]).fold(0, |set, at| set | 1usize << at);
        self.gains[set].into()
    }
}

/// A position with at most `free` free edges. Each move is one that completes no third side of a box if there is such a move,
/// or any move with a probability of 1 in `wild`.
fn played(rows: u8, columns: u8, free: u32, wild: u32, rng: &mut Rng) -> (DotsAndBoxes, Slow) {
    let mut game = DotsAndBoxes::new(rows, columns);
    let mut slow = Slow::new(rows.into(), columns.into());
    while game.free_edges() > free {
        let edges = slow.free();
        let sides = |slow: &Slow, place: usize| slow.sides(place).iter().filter(|&&side| slow.drawn[side]).count();
        let is_safe = |edge: usize| {
            (0..slow.owners.len()).all(|place| !slow.sides(place).contains(&edge) || sides(&slow, place) < 2)
        };
        let safe: Vec<usize> = edges.iter().copied().filter(|&edge| is_safe(edge)).collect();
        let from = if safe.is_empty() || below(rng, wild) == 0 { edges } else { safe };
        let edge = from[below(rng, from.len() as u32) as usize];
        slow.play(edge);
        game.play(game.edge(edge as u32).expect("an edge"));
    }
    (game, slow)
}

#[test]
fn random_positions_by_all_their_lines() {
    let mut solver = Solver::new(1 << 20);
    let (mut positions, mut left) = (0, 0);
    for index in 0..900u64 {
        let mut rng = Seed::derive(7, 0, index, "endings").rng();
        let sides = [(2, 2), (1, 7), (3, 3), (3, 4), (4, 4), (5, 5), (2, 6), (7, 7), (6, 3)][(index % 9) as usize];
        let free = 6 + below(&mut rng, 10);
        let (game, slow) = played(sides.0, sides.1, free, [1, 4, 1_000][(index / 9 % 3) as usize], &mut rng);
        let table = Exhaustive::of(&slow);
        // On from there at random, so that there is something to take, too.
        let (mut game, mut slow) = (game, slow);
        while game.turn() != Turn::Over {
            let text = game.position_text();
            let seat = usize::from(game.mover() == Turn::Player(1));
            let sign = if seat == 0 { 1 } else { -1 };
            let value = game.score_difference() + sign * table.gain(&slow);
            assert_eq!(solver.value(&game), value, "{text}");
            for bound in value - 3..=value + 3 {
                assert_eq!(solver.is_at_least(&game, bound), value >= bound, "{text}: {bound}");
            }
            assert_eq!(solver.distance(&game), game.free_edges());
            let moves = game.moves();
            let mut values = Vec::new();
            solver.values(&game, &mut values);
            for (index, value) in values.into_iter().enumerate() {
                let edge = game.edge_number(moves.get(index)) as usize;
                let mut after = slow.clone();
                after.play(edge);
                let [first, second] = after.completed().map(|count| count as i64);
                let sign = if after.mover == 0 { 1 } else { -1 };
                assert_eq!(value, first - second + sign * table.gain(&after), "{text}: {edge}");
            }
            let chosen = moves.get(below(&mut rng, moves.len() as u32) as usize);
            slow.play(game.edge_number(chosen) as usize);
            game.play(chosen);
            positions += 1;
            left += u32::from(moves.len() > 5);
        }
    }
    assert!(positions > 5_000 && left > 3_000, "{positions}, {left}");
}

/// Positions too large for all their lines: equal on turned boards, and with a table that holds next to nothing.
#[test]
fn values_do_not_depend_on_the_side_of_the_board_or_on_the_table() {
    let (mut large, mut small) = (Solver::new(1 << 20), Solver::new(1));
    for index in 0..60u64 {
        let mut rng = Seed::derive(7, 0, index, "turned endings").rng();
        let (rows, columns) = [(5, 5), (4, 6), (7, 7)][(index % 3) as usize];
        let (game, _) = played(rows, columns, 22, 8, &mut rng);
        let value = large.value(&game);
        assert_eq!(small.value(&game), value, "{}", game.position_text());
        for &symmetry in game.symmetries() {
            assert_eq!(large.value(&game.turned(symmetry)), value, "{} {symmetry:?}", game.position_text());
        }
        assert_eq!(Solver::new(1 << 12).value(&game), value);
        // The other side is as well off at the same edges.
        let other = 1 - usize::from(game.mover() == Turn::Player(1));
        let score = game.score_difference();
        let turned = game.with_mover(other).expect("either may move");
        assert_eq!(large.value(&turned) - score, score - value, "{}", game.position_text());
    }
}

#[test]
fn a_game_gives_its_solver() {
    let start = DotsAndBoxes::new(2, 3);
    let mut endings = start.endings().expect("Dots and Boxes has a solver");
    assert_eq!((endings.distance(&start), endings.value(&start)), (17, -2));
    let mut end = start;
    end.playout(&mut Seed::derive(7, 0, 0, "end").rng());
    assert_eq!((endings.distance(&end), endings.value(&end)), (0, end.score_difference()));
}
