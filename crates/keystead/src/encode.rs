//! Canonical bytes of keys: what can be a key, and how a composite one becomes bytes.
//!
//! Injective and self-delimiting: no two values share an encoding and none is a prefix of another, so `("ab", "c")` and
//! `("a", "bc")` are different keys. Text or bytes are `01`, the length as u64 and the bytes; an integer is `02` and 16 bytes of two's
//! complement; a sequence is `03`, the item count as u64 and the items' encodings. All integers are little-endian.

use crate::hash::{Domain, Hash};
#[cfg(feature = "alloc")]
use {
    crate::error::{Error, error},
    alloc::{string::String, vec::Vec},
};

/// A key's bytes together with their domain: a plain key's own bytes, or a composite key's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyBytes<'a> {
    bytes: &'a [u8],
    composite: bool,
}

impl<'a> KeyBytes<'a> {
    /// A plain key: any byte string, the empty one included. Text is its UTF-8 bytes.
    pub const fn plain(bytes: &'a [u8]) -> KeyBytes<'a> {
        KeyBytes { bytes, composite: false }
    }

    /// The bytes that are hashed.
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Whether the bytes are the encoding of a composite key.
    pub const fn is_composite(self) -> bool {
        self.composite
    }

    /// The key's digest, `kd`.
    #[inline]
    pub fn digest(self, hash: &Hash) -> u64 {
        if self.composite { self.composite_digest(hash) } else { hash.digest(Domain::Key, self.bytes) }
    }

    /// By itself, so that the way of plain keys is short enough to become part of what asks for it.
    #[inline(never)]
    fn composite_digest(self, hash: &Hash) -> u64 {
        match self.bytes.try_into() {
            Ok(integer) => hash.digest_of_integer(integer),
            Err(_) => hash.digest(Domain::CompositeKey, self.bytes),
        }
    }
}

/// What can be a key: bytes and text as they are, integers and tuples as composite keys.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// let cluster = keystead::Cluster::rendezvous(["cache-a", "cache-b", "cache-c"])?;
/// assert_eq!(cluster.digest("user:42"), cluster.digest(b"user:42")); // text is its bytes
/// assert_ne!(cluster.digest(42), cluster.digest("42"));              // an integer is a composite key
/// assert_ne!(cluster.digest(("ab", "c")), cluster.digest(("a", "bc")));
/// # }
/// # Ok::<(), keystead::Error>(())
/// ```
pub trait Key {
    /// Calls `f` with the key's bytes. A composite key is encoded first, so this may allocate for one.
    fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R;
}

impl<K: Key + ?Sized> Key for &K {
    fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
        (**self).with_bytes(f)
    }
}

impl Key for KeyBytes<'_> {
    fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
        f(*self)
    }
}

macro_rules! plain_keys {
    ($($(#[$when:meta])* [$($generics:tt)*] $type:ty,)*) => {$(
        $(#[$when])*
        impl<$($generics)*> Key for $type {
            #[inline]
            fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
                f(KeyBytes::plain(self.as_ref()))
            }
        }
    )*};
}

plain_keys! {
    [] str,
    [] [u8],
    [const N: usize] [u8; N],
    #[cfg(feature = "alloc")] [] String,
    #[cfg(feature = "alloc")] [] Vec<u8>,
}

/// How deep sequences may nest; the outermost has depth 1.
#[cfg(feature = "alloc")]
pub(crate) const MAX_DEPTH: usize = 32;

/// The encoding of a value, as a key of its own.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedKey {
    bytes: Vec<u8>,
}

#[cfg(feature = "alloc")]
impl EncodedKey {
    /// The canonical bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The canonical bytes, owned.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The composite key that these bytes are.
    pub fn as_key(&self) -> KeyBytes<'_> {
        KeyBytes { bytes: &self.bytes, composite: true }
    }
}

#[cfg(feature = "alloc")]
impl Key for EncodedKey {
    fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
        f(self.as_key())
    }
}

