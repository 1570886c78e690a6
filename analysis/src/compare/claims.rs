//! A whole grid beside what a paper says of it.

use super::NOT_HERE;
use crate::{
    Cell, Table,
    kinds::grid::{
        Cost, Grid,
        axes::Axes,
        tables::{levels::exponents, times::PHASES},
        turns::Turns,
    },
    kinds::workers::Work,
    papers::{Claim, Paper, Quantity},
    statistics::{CONFIDENCE, fisher, interval, moments::Moments, tails},
};

pub(super) const AGREES: &str = "agrees";
pub(super) const DIFFERS: &str = "differs";
/// The verdict of what depends on machines.
const SHOWN: &str = "shown";

/// Row by row.
pub(super) fn beside(name: String, paper: &Paper, grid: &Grid) -> Table {
    let mut table = Table::new(
        name,
        format!("{}: ours beside the paper's", paper.title()),
        &[
            ("says", "the paper says"),
            ("place", "where"),
            ("paper", "paper"),
            ("paper_games", "of games"),
            ("ours", "ours"),
            ("games", "of games"),
            ("ours_95", "95 %"),
            ("p", "p"),
            ("verdict", "verdict"),
        ],
    )
    .of_kind("compare-claims");
    let facts = Facts::of(grid);
    let claims = paper.claims();
    for claim in &claims {
        table.push(facts.cells(claim));
    }
    if claims.iter().all(|claim| claim.figure.is_some()) {
        table.notes.push(format!(
            "Quartiles and medians of a turn are of its decisions in all games of the player, of turns with at least \
             {DECISIONS_MIN} of them. A figure agrees if it lies in a band that stands for the words: within 2 of the least lower \
             quartile, 3 of the greatest upper one, and from there to a quarter less on the last turn."
        ));
        return table;
    }
    table.notes.push(format!(
        "Counts agree if Fisher's exact test of the two shares (two-sided) gives {ALPHA:.2} or more, plies if the difference is within \
         {:.2} standard errors, of which the paper's is taken from our spread; their intervals are Wilson's and Student's. Everything \
         else agrees if our interval, or our figure where there is none, meets a band that stands for the words: exponents within \
         0.1 of 1 or 0.05 of 0 (fits over settings, table `influence`), a fall of half to twice the printed factor, a flat course \
         within a factor of two. Times are of the workers, and shown where they say more of the machine than of the method.",
        tails::normal_quantile(0.5 + 0.5 * CONFIDENCE)
    ));
    table
}

/// Above it counts agree.
const ALPHA: f64 = 1.0 - CONFIDENCE;

/// What claims are compared with.
struct Facts<'a> {
    grid: &'a Grid,
    axes: Option<Axes>,
    /// Decisions of the settings at the largest value of the parameter that time depends on most, and of their opponents.
    largest: [Turns; 2],
}

/// A figure of ours.
#[derive(Clone, Copy)]
struct Ours {
    value: f64,
    interval: Option<(f64, f64)>,
    digits: usize,
}

impl Ours {
    fn bare(value: f64, digits: usize) -> Option<Self> {
        value.is_finite().then_some(Ours { value, interval: None, digits })
    }
}

impl<'a> Facts<'a> {
    fn of(grid: &'a Grid) -> Self {
        let axes = Axes::of(grid);
        let pairs: Vec<_> = match axes.as_ref().and_then(|axes| Some((axes, axes.slowest(grid)?))) {
            Some((axes, along)) => {
                let last = axes.all[along].levels.len() - 1;
                (0..axes.opponents.len()).flat_map(|opponent| axes.at(grid, opponent, along, last)).collect()
            }
            None => grid.pairs.iter().collect(),
        };
        let largest = [0, 1].map(|side| Turns::sum(pairs.iter().map(|pair| &pair.turns[side])));
        Facts { grid, axes, largest }
    }

    fn cells(&self, claim: &Claim) -> Vec<Cell> {
        let digits = if claim.value.fract() == 0.0 { 0 } else { 2 };
        let paper = [Cell::real(claim.value, digits), Cell::of(claim.games, Cell::Count)];
        let ours = match claim.quantity {
            Quantity::Wins | Quantity::Draws | Quantity::Losses => self.count(claim),
            Quantity::Plies => self.plies(claim),
            _ => self.measured(claim),
        };
        let head = [Cell::text(&claim.says), Cell::text(&claim.place)];
        let missing = || [Cell::Missing, Cell::Missing, Cell::Missing, Cell::Missing, Cell::text(NOT_HERE)];
        head.into_iter().chain(paper).chain(ours.unwrap_or_else(missing)).collect()
    }

    /// Games with an outcome.
    fn count(&self, claim: &Claim) -> Option<[Cell; 5]> {
        let sum = |of: fn(&crate::kinds::grid::PairGames) -> u64| self.grid.pairs.iter().map(of).sum::<u64>();
        let (games, wins, draws) = (sum(|pair| pair.games), sum(|pair| pair.wins), sum(|pair| pair.draws));
        let count = match claim.quantity {
            Quantity::Wins => wins,
            Quantity::Draws => draws,
            _ => games - wins - draws,
        };
        let printed = claim.value as u64;
        let p = fisher::test([count, printed], [games, claim.games?]).ok()?;
        let interval = interval::wilson(count as f64, games, CONFIDENCE)
            .map(|(low, high)| (low * games as f64, high * games as f64));
        Some([
            Cell::Count(count),
            Cell::Count(games),
            Cell::interval(interval, 1),
            Cell::probability(p),
            Cell::text(if p >= ALPHA { AGREES } else { DIFFERS }),
        ])
    }

