/** Finds pools of Pancake Infinity managers. A manager is the contract that holds all pools of one kind. */
import {
  IPancakeInfinityBinManager__factory,
  IPancakeInfinityClManager__factory,
  PancakeInfinityLens__factory,
} from '@sluice/bindings'
import { type Address, type DexRow, type Hex, isAddress, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { ListedPool, Pool, PoolReads, Reads, TokenPair } from '../../family.ts'
import { PANCAKE_INFINITY_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { sortPair } from '../common/direction.ts'
import { isIntegerIn, proveByKey, validPairOf } from '../common/listed.ts'
import { singletonPool } from '../common/make-pool.ts'
import { withNative } from '../common/native-pairs.ts'
import { PARAMETERS_BITS, poolId } from './key.ts'
import type { InfinityKey } from './types.ts'

const lensInterface = PancakeInfinityLens__factory.createInterface()
const clManagerInterface = IPancakeInfinityClManager__factory.createInterface()
const binManagerInterface = IPancakeInfinityBinManager__factory.createInterface()

/**
 * Usual fees in ppm, with the tick spacing (`cl`) or the bin step (`bin`). The managers have no getter for the pools of
 * a pair, but the ids of pools with these values can be computed. Other pools are found by their creation logs.
 */
const USUAL_KEYS: Readonly<Record<InfinityKey['kind'], readonly (readonly [fee: number, step: number])[]>> = {
  cl: [
    [67, 1],
    [100, 1],
    [500, 10],
    [2500, 50],
    [3000, 60],
    [10_000, 200],
  ],
  bin: [
    [100, 1],
    [500, 5],
    [1000, 10],
    [2500, 25],
  ],
}
/** Maximum `fee` of a key, a uint24. */
const MAX_FEE = 0xffffff
/** Maximum `parameters` of a key: all bits with a known meaning are set. */
const MAX_PARAMETERS = Number((1n << PARAMETERS_BITS) - 1n)
/** Maximum pool ids per read. They take about 3 million gas. */
const IDS_PER_READ = 500
/** Estimated gas to read the price of one pool. */
const GAS_PER_ID = 6_000

/**
 * Converts a row to one row per manager, because each manager emits the logs of its pools. The address of the given row
 * is the vault, which holds the tokens.
 */
export function rowsOf(row: DexRow): readonly DexRow[] {
  if (row.family !== 'pancake-infinity') return []
  const { clPoolManager, binPoolManager } = row.contracts ?? {}
  const managerRow = (version: InfinityKey['kind'], address: Address | undefined): DexRow[] =>
    address ? [{ ...row, version, address, contracts: { ...row.contracts, vault: row.address } }] : []
  return [...managerRow('cl', clPoolManager), ...managerRow('bin', binPoolManager)]
}

/** Returns the kind of the pools of a manager's row. */
const kindOf = ({ version }: DexRow) => version as InfinityKey['kind']
/** Returns the vault that a manager's row contains. */
const vaultOf = ({ contracts }: DexRow) => contracts!.vault!

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const kind = kindOf(row)
  const candidates = withNative(pairs, row.contracts?.wrappedNative).flatMap((pair) =>
    USUAL_KEYS[kind].map(([fee, step]) =>
      makePool(row, pair, { vault: vaultOf(row), kind, fee, parameters: step * 0x10000, hooks: ZERO_ADDRESS }),
    ),
  )
  return yield* initializedPools(row, candidates)
}

/** Returns the candidates that are initialized. An initialized pool always has a price. */
function* initializedPools(row: DexRow, candidates: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(candidates, IDS_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...PANCAKE_INFINITY_LENS,
    data: lensInterface.encodeFunctionData('prices', [row.address, batch.map(({ id }) => id)]) as Hex,
    gas: GAS_PER_ID * batch.length,
  }))
  return batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    const [prices] = lensInterface.decodeFunctionResult('prices', answer) as unknown as [bigint[]]
    return batch.filter((_, i) => prices[i] !== 0n)
  })
}

function makePool(row: DexRow, pair: TokenPair, key: InfinityKey): Pool<null> {
  const tokens = sortPair(pair)
  return singletonPool(row, poolId(tokens, row.address, key), tokens, key)
}

/**
 * Verifies pools of a pool list. The id is the hash of the key, so a pool exists if the manager has a price for its id.
 */
export function provePools(row: DexRow, listedPools: readonly ListedPool[]): PoolReads<Pool<null>> {
  return proveByKey(listedPools, listedPool, (candidates) => initializedPools(row, candidates))

  function listedPool({ tokens, fixed }: ListedPool): Pool<null> | null {
    const { fee, parameters, hooks } = (fixed ?? {}) as Readonly<Record<string, unknown>>
    const pair = validPairOf(tokens)
    if (!pair || !isIntegerIn(fee, 0, MAX_FEE) || !isIntegerIn(parameters, 1, MAX_PARAMETERS) || !isAddress(hooks))
      return null
    const key: InfinityKey = { vault: vaultOf(row), kind: kindOf(row), fee, parameters, hooks: toAddress(hooks) }
    return makePool(row, pair, key)
  }
}

const topicOf = (contract: typeof clManagerInterface | typeof binManagerInterface) =>
  contract.getEvent('Initialize')!.topicHash as Hex
export const creationTopics: readonly Hex[] = [topicOf(clManagerInterface), topicOf(binManagerInterface)]

/** Returns the pool of a creation log; null if `parameters` has bits without a known meaning. */
export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  const event = (kindOf(row) === 'cl' ? clManagerInterface : binManagerInterface).decodeEventLog(
    'Initialize',
    log.data,
    log.topics,
  )
  const parameters = BigInt(event.parameters)
  if (parameters >> PARAMETERS_BITS) return null
  const key: InfinityKey = {
    vault: vaultOf(row),
    kind: kindOf(row),
    fee: Number(event.fee),
    parameters: Number(parameters),
    hooks: toAddress(event.hooks),
  }
  return makePool(row, [toAddress(event.currency0), toAddress(event.currency1)], key)
}
