/** Public types of the package: simulation requests, results, and token reports. */
import type { Address, Hex } from '@sluice/chains'
import type { BlockHeader, BlockRef, Priority } from '@sluice/rpc'
import type { BlockEnvironment } from './next-block.ts'

/** Swap to simulate at a block. The sender needs neither funds nor approvals. */
export type SimulationRequest = {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  /** ERC-20, or NATIVE for the service's own swaps; the public endpoint rejects NATIVE. */
  readonly tokenIn: Address
  /** Base units. */
  readonly amountIn: bigint
  /** ERC-20 or NATIVE. */
  readonly tokenOut: Address
  /** Block whose post-state the swap runs on. */
  readonly block: BlockRef
  /**
   * Block number and timestamp of the simulated block, if the node can set them. Default: the values of the next block;
   * at `pending` the node's.
   */
  readonly simulatedBlock?: BlockEnvironment
  /** Gas price in wei. Default: the network's price. 0n simulates without one. */
  readonly gasPrice?: bigint
  /** Gas limit; default: half of the block's gas limit. */
  readonly gas?: bigint
  /** Account that takes the input; default `to`. */
  readonly spender?: Address
  /** Account whose balance increase of `tokenOut` is the output; default `from`. */
  readonly recipient?: Address
  /** Block author; default: the block's own. */
  readonly coinbase?: Address
  readonly balanceSlot?: bigint
  readonly allowanceSlot?: bigint
  /**
   * Handling of the allowance. Absent: it is overridden. `kept`: it is unchanged, because the calldata carries a
   * permit. The sender then keeps its own code or none, so that signatures are checked as on chain. `approved`: the
   * sender approves before the call, after a reset to zero if the token requires it.
   */
  readonly allowance?: 'kept' | 'approved'
  /** Accounts that may lend the token if its storage slots are not found; must not be pools of the route. */
  readonly holders?: readonly Address[]
  /** Code overrides, for example of contracts that did not exist yet at a past block. */
  readonly codes?: Readonly<Record<Address, Hex>>
  /** State that the caller already read; saves a round trip. */
  readonly knownState?: KnownState
  /**
   * Calldata of alternative swaps of the same input and tokens by `to`. Each runs from the same state in the same call,
   * with the gas that the previous ones leave.
   */
  readonly alternatives?: readonly Hex[]
  /**
   * Also runs the transaction without a probe at the sender, and uses that outcome if it differs. `charged`: compares
   * the charged gas, and measures the gas before refunds only if the charged gas differs. If the transaction fails and
   * the sender has no code, this check always runs.
   */
  readonly bareRunMode?: 'measured' | 'charged'
  /** True to also read the node's head, without an extra request. */
  readonly withHead?: boolean
  /** Queue priority at the node; default `quote`. */
  readonly priority?: Priority
  readonly signal?: AbortSignal
}

/** State of `block` that the caller already read. */
export type KnownState = {
  /** Header of `block`. */
  readonly header: BlockHeader
  /** Code of `from` at that block. */
  readonly senderCode?: Hex
  /** Reads code at that block, at most once per account. */
  readonly codeOf?: (account: Address) => Promise<Hex>
}

/** Outcome of one simulated swap. */
export type CallOutcome = {
  readonly success: boolean
  /** Increase of the recipient's `tokenOut` balance in base units; 0n on failure. */
  readonly amountOut: bigint
  /** Gas of the call to `to` before refunds, without intrinsic gas. */
  readonly gasUsed: number
  readonly returnData: Hex
}

/** Result of a simulation. */
export type SwapSimulation = CallOutcome & {
  /** Outcomes of `SimulationRequest.alternatives`; absent if this kind of run does not allow alternatives. */
  readonly alternatives?: readonly CallOutcome[]
  /** Outcome with a probe at the sender, if the transaction as sent ends differently. */
  readonly probed?: CallOutcome
  /** Gas of the whole transaction after refunds, if it was run as sent and the node reported it. */
  readonly chargedGas?: number
  readonly revertReason?: string
  /** Block whose state was used. */
  readonly blockNumber: number
  readonly blockTimestamp: number
  /** Block number and timestamp of the simulation; absent if the node cannot override them. */
  readonly ranIn?: BlockEnvironment
  readonly header: BlockHeader
  /** The node's newest block at that time, if requested by `withHead`. */
  readonly head?: BlockHeader
  readonly ways: SetUpWays
}

/**
 * Sources of the sender's input. Slot overrides do not affect gas. A loan or an approval makes the token's slots warm
 * before the swap, so that its gas reads 5 to 12 % too low.
 */
export type SetUpWays = {
  readonly balance: 'native' | 'slot' | 'lent' | 'own'
  readonly allowance: 'none' | 'slot' | 'approved' | 'own'
  /**
   * Absent if only the probe at the sender was run. `same`: the transaction as sent ends the same way. `bare`: it does
   * not, and its outcome was used.
   */
  readonly sender?: 'same' | 'bare'
}

/** Behavior of a token on transfers, measured in one call. */
export type TokenReport = {
  readonly token: Address
  readonly decimals: number | null
  readonly symbol: string | null
  /** Parts per million; null if not measured. */
  readonly buyTaxPpm: number | null
  readonly sellTaxPpm: number | null
  readonly transferTaxPpm: number | null
  /**
   * Maximum amount that a sender loses in addition to the transferred amount, in parts per million. Swaps of such a
   * token are unsafe.
   */
  readonly surchargePpm: number | null
  readonly rebasing: boolean | null
  readonly needsApprovalReset: boolean | null
  readonly sellable: boolean | null
  /** True if the large amount failed where the small one did not. */
  readonly sizeLimited: boolean | null
}
