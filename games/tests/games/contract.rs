//! What every game keeps: those of the registry under their options, and the toys.

use games::{
    Game, GameSpec, Moves as _, Seed, Turn, Visitor, below,
    columns::{ColumnValue, fields},
    toys::{Race, TreeGame, Wide, Wild},
};

/// Games played of each game.
const GAMES: u64 = 60;

struct Contract;

impl Visitor for Contract {
    type Output = ();

    fn visit<G: Game>(self, start: G) {
        let facts = start.facts();
        assert!((1..=2).contains(&facts.players), "{}", facts.name);
        assert!(facts.moves_max <= 1 << 16, "{}: guided playouts number moves by 16 bits", facts.name);
        for index in 0..GAMES {
            let seed = Seed::derive(1, 0, index, "contract");
            if index == 0 {
                check_nature(&start, &seed);
            }
            let one = walk(&start, &seed);
            assert_eq!(one, walk(&start, &seed), "{}: the same seed gives the same game", facts.name);
            let mut end = start.clone();
            let points = end.playout(&mut seed.rng());
            let cut = start.playout_plies_max() < facts.plies_max && points == [0.5; 2];
            assert!(end.turn() == Turn::Over || cut, "{}: a playout ends, or its cap makes it a draw", facts.name);
            let again = start.clone().playout(&mut seed.rng());
            assert_eq!(again, points, "{}: the same seed gives the same outcome", facts.name);
            if facts.players == 2 {
                assert_eq!(points, end.reward());
                let ahead = |[first, second]: [f64; 2]| first.partial_cmp(&second);
                assert!(cut || ahead(end.points()) == ahead(points), "{}: the winner has the reward", facts.name);
            } else {
                // The outcome may be drawn; the reward is its mean.
                let [mean, other] = end.reward();
                assert!(points[0] == mean || (mean > 0.0 && mean < 1.0), "{}: {points:?} of {mean}", facts.name);
                assert!((0.0..=1.0).contains(&points[0]) && [points[1], other] == [0.0; 2], "{}", facts.name);
            }
            assert!(end.place().is_none_or(|place| (0.0..=1.0).contains(&place)), "{}", facts.name);
        }
        check_columns(&start);
        check_scores(&start);
        check_outlooks(&start);
        assert_eq!(start.perft(0).max(1), 1);
        assert_eq!(games::perft(&start, 1), start.moves().len() as u64);
    }
}

/// Plays a random game, checking every position; gives the texts of its moves.
fn walk<G: Game>(start: &G, seed: &Seed) -> Vec<String> {
    let facts = start.facts();
    let (mut position, mut rng, mut history) = (start.clone(), seed.rng(), Vec::new());
    loop {
        let text = position.position_text();
        assert!(!text.contains('\n'), "{}: a position is one line", facts.name);
        let read = start.parse_position(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read, position, "{}: {text} is read as another position", facts.name);
        let moves = position.moves();
        assert_eq!(moves.is_empty(), position.turn() == Turn::Over, "{}: moves exist while not over", facts.name);
        assert_eq!(moves.is_empty(), moves.len() == 0);
        assert!(moves.len() <= facts.moves_max, "{}", facts.name);
        let [first, second] = position.points();
        assert!((0.0..=1.0).contains(&first));
        if facts.players == 2 {
            assert_eq!(first + second, 1.0, "{}: two players share a point", facts.name);
        }
        let (reward, at_start) = (position.reward(), start.reward());
        assert!(reward.iter().all(|reward| (-1.0..=1.0).contains(reward)), "{}: {reward:?}", facts.name);
        if facts.players == 2 {
            let sums = [reward, at_start].map(|[first, second]| first + second);
            assert_eq!(sums[0], sums[1], "{}: rewards have one sum", facts.name);
        }
        let mut rest = moves.clone();
        for i in 0..moves.len() {
            let chosen = moves.get(i);
            let text = position.move_text(chosen);
            assert!(!text.contains(char::is_whitespace));
            assert_eq!(position.parse_move(&text).ok(), Some(chosen), "{}: {text}", facts.name);
            assert_eq!(rest.take(0), chosen, "{}: taking keeps the order", facts.name);
        }
        assert!(rest.is_empty());
        assert!(position.parse_move("no such move").is_err());
        assert!(position.parse_position("no such position").is_err());
        let chosen = match position.turn() {
            Turn::Over => break,
            Turn::Chance => {
                assert!(facts.chance, "{}", facts.name);
                position.chance(&mut rng)
            }
            Turn::Player(seat) => {
                assert!(seat < facts.players, "{}", facts.name);
                moves.get(below(&mut rng, moves.len() as u32) as usize)
            }
        };
        let before = position.clone();
        let mut next = position.clone();
        next.play(chosen);
        assert_eq!(position, before, "{}: playing on a copy changes nothing else", facts.name);
        history.push(position.move_text(chosen));
        position = next;
        assert!(history.len() <= facts.plies_max as usize, "{}: {} plies", facts.name, history.len());
    }
    history
}

