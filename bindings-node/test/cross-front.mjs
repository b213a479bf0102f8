// The Node front of tests/cross.py: a request a line in, its answer a line out.

import { createInterface } from 'node:readline'

import { answerRequest } from '../support/front.mjs'

// A test runner that is given the whole folder starts this too, and never closes its input.
if (process.env.NODE_TEST_CONTEXT === undefined) {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    // Written at once, since the asker waits for it.
    process.stdout.write(`${JSON.stringify(answerRequest(JSON.parse(line)))}\n`)
  }
}
