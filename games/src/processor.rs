//! The kinds of processor that hot loops are compiled for, and the kind of this machine's.

/// A kind of processor. Each can run the loops of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Processor {
    /// Any processor.
    Plain,
    /// With AVX2 and the instructions that count bits.
    #[cfg(target_arch = "x86_64")]
    Wide,
    /// With a fast `pdep` as well, which finds the n-th set bit: before Zen 3, AMD has it in slow microcode.
    #[cfg(target_arch = "x86_64")]
    Deposit,
    /// With AVX-512F as well.
    #[cfg(target_arch = "x86_64")]
    Widest,
}

impl Processor {
    /// The kind of this processor, detected once.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn this() -> Self {
        use std::sync::OnceLock;
        static THIS: OnceLock<Processor> = OnceLock::new();
        *THIS.get_or_init(|| {
            use std::arch::is_x86_feature_detected as has;
            if !(has!("avx2") && has!("bmi1") && has!("lzcnt") && has!("popcnt")) {
                Processor::Plain
            } else if !has!("bmi2") || is_amd_before_zen_3() {
                Processor::Wide
            } else if !has!("avx512f") {
                Processor::Deposit
            } else {
                Processor::Widest
            }
        })
    }

    /// Detects the kind of this processor.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline]
    pub(crate) fn this() -> Self {
        Processor::Plain
    }

    /// The kinds whose loops this processor can run.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let all = [Processor::Plain, Processor::Wide, Processor::Deposit, Processor::Widest];
        #[cfg(not(target_arch = "x86_64"))]
        let all = [Processor::Plain];
        all.into_iter().filter(|&processor| processor <= Processor::this())
    }
}

#[cfg(target_arch = "x86_64")]
fn is_amd_before_zen_3() -> bool {
    use std::arch::x86_64::__cpuid;
    /// The first family with fast `pdep`.
    const ZEN_3: u32 = 0x19;
    let vendor = __cpuid(0);
    let name = [vendor.ebx, vendor.edx, vendor.ecx];
    let signature = __cpuid(1).eax;
    // Families above 15 are the sum of the family's four bits and the extended family.
    let family = ((signature >> 8) & 0xf) + ((signature >> 20) & 0xff);
    name == [*b"Auth", *b"enti", *b"cAMD"].map(u32::from_le_bytes) && family < ZEN_3
}

/// Makes `random`, which plays a game on at random until it ends or reaches a cap, and `random_for`, the same for a given
/// kind of processor. Both come from one loop, whose argument gives the k-th set bit of a set, counted from 0, alone in a
/// word: kinds differ in nothing else.
macro_rules! random_playout {
    ($game:ty, $on:ident) => {
        /// Plays `game` on at random until it ends or reaches a cap.
        #[inline]
        pub(super) fn random(game: &mut $game, rng: &mut $crate::Rng) {
            // SAFETY: this is the processor at hand.
            unsafe { random_for($crate::processor::Processor::this(), game, rng) }
        }

        /// # Safety
        /// The processor at hand must be of the kind, or of a later one.
        #[inline]
        unsafe fn random_for(processor: $crate::processor::Processor, game: &mut $game, rng: &mut $crate::Rng) {
            use $crate::{bits, processor::Processor};

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
            fn wide(game: &mut $game, rng: &mut $crate::Rng) {
                $on(game, rng, |set, k| 1 << bits::nth_set(set, k));
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn deposit(game: &mut $game, rng: &mut $crate::Rng) {
                $on(game, rng, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
            }

            match processor {
                Processor::Plain => $on(game, rng, |set, k| 1 << bits::nth_set(set, k)),
                // SAFETY: the processor has the features each function is compiled for.
                #[cfg(target_arch = "x86_64")]
                Processor::Wide => unsafe { wide(game, rng) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Processor::Deposit | Processor::Widest => unsafe { deposit(game, rng) },
            }
        }
    };
}
pub(crate) use random_playout;

/// Makes a function that is another one, `$on`, compiled for a given kind of processor.
macro_rules! compiled {
    ($name:ident, $on:ident, ($($argument:ident: $type:ty),+) -> $output:ty) => {
        /// # Safety
        /// The processor at hand must be of the kind, or of a later one.
        #[inline]
        unsafe fn $name(processor: $crate::processor::Processor, $($argument: $type),+) -> $output {
            use $crate::processor::Processor;

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
            fn wide($($argument: $type),+) -> $output {
                $on($($argument),+)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn deposit($($argument: $type),+) -> $output {
                $on($($argument),+)
            }

            match processor {
                Processor::Plain => $on($($argument),+),
                // SAFETY: the processor has the features each function is compiled for.
                #[cfg(target_arch = "x86_64")]
                Processor::Wide => unsafe { wide($($argument),+) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Processor::Deposit | Processor::Widest => unsafe { deposit($($argument),+) },
            }
        }
    };
}
pub(crate) use compiled;
