//! Values out of a fuzzer's bytes; when they are used up, zeros.

use keystead::KeyPart;

pub(crate) struct Bytes<'a> {
    data: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.data.split_first() {
            Some((first, rest)) => {
                self.data = rest;
                *first
            }
            None => 0,
        }
    }

    pub(crate) fn integer(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.data)
    }

    /// A key of any kind; a sequence at most 40 deep, which is deeper than allowed.
    pub(crate) fn key_part(&mut self, depth: u8) -> KeyPart {
        match self.byte() % 4 {
            0 => KeyPart::Integer(i128::from(self.integer()) - i128::from(self.byte()) * (1 << 56)),
            1 if depth < 40 => {
                let count = self.byte() % 5;
                KeyPart::Sequence((0..count).map(|_| self.key_part(depth + 1)).collect())
            }
            _ => {
                let length = usize::from(self.byte()).min(self.data.len());
                let (text, rest) = self.data.split_at(length);
                self.data = rest;
                KeyPart::Bytes(text.to_vec())
            }
        }
    }
}
