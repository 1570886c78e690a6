//! Whole games between players.

use games::{
    Game as _, GameSpec, Moves as _, Seed, Turn,
    columns::{ColumnValue, fields},
    purpose,
    reversi::Reversi,
    unit,
};
use players::{
    GameRecord, GameSetup, PlayerSpec,
    artifacts::HeldArtifacts,
    play::prepare,
    play_game, registry,
    solo::{self, Measure, SoloSetup},
};

fn setup(index: u64) -> GameSetup {
    let seed = |purpose| Seed::derive(5, 0, index, purpose);
    GameSetup { opening_plies: 0, opening_seed: seed("opening"), player_seeds: [seed("a"), seed("b")] }
}

fn player(text: &str) -> PlayerSpec {
    text.parse().expect("a player")
}

fn reversi() -> GameSpec {
    "reversi".parse().expect("a game")
}

/// Points of `a` against `b` over units of two games with swapped seats.
fn score(a: &str, b: &str, units: u64) -> f64 {
    let (a, b) = (player(a), player(b));
    let game =
        |first, second, index| play_game(&reversi(), [first, second], &setup(index)).expect("two players").points;
    (0..units).map(|index| game(&a, &b, index)[0] + game(&b, &a, index)[1]).sum()
}

#[test]
fn a_game_is_a_function_of_its_setup() {
    let (a, b) = (player("mcts:playouts=30"), player("mcts:playouts=20,keep-tree=false,final-move=most-visited"));
    let mut prepared = prepare(&reversi(), [&a, &b], &HeldArtifacts::default()).expect("two players");
    let mut hashes = Vec::new();
    for index in 0..6 {
        let fresh = play_game(&reversi(), [&a, &b], &setup(index)).expect("two players");
        let mut reused = prepared.play(&setup(index));
        let plies = |record: &GameRecord| record.turns.each_ref().map(|t| t.iter().map(|t| t.0).collect::<Vec<_>>());
        assert_eq!(plies(&reused), plies(&fresh));
        assert_eq!(fresh.turns.each_ref().map(|turns| turns.len() as u32), fresh.decisions);
        assert_eq!(fresh.turns.each_ref().map(|turns| turns.iter().map(|turn| turn.1).sum::<u64>()), fresh.micros);
        // Times are measurements.
        reused.micros = fresh.micros;
        reused.turns.clone_from(&fresh.turns);
        assert_eq!(reused, fresh, "memory kept from earlier games changes nothing");
        assert_eq!(fresh.iterations, [u64::from(fresh.decisions[0]) * 30, u64::from(fresh.decisions[1]) * 20]);
        hashes.push(fresh.moves_hash);
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 6, "other seeds give other games");
}

#[test]
fn openings_are_random_and_shared() {
    let (a, b) = (player("mcts:playouts=10"), player("random"));
    let moves = |seats: [&PlayerSpec; 2], index| {
        let mut moves = Vec::new();
        let setup = GameSetup { opening_plies: 8, ..setup(index) };
        let mut prepared = prepare(&reversi(), seats, &HeldArtifacts::default()).expect("two players");
        prepared.play_watched(&setup, Some(&mut |_, seat, played| moves.push((seat, played.to_owned()))));
        moves
    };
    let (one, swapped, other) = (moves([&a, &b], 0), moves([&b, &a], 0), moves([&a, &b], 1));
    assert_eq!(one[..8], swapped[..8], "the opening does not depend on who sits where");
    assert_ne!(one[..8], other[..8]);
    assert!(one[..8].iter().all(|(seat, _)| seat.is_none()));
    assert!(one[8].0.is_some(), "then players choose");
}

#[test]
fn search_beats_chance_from_either_seat() {
    let (strong, weak) = (player("mcts:playouts=200"), player("random"));
    let points = |seats: [&PlayerSpec; 2], side: usize| -> f64 {
        (0..30).map(|i| play_game(&reversi(), seats, &setup(i)).expect("two players").points[side]).sum()
    };
    assert!(points([&strong, &weak], 0) > 27.0);
    assert!(points([&weak, &strong], 1) > 27.0);
}

#[test]
fn keeping_the_tree_changes_the_game_and_not_the_budget() {
    let game = |text: &str, index| {
        let seats = (player(text), player("random"));
        play_game(&reversi(), [&seats.0, &seats.1], &setup(index)).expect("two players")
    };
    let mut differ = false;
    for index in 0..4 {
        let kept = game("mcts:playouts=60", index);
        let fresh = game("mcts:playouts=60,keep-tree=false", index);
        for record in [&kept, &fresh] {
            assert_eq!(record.iterations[0], u64::from(record.decisions[0]) * 60);
        }
        differ |= kept.moves_hash != fresh.moves_hash;
    }
    assert!(differ);
}

