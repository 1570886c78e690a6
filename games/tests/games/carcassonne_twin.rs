//! Carcassonne against a slow program written from the rules, at every turn of random games under every variant and option,
//! and what holds in every game.
//!
//! `REDQUEEN_CARCASSONNE_GAMES=5000` plays that many games of each, instead of a few.

use std::collections::BTreeMap;

use games::{
    Game as _, Moves as _, Rng, Seed, Turn, below,
    carcassonne::{Carcassonne, Deck, Points, Rules, Source, Variant},
};

use crate::carcassonne_flood::{Flood, Turn as SlowTurn};

/// Games of each kind: few, or as many as the environment asks for.
fn games(few: u64) -> u64 {
    std::env::var("REDQUEEN_CARCASSONNE_GAMES").map_or(few, |text| text.parse().expect("a number of games"))
}

fn by_source(points: Points) -> [[u32; 4]; 2] {
    points.map(|sources| sources.map(u32::from))
}

/// Compares a position of both programs.
fn compare(fast: &Carcassonne, slow: &Flood, place: &str) {
    match (fast.turn(), slow.turn()) {
        (Turn::Player(seat), SlowTurn::Player(wanted)) => assert_eq!(seat, wanted, "{place}"),
        (Turn::Chance, SlowTurn::Nature) | (Turn::Over, SlowTurn::Over) => {}
        (found, wanted) => panic!("{place}: {found:?} instead of {wanted:?}"),
    }
    assert_eq!(fast.hand().map(u32::from), slow.hand, "{place}");
    assert_eq!(fast.standing().count(), slow.meeples.len(), "{place}");
    assert_eq!(by_source(fast.won()), slow.won, "{place}: points won");
    assert_eq!(by_source(fast.points_by_source()), slow.points(), "{place}: points if the game ended now");
}

/// Plays the same random moves in both programs, and compares them at every turn.
fn play(rules: Rules, rng: &mut Rng, name: &str) {
    let (mut fast, mut slow) = (Carcassonne::new(rules), Flood::new(rules));
    loop {
        let place = format!("{name}: {}", fast.position_text());
        compare(&fast, &slow, &place);
        let moves = fast.moves();
        let texts: Vec<String> = (0..moves.len()).map(|index| fast.move_text(moves.get(index))).collect();
        match fast.turn() {
            Turn::Over => break,
            Turn::Chance => {
                let found: BTreeMap<char, f64> = (0..moves.len())
                    .map(|index| (texts[index].chars().next().expect("a letter"), fast.probability(moves.get(index))))
                    .collect();
                let wanted = slow.draws();
                assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{place}");
                assert!(found.values().zip(wanted.values()).all(|(a, b)| (a - b).abs() < 1e-12), "{place}");
                let drawn = fast.chance(rng);
                slow.draw(fast.move_text(drawn).chars().next().expect("a letter"));
                fast.play(drawn);
            }
            Turn::Player(_) => {
                let wanted = slow.lays();
                let mut sorted = texts.clone();
                sorted.sort_unstable();
                let mut wanted_texts: Vec<String> = wanted.iter().map(|lay| slow.text(lay)).collect();
                wanted_texts.sort_unstable();
                assert_eq!(sorted, wanted_texts, "{place}");
                let chosen = below(rng, moves.len() as u32) as usize;
                let lay = wanted.iter().find(|lay| slow.text(lay) == texts[chosen]).expect("the same moves");
                slow.play(lay);
                fast.play(moves.get(chosen));
            }
        }
    }
}

/// A variant with the options in the bits of a number.
fn rules(variant: Variant, options: u8) -> Rules {
    let option = |bit: u8| options >> bit & 1 == 1;
    let official = Rules::of(variant);
    Rules {
        deck: if option(0) && official.deck == Deck::Printed { Deck::Thesis } else { official.deck },
        segments_twice: option(1),
        stale_cities: option(2),
        unplaceable_stays: option(3),
        ..official
    }
}

