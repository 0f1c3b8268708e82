/**
 * Hash table by id that hashes only a few characters of the id. A `Map` hashes the whole id, and hashes it again on
 * each growth, which takes a tenth of the time of loading a hundred thousand pools.
 */

/** Initial number of slots, a power of two. */
const INITIAL_SLOTS = 1_024
/** Maximum share of used slots. */
const MAX_LOAD = 0.8
/** Index of the first hashed character of an id, after `0x`. */
const PREFIX_START = 2
/** Number of hashed characters from `PREFIX_START` on. */
const PREFIX_CHARACTERS = 4
/** Number of hashed characters at the end of an id. */
const SUFFIX_CHARACTERS = 8
/**
 * Odd multiplier from the golden ratio, which spreads similar ids (D. Knuth, "The Art of Computer Programming", 6.4).
 */
const HASH_MULTIPLIER = 0x9e3779b1
/** Random per process, so that nobody can craft colliding ids. */
const SEED = Math.floor(Math.random() * 2 ** 31)

/** Hash table with open addressing and linear probing (Knuth, 6.4, algorithms L and R). */
export class IdTable<T> {
  /** Number of slots less 1: the bits of a hash that select a slot. */
  private mask = INITIAL_SLOTS - 1
  /** Hash per slot; 0 if empty. */
  private hashes = new Int32Array(INITIAL_SLOTS)
  private values: (T | undefined)[] = new Array(INITIAL_SLOTS).fill(undefined)
  /** Number of stored values. */
  private count = 0
  private readonly idOf: (value: T) => string

  constructor(idOf: (value: T) => string) {
    this.idOf = idOf
  }

  get(id: string): T | undefined {
    return this.values[this.slotOf(id, hashOf(id))]
  }

  set(value: T): void {
    const id = this.idOf(value)
    const hash = hashOf(id)
    const slot = this.slotOf(id, hash)
    this.values[slot] = value
    if (this.hashes[slot] !== 0) return
    this.hashes[slot] = hash
    if (++this.count > MAX_LOAD * this.mask) this.grow()
  }

  delete(id: string): void {
    const { hashes, values, mask } = this
    let freeSlot = this.slotOf(id, hashOf(id))
    if (hashes[freeSlot] === 0) return
    this.count--
    // Shift the entries that the removed entry had displaced.
    for (let slot = (freeSlot + 1) & mask; hashes[slot] !== 0; slot = (slot + 1) & mask) {
      if (((slot - hashes[slot]!) & mask) < ((slot - freeSlot) & mask)) continue
      hashes[freeSlot] = hashes[slot]!
      values[freeSlot] = values[slot]
      freeSlot = slot
    }
    hashes[freeSlot] = 0
    values[freeSlot] = undefined
  }

  /** Returns the slot of an id, or the free slot where it belongs. */
  private slotOf(id: string, hash: number): number {
    const { hashes, values, mask, idOf } = this
    let slot = hash & mask
    while (hashes[slot] !== 0 && (hashes[slot] !== hash || idOf(values[slot]!) !== id)) slot = (slot + 1) & mask
    return slot
  }

  private grow(): void {
    const { hashes, values } = this
    const slotCount = 2 * hashes.length
    this.mask = slotCount - 1
    this.hashes = new Int32Array(slotCount)
    this.values = new Array(slotCount).fill(undefined)
    for (let k = 0; k < hashes.length; k++) {
      const hash = hashes[k]!
      if (hash === 0) continue
      let slot = hash & this.mask
      while (this.hashes[slot] !== 0) slot = (slot + 1) & this.mask
      this.hashes[slot] = hash
      this.values[slot] = values[k]
    }
  }
}

/** Returns a hash that is never 0. */
function hashOf(id: string): number {
  const { length } = id
  let hash = SEED
  // Beyond the end of a short id, the code is NaN and counts as 0.
  for (let k = PREFIX_START; k < PREFIX_START + PREFIX_CHARACTERS; k++)
    hash = Math.imul(hash ^ id.charCodeAt(k), HASH_MULTIPLIER)
  for (let k = Math.max(0, length - SUFFIX_CHARACTERS); k < length; k++)
    hash = Math.imul(hash ^ id.charCodeAt(k), HASH_MULTIPLIER)
  return (hash ^ (hash >>> 15)) | 0 || 1
}
