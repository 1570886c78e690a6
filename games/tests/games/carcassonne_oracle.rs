//! Carcassonne against answers computed by another program, which fills features by flooding
//! (tests/oracles/carcassonne-*.json).

use games::{
    Game as _, Moves as _, Turn,
    carcassonne::{Carcassonne, Deck, Points, Reward, Rules, Source, Variant},
};
use serde_json::Value as Json;

fn json(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

fn tiles() -> Json {
    json(include_str!("../oracles/carcassonne-tiles.json"))
}

fn numbers() -> Json {
    json(include_str!("../oracles/carcassonne-numbers.json"))
}

#[track_caller]
fn list(of: &Json) -> &Vec<Json> {
    of.as_array().unwrap_or_else(|| panic!("{of} is not a list"))
}

#[track_caller]
fn number(of: &Json) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("{of} is not a count"))
}

#[track_caller]
fn word(of: &Json) -> &str {
    of.as_str().unwrap_or_else(|| panic!("{of} is not a word"))
}

/// Types by letter, with the number of their tiles.
fn types() -> Vec<(String, u64)> {
    let tiles = tiles();
    let types = tiles["tiles"].as_object().expect("a table of types");
    types.iter().map(|(letter, tile)| (letter.clone(), number(&tile["count"]))).collect()
}

