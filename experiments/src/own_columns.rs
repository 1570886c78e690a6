//! Columns of a game's own ([`games::columns`]) as columns of rows: behind those that all rows of a shape have, so that
//! games without any have the rows that they always had.

use games::{
    Facts,
    columns::{ColumnKind, ColumnValue, fields},
};
use record::{Column, ColumnType, Value, columns::pure};

/// The columns of a game with these facts, in the order of its values.
pub(crate) fn columns(facts: &Facts) -> Vec<Column> {
    let kind = |kind| match kind {
        ColumnKind::Int => ColumnType::Int,
        ColumnKind::Real => ColumnType::Real,
        ColumnKind::List => ColumnType::Text,
    };
    let column = |(name, own): (String, ColumnKind)| pure(name, kind(own));
    fields(facts).into_iter().map(column).collect()
}

/// A value in its column. A list is text: its numbers between blanks.
pub(crate) fn value(own: &ColumnValue) -> Value {
    match own {
        ColumnValue::Int(value) => Value::Int(*value),
        ColumnValue::Real(value) => Value::Real(*value),
        ColumnValue::List(values) => Value::Text(values.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use games::GameSpec;
    use record::{
        columns::{generation_shape, match_shape},
        study::study_shape,
    };

    use super::*;

    #[test]
    fn no_game_has_a_column_that_rows_have_already() {
        let names = games::all().iter().map(|entry| entry.name).chain(["toy-race"]);
        for name in names {
            let game: GameSpec = name.parse().expect("every game has defaults");
            let own = columns(&game.facts());
            for shape in [match_shape(true), generation_shape(), study_shape()] {
                assert!(own.iter().all(|column| !shape.has(&column.name)), "{name}: {own:?}");
            }
        }
    }
}
