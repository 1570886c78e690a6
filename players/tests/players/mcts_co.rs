//! The players `mcts-co` and `greedy`: their choices on worlds whose truth is known, their options, and what they refuse.

use games::{
    Game, GameSpec, Moves as _, Seed, Turn, below,
    reversi::Reversi,
    toys::{TreeGame, Wild},
};
use players::{GameSetup, Player, PlayerSpec, artifacts::HeldArtifacts, play_game, registry};

const FIRST: Turn = Turn::Player(0);
const SECOND: Turn = Turn::Player(1);

/// The paper's agent, with fewer iterations.
const FULL: &str = "mcts-co:select=5,expand=true,playout=20,discount=0.9,c=0.3,playouts=40";

fn spec(text: &str) -> PlayerSpec {
    text.parse().unwrap_or_else(|faults| panic!("{text}: {faults:?}"))
}

fn player<G: Game>(text: &str, start: &G) -> Box<dyn Player<G>> {
    registry::build(&spec(text), start, &HeldArtifacts::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Points of `first` against `second` in `games` games, each pair of them from one opening with seats changed.
fn points(game: &str, first: &str, second: &str, games: u64) -> f64 {
    let game: GameSpec = game.parse().expect("a game");
    let (first, second) = (spec(first), spec(second));
    let played = (0..games).map(|index| {
        let seed = |purpose| Seed::derive(6, 0, index, purpose);
        let opening_seed = Seed::derive(6, 0, index / 2, "opening");
        let setup = GameSetup { opening_plies: 4, opening_seed, player_seeds: [seed("first"), seed("second")] };
        if index % 2 == 0 {
            play_game(&game, [&first, &second], &setup).expect("a game").points[0]
        } else {
            1.0 - play_game(&game, [&second, &first], &setup).expect("a game").points[0]
        }
    });
    played.sum()
}

/// Any game with an evaluation: each part by itself, and all of them, beat random play.
#[test]
fn every_part_plays_every_game_with_an_evaluation() {
    for game in ["reversi", "checkers", "dodgem"] {
        for agent in [
            FULL,
            "mcts-co:playouts=40",
            "mcts-co:playouts=40,select=5",
            "mcts-co:playouts=40,expand=true",
            "mcts-co:playouts=40,playout=5",
            "mcts-co:playouts=40,playout=21,as-released=true",
        ] {
            let won = points(game, agent, "random", 20);
            // Twenty fair coins give 16 or more once in 170 times.
            assert!(won >= 16.0, "{game}: {agent} has {won} of 20");
        }
    }
}

/// In Reversi the most discs soon are not the most in the end; in the others the evaluation leads somewhere.
#[test]
fn greedy_beats_random_play_where_evaluations_say_something() {
    for game in ["checkers", "dodgem"] {
        let won = points(game, "greedy", "random", 20);
        assert!(won >= 16.0, "{game}: {won} of 20");
    }
}

/// What a player's tree says of the root's moves after a decision: text and visits.
fn root_visits<G: Game>(text: &str, position: &G) -> Vec<(String, u32)> {
    let mut player = player(text, position);
    player.start(&Seed::derive(1, 0, 0, "player"));
    player.decide(position);
    player.readout(0).map(|readout| readout.root_visits).unwrap_or_default()
}

/// The root's moves are those of the greatest values, and there are m of them.
#[test]
fn the_root_has_the_preselected_moves() {
    let mut compared = 0;
    for game in 0..20 {
        let mut rng = Seed::derive(2, 0, game, "positions").rng();
        let mut position = Reversi::new();
        while position.turn() != Turn::Over {
            let moves = position.moves();
            let Turn::Player(seat) = position.mover() else { unreachable!("nature has no part") };
            if moves.len() > 3 {
                let mut values: Vec<(i64, String)> = (0..moves.len())
                    .map(|place| {
                        let mut after = position;
                        after.play(moves.get(place));
                        let discs = after.score_difference();
                        (if seat == 0 { discs } else { -discs }, position.move_text(moves.get(place)))
                    })
                    .collect();
                values.sort_by_key(|value| std::cmp::Reverse(value.0));
                let least = values[2].0;
                let root = root_visits("mcts-co:select=3,playouts=30,playout=2", &position);
                if !root.is_empty() {
                    assert_eq!(root.len(), 3);
                    assert_eq!(root.iter().map(|child| child.1).sum::<u32>(), 30);
                    for (text, _) in &root {
                        let value = values.iter().find(|value| value.1 == *text).expect("a move").0;
                        assert!(value >= least, "{text} of {values:?}");
                    }
                    compared += 1;
                }
            }
            position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
        }
    }
    assert!(compared > 300, "{compared}");
}

/// A move that wins at once is played without a search.
#[test]
fn a_win_is_taken_at_once() {
    let game = TreeGame::new(&[(FIRST, 4)], |h| if h[0] == 2 { 1.0 } else { 0.5 });
    let mut player = player("mcts-co:playouts=10", &game);
    player.start(&Seed::derive(1, 0, 0, "player"));
    let decision = player.decide(&game);
    assert_eq!((decision.chosen, decision.iterations), (2, 0));
}

/// First wins in the end wherever it goes, by a choice of the second seat that has no effect.
#[test]
fn the_best_reply_is_found() {
    let value = |h: &[u8]| match h {
        [1, ..] => 1.0,
        [0, 0, ..] => 0.0,
        _ => 0.5,
    };
    const PLIES: &[(Turn, u8)] = &[(FIRST, 3), (SECOND, 3), (FIRST, 2)];
    let game = TreeGame::new(PLIES, value);
    for index in 0..50 {
        let mut player = player("mcts-co:playouts=300", &game);
        player.start(&Seed::derive(1, 0, index, "player"));
        assert_eq!(player.decide(&game).chosen, 1);
    }
}

/// The best move of one ply, equal ones by chance; a win is more than any evaluation unless it is to be evaluated.
#[test]
fn greedy_plays_the_best_evaluation() {
    let (mut best, mut ties) = (0, 0);
    for seed in 0..300 {
        let game = Wild::new(seed, 2);
        let moves = game.moves();
        let worth = |chosen| {
            let mut after = game.clone();
            after.play(chosen);
            if after.turn() == Turn::Over {
                2_000.0 * (after.points()[0] - 0.5)
            } else {
                after.score_difference() as f64
            }
        };
        let all: Vec<f64> = (0..moves.len()).map(|place| worth(moves.get(place))).collect();
        let top = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut player = player("greedy", &game);
        player.start(&Seed::derive(1, 0, seed, "player"));
        let decision = player.decide(&game);
        assert_eq!((worth(decision.chosen), decision.iterations), (top, 0));
        best += 1;
        ties += u32::from(all.iter().filter(|&&value| value == top).count() > 1);
    }
    assert!(best == 300 && ties > 5, "{ties} ties");
}

/// What is not given is as repaired, or as released where that is asked for.
#[test]
fn options_are_repaired_or_as_released() {
    let repaired = "final-sign=own,divide=false,evaluate-random=false,first-visit=counted,wins=result";
    let released = "final-sign=second,divide=true,evaluate-random=true,first-visit=above,wins=evaluation";
    assert_eq!(spec("mcts-co"), spec(&format!("mcts-co:{repaired}")));
    assert_eq!(spec("mcts-co:as-released=true"), spec(&format!("mcts-co:as-released=true,{released}")));
    assert_ne!(spec("mcts-co:as-released=true,divide=false"), spec("mcts-co:as-released=true"));
}

#[test]
fn faults_of_the_parameters() {
    for (text, says) in [
        ("mcts-co:discount=1.5", "discount"),
        ("mcts-co:select=-1", "select"),
        ("mcts-co:playout=many", "playout"),
        ("mcts-co:final-sign=first", "final-sign"),
        ("mcts-co:playouts=5,time-ms=5", "two budgets"),
    ] {
        let faults = text.parse::<PlayerSpec>().expect_err("a fault");
        assert!(faults[0].to_string().contains(says), "{}", faults[0]);
    }
}

/// Parts that value positions are refused where a game has no values; the search without them plays every game.
#[test]
fn a_game_without_evaluations_is_refused() {
    let game: GameSpec = "fop".parse().expect("a game");
    for (text, key) in [
        ("mcts-co:select=5", "select"),
        ("mcts-co:expand=true", "expand"),
        ("mcts-co:playout=20", "playout"),
        ("mcts-co:as-released=true", "evaluate-random"),
        ("greedy", "greedy"),
    ] {
        let fault = spec(text).check_game(&game).expect_err("it has no evaluation");
        let message = fault.to_string();
        assert!(
            message.contains(&format!("`{key}` needs evaluations")) && message.contains("fop has none"),
            "{message}"
        );
    }
    spec("mcts-co").check_game(&game).expect("a search needs none");
}
