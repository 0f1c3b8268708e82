import type { Address, Hex } from './address.ts'

export type Token = {
  readonly address: Address
  readonly symbol: string
  /** null where no source gives it: read `decimals()` on chain. */
  readonly decimals: number | null
}

/** One deployment of a DEX family: a fork is one such row. */
export type DexRow = {
  /** Family id as in packages/liquidity/src/dexes; rows of families not supported yet are kept and reported. */
  readonly family: string
  readonly brand: string
  /** Role of `address`: factory, vault, registry, pool manager… */
  readonly role: string
  readonly address: Address
  /** Kind of factory, for families that have several, as Curve does. */
  readonly version?: string
  /** Parts per million of the input the pool keeps; families whose pools tell their fee leave it out. */
  readonly feePpm?: number
  /** `assumed` and `default` fees are measured on chain before a pool is used. */
  readonly feeBasis?: string
  readonly initCodeHash?: Hex
  /** A block at or before the first pool, a safe lower bound for log queries. */
  readonly startBlock?: number
  readonly contracts?: Readonly<Record<string, Address>>
  /** Its operator has given it up; pools may still hold liquidity. */
  readonly deprecated?: true
  /** Drift measurements showed that it pays what it quotes: venues whose quotes nobody can compute are not served without. */
  readonly measured?: true
}

/** Ways in which a rollup charges for the data of a transaction; `packages/rpc/src/l1-fee` knows the formula of each. */
export const L1_FEE_MODELS = [
  'none',
  'op-stack',
  'mantle',
  'arbitrum',
  'zksync',
  'scroll',
  'linea',
  'morph',
  'metis',
  'unknown',
] as const
export type L1FeeModel = (typeof L1_FEE_MODELS)[number]

export type Chain = {
  readonly chainId: number
  /** Lower-case internal identifier. */
  readonly name: string
  readonly displayName: string
  /** The chain's name in a third-party TVL tracker. */
  readonly trackerName: string
  /** The chain's key in the same tracker's price API. */
  readonly coinsPrefix: string | null
  readonly nativeCurrency: { readonly symbol: string; readonly name: string; readonly decimals: number }
  /** null where the chain has no deposit/withdraw wrapper: NATIVE is refused there. */
  readonly wrappedNative: Token | null
  /**
   * Only where there is no wrapper: the ERC-20 that is worth as much as the native asset, whole token for whole token,
   * for pricing gas. It cannot be wrapped or unwrapped, and its decimals may differ from the native asset's.
   */
  readonly nativeErc20?: Token
  /** USD anchors. */
  readonly stables: readonly Token[]
  /** Tokens whose pools are asked for when a token is met for the first time: wrapped native, stables, deepest majors. */
  readonly hubs: readonly Address[]
  readonly tokens: readonly Token[]
  /** Public endpoints, best known first; untested. */
  readonly rpcUrls: readonly string[]
  readonly explorer?: string
  readonly blockTimeMs: number
  readonly l1FeeModel: L1FeeModel
  readonly evm: { readonly push0?: boolean; readonly transientStorage?: boolean; readonly mcopy?: boolean }
  readonly dexes: readonly DexRow[]
  /**
   * Accounts beside tokens and rows that a pool's answer may depend on and the pool still be passed through: rate providers,
   * owners, factories of pools with code of their own.
   */
  readonly vouched?: readonly Address[]
  /** Present where the EVM build of the contracts cannot run; such a chain is recorded but not served. */
  readonly unsupported?: string
}

export type Build = 'cancun' | 'london'

/** Code of a contract, the same on every chain of a build. */
export type ContractCode = {
  readonly address: Address
  readonly salt: Hex
  readonly initCodeHash: Hex
  /** keccak256 of the runtime code that must stand at `address`. */
  readonly codeHash: Hex
}

type Generation = { readonly version: number; readonly families: readonly string[] }

/** The Guard of a build and its Executors by generation, newest last. */
export type Release = { readonly guard: ContractCode; readonly executors: readonly (ContractCode & Generation)[] }

/** deployments/releases.json */
export type Releases = { readonly [build in Build]?: Release }

/** deployments/<chainId>.json: what was seen on a chain. A chain without a file has nothing but predicted addresses. */
export type DeploymentFile = {
  readonly chainId: number
  readonly build: Build
  /** By address: the block at which its code was seen, and the transaction that made it where it was ours. */
  readonly deployed: { readonly [address: Address]: { readonly block: number; readonly transaction?: Hex } }
}

export type ContractRecord = ContractCode & {
  readonly build: Build
  /** `deployed`: the code hash was seen at `block`. `predicted`: the address it will have; anyone can deploy it. */
  readonly status: 'deployed' | 'predicted'
  readonly block?: number
  readonly transaction?: Hex
}

/** The contracts of a chain. */
export type Deployment = {
  readonly chainId: number
  readonly guard: ContractRecord
  /** By generation, newest last. Routing uses only the families of the newest deployed one. */
  readonly executors: readonly (ContractRecord & Generation)[]
}

/** One entry of GET /chains. */
export type ChainMapEntry = {
  readonly ChainID: string
  readonly ChainName: string
  readonly RouterAddress: string
  readonly TrackerName: string
  readonly CoinsPrefix: string | null
  readonly Status: 'deployed' | 'predicted'
  /** Fee model for publishing transactions on the parent chain. `unknown`: quotes leave that fee out and return null for it. */
  readonly L1FeeModel: L1FeeModel
}

/** The chains this process knows, read lazily: a chain's file is opened when it is first asked for. */
export interface Registry {
  /** Every chain with a registry file that a build can run on, ascending. */
  supportedIds(): readonly number[]
  /** Every chain with a registry file, the unsupported and the undeployed too, ascending. */
  knownIds(): readonly number[]
  /** Path of the chain's file. */
  chainFile(chainId: number): string | undefined
  chain(chainId: number): Chain | undefined
  deployment(chainId: number): Deployment | undefined
  /** The body of GET /chains: exactly `supportedIds()`. */
  chainMap(): Readonly<Record<string, ChainMapEntry>>
}
