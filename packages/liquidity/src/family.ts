import type { Address, DexRow, Hex } from '@sluice/chains'
import type { Step, StepInput, StepOutput } from '@sluice/program'
import type { BlockHeader, Log } from '@sluice/rpc'
import type { TradingFunction } from './math/trading-function.ts'

/** A source of liquidity at the end of one block. Immutable: a change makes a new object with the same id. */
export type Pool<State = unknown> = {
  /** Unique on its chain: the pool's address, or its id inside a singleton. */
  readonly id: string
  readonly family: string
  /** Brand, as in the chain's DEX row. */
  readonly dex: string
  readonly address: Address
  /** ERC-20 tokens it trades, in the pool's own order. A pool of the native token lists the zero address. */
  readonly tokens: readonly Address[]
  /** Facts that never change and that its family needs beside the tokens, such as a pool key. Plain JSON. */
  readonly fixed?: unknown
  readonly state: State
}

/** A pool as somebody else lists it. Its addresses are addresses; nothing else of it is known to be true. */
export type ListedPool = Pick<Pool, 'id' | 'address' | 'tokens'> & { readonly fixed?: unknown }

export type HopQuote<State = unknown> = {
  /** Base units of the token bought, rounded as the pool does. */
  readonly amountOut: bigint
  /** The pool after the swap, for a second leg through the same pool. */
  readonly state: State
  /** Gas of the hop as measured on real pools, ticks crossed included. */
  readonly gas: number
  /**
   * Names of what this swap writes and others of the pool may not, an oracle's entry or a tick: its gas depends on what stood
   * there before, which no state tells. None when absent.
   */
  readonly writes?: readonly string[]
}

/** A pair of a pool's tokens. Amounts are base units, as floats. */
export type PairOutline = {
  /** Units of the second token per unit of the first, before fee; 0 where there is none. */
  readonly price: number
  /** The part of a swap that the pool keeps, in the direction in which that is more. */
  readonly fee: number
  /** Paid of each token until the price has moved by the part asked for. */
  readonly firstNear: number
  readonly secondNear: number
  /** Held of each. */
  readonly firstHeld: number
  readonly secondHeld: number
}

/**
 * A pool's response seen from one side, for the float search: pieces of x·y=k. Piece k runs from marginal price
 * sqrtPrice[k]² down to sqrtPrice[k+1]² (output base units per input base unit, before fee) with liquidity[k].
 * A uniswap-v2 pool is one piece that ends at 0; a uniswap-v3 pool has one per initialised tick. Families without
 * such a form sample themselves into pieces.
 */
export type PriceCurve = {
  /** Falling; one longer than `liquidity`. */
  readonly sqrtPrice: Float64Array
  readonly liquidity: Float64Array
  /** The part left of the input after the fee: 1 − fee. */
  readonly keepIn: number
  /** The part left of the output after an output-side fee; 1 for most families. */
  readonly keepOut: number
  /** Gas that every piece after the first costs, where pieces are the pool's own: a tick that is crossed. */
  readonly gasPerPiece?: number
  /** Part of an output by which the pool may pay more than the curve, about; 0 when absent: the pieces are the pool's own. */
  readonly outputError?: number
}

export type PoolRefusalCode = 'EMPTY' | 'TOO_SMALL' | 'TOO_LARGE' | 'WRONG_TOKEN' | 'PAUSED' | 'UNSUPPORTED'

/**
 * Why a pool cannot do a swap. Not a failure of the program: routing goes on without the pool. `TOO_LARGE` and `TOO_SMALL` are
 * about the amount alone: the pool does a smaller, or a larger, swap in the same state.
 */
export class PoolRefusal extends Error {
  override readonly name = 'PoolRefusal'
  readonly code: PoolRefusalCode
  /**
   * True when the limit is the family's own, and the pool may take more: ticks that were not read, words that cost too much gas, bounds
   * that are known from below.
   */
  readonly isOwnLimit: boolean

  constructor(code: PoolRefusalCode, message: string, { isOwnLimit = false } = {}) {
    super(message)
    this.code = code
    this.isOwnLimit = isOwnLimit
  }
}

/**
 * The refusal that an error of a pool's arithmetic is. A division by zero is one, which contracts revert by: states that trades of the
 * same route have all but emptied lead there, and so may those of strangers.
 *
 * @throws any other error
 */
