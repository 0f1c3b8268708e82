/**
 * Memory of what a pool said in the last three blocks, and of what is sudden beside that: a price that moved by more than 2 % in
 * one block, or what stands behind it that doubled or halved. For one block others that say nothing new are heard before it:
 * money of others is there for a block, and what stands longer is traded against.
 */
import type { Address } from '@sluice/chains'
import type { Edge, Holding, Said } from './token.ts'

const MOVE = Math.log(1.02)
const GROWTH = Math.log(2)

/** A pool that was not there said nothing. */
const NOTHING: Said = { rate: Number.NaN, backing: 0 }

type Sentence = Said & { readonly token: Address; readonly other: Address }
/** All that a pool said at the end of a block. */
export type Words = readonly Sentence[]

export class Past {
  hasChanged = true
  /** One, two and three blocks ago. */
  private words: readonly [Words, Words, Words]

  /** @param words - before the first change in this block, and in the blocks before it but for little */
  constructor(words: Words) {
    this.words = [words, words, words]
  }

  /** Words of the last two blocks with something behind them. */
  get recent(): Words {
    const [one, two] = this.words
    return [...one, ...two].filter(({ backing }) => backing > 0)
  }

  /** The block has passed. @returns whether nothing has changed for so long that there is nothing to remember */
  turn(holding: Holding | undefined): boolean {
    const [one, two, three] = this.words
    const last = this.hasChanged ? wordsOf(holding) : one
    this.hasChanged = false
    this.words = [last, one, two]
    return last === one && one === two && two === three
  }

  /**
   * Words that count in the place of those of now, where these are sudden: the last that had been said for two
   * blocks. To return to that is not sudden.
   */
  before(edge: Edge): Said | undefined {
    const [one, two, three] = this.words.map((words) => said(words, edge)) as [Said, Said, Said]
    if (isLike(edge, one)) return undefined
    const isPassing = !isLike(one, two) && isLike(two, three)
    if (isPassing && isLike(edge, two)) return undefined
    return isPassing ? two : one
  }
}

function wordsOf(holding: Holding | undefined): Words {
  return (holding?.edges ?? []).map(({ token, other, rate, backing }) => {
    return { token: token.address, other: other.address, rate, backing }
  })
}

function said(words: Words, { token, other }: Edge): Said {
  return words.find((each) => each.token === token.address && each.other === other.address) ?? NOTHING
}

export function isLike(a: Said, b: Said): boolean {
  if (a.backing === 0 && b.backing === 0) return true
  return Math.abs(Math.log(a.rate / b.rate)) <= MOVE && Math.abs(Math.log(a.backing / b.backing)) <= GROWTH
}
