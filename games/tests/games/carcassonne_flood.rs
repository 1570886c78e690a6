//! Carcassonne again, written from the rules: tiles on a map of squares, and features found by flooding at every turn. The
//! table of tiles is the oracle's (tests/oracles/carcassonne-tiles.json).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use games::carcassonne::{Deck, Rules};
use serde_json::Value as Json;

/// Names of sides and halves in the order of the oracle, clockwise.
const SIDES: [&str; 4] = ["N", "E", "S", "W"];
const HALVES: [&str; 8] = ["N-west", "N-east", "E-north", "E-south", "S-east", "S-west", "W-south", "W-north"];
const STEPS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub(crate) const SOURCES: [&str; 4] = ["city", "road", "cloister", "field"];

pub(crate) type Square = (i32, i32);
/// `[seat][source]`.
pub(crate) type Points = [[u32; 4]; 2];

/// A part of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    City(usize),
    Road(usize),
    Field(usize),
    Cloister,
}

impl Part {
    fn source(self) -> usize {
        match self {
            Part::City(_) => 0,
            Part::Road(_) => 1,
            Part::Cloister => 2,
            Part::Field(_) => 3,
        }
    }
}

/// A type of tiles as printed: sides from 0 at the north, halves from 0 at N-west, clockwise.
#[derive(Clone, Debug)]
struct Tile {
    cities: Vec<Vec<usize>>,
    roads: Vec<Vec<usize>>,
    fields: Vec<(Vec<usize>, Vec<usize>)>,
    cloister: bool,
    pennant: bool,
    rotations: Vec<usize>,
    copies: usize,
}

fn tiles() -> BTreeMap<char, Tile> {
    let json: Json = serde_json::from_str(include_str!("../oracles/carcassonne-tiles.json")).expect("JSON");
    let list = |of: &Json| of.as_array().expect("a list").clone();
    let number = |of: &Json| of.as_u64().expect("a number") as usize;
    let places = |of: &Json, names: &[&str]| -> Vec<usize> {
        list(of).iter().map(|name| names.iter().position(|known| name == known).expect("a place")).collect()
    };
    let tile = |of: &Json| Tile {
        cities: list(&of["cities"]).iter().map(|sides| places(sides, &SIDES)).collect(),
        roads: list(&of["roads"]).iter().map(|sides| places(sides, &SIDES)).collect(),
        fields: list(&of["fields"])
            .iter()
            .map(|field| {
                (places(&field["halves"], &HALVES), list(&field["touches_city_index"]).iter().map(number).collect())
            })
            .collect(),
        cloister: of["cloister"] == true,
        pennant: of["pennant"] == true,
        rotations: list(&of["distinct_rotations"]).iter().map(number).collect(),
        copies: number(&of["count"]),
    };
    let types = json["tiles"].as_object().expect("types");
    types.iter().map(|(letter, of)| (letter.chars().next().expect("a letter"), tile(of))).collect()
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Player(usize),
    Nature,
    Over,
}

/// A move of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lay {
    pub(crate) square: Square,
    pub(crate) rotation: usize,
    pub(crate) claim: Option<Part>,
}

/// A position.
#[derive(Clone)]
pub(crate) struct Flood {
    rules: Rules,
    tiles: BTreeMap<char, Tile>,
    board: BTreeMap<Square, (char, usize)>,
    /// Standing meeples: where, on what, whose.
    pub(crate) meeples: Vec<(Square, Part, usize)>,
    pub(crate) hand: [u32; 2],
    /// Points that finished features gave.
    pub(crate) won: Points,
    /// Tiles that nature has not drawn.
    bag: Vec<char>,
    /// The known order.
    order: Vec<char>,
    pub(crate) drawn: Option<char>,
    turns: usize,
    /// Numbers of cities, for fields that remember them: of each city part now, and of each field part those that it met.
    numbers: BTreeMap<(Square, usize), usize>,
    met: BTreeMap<(Square, usize), BTreeSet<usize>>,
    next_number: usize,
}

impl Flood {
    pub(crate) fn new(rules: Rules) -> Self {
        let tiles = tiles();
        let mut bag = Vec::new();
        for (&letter, tile) in &tiles {
            let copies = match (rules.deck, letter) {
                (Deck::OneOfEach, _) => 1,
                (Deck::Thesis, 'O') => 3,
                (Deck::Thesis, 'P') => 2,
                _ => tile.copies,
            };
            bag.extend(std::iter::repeat_n(letter, copies - usize::from(letter == 'D')));
        }
        let meeples = u32::from(rules.meeples);
        let mut start = Flood {
            rules,
            tiles,
            board: BTreeMap::new(),
            meeples: Vec::new(),
            hand: [meeples, if rules.players == 2 { meeples } else { 0 }],
            won: [[0; 4]; 2],
            bag,
            order: Vec::new(),
            drawn: None,
            turns: 0,
            numbers: BTreeMap::new(),
            met: BTreeMap::new(),
            next_number: 0,
        };
        start.board.insert((0, 0), ('D', 0));
        start.number_cities((0, 0));
        start
    }

