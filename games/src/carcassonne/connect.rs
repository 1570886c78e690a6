//! What tiles connect: cities, roads and fields, each a set of segments with a *root* among them.
//!
//! Segments are numbered in the order in which they are laid, each kind for itself. Of two features that a tile
//! joins, the root of the one that is met first, going round the tile from the north, becomes the root of both.

use super::{
    Laid,
    board::Content,
    rules::Rules,
    strips::{Claims, Strips, root},
    tile::{MATCHING, OPPOSITE, ORIENTED, Oriented, SIDES, edge},
};

/// Cities of all tiles; both decks have the same.
const CITIES: usize = 49;
/// Roads of all tiles.
const ROADS: usize = 62;
/// Fields of all tiles.
const FIELDS: usize = 126;
/// Most finished cities: each has two segments at least.
const FINISHED_MAX: usize = CITIES / 2;

/// A feature that the last tile finished, or one that stands.
#[derive(Clone, Copy)]
pub(super) struct Feature {
    /// Number of its root.
    pub(super) root: u8,
    /// Tiles, and pennants of a city; of a field the finished cities that it touches.
    pub(super) size: u8,
    pub(super) claims: Claims,
}

/// Cities, roads and fields of a board.
#[derive(Clone)]
pub(super) struct Features {
    cities: Strips<CITIES>,
    roads: Strips<ROADS>,
    field_parents: [u8; FIELDS],
    field_claims: [Claims; FIELDS],
    /// `[field root]`: the city segments that it touches; with stale cities, their roots when its tiles were laid.
    field_cities: [u64; FIELDS],
    fields: u8,
    /// `[city root]`: its segments.
    city_segments: [u64; CITIES],
    /// Segments of each finished city; with stale cities, only its root.
    finished: [u64; FINISHED_MAX],
    finished_cities: u8,
}

impl Features {
    pub(super) fn new() -> Self {
        Features {
            cities: Strips::EMPTY,
            roads: Strips::EMPTY,
            field_parents: [0; FIELDS],
            field_claims: [Claims::default(); FIELDS],
            field_cities: [0; FIELDS],
            fields: 0,
            city_segments: [0; CITIES],
            finished: [0; FINISHED_MAX],
            finished_cities: 0,
        }
    }

    /// The numbers that the first city, road and field of the next tile get.
    #[inline]
    pub(super) fn next(&self) -> [u8; 3] {
        [self.cities.count, self.roads.count, self.fields]
    }

    /// Adds the segments of a tile and joins them with those of the tiles at its sides, among `laid`.
    #[inline]
    pub(super) fn lay(&mut self, tile: &Oriented, beside: &[Content; SIDES], laid: &[Laid], rules: &Rules) {
        let [cities, roads, fields] = tile.counts.map(usize::from);
        let first_city = self.cities.add(&tile.cities[..cities], tile.worth, rules.segments_twice);
        let first_road = self.roads.add(&tile.roads[..roads], 1, rules.segments_twice);
        let first_field = self.fields;
        for city in first_city..self.cities.count {
            self.city_segments[usize::from(city)] = 1 << city;
        }
        for field in 0..fields {
            let at = usize::from(first_field) + field;
            self.field_parents[at] = at as u8;
            self.field_claims[at] = Claims::default();
            let touched = u64::from(tile.touches[field]) << first_city;
            self.field_cities[at] = if rules.stale_cities { 0 } else { touched };
        }
        self.fields += fields as u8;
        for (side, content) in beside.iter().enumerate() {
            let &Content::Tile(neighbour) = content else { continue };
            let neighbour = &laid[usize::from(neighbour)];
            let other = &ORIENTED[usize::from(neighbour.oriented)];
            let (own_centre, other_centre) = (tile.centre[side], other.centre[OPPOSITE[side]]);
            match tile.edges[side] {
                edge::CITY => {
                    let joined =
                        self.cities.join(first_city, first_city + own_centre, neighbour.first[0] + other_centre);
                    if let Some((stays, goes)) = joined {
                        self.city_segments[usize::from(stays)] |= self.city_segments[usize::from(goes)];
                    }
                }
                edge::ROAD => {
                    self.roads.join(first_road, first_road + own_centre, neighbour.first[1] + other_centre);
                    self.join_fields(first_field, tile, 2 * side, neighbour, other);
                    self.join_fields(first_field, tile, 2 * side + 1, neighbour, other);
                }
                // Both halves belong to one field.
                _ => self.join_fields(first_field, tile, 2 * side, neighbour, other),
            }
        }
        if rules.stale_cities {
            self.number_cities(tile, first_city, first_field);
        }
    }

    #[inline]
    fn join_fields(&mut self, first: u8, tile: &Oriented, half: usize, neighbour: &Laid, other: &Oriented) {
        let own = root(&self.field_parents, first + tile.halves[half]);
        let other = root(&self.field_parents, neighbour.first[2] + other.halves[MATCHING[half]]);
        if own == other {
            return;
        }
        let (stays, goes) = if own >= first { (other, own) } else { (own, other) };
        self.field_parents[usize::from(goes)] = stays;
        let (claims, cities) = (self.field_claims[usize::from(goes)], self.field_cities[usize::from(goes)]);
        self.field_claims[usize::from(stays)].add(claims);
        self.field_cities[usize::from(stays)] |= cities;
    }

