/** Exact math of LitePSM modules. Follows DssLitePsm of makerdao/dss-lite-psm. Checked against the deployed module. */
import { PoolRefusal } from '../../family.ts'

/** State of a module. Amounts are base units, and fees have 18 decimals. */
export type LitePsmState = {
  /** Fee for selling gems; the maximum uint256 if these trades are halted. */
  readonly tin: bigint
  /** Fee for buying gems; the maximum uint256 if these trades are halted. */
  readonly tout: bigint
  /** Base units of DAI per base unit of the gem. */
  readonly factor: bigint
  /** Base units of DAI that the module can pay out now. */
  readonly dai: bigint
  /** Base units of the gem that the module can pay out now. */
  readonly gems: bigint
}

const WAD = 10n ** 18n
const MAX_WORD = 2n ** 256n - 1n
/** Fee that marks a halted direction. */
const HALTED_FEE = MAX_WORD

/**
 * Quotes an exact input. One base unit of the gem costs many base units of DAI. So a purchase may leave a part of the
 * DAI unspent.
 *
 * @throws PoolRefusal `PAUSED` if the direction is halted, `TOO_LARGE` above the reserve, `TOO_SMALL` for no output
 */
export function quote(
  state: LitePsmState,
  isGemSale: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: LitePsmState } {
  if ((isGemSale ? state.tin : state.tout) === HALTED_FEE)
    throw new PoolRefusal('PAUSED', 'trades in this direction are halted')
  const [gems, dai] = isGemSale ? sellGems(state, amountIn) : buyGems(state, amountIn)
  const amountOut = isGemSale ? dai : gems
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut > (isGemSale ? state.dai : state.gems))
    throw new PoolRefusal('TOO_LARGE', `the module cannot pay ${amountOut}`)
  const sign = isGemSale ? 1n : -1n
  return { amountOut, state: { ...state, dai: state.dai - sign * dai, gems: state.gems + sign * gems } }
}

/** Base units of the gem and of DAI that a trade moves. */
type Amounts = readonly [gems: bigint, dai: bigint]

/** Sells gems for DAI. @throws PoolRefusal `TOO_LARGE` if the contract's arithmetic overflows */
function sellGems({ tin, factor }: LitePsmState, gems: bigint): Amounts {
  const value = gems * factor
  if (value * (tin || 1n) > MAX_WORD) throw new PoolRefusal('TOO_LARGE', `the value of ${gems} gems overflows 256 bits`)
  return [gems, value - (value * tin) / WAD]
}

/** Returns the price of `gems` in base units of DAI, with the fee. */
function daiFor({ tout, factor }: LitePsmState, gems: bigint): bigint {
  return gems * factor + (gems * factor * tout) / WAD
}

/** Buys gems with at most `dai`. */
function buyGems(state: LitePsmState, dai: bigint): Amounts {
  // This is the largest `gems` with gems × factor + floor(gems × factor × tout / WAD) ≤ dai.
  const gems = ((dai + 1n) * WAD - 1n) / (state.factor * (WAD + state.tout))
  return [gems, daiFor(state, gems)]
}

/** Returns the output in base units per base unit of input, after fees. */
export function rateOf({ tin, tout, factor }: LitePsmState, isGemSale: boolean): number {
  return isGemSale ? Number(factor) * (1 - Number(tin) / 1e18) : 1 / (Number(factor) * (1 + Number(tout) / 1e18))
}

/**
 * Returns the approximate largest input in base units. It buys all DAI, or all gems of the module. For gems, it
 * includes the largest amount of DAI that would remain unspent: less than the price of one more base unit of the gem.
 */
export function approximateMaxInput(state: LitePsmState, isGemSale: boolean): bigint {
  const { tin, factor, dai, gems } = state
  if (!isGemSale) return daiFor(state, gems + 1n) - 1n
  return tin < WAD ? (dai * WAD) / (factor * (WAD - tin)) : 0n
}
