//! Positions as rows of numbers: what every game with encodings keeps, and what the numbers of each are.

use games::{
    Game, GameSpec, Moves as _, Rng, Seed, Turn, View, Visitor, below, dodgem::Dodgem, dots_and_boxes::DotsAndBoxes,
    reversi::Reversi,
};

/// Games played of each game.
const GAMES: u64 = 30;

fn encoded<G: Game>(position: &G, encoding: usize) -> Vec<f32> {
    let mut inputs = vec![f32::NAN; position.encodings()[encoding].inputs];
    position.encode(encoding, &mut inputs);
    inputs
}

/// Calls `check` with every position of random games at which a player moves.
fn walk<G: Game>(start: &G, mut check: impl FnMut(&G, &mut Rng)) {
    for game in 0..GAMES {
        let (mut position, mut rng) = (start.clone(), Seed::derive(1, 0, game, "encodings").rng());
        loop {
            let moves = position.moves();
            let chosen = match position.turn() {
                Turn::Over => break,
                Turn::Chance => position.chance(&mut rng),
                Turn::Player(_) => {
                    check(&position, &mut rng);
                    moves.get(below(&mut rng, moves.len() as u32) as usize)
                }
            };
            position.play(chosen);
        }
    }
}

/// Gives whether the game has encodings.
struct Contract;

impl Visitor for Contract {
    type Output = bool;

    fn visit<G: Game>(self, start: G) -> bool {
        let name = start.facts().name;
        let encodings = start.encodings();
        let mut names: Vec<&str> = encodings.iter().map(|encoding| encoding.name).collect();
        assert!(
            names.iter().all(|name| name.bytes().all(|c| c.is_ascii_lowercase() || c == b'-')),
            "{name}: {names:?}"
        );
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), encodings.len(), "{name}: two encodings have one name");
        walk(&start, |position, _| {
            assert_eq!(position.encodings(), encodings, "{name}: sizes follow from the options alone");
            for (place, encoding) in encodings.iter().enumerate() {
                let inputs = encoded(position, place);
                assert!((1..=4096).contains(&encoding.limit));
                let limit = encoding.limit as f32;
                let is_right = |x: &f32| (4.0 * x).fract() == 0.0 && x.abs() <= limit;
                assert!(inputs.iter().all(is_right), "{name}: {}: {inputs:?}", encoding.name);
                let again = start.parse_position(&position.position_text()).expect("a position");
                assert_eq!(encoded(&again, place), inputs, "{name}: {}", encoding.name);
            }
            let Some(size) = position.policy_size() else { return };
            assert_eq!(start.policy_size(), Some(size), "{name}: it follows from the options alone");
            let moves = position.moves();
            let mut places: Vec<usize> = (0..moves.len()).map(|i| position.policy_index(moves.get(i))).collect();
            assert!(places.iter().all(|&place| place < size), "{name}: {places:?} of {size}");
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), moves.len(), "{name}: two moves of {} share a place", position.position_text());
        });
        !encodings.is_empty()
    }
}

#[test]
fn every_game_with_encodings_keeps_the_contract() {
    let with: Vec<&str> = games::all()
        .iter()
        .map(|entry| entry.name)
        .filter(|name| games::visit(&name.parse().expect("every game has defaults"), Contract))
        .collect();
    assert_eq!(with, ["dodgem", "dots-and-boxes", "reversi"]);
    for text in [
        "dodgem:size=3",
        "dodgem:size=4",
        "dots-and-boxes:rows=1,columns=1",
        "dots-and-boxes:rows=7,columns=7",
        "dots-and-boxes:rows=2,columns=5",
        "dots-and-boxes:start=S1",
    ] {
        assert!(games::visit(&text.parse::<GameSpec>().expect("a game"), Contract), "{text}");
    }
}

#[test]
fn a_reversi_position_is_its_discs_and_moves() {
    walk(&Reversi::new(), |position, _| {
        let Turn::Player(seat) = position.mover() else { unreachable!("a player moves") };
        let discs = position.discs();
        let inputs = encoded(position, 1);
        assert_eq!(encoded(position, 0), inputs[..128]);
        let moves = position.moves();
        let squares: Vec<u32> = (0..moves.len()).filter_map(|i| moves.get(i).square()).collect();
        for square in 0..64 {
            let has = |plane: usize| inputs[64 * plane + square as usize] == 1.0;
            assert_eq!(has(0), discs[seat] >> square & 1 == 1);
            assert_eq!(has(1), discs[1 - seat] >> square & 1 == 1);
            assert_eq!(has(2), squares.contains(&square));
        }
    });
}

