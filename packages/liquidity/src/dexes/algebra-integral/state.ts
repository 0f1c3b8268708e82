/** Reads Algebra Integral pools, and applies their logs. */
import { AlgebraIntegralLens__factory, IAlgebraIntegralPoolState__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, PoolReads } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { concentratedLogs, decodeTicks } from '../common/concentrated-state.ts'
import { type FeeProbe, feeFromPayment, feeProbeFor } from './fee.ts'
import type { AlgebraIntegralState } from './types.ts'

const LENS = lensOf('AlgebraIntegralLens')
const lensInterface = AlgebraIntegralLens__factory.createInterface()
const eventsInterface = IAlgebraIntegralPoolState__factory.createInterface()

/** Estimated gas to read one pool. The lens reads its ticks, a few dozen, twice. */
const READ_GAS = 800_000
/**
 * Estimated gas of two simulated swaps. In each swap, a plugin with a volatility fee computes the volatility of a day.
 * Without such a plugin, the swaps need much less gas.
 */
const PROBE_GAS = 600_000

/** Result of the first read of a pool: its state without plugin fees. */
type Head = {
  readonly state: AlgebraIntegralState
  /** True if a plugin sets the fees, which must then be read. */
  readonly pluginSetsFee: boolean
}
/**
 * Two swaps to simulate: the first one sells token 0, and the second one sells token 1. Null for a direction without
 * liquidity.
 */
type Probes = readonly [FeeProbe | null, FeeProbe | null]

export function* readStates(_row: DexRow, pools: readonly Pool<null>[]): PoolReads<AlgebraIntegralState> {
  const answers = yield pools.map(({ address }) =>
    lensRead(LENS, lensInterface.encodeFunctionData('read', [address]), READ_GAS),
  )
  const heads = answers.map((answer) => answer && decodeHead(answer))
  const dynamicPools = pools.flatMap((pool, i) => (heads[i]?.pluginSetsFee ? [{ ...pool, state: heads[i].state }] : []))
  const statesWithFees = yield* readFees(dynamicPools)
  const stateById = new Map(dynamicPools.map(({ id }, i) => [id, statesWithFees[i]!]))
  return pools.map(({ id }, i) => (stateById.has(id) ? stateById.get(id)! : (heads[i]?.state ?? null)))
}

/** Reads the fees that plugins charge now. All other changes of the state have logs. */
export const refreshStates = (
  _row: DexRow,
  pools: readonly Pool<AlgebraIntegralState>[],
): PoolReads<AlgebraIntegralState> => readFees(pools)

/**
 * Reads plugin fees through simulated swaps in both directions. Returns null for a pool if no fee in ppm explains the
 * amounts that it charges.
 */
function* readFees(pools: readonly Pool<AlgebraIntegralState>[]): PoolReads<AlgebraIntegralState> {
  const probes = pools.map(({ state }): Probes | null => {
    const [probe0, probe1] = [feeProbeFor(state, true), feeProbeFor(state, false)]
    return probe0 || probe1 ? [probe0, probe1] : null
  })
  const answers = yield pools.flatMap(({ address }, i) => {
    const probePair = probes[i]
    if (!probePair) return []
    const data = lensInterface.encodeFunctionData('probe', [
      address,
      // The pool refuses a limit of 0. The answer for this direction is not used.
      probePair[0]?.limitSqrtPrice ?? 0n,
      probePair[1]?.limitSqrtPrice ?? 0n,
    ]) as Hex
    return [{ ...LENS, data, gas: PROBE_GAS }]
  })
  let answerIndex = 0
  return pools.map(({ state }, i) => {
    const probePair = probes[i]
    // Without liquidity, no swap was simulated.
    if (!probePair) return withoutFees(state)
    const answer = answers[answerIndex++]
    return answer ? withFees(state, probePair, answer) : null
  })
}

/** Returns the state with the plugin fees that simulated swaps show; null if no fee explains their amounts. */
function withFees(state: AlgebraIntegralState, [probe0, probe1]: Probes, answer: Hex): AlgebraIntegralState | null {
  const { pluginSetsFee, paid0, paid1 } = lensInterface.decodeFunctionResult('probe', answer)
  if (!pluginSetsFee) return withoutFees(state)
  // No swap is possible in a direction without liquidity, so its fee is that of the other direction.
  const fee0 = probe0 ? feeFromPayment(probe0, paid0) : feeFromPayment(probe1!, paid1)
  const fee1 = probe1 ? feeFromPayment(probe1, paid1) : fee0
  return fee0 === null || fee1 === null ? null : { ...state, pluginFees: [fee0, fee1] }
}

/** Returns the state without plugin fees. */
function withoutFees({ pluginFees: _, ...state }: AlgebraIntegralState): AlgebraIntegralState {
  return state
}

function decodeHead(answer: Hex): Head | null {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer)
  if (readResult.sqrtPriceX96 === 0n) return null
  const state = {
    sqrtPriceX96: readResult.sqrtPriceX96,
    tick: Number(readResult.tick),
    liquidity: readResult.liquidity,
    feePpm: Number(readResult.feePpm),
    tickSpacing: Number(readResult.tickSpacing),
    ticks: decodeTicks([...readResult.ticks]),
  }
  return { state, pluginSetsFee: readResult.pluginSetsFee }
}

const logReader = concentratedLogs()
/** Log reader for pools that append fees to the usual fields of `Swap`. */
const extendedLogReader = concentratedLogs(eventsInterface)
const topicOf = (name: 'Fee' | 'PluginConfig' | 'Swap' | 'Burn') => eventsInterface.getEvent(name).topicHash as Hex
const [FEE_TOPIC, PLUGIN_CONFIG_TOPIC, LONG_SWAP_TOPIC, LONG_BURN_TOPIC] = (
  ['Fee', 'PluginConfig', 'Swap', 'Burn'] as const
).map(topicOf)

export const topics: readonly Hex[] = [
  ...logReader.topics,
  FEE_TOPIC!,
  PLUGIN_CONFIG_TOPIC!,
  LONG_SWAP_TOPIC!,
  LONG_BURN_TOPIC!,
]

export function applyLog(pool: Pool<AlgebraIntegralState>, log: Log): AlgebraIntegralState | 'reread' {
  switch (log.topics[0]) {
    case FEE_TOPIC:
      return { ...pool.state, feePpm: Number(eventsInterface.decodeEventLog('Fee', log.data, log.topics).fee) }
    case LONG_SWAP_TOPIC:
      return extendedLogReader.applyLog(pool, log)
    case PLUGIN_CONFIG_TOPIC:
    case LONG_BURN_TOPIC:
      return 'reread'
    default:
      return logReader.applyLog(pool, log)
  }
}
