/** Tests when quotes are simulated again, which shortfalls are attributed to which pools, and the calls that this spends. */
import { type Address, toAddress } from '@sluice/chains'
import { families, familyOf, type Pool, type Snapshot } from '@sluice/liquidity'
import type { Leg } from '@sluice/routing'
import type { SimulationRequest, SwapSimulation } from '@sluice/simulation'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import type { QuoteRecord } from '../quote/quote-record.ts'
import type { DriftSample } from './sample.ts'
import { DriftSampler } from './sampler.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, C, SENDER] = [at(0xa), at(0xb), at(0xc), at(0x5e)]
const E18 = 10n ** 18n
const poolOf = (n: number, tokens: readonly Address[], reserve1 = 1_000_000n * E18): Pool => ({
  ...{ id: `pool ${n}`, address: at(n), family: 'uniswap-v2', dex: 'test', tokens },
  state: { reserve0: 1_000_000n * E18, reserve1, feePpm: 3_000 },
})
const [first, second] = [poolOf(1, [A, B]), poolOf(2, [B, C])]
function legOf(pool: Pool, amountIn: bigint): Leg {
  const [tokenIn, tokenOut] = [pool.tokens[0]!, pool.tokens[1]!]
  const { amountOut } = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  return { pool, tokenIn, tokenOut, num: 1n, den: 1n, amountIn, amountOut, gas: 1 }
}
const firstLeg = legOf(first, 100n * E18)
const secondLeg = legOf(second, firstLeg.amountOut)
const snapshotOf = (number: number, pools: readonly Pool[] = [first, second]) =>
  ({
    chainId: 1,
    block: { number, hash: `0x0${number}`, timestamp: 1_000 + number },
    pools: new Map(pools.map((pool) => [pool.id, pool])),
  }) as unknown as Snapshot

function recordOf(
  legs: readonly Leg[] = [firstLeg, secondLeg],
  { number = 10, over = {} as Partial<QuoteRecord>, deadline = 9_999n } = {},
) {
  const { amountOut } = legs.at(-1) ?? { amountOut: 1n }
  const route = { tokenIn: A, tokenOut: legs.at(-1)?.tokenOut ?? A, amountIn: 100n * E18, amountOut, legs }
  return {
    ...{ from: SENDER, bareRunMode: false, alternativeIndex: 0, searchRequest: {} },
    terms: {
      guard: at(0x91),
      executor: at(0x92),
      wrappedNative: null,
      from: SENDER,
      feePpm: 0n,
      deadline,
      minOutput: 1n,
      direct: false,
    },
    quote: { route, amountOut, block: { number, hash: `0x0${number}` }, swap: { to: at(0x91), data: '0x1234' } },
    ...over,
  } as unknown as QuoteRecord
}

type Outcome = Partial<Pick<SwapSimulation, 'success' | 'amountOut' | 'returnData'>>
/** A sampler with a budget of calls, on a chain that pays as given. */
function samplerWith(
  pays: (request: SimulationRequest) => Outcome | Error,
  { share = 1, calls = 40, isCanonical = (): boolean => true, codes = {} as Readonly<Record<Address, string>> } = {},
) {
  const requests: SimulationRequest[] = []
  const samples: DriftSample[] = []
  const avoided: (readonly Address[])[] = []
  const warn = vi.fn()
  const simulate = async (request: SimulationRequest, avoid: ReadonlySet<Address> = new Set()) => {
    requests.push(request)
    avoided.push([...avoid])
    const outcome = pays(request)
    if (outcome instanceof Error) throw outcome
    return { success: true, amountOut: 0n, returnData: '0x', gasUsed: 1, ...outcome } as SwapSimulation
  }
  const contracts = {
    guard: at(0x91),
    executor: { address: at(0x92) },
    families: new Map(families.map((of) => [of.id, of])),
  }
  const options = {
    share,
    contracts,
    simulate,
    isCanonical,
    log: { warn },
  }
  const sampler = new DriftSampler(options as never)
  const add = sampler.statistics.add.bind(sampler.statistics)
  vi.spyOn(sampler.statistics, 'add').mockImplementation((sample) => {
    samples.push(sample)
    add(sample)
  })
  sampler.recordNodeCalls(calls)
  const offer = (record = recordOf()) =>
    sampler.offer({ codeOf: async (account: Address) => codes[account] ?? '0x' } as never, record)
  const missed = () => sampler.statistics.figures(1).missed
  return { sampler, requests, samples, avoided, warn, offer, missed }
}
const paysAll = () => ({ amountOut: secondLeg.amountOut })

