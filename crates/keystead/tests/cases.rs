//! Field cases and worked examples with answers known by hand: `tests/cases/*.json` at the top of the tree.

#![cfg(feature = "alloc")]
#![expect(clippy::cast_precision_loss, reason = "shares are compared with theory, which is in floats")]

use std::collections::{BTreeMap, BTreeSet};

use keystead::{Cluster, Constraints, Key, KeyPart, Node, encode_key, jump, rank_scores};
use serde_json::Value;

fn read(name: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/");
    let text = std::fs::read_to_string(format!("{path}{name}")).expect("the cases are in the tree");
    serde_json::from_str(&text).expect("the cases are JSON")
}

/// A field case by its id.
fn field(id: &str) -> Value {
    let cases = read("field-cases.json");
    let found = cases["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).cloned();
    found.unwrap_or_else(|| panic!("field case {id}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn nodes(values: &Value) -> Vec<Node> {
    let one = |value: &Value| {
        let mut node = Node::new(text(&value["id"])).unwrap().weight(u32::try_from(number(&value["weight"])).unwrap());
        if let Some(zone) = value["zone"].as_str() {
            let host = value["host"].as_str();
            node = node.location([zone].into_iter().chain(host)).unwrap();
        }
        node
    };
    values.as_array().unwrap().iter().map(one).collect()
}

fn cluster_of(case: &Value) -> Cluster {
    Cluster::rendezvous(nodes(&case["input"]["nodes"])).unwrap()
}

/// The keys of a case: `fmt % i` for i in from … from + n − 1, or in steps.
fn keys(spec: &Value) -> Vec<String> {
    let fmt = text(&spec["fmt"]);
    let step = spec["step"].as_u64().unwrap_or(1);
    let from = spec["from"].as_u64().unwrap_or(0);
    (0..number(&spec["n"]))
        .map(|i| match from + i * step {
            i if fmt.contains("%08d") => fmt.replace("%08d", &format!("{i:08}")),
            i => fmt.replace("%d", &i.to_string()),
        })
        .collect()
}

fn owners<'a>(cluster: &'a Cluster, keys: &[String]) -> Vec<&'a str> {
    keys.iter().map(|key| cluster.owner(key).id()).collect()
}

fn shares(cluster: &Cluster, keys: &[String]) -> BTreeMap<String, f64> {
    let mut counts: BTreeMap<String, f64> = cluster.ids().map(|id| (id.to_owned(), 0.0)).collect();
    for owner in owners(cluster, keys) {
        *counts.get_mut(owner).unwrap() += 1.0 / keys.len() as f64;
    }
    counts
}

/// The keys that move, as (before, after), and whether their share is as the case says.
fn moved<'a>(case: &Value, before: &'a Cluster, after: &'a Cluster) -> Vec<(&'a str, &'a str)> {
    let keys = keys(&case["input"]["keys"]);
    let pairs = owners(before, &keys).into_iter().zip(owners(after, &keys));
    let moved: Vec<_> = pairs.filter(|(from, to)| from != to).collect();
    let check = &case["expected"]["check"];
    let share = moved.len() as f64 / keys.len() as f64;
    let (expected, tolerance) = (check["moved_p"].as_f64().unwrap(), check["tol_hrw"].as_f64().unwrap());
    assert!((share - expected).abs() <= tolerance, "{share} of the keys move, not {expected} ± {tolerance}");
    moved
}

#[test]
fn b05_jump_takes_all_64_bits() {
    let case = field("B05");
    let pairs = case["input"]["pairs"].as_array().unwrap();
    let buckets: Vec<u64> =
        pairs.iter().map(|pair| jump(text(&pair[0]).parse().unwrap(), number(&pair[1])).unwrap().into()).collect();
    let expected: Vec<u64> = case["expected"]["check"]["exact"].as_array().unwrap().iter().map(number).collect();
    assert_eq!(buckets, expected);
}

