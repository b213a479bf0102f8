//! The tokens of a ring as a sorted table that finds the first token at or above a coordinate in a few steps.
//!
//! Coordinates are spread evenly (they are outputs of `mix64`), so the top bits of a coordinate say where in the
//! table it belongs: an index over them gives the first token of each bucket, and from there three comparisons without
//! a branch nearly always reach the answer. Where they do not, which takes tokens chosen by hand,
//! a binary search within the bucket does.

use alloc::{vec, vec::Vec};

/// A token: where it lies, and the index of its node. Ordered by coordinate, then by node.
///
/// Packed, since four bytes of twelve would be a quarter of a ring; and both numbers side by side, since a lookup needs
/// both, and what is far from a core is read in lines of 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(Rust, packed(4))]
pub(super) struct Token {
    pub(super) coordinate: u64,
    pub(super) node: u32,
}

/// Where a bucket has more tokens than this, its part is sorted; others are put in order by insertion.
const INSERTION: u32 = 16;

/// A part has at least 2^8 buckets, and there are at most 2^10 parts: so many places can be written to in turn.
const PART: u32 = 8;
const PARTS: u32 = 10;

/// Below this many tokens an index of one to two buckets per token still fits a core's own cache; above, one of half as
/// many is read sooner, and the longer way within a bucket costs less than that.
const DENSE: usize = 1 << 16;

/// How many tokens are looked at before a search begins, and so how many must stand behind the end.
const BEHIND: usize = 3;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Ascending, then [`BEHIND`] times the first token's node at the largest coordinate there is: a search needs no
    /// check for the end, and what lies behind it belongs to the first token, which is what wrapping means.
    tokens: Vec<Token>,
    /// For each bucket the position of its first token, then the number of tokens.
    index: Vec<u32>,
    /// A coordinate without its lowest `shift` bits is its bucket.
    shift: u32,
}

