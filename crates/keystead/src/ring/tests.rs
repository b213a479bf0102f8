//! What only the inside shows: that a changed ring is the ring built anew, and that crowded buckets are searched and
//! built right.

use alloc::{format, string::String, vec, vec::Vec};

use super::*;
use crate::hash::{GOLDEN, draw};

/// Node *i* of a pool of 26, as one of several kinds of cluster has it.
#[derive(Clone, Debug)]
struct Model {
    id: String,
    digest: u64,
    weight: u32,
    tokens: Option<Vec<u64>>,
}

impl Model {
    fn entry(&self) -> Entry<'_> {
        Entry { id: &self.id, digest: self.digest, weight: self.weight, location: &[], tokens: self.tokens.as_deref() }
    }
}

fn entries(models: &[Model]) -> Vec<Entry<'_>> {
    models.iter().map(Model::entry).collect()
}

/// Numbers for one test, from 0 to a bound.
struct Numbers(u64, u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.1 += 1;
        mulhi(draw(self.0, self.1), bound)
    }
}

/// Changes a random cluster a few hundred times and compares the changed ring with the one built anew, errors
/// included.
fn changed_equals_new(
    seed: u64,
    tokens_per_weight: u32,
    space: Option<u64>,
    make: impl Fn(&mut Numbers, usize) -> Model,
) {
    let mut numbers = Numbers(seed, 0);
    let all = |numbers: &mut Numbers| -> Vec<Model> { (0..26).map(|i| make(numbers, i)).collect() };
    let mut members: Vec<Model> = all(&mut numbers).into_iter().step_by(2).collect();
    let mut rings: Vec<Ring> = Ring::new(&entries(&members), tokens_per_weight, space).into_iter().collect();
    let mut failed = 0;
    for _ in 0..200 {
        let mut after = members.clone();
        for _ in 0..=numbers.below(3) {
            let which = usize::try_from(numbers.below(26)).unwrap();
            let model = make(&mut numbers, which);
            match after.binary_search_by(|old| old.id.cmp(&model.id)) {
                Ok(at) if numbers.below(2) == 0 => drop(after.remove(at)),
                Ok(at) if numbers.below(4) == 0 => after[at] = model,
                Ok(at) => after[at].weight = model.weight,
                Err(at) => after.insert(at, model),
            }
        }
        let (before_entries, after_entries) = (entries(&members), entries(&after));
        let anew = Ring::new(&after_entries, tokens_per_weight, space);
        if let Some(ring) = rings.last() {
            let changed = ring.changed(&before_entries, &after_entries, tokens_per_weight, space);
            assert_eq!(changed.as_ref().map_err(Error::code), anew.as_ref().map_err(Error::code));
        }
        match anew {
            Ok(ring) => {
                rings = vec![ring];
                members = after;
            }
            Err(_) => failed += 1,
        }
    }
    assert!(failed < 150, "{failed} of 200 changes failed: too few rings were compared");
}

#[test]
fn changed_equals_new_for_drawn_tokens() {
    for (seed, tokens_per_weight) in [(1, 1), (2, 7), (3, 100), (4, 200)] {
        changed_equals_new(seed, tokens_per_weight, None, |numbers, i| Model {
            id: format!("n{i:02}"),
            digest: draw(seed, i as u64),
            weight: u32::try_from(numbers.below(4)).unwrap(),
            tokens: None,
        });
    }
}

#[test]
fn changed_equals_new_where_coordinates_are_shared() {
    // draw(nd + GOLDEN, j) = draw(nd, j + 1): nearly every token of these nodes has company.
    changed_equals_new(5, 3, None, |numbers, i| Model {
        id: format!("n{i:02}"),
        digest: (i as u64 * 7 % 26).wrapping_mul(GOLDEN),
        weight: u32::try_from(numbers.below(9)).unwrap(),
        tokens: None,
    });
}

#[test]
fn changed_equals_new_for_given_tokens() {
    for space in [None, Some(u64::MAX), Some(100_000), Some(3000), Some(600)] {
        changed_equals_new(6, 256, space, |numbers, i| {
            let count = 1 + numbers.below(8);
            let mut tokens: Vec<u64> = (0..count).map(|_| numbers.below(space.unwrap_or(u64::MAX))).collect();
            tokens.sort_unstable();
            let weight = u32::from(numbers.below(4) > 0);
            Model { id: format!("n{i:02}"), digest: i as u64, weight, tokens: Some(tokens) }
        });
    }
}

