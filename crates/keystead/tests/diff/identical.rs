//! What is provably the same.

use super::*;

#[test]
fn what_can_give_no_different_answer_says_so() {
    let scaled = |factor| Cluster::rendezvous([node("a", factor), node("b", 3 * factor)]).unwrap();
    let drained = scaled(2).with_node(node("c", 0)).unwrap();
    for (before, after) in [(scaled(1), scaled(7)), (scaled(7), drained.clone()), (drained.clone(), scaled(2))] {
        for r in [1, 2] {
            let found = summary(&before, &after, r, 1000);
            assert!(found.identical && before.fingerprint() != after.fingerprint());
            assert_eq!((found.expected.moved, found.counted.unwrap().reasons.unchanged.keys), (0.0, 1000));
        }
    }
    assert!(!summary(scaled(1), scaled(1).with_weight("a", 2).unwrap(), 1, 0).identical);
    // One node is one node, under whatever hash.
    let only = |builder: ClusterBuilder| builder.node("a").build().unwrap();
    assert!(summary(only(Cluster::builder()), only(Cluster::builder().seed(9).algorithm("ring-1")), 1, 0).identical);

    for (_, builder) in algorithms() {
        let (before, _) = random_change(&builder, 1);
        let carried = before.change(&Change::new().add(zoned("zz", "z1").weight(0))).unwrap();
        // With headroom 0 a drained node could still shift nothing: caps follow the weights of the others.
        assert!(summary(&before, &carried, 1, 0).identical);
        let spread = Constraints::new().spread(0).relaxed(true);
        assert!(diff_under(&before, &carried, 2, 0, &spread).summary().unwrap().identical);
        let (old, new) = random_change(&builder, 2);
        assert!(!summary(&old, &new, 1, 0).identical);
    }
}

#[test]
fn a_table_in_which_no_slot_moves_keeps_owners_but_not_lists() {
    let table = |weight| {
        let nodes = [node("a", weight), node("b", 1000), node("c", 1000)];
        Cluster::builder().algorithm("slots-1").slots(64).nodes(nodes).build().unwrap()
    };
    let (before, after) = (table(1000), table(1001));
    assert_eq!(before.slot_owners().unwrap(), after.slot_owners().unwrap());
    assert!(summary(&before, &after, 1, 0).identical);
    assert!(!summary(&before, &after, 2, 0).identical);
}

#[test]
fn a_token_before_another_of_its_node_changes_nothing() {
    let ring = |a: &[u64], b: &[u64]| {
        let nodes = [("a", a), ("b", b), ("c", &[70])];
        let nodes = nodes.map(|(id, tokens)| Node::new(id).unwrap().tokens(tokens.iter().copied()).unwrap());
        Cluster::builder().algorithm("ring-1").space(100).nodes(nodes).build().unwrap()
    };
    for (a, b) in [(&[10_u64][..], &[15_u64, 20][..]), (&[5, 10], &[20])] {
        for r in [1, 2, 3] {
            let found = summary(ring(&[10], &[20]), ring(a, b), r, 2000);
            assert!(found.identical && found.arcs.unwrap().is_empty());
            assert_eq!(found.counted.unwrap().reasons.unchanged.keys, 2000);
        }
    }
    // Over the last coordinate too.
    let wraps = |c: &[u64]| {
        let nodes = [("a", &[10_u64][..]), ("b", &[20]), ("c", c)];
        let nodes = nodes.map(|(id, tokens)| Node::new(id).unwrap().tokens(tokens.iter().copied()).unwrap());
        Cluster::builder().algorithm("ring-1").space(100).nodes(nodes).build().unwrap()
    };
    assert!(summary(wraps(&[5, 70]), wraps(&[5, 90]), 2, 2000).identical);
    assert!(!summary(wraps(&[5]), wraps(&[6]), 2, 0).identical);
    assert!(!summary(ring(&[10], &[20]), ring(&[10], &[19, 21]), 1, 0).identical);
}

#[test]
fn transitions_are_identical_at_equal_fractions() {
    for (_, builder) in algorithms() {
        let (before, after) = random_change(&builder, 4);
        let step = |part, of| Transition::new(&before, &after, part, of).unwrap();
        assert!(summary(step(1, 2), step(2, 4), 1, 0).identical);
        assert!(summary(step(0, 5), &before, 1, 0).identical);
        assert!(summary(step(5, 5), &after, 1, 0).identical);
        assert!(!summary(step(1, 2), step(2, 3), 1, 0).identical);
        let spread = Constraints::new().spread(0).relaxed(true);
        let of_lists = |old: &Transition, new: &Transition| {
            Diff::new(&old.into(), &new.into(), 3, &spread).unwrap().summary().unwrap().identical
        };
        assert!(of_lists(&step(1, 2), &step(2, 4)));
        assert!(!of_lists(&step(1, 2), &step(2, 3)));
    }
}

#[test]
fn a_location_that_changes_counts_where_copies_spread() {
    let cluster = |zone| Cluster::rendezvous([zoned("a", "x"), zoned("b", "y"), zoned("c", zone)]).unwrap();
    let spread = Constraints::new().spread(0);
    let found =
        |r, constraints: &Constraints| diff_under(cluster("x"), cluster("y"), r, 2000, constraints).summary().unwrap();
    assert!(found(2, &Constraints::new()).identical);
    let spread = found(2, &spread);
    assert!(!spread.identical && spread.counted.unwrap().reasons.candidates.keys > 0);
}
