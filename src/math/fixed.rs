//! A sum of small memory that does not depend on the order of its terms.

use bytemuck::{Pod, Zeroable};

/// A fixed-point number of 128 bits, in units of 2⁻⁹⁰.
///
/// Each term is rounded to this unit, 8·10⁻²⁸; then sums are those of whole numbers, the same in
/// any order. They reach 1.4·10¹¹; beyond this they are infinite. Where terms may be of any size,
/// [`ExactSum`](super::ExactSum) is exact, in 33 times the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Fixed {
    /// The lower and the upper half of its two's complement.
    halves: [u64; 2],
}

/// 2⁹⁰.
const SCALE: f64 = (1_u128 << 90) as f64;

impl Fixed {
    /// The number nearest to `x`. A number that is not finite has no meaning here.
    #[must_use]
    pub fn new(x: f64) -> Self {
        // A conversion saturates.
        Self::of((x * SCALE).round_ties_even() as i128)
    }

    fn of(number: i128) -> Self {
        let bits = number as u128;
        Self::from_halves([bits as u64, (bits >> 64) as u64])
    }

    fn number(self) -> i128 {
        let [lower, upper] = self.halves;
        (u128::from(upper) << 64 | u128::from(lower)) as i128
    }

    /// Adds another number. A sum that was too large stays so.
    pub fn add(&mut self, other: Self) {
        let (sum, term) = (self.number(), other.number());
        if !matches!(sum, i128::MAX | i128::MIN) {
            *self = match term {
                i128::MAX | i128::MIN => other,
                _ => Self::of(sum.saturating_add(term)),
            };
        }
    }

    /// Its value, rounded; infinite if the sum was too large.
    #[must_use]
    pub fn value(self) -> f64 {
        match self.number() {
            i128::MAX => f64::INFINITY,
            i128::MIN => f64::NEG_INFINITY,
            number => number as f64 / SCALE,
        }
    }

    /// The lower and the upper half of its two's complement.
    #[must_use]
    pub fn halves(self) -> [u64; 2] {
        self.halves
    }

    /// The number with these halves.
    #[must_use]
    pub fn from_halves(halves: [u64; 2]) -> Self {
        Self { halves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of any order have the same bits, and are those of numbers to the unit of rounding.
    #[test]
    fn sums_do_not_depend_on_the_order() {
        let terms: Vec<f64> = (1..2000)
            .map(|k| (f64::from(k) * 1.7).sin() * 10_f64.powi(k % 31 - 20))
            .collect();
        let sum = |terms: &mut dyn Iterator<Item = &f64>| {
            let mut sum = Fixed::default();
            terms.for_each(|x| sum.add(Fixed::new(*x)));
            sum
        };
        let forth = sum(&mut terms.iter());
        let back = sum(&mut terms.iter().rev());
        let odd = terms.iter().step_by(2);
        let even = terms.iter().skip(1).step_by(2);
        assert_eq!(forth, back);
        assert_eq!(forth, sum(&mut odd.chain(even)));
        let exact: crate::math::ExactSum = terms.iter().copied().collect();
        let bound = 2000.0 / SCALE + 1e-15 * exact.value().abs();
        assert!((forth.value() - exact.value()).abs() <= bound);
    }

    #[test]
    fn halves_and_signs_are_kept_and_sums_that_are_too_large_are_infinite() {
        for x in [
            0.0,
            1.0,
            -2.25e10,
            2f64.powi(-80),
            1.0 / SCALE,
            -1.0 / SCALE,
        ] {
            let fixed = Fixed::new(x);
            assert_eq!(Fixed::from_halves(fixed.halves()).value(), x);
        }
        assert_eq!(Fixed::new(-1.0 / SCALE).halves(), [u64::MAX; 2]);
        for sign in [1.0, -1.0] {
            let mut sum = Fixed::default();
            for _ in 0..3 {
                sum.add(Fixed::new(sign * 1e11));
            }
            assert_eq!(sum.value(), sign * f64::INFINITY);
            sum.add(Fixed::new(-sign * 1e10));
            assert_eq!(sum.value(), sign * f64::INFINITY);
        }
    }
}
