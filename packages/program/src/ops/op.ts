/** An operation of the Executor: the form in which each family describes its own. */
import type { StepInput, StepOutput } from '../step.ts'
import type { Fields, ValuesOf } from './fields.ts'

type Address = `0x${string}`
type Hex = `0x${string}`

/** A trade in one pool, as a step's bytes tell it. */
export type Trade = {
  /** Address, or id for a pool inside a singleton; a wrapper for native token that is wrapped or unwrapped. */
  readonly pool: Hex
  /** The zero address is the native token. */
  readonly tokenIn: Address
  /** Undefined where the bytes name the pool and a direction alone. */
  readonly tokenOut: Address | undefined
  /** Code that runs in the trade beside that of the contract that holds the pool, where the pool's key names it; zero for none. */
  readonly hooks?: Address
}

/** Keccak-256 of bytes, which ids of some pools are: whoever asks brings it, so that this package needs none. */
export type Keccak = (data: Hex) => Hex

/** Kinds of pools that pages tell apart by colour: no palette has one for each family. */
export type Mechanism = 'concentrated' | 'product' | 'singleton' | 'stable' | 'weighted' | 'bins' | 'pmm' | 'wrap'

/**
 * Form of the salt with which factories make pools by CREATE2, named after who was first to use it: both tokens packed, or both and
 * the fee in words.
 */
export type PoolSalt = 'uniswap-v2' | 'uniswap-v3'

export type OpShape = {
  readonly name: string
  /** In words, for people. */
  readonly title: string
  readonly mechanism: Mechanism
  readonly code: number
  readonly fields: Fields
  /** Step property that flag bit 5 holds, and what the bit says in FORMAT.md. */
  readonly direction?: { readonly name: string; readonly says: string }
  /** Several pools of one contract in one step: the fields of each, behind their number in one byte. */
  readonly hops?: Fields
  /** Field of the contract that holds all its pools. Steps with hops that follow each other in the same one are joined. */
  readonly singleton?: string
  /** Field of a contract beside the pool that keeps its tokens; zero in a pool that keeps them itself. */
  readonly keeper?: string
  /** List of the chain's contracts, in what the SDK trusts, that the singleton must be in. */
  readonly trustedIn?: string
  /** True where it measures what it was sent, and so can be paid by the step before: always, or as a variant of it. */
  readonly prepaid?: true
  /** Set where the zero address can be its input: the native token, which comes with the call and is never pulled. */
  readonly native?: 'also' | 'only'
  /** Families of pools that it swaps in, where they are more than the one of its name. */
  readonly families?: readonly string[]
  /** Families whose pools' addresses follow from factory, code and tokens, by the salt. */
  readonly salts?: Readonly<Record<string, PoolSalt>>
}

type Common = { readonly tokenIn: Address; readonly input: StepInput; readonly output: StepOutput }
type Flat<T> = { readonly [K in keyof T]: T[K] } & {}

/** The step that an operation's description stands for. */
export type StepOf<O extends OpShape> = Flat<
  Common & { readonly op: O['name'] } & ValuesOf<O['fields']> &
    (O extends { readonly direction: { readonly name: infer D extends string } }
      ? { readonly [K in D]: boolean }
      : unknown) &
    (O extends { readonly hops: infer H extends Fields } ? { readonly hops: readonly ValuesOf<H>[] } : unknown)
>

export type Op<O extends OpShape = OpShape> = O & {
  /** The trades of a step, one a pool. */
  readonly trades: (step: StepOf<O>, keccak256: Keccak) => readonly Trade[]
}

/** An operation with the types of its fields kept. */
export const defineOp = <const O extends OpShape>(shape: O, trades: Op<O>['trades']): Op<O> => ({ ...shape, trades })

/** Trade of a step in one pool whose bytes do not tell the token bought. */
export const inPool = ({ pool, tokenIn }: { readonly pool: Address; readonly tokenIn: Address }): readonly Trade[] => [
  { pool, tokenIn, tokenOut: undefined },
]

/** The trade of a step in one pool whose bytes tell both tokens. */
export const betweenTwo = ({
  pool,
  tokenIn,
  tokenOut,
}: {
  readonly pool: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
}): readonly Trade[] => [{ pool, tokenIn, tokenOut }]

/** Trades of hops that each sell what the one before bought. */
export function inSeries<Hop extends { readonly tokenOut: Address }>(
  { tokenIn, hops }: { readonly tokenIn: Address; readonly hops: readonly Hop[] },
  poolOf: (hop: Hop, tokenIn: Address) => Hex,
): readonly Trade[] {
  return hops.map((hop, k) => {
    const sold = k === 0 ? tokenIn : hops[k - 1]!.tokenOut
    return { pool: poolOf(hop, sold), tokenIn: sold, tokenOut: hop.tokenOut }
  })
}
