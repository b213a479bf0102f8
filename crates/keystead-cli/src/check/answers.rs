//! `check --answers`: what services answered, against what they should have.

use crate::{
    failure::{Failure, Outcome, name_of},
    figures::count,
    keys::{Given, KeyFormat, Parser},
    progress::Progress,
    shown::{Shown, hex, json_string},
    sides::{SIDES, answering},
};
use clap::{Args, ValueEnum};
use keystead::{Cluster, Constraints, Description, Error, ErrorKind, KeyBytes, KeyEncoder, Spread};
use serde::Serialize;
use serde_json::value::RawValue;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};
use unicode_normalization::UnicodeNormalization as _;

/// So many disagreements of a file are told, the others counted.
const TOLD: usize = 5;

/// Answers of services.
#[derive(Args)]
#[command(next_help_heading = "Answers")]
pub(crate) struct AnswerArgs {
    /// Compare what a service answered: lines of key TAB names, as `owner` writes them; `-` for standard input; repeatable
    #[arg(long = "answers", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How keys are written in these files
    #[arg(long = "keys-format", value_name = "FORMAT", value_enum, default_value_t = Written::Lines)]
    format: Written,
}

/// How keys stand before the TAB.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Written {
    Lines,
    Hex,
    Json,
}

/// What one file's answers are worth.
#[derive(Serialize)]
pub(super) struct Answers {
    pub(super) file: String,
    #[serde(serialize_with = "text")]
    pub(super) lines: u64,
    #[serde(serialize_with = "text")]
    pub(super) agree: u64,
    /// The first few.
    pub(super) disagreements: Vec<Disagreement>,
    /// The node that nearly every wrong line should name and does not.
    missed: Option<Missed>,
}

/// A node that is missing in answers.
#[derive(Serialize)]
struct Missed {
    node: String,
    #[serde(serialize_with = "text")]
    lines: u64,
}

/// Counts can be above what JSON readers keep apart.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn text<S: serde::Serializer>(count: &u64, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(count)
}

/// An answer that is wrong.
#[derive(Serialize)]
pub(super) struct Disagreement {
    #[serde(serialize_with = "text")]
    line: u64,
    /// As `owner --json` writes it.
    key: Box<RawValue>,
    said: Vec<String>,
    is: Vec<String>,
    hint: Option<String>,
    /// Whether the hint is about the steps of a transition.
    #[serde(skip)]
    is_of_step: bool,
}

impl Answers {
    pub(super) fn all_agree(&self) -> bool {
        self.lines > 0 && self.agree == self.lines
    }

    /// `199,998 of 200,000: "naïve" says cache-d, is cache-a (…)`, and more lines for more disagreements.
    pub(super) fn said(&self) -> Vec<String> {
        let mut lines = vec![format!("{} of {}", count(self.agree), count(self.lines))];
        if self.lines == 0 {
            lines[0].push_str(": no answer is in it");
        }
        for (index, wrong) in self.disagreements.iter().enumerate() {
            let names = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join("  ") };
            let hint = wrong.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let told = format!("{} says {}, is {}{hint}", wrong.key, names(&wrong.said), names(&wrong.is));
            if index == 0 {
                lines[0].push_str(": ");
                lines[0].push_str(&told);
            } else {
                lines.push(told);
            }
        }
        let rest = self.lines - self.agree - self.disagreements.len() as u64;
        if rest > 0 {
            lines.push(format!("and {} more", count(rest)));
        }
        if let Some(Missed { node, lines: missed }) = &self.missed {
            let wrong = self.lines - self.agree;
            let part = if *missed == wrong { "all".to_owned() } else { format!("{} of", count(*missed)) };
            lines.push(format!("{part} {} wrong lines belong to {node}: does the service exclude it?", count(wrong)));
        }
        lines
    }

    /// Looks for one node behind the wrong lines: what services exclude, they exclude for all keys.
    fn look_for_missed(&mut self, missed: BTreeMap<&str, u64>) {
        const FEWEST: u64 = 5;
        let wrong = self.lines - self.agree;
        let most = missed.into_iter().max_by_key(|(_, lines)| *lines);
        let Some((node, lines)) = most.filter(|(_, lines)| *lines >= FEWEST && *lines >= wrong - wrong / 10) else {
            return;
        };
        self.missed = Some(Missed { node: node.to_owned(), lines });
        // Where the node is excluded, its keys are often where another step has them.
        for told in self.disagreements.iter_mut().filter(|told| told.is_of_step) {
            told.hint = None;
        }
    }
}

impl AnswerArgs {
    pub(super) fn is_given(&self) -> bool {
        !self.files.is_empty()
    }

