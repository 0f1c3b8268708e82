/**
 * Browser tests of the site: phones and desktops, both themes, search, tabs, no scripts, and a service behind a path.
 *
 * @module-tag long
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findBrowser } from '@sluice/api/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SECTIONS } from '../src/navigation.ts'
import { sitePath } from '../src/pages.ts'
import { type ServedSite, serveSite } from './src/served.ts'

const browser = findBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const dist = join(import.meta.dirname, '../dist')
const paths = SECTIONS.flatMap(({ pages }) => pages.map(([source]) => `/${sitePath(source)}.html`))
/** One page of each kind. */
const KINDS = [
  '/',
  '/guides/quote.html',
  '/understand/swap.html',
  '/api.html',
  '/errors.html',
  '/run/configuration.html',
]
const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)

describe.skipIf(!browser)('the site, served under /a/b', () => {
  let site: ServedSite
  beforeAll(async () => {
    site = await serveSite(browser!, '/a/b')
  })
  afterAll(() => site?.stop())

  // A page that fits a phone fits a desk.
  test.each(process.env.LONG ? [PHONE, DESK] : [PHONE])(
    'no page is wider than $width pixels, or logs an error',
    async (viewport) => {
      const { page, complaints } = await site.open('/', { viewport })
      const wide: string[] = []
      for (const path of paths) {
        await page.goto(site.docs + path)
        if ((await widthOf(page)) > viewport.width) wide.push(path)
      }
      expect({ wide, complaints }).toEqual({ wide: [], complaints: [] })
      await page.context().close()
    },
    180_000,
  )

  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    // Without LONG: one width for each theme.
    const viewports = process.env.LONG ? [PHONE, DESK] : [colorScheme === 'light' ? PHONE : DESK]
    const pages = new Map<number, ReturnType<ServedSite['open']>>()
    /** Opens one page for each viewport, since a page in a new context costs more CPU time than one that navigates. */
    function opened(viewport: typeof PHONE): ReturnType<ServedSite['open']> {
      const page = pages.get(viewport.width) ?? site.open('/', { viewport, colorScheme, bypassCSP: true })
      pages.set(viewport.width, page)
      return page
    }
    afterAll(async () => {
      for (const { page } of await Promise.all(pages.values())) await page.context().close()
    })
    test.each(KINDS.flatMap((path) => viewports.map((viewport) => [path, viewport.width, viewport] as const)))(
      'axe finds no violation: %s, %i',
      async (path, _, viewport) => {
        const { page, complaints } = await opened(viewport)
        complaints.length = 0
        await page.goto(site.docs + path)
        await page.evaluate(axe)
        const faults = await page.evaluate(async () => {
          const { violations } = await (window as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run()
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`)
        })
        expect(faults).toEqual([])
        expect(complaints).toEqual([])
      },
    )

    test('has text that is not the color of its ground', async () => {
      const { page } = await site.open('/understand/swap.html', { colorScheme })
      const [text, ground] = await page.evaluate(() => {
        const label = document.querySelector('.diagram text')!
        return [getComputedStyle(label).fill, getComputedStyle(document.querySelector('.figure')!).backgroundColor]
      })
      const brightness = (color: string) => Math.max(...color.match(/\d+/g)!.slice(0, 3).map(Number))
      const isDark = colorScheme === 'dark'
      expect(brightness(text!) > 128).toBe(isDark)
      expect(brightness(ground!) > 128).toBe(!isDark)
      await page.context().close()
    })
  })

  test.each(['', '/'])('/docs%s is the home page, with links under the same path', async (slash) => {
    const { page, complaints } = await site.open(slash, { viewport: DESK })
    expect(page.url()).toBe(`${site.docs}/`)
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Get a quote' })
      .click()
    await page.waitForURL(`${site.docs}/guides/quote.html`)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('search loads its index on first use, finds a page, and is operated by keys', async () => {
    const { page, complaints } = await site.open('/guides/quote.html', { viewport: DESK })
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await page.keyboard.press('/')
    await page.keyboard.type('how do I approve a token')
    const first = page.locator('.found a').first()
    await first.waitFor()
    expect(await first.textContent()).toContain('Approvals and permits')
    expect(loaded.some((url) => url.includes('/assets/index-'))).toBe(true)
    await page.keyboard.press('ArrowDown')
    expect(await first.evaluate((link) => link === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.locator('.found').isVisible()).toBe(false)
    await page.locator('#q').fill('dual bound')
    await page.locator('.found a', { hasText: 'dual' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${site.docs}/understand/routing.html#the-dual`)
    await page.locator('#q').fill('xqzzyv')
    await page.getByText('0 results').waitFor()
    expect(await page.locator('.found').isVisible()).toBe(false)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('a page loads no index before the search is used', () => {
    const script = readdirSync(join(dist, 'assets')).find((file) => file.startsWith('site-'))!
    const sizes = [`assets/${script}`, 'index.html'].map((file) => readFileSync(join(dist, file)).length)
    expect(sizes.every((bytes) => bytes < 40_000)).toBe(true)
  })

  test('the selected language is used on every page', async () => {
    const { page } = await site.open('/guides/quote.html')
    const shown = page.locator('.tab:visible')
    expect(await shown.count()).toBe(1)
    expect(await shown.getAttribute('data-tab')).toBe('bash')
    await page.getByRole('tab', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tab', { name: 'TypeScript' }).getAttribute('aria-selected')).toBe('true')
    expect(await page.getByRole('tabpanel').textContent()).toContain('sluice.getQuote')
    await page.goto(`${site.docs}/guides/swap.html`)
    expect(await page.getByRole('tabpanel').textContent()).toContain('sluice.getSwap')
    await page.context().close()
  })

  test('the selected theme persists, and defaults to that of the system', async () => {
    const { page } = await site.open('/', { colorScheme: 'dark' })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await ground()
    await page.getByRole('button', { name: 'Light' }).click()
    expect(await ground()).not.toBe(dark)
    const light = await ground()
    await page.goto(`${site.docs}/api.html`)
    expect(await ground()).toBe(light)
    await page.context().close()
  })

  test('the menu on a phone opens, navigates, and closes by Escape', async () => {
    const { page } = await site.open('/', { viewport: PHONE })
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true })
    expect(await menu.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    expect(await menu.isVisible()).toBe(true)
    expect(await widthOf(page)).toBe(PHONE.width)
    await page.keyboard.press('Escape')
    expect(await menu.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await menu.getByRole('link', { name: 'Self-host' }).click()
    await page.waitForURL(`${site.docs}/run/self-host.html`)
    await page.context().close()
  })

  test('without scripts only search, tabs, and the choice of a theme are missing', async () => {
    const { page } = await site.open('/guides/quote.html', { javaScriptEnabled: false, viewport: PHONE })
    expect(await page.locator('.tab:visible').count()).toBe(3)
    expect(await page.getByText('sluice.getQuote').isVisible()).toBe(true)
    expect(await page.locator('#q').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: /^(Dark|Light)$/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Streams', exact: true }).click()
    await page.waitForURL(`${site.docs}/guides/streams.html`)
    await page.context().close()
  })

  test('an XML parser takes every page as it is', async () => {
    const { page } = await site.open('/', { bypassCSP: true })
    const faults: string[] = []
    for (const path of paths) {
      const text = readFileSync(join(dist, path), 'utf8').replace('<!DOCTYPE html>', '')
      const fault = await page.evaluate(
        (xml) =>
          new DOMParser().parseFromString(xml, 'application/xhtml+xml').querySelector('parsererror')?.textContent,
        text,
      )
      if (fault) faults.push(`${path}: ${fault.slice(0, 200)}`)
    }
    expect(faults).toEqual([])
    await page.context().close()
  })
})

type AxeResults = {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}
