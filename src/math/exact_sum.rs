//! A sum of `f64` that does not depend on the order of its terms.
//!
//! Floating-point addition is not associative, so a sum in another order (other ranks, other
//! threads) has other bits, and a stop test that depends on it stops at another sweep. An
//! [`ExactSum`] holds the sum without any rounding, as a fixed-point number wide enough for every
//! finite `f64` (Kulisch's long accumulator): 67 digits of 32 bits, each in an `i64`. So the digits
//! of many partial sums can be added as integers, also between ranks, before the carries are
//! folded.

/// Digits of the accumulator.
///
/// The lowest has weight 2^-1074, the smallest positive `f64`; 2098 bits reach the largest, and the
/// rest is for carries.
const DIGITS: usize = 67;

const DIGIT_BITS: u32 = 32;
const DIGIT_MASK: i64 = (1 << DIGIT_BITS) - 1;
/// Each term adds less than 2^32 to a digit: carries are folded long before 2^63.
const FOLD_EVERY: u32 = 1 << 29;

/// An exact sum of finite numbers in any order; one term that is not finite makes it NaN.
#[derive(Clone, Debug)]
pub struct ExactSum {
    digits: [i64; DIGITS],
    terms_since_fold: u32,
    non_finite: i64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self {
            digits: [0; DIGITS],
            terms_since_fold: 0,
            non_finite: 0,
        }
    }
}

impl ExactSum {
    /// The number of integers that represent a sum in messages between ranks.
    pub const WIRE_LEN: usize = DIGITS + 1;

    /// Adds one term, exactly.
    #[inline]
    pub fn add(&mut self, x: f64) {
        if !x.is_finite() {
            self.non_finite += 1;
            return;
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52) & 0x7ff;
        let fraction = bits & ((1 << 52) - 1);
        if exponent == 0 && fraction == 0 {
            return;
        }
        // With |x| = mantissa · 2^(shift − 1074). Subnormals have no hidden bit, and the exponent
        // of the smallest normal number.
        let (mantissa, shift) = if exponent == 0 {
            (fraction, 0)
        } else {
            (fraction | (1 << 52), exponent - 1)
        };
        let wide = u128::from(mantissa) << (shift % u64::from(DIGIT_BITS));
        let (low, high) = (wide as u64 as i64, (wide >> 64) as i64);
        let first = (shift / u64::from(DIGIT_BITS)) as usize;
        let sign = if x < 0.0 { -1 } else { 1 };
        let [a, b, c] = self.three_from(first);
        *a += sign * (low & DIGIT_MASK);
        *b += sign * (low >> DIGIT_BITS & DIGIT_MASK);
        *c += sign * high;
        self.terms_since_fold += 1;
        if self.terms_since_fold >= FOLD_EVERY {
            self.fold();
        }
    }

    #[inline]
    fn three_from(&mut self, first: usize) -> &mut [i64; 3] {
        let three = self.digits[first..].first_chunk_mut();
        three.expect("the largest shift is 2045 bits, 63 digits, and three more fit in 67")
    }

    /// Adds another sum, exactly.
    pub fn merge(&mut self, other: &ExactSum) {
        let mut other = other.clone();
        other.fold();
        self.fold();
        for (a, b) in self.digits.iter_mut().zip(&other.digits) {
            *a += b;
        }
        self.non_finite += other.non_finite;
    }

    /// The sum as integers, which may be added item by item to those of up to 2^30 other sums.
    #[must_use]
    pub fn to_wire(&self) -> [i64; Self::WIRE_LEN] {
        let mut folded = self.clone();
        folded.fold();
        let mut wire = [0; Self::WIRE_LEN];
        wire[..DIGITS].copy_from_slice(&folded.digits);
        wire[DIGITS] = folded.non_finite;
        wire
    }

    /// The sum from these integers.
    ///
    /// # Panics
    /// If the slice does not have [`Self::WIRE_LEN`] items.
    #[must_use]
    pub fn from_wire(wire: &[i64]) -> Self {
        assert_eq!(wire.len(), Self::WIRE_LEN, "an exact sum on the wire");
        let mut digits = [0; DIGITS];
        digits.copy_from_slice(&wire[..DIGITS]);
        let mut sum = Self {
            digits,
            terms_since_fold: 0,
            non_finite: wire[DIGITS],
        };
        sum.fold();
        sum
    }

