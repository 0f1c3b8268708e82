/** Browser tests of the Swap page. */
import { deployCoin } from '@sluice/api/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { openingTests } from './src/opening.ts'
import { safetyTests } from './src/safety.ts'
import { type Stage, startStage } from './src/stage.ts'
import { announce, type WalletOptions } from './src/wallet.ts'

const browser = findBrowser()
const WAIT = { timeout: 60_000 }
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** Maximum frames from the response to a frame that shows its route: a tenth of a second on an idle machine. */
const MAX_FRAMES = 6

/* Runs in the page before other scripts. Counts the frames from the first quote to the frame that shows its first
   gate. A busy machine shows fewer frames, not more. */
function countFrames() {
  const drawn = { isAnswered: false, isDrawn: false, frames: 0 }
  Object.assign(globalThis, { drawn })
  const read = ReadableStreamDefaultReader.prototype.read
  ReadableStreamDefaultReader.prototype.read = async function (this: ReadableStreamDefaultReader) {
    const chunk = await Reflect.apply(read, this, [])
    if (chunk.value && new TextDecoder().decode(chunk.value).includes('event: quote')) drawn.isAnswered = true
    return chunk
  } as typeof read
  const look = () => {
    if (drawn.isAnswered) drawn.frames++
    drawn.isDrawn = drawn.isAnswered && document.querySelector('.gt') !== null
    if (!drawn.isDrawn) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

describe.skipIf(!browser)('the Swap page', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(browser!)
  })
  afterAll(() => stage?.stop())

  const owner = (index: number) => stage.devnet.info.accounts[index]!.address
  const pair = (src: string, dst: string, amount: string) =>
    `/?src=${stage.token(src)}&dst=${stage.token(dst)}&amount=${amount}`
  const go = (page: Page, name: string | RegExp) => page.locator('.btn--go', { hasText: name })
  const withWallet = (options: Partial<WalletOptions> = {}) =>
    announce({ rpcUrl: stage.devnet.url, address: owner(1), chainId: 31337, ...options })
  async function connect(page: Page) {
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: /Test wallet/ }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
  }

  test('draws a route, signs it with the local account in two clicks, and shows the paid next to the quoted amount', async () => {
    const { page, complaints } = await stage.open('/')
    await go(page, 'Approve WETH and swap').waitFor(WAIT)
    expect(await page.locator('.gt').count()).toBeGreaterThan(5)
    // The panel paints the table after the drawing.
    await page.locator('.legs tbody tr').first().waitFor(WAIT)
    const legs = await page.locator('.legs tbody tr').count()
    expect(await page.locator('path.bd').count()).toBeLessThanOrEqual(legs)
    const before = await stage.balance(stage.token('DAI'), owner(0))
    await go(page, 'Approve WETH and swap').click()
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    const paid = (await stage.balance(stage.token('DAI'), owner(0))) - before
    expect(paid).toBeGreaterThan(0n)
    const shown = await page.locator('.rows dt:text("You received") + dd .num').getAttribute('title')
    expect(BigInt(shown!.replace('.', '').padEnd(shown!.indexOf('.') + 18, '0'))).toBe(paid)
    await page.getByRole('heading', { name: 'Quoted vs received' }).waitFor()
    await page.getByRole('link', { name: 'Explain this transaction' }).click()
    await page.getByText('This transaction is in a block, and succeeded.').waitFor(WAIT)
    expect(await page.locator('.mark--off').count()).toBe(0)
    await page.goBack()
    await go(page, /Approve WETH and swap/).waitFor(WAIT)
    expect(complaints).toEqual([])
  })

  test('follows the chain block by block, without layout shifts', { tags: 'long' }, async () => {
    const { page } = await stage.open(pair('WETH', 'USDC', '3'))
    await page.getByText('Up to date (simulated in the latest block)').waitFor(WAIT)
    // The route and the chart of the pair are drawn after the quote, and belong to the first load.
    await page.locator('.gt').first().waitFor(WAIT)
    await page.locator('.pair__depth').waitFor(WAIT)
    await page.evaluate(() => document.fonts.ready)
    const at = () => page.locator('.age .unit .num').textContent()
    const first = await at()
    await page.evaluate(() => {
      const shifts: number[] = []
      Object.assign(globalThis, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value)
      }).observe({ type: 'layout-shift' })
    })
    await stage.rpc('evm_mine')
    await expect.poll(at, WAIT).not.toBe(first)
    await page.getByText('Up to date (simulated in the latest block)').waitFor(WAIT)
    const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts)
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBe(0)
  })

  test(`a route is drawn within ${MAX_FRAMES} frames of its answer`, { tags: 'long' }, async () => {
    const { page } = await stage.open('/health', { before: `(${countFrames.toString()})()` })
    const counts: number[] = []
    // The first run also loads the code that draws routes.
    for (let amount = 1; amount <= 6 && !counts.some((frames) => frames <= MAX_FRAMES); amount++) {
      await page.goto(`${stage.server.url}${pair('WETH', 'DAI', String(300 + amount))}`)
      await page.locator('.gt').first().waitFor(WAIT)
      await expect.poll(() => page.evaluate('globalThis.drawn?.isDrawn'), WAIT).toBe(true)
      counts.push(await page.evaluate<number>('globalThis.drawn.frames'))
    }
    expect(Math.min(...counts)).toBeGreaterThan(0)
    expect(Math.min(...counts)).toBeLessThanOrEqual(MAX_FRAMES)
  })

  test('tokens are found by symbol and address, and back returns to the previous pair', { tags: 'long' }, async () => {
    const { page } = await stage.open(pair('WETH', 'USDC', '3'))
    await page.getByRole('button', { name: 'USDC, token to receive' }).click()
    const search = page.getByRole('combobox', { name: 'Search tokens' })
    await search.fill('link')
    await page.getByRole('option', { name: /LINK/ }).waitFor(WAIT)
    await search.press('Enter')
    await page.getByRole('button', { name: 'LINK, token to receive' }).waitFor(WAIT)
    await page.goBack()
    await page.getByRole('button', { name: 'USDC, token to receive' }).waitFor(WAIT)
    await page.getByRole('button', { name: 'USDC, token to receive' }).click()
    await search.fill(stage.token('UNI'))
    await page.getByRole('option', { name: /UNI/ }).click()
    await page.getByRole('button', { name: 'UNI, token to receive' }).waitFor(WAIT)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('Enter chooses among the tokens of the typed text, also before they arrive', { tags: 'long' }, async () => {
    const { page } = await stage.open(pair('WETH', 'USDC', '3'))
    await page.getByRole('button', { name: 'USDC, token to receive' }).click()
    await page.getByRole('option', { name: /LINK/ }).waitFor(WAIT)
    const search = Promise.withResolvers<void>()
    await page.route(/q=link/, async (route) => {
      await search.promise
      await route.continue()
    })
    await page.getByRole('combobox', { name: 'Search tokens' }).fill('link')
    await page.getByRole('combobox', { name: 'Search tokens' }).press('Enter')
    expect(await page.getByRole('dialog').count()).toBe(1)
    search.resolve()
    await page.getByRole('button', { name: 'LINK, token to receive' }).waitFor(WAIT)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('an exact output is the minimum that arrives', { tags: 'long' }, async () => {
    const { page } = await stage.open(`${pair('WETH', 'USDC', '3000')}&exact=out`)
    await go(page, 'Approve WETH and swap').waitFor(WAIT)
    expect(await page.locator('.least__v .num').getAttribute('title')).toBe('3000')
    const before = await stage.balance(stage.token('USDC'), owner(0))
    await go(page, 'Approve WETH and swap').click()
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    expect((await stage.balance(stage.token('USDC'), owner(0))) - before).toBeGreaterThanOrEqual(3_000_000_000n)
  })

  test('a recipient of a link must be accepted before anything is signed, and then receives the output', async () => {
    const recipient = '0x00000000000000000000000000000000000b0b01'
    const { page } = await stage.open(`${pair('WETH', 'USDC', '2')}&recipient=${recipient}`)
    await page.getByRole('alert').filter({ hasText: 'The link sends all USDC to another account.' }).waitFor(WAIT)
    expect(await page.getByText(recipient).count()).toBeGreaterThan(0)
    expect(await go(page, /swap/i).count()).toBe(0)
    await go(page, 'Accept these terms').click()
    await page.getByText('not your wallet').waitFor(WAIT)
    const before = await stage.balance(stage.token('USDC'), recipient)
    await go(page, 'Approve WETH and swap').click()
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    const paid = (await stage.balance(stage.token('USDC'), recipient)) - before
    expect(paid).toBeGreaterThan(0n)
    const shown = await page.locator('.rows dt:text("received") + dd .num').getAttribute('title')
    expect(Math.round(Number(shown) * 1e6)).toBe(Number(paid))
  })

  test('a recipient of a link can be replaced by the wallet, and one can be typed in the settings', {
    tags: 'long',
  }, async () => {
    const recipient = '0x00000000000000000000000000000000000b0b02'
    const { page } = await stage.open(`${pair('WETH', 'USDC', '2')}&recipient=${recipient}`)
    await page.getByRole('button', { name: 'Use the defaults' }).click(WAIT)
    await go(page, 'Approve WETH and swap').waitFor(WAIT)
    expect(page.url()).not.toContain('recipient')
    await page.getByRole('button', { name: 'Settings' }).click()
    const field = page.getByLabel('Send the output to another account')
    await field.fill('0x12')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.fill(recipient)
    await page.getByText('not your wallet').waitFor(WAIT)
    await go(page, 'Approve WETH and swap').waitFor(WAIT)
    expect(page.url()).toContain(recipient)
  })

  test('reports why there is no route, and the largest amount that routes', { tags: 'long' }, async () => {
    const { page } = await stage.open(pair('WETH', 'FAR', '100000'))
    // On a new chain the largest amount takes several searches of seconds on a busy machine.
    await page.getByRole('heading', { name: 'Why there is no route' }).waitFor({ timeout: 3 * WAIT.timeout })
    await go(page, /^Use .* WETH$/).click()
    await go(page, /Approve WETH and swap|Swap at a loss|Not enough WETH/).waitFor({ timeout: 3 * WAIT.timeout })
    // The balance alone can disable the button before the route is drawn.
    await page.locator('.gt').first().waitFor(WAIT)
  })

  test('if the node fails, the last figures are marked as old, and new ones appear after recovery', {
    tags: 'long',
  }, async () => {
    const { page } = await stage.open(pair('WETH', 'DAI', '2'))
    await page.getByText('Up to date (simulated in the latest block)').waitFor(WAIT)
    const minimum = await page.locator('.least__v').textContent()
    stage.proxy.injectFault = () => 'drop'
    try {
      // The service reports a failing chain only after several failed calls.
      await page.locator('.age--stale').waitFor({ timeout: 3 * WAIT.timeout })
      expect(await page.locator('.least__v').textContent()).toBe(minimum)
      await go(page, 'Refresh the quote').waitFor(WAIT)
    } finally {
      stage.proxy.injectFault = () => undefined
    }
    await stage.rpc('evm_mine')
    await page.getByText('Up to date (simulated in the latest block)').waitFor(WAIT)
    expect(await page.locator('.age--stale').count()).toBe(0)
  })

  test('after a declined request nothing was sent, and the wallet can be asked again', { tags: 'long' }, async () => {
    const { page } = await stage.open(pair('WETH', 'USDC', '1'), { before: withWallet({ declines: 1 }) })
    await connect(page)
    const before = await stage.balance(stage.token('USDC'), owner(1))
    await go(page, 'Approve WETH and swap').click(WAIT)
    await page.getByText('You declined in the wallet.').waitFor(WAIT)
    expect(await stage.balance(stage.token('USDC'), owner(1))).toBe(before)
    await go(page, 'Ask again').click()
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    expect(await stage.balance(stage.token('USDC'), owner(1))).toBeGreaterThan(before)
  })

  test('a wallet that supports batches is asked once, for approval and swap together', async () => {
    const before = withWallet({ batches: true, counts: 'requests' })
    const { page, complaints } = await stage.open(pair('WETH', 'USDC', '1'), { before })
    await connect(page)
    const balance = await stage.balance(stage.token('USDC'), owner(1))
    await go(page, 'Approve WETH and swap').click(WAIT)
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    expect(await stage.balance(stage.token('USDC'), owner(1))).toBeGreaterThan(balance)
    const requests = await page.evaluate(() => (globalThis as unknown as { requests: Record<string, number> }).requests)
    expect(requests.wallet_sendCalls).toBe(1)
    expect(requests.eth_sendTransaction).toBeUndefined()
    expect(complaints).toEqual([])
  })

  test('if Permit2 is approved, a signature replaces the approval, and one transaction is sent', async () => {
    const word = (account: string) => account.slice(2).toLowerCase().padStart(64, '0')
    const [from, to] = [owner(2), stage.token('WETH')]
    await stage.rpc('eth_sendTransaction', { from, to, data: `0x095ea7b3${word(PERMIT2)}${'f'.repeat(64)}` })
    const before = withWallet({ address: from, counts: 'requests' })
    const { page, complaints } = await stage.open(pair('WETH', 'USDC', '1'), { before })
    await connect(page)
    const balance = await stage.balance(stage.token('USDC'), from)
    await go(page, 'Sign and swap').click(WAIT)
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    expect(await stage.balance(stage.token('USDC'), from)).toBeGreaterThan(balance)
    const requests = await page.evaluate(() => (globalThis as unknown as { requests: Record<string, number> }).requests)
    expect([requests.eth_signTypedData_v4, requests.eth_sendTransaction]).toEqual([1, 1])
    const data = `0xdd62ed3e${word(from)}${word(stage.devnet.info.guard)}`
    expect(BigInt(await stage.rpc<string>('eth_call', { to, data }, 'latest'))).toBe(0n)
    expect(complaints).toEqual([])
  })

  test('a token with its own permit is swapped by a signature and one transaction, without an approval', {
    tags: 'long',
  }, async () => {
    const from = owner(3)
    const coin = await deployCoin(stage.devnet)
    await coin.send('mint', [from, 10n ** 21n])
    const [src, dst] = [coin.address, stage.token('USDC')]
    const before = withWallet({ address: from, counts: 'requests' })
    const { page, complaints } = await stage.open(`/?src=${src}&dst=${dst}&amount=1`, { before })
    await connect(page)
    const balance = await stage.balance(dst, from)
    await go(page, 'Sign and swap').click(WAIT)
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    expect(await stage.balance(dst, from)).toBeGreaterThan(balance)
    expect(await stage.balance(src, from)).toBe(10n ** 21n - 10n ** 18n)
    const requests = await page.evaluate(() => (globalThis as unknown as { requests: Record<string, number> }).requests)
    expect([requests.eth_signTypedData_v4, requests.eth_sendTransaction]).toEqual([1, 1])
    expect(complaints).toEqual([])
  })

  test('if the Guard is approved already, the button requests only the swap', { tags: 'long' }, async () => {
    const word = (value: string) => value.slice(2).toLowerCase().padStart(64, '0')
    const [from, to] = [owner(2), stage.token('WETH')]
    const data = `0x095ea7b3${word(stage.devnet.info.guard)}${'f'.repeat(64)}`
    await stage.rpc('eth_sendTransaction', { from, to, data })
    const { page } = await stage.open(pair('WETH', 'USDC', '1'), { before: withWallet({ address: from }) })
    await connect(page)
    await go(page, /^Swap$/).waitFor(WAIT)
    // The amount exceeds the balance.
    await page.getByRole('textbox', { name: 'Amount to pay' }).fill('10001')
    await page.getByText(/^You have [\d.]+ WETH\.$/).waitFor(WAIT)
  })

  test('a quote that becomes outdated while the wallet asks is renewed before the swap is signed', {
    tags: 'long',
  }, async () => {
    const { page } = await stage.open(pair('WETH', 'USDC', '2'), { before: withWallet({ slowBlocks: 4 }) })
    await connect(page)
    await go(page, 'Approve WETH and swap').waitFor(WAIT)
    const head = Number(await stage.rpc<string>('eth_blockNumber'))
    await go(page, 'Approve WETH and swap').click()
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
    const quoted = Number((await page.locator('.landed .lab .num').first().textContent())!)
    // The approval took four blocks plus its own, and the signed quote is newer.
    expect(quoted).toBeGreaterThan(head + 4)
  })

  test('a wallet on another chain is asked to switch', { tags: 'long' }, async () => {
    const { page } = await stage.open(pair('WETH', 'USDC', '1'), { before: withWallet({ chainId: 1 }) })
    await connect(page)
    await page.getByText('Your wallet is on Ethereum.').waitFor(WAIT)
    await go(page, 'Switch to Devnet').click()
    await go(page, 'Approve WETH and swap').waitFor(WAIT)
  })

  safetyTests(() => stage)
  openingTests(() => stage)

  test('another chain of the service can be selected in the header, with its own URL', { tags: 'long' }, async () => {
    const { page } = await stage.open('/')
    await page.locator('.head-chip').first().click()
    await page
      .getByRole('textbox', { name: 'Search chains' })
      .or(page.getByRole('searchbox', { name: 'Search chains' }))
      .fill('Ethereum')
    await page.getByRole('button', { name: /^Ethereum 1 / }).click()
    await expect.poll(() => page.url(), WAIT).toContain('chain=1')
    await page.goBack()
    await go(page, 'Approve WETH and swap').waitFor(WAIT)
  })
})