/// Writes one value's canonical bytes piece by piece, for fronts that walk their own language's values.
///
/// After [`begin`](KeyEncoder::begin) with a count, exactly that many items must follow before [`end`](KeyEncoder::end); the
/// caller answers for that, since a snapshot of the items is the caller's to take.
///
/// ```
/// let mut encoder = keystead::KeyEncoder::new();
/// encoder.begin(2)?;
/// encoder.bytes(b"tenant-7");
/// encoder.integer(42)?;
/// encoder.end();
/// let key = encoder.finish();
/// let cluster = keystead::Cluster::rendezvous(["a", "b"])?;
/// assert_eq!(cluster.digest(key), cluster.digest(("tenant-7", 42)));
/// # Ok::<(), keystead::Error>(())
/// ```
#[cfg(feature = "alloc")]
#[derive(Debug, Default)]
pub struct KeyEncoder {
    bytes: Vec<u8>,
    depth: usize,
}

#[cfg(feature = "alloc")]
impl KeyEncoder {
    /// An encoder that has written nothing.
    pub fn new() -> KeyEncoder {
        KeyEncoder::default()
    }

    /// Writes text or bytes: `01`, the length as u64, the bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.push(1);
        self.bytes.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes an integer: `02`, 16 bytes of two's complement.
    ///
    /// # Errors
    /// `invalid_key` outside −2^63 … 2^64 − 1.
    pub fn integer(&mut self, value: i128) -> Result<(), Error> {
        if value < i128::from(i64::MIN) || value > i128::from(u64::MAX) {
            return Err(error!(
                InvalidKey,
                "integer key {value} is out of range: from -9223372036854775808 to 18446744073709551615"
            ));
        }
        self.write_integer(value);
        Ok(())
    }

    fn write_integer(&mut self, value: i128) {
        self.bytes.push(2);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Begins a sequence of `count` items: `03`, the count as u64.
    ///
    /// # Errors
    /// `invalid_key` when sequences nest deeper than 32.
    pub fn begin(&mut self, count: u64) -> Result<(), Error> {
        if self.depth == MAX_DEPTH {
            return Err(error!(InvalidKey, "key nests deeper than 32 sequences"));
        }
        self.begin_unchecked(count);
        Ok(())
    }

    fn begin_unchecked(&mut self, count: u64) {
        self.depth += 1;
        self.bytes.push(3);
        self.bytes.extend_from_slice(&count.to_le_bytes());
    }

    /// Writes a sequence of texts: the path of a domain, the names of levels.
    pub(crate) fn sequence_of_texts<T: AsRef<str>>(&mut self, texts: &[T]) {
        self.begin_unchecked(texts.len() as u64);
        for text in texts {
            self.bytes(text.as_ref().as_bytes());
        }
        self.end();
    }

    /// Ends the sequence begun last.
    pub fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The finished key.
    pub fn finish(self) -> EncodedKey {
        EncodedKey { bytes: self.bytes }
    }
}

/// A key as a value, for composite keys whose shape is known only at run time.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPart {
    /// Bytes; text is its UTF-8 bytes.
    Bytes(Vec<u8>),
    /// An integer from −2^63 to 2^64 − 1.
    Integer(i128),
    /// A sequence of parts, at most 32 deep.
    Sequence(Vec<KeyPart>),
}

/// The canonical bytes of any value: what a client in another language must produce for a composite key.
///
/// ```
/// use keystead::{KeyPart, encode_key};
/// let key = encode_key(&KeyPart::Sequence(vec![KeyPart::Bytes(b"a".to_vec())]))?;
/// assert_eq!(key.as_bytes(), b"\x03\x01\0\0\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0a");
/// # Ok::<(), keystead::Error>(())
/// ```
///
/// # Errors
/// `invalid_key` for an integer out of range, or sequences deeper than 32.
#[cfg(feature = "alloc")]
pub fn encode_key(part: &KeyPart) -> Result<EncodedKey, Error> {
    fn write(encoder: &mut KeyEncoder, part: &KeyPart) -> Result<(), Error> {
        match part {
            KeyPart::Bytes(bytes) => encoder.bytes(bytes),
            KeyPart::Integer(value) => encoder.integer(*value)?,
            KeyPart::Sequence(parts) => {
                // The depth check comes first, so hostile nesting ends here and not at the end of the stack.
                encoder.begin(parts.len() as u64)?;
                for part in parts {
                    write(encoder, part)?;
                }
                encoder.end();
            }
        }
        Ok(())
    }
    let mut encoder = KeyEncoder::new();
    write(&mut encoder, part)?;
    Ok(encoder.finish())
}

