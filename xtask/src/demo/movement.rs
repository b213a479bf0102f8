//! What moved when the newcomer joined.

use super::answers::Placement;

/// Counted over all keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Movement {
    pub(super) keys: u64,
    pub(super) bytes: u64,
    pub(super) all_keys: u64,
    pub(super) all_bytes: u64,
    /// Moved keys whose new owner is not the newcomer.
    pub(super) elsewhere: u64,
}

impl Movement {
    pub(super) fn count<'a>(
        before: impl Iterator<Item = Placement<'a>>,
        after: impl Iterator<Item = Placement<'a>>,
        sizes: impl Iterator<Item = u64>,
        newcomer: &str,
    ) -> Self {
        let mut movement = Self::default();
        for ((before, after), size) in before.zip(after).zip(sizes) {
            movement.all_keys += 1;
            movement.all_bytes += size;
            if before.owner != after.owner {
                movement.keys += 1;
                movement.bytes += size;
                movement.elsewhere += u64::from(after.owner != newcomer);
            }
        }
        movement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_counted() {
        let place = |owner| Placement { owner, ranking: vec![] };
        let before = ["a", "a", "b", "b"].map(place);
        let after = ["a", "c", "c", "a"].map(place);
        let movement = Movement::count(before.into_iter(), after.into_iter(), [1, 10, 100, 1000].into_iter(), "c");
        assert_eq!(movement, Movement { keys: 3, bytes: 1110, all_keys: 4, all_bytes: 1111, elsewhere: 1 });
    }
}
