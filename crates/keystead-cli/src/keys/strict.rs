//! CSV as RFC 4180 has it, and nothing else. The reader behind this takes whatever comes: a stray quote swallows lines or vanishes, an
//! empty line is skipped. A key that is read so is another key, and its owner a wrong answer.

use std::{
    error::Error,
    fmt,
    io::{self, Cursor, ErrorKind, Read},
};

/// What is wrong with a file, and in which line.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) line: u64,
    message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Fault {}

impl Fault {
    /// The fault behind an error of reading, where it is one.
    pub(super) fn of(error: &io::Error) -> Option<&Fault> {
        error.get_ref()?.downcast_ref()
    }
}

/// Where the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    RecordStart,
    FieldStart,
    Plain,
    Quoted,
    /// Behind a quote within a quoted field: it ends the field, or another one follows and both are one of the text.
    AfterQuote,
    /// Behind a CR that is not quoted.
    AfterReturn {
        in_empty_line: bool,
    },
}

/// Hands bytes on as long as they are CSV. What is whole before a fault is handed on first, so that it is told in its turn.
pub(super) struct Strict<R> {
    source: R,
    at: At,
    line: u64,
    /// The line in which the last quoted field begins.
    opened: u64,
    fault: Option<Fault>,
}

impl<R: Read> Strict<R> {
    pub(super) fn new(source: R) -> Strict<R> {
        Strict { source, at: At::RecordStart, line: 1, opened: 1, fault: None }
    }

    /// What is wrong with this byte, if anything is.
    fn step(&mut self, byte: u8) -> Option<Fault> {
        let fault = |line, message: String| Some(Fault { line, message });
        self.at = match (self.at, byte) {
            (At::Quoted, b'"') => At::AfterQuote,
            (At::Quoted, _) | (At::AfterQuote, b'"') => At::Quoted,
            (At::RecordStart | At::AfterReturn { in_empty_line: true }, b'\n') => {
                return fault(self.line, "an empty line; an empty key is written \"\"".to_owned());
            }
            (At::RecordStart, b'\r') => At::AfterReturn { in_empty_line: true },
            (At::AfterReturn { .. }, b'\n') => At::RecordStart,
            (At::AfterReturn { .. }, _) => return fault(self.line, LONE_RETURN.to_owned()),
            (At::RecordStart | At::FieldStart, b'"') => {
                self.opened = self.line;
                At::Quoted
            }
            (_, b',') => At::FieldStart,
            (_, b'\n') => At::RecordStart,
            (_, b'\r') => At::AfterReturn { in_empty_line: false },
            (At::AfterQuote, _) => {
                let from = if self.opened == self.line { String::new() } else { format!(" of line {}", self.opened) };
                return fault(self.line, format!("text behind the closing quote of a field{from}; {DOUBLED}"));
            }
            (At::Plain, b'"') => {
                return fault(self.line, format!("a quote within a field that is not quoted; {DOUBLED}"));
            }
            (At::RecordStart | At::FieldStart | At::Plain, _) => At::Plain,
        };
        if byte == b'\n' {
            self.line += 1;
        }
        None
    }

    /// What is wrong with a file that ends here.
    fn end(&self) -> Option<Fault> {
        match self.at {
            At::Quoted => Some(Fault { line: self.opened, message: "a quote that nothing closes".to_owned() }),
            At::AfterReturn { .. } => Some(Fault { line: self.line, message: LONE_RETURN.to_owned() }),
            _ => None,
        }
    }
}

const DOUBLED: &str = "fields with quotes are quoted, and the quotes in them doubled";
const LONE_RETURN: &str = "a CR without LF outside quotes";

impl<R: Read> Read for Strict<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let failed = |fault| Err(io::Error::new(ErrorKind::InvalidData, fault));
        if let Some(fault) = self.fault.take() {
            return failed(fault);
        }
        let read = self.source.read(buffer)?;
        if read == 0 && !buffer.is_empty() {
            return self.end().map_or(Ok(0), failed);
        }
        let mut whole = 0;
        for (index, &byte) in buffer[..read].iter().enumerate() {
            if let Some(fault) = self.step(byte) {
                if whole == 0 {
                    return failed(fault);
                }
                self.fault = Some(fault);
                return Ok(whole);
            }
            if self.at == At::RecordStart {
                whole = index + 1;
            }
        }
        Ok(read)
    }
}

/// The same without the byte-order mark that some programs write first.
pub(super) fn without_mark(mut source: impl Read) -> io::Result<impl Read> {
    let mark = b"\xef\xbb\xbf";
    let mut start = Vec::new();
    source.by_ref().take(mark.len() as u64).read_to_end(&mut start)?;
    if start == mark {
        start.clear();
    }
    Ok(Cursor::new(start).chain(source))
}