#[test]
fn the_smallest_tree_a_spec_allows_is_enough_to_play() {
    let (small, other) = (player("mcts:playouts=5,nodes-max=2"), player("random"));
    let record = play_game(&reversi(), [&small, &other], &setup(0)).expect("two players");
    assert_eq!(record.iterations[0], u64::from(record.decisions[0]) * 5);
}

/// A simulation apart gives .67 to .71 for 100 against 50 playouts; widened by four standard errors of this
/// sample (0.5 / sqrt(400)).
#[test]
fn more_playouts_win_as_often_as_in_a_simulation_apart() {
    let share = score("mcts:playouts=100", "mcts:playouts=50", 200) / 400.0;
    assert!((0.57..0.81).contains(&share), "{share}");
}

#[test]
fn random_players_share_like_random_games() {
    let (one, other) = (player("random"), player("random"));
    let games: u32 = 3_000;
    let (mut black, mut plies) = (0.0, 0.0);
    for index in 0..games {
        let record = play_game(&reversi(), [&one, &other], &setup(index.into())).expect("two players");
        black += record.points[0];
        plies += f64::from(record.plies);
        assert_eq!((record.decisions, record.iterations), ([0; 2], [0; 2]));
    }
    // Oracle: Black wins .4403 and draws .0463 of random games, which last 60.43 plies.
    let games = f64::from(games);
    assert!((black / games - 0.4635).abs() < 4.0 * 0.5 * (2.0 / games).sqrt(), "{}", black / games);
    assert!((plies / games - 60.43).abs() < 0.2, "{}", plies / games);
}

/// Points of the side to move under best play by both.
fn solve(position: &Reversi) -> f64 {
    let Turn::Player(seat) = position.turn() else { unreachable!("asked of finished games only by mistake") };
    let moves = position.moves();
    let value = |i: usize| {
        let mut next = *position;
        next.play(moves.get(i));
        match next.turn() {
            Turn::Player(mover) if mover == seat => solve(&next),
            Turn::Player(_) => 1.0 - solve(&next),
            _ => next.points()[seat],
        }
    };
    (0..moves.len()).map(value).fold(0.0, f64::max)
}

#[test]
fn end_games_are_played_perfectly() {
    let mut solved = 0;
    for index in 0..200 {
        let mut rng = Seed::derive(8, 0, index, "end game").rng();
        let mut position = Reversi::new();
        while position.turn() != Turn::Over && position.man_counts().iter().sum::<u32>() < 58 {
            let moves = position.moves();
            position.play(moves.get(games::below(&mut rng, moves.len() as u32) as usize));
        }
        let Turn::Player(seat) = position.turn() else { continue };
        let best = solve(&position);
        if best == 0.0 {
            continue; // every move is as good
        }
        let mut mcts = registry::build(
            &player("mcts:playouts=4000,final-move=most-visited"),
            &Reversi::new(),
            &HeldArtifacts::default(),
        )
        .expect("plays Reversi");
        mcts.start(&Seed::derive(8, 0, index, "player"));
        let mut next = position;
        next.play(mcts.decide(&position).chosen);
        let reached = match next.turn() {
            Turn::Player(mover) if mover == seat => solve(&next),
            Turn::Player(_) => 1.0 - solve(&next),
            _ => next.points()[seat],
        };
        assert_eq!(reached, best, "{}", position.position_text());
        solved += 1;
        if solved == 25 {
            break;
        }
    }
    assert_eq!(solved, 25);
}

#[test]
fn the_self_test_is_stable() {
    assert_eq!(players::self_test(), players::self_test());
}

