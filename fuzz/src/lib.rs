//! What the fuzz targets check, and the replay of their corpus on any compiler.

mod bytes;

use keystead::{Cluster, Constraints, Node, encode_key};

use crate::bytes::Bytes;

/// A cluster file: refused with a position inside the text, or read, written and read again without a difference.
pub fn file(data: &[u8]) {
    match Cluster::from_json(data, Some(b"0123456789abcdef")).or_else(|_| Cluster::from_json(data, None)) {
        Ok(cluster) => {
            let secret = cluster.has_secret().then_some(&b"0123456789abcdef"[..]);
            let again = Cluster::from_json(cluster.to_json().as_bytes(), secret).expect("what was written is read");
            assert_eq!(again.fingerprint(), cluster.fingerprint());
            assert_eq!(again.epoch(), cluster.epoch());
            assert_eq!(again.nodes(), cluster.nodes());
        }
        Err(error) => {
            if let Some(position) = error.position() {
                let lines = 1 + data.iter().filter(|byte| **byte == b'\n').count();
                assert!(position.line >= 1 && position.line <= lines as u64, "{error}");
                assert!(position.column >= 1 && position.column <= 1 + data.len() as u64, "{error}");
            }
        }
    }
}

/// Two keys: equal encodings mean equal keys, and neither encoding is a prefix of the other.
pub fn encode(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (a, b) = (bytes.key_part(0), bytes.key_part(0));
    let (Ok(encoded_a), Ok(encoded_b)) = (encode_key(&a), encode_key(&b)) else { return };
    let (encoded_a, encoded_b) = (encoded_a.as_bytes(), encoded_b.as_bytes());
    assert_eq!(a == b, encoded_a == encoded_b, "{a:?} {b:?}");
    assert!(a == b || !(encoded_a.starts_with(encoded_b) || encoded_b.starts_with(encoded_a)), "{a:?} {b:?}");
}

/// A cluster and a key: the owner leads the ranking, every node of weight above 0 is in it once, replicas are its prefix, and excluding the owner promotes the next.
pub fn owner(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let algorithm = ["rendezvous-1", "ring-1", "slots-1"][usize::from(bytes.byte() % 3)];
    let mut builder = Cluster::builder().algorithm(algorithm).seed(bytes.integer());
    builder = match algorithm {
        "ring-1" => builder.tokens_per_weight(1 + u64::from(bytes.byte() % 8)),
        "slots-1" => builder.slots(1 + bytes.integer() % 500),
        _ => builder,
    };
    let mut ids: Vec<String> = (0..1 + bytes.byte() % 12).map(|_| format!("n{}", bytes.byte())).collect();
    ids.sort();
    ids.dedup();
    for id in &ids {
        let weight = if algorithm == "ring-1" { u32::from(bytes.byte() % 4) } else { bytes.integer() as u32 };
        builder = builder.node(Node::new(id.as_str()).expect("a good id").weight(weight));
    }
    let Ok(cluster) = builder.build() else { return };
    let key = bytes.rest();

    let owner = cluster.owner(key).id();
    let ranking: Vec<&str> = cluster.ranking(key).map(Node::id).collect();
    assert_eq!(ranking.first(), Some(&owner));
    let mut listed = ranking.clone();
    listed.sort_unstable();
    let serving: Vec<&str> = cluster.nodes().iter().filter(|node| node.get_weight() > 0).map(Node::id).collect();
    assert_eq!(listed, serving);
    for r in 0..=ranking.len() {
        let replicas = cluster.replicas(key, r as u64).expect("as many as there are");
        assert!(replicas.iter().map(|node| node.id()).eq(ranking[..r].iter().copied()));
    }
    let second = cluster.owner_with(key, &Constraints::new().exclude([owner]));
    assert_eq!(second.ok().map(Node::id), ranking.get(1).copied());
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    type Target = fn(&[u8]);

    /// Every file of a corpus; how many there are, so that an empty folder is noticed.
    fn replay(target: &str, check: Target) -> usize {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("the corpus") {
            check(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
            count += 1;
        }
        count
    }

    #[test]
    fn file_over_its_corpus() {
        assert!(replay("file", super::file) >= 20);
    }

    #[test]
    fn encode_over_its_corpus() {
        assert!(replay("encode", super::encode) >= 20);
    }

    #[test]
    fn owner_over_its_corpus() {
        assert!(replay("owner", super::owner) >= 20);
    }

    /// The cheapest kind of fuzzing, on every run: the corpus with single bytes changed.
    #[test]
    fn every_target_over_altered_corpus() {
        let targets: [(&str, Target); 3] = [("file", super::file), ("encode", super::encode), ("owner", super::owner)];
        for (target, check) in targets {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
            for entry in std::fs::read_dir(folder).expect("the corpus") {
                let seed = std::fs::read(entry.expect("an entry").path()).expect("a file");
                let step = 1 + seed.len() / 64;
                for position in (0..seed.len()).step_by(step) {
                    for byte in [0x00, b'"', b'9', b'}', 0x80, 0xFF] {
                        let mut altered = seed.clone();
                        altered[position] = byte;
                        check(&altered);
                        altered.truncate(position);
                        check(&altered);
                    }
                }
            }
        }
    }
}
