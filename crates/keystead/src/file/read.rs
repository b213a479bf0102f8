//! From the text of a cluster file to a cluster.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::Secrets;
use crate::{
    Cluster, ClusterBuilder, Description, Gate, Node, Transition,
    builder::{MAX_EPOCH, MAX_HEADROOM, MAX_SLOTS, MAX_TOKENS_PER_WEIGHT, checked_levels},
    cluster::MAX_NODES,
    error::{Error, ErrorKind},
    hash::Hash,
    json::{Reader, Text, is_plain, shortened},
    node::{MAX_LOCATION, shown, validate_id},
};

const MEMBERS: &str =
    "keystead, algorithm, hash, seed, epoch, levels, tokens_per_weight, space, slots, headroom, comment, nodes";
const TRANSITION_FILE_MEMBERS: &str = "keystead, epoch, comment, transition";
const TRANSITION_MEMBERS: &str = "part, of, before, after";
const NODE_MEMBERS: &str = "id, weight, location, tokens, address, meta, comment";

/// Something read, and the offset of its first character.
type Placed<T> = (usize, T);

/// Hands a parameter to a builder.
type Setter = fn(ClusterBuilder, u64) -> ClusterBuilder;

/// The members of a cluster file that need one another to be judged.
#[derive(Default)]
struct Members<'a> {
    version: bool,
    algorithm: Option<Text<'a>>,
    /// The parameters that belong to one algorithm.
    own: Vec<(Placed<u64>, Setter)>,
    hash: Option<Text<'a>>,
    seed: Option<Placed<u64>>,
    epoch: Option<u64>,
    levels: Option<Placed<Vec<Text<'a>>>>,
    comment: Option<String>,
    nodes: Option<Vec<Node>>,
    transition: Option<Box<TransitionMembers<'a>>>,
    /// The first member that only a cluster file has.
    of_cluster: Option<Text<'a>>,
}

/// The members of a transition.
#[derive(Default)]
struct TransitionMembers<'a> {
    part: Option<Placed<u64>>,
    of: Option<Placed<u64>>,
    before: Option<Placed<Members<'a>>>,
    after: Option<Placed<Members<'a>>>,
}

/// Where an object stands, which says what its members may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The whole of a file that may hold either.
    File,
    /// The whole of a file that must hold a cluster.
    ClusterFile,
    /// A side of a transition.
    Side,
}

/// Reads a file that holds a cluster or a transition.
pub(super) fn description(reader: &mut Reader<'_>, secrets: Secrets<'_>) -> Result<Description, Error> {
    file(reader, secrets).map(|(_, description)| description)
}

/// Reads a file that must hold a transition.
pub(super) fn transition(reader: &mut Reader<'_>, secrets: Secrets<'_>) -> Result<Transition, Error> {
    match file(reader, secrets)? {
        (_, Description::Transition(transition)) => Ok(transition),
        (at, Description::Cluster(_)) => {
            let message = "transition is missing: this is a cluster file";
            Err(reader.error(at, ErrorKind::InvalidFile, message))
        }
    }
}

/// What a file holds, and the offset of its object.
fn file(reader: &mut Reader<'_>, secrets: Secrets<'_>) -> Result<Placed<Description>, Error> {
    let mut members = Members::default();
    let at = reader.object("the file", |reader, name| members.read(reader, name, Place::File))?;
    let Some(transition) = members.transition.take() else {
        return members.cluster(reader, at, secrets.one()?).map(|cluster| (at, cluster.into()));
    };
    if let Some(name) = &members.of_cluster {
        return Err(unknown_member(reader, name, TRANSITION_FILE_MEMBERS));
    }
    if !members.version {
        return Err(missing_member(reader, at, "keystead"));
    }
    let gate = transition.gate(reader)?;
    let (Some((before_at, before)), Some((after_at, after))) = (transition.before, transition.after) else {
        return Err(missing_member(reader, at, "before or after"));
    };
    let (uses_before, uses_after) = (before.uses_secret(), after.uses_secret());
    let (secret_before, secret_after) = secrets.each();
    if (secret_before.is_some() || secret_after.is_some()) && !uses_before && !uses_after {
        return Err(Error::new(ErrorKind::UnexpectedSecret, "a secret is given, and neither cluster's hash uses one"));
    }
    let before = before.cluster(reader, before_at, secret_before.filter(|_| uses_before))?;
    let after = after.cluster(reader, after_at, secret_after.filter(|_| uses_after))?;
    let comment = members.comment.map(Into::into);
    Ok((at, Transition::assemble(before, after, gate, members.epoch, comment).into()))
}

