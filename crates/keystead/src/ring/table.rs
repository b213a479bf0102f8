//! The tokens of a ring as a sorted table that finds the first token at or above a coordinate in a few steps.
//!
//! Coordinates are spread evenly (they are outputs of `mix64`), so the top bits of a coordinate say where in the
//! table it belongs: an index over them gives the first token of each of one to two buckets per token, and there two
//! comparisons without a branch nearly always reach the answer. Where they do not, which takes tokens chosen by hand,
//! a binary search within the bucket does.

use alloc::{vec, vec::Vec};

/// A token: where it lies, and the index of its node.
pub(super) type Token = (u64, u32);

/// Where a bucket has more tokens than this, its part is sorted; others are put in order by insertion.
const INSERTION: u32 = 16;

/// A part has at least 2^8 buckets, and there are at most 2^10 parts: so many places can be written to in turn.
const PART: u32 = 8;
const PARTS: u32 = 10;

/// Below this many tokens an index of two to four buckets per token still fits a core's own cache; above, of one to
/// two.
const DENSE: usize = 1 << 16;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Ascending by (coordinate, node), then the largest number there is: a search needs no check for the end.
    coordinates: Vec<u64>,
    /// The node of each coordinate; the one behind the end is the first token's, which is what wrapping means.
    nodes: Vec<u32>,
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
    let per_token = count.next_power_of_two().trailing_zeros() + u32::from(count < DENSE);
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
        tokens.clone().for_each(|(coordinate, _)| starts[part(coordinate) + 2] += 1);
        accumulate(&mut starts);
        let mut coordinates = vec![u64::MAX; count + 1];
        let mut nodes = vec![0; count + 1];
        tokens.clone().for_each(|(coordinate, node)| {
            let cursor = &mut starts[part(coordinate) + 1];
            coordinates[*cursor as usize] = coordinate;
            nodes[*cursor as usize] = node;
            *cursor += 1;
        });

        let mut index = Vec::with_capacity(buckets + 1);
        let mut sorter =
            Sorter { shift, mask: (1 << within) - 1, starts: vec![0; (1 << within) + 2], tokens: Vec::new() };
        for bounds in starts[..part(last) + 2].windows(2) {
            let (start, end) = (bounds[0] as usize, bounds[1] as usize);
            sorter.sort(&mut coordinates[start..end], &mut nodes[start..end]);
            let of_part = (buckets - index.len()).min(1 << within);
            index.extend(sorter.starts[..of_part].iter().map(|within| bounds[0] + within));
        }
        index.push(starts[part(last) + 1]);
        nodes[count] = nodes[0];
        Table { coordinates, nodes, index, shift }
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The coordinates, ascending.
    pub(super) fn coordinates(&self) -> &[u64] {
        &self.coordinates[..self.len()]
    }

    /// The node of each token, in the order of the coordinates.
    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes[..self.len()]
    }

    /// The node of the first token at or above the coordinate, wrapping to the lowest.
    #[inline]
    pub(super) fn node_at(&self, coordinate: u64) -> u32 {
        self.nodes[self.position(coordinate)]
    }

    /// The position of the first token at or above the coordinate; the number of tokens when all are below it.
    #[inline]
    pub(super) fn position(&self, coordinate: u64) -> usize {
        let bucket = place(coordinate >> self.shift);
        let mut position = self.index[bucket] as usize;
        // The number behind the end is below none, so neither step can pass it.
        position += usize::from(self.coordinates[position] < coordinate);
        position += usize::from(self.coordinates[position] < coordinate);
        if self.coordinates[position] < coordinate {
            position = self.position_within(position, bucket, coordinate);
        }
        position
    }

    #[cold]
    fn position_within(&self, start: usize, bucket: usize, coordinate: u64) -> usize {
        let end = self.index[bucket + 1] as usize;
        start + self.coordinates[start..end].partition_point(|&token| token < coordinate)
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
        let mut coordinates = Vec::with_capacity(count + 1);
        let mut nodes = Vec::with_capacity(count + 1);
        let mut copied = 0;
        let end = Edit { position: self.len(), removes: true, token: (u64::MAX, 0) };
        for edit in edits.iter().chain([&end]) {
            let run = copied..edit.position;
            coordinates.extend_from_slice(&self.coordinates[run.clone()]);
            nodes.extend(self.nodes[run].iter().map(|&node| renumber[node as usize]));
            copied = edit.position + usize::from(edit.removes);
            if !edit.removes {
                coordinates.push(edit.token.0);
                nodes.push(edit.token.1);
            }
        }
        coordinates.push(u64::MAX);
        nodes.push(nodes[0]);

        let (shift, buckets) = layout(count, last);
        let index =
            if shift == self.shift { self.shifted_index(&edits) } else { index(&coordinates[..count], shift, buckets) };
        Table { coordinates, nodes, index, shift }
    }

    fn removal(&self, token: Token) -> Option<Edit> {
        let first = self.position(token.0);
        let further = self.nodes()[first..].iter().position(|&node| node == token.1)?;
        Some(Edit { position: first + further, removes: true, token })
    }

    fn insertion(&self, token: Token, renumber: &[u32]) -> Edit {
        let first = self.position(token.0);
        // Tokens that share the coordinate stand in the order of their nodes. Where those that leave stand does not
        // matter.
        let sharing = self.coordinates()[first..].iter().take_while(|&&coordinate| coordinate == token.0).count();
        let precedes = |&node: &u32| renumber[node as usize] < token.1;
        let ahead = self.nodes[first..first + sharing].iter().rposition(precedes).map_or(0, |at| at + 1);
        Edit { position: first + ahead, removes: false, token }
    }

    /// The index after edits that leave the number of buckets as it is: between two edits every start moves by the
    /// same number.
    fn shifted_index(&self, edits: &[Edit]) -> Vec<u32> {
        let mut index = Vec::with_capacity(self.index.len());
        let mut moved = 0_u32;
        for edit in edits {
            let through = place(edit.token.0 >> self.shift) + 1;
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

/// The index of ascending coordinates.
fn index(coordinates: &[u64], shift: u32, buckets: usize) -> Vec<u32> {
    let mut index = vec![0; buckets + 1];
    for coordinate in coordinates {
        index[place(coordinate >> shift) + 1] += 1;
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
    fn sort(&mut self, coordinates: &mut [u64], nodes: &mut [u32]) {
        let (shift, mask, starts, tokens) = (self.shift, self.mask, &mut self.starts, &mut self.tokens);
        let bucket = |coordinate: u64| place((coordinate >> shift) & mask);
        starts.fill(0);
        tokens.clear();
        tokens.extend(coordinates.iter().copied().zip(nodes.iter().copied()));
        for (coordinate, _) in &*tokens {
            starts[bucket(*coordinate) + 2] += 1;
        }
        if accumulate(starts) > INSERTION {
            tokens.sort_unstable();
        }
        for &(coordinate, node) in &*tokens {
            let cursor = &mut starts[bucket(coordinate) + 1];
            coordinates[*cursor as usize] = coordinate;
            nodes[*cursor as usize] = node;
            *cursor += 1;
        }
        insert(coordinates, nodes);
    }
}

/// Puts tokens in order that are nearly so: none is more than a bucket of [`INSERTION`] away from its place.
fn insert(coordinates: &mut [u64], nodes: &mut [u32]) {
    for end in 1..coordinates.len() {
        let mut position = end;
        while position > 0
            && (coordinates[position], nodes[position]) < (coordinates[position - 1], nodes[position - 1])
        {
            coordinates.swap(position - 1, position);
            nodes.swap(position - 1, position);
            position -= 1;
        }
    }
}
