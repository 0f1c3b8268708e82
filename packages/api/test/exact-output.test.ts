/** Tests exact-output quotes over HTTP on the local chain. */
import { NATIVE } from '@sluice/chains'
import { expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'

const local = localService()

const PPM = 1_000_000n
const address = (symbol: string) => (symbol === 'NATIVE' ? NATIVE : local.devnet.info.tokens[symbol]!.address)
const decimals = (symbol: string) => (symbol === 'NATIVE' ? 18 : local.devnet.info.tokens[symbol]!.decimals)
async function get(endpoint: string, query: Readonly<Record<string, string>>) {
  const { status, text } = await ask(`${local.server.url}/${endpoint}/31337?${new URLSearchParams(query)}`)
  return { status, body: JSON.parse(text) }
}

test.each([
  ['WETH', 'USDC', 3_000],
  ['USDC', 'WETH', 1],
  ['NATIVE', 'DAI', 50_000],
  ['DAI', 'NATIVE', 2],
  ['USDC', 'USDT', 1_000],
  ['NATIVE', 'WETH', 1],
  ['WETH', 'TAXED', 100],
  ['TAXED', 'WETH', 0.1],
  ['STETH', 'USDC', 100],
  ['WBTC', 'GUSD', 10],
] as const)(
  '%s for %s %d: the minimum input pays the output after slippage, and less input does not',
  async (src, dst, whole) => {
    const amountOut = BigInt(Math.round(whole * 100)) * 10n ** BigInt(decimals(dst) - 2)
    const fee = { convenienceFee: '1', convenienceFeeRecipient: local.devnet.info.accounts[3]!.address.toLowerCase() }
    for (const more of [{}, { slippage: '0' }, { slippage: '3', ...fee }, { maxHops: '1', maxSplits: '1' }]) {
      const pair = { src: address(src), dst: address(dst), maxPriceImpact: '100', gasPrice: '0', ...more }
      const exactOutput = await get('quote', { ...pair, amountOut: `${amountOut}` })
      const label = `${JSON.stringify(more)} ${JSON.stringify(exactOutput.body).slice(0, 300)}`
      if ('maxHops' in more && exactOutput.status === 422) continue
      expect(exactOutput.status, label).toBe(200)
      const { fromAmount, toAmount, minToAmount } = exactOutput.body
      expect(minToAmount, label).toBe(`${amountOut}`)
      const slippagePpm = BigInt(Math.round(Number('slippage' in more ? more.slippage : '0.5') * 10_000))
      expect((BigInt(toAmount) * (PPM - slippagePpm)) / PPM, label).toBeGreaterThanOrEqual(amountOut)
      const paid = await get('quote', { ...pair, amount: fromAmount })
      expect(BigInt(paid.body.minToAmount), label).toBeGreaterThanOrEqual((amountOut * (PPM - 5n)) / PPM)
      // The input through one pool is exact. A search over many pools may be off by a few ppm.
      const less = 'maxSplits' in more ? BigInt(fromAmount) - 1n : (BigInt(fromAmount) * (PPM - 20n)) / PPM - 1n
      if (less <= 0n) continue
      const short = await get('quote', { ...pair, amount: `${less}` })
      if (short.status === 200) expect(BigInt(short.body.minToAmount), label).toBeLessThan(amountOut)
    }
  },
)

test.each([
  ['NATIVE', 'FRAX', 0.0726],
  ['AAVE', 'DAI', 0.5527],
  ['UNI', 'AAVE', 57.2],
  ['WETH', 'USDC', 0.0334],
  ['WETH', 'FRAX', 0.01283],
] as const)(
  '%s for %s: an exact output that an input buys costs no more than this input, with gas',
  async (src, dst, whole) => {
    // Of trades this small, the gas is a percent: routes that were not measured look better or worse than they are.
    const pair = { src: address(src), dst: address(dst), slippage: '0', gasPrice: `${2n * 10n ** 9n}` }
    const amount = BigInt(Math.round(whole * 10_000)) * 10n ** BigInt(decimals(src) - 4)
    const forward = await get('quote', { ...pair, amount: `${amount}` })
    expect(forward.status, forward.body.error).toBe(200)
    const exact = await get('quote', { ...pair, amountOut: forward.body.toAmount })
    expect(exact.status, exact.body.error).toBe(200)
    const { body: prices } = await get('prices', { token: address(src) })
    const costOf = ({ fromAmount, gasCost }: { fromAmount: string; gasCost: { usd: number } }) =>
      (Number(fromAmount) / 10 ** decimals(src)) * prices[address(src)] + gasCost.usd
    const label = JSON.stringify([forward.body.swaps, exact.body.swaps])
    expect(costOf(exact.body) / costOf(forward.body), label).toBeLessThan(1.0001)
  },
)

test('the transaction pays the quoted output, and takes at most fromAmount', async () => {
  const from = local.devnet.info.accounts[2]!.address
  const amountOut = 2_000n * 10n ** 6n
  const usdc = address('USDC')
  const query = { src: NATIVE, dst: usdc, from, amountOut: `${amountOut}` }
  const { body } = await get('aggregator', query)
  expect(body.tx.value).toBe(body.fromAmount)
  const balance = async () =>
    BigInt(
      await request<string>(
        local.devnet.url,
        'eth_call',
        { to: usdc, data: `0x70a08231${from.slice(2).padStart(64, '0')}` },
        'latest',
      ),
    )
  const before = await balance()
  const value = `0x${BigInt(body.tx.value).toString(16)}`
  await request(local.devnet.url, 'eth_sendTransaction', {
    from,
    to: body.tx.to,
    data: body.tx.data,
    value,
    gas: '0x1c9c380',
  })
  await request(local.devnet.url, 'evm_mine')
  expect((await balance()) - before).toBeGreaterThanOrEqual(amountOut)
})

test('exactly one of amount and amountOut is required; an output that is too large is refused with the maximum', async () => {
  const pair = { src: address('WETH'), dst: address('USDC') }
  expect((await get('quote', pair)).body.error).toBe('amount must be provided')
  expect((await get('quote', { ...pair, amount: '1', amountOut: '1' })).body.error).toBe(
    'amount and amountOut exclude each other',
  )
  expect((await get('quote', { ...pair, amountOut: '0' })).body.error).toContain('amountOut')
  const tooMuch = await get('quote', { ...pair, maxPriceImpact: '100', amountOut: `${10n ** 24n}` })
  expect(tooMuch).toMatchObject({ status: 422, body: { code: 'INSUFFICIENT_LIQUIDITY' } })
  const maxAmount = BigInt(tooMuch.body.maxRoutableAmount)
  expect(maxAmount).toBeGreaterThan(0n)
  expect(maxAmount).toBeLessThan(10n ** 24n)
  // The pools pay this much, so a maximum far below it would be wrong.
  const forward = await get('quote', { ...pair, maxPriceImpact: '100', amount: `${60_000n * 10n ** 18n}` })
  expect(maxAmount * 10n).toBeGreaterThan(BigInt(forward.body.toAmount) * 9n)
  expect((await get('quote', { ...pair, maxPriceImpact: '100', amountOut: `${(maxAmount * 9n) / 10n}` })).status).toBe(
    200,
  )
})