/// What can stand inside a tuple key: text, bytes, integers and further tuples.
#[cfg(feature = "alloc")]
pub trait KeyItem {
    /// Appends the item's canonical bytes.
    fn encode(&self, encoder: &mut KeyEncoder);
}

#[cfg(feature = "alloc")]
impl<T: KeyItem + ?Sized> KeyItem for &T {
    fn encode(&self, encoder: &mut KeyEncoder) {
        (**self).encode(encoder);
    }
}

macro_rules! plain_items {
    ($([$($generics:tt)*] $type:ty,)*) => {$(
        #[cfg(feature = "alloc")]
        impl<$($generics)*> KeyItem for $type {
            fn encode(&self, encoder: &mut KeyEncoder) {
                encoder.bytes(self.as_ref());
            }
        }
    )*};
}

plain_items! { [] str, [] [u8], [const N: usize] [u8; N], [] String, [] Vec<u8>, }

// A value of a static type cannot break a rule: every 64-bit integer is in range, and a type is nested only as deep as it is written.
macro_rules! encoded_keys {
    ($([$($generics:tt)*] $type:ty,)*) => {$(
        #[cfg(feature = "alloc")]
        impl<$($generics)*> Key for $type {
            fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
                let mut encoder = KeyEncoder::new();
                KeyItem::encode(self, &mut encoder);
                f(encoder.finish().as_key())
            }
        }
    )*};
}

macro_rules! integer_items {
    ($($type:ty)*) => {$(
        #[cfg(feature = "alloc")]
        impl KeyItem for $type {
            fn encode(&self, encoder: &mut KeyEncoder) {
                encoder.write_integer(i128::from(*self));
            }
        }

        // As `write_integer` writes it, but without memory of its own: of columns of numbers each is a key.
        #[cfg(feature = "alloc")]
        impl Key for $type {
            #[inline]
            fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
                let mut bytes = [2; 17];
                bytes[1..].copy_from_slice(&i128::from(*self).to_le_bytes());
                f(KeyBytes { bytes: &bytes, composite: true })
            }
        }
    )*};
}

integer_items! { u8 u16 u32 u64 i8 i16 i32 i64 }

macro_rules! tuple_items {
    ($($count:literal: $($item:ident)*;)*) => {$(
        #[cfg(feature = "alloc")]
        impl<$($item: KeyItem),*> KeyItem for ($($item,)*) {
            #[expect(non_snake_case, reason = "the items are named after their types")]
            fn encode(&self, encoder: &mut KeyEncoder) {
                let ($($item,)*) = self;
                encoder.begin_unchecked($count);
                $($item.encode(encoder);)*
                encoder.end();
            }
        }
        encoded_keys! { [$($item: KeyItem),*] ($($item,)*), }
    )*};
}

tuple_items! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn value_stability_encodings() {
        let bytes = |part| encode_key(&part).unwrap().into_bytes();
        assert_eq!(bytes(KeyPart::Bytes(vec![])), [1, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(KeyPart::Integer(-2))[..3], [2, 0xFE, 0xFF]);
        assert_eq!(bytes(KeyPart::Integer(i128::from(u64::MAX)))[8..], [0xFF, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(KeyPart::Sequence(vec![])), [3, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn tuples_and_parts_give_the_same_bytes() {
        let part = KeyPart::Sequence(vec![
            KeyPart::Bytes(b"a".to_vec()),
            KeyPart::Sequence(vec![KeyPart::Integer(-1), KeyPart::Bytes(b"b".to_vec())]),
        ]);
        let encoded = encode_key(&part).unwrap();
        ("a", (-1i8, b"b")).with_bytes(|key| assert_eq!(key, encoded.as_key()));
    }

    #[test]
    fn rejects_wide_integers_and_deep_nesting() {
        for value in [i128::from(u64::MAX) + 1, i128::from(i64::MIN) - 1] {
            assert_eq!(encode_key(&KeyPart::Integer(value)).unwrap_err().code(), "invalid_key");
        }
        let nested = |depth| (0..depth).fold(KeyPart::Integer(0), |inner, _| KeyPart::Sequence(vec![inner]));
        assert!(encode_key(&nested(32)).is_ok());
        assert_eq!(encode_key(&nested(33)).unwrap_err().code(), "invalid_key");
    }
}
