/** Tests which hops are measured, in how many calls, and what is stored of the results. The node is in memory. */
import { GasProbe__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { families, type Pool, type Snapshot } from '@sluice/liquidity'
import type { MeasuredHop } from '@sluice/routing'
import { createSimulationContext } from '@sluice/simulation'
import { describe, expect, test } from 'vitest'
import { GasProber } from './gas-prober.ts'
import { MeasuredGas } from './measured-gas.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, C, HUB, WETH, GUARD, EXECUTOR] = [0xa, 0xb, 0xc, 0xd, 0xe, 0x91, 0x92].map(at) as [
  ...[Address, Address, Address, Address, Address, Address, Address],
]
const E18 = 10n ** 18n
const NOW = 5_000
const probe = GasProbe__factory.createInterface()

const pair = (n: number, tokens: readonly Address[] = [A, B], reserve = E18, family = 'uniswap-v2'): Pool => ({
  ...{
    id: `pool ${n}`,
    address: toAddress(`0x5eed${'5'.repeat(32)}${String(n).padStart(4, '0')}`),
    family,
    dex: 'test',
    tokens,
  },
  state: { reserve0: reserve, reserve1: reserve, feePpm: 3_000 },
})

type Role = 'first' | 'middle' | 'last'
type ProbedHop = { readonly pool: number; readonly tokenIn: Address; readonly amount: bigint; readonly role: Role }

const DEFAULT_GAS: Readonly<Record<Role, bigint>> = { first: 30_000n, middle: 40_000n, last: 50_000n }

/** A node that measures each hop as `gasOf` says; null if the hop fails. */
function proberOf(
  pools: readonly Pool[],
  {
    gasOf = ({ role }: ProbedHop): bigint | null => DEFAULT_GAS[role],
    executable = new Set<string>(families.map(({ id }) => id)) as ReadonlySet<string>,
    beforeAnswer = async (): Promise<void> => {},
  } = {},
) {
  const calls: (readonly ProbedHop[])[] = []
  const rpc = {
    call: async ({ data }: { readonly data: Hex }) => {
      const [, , hops] = probe.decodeFunctionData('run', data)
      const probedHops = (hops as readonly Record<string, unknown>[]).map(({ token, amount, program }, k) => {
        // Each direction has its three hops in this order. The program contains the address of the pool unchanged.
        const role = (['first', 'middle', 'last'] as const)[k % 3]!
        const pool = Number(/5eed5{32}(\d{4})/.exec(String(program))![1])
        return { pool, tokenIn: toAddress(token as string), amount: amount as bigint, role }
      })
      calls.push(probedHops)
      await beforeAnswer()
      return probe.encodeFunctionResult('run', [probedHops.map((hop) => gasOf(hop) ?? 0n)])
    },
  }
  const simulation = createSimulationContext({ timeoutMs: 1_000, blockIntervalMs: 1_000 })
  simulation.slots.layout = async ({ token }) => ({
    balance: {
      mapping: { order: 'solidity', base: 0n, contract: token },
      shape: { kind: 'plain', shift: 0, width: 256 },
    },
  })
  const logged: unknown[] = []
  const measuredGas = new MeasuredGas()
  const observed: [string, readonly MeasuredHop[]][] = []
  const observe = measuredGas.observe.bind(measuredGas)
  measuredGas.observe = (id, hops, now) => {
    expect(now).toBe(NOW)
    observed.push([id, hops])
    observe(id, hops, now)
  }
  const prober = new GasProber({
    chain: { hubs: [HUB], wrappedNative: { address: WETH } },
    contracts: {
      ...{ guard: GUARD, executor: { address: EXECUTOR }, executable },
      families: new Map(families.map((family) => [family.id, family])),
    },
    ...{ simulation, measuredGas, log: { info: (fields: object) => logged.push(fields) } },
  } as unknown as ConstructorParameters<typeof GasProber>[0])
  const sourceAt = (hash: string) => {
    const block = { number: 9, hash, timestamp: NOW, gasLimit: 30_000_000n, baseFeePerGas: 0n, miner: A }
    const snapshot = { chainId: 1, block, pools: new Map(pools.map((pool) => [pool.id, pool])), changedIds: null }
    return { rpc, snapshot: snapshot as unknown as Snapshot } as never
  }
  return { prober, calls, observed, logged, measuredGas, source: sourceAt('0x09'), sourceAt }
}

