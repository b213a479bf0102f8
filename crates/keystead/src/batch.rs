//! The owners of many keys.

use core::iter::{Fuse, FusedIterator};

use keystead_avx512::KEYS;

use crate::{Cluster, Key, rendezvous::Rendezvous};

/// The owners of many keys, which are given one after the other and answered some at a time: by their index, which is a position in
/// [`nodes`](Cluster::nodes).
///
/// Answers come in the order of the keys: each call gives those that are now known, often none. Where `rendezvous-1` scores nodes of equal
/// weights and the processor has AVX-512, 32 keys are collected and answered in one pass: among ten to thirty nodes in half the time, among
/// few or very many in little less. Else each key is answered at once, in the time of [`owner_index`](Cluster::owner_index) and a nanosecond.
/// What no call of [`push`](OwnerBatch::push) has answered, the last [`finish`](OwnerBatch::finish) does.
///
/// For keys that are at hand there is [`Cluster::owner_indices`]; this is for those that must be read one by one, where one may be absent
/// or no key at all.
///
/// ```
/// use keystead::{Cluster, OwnerBatch};
///
/// let cluster = Cluster::rendezvous(["cache-a", "cache-b", "cache-c"])?;
/// let mut owners = Vec::new();
/// let mut batch = OwnerBatch::new(&cluster);
/// for row in [Some("user:1"), None, Some("user:42")] {
///     owners.extend_from_slice(match row {
///         Some(key) => batch.push(key),
///         None => batch.push_absent(),
///     });
/// }
/// owners.extend_from_slice(batch.finish());
/// assert_eq!(owners, [cluster.owner_index("user:1"), OwnerBatch::NO_KEY, 2]);
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnerBatch<'a> {
    cluster: &'a Cluster,
    /// Who answers for many keys at a time, and from how many on that is quicker; absent where each is answered at once.
    wide: Option<(&'a Rendezvous, usize)>,
    /// Of the keys that have no answer yet.
    digests: [u64; KEYS],
    count: usize,
    /// A bit for each of them that is absent.
    absent: u32,
    answers: [u32; KEYS],
}

impl<'a> OwnerBatch<'a> {
    /// The answer in the place of an absent key: no cluster has as many nodes.
    pub const NO_KEY: u32 = u32::MAX;

    /// A batch without keys.
    pub fn new(cluster: &'a Cluster) -> OwnerBatch<'a> {
        let wide = cluster.inner.placement.wide();
        OwnerBatch { cluster, wide, digests: [0; KEYS], count: 0, absent: 0, answers: [0; KEYS] }
    }

    /// How many keys have no answer yet: at most 31.
    #[inline]
    pub fn pending(&self) -> usize {
        self.count
    }

    /// Adds a key, and gives the indices of the owners that are now known.
    #[inline]
    #[must_use = "answers are given once"]
    pub fn push<K: Key>(&mut self, key: K) -> &[u32] {
        let digest = self.cluster.digest(key);
        if self.wide.is_none() {
            self.answers[0] = self.cluster.inner.placement.owner(digest);
            return &self.answers[..1];
        }
        self.collect(digest)
    }

    /// Adds a place without a key, whose answer is [`NO_KEY`](OwnerBatch::NO_KEY).
    #[inline]
    #[must_use = "answers are given once"]
    pub fn push_absent(&mut self) -> &[u32] {
        if self.wide.is_none() {
            return &[Self::NO_KEY];
        }
        self.absent |= 1 << self.count;
        self.collect(0)
    }

    #[inline]
    fn collect(&mut self, digest: u64) -> &[u32] {
        self.digests[self.count] = digest;
        self.count += 1;
        if self.count == KEYS { self.finish() } else { &[] }
    }

    /// The owners of all keys that have no answer yet: to be called at the end, or the last ones are lost. More keys can follow.
    #[inline(never)]
    #[must_use = "answers are given once"]
    pub fn finish(&mut self) -> &[u32] {
        let count = core::mem::take(&mut self.count);
        if let Some((rendezvous, many)) = self.wide {
            if count >= many {
                self.answers = rendezvous.owners(&self.digests);
            } else {
                for (answer, digest) in self.answers.iter_mut().zip(&self.digests[..count]) {
                    *answer = rendezvous.owner(*digest);
                }
            }
        }
        while self.absent != 0 {
            self.answers[self.absent.trailing_zeros() as usize] = Self::NO_KEY;
            self.absent &= self.absent - 1;
        }
        &self.answers[..count]
    }
}

/// The index of each key's owner, a position in [`nodes`](Cluster::nodes), made by [`Cluster::owner_indices`].
///
/// Up to 32 keys are taken ahead of the answers.
#[derive(Clone, Debug)]
pub struct OwnerIndices<'a, I> {
    keys: Fuse<I>,
    batch: OwnerBatch<'a>,
    /// The answers of the batch that have not been handed out: from one to before the other.
    next: usize,
    end: usize,
}