/// The toy's columns against the moves of the game, one by one.
#[test]
fn a_game_s_own_columns_are_filled_from_its_moves() {
    let game: GameSpec = "toy-race:throws=9".parse().expect("a toy");
    let (a, b) = (player("mcts:playouts=20"), player("random"));
    let mut moves: Vec<(Option<usize>, String)> = Vec::new();
    let record = prepare(&game, [&a, &b], &HeldArtifacts::default())
        .expect("two players")
        .play_watched(&setup(0), Some(&mut |_, seat, played| moves.push((seat, played.to_owned()))));
    moves.pop();
    assert_eq!(moves.len(), 18, "nature throws before each decision");
    let (mut scores, mut kept, mut by_turn) = ([0; 2], [0; 2], [Vec::new(), Vec::new()]);
    let mut eyes = Vec::new();
    for plies in moves.chunks(2) {
        let [(None, thrown), (Some(seat), chosen)] = plies else { panic!("a throw and a decision, not {plies:?}") };
        let thrown: i64 = thrown.parse().expect("eyes");
        eyes.push(thrown);
        let keeps = chosen == "keep";
        kept[*seat] += i64::from(keeps);
        scores[if keeps { *seat } else { 1 - *seat }] += thrown;
        by_turn[*seat].push(scores[*seat]);
    }
    let fields = fields(&game.facts());
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["first_kept", "second_kept", "eyes", "eyes_mean", "first_score_by_turn", "second_score_by_turn"]
    );
    let sum: i64 = eyes.iter().sum();
    let [first, second] = by_turn;
    let expected = [
        ColumnValue::Int(kept[0]),
        ColumnValue::Int(kept[1]),
        ColumnValue::Int(sum),
        ColumnValue::Real(sum as f64 / 9.0),
        ColumnValue::List(first),
        ColumnValue::List(second),
    ];
    assert_eq!(record.columns, expected);
    assert_eq!(record.score_difference, scores[0] - scores[1]);
    let none = play_game(&reversi(), [&b, &b], &setup(0)).expect("two players");
    assert_eq!(none.columns, [], "Reversi lists no columns");
}

/// Moves of a game, and what both searches spent.
fn course(game: &str, seats: [&str; 2], index: u64) -> (u64, [u64; 2]) {
    let [a, b] = seats.map(player);
    let record = play_game(&game.parse().expect("a game"), [&a, &b], &setup(index)).expect("two players");
    (record.moves_hash, record.iterations)
}

#[test]
fn a_player_may_maximise_the_result_where_its_game_rewards_a_difference() {
    for kind in ["mcts:playouts=40,ties=random", "ea-mcts:playouts=60,generations=2,fitness-iterations=5"] {
        let [own, as_the_game] = ["result", "game"].map(|reward| format!("{kind},reward={reward}"));
        let difference = "carcassonne";
        let same = |index| {
            let by_result = course(difference, [&own, &own], index);
            assert_eq!(by_result, course("carcassonne:reward=result", [&as_the_game, &as_the_game], index), "{kind}");
            by_result == course(difference, [&as_the_game, &as_the_game], index)
        };
        assert!(!(0..2).all(same), "{kind}: the rewards differ");
    }
    let refused = player("mcts:reward=result").check_game(&"carcassonne:variant=1s".parse().expect("a game"));
    assert_eq!(
        refused.expect_err("a game for one").to_string(),
        "carcassonne is for one player, who cannot win or lose"
    );
}

/// From -1 to 1 instead of 0 to 1, with twice the constant, is the same search.
#[test]
fn results_are_twice_as_far_apart_as_points() {
    let plain = |reward: &str, c: &str| format!("mcts:playouts=60,final-move=visits-alone,reward={reward},c={c}");
    let formula = |reward: &str, c: &str| {
        let initial = format!("(+ Q (* C:{c} (sqrt (/ (ln N) n))))");
        format!("ea-mcts:playouts=60,lambda=0,generations=1,fitness-iterations=1,reward={reward},initial={initial}")
    };
    for index in 0..4 {
        let of = |reward, c| course("reversi", [&plain(reward, c), &formula(reward, c)], index);
        assert_eq!(of("result", "1"), of("game", "0.5"));
        assert_ne!(of("result", "0.5"), of("game", "0.5"));
    }
}

