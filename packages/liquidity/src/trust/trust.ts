/** Tokens, accounts and pools that a route may pass through between its ends, which are the caller's choice. */
import type { Address, Chain } from '@sluice/chains'
import { familyOf } from '../dexes/index.ts'
import type { Pool } from '../family.ts'
import { namedAccounts, namedTokens } from './named.ts'

/** `named`: what the chain's file names. `earned`: and what has been seen to behave for long. */
export type TrustLevel = 'named' | 'earned'

/** Plain data, so that it can be sent to another thread. The same object as long as nothing in it changes. */
export type Trust = {
  readonly level: TrustLevel
  readonly tokens: ReadonlySet<Address>
  /** Accounts that a pool's answer may depend on. */
  readonly accounts: ReadonlySet<Address>
  /** Ids of pools that may be used although their answer depends on other accounts. */
  readonly pools: ReadonlySet<string>
}

/** Trust in what the chain's file vouches for. */
export function namedTrust(chain: Chain): Trust {
  return { level: 'named', tokens: namedTokens(chain), accounts: namedAccounts(chain), pools: new Set() }
}

/**
 * True where a pool's answer depends on the maths of its family alone, or on accounts that are vouched for, or has
 * earned it.
 */
export function isTrustedPool(pool: Pool, { accounts, pools }: Trust): boolean {
  const dependsOn = familyOf(pool.family)?.dependsOn?.(pool)
  return !dependsOn || dependsOn.every((account) => accounts.has(account)) || pools.has(pool.id)
}
