//! What a search must do by the log of its iterations: an account of selection, nature's nodes and backup that shares
//! nothing with the tree.

use games::{Game as _, Moves as _, Rng, Seat, Seed, Turn, below, toys::Wild};

use super::{Evaluator, Leaf, Search, Selection, TreeLimit};

/// What was valued, and the rewards by seat.
type Iteration = (Vec<u8>, [f64; 2]);

/// Random playouts that are written down.
pub(crate) struct Logged {
    log: Vec<Iteration>,
    /// Moves before the root, which histories leave out.
    before: usize,
}

impl Logged {
    fn add(&mut self, position: &Wild, rewards: [f64; 2]) -> [f64; 2] {
        self.log.push((history(position).split_off(self.before), rewards));
        rewards
    }
}

impl Evaluator<Wild> for Logged {
    type Prior = ();

    fn evaluate(&mut self, leaf: &mut Leaf<Wild, ()>, rng: &mut Rng) {
        let rewards = leaf.position.clone().playout(rng);
        leaf.points = self.add(&leaf.position, rewards);
    }

    fn end(&mut self, position: &Wild, _: &mut Rng) -> [f64; 2] {
        self.add(position, position.reward())
    }
}

/// The moves that led to a position.
fn history(position: &Wild) -> Vec<u8> {
    position.position_text().split('.').filter_map(|word| word.parse().ok()).collect()
}

/// A position early in a game for two where the second seat has a choice.
fn second_s(seed: u64, rng: &mut Rng) -> Wild {
    loop {
        let mut position = Wild::new(seed ^ u64::from(below(rng, 1 << 20)), 2);
        for _ in 0..3 {
            let moves = position.moves();
            if position.mover() == Turn::Player(1) && moves.len() > 1 {
                return position;
            }
            if let Turn::Player(_) | Turn::Chance = position.turn() {
                position.play(moves.get(below(rng, moves.len() as u32) as usize));
            }
        }
    }
}

/// A child as a formula for selection sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    /// Whether the player who searches chooses.
    pub(crate) own: bool,
    /// Mean reward of the player who searches.
    pub(crate) q: f64,
    /// Visits of the child, and of its parent.
    pub(crate) n: f64,
    pub(crate) parents: f64,
}

/// Lets `selection` search a hundred games drawn from seeds, half of them for two, and checks every iteration and every
/// statistic of the tree; the child with the highest `score` is to be chosen.
pub(crate) fn audit<S: Selection<Prior = ()>>(selection: impl Fn() -> S, score: impl Fn(Child) -> f64) {
    let (mut nature, mut choices, mut opponent) = (0, 0, 0);
    for seed in 0..100 {
        let mut rng = Seed::derive(2, 0, seed, "audited").rng();
        // The second seat searches in every fourth.
        let start = if seed % 4 == 1 { second_s(seed, &mut rng) } else { Wild::new(seed, 1 + (seed % 2) as u8) };
        let logged = Logged { log: Vec::new(), before: history(&start).len() };
        let mut search = Search::new(selection(), logged, TreeLimit::NONE);
        search.root(&start);
        for iteration in 0..150 {
            search.iterate(&mut rng);
            let log = &search.evaluator.log;
            assert_eq!(log.len(), iteration + 1, "an iteration values one leaf");
            let account = Account { start: &start, seat: search.seat(), log: &log[..iteration] };
            let walked = account.iteration(&log[iteration].0, &score);
            choices += walked[0];
            opponent += walked[1];
        }
        let account = Account { start: &start, seat: search.seat(), log: &search.evaluator.log };
        nature += account.tree(&search);
    }
    assert!(nature > 1_000 && choices > 5_000 && opponent > 1_000, "{nature}, {choices}, {opponent}");
}

/// The iterations of a search so far.
struct Account<'a> {
    start: &'a Wild,
    /// Who searches.
    seat: Seat,
    log: &'a [Iteration],
}

