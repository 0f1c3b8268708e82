/**
 * Browser tests of the Accuracy page.
 *
 * @module-tag long
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { devnetDir } from '@sluice/api/testing'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { measure, type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
const WAIT = { timeout: 60_000 }
const PATH = '/app/honesty'
const STATS = '**/stats/31337*'

describe.skipIf(!browser)('the page of quote accuracy', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(browser!, { DRIFT_SAMPLE_PERCENT: '100' })
  })
  afterAll(() => stage?.stop())

  const json = (body: unknown) => ({ status: 200, contentType: 'application/json', body: JSON.stringify(body) })
  const now = async () => (await fetch(`${stage.server.url}/stats/31337`)).json() as Promise<Record<string, unknown>>

  test('reports that there are no measurements yet, and why', async () => {
    const { page, complaints } = await stage.open(PATH)
    await page.getByText('Nothing measured yet.').waitFor(WAIT)
    await page.getByText('No data yet. Make a quote and wait two blocks.').waitFor()
    expect(await page.locator('.hn__sums dd').allTextContents()).toEqual(['0', 'not known', 'not known', 'not known'])
    expect(complaints).toEqual([])
  })

  test('shows measurements by family, DEX, and pool; the URL keeps the view, and back works', async () => {
    await measure(stage)
    const { page, complaints } = await stage.open(PATH)
    await page
      .locator('.plot__dot')
      .first()
      .waitFor({ ...WAIT, state: 'attached' })
    expect(await page.locator('tbody .sym').first().textContent()).toMatch(/^[a-z0-9-]+$/)
    await page.getByRole('button', { name: 'Pools' }).click()
    await page.getByRole('heading', { name: 'Pools' }).waitFor()
    await page.locator('tbody .sym').nth(1).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('pick')).toMatch(/^0x[0-9a-f]{40,64}$/)
    const name = await page.locator('#picked').textContent()
    const { page: other } = await stage.open(page.url().slice(stage.server.url.length))
    await other.getByRole('heading', { name: name! }).waitFor(WAIT)
    await page.goBack()
    await page.goBack()
    await page.getByRole('heading', { name: 'Families' }).waitFor(WAIT)
    expect(complaints).toEqual([])
  })

  test('works with the keyboard', async () => {
    const { page } = await stage.open('/app/chains')
    // The heading is there before scripts run, but keys work only after that.
    await page.locator('.head-chip').first().waitFor(WAIT)
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('heading', { name: 'Quote accuracy' }).waitFor(WAIT)
    await page.getByRole('button', { name: 'Brands' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Brands' }).waitFor()
    const row = page.locator('tbody .sym').last()
    await row.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => row.getAttribute('aria-pressed')).toBe('true')
  })

  test('reserves space for every figure, without a layout shift when the response arrives', async () => {
    const { page } = await stage.open('/health')
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(STATS, async (route) => {
      await released
      await route.continue()
    })
    await page.goto(`${stage.server.url}${PATH}`)
    await page.locator('.hn__sums .sk').first().waitFor(WAIT)
    const top = () => page.locator('.pd').boundingBox()
    const before = await top()
    release()
    await page
      .locator('.plot__dot')
      .first()
      .waitFor({ ...WAIT, state: 'attached' })
    expect(Math.abs((await top())!.y - before!.y)).toBeLessThan(40)
  })

  test('reports that the service does not answer, without figures or with the last ones', async () => {
    const { page } = await stage.open('/health', { isOwn: true })
    await page.clock.install()
    await page.route(STATS, (route) => route.abort())
    await page.goto(`${stage.server.url}${PATH}`)
    await appearsLater(page, page.getByRole('alert'))
    expect(await page.locator('table').count()).toBe(0)
    await page.unroute(STATS)
    await appearsLater(page, page.locator('.plot__dot'))
    await page.route(STATS, (route) => route.abort())
    await appearsLater(page, page.getByText('These figures were measured until'))
    expect(await page.locator('.hn--stale tbody .sym').count()).toBeGreaterThan(0)
  })

  test('reports that the operator has switched sampling off', async () => {
    const { page } = await stage.open('/health')
    const off = { ...(await now()), samplePercent: 0 }
    await page.route(STATS, (route) => route.fulfill(json(off)))
    await page.goto(`${stage.server.url}${PATH}`)
    await page.getByText('This service measures nothing.').waitFor(WAIT)
  })

  test('lists the excluded pools, and those that are ranked lower', async () => {
    const { page } = await stage.open('/health')
    const base = { protocol: 'uniswap-v2', dex: 'Lies', samples: 14, withdrew: 13.2 }
    const withdrawing = [
      { ...base, pool: `0x${'a'.repeat(40)}`, haircutPercent: 100, leftOutUntil: 1_790_000_000 },
      { ...base, pool: `0x${'b'.repeat(40)}`, haircutPercent: 2.5, leftOutUntil: null },
    ]
    const stats = { ...(await now()), withdrawing }
    await page.route(STATS, (route) => route.fulfill(json(stats)))
    await page.goto(`${stage.server.url}${PATH}`)
    const panel = page.getByRole('region', { name: 'Unreliable pools' })
    await panel.getByText(/left out until \d\d:\d\d UTC/).waitFor(WAIT)
    await panel.getByText('2.50').waitFor()
    await shoot(page, 'honesty-left-out')
  })

  test('draws no malformed response, and sanitizes names', async () => {
    const { page, complaints } = await stage.open('/health')
    const evil = '\u202e<img src=x onerror=alert(1)>\u0000\u200b\u0301\u0301\u0301\n{{7*7}}'
    const one = {
      after: 1,
      samples: '12',
      wouldRevertPercent: 1e300,
      driftBps: { mean: 'x', median: 1e20, worst5: null },
    }
    const hostile = {
      ...{ chainId: '31337', samplePercent: 'all', samples: -5, missed: null, blocks: [null, 7, one] },
      families: [null, 1, { protocol: evil, blocks: [one] }, { protocol: evil, blocks: {} }, { protocol: { a: 1 } }],
      brands: Array.from({ length: 500 }, (_, k) => ({
        dex: `${evil}${k}${'W'.repeat(1_000 * (k % 2))}`,
        blocks: [],
      })),
      pools: [{ pool: `javascript:alert(1)//${evil}`, protocol: '__proto__', dex: evil, blocks: [one] }],
      withdrawing: [
        { pool: evil, protocol: evil, dex: evil.repeat(50), haircutPercent: 1e9, leftOutUntil: -1e300, samples: {} },
      ],
    }
    page.on('dialog', () => complaints.push('a dialog'))
    await page.route(STATS, (route) => route.fulfill(json(hostile)))
    for (const by of ['family', 'brand', 'pool', 'constructor']) {
      await page.goto(`${stage.server.url}${PATH}?by=${by}&pick=${encodeURIComponent(evil)}`)
      await page.locator('.hn__sums dd .num').first().waitFor(WAIT)
      await page.setViewportSize({ width: 320, height: 800 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(wide, by).toBeLessThanOrEqual(0)
      const text = (await page.locator('main').textContent()) ?? ''
      expect(
        [...text].filter((character) => /[\p{Cc}\p{Cf}\p{Mn}]/u.test(character)),
        by,
      ).toEqual([])
      expect(await page.locator('main img').count()).toBe(0)
      expect(await page.locator('main tbody tr').count()).toBeLessThan(250)
      expect(text).not.toContain('NaN')
      expect(text).not.toContain('Invalid')
    }
    expect(complaints).toEqual([])
  })
})

/** Waits for an element while the page's clock runs fast, so that it repeats its requests at once. */
async function appearsLater(page: Page, element: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.clock.fastForward(1_000)
      return element.count()
    }, WAIT)
    .toBeGreaterThan(0)
}

/** Keeps pictures for manual review with `PICTURES=1`. */
async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== '1') return
  const shots = join(devnetDir, 'screenshots')
  mkdirSync(shots, { recursive: true })
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 960 })
    await page.screenshot({ path: join(shots, `${name}-${width}.png`) })
  }
}
