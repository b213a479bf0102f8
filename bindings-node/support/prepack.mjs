// Run by npm before it packs: a tarball without the addon would only fail where it is installed.

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))

if (!readdirSync(folder).some(name => /^keystead\..*\.node$/.test(name))) {
  console.error(`no keystead.*.node in ${folder}: run npm run build first`)
  process.exit(1)
}
