/** Public types of the package: block timing, blocks, calls, logs, and the `Rpc` interface. */
import type { Address, Hex } from '@sluice/chains'
import type { Priority } from './priority.ts'

/** Block timing of a chain. A null value means that too few blocks were observed. */
export type ChainClock = {
  /** Median interval between blocks, by the timestamps of the blocks. */
  readonly intervalMs: number | null
  /** Longest recent interval between two blocks. */
  readonly longestMs: number | null
  /** Age of new blocks when they arrive, by the local clock; negative if their timestamps are in the future. */
  readonly behindSeconds: number | null
  /**
   * - `unknown`: too few blocks were observed.
   * - `moving`: blocks arrive and their timestamps agree with the local clock.
   * - `resting`: no block for much longer than usual, as on chains that produce blocks only for transactions.
   * - `off`: blocks arrive, but the clock of the node or of this machine is wrong.
   */
  readonly state: 'unknown' | 'moving' | 'resting' | 'off'
}

export type { BackgroundBudget, Priority } from './priority.ts'

/** Block tag of JSON-RPC. */
export type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest'

/** Block at which a call runs. A hash pins the call to one block across reorgs. */
export type BlockRef = number | BlockTag | { readonly blockHash: Hex }

/** Header of a block, reduced to the fields in use. */
export type BlockHeader = {
  readonly number: number
  /** `NO_HASH` for a pending block to which the node gives no hash. */
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
  readonly gasLimit: bigint
  /** Wei per gas; null before EIP-1559. */
  readonly baseFeePerGas: bigint | null
  readonly miner: Address
  /** Bloom filter of the addresses and topics of the block's logs, 256 bytes; absent on chains that do not keep one. */
  readonly logsBloom?: Hex
}

/** Transaction fields of an `eth_call`. */
export type CallRequest = {
  readonly from?: Address
  /** Null creates a contract; the call then returns the runtime code. */
  readonly to: Address | null
  readonly data: Hex
  readonly gas?: bigint
  /** Wei per gas. */
  readonly gasPrice?: bigint
  /** Wei. */
  readonly value?: bigint
  /** EIP-2930 access list, as in JSON-RPC. */
  readonly accessList?: readonly unknown[]
  /** EIP-7702 authorizations, as in JSON-RPC. */
  readonly authorizationList?: readonly unknown[]
}

/** Values that replace the values of an account during a call. */
export type AccountOverride = {
  readonly code?: Hex
  /** Wei. */
  readonly balance?: bigint
  readonly nonce?: number
  /** Storage values by slot; other slots keep their values. */
  readonly stateDiff?: Readonly<Record<Hex, Hex>>
}
/** Account overrides by address. */
export type StateOverrides = Readonly<Record<Address, AccountOverride>>
/** Block values that replace the values of the block at which an eth_call runs. */
export type BlockOverrides = {
  readonly coinbase?: Address
  /** Wei per gas. */
  readonly baseFeePerGas?: bigint
  /**
   * Unix seconds. If the node cannot override the time, the call runs in the environment of its own block, and `number`
   * and `baseFeePerGas` are dropped too.
   */
  readonly timestamp?: number
  /** Ignored without `timestamp` (in `eth_call`). */
  readonly number?: number
  /** Only used by `eth_simulateV1`. */
  readonly gasLimit?: bigint
}

/** Options of a request to the node. */
export type RequestOptions = {
  readonly signal?: AbortSignal
  /** Timeout in milliseconds of each attempt and also of the whole request. Default: see `RpcOptions.timeoutMs`. */
  readonly timeoutMs?: number
  /** Queue priority at an endpoint; default `quote`. */
  readonly priority?: Priority
}
/** Options of an `eth_call`. */
export type CallOptions = RequestOptions & {
  readonly overrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
}

/** Outcome of one transaction of a simulation. */
export type SimulatedTransaction = {
  readonly success: boolean
  /** Return data or revert data. */
  readonly returnData: Hex
  /** Gas charged to the sender, after refunds. */
  readonly gasUsed: bigint
  /** Gas before refunds, if the node reports it. */
  readonly maxUsedGas: bigint | undefined
  /** Transfers of the native token, to contracts and to other accounts. */
  readonly transfers: readonly NativeTransfer[]
}
/** Transfer of the native token; `amount` in wei. */
export type NativeTransfer = { readonly from: Address; readonly to: Address; readonly amount: bigint }