beforeEach(() => void vi.useFakeTimers({ now: 50_000 }))
afterEach(() => void vi.useRealTimers())

describe('a quote', () => {
  test('is not simulated any more after the chain fell asleep', async () => {
    let isAsleepAfterRun = true
    // The shortfall leads to a run of each pool.
    const pays = () => {
      if (isAsleepAfterRun) world.sampler.clear()
      return { amountOut: secondLeg.amountOut / 2n }
    }
    const world = samplerWith(pays)
    world.offer()
    await world.sampler.observe(snapshotOf(11))
    expect([world.requests.length, world.samples.length]).toEqual([1, 1])
    isAsleepAfterRun = false
    world.offer()
    const observing = world.sampler.observe(snapshotOf(11))
    world.sampler.clear()
    await observing
    expect([world.requests.length, world.samples.length, world.missed()]).toEqual([1, 1, 1])
    world.offer()
    await world.sampler.observe(snapshotOf(11))
    expect([world.requests.length, world.samples.length]).toEqual([4, 2])
  })

  test('of a newer block than a snapshot waits for its own next blocks', async () => {
    const { sampler, requests, offer, missed } = samplerWith(paysAll)
    offer(recordOf(undefined, { number: 12 }))
    for (const number of [10, 11, 13, 14]) await sampler.observe(snapshotOf(number))
    expect(requests.map(({ block }) => block)).toEqual([{ blockHash: '0x013' }, { blockHash: '0x014' }])
    expect(missed()).toBe(0)
  })

  test('is simulated once in each later block, also if a reorg brings the same block number again', async () => {
    const { sampler, samples, offer } = samplerWith(paysAll)
    offer()
    for (const number of [11, 10, 11, 12]) await sampler.observe(snapshotOf(number))
    expect(samples.map(({ after }) => after)).toEqual([1, 2])
  })

  test('is simulated in each of the next two blocks, as it was returned, and then no more', async () => {
    const { sampler, requests, samples, avoided, offer, missed } = samplerWith(paysAll)
    offer()
    expect([sampler.awaitsBlocks(100), sampler.awaitsBlocks(0)]).toEqual([true, false])
    vi.advanceTimersByTime(100)
    expect([sampler.awaitsBlocks(100), sampler.awaitsBlocks(101)]).toEqual([false, true])
    for (const number of [10, 11, 11, 12, 13]) await sampler.observe(snapshotOf(number))
    expect(requests.map(({ block }) => block)).toEqual([{ blockHash: '0x011' }, { blockHash: '0x012' }])
    expect(requests[0]).toMatchObject({
      ...{
        from: SENDER,
        recipient: SENDER,
        to: at(0x91),
        data: '0x1234',
        tokenIn: A,
        tokenOut: C,
        amountIn: 100n * E18,
      },
      ...{ priority: 'background', knownState: { header: { number: 11 }, senderCode: '0x' } },
    })
    expect(requests[0]).not.toHaveProperty('bareRunMode')
    expect(avoided[0]).toEqual([first.address, second.address])
    expect(samples.map(({ after, timestamp, ppm, reverted }) => [after, timestamp, ppm, reverted])).toEqual([
      [1, 1_011, 0, false],
      [2, 1_012, 0, false],
    ])
    expect([sampler.awaitsBlocks(1e9), missed(), sampler.statistics.figures(1).sampleCount]).toEqual([false, 0, 2])
  })

  test('of a sender that receives its own fee is compared without the fee', async () => {
    const { sampler, samples, offer } = samplerWith(paysAll)
    const record = recordOf()
    const amountOut = secondLeg.amountOut - secondLeg.amountOut / 10n
    const terms = { ...record.terms, feePpm: 100_000n, feeRecipient: SENDER }
    offer({ ...record, terms, quote: { ...record.quote, amountOut } })
    await sampler.observe(snapshotOf(11))
    expect(samples.map(({ ppm }) => ppm)).toEqual([0])
  })

  test('of a sender that must be simulated as sent is, for its own recipient', async () => {
    const { sampler, requests, offer } = samplerWith(paysAll)
    const record = recordOf()
    offer({ ...record, dependsOnSenderCode: true, terms: { ...record.terms, recipient: at(7) } })
    await sampler.observe(snapshotOf(11))
    expect(requests[0]).toMatchObject({ bareRunMode: 'measured', recipient: at(7) })
  })

  test.each([true, false])('of a sender that had the input itself: %s', async (usesOwnBalance) => {
    const { sampler, requests, offer } = samplerWith(paysAll)
    const record = recordOf()
    offer({ ...record, usesOwnBalance })
    await sampler.observe(snapshotOf(11))
    expect(requests[0]!.knownState!.senderBalance).toBe(usesOwnBalance ? record.quote.route.amountIn : undefined)
  })

  test.each([
    ['a block that was skipped', [12], 1, 1],
    ['both blocks', [13], 0, 2],
    ['many blocks', [90], 0, 2],
  ])('misses %s', async (_, blocks, simulated, missedCount) => {
    const { sampler, requests, offer, missed } = samplerWith(paysAll)
    offer()
    for (const number of blocks) await sampler.observe(snapshotOf(number))
    await sampler.observe(snapshotOf(blocks.at(-1)! + 1))
    expect([requests.length, missed()]).toEqual([simulated, missedCount])
  })

  test('misses blocks after its deadline, on another branch, and without an answer of the node', async () => {
    const late = samplerWith(paysAll)
    late.offer(recordOf(undefined, { deadline: 1_011n }))
    await late.sampler.observe(snapshotOf(11))
    expect([late.requests.length, late.missed()]).toEqual([0, 1])
    const inTime = samplerWith(paysAll)
    inTime.offer(recordOf(undefined, { deadline: 1_012n }))
    await inTime.sampler.observe(snapshotOf(11))
    expect([inTime.requests.length, inTime.missed()]).toEqual([1, 0])
    const gone = samplerWith(paysAll, { isCanonical: () => false })
    gone.offer()
    await gone.sampler.observe(snapshotOf(11))
    expect([gone.requests.length, gone.missed()]).toEqual([0, 1])
    const down = samplerWith(() => new Error('down'))
    down.offer()
    await down.sampler.observe(snapshotOf(11))
    expect([down.samples.length, down.missed(), down.warn.mock.calls.length]).toEqual([0, 1, 1])
  })

  test('is forgotten when the chain falls asleep', async () => {
    const { sampler, requests, offer } = samplerWith(paysAll)
    offer()
    await sampler.observe(snapshotOf(11))
    sampler.clear()
    await sampler.observe(snapshotOf(12))
    expect(requests).toHaveLength(1)
    // A lower block is new after that.
    sampler.clear()
    offer(recordOf(undefined, { number: 4 }))
    await sampler.observe(snapshotOf(5))
    expect(requests).toHaveLength(2)
  })

  test('is not queued without legs, without budget, or behind 32 others', async () => {
    const { sampler, requests, offer } = samplerWith(paysAll, { calls: 3 })
    offer(recordOf([]))
    for (let k = 0; k < 3; k++) offer()
    await sampler.observe(snapshotOf(11))
    // Three calls cover one quote of two.
    expect(requests).toHaveLength(1)
    const off = samplerWith(paysAll, { share: 0 })
    off.offer()
    expect(off.sampler.awaitsBlocks(1e9)).toBe(false)
    const many = samplerWith(paysAll)
    for (let k = 0; k < 40; k++) {
      many.offer()
      many.sampler.recordNodeCalls(10)
    }
    await many.sampler.observe(snapshotOf(11))
    expect(many.requests).toHaveLength(32)
  })
})

