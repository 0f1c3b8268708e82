import { type Address, toAddress } from '@sluice/chains'
import { QuotingError } from '@sluice/quoting'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAuction } from './auction.ts'
import { type ChainQuotes, ChainRouter } from './chain-router.ts'
import { solve } from './solve.ts'

const testAddress = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [SELL, BUY, WRAPPED, MIDDLE] = [testAddress('1'), testAddress('2'), testAddress('3'), testAddress('4')]
const GUARD = testAddress('9')
const WHOLE = 10n ** 18n

type Reserves = readonly [Address, bigint, Address, bigint]
const pool = ([first, reserve, second, other]: Reserves, id = 'pool') => ({
  ...{ id, kind: 'constantProduct', address: testAddress('5'), gasEstimate: '1', fee: '0.003' },
  tokens: { [first]: { balance: String(reserve) }, [second]: { balance: String(other) } },
})
const order = (change: object = {}) => ({
  ...{ uid: `0x${'ab'.repeat(56)}`, sellToken: SELL, buyToken: BUY, sellAmount: String(WHOLE), buyAmount: '1' },
  ...{ kind: 'sell', partiallyFillable: false, class: 'market', ...change },
})
const auction = (change: object = {}, deadlineMs = 10_000) =>
  readAuction({
    ...{ id: null, tokens: {}, orders: [order()], liquidity: [pool([SELL, 100n * WHOLE, BUY, 300n * WHOLE])] },
    ...{ effectiveGasPrice: '1000000000', deadline: new Date(Date.now() + deadlineMs).toISOString(), ...change },
  })
const chainOf = (quote: ChainQuotes['quote']) =>
  new ChainRouter({ wrappedNative: WRAPPED, guard: GUARD, quote }, testAddress('8'))
/** A chain that pays one for one times a factor, with nothing simulated. */
const paying = (numerator: bigint, gasEstimate = 200_000n) =>
  chainOf(async ({ amountIn, amountOut }) => {
    const input = amountIn ?? ((amountOut ?? 0n) * 100n + numerator - 1n) / numerator
    const paid = { route: { amountIn: input }, amountOut: (input * numerator) / 100n, gasEstimate }
    return { ...paid, swap: { to: GUARD, data: '0x1234' } } as unknown as Awaited<ReturnType<ChainQuotes['quote']>>
  })
const kindsOf = (solutions: Awaited<ReturnType<typeof solve>>) =>
  solutions.map(({ interactions }) => interactions.map(({ kind }) => kind).join())

/** Output of a pair of Uniswap V2 by its own formula. */
const out = (amount: bigint, reserveIn: bigint, reserveOut: bigint) =>
  (amount * 997n * reserveOut) / (reserveIn * 1_000n + amount * 997n)

