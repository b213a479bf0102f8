//! JavaScript values as Node-API hands them over: the only file with unsafe code.
//!
//! napi's own conversions copy what they read, take two calls for a string and replace what is ill-formed. What is read here is copied
//! only where JavaScript could change it meanwhile, and a string comes as the UTF-16 that it is.

#![expect(unsafe_code, reason = "Node-API is a C interface")]

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

use napi::bindgen_prelude::{External, FromNapiRef, FromNapiValue};
use napi::{ValueType, sys};

/// A value that lives as long as the call from JavaScript in which it was handed over.
///
/// It is made by napi only, from the arguments of a call on this thread, and never kept: so its pointers are valid wherever it is used.
#[derive(Clone, Copy)]
pub struct Value {
    env: sys::napi_env,
    raw: sys::napi_value,
}

/// JavaScript threw while a value was read: its exception is pending, and is the caller's.
pub(crate) struct Thrown;

/// Room for the UTF-16 of a string: on the stack for nearly every key, and one call to read it.
pub(crate) struct Units {
    near: [MaybeUninit<u16>; Units::NEAR],
    far: Vec<u16>,
}

/// A `BigInt`: whether it is below 0, its lowest 64 bits, and in how many words of 64 bits it is kept.
pub(crate) struct BigWords {
    pub(crate) negative: bool,
    pub(crate) low: u64,
    pub(crate) words: usize,
}

/// The memory of a typed array, in the byte order of the machine.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    pub(crate) items: ItemKind,
    pub(crate) bytes: &'a [u8],
}

/// What the items of a typed array are; those of a `Uint8Array`, which is one key, are none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind {
    I8,
    Clamped,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
    I64,
    U64,
}

impl ItemKind {
    fn of(kind: sys::napi_typedarray_type) -> Option<ItemKind> {
        match kind {
            sys::TypedarrayType::int8_array => Some(ItemKind::I8),
            sys::TypedarrayType::uint8_clamped_array => Some(ItemKind::Clamped),
            sys::TypedarrayType::int16_array => Some(ItemKind::I16),
            sys::TypedarrayType::uint16_array => Some(ItemKind::U16),
            sys::TypedarrayType::int32_array => Some(ItemKind::I32),
            sys::TypedarrayType::uint32_array => Some(ItemKind::U32),
            sys::TypedarrayType::float32_array => Some(ItemKind::F32),
            sys::TypedarrayType::float64_array => Some(ItemKind::F64),
            sys::TypedarrayType::bigint64_array => Some(ItemKind::I64),
            sys::TypedarrayType::biguint64_array => Some(ItemKind::U64),
            _ => None,
        }
    }

    /// Bytes of an item.
    fn size(self) -> usize {
        match self {
            ItemKind::I8 | ItemKind::Clamped => 1,
            ItemKind::I16 | ItemKind::U16 => 2,
            ItemKind::I32 | ItemKind::U32 | ItemKind::F32 => 4,
            ItemKind::F64 | ItemKind::I64 | ItemKind::U64 => 8,
        }
    }
}

/// What a value is when it is read as bytes.
pub(crate) enum BytesFault {
    NoBytes,
    Detached,
}

impl Units {
    const NEAR: usize = 256;

    #[inline]
    pub(crate) const fn new() -> Units {
        Units { near: [MaybeUninit::uninit(); Units::NEAR], far: Vec::new() }
    }
}

impl FromNapiValue for Value {
    unsafe fn from_napi_value(env: sys::napi_env, raw: sys::napi_value) -> napi::Result<Value> {
        Ok(Value { env, raw })
    }
}

impl Value {
    pub(crate) fn kind(self) -> ValueType {
        let mut kind = 0;
        // SAFETY: env and value are valid, see `Value`; the result is written on success.
        match unsafe { sys::napi_typeof(self.env, self.raw, &raw mut kind) } {
            sys::Status::napi_ok => ValueType::from(kind),
            _ => ValueType::Unknown,
        }
    }

    /// The UTF-16 code units of a string; none for any other value.
    #[inline]
    pub(crate) fn units(self, room: &mut Units) -> Option<&[u16]> {
        let mut length = 0;
        let near: *mut u16 = room.near.as_mut_ptr().cast();
        // SAFETY: see `Value`; at most `NEAR` units are written, the terminating zero among them, and `length` of them before it.
        let status =
            unsafe { sys::napi_get_value_string_utf16(self.env, self.raw, near, Units::NEAR, &raw mut length) };
        if status != sys::Status::napi_ok {
            return None;
        }
        if length < Units::NEAR - 1 {
            // SAFETY: the call above has written this many units.
            return Some(unsafe { std::slice::from_raw_parts(near, length) });
        }
        self.many_units(&mut room.far)
    }

