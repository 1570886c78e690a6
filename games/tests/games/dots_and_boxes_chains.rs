//! Categories of edges and counts of chains against another program's (tests/oracles/dots-and-boxes.json), and against what
//! exact play makes of them.

use std::collections::BTreeMap;

use games::{
    Game as _, Moves as _, Seed, Turn, below,
    dots_and_boxes::{Categories, DotsAndBoxes, Move, MoveSet, Solver},
    endings::Endings as _,
};

use crate::dots_and_boxes_oracle::{by_edge, game, list, number, oracle, position};

fn edges(set: MoveSet) -> Vec<Move> {
    (0..set.len()).map(|index| set.get(index)).collect()
}

fn categories(position: &DotsAndBoxes) -> BTreeMap<u32, i64> {
    let categories = position.categories();
    let of = |edge| categories.of(edge).map_or(-1, |category| category as i64);
    edges(position.moves()).into_iter().map(|edge| (position.edge_number(edge), of(edge))).collect()
}

#[test]
fn categories_and_counts_of_the_oracle() {
    let oracle = oracle();
    let mut met = [0; Categories::COUNT];
    for case in list(&oracle, "tricky") {
        let wanted = by_edge(&case["categories"]);
        assert_eq!(categories(&position(case)), wanted, "{}", case["id"]);
        wanted.values().for_each(|&category| met[category as usize] += 1);
    }
    assert!(met.iter().all(|&count| count > 5), "{met:?}");
    for state in list(&oracle, "state_S") {
        let position = game(&format!("dots-and-boxes:start={}", state["id"].as_str().expect("a name")));
        assert_eq!(categories(&position), by_edge(&state["categories"]), "{}", state["id"]);
        let wanted: Vec<u32> = list(state, "features25_raw").iter().map(|json| number(json) as u32).collect();
        assert_eq!(position.chain_counts().numbers().to_vec(), wanted, "{}", state["id"]);
        assert_eq!(position.completed_turns(), 26);
    }
}

/// On the way of random games: every free edge has one category; edges that are left out are worth what one that stays is, if
/// nothing can be taken before; where a box can be taken without loss, a best move does, and where only rests are, one of theirs
/// is best.
#[test]
fn categories_lose_nothing() {
    let mut solver = Solver::new(1 << 18);
    let (mut taken, mut rests) = (0, 0);
    for index in 0..300u64 {
        let mut rng = Seed::derive(7, 0, index, "categories").rng();
        let mut position = DotsAndBoxes::new([2, 3, 4, 5][(index % 4) as usize], [3, 4, 5][(index / 4 % 3) as usize]);
        while position.turn() != Turn::Over {
            let moves = edges(position.moves());
            if moves.len() <= 16 {
                let categories = position.categories();
                let mut values = Vec::new();
                solver.values(&position, &mut values);
                let sign = if position.mover() == Turn::Player(0) { 1 } else { -1 };
                let values: BTreeMap<Move, i64> = moves.iter().copied().zip(values.iter().map(|v| sign * v)).collect();
                let best = values.values().max();
                let text = position.position_text();
                let sizes = (0..4).map(|category| categories.all(category).len()).sum::<usize>();
                assert_eq!(sizes, moves.len(), "{text}");
                for category in 0..4 {
                    let distinct = edges(categories.distinct(category));
                    let all = edges(categories.all(category));
                    assert!(distinct.iter().all(|edge| all.contains(edge)), "{text}");
                    let value = |edges: &[Move]| edges.iter().map(|edge| values[edge]).max();
                    // What is left out may be worth something else where it is not its turn yet.
                    let is_open =
                        (0..category).filter(|before| before % 2 == 0).any(|at| !categories.all(at).is_empty());
                    if !is_open && (category != 1 || categories.all(2).is_empty()) {
                        assert_eq!(value(&distinct), value(&all), "{text}: category {category}");
                    }
                    if category == 0 && !all.is_empty() {
                        taken += 1;
                        assert_eq!(value(&distinct).as_ref(), best, "{text}");
                    }
                    if category == 2 && !all.is_empty() && categories.all(0).is_empty() {
                        rests += 1;
                        assert_eq!(value(&distinct).as_ref(), best, "{text}");
                    }
                }
            }
            position.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
    }
    assert!(taken > 500 && rests > 100, "{taken}, {rests}");
}

/// Turns that completed nothing, counted in games: never more are found, and as many where no edge completed two boxes.
#[test]
fn completed_turns_are_counted_from_the_board() {
    for index in 0..400u64 {
        let mut rng = Seed::derive(7, 0, index, "turns").rng();
        let mut position = DotsAndBoxes::default();
        let (mut turns, mut twice) = (0, false);
        while position.turn() != Turn::Over {
            let found = position.completed_turns();
            assert!(found <= turns && (twice || found == turns), "{}", position.position_text());
            let chosen = position.moves().get(below(&mut rng, position.free_edges()) as usize);
            turns += u32::from(position.completes(chosen) == 0);
            twice |= position.completes(chosen) == 2;
            position.play(chosen);
        }
    }
}
