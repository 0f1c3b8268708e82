/** Reads Algebra Integral pools, and applies their logs. */
import { AlgebraIntegralLens__factory, IAlgebraIntegralPoolState__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { concentratedLogs, decodeTicks } from '../common/concentrated-state.ts'
import { readEach } from '../common/read-each.ts'

const LENS = lensOf('AlgebraIntegralLens')
const lens = AlgebraIntegralLens__factory.createInterface()
const events = IAlgebraIntegralPoolState__factory.createInterface()

/** A few dozen ticks, each read twice. */
const READ_GAS = 800_000

export function readStates(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (ConcentratedState | null)[]> {
  return readEach(
    pools,
    (pool) => ({ ...LENS, data: lens.encodeFunctionData('read', [pool.address]) as Hex, gas: READ_GAS }),
    decodeState,
  )
}

function decodeState(answer: Hex): ConcentratedState | null {
  const [read] = lens.decodeFunctionResult('read', answer)
  if (read.sqrtPriceX96 === 0n) return null
  return {
    sqrtPriceX96: read.sqrtPriceX96,
    tick: Number(read.tick),
    liquidity: read.liquidity,
    feePpm: Number(read.feePpm),
    tickSpacing: Number(read.tickSpacing),
    ticks: decodeTicks([...read.ticks]),
  }
}

const logs = concentratedLogs()
/** Log reader for pools whose Swap and Burn append fees to the usual fields. */
const longLogs = concentratedLogs(events)
const topicOf = (name: 'Fee' | 'PluginConfig' | 'Swap' | 'Burn') => events.getEvent(name).topicHash as Hex
const [FEE, PLUGIN_CONFIG, LONG_SWAP, LONG_BURN] = (['Fee', 'PluginConfig', 'Swap', 'Burn'] as const).map(topicOf)

export const topics: readonly Hex[] = [...logs.topics, FEE!, PLUGIN_CONFIG!, LONG_SWAP!, LONG_BURN!]

export function applyLog(pool: Pool<ConcentratedState>, log: Log): ConcentratedState | 'reread' {
  switch (log.topics[0]) {
    case FEE:
      return { ...pool.state, feePpm: Number(events.decodeEventLog('Fee', log.data, log.topics).fee) }
    case LONG_SWAP:
      return longLogs.applyLog(pool, log)
    // If a plugin now sets the fee during swaps, the read fails and the pool is left out.
    case PLUGIN_CONFIG:
    case LONG_BURN:
      return 'reread'
    default:
      return logs.applyLog(pool, log)
  }
}
