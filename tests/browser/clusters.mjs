// The pages that are looked at: clusters of every algorithm, small, large and hostile, each asked by the command itself.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = (nodes, more = {}) => JSON.stringify({ keystead: 1, ...more, nodes })
const numbered = (count, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ id: `cache-${String(at + from).padStart(4, '0')}` }))

// What a page must show as text and nothing else: markup, quotes, other directions of writing, wide and long names.
const HOSTILE = [
  { id: '<script>window.hacked = 1</script>' },
  { id: '"><img src=x onerror="window.hacked=1">', weight: 3 },
  { id: "</title></style><b>'bold'</b>&amp;" },
  { id: 'عقدة-ذاكرة-التخزين', weight: 2, location: ['المنطقة', 'أ'] },
  { id: 'מטמון-ראשי' },
  { id: '🦀🚀👩‍👩‍👧‍👦-emoji' },
  { id: '緩存節點一號', weight: 2 },
  { id: 'reversed-\u202Egnp.exe' },
  { id: 'x'.repeat(255), weight: 4 },
  { id: `${'节'.repeat(84)}end`, weight: 2 },
  { id: 'c1\u0085control' },
  { id: ' spaces around ' },
]

/** Makes the files in `folder`, asks for every page whose name has `wanted` in it, and gives back [{name, page, json}]. */
export function pages(command, folder, wanted = '') {
  mkdirSync(folder, { recursive: true })
  const path = (name) => join(folder, name)
  const write = (name, text) => {
    writeFileSync(path(name), text)
    return name
  }
  const keystead = (...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })

  const zones = (nodes) => nodes.map((node, at) => ({ ...node, location: [`eu-${at % 2}`, `zone-${at % 5}`] }))
  write('one.json', file(numbered(1)))
  write('two.json', file(numbered(2)))
  const live = numbered(8).map((node, at) => ({ ...node, weight: [1, 4, 0, 1, 2, 1, 2, 1][at], address: `10.7.0.${at}:11211` }))
  write('live.json', file(zones(live), { epoch: 42, levels: ['region', 'zone'] }))
  write('next.json', file(zones([...live.map((node, at) => (at === 3 ? { ...node, weight: 0 } : node)), { id: 'cache-new' }]), { epoch: 43, levels: ['region', 'zone'] }))
  write('ring.json', file(numbered(5), { algorithm: 'ring-1', tokens_per_weight: 64 }))
  write('ring-next.json', file(numbered(5, 1), { algorithm: 'ring-1', tokens_per_weight: 64 }))
  write('slots.json', file(numbered(9), { algorithm: 'slots-1' }))
  write('slots-next.json', file(numbered(11), { algorithm: 'slots-1' }))
  write('tree.json', file(zones(numbered(20)), { algorithm: 'hierarchy-1', levels: ['region', 'zone'] }))
  write('tree-next.json', file(zones(numbered(20)).slice(1), { algorithm: 'hierarchy-1', levels: ['region', 'zone'] }))
  write('many.json', file(numbered(1000)))
  write('many-next.json', file([...numbered(1000).slice(3), { id: 'cache-new', weight: 5 }]))
  write('hostile.json', file(HOSTILE, { comment: '<script>window.hacked = 1</script>' }))
  write('hostile-next.json', file(HOSTILE.slice(1).map((node, at) => ({ ...node, weight: at + 1 }))))
  write('keys.txt', Array.from({ length: 20000 }, (_, at) => `user:${at}\n`).join(''))
  write('keys.csv', 'key,size,hits\n' + Array.from({ length: 5000 }, (_, at) => `user:${at},${1000 + ((at * 7919) % 90000)},${at === 7 ? 900 : 1}\n`).join('') + '<b>hot</b>,900000,2000\n')
  keystead('plan', 'live.json', 'next.json', '--limit', '4%', '-o', 'steps')

  const csv = ['--keys', 'keys.csv', '--keys-format', 'csv', '--bytes-column', 'size']
  const calls = {
    'show-one': ['show', 'one.json'],
    'show-rendezvous': ['show', 'live.json'],
    'show-ring': ['show', 'ring.json'],
    'show-slots': ['show', 'slots.json'],
    'show-hierarchy': ['show', 'tree.json'],
    'show-transition': ['show', 'steps/step-2.json'],
    'show-many': ['show', 'many.json'],
    'show-hostile': ['show', 'hostile.json'],
    'diff-expected': ['diff', 'live.json', 'next.json'],
    'diff-counted': ['diff', 'live.json', 'next.json', '--keys', 'keys.txt'],
    'diff-bytes': ['diff', 'live.json', 'next.json', ...csv],
    'diff-copies': ['diff', 'live.json', 'next.json', '-r', '2', '--spread', 'zone', '--keys', 'keys.txt'],
    'diff-copies-expected': ['diff', 'live.json', 'next.json', '-r', '2'],
    'diff-ring': ['diff', 'ring.json', 'ring-next.json'],
    'diff-slots': ['diff', 'slots.json', 'slots-next.json'],
    'diff-hierarchy': ['diff', 'tree.json', 'tree-next.json', '--keys', 'keys.txt'],
    'diff-transition': ['diff', 'steps/step-1.json', 'steps/step-2.json'],
    'diff-same': ['diff', 'live.json', 'live.json'],
    'diff-one': ['diff', 'one.json', 'two.json'],
    'diff-many': ['diff', 'many.json', 'many-next.json', '--keys', 'keys.txt'],
    'diff-hostile': ['diff', 'hostile.json', 'hostile-next.json', ...csv],
    'plan-counted': ['plan', 'live.json', 'next.json', ...csv, '--limit', '4MB', '--limit', '3%/node'],
    'plan-expected': ['plan', 'live.json', 'next.json', '--limit', '4%'],
    'plan-slots': ['plan', 'slots.json', 'slots-next.json', '--limit', '0.2%'],
    'plan-hostile': ['plan', 'hostile.json', 'hostile-next.json', '--keys', 'keys.txt', '--limit', '1500keys'],
    'plan-nothing': ['plan', 'live.json', 'live.json', '--limit', '4%'],
    'balance-even': ['balance', 'live.json', '--keys', 'keys.txt', '--baseline', 'jump', '--baseline', 'modulo'],
    'balance-hot': ['balance', 'live.json', ...csv, '--count-column', 'hits'],
    'balance-many': ['balance', 'many.json', '--keys', 'keys.txt'],
    'balance-hostile': ['balance', 'hostile.json', '--keys', 'keys.txt'],
  }
  return Object.entries(calls).filter(([name]) => name.includes(wanted)).map(([name, call]) => {
    const page = `${name}.html`
    const json = JSON.parse(keystead(...call, '--json', '--html', page))
    return { name, page: path(page), json }
  })
}
