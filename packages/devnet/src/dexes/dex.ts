import type { Address, ChainFile, Hex } from '@sluice/chains'
import type { Builder } from '../builder.ts'
import type { LendingReserveSpec } from '../pools.ts'
import type { TokenSymbol, Tokens } from '../tokens.ts'

/** A token of a pool; `ETH` is the native one, and aTokens are none of the list. */
export type PoolToken = TokenSymbol | 'ETH' | LendingReserveSpec['aToken']

/** A pool of the local chain. */
export type DevnetPool = {
  /** Brand of the DEX, as in the chain's DEX rows. */
  readonly dex: string
  readonly family: string
  readonly address: Address
  /** In the pool's own order where that matters, as in Curve. */
  readonly tokens: readonly PoolToken[]
  /** Addresses of the tokens, where one is none of the list. */
  readonly addresses?: readonly Address[]
  /** Inside a contract that holds many pools. */
  readonly id?: Hex
  /** Parts per million of the input; absent where the fee moves. */
  readonly feePpm?: number
  /** Uniswap V4: the rest of the pool's key. */
  readonly tickSpacing?: number
  readonly hooks?: Address
}

/** As in a chain's file. */
export type DexEntry = ChainFile['dexes'][number]

/** Result of a recipe. */
export type Dex = {
  readonly rows: readonly DexEntry[]
  readonly pools: readonly DevnetPool[]
  /** Accounts that tell the rates of pools. */
  readonly vouched?: readonly Address[]
  /** Routers, quoters and position managers: how tests trade without us. */
  readonly routers: Readonly<Record<string, Address>>
}

/** One file per DEX: deploys the genuine contracts, makes and fills the pools. */
export type Recipe = (chain: Builder, tokens: Tokens) => Promise<Dex>

/** DEXes can be looked for from the start of the chain. */
export const START_BLOCK = 1

/** Row of a factory: what else a chain's file may tell of one is `more`. */
export function factoryRow(
  { family, brand }: Pick<DexEntry, 'family' | 'brand'>,
  address: Address,
  more: Partial<DexEntry> = {},
): DexEntry {
  return { family, brand, role: 'factory', address, startBlock: START_BLOCK, ...more }
}
