//! The cluster that a verb is about: from a file, or from `--nodes` and its parameters.

use crate::{
    failure::{Failure, Outcome, name_of},
    secret::SecretArgs,
    shown::excerpt,
};
use clap::Args;
use keystead::{Cluster, Description, ErrorKind, Hash};
use std::{ffi::OsStr, fs, io, io::Read as _, ops::RangeInclusive, path::Path};

/// A cluster without a file, and the secret of one with or without.
#[derive(Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterArgs {
    /// Node ids, instead of a cluster file; each has weight 1
    #[arg(long, value_name = "A,B,C")]
    nodes: Option<String>,

    /// With --nodes: rendezvous-1 (default), ring-1, slots-1 or hierarchy-1
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,

    /// With --nodes: xxh3 (default), xxh64, or sip13, which needs a secret
    #[arg(long, value_name = "NAME")]
    hash: Option<String>,

    /// With --nodes: seed of xxh3 and xxh64, decimal or 0x and hex digits [default: 0]
    #[arg(long, value_name = "U64", allow_negative_numbers = true)]
    seed: Option<String>,

    /// With --nodes and ring-1: tokens of a node of weight 1 [default: 256]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tokens_per_weight: Option<String>,

    /// With --nodes and slots-1: number of slots [default: 16384]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    slots: Option<String>,

    /// With --nodes and slots-1: how many per cent above its fair share a node may have [default: no limit]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    headroom: Option<String>,

    #[command(flatten)]
    secret: SecretArgs,
}

/// A cluster, or a transition between two, and how to name it to the user.
pub(crate) struct Source {
    pub(crate) description: Description,
    pub(crate) name: String,
}

impl Source {
    /// Reads a file that holds either.
    pub(crate) fn read(path: &Path, secret: &SecretArgs) -> Outcome<Source> {
        Source::parse(&read(path)?, path, secret)
    }

    /// Takes the texts of two files for what they hold.
    pub(crate) fn parse_two(files: [(&[u8], &Path); 2], secret: &SecretArgs) -> Outcome<[Source; 2]> {
        let [before, after] = secret.two_descriptions(files.map(|(text, _)| text))?;
        let source = |read: Result<Description, keystead::Error>, path| -> Outcome<Source> {
            let name = name_of(path);
            Ok(Source { description: read.map_err(|error| Failure::of_cluster(&name, &error))?, name })
        };
        Ok([source(before, files[0].1)?, source(after, files[1].1)?])
    }

    /// Takes the text of a file for what it holds.
    pub(crate) fn parse(text: &[u8], path: &Path, secret: &SecretArgs) -> Outcome<Source> {
        let name = name_of(path);
        let read = secret.description(text)?;
        Ok(Source { description: read.map_err(|error| Failure::of_cluster(&name, &error))?, name })
    }
}

impl ClusterArgs {
    /// Whether a cluster file is expected.
    pub(crate) fn wants_file(&self) -> bool {
        self.nodes.is_none()
    }

    /// The cluster, from `file` or from the arguments; or the transition, from `file`.
    pub(crate) fn open(&self, file: Option<&OsStr>) -> Outcome<Source> {
        match (&self.nodes, file) {
            (Some(nodes), None) => {
                let name = "--nodes".to_owned();
                let built = self.secret.build(self.named(nodes)?)?;
                Ok(Source { description: built.map_err(|error| Failure::of_cluster(&name, &error))?.into(), name })
            }
            (Some(_), Some(file)) => Err(Failure::wrong_use(format!(
                "--nodes and the cluster file {} exclude each other",
                Path::new(file).display()
            ))),
            (None, Some(file)) => {
                if let Some(option) = self.first_parameter() {
                    return Err(Failure::wrong_use(format!(
                        "{option} needs --nodes: a cluster file has its own parameters"
                    )));
                }
                Source::read(Path::new(file), &self.secret)
            }
            (None, None) => {
                Err(Failure::wrong_use("no cluster is given: name a cluster file, or nodes with --nodes A,B,C"))
            }
        }
    }

    /// The description in force and the one that is to follow it, both from files.
    pub(crate) fn open_both(&self, live: &Path, next: &OsStr) -> Outcome<[Outcome<Source>; 2]> {
        let next = Path::new(next);
        if [live, next].iter().all(|path| *path == Path::new("-")) {
            return Err(Failure::wrong_use("standard input can be one of the two files, not both"));
        }
        let (before, after) = (read(live)?, read(next)?);
        let both = self.secret.two_descriptions([&before, &after])?;
        let mut paths = [live, next].into_iter();
        Ok(both.map(|read| {
            let name = paths.next().map(name_of).unwrap_or_default();
            let description = read.map_err(|error| Failure::of_cluster(&name, &error))?;
            Ok(Source { description, name })
        }))
    }

