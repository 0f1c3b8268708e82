import { type Address, type Chain, NATIVE, toAddress } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { finalize } from './finalize.ts'
import type { Found } from './found.ts'

const at = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [src, dst, weth, sender] = [at('1'), at('2'), at('3'), at('4')]
const leg = {
  pool: { id: 'p', family: 'uniswap-v3', address: at('9') },
  tokenIn: src,
  tokenOut: dst,
  amountIn: 1n,
  amountOut: 1n,
  gas: 90_000,
}

type Given = {
  readonly request?: object
  readonly route?: object
  readonly trial?: object
  readonly simulation?: object
  readonly chain?: Partial<Chain>
  /** Dollars of a whole token. */
  readonly usd?: Readonly<Record<Address, number>>
  /** Parts per million that tokens keep on transfers. */
  readonly taxes?: Readonly<Record<Address, bigint>>
  readonly gasPriceWei?: bigint
  readonly more?: Partial<Found>
}

/** One route that pays 1,000,000 for 1,000,000, with 6 decimals on both sides. */
function found({
  request,
  route,
  trial,
  simulation,
  chain,
  usd = {},
  taxes = {},
  gasPriceWei = 10n,
  more,
}: Given = {}): Found {
  const routed = { tokenIn: src, tokenOut: dst, amountIn: 1_000_000n, amountOut: 1_000_000n, legs: [leg] }
  return {
    request: {
      from: sender,
      tokenIn: src,
      tokenOut: dst,
      feePpm: 0n,
      maxPriceImpactPpm: 150_000n,
      withCalls: false,
      ...request,
    },
    gasPriceWei,
    chain: {
      chainId: 1,
      l1FeeModel: 'none',
      nativeCurrency: { decimals: 18 },
      wrappedNative: { address: weth },
      ...chain,
    },
    route: { ...routed, gas: 100_000, gasCostOut: 500n, midAmountOut: 1_000_000n, ...route },
    ranked: {},
    trial: {
      ...{ amountOut: 1_000_000n, minOutput: 995_000n, shortfallPpm: 0n, laterGas: 0, terms: {} },
      swap: { to: at('f'), data: '0x', value: 0n },
      simulation: {
        gasUsed: 200_000,
        ways: {},
        ranIn: { number: 8, timestamp: 1 },
        head: { number: 7 },
        ...simulation,
      },
      ...trial,
    },
    tokens: {
      facts: { decimals: () => 6 },
      taxes: { transferPpm: (token: Address) => taxes[token] ?? 0n },
    },
    touched: new Set(),
    view: {
      snapshot: { block: { number: 7, hash: '0x07' } },
      prices: () => ({ usd: (token: Address) => usd[token] ?? null }),
      poolsPending: () => false,
    },
    signal: new AbortController().signal,
    ...more,
  } as unknown as Found
}
const finalized = (given: Given = {}) => finalize(found(given))
const warningsOf = async (given: Given) => (await finalized(given)).warnings

describe('price impact', () => {
  test('is what the route pays less than at its mid price, before the fee of the caller', async () => {
    expect((await finalized({ route: { midAmountOut: 1_100_000n } })).priceImpactPpm).toBe(90_909n)
    const withFee = { request: { feePpm: 100_000n }, trial: { amountOut: 900_000n } }
    expect((await finalized(withFee)).priceImpactPpm).toBe(0n)
    expect((await finalized({ route: { midAmountOut: 999_000n } })).priceImpactPpm).toBe(0n)
    expect((await finalized({ route: { midAmountOut: null } })).priceImpactPpm).toBeNull()
  })

  test('above the limit is refused with its figure, at the limit it is not, and 100 percent accept any', async () => {
    const mid = (of: bigint, request = {}) => finalized({ route: { midAmountOut: of }, request })
    await expect(mid(1_250_000n)).rejects.toMatchObject({
      code: 'PRICE_IMPACT',
      message: 'the price impact is 20 percent, above the limit of 15; maxPriceImpact sets it',
      details: { priceImpact: 20, block: 7 },
    })
    expect((await mid(1_250_000n, { maxPriceImpactPpm: 200_000n })).priceImpactPpm).toBe(200_000n)
    await expect(mid(1_250_000n, { maxPriceImpactPpm: 199_999n })).rejects.toMatchObject({ code: 'PRICE_IMPACT' })
    expect((await mid(100_000_000n, { maxPriceImpactPpm: 1_000_000n })).priceImpactPpm).toBe(990_000n)
  })

  test('of 3 percent and more is a warning', async () => {
    const impact = (route: object) => warningsOf({ route })
    expect(await impact({ midAmountOut: 1_030_927n })).toEqual([])
    expect(await impact({ midAmountOut: 1_030_929n })).toEqual(['the price impact is 3.0001 percent'])
  })
})

