//! Evolved playouts against answers computed by other programs (tests/oracles/reversi-gp.json), and specs.

use games::{
    Game as _, GameSpec, Seed,
    features::{LANES, Views},
    reversi::Reversi,
};
use gp::{Inputs, PrimitiveSet, Program, Tree, Type, evaluate};
use players::{GameSetup, PlayerSpec, artifacts::HeldArtifacts, evomcts::language, play::prepare};
use serde_json::Value;

fn reversi() -> PrimitiveSet {
    language(&"reversi".parse().expect("a game")).expect("it tells")
}

/// The oracle's tree as text.
fn text(tree: &Value) -> String {
    let mut head = tree["op"].as_str().expect("a name").to_owned();
    if let (Some(x), Some(y)) = (tree["x"].as_u64(), tree["y"].as_u64()) {
        head.push_str(&format!(":{x}:{y}"));
    }
    if let Some(v) = tree["v"].as_f64() {
        head.push_str(&format!(":{v}"));
    }
    if let Some(f) = tree["f"].as_f64() {
        head.push_str(&format!("*{f}"));
    }
    match tree["args"].as_array() {
        Some(args) => format!("({head} {})", args.iter().map(text).collect::<Vec<_>>().join(" ")),
        None => head,
    }
}

/// Seven trees on nine positions, friendly being the side to move.
#[test]
fn trees_have_the_oracle_s_values() {
    let oracle: Value = serde_json::from_str(include_str!("../oracles/reversi-gp.json")).expect("JSON");
    let set = reversi();
    let mut checked = 0;
    for wanted in oracle["trees"].as_array().expect("trees") {
        let tree = Tree::parse(&text(&wanted["tree"]), Type::Float, &set).unwrap_or_else(|error| panic!("{error}"));
        let program = Program::new(&tree, &set).expect("small enough");
        let mut registers = program.registers();
        for (line, value) in
            oracle["lines"].as_array().expect("lines").iter().zip(wanted["values"].as_array().expect("values"))
        {
            let mut position = Reversi::new();
            for played in line.as_str().expect("a line").split_whitespace() {
                position.play(position.parse_move(played).expect("legal"));
            }
            let games::Turn::Player(friendly) = position.mover() else { panic!("somebody moves") };
            let mut views = Views::new();
            for lane in 0..LANES {
                position.look(friendly, u32::MAX, lane, &mut views);
            }
            let numbers: Vec<f64> = views.numbers.iter().map(|lanes| lanes[0]).collect();
            let inputs = Inputs { numbers: &numbers, friendly: views.friendly[0], enemy: views.enemy[0] };
            let value = value.as_f64().expect("a number");
            assert_eq!(evaluate(&tree, &set, &inputs), value, "{} at {line}", wanted["name"]);
            let run = program.run(&mut registers, &views.numbers, &views.friendly, &views.enemy);
            assert_eq!(run, [value; LANES], "{} at {line}", wanted["name"]);
            checked += 1;
        }
    }
    assert_eq!(checked, 63);
}

/// Share of the points of `tree` against plain search, 40 playouts each, over `games` games with seats in turn.
fn share(game: &str, tree: &str, games: u64) -> f64 {
    let game: GameSpec = game.parse().expect("a game");
    let evolved: PlayerSpec = format!("evomcts:playouts=40,tree={tree}").parse().expect("a player");
    let plain: PlayerSpec = "mcts:playouts=40".parse().expect("a player");
    let mut both = [[&evolved, &plain], [&plain, &evolved]]
        .map(|seats| prepare(&game, seats, &HeldArtifacts::default()).expect("for two"));
    let points = (0..games).map(|index| {
        let derive = |purpose| Seed::derive(21, 0, index, purpose);
        let setup = GameSetup {
            opening_plies: 0,
            opening_seed: derive("opening"),
            player_seeds: [derive("first"), derive("second")],
        };
        let swapped = (index % 2) as usize;
        both[swapped].play(&setup).points[swapped]
    });
    points.sum::<f64>() / games as f64
}

/// The side and the sign: a wrong one turns every row over (docs/papers/evomcts.md has these rows over 1,000
/// games). The bounds are four standard errors of 200 games away from what the oracle has at 100 playouts.
#[test]
fn hand_written_trees_play_as_they_should() {
    let good = share("reversi", "(Plus Mobility (MultERC:5 CornerCount))", 200);
    assert!(good > 0.6, "Reversi, mobility and corners: {good}");
    let bad = share("reversi", "(Minus (MultERC:-5 CornerCount) Mobility)", 200);
    assert!(bad < 0.45, "Reversi, the same reversed: {bad}");
    let good = share("dodgem", "(Minus EnemyPosCount FriendlyPosCount)", 200);
    assert!(good > 0.75, "Dodgem, steps ahead: {good}");
    let bad = share("dodgem", "(Minus FriendlyPosCount EnemyPosCount)", 200);
    assert!(bad < 0.15, "Dodgem, the same reversed: {bad}");
}

#[track_caller]
fn fault(spec: &str, game: &str, says: &str) {
    let game: GameSpec = game.parse().expect("a game");
    let found = match spec.parse::<PlayerSpec>() {
        Err(faults) => faults[0].to_string(),
        Ok(spec) => {
            let fault = spec.check_game(&game).expect_err("a fault");
            // Preparing a game makes the same check.
            assert_eq!(
                prepare(&game, [&spec, &spec], &HeldArtifacts::default()).err().map(|error| error.to_string()),
                Some(fault.to_string())
            );
            fault.to_string()
        }
    };
    assert!(found.contains(says), "{found}");
}

#[test]
fn faults_say_what_and_where() {
    fault("evomcts", "reversi", "`evomcts` needs a function: give `tree` or `champion`");
    fault("evomcts:tree=One,champion=x", "reversi", "`tree` and `champion` are two functions");
    fault(
        "evomcts:tree=One,candidates=17",
        "reversi",
        "`candidates` cannot be `17`: it takes a whole number from 1 to 16",
    );
    fault("evomcts:tree=(Plus One True)", "reversi", "character 11: argument 2 of `Plus` must be a number");
    fault("evomcts:tree=CornerCount", "dodgem", "there is no `CornerCount` here");
    fault("evomcts:tree=True", "reversi", "the root must be a number");
    fault("evomcts:tree=(IfTrue IsManPiece:8:0 One One)", "reversi", "needs its square");
}

#[test]
fn the_canonical_text_is_the_same_player() {
    let spec: PlayerSpec = "evomcts:tree=(Plus Mobility*0.5 One),view=next".parse().expect("a player");
    assert_eq!(spec.to_string().parse::<PlayerSpec>().as_ref(), Ok(&spec));
    assert_eq!((spec.tree(), spec.guiding()), (Some("(Plus Mobility*0.5 One)"), Some((4, "next"))));
    assert_eq!(spec.with_tree("One").tree(), Some("One"));
    assert!(!spec.text_without_tree().contains("tree=("));
}
