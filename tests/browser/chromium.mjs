// The Chromium that Debian packages, driven by playwright-core.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

import { chromium } from 'playwright-core'

// `cargo xtask test browser` installs it where it is missing.
const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium')).find((file) => existsSync(file))

export const launch = () => chromium.launch({ executablePath: process.env.KEYSTEAD_CHROMIUM ?? found, args: ['--no-sandbox', '--force-color-profile=srgb'] })

/** The content width of A4 in the page's own margins of 14 mm, in CSS pixels. */
export const PAPER = { width: Math.floor(((210 - 28) / 25.4) * 96), height: 1017 }
