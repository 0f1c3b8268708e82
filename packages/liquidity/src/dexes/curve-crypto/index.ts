/** Implements `DexFamily` for Curve CryptoSwap pools. */
import type { DexFamily } from '../../family.ts'
import { findCurvePools } from '../common/curve-discover.ts'
import { curveFamily } from '../common/curve-family.ts'
import { HOP_GAS } from '../common/gas.ts'
import { approximateMaxInput, quote, tradingFunction } from './math.ts'
import { applyLog, READ_GAS, readStates, topics } from './state.ts'
import type { CurveCryptoState } from './types.ts'

/** Curve CryptoSwap pools. */
export const curveCrypto: DexFamily<CurveCryptoState> = {
  id: 'curve-crypto',
  holdsNative: true,
  payment: { pullsInput: true, forwardsOutput: true },
  rowsOf: (row) =>
    row.family === 'curve-crypto' ||
    (row.family === 'curve' &&
      ['crypto-factory', 'twocrypto-ng', 'tricrypto-ng', 'address-provider'].includes(row.version ?? ''))
      ? [row]
      : [],
  findPools: findCurvePools({ family: 'curve-crypto', registryId: 5 }),
  readStates,
  refreshStates: readStates,
  parameterGas: ({ state }) => (state.moves ? READ_GAS : 0),
  topics,
  applyLog,

  ...curveFamily({ gas: HOP_GAS['curve-crypto'], variant: 'uint256', quote, approximateMaxInput, tradingFunction }),
  // The moving average needs an exponential. It has up to 60 terms of about 200 gas, depending on the elapsed time.
  laterGas: 12_000,
}
