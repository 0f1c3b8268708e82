import type { Address, Hex } from '@sluice/chains'
import type { Priority } from './priority.ts'

export type { BackgroundBudget, Priority } from './priority.ts'

export type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest'

/** Where a call runs. A hash pins it to one block whatever reorg comes. */
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
export type BlockOverrides = { readonly coinbase?: Address; readonly baseFeePerGas?: bigint }

export type RequestOptions = {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Who goes first where requests wait for an endpoint; `quote` when not given. */
  readonly priority?: Priority
}
export type CallOptions = RequestOptions & {
  readonly overrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
}

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
  getBlock(block: BlockRef, options?: RequestOptions): Promise<BlockHeader | null>
  getLogs(filter: LogFilter, options?: RequestOptions): Promise<readonly Log[]>
  getCode(address: Address, block: BlockRef, options?: RequestOptions): Promise<Hex>
  /** Wei per gas that a transaction sent now would pay. */
  gasPrice(options?: RequestOptions): Promise<bigint>
  close(): void
}
