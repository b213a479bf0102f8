//! Strings that are packed by one call and asked about by the next.

use std::cell::RefCell;
use std::rc::Rc;

use keystead::KeyBytes;
use napi::bindgen_prelude::{External, Function};
use napi::{Env, Result};
use napi_derive::napi;

use crate::batch::Answered;
use crate::fault::Fallible;
use crate::keys::{is_ascii, narrow, with_utf8};
use crate::value::{Units, Value};

/// The UTF-8 of strings, one behind the other.
#[derive(Default)]
pub struct Packed {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// For one that is not ASCII.
    room: String,
}

/// It is borrowed only while none of the caller's code runs.
pub type Packing = Rc<RefCell<Packed>>;

/// Room for the strings of a piece.
#[napi(catch_unwind)]
pub fn create_packing() -> External<Packing> {
    External::new(Packing::default())
}

/// A function that packs its arguments, and says whether it could: not where one is no string, or not well-formed.
///
/// Arguments are at hand. To fetch an element of an array takes four times as long as to read it.
#[napi(catch_unwind, ts_return_type = "(...keys: unknown[]) => boolean")]
pub fn bind_pack<'env>(env: &'env Env, packing: &External<Packing>) -> Result<Function<'env, (), bool>> {
    let packing = Packing::clone(packing);
    env.create_function_from_closure("pack", move |context| {
        let mut packed = packing.borrow_mut();
        packed.clear();
        for index in 0..context.length() {
            if !packed.add(context.get(index)?) {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

impl Packed {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn add(&mut self, key: Value) -> bool {
        let mut near = Units::new();
        let Some(units) = key.units(&mut near) else { return false };
        let Packed { bytes, ends, room } = self;
        let added = if is_ascii(units) {
            bytes.extend(narrow(units));
            true
        } else {
            with_utf8(units, room, |utf8| bytes.extend_from_slice(utf8)).is_ok()
        };
        ends.push(bytes.len());
        added
    }

    /// Calls `take` with each key and its place among them.
    pub(crate) fn each(&self, mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered) -> Fallible<()> {
        let mut start = 0;
        for (index, &end) in self.ends.iter().enumerate() {
            take(index, KeyBytes::plain(&self.bytes[start..end]))?;
            start = end;
        }
        Ok(())
    }
}
