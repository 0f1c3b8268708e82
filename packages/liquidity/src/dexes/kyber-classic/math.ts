/** Checked against 154 answers of a deployed pair; DMMPool and DMMLibrary of KyberNetwork/dmm-smart-contracts at e557b57. */
import { PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { min } from '../../math/integers.ts'

/** A pair priced by amplified reserves, with the fee of swaps in the block it was read at. */
export type KyberClassicState = {
  /** Base units that the pair holds of its first and second token. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** Base units that it is priced by: the same where it is not amplified. */
  readonly virtual0: bigint
  readonly virtual1: bigint
  /** Share of the input, 18 decimals. */
  readonly fee: bigint
}

const ONE = 10n ** 18n
/** A pair counts the volume of a block in 128 bits of its first token. @see VolumeTrendRecorder, KyberNetwork/dmm-smart-contracts */
const MAX_VOLUME = (1n << 128n) - 1n
const MAX_RESERVE = (1n << 112n) - 1n

/**
 * The output of an exact input, rounded down.
 *
 * @throws PoolRefusal `TOO_SMALL` where nothing comes out, `EMPTY` without reserves, `TOO_LARGE` for more than the pair holds or can
 *   count
 */
export function quote(
  state: KyberClassicState,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: KyberClassicState } {
  const { reserve0, reserve1, virtual0, virtual1, fee } = state
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (reserve0 === 0n || reserve1 === 0n) throw new PoolRefusal('EMPTY', 'the pair lacks a token')
  const [virtualIn, virtualOut, held] = zeroForOne ? [virtual0, virtual1, reserve1] : [virtual1, virtual0, reserve0]
  const kept = (amountIn * (ONE - fee)) / ONE
  const amountOut = (kept * virtualOut) / (virtualIn + kept)
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut >= held) throw new PoolRefusal('TOO_LARGE', 'as much as the pair holds, or more')
  if (volumeOf(state, zeroForOne, amountIn) > MAX_VOLUME)
    throw new PoolRefusal('TOO_LARGE', 'more than the volume of a block can be')
  if (virtualIn + amountIn > MAX_RESERVE) throw new PoolRefusal('TOO_LARGE', 'more than a reserve can be')
  const [paid0, paid1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  return {
    amountOut,
    state: {
      ...state,
      reserve0: reserve0 + paid0,
      reserve1: reserve1 + paid1,
      virtual0: virtual0 + paid0,
      virtual1: virtual1 + paid1,
    },
  }
}

const volumeOf = ({ virtual0, virtual1 }: KyberClassicState, zeroForOne: boolean, amountIn: bigint): bigint =>
  zeroForOne ? amountIn : (virtual0 * amountIn) / virtual1

/** The largest input that `quote` accepts: it leaves one base unit of what the pair holds, or makes a reserve as large as it can be. */
export function maxInput(state: KyberClassicState, zeroForOne: boolean): bigint | null {
  const { reserve0, reserve1, virtual0, virtual1, fee } = state
  const [virtualIn, virtualOut, held] = zeroForOne ? [virtual0, virtual1, reserve1] : [virtual1, virtual0, reserve0]
  const counted = zeroForOne || virtual0 === 0n ? MAX_VOLUME : ((MAX_VOLUME + 1n) * virtual1) / virtual0
  const room = min(MAX_RESERVE - virtualIn, counted)
  const kept = virtualOut > held ? (held * virtualIn) / (virtualOut - held) : room
  const limit = fee < ONE ? (kept * ONE) / (ONE - fee) : 0n
  return largestInput((amountIn) => quote(state, zeroForOne, amountIn), min(limit, room))
}
