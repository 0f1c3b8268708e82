/**
 * Reuse of typed arrays: searches borrow them and return them. A shelf holds the arrays of one type and length. A blank
 * array contains only its fill value (such as 0) while it is not lent; its borrower undoes its writes.
 */

/** Minimum number of arrays retained per type and length. A search needs more only if pools disagree on prices. */
const MIN_RETAINED = 32
/**
 * Maximum total length of the retained short arrays of one type and length. `MIN_RETAINED` arrays are retained even if
 * they exceed it. For short lengths, this limit retains thousands of arrays.
 */
const MAX_RETAINED_NUMBERS = 131_072
/** Maximum number of retained long arrays of one type and length. */
const MAX_LONG_ARRAYS = 128
/** Maximum total length of these long arrays. */
const MAX_LONG_NUMBERS = 4_194_304

/** Blank arrays up to this length are cleared when they are borrowed, which is cheaper than undoing writes. */
const MAX_SHORT_LENGTH = 1_024

const maxRetainedFor = (length: number): number =>
  Math.max(
    MIN_RETAINED,
    Math.floor(MAX_RETAINED_NUMBERS / length),
    Math.min(MAX_LONG_ARRAYS, Math.floor(MAX_LONG_NUMBERS / length)),
  )

/**
 * Lends typed arrays. For large graphs, allocating them would take longer than most searches. A lent array has the
 * contents of its last use, unless a fill value is given or the array is blank.
 */
export class Scratch {
  /** Shelves of the borrowed arrays, in the order of borrowing. */
  private readonly inUse: Shelf<unknown>[] = []
  /**
   * By index in `inUse`: function that undoes the writes when the array is returned. Absent unless the array is blank.
   */
  private readonly cleanups: (() => void)[] = []
  private readonly floatArrays: Shelves<Float64Array>
  private readonly intArrays: Shelves<Int32Array>
  private readonly byteArrays: Shelves<Uint8Array>
  /** Blank arrays: of zeros, of −1 (indices), and of −∞ (bounds). */
  private readonly blankFloats: Shelves<Float64Array>
  private readonly blankBytes: Shelves<Uint8Array>
  private readonly blankInts: Shelves<Int32Array>
  private readonly blankIndices: Shelves<Int32Array>
  private readonly blankBounds: Shelves<Float64Array>
  private subgraphScratch: Scratch | null = null

  /** @param capacityFor - returns the buffer length, in numbers, for a requested array length */
  constructor(capacityFor = (length: number) => length) {
    const { inUse } = this
    this.floatArrays = new Shelves(Float64Array, inUse, capacityFor)
    this.intArrays = new Shelves(Int32Array, inUse, capacityFor)
    this.byteArrays = new Shelves(Uint8Array, inUse, capacityFor)
    this.blankFloats = new Shelves(Float64Array, inUse, capacityFor)
    this.blankBytes = new Shelves(Uint8Array, inUse, capacityFor)
    this.blankInts = new Shelves(Int32Array, inUse, capacityFor)
    this.blankIndices = new Shelves(Int32Array, inUse, capacityFor, -1)
    this.blankBounds = new Shelves(Float64Array, inUse, capacityFor, Number.NEGATIVE_INFINITY)
  }

  /**
   * Lends arrays for subgraphs. Their lengths rarely repeat, so these arrays are views of buffers with rounded lengths.
   */
  get forSubgraphs(): Scratch {
    this.subgraphScratch ??= new Scratch(roundedCapacity)
    return this.subgraphScratch
  }

  floats(length: number, fillValue?: number): Float64Array {
    const array = this.floatArrays.lend(length)
    return fillValue === undefined ? array : array.fill(fillValue)
  }

  ints(length: number, fillValue?: number): Int32Array {
    const array = this.intArrays.lend(length)
    return fillValue === undefined ? array : array.fill(fillValue)
  }

  bytes(length: number, fillValue?: number): Uint8Array {
    const array = this.byteArrays.lend(length)
    return fillValue === undefined ? array : array.fill(fillValue)
  }

  /**
   * Borrows an array of zeros, for callers that write to few of its entries: undoing the writes is then cheaper than
   * clearing the array.
   *
   * @param wipe - undoes all writes; always called when the array is returned
   */
  zeroFloats(length: number, wipe: (array: Float64Array) => void): Float64Array {
    if (length <= MAX_SHORT_LENGTH) return this.floats(length, 0)
    return this.withCleanup(this.blankFloats.lend(length), wipe)
  }

  zeroInts(length: number, wipe: (array: Int32Array) => void): Int32Array {
    if (length <= MAX_SHORT_LENGTH) return this.ints(length, 0)
    return this.withCleanup(this.blankInts.lend(length), wipe)
  }

