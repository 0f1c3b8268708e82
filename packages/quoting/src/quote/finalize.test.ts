import { type Address, type Chain, NATIVE, toAddress } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { finalize } from './finalize.ts'
import type { SimulatedRoute } from './simulated-route.ts'

const testAddress = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [src, dst, weth, sender] = [testAddress('1'), testAddress('2'), testAddress('3'), testAddress('4')]
const leg = {
  pool: { id: 'p', family: 'uniswap-v3', address: testAddress('9') },
  tokenIn: src,
  tokenOut: dst,
  amountIn: 1n,
  amountOut: 1n,
  gas: 90_000,
}

type Setup = {
  readonly request?: object
  readonly route?: object
  readonly trial?: object
  readonly simulation?: object
  readonly chain?: Partial<Chain>
  /** USD price of a whole token. */
  readonly usd?: Readonly<Record<Address, number>>
  /** Transfer taxes of tokens, parts per million. */
  readonly taxes?: Readonly<Record<Address, bigint>>
  readonly gasPriceWei?: bigint
  readonly more?: Partial<SimulatedRoute>
}

/** One route that pays 1,000,000 for 1,000,000, with 6 decimals on both sides. */
function simulatedRoute({
  request,
  route,
  trial,
  simulation,
  chain,
  usd = {},
  taxes = {},
  gasPriceWei = 10n,
  more,
}: Setup = {}): SimulatedRoute {
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
    bestEstimated: {},
    trial: {
      ...{ amountOut: 1_000_000n, minOutput: 995_000n, shortfallPpm: 0n, laterExtraGas: 0, terms: {} },
      swap: { to: testAddress('f'), data: '0x', value: 0n },
      simulation: {
        gasUsed: 200_000,
        ways: {},
        appliedBlock: { number: 8, timestamp: 1 },
        head: { number: 7 },
        ...simulation,
      },
      ...trial,
    },
    tokens: {
      facts: { decimals: () => 6 },
      taxes: { transferPpm: (token: Address) => taxes[token] ?? 0n },
    },
    arePricesTested: async () => true,
    touchedPools: new Set(),
    view: {
      snapshot: { block: { number: 7, hash: '0x07' } },
      prices: () => ({ usd: (token: Address) => usd[token] ?? null }),
      poolsPending: () => false,
    },
    signal: new AbortController().signal,
    ...more,
  } as unknown as SimulatedRoute
}
const finalized = (setup: Setup = {}) => finalize(simulatedRoute(setup))
const warningsOf = async (setup: Setup) => (await finalized(setup)).warnings