/// Reads a file that holds a cluster.
pub(super) fn cluster(reader: &mut Reader<'_>, secret: Option<&[u8]>) -> Result<Cluster, Error> {
    let mut members = Members::default();
    let at = reader.object("the file", |reader, name| members.read(reader, name, Place::ClusterFile))?;
    members.cluster(reader, at, secret)
}

impl<'a> TransitionMembers<'a> {
    /// Reads the member `transition`, all of whose members are required.
    fn new(reader: &mut Reader<'a>) -> Result<TransitionMembers<'a>, Error> {
        let mut members = TransitionMembers::default();
        let at = reader.object("transition", |reader, name| {
            match &*name.value {
                "part" => members.part = Some(number(reader, "part", 0, u32::MAX.into())?),
                "of" => members.of = Some(number(reader, "of", 1, u32::MAX.into())?),
                "before" => members.before = Some(side(reader, "before")?),
                "after" => members.after = Some(side(reader, "after")?),
                _ => return Err(unknown_member(reader, &name, TRANSITION_MEMBERS)),
            }
            Ok(())
        })?;
        let missing = [
            ("part", members.part.is_none()),
            ("of", members.of.is_none()),
            ("before", members.before.is_none()),
            ("after", members.after.is_none()),
        ];
        match missing.iter().find(|(_, missing)| *missing) {
            Some((name, _)) => Err(missing_member(reader, at, name)),
            None => Ok(members),
        }
    }

    fn gate(&self, reader: &Reader<'_>) -> Result<Gate, Error> {
        let (at, part) = self.part.unwrap_or_default();
        let (_, of) = self.of.unwrap_or_default();
        Gate::new(part, of).map_err(|error| reader.place(at, error))
    }
}

/// A side of a transition: a complete cluster file.
fn side<'a>(reader: &mut Reader<'a>, what: &str) -> Result<Placed<Members<'a>>, Error> {
    let mut members = Members::default();
    let at = reader.object(what, |reader, name| members.read(reader, name, Place::Side))?;
    Ok((at, members))
}

impl<'a> Members<'a> {
    fn read(&mut self, reader: &mut Reader<'a>, name: Text<'a>, place: Place) -> Result<(), Error> {
        match &*name.value {
            "keystead" => {
                let number = reader.number("keystead")?;
                // At the top the first pass has judged it: what it lets through is 1, or is given twice.
                if place == Place::Side && number.digits != "1" {
                    let message = format!("version {} is not supported: only 1 is", shortened(number.digits));
                    return Err(reader.error(number.at, ErrorKind::UnsupportedVersion, message));
                }
                self.version = true;
                return Ok(());
            }
            "epoch" => {
                self.epoch = Some(number(reader, "epoch", 0, MAX_EPOCH)?.1);
                return Ok(());
            }
            "comment" => {
                self.comment = Some(reader.text("comment")?.value.into_owned());
                return Ok(());
            }
            "transition" if place == Place::File => {
                self.transition = Some(Box::new(TransitionMembers::new(reader)?));
                return Ok(());
            }
            "transition" => {
                let message = match place {
                    Place::Side => {
                        "\"transition\" is not a member of a cluster: a side of a transition is never one itself"
                    }
                    _ => "\"transition\" is not a member of a cluster file: this is a transition file",
                };
                return Err(reader.error(name.at, ErrorKind::InvalidFile, message));
            }
            "algorithm" => self.algorithm = Some(reader.text("algorithm")?),
            "tokens_per_weight" => {
                self.own.push((
                    number(reader, "tokens_per_weight", 1, MAX_TOKENS_PER_WEIGHT)?,
                    ClusterBuilder::tokens_per_weight,
                ));
            }
            "space" => self.own.push((space(reader)?, ClusterBuilder::space)),
            "slots" => self.own.push((number(reader, "slots", 1, MAX_SLOTS)?, ClusterBuilder::slots)),
            "headroom" => self.own.push((number(reader, "headroom", 0, MAX_HEADROOM)?, ClusterBuilder::headroom)),
            "hash" => self.hash = Some(reader.text("hash")?),
            "seed" => self.seed = Some(seed(reader)?),
            "levels" => self.levels = Some(texts(reader, "levels", "a level")?),
            "nodes" => self.nodes = Some(nodes(reader)?),
            "secret" => {
                let message =
                    "\"secret\" is not a member of a file: whoever reads the file hands the secret over beside it";
                return Err(reader.error(name.at, ErrorKind::InvalidFile, message));
            }
            _ => return Err(unknown_member(reader, &name, MEMBERS)),
        }
        self.of_cluster.get_or_insert(name);
        Ok(())
    }

    fn uses_secret(&self) -> bool {
        self.hash.as_ref().is_some_and(|hash| hash.value == "sip13")
    }

