//! The 24 types of tiles, and each type in its four rotations.
//!
//! Sides are named N, E, S, W, and each has two halves, which roads part: fields are connected by halves. Rotations
//! are quarter turns clockwise. Parts of a tile are its *segments*: cities first, then roads, then fields, then the
//! cloister.

/// Types of tiles.
pub(super) const TYPES: usize = 24;
/// Sides of a square.
pub(super) const SIDES: usize = 4;
/// Halves of sides, clockwise from the western half of the northern side: halves `2 * side` and `2 * side + 1` are
/// those of a side.
pub(super) const HALVES: usize = 8;
/// Most segments of a tile.
pub(super) const SEGMENTS_MAX: usize = 8;
/// Not a segment.
pub(super) const NONE: u8 = u8::MAX;

/// The type of the start tile, D.
pub(super) const START: u8 = 3;

/// Names of sides.
pub(super) const SIDE_NAMES: [&str; SIDES] = ["N", "E", "S", "W"];
/// Names of halves.
pub(super) const HALF_NAMES: [&str; HALVES] =
    ["N-west", "N-east", "E-north", "E-south", "S-east", "S-west", "W-south", "W-north"];

/// `[side]`: the side of the neighbour that touches it.
pub(super) const OPPOSITE: [usize; SIDES] = [2, 3, 0, 1];
/// `[half]`: the half of the neighbour at the same place.
pub(super) const MATCHING: [usize; HALVES] = [5, 4, 7, 6, 1, 0, 3, 2];

/// What a segment is, and what points come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Finished when no edge of it is open: 2 points for each tile and pennant, else 1.
    City,
    /// Finished when no end of it is open: 1 point for each tile.
    Road,
    /// Finished when its eight neighbours are laid: 1 point for itself and each neighbour.
    Cloister,
    /// 3 points at the end for each finished city that it touches.
    Field,
}

impl Source {
    /// In the order of points by source.
    pub const ALL: [Source; 4] = [Source::City, Source::Road, Source::Cloister, Source::Field];

    /// The word in texts.
    pub fn name(self) -> &'static str {
        match self {
            Source::City => "city",
            Source::Road => "road",
            Source::Cloister => "cloister",
            Source::Field => "field",
        }
    }
}

/// What lies at a side, in two bits of a key; 0 is a side without neighbour.
pub(super) mod edge {
    pub(in super::super) const FIELD: u8 = 1;
    pub(in super::super) const ROAD: u8 = 2;
    pub(in super::super) const CITY: u8 = 3;
}

/// A type of tiles, as printed.
pub(super) struct Tile {
    /// Tiles of the type in the printed deck, the start tile among them.
    pub(super) copies: u8,
    /// Rotations that look different.
    pub(super) rotations: u8,
    pub(super) pennant: bool,
    pub(super) cloister: bool,
    /// Sets of sides.
    pub(super) cities: &'static [u8],
    /// Sets of sides.
    pub(super) roads: &'static [u8],
    /// Sets of halves, and the sets of the tile's cities that they touch.
    pub(super) fields: &'static [(u8, u8)],
}

const fn tile(
    (copies, rotations): (u8, u8),
    pennant: bool,
    cloister: bool,
    cities: &'static [u8],
    roads: &'static [u8],
    fields: &'static [(u8, u8)],
) -> Tile {
    Tile { copies, rotations, pennant, cloister, cities, roads, fields }
}

const N: u8 = 1;
const E: u8 = 2;
const S: u8 = 4;
const W: u8 = 8;

const N_WEST: u8 = 1;
const N_EAST: u8 = 2;
const E_NORTH: u8 = 4;
const E_SOUTH: u8 = 8;
const S_EAST: u8 = 16;
const S_WEST: u8 = 32;
const W_SOUTH: u8 = 64;
const W_NORTH: u8 = 128;
const NN: u8 = N_WEST | N_EAST;
const EE: u8 = E_NORTH | E_SOUTH;
const SS: u8 = S_EAST | S_WEST;
const WW: u8 = W_SOUTH | W_NORTH;
const ALL: u8 = NN | EE | SS | WW;

/// The types A to X of the printed deck.
#[rustfmt::skip]
pub(super) static TILES: [Tile; TYPES] = TABLE;