  zeroBytes(length: number, wipe: (array: Uint8Array) => void): Uint8Array {
    if (length <= MAX_SHORT_LENGTH) return this.bytes(length, 0)
    return this.withCleanup(this.blankBytes.lend(length), wipe)
  }

  /** Returns an array of −1. Use it for indices that are mostly absent. */
  blankIndexArray(length: number, wipe: (array: Int32Array) => void): Int32Array {
    if (length <= MAX_SHORT_LENGTH) return this.ints(length, -1)
    return this.withCleanup(this.blankIndices.lend(length), wipe)
  }

  /** Like `zeroFloats`, but filled with −∞. */
  negativeInfinities(length: number, wipe: (array: Float64Array) => void): Float64Array {
    if (length <= MAX_SHORT_LENGTH) return this.floats(length, Number.NEGATIVE_INFINITY)
    return this.withCleanup(this.blankBounds.lend(length), wipe)
  }

  private withCleanup<A>(array: A, wipe: (array: A) => void): A {
    this.cleanups[this.inUse.length - 1] = () => wipe(array)
    return array
  }

  copy(values: Float64Array): Float64Array {
    const array = this.floats(values.length)
    array.set(values)
    return array
  }

  /** Runs a function and then returns all arrays that it borrowed. They must not be used afterwards. */
  within<T>(run: () => T): T {
    const countBefore = this.inUse.length
    try {
      return run()
    } finally {
      while (this.inUse.length > countBefore) {
        const shelf = this.inUse.pop()!
        if (this.cleanups.length > this.inUse.length) this.cleanups.pop()?.()
        shelf.lentCount--
        if (shelf.arrays.length > shelf.maxRetained && shelf.lentCount >= shelf.maxRetained) shelf.arrays.pop()
      }
    }
  }
}

/** Arrays of one type and capacity (buffer length). The first `lentCount` of them are lent. */
type Shelf<T> = { readonly arrays: T[]; readonly maxRetained: number; lentCount: number }

type NumberArray = { readonly length: number; readonly buffer: ArrayBufferLike; fill(value: number): unknown }
type ArrayClass<T> = {
  new (length: number): T
  new (buffer: ArrayBufferLike, offset: number, length: number): T
}

/** Arrays of one type and fill value, by capacity. */
class Shelves<T extends NumberArray> {
  private readonly ArrayClass: ArrayClass<T>
  private readonly capacityFor: (length: number) => number
  private readonly inUse: Shelf<unknown>[]
  private readonly fillValue: number
  /** Shelves of short arrays, which are requested most often, indexed by capacity. */
  private readonly shortShelves: (Shelf<T> | undefined)[] = []
  private readonly longShelves = new Map<number, Shelf<T>>()

  /** @param fillValue - fill value of new arrays */
  constructor(
    ArrayClass: ArrayClass<T>,
    inUse: Shelf<unknown>[],
    capacityFor: (length: number) => number,
    fillValue = 0,
  ) {
    this.ArrayClass = ArrayClass
    this.capacityFor = capacityFor
    this.inUse = inUse
    this.fillValue = fillValue
  }

  lend(length: number): T {
    const capacity = this.capacityFor(length)
    const shelf =
      (capacity <= MAX_SHORT_LENGTH ? this.shortShelves[capacity] : this.longShelves.get(capacity)) ??
      this.shelfFor(capacity)
    if (shelf.lentCount === shelf.arrays.length) shelf.arrays.push(this.create(capacity))
    this.inUse.push(shelf)
    const index = shelf.lentCount++
    const array = shelf.arrays[index]!
    if (array.length === length) return array
    const resized = new this.ArrayClass(array.buffer, 0, length)
    shelf.arrays[index] = resized
    return resized
  }

  private create(length: number): T {
    const array = new this.ArrayClass(length)
    if (this.fillValue !== 0) array.fill(this.fillValue)
    return array
  }

  private shelfFor(capacity: number): Shelf<T> {
    const shelf: Shelf<T> = { arrays: [], maxRetained: maxRetainedFor(capacity), lentCount: 0 }
    if (capacity <= MAX_SHORT_LENGTH) {
      while (this.shortShelves.length <= capacity) this.shortShelves.push(undefined)
      this.shortShelves[capacity] = shelf
    } else this.longShelves.set(capacity, shelf)
    return shelf
  }
}

/** Rounds a length up to one of a few sizes, so that arrays of growing data are reused. */
export const roundedCapacity = (length: number): number => (length <= 16 ? 16 : 2 ** (32 - Math.clz32(length - 1)))
