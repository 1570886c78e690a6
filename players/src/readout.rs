//! What a decision's search left: the read-out of a statistical tree (SIEA-MCTS thesis, section 5.5;
//! docs/papers/siea-mcts.md).

/// The figures, listed once: their struct, their names, and what is done with all of them.
macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Figures of a search tree and of the formula that grew it. All are plain numbers, so that means over the
        /// decisions of a game are made of them.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Metrics {
            $($(#[doc = $doc])+ pub $name: f64,)+
        }

        impl Metrics {
            /// Names of all figures, in their order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// All figures, in the order of [`Metrics::NAMES`].
            pub fn values(&self) -> impl Iterator<Item = f64> {
                [$(self.$name),+].into_iter()
            }

            /// Adds another decision's.
            pub fn add(&mut self, other: &Metrics) {
                $(self.$name += other.$name;)+
            }

            /// Divides all by a number of decisions.
            pub fn divide(&mut self, count: f64) {
                $(self.$name /= count;)+
            }
        }
    };
}

metrics! {
    /// Positions in the tree, the root counted.
    nodes,
    /// Expansions an iteration, 0 to 1; an action with its first draw of nature is one.
    expansion_rate,
    /// Different terminal positions in the tree.
    terminals,
    /// Mean depth of nodes without children; the root's depth is 0.
    leaf_depth,
    /// Population deviation of those depths within the tree.
    leaf_depth_sd,
    /// Depth of the deepest node.
    depth_max,
    /// Points of the player who searched at the end of the walk along most visited children, as if the game ended
    /// there.
    by_visits,
    /// The same along the children of highest mean.
    by_reward,
    /// Share of the visits of the root's children that the most visited one has, 0 to 1.
    root_share,
    /// Nodes of the final formula; 0 where none was evolved.
    formula_nodes,
    /// 1 if the final formula holds Q, the mean reward of the child.
    uses_q,
    /// 1 if it holds n, the visits of the child.
    uses_visits,
    /// 1 if it holds N, the visits of the parent.
    uses_parent_visits,
    /// 1 if it holds a constant C.
    uses_c,
    /// Fitness of the final formula: mean reward of its fitness iterations.
    fitness,
    /// Formulas whose fitness was measured.
    formulas,
    /// Finished generations.
    generations,
    /// Iterations that measured fitness.
    fitness_iterations,
    /// Generations in which several formulas shared the best fitness.
    ties,
    /// Ties that semantics decided.
    semantic_choices,
}

/// What a decision's search left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readout {
    /// Figures of tree and formula.
    pub metrics: Metrics,
    /// Visits of the root's children by the texts of their moves, most visited first.
    pub root_visits: Vec<(String, u32)>,
    /// Nodes without the root, by place ([`games::Game::place`]) and by the third of the iterations in which they were
    /// added; no bins of games without a place.
    pub histogram: [Vec<u32>; 3],
    /// The final formula; empty where none was evolved.
    pub formula: String,
}

/// How a tree grew: what it does not tell itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// Iterations spent.
    pub iterations: u64,
    /// Positions in the tree after a third and after two thirds of them.
    pub thirds: [usize; 2],
}