    /// The sum as an `f64`, NaN if a term was not finite.
    ///
    /// It is rounded from the leading 96 bits: the same bits for the same terms in any order.
    #[must_use]
    pub fn value(&self) -> f64 {
        if self.non_finite != 0 {
            return f64::NAN;
        }
        let mut folded = self.clone();
        folded.fold();
        // After a fold all digits except the top one are in 0..2^32: the top digit has the sign.
        let negative = folded.digits[DIGITS - 1] < 0;
        if negative {
            for d in &mut folded.digits {
                *d = -*d;
            }
            folded.fold();
        }
        let Some(top) = folded.digits.iter().rposition(|&d| d != 0) else {
            return 0.0;
        };
        let mut leading: u128 = 0;
        for k in (0..4).filter(|k| top >= *k) {
            leading |= u128::from(folded.digits[top - k] as u64) << (DIGIT_BITS as usize * (3 - k));
        }
        // leading · 2^(32 (top − 3) − 1074), in two factors because a single power of two may be
        // out of range.
        let exponent = DIGIT_BITS as i32 * (top as i32 - 3) - 1074;
        let half = exponent / 2;
        let magnitude =
            leading as f64 * libm::exp2(f64::from(half)) * libm::exp2(f64::from(exponent - half));
        if negative { -magnitude } else { magnitude }
    }

    /// Folds the carries: afterwards all digits except the last are in 0..2^32.
    fn fold(&mut self) {
        let mut carry = 0;
        for d in &mut self.digits[..DIGITS - 1] {
            let v = *d + carry;
            *d = v & DIGIT_MASK;
            carry = v >> DIGIT_BITS;
        }
        self.digits[DIGITS - 1] += carry;
        self.terms_since_fold = 0;
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|x| sum.add(x));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of very different magnitudes and both signs, the same in every run.
    fn terms() -> Vec<f64> {
        let mut state = 1u64;
        (0..5000)
            .map(|k| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let x = (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
                x * libm::exp2(f64::from(k % 200 - 100))
            })
            .collect()
    }

    #[test]
    fn any_order_and_any_split_give_the_same_bits() {
        let x = terms();
        let forward: ExactSum = x.iter().copied().collect();
        let backward: ExactSum = x.iter().rev().copied().collect();
        assert_eq!(forward.value().to_bits(), backward.value().to_bits());
        let mut wire = [0i64; ExactSum::WIRE_LEN];
        for part in x.chunks(7) {
            let sum: ExactSum = part.iter().copied().collect();
            wire.iter_mut()
                .zip(sum.to_wire())
                .for_each(|(a, b)| *a += b);
        }
        assert_eq!(
            ExactSum::from_wire(&wire).value().to_bits(),
            forward.value().to_bits()
        );
        let mut merged = ExactSum::default();
        x.chunks(11)
            .for_each(|part| merged.merge(&part.iter().copied().collect()));
        assert_eq!(merged.value().to_bits(), forward.value().to_bits());
        let naive: f64 = x.iter().sum();
        assert!((naive - forward.value()).abs() <= 1e-12 * x.iter().map(|v| v.abs()).sum::<f64>());
    }

    #[test]
    fn cancellation_loses_nothing() {
        let sum: ExactSum = [1e300, 1.0, -1e300, 5e-324, -1.0].into_iter().collect();
        assert_eq!(sum.value(), 5e-324);
        let negative: ExactSum = [-3.0, 1.5].into_iter().collect();
        assert_eq!(negative.value(), -1.5);
        assert_eq!(ExactSum::default().value(), 0.0);
    }

    #[test]
    fn single_numbers_come_back_as_they_went_in() {
        for x in [
            1.0,
            -1.0,
            0.1,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            -7.25e-100,
            9.8e99,
        ] {
            assert_eq!([x].into_iter().collect::<ExactSum>().value(), x);
        }
    }

    #[test]
    fn a_number_that_is_not_finite_is_never_swallowed() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(
                [1.0, bad, 2.0]
                    .into_iter()
                    .collect::<ExactSum>()
                    .value()
                    .is_nan()
            );
        }
    }
}
