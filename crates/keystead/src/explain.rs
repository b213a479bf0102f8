//! Why a key goes where it goes: one structure, the same in every language.

use alloc::{borrow::ToOwned, boxed::Box, collections::BTreeMap, string::String, vec::Vec};

use crate::{
    Cluster, Constraints, Key, Node, cost,
    description::encoded_texts,
    encode::KeyBytes,
    error::Error,
    hash::{Domain, draw},
    placement::Placement,
};

/// Why a key goes where it goes: [`Cluster::explain`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Explanation {
    /// The key as it is hashed.
    pub key: ExplainedKey,
    /// The key's digest, `kd`.
    #[cfg_attr(feature = "json", serde(serialize_with = "json::hex"))]
    pub digest: u64,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The hash's name.
    pub hash: &'static str,
    /// The seed; none for `sip13`.
    #[cfg_attr(feature = "json", serde(serialize_with = "json::hex_or_null"))]
    pub seed: Option<u64>,
    /// The cluster's epoch.
    pub epoch: Option<u64>,
    /// The cluster's fingerprint.
    pub fingerprint: String,
    /// The transition of which this cluster is a side.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub transition: Option<ExplainedTransition>,
    /// Rings: the key's coordinate.
    #[cfg_attr(
        feature = "json",
        serde(serialize_with = "json::decimal_or_null", skip_serializing_if = "Option::is_none")
    )]
    pub coordinate: Option<u64>,
    /// Slot tables: the key's slot.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub slot: Option<u32>,
    /// How many copies were asked for.
    pub r: u64,
    /// The number of the level that copies are spread over.
    pub spread: Option<u64>,
    /// Whether the spread was relaxed.
    pub relaxed: bool,
    /// How many copies a domain was allowed in the end.
    pub limit: u32,
    /// The ids that hold the copies, in the order in which they were picked.
    pub picked: Vec<String>,
    /// The ranking without excluded nodes, best first.
    pub candidates: Vec<ExplainedNode>,
    /// The ids of weight 0.
    pub drained: Vec<String>,
    /// The ids that were excluded and are in the cluster.
    pub excluded: Vec<String>,
}

/// The transition that chose between two clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExplainedTransition {
    /// How many parts have passed.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// Whether the key is passed, and so answered by the cluster that is entered.
    pub passed: bool,
    /// The transition's epoch.
    pub epoch: Option<u64>,
    /// The transition's fingerprint.
    pub fingerprint: String,
}

/// A key as it is hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExplainedKey {
    /// `text` for a plain key that is well-formed UTF-8, else `bytes`; `composite` for an integer or a sequence.
    pub kind: &'static str,
    /// The text, for the kind `text`.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub text: Option<String>,
    /// How many bytes are hashed.
    pub length: u64,
    /// The bytes that are hashed, in lower-case hex: a plain key's own, or a composite key's encoding.
    pub hex: String,
}

/// A node in an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExplainedNode {
    /// Its place in the ranking, from 1.
    pub rank: u64,
    /// Its id.
    pub id: String,
    /// Its weight.
    pub weight: u32,
    /// Its location.
    pub location: Vec<String>,
    /// Its score: for the key, for the key's slot, or within its innermost domain. Rings have none.
    #[cfg_attr(feature = "json", serde(serialize_with = "json::hex_or_null", skip_serializing_if = "Option::is_none"))]
    pub score: Option<u64>,
    /// The cost of that score; by cost over weight it is ranked.
    #[cfg_attr(
        feature = "json",
        serde(serialize_with = "json::decimal_or_null", skip_serializing_if = "Option::is_none")
    )]
    pub cost: Option<u64>,
    /// Rings: the coordinate of its first token at or above the key's coordinate.
    #[cfg_attr(
        feature = "json",
        serde(serialize_with = "json::decimal_or_null", skip_serializing_if = "Option::is_none")
    )]
    pub token: Option<u64>,
    /// Hierarchies: the domains on its path, widest first.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub domains: Vec<ExplainedDomain>,
    /// Which copy it holds, from 1.
    pub copy: Option<u64>,
    /// Why it holds none although it ranks before one that does: `domain_taken`.
    pub skipped: Option<&'static str>,
}