/// Whoever moves, cars go to the right, and a step's place says which squares it changes.
#[test]
fn a_dodgem_position_is_seen_as_black_sees_the_start() {
    for size in 3..=5usize {
        walk(&Dodgem::new(size as u8, 200, 100), |position, _| {
            let Turn::Player(seat) = position.mover() else { unreachable!("a player moves") };
            let inputs = encoded(position, 0);
            let (own, other) = inputs.split_at(size * size);
            let count = |cars: &[f32], left: &dyn Fn(usize) -> usize| {
                let squares = (0..size * size).filter(|&square| cars[square] == 1.0);
                squares.map(|square| size - left(square)).sum::<usize>() as u32
            };
            let steps = [count(own, &|square| square % size), count(other, &|square| square / size)];
            assert_eq!(steps, [position.steps()[seat], position.steps()[1 - seat]]);
            let moves = position.moves();
            for chosen in (0..moves.len()).map(|i| moves.get(i)) {
                let place = position.policy_index(chosen);
                let mut wanted = own.to_vec();
                let (first, second) = if place < size * size {
                    (place, (place % size < size - 1).then_some(place + 1))
                } else {
                    (place - size * size, Some(place - size * size + size))
                };
                for square in [Some(first), second].into_iter().flatten() {
                    wanted[square] = 1.0 - wanted[square];
                }
                let mut after = *position;
                after.play(chosen);
                // Of the next to move they are the other's cars, seen with rows and columns swapped.
                let seen = encoded(&after, 0);
                let seen: Vec<f32> = (0..size * size).map(|s| seen[size * size + s % size * size + s / size]).collect();
                assert_eq!(seen, wanted, "{} {}", position.position_text(), position.move_text(chosen));
            }
        });
    }
}

#[test]
fn a_position_of_dots_and_boxes_is_its_edges_and_boxes() {
    for (rows, columns) in [(1, 1), (2, 3), (5, 5), (7, 6)] {
        walk(&DotsAndBoxes::new(rows, columns), |position, _| {
            let Turn::Player(seat) = position.mover() else { unreachable!("a player moves") };
            let all: Vec<Vec<f32>> = (0..5).map(|encoding| encoded(position, encoding)).collect();
            let (edges, boxes) = (position.edges() as usize, usize::from(rows) * usize::from(columns));
            for number in 0..edges {
                let drawn = !position.is_free(position.edge(number as u32).expect("an edge"));
                let wanted = if drawn { [0.25, 0.25, 0.25, 1.0, 1.0] } else { [0.0; 5] };
                assert_eq!(all.iter().map(|inputs| inputs[number]).collect::<Vec<_>>(), wanted);
            }
            for place in 0..boxes {
                let (row, column) = ((place / usize::from(columns)) as u32, (place % usize::from(columns)) as u32);
                let owner = position.owner(row, column);
                let by_owner = |open: f32, first: f32, second: f32| [open, first, second][owner.map_or(0, |o| o + 1)];
                let at = edges + place;
                assert_eq!([all[0][at], all[1][at]], [by_owner(1.0, 0.5, 0.75); 2]);
                assert_eq!(all[2][at], if owner == Some(seat) { 0.5 } else { by_owner(1.0, 0.75, 0.75) });
                for inputs in &all[3..] {
                    let wanted = [owner == Some(seat), owner == Some(1 - seat)].map(|is| f32::from(u8::from(is)));
                    assert_eq!([inputs[at], inputs[at + boxes]], wanted);
                }
                let free = (0..edges as u32).filter(|&number| {
                    let edge = position.edge(number).expect("an edge");
                    let (down, right) = (edge.row(), edge.column());
                    let is_side = if edge.is_vertical() {
                        down == row && (right == column || right == column + 1)
                    } else {
                        right == column && (down == row || down == row + 1)
                    };
                    is_side && position.is_free(edge)
                });
                let mut wanted = [0.0; 4];
                if let Some(side) = free.count().checked_sub(1) {
                    wanted[side] = 1.0;
                }
                assert_eq!(all[4][edges + 2 * boxes + 1 + 4 * place..][..4], wanted);
            }
            let [own, other] = [position.completed()[seat], position.completed()[1 - seat]].map(f64::from);
            assert_eq!(f64::from(all[3][edges + 2 * boxes]), (own - other) / 4.0);
            assert_eq!(all[1][edges + boxes], if seat == 0 { 1.0 } else { 0.0 });
        });
    }
}

/// The paper's numbers of three positions, counted by the program that found the positions.
#[test]
fn the_paper_s_inputs_of_its_states_are_those_of_the_oracle() {
    let oracle: serde_json::Value = serde_json::from_str(include_str!("../oracles/dots-and-boxes.json")).expect("JSON");
    for state in oracle["state_S"].as_array().expect("states") {
        let name = state["id"].as_str().expect("a name");
        struct Inputs;
        impl Visitor for Inputs {
            type Output = Vec<f32>;
            fn visit<G: Game>(self, start: G) -> Vec<f32> {
                assert_eq!(start.encodings()[0].view, View::First);
                encoded(&start, 0)
            }
        }
        let inputs = games::visit(&format!("dots-and-boxes:start={name}").parse().expect("a game"), Inputs);
        assert_eq!(inputs.len(), 85);
        let sum: f32 = inputs.iter().sum();
        assert_eq!(Some(f64::from(sum)), state["input85_sum"].as_f64(), "{name}");
        for (number, count) in state["input85_counts"].as_object().expect("counts") {
            let number: f32 = number.parse().expect("a number");
            let found = inputs.iter().filter(|&&x| x == number).count();
            assert_eq!(Some(found as u64), count.as_u64(), "{name}: inputs of {number}");
        }
    }
}
