//! Reading a tree (SIEA-MCTS thesis, section 5.5).

use games::{Game, Seat, Turn};

use super::{Prior, Tree};
use crate::readout::{Growth, Readout};

/// Reads a tree in which `seat` searched, with `bins` bins of its histogram (0: none).
pub(crate) fn of_tree<G: Game, R: Prior>(tree: &Tree<G, R>, seat: Seat, growth: &Growth, bins: usize) -> Readout {
    let mut readout = Readout::default();
    if tree.is_empty() {
        return readout;
    }
    let metrics = &mut readout.metrics;
    metrics.nodes = tree.len() as f64;
    let depths = depths(tree);
    let (mut leaves, mut sum, mut squares, mut draws) = (0u64, 0u64, 0u64, 0u64);
    for (node, &depth) in tree.nodes.iter().zip(&depths) {
        metrics.depth_max = metrics.depth_max.max(f64::from(depth));
        draws += u64::from(node.tried > 0 && node.position.mover() == Turn::Chance);
        if node.tried == 0 {
            (leaves, sum, squares) = (leaves + 1, sum + u64::from(depth), squares + u64::from(depth).pow(2));
            metrics.terminals += f64::from(u8::from(node.position.turn() == Turn::Over));
        }
    }
    let expansions = (tree.len() as u64 - 1).saturating_sub(draws);
    metrics.expansion_rate = if growth.iterations == 0 { 0.0 } else { expansions as f64 / growth.iterations as f64 };
    metrics.leaf_depth = sum as f64 / leaves as f64;
    // Whole numbers until here: no rounding but these.
    let spread = u128::from(leaves) * u128::from(squares) - u128::from(sum).pow(2);
    metrics.leaf_depth_sd = (spread as f64).sqrt() / leaves as f64;
    metrics.by_visits = walk(tree, seat, |_, visits| f64::from(visits));
    metrics.by_reward = walk(tree, seat, |mean, _| mean);
    let position = &tree.nodes[0].position;
    readout.root_visits = tree.tried(0).map(|edge| (position.move_text(edge.chosen), edge.visits)).collect();
    // Stable: equal ones stand as they were tried.
    readout.root_visits.sort_by_key(|child| std::cmp::Reverse(child.1));
    readout.metrics.root_share = tree.root_share();
    if bins > 0 && position.place().is_some() {
        readout.histogram = histogram(tree, growth, bins);
    }
    readout
}

/// Depth of each node.
fn depths<G: Game, R: Prior>(tree: &Tree<G, R>) -> Vec<u32> {
    let mut depths = vec![0; tree.len()];
    let mut open = vec![0u32];
    while let Some(node) = open.pop() {
        for edge in tree.tried(node) {
            depths[edge.child as usize] = depths[node as usize] + 1;
            open.push(edge.child);
        }
    }
    depths
}

/// Points at the end of the walk from the root to a node without children along those that `key` puts first by mean and
/// visits; of equals the one that was tried first.
fn walk<G: Game, R: Prior>(tree: &Tree<G, R>, seat: Seat, key: impl Fn(f64, u32) -> f64) -> f64 {
    let mut node = 0u32;
    loop {
        let mut best: Option<(f64, u32)> = None;
        for edge in tree.tried(node) {
            let key = key(edge.total / f64::from(edge.visits.max(1)), edge.visits);
            if best.is_none_or(|(top, _)| key > top) {
                best = Some((key, edge.child));
            }
        }
        match best {
            Some((_, child)) => node = child,
            None => return tree.nodes[node as usize].position.points()[seat],
        }
    }
}

fn histogram<G: Game, R: Prior>(tree: &Tree<G, R>, growth: &Growth, bins: usize) -> [Vec<u32>; 3] {
    let mut histogram = [vec![0; bins], vec![0; bins], vec![0; bins]];
    // Nodes stand in the order in which they were added.
    for (index, node) in tree.nodes.iter().enumerate().skip(1) {
        let third = growth.thirds.iter().filter(|&&nodes| index >= nodes).count();
        let place = node.position.place().unwrap_or(0.0);
        let bin = ((place * bins as f64) as usize).min(bins - 1);
        histogram[third][bin] += 1;
    }
    histogram
}
