//! Who can be rated together: pools of players that met, directly or through others, and in a pool groups between which
//! points went both ways.
//!
//! Ratings of greatest likelihood are finite exactly within a strongly connected component of the graph of "took a
//! point from" (Ford 1957). Where all points between two groups went one way, nothing says how far apart they are.

use super::Score;

/// The place of every player among pools and groups, both counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    /// By player.
    pub(super) pool: Vec<usize>,
    /// By player; counted through all pools, in each the groups above come before those below.
    pub(super) group: Vec<usize>,
    /// Players by group.
    pub(super) members: Vec<Vec<usize>>,
}

impl Groups {
    pub(super) fn of(players: usize, scores: &[Score]) -> Self {
        let links = Links::of(players, scores);
        let pool = links.pools();
        let component = links.components();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); component.iter().max().map_or(0, |last| last + 1)];
        (0..players).for_each(|player| members[component[player]].push(player));
        let order = order(&component, &members, scores);
        let mut by_pool: Vec<usize> = order;
        by_pool.sort_by_key(|&of| pool[members[of][0]]);
        let mut group = vec![0; players];
        let members: Vec<Vec<usize>> = by_pool.into_iter().map(|of| std::mem::take(&mut members[of])).collect();
        for (number, of) in members.iter().enumerate() {
            of.iter().for_each(|&player| group[player] = number);
        }
        Groups { pool, group, members }
    }
}

/// Whom each player took a point from, and whom it met.
struct Links {
    took: Vec<Vec<usize>>,
    met: Vec<Vec<usize>>,
}

impl Links {
    fn of(players: usize, scores: &[Score]) -> Self {
        let mut links = Links { took: vec![Vec::new(); players], met: vec![Vec::new(); players] };
        for score in scores.iter().filter(|score| score.games > 0.0 && score.a != score.b) {
            if score.points > 0.0 {
                links.took[score.a].push(score.b);
            }
            if score.points < score.games {
                links.took[score.b].push(score.a);
            }
            links.met[score.a].push(score.b);
            links.met[score.b].push(score.a);
        }
        links
    }

    /// Pools, numbered by their first player.
    fn pools(&self) -> Vec<usize> {
        let mut pool = vec![usize::MAX; self.met.len()];
        let mut number = 0;
        for first in 0..self.met.len() {
            if pool[first] != usize::MAX {
                continue;
            }
            let mut open = vec![first];
            pool[first] = number;
            while let Some(player) = open.pop() {
                for &next in &self.met[player] {
                    if pool[next] == usize::MAX {
                        pool[next] = number;
                        open.push(next);
                    }
                }
            }
            number += 1;
        }
        pool
    }

