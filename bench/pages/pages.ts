/**
 * `npm run bench -- pages`: measures every page of the playground in the installed Chromium, throttled to the speed of
 * a phone (150 ms latency, 1.6 Mbit/s, a quarter of the CPU speed). Measures the transferred bytes of the first load,
 * largest contentful paint, layout shift, and interaction to next paint. Downloads Lighthouse by npm, and adds its
 * performance score for phones. Results in `results/pages.json`. Times are valid only if `loadAverage` is small.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { BROWSER_ARGS, findBrowser, startChain, startOver } from '@sluice/api/testing'
import { writeDevnetJson } from '@sluice/devnet'
import { type Browser, chromium, type Page } from 'playwright-core'
import { median } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

/** Network conditions with which Lighthouse simulates a phone. */
const NETWORK = { latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 675_000 / 8, offline: false }
const CPU_SLOWDOWN = 4
const VIEWPORT = { width: 412, height: 823 }
const RUNS = 3
const LIGHTHOUSE_PACKAGE = 'lighthouse@13.5.0'
const LIGHTHOUSE_TIMEOUT_MS = 180_000
/** Milliseconds from loading to the first input, in which the page finishes its own requests. */
const SETTLE_MS = 8_000
const paths: Readonly<Record<string, string>> = {
  swap: '/',
  explain: '/app/explain',
  simulate: '/app/simulate',
  referee: '/app/referee',
  prices: '/app/prices',
  accuracy: '/app/honesty',
  chains: '/app/chains',
  api: '/app/api',
}

/** Largest contentful paint and interaction to next paint in milliseconds, and cumulative layout shift. */
type Vitals = { lcp: number; cls: number; inp: number }
type PageMeasurement = {
  readonly kB: number
  readonly lcpMs: number
  readonly cls: number
  readonly inpMs: number
  /** Performance score of Lighthouse, 0 to 100. */
  readonly lighthouse: number
}

const executablePath = findBrowser()
if (!executablePath) throw new Error('no Chromium found: set CHROMIUM_PATH')
const dir = mkdtempSync(join(tmpdir(), 'sluice-pages-'))
const devnet = await startChain()
const server = await startOver(devnet.url, { LOCAL_CHAIN_FILE: join(dir, 'devnet.json') })
await writeDevnetJson({ dir, devnet, apiUrl: server.url })
const browser = await chromium.launch({ executablePath, args: BROWSER_ARGS })
try {
  // The first request of a chain loads its pools. This time is not part of the measurement.
  await fetch(`${server.url}/tokenlist/31337`)
  const pages: Record<string, PageMeasurement> = {}
  for (const [name, path] of Object.entries(paths)) {
    const runs: PageMeasurement[] = []
    for (let run = 0; run < RUNS; run++) runs.push(await measure(browser, `${server.url}${path}`))
    pages[name] = medianOf(runs)
  }
  record('pages', { runs: RUNS, network: { rttMs: 150, kbps: 1_638 }, slowdown: CPU_SLOWDOWN, pages })
} finally {
  await browser.close()
  await server.close()
  await devnet.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit()

/** Measures one load of a page, and its Lighthouse score. */
async function measure(parentBrowser: Browser, url: string): Promise<PageMeasurement> {
  const context = await parentBrowser.newContext({ viewport: VIEWPORT, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', NETWORK)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.addInitScript(observeVitals)
  await page.goto(url, { timeout: 120_000 })
  await page.waitForTimeout(SETTLE_MS)
  const loadedBytes = bytes
  await useControls(page)
  const { lcp, cls, inp } = await page.evaluate(() => (globalThis as unknown as { vitals: Vitals }).vitals)
  await context.close()
  return {
    ...{ kB: rounded(loadedBytes / 1_000), lcpMs: Math.round(lcp), cls: rounded(cls, 3), inpMs: Math.round(inp) },
    lighthouse: await lighthouseScore(url),
  }
}

/** Returns the performance score with Lighthouse's usual settings, which are those of a phone. */
async function lighthouseScore(url: string): Promise<number> {
  const options = ['--only-categories=performance', '--output=json', '--quiet']
  const flags = `--chrome-flags=--headless=new ${BROWSER_ARGS.join(' ')}`
  const { stdout } = await promisify(execFile)(
    'npm',
    ['exec', '--yes', `--package=${LIGHTHOUSE_PACKAGE}`, '--', 'lighthouse', url, ...options, flags],
    {
      // Lighthouse's script runs with the first `node` in the path.
      env: { ...process.env, CHROME_PATH: executablePath, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
      maxBuffer: 64 * 1024 ** 2,
      timeout: LIGHTHOUSE_TIMEOUT_MS,
    },
  )
  const { categories } = JSON.parse(stdout) as { readonly categories: Record<string, { readonly score: number }> }
  return Math.round(categories.performance!.score * 100)
}

/** Fields of performance entries that are used. */
type Entry = {
  readonly startTime: number
  readonly duration: number
  readonly value: number
  readonly hadRecentInput: boolean
  readonly interactionId: number
}

/** Records the vitals as `globalThis.vitals`. Runs in the page. */
function observeVitals() {
  const vitals = { lcp: 0, cls: 0, inp: 0 }
  Object.assign(globalThis, { vitals })
  const observeType = (type: string, onEntry: (entry: Entry) => void) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) onEntry(entry as unknown as Entry)
    })
    observer.observe({ type, buffered: true, durationThreshold: 16 } as never)
  }
  observeType('largest-contentful-paint', ({ startTime }) => {
    vitals.lcp = startTime
  })
  observeType('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) vitals.cls += value
  })
  observeType('event', ({ interactionId, duration }) => {
    if (interactionId) vitals.inp = Math.max(vitals.inp, duration)
  })
}

/** Clicks the first controls of the page, and types into its first field. */
async function useControls(page: Page): Promise<void> {
  const buttons = page.locator('main button:enabled')
  for (let k = 0; k < Math.min(3, await buttons.count()); k++)
    await buttons
      .nth(k)
      .tap({ timeout: 5_000 })
      .catch(() => {})
  const field = page.locator('main :is(input, textarea)').first()
  if (await field.count()) await field.pressSequentially('12', { delay: 120, timeout: 10_000 }).catch(() => {})
  await page.waitForTimeout(500)
}

function medianOf(runs: readonly PageMeasurement[]): PageMeasurement {
  const medianOfField = (name: keyof PageMeasurement) => median(runs.map((run) => run[name]))
  return {
    kB: medianOfField('kB'),
    lcpMs: medianOfField('lcpMs'),
    cls: medianOfField('cls'),
    inpMs: medianOfField('inpMs'),
    lighthouse: medianOfField('lighthouse'),
  }
}
