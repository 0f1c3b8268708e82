/** Reads Algebra Integral pools, and applies their logs. */
import { AlgebraIntegralLens__factory, IAlgebraIntegralPoolState__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { concentratedLogs, decodeTicks } from '../common/concentrated-state.ts'
import { type FeeProbe, feeFrom, feeProbe } from './fee.ts'
import type { AlgebraIntegralState } from './types.ts'

const LENS = lensOf('AlgebraIntegralLens')
const lens = AlgebraIntegralLens__factory.createInterface()
const events = IAlgebraIntegralPoolState__factory.createInterface()

/** A few dozen ticks, each read twice. */
const READ_GAS = 800_000
/** Two simulated swaps, each of which computes a day's volatility; little for a pool without such a plugin. */
const PROBE_GAS = 600_000

/** A state, and whether the fee of it has to be tried. */
type Head = { readonly state: AlgebraIntegralState; readonly pluginSetsFee: boolean }
/** The swaps to try in both directions. */
type Probes = readonly [FeeProbe, FeeProbe]

export function* readStates(
  _row: DexRow,
  pools: readonly Pool<null>[],
): Reads<readonly (AlgebraIntegralState | null)[]> {
  const answers = yield pools.map(({ address }) => ({
    ...LENS,
    data: lens.encodeFunctionData('read', [address]) as Hex,
    gas: READ_GAS,
  }))
  const heads = answers.map((answer) => answer && decodeHead(answer))
  const dynamic = pools.flatMap((pool, i) => (heads[i]?.pluginSetsFee ? [{ ...pool, state: heads[i].state }] : []))
  const withFees = yield* readFees(dynamic)
  const byId = new Map(dynamic.map(({ id }, i) => [id, withFees[i]!]))
  return pools.map(({ id }, i) => (byId.has(id) ? byId.get(id)! : (heads[i]?.state ?? null)))
}

/** Reads the fees that plugins charge now; all else is in logs. */
export const refreshStates = (
  _row: DexRow,
  pools: readonly Pool<AlgebraIntegralState>[],
): Reads<readonly (AlgebraIntegralState | null)[]> => readFees(pools)

/** Tries swaps in both directions. Null for a pool whose plugin sets a fee that cannot be found. */
function* readFees(pools: readonly Pool<AlgebraIntegralState>[]): Reads<readonly (AlgebraIntegralState | null)[]> {
  const probes = pools.map(({ state }): Probes | null => {
    const [lower, upper] = [feeProbe(state, true), feeProbe(state, false)]
    return lower && upper && [lower, upper]
  })
  const answers = yield pools.flatMap(({ address }, i) => {
    const limits = probes[i]
    if (!limits) return []
    const data = lens.encodeFunctionData('probe', [address, limits[0].limit, limits[1].limit]) as Hex
    return [{ ...LENS, data, gas: PROBE_GAS }]
  })
  let next = 0
  return pools.map(({ state }, i) => {
    const limits = probes[i]
    // Without liquidity at the price there is nothing to try.
    if (!limits) return withoutFees(state)
    const answer = answers[next++]
    return answer ? withFees(state, limits, answer) : null
  })
}

function withFees(state: AlgebraIntegralState, [lower, upper]: Probes, answer: Hex): AlgebraIntegralState | null {
  const { pluginSetsFee, paid0, paid1 } = lens.decodeFunctionResult('probe', answer)
  if (!pluginSetsFee) return withoutFees(state)
  const [fee0, fee1] = [feeFrom(lower, paid0), feeFrom(upper, paid1)]
  return fee0 === null || fee1 === null ? null : { ...state, pluginFees: [fee0, fee1] }
}

function withoutFees({ pluginFees: _, ...state }: AlgebraIntegralState): AlgebraIntegralState {
  return state
}

function decodeHead(answer: Hex): Head | null {
  const [read] = lens.decodeFunctionResult('read', answer)
  if (read.sqrtPriceX96 === 0n) return null
  const state = {
    sqrtPriceX96: read.sqrtPriceX96,
    tick: Number(read.tick),
    liquidity: read.liquidity,
    feePpm: Number(read.feePpm),
    tickSpacing: Number(read.tickSpacing),
    ticks: decodeTicks([...read.ticks]),
  }
  return { state, pluginSetsFee: read.pluginSetsFee }
}

const logs = concentratedLogs()
/** Log reader for pools whose Swap and Burn append fees to the usual fields. */
const longLogs = concentratedLogs(events)
const topicOf = (name: 'Fee' | 'PluginConfig' | 'Swap' | 'Burn') => events.getEvent(name).topicHash as Hex
const [FEE, PLUGIN_CONFIG, LONG_SWAP, LONG_BURN] = (['Fee', 'PluginConfig', 'Swap', 'Burn'] as const).map(topicOf)

export const topics: readonly Hex[] = [...logs.topics, FEE!, PLUGIN_CONFIG!, LONG_SWAP!, LONG_BURN!]

export function applyLog(pool: Pool<AlgebraIntegralState>, log: Log): AlgebraIntegralState | 'reread' {
  switch (log.topics[0]) {
    case FEE:
      return { ...pool.state, feePpm: Number(events.decodeEventLog('Fee', log.data, log.topics).fee) }
    case LONG_SWAP:
      return longLogs.applyLog(pool, log)
    case PLUGIN_CONFIG:
    case LONG_BURN:
      return 'reread'
    default:
      return logs.applyLog(pool, log)
  }
}