#[rustfmt::skip]
const TABLE: [Tile; TYPES] = [
    // copies and rotations, pennant, cloister, cities, roads, fields
    tile((2, 4), false, true, &[], &[S], &[(ALL, 0)]), // A
    tile((4, 1), false, true, &[], &[], &[(ALL, 0)]), // B
    tile((1, 1), true, false, &[N | E | S | W], &[], &[]), // C
    tile((4, 4), false, false, &[N], &[E | W], &[(E_NORTH | W_NORTH, 1), (E_SOUTH | SS | W_SOUTH, 0)]), // D
    tile((5, 4), false, false, &[N], &[], &[(EE | SS | WW, 1)]), // E
    tile((2, 2), true, false, &[E | W], &[], &[(NN, 1), (SS, 1)]), // F
    tile((1, 2), false, false, &[N | S], &[], &[(EE, 1), (WW, 1)]), // G
    tile((3, 2), false, false, &[E, W], &[], &[(NN | SS, 3)]), // H
    tile((2, 4), false, false, &[E, S], &[], &[(NN | WW, 3)]), // I
    tile((3, 4), false, false, &[N], &[E | S], &[(E_NORTH | S_WEST | WW, 1), (E_SOUTH | S_EAST, 0)]), // J
    tile((3, 4), false, false, &[E], &[N | W], &[(N_EAST | SS | W_SOUTH, 1), (N_WEST | W_NORTH, 0)]), // K
    tile((3, 4), false, false, &[E], &[N, S, W],
        &[(N_EAST | S_EAST, 1), (S_WEST | W_SOUTH, 0), (N_WEST | W_NORTH, 0)]), // L
    tile((2, 4), true, false, &[N | W], &[], &[(EE | SS, 1)]), // M
    tile((3, 4), false, false, &[N | W], &[], &[(EE | SS, 1)]), // N
    tile((2, 4), true, false, &[N | W], &[E | S], &[(E_NORTH | S_WEST, 1), (E_SOUTH | S_EAST, 0)]), // O
    tile((3, 4), false, false, &[N | W], &[E | S], &[(E_NORTH | S_WEST, 1), (E_SOUTH | S_EAST, 0)]), // P
    tile((1, 4), true, false, &[N | E | W], &[], &[(SS, 1)]), // Q
    tile((3, 4), false, false, &[N | E | W], &[], &[(SS, 1)]), // R
    tile((2, 4), true, false, &[N | E | W], &[S], &[(S_EAST, 1), (S_WEST, 1)]), // S
    tile((1, 4), false, false, &[N | E | W], &[S], &[(S_EAST, 1), (S_WEST, 1)]), // T
    tile((8, 2), false, false, &[], &[N | S], &[(N_EAST | EE | S_EAST, 0), (N_WEST | S_WEST | WW, 0)]), // U
    tile((9, 4), false, false, &[], &[S | W], &[(S_WEST | W_SOUTH, 0), (NN | EE | S_EAST | W_NORTH, 0)]), // V
    tile((4, 4), false, false, &[], &[E, S, W],
        &[(NN | E_NORTH | W_NORTH, 0), (E_SOUTH | S_EAST, 0), (S_WEST | W_SOUTH, 0)]), // W
    tile((1, 1), false, false, &[], &[N, E, S, W],
        &[(N_EAST | E_NORTH, 0), (E_SOUTH | S_EAST, 0), (S_WEST | W_SOUTH, 0), (N_WEST | W_NORTH, 0)]), // X
];

/// The letter of a type.
pub(super) fn letter(kind: u8) -> char {
    (b'A' + kind) as char
}

/// The type with a letter.
pub(super) fn of_letter(letter: char) -> Option<u8> {
    letter.is_ascii_uppercase().then(|| letter as u8 - b'A').filter(|&kind| usize::from(kind) < TYPES)
}

/// A type in one rotation.
#[derive(Clone, Copy)]
pub(super) struct Oriented {
    /// What lies at the sides, two bits for each, north lowest.
    pub(super) key: u8,
    /// `[side]`: what lies there ([`edge`]).
    pub(super) edges: [u8; SIDES],
    /// `[side]`: the number of the city or the road there, among the tile's; [`NONE`] at a field.
    pub(super) centre: [u8; SIDES],
    /// `[half]`: the number of the field there, among the tile's; [`NONE`] at a city.
    pub(super) halves: [u8; HALVES],
    /// Cities, roads and fields.
    pub(super) counts: [u8; 3],
    /// `[city]`: its sides.
    pub(super) cities: [u8; 2],
    /// `[road]`: its sides.
    pub(super) roads: [u8; 4],
    /// `[field]`: its halves.
    pub(super) fields: [u8; 4],
    /// `[field]`: the tile's cities that it touches.
    pub(super) touches: [u8; 4],
    /// Tiles and pennants of each city of the tile.
    pub(super) worth: u8,
    pub(super) cloister: bool,
    /// Number of segments that can be claimed.
    pub(super) segments: u8,
    /// `[segment]`: where it touches neighbours, sides in bits 0 to 3 and halves in bits 4 to 11; bit
    /// [`Oriented::NO_SEGMENT`] where the tile has no such segment.
    pub(super) reach: [u16; SEGMENTS_MAX],
}

impl Oriented {
    /// Bit of `reach` that marks a segment that a tile lacks.
    pub(super) const NO_SEGMENT: u16 = 1 << 12;

