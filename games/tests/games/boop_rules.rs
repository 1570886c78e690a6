//! boop. against a slow program that shares no code with it, and what holds in every game.
//!
//! `REDQUEEN_BOOP_GAMES=2000` plays that many games against it under each rule of graduation, instead of a few.

use games::{
    Game as _, Moves as _, Outlook, Rng, Seed, Turn, below,
    boop::{Boop, Graduation, Move, Rules, SearchBorder, SearchWins},
};

use crate::boop_plain::{Move as PlainMove, Plain, Square};

fn rng(index: u64, stream: &str) -> Rng {
    Seed::derive(3, 0, index, stream).rng()
}

fn moves(game: &Boop) -> Vec<Move> {
    let moves = game.moves();
    (0..moves.len()).map(|index| moves.get(index)).collect()
}

fn after(game: &Boop, chosen: Move) -> Boop {
    let mut after = *game;
    after.play(chosen);
    after
}

/// The position without plies.
fn pieces(game: &Boop) -> String {
    let text = game.position_text();
    text.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// A random game, with every position before its end: most moves graduate where they can, so that large pieces come
/// early.
fn walk(mut game: Boop, rng: &mut Rng, mut each: impl FnMut(&Boop)) -> Boop {
    while game.turn() != Turn::Over {
        each(&game);
        let moves = moves(&game);
        let graduating: Vec<Move> = moves.iter().copied().filter(|chosen| chosen.graduates()).collect();
        let from = if graduating.is_empty() || below(rng, 4) == 0 { &moves } else { &graduating };
        game.play(from[below(rng, from.len() as u32) as usize]);
    }
    game
}

/// The position of the slow program.
fn plain(game: &Boop) -> Plain {
    let text = game.position_text();
    let words: Vec<&str> = text.split(' ').collect();
    let mut plain = Plain::new();
    plain.pools = game.pools();
    plain.mover = usize::from(words[1] == "b");
    plain.winner = game.winner();
    for (row, line) in (0..6).rev().zip(words[0].split('/')) {
        for (column, c) in (0..).zip(line.chars()).filter(|&(_, c)| c != '.') {
            plain.board.insert((column, row), (usize::from(c.eq_ignore_ascii_case(&'b')), c.is_uppercase()));
        }
    }
    assert_eq!(plain.text(), pieces(game));
    plain
}

/// Options in the order of the game's moves: lines to the right, upwards, up to the left, up to the right, then single
/// pieces, each by row and column of the lowest square.
fn in_order(mut options: Vec<Vec<Square>>) -> Vec<Vec<Square>> {
    for option in &mut options {
        option.sort_by_key(|&(column, row)| (row, column));
    }
    options.sort_by_key(|option| {
        let axis = match option[..] {
            [(column, row), (next, upper), _] => match (next - column, upper - row) {
                (1, 0) => 0,
                (0, 1) => 1,
                (-1, 1) => 2,
                _ => 3,
            },
            _ => 4,
        };
        (axis, option[0].1, option[0].0)
    });
    options
}

/// Compares everything that a position says with the slow program.
fn compare(game: &Boop, rules: &Rules) {
    let slow = plain(game);
    let text = game.position_text();
    let fast = moves(game);
    let wanted = slow.moves(rules.graduation == Graduation::Heuristic);
    let mut fast_texts: Vec<String> = fast.iter().map(|&chosen| game.move_text(chosen)).collect();
    let mut wanted_texts: Vec<String> = wanted.iter().map(PlainMove::text).collect();
    let by_text: std::collections::BTreeMap<&str, &PlainMove> =
        wanted_texts.iter().map(String::as_str).zip(&wanted).collect();
    let mut outlooks = Vec::new();
    game.outlooks(&mut outlooks);
    assert_eq!(outlooks.len(), fast.len(), "{text}");
    for ((&chosen, name), outlook) in fast.iter().zip(&fast_texts).zip(&outlooks) {
        let mut slow_after = slow.clone();
        slow_after.play(by_text.get(name.as_str()).unwrap_or_else(|| panic!("{text}: {name}")));
        let after = after(game, chosen);
        assert_eq!(pieces(&after), slow_after.text(), "{text}: {name}");
        assert_eq!(after.winner(), slow_after.winner, "{text}: {name}");
        for seat in 0..2 {
            assert_eq!(after.state_score(seat), slow_after.score(seat), "{text}: {name}");
            let value = slow_after.valued(in_order).score(seat).clamp(-400, 400);
            assert_eq!(after.evaluate(seat), f64::from(value), "{text}: {name}");
        }
        let points = (after.turn() == Turn::Over).then(|| after.points()[slow.mover]);
        assert_eq!(*outlook, Outlook { value: after.evaluate(slow.mover), points }, "{text}: {name}");
    }
    fast_texts.sort_unstable();
    wanted_texts.sort_unstable();
    assert_eq!(fast_texts, wanted_texts, "{text}");
    assert_eq!(game.perft(1), fast.len() as u64, "{text}");
    let placements: std::collections::BTreeSet<&str> =
        fast_texts.iter().map(|text| text.split(':').next().expect("a placement")).collect();
    assert_eq!(placements.len(), slow.placements().len(), "{text}");
    check_weights(game, &fast);
}

/// Weights of a placement's moves sum to the pieces of its size in the pool.
fn check_weights(game: &Boop, moves: &[Move]) {
    let Turn::Player(seat) = game.mover() else { unreachable!("players move") };
    let [small, large] = game.pools()[seat];
    let squares = 36 - game.pools().iter().flatten().fold(16, |on_board, pool| on_board - pool);
    let sum: f64 = moves.iter().map(|&chosen| game.weight(chosen)).sum();
    assert!((sum - f64::from(squares * (small + large))).abs() < 1e-9, "{}: {sum}", game.position_text());
}

/// Games against the slow program: few, or as many as the environment asks for.
fn games(few: u64) -> u64 {
    std::env::var("REDQUEEN_BOOP_GAMES").map_or(few, |text| text.parse().expect("a number of games"))
}

#[test]
fn games_agree_with_the_slow_program_at_every_turn() {
    for (graduation, name) in Graduation::ALL.into_iter().zip(Graduation::NAMES) {
        let rules = Rules { graduation, ..Rules::default() };
        let (mut positions, mut wins) = (0, 0);
        for index in 0..games(25) {
            let end = walk(Boop::new(rules), &mut rng(index, name), |game| {
                compare(game, &rules);
                positions += 1;
            });
            wins += u32::from(end.winner().is_some());
        }
        assert!(positions > 500 && wins > 20, "{positions} positions, {wins} wins");
    }
}

/// Boards with pieces anywhere, lines of all kinds among them: 40,000 scores.
#[test]
fn scores_agree_with_the_slow_program_on_any_board() {
    let mut rng = rng(0, "boards");
    for index in 0..20_000 {
        let mut slow = Plain::new();
        slow.mover = index % 2;
        // From few pieces to all; large ones seldom or often.
        let (pieces, large) = (1 + below(&mut rng, 16), 1 + below(&mut rng, 8));
        let mut owned = [0; 2];
        for _ in 0..pieces {
            let seat = below(&mut rng, 2) as usize;
            let square = (below(&mut rng, 6) as i32, below(&mut rng, 6) as i32);
            // A piece beside others more often than chance has it.
            if owned[seat] < 7 && !slow.board.contains_key(&square) {
                slow.board.insert(square, (seat, below(&mut rng, 8) < large));
                owned[seat] += 1;
            }
        }
        for (seat, owned) in owned.into_iter().enumerate() {
            let large = below(&mut rng, 9 - owned);
            slow.pools[seat] = [8 - owned - large, large];
        }
        let game = Boop::default().parse_position(&slow.text()).unwrap_or_else(|error| panic!("{error}"));
        let (found, wanted) = ([0, 1].map(|seat| game.state_score(seat)), [0, 1].map(|seat| slow.score(seat)));
        assert_eq!(found, wanted, "{}", slow.text());
    }
}

/// Each side has eight pieces; graduation is compulsory, wins come only to the mover.
#[test]
fn what_holds_in_every_game() {
    let mut unfinished = 0;
    for index in 0..400 {
        let graduation = Graduation::ALL[index as usize % 2];
        let rules = Rules { graduation, plies_max: 80, ..Rules::default() };
        let mut rng = rng(index, "games");
        let mut recorder = Boop::new(rules).recorder().expect("columns");
        let mut graduations = [0; 2];
        let mut game = Boop::new(rules);
        while game.turn() != Turn::Over {
            assert_eq!(game.points(), [0.5; 2]);
            let (before, large) = (game, game.score_difference());
            let seat = usize::from(game.plies() % 2 == 1);
            assert_eq!(game.mover(), Turn::Player(seat));
            let chosen = game.moves().get(below(&mut rng, game.moves().len() as u32) as usize);
            recorder.observe(&game, chosen);
            graduations[seat] += i64::from(chosen.graduates());
            game.play(chosen);
            let slow = plain(&game);
            for side in 0..2 {
                let on_board = slow.board.values().filter(|piece| piece.0 == side).count() as u32;
                assert_eq!(on_board + slow.pools[side].iter().sum::<u32>(), 8, "{}", game.position_text());
            }
            let gain = (game.score_difference() - large) * if seat == 0 { 1 } else { -1 };
            assert!((0..=3).contains(&gain), "{}", before.position_text());
            assert!(chosen.graduates() || gain == 0);
            match game.winner() {
                Some(winner) => assert_eq!((winner, slow.has_won(seat)), (seat, true)),
                None => assert!(slow.pools[seat] != [0, 0], "the pool is never empty after a turn"),
            }
            assert_eq!(game.plies(), before.plies() + 1);
        }
        let values = recorder.finish(&game);
        let is_unfinished = i64::from(game.winner().is_none());
        unfinished += is_unfinished;
        let wanted = [graduations[0], graduations[1], is_unfinished].map(games::columns::ColumnValue::Int);
        assert_eq!(values, wanted);
        assert_eq!(game.winner().is_none(), game.points() == [0.5; 2]);
    }
    assert!((1..200).contains(&unfinished), "{unfinished}");
}

/// A symmetry of the square on columns and rows.
fn turned(symmetry: u8, (column, row): Square) -> Square {
    let (column, row) = if symmetry & 1 == 1 { (row, column) } else { (column, row) };
    let column = if symmetry & 2 == 2 { 5 - column } else { column };
    (column, if symmetry & 4 == 4 { 5 - row } else { row })
}

#[test]
fn rules_have_the_eight_symmetries_of_the_square() {
    for index in 0..6 {
        let rules = Rules { graduation: Graduation::ALL[index as usize % 2], ..Rules::default() };
        walk(Boop::new(rules), &mut rng(index, "symmetries"), |game| {
            let slow = plain(game);
            let lists = |game: &Boop| {
                let mut boards: Vec<(String, Option<usize>)> = moves(game)
                    .into_iter()
                    .map(|chosen| (pieces(&after(game, chosen)), after(game, chosen).winner()))
                    .collect();
                boards.sort_unstable();
                boards
            };
            let here = moves(game);
            for symmetry in 1..8 {
                let image = |slow: &Plain| {
                    let mut image = slow.clone();
                    image.board =
                        slow.board.iter().map(|(&square, &piece)| (turned(symmetry, square), piece)).collect();
                    image
                };
                let other = Boop::new(rules).parse_position(&image(&slow).text()).expect("a position");
                let mut wanted: Vec<(String, Option<usize>)> = here
                    .iter()
                    .map(|&chosen| {
                        let after = after(game, chosen);
                        (image(&plain(&after)).text(), after.winner())
                    })
                    .collect();
                wanted.sort_unstable();
                assert_eq!(lists(&other), wanted, "{}", game.position_text());
                if game.plies() % 16 == 0 {
                    assert_eq!(
                        other.perft(2),
                        Boop::new(rules).parse_position(&pieces(game)).expect("a position").perft(2)
                    );
                }
            }
        });
    }
}

/// The slow program pushes neighbours one after the other; any order gives the same.
#[test]
fn the_order_of_pushes_does_not_matter() {
    let mut rng = rng(0, "orders");
    for index in 0..60 {
        walk(Boop::default(), &mut Seed::derive(4, 0, index, "orders").rng(), |game| {
            let slow = plain(game);
            let placements = slow.placements();
            let (is_large, square) = placements[below(&mut rng, placements.len() as u32) as usize];
            let mut order: [Square; 8] = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)];
            let mut wanted = slow.clone();
            wanted.place(is_large, square, &order);
            for _ in 0..6 {
                for last in (1..8).rev() {
                    order.swap(last, below(&mut rng, last as u32 + 1) as usize);
                }
                let mut found = slow.clone();
                found.place(is_large, square, &order);
                assert_eq!(found, wanted, "{}", game.position_text());
            }
        });
    }
}

