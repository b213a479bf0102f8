//! Tokens of RFC 8259 with the place where each stands.

use alloc::{format, string::String};

use super::{number::is_number, shortened};

/// What a token is. Texts and numbers are looked at through their span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
    Colon,
    Comma,
    Text,
    Number,
    True,
    False,
    Null,
    End,
}

/// A token and its bytes `start..end` in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spanned {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Bytes at `at` that are no token, and why.
#[derive(Debug)]
pub(super) struct Malformed {
    pub(super) at: usize,
    pub(super) message: String,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// The text of a span that this lexer gave.
    pub(super) fn slice(&self, span: Spanned) -> &'a str {
        &self.text[span.start..span.end]
    }

    /// The next token; [`Token::End`] for ever once the text is used up.
    pub(super) fn next(&mut self) -> Result<Spanned, Malformed> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        let start = self.at;
        let Some(&first) = bytes.get(start) else {
            return Ok(Spanned { token: Token::End, start, end: start });
        };
        let (token, end) = match first {
            b'{' => (Token::BeginObject, start + 1),
            b'}' => (Token::EndObject, start + 1),
            b'[' => (Token::BeginArray, start + 1),
            b']' => (Token::EndArray, start + 1),
            b':' => (Token::Colon, start + 1),
            b',' => (Token::Comma, start + 1),
            b'"' => (Token::Text, text_end(bytes, start)?),
            _ => self.word(start)?,
        };
        self.at = end;
        Ok(Spanned { token, start, end })
    }

    /// A number or one of the three words. All that numbers are made of and runs on is one token, so that `01` is wrong where it begins.
    fn word(&self, start: usize) -> Result<(Token, usize), Malformed> {
        let rest = &self.text[start..];
        for (word, token) in [("true", Token::True), ("false", Token::False), ("null", Token::Null)] {
            if rest.starts_with(word) {
                return Ok((token, start + word.len()));
            }
        }
        let length = rest.bytes().position(|byte| !matches!(byte, b'0'..=b'9' | b'e' | b'E' | b'+' | b'-' | b'.'));
        let number = &rest[..length.unwrap_or(rest.len())];
        if is_number(number) {
            return Ok((Token::Number, start + number.len()));
        }
        let message = match rest.chars().next() {
            Some('0'..='9' | '+' | '-' | '.') => {
                format!("{} is not a JSON number", shortened(number))
            }
            Some('\u{FEFF}') => String::from("a byte-order mark; a file starts with its '{'"),
            first => format!("unexpected {:?}", first.unwrap_or_default()),
        };
        Err(Malformed { at: start, message })
    }
}

/// The end of the text that opens at `start`. A malformed text is reported where it opens: for one that is not closed, no
/// other place says which text it is.
fn text_end(bytes: &[u8], start: usize) -> Result<usize, Malformed> {
    let malformed = |message| Err(Malformed { at: start, message });
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return malformed(String::from("a text that is not closed")),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u')
                    if bytes.get(at + 2..at + 6).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) =>
                {
                    at += 6;
                }
                Some(b'u') => {
                    return malformed(String::from("a text with \\u that is not followed by 4 hex digits"));
                }
                Some(_) => {
                    return malformed(String::from("a text with an escape that JSON does not have"));
                }
                None => return malformed(String::from("a text that is not closed")),
            },
            Some(&control @ ..0x20) => {
                return malformed(format!(
                    "a text with the raw control character U+{control:04X}; write it as \\u{control:04x}"
                ));
            }
            Some(_) => at += 1,
        }
    }
}
