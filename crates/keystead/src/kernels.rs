//! Every quick way to an answer beside its plain definition, on more than 10^7 random and hostile inputs.
//!
//! The inputs are the same in every run; `KEYSTEAD_SEED` asks others: a number, or `random`.

use std::hash::{BuildHasher as _, RandomState};
use std::{vec, vec::Vec};

use keystead_avx512::{Avx512, KEYS};

use crate::{
    Cluster, Node,
    hash::{Domain, GOLDEN, Hash, draw, finish_mix64, mix64, mix64_unfinished, mulhi},
    order::{Candidates, SHORT, Scored, tests::compare_plainly},
};

/// Counts about every size at which a kernel changes its way: pairs, eights, [`SHORT`] lists, pieces that are sorted, powers of two.
const COUNTS: [u64; 32] = [
    1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 18, 23, 24, 25, 31, 32, 33, 34, 63, 64, 65, 66, 127, 128, 129, 130, 136,
    137, 255, 257,
];

struct Numbers {
    seed: u64,
    drawn: u64,
}

impl Numbers {
    fn new(stream: u64) -> Numbers {
        let seed = match std::env::var("KEYSTEAD_SEED") {
            Err(_) => 1,
            Ok(word) if word == "random" => RandomState::new().hash_one(stream),
            Ok(number) => number.parse().expect("KEYSTEAD_SEED is a number below 2^64, or the word random"),
        };
        std::println!("seed {seed}");
        Numbers { seed: draw(seed, stream), drawn: 0 }
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        draw(self.seed, self.drawn)
    }

    fn below(&mut self, bound: u64) -> u64 {
        mulhi(self.next(), bound)
    }
}

/// What multiplied by an odd number gives 1.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse))))
}

fn undo_shift(x: u64, shift: u32) -> u64 {
    (0..=64 / shift).fold(x, |y, _| x ^ (y >> shift))
}

/// The node's digest that has this score for a key's digest: so scores can be chosen.
fn node_digest(score: u64, key_digest: u64) -> u64 {
    let x = undo_shift(score, 31).wrapping_mul(inverse(0x94D0_49BB_1331_11EB));
    let x = undo_shift(x, 27).wrapping_mul(inverse(0xBF58_476D_1CE4_E5B9));
    undo_shift(x, 30).wrapping_sub(key_digest).wrapping_mul(inverse(GOLDEN))
}

/// Distinct scores: random ones, and those that a shortcut could get wrong.
fn scores(numbers: &mut Numbers, count: u64) -> Vec<u64> {
    let base = numbers.next();
    let style = numbers.below(7);
    let mut scores: Vec<u64> = (0..count)
        .map(|i| match style {
            // Adjacent, up to the largest and from the smallest; in one bucket; equal but for the bits of the last step.
            0 => base.wrapping_add(i),
            1 => u64::MAX - i,
            2 => i,
            3 => (base << 32 >> 8) | (i << 40 >> 40),
            4 => (base & (u64::MAX << 33)) | (draw(base, i) >> 31),
            5 => {
                [0, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 33, (1 << 33) - 1][usize::try_from(i).unwrap() % 6] ^ (i / 6)
            }
            _ => draw(base, i),
        })
        .collect();
    scores.sort_unstable();
    scores.dedup();
    match numbers.below(3) {
        0 => {}
        1 => scores.reverse(),
        _ => scores.sort_unstable_by_key(|score| mix64(score ^ base)),
    }
    scores
}

/// Weights that are all equal, small, far apart, or one of which is all but all or all but nothing.
fn weights(numbers: &mut Numbers, count: usize) -> Vec<u64> {
    let style = numbers.below(7);
    let heavy = usize::try_from(numbers.below(count as u64)).unwrap();
    (0..count)
        .map(|i| match style {
            0 => 7,
            1 => 1 + numbers.below(8),
            2 => 1 + numbers.below(u64::from(u32::MAX)),
            3 if i == heavy => 1 << 52,
            3 => 1,
            // One is all but nothing beside the others; sums as they are in a hierarchy.
            4 if i == heavy => 1,
            4 => u64::from(u32::MAX) - numbers.below(1 << 20),
            5 => (1 << 53) - 1 - numbers.below(1 << 30),
            _ => 1 << numbers.below(32),
        })
        .collect()
}

fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap()
}

#[test]
fn matches_plain_mixing() {
    let mut numbers = Numbers::new(1);
    for _ in 0..1_000_000 {
        let (score, key) = (numbers.next(), numbers.next());
        assert_eq!(finish_mix64(mix64_unfinished(score)), mix64(score));
        assert_eq!(draw(key, node_digest(score, key)), score, "the scores of these tests can be chosen");
    }
}

/// Owner, first r and ranking of equal weights: the larger score is first.
#[test]
fn matches_plain_order_of_scores() {
    // Where a processor has no such instructions, this compares the scan with itself: said, so that nobody takes it for more.
    std::println!("AVX-512: {}", if Avx512::detect().is_some() { "compared as well" } else { "not on this processor" });
    let mut numbers = Numbers::new(2);
    let mut inputs = 0;
    while inputs < 10_000_000 {
        let count = COUNTS[usize::try_from(numbers.below(COUNTS.len() as u64)).unwrap()];
        let chosen = numbers.next();
        let digests: Vec<u64> = scores(&mut numbers, count).iter().map(|score| node_digest(*score, chosen)).collect();
        let candidates = Candidates::new(digests.iter().map(|digest| (*digest, 3)));
        let narrow = candidates.clone().narrow();
        // What many contests at a time decide, to be found again in the order of the keys.
        let (mut keys, mut owners) = ([0; KEYS], [0; KEYS]);
        // Once with the chosen scores, then with whatever they are for other keys.
        for contest in 0..64 {
            let key = if contest == 0 { chosen } else { numbers.next() };
            let plain: Vec<u64> = digests.iter().map(|digest| draw(key, *digest)).collect();
            let best = (0..plain.len()).max_by_key(|at| plain[*at]).unwrap();
            assert_eq!(candidates.best(key), best, "{plain:?}");
            assert_eq!(narrow.best(key), best, "{plain:?}");
            (keys[contest % KEYS], owners[contest % KEYS]) = (key, position(best));
            if contest % KEYS == KEYS - 1 {
                assert_eq!(candidates.best_of_each(&keys), owners, "{keys:?} of {digests:?}");
                assert_eq!(narrow.best_of_each(&keys), owners, "{keys:?} of {digests:?}");
            }
            inputs += 1;
            if contest % 8 > 0 {
                continue;
            }
            let mut order: Vec<u32> = (0..).take(plain.len()).collect();
            order.sort_unstable_by_key(|at| !plain[*at as usize]);
            assert!(candidates.order(key).eq(order.iter().copied()), "{plain:?}");
            // One by one, and from somewhere on all at once, which goes another way.
            let mut ranking = candidates.order(key);
            let asked = usize::try_from(numbers.below(order.len() as u64 + 1)).unwrap();
            let mut walked: Vec<u32> = ranking.by_ref().take(asked).collect();
            ranking.for_each(|position| walked.push(position));
            assert_eq!(walked, order, "the first {asked} one by one, of {plain:?}");
            for r in [0, 1, 2, 3, 6, SHORT] {
                for candidates in [&candidates, &narrow] {
                    let few = candidates.few(key, r, |position| position);
                    assert!(few.eq(order.iter().copied().take(r)), "first {r} of {plain:?}");
                }
            }
        }
    }
}

