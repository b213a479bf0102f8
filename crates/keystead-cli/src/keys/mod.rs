//! Reading keys: from arguments, or as a stream of any length of which only one key is in memory.

mod csv;
mod json;
mod strict;

pub(crate) use csv::Columns;

use crate::{
    failure::{Failure, Outcome, name_of},
    progress::Progress,
    shown::{Shown, excerpt, on_one_line},
};
use clap::{Args, ValueEnum};
use keystead::{EncodedKey, ErrorKind, KeyBytes};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write as _},
    path::{Path, PathBuf},
};

/// Where keys come from and how they are written.
#[derive(Args)]
#[command(next_help_heading = "Keys")]
pub(crate) struct KeyArgs {
    /// Read keys from FILE, `-` for standard input, instead of from arguments
    #[arg(long = "keys", value_name = "FILE")]
    file: Option<PathBuf>,

    /// How keys are written; `hex` and `json` also say how KEY arguments are
    #[arg(long = "keys-format", value_name = "FORMAT", value_enum, default_value_t = KeyFormat::Lines)]
    format: KeyFormat,

    /// The column of a CSV file that holds the key [default: key]
    #[arg(long = "key-column", value_name = "NAME")]
    column: Option<String>,
}

impl KeyArgs {
    /// The options as they were given, for another command line.
    pub(crate) fn words(&self) -> Vec<(&'static str, String)> {
        let mut words = Vec::new();
        if let Some(file) = &self.file {
            words.push(("--keys", file.to_string_lossy().into_owned()));
        }
        if let Some(format) = self.format.to_possible_value().filter(|_| self.format != KeyFormat::Lines) {
            words.push(("--keys-format", format.get_name().to_owned()));
        }
        words.extend(self.column.clone().map(|column| ("--key-column", column)));
        words
    }
}

/// A column that says how many bytes a key stands for.
#[derive(Args)]
#[command(next_help_heading = "Keys")]
pub(crate) struct BytesArgs {
    /// The column of a CSV file that says how many bytes a key stands for
    #[arg(long, value_name = "NAME")]
    bytes_column: Option<String>,
}

impl BytesArgs {
    /// The option as it was given, for another command line.
    pub(crate) fn words(&self) -> Option<(&'static str, String)> {
        self.bytes_column.clone().map(|column| ("--bytes-column", column))
    }

    /// The columns to read beside the key's.
    pub(crate) fn columns(&self) -> Columns<'_> {
        Columns { bytes: self.bytes_column.as_deref(), count: None }
    }
}

/// How keys are written; `formats!` says what the names mean.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyFormat {
    Lines,
    Nul,
    Hex,
    Json,
    Csv,
}

/// For the help of verbs that take keys; a macro, so that `concat!` takes it.
macro_rules! formats {
    () => {
        "Key formats:
  lines  the bytes of each line, without the LF and otherwise as they are
  nul    the bytes up to each NUL, as `find -print0` writes them
  hex    bytes as hex digits, a line each
  json   a value on each line: \"text\", 42, [\"a\", 42], or {\"hex\": \"00ff\"} for bytes
  csv    a column of a CSV file with a header line"
    };
}
pub(crate) use formats;

/// One key: what is asked, how to give it back, and what a CSV file says of it.
pub(crate) struct Given<'a> {
    pub(crate) key: KeyBytes<'a>,
    pub(crate) shown: Shown<'a>,
    /// How many bytes it stands for; 0 without a column that says so.
    pub(crate) bytes: u64,
    /// How many times it counts; 1 without a column that says so.
    pub(crate) count: u64,
}

impl<'a> Given<'a> {
    fn new(key: KeyBytes<'a>, shown: Shown<'a>) -> Given<'a> {
        Given { key, shown, bytes: 0, count: 1 }
    }
}

/// What a verb does with keys.
pub(crate) trait Answer {
    /// Answers one key.
    fn answer(&mut self, given: &Given<'_>) -> Outcome;

    /// Hands over what is buffered: the next key may take a while.
    fn flush(&mut self) -> Outcome;

    /// Whether answers are written while keys are read, and not only when all are.
    fn writes_meanwhile(&self) -> bool {
        true
    }
}

impl KeyArgs {
    /// Whether the answer is for one key that the caller can see on the command line.
    pub(crate) fn is_single(&self, keys: &[&OsStr]) -> bool {
        self.file.is_none() && keys.len() == 1
    }

