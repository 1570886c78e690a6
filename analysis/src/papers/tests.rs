use super::*;

#[test]
fn every_table_can_be_read() {
    let by_row = |paper: &&Paper| paper.is_of_games() && !paper.is_of_claims() && !paper.rows().is_empty();
    assert_eq!(ALL.iter().filter(by_row).count(), 8);
    for paper in ALL.iter().filter(by_row) {
        let rows = paper.rows();
        let texts = |row: &PaperRow| [row.player.clone(), row.opponent.clone()].into_iter().chain(row.specs.clone());
        assert!(rows.iter().flat_map(texts).all(|text| !text.contains('{')), "{}", paper.key);
        assert!(rows.iter().flat_map(|row| &row.shares).all(|share| (0.15..=1.0).contains(share)), "{}", paper.key);
        assert!(paper.title().contains("Table "), "{}", paper.title());
    }
}

/// Section 4.3 of the Checkers report: 6 wins of 320; its database: 313 draws. Claims that are
/// not counts have a band or are shown alone.
#[test]
fn every_claim_can_be_read() {
    let paper = Paper::find("checkers/benchmark").expect("there");
    let claims = paper.claims();
    assert!(paper.rows().is_empty() && paper.is_of_games() && claims.len() == 14);
    let find = |quantity| claims.iter().find(|claim| claim.quantity == quantity).expect("a claim");
    assert_eq!((find(Quantity::Wins).value, find(Quantity::Wins).games), (6.0, Some(320)));
    assert_eq!(find(Quantity::Draws).value, 313.0);
    assert_eq!(find(Quantity::Ratio).band, Some([3.0, f64::INFINITY]));
    for claim in &claims {
        assert_eq!(claim.quantity == Quantity::Exponent, claim.parameter.is_some(), "{}", claim.says);
        assert!(claim.games.is_none() || claim.band.is_none(), "{}", claim.says);
        assert!(claim.band.is_none_or(|[low, high]| low <= claim.value && claim.value <= high), "{}", claim.says);
    }
}

#[test]
fn sizes_of_formulas_are_within_the_bands_that_stand_for_them() {
    let paper = Paper::find("siea-mcts/formula-size-by-turn").expect("there");
    let claims = paper.claims();
    assert_eq!((claims.len(), paper.is_of_games()), (8, true));
    for claim in &claims {
        assert!(claim.player.is_some() && claim.figure.as_deref() == Some("formula_nodes"), "{}", claim.says);
        let [low, high] = claim.band.expect("a band");
        assert!(low <= claim.value && claim.value <= high, "{}", claim.says);
    }
}

/// Thesis, tables 5.4 to 5.8: seven agents and five printed figures each; table 5.11: nine problems, two agents, four
/// figures; section 5.5.6: all pairs of seven by leaf depth on five functions, and twenty by result.
#[test]
fn every_table_of_a_study_can_be_read() {
    let fop = Paper::find("siea-mcts/fop").expect("there");
    let sizes: Vec<(usize, usize)> =
        fop.tables().iter().map(|paper| (paper.figures().len(), paper.contrasts().len())).collect();
    assert_eq!(sizes, [(35, 0), (35, 0), (35, 0), (35, 0), (35, 0), (72, 0), (0, 125)]);
    assert!(fop.rows().is_empty() && fop.figures().is_empty() && !fop.title().is_empty());
    let metrics = fop.tables().into_iter().flat_map(Paper::figures).map(|figure| figure.metric);
    assert!(metrics.into_iter().all(|metric| record::study::Metric::find(&metric).is_some()));
}

