/**
 * Trust: the intermediate tokens, accounts, and pools that a route may depend on. The route's input and output token
 * are the caller's choice and need no trust.
 */
import type { Address, Chain } from '@sluice/chains'
import { familyOf } from '../dexes/index.ts'
import type { Pool } from '../family.ts'
import { namedAccounts, namedTokens } from './named-tokens.ts'

/**
 * `named`: only tokens and pools that the chain's file names. `earned`: also tokens and pools that have earned trust
 * (`record.ts`).
 */
export type TrustLevel = 'named' | 'earned'

/**
 * The trusted tokens, accounts, and pools. Plain data, so that it can be sent to another thread. It stays the same
 * object while its content is unchanged.
 */
export type Trust = {
  readonly level: TrustLevel
  readonly tokens: ReadonlySet<Address>
  /** Accounts that a pool's quotes may depend on. */
  readonly accounts: ReadonlySet<Address>
  /** Ids of pools that are trusted although their quotes depend on other accounts. */
  readonly pools: ReadonlySet<string>
}

/** Returns the trust that the chain's file grants. */
export function namedTrust(chain: Chain): Trust {
  return { level: 'named', tokens: namedTokens(chain), accounts: namedAccounts(chain), pools: new Set() }
}

/**
 * True if the pool's quotes depend only on its family's math or on trusted accounts, or if the pool has earned trust.
 */
export function isTrustedPool(pool: Pool, { accounts, pools }: Trust): boolean {
  const dependsOn = familyOf(pool.family)?.dependsOn?.(pool)
  return !dependsOn || dependsOn.every((account) => accounts.has(account)) || pools.has(pool.id)
}