    fn plies(&self, claim: &Claim) -> Option<[Cell; 5]> {
        let ours = self.grid.plies();
        let spread = ours.deviation().filter(|deviation| *deviation > 0.0)?;
        let error = spread * (1.0 / ours.n as f64 + 1.0 / claim.games? as f64).sqrt();
        let mean = ours.mean()?;
        let p = 2.0 * tails::normal(((mean - claim.value) / error).abs());
        Some([
            Cell::real(mean, 1),
            Cell::Count(ours.n),
            Cell::interval(interval::of_mean(&ours, CONFIDENCE), 1),
            Cell::probability(p),
            Cell::text(if p >= ALPHA { AGREES } else { DIFFERS }),
        ])
    }

    /// What is held against a band, or shown.
    fn measured(&self, claim: &Claim) -> Option<[Cell; 5]> {
        let ours = self.find(claim)?;
        let (low, high) = ours.interval.unwrap_or((ours.value, ours.value));
        let verdict = match claim.band {
            Some([from, to]) if low <= to && high >= from => AGREES,
            Some(_) => DIFFERS,
            None => SHOWN,
        };
        let interval = Cell::interval(ours.interval, ours.digits);
        Some([Cell::real(ours.value, ours.digits), Cell::Missing, interval, Cell::Missing, Cell::text(verdict)])
    }

    /// Quartiles of a player's figure, turn by turn; `None` where the run has none.
    fn turns(&self, claim: &Claim) -> Option<Vec<[f64; 3]>> {
        let turns = self.grid.turn_figures.quartiles(claim.player.as_ref()?, claim.figure.as_ref()?);
        let turns: Vec<_> =
            turns.filter(|(decisions, _)| *decisions >= DECISIONS_MIN).map(|(_, quartiles)| quartiles).collect();
        (!turns.is_empty()).then_some(turns)
    }

    fn find(&self, claim: &Claim) -> Option<Ours> {
        let pairs = &self.grid.pairs;
        let [settings, opponents] = &self.largest;
        match claim.quantity {
            Quantity::Exponent => {
                let axes = self.axes.as_ref().filter(|axes| axes.opponents.len() == 1)?;
                let along = axes.all.iter().position(|axis| Some(&axis.name) == claim.parameter.as_ref())?;
                let slope = exponents(self.grid, axes, 0).ok()?[along];
                Some(Ours { value: slope.slope, interval: Some(slope.ci95), digits: 3 })
            }
            Quantity::Fall => fall(settings),
            Quantity::OpponentFall => fall(opponents),
            Quantity::FallBy25 => {
                let [first, _, third, last] = phases(settings);
                Ours::bare(first.difference(&third) / first.difference(&last), 2).filter(|_| last.n > 0)
            }
            Quantity::Ratio => {
                let mean = opponents.moments().mean()?;
                Ours::bare(settings.quantile(0.5)? / mean, 1)
            }
            Quantity::MsPerIteration => {
                let cost = Cost::sum(pairs.iter().map(|pair| &pair.cost[0]));
                Ours::bare(cost.us as f64 / cost.iterations as f64 / 1_000.0, 5)
            }
            Quantity::OpponentMs => {
                let cost = Cost::sum(pairs.iter().map(|pair| &pair.cost[1]));
                Ours::bare(cost.us as f64 / cost.decisions as f64 / 1_000.0, 4)
            }
            Quantity::LowerQuartile => {
                Ours::bare(self.turns(claim)?.iter().map(|turn| turn[0]).fold(f64::INFINITY, f64::min), 1)
            }
            Quantity::UpperQuartile => {
                Ours::bare(self.turns(claim)?.iter().map(|turn| turn[2]).fold(f64::NEG_INFINITY, f64::max), 1)
            }
            Quantity::LastMedian => Ours::bare(self.turns(claim)?.last()?[1], 1),
            Quantity::Turns => Ours::bare(self.turns(claim)?.len() as f64, 0),
            Quantity::Hours => Ours::bare(Work::sum(self.grid.workers.values()).hours(), 3),
            Quantity::Wins | Quantity::Draws | Quantity::Losses | Quantity::Plies => None,
        }
    }
}

/// A turn with fewer decisions has no quartiles to speak of.
const DECISIONS_MIN: u64 = 10;

fn phases(turns: &Turns) -> [Moments; 4] {
    PHASES.map(|(from, to, _)| turns.between(from, to))
}

/// First phase over last, with the interval that the logarithms' errors give.
fn fall(turns: &Turns) -> Option<Ours> {
    let [first, .., last] = phases(turns);
    let value = first.mean()? / last.mean()?;
    let relative = |moments: &Moments| Some(moments.error()? / moments.mean()?);
    let z = tails::normal_quantile(0.5 + 0.5 * CONFIDENCE);
    let half = z * relative(&first)?.hypot(relative(&last)?);
    value.is_finite().then(|| Ours { value, interval: Some((value * (-half).exp(), value * half.exp())), digits: 2 })
}
