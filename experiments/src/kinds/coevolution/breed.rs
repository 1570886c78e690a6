//! From a population and its fitness to the next (EvoMCTS, sections V-C to V-J; docs/papers/evomcts.md).

use games::{Seed, purpose};
use gp::{Crossover, Mutation, PrimitiveSet, Random, Tree, Type, cross_one_way, cross_two_way, mutate};
use players::TrialRng;

use super::Coevolution;
use crate::population::{Individual, Population, PopulationError};

/// Most bytes of all functions of a population: it is sent as one message.
const TEXTS_MAX: usize = 128 << 20;

/// Changes the order at random (Fisher and Yates).
pub(super) fn shuffle<T>(items: &mut [T], draws: &mut TrialRng) {
    for last in (1..items.len()).rev() {
        items.swap(last, draws.index(last + 1));
    }
}

/// The first population: what is given, then ramped half-and-half.
pub(super) fn initial(setup: &Coevolution, language: &PrimitiveSet, seed: u64) -> Population {
    let individual = |index: usize| match setup.initial.get(index) {
        Some(tree) => made(tree.clone(), &[], &["given"]),
        None => {
            let mut draws = TrialRng(Seed::derive(seed, 0, index as u64, purpose::INITIAL_INDIVIDUAL).rng());
            let tree = gp::ramped_half_and_half(index, Type::Float, setup.initial_depths, language, &mut draws);
            made(tree.to_text(language), &[], &["initial"])
        }
    };
    Population::new(&setup.game, 0, (0..setup.population).map(individual).collect())
}

fn made(tree: String, parents: &[u32], how: &[&str]) -> Individual {
    Individual { tree, parents: parents.to_vec(), made: how.iter().map(|how| (*how).to_owned()).collect() }
}

/// An individual on its way.
struct Child {
    tree: Tree,
    /// Fitness of the original.
    fitness: f64,
    parents: Vec<u32>,
    made: Vec<&'static str>,
}

/// The population after `population`, whose individuals have `fitness`.
pub(super) fn next(
    setup: &Coevolution,
    language: &PrimitiveSet,
    seed: u64,
    population: &Population,
    fitness: &[f64],
) -> Result<Population, PopulationError> {
    let trees = population.trees(language)?;
    let generation = population.generation + 1;
    let mut draws = TrialRng(Seed::derive(seed, generation, 0, purpose::BREEDING).rng());
    let copy = |index: usize, how| Child {
        tree: trees[index].clone(),
        fitness: fitness[index],
        parents: vec![index as u32],
        made: vec![how],
    };
    let elites: Vec<Child> = ranking(fitness).into_iter().take(setup.elites).map(|best| copy(best, "elite")).collect();
    let winners = elites.len()..setup.population;
    let mut children: Vec<Child> =
        winners.map(|_| copy(tournament(fitness, setup.tournament, &mut draws), "copy")).collect();
    shuffle(&mut children, &mut draws);
    for pair in children.chunks_exact_mut(2) {
        if draws.happens(setup.crossover_rate) {
            cross(pair, setup, language, &mut draws);
        }
    }
    for child in &mut children {
        if draws.happens(setup.mutation_rate) {
            let how = mutate(&mut child.tree, setup.local_mutation_rate, &setup.limits, language, &mut draws);
            child.made.push(match how {
                Mutation::Factor => "factor",
                Mutation::Subtree => "subtree",
                Mutation::TooLarge => "too-large",
            });
        }
    }
    let individuals = elites.into_iter().chain(children).map(|mut child| {
        // A copy that was crossed or mutated is not called a copy.
        if child.made.len() > 1 && child.made[0] == "copy" {
            child.made.remove(0);
        }
        made(child.tree.to_text(language), &child.parents, &child.made)
    });
    let mut individuals: Vec<Individual> = individuals.collect();
    bound(&mut individuals, population, TEXTS_MAX);
    Ok(Population::new(&setup.game, generation, individuals))
}