/// A game is cut at its cap, and a win at the last ply counts.
#[test]
fn caps() {
    let rules = Rules { plies_max: 3, ..Rules::default() };
    let mut game = Boop::new(rules);
    for _ in 0..3 {
        assert_eq!(game.turn(), game.mover());
        game.play(game.moves().get(0));
    }
    assert_eq!((game.turn(), game.moves().len(), game.winner(), game.points()), (Turn::Over, 0, None, [0.5; 2]));
    let won =
        Boop::new(rules).parse_position("....../....../....../....../AA..../...... a 5,1 8,0 2").expect("a position");
    let won = after(&won, won.parse_move("l@c2").expect("a move"));
    assert_eq!((won.turn(), won.winner(), won.points()), (Turn::Over, Some(0), [1.0, 0.0]));
}

/// After a push that completes three large pieces of the other side, the game goes on, and a search of the paper's
/// program sees it as lost; where both sides have a line, it takes the first player's.
#[test]
fn searches_may_see_wins_of_either_side() {
    let rules = Rules { search_wins: SearchWins::Both, ..Rules::default() };
    // A small piece on e2 cannot push the large one on e3; a large one can, to e4.
    let text = "....../....../..BB../....B./....../...... a 7,1 5,0";
    let game = Boop::new(rules).parse_position(text).expect("a position");
    let chosen = game.parse_move("l@e2").expect("a move");
    let after_it = after(&game, chosen);
    assert_eq!((after_it.winner(), after_it.turn()), (None, Turn::Player(1)), "the game goes on");
    let searched = game.searched().expect("another position");
    assert_ne!(searched, game);
    assert_eq!(moves(&searched), moves(&game));
    let lost = after(&searched, chosen);
    assert_eq!((lost.winner(), lost.points()), (Some(1), [0.0, 1.0]));
    let mut outlooks = Vec::new();
    searched.outlooks(&mut outlooks);
    let index = moves(&searched).iter().position(|&other| other == chosen).expect("a move");
    assert_eq!(outlooks[index], Outlook { value: lost.evaluate(0), points: Some(0.0) });
    // Both sides have a line after a move of the second player: the first player's counts.
    let text = "....../....../..AA../....A./..BB../...... b 5,0 5,1";
    let game = Boop::new(rules).parse_position(text).expect("a position");
    let chosen = game.parse_move("l@e2").expect("a move");
    assert_eq!(after(&game, chosen).winner(), Some(1));
    assert_eq!(after(&game.searched().expect("another position"), chosen).winner(), Some(0));
}