describe('routes over listed liquidity', () => {
  test('a pair pays what its own formula says', async () => {
    const [solution] = await solve(auction(), { wrappedNative: WRAPPED })
    expect(solution!.prices[SELL]).toBe(String(out(WHOLE, 100n * WHOLE, 300n * WHOLE)))
  })

  test('two equal pairs pay at least what either pays alone, and interactions add up', async () => {
    const reserve = fc.bigInt({ min: 10n ** 9n, max: 10n ** 26n })
    let solved = 0
    await fc.assert(
      fc.asyncProperty(reserve, reserve, reserve, async (a, b, amount) => {
        const orders = [order({ sellAmount: String(amount) })]
        const of = async (liquidity: object[]) =>
          (await solve(auction({ orders, liquidity }), { wrappedNative: WRAPPED }))[0]
        const one = await of([pool([SELL, a, BUY, b])])
        const both = await of([pool([SELL, a, BUY, b]), pool([SELL, a, BUY, b])])
        const alone = out(amount, a, b)
        if (alone === 0n) {
          expect(one).toBeUndefined()
          return
        }
        expect(BigInt(one!.prices[SELL]!)).toBe(alone)
        expect(BigInt(both!.prices[SELL]!)).toBeGreaterThanOrEqual(alone)
        const interactions = both!.interactions.filter((interaction) => interaction.kind === 'liquidity')
        const sum = (side: 'inputAmount' | 'outputAmount') =>
          interactions.reduce((all, leg) => all + BigInt(leg[side]), 0n)
        expect(sum('inputAmount')).toBe(amount)
        expect(sum('outputAmount')).toBe(BigInt(both!.prices[SELL]!))
        solved++
      }),
      { numRuns: 200 },
    )
    expect(solved).toBeGreaterThan(100)
  })

  test('an order to buy pays the input that the path asks for, and no route exceeds what it may sell', async () => {
    const liquidity = [
      pool([SELL, 100n * WHOLE, MIDDLE, 50n * WHOLE], 'a'),
      pool([MIDDLE, 50n * WHOLE, BUY, 300n * WHOLE], 'b'),
    ]
    const buy = (sellAmount: bigint) => order({ kind: 'buy', sellAmount: String(sellAmount), buyAmount: String(WHOLE) })
    const [solution] = await solve(auction({ orders: [buy(10n * WHOLE)], liquidity }), { wrappedNative: WRAPPED })
    const input = BigInt(solution!.prices[BUY]!)
    const through = (amount: bigint) => out(out(amount, 100n * WHOLE, 50n * WHOLE), 50n * WHOLE, 300n * WHOLE)
    expect(through(input)).toBeGreaterThanOrEqual(WHOLE)
    expect(through(input - 2n)).toBeLessThan(WHOLE)
    expect(await solve(auction({ orders: [buy(input - 1n)], liquidity }), { wrappedNative: WRAPPED })).toEqual([])
  })

  test('without a reference price gas is priced by what buys a native token; without that there is no fee', async () => {
    const orders = [order({ class: 'limit' })]
    const pair = pool([SELL, 100n * WHOLE, BUY, 300n * WHOLE])
    const feeOf = async (liquidity: object[], overrides: object = {}) => {
      const [solution] = await solve(auction({ orders, liquidity, ...overrides }), { wrappedNative: WRAPPED })
      return BigInt(solution!.trades[0]!.fee!)
    }
    expect(await feeOf([pair])).toBe(0n)
    // 200 for one: a gas of 166,391 at 1 gwei.
    const native = await feeOf([pair, pool([SELL, 200_000n * WHOLE, WRAPPED, 1_000n * WHOLE])])
    expect(native).toBeGreaterThan(166_391n * 200n * 10n ** 9n)
    expect(native).toBeLessThan((166_391n * 200n * 10n ** 9n * 1005n) / 1000n)
    const tokens = { [SELL]: { referencePrice: String(WHOLE / 200n), availableBalance: '0', trusted: false } }
    expect(await feeOf([pair], { tokens })).toBe(166_391n * 200n * 10n ** 9n)
  })
})