/// Checks that a game's recorder fills the columns that the game lists.
fn check_columns<G: Game>(start: &G) {
    let facts = start.facts();
    let fields = fields(&facts);
    let mut names: Vec<&String> = fields.iter().map(|(name, _)| name).collect();
    assert!(names.iter().all(|name| name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), fields.len(), "{}: two columns have one name", facts.name);
    assert_eq!(start.recorder().is_some(), !fields.is_empty(), "{}: columns need a recorder", facts.name);
    let Some(mut recorder) = start.recorder() else { return };
    let (mut position, mut rng) = (start.clone(), Seed::derive(1, 0, 0, "columns").rng());
    loop {
        let chosen = match position.turn() {
            Turn::Over => break,
            Turn::Chance => position.chance(&mut rng),
            Turn::Player(_) => position.moves().get(below(&mut rng, position.moves().len() as u32) as usize),
        };
        recorder.observe(&position, chosen);
        position.play(chosen);
    }
    let values = recorder.finish(&position);
    let kinds: Vec<_> = values.iter().map(ColumnValue::kind).collect();
    assert_eq!(kinds, fields.iter().map(|field| field.1).collect::<Vec<_>>(), "{}", facts.name);
    let mut sources = 0;
    let scores = ["first_", "second_"].map(|seat| {
        let is_of_seat = |name: &str| name.ends_with("_points") && (facts.players == 1 || name.starts_with(seat));
        let of_seat = fields.iter().zip(&values).filter(|((name, _), _)| is_of_seat(name));
        let points = of_seat.map(|(_, value)| if let ColumnValue::Int(points) = value { *points } else { 0 });
        points.inspect(|_| sources += 1).sum::<i64>()
    });
    let score = if facts.players == 2 { scores[0] - scores[1] } else { scores[0] };
    assert!(sources == 0 || score == position.score_difference(), "{}: points by source make the score", facts.name);
}

/// Checks that what moves lead to is what playing them gives, and that searches of the
/// game's paper can play on from where the rules can.
fn check_outlooks<G: Game>(start: &G) {
    let name = start.facts().name;
    let scale = start.evaluation_scale();
    assert!(scale.is_none_or(|scale| scale > 0.0 && scale.is_finite()), "{name}: {scale:?}");
    let mut rng = Seed::derive(1, 0, 0, "outlooks").rng();
    let mut outlooks = Vec::new();
    let mut position = start.clone();
    loop {
        assert_eq!(position.evaluation_scale(), scale, "{name}: all positions have one scale");
        let moves = position.moves();
        let chosen = match position.turn() {
            Turn::Over => break,
            Turn::Chance => position.chance(&mut rng),
            Turn::Player(seat) => {
                position.outlooks(&mut outlooks);
                assert_eq!(outlooks.len(), moves.len(), "{name}");
                for (index, outlook) in outlooks.iter().enumerate() {
                    let mut after = position.clone();
                    after.play(moves.get(index));
                    assert_eq!(outlook.value, after.evaluate(seat), "{name}: {}", position.position_text());
                    assert_eq!(outlook.points, (after.turn() == Turn::Over).then(|| after.points()[seat]), "{name}");
                    assert!(position.weight(moves.get(index)) > 0.0, "{name}");
                }
                assert!((1..=moves.len()).contains(&position.width(moves.len())), "{name}");
                if let Some(searched) = position.searched() {
                    assert_eq!(searched.moves().len(), moves.len(), "{name}");
                }
                moves.get(below(&mut rng, moves.len() as u32) as usize)
            }
        };
        position.play(chosen);
    }
}

