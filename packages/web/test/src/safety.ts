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
const OTHER_ACCOUNT = '0x00000000000000000000000000000000000b0b03'
/** Longer than the pause in typing after which the amount is quoted. */
const TYPING_PAUSE_MS = 600

/** Registers the tests. Long: a list of cases, which share their helpers. */
export function safetyTests(stageOf: () => Stage): void {
  const owner = (index: number) => stageOf().devnet.info.accounts[index]!.address
  const swapPath = (src: string, dst: string, amount: string) =>
    `/?src=${stageOf().token(src)}&dst=${stageOf().token(dst)}&amount=${amount}`
  const actionButton = (page: Page, name: string | RegExp) => page.locator('.btn--go', { hasText: name })
  const mainButton = (page: Page) => page.locator('.ticket .btn--go')
  const amountField = (page: Page) => page.getByRole('textbox', { name: /^Amount to pay/ })
  const waitForQuote = (page: Page) => actionButton(page, /^(Approve WETH and swap|Swap)$/).waitFor(WAIT)
  const openPage = async (path: string, options: Parameters<Stage['open']>[1] = {}) =>
    (await stageOf().open(path, options)).page
  const withWallet = (options: Partial<WalletOptions> = {}) =>
    announce({ rpcUrl: stageOf().devnet.url, address: owner(5), chainId: 31337, ...options })
  /** Gives 10 WETH to an account. */
  const depositWeth = (index: number) =>
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
  const countSendButtons = (page: Page) => actionButton(page, /swap/i).and(page.locator(':enabled')).count()

  test('terms of a link are shown in full, and nothing is signed before they are accepted', async () => {
    const terms = `&fee="10"&feeTo=${OTHER_ACCOUNT}&slippage="50"&impact="100"`
    const page = await openPage(`${swapPath('WETH', 'USDC', '2')}${terms}`)
    await actionButton(page, 'Accept these terms').waitFor(WAIT)
    const termsText = await textOf(page.locator('.terms'))
    expect(termsText).toContain('Slippage tolerance from the link50 %')
    expect(termsText).toContain('Max price impact from the link100 %')
    expect(termsText).toContain(`Integrator fee from the link10 % to${OTHER_ACCOUNT}`)
    expect(await countSendButtons(page)).toBe(0)
    await actionButton(page, 'Accept these terms').click()
    // The fee alone exceeds the loss that needs confirmation. The output before the fee may be worth a little more than the input.
    await actionButton(page, /^Swap at a loss of (9|1\d)\.\d\d %$/).waitFor(WAIT)
    expect(await textOf(page.locator('.terms'))).toContain(OTHER_ACCOUNT)
    expect(await textOf(page.locator('.terms'))).not.toContain('from the link')
  })

  test('one term of a link requires acceptance, and can be replaced by the defaults', { tags: 'long' }, async () => {
    const page = await openPage(`${swapPath('WETH', 'USDC', '2')}&slippage=3`)
    await actionButton(page, 'Accept these terms').waitFor(WAIT)
    await page.getByRole('button', { name: 'Use the defaults' }).click()
    await waitForQuote(page)
    expect(page.url()).not.toContain('slippage')
    expect(await page.locator('.terms').count()).toBe(0)
  })

  // terms.test.ts has the other invalid terms.
  test('an invalid term is named and disables the button', async () => {
    const page = await openPage(`${swapPath('WETH', 'USDC', '2')}&fee=1&feeTo=0x123&recipient=vitalik.eth`)
    for (const message of ['Integrator fee recipient “0x123”', 'Recipient “vitalik.eth”'])
      await page
        .getByRole('alert')
        .filter({ hasText: `${message} is not an address.` })
        .waitFor(WAIT)
    expect(await mainButton(page).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Use the defaults' }).click()
    await waitForQuote(page)
  })

  test('the button acts only on the displayed amount', async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '30'))
    await waitForQuote(page)
    await amountField(page).fill('2')
    // In the frame in which the text changes, the quote still belongs to the amount 30.
    expect(await mainButton(page).isDisabled()).toBe(true)
    await waitForQuote(page)
    await page.locator('.ends', { hasText: /WETH\s*2\.00/ }).waitFor(WAIT)
    await amountField(page).fill('')
    expect(await mainButton(page).isDisabled()).toBe(true)
  })

  test('the field keeps what is typed, and Enter does what the button says', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '3'))
    await waitForQuote(page)
    await amountField(page).fill('0.00')
    await page.waitForTimeout(TYPING_PAUSE_MS)
    await amountField(page).press('5')
    await page.waitForTimeout(TYPING_PAUSE_MS)
    expect(await amountField(page).inputValue()).toBe('0.005')
    await amountField(page).fill('0.05')
    await page.waitForTimeout(TYPING_PAUSE_MS)
    await amountField(page).press('Backspace')
    await page.waitForTimeout(TYPING_PAUSE_MS)
    await amountField(page).press('7')
    await waitForQuote(page)
    expect(await amountField(page).inputValue()).toBe('0.07')
    expect(decodeURIComponent(page.url())).toContain('amount="0.07"')
    await amountField(page).press('Enter')
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
  })

  test('amounts are parsed as intended, and stay as typed', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '3'))
    await waitForQuote(page)
    for (const [text, amount] of [
      ['1,5', /amount="?1\.5"?/],
      ['1,234.56', /amount="?1234\.56"?/],
      ['$300', /amount="?0\.\d{4,}"?/],
    ] as const) {
      await amountField(page).fill(text)
      await expect.poll(() => decodeURIComponent(page.url()), WAIT).toMatch(amount)
      await actionButton(page, /swap/i).waitFor(WAIT)
      expect(await amountField(page).inputValue()).toBe(text)
    }
  })

  test('an invalid amount gets a reason, and stays in the field', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '3'))
    await waitForQuote(page)
    for (const [text, message] of [
      ['1,234', 'Did you mean 1.234 or 1234?'],
      ['1e3', 'without an exponent'],
      ['0.1234567890123456789', 'At most 18 decimals; this has 19.'],
      ['-5', 'Enter a positive amount.'],
    ] as const) {
      await amountField(page).fill(text)
      await page.getByRole('alert').filter({ hasText: message }).waitFor(WAIT)
      await page.waitForTimeout(TYPING_PAUSE_MS)
      expect(await amountField(page).inputValue()).toBe(text)
      expect(await mainButton(page).isDisabled()).toBe(true)
    }
  })

  test('buttons fill in shares of the balance, dollars are converted, and gas is reserved from the native token', {
    tags: 'long',
  }, async () => {
    await depositWeth(5)
    const page = await openPage(swapPath('WETH', 'USDC', '3'), { before: withWallet() })
    await connect(page)
    await waitForQuote(page)
    const balance = await stageOf().balance(stageOf().token('WETH'), owner(5))
    await page.getByRole('button', { name: '50 %' }).click()
    await expect.poll(() => amountField(page).inputValue(), WAIT).toBe(formatTokens(balance / 2n))
    await page.getByRole('button', { name: 'Max' }).click()
    await expect.poll(() => amountField(page).inputValue(), WAIT).toBe(formatTokens(balance))
    await page.getByRole('button', { name: 'Enter dollars' }).click()
    await amountField(page).fill('3000')
    await expect.poll(() => decodeURIComponent(page.url()), WAIT).toMatch(/amount="?(0\.99|1\.0)\d+/)

    const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
    const nativePage = await openPage(`/?src=${native}&dst=${stageOf().token('USDC')}&amount=1`, {
      before: withWallet(),
    })
    await connect(nativePage)
    await actionButton(nativePage, /^Swap$/).waitFor(WAIT)
    await nativePage.getByRole('button', { name: 'Max' }).click()
    const nativeBalance = BigInt(await stageOf().rpc<string>('eth_getBalance', owner(5), 'latest'))
    const maxAmount = async () => {
      const [wholePart = '0', fraction = ''] = (await amountField(nativePage).inputValue())
        .replaceAll(/\s/g, '')
        .split('.')
      return BigInt(`${wholePart}${fraction.padEnd(18, '0')}`)
    }
    await expect.poll(async () => (await maxAmount()) > nativeBalance / 2n, WAIT).toBe(true)
    expect(await maxAmount()).toBeLessThan(nativeBalance)
  })

  test('a loss above five percent needs a red button and a confirmation that states it', { tags: 'long' }, async () => {
    const coin = await deployCoin(stageOf().devnet)
    const page = await openPage(`/?src=${stageOf().token('WETH')}&dst=${coin.address}&amount=1&impact=100`)
    await actionButton(page, 'Accept these terms').click(WAIT)
    const balanceBefore = await stageOf().balance(coin.address, owner(0))
    await page.locator('.btn--danger', { hasText: /^Swap at a loss of \d+\.\d\d %$/ }).click(WAIT)
    const dialog = page.getByRole('dialog', { name: 'This swap loses money' })
    expect(await textOf(dialog)).toMatch(/You lose about/)
    expect(await textOf(dialog)).toMatch(/\d+\.\d\d %/)
    expect(await stageOf().balance(coin.address, owner(0))).toBe(balanceBefore)
    await dialog.getByRole('button', { name: 'Go back' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.btn--danger').click()
    await dialog.getByRole('button', { name: /^Swap anyway and lose/ }).click()
    await page.getByRole('heading', { name: 'Swapped' }).waitFor(WAIT)
  })

  test('the difference of value is next to the output, and gas above the output has a warning', {
    tags: 'long',
  }, async () => {
    const page = await openPage(swapPath('WETH', 'DAI', '50'))
    await waitForQuote(page)
    const valueNote = page.locator('.leg-in__note').nth(1)
    await expect.poll(() => textOf(valueNote), WAIT).toMatch(/\(−0\.\d\d %, −\$[\d.]+\)/)
    await amountField(page).fill('0.00005')
    await page.getByText('Gas costs more than you receive.').waitFor(WAIT)
  })

  test.each(['hang', 'drop'] as const)(
    'figures are marked as outdated if the node is silent: %s',
    { tags: 'long' },
    async (fault) => {
      const page = await openPage(swapPath('WETH', 'USDC', '2'))
      await waitForQuote(page)
      stageOf().proxy.injectFault = () => fault
      try {
        await actionButton(page, 'Refresh the quote').waitFor(WAIT)
        await page.getByText(/^Can’t reach the (chain|service)\. These figures are out of date\.$/).waitFor(WAIT)
      } finally {
        stageOf().proxy.injectFault = () => undefined
      }
      await waitForQuote(page)
    },
  )

  test('figures are marked as outdated if the service is silent', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '2'))
    await waitForQuote(page)
    await page.context().setOffline(true)
    await actionButton(page, 'Refresh the quote').waitFor(WAIT)
    await page.getByText('Can’t reach the service. These figures are out of date.').waitFor(WAIT)
    await page.context().setOffline(false)
    await waitForQuote(page)
  })

  test('the page stays usable if the code of a part does not load, and a reload loads it', {
    tags: 'long',
  }, async () => {
    const code = /\/assets\/(PairChart|WhyRoute|Settings)-/
    const page = await openPage('/app/chains', { isOwn: true })
    await page.route(code, (route) => route.abort())
    await page.goto(`${stageOf().server.url}${swapPath('WETH', 'USDC', '2')}`)
    await waitForQuote(page)
    await page.getByRole('button', { name: 'Settings' }).click()
    const missingParts = page.getByText('This part of the page did not load.')
    // The settings load last: a request that is made after `unroute` would succeed.
    const reload = page.locator('#settings').getByRole('button', { name: 'Reload the page' })
    await reload.waitFor(WAIT)
    await expect.poll(() => missingParts.count(), WAIT).toBeGreaterThanOrEqual(2)
    await waitForQuote(page)
    await page.unroute(code)
    await reload.click()
    await expect.poll(() => missingParts.count(), WAIT).toBe(0)
    await waitForQuote(page)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByText('Slippage tolerance').waitFor(WAIT)
  })

  test('old figures disappear if the quote of a new amount fails', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '2'))
    await waitForQuote(page)
    await page.route(/\/(stream|aggregator|quote)\//, (route) => route.abort())
    await amountField(page).fill('7')
    await page.getByText('The service does not answer.').waitFor(WAIT)
    expect(await page.locator('.least__v .num').count()).toBe(0)
    // The route follows the order after the next paint.
    await expect.poll(() => page.locator('.gt').count(), WAIT).toBe(0)
  })

  test('a swap that was sent cannot be canceled, and is listed until it is mined, even after a reload', {
    tags: 'long',
  }, async () => {
    await depositWeth(6)
    const page = await openPage(swapPath('WETH', 'USDC', '1'), { before: withWallet({ address: owner(6) }) })
    await connect(page)
    await waitForQuote(page)
    const word = (value: string) => value.slice(2).toLowerCase().padStart(64, '0')
    const data = `0x095ea7b3${word(stageOf().devnet.info.guard)}${'f'.repeat(64)}`
    await stageOf().rpc('eth_sendTransaction', { from: owner(6), to: stageOf().token('WETH'), data })
    await actionButton(page, /^Swap$/).waitFor(WAIT)
    await stageOf().rpc('evm_setAutomine', false)
    try {
      await actionButton(page, /^Swap$/).click()
      const pendingEntry = page.locator('.ledger__e--pending', { hasText: 'USDC' })
      await pendingEntry.waitFor(WAIT)
      expect(await page.getByRole('button', { name: /^(Cancel|Back|Ask again)$/ }).count()).toBe(0)
      await page.reload()
      await pendingEntry.waitFor(WAIT)
      await page.getByText('A swap is still pending.').waitFor(WAIT)
      await stageOf().rpc('evm_mine')
      const minedEntry = page.locator('.ledger__e--landed')
      await minedEntry.waitFor(WAIT)
      expect(await textOf(minedEntry)).toMatch(/Quoted [\d. ]+ · received [\d. ]+/)
      await page.reload()
      await minedEntry.waitFor(WAIT)
    } finally {
      await stageOf().rpc('evm_setAutomine', true)
    }
  })

  test('after a sent approval, declining the swap reports the remaining approval', { tags: 'long' }, async () => {
    await depositWeth(4)
    const balanceBefore = withWallet({ address: owner(4), sendsFirst: 1, declines: 1 })
    const page = await openPage(swapPath('WETH', 'USDC', '1'), { before: balanceBefore })
    await connect(page)
    await actionButton(page, 'Approve WETH and swap').click(WAIT)
    await page.getByText('You declined in the wallet.').waitFor(WAIT)
    const text = await textOf(page.locator('.ticket'))
    expect(text).toMatch(/No swap was sent\. Your approval of 1\.00 WETH stays\./)
    expect(text).not.toContain('Nothing was sent')
    await page.locator('.ledger__e', { hasText: 'Approve' }).waitFor(WAIT)
  })

  test('the offered amount never exceeds the balance, and the error of a node for insufficient funds is shown', {
    tags: 'long',
  }, async () => {
    await depositWeth(7)
    const page = await openPage(swapPath('WETH', 'FAR', '1000000'), { before: withWallet({ address: owner(7) }) })
    await connect(page)
    const useButton = actionButton(page, /^Use .* WETH$/)
    // The largest amount takes several searches.
    await useButton.waitFor({ timeout: 3 * WAIT.timeout })
    await useButton.click()
    const digits = (text: string) => Number(text.replaceAll(/[^\d.]/g, ''))
    await expect.poll(async () => digits(await amountField(page).inputValue()), WAIT).toBeLessThanOrEqual(10)

    const balanceBefore = await stageOf().rpc<string>('eth_getBalance', owner(7), 'latest')
    await stageOf().rpc('anvil_setBalance', owner(7), '0x0')
    try {
      await page.goto(`${stageOf().server.url}${swapPath('WETH', 'USDC', '1')}`)
      await connect(page)
      await actionButton(page, 'Approve WETH and swap').click(WAIT)
      await page.getByText('Your wallet reported an error.').waitFor(WAIT)
      expect(await textOf(page.locator('.ticket'))).toMatch(/insufficient funds/i)
      expect(await textOf(page.locator('body'))).not.toContain('This page failed')
    } finally {
      await stageOf().rpc('anvil_setBalance', owner(7), balanceBefore)
    }
  })

  test('after a wallet is disconnected, no other account replaces it, even after a reload', {
    tags: 'long',
  }, async () => {
    await depositWeth(5)
    const page = await openPage(swapPath('WETH', 'USDC', '1'), { before: withWallet() })
    await connect(page)
    await waitForQuote(page)
    await page.locator('.top__r .head-chip').last().click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await actionButton(page, 'Connect a wallet').waitFor(WAIT)
    await page.reload()
    await actionButton(page, 'Connect a wallet').waitFor(WAIT)
  })

  test('hostile token names cannot reverse, hide, or displace text', { tags: 'long' }, async () => {
    const page = await openPage('/health', { viewport: { width: 390, height: 844 } })
    const hostileSymbol = `\u202eCDSU\u200b${'W'.repeat(46)}`
    // The service's own list, in which one symbol is replaced by a hostile one.
    await page.route(/\/tokenlist\//, async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      await route.fulfill({
        response,
        body: text.replaceAll('"symbol":"USDC"', `"symbol":${JSON.stringify(hostileSymbol)}`),
      })
    })
    await page.goto(`${stageOf().server.url}${swapPath('WETH', 'USDC', '2')}`)
    await waitForQuote(page)
    const button = page.getByRole('button', { name: /token to receive$/ })
    const shownText = await textOf(button)
    expect(shownText).toMatch(/^CDSU W+…$/)
    expect(await button.getAttribute('title')).toContain('W'.repeat(46))
    expect(await page.evaluate(() => document.body.textContent)).not.toMatch(/[\u202a-\u202e\u200b-\u200f]/)
    expect((await amountField(page).boundingBox())!.width).toBeGreaterThan(100)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })

  test('an address without pools is distinguished from a name without matches', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '2'))
    await page.getByRole('button', { name: 'USDC, token to receive' }).click(WAIT)
    const search = page.getByRole('combobox', { name: 'Search tokens' })
    await search.fill('0x00000000000000000000000000000000000b0b04')
    await page.getByText('No pool on Devnet trades this token.').waitFor(WAIT)
    await search.fill('no such token')
    await page.getByText('No match. Try the contract address.').waitFor(WAIT)
  })

  test('the tax warning does not contain names of API fields', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'TAXED', '1'))
    await page.getByText(/keeps [\d.]+ % of every transfer\./).waitFor(WAIT)
    expect(await page.getByText('toAmount').count()).toBe(0)
  })

  test('the pressed segment keeps its contrast under the mouse', { tags: 'long' }, async () => {
    const page = await openPage(swapPath('WETH', 'USDC', '2'))
    const pressedButton = page.getByRole('button', { name: 'Exact input' })
    await pressedButton.hover(WAIT)
    const [color, background] = await pressedButton.evaluate((button) => {
      const style = getComputedStyle(button)
      return [style.color, style.backgroundColor]
    })
    expect(color).not.toBe(background)
  })
}

/** Returns the text of an element with normalized spaces. */
async function textOf(element: Locator): Promise<string> {
  return ((await element.textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** Formats whole tokens of 18 decimals as the field does. */
function formatTokens(baseUnits: bigint): string {
  const text = String(baseUnits).padStart(19, '0')
  const fraction = text.slice(-18).replace(/0+$/, '')
  const wholePart = text.slice(0, -18).replace(/\B(?=(\d{3})+$)/g, '\u202f')
  return fraction ? `${wholePart}.${fraction}` : wholePart
}
