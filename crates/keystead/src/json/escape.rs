//! From a text between quotes to the text that it stands for.

use alloc::{borrow::Cow, string::String};

/// A `\u` escape of half a surrogate pair: well-formed JSON that stands for no text.
#[derive(Debug)]
pub(super) struct LoneSurrogate(pub(super) u16);

/// The text that a token between quotes stands for.
pub(super) fn unescape(quoted: &str) -> Result<Cow<'_, str>, LoneSurrogate> {
    let raw = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(quoted);
    let Some(first) = raw.find('\\') else {
        return Ok(Cow::Borrowed(raw));
    };
    let mut text = String::with_capacity(raw.len());
    text.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    while let Some(escape) = rest.strip_prefix('\\') {
        rest = match escape.as_bytes().first() {
            Some(b'u') => {
                let (character, rest) = unescape_u(rest)?;
                text.push(character);
                rest
            }
            Some(&byte) => {
                text.push(match byte {
                    b'b' => '\u{8}',
                    b'f' => '\u{C}',
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    other => char::from(other),
                });
                &escape[1..]
            }
            None => break,
        };
        let plain = rest.find('\\').unwrap_or(rest.len());
        text.push_str(&rest[..plain]);
        rest = &rest[plain..];
    }
    Ok(Cow::Owned(text))
}

/// The character of one `\uXXXX`, or of two that form a pair, and what follows.
fn unescape_u(text: &str) -> Result<(char, &str), LoneSurrogate> {
    fn unit(text: &str) -> Option<u16> {
        u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
    }
    let high = unit(text).unwrap_or_default();
    if let Some(character) = char::from_u32(u32::from(high)) {
        return Ok((character, &text[6..]));
    }
    let low = unit(&text[6..]).ok_or(LoneSurrogate(high))?;
    match char::decode_utf16([high, low]).next() {
        Some(Ok(character)) => Ok((character, &text[12..])),
        _ => Err(LoneSurrogate(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_resolved() {
        for (quoted, text) in [
            (r#""""#, ""),
            (r#""naïve""#, "naïve"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (r#""a\u0000b\u00e9\u00E9c""#, "a\0béée".replace("ée", "é\u{63}").as_str()),
            (r#""\ud83d\uDE00!""#, "😀!"),
            (r#""\ue000\ud7ff\uffff""#, "\u{E000}\u{D7FF}\u{FFFF}"),
            (r#""\\ud800""#, "\\ud800"),
        ] {
            assert_eq!(unescape(quoted).expect(quoted), text, "{quoted}");
        }
        for lone in [
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud800\ud800""#,
            r#""\ud800x\udc00""#,
            r#""\ud800\u0041""#,
            r#""\udc00\ud800""#,
            r#""\ud800\n""#,
        ] {
            assert!(unescape(lone).is_err(), "{lone}");
        }
    }
}
