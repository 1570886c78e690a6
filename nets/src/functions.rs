//! Functions of one number, with the same bits everywhere: additions, products and divisions alone.

use crate::architecture::Activation;

/// Arguments of exponentials are held within this: results stay normal numbers, which are fast.
const EXPONENT_MAX: f32 = 80.0;

/// `x` within `-bound` and `bound`; NaN becomes `-bound`. Selections, since `f32::max` leaves NaN and zeros open.
#[inline(always)]
pub(crate) fn held(x: f32, bound: f32) -> f32 {
    let x = if x > -bound { x } else { -bound };
    if x < bound { x } else { bound }
}

/// The exponential of `x`, which is within -80 and 80; the error is below 2e-7 of the value. The polynomial is that of
/// Moshier's Cephes library, `expf`; the scaling adds to the exponent's bits.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// 1.5 times 2^23: adding it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    /// The upper bits of ln 2, which times a whole number are exact, and the rest.
    const LN_2: [f32; 2] = [355.0 / 512.0, -2.121_944_4e-4];
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2[0]) - n * LN_2[1];
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_6e-1;
    p = p * r + 0.5;
    p = (p * (r * r) + r) + 1.0;
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-held(x, EXPONENT_MAX)))
}

#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let x = held(x, 0.5 * EXPONENT_MAX);
    let e = exp(-2.0 * x.abs());
    ((1.0 - e) / (1.0 + e)).copysign(x)
}

#[inline(always)]
pub(crate) fn relu(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// The derivative of an activation where its value is `y`.
#[inline(always)]
pub(crate) fn derivative(activation: Activation, y: f32) -> f32 {
    match activation {
        Activation::Relu => {
            if y > 0.0 {
                1.0
            } else {
                0.0
            }
        }
        Activation::Sigmoid => y * (1.0 - y),
        Activation::Tanh => 1.0 - y * y,
    }
}

/// Makes logits probabilities that sum to 1, in place; those 80 below the greatest or less are as likely as one that is 80
/// below. Sums go from the first number to the last.
pub fn softmax(logits: &mut [f32]) {
    let mut greatest = f32::NEG_INFINITY;
    for &logit in logits.iter() {
        greatest = if logit > greatest { logit } else { greatest };
    }
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = exp(held(*logit - greatest, EXPONENT_MAX));
        sum += *logit;
    }
    for logit in logits {
        *logit /= sum;
    }
}
