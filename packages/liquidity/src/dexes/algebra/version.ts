/** Which version of Algebra made a pool, told by what the pool itself answers: no factory says it. */
import { IAlgebraVersion__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'

/** Null for a version that swaps by rules not known here. */
export type AlgebraFixed = { readonly version: 'v1' | 'integral' | null }

const getters = IAlgebraVersion__factory.createInterface()
const QUESTIONS = [
  getters.encodeFunctionData('globalState'),
  getters.encodeFunctionData('plugin'),
  getters.encodeFunctionData('tickSpacingLimitOrders'),
  getters.encodeFunctionData('communityFeeLastTimestamp'),
] as readonly Hex[]

export function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const answers = yield pools.flatMap(({ address: to }) => QUESTIONS.map((data) => ({ to, data })))
  return pools.map((pool, i) => {
    const words = answers.slice(i * QUESTIONS.length, (i + 1) * QUESTIONS.length).map(wordsOf)
    return { ...pool, fixed: { version: versionOf(words) } satisfies AlgebraFixed }
  })
}

/** Words of an answer; 0 where there was none. */
const wordsOf = (answer: Hex | null): number => (answer ? Math.floor((answer.length - 2) / 64) : 0)

/**
 * Version 2 answers 6 or 7 words, as the others do, but with other fields in them: it is told by getters that neither has.
 */
function versionOf(words: readonly number[]): AlgebraFixed['version'] {
  const [globalState, plugin, limitOrders, feeTimestamp] = words
  if (limitOrders || feeTimestamp) return null
  if (plugin) return globalState === 6 ? 'integral' : null
  return globalState === 7 || globalState === 8 ? 'v1' : null
}
