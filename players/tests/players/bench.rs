//! Rates: every game can be measured, whatever it has.

use std::cell::Cell;

use games::GameSpec;
use players::bench::measure;

#[test]
fn every_game_has_rates() {
    for entry in games::all() {
        let game: GameSpec = entry.name.parse().expect("every game has defaults");
        // A clock that goes on by a second a look: a cell's work is done once a repetition.
        let looks = Cell::new(0.0);
        let clock = || {
            looks.set(looks.get() + 1.0);
            looks.get()
        };
        let rates = measure(&game, &clock, 1, 0.5);
        let whats: Vec<&str> = rates.iter().map(|rate| rate.what.as_str()).collect();
        let common = [
            "random playouts from the start",
            "mcts from the start, 1,000 a search",
            "mcts over a game, 100 a move",
            "mcts from the start, 5,000 a search",
            "siea-mcts from the start, 5,000 a search",
        ];
        assert_eq!(whats[..5], common, "{}", entry.name);
        assert_eq!([rates[0].median, rates[1].median], [256.0, 1_000.0], "{}", entry.name);
        // A hundred for each decision of a whole game.
        assert!(rates[2].median >= 100.0 && rates[2].median % 100.0 == 0.0, "{}", entry.name);
        let features = players::evomcts::language(&game).is_some();
        assert_eq!(
            whats.len(),
            if features { 6 } else { 5 },
            "{}: evolved players where there are features",
            entry.name
        );
    }
}