/** Return data of a call, with the head (newest block) of the node that ran the call. */
export type AnswerAtHead = { readonly answer: Hex; readonly head: BlockHeader }

/** Event log. */
export type Log = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly logIndex: number
}
/** Filter of `eth_getLogs`: a block, or an inclusive range of blocks. */
export type LogFilter = {
  readonly address?: Address | readonly Address[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
} & ({ readonly blockHash: Hex } | { readonly fromBlock: number; readonly toBlock: number })

/** JSON-RPC client of one chain over one or more endpoints, with timeouts, retries, and failover. */
export interface Rpc {
  readonly chainId: number
  /** Sends any JSON-RPC call. @throws RpcError */
  request<T>(method: string, params: readonly unknown[], options?: RequestOptions): Promise<T>
  /**
   * Runs `eth_call`.
   *
   * @throws RpcError `REVERTED` with the revert data if the call reverts, another code if the node failed
   */
  call(request: CallRequest, block: BlockRef, options?: CallOptions): Promise<Hex>
  /**
   * Runs `eth_call` and reads the node's head in the same HTTP request. The caller can then check without another
   * request whether the block of the call is still the newest block.
   *
   * @throws RpcError as `call` does
   */
  callWithHead(request: CallRequest, block: BlockRef, options?: CallOptions): Promise<AnswerAtHead>
  /**
   * Runs `eth_simulateV1`: executes transactions in sequence in one simulated block on top of `block`.
   *
   * @throws RpcError `REJECTED` if no endpoint has the method
   */
  simulateV1(
    calls: readonly CallRequest[],
    block: BlockRef,
    options?: CallOptions,
  ): Promise<readonly SimulatedTransaction[]>
  /** Reads the header of a block; null if no node has the block. @throws RpcError */
  getBlock(block: BlockRef, options?: RequestOptions): Promise<BlockHeader | null>
  getLogs(filter: LogFilter, options?: RequestOptions): Promise<readonly Log[]>
  getCode(address: Address, block: BlockRef, options?: RequestOptions): Promise<Hex>
  /** Returns the gas price, in wei per gas, that a transaction sent now would pay. */
  gasPrice(options?: RequestOptions): Promise<bigint>
  /** Returns the block timing of the chain and the state of its endpoints, from past requests; sends nothing. */
  health(): RpcHealth
  /** Aborts all requests in flight and all queued requests. */
  close(): void
}

/** State of an endpoint. */
export type EndpointHealth = {
  /** Share of recent requests that were answered, from 0 to 1. */
  readonly successRate: number
  /** True while the endpoint is used only if no other endpoint works, because it failed or lags. */
  readonly ejected: boolean
  /** Highest block number that the endpoint reported recently. */
  readonly head: number | null
  /** Requests that are queued at the endpoint. */
  readonly queued: number
  /** Current limit of calls per second; null if unlimited. */
  readonly callsPerSecond: number | null
  /** Maximum calls in one HTTP body; 1 if the endpoint refuses batches. */
  readonly batchSize: number
}
/** State of a client and its endpoints. */
export type RpcHealth = {
  readonly head: { readonly number: number; readonly timestamp: number } | null
  readonly clock: ChainClock
  /** Same order as `RpcOptions.urls`. */
  readonly endpoints: readonly EndpointHealth[]
}

/** Event for metrics. `endpoint` is the index of the endpoint in `RpcOptions.urls`. */
export type RpcEvent =
  /** An HTTP request was sent with calls of these methods. */
  | {
      readonly kind: 'sent'
      readonly endpoint: number
      readonly methods: readonly string[]
      readonly priority: Priority
    }
  /** A request is retried, or a second attempt starts while the first is still running (hedge). */
  | { readonly kind: 'retry' | 'hedge'; readonly endpoint: number }
  /** The limit of calls per second at the endpoint has changed to `rate`. */
  | { readonly kind: 'slowed'; readonly endpoint: number; readonly rate: number }
  /** The maximum of calls in one HTTP body has changed to `size`. */
  | { readonly kind: 'batch'; readonly endpoint: number; readonly size: number }
