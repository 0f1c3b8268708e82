import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A browser of this machine; undefined if there is none, and the tests of pages are skipped then. */
export function findBrowser(): string | undefined {
  const named = process.env.CHROMIUM_PATH
  if (named) return existsSync(named) ? named : undefined
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
}

/** Chromium's own sandbox refuses to run as root, which containers do; the pages are the project's. */
export const BROWSER_ARGS = ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb']