#[test]
fn figures_are_the_papers() {
    let f2 = Paper::find("siea-mcts/table-5-5").expect("there").figures();
    let wanted = Figure {
        problem: "f2".to_owned(),
        problem_spec: "fop:function=f2".to_owned(),
        agent: "mcts-c05".to_owned(),
        agent_spec: "mcts:playouts=5000,factor=1,c=0.5".to_owned(),
        metric: "terminals".to_owned(),
        printed: Printed { mean: 621.06, spread: Spread::Runs(383.92, 0.005), n: 100, rounding: 0.005 },
    };
    assert_eq!(f2[1], wanted);
    let sqrt2 = f2.iter().find(|figure| figure.agent == "mcts-csqrt2").expect("there");
    assert!(sqrt2.agent_spec.ends_with("c=1.4142135623730951"), "{}", sqrt2.agent_spec);
    let result = &f2[4];
    assert_eq!((result.metric.as_str(), result.printed.mean, result.printed.rounding), ("by-reward", 0.936, 0.0005));
    let formulas = Paper::find("siea-mcts/table-5-11").expect("there").figures();
    let found = |i: usize| {
        let Figure { agent, metric, printed, .. } = &formulas[i];
        (agent.as_str(), metric.as_str(), printed.mean, printed.n)
    };
    assert_eq!(found(0), ("ea-mcts", "uses-visits", 0.49, 100));
    assert_eq!(found(7), ("siea-mcts", "formula-nodes", 11.92, 100));
    assert_eq!(formulas[7].printed.spread, Spread::Runs(5.5, 0.05));
    assert_eq!(
        (found(71), formulas[71].printed.spread),
        (("siea-mcts", "formula-nodes", 13.26, 690), Spread::Runs(7.89, 0.005))
    );
    let last = &formulas[71];
    assert_eq!([&last.problem_spec, &last.agent_spec], ["carcassonne:variant=3s", "siea-mcts:playouts=10000"]);
    let pairs = Paper::find("siea-mcts/fop-significance").expect("there").contrasts();
    let third = pairs.iter().find(|pair| pair.p.is_some()).expect("there");
    assert_eq!((third.agents[0].as_str(), third.agents[1].as_str(), third.p), ("mcts-c1", "mcts-csqrt2", Some(0.283)));
    assert!(!third.different && third.problem == "f5");
}

/// Thesis, section 5.7: ten agents on four problems with three figures each (table 5.10); a share for each row, those
/// of a range for each of its agents and variants.
#[test]
fn figures_of_agents_are_where_the_file_says() {
    let solo = Paper::find("siea-mcts/single-player").expect("there");
    let sizes: Vec<usize> = solo.tables().iter().map(|paper| paper.figures().len()).collect();
    assert_eq!(sizes, [120, 72, 0, 6 + 4 + 10 + 10, 4 * 5]);
    let pairs = solo.tables()[2].contrasts();
    assert_eq!((pairs.len(), pairs[3].problem_spec.as_str()), (4, "carcassonne:variant=3s"));
    assert_eq!(pairs[3].agent_specs, ["ea-mcts:playouts=10000", "siea-mcts:playouts=10000"]);
    assert!(!solo.is_of_games() && solo.tables()[0].contradictions().len() == 6);
    let figures = Paper::find("siea-mcts/table-5-10").expect("there").figures();
    let wanted = |metric: &str, mean, spread, rounding| Figure {
        problem: "1d".to_owned(),
        problem_spec: "carcassonne:variant=1d".to_owned(),
        agent: "mcts-csqrt2".to_owned(),
        agent_spec: "mcts:playouts=10000,factor=1,c=1.4142135623730951".to_owned(),
        metric: metric.to_owned(),
        printed: Printed { mean, spread, n: 30, rounding },
    };
    assert_eq!(figures[3], wanted("score", 31.7, Spread::Runs(7.21, 0.005), 0.005));
    assert_eq!(figures[4], wanted("final-score/meeples-played", 11.19, Spread::Unknown, 0.005));
    assert_eq!(figures[5], wanted("meeple-availability", 0.128, Spread::Unknown, 0.0005));
    let shares = Paper::find("siea-mcts/score-shares").expect("there").figures();
    let last = shares.last().expect("a figure");
    assert_eq!(
        (last.problem.as_str(), last.agent.as_str(), last.metric.as_str()),
        ("3s", "siea-mcts", "field-points/final-score")
    );
    let Spread::Range(low, high) = last.printed.spread else { panic!("{last:?}") };
    assert!((low - 0.1659).abs() < 1e-15 && (high - 0.2024).abs() < 1e-15 && last.printed.rounding == 0.00005);
}

