//! What is written is read back as it was.

use std::collections::BTreeSet;

use keystead::{Cluster, ClusterBuilder, Node};
use proptest::{collection, option, prelude::*};

const SECRET: [u8; 16] = *b"0123456789abcdef";

/// Any text, with those that are hard to write among them.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,12}",
        any::<String>(),
        proptest::sample::select(
            &["", "\0", "\"", "\\", "\u{7f}", "\u{2028}", "😀", "\\ud800", "\r\n", "</script>"][..]
        )
        .prop_map(String::from),
    ]
}

/// A text under the rules of an id.
fn id() -> impl Strategy<Value = String> {
    text()
        .prop_map(|text| text.replace(|c: char| c < ' ' || c == '\u{7f}', "·"))
        .prop_filter("not empty", |id| !id.is_empty())
}

/// A node without tokens; its location has this many texts.
fn node(id: String, depth: std::ops::Range<usize>) -> impl Strategy<Value = Node> {
    let weight = prop_oneof![Just(1), Just(0), Just(u32::MAX), any::<u32>(), 1..5u32];
    let carried = (option::of(text()), collection::vec((text(), text()), 0..3), option::of(text()));
    (weight, collection::vec(self::id(), depth), carried).prop_map(
        move |(weight, location, (address, meta, comment))| {
            let mut node = Node::new(id.clone()).unwrap().weight(weight).location(location).unwrap();
            node = address.into_iter().fold(node, Node::address);
            node = meta.into_iter().fold(node, |node, (name, value)| node.meta(name, value));
            comment.into_iter().fold(node, Node::comment)
        },
    )
}