/// A domain of a hierarchy in an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExplainedDomain {
    /// The last text of its path.
    pub name: String,
    /// The sum of the weights beneath it.
    #[cfg_attr(feature = "json", serde(serialize_with = "json::decimal"))]
    pub weight: u64,
    /// Its score for the key.
    #[cfg_attr(feature = "json", serde(serialize_with = "json::hex"))]
    pub score: u64,
    /// The cost of that score.
    #[cfg_attr(feature = "json", serde(serialize_with = "json::decimal"))]
    pub cost: u64,
}

impl Cluster {
    /// Why the key goes where it goes: its digest, every node's score and cost in the order of the ranking, and which nodes hold
    /// the `r` copies or were skipped and for what.
    ///
    /// # Errors
    /// As [`replicas_with`](Cluster::replicas_with).
    ///
    /// # Complexity
    /// The whole ranking, with an exact cost for each node.
    pub fn explain<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        key.with_bytes(|key| self.explain_bytes(key, r, constraints))
    }

    fn explain_bytes(&self, key: KeyBytes<'_>, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        let picked = self.pick(key, r, constraints)?;
        let level = if r > 0 { self.level(r, constraints)? } else { None };
        let digest = self.digest(key);
        let subject = Subject::new(self, digest);
        let excluded = self.excluded(constraints);
        let copies: BTreeMap<u32, u64> = picked.indices.iter().copied().zip(1..).collect();
        let mut ranking = self.ranking(key);
        ranking.excluded.clone_from(&excluded);
        let ranking: Vec<u32> = ranking.indices().collect();
        let last = ranking.iter().rposition(|index| copies.contains_key(index));
        let candidates = ranking.iter().enumerate().map(|(position, index)| {
            let mut node = subject.node(&self.nodes()[*index as usize], self.inner.digests[*index as usize]);
            node.rank = position as u64 + 1;
            node.copy = copies.get(index).copied();
            let passed_over = node.copy.is_none() && last.is_some_and(|last| position < last);
            node.skipped = passed_over.then_some("domain_taken");
            node
        });
        let ids = |indices: &[u32]| indices.iter().map(|index| self.nodes()[*index as usize].id().to_owned()).collect();
        let slot = if let Placement::Slots(slots) = &self.inner.placement { Some(slots.slot(digest)) } else { None };
        let coordinate =
            if let Placement::Ring(ring) = &self.inner.placement { Some(ring.coordinate(digest)) } else { None };
        Ok(Explanation {
            key: ExplainedKey::new(key),
            digest,
            algorithm: self.algorithm(),
            hash: self.hash().name(),
            seed: self.hash().seed(),
            epoch: self.epoch(),
            fingerprint: alloc::format!("{}", self.fingerprint()),
            transition: None,
            coordinate,
            slot,
            r,
            spread: level.map(|level| level as u64),
            relaxed: constraints.is_relaxed(),
            limit: picked.limit,
            picked: ids(&picked.indices),
            candidates: candidates.collect(),
            drained: self.nodes().iter().filter(|node| node.is_drained()).map(|node| node.id().to_owned()).collect(),
            excluded: ids(&excluded),
        })
    }
}

