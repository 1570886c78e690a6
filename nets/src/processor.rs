//! The instruction sets that kernels are compiled for.

/// An instruction set that this machine has. Every one gives the same bits; the choice is for tests and measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor(pub(crate) Kind);

/// What kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What every processor of the target has: SSE2 on x86-64, NEON on 64-bit ARM.
    Baseline,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512F, and AVX2 with it.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// What a kernel is compiled for, as its constant argument: registers of 4, 8 or 16 lanes.
pub(crate) const BASELINE: u8 = 0;
#[cfg(target_arch = "x86_64")]
pub(crate) const AVX2: u8 = 1;
pub(crate) const AVX512: u8 = 2;

impl Processor {
    /// The fastest of this machine.
    pub fn this() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") {
                return Processor(if has!("avx512f") { Kind::Avx512 } else { Kind::Avx2 });
            }
        }
        Processor::baseline()
    }

    /// All that this machine has, the fastest last.
    pub fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let faster: &[Kind] = match Processor::this().0 {
            Kind::Baseline => &[],
            Kind::Avx2 => &[Kind::Avx2],
            Kind::Avx512 => &[Kind::Avx2, Kind::Avx512],
        };
        #[cfg(not(target_arch = "x86_64"))]
        let faster: &[Kind] = &[];
        std::iter::once(Processor::baseline()).chain(faster.iter().copied().map(Processor)).collect()
    }

    /// What every processor of the target has.
    pub fn baseline() -> Self {
        Processor(Kind::Baseline)
    }

    /// Name of the instruction set.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Baseline => "baseline",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }
}

/// Makes a function that runs `$on`, compiled for the given processor, which says what for by its constant argument. `$on` must
/// be inlined. There is a version for AVX-512 where that is faster, after `widest`.
macro_rules! compiled {
    ($(#[$meta:meta])* $name:ident, $on:ident, ($($argument:ident: $type:ty),+ $(,)?) $(-> $output:ty)?) => {
        $crate::processor::compiled! { @ avx2, $(#[$meta])* $name, $on, ($($argument: $type),+) $(-> $output)? }
    };
    (widest, $(#[$meta:meta])* $name:ident, $on:ident, ($($argument:ident: $type:ty),+ $(,)?) $(-> $output:ty)?) => {
        $crate::processor::compiled! { @ avx512, $(#[$meta])* $name, $on, ($($argument: $type),+) $(-> $output)? }
    };
    (@ $widest:ident, $(#[$meta:meta])* $name:ident, $on:ident, ($($argument:ident: $type:ty),+) $(-> $output:ty)?) => {
        $(#[$meta])*
        pub(crate) fn $name(processor: $crate::Processor, $($argument: $type),+) $(-> $output)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),+) $(-> $output)? {
                $on::<{ $crate::processor::AVX2 }>($($argument),+)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,avx512f")]
            #[expect(clippy::allow_attributes, reason = "used by some")]
            #[allow(dead_code, reason = "not every function has a version for it")]
            fn avx512($($argument: $type),+) $(-> $output)? {
                $on::<{ $crate::processor::AVX512 }>($($argument),+)
            }

            match processor.0 {
                $crate::processor::Kind::Baseline => $on::<{ $crate::processor::BASELINE }>($($argument),+),
                // SAFETY: `Processor::this` makes this kind only where the processor has AVX2.
                #[cfg(target_arch = "x86_64")]
                $crate::processor::Kind::Avx2 => unsafe { avx2($($argument),+) },
                // SAFETY: and this one where it has AVX-512F as well.
                #[cfg(target_arch = "x86_64")]
                $crate::processor::Kind::Avx512 => unsafe { $widest($($argument),+) },
            }
        }
    };
}
pub(crate) use compiled;
