//! Players that carry a network.

use games::{
    Game, GameSpec, Moves as _, Seed, Turn, Visitor, below,
    dots_and_boxes::{DotsAndBoxes, Solver},
    endings::Endings as _,
    reversi::Reversi,
};
use nets::{Architecture, Net};
use players::{
    GameSetup, PlayerSpec,
    artifacts::HeldArtifacts,
    mcts::{Evaluator, Leaf, Puct, Search, Settled, TreeLimit, Ucb1, UniformPlayout, Untried},
    net::{Asking as _, NetPoints, NetPriors, NetReader, Threshold},
    play::prepare,
    registry,
};

/// The file of a net whose numbers are `change`d: weights and biases in the order of the architecture.
fn file(architecture: &str, change: impl FnOnce(&mut [f32])) -> Vec<u8> {
    let architecture: Architecture = architecture.parse().expect("an architecture");
    let mut file = Net::initial(&architecture, &[1; 32]).write();
    let head = 8 + u64::from_le_bytes(file[..8].try_into().expect("eight bytes")) as usize;
    let data = &mut file[head..];
    let mut values: Vec<f32> = data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    change(&mut values);
    data.copy_from_slice(&values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    file
}

fn net(architecture: &str, change: impl FnOnce(&mut [f32])) -> Net {
    Net::read(&file(architecture, change)).expect("a net")
}

/// An artifact and its hash.
fn held(file: &[u8]) -> (HeldArtifacts, String) {
    let hash = blake3::hash(file).to_hex().to_string();
    ([(hash.clone(), file.to_vec())].into_iter().collect(), hash)
}

const PAPER: &str = "encoding=dots-and-boxes/paper inputs=85 hidden=10:sigmoid outcome=sigmoid";
const DIRECT: &str = "encoding=dots-and-boxes/paper inputs=85 outcome=sigmoid";
const MOVER: &str =
    "encoding=dots-and-boxes/mover inputs=111 hidden=16:relu,residual:relu outcome=softmax value=sigmoid policy=60";

fn zeros(values: &mut [f32]) {
    values.fill(0.0);
}

/// Zeros, with these biases of the three outcomes.
fn biased(biases: [f32; 3]) -> impl Fn(&mut [f32]) {
    move |values| {
        values.fill(0.0);
        let at = values.len() - 3;
        values[at..].copy_from_slice(&biases);
    }
}

fn positions(plies: &[u32]) -> Vec<DotsAndBoxes> {
    let mut rng = Seed::derive(1, 0, 0, "positions").rng();
    let after = |&plies: &u32| {
        let mut position = DotsAndBoxes::new(5, 5);
        for _ in 0..plies {
            let moves = position.moves();
            position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
        }
        position
    };
    plies.iter().map(after).collect()
}

fn leaf<G: Game, R>(position: &G) -> Leaf<G, R> {
    Leaf { position: position.clone(), points: [f64::NAN; 2], priors: Vec::new() }
}

#[test]
fn a_result_counts_from_the_threshold_on_and_is_of_the_viewer() {
    let mut rng = Seed::derive(1, 0, 0, "leaves").rng();
    let found = positions(&[3, 20, 41, 42, 43]);
    for (encoding, biases, points) in [
        ("paper", [5.0, 0.0, 0.0], Some(1.0)),
        ("paper", [0.0, 5.0, 0.0], Some(0.5)),
        ("paper", [-5.0, 0.0, 5.0], Some(0.0)),
        ("paper", [2.0, 2.0, 2.0], None),
        ("paper-mover", [5.0, 0.0, 0.0], Some(1.0)),
        ("paper-mover", [0.0, 0.0, 5.0], Some(0.0)),
    ] {
        let net = net(&format!("encoding=dots-and-boxes/{encoding} inputs=85 outcome=sigmoid"), biased(biases));
        let reader = NetReader::new(&net, &found[0]).expect("it fits");
        // 1/(1+exp(-2)) is 0.88.
        let mut threshold = Threshold::new(reader, 0.9, false, UniformPlayout).expect("it has an outcome");
        for position in &found {
            let Turn::Player(seat) = position.mover() else { unreachable!("a player moves") };
            let mut leaf = leaf::<_, ()>(position);
            threshold.evaluate(&mut leaf, &mut rng);
            match points {
                Some(points) if encoding == "paper" || seat == 0 => assert_eq!(leaf.points, [points, 1.0 - points]),
                Some(points) => assert_eq!(leaf.points, [1.0 - points, points]),
                None => assert_eq!(leaf.points.iter().sum::<f64>(), 1.0),
            }
        }
        let decided = if points.is_some() { found.len() as u64 } else { 0 };
        assert_eq!(threshold.counts(), [found.len() as u64, decided]);
    }
    let net = net("encoding=dots-and-boxes/paper inputs=85 value=tanh", zeros);
    let reader = NetReader::new(&net, &found[0]).expect("it fits");
    assert!(Threshold::new(reader, 0.9, false, UniformPlayout).is_err());
}

/// A net that is sure of the first player as soon as 50 edges are drawn.
fn late(values: &mut [f32]) {
    values.fill(0.0);
    values[..60].fill(40.0);
    values[255] = -40.0 * 0.25 * 49.5;
}

#[test]
fn with_each_step_playouts_end_where_the_network_decides() {
    let mut rng = Seed::derive(1, 0, 0, "leaves").rng();
    let net = net(DIRECT, late);
    for (plies, once, each) in [(30, 0, 1), (49, 0, 1), (50, 1, 1), (55, 1, 1)] {
        let position = &positions(&[plies])[0];
        for (each_step, wanted) in [(false, once), (true, each)] {
            let reader = NetReader::new(&net, position).expect("it fits");
            let mut threshold = Threshold::new(reader, 0.9, each_step, UniformPlayout).expect("it has an outcome");
            let mut leaf = leaf::<_, ()>(position);
            threshold.evaluate(&mut leaf, &mut rng);
            assert_eq!(threshold.counts(), [1, wanted], "{plies} drawn, {each_step}");
            if wanted == 1 {
                assert_eq!(leaf.points, [1.0, 0.0]);
                let drawn = 60 - leaf.position.free_edges();
                assert_eq!(drawn, plies.max(if each_step { 50 } else { 0 }));
            } else {
                assert_eq!(leaf.position.free_edges(), 0, "the playout went to the end");
            }
        }
    }
    // A game that is over is not asked about.
    let mut end = positions(&[59]).remove(0);
    end.play(end.moves().get(0));
    let reader = NetReader::new(&net, &end).expect("it fits");
    let mut threshold = Threshold::new(reader, 0.0, true, UniformPlayout).expect("it has an outcome");
    let mut leaf = leaf::<_, ()>(&end);
    threshold.evaluate(&mut leaf, &mut rng);
    assert_eq!((leaf.points, threshold.counts()), (end.points(), [0, 0]));
}

#[test]
fn leaves_valued_together_have_the_values_of_each_alone() {
    let mut rng = Seed::derive(1, 0, 0, "leaves").rng();
    let found = positions(&[0, 3, 60, 31, 59, 60, 12, 44, 20]);
    let net = net(MOVER, |_| {});
    for reader in [NetReader::new(&net, &found[0]), NetReader::in_fixed_point(&net, &found[0])] {
        let reader = reader.expect("it fits");
        let mut points = NetPoints(reader.clone());
        let mut together: Vec<Leaf<DotsAndBoxes, ()>> = found.iter().map(leaf).collect();
        points.evaluate_all(&mut together, &mut rng);
        for (position, together) in found.iter().zip(together) {
            let mut alone = leaf(position);
            points.evaluate(&mut alone, &mut rng);
            assert_eq!(together.points, alone.points);
            assert_eq!(together.points.iter().sum::<f64>(), 1.0);
            if position.turn() == Turn::Over {
                assert_eq!(together.points, position.points());
            }
        }
        let mut priors = NetPriors(reader);
        let open = found.iter().filter(|position| position.turn() != Turn::Over);
        let mut together: Vec<Leaf<DotsAndBoxes, f32>> = open.clone().map(leaf).collect();
        priors.evaluate_all(&mut together, &mut rng);
        for (position, together) in open.zip(together) {
            let mut alone = leaf(position);
            priors.evaluate(&mut alone, &mut rng);
            assert_eq!((together.points, &together.priors), (alone.points, &alone.priors));
            assert_eq!(alone.priors.len(), position.moves().len());
            assert!((alone.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn priors_are_those_of_the_places_of_moves() {
    // A policy alone: the logit of each place is its number over ten.
    let net = net("encoding=reversi/mover inputs=128 policy=65", |values| {
        values.fill(0.0);
        for place in 0..65 {
            values[128 * 65 + place] = place as f32 / 10.0;
        }
    });
    let start = Reversi::new();
    let mut reader = NetReader::new(&net, &start).expect("it fits");
    reader.read(&start);
    let priors = reader.priors(&start).to_vec();
    let moves = start.moves();
    let squares: Vec<f64> = (0..moves.len()).map(|i| f64::from(moves.get(i).square().expect("a square"))).collect();
    let sum: f64 = squares.iter().map(|square| libm::exp(square / 10.0)).sum();
    for (square, prior) in squares.iter().zip(priors) {
        assert!((f64::from(prior) - libm::exp(square / 10.0) / sum).abs() < 1e-6);
    }
    assert_eq!(reader.points(&start), [0.5; 2]);
}

#[test]
fn a_network_that_does_not_fit_says_how() {
    let said = |architecture: &str, player: &str, game: &str| {
        let (artifacts, hash) = held(&file(architecture, |_| {}));
        let player: PlayerSpec = format!("{player},net={hash}").parse().expect("a player");
        let other: PlayerSpec = "random".parse().expect("a player");
        let game: GameSpec = game.parse().expect("a game");
        prepare(&game, [&player, &other], &artifacts).err().map(|error| error.to_string()).unwrap_or_default()
    };
    for (architecture, player, game, wanted) in [
        (MOVER, "mcts-net:playouts=9", "dots-and-boxes", ""),
        (MOVER, "puct:playouts=9", "dots-and-boxes", ""),
        (PAPER, "mcts-net:leaf=threshold,arithmetic=fixed", "dots-and-boxes:start=S1", ""),
        (MOVER, "puct:playouts=9", "reversi", "the network reads positions of dots-and-boxes, and the game is reversi"),
        (
            MOVER,
            "puct:playouts=9",
            "dots-and-boxes:rows=4,columns=5",
            "the network has 111 inputs, and `mover` has 90 on this board",
        ),
        (
            "encoding=dots-and-boxes/mover inputs=111 policy=59 value=tanh",
            "puct:playouts=9",
            "dots-and-boxes",
            "the network's policy has 59 numbers, and this board takes 60",
        ),
        (
            "encoding=paper inputs=85 value=tanh",
            "mcts-net:playouts=9",
            "dots-and-boxes",
            "the network reads `paper`, and players take GAME/ENCODING such as `dots-and-boxes/mover`",
        ),
        (
            "encoding=dots-and-boxes/books inputs=85 value=tanh",
            "mcts-net:playouts=9",
            "dots-and-boxes",
            "the network reads `books`, and dots-and-boxes has paper, paper-to-move, paper-mover, mover, mover-sides",
        ),
        (MOVER, "best-first:evaluations=9", "dots-and-boxes", ""),
        (
            "encoding=dots-and-boxes/paper inputs=85 policy=60",
            "best-first:evaluations=9",
            "dots-and-boxes",
            "the network has neither `outcome` nor `value`, and positions need one",
        ),
        (MOVER, "best-first:evaluations=9", "boop", "`best-first` cannot play boop: no network reads its positions"),
        (
            PAPER,
            "puct:playouts=9",
            "dots-and-boxes",
            "`puct` takes a network with a `policy`, and with a `value` or an `outcome`",
        ),
        (
            "encoding=dots-and-boxes/paper inputs=85 policy=60",
            "mcts-net:playouts=9",
            "dots-and-boxes",
            "the network has neither `outcome` nor `value`, and leaves need one",
        ),
        (
            "encoding=dots-and-boxes/paper inputs=85 value=tanh",
            "mcts-net:leaf=threshold",
            "dots-and-boxes",
            "the network has no `outcome`, whose three outputs the threshold is for",
        ),
        (
            DIRECT,
            "mcts-net:arithmetic=fixed",
            "dots-and-boxes",
            "the network has no hidden layer that could be in fixed point",
        ),
        (PAPER, "mcts-net:playouts=9", "boop", "`mcts-net` cannot play boop: no network reads its positions"),
        (PAPER, "puct:playouts=9", "checkers", "`puct` cannot play checkers: no network reads its positions"),
    ] {
        assert_eq!(said(architecture, player, game), wanted, "{player} of {architecture} at {game}");
    }
    let short = file(PAPER, |_| {});
    let (artifacts, hash) = held(&short[..900]);
    let player: PlayerSpec = format!("mcts-net:net={hash}").parse().expect("a player");
    let error =
        prepare(&"dots-and-boxes".parse().expect("a game"), [&player, &player], &artifacts).err().expect("an error");
    let wanted = format!("artifact {hash} cannot be read: the file is cut short: it has 900 bytes, and its head says ");
    assert!(error.to_string().starts_with(&wanted), "{error}");
}

#[test]
fn specs_say_what_does_not_go_together() {
    let hash = "0".repeat(64);
    for (text, wanted) in [
        ("mcts-net", "`mcts-net` needs a network: give `net`"),
        ("puct:playouts=3", "`puct` needs a network: give `net`"),
        ("best-first:evaluations=3", "`best-first` needs a network: give `net`"),
        (
            &format!("mcts-net:net={hash},reward=result"),
            "a network's values are expected points, not results; `reward` goes with leaf=threshold",
        ),
        (&format!("mcts-net:net={hash},c=2,c-max=1"), "`c-max` is 1, below `c`, 2"),
    ] {
        assert_eq!(text.parse::<PlayerSpec>().expect_err("a fault")[0].to_string(), wanted);
    }
    let player: PlayerSpec = format!("puct:net={hash}").parse().expect("a player");
    assert_eq!(
        player.to_string(),
        format!(
            "puct:net={hash},playouts=100,c=1,fpu-reduction=0.1,noise=0,noise-alpha=0.3,temperature=1,temperature-turns=0,\
             arithmetic=float,batch=1,keep-tree=true,search-forced=false,nodes-max=4000000"
        )
    );
    assert!(format!("puct:net={hash},fpu=0.5,fpu-reduction=0.1").parse::<PlayerSpec>().is_err());
    let best_first: PlayerSpec = format!("best-first:net={hash}").parse().expect("a player");
    assert_eq!(best_first.to_string(), format!("best-first:net={hash},evaluations=1000,greed=1,arithmetic=float"));
    assert!(format!("best-first:net={hash},evaluations=5,time-ms=5").parse::<PlayerSpec>().is_err());
    assert_eq!(player.artifacts(), [hash]);
}

/// Texts of root moves with their visits after one decision, sorted by text, and the move that was chosen.
struct Decide<'a>(&'a PlayerSpec, &'a HeldArtifacts, u64);

impl Visitor for Decide<'_> {
    type Output = (Vec<(String, u32)>, String, Vec<f64>);

    fn visit<G: Game>(self, start: G) -> Self::Output {
        let mut player = registry::build(self.0, &start, self.1).expect("it fits");
        player.start(&Seed::derive(3, 0, self.2, "decide"));
        let decision = player.decide(&start);
        let (mut visits, mut figures) = (Vec::new(), Vec::new());
        player.root_visits(&mut visits);
        player.figures(&mut figures);
        let mut texts: Vec<(String, u32)> =
            visits.iter().map(|&(chosen, visits)| (start.move_text(chosen), visits)).collect();
        texts.sort();
        (texts, start.move_text(decision.chosen), figures)
    }
}

fn decide(player: &str, file: &[u8], game: &str, seed: u64) -> (Vec<(String, u32)>, String, Vec<f64>) {
    let (artifacts, hash) = held(file);
    let player = format!("{player},net={hash}").parse().expect("a player");
    games::visit(&game.parse().expect("a game"), Decide(&player, &artifacts, seed))
}

/// Of 1x2 boxes only the edge between the boxes does not lose. A network that knows nothing leaves it to the ends of games.
#[test]
fn searches_find_the_only_good_move_with_a_network_that_knows_nothing() {
    let game = "dots-and-boxes:rows=1,columns=2";
    let architecture = "encoding=dots-and-boxes/mover inputs=12 hidden=4:relu value=sigmoid policy=7";
    let middle = {
        let start = DotsAndBoxes::new(1, 2);
        start.move_text(start.edge(5).expect("an edge"))
    };
    for player in [
        "puct:playouts=100000,c=1.5",
        "puct:playouts=100000,c=1.5,batch=4,fpu=0.5",
        "puct:playouts=100000,c=1.5,arithmetic=fixed,noise=0.25",
        "mcts-net:playouts=100000",
        "mcts-net:playouts=100000,batch=3",
    ] {
        let (visits, chosen, _) = decide(player, &file(architecture, zeros), game, 1);
        assert_eq!(chosen, middle, "{player}: {visits:?}");
        assert_eq!(visits.iter().map(|(_, visits)| visits).sum::<u32>(), 100_000, "{player}");
        assert_eq!(visits.len(), 7);
    }
}

/// Where the whole tree fits the budget, a network that knows nothing leaves all to the ends of games, so that the moves are exact.
#[test]
fn best_first_search_to_the_end_plays_exactly() {
    let net = file("encoding=dots-and-boxes/mover inputs=21 hidden=4:relu value=sigmoid policy=12", zeros);
    let (artifacts, hash) = held(&net);
    let start = DotsAndBoxes::new(2, 2);
    let mut rng = Seed::derive(1, 0, 0, "positions").rng();
    for (number, text) in [
        (0, "evaluations=1000000"),
        (1, "evaluations=1000000,arithmetic=fixed"),
        (2, "evaluations=3000,leaf-solve-from=5"),
    ] {
        let player: PlayerSpec = format!("best-first:net={hash},{text}").parse().expect("a player");
        let mut player = registry::build(&player, &start, &artifacts).expect("a player");
        let mut solver = Solver::default();
        let mut left = 0;
        for game in 0..40 {
            let mut position = start;
            for _ in 0..4 + game % 4 {
                let moves = position.moves();
                position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            }
            player.start(&Seed::derive(2, number, game, "game"));
            while position.turn() != Turn::Over {
                let value = solver.value(&position).signum();
                let decision = player.decide(&position);
                position.play(decision.chosen);
                assert_eq!(solver.value(&position).signum(), value, "{text}, game {game}");
                left += u32::from(decision.iterations > 0);
            }
        }
        assert!(left > 150, "{left} decisions took a search");
    }
}

#[test]
fn best_first_search_keeps_its_budget_and_its_seed() {
    let (artifacts, hash) = held(&file(MOVER, |_| {}));
    let start = positions(&[5])[0];
    let decide = |text: &str, seed: u64| {
        let player: PlayerSpec = format!("best-first:net={hash},{text}").parse().expect("a player");
        let mut player = registry::build(&player, &start, &artifacts).expect("a player");
        player.start(&Seed::derive(seed, 0, 0, "game"));
        let decision = player.decide(&start);
        let mut found = Vec::new();
        player.searched(&mut found);
        (decision, found)
    };
    for nodes in [1, 56, 300, 2_000] {
        let (decision, found) = decide(&format!("evaluations={nodes}"), 1);
        // A position has 55 moves at most, and its expansion is finished.
        assert!((nodes..nodes + 55).contains(&decision.iterations), "{nodes}: {}", decision.iterations);
        assert_eq!((decision, &found), (decide(&format!("evaluations={nodes}"), 2).0, &found), "nothing is drawn");
        // Every position stands behind the one that its move was played at, and has the best of the values behind it.
        assert_eq!((found[0].parent, found[0].place), (0, 0));
        for (number, position) in found.iter().enumerate().skip(1) {
            assert!((position.parent as usize) < number && (0.0..=1.0).contains(&position.points));
        }
    }
    let drawn: Vec<_> = (0..20).map(|seed| decide("evaluations=60,greed=0", seed).0.chosen).collect();
    assert_eq!(drawn, (0..20).map(|seed| decide("evaluations=60,greed=0", seed).0.chosen).collect::<Vec<_>>());
    assert!(drawn.iter().any(|chosen| *chosen != drawn[0]));
}

#[test]
fn a_threshold_that_is_never_reached_changes_nothing() {
    let sure = file(PAPER, biased([9.0, 0.0, 0.0]));
    let unsure = file(PAPER, zeros);
    let game = "dots-and-boxes:start=S1";
    let (visits, chosen, figures) = decide("mcts-net:playouts=700,leaf=threshold", &unsure, game, 1);
    let plain: PlayerSpec = "mcts:playouts=700".parse().expect("a player");
    let wanted = games::visit(&game.parse().expect("a game"), Decide(&plain, &HeldArtifacts::default(), 1));
    assert_eq!((&visits, &chosen), (&wanted.0, &wanted.1));
    assert_eq!(figures[1], 0.0);
    assert_eq!(decide("mcts-net:playouts=70,leaf=threshold", &sure, game, 1).2[1], 1.0);
    let player: PlayerSpec = format!("mcts-net:leaf=threshold,net={}", "0".repeat(64)).parse().expect("a player");
    let names: Vec<&str> = player.figures().iter().map(|figure| figure.name).collect();
    assert_eq!(names, ["root_share", "threshold_share"]);
}

#[test]
fn the_double_counter_asks_a_network_if_it_has_one() {
    let game = "dots-and-boxes:start=S1";
    let plain: PlayerSpec = "mcts-dc:playouts=300".parse().expect("a player");
    let wanted = games::visit(&game.parse().expect("a game"), Decide(&plain, &HeldArtifacts::default(), 1));
    let unsure = decide("mcts-dc:playouts=300", &file(PAPER, zeros), game, 1);
    assert_eq!((&unsure.0, &unsure.1, unsure.2[1]), (&wanted.0, &wanted.1, 0.0));
    let sure = decide("mcts-dc:playouts=300,ann-each-step=true", &file(PAPER, biased([9.0, 0.0, 0.0])), game, 1);
    assert_eq!(sure.2[1], 1.0);
    let hash = "0".repeat(64);
    let spec: PlayerSpec = format!("mcts-dc:net={hash}").parse().expect("a player");
    assert!(
        spec.to_string().ends_with(&format!("net={hash},threshold=0.9,ann-each-step=false,arithmetic=float")),
        "{spec}"
    );
    assert_eq!(spec.to_string().parse::<PlayerSpec>().as_ref(), Ok(&spec));
    let names: Vec<&str> = spec.figures().iter().map(|figure| figure.name).collect();
    assert_eq!(names, ["root_share", "threshold_share"]);
    assert_eq!(plain.figures().len(), 1);
    let fault = &"mcts-dc:threshold=0.8".parse::<PlayerSpec>().expect_err("a fault")[0];
    assert_eq!(fault.to_string(), "`threshold` goes with a network: give `net`");
}

#[test]
fn noise_spreads_visits_and_depends_on_the_seed_alone() {
    // Sure of one move: edge 7.
    let architecture = "encoding=dots-and-boxes/mover inputs=111 value=sigmoid policy=60";
    let file = file(architecture, |values| {
        values.fill(0.0);
        let biases = values.len() - 60;
        values[biases + 7] = 12.0;
    });
    let tried = |player: &str, seed| decide(player, &file, "dots-and-boxes", seed).0;
    let plain = tried("puct:playouts=60", 1);
    assert_eq!(plain, tried("puct:playouts=60", 2), "without noise nothing is drawn");
    let most = |tried: &[(String, u32)]| tried.iter().map(|(_, visits)| *visits).max();
    assert!(most(&plain) >= Some(59), "{plain:?}");
    let noisy = tried("puct:playouts=60,noise=0.5", 1);
    assert_eq!(noisy, tried("puct:playouts=60,noise=0.5", 1));
    assert_ne!(noisy, tried("puct:playouts=60,noise=0.5", 2));
    assert!(noisy.len() > 2 && most(&noisy) < Some(59), "{noisy:?}");
}

#[test]
fn the_first_turns_are_drawn_by_visits() {
    let (artifacts, hash) = held(&file("encoding=dodgem/mover inputs=18 value=sigmoid policy=18", zeros));
    let chosen = |temperature: &str| {
        let text = format!("puct:net={hash},playouts=40,c=4,temperature-turns=1,{temperature}");
        let player: PlayerSpec = text.parse().expect("a player");
        let game: GameSpec = "dodgem:size=3".parse().expect("a game");
        let mut counts = std::collections::BTreeMap::new();
        let mut visits = Vec::new();
        for seed in 0..400 {
            let found = games::visit(&game, Decide(&player, &artifacts, seed));
            visits = found.0;
            *counts.entry(found.1).or_insert(0u32) += 1;
        }
        (visits, counts)
    };
    let (visits, counts) = chosen("temperature=1");
    let all: u32 = visits.iter().map(|(_, visits)| visits).sum();
    for (text, visits) in &visits {
        let p = f64::from(*visits) / f64::from(all);
        let found = f64::from(counts.get(text).copied().unwrap_or(0)) / 400.0;
        assert!((found - p).abs() < 5.0 * (p * (1.0 - p) / 400.0).sqrt(), "{text}: {found}, not {p}");
    }
    let most = visits.iter().map(|(_, visits)| *visits).max();
    let (_, cold) = chosen("temperature=0.01");
    for text in cold.keys() {
        let of = visits.iter().find(|(known, _)| known == text).map(|(_, visits)| *visits);
        assert!(of >= most.map(|most| most - 1), "{text} of {visits:?}");
    }
}

#[test]
fn games_replay() {
    let (artifacts, hash) = held(&file(MOVER, |_| {}));
    let seed = |purpose| Seed::derive(5, 0, 0, purpose);
    let setup = GameSetup { opening_plies: 6, opening_seed: seed("opening"), player_seeds: [seed("a"), seed("b")] };
    let play = |first: &str, second: &str| {
        let [first, second] = [first, second].map(|text| format!("{text},net={hash}").parse().expect("a player"));
        let game: GameSpec = "dots-and-boxes".parse().expect("a game");
        prepare(&game, [&first, &second], &artifacts).expect("they fit").play(&setup).moves_hash
    };
    let noisy = "puct:playouts=30,noise=0.3,temperature-turns=8";
    assert_eq!(play(noisy, "mcts-net:playouts=30"), play(noisy, "mcts-net:playouts=30"));
    assert_ne!(play(noisy, "mcts-net:playouts=30"), play(noisy, "mcts-net:playouts=31"));
    // The same leaves, whatever the memory of sums holds from before.
    let fixed = "mcts-net:playouts=30,leaf=threshold,ann-each-step=true,threshold=0.4,arithmetic=fixed";
    assert_eq!(play(fixed, fixed), play(fixed, fixed));
}

/// A start of the oracle, and the sign of each of its moves' value for the first player, who moves.
fn state(name: &str) -> (DotsAndBoxes, Vec<(String, i64)>) {
    let oracle: serde_json::Value =
        serde_json::from_str(include_str!("../../../games/tests/oracles/dots-and-boxes.json")).expect("JSON");
    let states = oracle["state_S"].as_array().expect("states");
    let state = states.iter().find(|state| state["id"] == name).expect("the state");
    struct Text;
    impl Visitor for Text {
        type Output = String;
        fn visit<G: Game>(self, start: G) -> String {
            start.position_text()
        }
    }
    let text = games::visit(&format!("dots-and-boxes:start={name}").parse().expect("a game"), Text);
    let start = DotsAndBoxes::new(5, 5).parse_position(&text).expect("a position");
    let values = state["move_values"].as_object().expect("values").iter().map(|(edge, value)| {
        let edge = start.edge(edge.parse().expect("a number")).expect("an edge");
        (start.move_text(edge), value.as_i64().expect("a value").signum())
    });
    (start, values.collect())
}

/// With every child of the root near the end, their means are the exact results, from the first visit on.
#[test]
fn leaves_near_the_end_are_exact() {
    for name in ["S1", "S3"] {
        let (start, values) = state(name);
        let reader = NetReader::new(&net(MOVER, |_| {}), &start).expect("it fits");
        let endings = || start.endings().expect("the game has a solver");
        let mut rng = Seed::derive(1, 0, 0, "settled").rng();
        let mut by_priors = Search::new(
            Puct { c: 50.0, untried: Untried::Fixed(1.0) },
            Settled::new(NetPriors(reader), endings(), 19),
            TreeLimit::NONE,
        );
        let mut by_playouts = Search::new(
            Ucb1::new(0.7, 1.0, f64::INFINITY),
            Settled::new(UniformPlayout, endings(), 19),
            TreeLimit::NONE,
        );
        by_priors.root(&start);
        by_playouts.root(&start);
        for _ in 0..50 {
            by_priors.iterate_together(4, &mut rng);
            by_playouts.iterate_together(4, &mut rng);
        }
        let found = |stats: Vec<(String, f64)>| {
            assert_eq!(stats.len(), 20, "{name}");
            for (text, mean) in stats {
                let wanted = values.iter().find(|(known, _)| *known == text).expect("a move").1;
                assert_eq!(mean, (wanted + 1) as f64 / 2.0, "{name}: {text}");
            }
        };
        found(by_priors.root_stats().map(|s| (start.move_text(s.chosen), s.mean)).collect());
        found(by_playouts.root_stats().map(|s| (start.move_text(s.chosen), s.mean)).collect());
        assert_eq!((by_priors.tree().len(), by_playouts.tree().len()), (21, 21), "nothing lies below");
    }
}

#[test]
fn searches_with_exact_leaves_keep_a_win() {
    let (_, values) = state("S3");
    let net = file(MOVER, zeros);
    for player in [
        "puct:playouts=3000,leaf-solve-from=18",
        "puct:playouts=3000,leaf-solve-from=18,batch=8,solve-from=3",
        "mcts-net:playouts=3000,leaf-solve-from=18",
        "mcts-net:playouts=3000,leaf-solve-from=18,leaf=threshold",
    ] {
        let (visits, chosen, _) = decide(player, &net, "dots-and-boxes:start=S3", 1);
        let value = values.iter().find(|(known, _)| *known == chosen).expect("a move").1;
        assert_eq!(value, 1, "{player}: {chosen} of {visits:?}");
    }
    let without: PlayerSpec = "mcts:leaf-solve-from=9".parse().expect("a player");
    let fault = without.check_game(&"reversi".parse().expect("a game")).expect_err("no solver");
    assert_eq!(fault.to_string(), "nothing solves endings of reversi; Dots and Boxes has a solver");
}
