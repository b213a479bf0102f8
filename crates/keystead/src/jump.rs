//! `jump` and `modulo`: functions for those whose buckets are numbered, and baselines to compare with.

use crate::{
    encode::Key,
    error::{Error, error},
    hash::Hash,
};

/// The most buckets: 2^31 − 1.
const MAX_BUCKETS: u32 = (1 << 31) - 1;

/// Lamping and Veach's jump consistent hash: the bucket of a key among `n`, 0 … n − 1.
///
/// To the letter of the paper: b = −1, j = 0, and while j < n: b = j; key = key × 2862933555777941757 + 1 modulo
/// 2^64; j = (b + 1) × (2^31 / ((key >> 33) + 1)), cut to an integer. The answer is b. From n to n + 1 buckets a key
/// stays or moves to the new one; only the last bucket can leave. The key should be a digest: see [`jump_bucket`].
///
/// The quotient and the product are each rounded to a 64-bit float, the only floats in this library that shape an
/// answer. They are the same on every platform: the divisor (at most 2^31) and b + 1 are exact, and IEEE 754 has one
/// result for a quotient and for a product, the nearest, ties to even. (The one exception among Rust's targets is
/// 32-bit x86 without SSE2, which computes wider.) The order matters: `((b + 1) × 2^31) / x` differs.
///
/// ```
/// use keystead::jump;
/// assert_eq!(jump(10_863_919_174_838_991, 11)?, 6);
/// assert_eq!(jump(u64::MAX, 1000)?, 313);
/// assert_eq!(jump(0, 0).unwrap_err().code(), "invalid_parameter");
/// # Ok::<(), keystead::Error>(())
/// ```
///
/// # Errors
/// `invalid_parameter` unless n is from 1 to 2^31 − 1.
///
/// # Complexity
/// O(log n) expected, at most n steps.
///
/// # Source
/// J. Lamping and E. Veach, *A fast, minimal memory, consistent hash algorithm*, 2014, arXiv:1406.2294.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the divisor has 31 bits and one, and what is cut is at least 1 and below n"
)]
pub fn jump(key: u64, n: u64) -> Result<u32, Error> {
    let n = buckets(n)?;
    let (mut key, mut bucket) = (key, 0);
    loop {
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        let quotient = 2_147_483_648.0 / ((key >> 33) + 1) as f64;
        let next = f64::from(bucket + 1) * quotient;
        // A number cut to an integer is below n exactly if it was before.
        if next >= f64::from(n) {
            return Ok(bucket);
        }
        bucket = next as u32;
    }
}

/// The bucket of a key among `n` by [`jump`] of its digest: `jump(kd, n)`.
///
/// ```
/// use keystead::{Hash, jump, jump_bucket};
/// let hash = Hash::xxh3(0);
/// assert_eq!(jump_bucket("user:42", 10, &hash)?, 2);
/// assert_eq!(jump_bucket("user:42", 2_147_483_647, &Hash::xxh64(7))?, 333_794_354);
/// # Ok::<(), keystead::Error>(())
/// ```
///
/// # Errors
/// `invalid_parameter` unless n is from 1 to 2^31 − 1.
pub fn jump_bucket<K: Key>(key: K, n: u64, hash: &Hash) -> Result<u32, Error> {
    jump(key.with_bytes(|key| key.digest(hash)), n)
}

/// The remainder of a key's digest: `kd mod n`. The baseline: from n to n + 1 buckets one key in n + 1 stays.
///
/// ```
/// use keystead::{Hash, modulo};
/// assert_eq!(modulo("user:42", 10, &Hash::xxh3(0))?, 0);
/// # Ok::<(), keystead::Error>(())
/// ```
///
/// # Errors
/// `invalid_parameter` unless n is from 1 to 2^31 − 1.
#[expect(clippy::cast_possible_truncation, reason = "a remainder is below n")]
pub fn modulo<K: Key>(key: K, n: u64, hash: &Hash) -> Result<u32, Error> {
    let n = buckets(n)?;
    Ok((key.with_bytes(|key| key.digest(hash)) % u64::from(n)) as u32)
}

