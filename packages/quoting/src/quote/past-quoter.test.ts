/** Tests quotes at past blocks, and the step that all quotes share: the search is real, and pools pay as modeled. */
import { IGuard__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { families, familyOf, type Pool, type Snapshot } from '@sluice/liquidity'
import { buildGraph, type ExactOutputRequest, findRoute, type RouteRequest } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import { createSimulationContext, type SimulationRequest, type SwapSimulation } from '@sluice/simulation'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LaterGas } from '../gas/later-gas.ts'
import { SenderCodeChecks } from '../simulation/sender-code-checks.ts'
import { Simulator } from '../simulation/simulator.ts'
import { TaxRecords } from '../tokens/taxes.ts'
import { FaultyPools } from './faulty-pools.ts'
import { FaultyTokens } from './faulty-tokens.ts'
import type { SwapQuote } from './finalize.ts'
import { PastQuoter } from './past-quoter.ts'
import { type QuotingParts, quoteAtView } from './quote-at-view.ts'
import type { QuoteRecord } from './quote-record.ts'
import { type QuoteRequest, quoteRequest } from './request.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, WETH, SENDER, GUARD, EXECUTOR, NATIVE_ERC20] = [0xa, 0xb, 0xe, 0x5e, 0x91, 0x92, 0x6a].map(at) as [
  ...[Address, Address, Address, Address, Address, Address, Address],
]
const E18 = 10n ** 18n
const guard = IGuard__factory.createInterface()
const token = (address: Address, symbol: string) => ({ address, symbol, decimals: 18 })
const chain = {
  ...{ chainId: 7, displayName: 'Test', l1FeeModel: 'none', nativeCurrency: { decimals: 18 } },
  wrappedNative: token(WETH, 'WETH'),
} as unknown as Chain
const pool: Pool = {
  ...{ id: 'pool', address: at(0x500), family: 'uniswap-v2', dex: 'test', tokens: [A, B] },
  state: { reserve0: 1_000_000n * E18, reserve1: 2_000_000n * E18, feePpm: 3_000 },
}
const snapshot = {
  ...{ chainId: 7, changedIds: null, pools: new Map([[pool.id, pool]]) },
  block: { number: 5, hash: '0x05', parentHash: '0x04', timestamp: 1_000, baseFeePerGas: 20n, gasLimit: 30_000_000n },
} as unknown as Snapshot
const modeled = familyOf('uniswap-v2')!.quoteExactInput(pool, A, B, E18).amountOut
const requestOf = (fields: Partial<QuoteRequest> = {}) =>
  quoteRequest({ tokenIn: A, tokenOut: B, from: SENDER, amountIn: E18, ...fields })
const workOf = (signal = new AbortController().signal) => {
  const stages: string[] = []
  const time = async <T>(stage: string, run: () => T | Promise<T>) => {
    stages.push(stage)
    return run()
  }
  return { stages, signal, time, log: { info: () => {} } }
}

/** Simulates a swap through the pool, which pays as modeled. */
const paying = (change: object = {}) => {
  const run = async (_: SimulationRequest) =>
    ({
      success: true,
      amountOut: modeled,
      gasUsed: 100_000,
      returnData: '0x',
      ways: {},
      ...change,
    }) as unknown as SwapSimulation
  return vi.fn(run)
}

/** Parts of a quote whose sources record their calls. */
function sharedParts() {
  const searches: (RouteRequest | ExactOutputRequest)[] = []
  const trust = vi.fn(() => undefined)
  const recordFailure = vi.fn()
  const parts = {
    chain,
    tokens: {
      facts: { decimals: (address: Address) => (address === NATIVE_ERC20 ? 6 : 18) },
      taxes: new TaxRecords(),
      trustTracker: { trust, recordFailure, recordTaxes: () => {} },
    },
    simulation: createSimulationContext({ timeoutMs: 77 }),
    search: async (view: { graph: () => ReturnType<typeof buildGraph> }, request: RouteRequest) => {
      searches.push(request)
      return findRoute(view.graph(), request)
    },
    senderCodeChecks: new SenderCodeChecks([A, B]),
    slippageOf: () => ({ ppm: 1_000n, reason: 'stable' }),
    driftPenaltiesAt: vi.fn((timestamp: number) => new Map([['drift', timestamp]])),
    measuredGas: { mergeWith: (corrections: Map<string, number>) => new Map([...corrections, ['measured', 2]]) },
    emit: () => {},
  }
  return { parts, searches, trust, recordFailure }
}
const contractsOf = (executor: Address) => ({
  ...{ guard: GUARD, executor: { address: executor }, executable: new Set(['uniswap-v2']) },
  families: new Map(families.map((family) => [family.id, family])),
  canRunAt: vi.fn(async () => true),
  missingCodes: vi.fn(async (): Promise<Readonly<Record<Address, Hex>>> => ({ [executor]: '0x60' })),
})

