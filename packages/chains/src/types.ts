/** Public types: chains, tokens, DEX rows, deployments, and the registry. */
import type { Address, Hex } from './address.ts'

/** Token of a chain file. */
export type Token = {
  readonly address: Address
  readonly symbol: string
  /** Null if no source states the decimals; they must then be read on chain. */
  readonly decimals: number | null
}

/** Entry of one DEX deployment in a chain file. Each fork of a DEX has its own row. */
export type DexRow = {
  /** Id of the pool family, as in packages/liquidity/src/dexes. Rows of unsupported families are kept and reported. */
  readonly family: string
  readonly brand: string
  /** Role of `address`, such as factory, vault, registry, or pool manager. */
  readonly role: string
  readonly address: Address
  /** Kind of factory, for families with several, such as Curve. */
  readonly version?: string
  /** Fee in parts per million of the input; absent for families whose pools report their fee. */
  readonly feePpm?: number
  /** Source of `feePpm`. `assumed` and `default` fees are measured on chain before a pool is used. */
  readonly feeBasis?: string
  readonly initCodeHash?: Hex
  /** Block at or before the first pool: a lower bound for log queries. */
  readonly startBlock?: number
  /** Other contracts of the DEX, by role, such as `poolDeployer`. */
  readonly contracts?: Readonly<Record<string, Address>>
  /** True if the operator abandoned the DEX; pools may still hold liquidity. */
  readonly deprecated?: true
  /**
   * True if measurements showed that swaps of the DEX pay what it quoted. Required for families whose output cannot be
   * computed.
   */
  readonly measured?: true
}

/**
 * Formulas by which rollups charge for transaction data on the parent chain; `packages/rpc/src/l1-fee` implements them.
 */
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
/** Formula by which a rollup charges for transaction data on the parent chain. */
export type L1FeeModel = (typeof L1_FEE_MODELS)[number]

/** Configuration of a chain, from its chain file. */
export type Chain = {
  readonly chainId: number
  /** Lower-case internal identifier. */
  readonly name: string
  readonly displayName: string
  /** Name of the chain in a third-party TVL tracker. */
  readonly trackerName: string
  /** Key of the chain in the tracker's price API. */
  readonly coinsPrefix: string | null
  /**
   * `decimals` is the number of digits between the currency and wei, the unit of gas prices. On a chain where gas is
   * paid in a token, some sources state the decimals of this token instead.
   */
  readonly nativeCurrency: { readonly symbol: string; readonly name: string; readonly decimals: number }
  /** Null if the chain has no deposit/withdraw wrapper; NATIVE is then rejected. */
  readonly wrappedNative: Token | null
  /**
   * ERC-20 worth as much as the native asset, only on chains without a wrapper; used to price gas. It cannot be wrapped
   * or unwrapped, and its decimals may differ.
   */
  readonly nativeErc20?: Token
  /** USD stablecoins that anchor prices. */
  readonly stables: readonly Token[]
  /** Wrapped native token, stablecoins, and major tokens. Pools of a new token are searched in pairs with these. */
  readonly hubs: readonly Address[]
  /** Listed tokens other than the wrapped native token and the stablecoins. */
  readonly tokens: readonly Token[]
  /** Public RPC endpoints in order of preference. They were not tested. */
  readonly rpcUrls: readonly string[]
  readonly explorer?: string
  readonly blockTimeMs: number
  readonly l1FeeModel: L1FeeModel
  /** Maximum gas per transaction if the chain chose its own limit when it introduced EIP-7825. */
  readonly maxTransactionGas?: number
  /** True if a transaction is charged its gas limit, without refunds. */
  readonly chargesGasLimit?: true
  /** Supported EVM features. An absent flag is unknown, not false. */
  readonly evm: { readonly push0?: boolean; readonly transientStorage?: boolean; readonly mcopy?: boolean }
  readonly dexes: readonly DexRow[]
  /**
   * Trusted accounts: a pool that depends on such an account can still be an intermediate pool of a route. Examples are
   * rate providers, owners, and factories of pools with their own code. Listed tokens and DEX rows are always trusted.
   */
  readonly vouched?: readonly Address[]
  /** Reason why the contracts cannot run on the chain. Such a chain is listed but not served. Absent if they can. */
  readonly unsupported?: string
}

/** Build of the project's contracts, named after the EVM version that it requires. */
export type Build = 'cancun' | 'london'

/** Address and hashes of a contract, which are the same on every chain that uses its build. */
export type ContractCode = {
  readonly address: Address
  /** CREATE2 salt. */
  readonly salt: Hex
  /** keccak256 of the creation code. */
  readonly initCodeHash: Hex
  /** keccak256 of the runtime code expected at `address`. */
  readonly codeHash: Hex
}

/** Version of an Executor, and the ids of the pool families that it can trade. */
type ExecutorVersion = { readonly version: number; readonly families: readonly string[] }

/** Guard and Executors of a build. The Executors are in order of their version, newest last. */
export type Release = {
  readonly guard: ContractCode
  readonly executors: readonly (ContractCode & ExecutorVersion)[]
}

/** Content of deployments/releases.json. */
export type Releases = { readonly [build in Build]?: Release }

/**
 * Content of deployments/<chainId>.json: the contracts that were found on a chain. A chain without a file has only
 * predicted addresses.
 */
export type DeploymentFile = {
  readonly chainId: number
  readonly build: Build
  /**
   * By contract address. `block` is the block of creation; if this block is unknown, a later block with the contract.
   * `transaction` created the contract; absent unless `npm run deploy` sent it.
   */
  readonly deployed: { readonly [address: Address]: { readonly block: number; readonly transaction?: Hex } }
}

/** A contract of this project on a chain. */
export type ContractRecord = ContractCode & {
  readonly build: Build
  /**
   * `deployed`: the code hash was verified at `block`. `predicted`: the contract is not deployed yet; anyone can deploy
   * it to this address.
   */
  readonly status: 'deployed' | 'predicted'
  readonly block?: number
  readonly transaction?: Hex
}

/** The contracts of this project on a chain. */
export type Deployment = {
  readonly chainId: number
  readonly guard: ContractRecord
  /** Executors in order of version, newest last. Routing uses only the families of the newest deployed Executor. */
  readonly executors: readonly (ContractRecord & ExecutorVersion)[]
}

/** Entry of a chain in the response of GET /chains. */
export type ChainMapEntry = {
  readonly ChainID: string
  readonly ChainName: string
  readonly RouterAddress: string
  readonly TrackerName: string
  readonly CoinsPrefix: string | null
  readonly Status: 'deployed' | 'predicted'
  /**
   * Fee model for transaction data on the parent chain. For `unknown`, quotes omit this fee and return null for it.
   */
  readonly L1FeeModel: L1FeeModel
}

/** Chains known to this process. A chain's file is read when it is first requested. */
export interface Registry {
  /** Returns the ids of the chains that can run a build of the contracts, ascending. */
  supportedIds(): readonly number[]
  /** Returns the ids of all chains with a chain file, also of unsupported chains, ascending. */
  knownIds(): readonly number[]
  /** Returns the path of the chain file; undefined for an unknown chain. */
  chainFile(chainId: number): string | undefined
  /** Returns the configuration of a chain; undefined for an unknown chain. */
  chain(chainId: number): Chain | undefined
  /** Returns the deployment; undefined for a chain that is unknown or unsupported and has no deployment file. */
  deployment(chainId: number): Deployment | undefined
  /** Returns the body of GET /chains: one entry per supported chain, by id. */
  chainMap(): Readonly<Record<string, ChainMapEntry>>
}
