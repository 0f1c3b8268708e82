/** Compares every state that a worker shows with the chain, computed independently of the tested code. */
import type { Hex } from '@sluice/chains'
import { addTo, digestOf, type Groups } from './digest.ts'
import { FIRST_GROUPS, POOLS, poolAt, type SyntheticChain } from './synthetic-chain.ts'

/** A state that a worker shows. */
export type ReportedState = {
  readonly hash: Hex
  readonly number: number
  readonly groups: Groups
  /** Groups of the pairs in the state. */
  readonly pairGroups: readonly number[]
  readonly canonical: readonly Hex[]
}

const MAX_STATES = 300
const MAX_DIGESTS = 100_000

export class ConsistencyCheck {
  shown = 0
  readonly wrong: string[] = []
  readonly blocks = new Set<Hex>()
  private readonly chain: SyntheticChain
  private readonly expected = new Map<Hex, Groups>()
  private readonly digests = new Map<string, number>()

  constructor(chain: SyntheticChain) {
    this.chain = chain
  }

  check({ hash, number, groups, pairGroups, canonical }: ReportedState): void {
    this.shown++
    this.blocks.add(hash)
    const right = this.expectedAt(hash)
    const mixed = Object.keys(groups).filter((key) => {
      const [group, [count, sum]] = [Number(key), groups[Number(key)]!]
      return right[group]?.[0] !== count || right[group][1] !== sum
    })
    const missing = pairGroups.filter((group) => !groups[group] && right[group])
    if (mixed.length > 0) this.wrong.push(`block ${number}: groups ${mixed.slice(0, 5)} are of no block`)
    else if (Object.keys(groups).length < FIRST_GROUPS) this.wrong.push(`block ${number}: an empty market`)
    else if (missing.length > 0)
      this.wrong.push(`block ${number}: pairs of groups ${missing.slice(0, 5)} lack their pools`)
    if (number > this.chain.tip().number) this.wrong.push(`block ${number}: of the future`)
    if (!canonical.includes(hash)) this.wrong.push(`block ${number}: said not to stand while it was shown`)
  }

  private expectedAt(hash: Hex): Groups {
    const cached = this.expected.get(hash)
    if (cached) return cached
    const state = this.chain.at(hash)
    const groups: Groups = {}
    for (let n = 0; n < POOLS; n++) {
      const version = state[2 * n]!
      if (version < 0) continue
      const key = `${n} ${version} ${state[2 * n + 1]}`
      const digest = this.digests.get(key) ?? digestOf(poolAt(n, state))
      this.digests.set(key, digest)
      addTo(groups, n, digest)
    }
    if (this.digests.size > MAX_DIGESTS) this.digests.clear()
    if (this.expected.size > MAX_STATES) this.expected.clear()
    this.expected.set(hash, groups)
    return groups
  }
}