describe('the code of the caller', () => {
  const payee = at(0xbad)

  test.each([
    ['sender', {}, SENDER],
    ['recipient', { recipient: payee }, payee],
    ['recipient of the fee', { feeRecipient: payee, feePpm: 1n }, payee],
  ])('at the %s lets the quote not be sampled', async (_name, fields, account) => {
    // The account refuses the native token in the next block, for example by the block's number.
    const { sampler, requests, samples, offer, missed } = samplerWith(() => ({ success: false }), {
      codes: { [account]: '0xc0de' },
    })
    const record = recordOf([firstLeg])
    offer({ ...record, terms: { ...record.terms, ...fields } } as QuoteRecord)
    await sampler.observe(snapshotOf(11))
    expect([requests.length, samples.length, missed()]).toEqual([0, 0, 1])
  })

  test('that is deployed after the quote makes no pool fade', async () => {
    const pays = ({ from }: SimulationRequest) =>
      from === NEUTRAL_SENDER ? { amountOut: firstLeg.amountOut } : { success: false }
    const { sampler, samples, offer } = samplerWith(pays)
    offer(recordOf([firstLeg]))
    await sampler.observe(snapshotOf(11))
    expect(samples.map(({ legs }) => legs)).toMatchObject([[{ ppm: 0, unexplainedPpm: 0 }]])
  })
})

