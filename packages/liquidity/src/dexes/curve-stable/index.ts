/** Implements `DexFamily` for Curve StableSwap pools. */
import type { DexFamily } from '../../family.ts'
import { findCurvePools } from '../common/curve-discover.ts'
import { curveFamily } from '../common/curve-family.ts'
import { HOP_GAS } from '../common/gas.ts'
import { refreshGas, refreshStates } from './balances.ts'
import { approximateMaxInput, inputFor, quote, tradingFunction } from './math.ts'
import { type CurveStableFixed, readFixed } from './rates.ts'
import { applyLog, readableStateOf, readStates, topics } from './state.ts'
import type { CurveStableState } from './types.ts'

/** Curve StableSwap pools. */
export const curveStable: DexFamily<CurveStableState> = {
  id: 'curve-stable',
  holdsNative: true,
  payment: { pullsInput: true, forwardsOutput: true },
  // Chain files list all Curve factories and registries under the family `curve`. `version` names the kind of their
  // pools.
  rowsOf: (row) =>
    row.family === 'curve-stable' ||
    (row.family === 'curve' && ['stable-factory', 'stableswap-ng', 'address-provider'].includes(row.version ?? ''))
      ? [row]
      : [],
  findPools: findCurvePools({ family: 'curve-stable', registryId: 0 }),
  readFixed,
  readStates,
  refreshStates,
  parameterGas: refreshGas,
  dependsOn: ({ fixed }) => (fixed as CurveStableFixed | undefined)?.dependsOn ?? [],
  topics,
  applyLog,

  readableState: ({ state }) => readableStateOf(state),

  ...curveFamily({
    gas: HOP_GAS['curve-stable'],
    variant: 'int128',
    quote,
    approximateMaxInput,
    inputFor,
    tradingFunction,
  }),
}
