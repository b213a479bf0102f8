// What show, diff and balance draw in a real terminal: within its width, with colours and without, with blocks and with ASCII.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const command = process.env.KEYSTEAD_COMMAND
const folder = mkdtempSync(join(tmpdir(), 'keystead-terminal-'))
const socket = `keystead-${process.pid}`
const tmux = (...args) => execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })

// The server ends with its last session: one stays until the end. Its own locale is UTF-8, whatever the command is told.
const start = (...args) =>
  execFileSync('tmux', ['-u', '-L', socket, '-f', '/dev/null', 'new-session', '-d', ...args], { env: { ...process.env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' } })
start('sleep', '600')

after(() => {
  tmux('kill-server')
  rmSync(folder, { recursive: true })
})

const nodes = [
  { id: 'cache-a', weight: 1 }, { id: '緩存節點一號', weight: 4 }, { id: 'cache-c', weight: 0 }, { id: 'cache-d' }, { id: 'cache-é', weight: 2 }, { id: 'מטמון' },
].map((node, at) => ({ ...node, location: ['eu-1', `1${'abc'[at % 3]}`], address: `10.7.0.${at}:11211` }))
const cluster = (nodes) => JSON.stringify({ keystead: 1, epoch: 1, levels: ['region', 'zone'], nodes })
writeFileSync(join(folder, 'live.json'), cluster(nodes))
writeFileSync(join(folder, 'next.json'), cluster([...nodes.map((node, at) => (at === 3 ? { ...node, weight: 0 } : node)), { id: 'cache-new', location: ['eu-1', '1c'] }]))
writeFileSync(join(folder, 'keys.txt'), Array.from({ length: 20000 }, (_, at) => `user:${at}\n`).join(''))

const CALLS = {
  show: 'show live.json',
  diff: 'diff live.json next.json --keys keys.txt',
  'diff of all keys': 'diff live.json next.json',
  balance: 'balance live.json --keys keys.txt',
}
const UTF8 = 'LC_ALL=C.UTF-8'

let windows = 0
/** What a terminal of this width shows at the end, with the escapes of its colours; lines that it had to break stay broken. */
async function screen(width, variables, call) {
  const session = `w${windows++}`
  const shell = `cd ${folder} && env -u NO_COLOR -u CLICOLOR ${variables} ${command} ${call}; echo END; sleep 60`
  start('-s', session, '-x', String(width), '-y', '100', 'sh', '-c', shell)
  for (let tries = 0; tries < 200; tries += 1) {
    const lines = tmux('capture-pane', '-p', '-e', '-t', session).split('\n')
    const end = lines.findIndex((line) => line.replace(/\x1b\[[\d;]*m/g, '').trim() === 'END')
    if (end >= 0) {
      tmux('kill-session', '-t', session)
      return { lines: lines.slice(0, end), plain: lines.slice(0, end).map((line) => line.replace(/\x1b\[[\d;]*m/g, '')) }
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`${call} does not end`)
}

for (const width of [40, 80, 200]) {
  for (const [name, call] of Object.entries(CALLS)) {
    test(`${name} in ${width} columns`, async () => {
      const { lines, plain } = await screen(width, UTF8, call)
      const header = plain.findIndex((line) => line.startsWith('node'))
      assert.ok(header >= 0, plain.join('\n'))
      const rows = plain.slice(header + 1).slice(0, plain.slice(header + 1).findIndex((line) => !/^(cache|緩存|מטמון)/.test(line)))
      // A line of the table that were too long would go on in a line that begins with something else.
      assert.ok(rows.length >= 4, plain.join('\n'))
      assert.ok(rows.some((row) => /[█▓░]/.test(row)), `there are bars: ${plain.join('\n')}`)
      assert.ok(lines.join('').includes('\x1b['), 'in colour')
      if (name !== 'show') {
        assert.ok(plain.some((line) => line.startsWith('█ ')), 'the marks are named')
      }
      if (name.startsWith('diff')) assert.ok(plain.some((line) => line.startsWith('from ↓ to →')), `a small matrix: ${plain.join('\n')}`)
      // Wide characters take two columns, and the figures stand under each other all the same.
      const columns = rows.map((row) => [...row].reduce((sum, char) => ({ at: sum.at + (/[\u2e80-\u9fff]/.test(char) ? 2 : 1), bar: sum.bar ?? (/[█▏▎▍▌▋▊▉▓░]/.test(char) ? sum.at : undefined) }), { at: 0, bar: undefined }).bar)
      assert.equal(new Set(columns.filter((at) => at !== undefined)).size, 1, rows.join('\n'))
    })

    test(`${name} in ${width} columns without colour`, async () => {
      const { lines, plain } = await screen(width, `${UTF8} NO_COLOR=1`, call)
      assert.deepEqual(lines, plain, 'no escapes')
      const coloured = await screen(width, UTF8, call)
      assert.deepEqual(plain, coloured.plain, 'the same text')
    })

    test(`${name} in ${width} columns of ASCII`, async () => {
      const { plain } = await screen(width, 'LC_ALL=C', call)
      const header = plain.findIndex((line) => line.startsWith('node'))
      const drawn = plain.slice(header)
      assert.ok(drawn.some((line) => /[#=]{2}/.test(line)), drawn.join('\n'))
      assert.ok(!drawn.some((line) => /[\u2580-\u259f↓→]/.test(line.replace(/a new owner.*/, ''))), drawn.join('\n'))
    })
  }
}

test('a pipe has figures and no drawings of a screen', () => {
  const piped = execFileSync(command, CALLS.diff.split(' '), { cwd: folder, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })
  assert.ok(/^node +before +after +in +out$/m.test(piped))
  assert.ok(!/[█▓░\x1b]/.test(piped))
})