#[test]
fn b08_keys_are_bytes_without_normalisation() {
    let case = field("B08");
    let cluster = cluster_of(&case);
    let keys: Vec<&str> = case["input"]["keys_utf8"].as_array().unwrap().iter().map(text).collect();
    for key in &keys {
        assert_eq!(cluster.digest(key), cluster.digest(key.as_bytes()));
    }
    let digests: BTreeSet<u64> = keys.iter().map(|key| cluster.digest(key)).collect();
    assert_eq!(digests.len(), keys.len(), "composed and decomposed forms are different keys");
    for bytes in [&[0xFF][..], &[0xC3, 0x28], &[0xFF, 0xFE, 0x00]] {
        assert!(cluster.contains(cluster.owner(bytes).id()));
    }
}

#[test]
fn b11_no_hidden_prefix() {
    let case = field("B11");
    let cluster = cluster_of(&case);
    for key in keys(&case["input"]["keys"]) {
        let whole = format!("{}{key}", text(&case["input"]["prefix"]));
        assert_eq!(cluster.digest(&whole), cluster.digest([b"app1:", key.as_bytes()].concat()));
    }
}

fn composite(value: &Value) -> KeyPart {
    KeyPart::Sequence(value.as_array().unwrap().iter().map(|item| KeyPart::Bytes(text(item).into())).collect())
}

#[test]
fn b12_composite_keys_frame_their_parts() {
    let field_case = field("B12");
    let worked = read("worked-examples.json");
    let pairs = [&field_case["input"]["composite_keys"], &worked["framing"]["pairs"]];
    for pair in pairs.into_iter().flat_map(|pairs| pairs.as_array().unwrap()) {
        let [a, b] = [&pair[0], &pair[1]].map(|value| encode_key(&composite(value)).unwrap());
        assert_ne!(a, b, "{pair}");
    }
}

#[test]
fn b15_a_repeated_id_is_named_and_an_address_may_repeat() {
    let given = |count: usize| {
        field("B15")["input"]["nodes"].as_array().unwrap()[..count]
            .iter()
            .map(|node| Node::new(text(&node["id"])).unwrap().address(text(&node["address"])))
            .collect::<Vec<_>>()
    };
    assert!(Cluster::rendezvous(given(2)).is_ok());
    let error = Cluster::rendezvous(given(3)).unwrap_err();
    assert_eq!(error.code(), "duplicate_node");
    assert!(error.to_string().contains("n2"));
}

#[test]
fn b18_order_and_drained_placeholders_do_not_matter() {
    let case = field("B18");
    let all = nodes(&case["input"]["nodes"]);
    let before = cluster_of(&case);
    let keys = keys(&case["input"]["keys"]);
    let expected = owners(&before, &keys);
    for position in 0..=all.len() {
        let mut variant = all.clone();
        variant.rotate_left(position % all.len());
        variant.insert(position, Node::new("127.0.0.1:1").unwrap().weight(0));
        assert_eq!(owners(&Cluster::rendezvous(variant).unwrap(), &keys), expected);
    }
    let after = before.with_node("10.7.1.60:80").unwrap();
    assert!(moved(&case, &before, &after).iter().all(|(_, to)| *to == "10.7.1.60:80"));
}

#[test]
fn b20_equal_scores_fall_to_the_smaller_id() {
    for order in [["n-b", "n-a", "n-c"], ["n-a", "n-b", "n-c"], ["n-c", "n-b", "n-a"], ["n-a", "n-c", "n-b"]] {
        let ranked = rank_scores(order.map(|id| (id, if id == "n-c" { 3 } else { 7 }, 1))).unwrap();
        assert_eq!(ranked.iter().map(|position| order[*position]).collect::<Vec<_>>(), ["n-a", "n-b", "n-c"]);
    }
}

#[test]
fn b21_removing_and_adding_back_leaves_no_ghosts() {
    let ids: Vec<String> = (0..1_500).map(|i| format!("cache-{i}")).collect();
    let ring = |skip: Option<&str>| {
        let ids = ids.iter().filter(|id| Some(id.as_str()) != skip);
        Cluster::builder().algorithm("ring-1").tokens_per_weight(160).nodes(ids).build().unwrap()
    };
    let whole = ring(None);
    let keys: Vec<u64> = (0..2_000).collect();
    let indices = |cluster: &Cluster| keys.iter().map(|key| cluster.owner_index(key)).collect::<Vec<_>>();
    for id in ["cache-0", "cache-36", "cache-115", "cache-543", "cache-805", "cache-1164", "cache-1499"] {
        let without = whole.without_node(id).unwrap();
        let fresh = ring(Some(id));
        assert_eq!((without.fingerprint(), indices(&without)), (fresh.fingerprint(), indices(&fresh)));
        let back = without.with_node(id).unwrap();
        assert_eq!((back.fingerprint(), back.arcs().unwrap()), (whole.fingerprint(), whole.arcs().unwrap()));
    }
    let many = (0..10_000).map(|i| format!("cache-{i}"));
    let many = Cluster::builder().algorithm("ring-1").tokens_per_weight(16).nodes(many).build().unwrap();
    assert_eq!(many.shares().len(), 10_000);
}

