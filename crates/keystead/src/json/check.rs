//! The first pass over a file: is it JSON, of this version, in the strict form?
//!
//! It keeps one byte for every open bracket and never recurses, so a hostile depth costs memory in proportion to the file and no stack.
//! What it lets through is well-formed, not nested deeply, and holds no null and no lone surrogate.

use alloc::{format, string::String, vec::Vec};

use super::{
    escape::{LoneSurrogate, unescape},
    lexer::{Lexer, Spanned, Token},
    number::is_one,
    shortened, text_error,
};
use crate::error::{Error, ErrorKind};

/// The deepest nesting; the outermost object has depth 1.
const MAX_DEPTH: usize = 16;

/// The member that says the version.
const VERSION: &str = "keystead";

/// What may come next.
#[derive(Clone, Copy)]
enum Expect {
    Value,
    ValueOrEnd,
    Name,
    NameOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

/// Checks the whole text. Where it is not well-formed, that is the fault. A well-formed object of another version is
/// `unsupported_version` whatever else it holds, since only that version's rules could judge the rest. Any other fault is the first.
pub(super) fn check(text: &str) -> Result<(), Error> {
    let mut pass =
        Pass { lexer: Lexer::new(text), open: Vec::new(), names_version: false, versions: 0, other: None, fault: None };
    match pass.walk() {
        Ok(()) if pass.versions == 1 => {
            if let Some(number) = pass.other {
                let version = shortened(pass.lexer.slice(number));
                let message = format!("version {version} is not supported: this release reads version 1");
                return Err(text_error(text, number.start, ErrorKind::UnsupportedVersion, message));
            }
        }
        Ok(()) => {}
        Err(broken) => pass.fault = Some(broken),
    }
    match pass.fault {
        Some(Fault { at, kind, message }) => Err(text_error(text, at, kind, message)),
        None => Ok(()),
    }
}

struct Fault {
    at: usize,
    kind: ErrorKind,
    message: String,
}

impl Fault {
    fn file(at: usize, message: impl Into<String>) -> Fault {
        Fault { at, kind: ErrorKind::InvalidFile, message: message.into() }
    }
}

struct Pass<'a> {
    lexer: Lexer<'a>,
    /// The closing bracket of everything that is open.
    open: Vec<Token>,
    /// Whether the value that comes next is that of a `keystead` of the outermost object.
    names_version: bool,
    /// How many of those there are.
    versions: usize,
    /// The number that one of them has, if its value is not 1.
    other: Option<Spanned>,
    /// The first fault that leaves the text well-formed.
    fault: Option<Fault>,
}

impl Pass<'_> {
    /// Reads to the end of the text; an error where it is not one well-formed object.
    fn walk(&mut self) -> Result<(), Fault> {
        let first = self.token()?;
        if first.token != Token::BeginObject {
            return Err(Fault::file(
                first.start,
                format!("{} where one JSON object is expected", describe(first.token)),
            ));
        }
        let mut expect = self.begin(first);
        loop {
            let next = self.token()?;
            expect = match (expect, next.token) {
                (Expect::Nothing, Token::End) => return Ok(()),
                (Expect::Name | Expect::NameOrEnd, Token::Text) => {
                    self.name(next);
                    Expect::Colon
                }
                (Expect::CommaOrEnd, Token::Comma) if self.open.last() == Some(&Token::EndObject) => Expect::Name,
                (Expect::Colon, Token::Colon) | (Expect::CommaOrEnd, Token::Comma) => Expect::Value,
                (Expect::NameOrEnd | Expect::ValueOrEnd | Expect::CommaOrEnd, closing)
                    if self.open.last() == Some(&closing) =>
                {
                    self.open.pop();
                    self.after_value()
                }
                (Expect::Value | Expect::ValueOrEnd, Token::BeginObject | Token::BeginArray) => {
                    self.names_version = false;
                    self.begin(next)
                }
                (
                    Expect::Value | Expect::ValueOrEnd,
                    Token::Text | Token::Number | Token::True | Token::False | Token::Null,
                ) => {
                    self.scalar(next);
                    self.after_value()
                }
                (expect, unexpected) => {
                    return Err(Fault::file(next.start, self.complaint(expect, unexpected)));
                }
            };
        }
    }

    fn token(&mut self) -> Result<Spanned, Fault> {
        self.lexer.next().map_err(|malformed| Fault::file(malformed.at, malformed.message))
    }

    fn note(&mut self, fault: impl FnOnce() -> Fault) {
        self.fault.get_or_insert_with(fault);
    }

    fn begin(&mut self, bracket: Spanned) -> Expect {
        let (closing, expect) = match bracket.token {
            Token::BeginArray => (Token::EndArray, Expect::ValueOrEnd),
            _ => (Token::EndObject, Expect::NameOrEnd),
        };
        self.open.push(closing);
        if self.open.len() > MAX_DEPTH {
            self.note(|| Fault::file(bracket.start, format!("nested deeper than {MAX_DEPTH}")));
        }
        expect
    }

    fn after_value(&self) -> Expect {
        if self.open.is_empty() { Expect::Nothing } else { Expect::CommaOrEnd }
    }

    fn name(&mut self, name: Spanned) {
        match unescape(self.lexer.slice(name)) {
            Ok(text) => {
                self.names_version = self.open.len() == 1 && text == VERSION;
                self.versions += usize::from(self.names_version);
            }
            Err(lone) => {
                self.names_version = false;
                self.note(|| lone_surrogate(name, &lone));
            }
        }
    }

    fn scalar(&mut self, value: Spanned) {
        let names_version = core::mem::take(&mut self.names_version);
        let text = self.lexer.slice(value);
        match value.token {
            Token::Number if names_version && !is_one(text) => self.other = Some(value),
            Token::Text => {
                if let Err(lone) = unescape(text) {
                    self.note(|| lone_surrogate(value, &lone));
                }
            }
            Token::Null => {
                self.note(|| Fault::file(value.start, "null; leave the member out instead"));
            }
            _ => {}
        }
    }

    fn complaint(&self, expect: Expect, unexpected: Token) -> String {
        let in_object = self.open.last() == Some(&Token::EndObject);
        let expected = match expect {
            Expect::Value => "a value",
            Expect::ValueOrEnd => "a value or ']'",
            Expect::Name => "a name",
            Expect::NameOrEnd => "a name or '}'",
            Expect::Colon => "':'",
            Expect::CommaOrEnd if in_object => "',' or '}'",
            Expect::CommaOrEnd => "',' or ']'",
            Expect::Nothing => "the end of the file",
        };
        format!("{} where {expected} is expected", describe(unexpected))
    }
}

fn lone_surrogate(text: Spanned, lone: &LoneSurrogate) -> Fault {
    let message = format!("a text with the lone surrogate \\u{:04x}, which stands for no character", lone.0);
    Fault { at: text.start, kind: ErrorKind::InvalidText, message }
}

/// A token in a sentence.
pub(super) fn describe(token: Token) -> &'static str {
    match token {
        Token::BeginObject => "an object",
        Token::BeginArray => "an array",
        Token::EndObject => "'}'",
        Token::EndArray => "']'",
        Token::Colon => "':'",
        Token::Comma => "','",
        Token::Text => "a text",
        Token::Number => "a number",
        Token::True => "true",
        Token::False => "false",
        Token::Null => "null",
        Token::End => "the end of the file",
    }
}
