/**
 * Implements `DexFamily` for Echodex pairs, which take their fee from the output. A factory has one fee token. A pair
 * that trades this token also holds fees in it, in addition to its reserve. So such a pair is not quoted for an input
 * in this token (`math.ts`).
 */
import { IEchodexFactory__factory, IUniswapV2Factory__factory, IUniswapV2PairEvents__factory } from '@sluice/bindings'
import { eventReader } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { DexFamily, Pool, PoolReads, Reads } from '../../family.ts'
import { constantProductCurve, emptyCurve } from '../../math/curves.ts'
import { constantProductOutline } from '../../math/outline.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { pairFactory } from '../common/pair-discover.ts'
import { readStates as readReserves, topics } from '../uniswap-v2/state.ts'
import { type EchodexState, FEE_PPM, inputFor, KEEP_OUT, maxInput, quote } from './math.ts'

const factoryInterface = IEchodexFactory__factory.createInterface()
const TOKEN_FEE_CALL = factoryInterface.encodeFunctionData('tokenFee') as Hex
/** Estimated gas of the getter call. */
const READ_GAS = 10_000
const decodeSync = eventReader<[bigint, bigint]>(IUniswapV2PairEvents__factory.createInterface(), 'Sync')

/** Reads the reserves of all pairs, and the address of their factory's fee token. */
function* readStates(row: DexRow, pools: readonly Pool<null>[]): PoolReads<EchodexState> {
  const reserveStates = yield* readReserves(row, pools)
  const feeTokenAddress = yield* readFeeToken(row)
  return reserveStates.map((reserveState, i) => {
    if (!reserveState || !feeTokenAddress) return null
    const { reserve0, reserve1 } = reserveState
    return { reserve0, reserve1, feeToken: feeTokenIndexOf(pools[i]!, feeTokenAddress) }
  })
}

/** Reads the fee token again, which the factory's owner can change without a log. */
function* refreshStates(row: DexRow, pools: readonly Pool<EchodexState>[]): PoolReads<EchodexState> {
  const feeTokenAddress = yield* readFeeToken(row)
  return pools.map((pool) => {
    if (!feeTokenAddress) return null
    const feeTokenIndex = feeTokenIndexOf(pool, feeTokenAddress)
    return feeTokenIndex === pool.state.feeToken ? pool.state : { ...pool.state, feeToken: feeTokenIndex }
  })
}

/** Reads the fee token of a row's factory; null if the read fails. */
function* readFeeToken(row: DexRow): Reads<Address | null> {
  const [answer] = yield [{ to: row.address, data: TOKEN_FEE_CALL, gas: READ_GAS }]
  return answer ? toAddress(factoryInterface.decodeFunctionResult('tokenFee', answer)[0]) : null
}

/** Returns the index of the fee token among the tokens of a pair; null if the pair does not trade it. */
function feeTokenIndexOf({ tokens }: Pool<unknown>, feeTokenAddress: Address): EchodexState['feeToken'] {
  const index = tokens.indexOf(feeTokenAddress)
  return index === 0 || index === 1 ? index : null
}

/** Echodex pairs. */
export const echodex: DexFamily<EchodexState> = {
  id: 'echodex',
  payment: { lockSlots: 1 },
  ...pairFactory(IUniswapV2Factory__factory.createInterface(), 'getPair', 'PairCreated'),
  readStates,
  refreshStates,
  // One read serves all pairs of the factory.
  parameterGas: () => READ_GAS,
  topics,
  applyLog({ state }, log) {
    const [reserve0, reserve1] = decodeSync(log.data)
    return { ...state, reserve0, reserve1 }
  },

  quoteExactInput: quoteByDirection('echodex', quote),

  inputFor: (pool, tokenIn, tokenOut, amountOut) =>
    inputFor(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountOut),

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve({ state, ...pool }, tokenIn, tokenOut) {
    const zeroForOne = isZeroForOne({ ...pool, state }, tokenIn, tokenOut)
    const largestInput = maxInput(state, zeroForOne)
    if (largestInput === 0n) return emptyCurve(1)
    const [reserveIn, reserveOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
    return { ...constantProductCurve(reserveIn, reserveOut, 0, largestInput), keepOut: KEEP_OUT }
  },

  outline: ({ state }, priceBand) => constantProductOutline(state.reserve0, state.reserve1, FEE_PPM, priceBand),
  reserves: ({ state }) => [state.reserve0, state.reserve1],

  keepsTokens: true,
  // The swap writes two price accumulators.
  oracleGas: 10_400,
  takesTaxedInput: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v2',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    // The Executor requests the output of a swap without a fee. The pair then takes its fee from this output.
    feePpm: 0,
    tokenIn,
    input,
    output,
  }),
}