test('a loss in dollars above the limit is refused, if both tokens have a price', async () => {
  const usd = { [src]: 1, [dst]: 0.8 }
  await expect(finalized({ usd })).rejects.toMatchObject({
    code: 'VALUE_LOSS',
    details: { valueLoss: 20, priceImpact: 0 },
  })
  expect((await finalized({ usd: { [src]: 1 } })).amountOut).toBe(1_000_000n)
  expect((await finalized({ usd: { [dst]: 0.1 } })).amountOut).toBe(1_000_000n)
  expect((await finalized({ usd: { [src]: 1, [dst]: 0.86 } })).amountOut).toBe(1_000_000n)
  expect((await finalized({ usd, request: { maxPriceImpactPpm: 1_000_000n } })).amountOut).toBe(1_000_000n)
})

describe('gas', () => {
  test('is that of the run and of a transaction, and costs what is charged', async () => {
    const quote = await finalized({ usd: { [NATIVE]: 2_000 } })
    expect(quote.gasEstimate).toBeGreaterThanOrEqual(221_000n)
    expect(quote.gasCharged).toBeLessThan(221_000n)
    expect(quote.gasCostWei).toBe(quote.gasCharged * 10n)
    expect(quote.gasCostUsd).toBeCloseTo((Number(quote.gasCostWei) / 1e18) * 2_000)
    expect(quote.gasChargedAtDeadline).toBe(quote.gasCharged)
    expect(quote.l1FeeWei).toBe(0n)
    expect((await finalized()).gasCostUsd).toBeNull()
  })

  test('at the deadline counts in the estimate and in that figure alone', async () => {
    const [now, later] = [await finalized(), await finalized({ trial: { laterGas: 40_000 } })]
    expect(later.gasCharged).toBe(now.gasCharged)
    expect(later.gasChargedAtDeadline - now.gasChargedAtDeadline).toBe(40_000n)
    expect(later.gasEstimate - now.gasEstimate).toBeGreaterThanOrEqual(40_000n)
  })

  test('of a node that cannot run the next block is what families state', async () => {
    const oracle = { ...leg, pool: { ...leg.pool, family: 'velodrome-v2' } }
    const route = { legs: [oracle] }
    const ran = await finalized({ route })
    const not = await finalized({ route, simulation: { ranIn: undefined } })
    expect(not.gasChargedAtDeadline).toBeGreaterThan(ran.gasChargedAtDeadline)
    const touched = await finalized({ simulation: { ranIn: undefined }, more: { touched: new Set(['p']) as never } })
    const untouched = await finalized({ simulation: { ranIn: undefined } })
    expect(touched.gasCharged).toBeGreaterThan(untouched.gasCharged)
  })
})

describe('output after gas', () => {
  test('of the native token or its wrapper is less the wei that are paid', async () => {
    for (const tokenOut of [NATIVE, weth]) {
      const quote = await finalized({ route: { tokenOut }, trial: { amountOut: 10n ** 15n }, chain: {} })
      expect(quote.netAmountOut).toBe(10n ** 15n - quote.gasCostWei)
    }
  })

  test('of another token is by what the search took gas for', async () => {
    const quote = await finalized()
    // 500 base units for 100,000 gas at 10 wei.
    expect(quote.netAmountOut).toBe(1_000_000n - (500n * quote.gasCostWei) / 1_000_000n)
    expect((await finalized({ route: { gasCostOut: null } })).netAmountOut).toBeNull()
    expect((await finalized({ gasPriceWei: 0n })).netAmountOut).toBe(1_000_000n)
  })
})

test('a quote lasts for two blocks', async () => {
  const quote = await finalized()
  expect([quote.block.number, quote.expiresAtBlock]).toEqual([7, 10])
  expect(quote).not.toHaveProperty('calls')
  expect(quote).not.toHaveProperty('slippage')
})

describe('warnings', () => {
  test('tell of more or less than reserves explain', async () => {
    const told = async (shortfallPpm: bigint) => (await warningsOf({ trial: { shortfallPpm } }))[0]
    expect(await told(0n)).toBeUndefined()
    expect(await told(-100n)).toBeUndefined()
    expect(await told(-101n)).toContain('0.0101 percent more')
    expect(await told(5_000n)).toBeUndefined()
    expect(await told(5_001n)).toContain('0.5001 percent less')
  })

  test('tell of taxes, at each end, and of a fee that is taxed', async () => {
    expect(await warningsOf({ taxes: { [src]: 10_000n } })).toEqual([
      'src takes 1 percent on transfers; toAmount is what is left',
    ])
    expect(await warningsOf({ taxes: { [dst]: 10_000n } })).toEqual([
      'dst takes 1 percent on transfers; toAmount is what is left',
    ])
    const both = await warningsOf({ taxes: { [dst]: 10_000n }, request: { feePpm: 1_000n } })
    expect(both).toHaveLength(2)
    expect(await warningsOf({ request: { feePpm: 1_000n } })).toEqual([])
  })

  test('tell of code that treats accounts by theirs', async () => {
    expect(await warningsOf({ simulation: { ways: { sender: 'bare' }, chargedGas: 150_000 } })).toEqual([
      expect.stringContaining(sender),
    ])
    expect(await warningsOf({ simulation: { ways: { sender: 'same' } } })).toEqual([])
  })
})