    pub(crate) fn turn(&self) -> Turn {
        match self.drawn {
            Some(_) if self.rules.players == 2 => Turn::Player(self.turns % 2),
            Some(_) => Turn::Player(0),
            None if self.bag.is_empty() => Turn::Over,
            None => Turn::Nature,
        }
    }

    fn tile(&self, square: Square) -> &Tile {
        &self.tiles[&self.board[&square].0]
    }

    /// The parts of a tile.
    fn parts(tile: &Tile) -> Vec<Part> {
        let cities = (0..tile.cities.len()).map(Part::City);
        let roads = (0..tile.roads.len()).map(Part::Road);
        let fields = (0..tile.fields.len()).map(Part::Field);
        cities.chain(roads).chain(fields).chain(tile.cloister.then_some(Part::Cloister)).collect()
    }

    /// Sides of a city or road, halves of a field, after quarter turns.
    fn places(tile: &Tile, rotation: usize, part: Part) -> Vec<usize> {
        let turned = |sides: &[usize]| sides.iter().map(|side| (side + rotation) % 4).collect();
        match part {
            Part::City(index) => turned(&tile.cities[index]),
            Part::Road(index) => turned(&tile.roads[index]),
            Part::Field(index) => tile.fields[index].0.iter().map(|half| (half + 2 * rotation) % 8).collect(),
            Part::Cloister => Vec::new(),
        }
    }

    /// What lies at a side of a tile.
    fn edge(tile: &Tile, rotation: usize, side: usize) -> usize {
        let has = |part: Part| Self::places(tile, rotation, part).contains(&side);
        let found = Self::parts(tile).into_iter().find(|&part| !matches!(part, Part::Field(_)) && has(part));
        found.map_or(3, Part::source)
    }

    /// The square and the place there that a place of a square touches.
    fn across(square: Square, place: usize, is_half: bool) -> (Square, usize) {
        let side = if is_half { place / 2 } else { place };
        let (x, y) = STEPS[side];
        let other = match (is_half, place) {
            (false, side) => (side + 2) % 4,
            // Western halves of north and south, and so on: the same place seen from the other tile.
            (true, half) => [5, 4, 7, 6, 1, 0, 3, 2][half],
        };
        ((square.0 + x, square.1 + y), other)
    }

    /// The part of a laid tile of the same kind as `part` at a place.
    fn part_at(&self, square: Square, part: Part, place: usize) -> Option<Part> {
        let (letter, rotation) = *self.board.get(&square)?;
        let tile = &self.tiles[&letter];
        let alike = Self::parts(tile).into_iter().filter(|other| other.source() == part.source());
        alike.into_iter().find(|&other| Self::places(tile, rotation, other).contains(&place))
    }

    /// All parts that are connected with one, and the number of sides where they go on beyond the board.
    fn flood(&self, square: Square, part: Part) -> (BTreeSet<(Square, Part)>, usize) {
        let (mut found, mut open) = (BTreeSet::from([(square, part)]), 0);
        let mut waiting = VecDeque::from([(square, part)]);
        while let Some((square, part)) = waiting.pop_front() {
            let (letter, rotation) = self.board[&square];
            for place in Self::places(&self.tiles[&letter], rotation, part) {
                let (beside, other) = Self::across(square, place, matches!(part, Part::Field(_)));
                match self.part_at(beside, part, other) {
                    None => open += 1,
                    Some(next) if found.insert((beside, next)) => waiting.push_back((beside, next)),
                    Some(_) => {}
                }
            }
        }
        (found, open)
    }

    /// Tiles, and pennants of a city.
    fn size(&self, parts: &BTreeSet<(Square, Part)>) -> u32 {
        let squares: BTreeSet<Square> = parts.iter().map(|(square, _)| *square).collect();
        let tiles = if self.rules.segments_twice { parts.len() } else { squares.len() };
        let is_city = parts.iter().any(|(_, part)| matches!(part, Part::City(_)));
        let pennants = squares.iter().filter(|square| is_city && self.tile(**square).pennant).count();
        (tiles + pennants) as u32
    }

