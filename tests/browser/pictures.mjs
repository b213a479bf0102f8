// Takes the pictures of docs/gallery.md and of the front page: `cargo xtask pictures`.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { PAPER, launch } from './chromium.mjs'
import { pages } from './clusters.mjs'

const laptop = { viewport: { width: 1000, height: 700 } }
const phone = { viewport: { width: 390, height: 844 } }
// What each picture shows, how large and how bright, and from where to where; a whole page where nothing is said.
const PICTURES = [
  { name: 'change', page: 'diff-counted', colorScheme: 'light', size: laptop, height: 1360 },
  { name: 'plan-dark', page: 'plan-counted', colorScheme: 'dark', size: laptop, height: 1075 },
  { name: 'slots', page: 'diff-slots', colorScheme: 'light', size: laptop, part: 'figure.map' },
  { name: 'ring-dark', page: 'show-ring', colorScheme: 'dark', size: laptop, part: 'figure.map' },
  { name: 'balance', page: 'balance-many', colorScheme: 'light', size: laptop, height: 760 },
  { name: 'phone-dark', page: 'diff-counted', colorScheme: 'dark', size: phone, height: 1200 },
  { name: 'paper', page: 'diff-bytes', colorScheme: 'light', size: { viewport: PAPER }, media: 'print', height: 832 },
]

/** What a terminal of 80 columns shows of a difference, as a page. */
async function terminal(cluster) {
  const tmux = (...args) => execFileSync('tmux', ['-u', '-L', 'keystead-pictures', '-f', '/dev/null', ...args], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  const call = 'diff live.json next.json --keys keys.txt'
  tmux('new-session', '-d', '-x', '80', '-y', '60', `cd ${cluster} && LC_ALL=C.UTF-8 ${process.env.KEYSTEAD_COMMAND} ${call} && echo END; sleep 60`)
  let text = ''
  for (let tries = 0; tries < 200 && !/^END$/m.test(text); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    text = tmux('capture-pane', '-p')
  }
  tmux('kill-server')
  const shown = text.split(/^END$/m)[0].trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const coloured = shown.replace(/▓{2,}/g, '<i>$&</i>').replace(/░{2,}/g, '<b>$&</b>')
  return `<style>body { margin: 0; background: #14171b } pre { margin: 0; padding: 18px 22px; width: max-content; background: #14171b; color: #e8eaed; font: 14px/1.3 "DejaVu Sans Mono", monospace } i { font-style: normal; color: #5cc48e } b { font-weight: 400; color: #ff8a80 }</style><pre>$ keystead ${call}\n${coloured}</pre>`
}

const [into, wanted = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'keystead-pictures-'))
const browser = await launch()
try {
  const made = new Map()
  for (const { name, page: from, colorScheme, size, media = 'screen', part, height } of PICTURES.filter((picture) => picture.name.includes(wanted))) {
    if (!made.has(from)) made.set(from, pages(process.env.KEYSTEAD_COMMAND, join(folder, from), from).find((one) => one.name === from))
    const context = await browser.newContext({ ...size, colorScheme })
    const page = await context.newPage()
    await page.emulateMedia({ media, colorScheme })
    await page.goto(pathToFileURL(made.get(from).page).href)
    const path = join(into, `${name}.png`)
    if (part) {
      await page.locator(part).first().screenshot({ path })
    } else {
      const { width } = size.viewport
      await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width, height } })
    }
    await context.close()
  }
  if ('terminal'.includes(wanted)) {
    const cluster = join(folder, 'terminal')
    pages(process.env.KEYSTEAD_COMMAND, cluster, 'show-one')
    const page = await browser.newPage()
    await page.setContent(await terminal(cluster))
    await page.locator('pre').screenshot({ path: join(into, 'terminal.png') })
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true })
}
