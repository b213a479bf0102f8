// Every page of --html in a real Chromium, at the size of a phone, a laptop and a sheet of paper, light and dark: nothing is said on the
// console, nothing is asked of the network, nothing is cut off, and every number is the one that --json gives.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { PAPER, launch } from './chromium.mjs'
import { pages } from './clusters.mjs'
import { faults, numbers } from './look.mjs'

const SIZES = {
  phone: { viewport: { width: 390, height: 844 }, media: 'screen' },
  laptop: { viewport: { width: 1280, height: 800 }, media: 'screen' },
  paper: { viewport: PAPER, media: 'print' },
}

const folder = mkdtempSync(join(tmpdir(), 'keystead-pages-'))
const all = pages(process.env.KEYSTEAD_COMMAND, folder, process.env.KEYSTEAD_PAGE)
let browser

before(async () => {
  browser = await launch()
})
after(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

/** What a JSON pointer leads to. */
function at(json, pointer) {
  return pointer.split('/').slice(1).reduce((value, part) => value?.[part], json)
}

const exact = (value) => (Array.isArray(value) ? value.join('/') : String(value))
const float = (value) => (Array.isArray(value) ? Number(value[0]) / Number(value[1]) : Number(value))
const UNITS = { B: 0, kB: 1, MB: 2, GB: 3, TB: 4, PB: 5 }

/** Whether the words for people are the number, rounded to the digits that they have. */
function says(shown, value) {
  const under = /^(?:under|p <) ([\d.]+)( %)?$/.exec(shown)
  if (under) return value > 0 && value < Number(under[1]) / (under[2] ? 100 : 1)
  if (shown === 'drained') return value === 0
  const [, number, unit] = /^(?:p = )?([\d,]+(?:\.\d+)?) ?(%|[kMGTP]?B)?$/.exec(shown) ?? []
  if (number === undefined) return false
  const scale = unit === '%' ? 100 : unit ? 1000 ** -UNITS[unit] : 1
  const decimals = number.split('.')[1]?.length ?? 0
  // A half more, and a little for the rounding of doubles.
  return Math.abs(Number(number.replaceAll(',', '')) - value * scale) <= 0.5 * 10 ** -decimals * (1 + 1e-6) * (decimals || unit ? 1 : 1e-9)
}

test('the words for people are judged by their digits', () => {
  for (const [shown, value] of [['1,367', 1367], ['8.33 %', 1 / 12], ['under 0.01 %', 1e-5], ['75.4 MB', 75_412_345], ['p = 0.47', 0.4712], ['0 B', 0]]) assert.ok(says(shown, value), shown)
  for (const [shown, value] of [['1,368', 1367], ['8.34 %', 1 / 12], ['under 0.01 %', 0.01], ['0.00 %', 0.3], ['75.4 kB', 75_412_345], ['', 0], ['1367', 1366.9]]) assert.ok(!says(shown, value), shown)
})

for (const { name, page: file, json } of all) {
  test(name, async (t) => {
    for (const [size, { viewport, media }] of Object.entries(SIZES)) {
      for (const colorScheme of ['light', 'dark']) {
        await t.test(`${size}, ${colorScheme}`, async () => {
          const context = await browser.newContext({ viewport, colorScheme })
          const page = await context.newPage()
          const said = []
          page.on('console', (message) => said.push(`console: ${message.text()}`))
          page.on('pageerror', (error) => said.push(`error: ${error}`))
          page.on('request', (request) => said.push(`request: ${request.url()}`))
          await page.emulateMedia({ media, colorScheme })
          const url = pathToFileURL(file).href
          await page.goto(url)
          assert.deepEqual(await page.evaluate(faults), [])
          await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)))
          assert.deepEqual(await page.evaluate(faults), [], 'with all details open')
          // Paper is white in either.
          if (size === 'paper' && colorScheme === 'light') {
            const paper = await page.pdf({ preferCSSPageSize: true, printBackground: true })
            assert.equal(paper.subarray(0, 5).toString(), '%PDF-')
          }
          assert.deepEqual(said, [`request: ${url}`])
          await context.close()
        })
      }
    }
    await t.test('numbers', async () => {
      const page = await browser.newPage()
      await page.goto(pathToFileURL(file).href)
      check(await page.evaluate(numbers), json)
      await page.close()
    })
  })
}

