/**
 * Detects changed fees of Solidly pairs. In many forks, a factory or its owner can change the fee without a log of the
 * pair. The forks have different getters for the fee. So a quote of the pair is read, which changes with the fee.
 */
import { ISolidlyPairState__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { DexRow } from '@sluice/chains'
import { type DexFamily, nullIfRefused, type Pool, type PoolReads } from '../../family.ts'
import { quoteSolidly, type SolidlyState, solveSolidly } from '../../math/solidly.ts'
import { rereadChanged } from '../common/reread-changed.ts'

const quoteCodec = callCodec<[amountIn: bigint, tokenIn: string], [bigint]>(
  ISolidlyPairState__factory.createInterface(),
  'getAmountOut',
)
/** Estimated gas of a quote. A stable pair needs more gas, because it solves its curve. */
const [VOLATILE_GAS, STABLE_GAS] = [30_000, 75_000]

/** Returns the estimated gas of a pair's quote. */
export const quoteGas = ({ state }: Pool<SolidlyState>): number => (state.stable ? STABLE_GAS : VOLATILE_GAS)

/** Returns the input of the quote. It is so large that a fee difference of one ppm changes the output. */
const sampleInputOf = ({ reserve0 }: SolidlyState): bigint => reserve0 / 4n + 1n

/** Returns our quote of the sample; 0 if our math refuses it. */
const sampleQuote = (state: SolidlyState): bigint =>
  nullIfRefused(() => quoteSolidly(state, true, sampleInputOf(state), solveSolidly).amountOut) ?? 0n

/**
 * Returns a `refreshStates` that reads a quote of each pair. If this quote differs from our quote for the state, the
 * pair is read again by `readStates`.
 */
export const createFeeRefresh = (readStates: DexFamily<SolidlyState>['readStates']) =>
  function* refreshStates(row: DexRow, pools: readonly Pool<SolidlyState>[]): PoolReads<SolidlyState> {
    const answers = yield pools.map((pool) => ({
      to: pool.address,
      data: quoteCodec.encode(sampleInputOf(pool.state), pool.tokens[0]!),
      gas: quoteGas(pool),
    }))
    const changedPools = pools.filter(({ state }, i) => {
      const answer = answers[i]
      const amountOut = answer && answer.length >= 66 ? quoteCodec.decode(answer)[0] : 0n
      return amountOut !== sampleQuote(state)
    })
    return yield* rereadChanged(readStates, row, pools, changedPools)
  }