    /// Whether keys are plain lines.
    pub(crate) fn are_lines(&self) -> bool {
        self.format == KeyFormat::Lines
    }

    /// Whether keys are read from standard input.
    pub(crate) fn are_standard_input(&self) -> bool {
        self.file.as_deref() == Some(Path::new("-"))
    }

    /// Whether keys are read from a file or standard input.
    pub(crate) fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Refuses what says something of keys in a file where there is none.
    pub(crate) fn reject_without_file(&self, columns: Columns<'_>) -> Outcome {
        let format = (self.format != KeyFormat::Lines).then_some("--keys-format");
        match columns.first_option().or(self.column.as_ref().map(|_| "--key-column")).or(format) {
            Some(option) => Err(Failure::wrong_use(format!("{option} is about keys in a file: name it with --keys"))),
            None => Ok(()),
        }
    }

    /// Hands every key to `verb`.
    pub(crate) fn each(&self, keys: &[&OsStr], verb: &mut impl Answer) -> Outcome {
        self.each_with(keys, Columns::default(), verb)
    }

    /// Hands every key of the file to `verb`, with what these columns say; a file without a key is refused.
    pub(crate) fn each_of_file(&self, columns: Columns<'_>, verb: &mut impl Answer) -> Outcome {
        let mut counted = Counted { verb, any: false };
        self.each_with(&[], columns, &mut counted)?;
        if counted.any {
            return Ok(());
        }
        let name = self.file.as_deref().map(name_of).unwrap_or_default();
        Err(Failure::new(ErrorKind::InvalidKey, format!("{name}: no key is in it")))
    }

    /// Hands every key to `verb`, from arguments or a file, with what these columns say.
    pub(crate) fn each_with(&self, keys: &[&OsStr], columns: Columns<'_>, verb: &mut impl Answer) -> Outcome {
        let option = columns.first_option().or(self.column.as_ref().map(|_| "--key-column"));
        if self.format != KeyFormat::Csv
            && let Some(option) = option
        {
            return Err(Failure::wrong_use(format!("{option} needs --keys-format csv")));
        }
        let Some(path) = &self.file else { return self.each_argument(keys, verb) };
        if !keys.is_empty() {
            return Err(Failure::wrong_use(format!(
                "keys are given twice: by --keys {} and as arguments",
                path.display()
            )));
        }
        let name = name_of(path);
        if self.are_standard_input() {
            self.each_read(&name, io::stdin().lock(), None, columns, verb)
        } else {
            let file = File::open(path).map_err(|error| Failure::unreadable(&name, &error))?;
            let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
            self.each_read(&name, file, length, columns, verb)
        }
    }

    /// Why these may not be the keys that are meant, where whole lines are taken for keys: other keys have other owners.
    fn doubt(&self, name: &str, first: &[u8]) -> Option<String> {
        if self.format != KeyFormat::Lines {
            return None;
        }
        let ending =
            self.file.as_deref().and_then(Path::extension).map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("csv") => Some(format!(
                "{name}: every whole line is a key; --keys-format csv takes the column `key`, --key-column another"
            )),
            Some("json" | "ndjson" | "jsonl") => Some(format!(
                "{name}: every whole line is a key, as it is written; --keys-format json takes the values"
            )),
            Some("tsv") => Some(format!(
                "{name}: every whole line is a key, TABs and all; `cut -f 1 FILE` and --keys - take the first column"
            )),
            _ if first.ends_with(b"\r") => Some(format!(
                "{name}: lines end in CR LF, and the CR belongs to each key; `tr -d '\\r' < FILE` and --keys - leave it out"
            )),
            _ => None,
        }
    }

    fn each_argument(&self, keys: &[&OsStr], verb: &mut impl Answer) -> Outcome {
        if keys.is_empty() {
            return Err(Failure::wrong_use("no key is given: name keys as arguments, or a file with --keys"));
        }
        if self.format == KeyFormat::Csv {
            return Err(Failure::wrong_use("--keys-format csv needs --keys FILE"));
        }
        let mut parser = Parser::default();
        for (index, key) in keys.iter().enumerate() {
            // On Unix an argument is bytes; elsewhere it is text, which this checks.
            let bytes = if cfg!(unix) { Some(key.as_encoded_bytes()) } else { key.to_str().map(str::as_bytes) };
            bytes
                .ok_or_else(|| Failure::new(ErrorKind::InvalidText, "not well-formed Unicode"))
                .and_then(|bytes| parser.parse(self.format, bytes))
                .and_then(|given| verb.answer(&given))
                .map_err(|failure| failure.of_key(format_args!("key {}", index + 1)))?;
        }
        Ok(())
    }

