/** Exact math of LitePSM modules. Follows DssLitePsm of makerdao/dss-lite-psm. Checked against the deployed module. */
import { PoolRefusal } from '../../family.ts'

/** State of a module. Amounts are base units, and fees have 18 decimals. */
export type LitePsmState = {
  /** Fees for selling and buying gems; uint256 max if that direction is halted. */
  readonly tin: bigint
  readonly tout: bigint
  /** Base units of DAI per base unit of the gem. */
  readonly factor: bigint
  /** Base units of DAI that the module can pay out now. */
  readonly dai: bigint
  readonly gems: bigint
}

const WAD = 10n ** 18n
/** Fee that marks a halted direction. */
const HALTED_FEE = 2n ** 256n - 1n
const MAX_WORD = 2n ** 256n - 1n

/**
 * Quotes an exact input. The module sells whole base units of gems, so part of the DAI may remain unspent.
 *
 * @throws PoolRefusal `PAUSED` if the direction is halted, `TOO_LARGE` above the reserve, `TOO_SMALL` for no output
 */
export function quote(
  state: LitePsmState,
  sellGem: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: LitePsmState } {
  if ((sellGem ? state.tin : state.tout) === HALTED_FEE) throw new PoolRefusal('PAUSED', 'this way is halted')
  const [gems, dai] = sellGem ? sellGems(state, amountIn) : buyGems(state, amountIn)
  const amountOut = sellGem ? dai : gems
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut > (sellGem ? state.dai : state.gems)) throw new PoolRefusal('TOO_LARGE', `it cannot pay ${amountOut}`)
  const sign = sellGem ? 1n : -1n
  return { amountOut, state: { ...state, dai: state.dai - sign * dai, gems: state.gems + sign * gems } }
}

type Amounts = readonly [gems: bigint, dai: bigint]

function sellGems({ tin, factor }: LitePsmState, gems: bigint): Amounts {
  const value = gems * factor
  if (value * (tin || 1n) > MAX_WORD) throw new PoolRefusal('TOO_LARGE', `${gems} gems are more than it can count`)
  return [gems, value - (value * tin) / WAD]
}

/** Returns the DAI cost of `gems`. */
function daiFor({ tout, factor }: LitePsmState, gems: bigint): bigint {
  return gems * factor + (gems * factor * tout) / WAD
}

function buyGems(state: LitePsmState, dai: bigint): Amounts {
  // This is the largest `gems` with gems × factor + floor(gems × factor × tout / WAD) ≤ dai.
  const gems = ((dai + 1n) * WAD - 1n) / (state.factor * (WAD + state.tout))
  return [gems, daiFor(state, gems)]
}

/** Returns the output per unit of input, after fees. */
export function rateOf({ tin, tout, factor }: LitePsmState, sellGem: boolean): number {
  return sellGem ? Number(factor) * (1 - Number(tin) / 1e18) : 1 / (Number(factor) * (1 + Number(tout) / 1e18))
}

/**
 * Returns the approximate largest input. It buys all DAI; or all gems, and leaves less than the cost of one more gem.
 */
export function approximateMaxInput(state: LitePsmState, sellGem: boolean): bigint {
  const { tin, factor, dai, gems } = state
  if (!sellGem) return daiFor(state, gems + 1n) - 1n
  return tin < WAD ? (dai * WAD) / (factor * (WAD - tin)) : 0n
}