describe('the chain next to listed liquidity', () => {
  test('whichever pays more after gas is answered', async () => {
    const tokens = { [SELL]: { referencePrice: String(WHOLE), availableBalance: '0', trusted: false } }
    const answered = async (numerator: bigint, overrides: object = {}, gas?: bigint) =>
      kindsOf(await solve(auction({ tokens, ...overrides }), { wrappedNative: WRAPPED, chain: paying(numerator, gas) }))
    expect(await answered(200n)).toEqual(['liquidity'])
    expect(await answered(400n)).toEqual(['custom'])
    // 1 % more output, for gas worth half of the input.
    expect(await answered(300n, { effectiveGasPrice: '1000000000000' }, 500_000n)).toEqual(['liquidity'])
    expect(await answered(300n, { effectiveGasPrice: '1' }, 500_000n)).toEqual(['custom'])
  })

  test('a swap of the Guard names its input, its output, and the allowance that it needs', async () => {
    const [solution] = await solve(auction({ liquidity: [] }), { wrappedNative: WRAPPED, chain: paying(400n) })
    expect(solution!.interactions).toEqual([
      {
        ...{ kind: 'custom', internalize: false, target: GUARD, value: '0', callData: '0x1234' },
        allowances: [{ token: SELL, amount: String(WHOLE), spender: GUARD }],
        inputs: [{ token: SELL, amount: String(WHOLE) }],
        outputs: [{ token: BUY, amount: String(4n * WHOLE) }],
      },
    ])
    expect(solution!.gas).toBe(200_000 - 21_000 + 106_391)
  })

  test('a chain that refuses leaves the rest', async () => {
    const chain = chainOf(async () => {
      throw new QuotingError('NO_ROUTE', 'none')
    })
    expect(kindsOf(await solve(auction(), { wrappedNative: WRAPPED, chain }))).toEqual(['liquidity'])
    expect(await solve(auction({ liquidity: [] }), { wrappedNative: WRAPPED, chain })).toEqual([])
  })

  test('a price that a failing node did not give is asked for again, one that does not exist is not', async () => {
    const feesOf = async (firstError: Error) => {
      let priceRequests = 0
      const paid = { amountOut: WHOLE, gasEstimate: 200_000n, swap: { to: GUARD, data: '0x' } }
      const chain = chainOf(async ({ tokenOut, amountIn = WHOLE }) => {
        if (tokenOut === WRAPPED && ++priceRequests === 1) throw firstError
        return { ...paid, route: { amountIn } } as unknown as Awaited<ReturnType<ChainQuotes['quote']>>
      })
      // The first four orders are tried at once and share a request.
      const orders = Array.from({ length: 5 }, () => order({ class: 'limit' }))
      const solutions = await solve(auction({ orders, liquidity: [] }), { wrappedNative: WRAPPED, chain })
      return { fees: solutions.map(({ trades }) => BigInt(trades[0]!.fee!) > 0n), priceRequests }
    }
    const unpriced = Array(4).fill(false)
    expect(await feesOf(new Error('the node is down'))).toEqual({ fees: [...unpriced, true], priceRequests: 2 })
    const refusal = new QuotingError('NO_ROUTE', 'none')
    expect(await feesOf(refusal)).toEqual({ fees: [...unpriced, false], priceRequests: 1 })
  })

  test('a chain that never answers costs nothing but its own routes', async () => {
    const chain = chainOf(() => new Promise(() => {}))
    const tokens = { [SELL]: { referencePrice: '1', availableBalance: '0', trusted: false } }
    expect(kindsOf(await solve(auction({ tokens }, 1_000), { wrappedNative: WRAPPED, chain }))).toEqual(['liquidity'])
  })

  test('an order that is filled in part is halved until its limit is met, and no further', async () => {
    const requestedAmounts: bigint[] = []
    const chain = chainOf(async ({ amountIn }) => {
      requestedAmounts.push(amountIn!)
      const amountOut = amountIn! > WHOLE / 4n ? 0n : amountIn!
      const paid = { route: { amountIn }, amountOut, gasEstimate: 1n }
      return { ...paid, swap: { to: GUARD, data: '0x' } } as unknown as Awaited<ReturnType<ChainQuotes['quote']>>
    })
    const orders = [order({ partiallyFillable: true, buyAmount: String(WHOLE) })]
    const tokens = { [SELL]: { referencePrice: '1', availableBalance: '0', trusted: false } }
    const [solution] = await solve(auction({ orders, liquidity: [], tokens }), { wrappedNative: WRAPPED, chain })
    expect(requestedAmounts).toEqual([WHOLE, WHOLE / 2n, WHOLE / 4n])
    expect(solution!.trades[0]!.executedAmount).toBe(String(WHOLE / 4n))
  })
})