/// Thesis, chapter 6: 20 and 42 ordered pairs with wins, draws, losses and a difference; ten rows of three figures; two
/// rewards in two seats.
#[test]
fn figures_by_seat_are_where_the_file_says() {
    let figures = |key: &str| Paper::find(key).expect("there").seat_figures();
    let sizes =
        ["table-6-4", "table-6-8", "table-6-3", "table-6-2"].map(|key| figures(&format!("siea-mcts/{key}")).len());
    assert_eq!(sizes, [80, 168, 30, 12]);
    let found = figures("siea-mcts/table-6-4");
    let wanted = |metric: &str, mean, spread, rounding| SeatFigure {
        player: "mcts-c1".to_owned(),
        opponent: "mcts-c05".to_owned(),
        specs: ["mcts:playouts=5000,factor=1,c=1".to_owned(), "mcts:playouts=5000,factor=1,c=0.5".to_owned()],
        seat: 0,
        metric: metric.to_owned(),
        printed: Printed { mean, spread, n: 10, rounding },
    };
    assert_eq!(found[17], wanted("draws", 0.1, Spread::Share, 0.0));
    assert_eq!(found[19], wanted("margin", 2.2, Spread::Runs(18.0, 0.05), 0.05));
    let random = figures("siea-mcts/table-6-3");
    let last = &random[29];
    assert_eq!(
        (last.seat, last.metric.as_str(), last.printed.mean, last.opponent.as_str()),
        (1, "meeples-played", 12.45, "random")
    );
    let rewards = figures("siea-mcts/table-6-2");
    let last = &rewards[9];
    assert_eq!((last.player.as_str(), last.seat, last.metric.as_str(), last.printed.mean), ("r2", 1, "wins", 0.96));
    let tournament = Paper::find("siea-mcts/tournament").expect("there");
    assert!(tournament.is_of_games() && tournament.has_league() && !tournament.tables()[0].has_league());
    let league = Paper::find("siea-mcts/table-6-6").expect("there").league_figures();
    assert_eq!(league.len(), 5 * 8);
    let found =
        |i: usize| (league[i].player.as_str(), league[i].metric.as_str(), league[i].printed.mean, league[i].printed.n);
    assert_eq!(
        [found(0), found(1)],
        [("mcts-c05", "league-points", 38.0, 10), ("mcts-c05", "league-points", 36.0, 10)]
    );
    assert_eq!(league[1].remark.as_deref(), Some("by the rule"));
}

#[track_caller]
fn check(key: &str, row: usize, players: [&str; 2], specs: [&str; 2], shares: &[f64], games: u64) {
    let found = &Paper::find(key).expect("there").rows()[row];
    let [player, opponent] = players.map(str::to_owned);
    let specs = specs.map(str::to_owned);
    assert_eq!(*found, PaperRow { player, opponent, specs, shares: shares.to_vec(), games });
}

#[test]
fn rows_are_the_papers() {
    let plain = ["mcts:playouts=2000", "mcts:playouts=1000"];
    check("evomcts/table-5", 5, ["mcts-2000", "mcts-1000"], plain, &[0.6279], 10_000);
    let evolved = ["evomcts:playouts=400", "mcts:playouts=800"];
    check("evomcts/table-8", 5, ["evomcts-400", "mcts-800"], evolved, &[0.647], 1_000);
    let runs = [0.731, 0.822, 0.745, 0.821, 0.634, 0.773];
    let champion = ["evomcts:playouts=100", "mcts:playouts=200"];
    check("evomcts/table-11", 1, ["evomcts-100", "mcts-200"], champion, &runs, 1_000);
}

#[test]
fn runs_have_a_mean_and_a_range() {
    let row = &Paper::find("evomcts/table-6").expect("there").rows()[0];
    // 759 + 701.5 + 717 + 730 + 727 + 719 = 4353.5
    assert!((row.share() - 4.3535 / 6.0).abs() < 1e-15);
    assert_eq!(row.range(), (0.7015, 0.759));
}
