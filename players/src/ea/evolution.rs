//! The evolution strategy within a decision (SIEA-MCTS thesis, algorithms 1 and 2; docs/papers/siea-mcts.md,
//! "The decision").

use games::{Game, Rng, below};
use gp::{Node, PrimitiveSet, Stored, Tree, mutate_by_class};

use super::{
    formula::{Formula, PARENT_VISITS, Q, VISITS, compile},
    options::{InitialC, Options},
    screen,
    semantics::{choose, distance},
};
use crate::{
    TrialRng,
    figures::{Figure, ROOT_SHARE},
    mcts::{Meter, Rewarded, Search, UniformPlayout},
    readout::Readout,
};

/// Mutations that are tried for one offspring: to differ from its parent and to keep to the height takes few, to pass
/// the screen some dozens.
const TRIES: u32 = 1_000;

const fn share(name: &'static str, title: &'static str) -> Figure {
    Figure { name, title, digits: 3 }
}

/// Figures of a decision: of its tree, then of the final formula (thesis, table 5.11 and figures 5.14, 6.1 and 6.2).
pub(super) const FIGURES: [Figure; 10] = [
    ROOT_SHARE,
    Figure { name: "formula_nodes", title: "formula's nodes", digits: 2 },
    share("uses_visits", "share with n"),
    share("uses_parent_visits", "share with N"),
    share("uses_q", "share with Q"),
    share("uses_c", "share with C"),
    share("greedy", "greedy: with Q, without n"),
    share("stuck", "stuck: with n, without Q"),
    share("random", "random: with neither"),
    share("unchanged", "unchanged but for constants"),
];

/// Figures of the formula among them.
const OF_FORMULA: usize = FIGURES.len() - 1;

/// Result of an evolution.
#[derive(Clone, Debug, Default)]
pub(super) struct Evolved {
    formula: Option<Tree>,
    /// Whether it differs from the first formula in constants at most.
    unchanged: bool,
    fitness: f64,
    formulas: u64,
    generations: u64,
    fitness_iterations: u64,
    ties: u64,
    semantic_choices: u64,
}

impl Evolved {
    /// Puts it into a read-out.
    pub(super) fn tell(&self, language: &PrimitiveSet, readout: &mut Readout) {
        let Some(formula) = &self.formula else { return };
        let holds = |name| number(holds(formula, language, name));
        let metrics = &mut readout.metrics;
        metrics.formula_nodes = formula.size() as f64;
        metrics.uses_q = holds("Q");
        metrics.uses_visits = holds("n");
        metrics.uses_parent_visits = holds("N");
        metrics.uses_c = holds("C");
        metrics.fitness = self.fitness;
        metrics.formulas = self.formulas as f64;
        metrics.generations = self.generations as f64;
        metrics.fitness_iterations = self.fitness_iterations as f64;
        metrics.ties = self.ties as f64;
        metrics.semantic_choices = self.semantic_choices as f64;
        readout.formula = formula.to_text(language);
    }

    /// Values of the figures of the formula; NaN where none was evolved.
    pub(super) fn figures(&self, language: &PrimitiveSet) -> [f64; OF_FORMULA] {
        let Some(formula) = &self.formula else { return [f64::NAN; OF_FORMULA] };
        let [n, parent_n, q, c] = ["n", "N", "Q", "C"].map(|name| holds(formula, language, name));
        let is = [n, parent_n, q, c, q && !n, n && !q, !n && !q, self.unchanged].map(number);
        let [n, parent_n, q, c, greedy, stuck, random, unchanged] = is;
        [formula.size() as f64, n, parent_n, q, c, greedy, stuck, random, unchanged]
    }
}

/// Whether a formula holds the terminal `name`.
fn holds(formula: &Tree, language: &PrimitiveSet, name: &str) -> bool {
    const { assert!(Q == 0 && VISITS == 1 && PARENT_VISITS == 2) };
    let primitive = language.find(name).expect("a terminal of the language");
    formula.nodes().iter().any(|node| node.primitive == primitive)
}

