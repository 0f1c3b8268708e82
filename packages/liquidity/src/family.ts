/**
 * Core types of the package: pools, quotes, price curves, reads, and the interface that each DEX family implements. A
 * row (`DexRow`) is the entry of one DEX deployment in the chain's file, the configuration of a chain.
 */
import type { Address, DexRow, Hex } from '@sluice/chains'
import type { Step, StepInput, StepOutput } from '@sluice/program'
import type { BlockHeader, Log } from '@sluice/rpc'
import type { TradingFunction } from './math/trading-function.ts'

/** A source of liquidity at the end of one block. Immutable: an update creates a new object with the same id. */
export type Pool<State = unknown> = {
  /** Unique on its chain: the pool's address, or its id inside a singleton contract. */
  readonly id: string
  readonly family: string
  /** Brand of the DEX, from the chain's file. */
  readonly dex: string
  readonly address: Address
  /** ERC-20 tokens that it trades, in the pool's own order. The zero address is the native token. */
  readonly tokens: readonly Address[]
  /** Immutable facts that the family needs in addition to the tokens, such as a Uniswap V4 pool key. Plain JSON. */
  readonly fixed?: unknown
  readonly state: State
}

/** Two different tokens, in any order. */
export type TokenPair = readonly [Address, Address]

/** A pool from a pool list. Only the syntax of its addresses has been checked; all other content is untrusted. */
export type ListedPool = Pick<Pool, 'id' | 'address' | 'tokens'> & { readonly fixed?: unknown }

/** Result of a quote for one hop. */
export type HopQuote<State = unknown> = {
  /** Base units of the output token, rounded as the contract rounds. */
  readonly amountOut: bigint
  /** State after the swap, for a second leg through the same pool. */
  readonly state: State
  /** Estimated gas of the hop, from measurements of real pools; includes the gas of crossing ticks. */
  readonly gas: number
  /**
   * Keys of storage slots that this swap writes, and that not every swap of the pool writes, such as an oracle slot or
   * a tick. Gas depends on the old value of such a slot, which the state does not contain. Absent: none.
   */
  readonly writtenSlots?: readonly string[]
}

/** Price and depth of a two-token pool near its current price. Amounts are base units, as floats. */
export type PairOutline = {
  /** Base units of the second token per base unit of the first, before fees; 0 if the pool has no price. */
  readonly price: number
  /** Fee as a fraction of the swapped amount, in the direction with the higher fee. */
  readonly fee: number
  /** Amount of each token that the pool pays out until its price has moved by `priceBand` of `DexFamily.outline`. */
  readonly firstDepth: number
  readonly secondDepth: number
  /** Reserves of each token. */
  readonly firstReserve: number
  readonly secondReserve: number
}

/**
 * Output of a pool as a function of its input, in one direction. The function consists of pieces of x·y=k, in floats
 * for the route search. Piece k runs from marginal price sqrtPrice[k]² down to sqrtPrice[k+1]² (output base units per
 * input base unit, before fees) with liquidity[k]. A uniswap-v2 pool is one piece that ends at price 0; a uniswap-v3
 * pool has one piece per initialized tick. Families without this form approximate their curve by sampling.
 */
export type PriceCurve = {
  /** Descending; one element longer than `liquidity`. */
  readonly sqrtPrice: Float64Array
  readonly liquidity: Float64Array
  /** Fraction of the input that remains after the fee: 1 − fee. */
  readonly keepIn: number
  /** Fraction of the output that remains after an output-side fee; 1 for most families. */
  readonly keepOut: number
  /** Gas of every piece after the first, such as crossing a tick. Absent for sampled pieces. */
  readonly gasPerPiece?: number
  /**
   * Approximate fraction of an output by which the pool may pay more than the curve. Absent: 0, the pieces are exact.
   */
  readonly outputError?: number
  /** `outputError` by piece. The error of a piece applies to the whole output of a trade that ends in the piece. */
  readonly outputErrors?: Float64Array
}

/** Reasons for which a pool refuses a swap. */
export type PoolRefusalCode = 'EMPTY' | 'TOO_SMALL' | 'TOO_LARGE' | 'WRONG_TOKEN' | 'PAUSED' | 'UNSUPPORTED'

/**
 * Thrown when a pool cannot do a swap. Routing then continues without the pool. `TOO_LARGE` and `TOO_SMALL` concern
 * only the amount: the pool does a smaller, or a larger, swap in the same state.
 */
