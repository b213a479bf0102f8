//! How keys and other texts are shown to people: never a raw control character, never two keys that look the same.

use crate::cli::Format;
use keystead::KeyBytes;
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// A key as it was given, for giving it back.
#[derive(Clone, Copy)]
pub(crate) enum Shown<'a> {
    /// Bytes, from an argument, a line or a CSV field.
    Bytes(&'a [u8]),
    /// A value that was given as JSON, in compact JSON.
    Json(&'a str),
}

impl<'a> Shown<'a> {
    /// For text output: the key as it is where that is unambiguous, else in the form that `--keys-format json` reads.
    ///
    /// Ambiguous are bytes that are not UTF-8, control characters (a TAB or LF would end the field), and a first character that
    /// begins the JSON form. A key that was given as JSON is always shown as JSON, since `42` and `"42"` are different keys.
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self {
            Shown::Json(json) => on_one_line(json),
            Shown::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if is_plain(text) => Cow::Borrowed(text),
                Ok(text) => Cow::Owned(on_one_line(&json_string(text)).into_owned()),
                Err(_) => Cow::Owned(json_hex(bytes)),
            },
        }
    }

    /// For `--json`: a string where the bytes are UTF-8, else `{"hex": …}`; a value that was given as JSON is that value.
    pub(crate) fn write_json(self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Shown::Json(json) => out.write_all(json.as_bytes()),
            Shown::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(serde_json::to_writer(out, text)?),
                Err(_) => out.write_all(json_hex(bytes).as_bytes()),
            },
        }
    }

    /// The text of the key, where it is one; `key` is what was read.
    pub(crate) fn plain_text(self, key: KeyBytes<'_>) -> Option<&str> {
        match self {
            Shown::Json(json) if !json.starts_with('"') => None,
            Shown::Json(_) | Shown::Bytes(_) => std::str::from_utf8(key.bytes()).ok(),
        }
    }

    /// For `--csv`, which can quote anything: the bytes themselves.
    pub(crate) fn csv(self) -> &'a [u8] {
        match self {
            Shown::Bytes(bytes) => bytes,
            Shown::Json(json) => json.as_bytes(),
        }
    }
}

/// A text as a JSON string.
pub(crate) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A node's id in the form in which it is written: JSON, a CSV field as it is, or text that a terminal only shows.
pub(crate) fn name(id: &str, format: Format) -> String {
    match format {
        Format::Text => on_one_line(id).into_owned(),
        Format::Json => json_string(id),
        Format::Csv => id.to_owned(),
    }
}

/// Bytes as `{"hex": …}`.
pub(crate) fn json_hex(bytes: &[u8]) -> String {
    format!("{{\"hex\":\"{}\"}}", hex(bytes))
}

/// Lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, &byte| {
        digits.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('?')));
        digits
    })
}

/// Whether a text can stand in a field as it is.
fn is_plain(text: &str) -> bool {
    let is_printable_ascii = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    !text.starts_with(['"', '{']) && (is_printable_ascii || !text.contains(is_obeyed))
}

/// A text that may hold anything (an id, an address, a comment, a message), and JSON, which escapes the control characters below
/// U+0020 only, while a terminal also obeys some of U+007F to U+009F: every control character as `\u001b`. So are the characters
/// that turn the direction of writing, and those that have no width, since a name could look like another by them.
pub(crate) fn on_one_line(text: &str) -> Cow<'_, str> {
    if text.contains(is_obeyed) { Cow::Owned(escaped(text)) } else { Cow::Borrowed(text) }
}

/// Whether a terminal does something else with it than showing it.
fn is_obeyed(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61C}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_obeyed(char) {
            // All of them are below U+10000.
            let [_, _, high, low] = u32::from(char).to_be_bytes();
            shown.push_str("\\u");
            shown.push_str(&hex(&[high, low]));
        } else {
            shown.push(char);
        }
    }
    shown
}

/// The first characters of a value that may be megabytes long, for a message.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)]);
    let short: String = text.chars().take(LONGEST).collect();
    if short.len() < bytes.len() { format!("`{short}…`") } else { format!("`{short}`") }
}
