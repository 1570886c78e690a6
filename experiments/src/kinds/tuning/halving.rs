//! Successive halving: games go to candidates that deserve them (Karnin, Koren and Somekh 2013; Jamieson and Talwalkar
//! 2016).
//!
//! A bracket begins with a whole population. On each rung the better half stays, by its share of the points on all rungs so
//! far, and plays twice the games, until one is left; so every rung costs about the same. The one that is left begins
//! the next bracket among candidates that are drawn anew: our addition, which makes use of a budget that one bracket
//! does not spend.

use players::TrialRng;

use super::{
    algorithm::{Closed, Member, fresh},
    candidates::{Candidate, ranking},
    space::Space,
};

/// The better half; of an odd number the greater (Karnin et al., algorithm 1).
fn half(candidates: usize) -> usize {
    candidates.div_ceil(2)
}

/// Rungs of a bracket of at least two candidates.
pub(super) fn rungs(population: usize) -> u32 {
    population.next_power_of_two().trailing_zeros()
}

/// Candidates of a generation, and how often their games are doubled: the rung.
pub(super) fn size(population: usize, generation: u32) -> (usize, u32) {
    let rung = generation % rungs(population);
    ((0..rung).fold(population, |candidates, _| half(candidates)), rung)
}

/// The next rung, or the first of the next bracket.
pub(super) fn next(space: &Space, population: usize, closed: &Closed<'_>, draws: &mut TrialRng) -> Vec<Member> {
    let mut better = ranking(closed.candidates, Candidate::takes_more);
    better.truncate(half(better.len()));
    let (size, rung) = size(population, closed.generation + 1);
    let mut next: Vec<Member> = better.into_iter().map(Member::Stays).collect();
    if rung == 0 {
        next.extend(fresh(space, size - 1, draws));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: half, rounded up, until one is left.
    #[test]
    fn rungs_halve_until_one_is_left() {
        for (population, sizes) in
            [(2, &[2][..]), (3, &[3, 2]), (8, &[8, 4, 2]), (20, &[20, 10, 5, 3, 2]), (33, &[33, 17, 9, 5, 3, 2])]
        {
            assert_eq!(rungs(population) as usize, sizes.len());
            for bracket in 0..2 {
                for (rung, &size_of_rung) in sizes.iter().enumerate() {
                    let generation = (bracket * sizes.len() + rung) as u32;
                    assert_eq!(size(population, generation), (size_of_rung, rung as u32));
                }
            }
            assert_eq!(half(*sizes.last().expect("a rung")), 1);
        }
    }
}