    fn many_units(self, far: &mut Vec<u16>) -> Option<&[u16]> {
        let mut length = 0;
        // SAFETY: see `Value`; without a buffer only the length is written.
        let status =
            unsafe { sys::napi_get_value_string_utf16(self.env, self.raw, ptr::null_mut(), 0, &raw mut length) };
        if status != sys::Status::napi_ok {
            return None;
        }
        far.clear();
        far.reserve_exact(length + 1);
        let mut written = 0;
        // SAFETY: the buffer has room for the string and the terminating zero.
        let status = unsafe {
            sys::napi_get_value_string_utf16(self.env, self.raw, far.as_mut_ptr(), length + 1, &raw mut written)
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        // SAFETY: this many units have been written, within the capacity.
        unsafe { far.set_len(written.min(length)) };
        Some(far)
    }

    /// Calls `read` with the bytes of a `Uint8Array`. `read` must not call JavaScript, which could detach them.
    pub(crate) fn with_bytes<R>(self, read: impl FnOnce(&[u8]) -> R) -> Result<R, BytesFault> {
        let array = self
            .typed_array()
            .filter(|array| array.kind == sys::TypedarrayType::uint8_array)
            .ok_or(BytesFault::NoBytes)?;
        if array.length == 0 || array.data.is_null() {
            return if array.is_detached(self.env) { Err(BytesFault::Detached) } else { Ok(read(&[])) };
        }
        if array.is_shared(self.env) {
            return Ok(read(&array.copy_shared(array.length)));
        }
        // SAFETY: the memory belongs to a live ArrayBuffer of this thread, so that it stays as it is while no JavaScript runs.
        Ok(read(unsafe { std::slice::from_raw_parts(array.data, array.length) }))
    }

    /// Calls `read` with the memory of a typed array whose items are numbers or `BigInt`s. `read` must not call JavaScript.
    pub(crate) fn with_column<R>(self, read: impl FnOnce(Column<'_>) -> R) -> Result<R, BytesFault> {
        let array = self.typed_array().ok_or(BytesFault::NoBytes)?;
        let items = ItemKind::of(array.kind).ok_or(BytesFault::NoBytes)?;
        if array.length == 0 || array.data.is_null() {
            let empty = Column { items, bytes: &[] };
            return if array.is_detached(self.env) { Err(BytesFault::Detached) } else { Ok(read(empty)) };
        }
        let size = array.length * items.size();
        if array.is_shared(self.env) {
            return Ok(read(Column { items, bytes: &array.copy_shared(size) }));
        }
        // SAFETY: as in `with_bytes`; read as bytes, since memory that another addon has given need not be aligned.
        Ok(read(Column { items, bytes: unsafe { std::slice::from_raw_parts(array.data, size) } }))
    }

    /// Writes the numbers into a `Uint32Array` of this length at least; `false` if it is none.
    pub(crate) fn write(self, numbers: &[u32]) -> bool {
        let fits = |array: &TypedArray| {
            array.kind == sys::TypedarrayType::uint32_array
                && array.length >= numbers.len()
                && (numbers.is_empty() || !array.data.is_null())
        };
        let Some(array) = self.typed_array().filter(fits) else { return false };
        // SAFETY: the array has room for the numbers, and they are no part of it; bytes need no alignment.
        unsafe { ptr::copy_nonoverlapping(numbers.as_ptr().cast::<u8>(), array.data, size_of_val(numbers)) };
        true
    }

    /// For how many numbers a `Uint32Array` has room; 0 for any other value.
    pub(crate) fn room(self) -> usize {
        let array = self.typed_array().filter(|array| array.kind == sys::TypedarrayType::uint32_array);
        array.map_or(0, |array| array.length)
    }

    fn typed_array(self) -> Option<TypedArray> {
        let (mut kind, mut length, mut data, mut buffer) = (0, 0, ptr::null_mut(), ptr::null_mut());
        // SAFETY: see `Value`; all results are written on success, and the offset is not asked for.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                self.raw,
                &raw mut kind,
                &raw mut length,
                &raw mut data,
                &raw mut buffer,
                ptr::null_mut(),
            )
        };
        (status == sys::Status::napi_ok).then_some(TypedArray { kind, length, data: data.cast(), buffer })
    }

