//! Probabilities adjusted for the number of tests.

/// Holm's step-down adjustment (Holm 1979): controls the chance of any false alarm.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut highest = 0.0f64;
    for (step, &i) in order.iter().enumerate() {
        highest = highest.max((p[i] * (p.len() - step) as f64).min(1.0));
        adjusted[i] = highest;
    }
    adjusted
}

/// Benjamini and Hochberg's step-up adjustment (1995): controls the expected share of false alarms.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut lowest = 1.0f64;
    for (step, &i) in order.iter().enumerate().rev() {
        lowest = lowest.min(p[i] * p.len() as f64 / (step + 1) as f64);
        adjusted[i] = lowest;
    }
    adjusted
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    order
}
