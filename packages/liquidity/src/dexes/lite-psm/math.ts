/** Checked against answers of the deployed module; DssLitePsm of makerdao/dss-lite-psm. */
import { PoolRefusal } from '../../family.ts'

/** Base units; fees of 10^18. */
export type LitePsmState = {
  /** Fees of a gem sold, and of one bought; all ones where that way is halted. */
  readonly tin: bigint
  readonly tout: bigint
  /** DAI's base units for one base unit of the gem. */
  readonly factor: bigint
  /** Amounts that it can pay. */
  readonly dai: bigint
  readonly gems: bigint
}

const WAD = 10n ** 18n
const HALTED = 2n ** 256n - 1n
const MOST = 2n ** 256n - 1n

/**
 * The output of an exact input. Gems are bought by their number: the most that the DAI pays for, whose rest is not spent.
 *
 * @throws PoolRefusal `PAUSED` where the way is halted, `TOO_LARGE` where it holds less, `TOO_SMALL` where nothing comes out
 */
export function quote(
  state: LitePsmState,
  sellGem: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: LitePsmState } {
  if ((sellGem ? state.tin : state.tout) === HALTED) throw new PoolRefusal('PAUSED', 'this way is halted')
  const [gems, dai] = sellGem ? sold(state, amountIn) : bought(state, amountIn)
  const amountOut = sellGem ? dai : gems
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut > (sellGem ? state.dai : state.gems)) throw new PoolRefusal('TOO_LARGE', `it cannot pay ${amountOut}`)
  const sign = sellGem ? 1n : -1n
  return { amountOut, state: { ...state, dai: state.dai - sign * dai, gems: state.gems + sign * gems } }
}

type Amounts = readonly [gems: bigint, dai: bigint]

function sold({ tin, factor }: LitePsmState, gems: bigint): Amounts {
  const worth = gems * factor
  if (worth * (tin || 1n) > MOST) throw new PoolRefusal('TOO_LARGE', `${gems} gems are more than it can count`)
  return [gems, worth - (worth * tin) / WAD]
}

/** DAI that so many gems take. */
export function daiFor({ tout, factor }: LitePsmState, gems: bigint): bigint {
  return gems * factor + (gems * factor * tout) / WAD
}

function bought(state: LitePsmState, dai: bigint): Amounts {
  // gems × factor + floor(gems × factor × tout / WAD) ≤ dai
  const gems = ((dai + 1n) * WAD - 1n) / (state.factor * (WAD + state.tout))
  return [gems, daiFor(state, gems)]
}

/** Output for a unit of input, fee included. */
export function rateOf({ tin, tout, factor }: LitePsmState, sellGem: boolean): number {
  return sellGem ? Number(factor) * (1 - Number(tin) / 1e18) : 1 / (Number(factor) * (1 + Number(tout) / 1e18))
}

/** About the largest input: it buys all of the DAI, or leaves less than one more gem costs. */
export function limitOf(state: LitePsmState, sellGem: boolean): bigint {
  const { tin, factor, dai, gems } = state
  if (!sellGem) return daiFor(state, gems + 1n) - 1n
  return tin < WAD ? (dai * WAD) / (factor * (WAD - tin)) : 0n
}