#[test]
fn b23_unequal_weights_move_only_to_the_new_node() {
    let case = field("B23");
    let before = cluster_of(&case);
    let after = before.with_node(Node::new("mc9").unwrap().weight(500)).unwrap();
    assert!(moved(&case, &before, &after).iter().all(|(_, to)| *to == "mc9"));
    let keys = keys(&case["input"]["keys"]);
    assert_eq!(owners(&after.without_node("mc9").unwrap(), &keys), owners(&before, &keys));
    for factor in [2, 3] {
        let scaled = before.nodes().iter().map(|node| node.clone().weight(node.get_weight() * factor));
        assert_eq!(owners(&Cluster::rendezvous(scaled).unwrap(), &keys), owners(&before, &keys));
    }
}

#[test]
fn b24_b26_removing_a_node_moves_only_its_keys() {
    for (id, gone) in [("B24", "C"), ("B26", "n4")] {
        let case = field(id);
        let before = cluster_of(&case);
        let after = before.without_node(gone).unwrap();
        assert!(moved(&case, &before, &after).iter().all(|(from, _)| *from == gone));
    }
}

#[test]
fn b25_equal_weights_have_exactly_equal_token_counts() {
    let case = field("B25");
    for count in case["input"]["equal_weight_node_counts"].as_array().unwrap() {
        for points in case["input"]["points"].as_array().unwrap() {
            let ids = (0..number(count)).map(|i| format!("n{i}"));
            let ring = Cluster::builder().algorithm("ring-1").tokens_per_weight(number(points)).nodes(ids);
            let ring = ring.build().unwrap();
            let mut counts = vec![0; ring.len()];
            ring.arcs().unwrap().iter().for_each(|arc| counts[arc.node as usize] += 1);
            assert!(counts.iter().all(|count| *count == number(points)), "{counts:?}");
        }
    }
}

#[test]
fn b27_down_is_not_removal() {
    let case = field("B27");
    let cluster = cluster_of(&case);
    let down = Constraints::new().exclude(["r3"]);
    let without = cluster.without_node("r3").unwrap();
    assert!(moved(&case, &cluster, &without).iter().all(|(from, _)| *from == "r3"));
    for key in keys(&case["input"]["keys"]) {
        let owner = cluster.owner_with(&key, &down).unwrap().id();
        assert_eq!(owner, without.owner(&key).id());
        let next = cluster.ranking(&key).find(|node| node.id() != "r3").unwrap();
        assert_eq!(owner, next.id());
    }
}

#[test]
fn b29_a_heavier_node_only_gains() {
    let case = field("B29");
    let before = cluster_of(&case);
    let after = before.with_weight("osd.2", 3).unwrap();
    assert!(moved(&case, &before, &after).iter().all(|(_, to)| *to == "osd.2"));
}

#[test]
fn b30_b31_b32_similar_ids_and_keys_share_evenly() {
    for (id, sets) in [("B30", 0), ("B31", 0), ("B32", 3)] {
        let case = field(id);
        let cluster = cluster_of(&case);
        let tolerance = case["expected"]["check"]["tol_hrw"].as_f64().unwrap();
        let mut specs = vec![case["input"]["keys"].clone()];
        specs.extend((0..sets).map(|set| case["input"]["more_keys"][set].clone()));
        for spec in specs {
            for (node, share) in shares(&cluster, &keys(&spec)) {
                let expected = 1.0 / cluster.len() as f64;
                assert!(
                    (share - expected).abs() <= tolerance,
                    "{id}: {node} has {share}, not {expected} ± {tolerance}"
                );
            }
        }
    }
}

