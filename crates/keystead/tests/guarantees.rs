//! The table of guarantees in SPEC.md, section 4, for one change of membership: what holds for every algorithm, and
//! what does not, so that nobody comes to believe it.

#![cfg(feature = "alloc")]

use std::collections::BTreeSet;

use keystead::{Change, Cluster, ClusterBuilder, Constraints, Node, draw};

/// The columns of the table, the first three of which share one.
#[derive(Clone, Copy, Debug)]
enum Column {
    Rendezvous,
    Ring,
    Slots,
    Hierarchy,
    SlotsWithHeadroom,
}

use Column::{Hierarchy, Rendezvous, Ring, Slots, SlotsWithHeadroom};

/// The columns in which the others keep their order.
const STABLE: [Column; 3] = [Rendezvous, Ring, Slots];
const ALL: [Column; 5] = [Rendezvous, Ring, Slots, Hierarchy, SlotsWithHeadroom];

impl Column {
    fn builder(self) -> ClusterBuilder {
        let builder = Cluster::builder();
        match self {
            Rendezvous => builder,
            Ring => builder.algorithm("ring-1").tokens_per_weight(20),
            Slots => builder.algorithm("slots-1").slots(256),
            Hierarchy => builder.algorithm("hierarchy-1"),
            SlotsWithHeadroom => builder.algorithm("slots-1").slots(256).headroom(5),
        }
    }

    fn cluster(self, nodes: impl IntoIterator<Item = Node>) -> Cluster {
        self.builder().nodes(nodes).build().unwrap()
    }
}

/// A number below `bound` for one test.
fn number(seed: u64, i: u64, bound: u64) -> u64 {
    draw(seed, i) % bound
}

/// One of 14 nodes in three regions of two zones.
fn node(i: u64, weight: u64) -> Node {
    let node = Node::new(format!("n{i:02}")).unwrap().weight(weight.try_into().unwrap());
    node.location([format!("r{}", i % 3), format!("z{}", i % 6)]).unwrap()
}

/// About half of the nodes, with weights 0 … 3.
fn members(seed: u64) -> Vec<Node> {
    let members = (0..14).filter(|&i| number(seed, i, 2) == 0 || i < 2);
    members.map(|i| node(i, if i < 2 { 1 } else { number(seed, 100 + i, 4) })).collect()
}

fn keys() -> impl Iterator<Item = String> {
    (0..150).map(|i| format!("key-{i}"))
}

fn ranking(cluster: &Cluster, key: &str) -> Vec<String> {
    cluster.ranking(key).map(|node| node.id().to_owned()).collect()
}

/// A change of one node.
struct Single {
    id: String,
    /// Whether the node is new or heavier; else it is removed or lighter.
    grows: bool,
    after: Cluster,
    undone: Cluster,
}

/// Every node that is not there added, and every other removed, made heavier, made lighter.
fn single_changes(before: &Cluster, seed: u64) -> Vec<Single> {
    let mut changes = Vec::new();
    let mut change = |id: &str, grows: bool, after: Cluster, undone: Cluster| {
        changes.push(Single { id: id.to_owned(), grows, after, undone });
    };
    for i in 0..14 {
        let new = node(i, 1 + number(seed, 200 + i, 3));
        let Ok(old) = before.node(new.id()) else {
            let after = before.with_node(&new).unwrap();
            let undone = after.without_node(new.id()).unwrap();
            change(new.id(), true, after, undone);
            continue;
        };
        let (id, weight) = (old.id(), old.get_weight());
        let others = before.nodes().iter().filter(|node| node.id() != id && !node.is_drained()).count();
        let heavier = before.with_weight(id, weight + 2).unwrap();
        let undone = heavier.with_weight(id, weight).unwrap();
        change(id, true, heavier, undone);
        if others > 0 {
            let after = before.without_node(id).unwrap();
            let undone = after.with_node(old).unwrap();
            change(id, false, after, undone);
        }
        if weight > 1 {
            let lighter = before.with_weight(id, weight - 1).unwrap();
            let undone = lighter.with_weight(id, weight).unwrap();
            change(id, false, lighter, undone);
        }
    }
    changes
}