impl Account<'_> {
    fn position(&self, history: &[u8]) -> Wild {
        let mut position = self.start.clone();
        history.iter().for_each(|&chosen| position.play(chosen));
        position
    }

    fn through(&self, history: &[u8]) -> impl Iterator<Item = &Iteration> {
        self.log.iter().filter(move |iteration| iteration.0.starts_with(history))
    }

    fn visits(&self, history: &[u8]) -> usize {
        self.through(history).count()
    }

    /// Value of a node for `seat`: the mean reward of the iterations through it; where nature moves, the mean of what was
    /// drawn so far by its probabilities, as shares of their sum.
    fn value(&self, history: &[u8], seat: Seat) -> f64 {
        let position = self.position(history);
        if position.mover() != Turn::Chance {
            return self.through(history).map(|iteration| iteration.1[seat]).sum::<f64>() / self.visits(history) as f64;
        }
        let drawn = |chosen: u8| [history, &[chosen]].concat();
        let seen: Vec<u8> = position.moves().0.into_iter().filter(|&chosen| self.visits(&drawn(chosen)) > 0).collect();
        let weight: f64 = seen.iter().map(|&chosen| position.probability(chosen)).sum();
        let of = |&chosen: &u8| position.probability(chosen) / weight * self.value(&drawn(chosen), seat);
        seen.iter().map(of).sum()
    }

    /// Checks the way to the leaf of the next iteration; gives its choices among known children, and those of the opponent.
    fn iteration(&self, leaf: &[u8], score: &impl Fn(Child) -> f64) -> [u32; 2] {
        let mut choices = [0; 2];
        for depth in 0..leaf.len() {
            let (before, next) = (&leaf[..depth], &leaf[..=depth]);
            let position = self.position(before);
            let moves = position.moves();
            let children: Vec<Vec<u8>> = (0..moves.len()).map(|i| [before, &[moves.get(i)]].concat()).collect();
            let known = children.iter().filter(|child| self.visits(child) > 0).count();
            if self.visits(next) == 0 {
                // One expansion: a move, and what nature draws behind it at once.
                let draws = (depth + 1..leaf.len()).all(|at| self.position(&leaf[..at]).mover() == Turn::Chance);
                assert!(draws, "{leaf:?}: {next:?} is new, and the way goes on by choice");
                assert!(self.position(leaf).mover() != Turn::Chance, "{leaf:?} has nothing drawn behind it");
                return choices;
            }
            let Turn::Player(mover) = position.mover() else { continue };
            assert_eq!(known, moves.len(), "{leaf:?} goes down at {before:?}, where a move is untried");
            let own = mover == self.seat;
            let parents = self.visits(before) as f64;
            let score = |child: &[u8]| {
                score(Child { own, q: self.value(child, self.seat), n: self.visits(child) as f64, parents })
            };
            let top = children.iter().map(|child| score(child)).fold(f64::NEG_INFINITY, f64::max);
            assert!(score(next) >= top - 1e-9, "{leaf:?}: {} instead of {top} at {before:?}", score(next));
            choices[0] += u32::from(moves.len() > 1);
            choices[1] += u32::from(moves.len() > 1 && !own);
        }
        assert_eq!(self.position(leaf).turn(), Turn::Over, "{leaf:?} is known and not an end");
        choices
    }

    /// Checks visits and mean of every edge of the tree; gives the number of those that lead to a draw of nature.
    fn tree<S: Selection<Prior = ()>>(&self, search: &Search<Wild, S, Logged>) -> u32 {
        let mut draws = 0;
        let mut open = vec![(0, Vec::new(), self.seat)];
        while let Some((node, history, chooser)) = open.pop() {
            assert_eq!(search.tree.nodes[node as usize].visits as usize, self.visits(&history), "{history:?}");
            let mover = search.tree.nodes[node as usize].position.mover();
            let chooser = if let Turn::Player(seat) = mover { seat } else { chooser };
            for edge in search.tree.tried(node) {
                let child = [&history[..], &[edge.chosen]].concat();
                let (visits, mean) = (edge.visits as usize, edge.total / f64::from(edge.visits));
                assert_eq!(visits, self.visits(&child), "{child:?}");
                let value = self.value(&child, chooser);
                assert!((mean - value).abs() < 1e-12, "{child:?}: {mean} instead of {value}");
                draws += u32::from(self.position(&child).mover() == Turn::Chance);
                open.push((edge.child, child, chooser));
            }
        }
        draws
    }
}