#[test]
fn b34_counts_spread_as_chance_says() {
    let case = field("B34");
    let cluster = cluster_of(&case);
    let deviation = |cluster: &Cluster| {
        let counts = shares(cluster, &keys(&case["input"]["keys"])).into_values().map(|share| share * 4096.0);
        (counts.map(|count| (count - 4096.0 / 9.0).powi(2)).sum::<f64>() / 9.0).sqrt()
    };
    assert!(deviation(&cluster) <= case["expected"]["check"]["sd_hrw_max"].as_f64().unwrap());
    let ring = |tokens| Cluster::builder().algorithm("ring-1").tokens_per_weight(tokens).nodes(cluster.nodes()).build();
    // A ring of few tokens is uneven by its arcs, which is why the command warns.
    assert!(deviation(&ring(3).unwrap()) > deviation(&ring(500).unwrap()));
}

#[test]
fn b37_weight_0_is_absence_and_all_drained_is_no_nodes() {
    let case = field("B37");
    let cluster = cluster_of(&case);
    let drained = cluster.with_weight("n2", 0).unwrap();
    let absent = cluster.without_node("n2").unwrap();
    for key in 0..2_000 {
        assert_eq!(drained.owner(key).id(), absent.owner(key).id());
        assert!(drained.ranking(key).map(Node::id).eq(absent.ranking(key).map(Node::id)));
    }
    let all = cluster.nodes().iter().map(|node| node.clone().weight(0));
    assert_eq!(Cluster::rendezvous(all).unwrap_err().code(), "no_nodes");
    assert_eq!(rank_scores([("a", 0, 1), ("b", u64::MAX, 1)]).unwrap(), [1, 0]);
}

#[test]
fn b38_several_copies_are_flatter_than_weights() {
    let case = field("B38");
    let cluster = cluster_of(&case);
    let keys = keys(&case["input"]["keys"]);
    let check = &case["expected"]["check"];
    let tolerance = check["tol_hrw"].as_f64().unwrap();
    for r in 1..=3 {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        for key in &keys {
            for node in cluster.replicas(key, r).unwrap() {
                *counts.entry(node.id()).or_default() += 1.0 / keys.len() as f64;
            }
        }
        for (id, share) in counts {
            let expected = &check["inclusion_p"][r.to_string()][if id == "n0" { "n0" } else { "n1..n5" }];
            assert!((share - expected.as_f64().unwrap()).abs() <= tolerance, "r {r}, {id}: {share}");
        }
    }
}

#[test]
fn b39_shares_of_exact_weights() {
    let case = field("B39");
    let cluster = cluster_of(&case);
    let check = &case["expected"]["check"];
    for (id, share) in shares(&cluster, &keys(&case["input"]["keys"])) {
        let expected = check["share_p"][&id].as_f64().unwrap();
        assert!((share - expected).abs() <= check["tol_hrw"].as_f64().unwrap(), "{id}: {share}");
    }
}

#[test]
fn b41_replicas_are_distinct_and_exactly_as_many() {
    let case = field("B41");
    let keys = keys(&case["input"]["keys"]);
    for one in case["input"]["cases"].as_array().unwrap() {
        let ids: Vec<&str> = one["nodes"].as_array().unwrap().iter().map(text).collect();
        let r = number(&one["replicas"]);
        let cluster = match Cluster::rendezvous(&ids) {
            Ok(cluster) => cluster,
            Err(error) => {
                assert_eq!((error.code(), ids.len()), ("no_nodes", 0));
                continue;
            }
        };
        for key in &keys {
            match cluster.replicas(key, r) {
                Ok(nodes) => {
                    let distinct: BTreeSet<&str> = nodes.iter().map(|node| node.id()).collect();
                    assert_eq!((nodes.len() as u64, distinct.len() as u64), (r, r));
                }
                Err(error) => {
                    assert_eq!(error.code(), "not_enough_nodes");
                    assert!(r > ids.len() as u64);
                }
            }
        }
    }
}

#[test]
fn b43_copies_are_on_distinct_hosts_and_zones() {
    let case = field("B43");
    let cluster = Cluster::builder().nodes(nodes(&case["input"]["nodes"])).levels(["zone", "host"]).build().unwrap();
    for key in keys(&case["input"]["keys"]) {
        for level in ["zone", "host"] {
            for r in [2, 3] {
                let picked = cluster.replicas_with(&key, r, &Constraints::new().spread(level)).unwrap();
                let hosts: BTreeSet<_> = picked.nodes().iter().map(|node| &node.get_location()[1]).collect();
                assert_eq!(hosts.len() as u64, r);
            }
        }
    }
}

