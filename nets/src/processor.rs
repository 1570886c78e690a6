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
}

impl Processor {
    /// The fastest of this machine.
    pub fn this() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Processor(Kind::Avx2);
        }
        Processor::baseline()
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
        }
    }
}

/// Makes a function that runs `$on`, compiled for the given processor. `$on` must be inlined and takes `WIDE` as its constant
/// argument: whether there are registers of eight lanes.
macro_rules! compiled {
    ($(#[$meta:meta])* $name:ident, $on:ident, ($($argument:ident: $type:ty),+ $(,)?) $(-> $output:ty)?) => {
        $(#[$meta])*
        pub(crate) fn $name(processor: $crate::Processor, $($argument: $type),+) $(-> $output)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),+) $(-> $output)? {
                $on::<true>($($argument),+)
            }

            match processor.0 {
                $crate::processor::Kind::Baseline => $on::<false>($($argument),+),
                // SAFETY: `Processor::this` makes this kind only where the processor has AVX2.
                #[cfg(target_arch = "x86_64")]
                $crate::processor::Kind::Avx2 => unsafe { avx2($($argument),+) },
            }
        }
    };
}
pub(crate) use compiled;
