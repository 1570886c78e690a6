//! What a seat can still win at most, for bounds of the score.

use super::{
    Carcassonne,
    rules::Rules,
    tile::{NONE, Source, TILES, TYPES},
};

/// Points of a cloister with all its neighbours.
const CLOISTER: u32 = 9;
/// Points of a field for each finished city.
const FIELD: u32 = 3;

/// What the tiles that are not on the board hold.
#[derive(Default)]
struct ToCome {
    cities: u32,
    /// Tiles and pennants of the cities.
    city_size: u32,
    roads: u32,
    cloisters: u32,
}

impl ToCome {
    fn of(game: &Carcassonne) -> Self {
        let mut copies = *game.stack.copies();
        for &kind in game.stack.order().iter().chain((game.drawn != NONE).then_some(&game.drawn)) {
            copies[usize::from(kind)] += 1;
        }
        let mut sum = ToCome::default();
        for kind in 0..TYPES {
            let (tile, copies) = (&TILES[kind], u32::from(copies[kind]));
            let cities = tile.cities.len() as u32;
            sum.cities += copies * cities;
            sum.city_size += copies * cities * (1 + u32::from(tile.pennant));
            sum.roads += copies * tile.roads.len() as u32;
            sum.cloisters += copies * u32::from(tile.cloister);
        }
        sum
    }
}

/// Upper bounds, by seat, of the points that it can win from here on. They never grow faster than points are won, so
/// that the bounds of a score never widen.
///
/// Every feature that is not finished is counted as if it were finished for the seat, and all its meeples as if they
/// ended on fields that touch all cities. Each city that is yet to be finished takes a segment of the tiles to come
/// and another one, or a city that stands open.
pub(super) fn still_to_win(game: &Carcassonne) -> [u32; 2] {
    let Rules { meeples, players, .. } = game.rules;
    let to_come = ToCome::of(game);
    let (open_cities, open_city_size) = game.features.open_cities();
    let cities = 2 * (open_city_size + to_come.city_size);
    let roads = game.features.open_road_size() + to_come.roads;
    let finishing = to_come.cities.min((open_cities + to_come.cities) / 2);
    let fields = FIELD * u32::from(meeples) * (game.features.finished_cities() + finishing);
    std::array::from_fn(|seat| {
        if seat >= usize::from(players) {
            return 0;
        }
        let monks = game.standing().filter(|&meeple| meeple == (Source::Cloister, seat)).count() as u32;
        cities + roads + CLOISTER * (monks + to_come.cloisters) + fields
    })
}
