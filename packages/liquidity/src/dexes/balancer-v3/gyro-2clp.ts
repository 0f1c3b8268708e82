/**
 * Exact math of Gyro 2-CLP pools: x·y = k within a price range. Follows Gyro2CLPMath of balancer/balancer-v3-monorepo.
 * Checked against real pools. Amounts have 18 decimals and the same unit for both tokens: live balances are balances
 * scaled to this unit. `i` is the index of the input token.
 */
import { PoolRefusal } from '../../family.ts'
import { divDown, divUpFixed, mulDown, mulUp, ONE } from '../../math/balancer.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { sqrt } from '../../math/integers.ts'

/** Parameters of a pool. A price is token 1 per token 0. */
export type Gyro2Clp = {
  readonly kind: 'gyro-2clp'
  /** Square root of the lowest price, 18 decimals. */
  readonly sqrtAlpha: bigint
  /** Square root of the highest price, 18 decimals. */
  readonly sqrtBeta: bigint
}

/** Returns the output of an input without fees. */
export function gyro2ClpOut(pool: Gyro2Clp, liveBalances: readonly bigint[], i: number, amountIn: bigint): bigint {
  const [offsetIn, offsetOut] = offsets(pool, liveBalances, i)
  const reserveOut = liveBalances[1 - i]!
  const amountOut = ((reserveOut + offsetOut) * amountIn) / (liveBalances[i]! + offsetIn + amountIn)
  if (amountOut > reserveOut) throw new PoolRefusal('TOO_LARGE', 'more than the pool has')
  return amountOut
}

/** Returns the approximate largest input, which buys the whole reserve. */
export function gyro2ClpLimit(pool: Gyro2Clp, liveBalances: readonly bigint[], i: number): bigint {
  const [offsetIn, offsetOut] = offsets(pool, liveBalances, i)
  return offsetOut > 0n ? (liveBalances[1 - i]! * (liveBalances[i]! + offsetIn)) / offsetOut : NO_LIMIT
}

/**
 * Returns the virtual offsets of both balances. Rounds the offset of the input token up, and the offset of the
 * output token down.
 */
function offsets(
  pool: Gyro2Clp,
  liveBalances: readonly bigint[],
  i: number,
): readonly [offsetIn: bigint, offsetOut: bigint] {
  const { sqrtAlpha, sqrtBeta } = pool
  const invariant = invariantDown(pool, liveBalances)
  return i === 0
    ? [divUpFixed(invariant, sqrtBeta), mulDown(invariant, sqrtAlpha)]
    : [mulUp(invariant, sqrtAlpha), divDown(invariant, sqrtBeta)]
}

/** Returns the invariant L, rounded down. It is the greater solution of a·L² − b·L − c = 0. */
function invariantDown({ sqrtAlpha, sqrtBeta }: Gyro2Clp, [x, y]: readonly bigint[]): bigint {
  const a = ONE - divDown(sqrtAlpha, sqrtBeta)
  const b = divDown(y!, sqrtBeta) + mulDown(x!, sqrtAlpha)
  const c = mulDown(x!, y!)
  // This is b², computed from its expanded form, which keeps more digits.
  const square =
    mulDown(mulDown(mulDown(x!, x!), sqrtAlpha), sqrtAlpha) +
    divDown(2n * mulDown(c, sqrtAlpha), sqrtBeta) +
    divDown(mulDown(y!, y!), mulUp(sqrtBeta, sqrtBeta))
  const root = sqrt((square + mulDown(4n * c, a)) * ONE)
  return divDown(b + root, 2n * a)
}