#[track_caller]
fn at(rules: Rules, text: &str) -> Carcassonne {
    Carcassonne::new(rules).parse_position(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A move as text: the tile, its rotation and square, and the claim by its kind and place.
fn move_text(tile: &str, [x, y, rotation]: [&Json; 3], kind: &Json, place: &Json) -> String {
    let claim = match (kind.as_str(), place.as_str()) {
        (None, _) => String::new(),
        (Some(kind), None) => format!(":{kind}"),
        (Some(kind), Some(place)) => format!(":{kind}-{place}"),
    };
    format!("{tile}{rotation}@{x},{y}{claim}")
}

/// The position after tiles that are laid so, where `next` is to be laid.
fn after(laid: &[String], next: &str) -> String {
    let laid: String = laid.iter().map(|tile| format!(" {tile}")).collect();
    format!("D{laid} next={next}")
}

/// The number of a player's moves with a tile; 0 if it fits nowhere.
fn actions(rules: Rules, laid: &[String], tile: &str) -> usize {
    let read = Carcassonne::new(rules).parse_position(&after(laid, tile));
    match read {
        Ok(position) => position.moves().len(),
        Err(error) => {
            assert!(error.to_string().ends_with(&format!("tile {tile} fits nowhere")), "{error}");
            0
        }
    }
}

fn base() -> Rules {
    Rules::of(Variant::Base)
}

#[test]
fn decks_have_the_printed_tiles_and_those_of_the_thesis() {
    let tiles = tiles();
    let letters = |copies: [u8; 24]| -> Vec<(String, u64)> {
        ('A'..='X').zip(copies).map(|(letter, copies)| (letter.to_string(), u64::from(copies))).collect()
    };
    // The start tile lies on the board.
    let without_start = |mut types: Vec<(String, u64)>| {
        types.iter_mut().for_each(|(letter, copies)| *copies -= u64::from(tiles["start_tile"] == **letter));
        types
    };
    assert_eq!(letters(base().copies()), without_start(types()));
    let mut thesis = types();
    for (letter, copies) in &mut thesis {
        *copies = tiles["thesis_code_counts_differ_in"][&**letter].as_u64().unwrap_or(*copies);
    }
    assert_eq!(letters(Rules { deck: Deck::Thesis, ..base() }.copies()), without_start(thesis.clone()));
    let pennants = |types: &[(String, u64)]| -> u64 {
        types.iter().filter(|(letter, _)| tiles["tiles"][&**letter]["pennant"] == true).map(|(_, copies)| copies).sum()
    };
    let wanted = &numbers()["pennant_tiles"];
    assert_eq!(
        [pennants(&types()), pennants(&thesis)],
        [number(&wanted["printed_deck"]), number(&wanted["thesis_code"])]
    );
    for variant in &Variant::ALL[1..] {
        let one_of_each = types().into_iter().map(|(letter, _)| (letter, 1)).collect();
        assert_eq!(letters(Rules::of(*variant).copies()), without_start(one_of_each));
    }
}

/// Equation 4.7 of the thesis over the oracle's own table of tiles.
#[test]
fn greatest_scores_are_those_of_equation_4_7() {
    let (tiles, wanted) = (tiles(), &numbers()["max_score"]);
    let bound = |copies: &dyn Fn(&str) -> u64, meeples: u64| {
        let (mut city, mut road, mut cloister, mut single, mut double) = (0, 0, 0, 0, 0);
        for (letter, tile) in tiles["tiles"].as_object().expect("a table of types") {
            let copies = copies(letter);
            let worth = 1 + u64::from(tile["pennant"] == true);
            for sides in list(&tile["cities"]) {
                city += 2 * worth * copies;
                single += copies * u64::from(list(sides).len() == 1);
                double += copies * u64::from(list(sides).len() == 2);
            }
            road += copies * list(&tile["roads"]).len() as u64;
            cloister += 9 * copies * u64::from(tile["cloister"] == true);
        }
        let finished = single / 2 + double / 4 + u64::from(single % 2 == 1 && double % 4 == 3);
        city + road + cloister + 3 * finished * meeples
    };
    let printed = |letter: &str| number(&tiles["tiles"][letter]["count"]);
    let thesis = |letter: &str| tiles["thesis_code_counts_differ_in"][letter].as_u64().unwrap_or(printed(letter));
    assert_eq!(bound(&thesis, 7), number(&wanted["thesis_base_593_uses_O3_P2"]["total"]));
    assert_eq!(bound(&printed, 7), number(&wanted["printed_deck_O2_P3"]["total"]));
    for rules in [base(), Rules { deck: Deck::Thesis, ..base() }] {
        assert_eq!(u64::from(rules.score_max()), bound(&thesis, 7));
    }
    for (variant, key) in
        [(Variant::ThreeDeterministic, "one_of_each_3_meeples"), (Variant::OneStochastic, "one_of_each_1_meeple")]
    {
        let rules = Rules::of(variant);
        assert_eq!(u64::from(rules.score_max()), bound(&|_| 1, rules.meeples.into()));
        assert_eq!(u64::from(rules.score_max()), number(&wanted[key]["total"]));
    }
}

#[test]
fn actions_of_the_first_turns() {
    let numbers = numbers();
    let e = ["E2@0,1".to_owned()];
    let c = ["C0@0,1".to_owned()];
    let cases: [(&str, &[String], &str, u64); 3] = [
        ("turn1_actions_per_tile", &[], "turn1_all24", 484),
        ("B1_actions_per_tile", &e, "B1_without_C (thesis 644)", 644),
        ("B2_actions_per_tile", &c, "B2_without_C (thesis 734)", 734),
    ];
    for (key, laid, total_key, printed) in cases {
        let mut total = 0;
        for (tile, wanted) in numbers[key].as_object().expect("counts by type") {
            // All of C are laid in the third case, where the oracle counts what another one could do.
            if key == "B2_actions_per_tile" && tile == "C" {
                continue;
            }
            let found = actions(base(), laid, tile) as u64;
            assert_eq!(found, number(wanted), "{key} {tile}");
            total += found;
        }
        assert_eq!([total, number(&numbers[total_key]["total"])], [printed; 2], "{key}");
    }
    // The thesis counts no C (482), and in the small games no D either (452), which lies on the board.
    let turn1 = |tile: &str| number(&numbers["turn1_actions_per_tile"][tile]);
    assert_eq!([484 - turn1("C"), number(&numbers["turn1_without_C (thesis 482)"]["total"])], [482; 2]);
    let small = Carcassonne::of(Variant::ThreeStochastic);
    let of_draw = |index| {
        let mut drawn = small.clone();
        drawn.play(small.moves().get(index));
        drawn.moves().len() as u64
    };
    assert_eq!((0..small.moves().len()).map(of_draw).sum::<u64>(), 454);
    assert_eq!([454 - turn1("C"), number(&numbers["turn1_without_C_and_D (thesis 452)"]["total"])], [452; 2]);
}

#[test]
fn first_turns_by_claim_and_by_placement() {
    let numbers = numbers();
    let mut by_claim = std::collections::BTreeMap::new();
    let (mut finishing, mut with_field) = (0, 0);
    for (tile, copies) in types() {
        let position = at(base(), &after(&[], &tile));
        let moves = position.moves();
        let texts: Vec<String> = (0..moves.len()).map(|index| position.move_text(moves.get(index))).collect();
        let placements = texts.iter().filter(|text| !text.contains(':')).count() as u64;
        assert_eq!(placements, number(&numbers["turn1_tile_placements_per_tile"][&tile]), "{tile}");
        for text in &texts {
            let claim = text.split_once(':').map_or("none", |(_, claim)| claim.split('-').next().unwrap_or(claim));
            *by_claim.entry(claim.to_owned()).or_insert(0) += 1;
        }
        // The start tile is on the board.
        let drawn = copies - u64::from(tile == "D");
        let finishes = (0..moves.len()).any(|index| {
            let mut next = position.clone();
            next.play(moves.get(index));
            next.won()[0][Source::City as usize] > 0
        });
        finishing += drawn * u64::from(finishes);
        with_field += drawn * u64::from(texts.iter().any(|text| text.contains(":field")));
    }
    let wanted = numbers["turn1_actions_by_claim_all24"].as_object().expect("counts by claim");
    let wanted = wanted.iter().map(|(claim, count)| (claim.clone(), number(count))).collect();
    assert_eq!(by_claim, wanted);
    assert_eq!([finishing, number(&numbers["can_complete_start_city_turn1_of_71"])], [22; 2]);
    assert_eq!([with_field, number(&numbers["tiles_with_field_of_71"])], [70; 2]);
}

/// Rules of an oracle's game. A game for one has all tiles where its moves need them.
fn rules_of(game: &Json, deck: Deck) -> Rules {
    let (players, meeples) = (number(&game["players"]) as u8, number(&game["meeples"]) as u8);
    Rules { players, meeples, deck, ..base() }
}

/// What standing meeples would bring, by seat and source.
fn bonus(position: &Carcassonne) -> Points {
    let (all, won) = (position.points_by_source(), position.won());
    std::array::from_fn(|seat| std::array::from_fn(|source| all[seat][source] - won[seat][source]))
}

#[track_caller]
fn check_end(position: &Carcassonne, wanted: &Json, scores_key: &str, name: &str) {
    let seats = list(&wanted[scores_key]).len();
    for seat in 0..seats {
        assert_eq!(u64::from(position.scores()[seat]), number(&wanted[scores_key][seat]), "{name}: score of {seat}");
        assert_eq!(
            u64::from(position.hand()[seat]),
            number(&wanted["meeples_left"][seat]),
            "{name}: meeples of {seat}"
        );
        assert_eq!(
            u64::from(position.virtual_scores()[seat]),
            number(&wanted["final"][seat]),
            "{name}: final of {seat}"
        );
        for source in Source::ALL {
            let bonus = bonus(position)[seat][source as usize];
            assert_eq!(
                u64::from(bonus),
                number(&wanted["end_bonus"][seat][source.name()]),
                "{name}: {source:?} of {seat}"
            );
        }
    }
}

#[test]
fn scenarios() {
    let oracle = json(include_str!("../oracles/carcassonne-scenarios.json"));
    let scenarios = list(&oracle["scenarios"]);
    assert_eq!(scenarios.len(), 19);
    for scenario in scenarios {
        let (name, rules) = (word(&scenario["name"]), rules_of(scenario, Deck::Printed));
        let of = |of: &Json| {
            let claim = &of["claim"];
            move_text(word(&of["tile"]), [&of["x"], &of["y"], &of["rot"]], &claim["kind"], &claim["at"])
        };
        let moves = list(&scenario["moves"]);
        let texts: Vec<String> = moves.iter().map(of).collect();
        for (index, wanted) in moves.iter().enumerate() {
            let before = at(rules, &after(&texts[..index], word(&wanted["tile"])));
            assert_eq!(before.turn(), Turn::Player(number(&wanted["player"]) as usize), "{name}, move {index}");
            let mut next = before.clone();
            next.play(before.parse_move(&texts[index]).unwrap_or_else(|error| panic!("{name}: {error}")));
            let gained = list(&wanted["gained"]).iter().enumerate();
            for (seat, gained) in gained {
                assert_eq!(
                    u64::from(next.scores()[seat] - before.scores()[seat]),
                    number(gained),
                    "{name}, move {index}"
                );
            }
        }
        for check in list(&scenario["checks"]) {
            let laid = &texts[..number(&check["after_moves"]) as usize];
            if let Some(wanted) = check["virtual"].as_array() {
                let found = at(rules, &after(laid, "?")).virtual_scores();
                let found: Vec<u64> = found.iter().take(wanted.len()).map(|&points| points.into()).collect();
                assert_eq!(found, wanted.iter().map(number).collect::<Vec<_>>(), "{name}: {check}");
            } else if let Some(wanted) = check["legal_actions"].as_u64() {
                assert_eq!(actions(rules, laid, word(&check["tile"])) as u64, wanted, "{name}: {check}");
            } else {
                let position = at(rules, &after(laid, word(&check["tile"])));
                assert_eq!(position.turn(), Turn::Player(number(&check["player"]) as usize), "{name}: {check}");
                assert_eq!(position.parse_move(&of(check)).is_ok(), check["legal"] == true, "{name}: {check}");
            }
        }
        check_end(&at(rules, &after(&texts, "?")), &scenario["expect"], "scores", name);
    }
}

#[test]
fn whole_games() {
    let oracle = json(include_str!("../oracles/carcassonne-games.json"));
    let games = list(&oracle["games"]);
    assert_eq!(games.len(), 5);
    for game in games {
        let deck = if number(&game["players"]) == 1 { Deck::OneOfEach } else { Deck::Printed };
        let (name, mut position) = (format!("game {}", game["seed"]), Carcassonne::new(rules_of(game, deck)));
        let mut turns = 0;
        for (index, wanted) in list(&game["moves"]).iter().enumerate() {
            let name = format!("{name}, move {index}");
            assert_eq!(position.turn(), Turn::Chance, "{name}");
            position.play(position.parse_move(word(&wanted[0])).unwrap_or_else(|error| panic!("{name}: {error}")));
            if wanted[1] == "discarded" {
                assert_eq!(position.drawn(), None, "{name}");
                continue;
            }
            let seat = turns % number(&game["players"]) as usize;
            assert_eq!(position.turn(), Turn::Player(seat), "{name}");
            assert_eq!(position.moves().len() as u64, number(&wanted[6]), "{name}");
            let text = move_text(word(&wanted[0]), [&wanted[1], &wanted[2], &wanted[3]], &wanted[4], &wanted[5]);
            let before = position.scores();
            position.play(position.parse_move(&text).unwrap_or_else(|error| panic!("{name}: {error}")));
            for (seat, gained) in list(wanted).iter().skip(7).enumerate() {
                assert_eq!(u64::from(position.scores()[seat] - before[seat]), number(gained), "{name}");
            }
            turns += 1;
        }
        assert_eq!((position.turn(), turns as u64), (Turn::Over, number(&game["turns"])), "{name}");
        check_end(&position, game, "scores_before_end", &name);
    }
}

/// Differences by 593 (thesis, table 6.1), scores of games for one by the bound.
#[test]
fn rewards_are_those_of_the_thesis() {
    // The second player finishes the city of the first: 8 to 0.
    let laid = ["F1@0,1:city-S".to_owned(), "E2@0,2".to_owned()];
    let difference = at(base(), &after(&laid, "?"));
    assert_eq!(difference.points(), [1.0, 0.0]);
    assert_eq!(difference.reward(), [8.0 / 593.0, -8.0 / 593.0]);
    let result = at(Rules { reward: Reward::Result, ..base() }, &after(&laid, "?"));
    assert_eq!(result.reward(), [1.0, -1.0]);
    // The second player claims what it finishes.
    let laid = ["F1@0,1".to_owned(), "E2@0,2:city-S".to_owned()];
    let lost = at(base(), &after(&laid, "?"));
    assert_eq!([lost.points(), lost.reward()], [[0.0, 1.0], [-8.0 / 593.0, 8.0 / 593.0]]);
    let results = Rules { reward: Reward::Result, ..base() };
    assert_eq!(
        [at(results, &after(&laid, "?")), Carcassonne::new(results)].map(|end| end.reward()),
        [[-1.0, 1.0], [0.0; 2]]
    );
    let start = Carcassonne::default();
    assert_eq!([start.points(), start.reward()], [[0.5; 2], [0.0; 2]]);
    for (variant, bound) in [(Variant::OneStochastic, 105.0), (Variant::ThreeStochastic, 135.0)] {
        let alone = at(Rules::of(variant), &after(&laid, "?"));
        assert_eq!([alone.points(), alone.reward()], [[8.0 / bound, 0.0]; 2]);
    }
}
