/** Tests the solver with the genuine settlement contract: its solutions settle to the wei. */
import type { Devnet } from '@sluice/devnet'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'
import { type CowOrder, type CowSolution, Settlement } from './src/settlement.ts'

const RUNS = process.env.LONG ? 60 : 12
const WHOLE = 10n ** 18n
const GAS_PRICE = 2_000_000_000n

let devnet: Devnet
let server: RunningServer
let settlement: Settlement

beforeAll(async () => {
  devnet = await startChain()
  settlement = await Settlement.deploy(devnet)
  server = await startOver(devnet.url, {
    ...{ ROLE: 'solver', SOLVER_CHAIN: '31337', SOLVER_SETTLEMENT: settlement.address },
    ...{ UNISWAPX_FILLER: settlement.address, UNISWAPX_TIMEOUT_MS: '30000' },
  })
  for (const buy of ['USDC', 'LINK', 'DAI', 'UNI']) {
    const query = new URLSearchParams({ src: token('WETH'), dst: token(buy), amount: `${WHOLE}` })
    await warmUp(server.url, `/quote/31337?${query}`)
  }
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

const token = (symbol: string) => devnet.info.tokens[symbol]!.address.toLowerCase()
const post = async (path: string, body: unknown) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const { status, text } = await ask(server.url + path, init)
  return { status, body: text === '' ? null : JSON.parse(text) }
}

type Token = { readonly referencePrice?: string | null; readonly availableBalance: string; readonly trusted: boolean }
const knownToken = (referencePrice: bigint | null): Token => ({
  ...{ decimals: 18, symbol: 'X', referencePrice: referencePrice === null ? null : String(referencePrice) },
  ...{ availableBalance: '0', trusted: true },
})

function auctionOf(orders: readonly object[], overrides: object = {}) {
  return {
    ...{ id: '1', liquidity: [], effectiveGasPrice: String(GAS_PRICE), surplusCapturingJitOrderOwners: [] },
    tokens: { [token('WETH')]: knownToken(WHOLE) },
    // Long enough for a search on a busy machine.
    deadline: new Date(Date.now() + 60_000).toISOString(),
    ...{ orders, ...overrides },
  }
}

async function solve(auction: object): Promise<readonly CowSolution[]> {
  const { status, body } = await post('/solve', auction)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.solutions
}

const order = (change: Partial<CowOrder> = {}): CowOrder => ({
  ...{ sellToken: token('WETH'), buyToken: token('USDC'), sellAmount: WHOLE, buyAmount: 1n },
  ...{ kind: 'sell', partiallyFillable: false, class: 'market', ...change },
})

/** Quotes the same swap with `/quote`. */
async function quoted(query: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const { status, text } = await ask(`${server.url}/quote/31337?${new URLSearchParams(query)}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

/** Places an order, requests a solution, and settles it. */
async function settled(wanted: CowOrder, overrides: object = {}) {
  const placed = await settlement.place(wanted)
  const { salt, ...listed } = placed
  // A busy machine may miss the deadline.
  let solution: CowSolution | undefined
  for (let again = 0; solution === undefined && again < 5; again++)
    [solution] = await solve(auctionOf([listed], overrides))
  expect(solution, 'a solution').toBeDefined()
  const { sellToken, buyToken } = wanted
  const before = { sell: await settlement.balanceOf(sellToken), buy: await settlement.balanceOf(buyToken) }
  const balancesBefore = { sell: await settlement.balance(sellToken), buy: await settlement.balance(buyToken) }
  const gas = await settlement.settle({ ...wanted, salt }, solution!)
  return {
    ...{ solution: solution!, gas },
    paid: before.sell - (await settlement.balanceOf(sellToken)),
    received: (await settlement.balanceOf(buyToken)) - before.buy,
    /** Growth of the settlement contract's balances. */
    kept: {
      sell: (await settlement.balance(sellToken)) - balancesBefore.sell,
      buy: (await settlement.balance(buyToken)) - balancesBefore.buy,
    },
  }
}

describe('settled by the genuine contract', () => {
  test('a market order to sell receives what the route pays', async () => {
    const { toAmount } = await quoted({ src: token('WETH'), dst: token('USDC'), amount: `${WHOLE}` })
    const { solution, paid, received, kept: surplus } = await settled(order())
    expect(paid).toBe(WHOLE)
    expect(received).toBe(BigInt(toAmount!))
    expect(surplus).toEqual({ sell: 0n, buy: 0n })
    expect(solution.trades[0]).not.toHaveProperty('fee')
  })

  test('a market order to buy pays no more than the quote, and receives what it bought', async () => {
    const buyAmount = 1_000_000_000n
    const { fromAmount } = await quoted({
      src: token('WETH'),
      dst: token('USDC'),
      amountOut: `${buyAmount}`,
      slippage: '0',
    })
    const { paid, received, kept: surplus } = await settled(order({ kind: 'buy', sellAmount: 10n * WHOLE, buyAmount }))
    expect(received).toBe(buyAmount)
    expect(paid).toBe(BigInt(fromAmount!))
    expect(surplus.sell).toBe(0n)
    expect(surplus.buy).toBeGreaterThanOrEqual(0n)
  })

  async function expectFee(kind: 'sell' | 'buy', sell: string, priced: boolean): Promise<void> {
    const amounts =
      kind === 'sell' ? { sellAmount: 100n * WHOLE, buyAmount: 1n } : { sellAmount: 1_000n * WHOLE, buyAmount: WHOLE }
    const tokens = priced ? undefined : { tokens: { [token(sell)]: knownToken(null) } }
    const wanted = order({ kind, class: 'limit', sellToken: token(sell), buyToken: token('LINK'), ...amounts })
    const { solution, paid, received, kept: surplus, gas } = await settled(wanted, tokens)
    const fee = BigInt(solution.trades[0]!.fee!)
    const [interaction] = solution.interactions
    const input = BigInt(interaction!.inputs[0]!.amount)
    const output = BigInt(interaction!.outputs[0]!.amount)
    // Amounts must balance exactly over all parties.
    expect(paid).toBe(input + surplus.sell)
    expect(received).toBe(output - surplus.buy)
    if (kind === 'sell') {
      expect(paid).toBe(100n * WHOLE)
      // The contract sells the fee together with the rest of the order.
      expect(surplus.buy).toBeGreaterThanOrEqual((output * fee) / paid)
    } else {
      expect(received).toBe(WHOLE)
      expect(surplus.sell).toBe(fee)
    }
    expect(BigInt(solution.gas)).toBeGreaterThanOrEqual(gas)
    expect(BigInt(solution.gas)).toBeLessThan(gas * 2n)
    const native = priced
      ? fee
      : (fee * BigInt((await quoted({ src: token(sell), dst: token('WETH'), amount: `${WHOLE}` })).toAmount!)) / WHOLE
    const cost = BigInt(solution.gas) * GAS_PRICE
    expect(native).toBeGreaterThanOrEqual((cost * 98n) / 100n)
    expect(native).toBeLessThanOrEqual((cost * 102n) / 100n)
  }
  const covers = 'the fee of a limit order to %s %s covers the gas, and all of it stays in the contract'
  test.each([
    ['sell', 'WETH', true],
    ['buy', 'UNI', false],
  ] as const)(covers, expectFee)
  test.each([
    ['sell', 'UNI', false],
    ['buy', 'WETH', true],
  ] as const)(covers, { tags: 'long' }, expectFee)

  test('a partially fillable order is filled up to its limit price', async () => {
    const whole = BigInt(
      (await quoted({ src: token('WETH'), dst: token('LINK'), amount: `${200n * WHOLE}` })).toAmount!,
    )
    const quarter = BigInt(
      (await quoted({ src: token('WETH'), dst: token('LINK'), amount: `${50n * WHOLE}` })).toAmount!,
    )
    // The limit is between the prices of the whole order and of a quarter.
    const buyAmount = (whole + quarter * 4n) / 2n
    const wanted = order({
      buyToken: token('LINK'),
      sellAmount: 200n * WHOLE,
      buyAmount,
      partiallyFillable: true,
      class: 'limit',
    })
    const { paid, received } = await settled(wanted)
    expect(paid).toBeLessThan(200n * WHOLE)
    expect(paid).toBeGreaterThanOrEqual(12n * WHOLE)
    expect(received * wanted.sellAmount).toBeGreaterThanOrEqual(buyAmount * paid)
  })

  test('an order above the market price, or of tokens without pools, has no solution', async () => {
    const { toAmount } = await quoted({ src: token('WETH'), dst: token('USDC'), amount: `${WHOLE}` })
    const above = await settlement.place(order({ buyAmount: BigInt(toAmount!) + 1n }))
    const unknown = { ...above, buyToken: `0x${'12'.repeat(20)}` }
    expect(await solve(auctionOf([above, unknown]))).toEqual([])
    expect(await solve(auctionOf([]))).toEqual([])
  })

  test('liquidity of the auction is used if it pays more than the chain', async () => {
    const listed = (makerAmount: bigint) => [
      {
        ...{ kind: 'limitOrder', id: '7', address: `0x${'34'.repeat(20)}`, gasEstimate: '1' },
        ...{ makerToken: token('USDC'), takerToken: token('WETH'), takerAmount: `${WHOLE}` },
        ...{ makerAmount: `${makerAmount}`, takerTokenFeeAmount: '0' },
      },
    ]
    const market = BigInt((await quoted({ src: token('WETH'), dst: token('USDC'), amount: `${WHOLE}` })).toAmount!)
    const placed = await settlement.place(order())
    const kinds = async (maker: bigint) =>
      (await solve(auctionOf([placed], { liquidity: listed(maker) })))[0]!.interactions.map(({ kind }) => kind)
    expect(await kinds(market * 2n)).toEqual(['liquidity'])
    expect(await kinds(market / 2n)).toEqual(['custom'])
  })
})

describe('a hostile driver', () => {
  const listed = (change: object = {}) => ({
    ...{ ...order(), sellAmount: '1', buyAmount: '1', uid: `0x${'11'.repeat(56)}` },
    ...change,
  })
  const wrong: readonly (readonly [string, () => object])[] = [
    ['deadline', () => ({ deadline: 'soon' })],
    ['orders', () => ({ orders: {} })],
    ['orders.0.sellAmount', () => ({ orders: [listed({ sellAmount: '-1' })] })],
    ['orders.0.uid', () => ({ orders: [listed({ uid: '0x11' })] })],
    ['effectiveGasPrice', () => ({ effectiveGasPrice: 1 })],
    ['tokens', () => ({ tokens: { weth: knownToken(1n) } })],
    ['liquidity.0', () => ({ liquidity: [{ kind: 'constantProduct', id: '1', tokens: {}, fee: '1e3' }] })],
  ]
  test.each(wrong)('gets an error for %s', async (field, change) => {
    const { status, body } = await post('/solve', { ...auctionOf([listed()]), ...change() })
    expect(status).toBe(400)
    expect(body.error).toContain(field)
  })

  test('is answered in time for any deadline', async () => {
    const placed = await settlement.place(order())
    for (const deadline of ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
      const solutions = await solve(auctionOf([placed], { deadline }))
      expect(solutions.length).toBe(deadline.startsWith('1970') ? 0 : 1)
    }
  })

  test('may send impossible liquidity', async () => {
    const at = { address: `0x${'56'.repeat(20)}`, gasEstimate: '1' }
    const two = (reserve: object) => ({ [token('WETH')]: reserve, [token('USDC')]: reserve })
    const max = String(2n ** 256n - 1n)
    const liquidity = [
      { ...at, id: 'a', kind: 'constantProduct', tokens: two({ balance: max }), fee: '0.003' },
      { ...at, id: 'b', kind: 'constantProduct', tokens: two({ balance: '0' }), fee: '99999' },
      {
        ...at,
        id: 'c',
        kind: 'weightedProduct',
        tokens: two({ balance: max, scalingFactor: '0', weight: '0' }),
        fee: '0',
      },
      {
        ...at,
        id: 'd',
        kind: 'weightedProduct',
        tokens: two({ balance: max, scalingFactor: '1', weight: '9' }),
        fee: '0',
      },
      {
        ...at,
        id: 'e',
        kind: 'stable',
        tokens: two({ balance: '1', scalingFactor: '1' }),
        fee: '0',
        amplificationParameter: '0.0001',
      },
      {
        ...at,
        id: 'f',
        kind: 'stable',
        tokens: two({ balance: max, scalingFactor: max.slice(0, 59) }),
        fee: '0',
        amplificationParameter: '5000',
      },
      {
        ...{
          ...at,
          id: 'g',
          kind: 'concentratedLiquidity',
          tokens: [token('WETH'), token('USDC')],
          fee: '0.003',
          tick: 0,
        },
        ...{ sqrtPrice: max, liquidity: max, liquidityNet: { '-887272': '-1', '887272': '1', '999999': '5' } },
      },
      {
        ...at,
        id: 'h',
        kind: 'limitOrder',
        makerToken: token('WETH'),
        takerToken: token('WETH'),
        makerAmount: '1',
        takerAmount: '1',
        takerTokenFeeAmount: '0',
      },
      { ...at, id: 'i', kind: 'aKindOfTomorrow' },
    ]
    for (const item of liquidity) {
      const placed = await settlement.place(order())
      expect((await post('/solve', auctionOf([placed], { liquidity: [item] }))).status, item.id).toBe(200)
    }
  })

  test('is limited: a fifth concurrent auction is refused with 429', async () => {
    const placed = await settlement.place(order())
    const orders = Array.from({ length: 60 }, () => placed)
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => (await post('/solve', auctionOf(orders))).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4)
  })
})

test('random auctions: every solution keeps its order’s limit, and settles', async () => {
  const symbols = ['WETH', 'USDC', 'LINK', 'UNI', 'DAI', 'TAXED']
  const amount = fc.bigInt({ min: 1n, max: 10n ** 21n })
  // Most orders can be filled, so that a few missed deadlines on a busy machine leave enough of them.
  const mostly = (usual: fc.Arbitrary<bigint>) =>
    fc.oneof({ weight: 1, arbitrary: amount }, { weight: 5, arbitrary: usual })
  const any = fc.record({
    sell: fc.constantFrom(...symbols),
    buy: fc.constantFrom(...symbols),
    // Amounts that the pools take, of tokens with 6 and with 18 decimals.
    sellAmount: mostly(fc.oneof(fc.bigInt(10n ** 6n, 10n ** 7n), fc.bigInt(10n ** 16n, 10n ** 18n))),
    buyAmount: mostly(fc.constant(1n)),
    kind: fc.constantFrom('sell' as const, 'buy' as const),
    class: fc.constantFrom('market' as const, 'limit' as const),
    partiallyFillable: fc.boolean(),
  })
  let solved = 0
  await fc.assert(
    fc.asyncProperty(any, async ({ sell, buy, ...rest }) => {
      const wanted: CowOrder = { ...rest, sellToken: token(sell), buyToken: token(buy) }
      await settlement.runAndRevert(async () => {
        const { salt, ...listed } = await settlement.place(wanted)
        // A busy machine may miss the deadline of an order that can be filled.
        const maxAttempts = wanted.buyAmount === 1n && sell !== buy ? 3 : 1
        let solution: CowSolution | undefined
        for (let attempt = 0; !solution && attempt < maxAttempts; attempt++)
          [solution] = await solve(auctionOf([listed]))
        if (!solution) return
        const fee = BigInt(solution.trades[0]!.fee ?? 0)
        const executed = BigInt(solution.trades[0]!.executedAmount)
        const [bought, sold] = [BigInt(solution.prices[wanted.sellToken]!), BigInt(solution.prices[wanted.buyToken]!)]
        expect(wanted.class === 'limit').toBe('fee' in solution.trades[0]!)
        if (sell === buy) return
        expect(wanted.sellAmount * bought).toBeGreaterThanOrEqual(wanted.buyAmount * (sold + fee))
        const full = wanted.kind === 'sell' ? wanted.sellAmount - fee : wanted.buyAmount
        if (wanted.partiallyFillable) expect(executed).toBeLessThanOrEqual(full)
        else expect(executed).toBe(full)
        // The protocol does not support tokens with a transfer tax.
        if (sell === 'TAXED' || buy === 'TAXED' || (await settlement.balanceOf(wanted.sellToken)) < sold + fee) return
        const before = await settlement.balanceOf(wanted.buyToken)
        await settlement.settle({ ...wanted, salt }, solution)
        expect((await settlement.balanceOf(wanted.buyToken)) - before).toBe(bought)
        solved++
      })
    }),
    { numRuns: RUNS, seed: 4747 },
  )
  expect(solved).toBeGreaterThan(RUNS / 6)
}, 300_000)

test('notifications are answered and counted by kind', async () => {
  for (const kind of ['success', 'success', 'revert', 'aKindOfTomorrow'])
    expect((await post('/notify', { auctionId: '1', solutionId: 0, kind })).status).toBe(200)
  expect((await post('/solver/31337/notify', null)).status).toBe(400)
  const { text } = await ask(`${server.url}/metrics`)
  const counted = (kind: string) =>
    new RegExp(`notifications_total{chain="31337",kind="${kind}"} (\\d+)`).exec(text)?.[1]
  expect([counted('success'), counted('revert'), counted('other')]).toEqual(['2', '1', '1'])
})

test('networks are named as in the URLs of the protocol, or by chain id', async () => {
  const empty = auctionOf([])
  for (const path of ['/solver/mainnet/solve', '/solver/31337/solve'])
    expect((await post(path, empty)).status).toBe(200)
  expect((await post('/solver/nowhere/solve', empty)).status).toBe(400)
  expect((await post('/solver/999999/solve', empty)).status).toBe(404)
  const plain = await startOver(devnet.url)
  try {
    expect((await ask(`${plain.url}/solve`, { method: 'POST' })).status).toBe(404)
  } finally {
    await plain.close()
  }
})

describe('quotes for UniswapX', () => {
  const orderOf = (change: object = {}) => ({
    ...{
      tokenInChainId: 31337,
      tokenOutChainId: 31337,
      requestId: 'a-b-c',
      quoteId: 'q',
      swapper: `0x${'0'.repeat(40)}`,
    },
    ...{
      tokenIn: token('WETH'),
      tokenOut: token('USDC'),
      amount: `${WHOLE}`,
      type: 'EXACT_INPUT',
      numOutputs: 1,
      protocol: 'v2',
    },
    ...change,
  })

  test('both directions leave the filler its gas', async () => {
    const exact = await quoted({ src: token('WETH'), dst: token('USDC'), amount: `${WHOLE}` })
    const answered = async (order: object, expected: object) => {
      const answer = await post('/uniswapx/quote', order)
      expect(answer).toMatchObject({ status: 200, body: expected })
      return answer
    }
    const forward = await answered(orderOf(), {
      chainId: 31337,
      requestId: 'a-b-c',
      quoteId: 'q',
      filler: settlement.address,
    })
    expect(BigInt(forward.body.amountOut)).toBeLessThan(BigInt(exact.toAmount!))
    expect(BigInt(forward.body.amountOut)).toBeGreaterThan((BigInt(exact.toAmount!) * 98n) / 100n)
    const wanted = forward.body.amountOut
    const back = await answered(orderOf({ type: 'EXACT_OUTPUT', amount: wanted }), { amountOut: wanted })
    // The reverse quote must have about the same price.
    expect(BigInt(back.body.amountIn)).toBeGreaterThan((WHOLE * 999n) / 1000n)
    expect(BigInt(back.body.amountIn)).toBeLessThan((WHOLE * 1001n) / 1000n)
  })

  test('without a quote it answers 204, and names the field that is wrong', async () => {
    expect((await post('/uniswapx/quote', orderOf({ tokenOut: `0x${'12'.repeat(20)}` }))).status).toBe(204)
    expect((await post('/uniswapx/quote', orderOf({ amount: '1' }))).status).toBe(204)
    const { status, body } = await post('/uniswapx/quote', orderOf({ tokenOutChainId: 1 }))
    expect(status).toBe(400)
    expect(body.error).toContain('tokenOutChainId')
  })
})
