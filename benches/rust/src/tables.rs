//! What answers in nearly the same time at any number of nodes: slots beside jump hashing, Maglev and AnchorHash.

use anchorhash::AnchorHash;
use foldhash::fast::FixedState;
use jumphash::{CustomJumpHasher, JumpHasher};
use keystead::{Hash, jump_bucket};
use maglev::{ConsistentHasher as _, Maglev};

use crate::harness::{Bench, Case, FEW, counted, keys, numbers, place};
use crate::peers::{Identity, Same, cluster, ids};

pub(crate) fn run(bench: &mut Bench) {
    for nodes in [10_usize, 100, 1_000] {
        let ids = ids(nodes);
        let names = || ids.iter().map(String::as_str);
        let count = nodes as u32;
        let hash = Hash::default();
        let slots = cluster("slots-1", nodes);
        let maglev = Maglev::new(names());
        // As many places as nodes: the fewest steps.
        let anchor: AnchorHash<&&str, &str, _> =
            anchorhash::Builder::default().with_resources(names()).build(nodes as u16);
        let anchor_folded: AnchorHash<&&str, &str, _> =
            anchorhash::Builder::with_hasher(FixedState::default()).with_resources(names()).build(nodes as u16);
        let jump = JumpHasher::new();
        let keys = keys::<FEW>();
        bench.measure(
            "table owner",
            &counted(nodes),
            vec![
                Case::new("keystead, slots-1", |n| keys.each(n, |key| place(Some(slots.owner(key))))),
                Case::new("keystead, jump_bucket", |n| {
                    keys.each(n, |key| jump_bucket(key, u64::from(count), &hash).map_or(0, u64::from))
                }),
                Case::new("jumphash", |n| keys.each(n, |key| u64::from(jump.slot(key, count)))),
                Case::new("maglev", |n| keys.each(n, |key| place(maglev.get(key)))),
                Case::new("anchorhash", |n| keys.each(n, |key| place(anchor.get_resource(key)))),
                Case::new("anchorhash, foldhash", |n| keys.each(n, |key| place(anchor_folded.get_resource(key)))),
            ],
        );

        // Nothing is hashed on either side: a number stands for the key.
        let numbered = Maglev::with_hasher(0..count, Identity);
        let jump = CustomJumpHasher::new(Same(0));
        let numbers = numbers::<FEW>();
        bench.measure(
            "slots owner_at",
            &counted(nodes),
            vec![
                Case::new("keystead", |n| {
                    numbers.each(n, |number| u64::from(slots.owner_index_at(*number).unwrap_or(0)))
                }),
                Case::new("jumphash, identity hasher", |n| {
                    numbers.each(n, |number| u64::from(jump.slot(number, count)))
                }),
                Case::new("maglev, identity hasher", |n| {
                    numbers.each(n, |number| numbered.get(number).map_or(0, |node| u64::from(*node)))
                }),
            ],
        );
    }
}
