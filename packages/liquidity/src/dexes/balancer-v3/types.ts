import type { Address } from '@sluice/chains'
import type { Erc4626Fixed } from '../erc4626/state.ts'
import type { Buffer } from './buffer.ts'
import type { Gyro2Clp } from './gyro-2clp.ts'
import type { GyroEclp } from './gyro-eclp.ts'
import type { Reclamm } from './reclamm.ts'
import type { EclpSurge, Surge } from './surge.ts'

export type BalancerV3Fixed = {
  readonly vault: Address
  /** Factory, rate providers, fee manager and hook; the zero address, which stands for nobody, left out. */
  readonly dependsOn: readonly Address[]
  /** True of pools that are their own hook, as those are whose virtual balances move with the time. */
  readonly silent?: boolean
  /** True of a buffer of shares. */
  readonly buffer?: true
  /** Facts of the vault of a buffer's shares. */
  readonly shares?: Erc4626Fixed
}

type Common = {
  /** Base units in the vault, by token, without the yield fees that are due. */
  readonly balances: readonly bigint[]
  /** Powers of ten that bring balances to 18 decimals. */
  readonly scaling: readonly bigint[]
  /** Units of each token in the common unit; 18 decimals. */
  readonly rates: readonly bigint[]
  /** Part of the input, 18 decimals. */
  readonly swapFee: bigint
  /** Part of the fee that leaves the pool, 18 decimals. */
  readonly aggregateFee: bigint
  /**
   * True of the release that keeps balances within bounds, and in weighted pools rounds the balance of the input up.
   */
  readonly bounded: boolean
}

/** A pool of the vault. */
export type PooledState =
  | (Common & {
      readonly kind: 'weighted'
      /** 18 decimals; they add up to one. */
      readonly weights: readonly bigint[]
    })
  | (Common & {
      readonly kind: 'stable'
      /** A × 1000 */
      readonly amp: bigint
      /** Settings of a hook that raises the fee out of balance. */
      readonly surge?: Surge
    })
  | (Common & Gyro2Clp)
  | (Common &
      GyroEclp & {
        /** Settings of a hook that raises the fee away from the peak of its liquidity. */
        readonly surge?: EclpSurge
      })
  | (Common & Reclamm)

export type BalancerV3State = PooledState | Buffer