    /// The cluster of an object that stands at an offset.
    fn cluster(mut self, reader: &Reader<'_>, at: usize, secret: Option<&[u8]>) -> Result<Cluster, Error> {
        if !self.version {
            return Err(missing_member(reader, at, "keystead"));
        }
        let Some(nodes) = self.nodes.take() else {
            return Err(missing_member(reader, at, "nodes"));
        };
        let mut builder = self.judged(reader)?.nodes(nodes);
        if let Some(secret) = secret {
            builder = builder.secret(secret);
        }
        builder.build()
    }

    /// A builder of all but the nodes and the secret. The builder would find every fault again, but cannot say where it stands.
    fn judged(self, reader: &Reader<'_>) -> Result<ClusterBuilder, Error> {
        let mut builder = ClusterBuilder::default();
        if let Some(algorithm) = &self.algorithm {
            builder = builder.algorithm(&algorithm.value);
            builder.chosen_algorithm().map_err(|error| reader.place(algorithm.at, error))?;
        }
        let alone = builder.clone();
        for ((at, value), set) in self.own {
            set(alone.clone(), value).chosen_algorithm().map_err(|error| reader.place(at, error))?;
            builder = set(builder, value);
        }

        let hash = self.hash.as_ref().map(|hash| &*hash.value);
        let seed = self.seed.map(|(_, seed)| seed);
        for (at, result) in [
            (self.hash.as_ref().map(|hash| hash.at), Hash::from_parts(hash, None, None)),
            (self.seed.map(|(at, _)| at), Hash::from_parts(hash, seed, None)),
        ] {
            match (at, result) {
                // What is said of the secret is for the builder, which is given it.
                (Some(at), Err(error)) if error.kind() == ErrorKind::InvalidParameter => {
                    return Err(reader.place(at, error));
                }
                _ => {}
            }
        }
        builder = hash.into_iter().fold(builder, ClusterBuilder::hash);
        builder = seed.into_iter().fold(builder, ClusterBuilder::seed);
        builder = self.epoch.into_iter().fold(builder, ClusterBuilder::epoch);

        if let Some((at, names)) = self.levels {
            let at = offender(at, &names, |name, before| {
                breaks_rules(name) || before.iter().any(|other| other.value == name.value)
            });
            let names: Vec<String> = names.into_iter().map(|name| name.value.into_owned()).collect();
            checked_levels(names.clone()).map_err(|error| reader.place(at, error))?;
            builder = builder.levels(names);
        }
        Ok(self.comment.into_iter().fold(builder, ClusterBuilder::comment))
    }
}

fn nodes(reader: &mut Reader<'_>) -> Result<Vec<Node>, Error> {
    let mut nodes = Vec::new();
    reader.array("nodes", |reader| {
        let (at, node) = node(reader)?;
        // Said here and not on building, so that a huge list is not kept.
        if nodes.len() == MAX_NODES {
            let message = format!("more than {MAX_NODES} nodes");
            return Err(reader.error(at, ErrorKind::TooManyNodes, message));
        }
        nodes.push(node);
        Ok(())
    })?;
    Ok(nodes)
}

/// A node: its id alone, or an object.
fn node(reader: &mut Reader<'_>) -> Result<Placed<Node>, Error> {
    let new = |reader: &Reader<'_>, id: Text<'_>| Node::new(id.value).map_err(|error| reader.place(id.at, error));
    if let Some(id) = reader.text_or_object("a node")? {
        return Ok((id.at, new(reader, id)?));
    }
    let mut id = None;
    let mut weight = 1;
    let (mut location, mut tokens_of_ring, mut address, mut meta, mut comment) = (None, None, None, Vec::new(), None);
    let at = reader.object("a node", |reader, name| {
        match &*name.value {
            "id" => id = Some(reader.text("id")?),
            "weight" => weight = self::weight(reader)?,
            "location" => location = Some(texts(reader, "location", "a location's text")?),
            "tokens" => tokens_of_ring = Some(tokens(reader)?),
            "address" => address = Some(reader.text("address")?.value),
            "meta" => {
                reader.object("meta", |reader, name| {
                    meta.push((name.value, reader.text("a value of meta")?.value));
                    Ok(())
                })?;
            }
            "comment" => comment = Some(reader.text("comment")?.value),
            _ => return Err(unknown_member(reader, &name, NODE_MEMBERS)),
        }
        Ok(())
    })?;
    let Some(id) = id else {
        return Err(missing_member(reader, at, "id"));
    };
    let mut node = new(reader, id)?.weight(weight);
    if let Some((at, path)) = location {
        let at = offender(at, &path, |text, _| breaks_rules(text));
        node = node.location(path.into_iter().map(|text| text.value)).map_err(|error| reader.place(at, error))?;
    }
    if let Some((at, tokens)) = tokens_of_ring {
        node = node.tokens(tokens).map_err(|error| reader.place(at, error))?;
    }
    node = address.into_iter().fold(node, Node::address);
    node = meta.into_iter().fold(node, |node, (name, value)| node.meta(name, value));
    Ok((at, comment.into_iter().fold(node, Node::comment)))
}