#[test]
fn b47_larger_subsets_contain_smaller_ones() {
    let case = field("B47");
    let cluster = cluster_of(&case);
    let constraints = Constraints::new().spread(0).relaxed(true);
    let grown = cluster.with_node(Node::new("sg12").unwrap().location(["z3"]).unwrap()).unwrap();
    for tenant in keys(&case["input"]["tenants"]) {
        let mut before: Vec<&str> = Vec::new();
        for size in case["input"]["sizes"].as_array().unwrap().iter().map(number) {
            let picked = match cluster.replicas_with(&tenant, size, &constraints) {
                Ok(picked) => picked,
                Err(error) => {
                    assert_eq!((error.code(), size), ("not_enough_nodes", 12));
                    continue;
                }
            };
            let ids: Vec<&str> = picked.nodes().iter().map(|node| node.id()).collect();
            assert!(ids.starts_with(&before) && ids.len() as u64 == size);
            let mut zones: BTreeMap<&str, u32> = BTreeMap::from([("z0", 0), ("z1", 0), ("z2", 0)]);
            picked.nodes().iter().for_each(|node| *zones.get_mut(&*node.get_location()[0]).unwrap() += 1);
            // z0 has three instances and the others four: within one of each other while possible.
            let (least, most) = (zones.values().min().unwrap(), zones.values().max().unwrap());
            assert!(most - least <= 1, "{zones:?}");
            let with = grown.replicas_with(&tenant, size, &constraints).unwrap();
            let gone = ids.iter().filter(|id| !with.nodes().iter().any(|node| node.id() == **id)).count();
            assert!(gone <= 1, "adding a zone replaces at most the member that goes to it");
            before = ids;
        }
    }
}

#[test]
fn b51_the_number_of_tokens_takes_effect() {
    let case = field("B51");
    let ring = |tokens: u64| {
        let ids = case["input"]["nodes"].as_array().unwrap().iter().map(|node| text(&node["id"]));
        Cluster::builder().algorithm("ring-1").tokens_per_weight(tokens).nodes(ids).build()
    };
    let keys = keys(&case["input"]["keys"]);
    assert_ne!(owners(&ring(1).unwrap(), &keys), owners(&ring(160).unwrap(), &keys));
    for refused in [0, 65_537, 4_294_967_296] {
        assert_eq!(ring(refused).unwrap_err().code(), "invalid_parameter");
    }
}

#[test]
fn worked_scores_with_e_joining_and_c_leaving() {
    let scores = &read("worked-examples.json")["scores"];
    let rank = |key: &Value, ids: &[&str]| {
        let ranked = rank_scores(ids.iter().map(|id| (*id, number(&key[*id]), 1))).unwrap();
        ranked.into_iter().map(|position| ids[position].to_owned()).collect::<Vec<_>>()
    };
    let (mut joined, mut left) = (BTreeMap::new(), BTreeMap::new());
    for (name, key) in scores["keys"].as_object().unwrap() {
        let before = rank(key, &["A", "B", "C", "D"]);
        let with_e = rank(key, &["A", "B", "C", "D", "E"]);
        let without_c = rank(key, &["A", "B", "D"]);
        assert_eq!((&before[0], &with_e[0]), (&text(&key["owner"]).to_owned(), &text(&key["owner_with_E"]).to_owned()));
        for (moves, after) in [(&mut joined, &with_e), (&mut left, &without_c)] {
            if before[0] != after[0] {
                moves.insert(name.clone(), serde_json::json!([before[0], after[0]]));
            }
        }
        if let Some(only) = scores["remove_C"]["candidates_only"].get(name) {
            assert_eq!(serde_json::json!(before[..2]), only["top2_before"]);
            assert_eq!(serde_json::json!(without_c[..2]), only["top2_after"]);
        }
    }
    assert_eq!(serde_json::json!(joined), scores["add_E"]["moved"]);
    assert_eq!(serde_json::json!(left), scores["remove_C"]["moved"]);
    let zeta = &scores["keys"]["zeta"];
    assert_eq!((&*rank(zeta, &["A", "B", "D"])[0], &*rank(zeta, &["B", "D"])[0]), ("A", "B"));
}