    /// What the addon has handed out as an `External` of this type.
    pub(crate) fn external<'a, T: 'static>(self) -> Option<&'a T> {
        if self.kind() != ValueType::External {
            return None;
        }
        // SAFETY: see `Value`; napi finds out whether it is one of this type.
        let external = unsafe { External::<T>::from_napi_ref(self.env, self.raw) };
        external.ok().map(External::as_ref)
    }

    /// A number as a double.
    pub(crate) fn number(self) -> Option<f64> {
        let mut number = 0.0;
        // SAFETY: see `Value`.
        let status = unsafe { sys::napi_get_value_double(self.env, self.raw, &raw mut number) };
        (status == sys::Status::napi_ok).then_some(number)
    }

    pub(crate) fn big_words(self) -> Option<BigWords> {
        let (mut sign, mut low, mut words) = (0, 0, 1);
        // SAFETY: see `Value`; there is room for the one word that is asked for, and `words` becomes how many there are.
        let status = unsafe {
            sys::napi_get_value_bigint_words(self.env, self.raw, &raw mut sign, &raw mut words, &raw mut low)
        };
        (status == sys::Status::napi_ok).then_some(BigWords {
            negative: sign != 0,
            low: if words == 0 { 0 } else { low },
            words,
        })
    }

    /// The highest of the words of a `BigInt` that has so many.
    pub(crate) fn highest_word(self, words: usize) -> Option<u64> {
        let (mut sign, mut all, mut count) = (0, vec![0; words], words);
        // SAFETY: see `Value`; there is room for the words that are asked for.
        let status = unsafe {
            sys::napi_get_value_bigint_words(self.env, self.raw, &raw mut sign, &raw mut count, all.as_mut_ptr())
        };
        if status == sys::Status::napi_ok { all.last().copied() } else { None }
    }

    pub(crate) fn is_array(self) -> bool {
        self.is(sys::napi_is_array)
    }

    /// Whether the value holds bytes in a way that is no key: an `ArrayBuffer`, a `DataView` or a typed array.
    pub(crate) fn is_binary(self) -> bool {
        self.is(sys::napi_is_arraybuffer) || self.is(sys::napi_is_typedarray) || self.is(sys::napi_is_dataview)
    }

    fn is(self, ask: unsafe fn(sys::napi_env, sys::napi_value, *mut bool) -> sys::napi_status) -> bool {
        let mut answer = false;
        // SAFETY: see `Value`; the functions passed write their answer on success.
        unsafe { ask(self.env, self.raw, &raw mut answer) == sys::Status::napi_ok && answer }
    }

    /// The length of an array.
    pub(crate) fn length(self) -> u32 {
        let mut length = 0;
        // SAFETY: see `Value`.
        let status = unsafe { sys::napi_get_array_length(self.env, self.raw, &raw mut length) };
        if status == sys::Status::napi_ok { length } else { 0 }
    }

    /// The element of an array: `undefined` past its end. This may run JavaScript, a getter's.
    pub(crate) fn element(self, index: u32) -> Result<Value, Thrown> {
        let mut raw = ptr::null_mut();
        // SAFETY: see `Value`.
        let status = unsafe { sys::napi_get_element(self.env, self.raw, index, &raw mut raw) };
        if status == sys::Status::napi_ok { Ok(Value { env: self.env, raw }) } else { Err(Thrown) }
    }

    /// Calls `body` with elements of an array, and frees what was made for them: else the parts of a large key would all be kept to its
    /// end. An array that has become shorter meanwhile gives `undefined`.
    pub(crate) fn with_elements<E: From<Thrown>>(
        self,
        indices: Range<u32>,
        mut body: impl FnMut(Value) -> Result<(), E>,
    ) -> Result<(), E> {
        let _scope = Scope::open(self.env).ok_or(Thrown)?;
        for index in indices {
            body(self.element(index)?)?;
        }
        Ok(())
    }
}

struct TypedArray {
    kind: sys::napi_typedarray_type,
    /// In elements.
    length: usize,
    data: *mut u8,
    buffer: sys::napi_value,
}

impl TypedArray {
    fn is_detached(&self, env: sys::napi_env) -> bool {
        Value { env, raw: self.buffer }.is(sys::napi_is_detached_arraybuffer)
    }

    /// Whether other threads can write to it: a `SharedArrayBuffer` is no `ArrayBuffer` to Node-API.
    fn is_shared(&self, env: sys::napi_env) -> bool {
        !Value { env, raw: self.buffer }.is(sys::napi_is_arraybuffer)
    }

    /// A copy of the array's bytes, `size` in all, that other threads may be writing to.
    fn copy_shared(&self, size: usize) -> Vec<u8> {
        // SAFETY: the array has this many bytes, and only atomic reads touch them here, so that a write elsewhere is no data race.
        (0..size).map(|at| unsafe { AtomicU8::from_ptr(self.data.add(at)) }.load(Ordering::Relaxed)).collect()
    }
}

struct Scope {
    env: sys::napi_env,
    raw: sys::napi_handle_scope,
}

impl Scope {
    fn open(env: sys::napi_env) -> Option<Scope> {
        let mut raw = ptr::null_mut();
        // SAFETY: the environment is valid, see `Value`.
        let status = unsafe { sys::napi_open_handle_scope(env, &raw mut raw) };
        (status == sys::Status::napi_ok).then_some(Scope { env, raw })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        // SAFETY: the scope was opened in this call, and those opened after it are closed. A failure could only be reported by a panic.
        unsafe { sys::napi_close_handle_scope(self.env, self.raw) };
    }
}