    /// What a segment is, and its number among those of its kind; [`NONE`] stands for no such segment.
    pub(super) fn segment(&self, segment: u8) -> Option<(Source, u8)> {
        let [cities, roads, fields] = self.counts;
        match segment {
            s if s < cities => Some((Source::City, s)),
            s if s < cities + roads => Some((Source::Road, s - cities)),
            s if s < cities + roads + fields => Some((Source::Field, s - cities - roads)),
            s if s < self.segments => Some((Source::Cloister, 0)),
            _ => None,
        }
    }
}

/// Types in their rotations: `4 * type + rotation`.
pub(super) static ORIENTED: [Oriented; 4 * TYPES] = oriented();

/// `[type][key]`: the rotations of the type, of those that look different, that fit on a square whose sides have this
/// key: bit `rotation`.
pub(super) static FITTING: [[u8; 256]; TYPES] = fitting();

/// `[key]`: the types that fit on such a square: bit `type`.
pub(super) static TYPES_FITTING: [u32; 256] = types_fitting();

/// Turns a set of sides clockwise.
const fn turn_sides(sides: u8, quarters: u32) -> u8 {
    (sides << quarters | sides >> (4 - quarters)) & 15
}

const fn oriented() -> [Oriented; 4 * TYPES] {
    let empty = Oriented {
        key: 0,
        edges: [edge::FIELD; SIDES],
        centre: [NONE; SIDES],
        halves: [NONE; HALVES],
        counts: [0; 3],
        cities: [0; 2],
        roads: [0; 4],
        fields: [0; 4],
        touches: [0; 4],
        worth: 0,
        cloister: false,
        segments: 0,
        reach: [Oriented::NO_SEGMENT; SEGMENTS_MAX],
    };
    let mut all = [empty; 4 * TYPES];
    let mut index = 0;
    while index < 4 * TYPES {
        all[index] = turned(&TABLE[index / 4], index as u32 % 4, empty);
        index += 1;
    }
    all
}

const fn turned(tile: &Tile, quarters: u32, empty: Oriented) -> Oriented {
    let mut o = empty;
    let mut segment = 0;
    let mut i = 0;
    while i < tile.cities.len() {
        o.cities[i] = turn_sides(tile.cities[i], quarters);
        o.reach[segment] = o.cities[i] as u16;
        let mut side = 0;
        while side < SIDES {
            if o.cities[i] >> side & 1 == 1 {
                (o.edges[side], o.centre[side]) = (edge::CITY, i as u8);
            }
            side += 1;
        }
        (i, segment) = (i + 1, segment + 1);
    }
    i = 0;
    while i < tile.roads.len() {
        o.roads[i] = turn_sides(tile.roads[i], quarters);
        o.reach[segment] = o.roads[i] as u16;
        let mut side = 0;
        while side < SIDES {
            if o.roads[i] >> side & 1 == 1 {
                (o.edges[side], o.centre[side]) = (edge::ROAD, i as u8);
            }
            side += 1;
        }
        (i, segment) = (i + 1, segment + 1);
    }
    i = 0;
    while i < tile.fields.len() {
        o.fields[i] = tile.fields[i].0.rotate_left(2 * quarters);
        o.touches[i] = tile.fields[i].1;
        o.reach[segment] = (o.fields[i] as u16) << 4;
        let mut half = 0;
        while half < HALVES {
            if o.fields[i] >> half & 1 == 1 {
                o.halves[half] = i as u8;
            }
            half += 1;
        }
        (i, segment) = (i + 1, segment + 1);
    }
    o.counts = [tile.cities.len() as u8, tile.roads.len() as u8, tile.fields.len() as u8];
    if tile.cloister {
        // A cloister touches no neighbour's segment.
        o.reach[segment] = 0;
        segment += 1;
    }
    o.segments = segment as u8;
    o.cloister = tile.cloister;
    o.worth = 1 + tile.pennant as u8;
    let mut side = 0;
    while side < SIDES {
        o.key |= o.edges[side] << (2 * side);
        side += 1;
    }
    o
}

const fn fits(key: u8, around: u8) -> bool {
    let mut side = 0;
    while side < SIDES {
        let wanted = around >> (2 * side) & 3;
        if wanted != 0 && wanted != key >> (2 * side) & 3 {
            return false;
        }
        side += 1;
    }
    true
}

const fn fitting() -> [[u8; 256]; TYPES] {
    let all = oriented();
    let mut table = [[0; 256]; TYPES];
    let mut index = 0;
    while index < 4 * TYPES {
        let (kind, rotation) = (index / 4, index % 4);
        let mut around = 0;
        while around < 256 && rotation < TABLE[kind].rotations as usize {
            if fits(all[index].key, around as u8) {
                table[kind][around] |= 1 << rotation;
            }
            around += 1;
        }
        index += 1;
    }
    table
}

const fn types_fitting() -> [u32; 256] {
    let table = fitting();
    let mut types = [0; 256];
    let mut kind = 0;
    while kind < TYPES {
        let mut around = 0;
        while around < 256 {
            if table[kind][around] != 0 {
                types[around] |= 1 << kind;
            }
            around += 1;
        }
        kind += 1;
    }
    types
}
