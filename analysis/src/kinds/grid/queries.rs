//! What polars counts in a batch of games.

use polars::prelude::{DataType, Expr, LazyFrame, col, len, lit, when};

pub(super) fn by_seat(games: LazyFrame) -> LazyFrame {
    games.group_by([col("pair"), col("swapped")]).agg([
        len().alias("games"),
        col("first_points").eq(lit(1.0)).sum().alias("wins"),
        col("first_points").eq(lit(0.5)).sum().alias("draws"),
        col("plies").sum(),
        (col("plies") * col("plies")).sum().alias("plies_squares"),
        col("first_decisions").sum(),
        col("second_decisions").sum(),
        col("first_iterations").sum(),
        col("second_iterations").sum(),
        col("first_us").sum(),
        col("second_us").sum(),
    ])
}

pub(super) fn by_margin(games: LazyFrame) -> LazyFrame {
    games.group_by([col("pair"), col("swapped"), col("score_difference")]).agg([len().alias("games")])
}

/// Whole units by what they gave to a: the two games of a unit share their luck and are one observation.
/// Those of one game, of `size` 1, count twice, so that half points and margins are those of two games everywhere.
pub(super) fn by_unit(games: LazyFrame, size: u32) -> LazyFrame {
    let times = lit(i64::from(2 / size));
    let of_a = |swapped: Expr, otherwise: Expr| when(col("swapped")).then(swapped).otherwise(otherwise);
    let half_points = || (col("first_points") * lit(2.0)).cast(DataType::Int64);
    games
        .group_by([col("pair"), col("unit")])
        .agg([
            (of_a(lit(2i64) - half_points(), half_points()).sum() * times.clone()).alias("half_points"),
            (of_a(lit(0i64) - col("score_difference"), col("score_difference")).sum() * times).alias("margin"),
            len().alias("size"),
        ])
        .filter(col("size").eq(lit(size)))
        .group_by([col("pair"), col("half_points"), col("margin")])
        .agg([len().alias("units")])
}
