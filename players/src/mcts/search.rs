//! The loop: selection, expansion, evaluation, backup.

use games::{Game, Moves as _, Rng, Seat, Turn, below};

use super::{
    evaluator::{Evaluator, Leaf, Prior},
    expansion::{AtRandom, Expansion},
    selection::{Chooser, Selection},
    tree::{Edge, NONE, PENDING, Tree, sort_by_prior},
};

/// How large a tree may become. When it is full, its leaves are valued without a node for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimit {
    /// Most positions, at least 1: the root.
    pub nodes: usize,
    /// Bytes ([`Tree::bytes`]) from which on no node is added.
    pub bytes: usize,
}

impl TreeLimit {
    /// No limit.
    pub const NONE: TreeLimit = TreeLimit { nodes: usize::MAX, bytes: usize::MAX };
}

/// A tree and the parts that grow it.
#[derive(Debug)]
pub struct Search<G: Game, S, E: Evaluator<G>, X = AtRandom> {
    pub(super) tree: Tree<G, E::Prior>,
    /// The other arena, for keeping a part of the tree.
    spare: Tree<G, E::Prior>,
    selection: S,
    pub(super) evaluator: E,
    expansion: X,
    limit: TreeLimit,
    /// Whether a random end of the game is drawn once and stays.
    fixed_ends: bool,
    /// Who searches: who moves at the root.
    seat: Seat,
    /// From the root to the leaf.
    pub(super) path: Vec<Step>,
    /// Nodes on the way, the root first.
    pub(super) nodes: Vec<u32>,
}

/// What a root move looks like after a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchStats<M> {
    /// The move.
    pub chosen: M,
    /// Playouts that began with it.
    pub visits: u32,
    /// Their mean reward for the player to move.
    pub mean: f64,
}

/// An edge of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    edge: u32,
    /// From whose view its points count: of the player who chose it, or of the last one who chose before nature drew
    /// it.
    seat: u8,
    /// Whether nature drew it.
    drawn: bool,
}

impl<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>> Search<G, S, E> {
    /// An empty search whose children are added at random.
    pub fn new(selection: S, evaluator: E, limit: TreeLimit) -> Self {
        Search::expanding(selection, evaluator, AtRandom, limit)
    }
}

impl<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>, X: Expansion<G>> Search<G, S, E, X> {
    /// An empty search whose children `expansion` adds.
    pub fn expanding(selection: S, evaluator: E, expansion: X, limit: TreeLimit) -> Self {
        let (tree, spare) = (Tree::new(), Tree::new());
        let (path, nodes) = (Vec::new(), Vec::new());
        Search { tree, spare, selection, evaluator, expansion, limit, fixed_ends: false, seat: 0, path, nodes }
    }

    /// The same, with random ends of the game ([`Game::outcome`]) that are drawn at their first visit and stay, or that
    /// are drawn at every visit.
    #[must_use]
    pub fn with_fixed_ends(self, fixed_ends: bool) -> Self {
        Search { fixed_ends, ..self }
    }

    /// The policy that descends.
    pub fn selection(&self) -> &S {
        &self.selection
    }

    /// The policy that descends, to be changed.
    pub fn selection_mut(&mut self) -> &mut S {
        &mut self.selection
    }

    /// What values the leaves, to be asked or changed.
    pub(crate) fn evaluator_mut(&mut self) -> &mut E {
        &mut self.evaluator
    }

    /// What values the leaves.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// Who searches: who moves at the root, 0 where nature does.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The tree.
    pub fn tree(&self) -> &Tree<G, E::Prior> {
        &self.tree
    }

    /// Drops the tree.
    pub fn clear(&mut self) {
        self.tree.clear();
    }

    /// Makes `position` the root: the tree there is kept if its root is that position, else a new one begins.
    pub fn root(&mut self, position: &G) {
        if self.tree.nodes.first().is_none_or(|root| root.position != *position) {
            self.tree.clear();
            self.tree.add(position.clone());
        }
        self.seat = if let Turn::Player(seat) = position.mover() { seat } else { 0 };
    }

    /// Makes `position`, where a player decides, the root of a new tree that has these moves as its children, without visits.
    pub(crate) fn root_among(&mut self, position: &G, moves: &[G::Move]) {
        self.tree.clear();
        self.root(position);
        self.tree.add_children(0, moves);
    }

    /// Root moves without a child. The root must be set.
    pub fn root_untried(&self) -> usize {
        let root = &self.tree.nodes[0];
        if root.edges == NONE { root.position.moves().len() } else { (root.moves - root.tried) as usize }
    }

