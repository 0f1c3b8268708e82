/**
 * Exact math of Aave V3 supplies and withdrawals. Follows SupplyLogic, ScaledBalanceTokenBase, and WadRayMath of npm
 * @aave/core-v3 1.19.3, and TokenMath of aave-dao/aave-v3-origin at 2674171. Checked against real results.
 */
import { PoolRefusal } from '../../family.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { divUp, min } from '../../math/integers.ts'

/**
 * State of a reserve. Amounts are base units of the asset or scaled units. Scaled units times the income index are base
 * units.
 */
export type AaveV3State = {
  /** False if the reserve is inactive or paused. */
  readonly active: boolean
  /** True if supplies are disabled. */
  readonly frozen: boolean
  /** Income index at the block's time: asset units per scaled unit, 27 decimals. */
  readonly income: bigint
  /** Scaled supply of the aToken. */
  readonly scaledSupply: bigint
  /** Upper bound of the scaled units accrued to the treasury. */
  readonly treasury: bigint
  /** Maximum total supply in base units; 0 for no maximum. */
  readonly cap: bigint
  /** Base units that can be withdrawn now. */
  readonly cash: bigint
  /** True for releases that round in favor of the market; false for releases that round half up. */
  readonly floors: boolean
}

const RAY = 10n ** 27n

type Rounding = Pick<AaveV3State, 'income' | 'floors'>

/** Returns the balance for a scaled amount. */
export const balanceOf = ({ income, floors }: Rounding, scaledAmount: bigint): bigint =>
  (scaledAmount * income + (floors ? 0n : RAY / 2n)) / RAY

/** Returns the scaled amount that a supply mints. */
export const scaledMint = ({ income, floors }: Rounding, amount: bigint): bigint =>
  (amount * RAY + (floors ? 0n : income / 2n)) / income

/** Returns the scaled amount that a holder loses by a withdrawal or transfer. */
export const scaledBurn = ({ income, floors }: Rounding, amount: bigint): bigint =>
  floors ? divUp(amount * RAY, income) : (amount * RAY + income / 2n) / income

/**
 * Quotes an exact input. Supply: returns the balance of an account that had none. Withdrawal: returns the aTokens that
 * arrive when `amountIn` is transferred, all of which are withdrawn.
 *
 * @throws PoolRefusal `PAUSED`; `TOO_SMALL` for no output; `TOO_LARGE` above the supply cap or the cash
 */
export function quote(
  state: AaveV3State,
  isSupply: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: AaveV3State } {
  if (!state.active || (isSupply && state.frozen)) throw new PoolRefusal('PAUSED', 'the reserve is frozen or paused')
  return isSupply ? supplyAsset(state, amountIn) : withdrawAsset(state, amountIn)
}

function supplyAsset(state: AaveV3State, amountIn: bigint) {
  const scaledAmount = scaledMint(state, amountIn)
  const amountOut = balanceOf(state, scaledAmount)
  if (scaledAmount <= 0n || amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} makes nothing`)
  const { cap, scaledSupply, treasury, floors, cash } = state
  if (cap > 0n) {
    const countedSupply = scaledSupply + treasury
    const balanceAfter = floors
      ? balanceOf(state, countedSupply + scaledAmount)
      : balanceOf(state, countedSupply) + amountIn
    // `treasury` is an upper bound, so the market may accept more.
    if (balanceAfter > cap)
      throw new PoolRefusal('TOO_LARGE', `no more than ${cap} may be supplied`, { isModelLimit: true })
  }
  return { amountOut, state: { ...state, scaledSupply: scaledSupply + scaledAmount, cash: cash + amountIn } }
}

function withdrawAsset(state: AaveV3State, amountIn: bigint) {
  const amountOut = balanceOf(state, scaledBurn(state, amountIn))
  const scaledAmount = scaledBurn(state, amountOut)
  if (amountOut <= 0n || scaledAmount <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} pays nothing`)
  const { cash, scaledSupply } = state
  if (amountOut > cash) throw new PoolRefusal('TOO_LARGE', `only ${cash} is there`)
  if (scaledAmount > scaledSupply) throw new PoolRefusal('TOO_LARGE', 'more than all aTokens')
  return { amountOut, state: { ...state, scaledSupply: scaledSupply - scaledAmount, cash: cash - amountOut } }
}

/** Returns the approximate largest input: up to the supply cap, or the cash. */
export function approximateMaxInput(state: AaveV3State, isSupply: boolean): bigint {
  const { cap, cash, scaledSupply, treasury } = state
  if (isSupply) return cap > 0n ? cap - balanceOf(state, scaledSupply + treasury) : NO_LIMIT
  return min(cash, balanceOf(state, scaledSupply))
}