/// Owner, first r and ranking of weights: cost over weight, then score, to the letter of the specification.
#[test]
fn matches_plain_order_of_weights() {
    let mut numbers = Numbers::new(3);
    let mut inputs = 0;
    while inputs < 300_000 {
        let count = COUNTS[usize::try_from(numbers.below(if inputs % 16 > 0 { 8 } else { 32 })).unwrap()];
        let chosen = numbers.next();
        let digests: Vec<u64> = scores(&mut numbers, count).iter().map(|score| node_digest(*score, chosen)).collect();
        let weights = weights(&mut numbers, digests.len());
        let candidates = Candidates::new(digests.iter().copied().zip(weights.iter().copied()));
        let narrow = candidates.clone().narrow();
        for contest in 0..4 {
            let key = if contest == 0 { chosen } else { numbers.next() };
            let ratio = |at: u32| (draw(key, digests[at as usize]), weights[at as usize]);
            let mut order: Vec<u32> = (0..).take(digests.len()).collect();
            order.sort_by(|a, b| compare_plainly(ratio(*a), ratio(*b)).then(a.cmp(b)));
            assert!(candidates.order(key).eq(order.iter().copied()), "key {key}: {digests:?} {weights:?}");
            // One by one, and from somewhere on all at once.
            let mut ranking = candidates.order(key);
            let asked = usize::try_from(numbers.below(order.len() as u64 + 1)).unwrap();
            let mut walked: Vec<u32> = ranking.by_ref().take(asked).collect();
            ranking.for_each(|position| walked.push(position));
            assert_eq!(walked, order, "the first {asked} one by one, key {key}: {digests:?} {weights:?}");
            for candidates in [&candidates, &narrow] {
                assert_eq!(position(candidates.best(key)), order[0], "key {key}: {digests:?} {weights:?}");
                for r in [0, 1, 3, SHORT] {
                    let few = candidates.few(key, r, |position| position);
                    assert!(few.eq(order.iter().copied().take(r)), "first {r}, key {key}: {digests:?} {weights:?}");
                }
            }
            inputs += 1;
        }
    }
}

