/** Tests that logs of other contracts do not change the pools of contracts that hold many pools. */
import {
  IBalancerV2VaultState__factory,
  IBalancerV3VaultState__factory,
  IEkuboCore__factory,
  IPancakeInfinityClManager__factory,
  IUniswapV4PoolManagerState__factory,
} from '@sluice/bindings'
import { type Chain, type Hex, toAddress } from '@sluice/chains'
import { atOnce, type Log } from '@sluice/rpc'
import { type Interface, id as topicOf, ZeroHash } from 'ethers'
import { describe, expect, test } from 'vitest'
import { families } from '../dexes/index.ts'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { applyLogs } from './apply.ts'
import { PoolDirectory } from './pool-directory.ts'

const at = (n: number) => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [singleton, hook, foreignContract, token0, token1] = [at(0x51), at(0x52), at(0x53), at(0x54), at(0x55)]
const poolAddress = at(0x56)
const id: Hex = `0x${'ab'.repeat(32)}`
const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0')

const chain = {
  ...{ wrappedNative: null, stables: [], hubs: [], tokens: [] },
  dexes: [
    { family: 'uniswap-v4', address: singleton },
    { family: 'pancake-infinity', address: at(0x57), contracts: { clPoolManager: singleton } },
    { family: 'ekubo', address: singleton, version: '3.0' },
    { family: 'balancer-v2', address: singleton },
    { family: 'balancer-v3', address: singleton },
  ],
} as unknown as Chain
const directory = new PoolDirectory(chain, families)

const liquid = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity: 5n, feePpm: 3_000, tickSpacing: 60, ticks: [] }
const poolOf = (family: string, pool: Partial<Pool>): Pool => ({
  ...{ id, family, dex: 'test', address: singleton, tokens: [token0, token1], state: liquid },
  ...pool,
})
const logOf = (contract: Interface, event: string, values: readonly unknown[]): Pick<Log, 'topics' | 'data'> =>
  contract.encodeEventLog(event, values) as { topics: Hex[]; data: Hex }

const v4 = IUniswapV4PoolManagerState__factory.createInterface()
const infinity = IPancakeInfinityClManager__factory.createInterface()
const ekubo = IEkuboCore__factory.createInterface()
const balancerV2 = IBalancerV2VaultState__factory.createInterface()
const balancerV3 = IBalancerV3VaultState__factory.createInterface()

/** A pool of each family, with a log of its contract that concerns the pool. */
const cases: readonly { readonly pool: Pool; readonly log: Pick<Log, 'topics' | 'data'> }[] = [
  {
    pool: poolOf('uniswap-v4', {}),
    log: logOf(v4, 'Swap', [id, foreignContract, 1n, -1n, 7n << 96n, 9n, 2, 3_000]),
  },
  {
    pool: poolOf('pancake-infinity', { state: { ...liquid, kind: 'cl' } }),
    log: logOf(infinity, 'Swap', [id, foreignContract, 1n, -1n, 7n << 96n, 9n, 2, 3_000, 0]),
  },
  {
    pool: poolOf('ekubo', {
      fixed: { config: `0x${word((1n << 31n) + 1n)}` },
      state: { sqrtRatio: 1n << 128n, tick: 0, liquidity: 5n, ticks: [] },
    }),
    log: {
      topics: [ekubo.getEvent('PositionUpdated').topicHash as Hex],
      data: `0x${[word(foreignContract), id.slice(2), word(0n), word(0n), word(0n), word((1n << 250n) + 9n)].join('')}`,
    },
  },
  {
    pool: poolOf('balancer-v2', { address: poolAddress, fixed: { vault: singleton } }),
    log: logOf(balancerV2, 'Swap', [id, token0, token1, 1n, 1n]),
  },
  {
    pool: poolOf('balancer-v3', {
      id: poolAddress,
      address: poolAddress,
      fixed: { vault: singleton, dependsOn: [hook] },
    }),
    log: logOf(balancerV3, 'PoolPausedStateChanged', [poolAddress, true]),
  },
]

const apply = (pool: Pool, logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[]) =>
  atOnce(
    applyLogs(
      PoolMap.empty.with([pool]),
      logs.map((log, logIndex) => ({ ...log, logIndex, blockNumber: 1, blockHash: ZeroHash as Hex })),
      (family) => directory.families.get(family),
      directory.poolIdsOf,
    ),
  )
const touchedIds = ({ changedPools, idsToReread }: ReturnType<typeof apply>) => [...changedPools.keys(), ...idsToReread]

describe.each(cases)('$pool.family', ({ pool, log }) => {
  test('a log of the contract that holds the pool changes it', () => {
    expect(touchedIds(apply(pool, [{ ...log, address: singleton }]))).toEqual([pool.id])
  })

  test('a log of another contract changes nothing, with any data', () => {
    for (const data of [log.data, '0x', log.data.slice(0, 130)] as Hex[])
      expect(touchedIds(apply(pool, [{ ...log, data, address: foreignContract }]))).toEqual([])
  })

  test('a log without indexed arguments is skipped', () => {
    const { topics } = log
    expect(touchedIds(apply(pool, [{ topics: topics.slice(0, 1), data: '0x', address: foreignContract }]))).toEqual([])
  })
})

test('a log that cannot be decoded rereads its pool', () => {
  const pool = poolOf('uniswap-v3', { id: poolAddress, address: poolAddress })
  const topics = [topicOf('Swap(address,address,int256,int256,uint160,uint128,int24)') as Hex]
  const applied = apply(pool, [{ topics, data: '0x', address: poolAddress }])
  expect([applied.changedPools.size, [...applied.idsToReread]]).toEqual([0, [poolAddress]])
})

test('a log of the hook of a Balancer V3 pool rereads the pool', () => {
  const { pool, log } = cases.at(-1)!
  expect(touchedIds(apply(pool, [{ ...log, address: hook }]))).toEqual([pool.id])
})
