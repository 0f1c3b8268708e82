/**
 * Public types of the package: simulation requests, results, and token reports. A simulation installs a probe, a
 * contract that measures balances and gas, at the sender's address. A bare run leaves the sender's code unchanged.
 */
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
  /** Gas price in wei; 0n simulates without a gas price. Default: the network's price. */
  readonly gasPrice?: bigint
  /** Gas limit; default: half of the block's gas limit. */
  readonly gas?: bigint
  /** Account that takes the input; default `to`. If it is Permit2, `to` may take the input through Permit2. */
  readonly spender?: Address
  /** Account whose balance increase of `tokenOut` is the output; default `from`. */
  readonly recipient?: Address
  /** Address that the EVM reports as the block's author; default: the author of `block`. */
  readonly coinbase?: Address
  /** Base slot of the mapping with the balances of `tokenIn`; searched if absent. */
  readonly balanceSlot?: bigint
  /** Base slot of the mapping with the allowances of `tokenIn`; searched if absent. */
  readonly allowanceSlot?: bigint
  /**
   * Handling of the allowance. Absent: it is overridden. `kept`: it is unchanged, because the calldata carries a
   * permit. The sender's code then stays as it is, so that signatures are checked as on chain. `approved`: the sender
   * approves before the call, after a reset to zero if the token requires it.
   */
  readonly allowance?: 'kept' | 'approved'
  /** Accounts that may lend the input if the token's storage slots are not found; must not be pools of the route. */
  readonly holders?: readonly Address[]
  /** Code overrides, for example of contracts that did not exist yet at a past block. */
  readonly codes?: Readonly<Record<Address, Hex>>
  /** State that the caller already read; saves a round trip. */
  readonly knownState?: KnownState
  /**
   * Calldata of alternative swaps of the same input and tokens by `to`. Each runs from the same state in the same call,
   * with the gas that the swaps before it leave.
   */
  readonly alternatives?: readonly Hex[]
  /**
   * Mode of a bare run, whose outcome is used if it differs from the outcome with the probe. Default: no bare run.
   * `measured`: compares the gas before refunds. `charged`: compares the gas after refunds, and measures the gas before
   * refunds only if that differs. If the transaction fails and the sender has no code, a bare run always follows.
   */
  readonly bareRunMode?: 'measured' | 'charged'
  /** True to also read the node's newest block, in the same request. */
  readonly withHead?: boolean
  /** Priority among the queued requests to the node; default `quote`. */
  readonly priority?: Priority
  readonly signal?: AbortSignal
  /** Called once, after the state for the first setup is read, and before the first run is sent. */
  readonly onRun?: () => void
}

/** State of `block` that the caller already read. */
export type KnownState = {
  /** Header of `block`. */
  readonly header: BlockHeader
  /** Code of `from` at that block. */
  readonly senderCode?: Hex
  /**
   * Balance of `tokenIn` of `from` at that block. If it is at least `amountIn`, the swap runs with the sender's own
   * balance, since tokens may tax or reject holders by what they hold. Absent: the balance is overridden.
   */
  readonly senderBalance?: bigint
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
  /** Outcome with a probe at the sender, if the bare run ends differently. */
  readonly outcomeWithProbe?: CallOutcome
  /** Gas of the whole transaction after refunds, if there was a bare run and the node reported this gas. */
  readonly chargedGas?: number
  readonly revertReason?: string
  /** Block whose state was used. */
  readonly blockNumber: number
  readonly blockTimestamp: number
  /** Block number and timestamp of the simulation; absent if the node cannot override them. */
  readonly appliedBlock?: BlockEnvironment
  readonly header: BlockHeader
  /** The node's newest block at that time, if requested by `withHead`. */
  readonly head?: BlockHeader
  readonly ways: SetUpWays
}

/**
 * Ways in which the sender got the input and its allowance. Slot overrides do not affect gas. A loan or an approval
 * warms the token's slots before the swap, so the measured gas is 5 to 12 % too low.
 */
export type SetUpWays = {
  readonly balance: 'native' | 'slot' | 'lent' | 'own'
  readonly allowance: 'none' | 'slot' | 'approved' | 'own'
  /**
   * Result of the bare run: `same` if it ends like the run with a probe at the sender; `bare` if it ends differently,
   * so that its outcome was used. Absent if there was no bare run.
   */
  readonly sender?: 'same' | 'bare'
}

/** Behavior of a token on transfers, measured in one call. */
export type TokenReport = {
  readonly token: Address
  readonly decimals: number | null
  readonly symbol: string | null
  /** Share that a transfer from the pool loses, in parts per million; null if not measured. */
  readonly buyTaxPpm: number | null
  /** Like `buyTaxPpm`, for a transfer to the pool. */
  readonly sellTaxPpm: number | null
  /** Like `buyTaxPpm`, for a transfer between two other accounts. */
  readonly transferTaxPpm: number | null
  /**
   * Maximum amount that a sender loses in addition to the transferred amount, in parts per million. Swaps of a token
   * with a surcharge are unsafe.
   */
  readonly surchargePpm: number | null
  /** True if the token stores shares, whose value in base units can change; null if the storage layout is unknown. */
  readonly rebasing: boolean | null
  /** True if an allowance can be changed only after a reset to zero; null if approvals fail. */
  readonly needsApprovalReset: boolean | null
  /** True if an amount that was bought from the pool could be sold to it; null if no amount could be bought. */
  readonly sellable: boolean | null
  /** True if the token limits the size of transfers: the large amount failed, and the small amount did not. */
  readonly sizeLimited: boolean | null
}
