/**
 * Exact math of KyberSwap Classic pairs. Follows DMMPool and DMMLibrary of KyberNetwork/dmm-smart-contracts at e557b57.
 * Checked against 154 results of a deployed pair.
 */
import { PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { min } from '../../math/integers.ts'

/** State of a pool. Amplification adds virtual reserves to the real ones, which flattens the curve. */
export type KyberClassicState = {
  /** Real reserves by token, in base units. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** Virtual reserves by token, which determine the price. Without amplification, they equal the real reserves. */
  readonly virtual0: bigint
  readonly virtual1: bigint
  /** Fee in the block of the state, as a fraction of the input with 18 decimals. */
  readonly fee: bigint
}

const ONE = 10n ** 18n
/**
 * Maximum volume of a block in base units of the first token. The pool stores it as uint128.
 *
 * @see VolumeTrendRecorder, KyberNetwork/dmm-smart-contracts
 */
const MAX_VOLUME = (1n << 128n) - 1n
/** Maximum virtual reserve. The contract stores it as uint112. */
const MAX_RESERVE = (1n << 112n) - 1n

/**
 * Quotes an exact input, rounded down.
 *
 * @throws PoolRefusal `TOO_SMALL` for no output, `EMPTY` if a reserve is zero, `TOO_LARGE` on overflow or for an
 * output of the whole reserve
 */
export function quote(
  state: KyberClassicState,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: KyberClassicState } {
  const { reserve0, reserve1, virtual0, virtual1, fee } = state
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (reserve0 === 0n || reserve1 === 0n) throw new PoolRefusal('EMPTY', 'the pair lacks a token')
  const [virtualIn, virtualOut, reserveOut] = zeroForOne
    ? [virtual0, virtual1, reserve1]
    : [virtual1, virtual0, reserve0]
  const netIn = (amountIn * (ONE - fee)) / ONE
  const amountOut = (netIn * virtualOut) / (virtualIn + netIn)
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut >= reserveOut) throw new PoolRefusal('TOO_LARGE', 'the output would be the whole reserve, or more')
  if (volumeOf(state, zeroForOne, amountIn) > MAX_VOLUME)
    throw new PoolRefusal('TOO_LARGE', 'the volume of the block would exceed 128 bits')
  if (virtualIn + amountIn > MAX_RESERVE) throw new PoolRefusal('TOO_LARGE', 'the reserve would exceed 112 bits')
  const [change0, change1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  return {
    amountOut,
    state: {
      ...state,
      reserve0: reserve0 + change0,
      reserve1: reserve1 + change1,
      virtual0: virtual0 + change0,
      virtual1: virtual1 + change1,
    },
  }
}

/** Returns the volume of a trade in base units of the first token. */
const volumeOf = ({ virtual0, virtual1 }: KyberClassicState, zeroForOne: boolean, amountIn: bigint): bigint =>
  zeroForOne ? amountIn : (virtual0 * amountIn) / virtual1

/**
 * Returns the largest input that `quote` accepts, as `DexFamily.maxInput`. There are three limits. One base unit
 * of the output token must remain. The virtual input reserve and the volume have a maximum.
 */
export function maxInput(state: KyberClassicState, zeroForOne: boolean): bigint | null {
  const { reserve0, reserve1, virtual0, virtual1, fee } = state
  const [virtualIn, virtualOut, reserveOut] = zeroForOne
    ? [virtual0, virtual1, reserve1]
    : [virtual1, virtual0, reserve0]
  const maxByVolume = zeroForOne || virtual0 === 0n ? MAX_VOLUME : ((MAX_VOLUME + 1n) * virtual1) / virtual0
  const maxAdded = min(MAX_RESERVE - virtualIn, maxByVolume)
  const netIn = virtualOut > reserveOut ? (reserveOut * virtualIn) / (virtualOut - reserveOut) : maxAdded
  const limit = fee < ONE ? (netIn * ONE) / (ONE - fee) : 0n
  return largestInput((amountIn) => quote(state, zeroForOne, amountIn), min(limit, maxAdded))
}