    /// Strongly connected components (Tarjan 1972), without recursion.
    fn components(&self) -> Vec<usize> {
        let players = self.took.len();
        let unseen = usize::MAX;
        let (mut index, mut low, mut component) = (vec![unseen; players], vec![0; players], vec![unseen; players]);
        let (mut stack, mut next, mut number) = (Vec::new(), 0, 0);
        for root in 0..players {
            if index[root] != unseen {
                continue;
            }
            // A player and how many of its links were followed.
            let mut path = vec![(root, 0)];
            while let Some(&mut (player, ref mut link)) = path.last_mut() {
                if *link == 0 {
                    (index[player], low[player]) = (next, next);
                    next += 1;
                    stack.push(player);
                }
                if let Some(&to) = self.took[player].get(*link) {
                    *link += 1;
                    if index[to] == unseen {
                        path.push((to, 0));
                    } else if component[to] == unseen {
                        low[player] = low[player].min(index[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(before, _)) = path.last() {
                    low[before] = low[before].min(low[player]);
                }
                if low[player] == index[player] {
                    while let Some(member) = stack.pop() {
                        component[member] = number;
                        if member == player {
                            break;
                        }
                    }
                    number += 1;
                }
            }
        }
        component
    }
}

/// Components in an order in which one that took all points comes before the one that lost them. Where games leave the
/// order open, the higher share of points comes first, then the component with the first player.
fn order(component: &[usize], members: &[Vec<usize>], scores: &[Score]) -> Vec<usize> {
    let groups = members.len();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); groups];
    let (mut points, mut games) = (vec![0.0; groups], vec![0.0; groups]);
    for score in scores.iter().filter(|score| score.games > 0.0) {
        let (a, b) = (component[score.a], component[score.b]);
        points[a] += score.points;
        points[b] += score.games - score.points;
        games[a] += score.games;
        games[b] += score.games;
        if a != b {
            let (winner, loser) = if score.points > 0.0 { (a, b) } else { (b, a) };
            below[winner].push(loser);
        }
    }
    let mut above = vec![0usize; groups];
    for list in &mut below {
        list.sort_unstable();
        list.dedup();
        list.iter().for_each(|&loser| above[loser] += 1);
    }
    let share = |group: usize| if games[group] > 0.0 { points[group] / games[group] } else { 0.0 };
    let first = |group: usize| members[group][0];
    let better = |&a: &usize, &b: &usize| share(a).total_cmp(&share(b)).then(first(b).cmp(&first(a)));
    let mut free: Vec<usize> = (0..groups).filter(|&group| above[group] == 0).collect();
    let mut order = Vec::with_capacity(groups);
    while let Some(place) = (0..free.len()).max_by(|&a, &b| better(&free[a], &free[b])) {
        let group = free.swap_remove(place);
        order.push(group);
        for &loser in &below[group] {
            above[loser] -= 1;
            if above[loser] == 0 {
                free.push(loser);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(players: usize, results: &[(usize, usize, f64)]) -> (Vec<usize>, Vec<usize>) {
        let score = |&(a, b, points)| Score { a, b, games: 10.0, points, units: 5, variance: None };
        let scores: Vec<Score> = results.iter().map(score).collect();
        let found = Groups::of(players, &scores);
        (found.pool, found.group)
    }

    #[test]
    fn pools_and_groups_by_hand() {
        // A cycle is one group, whichever player wins in it.
        assert_eq!(groups(3, &[(0, 1, 10.0), (1, 2, 10.0), (2, 0, 10.0)]), (vec![0; 3], vec![0; 3]));
        // Two took every point from two, and both sides share theirs.
        let ladder = [(0, 1, 5.0), (2, 3, 9.5), (0, 2, 0.0), (1, 2, 0.0), (0, 3, 0.0)];
        assert_eq!(groups(4, &ladder), (vec![0; 4], vec![1, 1, 0, 0]));
        // One point is a bridge.
        assert_eq!(groups(4, &[ladder[0], ladder[1], ladder[2], (1, 3, 0.5)]), (vec![0; 4], vec![0; 4]));
        // 0 and 1 never met 2 and 3.
        assert_eq!(groups(4, &[ladder[0], ladder[1]]), (vec![0, 0, 1, 1], vec![0, 0, 1, 1]));
        assert_eq!(groups(3, &[(0, 2, 10.0)]), (vec![0, 1, 0], vec![0, 2, 1]));
        assert_eq!(groups(0, &[]), (vec![], vec![]));
    }

    /// Every pair of players in one group exactly if a chain of points leads there and back, found by brute force.
    #[test]
    fn groups_are_those_of_all_chains() {
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let players = 2 + draw(6) as usize;
            let mut results = Vec::new();
            for a in 0..players {
                for b in a + 1..players {
                    if draw(3) > 0 {
                        results.push((a, b, [0.0, 10.0, 0.0, 10.0, 5.0][draw(5) as usize]));
                    }
                }
            }
            let mut reach = vec![vec![false; players]; players];
            (0..players).for_each(|i| reach[i][i] = true);
            for &(a, b, points) in &results {
                reach[a][b] |= points > 0.0;
                reach[b][a] |= points < 10.0;
            }
            for k in 0..players {
                for i in 0..players {
                    for j in 0..players {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            let (pool, group) = groups(players, &results);
            for i in 0..players {
                for j in 0..players {
                    assert_eq!(group[i] == group[j], reach[i][j] && reach[j][i], "{results:?}");
                    // Who is reached and does not reach back is in a later group of the same pool.
                    assert!(!reach[i][j] || (pool[i] == pool[j] && group[i] <= group[j]), "{results:?}: {group:?}");
                }
            }
        }
    }
}
