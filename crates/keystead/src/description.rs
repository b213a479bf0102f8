//! The canonical description of a cluster and its fingerprint.

use alloc::vec::Vec;
use core::fmt;

use sha2::{Digest, Sha256};

use crate::{
    Node,
    builder::{Algorithm, Parameters},
    encode::KeyEncoder,
    hash::Domain,
};

/// What stands in a description for "none" where a number is expected.
const NONE: u32 = u32::MAX;
const LEVELS: u8 = 1;

/// The first 16 bytes of SHA-256 of a canonical description; shown as 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The 16 bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl Fingerprint {
    /// The fingerprint of canonical bytes.
    pub(crate) fn of(bytes: &[u8]) -> Fingerprint {
        let digest = Sha256::digest(bytes);
        let mut first = [0; 16];
        first.copy_from_slice(&digest[..16]);
        Fingerprint(first)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

pub(crate) fn description(parameters: &Parameters, nodes: &[Node]) -> Vec<u8> {
    let ring = matches!(parameters.algorithm, Algorithm::Ring { .. });
    let mut out = Vec::with_capacity(64 + nodes.len() * 32);
    out.extend_from_slice(b"KSTD\x01");
    out.push(match parameters.algorithm {
        Algorithm::Rendezvous => 1,
        Algorithm::Ring { .. } => 2,
        Algorithm::Slots { .. } => 3,
        Algorithm::Hierarchy => 4,
    });
    let hash = &parameters.hash;
    out.push(hash.number());
    // Two digests stand for the seed or secret: a secret cannot be read off them, and two that differ show.
    put_u64(&mut out, hash.digest(Domain::Check, b""));
    put_u64(&mut out, hash.digest(Domain::Check, &[0]));
    match parameters.algorithm {
        Algorithm::Ring { space, .. } => {
            put_u32(&mut out, parameters.tokens_per_weight(nodes).unwrap_or(0));
            put_u64(&mut out, space.unwrap_or(0));
        }
        Algorithm::Slots { slots, headroom } => {
            put_u32(&mut out, slots);
            put_u32(&mut out, headroom.unwrap_or(NONE));
        }
        Algorithm::Rendezvous | Algorithm::Hierarchy => {}
    }
    put_count(&mut out, nodes.len());
    for node in nodes {
        put_text(&mut out, node.id());
        put_u32(&mut out, node.get_weight());
        put_count(&mut out, node.get_location().len());
        for text in node.get_location() {
            put_text(&mut out, text);
        }
        if ring {
            match node.get_tokens() {
                None => put_u32(&mut out, NONE),
                Some(tokens) => {
                    put_count(&mut out, tokens.len());
                    for token in tokens {
                        put_u64(&mut out, *token);
                    }
                }
            }
        }
    }
    if let Some(levels) = &parameters.levels {
        let bytes = encoded_texts(levels);
        out.push(LEVELS);
        put_u64(&mut out, bytes.len() as u64);
        out.extend_from_slice(&bytes);
    }
    out
}

/// The canonical encoding of a sequence of texts.
pub(crate) fn encoded_texts<T: AsRef<str>>(texts: &[T]) -> Vec<u8> {
    let mut encoder = KeyEncoder::new();
    encoder.sequence_of_texts(texts);
    encoder.finish().into_bytes()
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Counts of nodes, texts and tokens are limited to far below 2^32.
fn put_count(out: &mut Vec<u8>, count: usize) {
    put_u32(out, u32::try_from(count).unwrap_or(NONE));
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_u64(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}
