//! The generator of a trial as genetic programming takes it.

use games::Rng;

/// TrialRng for operators of genetic programming, by the functions whose bits are fixed ([`games::below`], [`games::unit`]).
pub struct TrialRng(pub Rng);

impl gp::Random for TrialRng {
    fn below(&mut self, n: u32) -> u32 {
        games::below(&mut self.0, n)
    }

    fn unit(&mut self) -> f64 {
        games::unit(&mut self.0)
    }
}
