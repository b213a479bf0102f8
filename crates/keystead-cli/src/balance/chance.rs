//! How likely chance alone is to be as uneven as this.

/// A chi-square test.
#[derive(Clone, Copy, serde::Serialize)]
pub(super) struct ChiSquare {
    pub(super) statistic: f64,
    pub(super) degrees: u32,
    /// The probability that random keys would be spread as unevenly, or more.
    pub(super) p: f64,
}

/// Tests counts against the shares that are expected of them. Shares of which fewer than five are expected are taken together, since
/// the test is not made for so few; nothing where fewer than two remain.
pub(super) fn chi_square(cells: impl Iterator<Item = (u64, f64)>) -> Option<ChiSquare> {
    const FEWEST: f64 = 5.0;
    let mut cells: Vec<(f64, f64)> =
        cells.filter(|(_, share)| *share > 0.0).map(|(count, share)| (float(count), share)).collect();
    let total: f64 = cells.iter().map(|(count, _)| count).sum();
    cells.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (mut statistic, mut groups) = (0.0, 0_u32);
    let mut rest = cells.iter().map(|(_, share)| share * total).sum::<f64>();
    let (mut count, mut expected) = (0.0, 0.0);
    for (counted, share) in cells {
        count += counted;
        expected += share * total;
        rest -= share * total;
        // What is left for the last group must be enough as well.
        if expected >= FEWEST && (rest >= FEWEST || rest < 1e-9 * total.max(1.0)) {
            statistic += (count - expected) * (count - expected) / expected;
            groups += 1;
            (count, expected) = (0.0, 0.0);
        }
    }
    let degrees = groups.checked_sub(1).filter(|degrees| *degrees > 0)?;
    let p = upper_gamma(f64::from(degrees) / 2.0, statistic / 2.0);
    Some(ChiSquare { statistic, degrees, p })
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

/// The regularised upper incomplete gamma function Q(a, x): by its series below a + 1, by its continued fraction (Lentz) above.
fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    let q = if x < a + 1.0 { 1.0 - front * series(a, x) } else { front * continued_fraction(a, x) };
    q.clamp(0.0, 1.0)
}

fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    let mut n = a;
    while term > sum * 1e-15 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum
}

fn continued_fraction(a: f64, x: f64) -> f64 {
    const SMALLEST: f64 = 1e-300;
    let near_zero = |value: f64| if value.abs() < SMALLEST { SMALLEST } else { value };
    let mut denominator = x + 1.0 - a;
    let mut below = 1.0 / denominator;
    let mut above = 1.0 / SMALLEST;
    let mut fraction = below;
    for step in 1..100_000 {
        let step = f64::from(step);
        let factor = -step * (step - a);
        denominator += 2.0;
        below = 1.0 / near_zero(factor * below + denominator);
        above = near_zero(denominator + factor / above);
        fraction *= above * below;
        if (above * below - 1.0).abs() < 1e-14 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function for x above 0.4: Lanczos' approximation with g = 7 and nine terms, as in Godfrey's table.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    let mut n = 1.0;
    for term in TERMS {
        sum += term / (x + n);
        n += 1.0;
    }
    let t = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + sum.ln()
}