describe('price impact', () => {
  test('is the loss against the mid price, before the fee of the caller', async () => {
    expect((await finalized({ route: { midAmountOut: 1_100_000n } })).priceImpactPpm).toBe(90_909n)
    const withFee = { request: { feePpm: 100_000n }, trial: { amountOut: 900_000n } }
    expect((await finalized(withFee)).priceImpactPpm).toBe(0n)
    expect((await finalized({ route: { midAmountOut: 999_000n } })).priceImpactPpm).toBe(0n)
    expect((await finalized({ route: { midAmountOut: null } })).priceImpactPpm).toBeNull()
  })

  test('above the limit is rejected with its value; a limit of 100 percent accepts all', async () => {
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

test('a loss of USD value above the limit is rejected if both tokens have a price', async () => {
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
  test('covers the simulation and the transaction, and its cost is that of the charged gas', async () => {
    const quote = await finalized({ usd: { [NATIVE]: 2_000 } })
    expect(quote.gasEstimate).toBeGreaterThanOrEqual(221_000n)
    expect(quote.gasCharged).toBeLessThan(221_000n)
    expect(quote.gasCostWei).toBe(quote.gasCharged * 10n)
    expect(quote.gasCostUsd).toBeCloseTo((Number(quote.gasCostWei) / 1e18) * 2_000)
    expect(quote.gasChargedAtDeadline).toBe(quote.gasCharged)
    expect(quote.l1FeeWei).toBe(0n)
    expect((await finalized()).gasCostUsd).toBeNull()
  })

  test('has a reserve in its estimate, which the charge does not have, with and without a data fee', async () => {
    // Of 5,000,000, 1.5 parts of 63 must remain, less the 30,000 that the Guard uses at the end.
    const gasEstimate = 5_021_000n + 89_048n
    const simulation = { gasUsed: 5_000_000 }
    const free = await finalized({ simulation })
    const unknown = await finalized({ simulation, chain: { l1FeeModel: 'unknown' } })
    expect([free.gasEstimate, unknown.gasEstimate]).toEqual([gasEstimate, gasEstimate])
    expect([free.l1FeeWei, unknown.l1FeeWei]).toEqual([0n, null])
    expect(unknown.gasCharged).toBeLessThanOrEqual(5_021_000n)
  })

  test('is charged up to the recommended limit on Monad, which charges the limit', async () => {
    const [monad, other] = [await finalized({ chain: { chargesGasLimit: true } }), await finalized()]
    expect(monad.gasEstimate).toBe(other.gasEstimate)
    expect(monad.gasCharged).toBe((monad.gasEstimate * 12n + 9n) / 10n)
    expect(monad.gasChargedAtDeadline).toBe(monad.gasCharged)
    expect(monad.gasCostWei).toBe(monad.gasCharged * 10n)
  })

  test('at the deadline is part of the estimate and of gasChargedAtDeadline only', async () => {
    const [now, later] = [await finalized(), await finalized({ trial: { laterExtraGas: 40_000 } })]
    expect(later.gasCharged).toBe(now.gasCharged)
    expect(later.gasChargedAtDeadline - now.gasChargedAtDeadline).toBe(40_000n)
    expect(later.gasEstimate - now.gasEstimate).toBeGreaterThanOrEqual(40_000n)
  })

  test('is what families declare if the node cannot simulate in the next block', async () => {
    const oracle = { ...leg, pool: { ...leg.pool, family: 'velodrome-v2' } }
    const route = { legs: [oracle] }
    const ran = await finalized({ route })
    const not = await finalized({ route, simulation: { appliedBlock: undefined } })
    expect(not.gasChargedAtDeadline).toBeGreaterThan(ran.gasChargedAtDeadline)
    const touched = await finalized({
      simulation: { appliedBlock: undefined },
      more: { touchedPools: new Set(['p']) as never },
    })
    const untouched = await finalized({ simulation: { appliedBlock: undefined } })
    expect(touched.gasCharged).toBeGreaterThan(untouched.gasCharged)
  })
})

describe('output after gas', () => {
  test('is reduced by the cost in wei if the output is the native token or its wrapper', async () => {
    for (const tokenOut of [NATIVE, weth]) {
      const quote = await finalized({ route: { tokenOut }, trial: { amountOut: 10n ** 15n }, chain: {} })
      expect(quote.netAmountOut).toBe(10n ** 15n - quote.gasCostWei)
    }
  })

  test('of another token uses the gas price in output units of the search', async () => {
    const quote = await finalized()
    // 500 base units for 100,000 gas at 10 wei.
    expect(quote.netAmountOut).toBe(1_000_000n - (500n * quote.gasCostWei) / 1_000_000n)
    expect((await finalized({ route: { gasCostOut: null } })).netAmountOut).toBeNull()
    expect((await finalized({ gasPriceWei: 0n })).netAmountOut).toBe(1_000_000n)
  })
})

test('a quote is current for two blocks', async () => {
  const quote = await finalized()
  expect([quote.block.number, quote.expiresAtBlock]).toEqual([7, 10])
  expect(quote).not.toHaveProperty('calls')
  expect(quote).not.toHaveProperty('slippage')
})

describe('warnings', () => {
  test('report an output above or below the one that the reserves explain', async () => {
    const firstWarning = async (shortfallPpm: bigint) => (await warningsOf({ trial: { shortfallPpm } }))[0]
    expect(await firstWarning(0n)).toBeUndefined()
    expect(await firstWarning(-100n)).toBeUndefined()
    expect(await firstWarning(-101n)).toContain('0.0101 percent more')
    expect(await firstWarning(5_000n)).toBeUndefined()
    expect(await firstWarning(5_001n)).toContain('0.5001 percent less')
  })

  test('report taxes of both tokens, and a second tax if there is a fee', async () => {
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

  test('report that the result depends on code at the sender', async () => {
    expect(await warningsOf({ simulation: { ways: { sender: 'bare' }, chargedGas: 150_000 } })).toEqual([
      expect.stringContaining(sender),
    ])
    expect(await warningsOf({ simulation: { ways: { sender: 'same' } } })).toEqual([])
  })
})

describe('calls', () => {
  const swap = { to: testAddress('f'), data: '0x', value: 0n }
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
  /** A token that accepts approvals, and a simulation of approvals and swap that pays `amountOut`. */
  const withCalls = (allowance: bigint, amountOut: bigint, request: object = {}): Setup => ({
    request: { withCalls: true, ...request },
    more: {
      rpc: { call: async ({ from }: { from?: Address }) => word(from === sender ? 1n : allowance) } as never,
      simulate: async () => ({ success: true, amountOut, ways: {} }) as never,
      view: { ...simulatedRoute().view, codeOf: async () => '0x', balanceOf: async () => 0n },
    },
  })

  test('are the swap alone if it has a permit, or if the input is native', async () => {
    const setup = withCalls(0n, 0n, { permit: {} })
    const quote = await finalized(setup)
    expect(quote.calls).toEqual([swap])
    expect(quote.warnings).toEqual([])
    const native = await finalized({ request: { withCalls: true }, route: { tokenIn: NATIVE } })
    expect(native.calls).toEqual([swap])
    expect(native.warnings).toEqual([])
  })

  test('are the missing approvals and the swap, which work together in simulation', async () => {
    const quote = await finalized(withCalls(0n, 1_000_000n))
    expect(quote.calls).toEqual([{ to: src, data: expect.stringMatching(/^0x095ea7b3/), value: 0n }, swap])
    expect(quote.warnings).toEqual([])
    expect((await finalized(withCalls(1_000_000n, 1_000_000n))).calls).toEqual([swap])
    await expect(finalized(withCalls(0n, 999_999n))).rejects.toMatchObject({ code: 'ROUTE_REVERTED' })
  })

  test('append their warnings to those of the quote', async () => {
    const setup = withCalls(0n, 1_000_000n)
    const simulate = async () => ({ success: true, amountOut: 1_000_000n, ways: { sender: 'bare' } })
    const more = { ...setup.more, simulate } as unknown as Partial<SimulatedRoute>
    const quote = await finalized({ ...setup, more, taxes: { [src]: 10_000n } })
    expect(quote.warnings).toEqual([
      expect.stringContaining('src takes 1 percent'),
      'src or dst treats accounts with code otherwise: make the calls one by one',
    ])
  })
})

test('the quote contains the inputs of its computation', async () => {
  const slippage = { ppm: 3_000n, reason: 'calm' }
  const bestEstimated = { legs: [] }
  const quote = await finalized({
    usd: { [NATIVE]: 2_000 },
    more: {
      slippage,
      bestEstimated,
      view: { ...simulatedRoute().view, poolsPending: () => true },
    } as unknown as Partial<SimulatedRoute>,
  })
  expect(quote).toMatchObject({ slippage, bestEstimated, poolsPending: true, head: { number: 7 }, minOutput: 995_000n })
  expect([quote.gasPriceWei, quote.swap]).toEqual([10n, { to: testAddress('f'), data: '0x', value: 0n }])
})

test('oracle gas of a touched pool counts once, even if several legs use the pool', async () => {
  const touched = { touchedPools: new Set(['p']) } as unknown as Partial<SimulatedRoute>
  const charged = async (legs: readonly object[]) =>
    (await finalized({ route: { legs }, simulation: { appliedBlock: undefined }, more: touched })).gasCharged
  expect(await charged([leg, leg])).toBe(await charged([leg]))
  const other = { ...leg, pool: { ...leg.pool, id: 'q' } }
  expect(await charged([leg, other])).toBe(await charged([leg]))
})

test('a loss of value at the limit is accepted, and the loss of a worthless input is unknown', async () => {
  const loss = (usd: Setup['usd'], maxPriceImpactPpm: bigint) =>
    finalized({ usd: usd!, request: { maxPriceImpactPpm } })
  expect((await loss({ [src]: 1, [dst]: 0.75 }, 250_000n)).amountOut).toBe(1_000_000n)
  await expect(loss({ [src]: 1, [dst]: 0.75 }, 249_999n)).rejects.toMatchObject({
    code: 'VALUE_LOSS',
    message: 'the loss of value in USD is 25 percent, above the limit of 24.9999; maxPriceImpact sets it',
    details: { valueLoss: 25, priceImpact: 0, block: 7 },
  })
  expect((await loss({ [src]: 0, [dst]: 1 }, 0n)).amountOut).toBe(1_000_000n)
})

describe('a loss of value above the limit', () => {
  const setup = { usd: { [src]: 10, [dst]: 1 } }

  test('is unknown while tokens that decide the prices are not tested', async () => {
    const requests: unknown[] = []
    const arePricesTested = async (tokens: readonly Address[]) => {
      requests.push(tokens)
      return false
    }
    expect((await finalized({ ...setup, more: { arePricesTested } })).amountOut).toBe(1_000_000n)
    expect(requests).toEqual([[src, dst]])
    expect((await finalized({ usd: { [src]: 1.1, [dst]: 1 }, more: { arePricesTested } })).amountOut).toBe(1_000_000n)
    expect(requests).toHaveLength(1)
  })

  test('counts at the prices after the test', async () => {
    const tested = async (price: number) => {
      const usd = { ...setup.usd }
      const arePricesTested = async () => {
        usd[src] = price
        return true
      }
      return finalized({ usd, more: { arePricesTested } })
    }
    expect((await tested(1)).amountOut).toBe(1_000_000n)
    await expect(tested(2)).rejects.toMatchObject({ code: 'VALUE_LOSS', details: { valueLoss: 50 } })
  })
})

test('a rejected price impact includes the loss of value, if known', async () => {
  const route = { midAmountOut: 1_250_000n }
  const refused = (usd: NonNullable<Setup['usd']>) => finalized({ route, usd }).catch((error: unknown) => error)
  expect(await refused({})).toMatchObject({ details: { priceImpact: 20, block: 7 } })
  expect(((await refused({})) as { details: object }).details).not.toHaveProperty('valueLoss')
  expect(await refused({ [src]: 1, [dst]: 0.5 })).toMatchObject({ code: 'PRICE_IMPACT', details: { valueLoss: 50 } })
  await expect(finalized({ route: { midAmountOut: null }, usd: { [src]: 1, [dst]: 0.5 } })).rejects.toMatchObject({
    code: 'VALUE_LOSS',
    details: { priceImpact: null },
  })
})