/// The owner of every coordinate about a token, and at both ends, by looking at every token.
fn check_owners(ring: &Ring, tokens: &[(u64, u32)], last: u64) {
    let near = tokens.iter().flat_map(|&(token, _)| [token.saturating_sub(1), token, token.saturating_add(1)]);
    for coordinate in near.chain([0, last / 2, last]).filter(|&coordinate| coordinate <= last) {
        let at_or_above = tokens.iter().filter(|(token, _)| *token >= coordinate).min();
        let expected = at_or_above.or(tokens.iter().min()).map(|(_, node)| *node);
        assert_eq!(Some(ring.owner_at(coordinate)), expected, "coordinate {coordinate}");
    }
}

#[test]
fn matches_naive_search_in_crowded_buckets() {
    let consecutive: Vec<u64> = (0..700).collect();
    let at_the_end: Vec<u64> = (0..700).map(|i| u64::MAX - 2 * i).collect();
    let powers: Vec<u64> = (0..64).map(|i| 1 << i).collect();
    let bunches: Vec<u64> = (0..40).flat_map(|i| (0..18).map(move |j| (i << 58) + j * j)).collect();
    for tokens in [consecutive, at_the_end, powers, bunches, vec![0], vec![u64::MAX], vec![5]] {
        // Two nodes take the tokens in turn, in descending order, so that building must turn every bucket round.
        let share = |of: usize| -> Vec<u64> { tokens.iter().rev().skip(of).step_by(2).copied().collect() };
        let models: Vec<Model> = (0..2.min(tokens.len()))
            .map(|i| Model { id: format!("n{i}"), digest: 0, weight: 1, tokens: Some(share(i)) })
            .collect();
        let all: Vec<(u64, u32)> = (0..)
            .zip(&models)
            .flat_map(|(node, model)| model.tokens.iter().flatten().map(move |&token| (token, node)))
            .collect();
        let highest = tokens.iter().max().copied().unwrap();
        for space in [None, highest.checked_add(1).filter(|&space| space > 1)] {
            let ring = Ring::new(&entries(&models), 256, space).unwrap();
            check_owners(&ring, &all, space.map_or(u64::MAX, |space| space - 1));
        }
    }
}

#[test]
fn matches_naive_search_for_drawn_tokens() {
    for (nodes, tokens_per_weight) in [(1, 1), (1, 2), (2, 1), (5, 256), (9, 1000)] {
        let models: Vec<Model> = (0..nodes)
            .map(|i| Model {
                id: format!("n{i}"),
                digest: draw(9, i),
                weight: 1 + u32::try_from(i % 2).unwrap(),
                tokens: None,
            })
            .collect();
        let tokens: Vec<(u64, u32)> = (0..)
            .zip(&models)
            .flat_map(|(node, model)| {
                (1..=u64::from(model.weight * tokens_per_weight)).map(move |j| (draw(model.digest, j), node))
            })
            .collect();
        let ring = Ring::new(&entries(&models), tokens_per_weight, None).unwrap();
        assert_eq!(ring.table.tokens().len(), tokens.len());
        check_owners(&ring, &tokens, u64::MAX);
    }
}

/// Quadratic building or searching would take minutes here.
#[test]
fn two_hundred_thousand_tokens_in_one_bucket() {
    let models: Vec<Model> = (0..4)
        .map(|i| {
            let tokens = (0..50_000).rev().map(|j| 4 * j + i).chain([u64::MAX - i]);
            Model { id: format!("n{i}"), digest: 0, weight: 1, tokens: Some(tokens.collect()) }
        })
        .collect();
    let ring = Ring::new(&entries(&models), 256, None).unwrap();
    for coordinate in 0..200_000 {
        assert_eq!(u64::from(ring.owner_at(coordinate)), coordinate % 4);
    }
    let changed = ring.changed(&entries(&models), &entries(&models[1..]), 256, None);
    assert_eq!(changed, Ring::new(&entries(&models[1..]), 256, None));
}
