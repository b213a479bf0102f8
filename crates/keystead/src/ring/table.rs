//! The tokens of a ring as a sorted table that finds the first token at or above a coordinate in a few steps.
//!
//! Coordinates are spread evenly (they are outputs of `mix64`), so the top bits of a coordinate say where in the
//! table it belongs: an index over them gives the first token of each bucket, and from there three comparisons of the
//! upper 32 bits without a branch nearly always reach the answer. Where they do not, which takes tokens chosen by hand
//! or two coordinates that agree in those bits, a binary search within the bucket does.

use alloc::{vec, vec::Vec};

use crate::fate::GONE;

/// A token: where it lies, and the index of its node. Ordered by coordinate, then by node.
///
/// Packed, since a large ring in the making would else need a quarter more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(Rust, packed(4))]
pub(super) struct Token {
    pub(super) coordinate: u64,
    pub(super) node: u32,
}

/// What a lookup needs of a token, in one number: the upper half of its coordinate, and the index of its node. Side by
/// side, since what is far from a core is read in lines of 64 bytes; and no more than it needs, so that more are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark(u64);

/// The half of a mark that is a node's index, as all ones.
const NODE: u64 = u32::MAX as u64;

impl Mark {
    fn new(upper: u64, node: u32) -> Mark {
        Mark((upper & !NODE) | u64::from(node))
    }

    fn upper(self) -> u64 {
        self.0 & !NODE
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
    pub(super) fn node(self) -> u32 {
        self.0 as u32
    }
}

/// Where a bucket has more tokens than this, its part is sorted; others are put in order by insertion.
const INSERTION: u32 = 16;

/// A part has at least 2^8 buckets, and there are at most 2^10 parts: so many places can be written to in turn.
const PART: u32 = 8;
const PARTS: u32 = 10;

/// Below this many tokens an index of one to two buckets per token still fits a core's own cache; from here on, buckets of
/// more than one token leave more of it to the tokens, and the longer way within a bucket costs less than that.
const DENSE: usize = 1 << 16;

/// How many tokens are looked at before a search begins, and so how many must stand behind the end.
const BEHIND: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Of ascending tokens, then [`BEHIND`] times the first token's node with the largest upper bits there are: a search
    /// needs no check for the end, and what lies behind it belongs to the first token, which is what wrapping means.
    marks: Vec<Mark>,
    /// The lower bits of the tokens' coordinates.
    lower: Vec<u32>,
    /// For each bucket the position of its first token, then the number of tokens.
    index: Vec<u32>,
    /// How many upper bits no coordinate has. Without them coordinates are *raised*: then the uppermost bits tell most.
    above: u32,
    /// A raised coordinate without its lowest `shift` bits is its bucket.
    shift: u32,
}