/// What searches look at in games of the option, against a walk of all positions.
#[test]
fn outlooks_of_searches_are_what_playing_gives() {
    for index in 0..30 {
        let graduation = Graduation::ALL[index as usize % 2];
        let rules = Rules { graduation, search_wins: SearchWins::Both, ..Rules::default() };
        let mut outlooks = Vec::new();
        walk(Boop::new(rules), &mut rng(index, "searches"), |game| {
            let searched = game.searched().expect("another position");
            searched.outlooks(&mut outlooks);
            let Turn::Player(seat) = game.mover() else { unreachable!("players move") };
            assert_eq!(outlooks.len(), moves(&searched).len());
            for (&chosen, outlook) in moves(&searched).iter().zip(&outlooks) {
                let after = after(&searched, chosen);
                let points = (after.turn() == Turn::Over).then(|| after.points()[seat]);
                assert_eq!(*outlook, Outlook { value: after.evaluate(seat), points }, "{}", game.position_text());
            }
        });
    }
}

#[test]
fn the_border_is_masked_up_to_ply_6() {
    let rules = Rules { search_border: SearchBorder::Masked, ..Rules::default() };
    let mut game = Boop::new(rules);
    for square in ["c3", "b5", "e2", "d6", "a1", "f4", "c1"] {
        let searched = game.searched().expect("another position");
        let all = moves(&game);
        let on_border = |text: &str| text[2..].contains(['a', 'f', '1', '6']);
        for &chosen in &all {
            let wanted = game.plies() < 6 && on_border(&game.move_text(chosen));
            assert_eq!(searched.is_masked(chosen), wanted, "ply {}", game.plies());
            assert!(!game.is_masked(chosen), "the game itself masks nothing");
        }
        let spared = if game.plies() < 6 { 6 } else { 0 };
        assert_eq!([game.width(all.len()), searched.width(all.len())], [all.len(), all.len() - spared]);
        game.play(game.parse_move(&format!("s@{square}")).expect("a move"));
    }
    assert_eq!(Boop::default().searched(), None);
    let two_sizes = Boop::default().parse_position("....../....../....../....../....../...... a 7,1 8,0").expect("one");
    assert_eq!((two_sizes.moves().len(), two_sizes.width(72)), (72, 36));
}