export class PoolRefusal extends Error {
  override readonly name = 'PoolRefusal'
  readonly code: PoolRefusalCode
  /**
   * True when our model sets the limit and the contract may accept more. Examples are ticks that were not read, and
   * bitmap words that cost too much gas to read.
   */
  readonly isModelLimit: boolean

  constructor(code: PoolRefusalCode, message: string, { isModelLimit = false } = {}) {
    // Refusals are expected, and a search causes many. Recording the call stack would take most of their time.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.isModelLimit = isModelLimit
  }
}

/** Message of the `RangeError` of a stack overflow, which is a bug of our code, unlike a failed computation. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded'

/**
 * Converts an arithmetic error to a `PoolRefusal`. Contracts revert on a division by zero, an overflow, or a tick out
 * of range. Pools that earlier legs of the same route have nearly emptied reach such states. Hostile pools reach them
 * too, and must not stop the search of other pools.
 *
 * @throws any other error
 */
export function refusalOf(error: unknown): PoolRefusal {
  if (error instanceof PoolRefusal) return error
  if (error instanceof RangeError && error.message !== STACK_OVERFLOW)
    return new PoolRefusal('UNSUPPORTED', `its arithmetic fails: ${error.message}`)
  throw error
}

/** Calls `compute`; returns null if the pool refuses. */
export function nullIfRefused<T>(compute: () => T): T | null {
  try {
    return compute()
  } catch (error) {
    refusalOf(error)
    return null
  }
}

/**
 * One eth_call read. `code` overrides the account's code for this read (a lens: a contract of ours that reads a pool's
 * storage and is not deployed). `gas` estimates the gas of the read, so that reads are packed into calls that a node
 * accepts; absent: little.
 */
export type Read = {
  readonly to: Address
  readonly data: Hex
  readonly code?: Hex
  readonly gas?: number
  /** Overrides the account's balance of the native token, in wei. */
  readonly balance?: bigint
  /** Storage overrides. They apply to all reads in the same call. */
  readonly storage?: Readonly<Record<Address, Readonly<Record<Hex, Hex>>>>
}
/**
 * Generator that yields batches of reads, receives their results (null for a read that reverted), and returns the
 * decoded value.
 */
export type Reads<T> = Generator<readonly Read[], T, readonly (Hex | null)[]>

/** Reads one value per pool, in the order of the pools; null for a pool that cannot be read. */
export type PoolReads<T> = Reads<readonly (T | null)[]>

/** Storage that a hop and its payments set, and clear again within the transaction. */
export type HopPayment = {
  /** The pool pulls its input from the Executor by an allowance. */
  readonly pullsInput?: true
  /** The pool pays its output to the Executor, which forwards it. */
  readonly forwardsOutput?: true
  /** Number of storage slots of the pool that are reset within the swap, such as a reentrancy lock. */
  readonly lockSlots?: number
}

/**
 * A pool state as text, for certificates: proofs that bound what any route can pay (docs/certificates.md). Anyone can
 * read the state from the contract again and compare it. Limited to the kinds of pools whose maximum profit at given
 * prices `@sluice/certificate` can compute.
 */
export type ReadableState = {
  readonly kind: 'constant-product' | 'concentrated' | 'stable'
  readonly text: string
  /** Fee that the contract has no getter for. */
  readonly feePpm?: number
}

/** The fields of a swap that sampling needs. */
export type SampledSwap = { readonly tokenIn: Address; readonly tokenOut: Address; readonly amountIn: bigint }

/** Quotes of pools without local math, from swaps simulated on chain (samples). @see docs/decisions/sampled-pools.md */
export type Sampling<State> = {
  /**
   * Samples a pool at the inputs of swaps as well, so that quotes of these inputs are exact. Returns the state with
   * these samples; null if the pool cannot be read.
   */
  refine(row: DexRow, pool: Pool<State>, swaps: readonly SampledSwap[]): Reads<State | null>
  /** True if the pool has a sample so close to the input that another adds nothing. */
  isSampledAt(pool: Pool<State>, swap: SampledSwap): boolean
  /** Returns a text that differs between two states of the pool if a trade changed the contract between them. */
  stampOf(pool: Pool<State>): string
}

/**
 * A DEX family: pools that share math and encoding. Pure: it yields the reads that it needs and decodes their results;
 * the market does the I/O.
 */
export interface DexFamily<State = unknown> {
  /** Same name as the family's folders in `contracts` and `dexes`, and as the `op` of its program steps. */
  readonly id: string