describe('calls', () => {
  const swap = { to: at('f'), data: '0x', value: 0n }
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
  /** A token that takes approvals, and a run of approvals and swap together that pays as told. */
  const withCalls = (allowance: bigint, amountOut: bigint, request: object = {}): Given => ({
    request: { withCalls: true, ...request },
    more: {
      rpc: { call: async ({ from }: { from?: Address }) => word(from === sender ? 1n : allowance) } as never,
      simulate: async () => ({ success: true, amountOut, ways: {} }) as never,
      view: { ...found().view, codeOf: async () => '0x' },
    },
  })

  test('are the swap alone if a permission comes with it, or if the input is native', async () => {
    const given = withCalls(0n, 0n, { permit: {} })
    const quote = await finalized(given)
    expect(quote.calls).toEqual([swap])
    expect(quote.warnings).toEqual([])
    const native = await finalized({ request: { withCalls: true }, route: { tokenIn: NATIVE } })
    expect(native.calls).toEqual([swap])
    expect(native.warnings).toEqual([])
  })

  test('are the approvals that the sender lacks and the swap, as they were seen to work together', async () => {
    const quote = await finalized(withCalls(0n, 1_000_000n))
    expect(quote.calls).toEqual([{ to: src, data: expect.stringMatching(/^0x095ea7b3/), value: 0n }, swap])
    expect(quote.warnings).toEqual([])
    expect((await finalized(withCalls(1_000_000n, 1_000_000n))).calls).toEqual([swap])
    await expect(finalized(withCalls(0n, 999_999n))).rejects.toMatchObject({ code: 'ROUTE_REVERTED' })
  })

  test('warn after everything else that the quote warns of', async () => {
    const given = withCalls(0n, 1_000_000n)
    const simulate = async () => ({ success: true, amountOut: 1_000_000n, ways: { sender: 'bare' } })
    const more = { ...given.more, simulate } as unknown as Partial<Found>
    const quote = await finalized({ ...given, more, taxes: { [src]: 10_000n } })
    expect(quote.warnings).toEqual([
      expect.stringContaining('src takes 1 percent'),
      'src or dst treats accounts with code otherwise: make the calls one by one',
    ])
  })
})

test('what the quote says of its making is taken over', async () => {
  const slippage = { ppm: 3_000n, reason: 'calm' }
  const ranked = { legs: [] }
  const quote = await finalized({
    usd: { [NATIVE]: 2_000 },
    more: { slippage, ranked, view: { ...found().view, poolsPending: () => true } } as unknown as Partial<Found>,
  })
  expect(quote).toMatchObject({ slippage, ranked, poolsPending: true, head: { number: 7 }, minOutput: 995_000n })
  expect([quote.gasPriceWei, quote.swap]).toEqual([10n, { to: at('f'), data: '0x', value: 0n }])
})

test('gas of each pool that was touched counts once, however many legs it has', async () => {
  const touched = { touched: new Set(['p']) } as unknown as Partial<Found>
  const charged = async (legs: readonly object[]) =>
    (await finalized({ route: { legs }, simulation: { ranIn: undefined }, more: touched })).gasCharged
  expect(await charged([leg, leg])).toBe(await charged([leg]))
  const other = { ...leg, pool: { ...leg.pool, id: 'q' } }
  expect(await charged([leg, other])).toBe(await charged([leg]))
})

test('a loss of value at the limit is accepted, and one of an input worth nothing is not known', async () => {
  const loss = (usd: Given['usd'], maxPriceImpactPpm: bigint) =>
    finalized({ usd: usd!, request: { maxPriceImpactPpm } })
  expect((await loss({ [src]: 1, [dst]: 0.75 }, 250_000n)).amountOut).toBe(1_000_000n)
  await expect(loss({ [src]: 1, [dst]: 0.75 }, 249_999n)).rejects.toMatchObject({
    code: 'VALUE_LOSS',
    message: 'the loss of value in USD is 25 percent, above the limit of 24.9999; maxPriceImpact sets it',
    details: { valueLoss: 25, priceImpact: 0, block: 7 },
  })
  expect((await loss({ [src]: 0, [dst]: 1 }, 0n)).amountOut).toBe(1_000_000n)
})

test('a price impact that is refused names the loss of value where that is known, and only there', async () => {
  const route = { midAmountOut: 1_250_000n }
  const refused = (usd: NonNullable<Given['usd']>) => finalized({ route, usd }).catch((error: unknown) => error)
  expect(await refused({})).toMatchObject({ details: { priceImpact: 20, block: 7 } })
  expect(((await refused({})) as { details: object }).details).not.toHaveProperty('valueLoss')
  expect(await refused({ [src]: 1, [dst]: 0.5 })).toMatchObject({ code: 'PRICE_IMPACT', details: { valueLoss: 50 } })
  await expect(finalized({ route: { midAmountOut: null }, usd: { [src]: 1, [dst]: 0.5 } })).rejects.toMatchObject({
    code: 'VALUE_LOSS',
    details: { priceImpact: null },
  })
})