fn agree(variant: Variant, few: u64) {
    for index in 0..games(few) {
        let options = (index % 16) as u8;
        let mut rng = Seed::derive(variant as u64, 0, index, "carcassonne twin").rng();
        play(rules(variant, options), &mut rng, &format!("{variant:?}, options {options:04b}, game {index}"));
    }
}

#[test]
fn base_games_agree_at_every_turn() {
    agree(Variant::Base, 96);
}

#[test]
fn games_for_one_with_one_meeple_agree_at_every_turn() {
    agree(Variant::OneStochastic, 160);
}

#[test]
fn games_for_one_with_three_meeples_agree_at_every_turn() {
    agree(Variant::ThreeStochastic, 160);
}

#[test]
fn games_in_a_known_order_agree_at_every_turn() {
    agree(Variant::OneDeterministic, 160);
    agree(Variant::ThreeDeterministic, 160);
}

/// Another program that counts both ways found other scores in about 6 and 2 of 100 random games, of some hundred.
#[test]
fn options_of_the_program_change_a_few_games_in_a_hundred() {
    let games = games(1_500);
    let (mut twice, mut stale) = (0, 0);
    for index in 0..games {
        let seed = Seed::derive(9, 0, index, "carcassonne options");
        let end = |rules: Rules| {
            let mut game = Carcassonne::new(rules);
            game.playout(&mut seed.rng());
            game.points_by_source()
        };
        let official = end(Rules::of(Variant::Base));
        twice += u64::from(end(Rules { segments_twice: true, ..Rules::of(Variant::Base) }) != official);
        stale += u64::from(end(Rules { stale_cities: true, ..Rules::of(Variant::Base) }) != official);
    }
    let share = |count: u64| count as f64 / games as f64;
    assert!((0.02..0.09).contains(&share(twice)), "{} of games have a tile that counts twice", share(twice));
    assert!((0.005..0.035).contains(&share(stale)), "{} of games have a stale city that counts", share(stale));
}

/// Meeples are conserved, points never go, features pay once, and the points at the end are those if it ended then.
#[test]
fn what_holds_in_every_game() {
    for index in 0..games(300) {
        let variant = Variant::ALL[index as usize % Variant::ALL.len()];
        let rules = rules(variant, (index / 5 % 16) as u8);
        let mut rng = Seed::derive(7, 0, index, "carcassonne properties").rng();
        let mut game = Carcassonne::new(rules);
        while game.turn() != Turn::Over {
            let (place, before) = (game.position_text(), game.clone());
            let chosen = match game.turn() {
                Turn::Chance => game.chance(&mut rng),
                _ => game.moves().get(below(&mut rng, game.moves().len() as u32) as usize),
            };
            game.play(chosen);
            for seat in 0..usize::from(rules.players) {
                let standing = game.standing().filter(|meeple| meeple.1 == seat).count();
                assert_eq!(usize::from(game.hand()[seat]) + standing, usize::from(rules.meeples), "{place}");
                for source in Source::ALL {
                    let (won, was) = (game.won()[seat][source as usize], before.won()[seat][source as usize]);
                    assert!(won >= was, "{place}: {source:?} of {seat} fell from {was} to {won}");
                    // Points come with meeples that go home.
                    let home = before.standing().count() + 1 > game.standing().count();
                    assert!(won == was || home, "{place}: {source:?} of {seat} rose without a meeple");
                }
                assert_eq!(game.won()[seat][Source::Field as usize], 0, "{place}: fields pay at the end");
                assert!(game.virtual_scores()[seat] >= game.scores()[seat], "{place}");
            }
            if game.turn() != Turn::Over {
                let settled = i64::from(game.scores()[0]) - i64::from(game.scores()[1]);
                assert_eq!(game.score_difference(), settled, "{place}: points of finished features alone");
            }
        }
        let difference = i64::from(game.virtual_scores()[0]) - i64::from(game.virtual_scores()[1]);
        assert_eq!([Some(game.score_difference()), game.score_if_ended()], [Some(difference); 2]);
    }
}
