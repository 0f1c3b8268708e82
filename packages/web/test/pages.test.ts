/**
 * Browser tests of every page: layout, accessibility, and load size. `src/opening.ts` has a short test of each page.
 *
 * @module-tag long
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { devnetDir } from '@sluice/api/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { mined } from './src/mined.ts'
import { measure, type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
// On a new chain, the search for a route to a thin token takes seconds, and several times as long on a busy machine.
const WAIT = { timeout: 50_000 }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Folder of screenshots for manual review with `PICTURES=1`, outside the repository's tracked files. */
const shots = join(devnetDir, 'screenshots')
/** Axe's rules on colors. A theme changes only colors, so the other rules run in one theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']
const themes = ['light', 'dark'] as const
const widths = [390, 1440] as const
const between = [320, 768, 1080, 2560] as const
/** Maximum compressed size of the first load in bytes, including fonts. */
const FIRST_LOAD = 220_000

/** Every page with its URL and a selector that appears once the page is complete. */
const pages: Readonly<Record<string, { readonly path: (stage: Stage) => string; readonly there: string }>> = {
  swap: { path: () => '/', there: '.gt' },
  settings: { path: () => '/', there: '.gt' },
  'no route': {
    path: ({ token }) => `/?src=${token('WETH')}&dst=${token('FAR')}&amount=100000`,
    there: '.why__v',
  },
  explain: { path: () => '', there: '.verdict' },
  tampered: { path: () => '', there: '.verdict--bad' },
  simulate: { path: () => '/app/simulate', there: '.form' },
  prices: { path: () => '/app/prices', there: '.plot__line' },
  referee: { path: () => '', there: '.gt' },
  honesty: { path: () => '/app/honesty?by=pool', there: '.plot__dot' },
  chains: { path: () => '/app/chains', there: '.tile--following' },
  api: { path: () => '/app/api', there: '.code pre' },
}

/** Themes tested for states of a page whose themes are already covered. */
const stateThemes: Readonly<Record<string, readonly (typeof themes)[number][]>> = {
  settings: ['light'],
  tampered: ['dark'],
}