export function refusalOf(error: unknown): PoolRefusal {
  if (error instanceof PoolRefusal) return error
  // The engine's own words: other `RangeError`s are failures of the program.
  if (error instanceof RangeError && error.message === 'Division by zero')
    return new PoolRefusal('UNSUPPORTED', 'its arithmetic divides by zero')
  throw error
}

/** A pool's answer; null where it refuses. */
export function orRefused<T>(ask: () => T): T | null {
  try {
    return ask()
  } catch (error) {
    refusalOf(error)
    return null
  }
}

/**
 * One read of the chain. `code` replaces the account's code for this read (a lens). `gas` is roughly what it takes, for
 * packing reads into calls that a node accepts; little when absent.
 */
export type Read = {
  readonly to: Address
  readonly data: Hex
  readonly code?: Hex
  readonly gas?: number
  /** Words of accounts' storage for this read and for those beside it. */
  readonly storage?: Readonly<Record<Address, Readonly<Record<Hex, Hex>>>>
}
/** Yields batches of reads, is given the answers (null where a read reverted), ends with the result. */
export type Reads<T> = Generator<readonly Read[], T, readonly (Hex | null)[]>

/** Payment of a hop, as far as it sets storage and clears it again within the transaction. */
export type HopPayment = {
  /** The Executor holds the input before it pays the pool, which takes it by an allowance. */
  readonly pullsInput?: true
  /** The Executor holds the output before it passes it on. */
  readonly forwardsOutput?: true
  /** Storage slots of the pool that are set back, such as a lock. */
  readonly locks?: number
}

/**
 * A state in words that anybody can read from the pool's contract again, for certificates: see docs/certificates.md. Kinds are those whose
 * earnings at given prices `@sluice/certificate` computes itself.
 */
export type ReadableState = {
  readonly kind: 'constant-product' | 'concentrated' | 'stable'
  readonly text: string
  /** Fee that the contract does not tell. */
  readonly feePpm?: number
}

/** A family, as the rest of the service knows it. Pure: it says what to read and decodes the answers. */
export interface DexFamily<State = unknown> {
  /** Same name as the folders on both sides and the `op` of its steps. */
  readonly id: string

  /**
   * The rows that it makes of one of a chain's file: rows of its own name as they stand when absent. Others may serve it too.
   */
  rowsOf?(row: DexRow): readonly DexRow[]
  /**
   * True where pools may hold the native token itself: rows then tell the wrapper, since a pair with it is one with the
   * native token too.
   */
  readonly holdsNative?: true
  /** True where its pools are wrappers of the native token, one for one; a chain whose pools hold it has such a row. */
  readonly wrapsNative?: true
  /** True where its rows are tokens: shares that redeem into another one, at a rate that their own code tells. */
  readonly rowsAreTokens?: true