  /**
   * Maps a row of the chain's file to the rows that this family serves; several families can serve one row. Absent: the
   * family serves the rows of its own name, unchanged.
   */
  rowsOf?(row: DexRow): readonly DexRow[]
  /**
   * True if pools can hold the native token itself. The family's rows then contain the address of the native token's
   * wrapper (`contracts.wrappedNative`). A request for a pair with the wrapper must also find pools of the native
   * token.
   */
  readonly holdsNative?: true
  /**
   * True for the family of the native token's wrapper (1:1). A chain with pools of the native token gets one row of
   * this family.
   */
  readonly wrapsNative?: true
  /**
   * True if each row is itself a token: a share that redeems into another token at a rate that its own contract
   * computes.
   */
  readonly rowsAreTokens?: true

  /**
   * Finds the pools of one deployment for any of the pairs. One generator serves all pairs, so their reads are batched.
   * Absent: pools are not found by their tokens.
   */
  findPools?(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]>
  /**
   * Reads immutable facts once, before a pool is first used. Returns the pools with `fixed` filled in; null if the
   * facts cannot be read yet and the pool must wait.
   */
  readFixed?(row: DexRow, pools: readonly Pool<null>[], block: number): PoolReads<Pool<null>>
  /** True if `readStates` needs the result of `readFixed`; otherwise both are read in the same call. */
  readonly statesNeedFixedFacts?: true
  /** Reads the state of many pools; null for a pool that cannot be read. */
  readStates(row: DexRow, pools: readonly Pool<null>[]): PoolReads<State>
  /**
   * Accounts whose code or owner can change the quotes of a pool. Examples are rate providers, hooks, and owners who
   * can reset fees or prices. Does not include the governance of the factory in the chain's file. Returns the pool's
   * own address if anyone could have deployed its code or its controller is unknown. Depends only on immutable data
   * (`fixed`). Absent: no pool of the family depends on such an account.
   */
  dependsOn?(pool: Pool): readonly Address[]

  /** True if no getter lists the family's pools, so that they must be found by scanning past creation logs. */
  readonly listedByLogs?: true
  /**
   * Verifies pools of a pool list on chain, for families with `listedByLogs`. Returns each pool as the log scan would
   * report it, from on-chain data only. Null for a pool that does not exist or that the scan would skip. The fields of
   * `listedPools` are untrusted and can have any type.
   */
  provePools?(row: DexRow, listedPools: readonly ListedPool[]): PoolReads<Pool<null>>
  /**
   * Updates state that changes without a log. Receives the pools after the logs of `block` have been applied. Returns
   * their states at the end of the block; null for a pool that can no longer be read. Called at every block, so it
   * reads no more than necessary. Absent if each state change emits a log, or if changes without a log are so rare that
   * the audit repairs them in time. The audit compares all pools with the chain, a few at a time.
   */
  refreshStates?(row: DexRow, pools: readonly Pool<State>[], block: BlockHeader): PoolReads<State>
  /**
   * Set by families whose pools are quoted from swaps simulated on chain at every block. The market samples only few
   * pools, whose tokens were requested lately. A route uses an untrusted pool only if even the minimum output of the
   * route exceeds the output of a route through other pools.
   */
  readonly sampled?: Sampling<State>
  /** True for pools that `refreshStates` must update; depends only on immutable data. Absent: all pools. */
  movesSilently?(pool: Pool<null>): boolean
  /**
   * Estimated gas of `refreshStates` for a silent pool in which only parameters change without a log: for example
   * weights, rates, or a fee that another contract sets. The market refreshes such pools within a budget
   * (`RefreshBudget`). Returns 0 if no parameter can change in this state. Returns `null` for a pool whose price
   * changes without a log: it is refreshed at every block, outside of the budget. Absent: `null` for all pools.
   */
  parameterGas?(pool: Pool<State>): number | null
  /** topic0 of the logs by which a factory announces a new pool, if it does; `createdPool` decodes them. */
  readonly creationTopics?: readonly Hex[]
  createdPool?(row: DexRow, log: Log): Pool<null> | null

  /** True if `findPools` also finds pools that no log of `creationTopics` announces. */
  readonly findsUnannouncedPools?: true

