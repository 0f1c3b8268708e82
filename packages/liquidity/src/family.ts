import type { Address, DexRow, Hex } from '@sluice/chains'
import type { Step, StepInput, StepOutput } from '@sluice/program'
import type { BlockHeader, Log } from '@sluice/rpc'
import type { Surface } from './math/surface.ts'

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
  /** What never changes and its family needs beside the tokens, such as a pool key. Plain JSON. */
  readonly fixed?: unknown
  readonly state: State
}

export type HopQuote<State = unknown> = {
  /** Base units of the token bought, rounded as the pool does. */
  readonly amountOut: bigint
  /** The pool after the swap, for a second leg through the same pool. */
  readonly state: State
  /** Gas of the hop as measured on real pools, ticks crossed included. */
  readonly gas: number
}

/**
 * A pool's response seen from one side, for the float search: pieces of x·y=k. Piece k runs from marginal price
 * sqrtPrice[k]² down to sqrtPrice[k+1]² (output base units per input base unit, before fee) with liquidity[k].
 * A uniswap-v2 pool is one piece that ends at 0; a uniswap-v3 pool has one per initialised tick. Families without
 * such a form sample themselves into pieces.
 */
export type Curve = {
  /** Falling; one longer than `liquidity`. */
  readonly sqrtPrice: Float64Array
  readonly liquidity: Float64Array
  /** What is left of the input after the fee: 1 − fee. */
  readonly keepIn: number
  /** What is left of the output after an output-side fee; 1 for most families. */
  readonly keepOut: number
  /** Gas that every piece after the first costs, where pieces are the pool's own: a tick that is crossed. */
  readonly gasPerPiece?: number
}

export type PoolRefusalCode = 'EMPTY' | 'TOO_SMALL' | 'TOO_LARGE' | 'WRONG_TOKEN' | 'PAUSED' | 'UNSUPPORTED'

/** Why a pool cannot do a swap. Not a failure of the program: routing goes on without the pool. */
export class PoolRefusal extends Error {
  override readonly name = 'PoolRefusal'
  readonly code: PoolRefusalCode

  constructor(code: PoolRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What a pool answers; null where it refuses. */
export function orRefused<T>(ask: () => T): T | null {
  try {
    return ask()
  } catch (error) {
    if (error instanceof PoolRefusal) return null
    throw error
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

/** What the rest of the service knows of a family. Pure: it says what to read and decodes the answers. */
export interface DexFamily<State = unknown> {
  /** Same name as the folders on both sides and the `op` of its steps. */
  readonly id: string

  /** The pools that this fork has for any of the pairs. Batched: one generator serves all pairs. */
  findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]>
  /**
   * What has to be found out once, at a block, before a pool is used: the pools with it in `fixed`, or null where it cannot
   * be told yet and the pool must wait.
   */
  settle?(row: DexRow, pools: readonly Pool<null>[], block: number): Reads<readonly (Pool<null> | null)[]>
  /** State of many pools of this family at once; null where it cannot be read. */
  readStates(row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (State | null)[]>
  /**
   * The accounts whose code or will decides what a pool answers, where that is more than the maths of the family and the
   * governance of the factory in the chain's file: rate providers, hooks, whoever may reset fee or price. The pool's own
   * address where its code is anybody's, or who decides cannot be told. Told by what never changes, so by `fixed`. Families
   * whose pools are all alike leave it out.
   */
  dependsOn?(pool: Pool): readonly Address[]

  /** Whether there is no getter for its pools, so that past creation logs have to be searched for them. */
  readonly listedByLogs?: true
  /**
   * What moves without a log, where anything does: known states, to which the logs of a block have been applied, brought to its
   * end. Asked for at every block, so it reads no more than that; null where a pool can no longer be read.
   */
  refreshStates?(row: DexRow, pools: readonly Pool<State>[], block: BlockHeader): Reads<readonly (State | null)[]>
  /** topic0 of the logs by which a factory of this family tells of a new pool, where it does; `createdPool` decodes them. */
  readonly creationTopics?: readonly Hex[]
  createdPool?(row: DexRow, log: Log): Pool<null> | null

  /** topic0 of the logs that change a pool of this family. */
  readonly topics: readonly Hex[]
  /** The id of the pool that a log speaks of, where one contract speaks for many; else it is the log's address. */
  poolIdOf?(log: Log): string
  /** The state after a log of the pool, `'reread'` where the log does not carry enough, `'ignore'` where it changes nothing. */
  applyLog(pool: Pool<State>, log: Log): State | 'reread' | 'ignore'

  /** @throws PoolRefusal where the pool itself would revert */
  quoteExactInput(pool: Pool<State>, tokenIn: Address, tokenOut: Address, amountIn: bigint): HopQuote<State>
  curve(pool: Pool<State>, tokenIn: Address, tokenOut: Address): Curve
  /** A pool of more than two tokens as one function over all of them; null where it lacks one. For families that have such. */
  surface?(pool: Pool<State>): Surface | null
  /** Base units of each token that the pool can give, in the order of `pool.tokens`; for prices and depth. */
  reserves(pool: Pool<State>): readonly bigint[]

  /** Whether input may be sent to the pool ahead of the swap, and whether a token taxed on transfer can go in. */
  readonly prepaid: boolean
  readonly takesTaxedInput: boolean
  step(pool: Pool<State>, tokenIn: Address, tokenOut: Address, input: StepInput, output: StepOutput): Step
}