  /** The pools that this fork has for any of the pairs. Batched: one generator serves all pairs. */
  findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]>
  /**
   * Facts found out once, at a block, before a pool is used: the pools with them in `fixed`, or null where it cannot
   * be told yet and the pool must wait.
   */
  readFixed?(row: DexRow, pools: readonly Pool<null>[], block: number): Reads<readonly (Pool<null> | null)[]>
  /** True where `readStates` makes use of what `readFixed` found out; the two are read together where not. */
  readonly stateNeedsFixed?: true
  /** State of many pools of this family at once; null where it cannot be read. */
  readStates(row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (State | null)[]>
  /**
   * The accounts whose code or will decides what a pool answers, where that is more than the maths of the family and the
   * governance of the factory in the chain's file: rate providers, hooks, whoever may reset fee or price. The pool's own
   * address where its code is anybody's, or who decides cannot be told. Told by what never changes, so by `fixed`. Families
   * whose pools are all alike leave it out.
   */
  dependsOn?(pool: Pool): readonly Address[]

  /** True where there is no getter for its pools, so that past creation logs have to be searched for them. */
  readonly listedByLogs?: true
  /**
   * Proves pools that somebody else lists, for families whose pools past logs list: each as the search of those logs would list it,
   * made of what the chain says; null for one that is not there, or that the search would leave out. The fields of a listed pool are
   * claims of a stranger, of any type.
   */
  provePools?(row: DexRow, listed: readonly ListedPool[]): Reads<readonly (Pool<null> | null)[]>
  /**
   * Updates of state that changes without a log, where any does: known states, to which the logs of a block have been
   * applied, brought to its end. Asked for at every block, so it reads no more than that; null where a pool can no longer be
   * read.
   */
  refreshStates?(row: DexRow, pools: readonly Pool<State>[], block: BlockHeader): Reads<readonly (State | null)[]>
  /** Which pools `refreshStates` is asked for, told by what never changes; all of them when absent. */
  movesSilently?(pool: Pool<null>): boolean
  /**
   * topic0 of the logs by which a factory of this family tells of a new pool, where it does; `createdPool` decodes
   * them.
   */
  readonly creationTopics?: readonly Hex[]
  createdPool?(row: DexRow, log: Log): Pool<null> | null

  /** topic0 of the logs that change a pool of this family. */
  readonly topics: readonly Hex[]
  /** The id of the pool that a log speaks of, where one contract speaks for many; else it is the log's address. */
  poolIdOf?(log: Log): string
  /**
   * The state after a log of the pool, `'reread'` where the log does not carry enough, `'ignore'` where it changes
   * nothing.
   */
  applyLog(pool: Pool<State>, log: Log): State | 'reread' | 'ignore'

  /** @throws PoolRefusal where the pool itself would revert */
  quoteExactInput(pool: Pool<State>, tokenIn: Address, tokenOut: Address, amountIn: bigint): HopQuote<State>
  /**
   * About the least input that buys an output, for whoever seeks that to the unit: mostly a few units off. For families whose arithmetic
   * can be turned round; null where that of a pool cannot, and where it has not as much.
   *
   * @throws PoolRefusal where the pool itself would revert
   */
  inputFor?(pool: Pool<State>, tokenIn: Address, tokenOut: Address, amountOut: bigint): bigint | null
  /**
   * The largest input, in base units, that `quoteExactInput` accepts at this state: one unit more is refused as `TOO_LARGE`. `0n`
   * when it accepts no amount; `null` when it accepts every amount below 2^128 that is not too small. Exact, and computed on demand:
   * it may walk all ticks of a pool.
   *
   * @throws PoolRefusal `WRONG_TOKEN`
   */
  maxInput(pool: Pool<State>, tokenIn: Address, tokenOut: Address): bigint | null
  /**
   * True for a pool that limits each swap: `maxInput` is the end of one swap, another one takes more, and pays along the same curve with
   * inputs and outputs scaled.
   */
  limitsEachSwap?(pool: Pool<State>): boolean
  /**
   * The pool as the float search sees it. The curve ends where the pool does: at `maxInput`, or below it by at most a billionth of
   * it and the roundings of a few base units; it never ends above. Computed whenever the pool changes, so it should cost little.
   */
  priceCurve(pool: Pool<State>, tokenIn: Address, tokenOut: Address): PriceCurve
  /**
   * A pool of two tokens near its price, as its curves have it but for rounding, at less cost than to make them; for families with
   * very many pools.
   *
   * @param band - part by which the price is moved, to either side
   */
  outline?(pool: Pool<State>, band: number): PairOutline
  /**
   * A pool of more than two tokens as one function over all of them; null where it lacks one. For families that have
   * such.
   */
  tradingFunction?(pool: Pool<State>): TradingFunction | null
  /** Base units of each token that the pool can give, in the order of `pool.tokens`; for prices and depth. */
  reserves(pool: Pool<State>): readonly bigint[]

  /** The state for a certificate; null for a pool that is not of such a kind after all. Absent in families that have none. */
  readableState?(pool: Pool<State>): ReadableState | null

  /** True where the tokens of a pool lie at its own address and nowhere else. */
  readonly keepsTokens?: true
  /** Gas of bringing a pool's own price oracle up to date, which its first trade in a block pays; 0 when absent. */
  readonly oracleGas?: number
  /** Storage that a swap sets and clears again, whose gas is refunded; absent if the Executor does no more than pay the pool. */
  readonly payment?: HopPayment
  /**
   * Most gas by which a swap may cost more when it is mined some time after the next block, for what falls due meanwhile: an
   * observation of the pool's own, a cache of rates, an epoch. The service measures it at the transaction's deadline; the figure
   * itself counts where the node cannot run a call at another time. 0 when absent: later than in the next block nothing changes.
   */
  readonly laterGas?: number
  /** True where a token taxed on transfer can go in. */
  readonly takesTaxedInput: boolean
  step(pool: Pool<State>, tokenIn: Address, tokenOut: Address, input: StepInput, output: StepOutput): Step
}