    /// Finished cities that a field touches.
    fn cities_of(&self, field: &BTreeSet<(Square, Part)>) -> u32 {
        let mut cities: BTreeSet<(Square, Part)> = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        for &(square, part) in field {
            let Part::Field(index) = part else { continue };
            numbers.extend(&self.met[&(square, index)]);
            for &city in &self.tile(square).fields[index].1 {
                let (parts, open) = self.flood(square, Part::City(city));
                if open == 0 {
                    // One part stands for the city.
                    cities.extend(parts.first());
                }
            }
        }
        if !self.rules.stale_cities {
            return cities.len() as u32;
        }
        let is_finished = |number: &&usize| {
            let mut parts = self.numbers.iter().filter(|(_, now)| now == number);
            parts.next().is_some_and(|(&(square, city), _)| self.flood(square, Part::City(city)).1 == 0)
        };
        numbers.iter().filter(is_finished).count() as u32
    }

    fn neighbours(square: Square) -> impl Iterator<Item = Square> {
        let (x, y) = square;
        let all = (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
        all.filter(move |&other| other != square)
    }

    /// Who gets the points of a feature.
    fn winners(&self, parts: &BTreeSet<(Square, Part)>) -> [bool; 2] {
        let count = |seat| {
            let on = |meeple: &&(Square, Part, usize)| meeple.2 == seat && parts.contains(&(meeple.0, meeple.1));
            self.meeples.iter().filter(on).count()
        };
        let [first, second] = [count(0), count(1)];
        [first > 0 && first >= second, second > 0 && second >= first]
    }

    /// Points if the game ended now.
    pub(crate) fn points(&self) -> Points {
        let (mut points, mut seen) = (self.won, BTreeSet::new());
        for &(square, part, seat) in &self.meeples {
            if part == Part::Cloister {
                let laid = Self::neighbours(square).filter(|beside| self.board.contains_key(beside)).count();
                points[seat][2] += 1 + laid as u32;
                continue;
            }
            let (parts, _) = self.flood(square, part);
            if !seen.insert(parts.clone()) {
                continue;
            }
            let worth = if matches!(part, Part::Field(_)) { 3 * self.cities_of(&parts) } else { self.size(&parts) };
            for (seat, wins) in self.winners(&parts).into_iter().enumerate() {
                points[seat][part.source()] += if wins { worth } else { 0 };
            }
        }
        points
    }

    /// Whether a type fits on an empty square in a rotation.
    fn fits(&self, letter: char, square: Square, rotation: usize) -> bool {
        let mut touches = false;
        for side in 0..4 {
            let (beside, other) = Self::across(square, side, false);
            let Some(&(neighbour, turned)) = self.board.get(&beside) else { continue };
            touches = true;
            let own = Self::edge(&self.tiles[&letter], rotation, side);
            if own != Self::edge(&self.tiles[&neighbour], turned, other) {
                return false;
            }
        }
        touches
    }

    fn empty_squares(&self) -> BTreeSet<Square> {
        let beside = |&(x, y): &Square| STEPS.map(|(dx, dy)| (x + dx, y + dy));
        self.board.keys().flat_map(beside).filter(|square| !self.board.contains_key(square)).collect()
    }

    fn is_placeable(&self, letter: char) -> bool {
        let rotations = &self.tiles[&letter].rotations;
        self.empty_squares().iter().any(|&square| rotations.iter().any(|&turns| self.fits(letter, square, turns)))
    }

    /// The moves of the player whose turn it is.
    pub(crate) fn lays(&self) -> Vec<Lay> {
        let (Some(letter), Turn::Player(seat)) = (self.drawn, self.turn()) else { return Vec::new() };
        let taken: BTreeSet<(Square, Part)> =
            self.meeples.iter().flat_map(|&(square, part, _)| self.flood(square, part).0).collect();
        let tile = &self.tiles[&letter];
        let mut lays = Vec::new();
        for square in self.empty_squares() {
            for &rotation in tile.rotations.iter().filter(|&&rotation| self.fits(letter, square, rotation)) {
                lays.push(Lay { square, rotation, claim: None });
                let is_free = |part: &Part| {
                    Self::places(tile, rotation, *part).into_iter().all(|place| {
                        let (beside, other) = Self::across(square, place, matches!(part, Part::Field(_)));
                        self.part_at(beside, *part, other).is_none_or(|next| !taken.contains(&(beside, next)))
                    })
                };
                let free = Self::parts(tile).into_iter().filter(|part| self.hand[seat] > 0 && is_free(part));
                lays.extend(free.map(|part| Lay { square, rotation, claim: Some(part) }));
            }
        }
        lays
    }

    /// A move as text.
    pub(crate) fn text(&self, lay: &Lay) -> String {
        let letter = self.drawn.expect("a tile");
        let (x, y) = lay.square;
        let mut text = format!("{letter}{}@{x},{y}", lay.rotation);
        if let Some(part) = lay.claim {
            text += &format!(":{}", SOURCES[part.source()]);
            let first = Self::places(&self.tiles[&letter], lay.rotation, part).into_iter().min();
            if let Some(place) = first {
                let names: &[&str] = if matches!(part, Part::Field(_)) { &HALVES } else { &SIDES };
                text += &format!("-{}", names[place]);
            }
        }
        text
    }

    /// Tiles that nature may draw, with their probabilities.
    pub(crate) fn draws(&self) -> BTreeMap<char, f64> {
        let may = |letter: &&char| self.rules.ordered || !self.rules.unplaceable_stays || self.is_placeable(**letter);
        let tiles: Vec<char> = self.bag.iter().filter(may).copied().collect();
        let mut draws = BTreeMap::new();
        for &tile in &tiles {
            *draws.entry(tile).or_insert(0.0) += 1.0 / tiles.len() as f64;
        }
        draws
    }

    pub(crate) fn draw(&mut self, letter: char) {
        let index = self.bag.iter().position(|&tile| tile == letter).expect("a tile of the bag");
        self.bag.remove(index);
        if self.rules.ordered {
            self.order.push(letter);
            if self.bag.is_empty() {
                self.draw_in_order();
            }
        } else if self.is_placeable(letter) {
            self.drawn = Some(letter);
        }
    }

    fn draw_in_order(&mut self) {
        let mut kept = VecDeque::new();
        while !self.order.is_empty() {
            let tile = self.order.remove(0);
            if self.is_placeable(tile) {
                self.drawn = Some(tile);
                break;
            }
            kept.push_back(tile);
        }
        if self.rules.unplaceable_stays && self.drawn.is_some() {
            kept.extend(&self.order);
            self.order = kept.into();
        }
    }

    /// Gives numbers to the cities of a new tile, and remembers them for its fields.
    fn number_cities(&mut self, square: Square) {
        let (letter, rotation) = self.board[&square];
        let tile = self.tiles[&letter].clone();
        for city in 0..tile.cities.len() {
            let mut sides = Self::places(&tile, rotation, Part::City(city));
            sides.sort_unstable();
            let mut met = Vec::new();
            for side in sides {
                let (beside, other) = Self::across(square, side, false);
                if let Some(Part::City(index)) = self.part_at(beside, Part::City(city), other) {
                    met.push(self.numbers[&(beside, index)]);
                }
            }
            let number = met.first().copied().unwrap_or(self.next_number);
            self.next_number += 1;
            for known in self.numbers.values_mut().filter(|known| met.contains(known)) {
                *known = number;
            }
            self.numbers.insert((square, city), number);
        }
        for (index, field) in tile.fields.iter().enumerate() {
            let numbers = field.1.iter().map(|&city| self.numbers[&(square, city)]).collect();
            self.met.insert((square, index), numbers);
        }
    }

    pub(crate) fn play(&mut self, lay: &Lay) {
        let (Some(letter), Turn::Player(seat)) = (self.drawn.take(), self.turn_of_drawn()) else { return };
        self.board.insert(lay.square, (letter, lay.rotation));
        self.number_cities(lay.square);
        if let Some(part) = lay.claim {
            self.hand[seat] -= 1;
            self.meeples.push((lay.square, part, seat));
        }
        let tile = self.tiles[&letter].clone();
        let mut paid = BTreeSet::new();
        for part in Self::parts(&tile).into_iter().filter(|part| matches!(part, Part::City(_) | Part::Road(_))) {
            let (parts, open) = self.flood(lay.square, part);
            if open == 0 && paid.insert(parts.clone()) {
                let points = self.size(&parts) * if matches!(part, Part::City(_)) { 2 } else { 1 };
                self.pay(&parts, part.source(), points);
            }
        }
        let around: Vec<Square> = Self::neighbours(lay.square).chain([lay.square]).collect();
        for square in around {
            let parts = BTreeSet::from([(square, Part::Cloister)]);
            if Self::neighbours(square).all(|beside| self.board.contains_key(&beside)) {
                self.pay(&parts, 2, 9);
            }
        }
        self.turns += 1;
        if self.rules.ordered {
            self.draw_in_order();
        } else if self.rules.unplaceable_stays && self.draws().is_empty() {
            self.bag.clear();
        }
    }

    fn turn_of_drawn(&self) -> Turn {
        Turn::Player(if self.rules.players == 2 { self.turns % 2 } else { 0 })
    }

    fn pay(&mut self, parts: &BTreeSet<(Square, Part)>, source: usize, points: u32) {
        for (seat, wins) in self.winners(parts).into_iter().enumerate() {
            self.won[seat][source] += if wins { points } else { 0 };
        }
        let (home, stay) = self.meeples.drain(..).partition(|(square, part, _)| parts.contains(&(*square, *part)));
        self.meeples = stay;
        let home: Vec<(Square, Part, usize)> = home;
        home.iter().for_each(|&(_, _, seat)| self.hand[seat] += 1);
    }
}