describe('a shortfall', () => {
  const less = (ppm: bigint) => () => ({ amountOut: secondLeg.amountOut - (secondLeg.amountOut * ppm) / 1_000_000n })
  /** Runs one quote in the next block. */
  async function sampled(
    pays: Parameters<typeof samplerWith>[0],
    record = recordOf(),
    pools?: readonly Pool[],
    calls?: number,
  ) {
    const { sampler, samples, requests, offer } = samplerWith(pays, calls === undefined ? {} : { calls })
    offer(record)
    await sampler.observe(snapshotOf(11, pools))
    return { sample: samples[0]!, requests, sampler }
  }

  test('of less than a thousandth is no pool’s', async () => {
    const { sample, requests } = await sampled(less(900n))
    expect(sample.ppm).toBeCloseTo(-900, 3)
    expect(sample.legs.map(({ ppm }) => ppm)).toEqual([0, 0])
    expect(requests).toHaveLength(1)
  })

  test('of a thousandth is the pool’s', async () => {
    const leg = { ...firstLeg, amountOut: 1_000_000n }
    const { sample } = await sampled(() => ({ amountOut: 999_000n }), recordOf([leg]))
    expect(sample.legs).toMatchObject([{ ppm: -1_000, unexplainedPpm: -1_000 }])
  })

  test('of less than a thousandth of a pool that is run alone is not that pool’s', async () => {
    const pays = ({ tokenIn, data }: SimulationRequest) => {
      if (data === '0x1234') return less(30_000n)()
      return { amountOut: tokenIn === A ? (firstLeg.amountOut * 9_995n) / 10_000n : (secondLeg.amountOut * 97n) / 100n }
    }
    expect((await sampled(pays)).sample.legs[0]).toMatchObject({ ppm: 0, unexplainedPpm: 0 })
  })

  test('of a route of one pool is that pool’s', async () => {
    const pays = () => ({ amountOut: (firstLeg.amountOut * 98n) / 100n })
    const { sample, requests } = await sampled(pays, recordOf([firstLeg]))
    expect(requests.map(({ from }) => from)).toEqual([SENDER, NEUTRAL_SENDER])
    expect(sample.legs).toHaveLength(1)
    expect(sample.legs[0]!.ppm).toBeCloseTo(-20_000, 0)
    expect(sample.legs[0]!.unexplainedPpm).toBeCloseTo(-20_000, 0)
    expect(sample.legs[0]!.unexplainedGainPpm).toBe(0)
  })

  test('that the pool’s state explains is not counted again', async () => {
    const poorer = poolOf(1, [A, B], 980_000n * E18)
    const paid = familyOf('uniswap-v2')!.quoteExactInput(poorer, A, B, 100n * E18).amountOut
    const { sample, requests } = await sampled(() => ({ amountOut: paid }), recordOf([firstLeg]), [poorer])
    expect(requests).toHaveLength(1)
    expect(sample.ppm).toBeCloseTo(-20_000, -1)
    expect(sample.legs[0]).toMatchObject({ pool: poorer, ppm: sample.ppm })
  })

  test('of a route of several pools is measured pool by pool', async () => {
    const pays = ({ tokenIn, data }: SimulationRequest) => {
      if (data === '0x1234') return less(30_000n)()
      // The second pool alone pays 3 % less.
      return { amountOut: tokenIn === A ? firstLeg.amountOut : (secondLeg.amountOut * 97n) / 100n }
    }
    const { sample, requests } = await sampled(pays)
    expect(requests.slice(1)).toMatchObject([
      { from: NEUTRAL_SENDER, tokenIn: A, tokenOut: B, amountIn: firstLeg.amountIn, knownState: { senderCode: '0x' } },
      { from: NEUTRAL_SENDER, tokenIn: B, tokenOut: C, amountIn: secondLeg.amountIn },
    ])
    expect(sample.legs[0]).toMatchObject({ ppm: 0, unexplainedPpm: 0 })
    expect(sample.legs[1]!.unexplainedPpm).toBeCloseTo(-30_000, 0)
  })

  test('of pools that fail alone is total, and a pool that pays more has none', async () => {
    const pays = ({ tokenIn, data }: SimulationRequest) => {
      if (data === '0x1234') return less(30_000n)()
      return tokenIn === A ? { success: false } : { amountOut: secondLeg.amountOut * 2n }
    }
    const { sample } = await sampled(pays)
    expect(sample.legs.map(({ ppm }) => ppm)).toEqual([-1_000_000, 0])
  })

  test('of a pool whose new state explains a total loss is not measured again, and stays a number', async () => {
    const drained = { ...first, state: { reserve0: 0n, reserve1: 0n, feePpm: 3_000 } }
    const other = poolOf(3, [A, B])
    const fails = () => ({ success: false })
    const { sample, sampler, requests } = await sampled(fails, recordOf([firstLeg, legOf(other, 100n * E18)]), [
      drained,
      other,
    ])
    expect(sample.legs).toMatchObject([
      { pool: drained, ppm: -1_000_000, unexplainedPpm: -1_000_000 },
      { ppm: -1_000_000 },
    ])
    expect(requests.map(({ from }) => from)).toEqual([SENDER, NEUTRAL_SENDER])
    expect(sampler.statistics.figures(9).pools.map(({ after }) => after[1].meanBps)).toEqual([-10_000, -10_000])
  })

  test('is not measured for taxed tokens, for more than six pools, or without calls', async () => {
    const taxes = new Map([[B, {}]])
    const taxed = await sampled(less(30_000n), recordOf(undefined, { over: { searchRequest: { taxes } as never } }))
    expect([taxed.requests.length, taxed.sample.legs[1]!.ppm]).toEqual([1, 0])
    const many = [first, second, ...[3, 4, 5, 6, 7].map((n) => poolOf(n, [B, C]))]
    const legs = [firstLeg, secondLeg, ...many.slice(2).map((pool) => legOf(pool, E18))]
    expect((await sampled(() => ({ amountOut: 1n }), recordOf(legs), many)).requests).toHaveLength(1)
    expect((await sampled(() => ({ amountOut: 1n }), recordOf(legs.slice(0, 6)), many)).requests).toHaveLength(7)
    expect((await sampled(less(30_000n), undefined, undefined, 3)).requests).toHaveLength(1)
  })

  test('of a pool that left memory is unknown', async () => {
    const { sample } = await sampled(paysAll, undefined, [first])
    expect(sample.legs[1]).toEqual({
      ...{ pool: second, ppm: null, unexplainedPpm: 0, unexplainedGainPpm: 0 },
      amountOut: secondLeg.amountOut,
    })
  })

  test('of a swap that reverts is total, unless the Guard says what arrived, and costs two calls more', async () => {
    const { sample, sampler } = await sampled(() => ({ success: false }), recordOf([firstLeg]), undefined, 7)
    expect([sample.ppm, sample.reverted]).toEqual([null, true])
    expect(sample.legs[0]!.ppm).toBeCloseTo(-1_000_000, 0)
    // Seven calls, less two of the quote, one of the pool alone, and two of each failure.
    sampler.recordNodeCalls(1)
    sampler.clear()
    sampler.offer({ codeOf: async () => '0x' } as never, recordOf(undefined, { number: 20 }))
    expect(sampler.awaitsBlocks(1e9)).toBe(false)
    sampler.recordNodeCalls(1)
    sampler.offer({ codeOf: async () => '0x' } as never, recordOf(undefined, { number: 20 }))
    expect(sampler.awaitsBlocks(1e9)).toBe(true)
  })
})
