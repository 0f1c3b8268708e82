/** Starts the browser of the tests. */
import { BROWSER_ARGS } from '@sluice/api/testing'
import { type Browser, chromium } from 'playwright-core'

export { findBrowser } from '@sluice/api/testing'

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: BROWSER_ARGS })
}
