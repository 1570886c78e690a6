//! Players of Dots and Boxes: exact play near the end, and the double counter.

use games::{Game as _, GameSpec, Moves as _, Seed, Turn, dots_and_boxes::DotsAndBoxes};
use players::{GameSetup, PlayerSpec, artifacts::HeldArtifacts, play_game, registry};

fn player(text: &str) -> PlayerSpec {
    text.parse().unwrap_or_else(|faults| panic!("{text}: {faults:?}"))
}

fn setup(index: u64, opening_plies: u32) -> GameSetup {
    let seed = |purpose| Seed::derive(5, 0, index, purpose);
    GameSetup { opening_plies, opening_seed: seed("opening"), player_seeds: [seed("first"), seed("second")] }
}

/// Moves' fingerprint and the score difference of a game.
fn play(game: &str, players: [&str; 2], index: u64) -> (u64, i64) {
    let game: GameSpec = game.parse().expect("a game");
    let [first, second] = players.map(player);
    let record = play_game(&game, [&first, &second], &setup(index, 0)).expect("a game for both");
    (record.moves_hash, record.score_difference)
}

#[track_caller]
fn refused(game: &str, text: &str, reason: &str) {
    let faults = match text.parse::<PlayerSpec>() {
        Err(faults) => faults,
        Ok(player) => vec![player.check_game(&game.parse().expect("a game")).expect_err("it is refused")],
    };
    let found = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    assert!(found.contains(reason), "{found}");
}

/// S1 and S2 are won for the second player and S3 for the first, by as much as exact play of both sides gives.
#[test]
fn exact_players_get_the_value_of_state_s() {
    for (start, value) in [("S1", -1), ("S2", -3), ("S3", 3)] {
        let game = format!("dots-and-boxes:start={start}");
        for index in 0..5 {
            let exact = ["solver:from=20,before=(random)", "mcts:playouts=5,solve-from=20"];
            assert_eq!(play(&game, exact, index).1, value, "{start}");
            // Whoever is exact gets no less against a player at random.
            assert!(play(&game, ["solver:from=20", "random"], index).1 >= value);
            assert!(play(&game, ["random", "alpha-beta:depth=1,solve-from=20"], index).1 <= value);
        }
    }
}

/// Before the end it is the player alone, with the same draws.
#[test]
fn a_player_is_itself_until_it_solves() {
    for inner in ["mcts:playouts=30", "mcts-dc:playouts=30", "random"] {
        let solver = format!("solver:from=0,before=({inner})");
        for index in 0..4 {
            let game = "dots-and-boxes:rows=3,columns=3";
            assert_eq!(play(game, [&solver, "random"], index), play(game, [inner, "random"], index), "{inner}");
        }
    }
    let plain = "mcts:playouts=30,keep-tree=true";
    let solving = format!("{plain},solve-from=0");
    for index in 0..4 {
        let both = [plain, &solving].map(|player| play("dots-and-boxes:start=S1", [player, "random"], index));
        assert_eq!(both[0], both[1]);
    }
}

/// All moves with the best value, and no others, are played.
#[test]
fn equally_good_moves_are_drawn() {
    let start = DotsAndBoxes::new(2, 2);
    let mut endings = start.endings().expect("a solver");
    let mut values = Vec::new();
    endings.values(&start, &mut values);
    let best: Vec<usize> = (0..12).filter(|&place| values[place] == 2).collect();
    assert_eq!(best.len(), 8);
    let mut found = registry::build(&player("solver:from=12"), &start, &HeldArtifacts::default()).expect("a player");
    let mut counts = [0; 12];
    for index in 0..4_000 {
        found.start(&Seed::derive(5, 0, index, "draws"));
        let decision = found.decide(&start);
        assert_eq!(decision.iterations, 0);
        let chosen = (0..12).find(|&place| start.moves().get(place) == decision.chosen).expect("a move");
        counts[chosen] += 1;
    }
    for (place, &count) in counts.iter().enumerate() {
        // 500 each, up to five standard deviations.
        let wanted = if best.contains(&place) { 395..605 } else { 0..1 };
        assert!(wanted.contains(&count), "{counts:?}");
    }
}

#[test]
fn solving_needs_a_game_with_endings() {
    refused("reversi", "solver", "nothing solves endings of reversi");
    refused("reversi", "mcts:solve-from=10", "nothing solves endings of reversi");
    refused("dots-and-boxes", "solver:before=mcts", "`mcts` is not a player in brackets; write `(PLAYER)`");
    refused("dots-and-boxes", "solver:before=(solver)", "cannot be made of players");
    refused("dots-and-boxes", "solver:before=(nothing)", "nothing");
    refused("fop", "mcts-dc", "`mcts-dc` plays games for two, and fop is for 1");
    let solver = player("solver");
    assert_eq!(solver.playouts(), Some(1_000));
    assert!(solver.reproducible() && !player("solver:before=(mcts:time-ms=5)").reproducible());
    assert_eq!(player(&solver.to_string()), solver);
}

