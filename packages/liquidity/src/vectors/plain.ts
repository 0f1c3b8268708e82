/**
 * Known answers in the form that needs no adapter: each pool's state in the fields of its family's own type, amounts as decimal
 * text, bigints of states as `123n`. A family whose collection has another form brings a `Form` of its own (forms.ts).
 */
import { isDeepStrictEqual } from 'node:util'
import { type Address, isAddress, toAddress } from '@sluice/chains'
import { pairOf, TOKENS } from './pool.ts'
import type { FormFile, Question } from './types.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Value = null | boolean | number | string | bigint | readonly Value[] | { readonly [name: string]: Value }
type Fields = Readonly<Record<string, Json>>

type PlainAnswer = {
  /** Indices of the pool's tokens. */
  readonly in: number
  readonly out: number
  readonly amountIn: string
  /** Null where the pool refuses. */
  readonly amountOut: string | null
  /** The output was asked for, and the input is the answer. */
  readonly exactOut?: true
  /** Fields of the state that the swap leaves. */
  readonly after?: Fields
}

export type PlainFile = {
  readonly family: string
  /** Contracts that gave the answers, with their release and licence. */
  readonly source: string
  readonly pools: readonly {
    readonly name: string
    /** Addresses in the pool's own order; made-up ones where absent. */
    readonly tokens?: readonly string[]
    readonly fixed?: Json
    readonly state: Fields
    readonly answers: readonly PlainAnswer[]
  }[]
}

/** Reason for which answers are left out of those for an output. */
export const EXACT_OUTPUT = 'exact output is not quoted'

/** True for content of this form. */
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
      const made = pairOf(family, tokens, parsed(from.state))
      const { after } = answer
      const [tokenIn, tokenOut] = [tokens[answer.in], tokens[answer.out]]
      if (!tokenIn || !tokenOut) throw new RangeError(`no token ${tokenIn ? answer.out : answer.in}`)
      return {
        asked: `${answer.amountIn} of token ${answer.in} for ${answer.out}: ${from.name}`,
        pool: from.fixed === undefined ? made : { ...made, fixed: parsed(from.fixed) },
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
  if (!isAddress(text)) throw new SyntaxError(`${text} is no address`)
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
