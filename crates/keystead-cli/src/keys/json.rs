//! A key as a JSON value: text, `{"hex": "00ff"}` for bytes, an integer, or an array of these.
//!
//! What JSON readers commonly do loses what matters here: integers become doubles, lone surrogates become U+FFFD. So values are
//! taken apart as raw text, one layer at a time. An integer may also be `{"int": "18446744073709551615"}`, for writers that have
//! doubles only, and is given back so from 2^53 on, for readers that have.

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
    if text.trim_ascii().is_empty() {
        return Err(Failure::new(
            ErrorKind::InvalidKey,
            "an empty line is no JSON value; an empty key is written \"\"",
        ));
    }
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
        Some(b'-' | b'0'..=b'9') if raw.contains(['.', 'e', 'E']) => {
            Err(not_a_key(raw, "a float; keys are text, bytes, integers and arrays of these"))
        }
        Some(b'-' | b'0'..=b'9') => integer(raw, raw, encoder, compact),
        Some(b'{') => match member(raw)? {
            ("int", digits) => integer(raw, &digits, encoder, compact),
            _ => Err(not_a_key(raw, OBJECTS)),
        },
        Some(b't' | b'f') => Err(not_a_key(raw, "a boolean; keys are text, bytes, integers and arrays of these")),
        Some(b'n') => Err(not_a_key(raw, "null; keys are text, bytes, integers and arrays of these")),
        _ => Err(not_a_key(raw, "no key")),
    }
}

/// What an integer's digits are, wherever they stand.
fn integer(raw: &str, digits: &str, encoder: &mut KeyEncoder, compact: &mut String) -> Outcome {
    /// The largest integer up to which every reader of JSON keeps all of them apart.
    const LARGEST_SAFE: u128 = (1 << 53) - 1;
    let magnitude = digits.strip_prefix('-').unwrap_or(digits);
    if magnitude.is_empty() || !magnitude.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_a_key(raw, "an integer without decimal digits"));
    }
    // What does not fit 128 bits is out of range as well; for the rest the core says so.
    let value: i128 = digits
        .parse()
        .map_err(|_| not_a_key(raw, "an integer out of range: from -9223372036854775808 to 18446744073709551615"))?;
    encoder.integer(value)?;
    if value.unsigned_abs() <= LARGEST_SAFE {
        compact.push_str(&value.to_string());
    } else {
        compact.push_str("{\"int\":\"");
        compact.push_str(&value.to_string());
        compact.push_str("\"}");
    }
    Ok(())
}

/// The bytes of a text or of `{"hex": …}`; nothing for another value.
fn plain(raw: &str, compact: &mut String) -> Outcome<Option<Vec<u8>>> {
    match raw.as_bytes().first() {
        Some(b'"') => {
            let text = text(raw)?;
            compact.push_str(&json_string(&text));
            Ok(Some(text.into_bytes()))
        }
        Some(b'{') => match member(raw)? {
            ("hex", digits) => {
                let bytes = super::decode_hex(digits.as_bytes());
                let bytes = bytes.ok_or_else(|| not_a_key(raw, "bytes without an even number of hex digits"))?;
                compact.push_str(&json_hex(&bytes));
                Ok(Some(bytes))
            }
            _ => Ok(None),
        },
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

/// What objects there are, for messages.
const OBJECTS: &str = "an object; only {\"hex\": \"00ff\"} and {\"int\": \"42\"} are keys";

/// The one member of an object, `hex` or `int`, whose value is text.
fn member(raw: &str) -> Outcome<(&'static str, String)> {
    let (name, value) =
        serde_json::Deserializer::from_str(raw).deserialize_map(OneMember).map_err(|_| not_a_key(raw, OBJECTS))?;
    if !value.get().starts_with('"') {
        return Err(not_a_key(raw, OBJECTS));
    }
    Ok((name, text(value.get())?))
}

struct OneMember;

impl<'de> Visitor<'de> for OneMember {
    type Value = (&'static str, &'de RawValue);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the one member `hex` or `int`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let first: Option<(String, &'de RawValue)> = members.next_entry()?;
        let known =
            first.and_then(|(name, value)| ["hex", "int"].into_iter().find(|one| *one == name).zip(Some(value)));
        match known {
            Some(member) if members.next_key::<String>()?.is_none() => Ok(member),
            _ => Err(A::Error::custom("other members")),
        }
    }
}

fn not_a_key(raw: &str, what: &str) -> Failure {
    Failure::new(ErrorKind::InvalidKey, format!("{} is {what}", excerpt(raw.as_bytes())))
}