/// Wins less losses is what UCT maximises that values results by 1, 0 and -1: the same draws, the same games.
#[test]
fn the_double_counter_is_uct_over_wins_less_losses() {
    let dc = |rest: &str| format!("mcts-dc:playouts=60{rest}");
    let uct = |c: f64, factor: u32| {
        format!(
            "mcts:playouts=60,c={c},factor={factor},reward=result,ties=random,final-move=visits-alone,keep-tree=false"
        )
    };
    for (dc, uct) in [(dc(""), uct(1.41, 1)), (dc(",bound=paper"), uct(2.82, 2)), (dc(",c=0.5"), uct(0.5, 1))] {
        for (index, game) in
            ["dots-and-boxes:start=S1", "dots-and-boxes:rows=3,columns=3", "reversi"].iter().enumerate()
        {
            let index = index as u64;
            assert_eq!(play(game, [&dc, "random"], index), play(game, [&uct, "random"], index), "{dc} in {game}");
        }
    }
}

/// With one counter the opponent is taken to help.
#[test]
fn one_counter_plays_worse_than_two() {
    let game: GameSpec = "dots-and-boxes:rows=3,columns=3".parse().expect("a game");
    let players = ["mcts-dc:playouts=300", "mcts-dc:playouts=300,counter=unique"].map(player);
    let [double, unique] = &players;
    let points = |index| {
        let as_first = play_game(&game, [double, unique], &setup(index, 0)).expect("a game").points[0];
        as_first + play_game(&game, [unique, double], &setup(index, 0)).expect("a game").points[1]
    };
    let points: f64 = (0..30).map(points).sum();
    assert!(points > 40.0, "{points} of 60");
}

#[test]
fn a_finished_position_is_never_asked_for() {
    let mut game = DotsAndBoxes::new(1, 1);
    let mut found = registry::build(&player("solver"), &game, &HeldArtifacts::default()).expect("a player");
    found.start(&Seed::derive(5, 0, 0, "whole"));
    while let Turn::Player(_) = game.turn() {
        let chosen = found.decide(&game).chosen;
        found.observe(&game, chosen);
        game.play(chosen);
    }
    assert_eq!(game.score_difference(), -1);
}

/// From the program's turn 24 on the stand-in wins what is won: S3 as the first player against anyone, and S1 and S2 as the
/// second; and it loses what is lost against exact play.
#[test]
fn the_stand_in_of_qdab_wins_what_is_won() {
    let qdab = "qdab:playouts=20";
    for index in 0..4 {
        for other in ["random", "solver:from=20", "mcts-dc:playouts=200"] {
            assert!(play("dots-and-boxes:start=S3", [qdab, other], index).1 > 0, "{other}");
            assert!(play("dots-and-boxes:start=S1", [other, qdab], index).1 < 0, "{other}");
            assert!(play("dots-and-boxes:start=S2", [other, qdab], index).1 < 0, "{other}");
        }
        assert!(play("dots-and-boxes:start=S1", [qdab, "solver:from=20"], index).1 < 0);
    }
    assert_eq!(play("dots-and-boxes", [qdab, "random"], 1), play("dots-and-boxes", [qdab, "random"], 1));
}

/// Where nothing is solved yet it plays whole games better than a search of as many iterations, on boards of all sizes.
#[test]
fn the_stand_in_of_qdab_searches_before_that() {
    let qdab = "qdab:playouts=100,solve-turns=200";
    let mut won = 0.0;
    for (index, size) in
        ["rows=4,columns=4", "rows=3,columns=5", "rows=5,columns=5"].into_iter().cycle().take(12).enumerate()
    {
        let game = format!("dots-and-boxes:{size}");
        let difference = play(&game, [qdab, "mcts:playouts=100"], index as u64).1 as f64;
        won += if difference > 0.0 {
            1.0
        } else if difference == 0.0 {
            0.5
        } else {
            0.0
        };
    }
    assert!(won >= 9.0, "{won} of 12");
    play("dots-and-boxes:rows=1,columns=1", [qdab, "random"], 0);
    refused("reversi", "qdab", "`qdab` plays Dots and Boxes alone, not reversi");
}

/// What can be taken without loss is taken at once, without search.
#[test]
fn the_stand_in_of_qdab_takes_boxes() {
    let start = DotsAndBoxes::new(2, 3);
    let position = start.parse_position("--./|.....|/---/|.....|/.-. A").expect("a position");
    assert!(position.categories().distinct(0).len() + position.categories().distinct(2).len() > 0);
    let mut found = registry::build(&player("qdab:playouts=50"), &start, &HeldArtifacts::default()).expect("a player");
    found.start(&Seed::derive(5, 0, 0, "takes"));
    let decision = found.decide(&position);
    assert_eq!(position.completes(decision.chosen), 1);
    assert_eq!(decision.iterations, 0);
}
