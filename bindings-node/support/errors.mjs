// The two ways in which a call is refused.

import assert from 'node:assert/strict'

export function wrongType (ask, message) {
  assert.throws(ask, error => error instanceof TypeError && error.code === 'ERR_INVALID_ARG_TYPE' && (message === undefined || message.test(error.message)), String(ask))
}

export function refused (ask, code, message = /./) {
  assert.throws(ask, error => error.constructor === Error && error.code === code && message.test(error.message), `${ask} with ${code}`)
}
