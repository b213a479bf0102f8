//! A strict JSON reader that knows where everything stands.
//!
//! It is our own because a stock parser falls short in four ways that the specification asks for: it takes a repeated name, last
//! value wins; it counts columns in bytes, where they are code points here, and drops them once a value is built; it reads
//! numbers into machine types, where the digits must reach the range check unwrapped; and it cannot say that a text is
//! well-formed but of another version, which is judged before anything else it holds.
//!
//! Two passes: [`check`](check::check) walks the whole text without recursion and settles everything that can be said without knowing the members; the
//! [`Reader`] then takes the members one after the other, straight into what they mean. No tree is built, so memory stays in proportion
//! to what is kept.

mod check;
mod escape;
mod lexer;
mod number;

use alloc::{borrow::Cow, collections::BTreeSet, format, string::String};

use check::describe;
use escape::unescape;
use lexer::{Lexer, Spanned, Token};
pub(crate) use number::is_plain;

use crate::{
    error::{Error, ErrorKind},
    node::shown,
};

/// A text of the file, with the offset of its opening quote.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) at: usize,
    pub(crate) value: Cow<'a, str>,
}

/// A number of the file: `0` or digits without a leading zero, as many as there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits<'a> {
    pub(crate) at: usize,
    pub(crate) digits: &'a str,
}

/// Reads values of known types in the order in which they stand.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
}

impl<'a> Reader<'a> {
    /// A reader of a file that has passed everything but the rules for single members.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Reader<'a>, Error> {
        let text = match core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(ill_formed) => {
                let at = ill_formed.valid_up_to();
                let valid = core::str::from_utf8(&bytes[..at]).unwrap_or_default();
                let byte = bytes.get(at).copied().unwrap_or_default();
                let message = format!("not UTF-8: the byte 0x{byte:02x}");
                return Err(text_error(valid, at, ErrorKind::InvalidFile, message));
            }
        };
        check::check(text)?;
        Ok(Reader { text, lexer: Lexer::new(text) })
    }

    /// An error at an offset of this file.
    pub(crate) fn error(&self, at: usize, kind: ErrorKind, message: impl Into<String>) -> Error {
        text_error(self.text, at, kind, message)
    }

    /// The same error, placed at an offset of this file.
    pub(crate) fn place(&self, at: usize, error: Error) -> Error {
        let (line, column) = position(self.text, at);
        error.at(line, column)
    }

    /// An object: hands each name to `member`, which reads the value. `what` names the object in messages. The result is the offset of
    /// the object, where a missing member is reported.
    pub(crate) fn object(
        &mut self,
        what: &str,
        mut member: impl FnMut(&mut Self, Text<'a>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let at = self.expect(Token::BeginObject, what)?.start;
        let mut names = BTreeSet::new();
        while !self.ends(Token::EndObject)? {
            let name = self.text(what)?;
            if !names.insert(name.value.clone()) {
                let message = format!("{} is given twice in {what}", shown(&name.value));
                return Err(self.error(name.at, ErrorKind::InvalidFile, message));
            }
            self.token()?;
            member(self, name)?;
        }
        Ok(at)
    }

    /// An array: calls `item` before each of its values, which it reads. The result is the offset of the array.
    pub(crate) fn array(
        &mut self,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let at = self.expect(Token::BeginArray, what)?.start;
        while !self.ends(Token::EndArray)? {
            item(self)?;
        }
        Ok(at)
    }

    /// A text.
    pub(crate) fn text(&mut self, what: &str) -> Result<Text<'a>, Error> {
        let span = self.expect(Token::Text, what)?;
        let value = unescape(self.lexer.slice(span))
            .map_err(|_| self.error(span.start, ErrorKind::InvalidText, "a text with a lone surrogate"))?;
        Ok(Text { at: span.start, value })
    }

    /// A number, which must be `0` or digits without a leading zero.
    pub(crate) fn number(&mut self, what: &str) -> Result<Digits<'a>, Error> {
        let span = self.expect(Token::Number, what)?;
        let digits = self.lexer.slice(span);
        if is_plain(digits) {
            return Ok(Digits { at: span.start, digits });
        }
        let message = format!(
            "{what} is a whole number in digits, without sign, fraction or exponent: not {}",
            shortened(digits)
        );
        Err(self.error(span.start, ErrorKind::InvalidFile, message))
    }

    /// A text, or nothing where an object comes next, which is not read yet.
    pub(crate) fn text_or_object(&mut self, what: &str) -> Result<Option<Text<'a>>, Error> {
        let before = self.lexer.clone();
        let span = self.token()?;
        self.lexer = before;
        match span.token {
            Token::Text => self.text(what).map(Some),
            Token::BeginObject => Ok(None),
            other => {
                let message = format!("{what} must be a text or an object, not {}", describe(other));
                Err(self.error(span.start, ErrorKind::InvalidFile, message))
            }
        }
    }

    fn token(&mut self) -> Result<Spanned, Error> {
        self.lexer
            .next()
            .map_err(|malformed| text_error(self.text, malformed.at, ErrorKind::InvalidFile, malformed.message))
    }

    fn expect(&mut self, token: Token, what: &str) -> Result<Spanned, Error> {
        let span = self.token()?;
        if span.token == token {
            return Ok(span);
        }
        let message = format!("{what} must be {}, not {}", describe(token), describe(span.token));
        Err(self.error(span.start, ErrorKind::InvalidFile, message))
    }

    /// Whether the object or array ends here; steps over its end, or over the comma before the next value.
    fn ends(&mut self, closing: Token) -> Result<bool, Error> {
        let before = self.lexer.clone();
        let span = self.token()?;
        if span.token == closing {
            return Ok(true);
        }
        if span.token != Token::Comma {
            self.lexer = before;
        }
        Ok(false)
    }
}

/// An error at an offset of a text.
fn text_error(text: &str, at: usize, kind: ErrorKind, message: impl Into<String>) -> Error {
    let (line, column) = position(text, at);
    Error::new(kind, message).at(line, column)
}

/// Line and column of an offset, both from 1: lines end at LF, columns are counted in code points.
fn position(text: &str, at: usize) -> (u64, u64) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let lines = before.bytes().filter(|byte| *byte == b'\n').count();
    let columns = before[line_start..].chars().count();
    let from_one = |count: usize| u64::try_from(count).map_or(u64::MAX, |count| count + 1);
    (from_one(lines), from_one(columns))
}

/// A value of the file for a message: whole where it is short, else its two ends and its length, since a file may hold megabytes of it.
pub(crate) fn shortened(value: &str) -> Cow<'_, str> {
    const WHOLE: usize = 40;
    const HEAD: usize = 24;
    const TAIL: usize = 8;
    let length = value.chars().count();
    if length <= WHOLE {
        return Cow::Borrowed(value);
    }
    let head: String = value.chars().take(HEAD).collect();
    let tail: String = value.chars().skip(length - TAIL).collect();
    Cow::Owned(format!("{head}…{tail} ({length} characters)"))
}
