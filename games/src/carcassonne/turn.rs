//! What a turn changes: a tile is laid and claimed, finished features pay, and the next tile comes.

use super::{
    Carcassonne, Laid,
    score::Standing,
    tile::{NONE, Oriented, Source, TYPES_FITTING},
};
use crate::{Rng, below};

impl Carcassonne {
    /// A turn: lays the drawn tile on an open square and claims a segment of it, unless that is [`NONE`].
    #[inline]
    pub(super) fn lay(&mut self, open: usize, rotation: u8, claim: u8) {
        self.lay_tile(open, rotation, claim);
        self.after_turn();
    }

    #[inline]
    pub(super) fn lay_tile(&mut self, open: usize, rotation: u8, claim: u8) {
        let seat = self.seat() as u8;
        let tile = self.oriented(rotation);
        let square = self.board.open_square(open);
        let beside = self.board.lay(open, tile, self.count);
        let laid = Laid { square, oriented: 4 * self.drawn + rotation, claim, first: self.features.next() };
        self.laid[usize::from(self.count)] = laid;
        self.features.lay(tile, &beside, &self.laid, &self.rules);
        self.meeples.surround(square, &self.laid);
        if claim != NONE {
            self.claim(tile, laid, claim, seat);
        }
        self.count += 1;
        self.finish(tile, laid);
        self.drawn = NONE;
    }

    fn claim(&mut self, tile: &Oriented, laid: Laid, claim: u8, seat: u8) {
        let Some((source, number)) = tile.segment(claim) else { return };
        let put = |segment| Standing { source, segment, seat, tile: self.count };
        match source {
            Source::City => {
                let segment = laid.first[0] + number;
                self.features.claim_city(segment, seat);
                self.meeples.put(put(segment));
            }
            Source::Road => {
                let segment = laid.first[1] + number;
                self.features.claim_road(segment, seat);
                self.meeples.put(put(segment));
            }
            Source::Field => {
                let segment = laid.first[2] + number;
                self.features.claim_field(segment, seat);
                self.meeples.put(put(segment));
            }
            Source::Cloister => {
                let around = self.board.tiles_around(laid.square);
                self.meeples.put(put(around));
                self.meeples.pay_cloister(self.meeples.standing().len() - 1);
            }
        }
    }

    /// Pays the features that the last tile finished.
    #[inline]
    fn finish(&mut self, tile: &Oriented, laid: Laid) {
        for city in 0..tile.counts[0] {
            let Some(city) = self.features.finish_city(laid.first[0] + city, &self.rules) else { continue };
            if !city.claims.is_empty() {
                let is_there = |segment| self.features.city(segment).root == city.root;
                self.meeples.pay(Source::City, 2 * u16::from(city.size), city.claims, is_there);
            }
        }
        for road in 0..tile.counts[1] {
            let Some(road) = self.features.finish_road(laid.first[1] + road) else { continue };
            if !road.claims.is_empty() {
                let is_there = |segment| self.features.road(segment).root == road.root;
                self.meeples.pay(Source::Road, road.size.into(), road.claims, is_there);
            }
        }
    }

    /// Sees to the next tile, as far as that is not left to nature.
    #[inline]
    fn after_turn(&mut self) {
        if self.rules.ordered {
            if self.stack.bag() == 0 {
                self.draw_next();
            }
        } else if self.rules.unplaceable_stays && self.drawable() == 0 {
            self.stack.clear();
        }
    }

    /// Draws the next tile of the known order that fits.
    fn draw_next(&mut self) {
        let fits = |kind: &u8| self.is_placeable(*kind);
        let Some(index) = self.stack.order().iter().position(fits) else {
            self.stack.clear();
            return;
        };
        if !self.rules.unplaceable_stays {
            for _ in 0..index {
                self.stack.remove(0);
            }
            self.drawn = self.stack.remove(0);
        } else {
            self.drawn = self.stack.remove(index);
        }
    }

    /// The types that nature may draw: bit `type`.
    pub(super) fn drawable(&self) -> u32 {
        let types = self.stack.types();
        if !self.rules.unplaceable_stays || self.rules.ordered {
            return types;
        }
        let mut placeable = 0;
        for &key in self.board.keys() {
            placeable |= TYPES_FITTING[usize::from(key)];
            if placeable & types == types {
                break;
            }
        }
        placeable & types
    }

    /// Nature's draw of a tile from the bag.
    #[inline]
    pub(super) fn draw(&mut self, kind: u8) {
        if self.rules.ordered {
            self.stack.append(kind);
            self.after_turn();
            return;
        }
        self.stack.take(kind);
        // A tile that fits nowhere leaves the game.
        if self.is_placeable(kind) {
            self.drawn = kind;
        }
    }

    /// Draws a type as nature does.
    #[inline]
    pub(super) fn draw_kind(&self, rng: &mut Rng) -> u8 {
        if self.rules.unplaceable_stays {
            let types = self.drawable();
            return self.stack.nth(below(rng, self.stack.count(types)), types);
        }
        self.stack.nth_of_all(below(rng, self.stack.bag().into()))
    }
}