  /** topic0 of the logs that change the state of a pool. */
  readonly topics: readonly Hex[]
  /**
   * Returns the id of the pool that a log concerns, for a contract that holds many pools. Absent: the log's address. Any
   * contract can emit a log with one of the topics, with any or no arguments: `poolIdOf` must not throw, and `applyLog`
   * must ignore the logs of contracts that do not hold the pool.
   */
  poolIdOf?(log: Log): string
  /**
   * topic0 of the logs that concern all pools of the contract that emits them, such as a pause of a vault or of a
   * factory. Pools whose `address`, or the address of whose row, is that contract are read again. Absent: none.
   */
  readonly contractTopics?: readonly Hex[]
  /**
   * topic0 of the logs, among `topics`, after which an unreadable pool may be readable, such as the end of its pause.
   * A pool that this family could not read may have moved to the family's sampled twin, which quotes it by samples.
   * After such a log the pool moves back. Absent: none.
   */
  readonly resumeTopics?: readonly Hex[]
  /**
   * Returns the state after a log of the pool. Returns `'reread'` if the log lacks data and the pool must be read
   * again, and `'ignore'` if the log changes nothing.
   */
  applyLog(pool: Pool<State>, log: Log): State | 'reread' | 'ignore'

  /** Quotes a swap in exact integers, as the contract computes it. @throws PoolRefusal if the contract would revert */
  quoteExactInput(pool: Pool<State>, tokenIn: Address, tokenOut: Address, amountIn: bigint): HopQuote<State>
  /**
   * Returns the approximate minimum input that buys `amountOut`, usually within a few base units; the caller refines
   * it. Null if the pool's arithmetic cannot be inverted or the pool has less than `amountOut`. Absent if the family's
   * arithmetic cannot be inverted.
   *
   * @throws PoolRefusal if the contract would revert
   */
  inputFor?(pool: Pool<State>, tokenIn: Address, tokenOut: Address, amountOut: bigint): bigint | null
  /**
   * Returns the largest input, in base units, that `quoteExactInput` accepts in this state; one unit more is refused as
   * `TOO_LARGE`. `0n` if it accepts no amount; `null` if it accepts every amount below 2^128 that is not too small.
   * Exact, and computed on demand, because it may walk all ticks of a pool.
   *
   * @throws PoolRefusal `WRONG_TOKEN`
   */
  maxInput(pool: Pool<State>, tokenIn: Address, tokenOut: Address): bigint | null
  /**
   * True if `maxInput` limits a single swap only. A further swap through the pool accepts more and pays along the same
   * curve, with inputs and outputs scaled.
   */
  limitsEachSwap?(pool: Pool<State>): boolean
  /**
   * Returns the pool's curve for the route search. The curve ends at `maxInput` or below, never above. The difference
   * is at most a billionth of `maxInput` plus a few base units of rounding. Computed after every change of the pool, so
   * it must be cheap.
   */
  priceCurve(pool: Pool<State>, tokenIn: Address, tokenOut: Address): PriceCurve
  /**
   * Returns price and depth of a two-token pool near its price. Equals the values derived from its curves, except for
   * rounding, but is cheaper to compute. For families with very many pools.
   *
   * @param priceBand - relative price move, in either direction
   */
  outline?(pool: Pool<State>, priceBand: number): PairOutline
  /**
   * Returns a pool of more than two tokens as one function of all its balances; null if the pool has no such function.
   */
  tradingFunction?(pool: Pool<State>): TradingFunction | null
  /**
   * Returns the base units of each token that the pool can pay out, in the order of `pool.tokens`; for prices and
   * depth.
   */
  reserves(pool: Pool<State>): readonly bigint[]

  /**
   * Returns the state for a certificate; null if this pool is of no supported kind. Absent: no pool of the family has a
   * supported kind.
   */
  readableState?(pool: Pool<State>): ReadableState | null

  /** True if all tokens of a pool are held at its own address. */
  readonly keepsTokens?: true
  /** Gas that the first trade of a block pays to update the pool's price oracle. Absent: 0. */
  readonly oracleGas?: number
  /**
   * Storage that a swap sets and clears again. The clearing earns a gas refund. Absent: the Executor only transfers the
   * input to the pool.
   */
  readonly payment?: HopPayment
  /**
   * Maximum extra gas of a swap that is mined later than the next block. A pool may then have deferred work, such as an
   * oracle observation, a rate cache, or an epoch. The service measures this gas at the transaction's deadline; the
   * value here is used only if the node cannot simulate a call at a later time. Absent: 0.
   */
  readonly laterGas?: number
  /** True if the pool accepts an input token that takes a fee on transfer. */
  readonly takesTaxedInput: boolean
  /** Encodes a swap as one step of the Executor's program. */
  step(pool: Pool<State>, tokenIn: Address, tokenOut: Address, input: StepInput, output: StepOutput): Step
}