/// The smallest score of at most this cost.
fn score_of(cost: u64) -> u64 {
    let (mut low, mut high) = (0, u64::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        if crate::order::cost(middle) <= cost {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The same where cost over weight is nearly, or exactly, that of others: there bounds do not tell.
#[test]
fn matches_plain_order_of_near_ties() {
    let mut numbers = Numbers::new(7);
    for _ in 0..20_000 {
        let count = COUNTS[usize::try_from(numbers.below(24)).unwrap()];
        let weights = weights(&mut numbers, usize::try_from(count).unwrap());
        // About one cost for the greatest or the least weight, with differences of 1 to 2^40 of a unit of weight.
        let of = match numbers.below(3) {
            0 => weights.iter().min(),
            _ => weights.iter().max(),
        };
        let (of, unit) = (u128::from(*of.unwrap()), weights.iter().min().unwrap().ilog2());
        let cost = u128::from(numbers.next() >> 2 >> numbers.below(62));
        let apart = 1 << numbers.below(41);
        let key = numbers.next();
        let digests: Vec<u64> = weights
            .iter()
            .map(|weight| {
                let by = i128::from(numbers.below(2 * apart)) - i128::from(apart);
                let exact = i128::try_from(cost * u128::from(*weight) / of).unwrap();
                let cost = (exact + ((by * i128::from(*weight)) >> unit)).clamp(1, 1 << 62);
                node_digest(score_of(u64::try_from(cost).unwrap()).wrapping_add(numbers.below(3)), key)
            })
            .collect();
        if (1..digests.len()).any(|at| digests[..at].contains(&digests[at])) {
            continue;
        }
        let ratio = |at: u32| (draw(key, digests[at as usize]), weights[at as usize]);
        let mut order: Vec<u32> = (0..).take(digests.len()).collect();
        order.sort_by(|a, b| compare_plainly(ratio(*a), ratio(*b)).then(a.cmp(b)));
        let candidates = Candidates::new(digests.iter().copied().zip(weights.iter().copied()));
        for candidates in [&candidates, &candidates.clone().narrow()] {
            assert_eq!(position(candidates.best(key)), order[0], "key {key}: {digests:?} {weights:?}");
            for r in [1, 2, 3, SHORT] {
                let few = candidates.few(key, r, |position| position);
                assert!(few.eq(order.iter().copied().take(r)), "first {r}, key {key}: {digests:?} {weights:?}");
            }
            for asked in [0, 1, 32, 33, order.len()] {
                let mut ranking = candidates.order(key);
                let mut walked: Vec<u32> = ranking.by_ref().take(asked).collect();
                assert_eq!(ranking.len(), order.len().saturating_sub(asked));
                ranking.for_each(|position| walked.push(position));
                assert_eq!(walked, order, "the first {asked} one by one, key {key}: {digests:?} {weights:?}");
            }
        }
    }
}

/// Two candidates, whose scores may be equal, as given ones may.
#[test]
fn matches_plain_comparison() {
    let mut numbers = Numbers::new(4);
    for _ in 0..1_000_000 {
        let ends = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 62];
        let mut score = || match numbers.below(4) {
            0 => ends[usize::try_from(numbers.below(7)).unwrap()],
            1 => numbers.next() >> numbers.below(64),
            2 => u64::MAX - (numbers.next() >> numbers.below(64)),
            _ => numbers.next(),
        };
        let (a, b) = (score(), score());
        let pair = weights(&mut numbers, 2);
        // Also what lies so near that only the exact costs tell: the same cost over weight, one score on.
        for b in [b, a, a.wrapping_add(1)] {
            let quick = Scored::new(a, pair[0]).compare(&Scored::new(b, pair[1]));
            assert_eq!(quick, compare_plainly((a, pair[0]), (b, pair[1])), "{a} and {b} of {pair:?}");
        }
    }
}

/// The first token at or above a coordinate, by a search through the sorted list of arcs.
#[test]
fn matches_plain_search_of_tokens() {
    let mut numbers = Numbers::new(5);
    let mut rings: Vec<Cluster> = [(1, 1), (1, 2), (2, 1), (3, 100), (50, 160), (255, 256), (257, 256), (1000, 160)]
        .into_iter()
        .map(|(nodes, tokens): (u32, u64)| {
            let nodes = (0..nodes).map(|i| Node::new(std::format!("node-{i}")).unwrap());
            Cluster::builder().algorithm("ring-1").tokens_per_weight(tokens).nodes(nodes).build().unwrap()
        })
        .collect();
    // Given tokens lie where nobody drew them: crowded at both ends and in bunches.
    let crowded: [Vec<u64>; 4] = [
        (0..3_000).collect(),
        (0..3_000).map(|i| u64::MAX - 3 * i).collect(),
        (0..64).map(|i| 1 << i).collect(),
        (0..40).flat_map(|i| (0..18).map(move |j| (i << 58) + j * j)).collect(),
    ];
    for mut tokens in crowded {
        tokens.sort_unstable();
        tokens.dedup();
        let nodes = (0..2).map(|i| {
            let own = tokens.iter().copied().skip(i).step_by(2);
            Node::new(std::format!("node-{i}")).unwrap().tokens(own).unwrap()
        });
        rings.push(Cluster::builder().algorithm("ring-1").nodes(nodes).build().unwrap());
    }
    for ring in rings {
        let arcs = ring.arcs().unwrap();
        for lookup in 0..200_000 {
            let token = arcs[usize::try_from(numbers.below(arcs.len() as u64)).unwrap()].end;
            let coordinate = match lookup % 4 {
                0 => token.wrapping_add(numbers.below(3)).wrapping_sub(1),
                1 => numbers.next() >> numbers.below(64),
                _ => numbers.next(),
            };
            let plain = arcs.partition_point(|arc| arc.end < coordinate) % arcs.len();
            assert_eq!(ring.owner_index_at(coordinate).unwrap(), arcs[plain].node, "coordinate {coordinate}");
        }
    }
}

/// The owner of a digest's slot, from a table that is scored node by node.
#[test]
fn matches_plain_table_of_slots() {
    let mut numbers = Numbers::new(6);
    let hash = Hash::default();
    for (count, slots) in [(1, 1), (2, 3), (10, 1000), (129, 4096), (16, 16_384)] {
        let ids: Vec<_> = (0..count).map(|i| std::format!("node-{i:03}")).collect();
        let cluster = Cluster::builder().algorithm("slots-1").slots(slots).nodes(&ids).build().unwrap();
        let table: Vec<u32> = (0..u32::try_from(slots).unwrap())
            .map(|slot| {
                let digest = hash.digest(Domain::Slot, &slot.to_le_bytes());
                let score = |at: &usize| draw(digest, hash.digest(Domain::Node, ids[*at].as_bytes()));
                position((0..ids.len()).max_by_key(score).unwrap())
            })
            .collect();
        for digest in (0..200_000).map(|_| numbers.next()).chain(vec![0, u64::MAX]) {
            let slot = usize::try_from((u128::from(digest) * u128::from(slots)) >> 64).unwrap();
            assert_eq!(cluster.owner_index_at(digest).unwrap(), table[slot], "digest {digest}");
        }
    }
}
