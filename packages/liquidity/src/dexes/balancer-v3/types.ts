/** State of Balancer V3 pools. */
import type { Address } from '@sluice/chains'
import type { Erc4626Fixed } from '../erc4626/state.ts'
import type { VaultBuffer } from './buffer.ts'
import type { Gyro2Clp } from './gyro-2clp.ts'
import type { GyroEclp } from './gyro-eclp.ts'
import type { Reclamm } from './reclamm.ts'
import type { EclpSurge, Surge } from './surge.ts'

/** Immutable facts of a pool or buffer. */
export type BalancerV3Fixed = {
  readonly vault: Address
  /** Factory, rate providers, fee manager, and hook, without zero addresses. */
  readonly dependsOn: readonly Address[]
  /** True for pools that are their own hook, such as reCLAMM pools, whose virtual balances change with time. */
  readonly silent?: boolean
  /** True for an ERC-4626 buffer. */
  readonly buffer?: true
  /** Facts of a buffer's ERC-4626 vault. */
  readonly shares?: Erc4626Fixed
}

/** Fields of the states of all kinds of pools. */
type CommonState = {
  /** Base units of each token that the vault holds for the pool, without accrued yield fees. */
  readonly balances: readonly bigint[]
  /** Powers of ten that scale balances to 18 decimals. */
  readonly scaling: readonly bigint[]
  /** Factors that convert each token to the unit that all tokens of the pool share, 18 decimals. */
  readonly rates: readonly bigint[]
  /** Fraction of the input, 18 decimals. */
  readonly swapFee: bigint
  /** Fraction of the fee that leaves the pool, 18 decimals. */
  readonly aggregateFee: bigint
  /**
   * True for pools of the release that reverts at extreme balances. In this release, weighted pools also round the
   * input balance up.
   */
  readonly bounded: boolean
  /** Set while the amplification changes with time. */
  readonly ramping?: true
}

/** State of a pool other than a buffer. */
export type PooledState =
  | (CommonState & {
      readonly kind: 'weighted'
      /** Normalized weights, 18 decimals; the sum is one. */
      readonly weights: readonly bigint[]
    })
  | (CommonState & {
      readonly kind: 'stable'
      /** Amplification coefficient A × 1,000. */
      readonly amp: bigint
      /** Settings of the surge hook. */
      readonly surge?: Surge
    })
  | (CommonState & Gyro2Clp)
  | (CommonState &
      GyroEclp & {
        /** Settings of the surge hook. */
        readonly surge?: EclpSurge
      })
  | (CommonState & Reclamm)

/** State of a pool or buffer. */
export type BalancerV3State = PooledState | VaultBuffer
