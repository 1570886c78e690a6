//! Rates of a game's playouts and of plain search in it, for `redqueen bench` and for forecasts.

use games::{Game, GameSpec, Moves as _, Seed, Visitor};

use crate::{
    Player as _,
    mcts::{Budget, FinalMove, Options, Search, Ucb1, Uct, UniformPlayout},
};

/// One measured rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// What was done.
    pub what: String,
    /// Unit of work.
    pub unit: &'static str,
    /// Units a second of the clock that was given: median over the repetitions.
    pub median: f64,
    /// Slowest.
    pub min: f64,
    /// Fastest.
    pub max: f64,
}

/// Measures a game. `clock` gives seconds, best of CPU time; each cell runs `repetitions` times, in turn with the
/// others, for about `seconds` each.
pub fn measure(game: &GameSpec, clock: &dyn Fn() -> f64, repetitions: usize, seconds: f64) -> Vec<Rate> {
    games::visit(game, Bench { clock, repetitions: repetitions.max(1), seconds })
}

struct Bench<'a> {
    clock: &'a dyn Fn() -> f64,
    repetitions: usize,
    seconds: f64,
}

type Work<'a> = Box<dyn FnMut() -> u64 + 'a>;

impl Visitor for Bench<'_> {
    type Output = Vec<Rate>;

    fn visit<G: Game>(self, start: G) -> Vec<Rate> {
        let seed = |purpose| Seed::derive(0, 0, 0, purpose);
        let mut rng = seed("playouts").rng();
        let from = start.clone();
        let playouts: Work<'_> = Box::new(move || {
            for _ in 0..256 {
                std::hint::black_box(from.clone().playout(&mut rng));
            }
            256
        });
        let mut cells: Vec<(String, &'static str, Work<'_>)> =
            vec![("random playouts from the start".to_owned(), "playouts", playouts)];
        let mut player = uct::<G>(1_000);
        player.start(&seed("search"));
        let from = start.clone();
        let search: Work<'_> = Box::new(move || {
            player.observe(&from, from.moves().get(0));
            player.decide(&from).iterations
        });
        cells.push(("mcts from the start, 1,000 a search".to_owned(), "playouts", search));
        let mut player = uct::<G>(100);
        player.start(&seed("game"));
        let whole: Work<'_> = Box::new(move || {
            let (mut position, mut done) = (start.clone(), 0);
            while position.turn() != games::Turn::Over {
                let decision = player.decide(&position);
                done += decision.iterations;
                player.observe(&position, decision.chosen);
                position.play(decision.chosen);
            }
            done
        });
        cells.push(("mcts over a game, 100 a move".to_owned(), "playouts", whole));
        self.run(cells)
    }
}

impl Bench<'_> {
    fn run(&self, mut cells: Vec<(String, &'static str, Work<'_>)>) -> Vec<Rate> {
        let mut rates: Vec<Vec<f64>> = vec![Vec::new(); cells.len()];
        for repetition in 0..=self.repetitions {
            for ((_, _, work), rates) in cells.iter_mut().zip(&mut rates) {
                let (start, mut units) = ((self.clock)(), 0);
                let mut spent = 0.0;
                while spent < self.seconds {
                    units += work();
                    spent = (self.clock)() - start;
                }
                // The first pass warms up.
                if repetition > 0 {
                    rates.push(units as f64 / spent);
                }
            }
        }
        let rate = |((what, unit, _), mut rates): ((String, &'static str, Work<'_>), Vec<f64>)| {
            rates.sort_by(f64::total_cmp);
            Rate { what, unit, median: rates[rates.len() / 2], min: rates[0], max: rates[rates.len() - 1] }
        };
        cells.into_iter().zip(rates).map(rate).collect()
    }
}

/// A plain search without a kept tree.
fn uct<G: Game>(playouts: u64) -> Uct<G, Ucb1, UniformPlayout> {
    let options = Options {
        budget: Budget::Playouts(playouts),
        final_move: FinalMove::HighestMean,
        keep_tree: false,
        search_forced: true,
    };
    Uct::new(Search::new(Ucb1::new(0.7, 1.0, f64::INFINITY), UniformPlayout, 4_000_000), options)
}