describe('bounds', () => {
  test('an auction whose deadline is here has no solutions', async () => {
    expect(await solve(auction({}, 400), { wrappedNative: WRAPPED })).toEqual([])
  })

  test('orders come by what their limits leave, and keep the ids of their places', async () => {
    const first: bigint[] = []
    const chain = chainOf(async ({ amountIn }) => {
      first.push(amountIn!)
      throw new QuotingError('NO_ROUTE', 'none')
    })
    const priced = { referencePrice: String(WHOLE), availableBalance: '0', trusted: false }
    const orders = [1n, 2n, 3n].map((k) => order({ sellAmount: String(10n + k), buyAmount: String(100n / k) }))
    await solve(auction({ orders, liquidity: [], tokens: { [SELL]: priced, [BUY]: priced } }), {
      wrappedNative: null,
      chain,
    })
    expect(first).toEqual([13n, 12n, 11n])
    const solutions = await solve(auction({ orders: [order({ sellAmount: '0' }), order()] }), {
      wrappedNative: WRAPPED,
    })
    expect(solutions.map(({ id }) => id)).toEqual([1])
  })

  test('an order of nothing, or for nothing, has no solution and harms no other', async () => {
    const priced = { referencePrice: String(WHOLE), availableBalance: '0', trusted: false }
    const orders = [order({ sellAmount: '0' }), order({ buyAmount: '0' }), order()]
    const tokens = { [SELL]: priced, [BUY]: priced }
    const solutions = await solve(auction({ orders, tokens }), { wrappedNative: WRAPPED })
    expect(solutions.map(({ id }) => id)).toEqual([2])
  })

  test('an input that buys nothing because of rounding is raised, and harms no other order', async () => {
    const side = (balance: bigint) => ({ balance: String(balance), scalingFactor: '0.000001', weight: '0.5' })
    const weighted = {
      ...{ id: 'weighted', kind: 'weightedProduct', address: testAddress('5'), gasEstimate: '1', fee: '0.3' },
      ...{
        version: 'v3Plus',
        tokens: { [BUY]: side(2_868_113_520_000_000_000_000_000n), [SELL]: side(4_217_294_461n) },
      },
    }
    const liquidity = [weighted, pool([SELL, 100n * WHOLE, MIDDLE, 300n * WHOLE])]
    const orders = [order({ kind: 'buy' }), order({ buyToken: MIDDLE })]
    const solutions = await solve(auction({ orders, liquidity, effectiveGasPrice: '0' }), { wrappedNative: WRAPPED })
    expect(solutions.map(({ id }) => id)).toEqual([0, 1])
    expect(BigInt(solutions[0]!.prices[SELL]!)).toBe(1n)
  })

  test('a caller that leaves ends the search', async () => {
    const caller = new AbortController()
    const chain = chainOf(() => {
      caller.abort()
      return new Promise(() => {})
    })
    const tokens = { [SELL]: { referencePrice: '1', availableBalance: '0', trusted: false } }
    const solutions = await solve(auction({ tokens, liquidity: [] }), {
      wrappedNative: WRAPPED,
      chain,
      signal: caller.signal,
    })
    expect(solutions).toEqual([])
  })

  test('equal tokens need no route', async () => {
    const orders = [order({ buyToken: SELL })]
    const [solution] = await solve(auction({ orders, liquidity: [] }), { wrappedNative: WRAPPED })
    expect(solution).toMatchObject({ interactions: [], gas: 106_391, prices: { [SELL]: String(WHOLE) } })
  })

  test('balances of the contract replace a trusted input, once', async () => {
    const tokens = {
      [SELL]: { availableBalance: '0', trusted: true },
      [BUY]: { availableBalance: String(3n * WHOLE), trusted: false },
    }
    const internalized = async (overrides: object) => {
      const [solution] = await solve(auction({ tokens, ...overrides }), { wrappedNative: WRAPPED })
      return solution!.interactions.map(({ internalize }) => internalize)
    }
    expect(await internalized({})).toEqual([true])
    expect(await internalized({ orders: [order({ sellAmount: String(2n * WHOLE) })] })).toEqual([false])
    expect(await internalized({ tokens: { ...tokens, [SELL]: { availableBalance: '0', trusted: false } } })).toEqual([
      false,
    ])
  })
})