/// By itself and seldom: so a ring of the whole space, which needs none of it, has a branch that is predicted instead of a shift.
#[cold]
fn raised(coordinate: u64, above: u32) -> u64 {
    coordinate << above
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
fn lower(raised: u64) -> u32 {
    raised as u32
}

/// An index into memory. No table has more entries than fit a `usize`, so nothing is cut off.
#[inline]
fn place(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The shift and the number of buckets for `count` tokens on raised coordinates 0 … `last`.
fn layout(count: usize, last: u64) -> (u32, usize) {
    // A bucket has half a token to one, or one and a quarter to two and a half.
    let buckets = if count < DENSE { count } else { count / 5 * 2 }.next_power_of_two();
    let shift = u64::BITS - buckets.trailing_zeros().max(1);
    (shift, place(last >> shift) + 1)
}

impl Table {
    /// The table of at least one and at most 2^26 tokens in any order, their coordinates at most `last`. The iterator
    /// runs twice.
    ///
    /// Two counting passes on the top bits put every token next to its final place, first into parts that fit a
    /// core's cache, then within each part into its bucket, which gives the index on the way. O(tokens) where
    /// coordinates are spread evenly, O(tokens × log tokens) always.
    pub(super) fn new(tokens: &(impl Iterator<Item = Token> + Clone), last: u64) -> Table {
        let count = tokens.clone().count();
        let above = last.leading_zeros().min(u64::BITS - 1);
        let tokens = tokens.clone().map(|token| Token { coordinate: token.coordinate << above, ..token });
        let last = last << above;
        let (shift, buckets) = layout(count, last);
        // Bits of a bucket's number beneath its part's: enough that a part is worth a pass of its own.
        let within = u64::BITS.saturating_sub(shift + PARTS).max(PART);
        let part = |raised: u64| place(raised >> shift >> within);

        // One place further on than they belong, so that each start can serve as its part's cursor and end as the
        // next's start.
        let mut starts = vec![0_u32; part(last) + 3];
        tokens.clone().for_each(|token| starts[part(token.coordinate) + 2] += 1);
        accumulate(&mut starts);
        let mut all = vec![Token { coordinate: 0, node: 0 }; count];
        tokens.for_each(|token| {
            let cursor = &mut starts[part(token.coordinate) + 1];
            all[*cursor as usize] = token;
            *cursor += 1;
        });

        let mut table = Table::empty(count, buckets, above, shift);
        // Sorting wants buckets of a token at most.
        let finer = u32::from(count >= DENSE);
        let mut sorter = Sorter::new(shift - finer, within + finer);
        for bounds in starts[..part(last) + 2].windows(2) {
            let (start, end) = (bounds[0] as usize, bounds[1] as usize);
            table.extend(sorter.sort(&all[start..end]));
            let of_part = (buckets - table.index.len()).min(1 << within);
            let starts = sorter.starts.iter().step_by(1 << finer);
            table.index.extend(starts.take(of_part).map(|start| bounds[0] + start));
        }
        table.index.push(starts[part(last) + 1]);
        table.finished()
    }

    /// A table with room for so much.
    fn empty(tokens: usize, buckets: usize, above: u32, shift: u32) -> Table {
        Table {
            marks: Vec::with_capacity(tokens + BEHIND),
            lower: Vec::with_capacity(tokens),
            index: Vec::with_capacity(buckets + 1),
            above,
            shift,
        }
    }

    /// Adds tokens, their coordinates raised, behind those there are.
    fn extend(&mut self, tokens: &[Token]) {
        self.marks.extend(tokens.iter().map(|token| Mark::new(token.coordinate, token.node)));
        self.lower.extend(tokens.iter().map(|token| lower(token.coordinate)));
    }

    /// Puts behind the end what belongs there.
    fn finished(mut self) -> Table {
        let behind = Mark::new(u64::MAX, self.marks[0].node());
        self.marks.extend([behind; BEHIND]);
        self
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.lower.len()
    }

    /// The marks of all tokens, ascending.
    pub(super) fn marks(&self) -> &[Mark] {
        &self.marks[..self.len()]
    }

    /// The tokens, ascending.
    pub(super) fn tokens(&self) -> impl ExactSizeIterator<Item = Token> + Clone {
        (0..self.len())
            .map(|position| Token { coordinate: self.coordinate(position), node: self.marks[position].node() })
    }

    /// The coordinate of the token at a position.
    pub(super) fn coordinate(&self, position: usize) -> u64 {
        (self.marks[position].upper() | u64::from(self.lower[position])) >> self.above
    }

    /// The node of the first token at or above the coordinate, wrapping to the lowest.
    #[inline]
    pub(super) fn node_at(&self, coordinate: u64) -> u32 {
        let raised = self.raised(coordinate);
        match self.near(raised) {
            Ok((_, mark)) => mark.node(),
            Err(bucket) => self.marks[self.position_within(bucket, raised)].node(),
        }
    }

    /// The position of the first token at or above the coordinate; the number of tokens when all are below it.
    pub(super) fn position(&self, coordinate: u64) -> usize {
        let raised = self.raised(coordinate);
        match self.near(raised) {
            Ok((position, _)) => position,
            Err(bucket) => self.position_within(bucket, raised),
        }
    }

    #[inline]
    fn raised(&self, coordinate: u64) -> u64 {
        if self.above == 0 { coordinate } else { raised(coordinate, self.above) }
    }

    /// The first token at or above a raised coordinate, if upper halves tell; else the bucket to search.
    #[inline]
    fn near(&self, raised: u64) -> Result<(usize, Mark), usize> {
        let bucket = place(raised >> self.shift);
        let start = self.index[bucket] as usize;
        let near = &self.marks[start..start + BEHIND];
        // Sums and no branches, which for evenly spread coordinates nobody could predict.
        let ahead = near[..BEHIND - 1].iter().map(|mark| usize::from(mark.0 < raised & !NODE)).sum::<usize>();
        let mark = near[ahead];
        // Of the same upper half, so that the lower one decides, or below, which the last can be.
        if mark.0 <= raised | NODE { Err(bucket) } else { Ok((start + ahead, mark)) }
    }

    #[cold]
    fn position_within(&self, bucket: usize, raised: u64) -> usize {
        let (upper, lower) = (raised & !NODE, lower(raised));
        let [start, end] = [bucket, bucket + 1].map(|bucket| self.index[bucket] as usize);
        let first = start + self.marks[start..end].partition_point(|mark| mark.0 < upper);
        let alike = self.marks[first..end].partition_point(|mark| mark.upper() == upper);
        first + self.lower[first..first + alike].partition_point(|other| *other < lower)
    }

    /// The table without the tokens `removed` (by their old nodes) and with the tokens `added` (by their new ones),
    /// where `renumber` gives each old node's new index: ascending, but `GONE` (above all) for a node that is gone,
    /// all of whose tokens are removed.
    ///
    /// Runs of tokens between the edits are copied and the index is shifted: O(tokens) of plain copying, without a
    /// hash or a sort of them. At least one token must be left.
    pub(super) fn edited(&self, renumber: &[u32], removed: &[Token], added: &[Token], last: u64) -> Table {
        let mut edits: Vec<Edit> = removed.iter().filter_map(|&token| self.removal(token)).collect();
        edits.extend(added.iter().map(|&token| self.insertion(token, renumber)));
        edits.sort_unstable();

        let count = self.len() + added.len() - (edits.len() - added.len());
        let (shift, buckets) = layout(count, last << self.above);
        let mut table = Table::empty(count, buckets, self.above, shift);
        let mark = |token: Token| Mark::new(token.coordinate << self.above, token.node);
        if let Some(step) = Step::of(renumber) {
            splice(self.marks(), &edits, &mut table.marks, |mark| step.renumbered(mark), mark);
        } else {
            let renumbered = |mark: Mark| Mark::new(mark.0, renumber[mark.node() as usize]);
            splice(self.marks(), &edits, &mut table.marks, renumbered, mark);
        }
        let below = |token: Token| lower(token.coordinate << self.above);
        splice(&self.lower, &edits, &mut table.lower, |lower| lower, below);
        table.index = if shift == self.shift { self.shifted_index(&edits) } else { index(&table, buckets) };
        table.finished()
    }

    fn removal(&self, token: Token) -> Option<Edit> {
        let first = self.position(token.coordinate);
        let further = self.marks()[first..].iter().position(|other| other.node() == token.node)?;
        Some(Edit { position: first + further, removes: true, token })
    }

    fn insertion(&self, token: Token, renumber: &[u32]) -> Edit {
        let first = self.position(token.coordinate);
        // Tokens that share the coordinate stand in the order of their nodes. Where those that leave stand does not
        // matter.
        let sharing = (first..self.len()).take_while(|at| self.coordinate(*at) == token.coordinate).count();
        let precedes = |other: &Mark| renumber[other.node() as usize] < token.node;
        let ahead = self.marks[first..first + sharing].iter().rposition(precedes).map_or(0, |at| at + 1);
        Edit { position: first + ahead, removes: false, token }
    }

    /// The index after edits that leave the number of buckets as it is: between two edits every start moves by the
    /// same number.
    fn shifted_index(&self, edits: &[Edit]) -> Vec<u32> {
        let mut index = Vec::with_capacity(self.index.len());
        let mut moved = 0_u32;
        for edit in edits {
            let through = place(self.raised(edit.token.coordinate) >> self.shift) + 1;
            index.extend(self.index[index.len()..through].iter().map(|start| start.wrapping_add(moved)));
            moved = if edit.removes { moved.wrapping_sub(1) } else { moved.wrapping_add(1) };
        }
        index.extend(self.index[index.len()..].iter().map(|start| start.wrapping_add(moved)));
        index
    }
}

/// One token put in before a position of the old table, or the token at that position taken out. The derived order is
/// the order in which edits apply: what goes in before a position precedes the removal at it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    position: usize,
    removes: bool,
    token: Token,
}

/// Adds to `new` what stands in `old` after the edits: what stays as `kept` makes it, and what is put in as `made` makes it.
fn splice<T: Copy>(old: &[T], edits: &[Edit], new: &mut Vec<T>, kept: impl Fn(T) -> T, made: impl Fn(Token) -> T) {
    let mut copied = 0;
    for edit in edits {
        new.extend(old[copied..edit.position].iter().map(|&one| kept(one)));
        copied = edit.position + usize::from(edit.removes);
        if !edit.removes {
            new.push(made(edit.token));
        }
    }
    new.extend(old[copied..].iter().map(|&one| kept(one)));
}

/// New indices of nodes of which all from one on have moved by the same number, as when one node comes or goes: several are
/// computed at once, where looking them up takes one after the other.
struct Step {
    first: u64,
    by: u64,
}

impl Step {
    /// None where the indices have moved otherwise. What becomes of a node that is gone is of no account.
    fn of(renumber: &[u32]) -> Option<Step> {
        let mut moved = (0_u32..).zip(renumber).filter(|(_, new)| **new != GONE);
        let (first, by) = moved
            .by_ref()
            .map(|(old, new)| (old, new.wrapping_sub(old)))
            .find(|(_, by)| *by != 0)
            .unwrap_or((u32::MAX, 0));
        let step = Step { first: first.into(), by: i64::from(by.cast_signed()).cast_unsigned() };
        moved.all(|(old, new)| new.wrapping_sub(old) == by).then_some(step)
    }

    /// Without a branch, and without a comparison of 64 bits, which not every processor has for several numbers at once. Half
    /// of a mark does not reach into the other: an index is never below 0 nor above 2^20.
    #[inline]
    fn renumbered(&self, mark: Mark) -> Mark {
        let is_before = (mark.0 & NODE).wrapping_sub(self.first) >> 63;
        Mark(mark.0.wrapping_add(self.by & is_before.wrapping_sub(1)))
    }
}

/// The index of a table that has none yet.
fn index(table: &Table, buckets: usize) -> Vec<u32> {
    let mut index = vec![0; buckets + 1];
    for token in table.tokens() {
        index[place(table.raised(token.coordinate) >> table.shift) + 1] += 1;
    }
    accumulate(&mut index);
    index
}

/// Replaces every number by the sum of all up to it, and gives the largest that was there.
fn accumulate(numbers: &mut [u32]) -> u32 {
    let (mut sum, mut largest) = (0, 0);
    for number in numbers {
        largest = largest.max(*number);
        sum += *number;
        *number = sum;
    }
    largest
}

/// Puts one part after another in order.
struct Sorter {
    /// A raised coordinate without its lowest `shift` bits is its bucket.
    shift: u32,
    /// The bits of a bucket's number that count within a part.
    mask: u64,
    /// Of the part sorted last, how many of its tokens lie before each bucket.
    starts: Vec<u32>,
    sorted: Vec<Token>,
}

impl Sorter {
    /// For parts of 2^`within` buckets.
    fn new(shift: u32, within: u32) -> Sorter {
        Sorter { shift, mask: (1 << within) - 1, starts: vec![0; (1 << within) + 2], sorted: Vec::new() }
    }

    fn sort(&mut self, part: &[Token]) -> &[Token] {
        let (shift, mask, starts) = (self.shift, self.mask, &mut self.starts);
        let bucket = |token: &Token| place((token.coordinate >> shift) & mask);
        starts.fill(0);
        for token in part {
            starts[bucket(token) + 2] += 1;
        }
        let crowded = accumulate(starts) > INSERTION;
        self.sorted.resize(part.len(), Token { coordinate: 0, node: 0 });
        for token in part {
            let cursor = &mut starts[bucket(token) + 1];
            self.sorted[*cursor as usize] = *token;
            *cursor += 1;
        }
        if crowded {
            self.sorted.sort_unstable();
        } else {
            insert(&mut self.sorted);
        }
        &self.sorted
    }
}

/// Puts tokens in order that are nearly so: none is more than a bucket of [`INSERTION`] away from its place.
fn insert(tokens: &mut [Token]) {
    for end in 1..tokens.len() {
        let token = tokens[end];
        let mut position = end;
        while position > 0 && token < tokens[position - 1] {
            tokens[position] = tokens[position - 1];
            position -= 1;
        }
        tokens[position] = token;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_renumber_as_looking_up() {
        let mut found = 0;
        // Nodes of three kinds: they stay, are gone, or have one that is new before them.
        for kinds in 0..3_u32.pow(6) {
            let (mut new, mut renumber) = (0, Vec::new());
            for node in 0..6 {
                let kind = kinds / 3_u32.pow(node) % 3;
                new += u32::from(kind == 2);
                renumber.push(if kind == 1 { GONE } else { new });
                new += u32::from(kind != 1);
            }
            let Some(step) = Step::of(&renumber) else { continue };
            found += 1;
            for (old, new) in (0..).zip(&renumber).filter(|(_, new)| **new != GONE) {
                for upper in [0, 1 << 32, 0xFFFF_FFFF << 32] {
                    assert_eq!(step.renumbered(Mark::new(upper, old)), Mark::new(upper, *new), "{renumber:?}");
                }
            }
        }
        assert!(found > 12, "one node more, one node less, none: {found}");
    }
}