/// Keeps the functions of `individuals` within `most` bytes, as those of `population` are: the longest give way to the
/// shortest one of that.
fn bound(individuals: &mut [Individual], population: &Population, most: usize) {
    let mut total: usize = individuals.iter().map(|individual| individual.tree.len()).sum();
    if total <= most {
        return;
    }
    let parents = population.individuals.iter().enumerate();
    let Some((shortest, parent)) = parents.min_by_key(|(_, individual)| individual.tree.len()) else { return };
    let mut longest: Vec<usize> = (0..individuals.len()).collect();
    longest.sort_by_key(|&index| std::cmp::Reverse(individuals[index].tree.len()));
    for index in longest {
        if total <= most {
            break;
        }
        total -= individuals[index].tree.len();
        individuals[index] = made(parent.tree.clone(), &[shortest as u32], &["too-large", "copy"]);
        total += parent.tree.len();
    }
}

/// Individuals by fitness, the best first, ties by index.
pub(super) fn ranking(fitness: &[f64]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..fitness.len()).collect();
    ranking.sort_by(|&a, &b| fitness[b].total_cmp(&fitness[a]).then(a.cmp(&b)));
    ranking
}

/// The fittest of `size` different individuals, the first drawn of equals.
fn tournament(fitness: &[f64], size: usize, draws: &mut TrialRng) -> usize {
    let mut drawn: Vec<usize> = Vec::with_capacity(size);
    while drawn.len() < size {
        let index = draws.index(fitness.len());
        if !drawn.contains(&index) {
            drawn.push(index);
        }
    }
    let mut best = drawn[0];
    for &index in &drawn[1..] {
        if fitness[index] > fitness[best] {
            best = index;
        }
    }
    best
}

