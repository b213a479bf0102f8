// The Chromium that Debian packages, driven by playwright-core.

import { chromium } from 'playwright-core'

// Named by `cargo xtask test browser`, which finds or installs it.
export const launch = () =>
  chromium.launch({ executablePath: process.env.KEYSTEAD_CHROMIUM ?? 'chromium', args: ['--no-sandbox', '--force-color-profile=srgb'] })

/** The content width of A4 in the page's own margins of 14 mm, in CSS pixels. */
export const PAPER = { width: Math.floor(((210 - 28) / 25.4) * 96), height: 1017 }
