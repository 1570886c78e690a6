//! A playout allocates nothing. Alone in its file: the allocator counts for the whole process.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use games::{
    Game as _, Seed,
    boop::{Boop, Graduation, Rules as BoopRules},
    carcassonne::{Carcassonne, Variant},
    checkers::{Checkers, Rules},
    dodgem::Dodgem,
    dots_and_boxes::DotsAndBoxes,
    fop::Fop,
    reversi::Reversi,
};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_playout_allocates_nothing() {
    let mut rng = Seed::derive(1, 0, 0, "allocations").rng();
    let count = || ALLOCATIONS.with(Cell::get);
    // The first playout of a problem fills its table.
    let line = Fop::default();
    line.clone().playout(&mut rng);
    let before = count();
    for _ in 0..1_000 {
        std::hint::black_box(Reversi::new().playout(&mut rng));
        for rules in [Rules::Project, Rules::Code, Rules::English] {
            std::hint::black_box(Checkers::under(rules).playout(&mut rng));
        }
        for variant in Variant::ALL {
            std::hint::black_box(Carcassonne::of(variant).playout(&mut rng));
        }
        for graduation in Graduation::ALL {
            std::hint::black_box(Boop::new(BoopRules { graduation, ..BoopRules::default() }).playout(&mut rng));
        }
        std::hint::black_box(Dodgem::default().playout(&mut rng));
        std::hint::black_box(DotsAndBoxes::default().playout(&mut rng));
        std::hint::black_box(DotsAndBoxes::new(7, 7).playout(&mut rng));
        std::hint::black_box(line.clone().playout(&mut rng));
    }
    assert_eq!(count() - before, 0);
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(count() - before, 1, "the counter counts");
}