fn number(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Whether two formulas differ in constants at most.
fn alike(one: &Tree, other: &Tree) -> bool {
    let primitives = |tree: &Tree| tree.nodes().iter().map(|node| node.primitive).collect::<Vec<_>>();
    primitives(one) == primitives(other)
}

/// A formula and what its fitness iterations gave.
#[derive(Clone, Debug)]
struct Individual {
    /// What evolves: the formula, or its first summand where the second is protected.
    part: Tree,
    fitness: f64,
    rewards: Vec<f64>,
}

pub(super) type Searching<G> = Search<G, Formula, Rewarded<UniformPlayout>>;

/// Spends a budget: plain iterations until every root move was tried, an evolution, and the rest with the formula that
/// came out. The root must be set.
pub(super) fn run<G: Game>(search: &mut Searching<G>, options: &Options, meter: &mut Meter, rng: &mut Rng) -> Evolved {
    let c = match options.initial_c {
        InitialC::Given(c) => c,
        InitialC::Drawn => draw_c(options, rng),
        InitialC::AsWritten => 0.0,
    };
    let initial = options.initial(c);
    search.selection_mut().set(&initial, &options.language);
    // As long as the root has an untried move, that is tried, whatever the formula.
    while search.root_untried() > 0 {
        if !meter.next(search.tree().len()) {
            return Evolved::default();
        }
        search.iterate(rng);
    }
    let mut evolution = Evolution { search, options, meter, rng, kept: Vec::new(), evolved: Evolved::default() };
    let formula = evolution.run(&initial);
    let mut evolved = evolution.evolved;
    search.selection_mut().set(&formula, &options.language);
    evolved.unchanged = alike(&formula, &initial);
    evolved.formula = Some(formula);
    while meter.next(search.tree().len()) {
        search.iterate(rng);
    }
    evolved
}

fn draw_c(options: &Options, rng: &mut Rng) -> f64 {
    options.c_values[below(rng, options.c_values.len() as u32) as usize]
}

struct Evolution<'a, G: Game> {
    search: &'a mut Searching<G>,
    options: &'a Options,
    meter: &'a mut Meter,
    rng: &'a mut Rng,
    /// The second summand that is protected; empty without.
    kept: Vec<Node>,
    evolved: Evolved,
}

