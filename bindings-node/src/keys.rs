//! What counts as a key in JavaScript, and its bytes.
//!
//! Strings come first: most keys are one. A short ASCII string costs one call to Node and no allocation.

use keystead::{EncodedKey, ErrorKind, KeyBytes, KeyEncoder};
use napi::ValueType;

use crate::fault::{Fallible, Fault};
use crate::value::{BytesFault, Units, Value};

/// The largest safe integer, 2^53 − 1: beyond it a number may stand for another one.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Calls `answer` with the bytes of a key.
#[inline]
pub(crate) fn with_key<R>(value: Value, answer: impl FnOnce(KeyBytes<'_>) -> R) -> Fallible<R> {
    let mut room = Units::new();
    match value.units(&mut room) {
        Some(units) => with_utf8(units, &mut String::new(), |bytes| answer(KeyBytes::plain(bytes))),
        None => with_other(value, answer),
    }
}

/// The canonical encoding (section 2 of the specification) of any key, a plain one included.
pub(crate) fn encode(value: Value) -> Fallible<EncodedKey> {
    let mut encoding = Encoding::default();
    encoding.part(value)?;
    Ok(encoding.encoder.finish())
}

/// Calls `read` with the UTF-8 of a string, which is written into `room` if it is long or not ASCII.
#[inline]
pub(crate) fn with_utf8<R>(units: &[u16], room: &mut String, read: impl FnOnce(&[u8]) -> R) -> Fallible<R> {
    const NEAR: usize = 256;
    let mut near = [0; NEAR];
    if units.len() <= NEAR {
        let mut seen = 0;
        for (byte, unit) in near.iter_mut().zip(units) {
            seen |= unit;
            *byte = unit.to_le_bytes()[0];
        }
        if seen < 0x80 {
            return Ok(read(&near[..units.len()]));
        }
    }
    utf8(units, room)?;
    Ok(read(room.as_bytes()))
}

#[inline]
pub(crate) fn is_ascii(units: &[u16]) -> bool {
    // Without an early end, so that many units are looked at at a time.
    units.iter().fold(0, |seen, unit| seen | unit) < 0x80
}

/// The bytes of ASCII.
#[inline]
pub(crate) fn narrow(units: &[u16]) -> impl Iterator<Item = u8> {
    units.iter().map(|unit| unit.to_le_bytes()[0])
}

/// A lone surrogate is an error: replaced by U+FFFD, different keys would become one.
fn utf8(units: &[u16], room: &mut String) -> Fallible<()> {
    room.clear();
    room.reserve(units.len() * 3);
    let mut at = 0;
    for decoded in char::decode_utf16(units.iter().copied()) {
        let Ok(character) = decoded else {
            let message = format!("the key is not well-formed text: a lone surrogate at index {at}");
            return Err(Fault::core(ErrorKind::InvalidText, message));
        };
        at += character.len_utf16();
        room.push(character);
    }
    Ok(())
}

fn with_other<R>(value: Value, answer: impl FnOnce(KeyBytes<'_>) -> R) -> Fallible<R> {
    let mut answer = Some(answer);
    match value.with_bytes(|bytes| answer.take().map(|answer| answer(KeyBytes::plain(bytes)))) {
        Ok(Some(answered)) => return Ok(answered),
        Err(BytesFault::Detached) => return Err(detached()),
        Ok(None) | Err(BytesFault::NoBytes) => {}
    }
    let mut encoding = Encoding::default();
    encoding.composite(value)?;
    let encoded = encoding.encoder.finish();
    // Not taken above, or it would have answered.
    answer.map(|answer| answer(encoded.as_key())).ok_or_else(|| no_key(value))
}

/// A walk over a composite key. Each value is read once and written at once, so that a getter that changes the arrays meanwhile changes
/// the key, and nothing else.
#[derive(Default)]
struct Encoding {
    encoder: KeyEncoder,
    /// Bytes written so far: a few arrays that hold each other twice would else fill the memory from a few lines of input.
    size: usize,
}

impl Encoding {
    /// How many items are read before what Node made for them is freed.
    const PIECE: u32 = 1024;

    fn part(&mut self, value: Value) -> Fallible<()> {
        let mut room = Units::new();
        if let Some(units) = value.units(&mut room) {
            return with_utf8(units, &mut String::new(), |bytes| self.plain(bytes))?;
        }
        match value.with_bytes(|bytes| self.plain(bytes)) {
            Ok(written) => written,
            Err(BytesFault::Detached) => Err(detached()),
            Err(BytesFault::NoBytes) => self.composite(value),
        }
    }

    fn plain(&mut self, bytes: &[u8]) -> Fallible<()> {
        self.grow(9 + bytes.len())?;
        self.encoder.bytes(bytes);
        Ok(())
    }

    fn composite(&mut self, value: Value) -> Fallible<()> {
        match value.kind() {
            ValueType::BigInt => self.big_integer(value),
            ValueType::Number => self.number(value),
            ValueType::Object if value.is_array() => self.sequence(value),
            _ => Err(no_key(value)),
        }
    }

    fn number(&mut self, value: Value) -> Fallible<()> {
        let integer = safe_integer(value.number().unwrap_or(f64::NAN))?;
        self.integer(i128::from(integer))
    }

    fn big_integer(&mut self, value: Value) -> Fallible<()> {
        let big = value.big_words().ok_or_else(|| no_key(value))?;
        if big.words > 1 {
            let sign = if big.negative { "-" } else { "" };
            let highest = value.highest_word(big.words).unwrap_or(0);
            let message = format!("the key {sign}0x{highest:x}… ({} words of 64 bits) is out of range", big.words);
            let range = format!("an integer from {} to {}", i64::MIN, u64::MAX);
            return Err(Fault::core(ErrorKind::InvalidKey, format!("{message}: {range}")));
        }
        let magnitude = i128::from(big.low);
        self.integer(if big.negative { -magnitude } else { magnitude })
    }

    fn integer(&mut self, integer: i128) -> Fallible<()> {
        self.grow(17)?;
        Ok(self.encoder.integer(integer)?)
    }

    fn sequence(&mut self, array: Value) -> Fallible<()> {
        self.grow(9)?;
        let length = array.length();
        // Arrays that hold themselves end here, at the deepest nesting.
        self.encoder.begin(u64::from(length))?;
        let mut next = 0;
        while next < length {
            let end = length.min(next.saturating_add(Self::PIECE));
            array.with_elements(next..end, |item| self.part(item))?;
            next = end;
        }
        self.encoder.end();
        Ok(())
    }

    fn grow(&mut self, by: usize) -> Fallible<()> {
        const MOST: usize = 1 << 30;
        self.size = self.size.saturating_add(by);
        if self.size > MOST {
            return Err(Fault::core(ErrorKind::InvalidKey, "a composite key of more than 2^30 encoded bytes"));
        }
        Ok(())
    }
}

/// The integer that a number is, if it is one that it stands for alone.
#[inline]
pub(crate) fn safe_integer(number: f64) -> Fallible<i64> {
    if (-MAX_SAFE..=MAX_SAFE).contains(&number) {
        #[expect(clippy::cast_possible_truncation, reason = "what was cut off is found out")]
        let integer = number as i64;
        #[expect(
            clippy::cast_precision_loss,
            clippy::float_cmp,
            reason = "an integer of at most 53 bits, which is the number or is not"
        )]
        if integer as f64 == number {
            return Ok(integer);
        }
    }
    Err(no_integer(number))
}

