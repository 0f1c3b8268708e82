/** Reads pools of Saddle and its forks. */
import { ISaddlePool__factory, SaddleLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { DexRow, Hex } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { stateReader } from '../common/read-each.ts'
import { findRowPool } from '../common/token-row.ts'
import { reproducesQuotes, type StateRead, toState } from '../curve-stable/state.ts'
import type { CurveStableState } from '../curve-stable/types.ts'

const LENS = lensOf('SaddleLens')
const lensInterface = SaddleLens__factory.createInterface()
const poolInterface = ISaddlePool__factory.createInterface()
const tokensCodec = callCodec<[pool: string], [string[]]>(lensInterface, 'tokens')
const readCodec = callCodec<[pool: string], [state: StateRead, tradesShare: boolean]>(lensInterface, 'read')

/** Estimated gas to read the tokens. */
const FIND_GAS = 80_000
/** Estimated gas to read one pool, with two quotes. */
export const READ_GAS = 400_000

/** Finds the pool of a row, which is the contract at the row's address. */
export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findRowPool(
    row,
    pairs,
    lensRead(LENS, tokensCodec.encode(row.address), FIND_GAS),
    (answer) => tokensCodec.decode(answer)[0],
  )

/**
 * Reads states. Returns null for a paused pool, and for a pool whose own quotes our math does not reproduce. If the
 * last token is a share of another pool, its rate is the price of the share.
 */
export const readStates = stateReader(
  ({ address }) => lensRead(LENS, readCodec.encode(address), READ_GAS),
  (answer) => {
    const [stateRead, tradesShare] = readCodec.decode(answer)
    const state: CurveStableState = {
      ...toState(stateRead, 'each'),
      ...(stateRead.ramping && { ramping: true as const }),
      ...(tradesShare && { feeOrder: 'share' as const }),
    }
    // The read contains quotes of the first two tokens only. In a larger pool, they would not test the share's rate.
    if (tradesShare && state.balances.length > 2) return null
    return reproducesQuotes(state, stateRead) ? state : null
  },
)

const EVENT_NAMES = [
  ...[
    'TokenSwap',
    'TokenSwapUnderlying',
    'AddLiquidity',
    'RemoveLiquidity',
    'RemoveLiquidityOne',
    'RemoveLiquidityImbalance',
    'FlashLoan',
  ],
  ...['NewAdminFee', 'NewSwapFee', 'RampA', 'StopRampA', 'Paused', 'Unpaused'],
] as const

/** Topics of logs after which the pool is read again. A log does not suffice, because logs omit the admin fees. */
export const topics: readonly Hex[] = EVENT_NAMES.map(
  (name) => poolInterface.getEvent(name as 'TokenSwap').topicHash as Hex,
)

export const applyLog = () => 'reread' as const
