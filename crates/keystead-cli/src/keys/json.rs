//! A key as a JSON value: text, `{"hex": "00ff"}` for bytes, an integer, or an array of these.
//!
//! The shared memory model of JSON readers loses what matters here: integers become doubles, lone surrogates become U+FFFD.
//! So values are taken apart as raw text, one layer at a time.

use crate::{
    failure::{Failure, Outcome},
    shown::{excerpt, json_hex, json_string},
};
use keystead::{EncodedKey, ErrorKind, KeyEncoder};
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// What a line of JSON is.
pub(super) enum Value {
    /// Text or bytes: an ordinary key.
    Plain(Vec<u8>),
    /// An integer or an array.
    Composite(EncodedKey),
}

/// Reads one key, and writes it to `compact` as JSON without white space.
pub(super) fn parse(line: &[u8], compact: &mut String) -> Outcome<Value> {
    let text = std::str::from_utf8(line).map_err(|error| {
        Failure::new(
            ErrorKind::InvalidText,
            format!("{} is not well-formed UTF-8 from byte {} on", excerpt(line), error.valid_up_to() + 1),
        )
    })?;
    let raw: &RawValue = serde_json::from_str(text)
        .map_err(|error| not_a_key(text, &format!("no JSON value (column {})", error.column())))?;
    let raw = raw.get();
    if let Some(bytes) = plain(raw, compact)? {
        return Ok(Value::Plain(bytes));
    }
    let mut encoder = KeyEncoder::new();
    item(raw, &mut encoder, compact)?;
    Ok(Value::Composite(encoder.finish()))
}

fn item(raw: &str, encoder: &mut KeyEncoder, compact: &mut String) -> Outcome {
    if let Some(bytes) = plain(raw, compact)? {
        encoder.bytes(&bytes);
        return Ok(());
    }
    match raw.as_bytes().first() {
        Some(b'[') => {
            // One layer is read before the depth is checked, and no deeper one: hostile nesting ends in `begin`.
            let items: Vec<&RawValue> =
                serde_json::from_str(raw).map_err(|error| not_a_key(raw, &error.to_string()))?;
            encoder.begin(items.len() as u64)?;
            compact.push('[');
            for (index, raw) in items.into_iter().enumerate() {
                if index > 0 {
                    compact.push(',');
                }
                item(raw.get(), encoder, compact)?;
            }
            encoder.end();
            compact.push(']');
            Ok(())
        }
        Some(b'-' | b'0'..=b'9') => {
            if raw.contains(['.', 'e', 'E']) {
                return Err(not_a_key(raw, "a float; keys are text, bytes, integers and arrays of these"));
            }
            // Only digits are left: what does not fit 128 bits is out of range as well, and the core says so for the rest.
            let value: i128 = raw.parse().map_err(|_| {
                not_a_key(raw, "an integer out of range: from -9223372036854775808 to 18446744073709551615")
            })?;
            encoder.integer(value)?;
            compact.push_str(&value.to_string());
            Ok(())
        }
        Some(b't' | b'f') => Err(not_a_key(raw, "a boolean; keys are text, bytes, integers and arrays of these")),
        Some(b'n') => Err(not_a_key(raw, "null; keys are text, bytes, integers and arrays of these")),
        _ => Err(not_a_key(raw, "an object; the only one is bytes as {\"hex\": \"00ff\"}")),
    }
}

/// The bytes of a text or of `{"hex": …}`; nothing for another value.
fn plain(raw: &str, compact: &mut String) -> Outcome<Option<Vec<u8>>> {
    match raw.as_bytes().first() {
        Some(b'"') => {
            let text = text(raw)?;
            compact.push_str(&json_string(&text));
            Ok(Some(text.into_bytes()))
        }
        Some(b'{') => {
            let digits = serde_json::Deserializer::from_str(raw)
                .deserialize_map(HexObject)
                .map_err(|_| not_a_key(raw, "an object; the only one is bytes as {\"hex\": \"00ff\"}"))?;
            let digits = text(digits.get()).ok();
            let bytes = digits.and_then(|digits| super::decode_hex(digits.as_bytes()));
            let bytes = bytes.ok_or_else(|| not_a_key(raw, "bytes without an even number of hex digits"))?;
            compact.push_str(&json_hex(&bytes));
            Ok(Some(bytes))
        }
        _ => Ok(None),
    }
}

/// A JSON string's text. Asked for bytes, `serde_json` keeps a lone surrogate as what it is, which UTF-8 then refuses.
fn text(raw: &str) -> Outcome<String> {
    struct Bytes;
    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
    let bytes = serde_json::Deserializer::from_str(raw)
        .deserialize_bytes(Bytes)
        .map_err(|error| not_a_key(raw, &error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(
            ErrorKind::InvalidText,
            format!("{} escapes a lone surrogate, which is no text", excerpt(raw.as_bytes())),
        )
    })
}

/// An object with the one member `hex`.
struct HexObject;

impl<'de> Visitor<'de> for HexObject {
    type Value = &'de RawValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the one member `hex`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<&'de RawValue, A::Error> {
        match members.next_entry::<String, &'de RawValue>()? {
            Some((name, value)) if name == "hex" && members.next_key::<String>()?.is_none() => Ok(value),
            _ => Err(A::Error::custom("other members than `hex`")),
        }
    }
}

fn not_a_key(raw: &str, what: &str) -> Failure {
    Failure::new(ErrorKind::InvalidKey, format!("{} is {what}", excerpt(raw.as_bytes())))
}
