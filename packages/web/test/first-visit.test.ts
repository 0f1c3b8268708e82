/**
 * The first visit of a new user: opens the page, reads what it is, swaps, reads the receipt, and has it explained. Keeps pictures of
 * each step, in two widths and two themes; with `PICTURES=1` also those of the documentation.
 *
 * @module-tag long
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
const WAIT = { timeout: 50_000 }
/** A visit has several waits, each of which may take long on a busy machine. */
const VISIT_MS = 180_000
const documented = process.env.PICTURES === '1'
const shots = join(import.meta.dirname, '../../../docs/playground/first-visit')

/** Without LONG or pictures: each theme and each width once, since a theme changes no width. */
const visits = (['light', 'dark'] as const).flatMap((theme) =>
  [1440, 390]
    .filter((width) => process.env.LONG || documented || (width === 1440) === (theme === 'light'))
    .map((width) => ({ theme, width })),
)

describe.skipIf(!browser)('a first visit', () => {
  let stage: Stage
  beforeAll(async () => {
    if (documented) mkdirSync(shots, { recursive: true })
    stage = await startStage(browser!, { RPC_TIMEOUT_MS: '30000', REQUEST_TIMEOUT_MS: '60000' })
    await fetch(`${stage.server.url}/prices/31337?token=${stage.token('WETH')}`)
  })
  afterAll(() => stage?.stop())

  test.each(visits)(
    'from the first paint to the explanation: $theme, $width px',
    { timeout: VISIT_MS },
    async ({ theme, width }) => {
      const viewport = { width, height: width < 720 ? 844 : 960 }
      const { page, complaints } = await stage.open('/health', { colorScheme: theme, viewport, isOwn: true })
      const keep = async (step: string) => {
        if (!documented) return
        await page.evaluate(() => document.fonts.ready)
        await page.screenshot({ path: join(shots, `${step}-${theme}-${width}.png`) })
      }
      // What the page is stands in its HTML, before any script.
      const html = await (await fetch(`${stage.server.url}/`)).text()
      expect(html).toContain('Sluice splits your order over the pools of a chain')
      await page.goto(stage.server.url)
      await page.getByText('Sluice splits your order over the pools of a chain').waitFor(WAIT)
      await page.locator('.gt').first().waitFor(WAIT)
      const swap = page.locator('.btn--go', { hasText: /^(Approve WETH and swap|Swap)$/ })
      await swap.waitFor(WAIT)
      await page.locator('.pair__depth').waitFor(WAIT)
      await keep('1-open')
      await swap.click()
      await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
      await page.getByRole('heading', { name: 'Quoted vs received' }).waitFor(WAIT)
      await keep('2-receipt')
      await page.getByRole('link', { name: 'Explain this transaction' }).click()
      await page.getByText('This transaction is in a block, and succeeded.').waitFor(WAIT)
      await page.getByText('Checking prices…').waitFor({ ...WAIT, state: 'detached' })
      await keep('3-explain')
      expect(complaints).toEqual([])
    },
  )
})
