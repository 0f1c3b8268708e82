/** Finds a browser for tests of pages. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the path of an installed browser; undefined if there is none, so tests of pages are skipped. */
export function findBrowser(): string | undefined {
  const configuredPath = process.env.CHROMIUM_PATH
  if (configuredPath) return existsSync(configuredPath) ? configuredPath : undefined
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
}

/** Chromium flags. Its sandbox does not run as root, as in containers; the tested pages are trusted. */
export const BROWSER_ARGS = ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb']
