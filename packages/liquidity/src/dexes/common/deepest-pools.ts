/**
 * Chooses the deepest pools of a token pair in a factory that has more pools of the pair than discovery uses. Depth is
 * the pool's balance of a token. The first or newest pools would be a bad choice, because anyone can create pools.
 */
import { DeepestLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, toAddress } from '@sluice/chains'
import type { Read, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'

const LENS = lensOf('DeepestLens')
/** Balances of the first and the second token, in base units. */
type Amounts = readonly [bigint, bigint]
const findCodec = callCodec<
  [factory: string, getter: string, tokens: TokenPair, maxPools: number, window: number, skip: number],
  [pools: string[], depths: Amounts[], count: bigint]
>(DeepestLens__factory.createInterface(), 'find')

/** Number of pools at each end of a factory's list that one read compares. */
const WINDOW = 96
/**
 * Maximum reads of a list. Together, they compare the first 768 and the last 768 pools of the list. So a pool
 * among the first 768 is found, however many pools others create after it.
 */
const MAX_READS = 8
/** Estimated gas to compare the pools of a list of 100 pools. A read with two full windows takes twice as much. */
const FIND_GAS = 2_500_000

/** Known pools of two tokens in a factory. */
export type FactoryList = {
  readonly factory: Address
  /** Tokens in the order that the getter of the factory expects. */
  readonly tokens: TokenPair
  readonly pools: readonly Address[]
  /** True if the factory may have more pools of these tokens than `pools`. */
  readonly isCut: boolean
}

/**
 * Returns the lists; each incomplete list (`isCut`) gets the deepest pools of the factory instead of its pools. Each
 * list has reads of its own, so that a list that takes too much gas hides no pools of other lists. The first read
 * compares the oldest and the newest pools of the factory, and returns the number of pools. Further reads compare the
 * pools between them. A list whose first read fails stays unchanged.
 *
 * @param getter - selector of the factory's getter of a pool by two tokens and an index
 * @param maxPools - maximum pools per list
 */
export function* withDeepestPools(
  lists: readonly FactoryList[],
  getter: string,
  maxPools: number,
): Reads<readonly FactoryList[]> {
  const readOf = ({ factory, tokens }: FactoryList, skip: number): Read =>
    lensRead(LENS, findCodec.encode(factory, getter, tokens, maxPools, WINDOW, skip), FIND_GAS)
  const cutLists = lists.filter(({ isCut }) => isCut)
  if (cutLists.length === 0) return lists
  const firstAnswers = yield cutLists.map((list) => readOf(list, 0))
  const foundPools = new Map<FactoryList, DeepPool[]>()
  const innerReads: (readonly [list: FactoryList, skip: number])[] = []
  for (const [k, list] of cutLists.entries()) {
    const answer = firstAnswers[k]
    if (!answer) continue
    const [pools, depths, count] = findCodec.decode(answer)
    foundPools.set(list, deepPools(pools, depths))
    for (let read = 1; read < MAX_READS && count > 2 * read * WINDOW; read++) innerReads.push([list, read * WINDOW])
  }
  const innerAnswers = innerReads.length > 0 ? yield innerReads.map(([list, skip]) => readOf(list, skip)) : []
  for (const [k, [list]] of innerReads.entries()) {
    const answer = innerAnswers[k]
    if (!answer) continue
    const [pools, depths] = findCodec.decode(answer)
    foundPools.get(list)!.push(...deepPools(pools, depths))
  }
  return lists.map((list) => {
    const pools = foundPools.get(list)
    return pools ? { ...list, pools: deepestOf(pools, maxPools) } : list
  })
}

/** A pool with its balances of both tokens. */
type DeepPool = { readonly address: Address; readonly amounts: Amounts }

const deepPools = (pools: readonly string[], depths: readonly Amounts[]): DeepPool[] =>
  Array.from(pools, (pool, k) => ({ address: toAddress(pool), amounts: depths[k]! }))

/**
 * Returns the deepest pools. Like the lens, takes in turn the pool with the most of the first and of the second token.
 */
function deepestOf(pools: readonly DeepPool[], maxPools: number): readonly Address[] {
  const chosenPools = new Set<DeepPool>()
  const byDepth = ([0, 1] as const).map((k) =>
    pools.toSorted((a, b) => (a.amounts[k] > b.amounts[k] ? -1 : Number(a.amounts[k] < b.amounts[k]))),
  )
  for (let k = 0; chosenPools.size < Math.min(maxPools, pools.length); k++)
    chosenPools.add(byDepth[k & 1]!.find((pool) => !chosenPools.has(pool))!)
  return Array.from(chosenPools, ({ address }) => address)
}