fn nodes(depth: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Node>> {
    collection::btree_set(id(), 1..6)
        .prop_flat_map(move |ids| ids.into_iter().map(|id| node(id, depth.clone())).collect::<Vec<_>>())
}

/// A builder of each algorithm with its own parameters and nodes.
fn algorithm() -> impl Strategy<Value = ClusterBuilder> {
    let new = |name| Cluster::builder().algorithm(name);
    let rendezvous = nodes(0..9).prop_map(move |nodes| new("rendezvous-1").nodes(nodes));
    let slots =
        (nodes(0..9), option::of(1..600u64), option::of(0..=1_000u64)).prop_map(move |(nodes, slots, headroom)| {
            let builder = slots.into_iter().fold(new("slots-1").nodes(nodes), ClusterBuilder::slots);
            headroom.into_iter().fold(builder, ClusterBuilder::headroom)
        });
    let hierarchy = (1..9usize)
        .prop_flat_map(|depth| nodes(depth..depth + 1))
        .prop_map(move |nodes| new("hierarchy-1").nodes(nodes));
    let derived = (nodes(0..9), option::of(1..40u64)).prop_map(move |(nodes, tokens)| {
        let nodes = nodes.into_iter().map(|node| {
            let weight = node.get_weight() % 9;
            node.weight(weight)
        });
        tokens.into_iter().fold(new("ring-1").nodes(nodes), ClusterBuilder::tokens_per_weight)
    });
    let tokens = collection::btree_set(any::<u64>(), 20);
    let explicit =
        (nodes(0..9), tokens, any::<bool>()).prop_map(move |(nodes, tokens, space): (_, BTreeSet<u64>, _)| {
            let most = tokens.last().copied().unwrap_or(0);
            let tokens: Vec<u64> = tokens.into_iter().collect();
            let nodes = nodes.into_iter().zip(tokens.chunks(4)).map(|(node, tokens)| {
                let weight = node.get_weight().min(1);
                node.weight(weight).tokens(tokens.iter().copied()).unwrap()
            });
            let builder = new("ring-1").nodes(nodes);
            if space && most < u64::MAX { builder.space(most + 1) } else { builder }
        });
    prop_oneof![rendezvous, slots, hierarchy, derived, explicit]
}

fn cluster() -> impl Strategy<Value = Cluster> {
    let hash = prop_oneof![
        (proptest::sample::select(&["xxh3", "xxh64"][..]), option::of(any::<u64>()))
            .prop_map(|(name, seed)| (name, seed, None)),
        Just(("sip13", None, Some(SECRET))),
    ];
    let levels = option::of(collection::btree_set(id(), 1..9));
    let shared = (hash, option::of(0..1u64 << 53), levels, option::of(text()));
    (algorithm(), shared).prop_filter_map(
        "some weight above 0",
        |(builder, ((hash, seed, secret), epoch, levels, comment))| {
            let builder = seed.into_iter().fold(builder.hash(hash), ClusterBuilder::seed);
            let builder = secret.iter().fold(builder, |builder, secret| builder.secret(secret));
            let builder = epoch.into_iter().fold(builder, ClusterBuilder::epoch);
            let builder = levels.into_iter().fold(builder, ClusterBuilder::levels);
            comment.into_iter().fold(builder, ClusterBuilder::comment).build().ok()
        },
    )
}

fn secret_of(cluster: &Cluster) -> Option<&[u8]> {
    cluster.has_secret().then_some(&SECRET[..])
}

fn assert_same(read: &Cluster, written: &Cluster) {
    assert_eq!(read.fingerprint(), written.fingerprint());
    assert_eq!(read.description(), written.description());
    assert_eq!((read.epoch(), read.comment(), read.levels()), (written.epoch(), written.comment(), written.levels()));
    // Nodes compare with everything that they carry.
    assert_eq!(read.nodes(), written.nodes());
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(cluster in cluster()) {
        let text = cluster.to_json();
        let read = Cluster::from_json(text.as_bytes(), secret_of(&cluster)).unwrap();
        assert_same(&read, &cluster);
        prop_assert_eq!(read.to_json(), text);
    }

    #[test]
    fn what_is_written_is_json_without_the_secret(cluster in cluster()) {
        let text = cluster.to_json();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(value["nodes"].as_array().map(Vec::len), Some(cluster.len()));
        prop_assert_eq!(value.get("seed").is_some(), !cluster.has_secret());
        // One line for the brackets and each member, one a node.
        let members = value.as_object().map_or(0, serde_json::Map::len);
        prop_assert_eq!(text.lines().count(), 2 + members + 1 + cluster.len());
        prop_assert!(!text.contains("0123456789abcdef") && !text.contains("30313233"));
    }

    // White space, the order of members and escapes are no part of what a file says.
    #[test]
    fn other_spellings_are_read_alike(cluster in cluster()) {
        let value: serde_json::Value = serde_json::from_str(&cluster.to_json()).unwrap();
        let secret = secret_of(&cluster);
        assert_same(&Cluster::from_json(value.to_string().as_bytes(), secret).unwrap(), &cluster);
        let mut escaped = String::new();
        spell(&value, &mut escaped);
        assert_same(&Cluster::from_json(escaped.as_bytes(), secret).unwrap(), &cluster);
    }
}

/// Writes JSON with the members in reverse order, every UTF-16 unit escaped, and white space wherever it may stand.
fn spell(value: &serde_json::Value, out: &mut String) {
    use std::fmt::Write as _;
    let text = |text: &str, out: &mut String| {
        out.push('"');
        for unit in text.encode_utf16() {
            write!(out, "\\u{unit:04X}").unwrap();
        }
        out.push('"');
    };
    out.push_str(" \t\r\n");
    match value {
        serde_json::Value::String(string) => text(string, out),
        serde_json::Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                spell(item, out);
            }
            out.push(']');
        }
        serde_json::Value::Object(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().rev().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                text(name, out);
                out.push_str("\r ");
                out.push(':');
                spell(member, out);
            }
            out.push('}');
        }
        other => write!(out, "{other}").unwrap(),
    }
    out.push('\n');
}

#[test]
fn control_characters_survive() {
    let all: String = (0..0x100).filter_map(char::from_u32).collect();
    let node = Node::new("a").unwrap().address(all.clone()).comment("\0").meta(all.clone(), "\0").meta("", "");
    let cluster = Cluster::builder().node(node).comment(all.clone()).build().unwrap();
    assert_same(&Cluster::from_json(cluster.to_json().as_bytes(), None).unwrap(), &cluster);
}
