/**
 * Bug reports from the public trackers of similar pages, tried on this one. Each test names its report.
 * Long: one case for each report, which share the stage.
 *
 * @module-tag long
 */

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { type Stage, startStage } from './src/stage.ts'
import { announce } from './src/wallet.ts'

const browser = findBrowser()
const WAIT = { timeout: 50_000 }

describe.skipIf(!browser)('what users of similar pages reported', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(browser!, { RPC_TIMEOUT_MS: '30000', REQUEST_TIMEOUT_MS: '60000' })
  })
  afterAll(() => stage?.stop())

  const pair = (src: string, dst: string, amount: string) =>
    `/?chain=31337&src=${stage.token(src)}&dst=${stage.token(dst)}&amount=${amount}`
  const open = async (path: string, options?: Parameters<Stage['open']>[1]) => {
    const { page } = await stage.open(path, options)
    return page
  }
  const go = (page: Page, name: string | RegExp) => page.locator('.btn--go', { hasText: name })
  const field = (page: Page) => page.getByRole('textbox', { name: /^Amount to/ })
  const ready = (page: Page) => go(page, /swap/i).waitFor(WAIT)

  test('a quote of another chain is not shown after the chain changes (Uniswap/interface#7403)', async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.locator('.head-chip').first().click()
    await page.getByRole('searchbox', { name: 'Search chains' }).fill('Ethereum')
    await page.getByRole('button', { name: /^Ethereum 1 / }).click()
    await expect.poll(() => page.url(), WAIT).toContain('chain=1')
    await expect.poll(() => page.locator('.gt').count(), WAIT).toBe(0)
    expect(await go(page, /swap/i).count()).toBe(0)
  })

  test('a comma is a decimal separator of the slippage too (gnosis/cowswap#1685)', async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Custom' }).click()
    await page.getByRole('textbox', { name: /slippage/i }).fill('0,7')
    await expect.poll(() => decodeURIComponent(page.url()), WAIT).toMatch(/slippage="?0\.7"?/)
    await page.getByText('up to 0.7 % less than quoted').waitFor(WAIT)
  })

  test('nothing is signed with the first digits of an invalid slippage (gmx-io/gmx-interface#2747)', async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Custom' }).click()
    const slippage = page.getByRole('textbox', { name: /slippage/i })
    for (const text of ['100', '50.01', '0.00001', '1e3']) {
      await slippage.fill('')
      await slippage.pressSequentially(text)
      await page.getByText('Enter a number from 0 to 50.').waitFor(WAIT)
      await go(page, 'Correct the terms').waitFor(WAIT)
    }
    for (const [text, percent] of [
      ['.5', '0.5'],
      ['5.', '5'],
    ] as const) {
      await slippage.fill('')
      await slippage.pressSequentially(text)
      await page.getByText(`up to ${percent} % less than quoted`).waitFor(WAIT)
      await ready(page)
    }
  })

  test('an amount that buys nothing shows a reason (Uniswap/interface#6992)', async () => {
    const page = await open(pair('USDC', 'WBTC', '0.000001'))
    await page.locator('.notice, [role="alert"]').first().waitFor(WAIT)
    expect(await page.getByText('Something broke').count()).toBe(0)
    expect(await go(page, /swap/i).and(page.locator(':enabled')).count()).toBe(0)
  })

  test('a link keeps all digits of its amount, with and without quotes (TanStack/router#3457)', async () => {
    const amounts = ['0.123456789012345678', '"0.123456789012345678"', '12345678901234567', '1000000000000000000000000']
    for (const amount of amounts) {
      const page = await open(pair('PEPE', 'USDC', amount))
      const digits = async () => (await field(page).inputValue(WAIT)).replaceAll(/\s/g, '')
      await expect.poll(digits, WAIT).toBe(amount.replaceAll('"', ''))
    }
  })

  test('swapping the sides again before a quote arrives keeps the size of the trade (balancer/frontend-v2#1812)', async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.route(/\/(quote|stream|aggregator)\//, (route) => route.abort())
    const flip = page.getByRole('button', { name: 'Swap the two tokens' })
    await flip.click()
    await page.getByRole('button', { name: 'USDC, token to pay' }).waitFor(WAIT)
    await expect.poll(() => field(page).inputValue(), WAIT).toMatch(/^[56]\s\d{3}\./)
    const usdc = await field(page).inputValue()
    await flip.click()
    await page.getByRole('button', { name: 'WETH, token to pay' }).waitFor(WAIT)
    expect(await page.getByRole('textbox', { name: 'Amount to receive at least' }).inputValue()).toBe(usdc)
    await page.getByRole('button', { name: 'Exact input' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Amount to pay' }).inputValue(), WAIT).toBe('')
  })

  test('a recipient stays when a token is chosen (lifinance/widget#68)', async () => {
    const recipient = '0x00000000000000000000000000000000000b0b07'
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Send the output to another account').fill(recipient)
    await page.getByText('not your wallet').waitFor(WAIT)
    await page.getByRole('button', { name: 'USDC, token to receive' }).click()
    await page.getByRole('combobox', { name: 'Search tokens' }).fill('link')
    await page.getByRole('option', { name: /LINK/ }).click(WAIT)
    await page.getByRole('button', { name: 'LINK, token to receive' }).waitFor(WAIT)
    expect(page.url()).toContain(recipient)
    await page.getByText('not your wallet').waitFor(WAIT)
  })

  test('an order that cannot succeed is not offered for another try (MetaMask/metamask-extension#9940)', async () => {
    const page = await open(`${pair('WETH', 'USDC', '2')}&recipient=${stage.token('USDC')}`)
    await page.getByText('Recipient must not be a token of the swap.').waitFor(WAIT)
    await go(page, 'Correct the order').waitFor(WAIT)
    expect(await go(page, /try again/i).count()).toBe(0)
  })

  test('selecting the token of the other side swaps the sides (bancorprotocol/webapp#207)', async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.getByRole('button', { name: 'USDC, token to receive' }).click()
    await page.getByRole('combobox', { name: 'Search tokens' }).fill(stage.token('WETH'))
    await page.getByRole('option', { name: /WETH/ }).first().click(WAIT)
    await page.getByRole('button', { name: 'WETH, token to receive' }).waitFor(WAIT)
    await page.getByRole('button', { name: 'USDC, token to pay' }).waitFor(WAIT)
  })

  test('the rate has the paid token on the left, also for an exact output (OneKeyHQ/app-monorepo#2228)', async () => {
    for (const exact of ['in', 'out']) {
      const page = await open(`${pair('WETH', 'USDC', exact === 'in' ? '1' : '3000')}&exact=${exact}`)
      await ready(page)
      const words = (await page.locator('.leg-in__note', { hasText: '1 WETH = ' }).textContent(WAIT))!
      const rate = Number(/1 WETH = ([\d.\s]+)\sUSDC/.exec(words)![1]!.replaceAll(/\s/g, ''))
      expect(rate).toBeGreaterThan(2_500)
      expect(rate).toBeLessThan(3_500)
    }
  })

  test('the rate direction persists after a refresh of the quote (near/near-wallet#2610)', async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.getByRole('button', { name: 'Swap the two tokens' }).click()
    await page.getByRole('button', { name: 'USDC, token to pay' }).waitFor(WAIT)
    await ready(page)
    const block = Number(await stage.rpc<string>('eth_blockNumber'))
    await stage.rpc('evm_mine')
    await expect
      .poll(async () => Number((await page.locator('.age .unit .num').textContent())!.replaceAll(/\D/g, '')), WAIT)
      .toBeGreaterThan(block)
    await page.getByRole('button', { name: 'USDC, token to pay' }).waitFor(WAIT)
    await page.getByRole('button', { name: 'WETH, token to receive' }).waitFor(WAIT)
  })

  test('the route is drawn on a phone, whole and by pair (LlamaSwap/interface#9)', async () => {
    const page = await open('/?chain=31337', { viewport: { width: 390, height: 844 } })
    await page.locator('.gt').first().waitFor(WAIT)
    const box = (await page.locator('.flow > svg').boundingBox())!
    expect(box.width).toBeGreaterThan(300)
    // The whole route fits on one screen.
    expect(box.height).toBeLessThan(500)
    const before = await page.locator('.flow svg').count()
    await page.locator('.strip__h').first().click()
    await expect.poll(() => page.locator('.flow svg').count(), WAIT).toBe(before + 1)
    await page.locator('.strip .gt__n').first().waitFor(WAIT)
  })

  test('a wallet on another chain can be disconnected (sushiswap/sushiswap-interface#119)', async () => {
    const address = stage.devnet.info.accounts[1]!.address
    const before = announce({ rpcUrl: stage.devnet.url, address, chainId: 1 })
    const page = await open(pair('WETH', 'USDC', '1'), { before })
    await page.getByRole('button', { name: 'Connect', exact: true }).click(WAIT)
    await page.getByRole('button', { name: /Test wallet/ }).click(WAIT)
    await page.getByText('Your wallet is on Ethereum.').waitFor(WAIT)
    await page.getByRole('button', { name: /Test wallet/ }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor(WAIT)
    await page.reload()
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor(WAIT)
    await page.waitForTimeout(1_000)
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).count()).toBe(1)
  })

  test('messages never widen the page of a small phone (Uniswap/interface#1462)', async () => {
    const page = await open(`${pair('WETH', 'USDC', '2')}&recipient=${'x'.repeat(200)}`, {
      viewport: { width: 320, height: 700 },
    })
    await page.getByRole('alert').first().waitFor(WAIT)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })

  test('what Max enters is the amount of the quote, to the last digit (gnosis/cowswap#1332)', async () => {
    const page = await open(pair('USDC', 'DAI', '3'))
    await ready(page)
    await page.getByRole('button', { name: 'Max' }).click(WAIT)
    const balance = await stage.balance(stage.token('USDC'), stage.devnet.info.accounts[0]!.address)
    await expect.poll(async () => plainOf(await field(page).inputValue()), WAIT).toBe(plainOf(whole(balance)))
    await expect
      .poll(async () => plainOf((await page.locator('.ends .num').first().getAttribute('title')) ?? ''), WAIT)
      .toBe(plainOf(whole(balance)))
  })

  test('Max of the native token leaves the gas of selling all of it (CrocSwap/ambient-spot#3222)', async () => {
    const address = stage.devnet.info.accounts[5]!.address
    const before = announce({ rpcUrl: stage.devnet.url, address, chainId: 31337 })
    const native = `0x${'e'.repeat(40)}`
    const page = await open(`/?chain=31337&src=${native}&dst=${stage.token('USDC')}&amount=1`, { before })
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: /Test wallet/ }).click(WAIT)
    await ready(page)
    await page.getByRole('button', { name: 'Max' }).click(WAIT)
    await expect.poll(async () => Number(plainOf(await field(page).inputValue())), WAIT).toBeGreaterThan(9_000)
    await go(page, /^Swap$/).waitFor(WAIT)
    const balance = await stage.rpc<string>('eth_getBalance', address, 'latest')
    const remaining = Number(BigInt(balance)) / 1e18 - Number(plainOf(await field(page).inputValue()))
    expect(remaining).toBeGreaterThan(0)
    expect(remaining).toBeLessThan(1)
  })

  test('a wallet is remembered over a reload, and its code loads only for it (Uniswap/widgets#290)', async () => {
    const address = stage.devnet.info.accounts[1]!.address
    const before = announce({ rpcUrl: stage.devnet.url, address, chainId: 31337 })
    const page = await open('/health', { before, isOwn: true })
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    await page.goto(`${stage.server.url}${pair('WETH', 'USDC', '1')}`)
    await page.locator('.gt').first().waitFor(WAIT)
    expect(scripts.filter((url) => /wallets-/.test(url))).toEqual([])
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: /Test wallet/ }).click(WAIT)
    await ready(page)
    expect(scripts.filter((url) => /wallets-/.test(url)).length).toBeGreaterThan(0)
  })

  const walletOf = (index: number) => ({
    ...{ rpcUrl: stage.devnet.url, chainId: 31337, address: stage.devnet.info.accounts[index]!.address },
  })
  const connect = async (page: Page, name: RegExp) => {
    await page.locator('.head-chip').last().click()
    await page.locator('dialog').getByRole('button', { name }).first().click(WAIT)
  }

  test('a wallet that is only window.ethereum can be connected (ethaccount/vue-dapp#171)', async () => {
    const before = announce({ ...walletOf(1), isAnnounced: false })
    const page = await open(pair('WETH', 'USDC', '1'), { before })
    await connect(page, /^Wallet of this browser/)
    await page.locator('.head-chip', { hasText: '0x7099' }).waitFor(WAIT)
    await ready(page)
  })

  test('window.ethereum is not offered next to announced wallets (aprin-labs/archimedes#225)', async () => {
    const before = `${announce({ ...walletOf(1), isAnnounced: false })};${announce(walletOf(2))}`
    const page = await open(pair('WETH', 'USDC', '1'), { before })
    await page.locator('.head-chip').last().click()
    await page.getByRole('button', { name: /^Test wallet/ }).waitFor(WAIT)
    expect(await page.getByRole('button', { name: /^Wallet of this browser/ }).count()).toBe(0)
  })

  test('two wallets of the same name are two wallets (MyEtherWallet/MyEtherWallet#5424)', async () => {
    const before = `${announce(walletOf(1))};${announce({ ...walletOf(2), variant: 3 })}`
    const page = await open(pair('WETH', 'USDC', '1'), { before })
    await connect(page, /^Test wallet/)
    await page.locator('.head-chip', { hasText: '0x7099' }).waitFor(WAIT)
    await page.locator('dialog').waitFor({ ...WAIT, state: 'detached' })
    await connect(page, /^Test wallet/)
    await page.locator('.head-chip', { hasText: '0x3C44' }).waitFor(WAIT)
  })

  test.each([
    ['text', 'User canceled', 'User canceled'],
    ['a number', 0, '0'],
    ['an object without a message', { code: 4900 }, 'Error code 4900.'],
  ])('a wallet may throw %s (swapkit/SwapKit#666, cowprotocol/cowswap#4180)', async (_name, connectError, text) => {
    const page = await open(pair('WETH', 'USDC', '1'), { before: announce({ ...walletOf(1), connectError }) })
    await connect(page, /^Test wallet/)
    await page.locator('dialog [role=alert]', { hasText: text }).waitFor(WAIT)
  })

  test('a wallet can be connected if the browser forbids storage (Uniswap/interface#2698)', async () => {
    const forbid = `for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError') } })`
    const page = await open(pair('WETH', 'USDC', '1'), { before: `${announce(walletOf(1))};${forbid}`, isOwn: true })
    await connect(page, /^Test wallet/)
    await page.locator('.head-chip', { hasText: '0x7099' }).waitFor(WAIT)
    await ready(page)
  })

  test('the page does not allow translation, which would freeze its amounts (gnosis/cowswap#1372)', async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.evaluate(translateLikeChrome)
    await field(page).fill('4')
    const minimumRow = page.locator('main').getByText('Minimum received').locator('..')
    const minimum = async () => Number(/([\d.]+) USDC/.exec((await minimumRow.textContent()) ?? '')?.[1])
    await expect.poll(minimum, WAIT).toBeGreaterThan(11_000)
  })
})

/** Replaces texts as the translation of Chrome does: scripts keep their references to the old nodes. */
function translateLikeChrome(): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts: Text[] = []
  while (walker.nextNode()) texts.push(walker.currentNode as Text)
  for (const text of texts) {
    if (text.data.trim() === '' || text.parentElement!.closest('script, style, [translate="no"]')) continue
    const font = document.createElement('font')
    font.textContent = text.data
    text.replaceWith(font)
  }
}

const plainOf = (text: string): string => text.replaceAll(/[\s ,]/g, '').replace(/\.0*$/, '')

function whole(base: bigint): string {
  const text = String(base).padStart(7, '0')
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/0+$/, '')
}