describe('tokens of a quote', () => {
  test('have their pools measured in both directions, as the first, a middle, and the last hop', async () => {
    const { prober, calls, observed, source } = proberOf([pair(1)])
    await prober.queueTokens([A, B], source)
    const roles = calls.flat().map(({ tokenIn, role }) => [tokenIn, role])
    expect(roles).toEqual([A, B].flatMap((token) => ['first', 'middle', 'last'].map((role) => [token, role])))
    const gas = { first: 30_000, middle: 40_000, last: 50_000 }
    expect(observed).toEqual([
      [
        'pool 1',
        [
          { tokenIn: A, tokenOut: B, ...gas },
          { tokenIn: B, tokenOut: A, ...gas },
        ],
      ],
    ])
  })

  test('have the pools between them measured first, then those with hubs, and no others', async () => {
    const pools = [
      pair(1, [C, B]),
      pair(2, [A, HUB]),
      pair(3, [A, C]),
      pair(4, [A, B]),
      pair(5, [HUB, WETH]),
      pair(6, [B, WETH]),
      pair(7, [ZERO_ADDRESS, A]),
    ]
    const { prober, observed, source } = proberOf(pools)
    await prober.queueTokens([A, B], source)
    expect(observed.map(([id]) => id)).toEqual(['pool 4', 'pool 2', 'pool 6', 'pool 7'])
  })

  test('have no pools measured that no program can swap in, or that were measured lately', async () => {
    const { prober, calls, source } = proberOf([pair(1)], { executable: new Set(['curve']) })
    await prober.queueTokens([A, B], source)
    expect(calls).toEqual([])
    const measuredLately = proberOf([pair(1)])
    measuredLately.measuredGas.observe('pool 1', [], NOW)
    await measuredLately.prober.queueTokens([A, B], measuredLately.source)
    expect(measuredLately.calls).toEqual([])
  })

  test('are looked at once a minute, in either order', async () => {
    const { prober, calls, measuredGas, source } = proberOf([pair(1)])
    measuredGas.isDue = () => true
    await prober.queueTokens([A, B], source)
    await prober.queueTokens([B, A], source)
    expect(calls).toHaveLength(1)
    await prober.queueTokens([A, B, C], source)
    expect(calls).toHaveLength(2)
  })
})

describe('a call', () => {
  test('has at most 16 directions, of whole pools', async () => {
    const pools = Array.from({ length: 20 }, (_, k) => pair(k + 1))
    const { prober, calls, observed, source } = proberOf(pools)
    await prober.queueTokens([A, B], source)
    expect(calls.map((hops) => hops.length)).toEqual([48, 48, 24])
    expect(observed.map(([id]) => id)).toEqual(pools.map(({ id }) => id))
  })

  test('has an amount that each pool accepts, and that hardly moves its price', async () => {
    const reserves = [10n ** 6n, E18, 10n ** 30n]
    const { prober, calls, source } = proberOf(reserves.map((reserve, k) => pair(k + 1, [A, B], reserve)))
    await prober.queueTokens([A, B], source)
    for (const { pool, amount } of calls.flat()) {
      expect(amount).toBeGreaterThan(0n)
      expect(amount).toBeLessThanOrEqual(reserves[pool - 1]! / 100_000n + 2n)
    }
  })

  test('leaves a direction out that fails in the middle, and takes the gas of the middle for other failures', async () => {
    const gasOf = ({ pool, tokenIn, role }: ProbedHop) => {
      if (pool === 1) return tokenIn === A && role === 'middle' ? null : DEFAULT_GAS[role]
      return role === 'middle' ? 40_000n : null
    }
    const { prober, observed, source } = proberOf([pair(1), pair(2)], { gasOf })
    await prober.queueTokens([A, B], source)
    const gas = { first: 40_000, middle: 40_000, last: 40_000 }
    expect(observed).toEqual([
      ['pool 1', [{ tokenIn: B, tokenOut: A, first: 30_000, middle: 40_000, last: 50_000 }]],
      [
        'pool 2',
        [
          { tokenIn: A, tokenOut: B, ...gas },
          { tokenIn: B, tokenOut: A, ...gas },
        ],
      ],
    ])
  })

  test('is not made for pools without a direction, which are not due again', async () => {
    const { prober, calls, observed, measuredGas, source } = proberOf([pair(1, [A, B], 0n)])
    await prober.queueTokens([A, B], source)
    expect([calls, observed]).toEqual([[], [['pool 1', []]]])
    expect(measuredGas.isDue('pool 1', NOW)).toBe(false)
  })

  test('that fails is logged, and the next tokens are measured', async () => {
    let isFailing = true
    const beforeAnswer = async () => {
      if (isFailing) throw new Error('the node is away')
    }
    const { prober, observed, logged, source } = proberOf([pair(1), pair(2)], { beforeAnswer })
    await prober.queueTokens([A, B], source)
    expect([observed, logged.length, prober.isRunning]).toEqual([[], 1, false])
    isFailing = false
    await prober.queueTokens([A, B, C], source)
    expect(observed.map(([id]) => id)).toEqual(['pool 1', 'pool 2'])
  })
})

