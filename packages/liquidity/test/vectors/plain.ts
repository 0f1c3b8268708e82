/**
 * Plain vector format, which needs no adapter: pool states in the fields of the family's own type, amounts as decimal
 * strings, bigints in states as `123n`. Other formats have a `VectorForm` (forms.ts).
 */
import { isDeepStrictEqual } from 'node:util'
import { type Address, isAddress, toAddress } from '@sluice/chains'
import { pairOf, TOKENS } from './pool.ts'
import type { FormFile, Question } from './types.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Value = null | boolean | number | string | bigint | readonly Value[] | { readonly [name: string]: Value }
type Fields = Readonly<Record<string, Json>>

type PlainAnswer = {
  /** Indices into the pool's tokens. */
  readonly in: number
  readonly out: number
  readonly amountIn: string
  /** Expected output; null if the pool must refuse. */
  readonly amountOut: string | null
  /** The vector is an exact-output quote. */
  readonly exactOut?: true
  /** Fields of the state after the swap. */
  readonly after?: Fields
}

/** A file in the plain format. */
export type PlainFile = {
  readonly family: string
  /** Contracts that produced the answers, with release and license. */
  readonly source: string
  readonly pools: readonly {
    readonly name: string
    /** Token addresses in the pool's order; generated if absent. */
    readonly tokens?: readonly string[]
    readonly fixed?: Json
    readonly state: Fields
    readonly answers: readonly PlainAnswer[]
  }[]
}

/** Reason for which exact-output vectors are skipped. */
export const EXACT_OUTPUT = 'exact output is not quoted'

/** True for content in this format. */
export function isPlain(content: FormFile['content']): content is PlainFile {
  return (
    Array.isArray(content.pools) && content.pools.some(({ answers }: { answers?: unknown }) => Array.isArray(answers))
  )
}

export function plainQuestions({ family, pools }: PlainFile): readonly (() => Question | { readonly skip: string })[] {
  return pools.flatMap((from) =>
    from.answers.map((answer) => () => {
      if (answer.exactOut) return { skip: EXACT_OUTPUT }
      const tokens: readonly Address[] = from.tokens?.map(addressOf) ?? TOKENS
      const pool = pairOf(family, tokens, parsed(from.state))
      const { after } = answer
      const [tokenIn, tokenOut] = [tokens[answer.in], tokens[answer.out]]
      if (!tokenIn || !tokenOut) throw new RangeError(`no token ${tokenIn ? answer.out : answer.in}`)
      return {
        label: `${answer.amountIn} of token ${answer.in} for ${answer.out}: ${from.name}`,
        pool: from.fixed === undefined ? pool : { ...pool, fixed: parsed(from.fixed) },
        tokenIn,
        tokenOut,
        amountIn: BigInt(answer.amountIn),
        amountOut: answer.amountOut === null ? null : BigInt(answer.amountOut),
        ...(after && { after: (state: unknown) => differenceOf(state as Readonly<Record<string, Value>>, after) }),
      }
    }),
  )
}

function differenceOf(ours: Readonly<Record<string, Value>>, theirs: Fields): string | undefined {
  const off = Object.keys(theirs).find((name) => !isDeepStrictEqual(ours[name], parsed(theirs[name]!)))
  return off && `${off} ${textOf(ours[off]!)}, not ${JSON.stringify(theirs[off])},`
}

function addressOf(text: string): Address {
  if (!isAddress(text)) throw new SyntaxError(`${text} is not an address`)
  return toAddress(text)
}

function parsed(json: Json): Value {
  if (typeof json === 'string') return /^-?\d+n$/.test(json) ? BigInt(json.slice(0, -1)) : json
  if (Array.isArray(json)) return json.map(parsed)
  if (typeof json !== 'object' || json === null) return json as Value
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, parsed(value)]))
}

const textOf = (value: Value): string =>
  JSON.stringify(value, (_, inner: Value) => (typeof inner === 'bigint' ? `${inner}n` : inner))
