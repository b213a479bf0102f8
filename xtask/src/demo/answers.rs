//! What one language's program answered.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

use crate::workshop::Workshop;

/// The newcomer's node: id, weight, location.
pub(super) const NEWCOMER: [&str; 4] = ["cache-k", "3", "eu-1", "eu-1d"];

/// The answers of one language, for all keys.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) language: &'static str,
    before: String,
    after: String,
    /// What the program printed: a name, then the rest of the line.
    facts: Vec<(String, String)>,
}

impl Answers {
    /// Runs a language's program, which takes the cluster file, the keys, a folder for its answers, and the newcomer.
    pub(super) fn ask(
        workshop: &mut Workshop,
        language: &'static str,
        command: &mut Command,
        keys: &Path,
    ) -> Result<Self> {
        let folder = workshop.project.empty(&format!("demo/{}", language.to_lowercase()))?;
        command.arg(workshop.project.source("xtask/demo/cluster.json")).arg(keys).arg(&folder).args(NEWCOMER);
        let lines = workshop.run(command).with_context(|| format!("the {language} program failed"))?;
        let read = |name: &str| {
            std::fs::read_to_string(folder.join(name))
                .with_context(|| format!("the {language} program wrote no {name}"))
        };
        let facts = lines
            .iter()
            .filter_map(|line| line.split_once(' '))
            .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
            .collect();
        Ok(Self { language, before: read("before.tsv")?, after: read("after.tsv")?, facts })
    }

    /// A fact that the program printed.
    pub(super) fn fact(&self, name: &str) -> Result<&str> {
        let found = self.facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        found.with_context(|| format!("the {} program did not print its {name}", self.language))
    }

    /// Each node's exact share after the newcomer has joined, as a number for people.
    pub(super) fn shares(&self) -> Result<BTreeMap<&str, f64>> {
        let mut shares = BTreeMap::new();
        for (_, value) in self.facts.iter().filter(|(name, _)| name == "share") {
            let parts: Vec<&str> = value.split(' ').collect();
            let [id, numerator, denominator] = parts[..] else {
                bail!("the {} program printed a share {value:?}", self.language)
            };
            shares.insert(id, numerator.parse::<f64>()? / denominator.parse::<f64>()?);
        }
        Ok(shares)
    }

    /// Owner and ranking of every key, in the keys' order.
    pub(super) fn before(&self) -> impl Iterator<Item = Placement<'_>> {
        self.before.lines().map(Placement::new)
    }

    /// The same, with the newcomer.
    pub(super) fn after(&self) -> impl Iterator<Item = Placement<'_>> {
        self.after.lines().map(Placement::new)
    }

    /// SHA-256 over all rankings, before and after.
    pub(super) fn checksum(&self) -> String {
        let digest = Sha256::new().chain_update(&self.before).chain_update(&self.after).finalize();
        let mut text = String::with_capacity(2 * digest.len());
        for byte in digest {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// Every key has an answer, in which the owner leads a ranking of all nodes.
    pub(super) fn check(&self, keys: usize, nodes: usize) -> Result<()> {
        for (when, lines, nodes) in
            [("before", self.before().collect::<Vec<_>>(), nodes), ("after", self.after().collect(), nodes + 1)]
        {
            ensure!(lines.len() == keys, "{} gave {} answers for {keys} keys {when}", self.language, lines.len());
            for line in lines {
                ensure!(
                    line.ranking.len() == nodes,
                    "{} ranked {} of {nodes} nodes {when}",
                    self.language,
                    line.ranking.len()
                );
                ensure!(
                    line.ranking[0] == line.owner,
                    "{} says owner {}, and ranks {} first",
                    self.language,
                    line.owner,
                    line.ranking[0]
                );
            }
        }
        Ok(())
    }
}

/// Where a key goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Placement<'a> {
    pub(super) owner: &'a str,
    pub(super) ranking: Vec<&'a str>,
}

impl<'a> Placement<'a> {
    fn new(line: &'a str) -> Self {
        let mut names = line.split('\t');
        Self { owner: names.next().unwrap_or_default(), ranking: names.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(before: &str, after: &str) -> Answers {
        let facts = vec![("share".to_owned(), "a 1 4".to_owned()), ("share".to_owned(), "b 3 4".to_owned())];
        Answers { language: "Rust", before: before.to_owned(), after: after.to_owned(), facts }
    }

    #[test]
    fn answers_are_checked_for_being_whole() {
        assert!(answers("a\ta\tb\n", "b\tb\ta\tc\n").check(1, 2).is_ok());
        assert!(answers("a\ta\tb\n", "").check(1, 2).is_err());
        assert!(answers("a\tb\ta\n", "b\tb\ta\tc\n").check(1, 2).is_err());
        assert!(answers("a\ta\tb\n", "b\tb\ta\n").check(1, 2).is_err());
    }

    #[test]
    fn checksums_are_over_everything() {
        assert_eq!(answers("a", "bc").checksum(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_ne!(answers("a", "b").checksum(), answers("a", "c").checksum());
    }

    #[test]
    fn facts_are_read() {
        let answers = answers("", "");
        assert!((answers.shares().unwrap()["b"] - 0.75).abs() < f64::EPSILON);
        assert!(answers.fact("fingerprint-before").is_err());
    }
}