    /// Compares every file.
    pub(super) fn compare(
        &self,
        description: &Description,
        count: Option<u64>,
        constraints: &Constraints,
    ) -> Outcome<Vec<Answers>> {
        if count == Some(0) {
            return Err(Failure::wrong_use("answers without names cannot be wrong: -r is at least 1 with --answers"));
        }
        let question = Question { description, count, constraints };
        self.files.iter().map(|path| self.compare_one(path, &question)).collect()
    }

    fn compare_one(&self, path: &Path, question: &Question<'_>) -> Outcome<Answers> {
        let name = name_of(path);
        if path == Path::new("-") {
            return self.compare_read(name, io::stdin().lock(), None, question);
        }
        let file = File::open(path).map_err(|error| Failure::unreadable(&name, &error))?;
        let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        self.compare_read(name, file, length, question)
    }

    fn compare_read(
        &self,
        name: String,
        source: impl Read,
        length: Option<u64>,
        question: &Question<'_>,
    ) -> Outcome<Answers> {
        let mut source = BufReader::with_capacity(1 << 16, source);
        let mut progress = Progress::new(length, false);
        let mut parser = Parser::default();
        let mut line = Vec::new();
        let mut answers = Answers { file: name, lines: 0, agree: 0, disagreements: Vec::new(), missed: None };
        let mut missed = BTreeMap::new();
        loop {
            line.clear();
            let read = source.read_until(b'\n', &mut line);
            let read = read.map_err(|error| Failure::unreadable(&answers.file, &error))?;
            if read == 0 {
                answers.look_for_missed(missed);
                return Ok(answers);
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            answers.lines += 1;
            let place = |failure: Failure| failure.at(format_args!("{}:{}", answers.file, answers.lines));
            let (key, said) = split(&line).map_err(place)?;
            let given = parser.parse(self.format_of(key), key).map_err(place)?;
            match question.wrong(&given, &said) {
                None => answers.agree += 1,
                Some(wrong) => {
                    let names = wrong.is.as_ref().into_iter().flatten();
                    if let Some(name) = names.copied().find(|name| !said.contains(name)) {
                        *missed.entry(name).or_insert(0) += 1;
                    }
                    if answers.disagreements.len() < TOLD {
                        answers.disagreements.push(question.disagreement(&given, &said, answers.lines, wrong)?);
                    }
                }
            }
            progress.add(read);
        }
    }

    /// `owner` writes a key as JSON where it would be ambiguous otherwise, and then it begins like JSON.
    fn format_of(&self, key: &[u8]) -> KeyFormat {
        match self.format {
            Written::Hex => KeyFormat::Hex,
            Written::Lines if !key.starts_with(b"\"") && !key.starts_with(b"{") => KeyFormat::Lines,
            Written::Json | Written::Lines => KeyFormat::Json,
        }
    }
}

/// The key and the names of a line.
fn split(line: &[u8]) -> Outcome<(&[u8], Vec<&str>)> {
    let invalid = |message: &str| Failure::new(ErrorKind::InvalidFile, message);
    let tab = line.iter().position(|byte| *byte == b'\t');
    let tab = tab.ok_or_else(|| invalid("no TAB between a key and names"))?;
    let names = std::str::from_utf8(&line[tab + 1..]).map_err(|_| invalid("names that are not well-formed UTF-8"))?;
    Ok((&line[..tab], names.split('\t').collect()))
}

/// What every key is asked.
struct Question<'a> {
    description: &'a Description,
    /// How many copies; none for as many as a line names.
    count: Option<u64>,
    constraints: &'a Constraints,
}

/// What is right where an answer is wrong.
struct Right<'a> {
    /// The names; or why there are none.
    is: Result<Vec<&'a str>, Error>,
    side: usize,
    count: u64,
}

impl<'a> Question<'a> {
    fn ask<'c>(&self, cluster: &'c Cluster, key: KeyBytes<'_>, count: u64) -> Result<Vec<&'c str>, Error> {
        let picked = cluster.replica_indices_with(key, count, self.constraints)?;
        Ok(picked.into_iter().map(|index| cluster.nodes()[index as usize].id()).collect())
    }