impl<'a, I: Iterator> OwnerIndices<'a, I> {
    pub(crate) fn new(cluster: &'a Cluster, keys: I) -> OwnerIndices<'a, I> {
        OwnerIndices { keys: keys.fuse(), batch: OwnerBatch::new(cluster), next: 0, end: 0 }
    }
}

impl<K: Key, I: Iterator<Item = K>> Iterator for OwnerIndices<'_, I> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.batch.wide.is_none() {
            return self.keys.next().map(|key| self.batch.cluster.owner_index(key));
        }
        if self.next == self.end {
            // Before anything that could panic: nothing is handed out twice.
            (self.next, self.end) = (0, 0);
            self.end = loop {
                let Some(key) = self.keys.next() else { break self.batch.finish().len() };
                let known = self.batch.push(key).len();
                if known > 0 {
                    break known;
                }
            };
            if self.end == 0 {
                return None;
            }
        }
        let index = self.batch.answers[self.next];
        self.next += 1;
        Some(index)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // Keys are pending where the iterator of keys has panicked.
        let known = self.end - self.next + self.batch.pending();
        let (least, most) = self.keys.size_hint();
        (least.saturating_add(known), most.and_then(|most| most.checked_add(known)))
    }
}

impl<K: Key, I: Iterator<Item = K>> FusedIterator for OwnerIndices<'_, I> {}
impl<K: Key, I: ExactSizeIterator<Item = K>> ExactSizeIterator for OwnerIndices<'_, I> {}

#[cfg(test)]
mod tests {
    use alloc::{format, vec::Vec};

    use super::*;
    use crate::Node;

    fn clusters() -> Vec<Cluster> {
        let even = |count: u32| Cluster::rendezvous((0..count).map(|i| format!("node-{i:03}"))).unwrap();
        let mut clusters = Vec::from([1, 2, 3, 10, 31, 32, 33, 200].map(even));
        let weighted = (0..40).map(|i| Node::new(format!("n{i:02}")).unwrap().weight(i % 3));
        clusters.push(Cluster::builder().nodes(weighted).build().unwrap());
        // A drained node: positions among the contenders are no indices.
        clusters.push(even(20).with_weight("node-003", 0).unwrap());
        for algorithm in ["ring-1", "slots-1"] {
            clusters.push(Cluster::builder().algorithm(algorithm).nodes(["a", "b", "c"]).build().unwrap());
        }
        clusters
    }

    #[test]
    fn answers_as_one_by_one() {
        for cluster in clusters() {
            for count in [0_u64, 1, 2, 11, 12, 13, 31, 32, 33, 63, 64, 65, 200] {
                let keys = (0..count).map(|i| format!("key-{i}"));
                let single: Vec<u32> = keys.clone().map(|key| cluster.owner_index(&key)).collect();
                let indices = cluster.owner_indices(keys);
                assert_eq!(indices.size_hint(), (single.len(), Some(single.len())));
                assert!(indices.eq(single));
            }
        }
    }

    #[test]
    fn absent_keys_keep_their_places() {
        for cluster in clusters() {
            for every in [1, 2, 3, 5, 31, 32, 33, 64] {
                let (mut batch, mut owners) = (OwnerBatch::new(&cluster), Vec::new());
                let mut single = Vec::new();
                for i in 0..150_u64 {
                    if i % every == 0 {
                        owners.extend_from_slice(batch.push_absent());
                        single.push(OwnerBatch::NO_KEY);
                    } else {
                        owners.extend_from_slice(batch.push(i));
                        single.push(cluster.owner_index(i));
                    }
                    // A batch goes on after it has been asked for all.
                    if i == 77 {
                        owners.extend_from_slice(batch.finish());
                        assert_eq!((batch.pending(), &owners), (0, &single));
                    }
                }
                owners.extend_from_slice(batch.finish());
                assert_eq!(owners, single);
                assert!(batch.finish().is_empty());
            }
        }
    }

    #[test]
    fn goes_on_after_a_panic() {
        extern crate std;
        let cluster = Cluster::rendezvous(["a", "b", "c"]).unwrap();
        let mut panics = true;
        let keys = (0..100_u32).inspect(|i| {
            if *i == 40 && core::mem::take(&mut panics) {
                // Silently, as no test has failed.
                std::panic::resume_unwind(std::boxed::Box::new(()));
            }
        });
        let mut indices = cluster.owner_indices(keys);
        let mut owners: Vec<u32> = indices.by_ref().take(32).collect();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| indices.next())).expect_err("key 40 panics");
        assert_eq!(indices.size_hint().1, Some(indices.size_hint().0));
        owners.extend(indices);
        // Key 40 is lost with the panic, and nothing else.
        assert!(owners.into_iter().eq((0..100).filter(|i| *i != 40).map(|i: u32| cluster.owner_index(i))));
    }

    #[test]
    fn size_hint_counts_what_is_left() {
        let cluster = Cluster::rendezvous(["a", "b"]).unwrap();
        let mut indices = cluster.owner_indices(0..100_u32);
        for left in (0..100).rev() {
            assert!(indices.next().is_some());
            assert_eq!(indices.len(), left);
        }
        assert_eq!((indices.next(), indices.next()), (None, None));
    }
}