/// First moves of playouts come as often as their weights say: chi-square over all of them.
#[test]
fn playouts_draw_by_weight() {
    for graduation in Graduation::ALL {
        let rules = Rules { graduation, playout_plies: 1, ..Rules::default() };
        for text in [
            "a.a..a/....../a....a/....../....../aa.... a 1,0 8,0",
            "....../.b.aa./..A.../.b..../....../...... b 4,1 5,1",
        ] {
            let game = Boop::new(rules).parse_position(text).expect("a position");
            let mut expected = std::collections::BTreeMap::new();
            for chosen in moves(&game) {
                *expected.entry(after(&game, chosen).position_text()).or_insert(0.0) += game.weight(chosen);
            }
            let sum: f64 = expected.values().sum();
            let mut counts = std::collections::BTreeMap::new();
            let (mut rng, draws) = (rng(0, text), 60_000);
            for _ in 0..draws {
                let mut end = game;
                end.playout(&mut rng);
                *counts.entry(end.position_text()).or_insert(0.0) += 1.0;
            }
            let chi_square: f64 = expected
                .iter()
                .map(|(text, weight)| {
                    let expected = f64::from(draws) * weight / sum;
                    let difference = counts.get(text).copied().unwrap_or(0.0) - expected;
                    difference * difference / expected
                })
                .sum();
            assert!(counts.keys().all(|text| expected.contains_key(text)));
            // The mean plus six deviations.
            let freedom = expected.len() as f64 - 1.0;
            assert!(
                chi_square < freedom + 6.0 * (2.0 * freedom).sqrt(),
                "{chi_square} with {freedom} degrees of freedom"
            );
        }
    }
}

