import { familyOf } from '../dexes/index.ts'
import { PoolRefusal } from '../family.ts'
import { forms } from './forms.ts'
import { isPlain, plainQuestions } from './plain.ts'
import { questionOf } from './questions.ts'
import type { FormFile, Question, VectorFile } from './types.ts'

export type VectorReport = {
  readonly family: string
  readonly passed: number
  /** One line each: what was asked, expected and answered. */
  readonly failed: readonly string[]
  /** Counts of those left out, by reason. */
  readonly skipped: ReadonlyMap<string, number>
}

/** Quotes every vector of a file that stands alone and says how it went. */
export function runVectors(file: VectorFile | FormFile): VectorReport {
  let passed = 0
  const failed: string[] = []
  const skipped = new Map<string, number>()
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  for (const [index, ask] of asksOf(file).entries()) {
    const question = readable(ask, file.family)
    if (typeof question === 'string') failed.push(`#${index} ${question}`)
    else if ('skip' in question) skip(question.skip)
    else {
      const wrong = check(question)
      if (wrong === OWN_LIMIT) skip(OWN_LIMIT)
      else if (wrong) failed.push(`#${index} ${wrong}`)
      else passed++
    }
  }
  return { family: file.family, passed, failed, skipped }
}

/** Reason for which answers to amounts are left out that a family refuses although the pool takes them. */
const OWN_LIMIT = "beyond the family's own limit"

type Ask = () => Question | { readonly skip: string }

/** The questions of a file, read one by one. */
export function asksOf(file: VectorFile | FormFile): readonly Ask[] {
  if ('vectors' in file) return file.vectors.map((vector) => () => questionOf(file, vector))
  const { family, content } = file
  if (isPlain(content)) return plainQuestions(content)
  const form = forms[family]
  if (form) return form(content)
  const answers: readonly unknown[] = Array.isArray(content.vectors) ? content.vectors : [content]
  return answers.map(() => () => ({ skip: 'the family is not one of this build' }))
}

/** The question, or what is wrong with the file: forms trust that their source has all fields. */
function readable(ask: Ask, family: string): ReturnType<Ask> | string {
  try {
    return ask()
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)
      return `has not the form of ${family}: ${error.message}`
    throw error
  }
}

/** Fault of our answer; undefined where there is none. */
function check({ asked, pool, tokenIn, tokenOut, amountIn, amountOut, after }: Question): string | undefined {
  try {
    const quote = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
    if (amountOut === null) return `${asked}: gives ${quote.amountOut}, must refuse`
    if (quote.amountOut !== amountOut) return `${asked}: gives ${quote.amountOut}, must give ${amountOut}`
    const off = after?.(quote.state)
    return off && `${asked}: ${off} after`
  } catch (error) {
    if (!(error instanceof PoolRefusal)) throw error
    if (error.isOwnLimit && amountOut) return OWN_LIMIT
    // A trade for nothing is none: some pools give 0, which no route would take.
    return amountOut === null || amountOut === 0n
      ? undefined
      : `${asked}: refused (${error.message}), must give ${amountOut}`
  }
}