/// Selective crossover: one-way from the first into the second if the first is at least as fit, else two-way.
fn cross(pair: &mut [Child], setup: &Coevolution, language: &PrimitiveSet, draws: &mut TrialRng) {
    let [first, second] = pair else { unreachable!("pairs are two") };
    let one_way = first.fitness >= second.fitness;
    let done = if one_way {
        cross_one_way(&first.tree, &mut second.tree, &setup.limits, language, draws)
    } else {
        cross_two_way(&mut first.tree, &mut second.tree, &setup.limits, language, draws)
    };
    let how = match (done, one_way) {
        (Crossover::TooDeep, _) => "too-deep",
        (Crossover::Done, true) => "one-way",
        (Crossover::Done, false) => "two-way",
    };
    let (mate_of_first, mate_of_second) = (second.parents[0], first.parents[0]);
    second.made.push(how);
    if done == Crossover::Done {
        second.parents.push(mate_of_second);
    }
    if !one_way {
        first.made.push(how);
        if done == Crossover::Done {
            first.parents.push(mate_of_first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(index: u64) -> TrialRng {
        TrialRng(Seed::derive(3, 0, index, "test").rng())
    }

    /// Drawing 2 of n without replacement, the fitter wins: the best is drawn with probability 2/n, the worst never
    /// wins (2.0 copies of the best in a population of parents, on average).
    #[test]
    fn a_tournament_of_two_picks_by_rank() {
        let fitness: Vec<f64> = (0..10).map(f64::from).collect();
        let mut wins = [0u32; 10];
        let mut draws = draws(0);
        for _ in 0..45_000 {
            wins[tournament(&fitness, 2, &mut draws)] += 1;
        }
        // Rank r (from 0, the worst) wins against r of 45 pairs: 1,000 r expected, standard error below 100.
        for (rank, &wins) in wins.iter().enumerate() {
            assert!((f64::from(wins) - 1_000.0 * rank as f64).abs() < 400.0, "{rank}: {wins}");
        }
    }

    #[test]
    fn of_equals_the_first_drawn_wins() {
        let mut wins = [0u32; 4];
        let mut draws = draws(1);
        for _ in 0..40_000 {
            wins[tournament(&[1.0; 4], 2, &mut draws)] += 1;
        }
        assert!(wins.iter().all(|wins| wins.abs_diff(10_000) < 400), "{wins:?}");
    }

    fn setup(lines: &str) -> Coevolution {
        let text = format!(
            "format = 1\nname = \"x\"\nkind = \"coevolution\"\ngame = \"reversi\"\n[coevolution]\npopulation = 40\n{lines}\n"
        );
        let experiment = crate::Experiment::parse(&text, "x.toml", &crate::Overrides::default());
        match experiment.unwrap_or_else(|faults| panic!("{faults}")).kind {
            crate::kinds::Kind::Coevolution(setup) => *setup,
            other => panic!("{other:?}"),
        }
    }

    fn bred(setup: &Coevolution, generation: u32, fitness: &[f64]) -> Population {
        let language = players::evomcts::language(&setup.game).expect("it tells");
        let mut population = initial(setup, &language, 7);
        population.generation = generation;
        next(setup, &language, 7, &population, fitness).expect("trees of the language")
    }

    /// The first of a pair that is at least as fit gives and keeps (ties are one-way: docs/papers/evomcts.md).
    #[test]
    fn equals_are_crossed_one_way() {
        let population = bred(&setup("crossover = 1\nmutation = 0"), 0, &[3.0; 40]);
        let made = |how: &str| population.individuals.iter().filter(|i| i.made[0] == how).count();
        assert_eq!((made("one-way") + made("too-deep"), made("copy")), (20, 20));
    }

    /// In a pair drawn at random the first is the weaker one in half of the cases: those are two-way.
    #[test]
    fn half_of_unequal_pairs_are_crossed_two_way() {
        let fitness: Vec<f64> = (0..40).map(f64::from).collect();
        let setup = setup("crossover = 1\nmutation = 0\ntournament = 1");
        let two_way = |generation| {
            let population = bred(&setup, generation, &fitness);
            population.individuals.iter().filter(|i| i.made[0] == "two-way").count() / 2
        };
        // 40 generations of 20 pairs, of which few are of equals: 400 expected, standard deviation 14.
        let pairs: usize = (0..40).map(two_way).sum();
        assert!((330..=440).contains(&pairs), "{pairs} of 800");
    }

    #[test]
    fn every_generation_has_its_own_luck() {
        let fitness: Vec<f64> = (0..40).map(f64::from).collect();
        let setup = setup("");
        assert_ne!(bred(&setup, 0, &fitness).individuals, bred(&setup, 1, &fitness).individuals);
        assert_eq!(bred(&setup, 1, &fitness), bred(&setup, 1, &fitness));
    }

    #[test]
    fn elites_go_on_unchanged() {
        let fitness: Vec<f64> = (0..40).map(f64::from).collect();
        let setup = setup("elites = 2");
        let language = players::evomcts::language(&setup.game).expect("it tells");
        let before = initial(&setup, &language, 7);
        let after = bred(&setup, 0, &fitness);
        assert_eq!(after.individuals.len(), 40);
        for (place, old) in [39usize, 38].into_iter().enumerate() {
            assert_eq!(after.individuals[place].tree, before.individuals[old].tree);
            assert_eq!(
                (after.individuals[place].made[0].as_str(), &after.individuals[place].parents[..]),
                ("elite", &[old as u32][..])
            );
        }
    }

    #[test]
    fn the_longest_functions_give_way_where_a_population_grows_too_large() {
        let of = |lengths: &[usize]| -> Vec<Individual> {
            lengths.iter().map(|&length| made("x".repeat(length), &[], &["one-way"])).collect()
        };
        let setup = setup("");
        let before = Population::new(&setup.game, 0, of(&[30, 10, 20]));
        let lengths = |most| {
            let mut after = of(&[50, 20, 40]);
            bound(&mut after, &before, most);
            after.iter().map(|individual| individual.tree.len()).collect::<Vec<_>>()
        };
        assert_eq!([lengths(110), lengths(109), lengths(60)], [[50, 20, 40], [10, 20, 40], [10, 20, 10]]);
    }

    #[test]
    fn ties_in_a_ranking_go_by_index() {
        assert_eq!(ranking(&[1.0, 3.0, 3.0, 2.0]), [1, 2, 3, 0]);
    }
}