fn weight(reader: &mut Reader<'_>) -> Result<u32, Error> {
    let number = reader.number("weight")?;
    number.digits.parse().map_err(|_| {
        let message = format!("weight {} is out of range: an integer from 0 to {}", shortened(number.digits), u32::MAX);
        reader.error(number.at, ErrorKind::InvalidWeight, message)
    })
}

/// A parameter that is a number.
fn number(reader: &mut Reader<'_>, what: &str, least: u64, most: u64) -> Result<Placed<u64>, Error> {
    let number = reader.number(what)?;
    // Digits that no u64 holds are out of range as well.
    match number.digits.parse() {
        Ok(value) if (least..=most).contains(&value) => Ok((number.at, value)),
        _ => {
            let message =
                format!("{what} {} is out of range: an integer from {least} to {most}", shortened(number.digits));
            Err(reader.error(number.at, ErrorKind::InvalidParameter, message))
        }
    }
}

fn space(reader: &mut Reader<'_>) -> Result<Placed<u64>, Error> {
    let (text, value) = decimal(reader, "space")?;
    match value {
        Some(value) if value >= 2 => Ok((text.at, value)),
        _ => {
            let message = format!("space {} is out of range: from 2 to {}", shortened(&text.value), u64::MAX);
            Err(reader.error(text.at, ErrorKind::InvalidParameter, message))
        }
    }
}

fn tokens(reader: &mut Reader<'_>) -> Result<Placed<Vec<u64>>, Error> {
    let mut tokens = Vec::new();
    let at = reader.array("tokens", |reader| {
        let (text, value) = decimal(reader, "a token")?;
        let value = value.ok_or_else(|| {
            let message = format!("token {} is out of range: from 0 to {}", shortened(&text.value), u64::MAX);
            reader.error(text.at, ErrorKind::InvalidTokens, message)
        })?;
        tokens.push(value);
        Ok(())
    })?;
    Ok((at, tokens))
}

/// A 64-bit number as decimal text, without sign or leading zero; no value where the digits are right and their number too large.
fn decimal<'a>(reader: &mut Reader<'a>, what: &str) -> Result<(Text<'a>, Option<u64>), Error> {
    let text = reader.text(what)?;
    if !is_plain(&text.value) {
        let message = format!(
            "{what} is a whole number in digits as text, without sign or leading zero: not {}",
            shown(&text.value)
        );
        return Err(reader.error(text.at, ErrorKind::InvalidFile, message));
    }
    let value = text.value.parse().ok();
    Ok((text, value))
}

fn seed(reader: &mut Reader<'_>) -> Result<Placed<u64>, Error> {
    let text = reader.text("seed")?;
    let hex =
        text.value.strip_prefix("0x").filter(|hex| hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let seed = hex.and_then(|hex| u64::from_str_radix(hex, 16).ok()).ok_or_else(|| {
        let message = format!("seed is a text of 0x and 16 hex digits: not {}", shown(&text.value));
        reader.error(text.at, ErrorKind::InvalidFile, message)
    })?;
    Ok((text.at, seed))
}

fn texts<'a>(reader: &mut Reader<'a>, what: &str, one: &str) -> Result<Placed<Vec<Text<'a>>>, Error> {
    let mut texts = Vec::new();
    let at = reader.array(what, |reader| {
        texts.push(reader.text(one)?);
        Ok(())
    })?;
    Ok((at, texts))
}

/// Where a list of texts is at fault, if it is: at the first text that is bad beside those before it, else at the list.
fn offender(list: usize, texts: &[Text<'_>], bad: fn(&Text<'_>, &[Text<'_>]) -> bool) -> usize {
    if texts.len() > MAX_LOCATION {
        return list;
    }
    (0..texts.len())
        .find(|position| bad(&texts[*position], &texts[..*position]))
        .map_or(list, |position| texts[position].at)
}

fn breaks_rules(text: &Text<'_>) -> bool {
    validate_id(&text.value).is_err()
}

fn unknown_member(reader: &Reader<'_>, name: &Text<'_>, members: &str) -> Error {
    let message = format!("{} is not a member here: one of {members}", shown(&name.value));
    reader.error(name.at, ErrorKind::InvalidFile, message)
}

fn missing_member(reader: &Reader<'_>, object: usize, name: &str) -> Error {
    reader.error(object, ErrorKind::InvalidFile, format!("{name} is missing"))
}