#[test]
fn worked_naive_weight_is_not_proportional() {
    // Scores uniform on 1 … m, capacities 2 : 1, counted exactly over all pairs: the product's share tends to 3/4.
    let m = 400_u32;
    let heavy = (1..=m).map(|a| (1..=m).filter(|b| 2 * a > *b).count()).sum::<usize>() as f64;
    assert!((heavy / f64::from(m * m) - 0.75).abs() < 0.01);
    let nodes = [Node::new("two").unwrap().weight(2), Node::new("one").unwrap()];
    let cluster = Cluster::rendezvous(nodes).unwrap();
    let keys: Vec<String> = (0..100_000).map(|i| i.to_string()).collect();
    assert!((shares(&cluster, &keys)["two"] - 2.0 / 3.0).abs() < 0.0075);
}

#[test]
fn worked_jump() {
    let jumps = &read("worked-examples.json")["jump"];
    for (pair, bucket) in jumps["pairs"].as_array().unwrap().iter().zip(jumps["buckets"].as_array().unwrap()) {
        assert_eq!(u64::from(jump(text(&pair[0]).parse().unwrap(), number(&pair[1])).unwrap()), number(bucket));
    }
}

#[test]
fn worked_modulo_contrast() {
    let n = 10;
    let ids = |n: u64| (0..n).map(|i| format!("n{i}"));
    let (before, after) = (Cluster::rendezvous(ids(n)).unwrap(), Cluster::rendezvous(ids(n + 1)).unwrap());
    let count = 50_000_u64;
    let stable = (0..count).filter(|key| before.owner(key).id() != after.owner(key).id()).count() as f64;
    let bucket = |key: u64, n| keystead::modulo(key, n, before.hash()).unwrap();
    let modulo = (0..count).filter(|key| bucket(*key, n) != bucket(*key, n + 1)).count() as f64;
    let top3 = |cluster: &Cluster, key: u64| {
        cluster.replicas(key, 3).unwrap().into_iter().map(|node| node.id().to_owned()).collect::<BTreeSet<_>>()
    };
    let candidates = (0..count).filter(|key| top3(&before, *key) != top3(&after, *key)).count() as f64;
    for (moved, expected) in [(stable, 1.0 / 11.0), (modulo, 10.0 / 11.0), (candidates, 3.0 / 11.0)] {
        assert!((moved / count as f64 - expected).abs() < 0.011, "{moved} of {count}, not {expected}");
    }
}

/// The explicit tokens of an example, as a ring of its space.
fn worked_ring(example: &Value, add: &[(&str, u64)], skip: &str) -> Result<Cluster, keystead::Error> {
    let given = example["tokens"].as_object().unwrap().iter().filter(|(id, _)| *id != skip);
    let given = given.map(|(id, tokens)| (id.as_str(), tokens.as_array().unwrap().iter().map(number).collect()));
    let added = add.iter().map(|(id, token)| (*id, vec![*token]));
    let nodes = given.chain(added).map(|(id, tokens): (&str, Vec<u64>)| Node::new(id).unwrap().tokens(tokens).unwrap());
    Cluster::builder().algorithm("ring-1").space(32).nodes(nodes).build()
}

fn owned(ring: &Cluster) -> BTreeMap<String, Vec<u64>> {
    let mut owned: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for coordinate in 0..32 {
        owned.entry(ring.owner_at(coordinate).unwrap().id().to_owned()).or_default().push(coordinate);
    }
    owned
}

