//! The experiments that papers ran, as files of the catalogue.

/// One file of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Path below `experiments/catalogue`, without its ending: `evomcts/table-5`.
    pub key: &'static str,
    /// Its text.
    pub source: &'static str,
}

/// Every file of the catalogue, by key.
pub const ALL: &[Item] = &[
    Item { key: "boop/budgets-time", source: include_str!("../catalogue/boop/budgets-time.toml") },
    Item { key: "boop/checkers", source: include_str!("../catalogue/boop/checkers.toml") },
    Item { key: "boop/dodgem", source: include_str!("../catalogue/boop/dodgem.toml") },
    Item { key: "boop/ratings", source: include_str!("../catalogue/boop/ratings.toml") },
    Item { key: "boop/reversi", source: include_str!("../catalogue/boop/reversi.toml") },
    Item { key: "boop/sign", source: include_str!("../catalogue/boop/sign.toml") },
    Item { key: "boop/table-1", source: include_str!("../catalogue/boop/table-1.toml") },
    Item { key: "boop/table-1-released", source: include_str!("../catalogue/boop/table-1-released.toml") },
    Item { key: "boop/table-1-released-time", source: include_str!("../catalogue/boop/table-1-released-time.toml") },
    Item { key: "boop/table-1-time", source: include_str!("../catalogue/boop/table-1-time.toml") },
    Item { key: "boop/table-2", source: include_str!("../catalogue/boop/table-2.toml") },
    Item { key: "boop/table-2-released", source: include_str!("../catalogue/boop/table-2-released.toml") },
    Item { key: "boop/table-2-released-time", source: include_str!("../catalogue/boop/table-2-released-time.toml") },
    Item { key: "boop/table-2-time", source: include_str!("../catalogue/boop/table-2-time.toml") },
    Item { key: "boop/tuning", source: include_str!("../catalogue/boop/tuning.toml") },
    Item { key: "checkers/benchmark", source: include_str!("../catalogue/checkers/benchmark.toml") },
    Item { key: "checkers/benchmark-repaired", source: include_str!("../catalogue/checkers/benchmark-repaired.toml") },
    Item { key: "checkers/dynamic", source: include_str!("../catalogue/checkers/dynamic.toml") },
    Item { key: "checkers/timing", source: include_str!("../catalogue/checkers/timing.toml") },
    Item { key: "checkers/tuning", source: include_str!("../catalogue/checkers/tuning.toml") },
    Item {
        key: "checkers/tuning-project-sizes",
        source: include_str!("../catalogue/checkers/tuning-project-sizes.toml"),
    },
    Item { key: "checkers/tuning-quick", source: include_str!("../catalogue/checkers/tuning-quick.toml") },
    Item { key: "dots-and-boxes/learning", source: include_str!("../catalogue/dots-and-boxes/learning.toml") },
    Item { key: "dots-and-boxes/table-3", source: include_str!("../catalogue/dots-and-boxes/table-3.toml") },
    Item { key: "dots-and-boxes/table-4", source: include_str!("../catalogue/dots-and-boxes/table-4.toml") },
    Item { key: "dots-and-boxes/table-4-s2", source: include_str!("../catalogue/dots-and-boxes/table-4-s2.toml") },
    Item { key: "dots-and-boxes/table-4-s3", source: include_str!("../catalogue/dots-and-boxes/table-4-s3.toml") },
    Item { key: "evomcts/dodgem", source: include_str!("../catalogue/evomcts/dodgem.toml") },
    Item { key: "evomcts/dodgem-small", source: include_str!("../catalogue/evomcts/dodgem-small.toml") },
    Item { key: "evomcts/reversi", source: include_str!("../catalogue/evomcts/reversi.toml") },
    Item { key: "evomcts/reversi-small", source: include_str!("../catalogue/evomcts/reversi-small.toml") },
    Item { key: "evomcts/table-10", source: include_str!("../catalogue/evomcts/table-10.toml") },
    Item { key: "evomcts/table-11", source: include_str!("../catalogue/evomcts/table-11.toml") },
    Item { key: "evomcts/table-12", source: include_str!("../catalogue/evomcts/table-12.toml") },
    Item { key: "evomcts/table-5", source: include_str!("../catalogue/evomcts/table-5.toml") },
    Item { key: "evomcts/table-6", source: include_str!("../catalogue/evomcts/table-6.toml") },
    Item { key: "evomcts/table-7", source: include_str!("../catalogue/evomcts/table-7.toml") },
    Item { key: "evomcts/table-8", source: include_str!("../catalogue/evomcts/table-8.toml") },
    Item { key: "quickstart", source: include_str!("../catalogue/quickstart.toml") },
    Item { key: "siea-mcts/beyond", source: include_str!("../catalogue/siea-mcts/beyond.toml") },
    Item {
        key: "siea-mcts/beyond-carcassonne",
        source: include_str!("../catalogue/siea-mcts/beyond-carcassonne.toml"),
    },
    Item {
        key: "siea-mcts/beyond-carcassonne-base",
        source: include_str!("../catalogue/siea-mcts/beyond-carcassonne-base.toml"),
    },
    Item { key: "siea-mcts/fop", source: include_str!("../catalogue/siea-mcts/fop.toml") },
    Item { key: "siea-mcts/reversi", source: include_str!("../catalogue/siea-mcts/reversi.toml") },
    Item { key: "siea-mcts/table-5-10", source: include_str!("../catalogue/siea-mcts/table-5-10.toml") },
    Item { key: "siea-mcts/table-5-11", source: include_str!("../catalogue/siea-mcts/table-5-11.toml") },
    Item { key: "siea-mcts/table-5-4", source: include_str!("../catalogue/siea-mcts/table-5-4.toml") },
    Item { key: "siea-mcts/table-5-5", source: include_str!("../catalogue/siea-mcts/table-5-5.toml") },
    Item { key: "siea-mcts/table-5-6", source: include_str!("../catalogue/siea-mcts/table-5-6.toml") },
    Item { key: "siea-mcts/table-5-7", source: include_str!("../catalogue/siea-mcts/table-5-7.toml") },
    Item { key: "siea-mcts/table-5-8", source: include_str!("../catalogue/siea-mcts/table-5-8.toml") },
    Item { key: "siea-mcts/table-6-2", source: include_str!("../catalogue/siea-mcts/table-6-2.toml") },
    Item { key: "siea-mcts/table-6-3", source: include_str!("../catalogue/siea-mcts/table-6-3.toml") },
    Item { key: "siea-mcts/table-6-4", source: include_str!("../catalogue/siea-mcts/table-6-4.toml") },
    Item { key: "siea-mcts/table-6-8", source: include_str!("../catalogue/siea-mcts/table-6-8.toml") },
    Item {
        key: "siea-mcts/tuning-carcassonne",
        source: include_str!("../catalogue/siea-mcts/tuning-carcassonne.toml"),
    },
    Item { key: "tuning-dodgem", source: include_str!("../catalogue/tuning-dodgem.toml") },
];
