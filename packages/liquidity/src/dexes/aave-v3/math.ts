/** Checked against answers of npm @aave/core-v3 1.19.3: SupplyLogic, ScaledBalanceTokenBase and WadRayMath; TokenMath of aave-dao/aave-v3-origin at 2674171. */
import { PoolRefusal } from '../../family.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { divUp, min } from '../../math/integers.ts'

/** A reserve of a market; base units of the asset, unless they are scaled: what is kept beside an index that grows. */
export type AaveV3State = {
  /** False where the reserve is not open, or paused. */
  readonly active: boolean
  /** True where nothing more is supplied. */
  readonly frozen: boolean
  /** Units of the asset for one scaled unit at the block's time, 27 decimals. */
  readonly income: bigint
  /** Scaled units of all aTokens. */
  readonly scaledSupply: bigint
  /** Scaled units that the treasury is due, at most. */
  readonly treasury: bigint
  /** Most that may be supplied in all; 0 for any amount. */
  readonly cap: bigint
  /** Amount that can be withdrawn. */
  readonly cash: bigint
  /** True of releases that round in favour of the market, false of those that round halves up. */
  readonly floors: boolean
}

const RAY = 10n ** 27n

type Rounded = Pick<AaveV3State, 'income' | 'floors'>

/** Balance of so many scaled units. */
export const balanceOf = ({ income, floors }: Rounded, scaled: bigint): bigint =>
  (scaled * income + (floors ? 0n : RAY / 2n)) / RAY

/** Scaled units that so much of the asset makes. */
export const minted = ({ income, floors }: Rounded, amount: bigint): bigint =>
  (amount * RAY + (floors ? 0n : income / 2n)) / income

/** Scaled units that leave a holder with so much, paid out or sent. */
export const taken = ({ income, floors }: Rounded, amount: bigint): bigint =>
  floors ? divUp(amount * RAY, income) : (amount * RAY + income / 2n) / income

/**
 * The output of an exact input. Supplied: the balance of an account that had none. Withdrawn: what arrives of so many aTokens when
 * they are sent, all of which is paid out.
 *
 * @throws PoolRefusal `PAUSED`; `TOO_SMALL` where nothing is made or paid; `TOO_LARGE` above the cap, or above the cash that is there
 */
export function quote(
  state: AaveV3State,
  supply: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: AaveV3State } {
  if (!state.active || (supply && state.frozen)) throw new PoolRefusal('PAUSED', 'the reserve is frozen or paused')
  return supply ? supplied(state, amountIn) : withdrawn(state, amountIn)
}

function supplied(state: AaveV3State, amountIn: bigint) {
  const scaled = minted(state, amountIn)
  const amountOut = balanceOf(state, scaled)
  if (scaled <= 0n || amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} makes nothing`)
  const { cap, scaledSupply, treasury, floors, cash } = state
  if (cap > 0n) {
    const counted = scaledSupply + treasury
    const after = floors ? balanceOf(state, counted + scaled) : balanceOf(state, counted) + amountIn
    // The treasury may be due less, and the market take more by that.
    if (after > cap) throw new PoolRefusal('TOO_LARGE', `no more than ${cap} may be supplied`, { isOwnLimit: true })
  }
  return { amountOut, state: { ...state, scaledSupply: scaledSupply + scaled, cash: cash + amountIn } }
}

function withdrawn(state: AaveV3State, amountIn: bigint) {
  const amountOut = balanceOf(state, taken(state, amountIn))
  const scaled = taken(state, amountOut)
  if (amountOut <= 0n || scaled <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} pays nothing`)
  const { cash, scaledSupply } = state
  if (amountOut > cash) throw new PoolRefusal('TOO_LARGE', `only ${cash} is there`)
  if (scaled > scaledSupply) throw new PoolRefusal('TOO_LARGE', 'more than all aTokens')
  return { amountOut, state: { ...state, scaledSupply: scaledSupply - scaled, cash: cash - amountOut } }
}

/** About the largest input: what the cap leaves, or what is there. */
export function limitOf(state: AaveV3State, supply: boolean): bigint {
  const { cap, cash, scaledSupply, treasury } = state
  if (supply) return cap > 0n ? cap - balanceOf(state, scaledSupply + treasury) : NO_LIMIT
  return min(cash, balanceOf(state, scaledSupply))
}