#[test]
fn worked_ring_of_32_with_e_joining_and_b_leaving() {
    let example = &read("worked-examples.json")["ring"];
    let ring = worked_ring(example, &[], "").unwrap();
    for (id, coordinates) in owned(&ring) {
        let mut expected: Vec<u64> = example["owned"][&id].as_array().unwrap().iter().map(number).collect();
        expected.sort_unstable();
        assert_eq!(coordinates, expected, "{id}");
    }
    let e = Node::new("E").unwrap().tokens([12]).unwrap();
    let joined = ring.with_node(e).unwrap();
    let left = joined.without_node("B").unwrap();
    let counts = |ring: &Cluster| owned(ring).into_iter().map(|(id, all)| (id, all.len())).collect::<BTreeMap<_, _>>();
    assert_eq!(serde_json::json!(counts(&joined)), example["add_E_at_12"]["counts"]);
    assert_eq!(serde_json::json!(counts(&left)), example["then_remove_B"]["counts"]);
    for coordinate in 0..32 {
        let [a, b, c] = [&ring, &joined, &left].map(|ring| ring.owner_at(coordinate).unwrap().id().to_owned());
        let expected = example["add_E_at_12"]["moved"].get(coordinate.to_string());
        assert_eq!((a != b).then(|| serde_json::json!([a, b])).as_ref(), expected);
        let leaves = example["then_remove_B"]["moved"].as_array().unwrap().iter().any(|at| number(at) == coordinate);
        assert_eq!((b != c).then_some((&*b, &*c)), leaves.then_some(("B", "E")));
    }
    assert_eq!(ring.owner_at(32).unwrap_err().code(), "invalid_parameter");
    assert_eq!(
        worked_ring(&example["duplicate_token"], &[], "").unwrap_err().code(),
        text(&example["duplicate_token"]["error"])
    );
    assert_eq!(owned(&worked_ring(&example["one_token"], &[], "").unwrap())["A"].len(), 32);
}

#[test]
fn worked_virtual_nodes_and_distinct_replicas() {
    let example = &read("worked-examples.json")["virtual_nodes"];
    let ring = worked_ring(example, &[], "").unwrap();
    assert!(owned(&ring).values().all(|coordinates| coordinates.len() == 8));
    for key in 0..1_000 {
        let ids: BTreeSet<&str> = ring.replicas(key, 3).unwrap().iter().map(|node| node.id()).collect();
        assert_eq!(ids.len() as u64, number(&example["distinct_replicas"]["distinct_owners"]));
        assert_eq!(ring.replicas(key, 5).unwrap_err().code(), text(&example["too_many"]["error"]));
    }
}

#[test]
fn zero_is_an_ordinary_digest() {
    // B04: the keys' other hash is 0 in some libraries; here a key's digest may be anything and its owner is one of the nodes.
    let case = field("B04");
    let cluster = cluster_of(&case);
    for key in case["input"]["keys_utf8"].as_array().unwrap().iter().map(text) {
        assert_eq!(cluster.owner(key).id(), cluster.ranking(key).next().unwrap().id());
    }
    let slots = Cluster::builder().algorithm("slots-1").slots(7).nodes(["a", "b", "c"]).build().unwrap();
    assert_eq!(slots.owner_at(0).unwrap().id(), slots.slot_ranking(0).unwrap().next().unwrap().id());
}

#[test]
fn b13_a_node_is_text_or_has_an_id() {
    let case = field("B13");
    let ids: Vec<&str> = case["input"]["nodes"].as_array().unwrap().iter().map(|node| text(&node["id"])).collect();
    let keys = keys(&case["input"]["keys"]);
    let plain = Cluster::rendezvous(&ids).unwrap();
    let built = Cluster::rendezvous(ids.iter().map(|id| Node::new(*id).unwrap().address("elsewhere:1"))).unwrap();
    assert_eq!(plain.fingerprint(), built.fingerprint());
    assert_eq!(owners(&plain, &keys), owners(&built, &keys));
}

#[test]
fn b35_equal_keys_have_one_owner() {
    let case = field("B35");
    let cluster = cluster_of(&case);
    for list in [&case["input"]["keys"], &case["input"]["more"][0]] {
        let owners: BTreeSet<&str> = list.as_array().unwrap().iter().map(|key| cluster.owner(text(key)).id()).collect();
        assert_eq!(owners.len(), 1);
    }
}

#[test]
fn keys_of_one_text_are_equal_in_every_form() {
    fn digest(key: impl Key) -> u64 {
        Cluster::rendezvous(["a"]).unwrap().digest(key)
    }
    assert_eq!(digest("a"), digest(b"a"));
    assert_eq!(digest("a"), digest(String::from("a")));
    assert_eq!(digest(("a",)), digest((b"a",)));
    assert_ne!(digest("a"), digest(("a",)));
    assert_ne!(digest("42"), digest(42));
    assert_eq!(digest(42_u8), digest(42_i64));
}
