/**
 * Types of operation descriptions. An operation is one kind of step of the Executor, the contract that swaps. A step
 * swaps in one pool, or in several pools of one contract.
 */
import type { StepInput, StepOutput } from '../step.ts'
import type { OpFields, ValuesOf } from './fields.ts'

type Address = `0x${string}`
type Hex = `0x${string}`

/** Trade in one pool, as decoded from a step. */
export type StepTrade = {
  /** Pool address, or pool id in a singleton; the wrapper for wraps. */
  readonly pool: Hex
  /** Zero address for the native token. */
  readonly tokenIn: Address
  /** Undefined if the step encodes only the pool and a direction: the pool's contract determines the output token. */
  readonly tokenOut: Address | undefined
  /** Hook contract named by the pool key; zero address for none. */
  readonly hooks?: Address
}

/** Keccak-256, used for some pool ids. Passed by the caller, so that this package needs no hash library. */
export type Keccak = (data: Hex) => Hex

/** Pool mechanism, by which user interfaces color pools. Several families share one. */
export type Mechanism = 'concentrated' | 'product' | 'singleton' | 'stable' | 'weighted' | 'bins' | 'pmm' | 'wrap'

/**
 * Format of the CREATE2 salt from which a factory derives pool addresses, named after its first user. `uniswap-v2`:
 * both tokens packed; `uniswap-v3`: both tokens and the fee as words.
 */
export type PoolSalt = 'uniswap-v2' | 'uniswap-v3'

/** Description of an operation, as data. */
export type OpShape = {
  readonly name: string
  /** Title for documentation. */
  readonly title: string
  readonly mechanism: Mechanism
  /** Opcode. */
  readonly code: number
  /** Fields that follow opcode, flags, amount, and input token in the encoding. */
  readonly fields: OpFields
  /** Boolean property of the step that flag bit 5 encodes, and the meaning of `true`, for FORMAT.md. */
  readonly direction?: { readonly name: string; readonly meaning: string }
  /**
   * Fields of each hop, if a step may swap in several pools of one contract. The number of hops precedes them in one
   * byte.
   */
  readonly hops?: OpFields
  /** Name of the field with the contract that holds all pools. Consecutive steps in the same contract can be joined. */
  readonly singleton?: string
  /**
   * Name of the field with a separate contract that keeps the pool's tokens. The field is zero if the pool itself keeps
   * the tokens.
   */
  readonly keeper?: string
  /** Name of the list of the SDK's trusted contracts that must contain the singleton. */
  readonly trustedIn?: string
  /** True if the pool measures its input, so that the previous step can pay the pool directly. */
  readonly canBePrepaid?: true
  /**
   * Present if the input can be the native token: `also` in addition to ERC-20 tokens, `only` instead of them. The step
   * sends the native token with its call and never pulls it.
   */
  readonly native?: 'also' | 'only'
  /** Pool families in whose pools the operation swaps; by default the family with the name of the operation. */
  readonly families?: readonly string[]
  /** Salt format by family, for families whose pool addresses follow from factory, init code, and tokens. */
  readonly salts?: Readonly<Record<string, PoolSalt>>
}

type CommonFields = { readonly tokenIn: Address; readonly input: StepInput; readonly output: StepOutput }
type Flat<T> = { readonly [K in keyof T]: T[K] } & {}

/** Step type derived from an operation's description. */
export type StepOf<O extends OpShape> = Flat<
  CommonFields & { readonly op: O['name'] } & ValuesOf<O['fields']> &
    (O extends { readonly direction: { readonly name: infer D extends string } }
      ? { readonly [K in D]: boolean }
      : unknown) &
    (O extends { readonly hops: infer H extends OpFields } ? { readonly hops: readonly ValuesOf<H>[] } : unknown)
>

/** Operation of the Executor: its description, and the trades of its steps. */
export type Op<O extends OpShape = OpShape> = O & {
  /** Returns the trades of a step, one per pool. */
  readonly trades: (step: StepOf<O>, keccak256: Keccak) => readonly StepTrade[]
}

/** Defines an operation and preserves its literal types. */
export const defineOp = <const O extends OpShape>(shape: O, trades: Op<O>['trades']): Op<O> => ({ ...shape, trades })

/** Returns the trade of a step whose bytes do not contain the bought token. */
export const tradeWithUnknownOutput = ({
  pool,
  tokenIn,
}: {
  readonly pool: Address
  readonly tokenIn: Address
}): readonly StepTrade[] => [{ pool, tokenIn, tokenOut: undefined }]

/** Returns the trade of a step whose bytes contain both tokens. */
export const tradeBetween = ({
  pool,
  tokenIn,
  tokenOut,
}: {
  readonly pool: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
}): readonly StepTrade[] => [{ pool, tokenIn, tokenOut }]

/** Returns the trades of consecutive hops: each sells the token that the previous one bought. */
export function tradesInSeries<Hop extends { readonly tokenOut: Address }>(
  { tokenIn, hops }: { readonly tokenIn: Address; readonly hops: readonly Hop[] },
  poolOf: (hop: Hop, tokenIn: Address) => Hex,
): readonly StepTrade[] {
  return hops.map((hop, k) => {
    const soldToken = k === 0 ? tokenIn : hops[k - 1]!.tokenOut
    return { pool: poolOf(hop, soldToken), tokenIn: soldToken, tokenOut: hop.tokenOut }
  })
}
