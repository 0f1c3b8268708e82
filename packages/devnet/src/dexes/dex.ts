import type { Address, ChainFile } from '@sluice/chains'
import type { Builder } from '../builder.ts'
import type { TokenSymbol, Tokens } from '../tokens.ts'

/** A pool of the local chain. */
export type DevnetPool = {
  /** Brand of the DEX, as in the chain's DEX rows. */
  readonly dex: string
  readonly family: string
  readonly address: Address
  readonly tokens: readonly TokenSymbol[]
  /** Parts per million of the input; absent where the fee moves. */
  readonly feePpm?: number
}

/** As in a chain's file. */
export type DexEntry = ChainFile['dexes'][number]

/** What a recipe leaves behind. */
export type Dex = {
  readonly row: DexEntry
  readonly pools: readonly DevnetPool[]
  /** Routers, quoters and position managers: how tests trade without us. */
  readonly routers: Readonly<Record<string, Address>>
}

/** One file per DEX: deploys the genuine contracts, makes and fills the pools. */
export type Recipe = (chain: Builder, tokens: Tokens) => Promise<Dex>

/** DEXes can be looked for from the start of the chain. */
export const START_BLOCK = 1