describe('limits', () => {
  test('of the queue are 256 pools', async () => {
    const { prober, observed, source } = proberOf(Array.from({ length: 300 }, (_, k) => pair(k, [A, B], 0n)))
    await prober.queueTokens([A, B], source)
    expect(observed).toHaveLength(256)
  })

  test('of the background are 32 calls at a block, and of quotes 96 in total', async () => {
    const { prober, calls, source, sourceAt, measuredGas } = proberOf([pair(1)])
    measuredGas.isDue = () => true
    const quoteTokens = (k: number) => [A, B, at(0x5000 + k)]
    for (let k = 0; k < 40; k++) await prober.queueTokens(quoteTokens(k), source)
    expect(calls).toHaveLength(32)
    for (let k = 32; k < 96; k++) expect(await prober.measureNow([pair(1)], source)).toBe(true)
    expect(await prober.measureNow([pair(1)], source)).toBe(false)
    expect(calls).toHaveLength(96)
    await prober.queueTokens(quoteTokens(41), sourceAt('0x0a'))
    expect(calls).toHaveLength(97)
    expect(await prober.measureNow([pair(1)], sourceAt('0x0b'))).toBe(true)
  })
})

describe('a quote that waits', () => {
  test('measures the due ones of its pools, as many as fit in a call', async () => {
    const { prober, calls, observed, measuredGas, source } = proberOf([])
    measuredGas.observe('pool 1', [], NOW)
    observed.length = 0
    expect(await prober.measureNow([pair(1)], source)).toBe(false)
    const pools = Array.from({ length: 10 }, (_, k) => pair(k + 1))
    expect(await prober.measureNow(pools, source)).toBe(true)
    expect(calls).toHaveLength(1)
    expect(observed.map(([id]) => id)).toEqual(pools.slice(1, 9).map(({ id }) => id))
  })

  test('goes on without the measurement after a quarter of a second, or if it fails', async () => {
    const hanging = proberOf([], { beforeAnswer: () => new Promise(() => {}) })
    expect(await hanging.prober.measureNow([pair(1)], hanging.source)).toBe(false)
    const failing = proberOf([], { beforeAnswer: () => Promise.reject(new Error('no')) })
    expect(await failing.prober.measureNow([pair(1)], failing.source)).toBe(false)
  })
})

test('while a measurement runs, further tokens join it; those that are forgotten do not', async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>()
  const { prober, observed, source } = proberOf([pair(1, [A, B]), pair(2, [C, HUB])], { beforeAnswer: () => gate })
  const running = prober.queueTokens([A, B], source)
  expect(prober.isRunning).toBe(true)
  await prober.queueTokens([C, HUB], source)
  resolve()
  await running
  expect(observed.map(([id]) => id)).toEqual(['pool 1', 'pool 2'])
  expect(prober.isRunning).toBe(false)
})