    /// Writes down the roots that the cities of the newest tile have now, for the fields that touch them.
    #[cold]
    fn number_cities(&mut self, tile: &Oriented, first_city: u8, first_field: u8) {
        for field in 0..tile.counts[2] {
            let touched = (0..tile.counts[0]).filter(|city| tile.touches[usize::from(field)] >> city & 1 == 1);
            let numbers = touched.fold(0, |set, city| set | 1u64 << self.cities.root(first_city + city));
            self.field_cities[usize::from(root(&self.field_parents, first_field + field))] |= numbers;
        }
    }

    /// Marks the city of a segment as finished if the last tile finished it.
    #[inline]
    pub(super) fn finish_city(&mut self, segment: u8, rules: &Rules) -> Option<Feature> {
        let (root, strip) = self.cities.finish(segment)?;
        let segments = if rules.stale_cities { 1 << root } else { self.city_segments[usize::from(root)] };
        self.finished[usize::from(self.finished_cities)] = segments;
        self.finished_cities += 1;
        Some(Feature { root, size: strip.size, claims: strip.claims })
    }

    /// Marks the road of a segment as finished if the last tile finished it.
    #[inline]
    pub(super) fn finish_road(&mut self, segment: u8) -> Option<Feature> {
        let (root, strip) = self.roads.finish(segment)?;
        Some(Feature { root, size: strip.size, claims: strip.claims })
    }

    /// The city of a segment.
    #[inline]
    pub(super) fn city(&self, segment: u8) -> Feature {
        let (root, strip) = self.cities.get(segment);
        Feature { root, size: strip.size, claims: strip.claims }
    }

    /// The road of a segment.
    #[inline]
    pub(super) fn road(&self, segment: u8) -> Feature {
        let (root, strip) = self.roads.get(segment);
        Feature { root, size: strip.size, claims: strip.claims }
    }

    /// The field of a segment.
    #[inline]
    pub(super) fn field(&self, segment: u8) -> Feature {
        let root = root(&self.field_parents, segment);
        let touched = self.field_cities[usize::from(root)];
        let finished = &self.finished[..usize::from(self.finished_cities)];
        let size = finished.iter().filter(|&&segments| segments & touched != 0).count() as u8;
        Feature { root, size, claims: self.field_claims[usize::from(root)] }
    }

    /// Whether a meeple stands in the field of a segment.
    #[inline]
    pub(super) fn is_field_claimed(&self, segment: u8) -> bool {
        !self.field_claims[usize::from(root(&self.field_parents, segment))].is_empty()
    }

    /// Cities that are not finished: their number, and their tiles and pennants.
    pub(super) fn open_cities(&self) -> (u32, u32) {
        self.cities.open().fold((0, 0), |(count, size), city| (count + 1, size + u32::from(city.size)))
    }

    /// Tiles of the roads that are not finished.
    pub(super) fn open_road_size(&self) -> u32 {
        self.roads.open().map(|road| u32::from(road.size)).sum()
    }

    /// Number of finished cities.
    pub(super) fn finished_cities(&self) -> u32 {
        self.finished_cities.into()
    }

    /// Puts a meeple on the city of a segment.
    #[inline]
    pub(super) fn claim_city(&mut self, segment: u8, seat: u8) {
        self.cities.claim(segment, seat);
    }

    /// Puts a meeple on the road of a segment.
    #[inline]
    pub(super) fn claim_road(&mut self, segment: u8, seat: u8) {
        self.roads.claim(segment, seat);
    }

    /// Puts a meeple on the field of a segment.
    #[inline]
    pub(super) fn claim_field(&mut self, segment: u8, seat: u8) {
        let root = root(&self.field_parents, segment);
        self.field_claims[usize::from(root)].add(Claims::of(seat));
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            rules::Deck,
            tile::{START, TILES},
        },
        *,
    };
    use crate::carcassonne::Variant;

    #[test]
    fn there_is_room_for_the_segments_of_both_decks() {
        for deck in [Deck::Printed, Deck::Thesis] {
            let mut copies = Rules { deck, ..Rules::of(Variant::Base) }.copies();
            copies[usize::from(START)] += 1;
            let sum = |count: fn(&super::super::tile::Tile) -> usize| -> usize {
                TILES.iter().zip(copies).map(|(tile, copies)| count(tile) * usize::from(copies)).sum()
            };
            assert_eq!(sum(|tile| tile.cities.len()), CITIES);
            assert_eq!(sum(|tile| tile.roads.len()), ROADS);
            assert_eq!(sum(|tile| tile.fields.len()), FIELDS);
            assert!(
                sum(|tile| usize::from(tile.cities.len() > 1)) <= 8
                    && sum(|tile| usize::from(tile.roads.len() > 1)) <= 8
            );
        }
    }
}