/// A playout of the game's own ends as playing its moves does.
#[test]
fn playouts_end_by_the_rules() {
    let mut wins = [0; 2];
    for index in 0..400 {
        let graduation = Graduation::ALL[index as usize % 2];
        let search_wins = SearchWins::ALL[index as usize / 2 % 2];
        let rules = Rules { graduation, search_wins, ..Rules::default() };
        let start = Boop::new(rules);
        let mut end = start.searched().unwrap_or(start);
        let points = end.playout(&mut rng(index, "playouts"));
        assert_eq!(points, end.points());
        let winner = end.winner().expect("three hundred plies are enough");
        wins[winner] += 1;
        let slow = plain(&end);
        let last = usize::from(end.plies().is_multiple_of(2));
        assert!(slow.has_won(winner));
        assert!(winner == last || search_wins == SearchWins::Both);
        assert_eq!(points[winner], 1.0);
    }
    assert!(wins.iter().all(|&wins| wins > 120), "{wins:?}");
}

/// Sides are asked for their moves in turn, as minimax with one side does.
#[test]
fn either_side_can_be_asked() {
    let ask = |game: &Boop| {
        [0, 1].map(|seat| {
            let asked = game.with_mover(seat).expect("either can be asked");
            assert_eq!((asked.mover(), asked.plies()), (Turn::Player(seat), seat as u32));
            assert_eq!(asked.turn() == Turn::Over, asked.moves().is_empty());
            asked.winner()
        })
    };
    let end = walk(Boop::default(), &mut rng(0, "movers"), |game| {
        ask(game);
    });
    // Asked for the loser, the position says who has won; for the winner it may still have moves.
    let winner = end.winner().expect("a winner");
    assert_eq!(ask(&end)[1 - winner], Some(winner));
    // Who has won by eight large pieces has nothing to place.
    let eight =
        Boop::default().parse_position("A.A..A/....../A....A/....../....../A.A..A b 0,0 8,0").expect("a position");
    assert_eq!(ask(&eight), [Some(0); 2]);
}
