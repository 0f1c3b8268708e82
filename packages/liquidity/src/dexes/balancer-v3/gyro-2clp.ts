/** Gyro's 2-CLP: x·y = k within a range of prices. Checked against answers of genuine pools; Gyro2CLPMath of balancer/balancer-v3-monorepo. */
import { PoolRefusal } from '../../family.ts'
import { divDown, divUpFixed, mulDown, mulUp, ONE } from '../../math/balancer.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { sqrt } from '../../math/integers.ts'

export type Gyro2Clp = {
  readonly kind: 'gyro-2clp'
  /** Roots of the lowest and the highest price, 18 decimals. */
  readonly sqrtAlpha: bigint
  readonly sqrtBeta: bigint
}

/** The output of an input without fee; 18 decimals of the common unit. */
export function gyro2ClpOut(pool: Gyro2Clp, live: readonly bigint[], i: number, amountIn: bigint): bigint {
  const [offsetIn, offsetOut] = offsets(pool, live, i)
  const held = live[1 - i]!
  const out = ((held + offsetOut) * amountIn) / (live[i]! + offsetIn + amountIn)
  if (out > held) throw new PoolRefusal('TOO_LARGE', 'more than the pool has')
  return out
}

/** About the largest input: it buys all that the pool has. */
export function gyro2ClpLimit(pool: Gyro2Clp, live: readonly bigint[], i: number): bigint {
  const [offsetIn, offsetOut] = offsets(pool, live, i)
  return offsetOut > 0n ? (live[1 - i]! * (live[i]! + offsetIn)) / offsetOut : NO_LIMIT
}

/** Balances that the pool is computed with beyond its own: more of the token that comes in, less of the one that goes out. */
function offsets(pool: Gyro2Clp, live: readonly bigint[], i: number): readonly [offsetIn: bigint, offsetOut: bigint] {
  const { sqrtAlpha, sqrtBeta } = pool
  const invariant = invariantDown(pool, live)
  return i === 0
    ? [divUpFixed(invariant, sqrtBeta), mulDown(invariant, sqrtAlpha)]
    : [mulUp(invariant, sqrtAlpha), divDown(invariant, sqrtBeta)]
}

/** The greater root of a·L² − b·L − c, rounded down. */
function invariantDown({ sqrtAlpha, sqrtBeta }: Gyro2Clp, [x, y]: readonly bigint[]): bigint {
  const a = ONE - divDown(sqrtAlpha, sqrtBeta)
  const b = divDown(y!, sqrtBeta) + mulDown(x!, sqrtAlpha)
  const c = mulDown(x!, y!)
  // b², multiplied out, which keeps more digits.
  const square =
    mulDown(mulDown(mulDown(x!, x!), sqrtAlpha), sqrtAlpha) +
    divDown(2n * mulDown(c, sqrtAlpha), sqrtBeta) +
    divDown(mulDown(y!, y!), mulUp(sqrtBeta, sqrtBeta))
  const root = sqrt((square + mulDown(4n * c, a)) * ONE)
  return divDown(b + root, 2n * a)
}