/// Calls `check` with every single change of a few clusters, and every key.
fn for_each_change(column: Column, mut check: impl FnMut(&Cluster, &Single, &str)) {
    for seed in 0..4 {
        let before = column.cluster(members(seed));
        for single in single_changes(&before, seed) {
            keys().for_each(|key| check(&before, &single, &key));
        }
    }
}

/// Counts the cases among all changes and keys in which something holds.
fn count(column: Column, mut holds: impl FnMut(&Cluster, &Single, &str) -> bool) -> usize {
    let mut count = 0;
    for_each_change(column, |before, single, key| count += usize::from(holds(before, single, key)));
    count
}

/// Whether the key moves, other than to a node that grows or from one that shrinks.
fn moves_elsewhere(before: &Cluster, single: &Single, key: &str) -> bool {
    let (was, is) = (before.owner(key).id(), single.after.owner(key).id());
    was != is && single.id != if single.grows { is } else { was }
}

/// Whether two other nodes change their order.
fn reorders(before: &Cluster, single: &Single, key: &str) -> bool {
    let others = |cluster| -> Vec<String> { ranking(cluster, key).into_iter().filter(|id| *id != single.id).collect() };
    others(before) != others(&single.after)
}

#[test]
fn keys_move_only_to_a_node_that_grows_and_from_one_that_shrinks() {
    for column in STABLE {
        assert_eq!(count(column, moves_elsewhere), 0, "{column:?}");
    }
}

#[test]
fn not_in_a_hierarchy_nor_with_headroom_do_keys_move_only_to_or_from_the_changed_node() {
    for column in [Hierarchy, SlotsWithHeadroom] {
        assert!(count(column, moves_elsewhere) > 0, "{column:?}");
    }
}

#[test]
fn in_a_hierarchy_keys_move_only_beneath_the_domains_on_the_path_of_the_changed_node() {
    for_each_change(Hierarchy, |before, single, key| {
        let (was, is) = (before.owner(key), single.after.owner(key));
        let (changed, beneath) = if single.grows { (&single.after, is) } else { (before, was) };
        let region = &changed.node(&single.id).unwrap().get_location()[0];
        assert!(was.id() == is.id() || beneath.get_location()[0] == *region, "{key}");
    });
}

#[test]
fn the_others_keep_their_order() {
    for column in STABLE {
        assert_eq!(count(column, reorders), 0, "{column:?}");
    }
}

#[test]
fn not_in_a_hierarchy_nor_with_headroom_do_the_others_keep_their_order() {
    for column in [Hierarchy, SlotsWithHeadroom] {
        assert!(count(column, reorders) > 0, "{column:?}");
    }
}

#[test]
fn undoing_a_change_restores_every_answer() {
    for column in ALL {
        for_each_change(column, |before, single, key| {
            assert_eq!(ranking(before, key), ranking(&single.undone, key), "{column:?} {}", single.id);
        });
    }
}

/// For every node of a few clusters and every key, the rankings without the node: excluded, and removed.
fn excluded_and_removed(column: Column) -> Vec<[Vec<String>; 2]> {
    let mut rankings = Vec::new();
    for seed in 0..4 {
        let cluster = column.cluster(members(seed));
        for id in cluster.ids() {
            let Ok(removed) = cluster.without_node(id) else { continue };
            let without = Constraints::new().exclude([id]);
            for key in keys() {
                let excluded = cluster.ranking_with(&key, &without).unwrap();
                rankings.push([excluded.map(|node| node.id().to_owned()).collect(), ranking(&removed, &key)]);
                let owner = cluster.owner_with(&key, &without).unwrap().id();
                assert_eq!(rankings.last().unwrap()[0][0], owner, "the owner leads the ranking");
            }
        }
    }
    rankings
}