    /// The hash alone, for functions that have no cluster.
    pub(crate) fn hash(&self) -> Outcome<Hash> {
        let seed = self.seed.as_deref().map(|text| number("seed", text, ANY)).transpose()?;
        Ok(self.secret.build(|secret| Hash::from_parts(self.hash.as_deref(), seed, secret))??)
    }

    /// Refuses what makes sense only where the cluster comes from the command line.
    pub(crate) fn reject_parameters(&self) -> Outcome {
        match self.first_hash_parameter().or(self.first_cluster_parameter()) {
            Some(option) => Err(Failure::wrong_use(format!("{option} does not go with --after, which compares files"))),
            None => Ok(()),
        }
    }

    /// A parameter that makes sense only where the cluster comes from the command line.
    fn first_parameter(&self) -> Option<&'static str> {
        self.first_hash_parameter().or(self.first_cluster_parameter())
    }

    fn first_hash_parameter(&self) -> Option<&'static str> {
        [("--hash", &self.hash), ("--seed", &self.seed)]
            .into_iter()
            .find_map(|(name, value)| value.as_ref().map(|_| name))
    }

    /// A parameter that a function, which has a hash and no cluster, has no use for.
    pub(crate) fn first_cluster_parameter(&self) -> Option<&'static str> {
        [
            ("--nodes", &self.nodes),
            ("--algorithm", &self.algorithm),
            ("--tokens-per-weight", &self.tokens_per_weight),
            ("--slots", &self.slots),
            ("--headroom", &self.headroom),
        ]
        .into_iter()
        .find_map(|(name, value)| value.as_ref().map(|_| name))
    }

    fn named(&self, nodes: &str) -> Outcome<impl Fn(Option<&[u8]>) -> Result<Cluster, keystead::Error>> {
        let ids: Vec<&str> = if nodes.is_empty() { Vec::new() } else { nodes.split(',').collect() };
        let mut builder = Cluster::builder().nodes(ids);
        if let Some(name) = &self.algorithm {
            builder = builder.algorithm(name);
        }
        if let Some(name) = &self.hash {
            builder = builder.hash(name);
        }
        if let Some(text) = &self.seed {
            builder = builder.seed(number("seed", text, ANY)?);
        }
        if let Some(text) = &self.tokens_per_weight {
            builder = builder.tokens_per_weight(number("tokens_per_weight", text, 1..=65_536)?);
        }
        if let Some(text) = &self.slots {
            builder = builder.slots(number("slots", text, 1..=1 << 22)?);
        }
        if let Some(text) = &self.headroom {
            builder = builder.headroom(number("headroom", text, 0..=1_000)?);
        }
        Ok(move |secret: Option<&[u8]>| {
            let builder = builder.clone();
            match secret {
                Some(secret) => builder.secret(secret).build(),
                None => builder.build(),
            }
        })
    }
}

/// The range of a number that the core takes whatever it is.
pub(crate) const ANY: RangeInclusive<u64> = 0..=u64::MAX;

/// The range of an epoch.
pub(crate) const EPOCHS: RangeInclusive<u64> = 0..=(1 << 53) - 1;

/// A number of the command line. What fits 64 bits and is out of range all the same, the core refuses, in words of its own.
pub(crate) fn number(name: &str, text: &str, range: RangeInclusive<u64>) -> Outcome<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // `from_str_radix` takes a plus sign.
    let parsed = if digits.starts_with('+') { None } else { u64::from_str_radix(digits, radix).ok() };
    parsed.ok_or_else(|| {
        let (value, least, most) = (excerpt(text.as_bytes()), range.start(), range.end());
        Failure::new(ErrorKind::InvalidParameter, format!("{name} {value} is not an integer from {least} to {most}"))
    })
}

/// A whole file.
pub(crate) fn read(path: &Path) -> Outcome<Vec<u8>> {
    let mut content = Vec::new();
    if path == Path::new("-") { io::stdin().lock().read_to_end(&mut content).map(|_| content) } else { fs::read(path) }
        .map_err(|error| Failure::unreadable(name_of(path), &error))
}
