/** Arrays of a kind and length that are kept at least. A search takes more only where pools disagree on prices. */
const LEAST_KEPT = 32
/** Numbers that arrays of a kind and length may hold together beyond that: of short ones, thousands are kept. */
const NUMBERS_KEPT = 131_072
/** Arrays of a kind and length that are kept at most where they hold more, and the numbers that they may hold together. */
const MOST_LONG = 128
const LONG_NUMBERS = 4_194_304

/** Arrays up to this length are filled as they are lent: that takes less than putting back what was written. */
const SHORT = 1_024

const keptOf = (length: number): number =>
  Math.max(LEAST_KEPT, Math.floor(NUMBERS_KEPT / length), Math.min(MOST_LONG, Math.floor(LONG_NUMBERS / length)))

/**
 * Arrays that searches work on, kept between them: for a graph of many pools, making them anew takes longer than most
 * searches. They come as the last search left them, unless a value to fill them with is given.
 */
export class Scratch {
  /** Shelves that the arrays in use go back to, in the order in which they were lent, and what is to be done before. */
  private readonly inUse: Shelf<unknown>[] = []
  private readonly returning: (() => void)[] = []
  private readonly floatArrays = new Shelves(Float64Array, this.inUse)
  private readonly intArrays = new Shelves(Int32Array, this.inUse)
  private readonly byteArrays = new Shelves(Uint8Array, this.inUse)
  private readonly blankFloats = new Shelves(Float64Array, this.inUse)
  private readonly blankBytes = new Shelves(Uint8Array, this.inUse)
  private readonly blankInts = new Shelves(Int32Array, this.inUse)
  private readonly blankPlaces = new Shelves(Int32Array, this.inUse, -1)
  private readonly blankBounds = new Shelves(Float64Array, this.inUse, Number.NEGATIVE_INFINITY)

  floats(length: number, value?: number): Float64Array {
    const array = this.floatArrays.lend(length)
    return value === undefined ? array : array.fill(value)
  }

  ints(length: number, value?: number): Int32Array {
    const array = this.intArrays.lend(length)
    return value === undefined ? array : array.fill(value)
  }

  bytes(length: number, value?: number): Uint8Array {
    const array = this.byteArrays.lend(length)
    return value === undefined ? array : array.fill(value)
  }

  /**
   * Zeros of which few are written: putting those back takes less than filling the array.
   *
   * @param wipe - puts back all that was written; called as the array is returned, whatever happened before
   */
  zeroFloats(length: number, wipe: (array: Float64Array) => void): Float64Array {
    if (length <= SHORT) return this.floats(length, 0)
    return this.wiped(this.blankFloats.lend(length), wipe)
  }

  zeroInts(length: number, wipe: (array: Int32Array) => void): Int32Array {
    if (length <= SHORT) return this.ints(length, 0)
    return this.wiped(this.blankInts.lend(length), wipe)
  }

  zeroBytes(length: number, wipe: (array: Uint8Array) => void): Uint8Array {
    if (length <= SHORT) return this.bytes(length, 0)
    return this.wiped(this.blankBytes.lend(length), wipe)
  }

  /** The same of places, −1 where there is none. */
  noPlaces(length: number, wipe: (array: Int32Array) => void): Int32Array {
    if (length <= SHORT) return this.ints(length, -1)
    return this.wiped(this.blankPlaces.lend(length), wipe)
  }

  /** The same of bounds, −∞ where there is none. */
  lowest(length: number, wipe: (array: Float64Array) => void): Float64Array {
    if (length <= SHORT) return this.floats(length, Number.NEGATIVE_INFINITY)
    return this.wiped(this.blankBounds.lend(length), wipe)
  }

  private wiped<A>(array: A, wipe: (array: A) => void): A {
    this.returning[this.inUse.length - 1] = () => wipe(array)
    return array
  }

  copy(values: Float64Array): Float64Array {
    const array = this.floats(values.length)
    array.set(values)
    return array
  }

  /** Runs something whose arrays nobody needs afterwards. */
  within<T>(run: () => T): T {
    const before = this.inUse.length
    try {
      return run()
    } finally {
      while (this.inUse.length > before) {
        const shelf = this.inUse.pop()!
        if (this.returning.length > this.inUse.length) this.returning.pop()?.()
        shelf.lent--
        if (shelf.arrays.length > shelf.kept && shelf.lent >= shelf.kept) shelf.arrays.pop()
      }
    }
  }
}

type Shelf<T> = { readonly arrays: T[]; readonly kept: number; lent: number }

/** Arrays of one kind, by length. */
class Shelves<T extends { fill(value: number): unknown }> {
  private readonly Kind: new (
    length: number,
  ) => T
  private readonly inUse: Shelf<unknown>[]
  private readonly blank: number
  /** By length: of short arrays, which a search asks for most often, a look at a list. */
  private readonly short: (Shelf<T> | undefined)[] = []
  private readonly long = new Map<number, Shelf<T>>()

  /** @param blank - what new arrays are filled with */
  constructor(Kind: new (length: number) => T, inUse: Shelf<unknown>[], blank = 0) {
    this.Kind = Kind
    this.inUse = inUse
    this.blank = blank
  }

  lend(length: number): T {
    const shelf = (length <= SHORT ? this.short[length] : this.long.get(length)) ?? this.shelfFor(length)
    if (shelf.lent === shelf.arrays.length) shelf.arrays.push(this.made(length))
    this.inUse.push(shelf)
    return shelf.arrays[shelf.lent++]!
  }

  private made(length: number): T {
    const array = new this.Kind(length)
    if (this.blank !== 0) array.fill(this.blank)
    return array
  }

  private shelfFor(length: number): Shelf<T> {
    const shelf: Shelf<T> = { arrays: [], kept: keptOf(length), lent: 0 }
    if (length <= SHORT) {
      while (this.short.length <= length) this.short.push(undefined)
      this.short[length] = shelf
    } else this.long.set(length, shelf)
    return shelf
  }
}

/** A length for arrays that grow: one of a few, so that they are found again. */
export const roomFor = (length: number): number => (length <= 16 ? 16 : 2 ** (32 - Math.clz32(length - 1)))