#[test]
fn players_of_a_game_draw_one_exploration_constant() {
    let mut constants = Vec::new();
    for index in 0..4 {
        let shared = setup(index).opening_seed.part(purpose::EXPLORATION_CONSTANT);
        let c = 0.5 + 2.5 * unit(&mut shared.rng());
        let texts = |range: &str| {
            [
                format!("mcts:playouts=30,{range}"),
                format!("mcts:playouts=25,keep-tree=false,{range}"),
                format!("staged:stages=(0 mcts:playouts=20,{range}) (9 random)"),
            ]
        };
        let (drawn, given) = (texts("c=0.5,c-max=3"), texts(&format!("c={c}")));
        for (first, second) in [(0, 1), (1, 0), (2, 0)] {
            let [drawn, given] =
                [&drawn, &given].map(|texts| course("reversi", [&texts[first], &texts[second]], index));
            assert_eq!(drawn, given);
        }
        constants.push(c);
    }
    constants.dedup();
    assert_eq!(constants.len(), 4);
    // Alone, from the seed of nature, which the agents of a study share.
    let decision = |text: &str| {
        let mut alone = solo::prepare(&reversi(), &player(text), &HeldArtifacts::default()).expect("it plays");
        let setup = SoloSetup {
            position: None,
            measure: Measure::Decision,
            bins: 0,
            nature_seed: Seed::derive(5, 1, 0, "nature"),
            player_seed: Seed::derive(5, 1, 0, "player"),
        };
        alone.play(&setup).root_visits
    };
    let shared = Seed::derive(5, 1, 0, "nature").part(purpose::EXPLORATION_CONSTANT);
    let c = 2.0 * unit(&mut shared.rng());
    assert_eq!(decision("mcts:playouts=300,c=0,c-max=2"), decision(&format!("mcts:playouts=300,c={c}")));
    assert_ne!(decision("mcts:playouts=300,c=0,c-max=2"), decision("mcts:playouts=300,c=0"));
}

/// Figures of a decision against what its read-out tells in other words, and turns against the moves of the game.
#[test]
fn figures_are_of_each_decision_that_took_a_search() {
    let spec = player("siea-mcts:playouts=120,generations=3,lambda=3,fitness-iterations=4,initial-c=1");
    let names: Vec<&str> = spec.figures().iter().map(|figure| figure.name).collect();
    assert_eq!(names[..2], ["root_share", "formula_nodes"]);
    let place = |name: &str| names.iter().position(|known| *known == name).expect("a figure");
    let mut unchanged = [0; 2];
    for index in 0..30 {
        let mut alone = solo::prepare(&reversi(), &spec, &HeldArtifacts::default()).expect("it plays");
        let seed = |purpose| Seed::derive(5, 1, index, purpose);
        let (nature_seed, player_seed) = (seed("nature"), seed("player"));
        let record =
            alone.play(&SoloSetup { position: None, measure: Measure::Decision, bins: 0, nature_seed, player_seed });
        let value = |name: &str| {
            let values: Vec<(u32, f64)> = record.figures.of(place(name)).collect();
            let [(0, value)] = values[..] else { panic!("one decision, on the first turn: {values:?}") };
            value
        };
        let visits: Vec<f64> = record
            .root_visits
            .split(' ')
            .map(|child| child.rsplit(':').next().and_then(|visits| visits.parse().ok()).expect("move:visits"))
            .collect();
        assert_eq!(value("root_share"), visits[0] / visits.iter().sum::<f64>());
        let words = || record.formula.split(['(', ')', ' ']).filter(|word| !word.is_empty());
        assert_eq!(value("formula_nodes"), words().count() as f64);
        let has = |name: &str| words().any(|word| word.split(':').next() == Some(name));
        let (q, n) = (has("Q"), has("n"));
        let start = words().map(|word| word.split(':').next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
        let is_first = start == "+ Q * * 2 C sqrt / * 2 ln N n";
        unchanged[usize::from(is_first)] += 1;
        for (name, is) in [
            ("uses_q", q),
            ("uses_visits", n),
            ("uses_parent_visits", has("N")),
            ("uses_c", has("C")),
            ("greedy", q && !n),
            ("stuck", n && !q),
            ("random", !n && !q),
            ("unchanged", is_first),
        ] {
            assert_eq!(value(name), f64::from(u8::from(is)), "{name} of {}", record.formula);
        }
    }
    assert!(unchanged.iter().all(|count| *count > 0), "{unchanged:?}");
    // Turns are the player's own, those without a search counted: a stage at random takes the first three.
    let staged = player("staged:stages=(0 random) (3 mcts:playouts=9) (6 ea-mcts:playouts=40,generations=1)");
    let record = play_game(&reversi(), [&player("random"), &staged], &setup(1)).expect("two players");
    let figures = staged.figures();
    assert_eq!(figures, spec.figures(), "each once");
    let [none, own] = record.figures;
    assert_eq!(none.of(0).count(), 0);
    let turns = |index: usize| own.of(index).map(|(turn, _)| turn).collect::<Vec<u32>>();
    assert_eq!(turns(0).len(), record.decisions[1] as usize);
    assert!(turns(0).is_sorted_by(|one, next| one < next) && turns(0)[0] == 3, "{:?}", turns(0));
    assert!(turns(1).iter().all(|turn| *turn >= 6) && turns(1).len() < turns(0).len(), "{:?}", turns(1));
}