afterEach(() => void vi.restoreAllMocks())

describe('a quote at a past block', () => {
  let run: ReturnType<typeof paying>
  beforeEach(() => {
    run = paying()
    vi.spyOn(Simulator.prototype, 'run').mockImplementation((request) => run(request))
  })

  function pastQuoter({ poolsPending = false, older = false } = {}) {
    const { parts, ...recorded } = sharedParts()
    const [contracts, olderContracts] = [contractsOf(EXECUTOR), contractsOf(at(0x93))]
    const feeHistory = vi.fn(async () => ({ baseFeePerGas: ['0x14', '0x1e'], reward: [['0x2']] }))
    const getCode = vi.fn(async () => '0x')
    const reverts = () => Promise.reject(new RpcError('REVERTED', 'no'))
    const [rpc, codesRpc] = [{ request: feeHistory, getCode, call: reverts }, { chainId: 7 }]
    const prices: { readonly usd: (token: Address) => number | null } = { usd: () => null }
    const blocks = { poolsAt: vi.fn(async () => ({ snapshot, market: {}, prices, poolsPending })) }
    const listPools = vi.fn()
    const quoter = new PastQuoter({
      ...{ ...parts, contracts, blocks, listPools, getRpc: () => rpc, getCodesRpc: () => codesRpc },
      loadOlderContracts: async () => (older ? olderContracts : undefined),
      gasLessons: { correctionsAt: (timestamp: number) => new Map([['corrected', timestamp]]) },
      gasProber: { isRunning: false },
    } as never)
    const quote = (fields: Partial<QuoteRequest> = {}, work = workOf()) => quoter.quote(5, requestOf(fields), work)
    return {
      ...recorded,
      parts,
      quote,
      contracts,
      olderContracts,
      blocks,
      rpc,
      codesRpc,
      listPools,
      feeHistory,
      getCode,
    }
  }
  const orderOf = (request: SimulationRequest) => guard.parseTransaction({ data: request.data })!.args.order

  test('pays what its simulation at that block paid, with the gas price and the contracts of the block', async () => {
    const { quote, blocks, rpc, codesRpc, listPools, contracts } = pastQuoter()
    const work = workOf()
    const { amountOut, block, gasPriceWei, poolsPending, minOutput } = await quote({ slippagePpm: 10_000n }, work)
    expect([amountOut, minOutput, block]).toEqual([modeled, (modeled * 99n) / 100n, snapshot.block])
    // The base fee of the next block, and the tip.
    expect([gasPriceWei, poolsPending]).toEqual([32n, false])
    expect(blocks.poolsAt).toHaveBeenCalledWith(5, [A, B], { rpc, listPools, signal: work.signal })
    expect(work.stages[0]).toBe('state')
    const [simulated] = run.mock.calls.find(([{ withHead }]) => withHead)!
    expect(simulated).toMatchObject({ codes: { [EXECUTOR]: '0x60' }, block: { blockHash: '0x05' }, gasPrice: 32n })
    expect(contracts.missingCodes).toHaveBeenCalledExactlyOnceWith(codesRpc, { blockHash: '0x05' })
    // Deadlines count from the block, not from now.
    expect(orderOf(simulated).deadline).toBe(1_000n + 1_200n)
  })

  test('whose pools are still being searched says so, and a requested gas price is used', async () => {
    const { quote, blocks } = pastQuoter({ poolsPending: true })
    expect(await quote({ gasPriceWei: 3n })).toMatchObject({ poolsPending: true, gasPriceWei: 3n })
    blocks.poolsAt.mockResolvedValueOnce({ snapshot, market: {}, prices: { usd: () => null }, poolsPending: false })
    expect(await quote()).toMatchObject({ poolsPending: false })
  })

  test('is refused for a loss of value only if no unlisted token decides the prices, because none is tested', async () => {
    const { quote, blocks } = pastQuoter()
    const intermediates = vi.fn((_: Address): readonly Address[] | null => [])
    const prices = { usd: (token: Address) => (token === A ? 1_000_000 : 1), intermediatesOf: intermediates }
    blocks.poolsAt.mockResolvedValue({ snapshot, market: {}, prices, poolsPending: false })
    await expect(quote({ maxPriceImpactPpm: 500_000n })).rejects.toMatchObject({ code: 'VALUE_LOSS' })
    for (const some of [[at(0x77)], null]) {
      intermediates.mockImplementation((token) => (token === B ? some : []))
      expect((await quote({ maxPriceImpactPpm: 500_000n })).amountOut).toBe(modeled)
    }
  })

  test('searches with drift penalties and gas as of the timestamp of the block', async () => {
    const { quote, searches, parts, trust } = pastQuoter()
    await quote({ intermediates: 'named', maxHops: 2, maxSplits: 3 })
    expect(searches[0]).toMatchObject({
      ...{ tokenIn: A, tokenOut: B, amountIn: E18, wrappedNative: WETH, gasPriceWei: 32n, l1FeePerByteWei: 0 },
      ...{ maxHops: 2, maxSplits: 3, driftPenalties: new Map([['drift', 1_000]]) },
      learnedGas: new Map([
        ['corrected', 1_000],
        ['measured', 2],
      ]),
      sources: { executable: new Set(['uniswap-v2']) },
    })
    for (const absent of ['nativeErc20', 'trust']) expect(searches[0]).not.toHaveProperty(absent)
    expect(parts.driftPenaltiesAt).toHaveBeenCalledWith(1_000)
    expect(trust).toHaveBeenCalledWith('named')
  })

  test('shares fees, codes, and older contracts with other quotes of the block, and work with an identical one', async () => {
    const { quote, contracts, feeHistory, searches, getCode } = pastQuoter({ older: true })
    const [first, second] = await Promise.all([quote(), quote()])
    expect(second).toBe(first)
    expect(searches).toHaveLength(1)
    await quote({ slippagePpm: 1_000n })
    expect(searches).toHaveLength(2)
    expect([feeHistory, contracts.missingCodes].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
    expect(getCode.mock.calls).toEqual([[SENDER, { blockHash: '0x05' }]])
  })

  test('uses older contracts only if the EVM of the block cannot run the current ones', async () => {
    const executorOf = () => orderOf(run.mock.calls.at(-1)![0]).executor.toLowerCase()
    const { quote, contracts, codesRpc } = pastQuoter({ older: true })
    await quote()
    expect(executorOf()).toBe(EXECUTOR)
    expect(contracts.canRunAt).toHaveBeenCalledWith(codesRpc, { blockHash: '0x05' })
    await quote({ slippagePpm: 1_000n })
    expect(contracts.canRunAt).toHaveBeenCalledTimes(1)
    const before = pastQuoter({ older: true })
    before.contracts.canRunAt.mockResolvedValue(false)
    await before.quote()
    expect(executorOf()).toBe(at(0x93))
    expect(before.olderContracts.missingCodes).toHaveBeenCalled()
    const onlyCurrent = pastQuoter()
    await onlyCurrent.quote()
    expect([executorOf(), onlyCurrent.contracts.canRunAt.mock.calls]).toEqual([EXECUTOR, []])
  })

  test('teaches the newest block nothing', async () => {
    const { quote, recordFailure, parts } = pastQuoter()
    const learn = vi.spyOn(TaxRecords.prototype, 'learn').mockResolvedValue(false)
    run = paying({ success: false, amountOut: 0n, returnData: '0x12', revertReason: 'no' })
    await expect(quote()).rejects.toMatchObject({ code: 'ROUTE_REVERTED' })
    // Taxes are learned in a copy.
    expect(learn.mock.contexts.length).toBeGreaterThan(0)
    expect(learn.mock.contexts).not.toContain(parts.tokens.taxes)
    expect(recordFailure).not.toHaveBeenCalled()
  })

  test('is refused if its deadline was before the block', async () => {
    const { quote } = pastQuoter()
    await expect(quote({ deadline: 999 })).rejects.toMatchObject({ code: 'DEADLINE_PASSED' })
    expect(run).not.toHaveBeenCalled()
  })
})

describe('a quote at a view', () => {
  function quoteParts({
    simulate = paying(),
    change = {},
    codes = {},
  }: {
    simulate?: ReturnType<typeof paying>
    change?: object
    codes?: Readonly<Record<Address, Hex>>
  } = {}) {
    const { parts, ...recorded } = sharedParts()
    const records: QuoteRecord[] = []
    const queued: (readonly Address[])[] = []
    const observed: unknown[][] = []
    const quotingParts = {
      ...{ ...parts, contracts: contractsOf(EXECUTOR), clock: () => 2_000_000, simulate, laterGas: new LaterGas() },
      gasLessons: {
        correctionsAt: () => new Map(),
        observeAt: (...lesson: unknown[]) => observed.push(lesson),
      },
      gasProber: {
        ...{ isRunning: false, measureNow: async () => false },
        queueTokens: async (tokens: readonly Address[]) => void queued.push(tokens),
      },
      contractBalances: { heldTokens: async () => undefined },
      ...{ faultyPools: new FaultyPools(), faultyTokens: new FaultyTokens() },
      onQuote: (_: unknown, record: QuoteRecord) => records.push(record),
      ...change,
    } as unknown as QuotingParts
    const gasPrice = vi.fn(async () => 7n)
    const view = {
      ...{ snapshot, graph: () => buildGraph(snapshot), prices: () => ({ usd: () => null }), gasPriceWei: gasPrice },
      ...{ l1FeePerByteWei: async () => 0, poolsPending: () => false },
      codeOf: async (account: Address) => codes[account] ?? '0x',
      balanceOf: async () => 0n,
      assertDeployed: async () => {},
    }
    const quote = (fields: Partial<QuoteRequest> = {}): Promise<SwapQuote> =>
      quoteAtView(view as never, requestOf(fields), workOf(), quotingParts, {
        rpc: {} as never,
        touchedPools: { has: () => true },
      })
    return { ...recorded, quote, records, queued, observed, gasPrice }
  }

  test('is recorded with its request, and its gas is learned', async () => {
    const { quote, records, observed, queued, searches } = quoteParts()
    const quoted = await quote()
    expect(records).toEqual([
      {
        ...{
          quote: quoted,
          from: SENDER,
          searchRequest: searches[0],
          alternativeIndex: 0,
          dependsOnSenderCode: false,
          usesOwnBalance: false,
        },
        terms: expect.objectContaining({ minOutput: quoted.minOutput, executor: EXECUTOR }),
      },
    ])
    expect(quoted).not.toHaveProperty('proof')
    const [[block, route, gas]] = observed as [[unknown, unknown, number]]
    expect([observed.length, block, route]).toEqual([1, snapshot.block, quoted.route])
    // The gas that was simulated, and that of the transaction itself.
    expect(gas).toBeGreaterThan(121_000)
    expect(queued).toEqual([
      [A, B],
      [A, B],
    ])
  })

  test('does not teach gas that code of the caller may have used', async () => {
    const { quote, observed } = quoteParts({ codes: { [EXECUTOR]: '0xc0de' } })
    await quote({ recipient: EXECUTOR })
    await quote({ feePpm: 10_000n, feeRecipient: EXECUTOR })
    expect(observed).toEqual([])
    await quote({ recipient: SENDER })
    expect(observed).toHaveLength(1)
  })

  test('with a permit is not recorded, because a permit is a signature', async () => {
    const { quote, records } = quoteParts()
    const signature: Hex = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`
    const permit = { kind: 'eip2612', amount: E18, nonce: 0n, deadline: 9_999n, signature } as const
    expect((await quote({ permit })).amountOut).toBe(modeled)
    expect(records).toEqual([])
  })

  test('whose swap depends on the code of the sender is recorded as such', async () => {
    const { quote, records } = quoteParts({ simulate: paying({ ways: { sender: 'bare' } }) })
    await quote()
    expect(records.map(({ dependsOnSenderCode }) => dependsOnSenderCode)).toEqual([true])
  })

  test('has a certificate of its bound if the request asks for it', async () => {
    const { quote } = quoteParts()
    const { proof, amountOut } = await quote({ withProof: true })
    expect(proof).toBeTruthy()
    expect(amountOut).toBe(modeled)
  })

  test('reads the gas price of the view, unless the request names one', async () => {
    expect((await quoteParts().quote()).gasPriceWei).toBe(7n)
    expect((await quoteParts().quote({ gasPriceWei: 9n })).gasPriceWei).toBe(9n)
  })

  test('prices gas in the ERC-20 form of the native token on a chain that wraps none', async () => {
    const nativeErc20 = { address: NATIVE_ERC20, symbol: 'GAS' }
    const unwrapped = { ...chain, wrappedNative: null, nativeErc20 }
    const { quote, searches } = quoteParts({ change: { chain: unwrapped } })
    await quote()
    expect(searches[0]).toMatchObject({ nativeErc20: { token: NATIVE_ERC20, unitsPerWei: 1e-12 }, wrappedNative: null })
    await expect(quote({ tokenIn: NATIVE })).rejects.toMatchObject({
      code: 'NATIVE_UNSUPPORTED',
      message: `nothing wraps the native token of Test; trade GAS at ${NATIVE_ERC20} instead`,
    })
    const without = quoteParts({ change: { chain: { ...chain, wrappedNative: null } } })
    await expect(without.quote({ tokenOut: NATIVE })).rejects.toThrow(/Test$/)
    await without.quote()
    expect(without.searches[0]).not.toHaveProperty('nativeErc20')
  })

  test('of the native token needs the pools of its wrapper', async () => {
    const { quote, queued } = quoteParts()
    await expect(quote({ tokenIn: NATIVE })).rejects.toMatchObject({ code: 'UNKNOWN_TOKEN' })
    expect(queued).toEqual([[WETH, B]])
  })
})