/// The number of buckets, if it is one.
fn buckets(n: u64) -> Result<u32, Error> {
    match u32::try_from(n) {
        Ok(buckets @ 1..=MAX_BUCKETS) => Ok(buckets),
        _ => Err(error!(InvalidParameter, "number of buckets {n} is out of range: an integer from 1 to {MAX_BUCKETS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::draw;

    #[test]
    fn value_stability_jump() {
        // The worked examples, then what the oracle says at both ends of keys and buckets.
        let cases = [
            (0, 1, 0),
            (1, 10, 6),
            (9_007_199_254_740_993, 1000, 446),
            (u64::MAX, 1000, 313),
            (10_863_919_174_838_991, 11, 6),
            (2_862_933_555_777_941_757, 10_000, 7118),
            (u64::MAX, 1, 0),
            (0, 2_147_483_647, 0),
            (1, 2_147_483_647, 262_355_607),
            (7, 2_147_483_646, 1_388_389_443),
            (u64::MAX, 2_147_483_647, 699_554_662),
            (9_007_199_254_740_991, 2_147_483_647, 1_028_285_170),
            (9_007_199_254_740_993, 2_147_483_647, 1_663_717_268),
            (4_294_967_295, 1000, 875),
            (4_294_967_296, 1000, 937),
            (1 << 63, 1 << 20, 802_256),
        ];
        for (key, n, bucket) in cases {
            assert_eq!(jump(key, n).unwrap(), bucket, "jump({key}, {n})");
        }
    }

    /// Keys whose first leap ends exactly on n, which is no bucket of n and the last of n + 1.
    #[test]
    fn value_stability_leaps_that_end_on_the_number_of_buckets() {
        let cases = [
            (17_068_571_456_203_592_619, 1),
            (7_845_199_419_348_816_811, 2),
            (13_521_230_285_649_417_131, 1 << 20),
            (6_004_266_571_019_785_131, 1 << 30),
        ];
        for (key, n) in cases {
            assert_eq!([jump(key, n).unwrap(), jump(key, n + 1).unwrap()], [0, u32::try_from(n).unwrap()]);
        }
    }

    #[test]
    fn value_stability_buckets_of_keys() {
        let hash = Hash::xxh3(0);
        let keys: [&[u8]; 6] = [b"", b"a", b"user:42", b"user:43", "é".as_bytes(), b"\x00\xff"];
        assert_eq!(keys.map(|key| jump_bucket(key, 10, &hash).unwrap()), [8, 0, 2, 2, 4, 6]);
        assert_eq!(keys.map(|key| modulo(key, 10, &hash).unwrap()), [2, 4, 0, 2, 0, 7]);
        let secret = core::array::from_fn(|i| u8::try_from(i).unwrap());
        assert_eq!(modulo("user:42", 2_147_483_647, &Hash::sip13(secret)).unwrap(), 263_492_793);
    }

    /// `numerator / denominator` to the nearest integer, ties to even.
    fn rounded(numerator: u128, denominator: u128) -> u128 {
        let (quotient, rest) = (numerator / denominator, numerator % denominator);
        quotient + u128::from(2 * rest > denominator || (2 * rest == denominator && quotient % 2 == 1))
    }

    /// The algorithm in integers alone: binary64 keeps 53 bits, so a quotient is m / 2^e with 2^52 ≤ m, and a product is
    /// rounded likewise. A platform whose floats are others fails here.
    fn jump_in_integers(mut key: u64, n: u64) -> u128 {
        let (mut b, mut j) = (0, 0);
        while j < u128::from(n) {
            b = j;
            key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
            let divisor = u128::from((key >> 33) + 1);
            let e = (0..=52).find(|e| (1 << (31 + e)) / divisor >= 1 << 52).unwrap();
            let product = (b + 1) * rounded(1 << (31 + e), divisor);
            let excess = (128 - product.leading_zeros()).saturating_sub(53);
            j = (rounded(product, 1 << excess) << excess) >> e;
        }
        b
    }

    #[test]
    fn matches_naive_jump_in_integers() {
        let ends = [0, 1, u64::MAX, 1 << 33, (1 << 33) - 1, 1 << 53, (1 << 53) + 1];
        for key in ends.into_iter().chain((0..20_000).map(|i| draw(1, i))) {
            for n in [1, 2, 3, 1000, 65_537, 2_147_483_647] {
                assert_eq!(u128::from(jump(key, n).unwrap()), jump_in_integers(key, n), "jump({key}, {n})");
            }
        }
    }

    #[test]
    fn only_the_last_bucket_gains_and_leaves() {
        for i in 0..200 {
            let key = draw(3, i);
            for n in 1..200 {
                let (before, after) = (jump(key, n).unwrap(), jump(key, n + 1).unwrap());
                assert!(after == before || u64::from(after) == n);
            }
        }
    }

    #[test]
    fn rejects_numbers_of_buckets_out_of_range() {
        let hash = Hash::default();
        for n in [0, 1 << 31, 1 << 32, u64::MAX] {
            assert_eq!(jump(1, n).unwrap_err().code(), "invalid_parameter");
            assert_eq!(jump_bucket("a", n, &hash).unwrap_err().code(), "invalid_parameter");
            assert_eq!(modulo("a", n, &hash).unwrap_err().code(), "invalid_parameter");
        }
    }
}