    /// Goes down one move: the subtree behind it becomes the tree. Without such a subtree the tree is dropped.
    pub fn descend(&mut self, played: G::Move) {
        let child = if self.tree.is_empty() {
            None
        } else {
            self.tree.tried(0).find(|edge| edge.chosen == played).map(|edge| edge.child)
        };
        match child {
            None => self.tree.clear(),
            Some(child) => {
                self.tree.copy_below(child, &mut self.spare);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
        }
    }

    /// One iteration from the root, which must be set; gives the points it added.
    ///
    /// With priors, the first iteration of a tree values its root before.
    #[inline]
    pub fn iterate(&mut self, rng: &mut Rng) -> [f64; 2] {
        self.value_root(rng);
        let points = match self.select_leaf(rng) {
            Reached::End(node) => self.end(node, rng),
            Reached::New(node) => self.value(node, Some(node), rng),
            Reached::Full(node) => self.value(node, None, rng),
            Reached::Pending => unreachable!("nothing waits for its value between two iterations"),
        };
        self.back_up(points);
        points
    }

    /// Gives the root its priors, where there are priors and it has none.
    #[inline(always)]
    pub(super) fn value_root(&mut self, rng: &mut Rng) {
        let is_new =
            |root: &super::tree::Node<G>| root.edges == NONE && matches!(root.position.turn(), Turn::Player(_));
        if E::Prior::GIVEN && is_new(&self.tree.nodes[0]) {
            self.value(0, Some(0), rng);
        }
    }

    /// Values the root, where it has no priors yet, and lets `change` change the priors of its moves, which stand in the order of
    /// its edges. Only in a search with priors, whose root is set and is a position at which a player decides.
    pub(crate) fn change_root_priors(&mut self, rng: &mut Rng, change: impl FnOnce(&mut [E::Prior], &mut Rng)) {
        self.value_root(rng);
        let root = &self.tree.nodes[0];
        let range = root.edges as usize..(root.edges + root.moves) as usize;
        let tried = root.tried as usize;
        let edges = &mut self.tree.edges[range];
        let mut priors: Vec<E::Prior> = edges.iter().flatten().map(|edge| edge.prior).collect();
        change(&mut priors, rng);
        for (edge, prior) in edges.iter_mut().flatten().zip(priors) {
            edge.prior = prior;
        }
        sort_by_prior(&mut edges[tried..]);
    }

    /// Goes down to a leaf by the selection, adding it to the tree; leaves the path in `path` and `nodes`.
    #[inline]
    pub(crate) fn select_leaf(&mut self, rng: &mut Rng) -> Reached {
        self.path.clear();
        self.nodes.clear();
        let mut index = 0u32;
        self.nodes.push(index);
        loop {
            let node = &self.tree.nodes[index as usize];
            if E::Prior::GIVEN && node.edges == PENDING {
                return Reached::Pending;
            }
            if node.edges == NONE {
                if index > 0 && self.evaluator.settles(&node.position) {
                    return Reached::End(index);
                }
                // A leaf: the root of a new tree, or a node that is visited again. The first visit of any
                // node but the root is the evaluation that made it.
                self.expand(index, rng);
            }
            let node = &self.tree.nodes[index as usize];
            if node.moves == 0 {
                return Reached::End(index);
            }
            if node.tried < node.moves && self.is_full() {
                return Reached::Full(index);
            }
            let next = match node.position.mover() {
                Turn::Over => return Reached::End(index),
                Turn::Chance => self.draw(index, rng),
                Turn::Player(seat) => self.choose(index, seat, rng),
            };
            match next {
                Next::Down(child) => {
                    index = child;
                    self.nodes.push(index);
                }
                Next::New(child) => return self.draw_below(child, rng),
            }
        }
    }

    /// Makes room for the children of a node.
    #[inline(always)]
    fn expand(&mut self, index: u32, rng: &mut Rng) {
        let position = &self.tree.nodes[index as usize].position;
        if X::ORDERS && matches!(position.mover(), Turn::Player(_)) {
            let moves = position.moves();
            if moves.len() > 1 {
                let order = self.expansion.order(position, &moves, rng);
                return self.tree.expand_in(index, &moves, order);
            }
        }
        self.tree.expand(index);
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.tree.len() >= self.limit.nodes || self.tree.bytes() >= self.limit.bytes
    }

    /// The leaf that a new node is: where nature moves there, its first draw is part of the expansion.
    #[inline]
    fn draw_below(&mut self, child: u32, rng: &mut Rng) -> Reached {
        self.nodes.push(child);
        let mut child = child;
        while self.tree.nodes[child as usize].position.mover() == Turn::Chance {
            self.tree.expand(child);
            if self.tree.nodes[child as usize].moves == 0 {
                break;
            }
            let Next::New(drawn) = self.draw(child, rng) else { unreachable!("nothing was drawn there before") };
            child = drawn;
            self.nodes.push(child);
        }
        let position = &self.tree.nodes[child as usize].position;
        if E::Prior::GIVEN && (position.turn() == Turn::Over || self.evaluator.settles(position)) {
            return Reached::End(child);
        }
        Reached::New(child)
    }

    /// Points of the position of a node by the evaluator, whose priors go to the edges of `expanded`.
    #[inline]
    pub(crate) fn value(&mut self, node: u32, expanded: Option<u32>, rng: &mut Rng) -> [f64; 2] {
        let position = self.tree.nodes[node as usize].position.clone();
        let mut leaf = Leaf { position, points: [0.0; 2], priors: Vec::new() };
        self.evaluator.evaluate(&mut leaf, rng);
        if E::Prior::GIVEN
            && let Some(expanded) = expanded
        {
            self.tree.expand_by(expanded, &leaf.priors);
        }
        leaf.points
    }

    /// Points of the end of the game at `index`, which is the end of the path.
    pub(crate) fn end(&mut self, index: u32, rng: &mut Rng) -> [f64; 2] {
        let position = &self.tree.nodes[index as usize].position;
        let before = self.path.last().and_then(|step| Some((step.seat, self.tree.edges[step.edge as usize].as_ref()?)));
        match before {
            // What was drawn at the first visit came again at each, and so is their mean.
            Some((seat, edge)) if edge.visits > 0 && (self.fixed_ends || self.evaluator.settles(position)) => {
                let mean = edge.total / f64::from(edge.visits);
                let [first, second] = self.evaluator.mean(position);
                let other = if position.facts().players == 2 { first + second - mean } else { 0.0 };
                if seat == 0 { [mean, other] } else { [other, mean] }
            }
            _ => self.evaluator.end(position, rng),
        }
    }

    /// Adds a visit with its points along the path.
    #[inline]
    pub(crate) fn back_up(&mut self, points: [f64; 2]) {
        for &node in &self.nodes {
            self.tree.nodes[node as usize].visits += 1;
        }
        let mut nature = false;
        for &Step { edge, seat, drawn } in &self.path {
            nature |= drawn;
            if let Some(edge) = &mut self.tree.edges[edge as usize] {
                edge.visits += 1;
                edge.total += points[usize::from(seat)];
            }
        }
        if nature {
            self.weigh();
        }
    }

    /// Adds a visit without points along the path.
    #[inline]
    pub(super) fn count_visits(&mut self) {
        for &node in &self.nodes {
            self.tree.nodes[node as usize].visits += 1;
        }
        for step in &self.path {
            if let Some(edge) = &mut self.tree.edges[step.edge as usize] {
                edge.visits += 1;
            }
        }
    }

    /// Adds points to the visits along the path.
    #[inline]
    pub(super) fn add_points(&mut self, points: [f64; 2]) {
        let mut nature = false;
        for &Step { edge, seat, drawn } in &self.path {
            nature |= drawn;
            if let Some(edge) = &mut self.tree.edges[edge as usize] {
                edge.total += points[usize::from(seat)];
            }
        }
        if nature {
            self.weigh();
        }
    }

    /// Makes the mean of every edge of the path that leads to a draw of nature the mean over what nature may draw
    /// there, weighted by its probabilities among the draws seen so far (docs/papers/siea-mcts.md).
    #[cold]
    fn weigh(&mut self) {
        // From the leaf up: a draw may lead to a draw.
        for place in (1..self.path.len()).rev() {
            if !self.path[place].drawn {
                continue;
            }
            let node = self.nodes[place];
            let position = &self.tree.nodes[node as usize].position;
            let (mut sum, mut weight) = (0.0, 0.0);
            for edge in self.tree.tried(node) {
                let probability = position.probability(edge.chosen);
                sum += probability * edge.total / f64::from(edge.visits);
                weight += probability;
            }
            if let Some(edge) = &mut self.tree.edges[self.path[place - 1].edge as usize] {
                edge.total = f64::from(edge.visits) * sum / weight;
            }
        }
    }

    /// A player's step: the best child, or a new one if an untried move scores higher.
    #[inline]
    fn choose(&mut self, index: u32, seat: usize, rng: &mut Rng) -> Next {
        let node = &self.tree.nodes[index as usize];
        let untried = node.moves - node.tried;
        let prior = match E::Prior::GIVEN && untried > 0 {
            // Untried edges stand by falling prior.
            true => self.tree.edges[(node.edges + node.tried) as usize].as_ref().map(|edge| edge.prior),
            false => None,
        };
        let chooser = Chooser { visits: node.visits, own: seat == self.seat };
        let tried = node.edges as usize..(node.edges + node.tried) as usize;
        let unseen = match prior {
            Some(prior) => self.selection.untried_beside(node.visits, &self.tree.edges[tried.clone()], prior),
            None => self.selection.untried_at(chooser, node.tried, E::Prior::default()),
        };
        let mut best = None;
        if untried == 0 || unseen < f64::INFINITY {
            let children = &self.tree.edges[tried];
            best = self.selection.best(chooser, children, rng);
        }
        match best {
            Some((place, score)) if untried == 0 || unseen <= score => {
                let edge = node.edges + place as u32;
                self.path.push(Step { edge, seat: seat as u8, drawn: false });
                Next::Down(self.tree.edges[edge as usize].as_ref().map_or(NONE, |edge| edge.child))
            }
            _ => {
                // With priors, the untried move with the greatest; in order, the next.
                let pick = if untried == 1 || E::Prior::GIVEN || X::ORDERS { 0 } else { below(rng, untried) as usize };
                self.add_child(index, pick, seat as u8, false)
            }
        }
    }

    /// Nature's step.
    fn draw(&mut self, index: u32, rng: &mut Rng) -> Next {
        let seat = self.path.last().map_or(self.seat as u8, |step| step.seat);
        let node = &self.tree.nodes[index as usize];
        let drawn = node.position.chance(rng);
        let known = self.tree.tried(index).position(|edge| edge.chosen == drawn);
        if let Some(offset) = known {
            let edge = node.edges + offset as u32;
            self.path.push(Step { edge, seat, drawn: true });
            return Next::Down(self.tree.edges[edge as usize].as_ref().map_or(NONE, |edge| edge.child));
        }
        let untried = node.untried.as_ref();
        let pick = untried.and_then(|moves| (0..moves.len()).find(|&i| moves.get(i) == drawn));
        self.add_child(index, pick.expect("nature draws a move of the position"), seat, true)
    }

    /// Adds the child for the `pick`-th untried move, or for the first of the edges to be tried.
    #[inline]
    fn add_child(&mut self, index: u32, pick: usize, seat: u8, drawn: bool) -> Next {
        let node = &mut self.tree.nodes[index as usize];
        let edge = node.edges + node.tried;
        let (chosen, prior) = match (&mut node.untried, &self.tree.edges[edge as usize]) {
            (Some(untried), _) => (untried.take(pick), E::Prior::default()),
            (None, Some(edge)) => (edge.chosen, edge.prior),
            (None, None) => unreachable!("an expanded node has moves or edges to be tried"),
        };
        node.tried += 1;
        let mut position = node.position.clone();
        position.play(chosen);
        let child = self.tree.add(position);
        self.tree.edges[edge as usize] = Some(Edge { total: 0.0, visits: 0, child, chosen, prior });
        self.path.push(Step { edge, seat, drawn });
        Next::New(child)
    }

    /// Root moves that were tried, in the order they were first tried.
    pub fn root_stats(&self) -> impl Iterator<Item = SearchStats<G::Move>> + '_ {
        self.tree.children().map(|edge| SearchStats {
            chosen: edge.chosen,
            visits: edge.visits,
            mean: if edge.visits == 0 { 0.0 } else { edge.total / f64::from(edge.visits) },
        })
    }
}

impl<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>, X> Search<G, S, E, X> {
    /// Children of the last node on the way where a player decided: the parent of the one just added.
    pub(crate) fn siblings(&self) -> u32 {
        let deciding = self.path.iter().rposition(|step| !step.drawn).unwrap_or_default();
        self.tree.nodes[self.nodes[deciding] as usize].tried
    }

    /// Takes the node just added from the way, so that its first visit counts for the nodes above it alone.
    pub(crate) fn leave_new(&mut self) {
        let deciding = self.path.iter().rposition(|step| !step.drawn).unwrap_or_default();
        self.path.truncate(deciding);
        self.nodes.truncate(deciding + 1);
    }
}

enum Next {
    /// To a node that was there.
    Down(u32),
    /// To one just made, which wants a value.
    New(u32),
}

/// Where a way down ended.
pub(crate) enum Reached {
    /// At this node the game is over.
    End(u32),
    /// This node is new.
    New(u32),
    /// This node wants another child, and the tree is full.
    Full(u32),
    /// At a node that waits for its value.
    Pending,
}