describe.skipIf(!browser)('every page', () => {
  let stage: Stage
  let data: string
  let worse: string
  beforeAll(async () => {
    mkdirSync(shots, { recursive: true })
    stage = await startStage(browser!, {
      ...{ DRIFT_SAMPLE_PERCENT: '100', RPC_TIMEOUT_MS: '30000', REQUEST_TIMEOUT_MS: '60000' },
    })
    await measure(stage)
    const query = `src=${stage.token('WETH')}&dst=${stage.token('USDC')}&amount=${300n * 10n ** 18n}&from=${stage.devnet.info.accounts[0]!.address}`
    const answer = await (await fetch(`${stage.server.url}/aggregator/31337?${query}`)).json()
    data = (answer as { tx: { data: string } }).tx.data
    worse = await (await mined(stage)).byRouter(40n * 10n ** 18n)
    // The first response of a chain omits prices that the service is still loading.
    await fetch(`${stage.server.url}/prices/31337?token=${stage.token('WETH')},${stage.token('LINK')}`)
  })
  afterAll(() => stage?.stop())

  function pathOf(name: string): string {
    const executor = stage.devnet.info.executor.slice(2).toLowerCase()
    if (name === 'explain') return `/app/explain#${data}`
    if (name === 'tampered') return `/app/explain#${data.replace(executor, `${executor.slice(0, -2)}00`)}`
    if (name === 'referee') return `/app/referee?chain=31337&hash=${worse}`
    return pages[name]!.path(stage)
  }

  async function arrive(page: Page, name: string): Promise<void> {
    await page
      .locator(pages[name]!.there)
      .first()
      // The largest amount with a route takes several searches, of seconds each on a busy machine.
      .waitFor({ timeout: name === 'no route' ? 3 * WAIT.timeout : WAIT.timeout, state: 'attached' })
    if (name === 'settings') await page.getByRole('button', { name: 'Settings' }).click()
    if (name === 'api') await page.getByRole('button', { name: 'Send' }).click()
    if (name === 'api') await page.locator('.status', { hasText: '200' }).waitFor(WAIT)
    await page.evaluate(() => document.fonts.ready)
  }

  test.each(Object.keys(pages))(
    'has no serious axe violation, logs no error, and scrolls only vertically: %s',
    async (name) => {
      const [first, ...otherItems] = stateThemes[name] ?? themes
      const { page, complaints } = await stage.open(pathOf(name), { colorScheme: first! })
      for (const width of widths) {
        await page.setViewportSize({ width, height: width < 720 ? 844 : 960 })
        if (width === widths[0]) await arrive(page, name)
        await atRest(page)
        expect(await seriousOf(page), `${width} px`).toEqual([])
        expect(await sideways(page), `${width} px`).toBe(0)
        await keep(page, `${name.replace(' ', '-')}-${first}-${width}`)
        for (const theme of otherItems) {
          await page.emulateMedia({ colorScheme: theme })
          await atRest(page)
          expect(await seriousOf(page, COLOR_RULES), `${theme}, ${width} px`).toEqual([])
          await keep(page, `${name.replace(' ', '-')}-${theme}-${width}`)
        }
        await page.emulateMedia({ colorScheme: first! })
      }
      // States of a page have the widths of the page itself.
      for (const width of stateThemes[name] ? [] : between) {
        await page.setViewportSize({ width, height: 800 })
        await atRest(page)
        expect(await sideways(page), `${width} px`).toBe(0)
      }
      expect(complaints).toEqual([])
    },
    4 * WAIT.timeout,
  )

  test('a list in the console is posted as a list, and pages have their titles', async () => {
    const { page, complaints } = await stage.open('/app/api?ep=pricesPost')
    await page.getByRole('button', { name: 'Send' }).click(WAIT)
    await page.locator('.status', { hasText: '200' }).waitFor(WAIT)
    const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
    expect(names).toEqual([
      ...['Swap', 'Explain', 'Simulate', 'Referee', 'Prices', 'Accuracy', 'Chains', 'API', 'Docs'],
    ])
    for (const name of names.slice(1, -1)) {
      await page.getByRole('link', { name, exact: true }).click()
      await expect.poll(() => page.title(), WAIT).toBe(`${name} · Sluice`)
    }
    expect(complaints).toEqual([])
    await page.getByRole('link', { name: 'Docs' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/docs/)
  })

  test(`the first load is below ${FIRST_LOAD / 1000} kB`, async () => {
    const { page } = await stage.open('/health', { isOwn: true })
    const loads: Promise<number>[] = []
    // The Explain page is prefetched later, which on a slow machine falls into the first load.
    await page.route(/ExplainPage/, (route) => route.abort())
    page.on('requestfinished', (request) => {
      if (!/\/$|\/app\//.test(new URL(request.url()).pathname)) return
      loads.push(request.sizes().then((sizes) => sizes.responseBodySize))
    })
    await page.goto(stage.server.url)
    await page.locator('.gt').first().waitFor(WAIT)
    await page.evaluate(() => document.fonts.ready)
    // A request that finishes later would have its sizes read after the page is closed.
    page.removeAllListeners('requestfinished')
    const sizes = await Promise.all(loads)
    const sum = sizes.reduce((total, size) => total + size, 0)
    expect(sizes.length).toBeGreaterThan(4)
    expect(sum).toBeLessThan(FIRST_LOAD)
  })

  test.each([
    '/?src=7&dst=%00&amount=[1]&slippage={}&exact=true&chain=x',
    '/app/prices?q=7&token=8&chain=-1',
    '/app/honesty?by=constructor&pick={"a":1}',
    '/app/chains?chain=%E2%80%AE',
    '/app/api?ep=7&lang=__proto__&set=[[]]',
    '/app/simulate?from=7&data={}&value=1e999',
    '/app/referee?chain=x&hash=%E2%80%AE0x&trade=9e9&at=__proto__',
    '/app/referee?hash=7&trade={}',
    '/app/explain?chain=[]#0xzz',
  ])('a malformed link opens its page: %s', async (path) => {
    const { page, complaints } = await stage.open(path)
    await page.locator('main h1').waitFor({ ...WAIT, state: 'attached' })
    await atRest(page)
    expect(await page.getByText('Something broke').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('everything is reachable by keys: skip link, pages by letters, gates by arrows, help', async () => {
    const { page } = await stage.open('/')
    await page.locator('.gt').first().waitFor(WAIT)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await page.locator('.gt[tabindex="0"]').focus()
    const first = await page.evaluate(() => document.activeElement?.getAttribute('data-leg'))
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-leg'))).not.toBe(first)
    await page.locator('.tip').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    // A closed dialog loses its role before the page handles the close event, so the test waits for the element.
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    // In the frame in which a dialog closes, key events still come from inside it.
    await page.getByRole('dialog', { name: 'Keys' }).evaluate((dialog: HTMLDialogElement) => {
      dialog.close()
      dialog.querySelector('button')!.dispatchEvent(new KeyboardEvent('keydown', { key: 'g', bubbles: true }))
    })
    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'Prices and depth' }).waitFor(WAIT)
    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  })
})

async function keep(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES === '1') await page.screenshot({ path: join(shots, `${name}.png`) })
}

/** @param rules - names of axe's rules; all by default */
async function seriousOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(async (only) => {
    type AxeResult = { violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }
    type Axe = { run: (options: object) => Promise<AxeResult> }
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(only ? { runOnly: only } : {})
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`,
      )
  }, rules)
}

/** Waits two frames, since drawings follow a width change one frame later, and for the ends of CSS transitions. */
function atRest(page: Page): Promise<unknown> {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    // A transition is canceled if its element is removed.
    await Promise.all(transitions.map(({ finished }) => finished.catch(() => {})))
  })
}

/** Returns the pixels by which the page is wider than its window. */
function sideways(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
}