#[test]
fn excluding_a_node_gives_the_answers_of_removing_it() {
    for column in STABLE {
        assert!(excluded_and_removed(column).iter().all(|[excluded, removed]| excluded == removed), "{column:?}");
    }
}

#[test]
fn not_in_a_hierarchy_nor_with_headroom_is_excluding_a_node_the_same_as_removing_it() {
    for column in [Hierarchy, SlotsWithHeadroom] {
        assert!(excluded_and_removed(column).iter().any(|[excluded, removed]| excluded[0] != removed[0]), "{column:?}");
    }
}

/// Whether the first r change otherwise than by the changed node coming in or going, and by one other following or
/// leaving at the end: a removal drops the node and appends the next, an addition inserts the node and drops the
/// last.
fn top_changes_otherwise(before: &Cluster, single: &Single, key: &str, r: usize) -> bool {
    let (before_has, after_has) = (before.contains(&single.id), single.after.contains(&single.id));
    let (less, more) = match (before_has, after_has) {
        (false, true) => (before, &single.after),
        (true, false) => (&single.after, before),
        _ => return false,
    };
    let (less, more) = (ranking(less, key), ranking(more, key));
    let mut top = more[..r.min(more.len())].to_vec();
    if let Some(at) = top.iter().position(|id| *id == single.id) {
        top.remove(at);
        top.extend(more.get(r).cloned());
    }
    less[..r.min(less.len())] != top
}

#[test]
fn a_removal_appends_the_next_and_an_addition_drops_the_last_of_the_first_r() {
    for column in STABLE {
        for r in 1..=4 {
            assert_eq!(
                count(column, |before, single, key| top_changes_otherwise(before, single, key, r)),
                0,
                "{column:?}"
            );
        }
    }
}

#[test]
fn not_in_a_hierarchy_nor_with_headroom_do_the_first_r_change_by_one() {
    for column in [Hierarchy, SlotsWithHeadroom] {
        assert!(count(column, |before, single, key| top_changes_otherwise(before, single, key, 3)) > 0, "{column:?}");
    }
}

/// The most members by which the copies of a key in distinct domains change when one node does; and whether a
/// newcomer ever came first.
fn most_changed(column: Column, level: u64, r: u64, relaxed: bool) -> (usize, bool) {
    let (mut most, mut first) = (0, false);
    let spread = Constraints::new().spread(level).relaxed(relaxed);
    for_each_change(column, |before, single, key| {
        let copies = |cluster: &Cluster| -> Option<Vec<String>> {
            let replicas = cluster.replicas_with(key, r, &spread).ok()?;
            Some(replicas.nodes().iter().map(|node| node.id().to_owned()).collect())
        };
        if let (Some(was), Some(is)) = (copies(before), copies(&single.after)) {
            most = most.max(was.iter().filter(|id| !is.contains(id)).count());
            first |= !was.contains(&is[0]);
        }
    });
    (most, first)
}

#[test]
fn with_spread_one_change_replaces_at_most_one_copy_and_the_newcomer_may_come_first() {
    for column in STABLE {
        for (level, r, relaxed) in [(0, 2, false), (0, 3, false), (1, 3, false), (0, 4, true), (1, 5, true)] {
            assert_eq!(most_changed(column, level, r, relaxed), (1, true), "{column:?} level {level} r {r}");
        }
    }
}

#[test]
fn not_in_a_hierarchy_nor_with_headroom_does_one_change_replace_at_most_one_copy() {
    for column in [Hierarchy, SlotsWithHeadroom] {
        assert!(most_changed(column, 1, 3, false).0 > 1, "{column:?}");
    }
}

#[test]
fn multiplying_all_weights_changes_no_answer_except_in_a_ring() {
    for column in ALL {
        let nodes = || members(3).into_iter();
        let heavier = nodes().map(|node| {
            let weight = node.get_weight();
            node.weight(7 * weight)
        });
        let (light, heavy) = (column.cluster(nodes()), column.cluster(heavier));
        let same = keys().all(|key| ranking(&light, &key) == ranking(&heavy, &key));
        assert_eq!(same, !matches!(column, Ring), "{column:?}");
    }
}

