/**
 * Finds Algebra Integral pools. A pair can have one pool of the factory itself, and one pool of each custom deployer. A
 * custom deployer is a contract that deploys pools with plugins of its own. A row names the accepted deployers in its
 * `contracts`, under keys that start with `customDeployer`. Pools of other deployers are not found, because their
 * plugins may contain any code.
 */
import { AlgebraIntegralLens__factory, IAlgebraFactory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, PoolReads, Reads, TokenPair } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import * as factoryDiscovery from '../common/algebra-discover.ts'
import { chunks } from '../common/chunks.ts'
import { pairPool } from '../common/pair-discover.ts'

const LENS = lensOf('AlgebraIntegralLens')
const lensInterface = AlgebraIntegralLens__factory.createInterface()
const factoryInterface = IAlgebraFactory__factory.createInterface()
const CUSTOM_POOL_EVENT = factoryInterface.getEvent('CustomPool')

/** Keys of custom deployers in `contracts` of a row. */
const CUSTOM_DEPLOYER_KEY = /^customDeployer/
/** Maximum lookups per read. They take about 2.5 million gas. */
const LOOKUPS_PER_READ = 500
/** Estimated gas of one lookup. */
const LOOKUP_GAS = 5_000

/** Returns the custom deployers that a row names. */
const deployersOf = ({ contracts = {} }: DexRow): readonly Address[] =>
  Object.entries(contracts).flatMap(([name, address]) => (CUSTOM_DEPLOYER_KEY.test(name) ? [address] : []))

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const pools = yield* factoryDiscovery.findPools(row, pairs)
  const deployers = deployersOf(row)
  if (deployers.length === 0) return pools
  const batches = chunks(pairs, Math.max(1, Math.floor(LOOKUPS_PER_READ / deployers.length)))
  const answers = yield batches.map((batch) => ({
    ...LENS,
    data: lensInterface.encodeFunctionData('findCustom', [row.address, [...deployers], batch.flat()]) as Hex,
    gas: LOOKUP_GAS * deployers.length * batch.length,
  }))
  const customPools = batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    const [addresses] = lensInterface.decodeFunctionResult('findCustom', answer) as unknown as [readonly string[]]
    // Copy the decoded list into an array: `flatMap` of an ethers `Result` returns [0] instead of an empty list.
    return [...addresses].flatMap((addressText, k) => {
      const address = toAddress(addressText)
      return address === ZERO_ADDRESS ? [] : [pairPool(row, address, batch[k % batch.length]!)]
    })
  })
  return [...pools, ...customPools]
}

export const creationTopics: readonly Hex[] = [...factoryDiscovery.creationTopics, CUSTOM_POOL_EVENT.topicHash as Hex]

/** Returns the pool of a creation log; null if the row does not name its custom deployer. */
export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  if (log.topics[0] !== CUSTOM_POOL_EVENT.topicHash) return factoryDiscovery.createdPool(row, log)
  const { deployer, token0, token1, pool } = factoryInterface.decodeEventLog(CUSTOM_POOL_EVENT, log.data, log.topics)
  if (!deployersOf(row).includes(toAddress(deployer))) return null
  return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}

/**
 * Checks pools that were found by logs. Returns null for a pool that `findPools` does not find for its pair, usually
 * because its custom deployer is not accepted.
 */
export function* readFixed(row: DexRow, pools: readonly Pool<null>[]): PoolReads<Pool<null>> {
  const confirmedPools = yield* findPools(
    row,
    pools.map(({ tokens }) => [tokens[0]!, tokens[1]!] as const),
  )
  const confirmedIds = new Set(confirmedPools.map(({ id }) => id))
  return pools.map((pool) => (confirmedIds.has(pool.id) ? pool : null))
}
