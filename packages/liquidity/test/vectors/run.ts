/** Runs test vectors against the families' quotes. */
import { familyOf } from '../../src/dexes/index.ts'
import { PoolRefusal } from '../../src/family.ts'
import { forms } from './forms.ts'
import { isPlain, plainQuestions } from './plain.ts'
import { questionOf } from './questions.ts'
import type { FormFile, Question, VectorFile } from './types.ts'

/** Result of a file. */
export type VectorReport = {
  readonly family: string
  readonly passed: number
  /** One line per mismatch: the question, the expected, and the actual result. */
  readonly failed: readonly string[]
  /** Number of skipped vectors by reason. */
  readonly skipped: ReadonlyMap<string, number>
}

/** Quotes every vector of a file. */
export function runVectors(file: VectorFile | FormFile): VectorReport {
  let passedCount = 0
  const failures: string[] = []
  const skippedReasons = new Map<string, number>()
  const skip = (reason: string) => skippedReasons.set(reason, (skippedReasons.get(reason) ?? 0) + 1)
  for (const [index, readVector] of vectorReaders(file).entries()) {
    const question = parseVector(readVector, file.family)
    if (typeof question === 'string') failures.push(`#${index} ${question}`)
    else if ('skip' in question) skip(question.skip)
    else {
      const mismatch = mismatchOf(question)
      if (mismatch === FAMILY_LIMIT) skip(FAMILY_LIMIT)
      else if (mismatch) failures.push(`#${index} ${mismatch}`)
      else passedCount++
    }
  }
  return { family: file.family, passed: passedCount, failed: failures, skipped: skippedReasons }
}

/** Reason to skip a vector that the contract accepts but the family refuses because of its own limit. */
const FAMILY_LIMIT = "beyond the family's own limit"

type VectorReader = () => Question | { readonly skip: string }

/** Returns the questions of a file as functions, so that a malformed one does not affect the others. */
export function vectorReaders(file: VectorFile | FormFile): readonly VectorReader[] {
  if ('vectors' in file) return file.vectors.map((vector) => () => questionOf(file, vector))
  const { family, content } = file
  if (isPlain(content)) return plainQuestions(content)
  const form = forms[family]
  if (form) return form(content)
  const answers: readonly unknown[] = Array.isArray(content.vectors) ? content.vectors : [content]
  return answers.map(() => () => ({ skip: 'the family is not one of this build' }))
}

/** Returns the question, or the error message of a malformed vector: forms do not validate their fields. */
function parseVector(readVector: VectorReader, family: string): ReturnType<VectorReader> | string {
  try {
    return readVector()
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)
      return `not in the format of ${family}: ${error.message}`
    throw error
  }
}

/** Returns the mismatch; undefined if there is none. */
function mismatchOf({ label, pool, tokenIn, tokenOut, amountIn, amountOut, after }: Question): string | undefined {
  try {
    const quote = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
    if (amountOut === null) return `${label}: gives ${quote.amountOut}, must refuse`
    if (quote.amountOut !== amountOut) return `${label}: gives ${quote.amountOut}, must give ${amountOut}`
    const stateMismatch = after?.(quote.state)
    return stateMismatch && `${label}: ${stateMismatch} after`
  } catch (error) {
    if (!(error instanceof PoolRefusal)) throw error
    if (error.isModelLimit && amountOut) return FAMILY_LIMIT
    // An output of zero counts as a refusal: some contracts return 0, which no route would use.
    return amountOut === null || amountOut === 0n
      ? undefined
      : `${label}: refused (${error.message}), must give ${amountOut}`
  }
}