    fn each_read(
        &self,
        name: &str,
        source: impl Read,
        length: Option<u64>,
        columns: Columns<'_>,
        verb: &mut impl Answer,
    ) -> Outcome {
        let mut progress = Progress::new(length, verb.writes_meanwhile());
        match self.format {
            KeyFormat::Csv => {
                csv::each_record(name, self.column.as_deref().unwrap_or("key"), columns, source, &mut progress, verb)
            }
            KeyFormat::Nul => self.each_line(name, b'\0', source, &mut progress, verb),
            _ => self.each_line(name, b'\n', source, &mut progress, verb),
        }
    }

    /// Keys that end with a byte; the last one may lack it.
    fn each_line(
        &self,
        name: &str,
        end: u8,
        source: impl Read,
        progress: &mut Progress,
        verb: &mut impl Answer,
    ) -> Outcome {
        let mut source = BufReader::with_capacity(1 << 16, source);
        let mut line = Vec::new();
        let mut parser = Parser::default();
        for number in 1_u64.. {
            if source.buffer().is_empty() {
                verb.flush()?;
            }
            line.clear();
            let read = source.read_until(end, &mut line).map_err(|error| Failure::unreadable(name, &error))?;
            if read == 0 {
                break;
            }
            if line.last() == Some(&end) {
                line.pop();
            }
            if number == 1
                && let Some(warning) = self.doubt(name, &line)
            {
                // Where nobody reads this there is nobody to tell.
                let _ = writeln!(io::stderr(), "keystead: WARN: {}", on_one_line(&warning));
            }
            parser
                .parse(self.format, &line)
                .and_then(|given| verb.answer(&given))
                .map_err(|failure| failure.of_key(format_args!("{name}:{number}")))?;
            progress.add(read);
        }
        Ok(())
    }
}

/// Notes whether there was a key at all.
struct Counted<'a, A> {
    verb: &'a mut A,
    any: bool,
}

impl<A: Answer> Answer for Counted<'_, A> {
    fn answer(&mut self, given: &Given<'_>) -> Outcome {
        self.any = true;
        self.verb.answer(given)
    }

    fn flush(&mut self) -> Outcome {
        self.verb.flush()
    }

    /// Figures of a whole file come when it is read.
    fn writes_meanwhile(&self) -> bool {
        false
    }
}

/// Turns what is written into keys; holds the memory that keys of some formats need, for the next one to reuse.
#[derive(Default)]
pub(crate) struct Parser {
    bytes: Vec<u8>,
    json: String,
    composite: Option<EncodedKey>,
}

impl Parser {
    /// Reads one key.
    pub(crate) fn parse<'a>(&'a mut self, format: KeyFormat, written: &'a [u8]) -> Outcome<Given<'a>> {
        match format {
            KeyFormat::Lines | KeyFormat::Nul | KeyFormat::Csv => {
                Ok(Given::new(KeyBytes::plain(written), Shown::Bytes(written)))
            }
            KeyFormat::Hex => {
                self.bytes = decode_hex(written.trim_ascii()).ok_or_else(|| {
                    Failure::new(
                        ErrorKind::InvalidKey,
                        format!("{} is not an even number of hex digits", excerpt(written)),
                    )
                })?;
                Ok(Given::new(KeyBytes::plain(&self.bytes), Shown::Bytes(&self.bytes)))
            }
            KeyFormat::Json => {
                self.json.clear();
                let value = json::parse(written, &mut self.json)?;
                let key = match value {
                    json::Value::Plain(bytes) => {
                        self.bytes = bytes;
                        KeyBytes::plain(&self.bytes)
                    }
                    json::Value::Composite(encoded) => self.composite.insert(encoded).as_key(),
                };
                Ok(Given::new(key, Shown::Json(&self.json)))
            }
        }
    }
}

/// Bytes written as hex digits of either case.
pub(crate) fn decode_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some(value(high)? << 4 | value(low)?)).collect()
}