#[cold]
fn no_integer(number: f64) -> Fault {
    let hint = "pass a safe integer, a BigInt for a larger one, or its text";
    let number = shown(number);
    Fault::core(ErrorKind::InvalidKey, format!("the number {number} is no key: {hint}"))
}

/// A number as JavaScript writes it, up to where it turns to exponents.
fn shown(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number.abs() < 1e21 && number.abs() >= 1e-6 { number.to_string() } else { format!("{number:e}") }
}

#[cold]
fn detached() -> Fault {
    Fault::core(ErrorKind::InvalidKey, "the bytes of the key are detached: they have been transferred away")
}

/// The refusal of a value that is no key, with what to pass instead.
#[cold]
fn no_key(value: Value) -> Fault {
    let (what, hint) = match value.kind() {
        ValueType::Undefined => ("undefined", "a missing key has no owner; the empty string is a key"),
        ValueType::Null => ("null", "a missing key has no owner; the empty string is a key"),
        ValueType::Boolean => ("a boolean", "pass a string or an integer, the same in every service"),
        ValueType::Symbol => ("a symbol", "pass a string"),
        ValueType::Function => ("a function", "pass a string"),
        ValueType::Object if value.is_binary() => {
            ("binary data of another type than Uint8Array", "pass new Uint8Array(buffer, byteOffset, byteLength)")
        }
        _ => (
            "an object",
            "pass a string, Uint8Array, bigint, safe integer, or an Array of these; of a UUID its text or its 16 bytes",
        ),
    };
    Fault::core(ErrorKind::InvalidKey, format!("{what} is no key: {hint}"))
}