impl<G: Game> Evolution<'_, G> {
    /// Evolves; gives the formula for the rest of the budget.
    fn run(&mut self, initial: &Tree) -> Tree {
        let part = self.split(initial);
        let (mut parent, mut goes_on) = self.measure(part);
        let mut best = parent.clone();
        let generations = self.options.generations.unwrap_or(u64::MAX);
        // Without offspring there is nothing to evolve, however long.
        while goes_on && self.options.lambda > 0 && self.evolved.generations < generations {
            goes_on = self.generation(&mut parent, &mut best);
        }
        let last = if self.options.best_ever { best } else { parent };
        self.evolved.fitness = last.fitness;
        self.whole(&last.part)
    }

    /// One generation; false if the budget was spent in it.
    fn generation(&mut self, parent: &mut Individual, best: &mut Individual) -> bool {
        if self.options.reevaluate {
            let (again, whole) = self.measure(parent.part.clone());
            if !whole {
                return false;
            }
            *parent = again;
        }
        // All are made before any plays.
        let parts: Vec<Tree> = (0..self.options.lambda).filter_map(|_| self.offspring(&parent.part)).collect();
        let mut candidates = vec![parent.clone()];
        for part in parts {
            let (offspring, whole) = self.measure(part);
            if offspring.fitness > best.fitness {
                *best = offspring.clone();
            }
            candidates.push(offspring);
            if !whole {
                return false;
            }
        }
        if !self.options.parent_competes && candidates.len() > 1 {
            candidates.remove(0);
        }
        let fitness: Vec<f64> = candidates.iter().map(|candidate| candidate.fitness).collect();
        let distances = |i: usize| distance(&parent.rewards, &candidates[i].rewards);
        let choice = choose(&fitness, self.options.window, distances, self.rng);
        self.evolved.ties += u64::from(choice.tied);
        self.evolved.semantic_choices += u64::from(choice.by_semantics);
        self.evolved.generations += 1;
        *parent = candidates.swap_remove(choice.index);
        true
    }

    /// Measures a formula's fitness by playing with it; false with a fitness of 0 if the budget does not last.
    fn measure(&mut self, part: Tree) -> (Individual, bool) {
        let formula = self.whole(&part);
        self.search.selection_mut().set(&formula, &self.options.language);
        let seat = self.search.seat();
        let wanted = self.options.fitness_iterations;
        let mut rewards = Vec::new();
        let mut sum = 0.0;
        for _ in 0..wanted {
            if !self.meter.next(self.search.tree().len()) {
                return (Individual { part, fitness: 0.0, rewards }, false);
            }
            let reward = self.search.iterate(self.rng)[seat];
            self.evolved.fitness_iterations += 1;
            sum += reward;
            rewards.push(reward);
        }
        self.evolved.formulas += 1;
        (Individual { part, fitness: sum / wanted as f64, rewards }, true)
    }

    /// A mutant that differs from `parent`, keeps to the height, and passes the screen where there is one; `None` if
    /// none is found.
    fn offspring(&mut self, parent: &Tree) -> Option<Tree> {
        let Options { language, mutation, depth_max, screen, .. } = self.options;
        let c = draw_c(self.options, self.rng);
        for _ in 0..TRIES {
            let mut draws = TrialRng(self.rng.clone());
            let part = mutate_by_class(parent, mutation, c, language, &mut draws);
            *self.rng = draws.0;
            let formula = self.whole(&part);
            if part != *parent
                && formula.depth(language) <= *depth_max
                && (!screen || screen::passes(&compile(&formula, language)))
            {
                return Some(part);
            }
        }
        None
    }

    /// What of the initial formula evolves; the rest is kept.
    fn split(&mut self, initial: &Tree) -> Tree {
        if !self.options.protect {
            return initial.clone();
        }
        let language = &self.options.language;
        let first = initial.subtree(1, language);
        self.kept = initial.nodes()[first.end..].to_vec();
        Tree::new(initial.nodes()[first].to_vec(), language).expect("an argument of a sum is a formula")
    }

    /// The formula of what evolves.
    fn whole(&self, part: &Tree) -> Tree {
        if self.kept.is_empty() {
            return part.clone();
        }
        let plus = self.options.language.find("+").expect("a function of the language");
        let sum = Node { primitive: plus, stored: Stored::None, factor: 1.0 };
        let nodes = [&[sum], part.nodes(), &self.kept].concat();
        Tree::new(nodes, &self.options.language).expect("a sum of two formulas")
    }
}

#[cfg(test)]
mod tests {
    use games::{GameSpec, Seed, Visitor};

    use super::*;
    use crate::{PlayerSpec, mcts::Budget, params};

    /// Chains of offspring, each made of the one before.
    struct Chains<'a>(&'a PlayerSpec);

    impl Visitor for Chains<'_> {
        type Output = ();

        fn visit<G: Game>(self, start: G) {
            let options = Options::of(self.0.spec()).expect("its parameters go together");
            let selection = Formula::new(&options.initial(1.0), &options.language, options.opponent);
            let mut search =
                params::search::<G, _, _>(self.0.spec(), selection, params::rewarded(self.0.spec(), UniformPlayout));
            search.root(&start);
            let mut meter = Meter::new(Budget::Playouts(0));
            let mut rng = Seed::derive(0, 0, 0, "offspring").rng();
            let (kept, evolved) = (Vec::new(), Evolved::default());
            let mut evolution =
                Evolution { search: &mut search, options: &options, meter: &mut meter, rng: &mut rng, kept, evolved };
            for _ in 0..40 {
                let mut parent = options.initial(0.5);
                for _ in 0..25 {
                    let offspring = evolution.offspring(&parent).expect("there is always another formula");
                    assert_ne!(offspring, parent);
                    assert!(offspring.depth(&options.language) <= options.depth_max);
                    assert!(Tree::new(offspring.nodes().to_vec(), &options.language).is_some());
                    parent = offspring;
                }
            }
        }
    }

    #[test]
    fn offspring_differ_from_their_parents_and_keep_to_language_and_height() {
        let game: GameSpec = "fop".parse().expect("a game");
        // Formulas of little height: most mutants do not fit, or are the parent again.
        for player in ["ea-mcts", "ea-mcts:initial=Q,height-max=1,subtree-height-min=0,subtree-height-max=1"] {
            games::visit(&game, Chains(&player.parse().expect("a player")));
        }
    }
}