impl ExplainedKey {
    pub(crate) fn new(key: KeyBytes<'_>) -> ExplainedKey {
        let text = if key.is_composite() { None } else { core::str::from_utf8(key.bytes()).ok() };
        ExplainedKey {
            kind: match text {
                _ if key.is_composite() => "composite",
                Some(_) => "text",
                None => "bytes",
            },
            text: text.map(ToOwned::to_owned),
            length: key.bytes().len() as u64,
            hex: hex(key.bytes()),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// What nodes are scored for.
enum Subject<'a> {
    /// A digest: the key's, or its slot's.
    Digest(u64),
    /// A ring's coordinate, its space, and the derived tokens for each unit of weight.
    Coordinate { coordinate: u64, space: Option<u64>, tokens_each: u64 },
    /// A key's digest and the weights of all domains by path.
    Domains { digest: u64, hash: &'a crate::Hash, weights: BTreeMap<&'a [Box<str>], u64> },
}

impl<'a> Subject<'a> {
    fn new(cluster: &'a Cluster, digest: u64) -> Subject<'a> {
        match &cluster.inner.placement {
            Placement::Rendezvous(_) => Subject::Digest(digest),
            Placement::Slots(slots) => {
                Subject::Digest(cluster.hash().digest(Domain::Slot, &slots.slot(digest).to_le_bytes()))
            }
            Placement::Ring(ring) => Subject::Coordinate {
                coordinate: ring.coordinate(digest),
                space: ring.space(),
                tokens_each: cluster.inner.parameters.tokens_each().into(),
            },
            Placement::Hierarchy(_) => {
                let mut weights = BTreeMap::new();
                for node in cluster.nodes() {
                    let location = node.get_location();
                    for depth in 1..=location.len() {
                        *weights.entry(&location[..depth]).or_insert(0) += u64::from(node.get_weight());
                    }
                }
                Subject::Domains { digest, hash: cluster.hash(), weights }
            }
        }
    }

    fn node(&self, node: &Node, node_digest: u64) -> ExplainedNode {
        let score = match self {
            Subject::Digest(digest) | Subject::Domains { digest, .. } => Some(draw(*digest, node_digest)),
            Subject::Coordinate { .. } => None,
        };
        ExplainedNode {
            rank: 0,
            id: node.id().to_owned(),
            weight: node.get_weight(),
            location: node.get_location().iter().map(|text| text.clone().into_string()).collect(),
            score,
            cost: score.map(cost),
            token: self.first_token(node, node_digest),
            domains: self.domains(node),
            copy: None,
            skipped: None,
        }
    }

    /// The token that is met first walking up from the coordinate.
    fn first_token(&self, node: &Node, node_digest: u64) -> Option<u64> {
        let Subject::Coordinate { coordinate, space, tokens_each } = *self else { return None };
        let distance = |token: &u64| match space {
            Some(space) if *token < coordinate => space - (coordinate - *token),
            _ => token.wrapping_sub(coordinate),
        };
        match node.get_tokens() {
            Some(tokens) => tokens.iter().copied().min_by_key(distance),
            None => (1..=tokens_each * u64::from(node.get_weight())).map(|j| draw(node_digest, j)).min_by_key(distance),
        }
    }

    fn domains(&self, node: &Node) -> Vec<ExplainedDomain> {
        let Subject::Domains { digest, hash, weights } = self else { return Vec::new() };
        let location = node.get_location();
        let domain = |depth: usize| {
            let path = &location[..depth];
            let score = draw(*digest, hash.digest(Domain::Location, &encoded_texts(path)));
            ExplainedDomain {
                name: path[depth - 1].clone().into_string(),
                weight: weights.get(path).copied().unwrap_or(0),
                score,
                cost: cost(score),
            }
        };
        (1..=location.len()).map(domain).collect()
    }
}

#[cfg(feature = "json")]
impl Explanation {
    /// The structure as JSON, the same in every language: 64-bit values are text, digests and scores in hex, costs and coordinates
    /// in decimal.
    pub fn to_json(&self) -> String {
        // Only text and integers are in it, and the keys are fixed: nothing that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(feature = "json")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over by reference")]
mod json {
    use serde::Serializer;

    pub(super) fn hex<S: Serializer>(value: &u64, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&format_args!("{value:#018x}"))
    }

    pub(super) fn decimal<S: Serializer>(value: &u64, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(value)
    }

    #[expect(clippy::ref_option, reason = "serde hands the field over by reference")]
    pub(super) fn hex_or_null<S: Serializer>(value: &Option<u64>, out: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => hex(value, out),
            None => out.serialize_none(),
        }
    }

    #[expect(clippy::ref_option, reason = "serde hands the field over by reference")]
    pub(super) fn decimal_or_null<S: Serializer>(value: &Option<u64>, out: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => decimal(value, out),
            None => out.serialize_none(),
        }
    }
}
