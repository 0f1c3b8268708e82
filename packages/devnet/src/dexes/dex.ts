/** Types shared by the DEX recipes. */
import type { Address, ChainFile, Hex } from '@sluice/chains'
import type { Builder } from '../builder.ts'
import type { LendingReserveSpec } from '../pools.ts'
import type { TokenSymbol, Tokens } from '../tokens.ts'

/** A token of a pool. In addition to the tokens in `TOKENS`, pools trade the native token (`ETH`) and aTokens. */
export type PoolToken = TokenSymbol | 'ETH' | LendingReserveSpec['aToken']

/** A pool of the local chain. */
export type DevnetPool = {
  /** Brand of the DEX, as in the chain's DEX entries. */
  readonly dex: string
  readonly family: string
  readonly address: Address
  /** Tokens; in the order of the pool's contract if its functions take token indices, as in Curve. */
  readonly tokens: readonly PoolToken[]
  /** Addresses in the order of `tokens`; set only if a token is not in `TOKENS`. */
  readonly addresses?: readonly Address[]
  /** Id of the pool in the contract at `address`, if that contract holds many pools. */
  readonly id?: Hex
  /** Fee in parts per million; absent if it is dynamic. */
  readonly feePpm?: number
  /** The remaining fields of a Uniswap V4 pool key. */
  readonly tickSpacing?: number
  readonly hooks?: Address
}

export type DexEntry = ChainFile['dexes'][number]

/** Result of a recipe. `rows` are its DEX entries in the chain file. */
export type Dex = {
  readonly rows: readonly DexEntry[]
  readonly pools: readonly DevnetPool[]
  /** Rate providers of pools, which the service must trust. */
  readonly trustedAccounts?: readonly Address[]
  /** Routers, quoters, and position managers by name. Tests trade through them independently of the service. */
  readonly routers: Readonly<Record<string, Address>>
}

/** Deploys the original contracts of a DEX, creates its pools, and adds their liquidity. Each DEX has its own file. */
export type Recipe = (chain: Builder, tokens: Tokens) => Promise<Dex>

/** Block from which pools are searched: the start of the chain. */
export const START_BLOCK = 1

/**
 * Returns the DEX entry of a factory.
 *
 * @param fields - further fields of the entry
 */
export function factoryRow(
  { family, brand }: Pick<DexEntry, 'family' | 'brand'>,
  address: Address,
  fields: Partial<DexEntry> = {},
): DexEntry {
  return { family, brand, role: 'factory', address, startBlock: START_BLOCK, ...fields }
}
