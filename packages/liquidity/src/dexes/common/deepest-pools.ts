/**
 * Chooses pools of two tokens where a factory has more than discovery takes. Anyone can create pools, so neither the
 * first nor the newest ones are necessarily good.
 */
import { DeepestLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, toAddress } from '@sluice/chains'
import type { Read, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'

const LENS = lensOf('DeepestLens')
type Amounts = readonly [bigint, bigint]
const findCodec = callCodec<
  [factory: string, getter: string, tokens: TokenPair, maxPools: number, window: number, skip: number],
  [pools: string[], depths: Amounts[], count: bigint]
>(DeepestLens__factory.createInterface(), 'find')

/** Pools at each end of a list that one read compares. */
const WINDOW = 96
/**
 * Maximum reads of a list. So 1,536 pools are compared: a good pool with fewer than 768 pools on one side is found,
 * however many are on the other side.
 */
const MAX_READS = 8
/** Estimated gas to compare the pools of a list of 100. A read of two full windows takes twice as much. */
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
 * Each list has reads of its own, so that a list that takes too much gas hides no pools of other lists. The first read
 * compares the oldest and the newest pools, and returns the length of the list; further reads compare those between. A
 * list whose first read fails stays as it is.
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

type DeepPool = { readonly address: Address; readonly amounts: Amounts }

const deepPools = (pools: readonly string[], depths: readonly Amounts[]): DeepPool[] =>
  Array.from(pools, (pool, k) => ({ address: toAddress(pool), amounts: depths[k]! }))

/** Chooses as the lens does: alternately the pool with the most of the first token and of the second token. */
function deepestOf(pools: readonly DeepPool[], maxPools: number): readonly Address[] {
  const chosenPools = new Set<DeepPool>()
  const byDepth = ([0, 1] as const).map((k) =>
    pools.toSorted((a, b) => (a.amounts[k] > b.amounts[k] ? -1 : Number(a.amounts[k] < b.amounts[k]))),
  )
  for (let k = 0; chosenPools.size < Math.min(maxPools, pools.length); k++)
    chosenPools.add(byDepth[k & 1]!.find((pool) => !chosenPools.has(pool))!)
  return Array.from(chosenPools, ({ address }) => address)
}
