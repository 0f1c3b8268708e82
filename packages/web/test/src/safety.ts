/**
 * Tests of the checks before signing. They share the chain and the service of the Swap page's other tests.
 * Long: one case for each way in which a signature could differ from the displayed swap.
 */
import { deployCoin } from '@sluice/api/testing'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Stage } from './stage.ts'
import { announce, type WalletOptions } from './wallet.ts'

const WAIT = { timeout: 60_000 }
const OTHER = '0x00000000000000000000000000000000000b0b03'
/** Longer than the pause in typing after which the amount is quoted. */
const PAUSE_MS = 600

/** Registers the tests. Long: a list of cases, which share their helpers. */
export function safetyTests(stageOf: () => Stage): void {
  const owner = (index: number) => stageOf().devnet.info.accounts[index]!.address
  const pair = (src: string, dst: string, amount: string) =>
    `/?src=${stageOf().token(src)}&dst=${stageOf().token(dst)}&amount=${amount}`
  const go = (page: Page, name: string | RegExp) => page.locator('.btn--go', { hasText: name })
  const main = (page: Page) => page.locator('.ticket .btn--go')
  const field = (page: Page) => page.getByRole('textbox', { name: /^Amount to pay/ })
  const ready = (page: Page) => go(page, /^(Approve WETH and swap|Swap)$/).waitFor(WAIT)
  const open = async (path: string, options: Parameters<Stage['open']>[1] = {}) =>
    (await stageOf().open(path, options)).page
  const withWallet = (options: Partial<WalletOptions> = {}) =>
    announce({ rpcUrl: stageOf().devnet.url, address: owner(5), chainId: 31337, ...options })
  /** Gives 10 WETH to an account. */
  const fund = (index: number) =>
    stageOf().rpc('eth_sendTransaction', {
      ...{ from: owner(index), to: stageOf().token('WETH'), value: '0x8ac7230489e80000' },
      // Selector of `deposit()`.
      data: '0xd0e30db0',
    })
  async function connect(page: Page) {
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: /Test wallet/ }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
  }
  const sendable = (page: Page) => go(page, /swap/i).and(page.locator(':enabled')).count()

  test('terms of a link are shown in full, and nothing is signed before they are accepted', async () => {
    const terms = `&fee="10"&feeTo=${OTHER}&slippage="50"&impact="100"`
    const page = await open(`${pair('WETH', 'USDC', '2')}${terms}`)
    await go(page, 'Accept these terms').waitFor(WAIT)
    const list = await textOf(page.locator('.terms'))
    expect(list).toContain('Slippage tolerance from the link50 %')
    expect(list).toContain('Max price impact from the link100 %')
    expect(list).toContain(`Integrator fee from the link10 % to${OTHER}`)
    expect(await sendable(page)).toBe(0)
    await go(page, 'Accept these terms').click()
    // The fee alone exceeds the loss that needs confirmation. The output before the fee may be worth a little more than the input.
    await go(page, /^Swap at a loss of (9|1\d)\.\d\d %$/).waitFor(WAIT)
    expect(await textOf(page.locator('.terms'))).toContain(OTHER)
    expect(await textOf(page.locator('.terms'))).not.toContain('from the link')
  })

  test('one term of a link requires acceptance, and can be replaced by the defaults', { tags: 'long' }, async () => {
    const page = await open(`${pair('WETH', 'USDC', '2')}&slippage=3`)
    await go(page, 'Accept these terms').waitFor(WAIT)
    await page.getByRole('button', { name: 'Use the defaults' }).click()
    await ready(page)
    expect(page.url()).not.toContain('slippage')
    expect(await page.locator('.terms').count()).toBe(0)
  })

  // terms.test.ts has the other invalid terms.
  test('an invalid term is named and blocks', async () => {
    const page = await open(`${pair('WETH', 'USDC', '2')}&fee=1&feeTo=0x123&recipient=vitalik.eth`)
    for (const words of ['Integrator fee recipient “0x123”', 'Recipient “vitalik.eth”'])
      await page
        .getByRole('alert')
        .filter({ hasText: `${words} is not an address.` })
        .waitFor(WAIT)
    expect(await main(page).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Use the defaults' }).click()
    await ready(page)
  })

  test('the button acts only on the displayed amount', async () => {
    const page = await open(pair('WETH', 'USDC', '30'))
    await ready(page)
    await field(page).fill('2')
    // In the frame in which the text changes, the quote still belongs to the amount 30.
    expect(await main(page).isDisabled()).toBe(true)
    await ready(page)
    await page.locator('.ends', { hasText: /WETH\s*2\.00/ }).waitFor(WAIT)
    await field(page).fill('')
    expect(await main(page).isDisabled()).toBe(true)
  })

  test('the field keeps what is typed, and Enter does what the button says', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'USDC', '3'))
    await ready(page)
    await field(page).fill('0.00')
    await page.waitForTimeout(PAUSE_MS)
    await field(page).press('5')
    await page.waitForTimeout(PAUSE_MS)
    expect(await field(page).inputValue()).toBe('0.005')
    await field(page).fill('0.05')
    await page.waitForTimeout(PAUSE_MS)
    await field(page).press('Backspace')
    await page.waitForTimeout(PAUSE_MS)
    await field(page).press('7')
    await ready(page)
    expect(await field(page).inputValue()).toBe('0.07')
    expect(decodeURIComponent(page.url())).toContain('amount="0.07"')
    await field(page).press('Enter')
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
  })

  test('amounts are parsed as intended, and stay as typed', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'USDC', '3'))
    await ready(page)
    for (const [text, amount] of [
      ['1,5', /amount="?1\.5"?/],
      ['1,234.56', /amount="?1234\.56"?/],
      ['$300', /amount="?0\.\d{4,}"?/],
    ] as const) {
      await field(page).fill(text)
      await expect.poll(() => decodeURIComponent(page.url()), WAIT).toMatch(amount)
      await go(page, /swap/i).waitFor(WAIT)
      expect(await field(page).inputValue()).toBe(text)
    }
  })

  test('an invalid amount gets a reason, and stays in the field', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'USDC', '3'))
    await ready(page)
    for (const [text, words] of [
      ['1,234', 'Did you mean 1.234 or 1234?'],
      ['1e3', 'without an exponent'],
      ['0.1234567890123456789', 'At most 18 decimals; this has 19.'],
      ['-5', 'Enter a positive amount.'],
    ] as const) {
      await field(page).fill(text)
      await page.getByRole('alert').filter({ hasText: words }).waitFor(WAIT)
      await page.waitForTimeout(PAUSE_MS)
      expect(await field(page).inputValue()).toBe(text)
      expect(await main(page).isDisabled()).toBe(true)
    }
  })

  test('Max and shares of the balance, input in dollars, and gas reserved of the native token', {
    tags: 'long',
  }, async () => {
    await fund(5)
    const page = await open(pair('WETH', 'USDC', '3'), { before: withWallet() })
    await connect(page)
    await ready(page)
    const balance = await stageOf().balance(stageOf().token('WETH'), owner(5))
    await page.getByRole('button', { name: '50 %' }).click()
    await expect.poll(() => field(page).inputValue(), WAIT).toBe(whole(balance / 2n))
    await page.getByRole('button', { name: 'Max' }).click()
    await expect.poll(() => field(page).inputValue(), WAIT).toBe(whole(balance))
    await page.getByRole('button', { name: 'Enter dollars' }).click()
    await field(page).fill('3000')
    await expect.poll(() => decodeURIComponent(page.url()), WAIT).toMatch(/amount="?(0\.99|1\.0)\d+/)

    const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
    const other = await open(`/?src=${native}&dst=${stageOf().token('USDC')}&amount=1`, { before: withWallet() })
    await connect(other)
    await go(other, /^Swap$/).waitFor(WAIT)
    await other.getByRole('button', { name: 'Max' }).click()
    const has = BigInt(await stageOf().rpc<string>('eth_getBalance', owner(5), 'latest'))
    const maxAmount = async () => {
      const [coins = '0', fraction = ''] = (await field(other).inputValue()).replaceAll(/\s/g, '').split('.')
      return BigInt(`${coins}${fraction.padEnd(18, '0')}`)
    }
    await expect.poll(async () => (await maxAmount()) > has / 2n, WAIT).toBe(true)
    expect(await maxAmount()).toBeLessThan(has)
  })

  test('a loss above five percent needs a red button and a confirmation that states it', { tags: 'long' }, async () => {
    const coin = await deployCoin(stageOf().devnet)
    const page = await open(`/?src=${stageOf().token('WETH')}&dst=${coin.address}&amount=1&impact=100`)
    await go(page, 'Accept these terms').click(WAIT)
    const before = await stageOf().balance(coin.address, owner(0))
    await page.locator('.btn--danger', { hasText: /^Swap at a loss of \d+\.\d\d %$/ }).click(WAIT)
    const dialog = page.getByRole('dialog', { name: 'This swap loses money' })
    expect(await textOf(dialog)).toMatch(/You lose about/)
    expect(await textOf(dialog)).toMatch(/\d+\.\d\d %/)
    expect(await stageOf().balance(coin.address, owner(0))).toBe(before)
    await dialog.getByRole('button', { name: 'Go back' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.btn--danger').click()
    await dialog.getByRole('button', { name: /^Swap anyway and lose/ }).click()
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
  })

  test('the difference of value is next to the output, and gas above the output has a warning', {
    tags: 'long',
  }, async () => {
    const page = await open(pair('WETH', 'DAI', '50'))
    await ready(page)
    const note = page.locator('.leg-in__note').nth(1)
    await expect.poll(() => textOf(note), WAIT).toMatch(/\(−0\.\d\d %, −\$[\d.]+\)/)
    await field(page).fill('0.00005')
    await page.getByText('Gas costs more than you receive.').waitFor(WAIT)
  })

  test.each(['hang', 'drop'] as const)(
    'figures are marked as outdated if the node is silent: %s',
    { tags: 'long' },
    async (fault) => {
      const page = await open(pair('WETH', 'USDC', '2'))
      await ready(page)
      stageOf().proxy.fault = () => fault
      try {
        await go(page, 'Refresh the quote').waitFor(WAIT)
        await page.getByText(/^Can’t reach the (chain|service)\. These figures are out of date\.$/).waitFor(WAIT)
      } finally {
        stageOf().proxy.fault = () => undefined
      }
      await ready(page)
    },
  )

  test('figures are marked as outdated if the service is silent', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.context().setOffline(true)
    await go(page, 'Refresh the quote').waitFor(WAIT)
    await page.getByText('Can’t reach the service. These figures are out of date.').waitFor(WAIT)
    await page.context().setOffline(false)
    await ready(page)
  })

  test('parts of the page whose code does not arrive leave the rest usable, and a reload loads them', {
    tags: 'long',
  }, async () => {
    const code = /\/assets\/(PairChart|WhyRoute|Settings)-/
    const page = await open('/app/chains', { isOwn: true })
    await page.route(code, (route) => route.abort())
    await page.goto(`${stageOf().server.url}${pair('WETH', 'USDC', '2')}`)
    await ready(page)
    await page.getByRole('button', { name: 'Settings' }).click()
    const missing = page.getByText('This part of the page did not load.')
    // The settings load last: a request that is made after `unroute` would succeed.
    const reload = page.locator('#settings').getByRole('button', { name: 'Reload the page' })
    await reload.waitFor(WAIT)
    await expect.poll(() => missing.count(), WAIT).toBeGreaterThanOrEqual(2)
    await ready(page)
    await page.unroute(code)
    await reload.click()
    await expect.poll(() => missing.count(), WAIT).toBe(0)
    await ready(page)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByText('Slippage tolerance').waitFor(WAIT)
  })

  test('old figures disappear if the quote of a new amount fails', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await ready(page)
    await page.route(/\/(stream|aggregator|quote)\//, (route) => route.abort())
    await field(page).fill('7')
    await page.getByText('The service does not answer.').waitFor(WAIT)
    expect(await page.locator('.least__v .num').count()).toBe(0)
    // The route follows the order after the next paint.
    await expect.poll(() => page.locator('.gt').count(), WAIT).toBe(0)
  })

  test('a swap that was sent cannot be canceled, and is listed until it is mined, over a reload', {
    tags: 'long',
  }, async () => {
    await fund(6)
    const page = await open(pair('WETH', 'USDC', '1'), { before: withWallet({ address: owner(6) }) })
    await connect(page)
    await ready(page)
    const word = (value: string) => value.slice(2).toLowerCase().padStart(64, '0')
    const data = `0x095ea7b3${word(stageOf().devnet.info.guard)}${'f'.repeat(64)}`
    await stageOf().rpc('eth_sendTransaction', { from: owner(6), to: stageOf().token('WETH'), data })
    await go(page, /^Swap$/).waitFor(WAIT)
    await stageOf().rpc('evm_setAutomine', false)
    try {
      await go(page, /^Swap$/).click()
      const pending = page.locator('.ledger__e--pending', { hasText: 'USDC' })
      await pending.waitFor(WAIT)
      expect(await page.getByRole('button', { name: /^(Cancel|Back|Ask again)$/ }).count()).toBe(0)
      await page.reload()
      await pending.waitFor(WAIT)
      await page.getByText('A swap is still pending.').waitFor(WAIT)
      await stageOf().rpc('evm_mine')
      const landed = page.locator('.ledger__e--landed')
      await landed.waitFor(WAIT)
      expect(await textOf(landed)).toMatch(/Quoted [\d. ]+ · received [\d. ]+/)
      await page.reload()
      await landed.waitFor(WAIT)
    } finally {
      await stageOf().rpc('evm_setAutomine', true)
    }
  })

  test('after a sent approval, declining the swap reports the remaining approval', { tags: 'long' }, async () => {
    await fund(4)
    const before = withWallet({ address: owner(4), sendsFirst: 1, declines: 1 })
    const page = await open(pair('WETH', 'USDC', '1'), { before })
    await connect(page)
    await go(page, 'Approve WETH and swap').click(WAIT)
    await page.getByText('You declined in the wallet.').waitFor(WAIT)
    const text = await textOf(page.locator('.ticket'))
    expect(text).toMatch(/No swap was sent\. Your approval of 1\.00 WETH stays\./)
    expect(text).not.toContain('Nothing was sent')
    await page.locator('.ledger__e', { hasText: 'Approve' }).waitFor(WAIT)
  })

  test('the offered amount never exceeds the balance, and the error of a node for missing gas money is shown', {
    tags: 'long',
  }, async () => {
    await fund(7)
    const page = await open(pair('WETH', 'FAR', '1000000'), { before: withWallet({ address: owner(7) }) })
    await connect(page)
    const use = go(page, /^Use .* WETH$/)
    // The largest amount takes several searches.
    await use.waitFor({ timeout: 3 * WAIT.timeout })
    await use.click()
    const digits = (text: string) => Number(text.replaceAll(/[^\d.]/g, ''))
    await expect.poll(async () => digits(await field(page).inputValue()), WAIT).toBeLessThanOrEqual(10)

    const before = await stageOf().rpc<string>('eth_getBalance', owner(7), 'latest')
    await stageOf().rpc('anvil_setBalance', owner(7), '0x0')
    try {
      await page.goto(`${stageOf().server.url}${pair('WETH', 'USDC', '1')}`)
      await connect(page)
      await go(page, 'Approve WETH and swap').click(WAIT)
      await page.getByText('Your wallet reported an error.').waitFor(WAIT)
      expect(await textOf(page.locator('.ticket'))).toMatch(/insufficient funds/i)
      expect(await textOf(page.locator('body'))).not.toContain('This page failed')
    } finally {
      await stageOf().rpc('anvil_setBalance', owner(7), before)
    }
  })

  test('after a wallet is disconnected no other account takes its place, over a reload too', {
    tags: 'long',
  }, async () => {
    await fund(5)
    const page = await open(pair('WETH', 'USDC', '1'), { before: withWallet() })
    await connect(page)
    await ready(page)
    await page.locator('.top__r .head-chip').last().click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await go(page, 'Connect a wallet').waitFor(WAIT)
    await page.reload()
    await go(page, 'Connect a wallet').waitFor(WAIT)
  })

  test('hostile token names cannot reverse, hide, or displace text', { tags: 'long' }, async () => {
    const page = await open('/health', { viewport: { width: 390, height: 844 } })
    const hostile = `\u202eCDSU\u200b${'W'.repeat(46)}`
    // The service's own list, in which one symbol is replaced by a hostile one.
    await page.route(/\/tokenlist\//, async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      await route.fulfill({ response, body: text.replaceAll('"symbol":"USDC"', `"symbol":${JSON.stringify(hostile)}`) })
    })
    await page.goto(`${stageOf().server.url}${pair('WETH', 'USDC', '2')}`)
    await ready(page)
    const button = page.getByRole('button', { name: /token to receive$/ })
    const shown = await textOf(button)
    expect(shown).toMatch(/^CDSU W+…$/)
    expect(await button.getAttribute('title')).toContain('W'.repeat(46))
    expect(await page.evaluate(() => document.body.textContent)).not.toMatch(/[\u202a-\u202e\u200b-\u200f]/)
    expect((await field(page).boundingBox())!.width).toBeGreaterThan(100)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })

  test('an address without pools is distinguished from a name without matches', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    await page.getByRole('button', { name: 'USDC, token to receive' }).click(WAIT)
    const search = page.getByRole('combobox', { name: 'Search tokens' })
    await search.fill('0x00000000000000000000000000000000000b0b04')
    await page.getByText('No pool on Devnet trades this token.').waitFor(WAIT)
    await search.fill('no such token')
    await page.getByText('No match. Try the contract address.').waitFor(WAIT)
  })

  test('the warning of a tax is in the words of the page', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'TAXED', '1'))
    await page.getByText(/keeps [\d.]+ % of every transfer\./).waitFor(WAIT)
    expect(await page.getByText('toAmount').count()).toBe(0)
  })

  test('the pressed segment keeps its contrast under the mouse', { tags: 'long' }, async () => {
    const page = await open(pair('WETH', 'USDC', '2'))
    const pressed = page.getByRole('button', { name: 'Exact input' })
    await pressed.hover(WAIT)
    const [color, ground] = await pressed.evaluate((button) => {
      const style = getComputedStyle(button)
      return [style.color, style.backgroundColor]
    })
    expect(color).not.toBe(ground)
  })
}

/** Returns the text of an element with normalized spaces. */
async function textOf(element: Locator): Promise<string> {
  return ((await element.textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** Formats whole tokens of 18 decimals as the field does. */
function whole(base: bigint): string {
  const text = String(base).padStart(19, '0')
  const fraction = text.slice(-18).replace(/0+$/, '')
  const coins = text.slice(0, -18).replace(/\B(?=(\d{3})+$)/g, '\u202f')
  return fraction ? `${coins}.${fraction}` : coins
}