#[test]
fn the_order_in_which_nodes_are_given_never_matters() {
    for column in ALL {
        let (up, down) = (column.cluster(members(5)), column.cluster(members(5).into_iter().rev()));
        assert_eq!(up.fingerprint(), down.fingerprint());
        assert!(keys().all(|key| ranking(&up, &key) == ranking(&down, &key)), "{column:?}");
    }
}

#[test]
fn a_ranking_lists_every_node_once_that_is_not_drained() {
    for column in ALL {
        for seed in 0..6 {
            let cluster = column.cluster(members(seed));
            let live: BTreeSet<String> =
                cluster.nodes().iter().filter(|node| !node.is_drained()).map(|node| node.id().to_owned()).collect();
            for key in keys() {
                let ranking = ranking(&cluster, &key);
                assert_eq!(ranking.len(), live.len());
                assert_eq!(ranking[0], cluster.owner(&key).id());
                assert_eq!(ranking.into_iter().collect::<BTreeSet<_>>(), live, "{column:?}");
            }
        }
    }
}

/// `for_each`, `fold` and `sum` go through a ranking in a way of their own.
#[test]
fn a_ranking_is_the_same_one_by_one_and_all_at_once() {
    for (column, weights, count) in
        ALL.into_iter().flat_map(|column| [(column, 1, 9), (column, 1, 300), (column, 4, 300)])
    {
        let cluster = column.cluster((0..count).map(|i| node(i, 1 + i % weights)));
        let without = Constraints::new().exclude([cluster.owner("key-1").id(), cluster.nodes()[0].id()]);
        for (key, constraints) in keys().flat_map(|key| [(key.clone(), Constraints::new()), (key, without.clone())]) {
            let ranking = || cluster.ranking_with(&key, &constraints).unwrap();
            let one_by_one: Vec<&str> = ranking().map(Node::id).collect();
            for asked in [0, 1, 40] {
                let mut ranking = ranking();
                let mut ids: Vec<&str> = ranking.by_ref().take(asked).map(Node::id).collect();
                ranking.for_each(|node| ids.push(node.id()));
                assert_eq!(ids, one_by_one, "{column:?}");
            }
        }
    }
}

/// Every answer that a structure of its own could get wrong.
fn assert_same_answers(changed: &Cluster, anew: &Cluster) {
    assert_eq!(changed.fingerprint(), anew.fingerprint());
    assert_eq!(changed.shares(), anew.shares());
    assert_eq!(changed.arcs().ok(), anew.arcs().ok());
    assert_eq!(changed.slot_owners().ok(), anew.slot_owners().ok());
    for key in keys().take(25) {
        assert_eq!(ranking(changed, &key), ranking(anew, &key));
    }
}

#[test]
fn a_changed_cluster_answers_as_one_built_anew() {
    for column in ALL {
        let mut cluster = column.cluster(members(9));
        for step in 0..150 {
            let mut change = Change::new();
            let mut after: Vec<Node> = cluster.nodes().to_vec();
            // Up to three nodes that differ, each added, removed, replaced or given another weight.
            for part in 0..=number(step, 0, 3) {
                let new = node(5 * part + number(step, 10 + part, 5), number(step, 20 + part, 5));
                match (after.iter().position(|old| old.id() == new.id()), number(step, 30 + part, 3)) {
                    (None, _) => {
                        change = change.add(&new);
                        after.push(new);
                    }
                    (Some(at), 0) => {
                        change = change.remove(new.id());
                        after.remove(at);
                    }
                    (Some(at), 1) => {
                        change = change.remove(new.id()).add(&new);
                        after[at] = new;
                    }
                    (Some(at), _) => {
                        change = change.weight(new.id(), new.get_weight());
                        after[at] = new;
                    }
                }
            }
            if !after.iter().all(Node::is_drained) {
                let changed = cluster.change(&change).unwrap();
                assert_same_answers(&changed, &column.cluster(after));
                cluster = changed;
            }
        }
    }
}
