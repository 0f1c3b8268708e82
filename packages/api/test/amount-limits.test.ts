/** Tests amounts at the limits of what pools take and pay: a few units, more than 2^128, and all that a vault redeems. */
import { expect, test } from 'vitest'
import { localService } from './src/devnet.ts'
import { ask } from './src/service.ts'

const local = localService()

type Body = Readonly<Record<string, unknown>>

async function quote(src: string, dst: string, query: Record<string, string>) {
  const { tokens } = local.devnet.info
  const pair = { src: tokens[src]!.address, dst: tokens[dst]!.address }
  const { status, text } = await ask(`${local.server.url}/quote/31337?${new URLSearchParams({ ...pair, ...query })}`)
  return { status, body: JSON.parse(text) as Body, text }
}

test.each([
  ['FRAX', 'DAI', 100_000_000n],
  ['LINK', 'WETH', 100_000_000n],
  ['AAVE', 'CRV', 1_000_000n],
  ['WETH', 'PEPE', 1n],
])(
  '%s for %s by the few units of %d, though a path over a token of 6 decimals looks better',
  async (src, dst, units) => {
    const direct = await quote(src, dst, { amount: `${units}`, gasPrice: '0', maxHops: '2', maxPriceImpact: '100' })
    expect(direct.status, direct.text).toBe(200)
    const free = await quote(src, dst, { amount: `${units}`, gasPrice: '0', maxPriceImpact: '100' })
    expect(free.status, free.text).toBe(200)
    expect(BigInt(free.body.toAmount as string)).toBeGreaterThanOrEqual(BigInt(direct.body.toAmount as string))
  },
)

test.each([
  ['WETH', 'USDC', 1n],
  ['USDC', 'GUSD', 9_999n],
  ['PEPE', 'WETH', 5n],
])(
  '%s for %s: the minimum that the refusal of %d reports is not refused for its loss of value',
  async (src, dst, units) => {
    const refused = await quote(src, dst, { amount: `${units}` })
    expect([refused.status, refused.body.code], refused.text).toEqual([422, 'AMOUNT_TOO_SMALL'])
    const min = await quote(src, dst, { amount: refused.body.minRoutableAmount as string })
    expect(min.status, min.text).toBe(200)
  },
)

test.each([
  ['WETH', 'USDC', 2n ** 128n],
  ['DAI', 'SDAI', 2n ** 256n - 1n],
])('%s for %s: the maximum that the refusal of %d reports is below it, and has a route', async (src, dst, units) => {
  const refused = await quote(src, dst, { amount: `${units}`, maxPriceImpact: '100' })
  expect([refused.status, refused.body.code], refused.text).toEqual([422, 'INSUFFICIENT_LIQUIDITY'])
  const amount = refused.body.maxRoutableAmount as string
  expect(BigInt(amount)).toBeLessThan(units)
  const max = await quote(src, dst, { amount, maxPriceImpact: '100' })
  expect(max.status, max.text).toBe(200)
})

test('a vault and the buffer of its shares, which redeem the same assets, do not make a route fail', async () => {
  const amount = `${60_000_000n * 10n ** 18n}`
  const { status, body, text } = await quote('SDAI', 'DAI', { amount, maxPriceImpact: '100' })
  expect(status, text).toBe(200)
  const excluded = { amount, maxPriceImpact: '100', excludeSources: 'balancer-v3' }
  const withoutBuffer = await quote('SDAI', 'DAI', excluded)
  expect(BigInt(body.toAmount as string)).toBeGreaterThanOrEqual(BigInt(withoutBuffer.body.toAmount as string))
})

test('an exact output over many pools, of which the rebasing input pays one unit too little, is searched in full again', async () => {
  const amountOut = '2700000000000'
  const { status, body, text } = await quote('STETH', 'USDT', { amountOut, slippage: '0', maxPriceImpact: '100' })
  expect(status, text).toBe(200)
  expect(body.minToAmount).toBe(amountOut)
})
