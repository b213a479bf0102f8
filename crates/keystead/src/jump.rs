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
/// assert!(jump_bucket("user:42", 10, &hash)? < 10);
/// # Ok::<(), keystead::Error>(())
/// ```
///
/// # Errors
/// `invalid_parameter` unless n is from 1 to 2^31 − 1.
pub fn jump_bucket<K: Key>(key: K, n: u64, hash: &Hash) -> Result<u32, Error> {
    jump(key.with_bytes(|key| key.digest(hash)), n)
}

/// The remainder of a key's digest: `kd mod n`. The baseline: from n to n + 1 buckets a key stays with probability 1
/// / (n + 1) only.
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
