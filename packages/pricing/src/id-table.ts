/**
 * Values by their ids, found by a few digits of them. The language's own map reads ids whole, and all of them anew whenever it
 * grows, which takes a tenth of the time of a first look at a hundred thousand pools.
 */

/** Places at the start, a power of two. */
const FEWEST_PLACES = 1_024
/** Share of the places that are taken at most. */
const FULL = 0.8
/** Characters of an id that tell its place: behind `0x`, and at the end. */
const FIRST = 2
const OF_START = 4
const OF_END = 8
/** Odd, of the golden ratio: it spreads what differs in few bits (D. Knuth, "The Art of Computer Programming", 6.4). */
const SPREAD = 0x9e3779b1
/** Drawn anew by each process, so that nobody can make ids that share their places. */
const SEED = Math.floor(Math.random() * 2 ** 31)

/** Open addressing with linear probing (Knuth, 6.4, algorithms L and R). */
export class IdTable<T> {
  private mask = FEWEST_PLACES - 1
  /** By place; 0 where nothing is. */
  private hashes = new Int32Array(FEWEST_PLACES)
  private values: (T | undefined)[] = new Array(FEWEST_PLACES).fill(undefined)
  private count = 0
  private readonly idOf: (value: T) => string

  constructor(idOf: (value: T) => string) {
    this.idOf = idOf
  }

  get(id: string): T | undefined {
    return this.values[this.placeOf(id, hashOf(id))]
  }

  set(value: T): void {
    const id = this.idOf(value)
    const hash = hashOf(id)
    const at = this.placeOf(id, hash)
    this.values[at] = value
    if (this.hashes[at] !== 0) return
    this.hashes[at] = hash
    if (++this.count > FULL * this.mask) this.grow()
  }

  delete(id: string): void {
    const { hashes, values, mask } = this
    let free = this.placeOf(id, hashOf(id))
    if (hashes[free] === 0) return
    this.count--
    // Whatever was put further on because its place was taken moves up.
    for (let at = (free + 1) & mask; hashes[at] !== 0; at = (at + 1) & mask) {
      if (((at - hashes[at]!) & mask) < ((at - free) & mask)) continue
      hashes[free] = hashes[at]!
      values[free] = values[at]
      free = at
    }
    hashes[free] = 0
    values[free] = undefined
  }

  /** The place of an id, or the free one where it belongs. */
  private placeOf(id: string, hash: number): number {
    const { hashes, values, mask, idOf } = this
    let at = hash & mask
    while (hashes[at] !== 0 && (hashes[at] !== hash || idOf(values[at]!) !== id)) at = (at + 1) & mask
    return at
  }

  private grow(): void {
    const { hashes, values } = this
    const places = 2 * hashes.length
    this.mask = places - 1
    this.hashes = new Int32Array(places)
    this.values = new Array(places).fill(undefined)
    for (let k = 0; k < hashes.length; k++) {
      const hash = hashes[k]!
      if (hash === 0) continue
      let at = hash & this.mask
      while (this.hashes[at] !== 0) at = (at + 1) & this.mask
      this.hashes[at] = hash
      this.values[at] = values[k]
    }
  }
}

/** Never 0. */
function hashOf(id: string): number {
  const { length } = id
  let hash = SEED
  for (let k = FIRST; k < FIRST + OF_START && k < length; k++) hash = Math.imul(hash ^ id.charCodeAt(k), SPREAD)
  for (let k = Math.max(0, length - OF_END); k < length; k++) hash = Math.imul(hash ^ id.charCodeAt(k), SPREAD)
  return (hash ^ (hash >>> 15)) | 0 || 1
}