/// Checks that a score as of an end is told at every position or at none, as bounds are; that at an end it is the
/// score; and that bounds hold for all that follows and never widen.
fn check_scores<G: Game>(start: &G) {
    let name = start.facts().name;
    let mut rng = Seed::derive(1, 0, 0, "scores").rng();
    for _ in 0..GAMES {
        let (mut position, mut bounds) = (start.clone(), start.score_bounds());
        loop {
            let ended = position.score_if_ended();
            assert_eq!(ended.is_some(), start.score_if_ended().is_some(), "{name} at {}", position.position_text());
            let here = position.score_bounds();
            assert_eq!(here.is_some(), bounds.is_some(), "{name} at {}", position.position_text());
            if let (Some((least, greatest)), Some((low, high))) = (here, bounds) {
                let text = position.position_text();
                assert!(low <= least && greatest <= high, "{name} at {text}: bounds widen, {bounds:?} to {here:?}");
                for score in [Some(position.score_difference()), ended].into_iter().flatten() {
                    assert!((least..=greatest).contains(&score), "{name} at {text}: {score} is outside {here:?}");
                }
            }
            bounds = here;
            let moves = position.moves();
            let chosen = match position.turn() {
                Turn::Over => break,
                Turn::Chance => position.chance(&mut rng),
                Turn::Player(_) => moves.get(below(&mut rng, moves.len() as u32) as usize),
            };
            position.play(chosen);
        }
        let score = position.score_difference();
        assert!(position.score_if_ended().is_none_or(|ended| ended == score), "{name}: the end's score is {score}");
    }
}

/// Draws of nature that are counted at a position.
const DRAWS: u32 = 2_000;

/// Value that chi-square with `freedom` degrees exceeds with a probability of about one in a million (Wilson and Hilferty
/// 1931; 4.753 is the normal deviate).
fn chi_square_bound(freedom: usize) -> f64 {
    let part = 2.0 / (9.0 * freedom as f64);
    let root = 1.0 - part + 4.753 * part.sqrt();
    freedom as f64 * root * root * root
}

/// (degrees, value exceeded with probability 1e-6): bisection of the regularised incomplete gamma function in Python. The
/// approximation lies above it, by least where there are many degrees.
#[test]
fn the_bound_of_chi_square_lies_just_above_the_exact_value() {
    for (freedom, exact) in [(1, 23.928_1), (2, 27.631_0), (5, 35.888_2), (23, 70.549_6), (100, 182.126_8)] {
        let bound = chi_square_bound(freedom);
        assert!((exact..1.15 * exact).contains(&bound), "{freedom}: {bound}");
    }
}