function check(page, json) {
  assert.equal(page.hacked, null)
  assert.equal(page.scripts, 0)
  assert.deepEqual(page.elements.filter((name) => ['img', 'b', 'i', 'iframe', 'object', 'script', 'link'].includes(name)), [])
  assert.ok(page.figures.length > 0)
  for (const { at: pointer, exact: value, shown } of page.figures) {
    const real = at(json, pointer)
    assert.ok(real !== undefined && real !== null, `${pointer} is in --json`)
    if (typeof real === 'number') assert.equal(Number(value), real, pointer)
    else assert.equal(value, exact(real), pointer)
    // "Of its share" is a part of what --json leads to, and stands without a pointer.
    assert.ok(says(shown, float(real)), `${pointer}: "${shown}" is ${exact(real)}`)
  }
  assert.ok(page.texts.length > 0)
  for (const { at: pointer, text } of page.texts) assert.equal(text, at(json, pointer), pointer)
  for (const { at: pointer, exact: value, shown } of page.lengths) {
    assert.equal(Number(value), at(json, pointer).length, pointer)
    assert.ok(says(shown, Number(value)))
  }
  lists(page, json)
  matrix(page, json)
  const moved = json.slots instanceof Array ? json.slots : (json.difference?.slots ?? [])
  for (const { id, exact: value } of page.slots.filter(() => moved.length > 0)) {
    assert.equal(Number(value), moved.filter((slot) => slot.to === id).length, id)
  }
}

/** Every node is in some table, with figures of every column; what a table leaves out is summed exactly. */
function lists(page, json) {
  assert.ok(page.tables.length > 0 || json.nodes === undefined)
  for (const list of new Set(page.tables.map((table) => table.list))) {
    const nodes = at(json, list)
    const whole = page.tables.filter((table) => table.list === list).find((table) => table.rows.length === nodes.length)
    assert.ok(whole, `${list}: all ${nodes.length} nodes are listed`)
    assert.ok(whole.rows.every((row) => row.at.length === whole.rows[0].at.length && row.at.length > 0))
    whole.rows.forEach((row, index) => {
      // Ids with characters that a reader would obey are shown escaped.
      if (!/[\p{Cc}\u202e]/u.test(nodes[index].id)) assert.equal(row.id, nodes[index].id)
      assert.ok(row.at.every((pointer) => pointer.startsWith(`${list}/${index}/`)))
    })
  }
  for (const table of page.tables.filter((table) => table.rest.length > 0)) {
    const nodes = at(json, table.list)
    const shown = new Set(table.rows.map((row) => Number(row.at[0].slice(table.list.length + 1).split('/')[0])))
    assert.ok(shown.size < nodes.length)
    for (const { member, exact: value, shown: words } of table.rest) {
      const rest = nodes.filter((_, index) => !shown.has(index)).map((node) => at(node, `/${member}`))
      if (rest.every((part) => typeof part === 'number' && !Number.isInteger(part))) {
        assert.ok(Math.abs(rest.reduce((sum, part) => sum + part, 0) - Number(value)) < 1e-9, member)
      } else {
        assert.equal(String(rest.reduce((sum, part) => sum + BigInt(part), 0n)), value, member)
      }
      assert.ok(says(words, Number(value)), `${member}: ${words}`)
    }
  }
}

/** The sums of the matrix are what moves in all. */
function matrix(page, json) {
  const difference = json.difference ?? json
  if (!difference.expected || page.totals.length === 0) return
  const { counted, expected } = difference
  const wanted = counted ? [counted.moved.keys, ...(counted.total.bytes === '0' ? [] : [counted.moved.bytes])] : [expected.moved]
  assert.equal(page.totals.length, wanted.length)
  wanted.forEach((total, index) => {
    const { exact: value } = page.totals[index]
    if (typeof total === 'number') assert.ok(Math.abs(total - Number(value)) < 1e-6, `${total} ${value}`)
    else assert.equal(value, total)
  })
}
