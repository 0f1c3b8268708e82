/**
 * Chooses pools of two tokens where a factory has more than discovery takes. Anyone can create pools, so neither the
 * first nor the newest ones are necessarily good.
 */
import { DeepestLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, toAddress } from '@sluice/chains'
import type { Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'

const LENS = lensOf('DeepestLens')
const findCodec = callCodec<[factory: string, getter: string, tokens: TokenPair, maxPools: number], [string[]]>(
  DeepestLens__factory.createInterface(),
  'find',
)

/** Estimated gas to compare the pools of a list of 100. The longest list takes twice as much. */
const FIND_GAS = 2_500_000

/** Pools of two tokens in a factory. */
export type FactoryList = {
  readonly factory: Address
  /** In the order in which the factory takes them. */
  readonly tokens: TokenPair
  readonly pools: readonly Address[]
  /** True if the factory has, or may have, more pools. */
  readonly isCut: boolean
}

/**
 * Replaces the pools of lists that are cut by the deepest pools of the factory, by the pools' balances of both tokens.
 * Each list has a read of its own, so that a list that takes too much gas hides no pools of other lists. If the read
 * fails, the list stays as it is.
 *
 * @param getter - selector of the factory's getter of a pool by two tokens and an index
 * @param maxPools - maximum pools per list
 */
export function* withDeepestPools(
  lists: readonly FactoryList[],
  getter: string,
  maxPools: number,
): Reads<readonly FactoryList[]> {
  const cutLists = lists.filter(({ isCut }) => isCut)
  if (cutLists.length === 0) return lists
  const answers = yield cutLists.map(({ factory, tokens }) =>
    lensRead(LENS, findCodec.encode(factory, getter, tokens, maxPools), FIND_GAS),
  )
  const answerByList = new Map(cutLists.map((list, k) => [list, answers[k]]))
  return lists.map((list) => {
    const answer = answerByList.get(list)
    return answer ? { ...list, pools: findCodec.decode(answer)[0].map(toAddress) } : list
  })
}