/// Checks nature's probabilities at every chance position of a random game, and that draws follow them.
fn check_nature<G: Game>(start: &G, seed: &Seed) {
    let name = start.facts().name;
    let (mut position, mut rng, mut met) = (start.clone(), seed.rng(), false);
    loop {
        let moves = position.moves();
        let chosen = match position.turn() {
            Turn::Over => break,
            Turn::Player(_) => moves.get(below(&mut rng, moves.len() as u32) as usize),
            Turn::Chance => {
                met = true;
                let probabilities: Vec<f64> =
                    (0..moves.len()).map(|index| position.probability(moves.get(index))).collect();
                let text = position.position_text();
                assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)), "{name} at {text}: {probabilities:?}");
                let sum: f64 = probabilities.iter().sum();
                assert!((sum - 1.0).abs() < 1e-9, "{name} at {text}: probabilities sum to {sum}");
                let mut counts = vec![0u32; moves.len()];
                for _ in 0..DRAWS {
                    let drawn = position.chance(&mut rng);
                    let index = (0..moves.len()).find(|&index| moves.get(index) == drawn);
                    counts[index.unwrap_or_else(|| panic!("{name} at {text}: drew {drawn:?}"))] += 1;
                }
                let mut chi_square = 0.0;
                for (&count, &probability) in counts.iter().zip(&probabilities) {
                    let expected = probability * f64::from(DRAWS);
                    assert!(probability > 0.0 || count == 0, "{name} at {text}: an impossible move was drawn");
                    if probability > 0.0 {
                        let difference = f64::from(count) - expected;
                        chi_square += difference * difference / expected;
                    }
                }
                let possible = probabilities.iter().filter(|&&p| p > 0.0).count();
                let bound = if possible > 1 { chi_square_bound(possible - 1) } else { 0.0 };
                assert!(chi_square <= bound, "{name} at {text}: chi-square {chi_square} of {counts:?}");
                position.chance(&mut rng)
            }
        };
        position.play(chosen);
    }
    assert!(met || !start.facts().chance, "{name}: a game with chance has positions where nature moves");
}

#[test]
fn every_game_keeps_the_contract() {
    let names: Vec<&str> = games::all().iter().map(|entry| entry.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted, "the registry is in order");
    for entry in games::all() {
        let spec: GameSpec = entry.name.parse().expect("every game has defaults");
        assert_eq!(spec.facts().name, entry.name);
        assert_eq!(spec.to_string().parse::<GameSpec>().as_ref(), Ok(&spec));
        games::visit(&spec, Contract);
    }
}

#[test]
fn options_keep_the_contract() {
    for text in [
        "boop:graduation=heuristic",
        "boop:search=released",
        "boop:graduation=heuristic,search-wins=both,plies-max=60,playout-plies=40",
        "boop:search-border=masked,plies-max=1",
        "carcassonne:variant=1s",
        "carcassonne:variant=3s",
        "carcassonne:variant=1d",
        "carcassonne:variant=3d",
        "carcassonne:deck=thesis,reward=result",
        "carcassonne:segments-twice=true,stale-cities=true,unplaceable-stays=true",
        "carcassonne:variant=3s,unplaceable-stays=true",
        "carcassonne:variant=1d,segments-twice=true,stale-cities=true,unplaceable-stays=true",
        "checkers:rules=code",
        "checkers:rules=english",
        "checkers:rules=english,draw-plies=7,plies-max=90,playout-plies=60",
        "checkers:draw-plies=1,playout-plies=30",
        "checkers:blocked=passes",
        "checkers:rules=code,blocked=passes,kings=arrivals",
        "dodgem:size=3",
        "dodgem:size=4",
        "dodgem:size=4,plies-max=9,playout-plies=1",
        "dots-and-boxes:start=S1",
        "dots-and-boxes:rows=1,columns=1",
        "dots-and-boxes:rows=2,columns=7",
        "dots-and-boxes:rows=7,columns=7",
        "fop:function=f3,branching=3",
        "fop:function=f5,width-min=1,branching=16",
        "fop:expression=if(x<=0.5,x,max(x,1-x)),width-min=1e-8",
    ] {
        let spec: GameSpec = text.parse().expect("a spec");
        games::visit(&spec, Contract);
    }
}

#[test]
fn toys_keep_the_contract() {
    Contract.visit(Race::new(12));
    Contract.visit(Race::new(7).alone());
    for moves in [1, 128, 600] {
        Contract.visit(Wide::new(moves, 1));
    }
    for seed in 0..20 {
        Contract.visit(Wild::new(seed, 1));
        Contract.visit(Wild::new(seed, 2));
    }
    const CHANCE: (Turn, u8) = (Turn::Chance, 3);
    const PLIES: &[(Turn, u8)] = &[CHANCE, (Turn::Player(0), 2), (Turn::Player(0), 1), CHANCE, (Turn::Player(1), 4)];
    Contract.visit(TreeGame::new(PLIES, |history| f64::from(history[3]) / 2.0).with_odds(0.7));
}