/// An index into memory. No table has more entries than fit a `usize`, so nothing is cut off.
#[inline]
fn place(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The shift and the number of buckets for `count` tokens on coordinates 0 … `last`.
fn layout(count: usize, last: u64) -> (u32, usize) {
    let per_token = count.next_power_of_two().trailing_zeros() - u32::from(count >= DENSE);
    let shift = (u64::BITS - last.leading_zeros()).saturating_sub(per_token.max(1));
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
        let (shift, buckets) = layout(count, last);
        // Bits of a bucket's number beneath its part's: enough that a part is worth a pass of its own.
        let within = u64::BITS.saturating_sub(shift + last.leading_zeros() + PARTS).max(PART);
        let part = |coordinate: u64| place(coordinate >> shift >> within);

        // One place further on than they belong, so that each start can serve as its part's cursor and end as the
        // next's start.
        let mut starts = vec![0_u32; part(last) + 3];
        tokens.clone().for_each(|token| starts[part(token.coordinate) + 2] += 1);
        accumulate(&mut starts);
        let mut all = vec![Token { coordinate: u64::MAX, node: 0 }; count + BEHIND];
        tokens.clone().for_each(|token| {
            let cursor = &mut starts[part(token.coordinate) + 1];
            all[*cursor as usize] = token;
            *cursor += 1;
        });

        let mut index = Vec::with_capacity(buckets + 1);
        let mut sorter =
            Sorter { shift, mask: (1 << within) - 1, starts: vec![0; (1 << within) + 2], tokens: Vec::new() };
        for bounds in starts[..part(last) + 2].windows(2) {
            let (start, end) = (bounds[0] as usize, bounds[1] as usize);
            sorter.sort(&mut all[start..end]);
            let of_part = (buckets - index.len()).min(1 << within);
            index.extend(sorter.starts[..of_part].iter().map(|within| bounds[0] + within));
        }
        index.push(starts[part(last) + 1]);
        all.truncate(count);
        Table::finished(all, index, shift)
    }

    /// Puts behind the end what belongs there.
    fn finished(mut tokens: Vec<Token>, index: Vec<u32>, shift: u32) -> Table {
        let behind = Token { coordinate: u64::MAX, node: tokens[0].node };
        tokens.extend([behind; BEHIND]);
        Table { tokens, index, shift }
    }

    /// The tokens, ascending.
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens[..self.tokens.len() - BEHIND]
    }

    /// The node of the first token at or above the coordinate, wrapping to the lowest.
    #[inline]
    pub(super) fn node_at(&self, coordinate: u64) -> u32 {
        self.tokens[self.position(coordinate)].node
    }

    /// The position of the first token at or above the coordinate; the number of tokens when all are below it.
    #[inline]
    pub(super) fn position(&self, coordinate: u64) -> usize {
        let bucket = place(coordinate >> self.shift);
        let start = self.index[bucket] as usize;
        let near = &self.tokens[start..start + BEHIND];
        if near[2].coordinate < coordinate {
            return self.position_within(start, bucket, coordinate);
        }
        // Sums and no branches, which for evenly spread coordinates nobody could predict.
        start + usize::from(near[0].coordinate < coordinate) + usize::from(near[1].coordinate < coordinate)
    }

    #[cold]
    fn position_within(&self, start: usize, bucket: usize, coordinate: u64) -> usize {
        let end = self.index[bucket + 1] as usize;
        start + self.tokens[start..end].partition_point(|token| token.coordinate < coordinate)
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

        let count = self.tokens().len() + added.len() - (edits.len() - added.len());
        let mut tokens = Vec::with_capacity(count + BEHIND);
        let renumbered = |token: &Token| Token { node: renumber[token.node as usize], ..*token };
        let mut copied = 0;
        for edit in &edits {
            tokens.extend(self.tokens[copied..edit.position].iter().map(renumbered));
            copied = edit.position + usize::from(edit.removes);
            if !edit.removes {
                tokens.push(edit.token);
            }
        }
        tokens.extend(self.tokens()[copied..].iter().map(renumbered));

        let (shift, buckets) = layout(count, last);
        let index = if shift == self.shift { self.shifted_index(&edits) } else { index(&tokens, shift, buckets) };
        Table::finished(tokens, index, shift)
    }

    fn removal(&self, token: Token) -> Option<Edit> {
        let first = self.position(token.coordinate);
        let further = self.tokens()[first..].iter().position(|other| other.node == token.node)?;
        Some(Edit { position: first + further, removes: true, token })
    }

    fn insertion(&self, token: Token, renumber: &[u32]) -> Edit {
        let first = self.position(token.coordinate);
        // Tokens that share the coordinate stand in the order of their nodes. Where those that leave stand does not
        // matter.
        let sharing = self.tokens()[first..].iter().take_while(|other| other.coordinate == token.coordinate).count();
        let precedes = |other: &Token| renumber[other.node as usize] < token.node;
        let ahead = self.tokens[first..first + sharing].iter().rposition(precedes).map_or(0, |at| at + 1);
        Edit { position: first + ahead, removes: false, token }
    }

    /// The index after edits that leave the number of buckets as it is: between two edits every start moves by the
    /// same number.
    fn shifted_index(&self, edits: &[Edit]) -> Vec<u32> {
        let mut index = Vec::with_capacity(self.index.len());
        let mut moved = 0_u32;
        for edit in edits {
            let through = place(edit.token.coordinate >> self.shift) + 1;
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

/// The index of ascending tokens.
fn index(tokens: &[Token], shift: u32, buckets: usize) -> Vec<u32> {
    let mut index = vec![0; buckets + 1];
    for token in tokens {
        index[place(token.coordinate >> shift) + 1] += 1;
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
    /// A coordinate without its lowest `shift` bits is its bucket.
    shift: u32,
    /// The bits of a bucket's number that count within a part.
    mask: u64,
    /// Of the part sorted last, how many of its tokens lie before each bucket.
    starts: Vec<u32>,
    tokens: Vec<Token>,
}

impl Sorter {
    fn sort(&mut self, part: &mut [Token]) {
        let (shift, mask, starts, tokens) = (self.shift, self.mask, &mut self.starts, &mut self.tokens);
        let bucket = |token: Token| place((token.coordinate >> shift) & mask);
        starts.fill(0);
        tokens.clear();
        tokens.extend_from_slice(part);
        for token in &*tokens {
            starts[bucket(*token) + 2] += 1;
        }
        if accumulate(starts) > INSERTION {
            tokens.sort_unstable();
        }
        for &token in &*tokens {
            let cursor = &mut starts[bucket(token) + 1];
            part[*cursor as usize] = token;
            *cursor += 1;
        }
        insert(part);
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
