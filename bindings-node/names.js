'use strict'

// From the indices that the addon answers with to ids, which exist once and are handed out by reference.

// Room for the indices of a short answer. Nothing of the caller's runs between writing and reading it.
const FEW = 64
const few = new Uint32Array(FEW)

/** The ids of up to `most` indices that `write` puts into the array that it is given, and counts. */
function named (ids, most, write) {
  const out = most <= FEW ? few : new Uint32Array(Math.min(most, ids.length))
  const count = write(out)
  return namesOf(ids, out, count)
}

function namesOf (ids, indices, count = indices.length) {
  const names = new Array(count)
  for (let index = 0; index < count; index++) names[index] = ids[indices[index]]
  return names
}

module.exports = { named, namesOf }