    /// What is right, where the answer is wrong.
    fn wrong(&self, given: &Given<'_>, said: &[&str]) -> Option<Right<'a>> {
        let count = self.count.unwrap_or(said.len() as u64);
        let (side, cluster) = answering(self.description, given.key);
        let is = if count == 1 && self.count.is_none() {
            Ok(vec![cluster.owner(given.key).id()])
        } else {
            self.ask(cluster, given.key, count)
        };
        if is.as_ref().is_ok_and(|is| is == said) { None } else { Some(Right { is, side, count }) }
    }

    /// What is wrong with an answer, for people.
    fn disagreement(&self, given: &Given<'_>, said: &[&str], line: u64, right: Right<'_>) -> Outcome<Disagreement> {
        let of_step = right.is.is_ok().then(|| self.of_step(given, said, &right)).flatten();
        let is_of_step = of_step.is_some();
        let hint = match &right.is {
            Err(error) => Some(error.to_string()),
            Ok(is) => of_step.or_else(|| self.hint(given, said, is, right.count)),
        };
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let said = owned(said);
        let is = owned(&right.is.unwrap_or_default());
        Ok(Disagreement { line, key: raw_json(given.shown)?, said, is, hint, is_of_step })
    }

    /// Whether it is the answer of another step.
    fn of_step(&self, given: &Given<'_>, said: &[&str], right: &Right<'_>) -> Option<String> {
        let other = 1 - right.side;
        let clusters = self.description.clusters();
        let names = self.ask(clusters.get(other)?, given.key, right.count).ok()?;
        (names == said).then(|| format!("the answer of `{}`: at another step?", SIDES[other]))
    }

    /// Why a service may have answered so.
    fn hint(&self, given: &Given<'_>, said: &[&str], is: &[&str], count: u64) -> Option<String> {
        if said.iter().map(|name| name.trim_end_matches('\r')).eq(is.iter().copied()) {
            return Some("the line ends with CR LF".to_owned());
        }
        let clusters = self.description.clusters();
        if let Some(name) = said.iter().find(|name| clusters.iter().all(|cluster| !cluster.contains(name))) {
            return Some(format!("no node is called {}", json_string(name)));
        }
        if said.len() as u64 != count {
            return Some(format!("{} asked for, {} named", copies(count), copies(said.len() as u64)));
        }
        if count > 1 {
            let cluster = answering(self.description, given.key).1;
            let spread = |level| Constraints::new().spread(Spread::Level(level));
            let others = [None].into_iter().chain((0..8).map(Some));
            let other = others.into_iter().find(|level| {
                let constraints = level.map_or_else(Constraints::new, spread);
                Question { constraints: &constraints, ..*self }
                    .ask(cluster, given.key, count)
                    .is_ok_and(|names| names == said)
            });
            match other {
                Some(None) => return Some("the answer without --spread?".to_owned()),
                Some(Some(level)) => return Some(format!("the answer with -r {count} --spread {level}?")),
                None => {}
            }
        }
        let answers_to = |key: KeyBytes<'_>| {
            self.ask(answering(self.description, key).1, key, count).is_ok_and(|names| names == said)
        };
        let text = given.shown.plain_text(given.key)?;
        let bytes = hex_of(text.as_bytes());
        let (composed, decomposed): (String, String) = (text.nfc().collect(), text.nfd().collect());
        if *text != composed {
            return Some(format!("{bytes}: decomposed form in the file?"));
        }
        if *text != decomposed && answers_to(KeyBytes::plain(decomposed.as_bytes())) {
            return Some(format!("{bytes}; the answer of the decomposed form?"));
        }
        let trimmed = text.trim();
        if trimmed != text && answers_to(KeyBytes::plain(trimmed.as_bytes())) {
            return Some("the answer of the key without the white space around it?".to_owned());
        }
        if let Ok(number) = text.parse::<i128>() {
            let mut encoder = KeyEncoder::new();
            if encoder.integer(number).is_ok() && answers_to(encoder.finish().as_key()) {
                return Some(format!("the answer of the integer {number}, which is another key than the text?"));
            }
        }
        (!text.is_ascii()).then_some(bytes)
    }
}

/// `1 copy`, `3 copies`.
fn copies(number: u64) -> String {
    if number == 1 { "1 copy".to_owned() } else { format!("{} copies", count(number)) }
}

/// `6e 61 69 cc 88 76 65`.
fn hex_of(bytes: &[u8]) -> String {
    const LONGEST: usize = 32;
    let pairs: Vec<String> = bytes.iter().take(LONGEST).map(|byte| hex(&[*byte])).collect();
    if bytes.len() > LONGEST { pairs.join(" ") + " …" } else { pairs.join(" ") }
}

fn raw_json(shown: Shown<'_>) -> Outcome<Box<RawValue>> {
    let mut json = Vec::new();
    shown.write_json(&mut json)?;
    Ok(RawValue::from_string(String::from_utf8_lossy(&json).into_owned())?)
}
