import type { DexFamily } from '../../family.ts'
import { curveFamily } from '../common/curve-family.ts'
import { HOP_GAS } from '../common/gas.ts'
import { findPools } from './discover.ts'
import { limitOf, quote, tradingFunction } from './math.ts'
import { applyLog, readStates, topics } from './state.ts'
import type { CurveCryptoState } from './types.ts'

export const curveCrypto: DexFamily<CurveCryptoState> = {
  id: 'curve-crypto',
  payment: { pullsInput: true, forwardsOutput: true },
  rowsOf: (row) =>
    row.family === 'curve-crypto' ||
    (row.family === 'curve' &&
      ['crypto-factory', 'twocrypto-ng', 'tricrypto-ng', 'address-provider'].includes(row.version ?? ''))
      ? [row]
      : [],
  findPools,
  readStates,
  topics,
  applyLog,

  ...curveFamily({ gas: HOP_GAS['curve-crypto'], variant: 'uint256', quote, limitOf, tradingFunction }),
  // The moving average of the price is a power whose terms are as many as its fraction needs: up to 60 of some 200 gas.
  laterGas: 12_000,
}
