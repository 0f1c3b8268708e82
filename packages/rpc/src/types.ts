import type { Address, Hex } from '@sluice/chains'
import type { Priority } from './priority.ts'

/** Facts about a chain's time. Milliseconds and seconds as they are named. */
export type ChainClock = {
  /** Usual time between two blocks, by their timestamps; null before a few were seen. */
  readonly intervalMs: number | null
  /** Longest of the lately seen times between two blocks. */
  readonly longestMs: number | null
  /** By how much new blocks are older than our clock when they come; negative when they are of the future. Null when none came. */
  readonly behindSeconds: number | null
  /**
   * moving: blocks come, with our time. resting: none has come for much longer than usual, as on chains that make blocks only
   * when there are transactions. off: blocks come, but with another time than ours: the node's clock or ours is wrong.
   */
  readonly state: 'unknown' | 'moving' | 'resting' | 'off'
}

export type { BackgroundBudget, Priority } from './priority.ts'

export type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest'

/** The block a call runs at. A hash pins it to one block whatever reorg comes. */
export type BlockRef = number | BlockTag | { readonly blockHash: Hex }

export type BlockHeader = {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
  readonly gasLimit: bigint
  /** Wei; null before EIP-1559. */
  readonly baseFeePerGas: bigint | null
  readonly miner: Address
  /** Filter of its logs' addresses and topics, 256 bytes; not every chain keeps one. */
  readonly logsBloom?: Hex
}

export type CallRequest = {
  readonly from?: Address
  /** null creates a contract: the answer is what its creation ends with. */
  readonly to: Address | null
  readonly data: Hex
  readonly gas?: bigint
  /** Wei. */
  readonly gasPrice?: bigint
  /** Wei. */
  readonly value?: bigint
}

export type AccountOverride = {
  readonly code?: Hex
  /** Wei. */
  readonly balance?: bigint
  readonly nonce?: number
  readonly stateDiff?: Readonly<Record<Hex, Hex>>
}
export type StateOverrides = Readonly<Record<Address, AccountOverride>>
/** Environment of an eth_call in place of its block's own. */
export type BlockOverrides = {
  readonly coinbase?: Address
  /** Wei. */
  readonly baseFeePerGas?: bigint
  /**
   * Unix seconds. A node that cannot override the time runs the call in its block's own environment, without `number` and
   * `baseFeePerGas` either.
   */
  readonly timestamp?: number
  /** Only together with `timestamp`. */
  readonly number?: number
  /** Used by eth_simulateV1 alone. */
  readonly gasLimit?: bigint
}

export type RequestOptions = {
  readonly signal?: AbortSignal
  /** For the whole request, all attempts together. An attempt may take as long; where it is not given, see `RpcOptions`. */
  readonly timeoutMs?: number
  /** Who goes first where requests wait for an endpoint; `quote` when not given. */
  readonly priority?: Priority
}
export type CallOptions = RequestOptions & {
  readonly overrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
}

export type SimulatedTransaction = {
  readonly success: boolean
  /** Answer, or revert data. */
  readonly returnData: Hex
  /** Gas that the sender is charged, after refunds. */
  readonly gasUsed: bigint
  /** Gas before refunds, where the node tells it. */
  readonly maxUsedGas: bigint | undefined
  /** Native token that changed hands, among accounts with and without code. */
  readonly transfers: readonly NativeTransfer[]
}
/** Amounts in wei. */
export type NativeTransfer = { readonly from: Address; readonly to: Address; readonly amount: bigint }

export type AnswerAtHead = { readonly answer: Hex; readonly head: BlockHeader }

export type Log = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly logIndex: number
}
export type LogFilter = {
  readonly address?: Address | readonly Address[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
} & ({ readonly blockHash: Hex } | { readonly fromBlock: number; readonly toBlock: number })

/** One chain over one or more endpoints: time limits, retries and failover are behind it. */
export interface Rpc {
  readonly chainId: number
  /** @throws RpcError */
  request<T>(method: string, params: readonly unknown[], options?: RequestOptions): Promise<T>
  /**
   * eth_call.
   * @throws RpcError `REVERTED` with the revert data when the call itself reverts, another code when the node failed
   */
  call(request: CallRequest, block: BlockRef, options?: CallOptions): Promise<Hex>
  /**
   * The same, and the node's head, which it was asked for in the same HTTP request: whether the block of the call is still
   * the newest costs no request of its own.
   * @throws RpcError as `call` does
   */
  callWithHead(request: CallRequest, block: BlockRef, options?: CallOptions): Promise<AnswerAtHead>
  /**
   * eth_simulateV1: transactions one after the other in one block on top of another, each as it would be mined.
   * @throws RpcError `REJECTED` where no endpoint has the method
   */
  simulateV1(
    calls: readonly CallRequest[],
    block: BlockRef,
    options?: CallOptions,
  ): Promise<readonly SimulatedTransaction[]>
  getBlock(block: BlockRef, options?: RequestOptions): Promise<BlockHeader | null>
  getLogs(filter: LogFilter, options?: RequestOptions): Promise<readonly Log[]>
  getCode(address: Address, block: BlockRef, options?: RequestOptions): Promise<Hex>
  /** Wei per gas that a transaction sent now would pay. */
  gasPrice(options?: RequestOptions): Promise<bigint>
  /** State of the chain's time and of its endpoints, from what was asked anyway. */
  health(): RpcHealth
  /** Ends everything that is under way or waits. */
  close(): void
}

export type EndpointHealth = {
  /** Share of its requests that were answered lately, from 0 to 1. */
  readonly successRate: number
  /** Passed over while another one works. */
  readonly ejected: boolean
  /** Highest block that it told lately. */
  readonly head: number | null
  /** Requests that wait for a place. */
  readonly queued: number
  /** Calls a second that it is asked for at most; null while it is not limited. */
  readonly callsPerSecond: number | null
  /** Calls that one HTTP body may hold; 1 where it refuses batches. */
  readonly batchSize: number
}
export type RpcHealth = {
  readonly head: { readonly number: number; readonly timestamp: number } | null
  readonly clock: ChainClock
  /** In the order of the list. */
  readonly endpoints: readonly EndpointHealth[]
}

/** Events that an operator counts, by the endpoint's place in the list. */
export type RpcEvent =
  /** An HTTP request with these methods in its body. */
  | {
      readonly kind: 'sent'
      readonly endpoint: number
      readonly methods: readonly string[]
      readonly priority: Priority
    }
  /** A request is tried again, or a second one sent beside it. */
  | { readonly kind: 'retry' | 'hedge'; readonly endpoint: number }
  /** Calls a second that the endpoint is asked for at most from now on. */
  | { readonly kind: 'slowed'; readonly endpoint: number; readonly rate: number }
  /** Calls that one HTTP body may hold there from now on. */
  | { readonly kind: 'batch'; readonly endpoint: number; readonly size: number }
