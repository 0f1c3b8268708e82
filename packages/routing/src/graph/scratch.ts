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
  private readonly floatArrays: Shelves<Float64Array>
  private readonly intArrays: Shelves<Int32Array>
  private readonly byteArrays: Shelves<Uint8Array>
  private readonly blankFloats: Shelves<Float64Array>
  private readonly blankBytes: Shelves<Uint8Array>
  private readonly blankInts: Shelves<Int32Array>
  private readonly blankPlaces: Shelves<Int32Array>
  private readonly blankBounds: Shelves<Float64Array>
  private parts: Scratch | null = null

  /** @param roomOf - the length of the arrays that those of a length are the beginning of */
  constructor(roomOf = (length: number) => length) {
    const { inUse } = this
    this.floatArrays = new Shelves(Float64Array, inUse, roomOf)
    this.intArrays = new Shelves(Int32Array, inUse, roomOf)
    this.byteArrays = new Shelves(Uint8Array, inUse, roomOf)
    this.blankFloats = new Shelves(Float64Array, inUse, roomOf)
    this.blankBytes = new Shelves(Uint8Array, inUse, roomOf)
    this.blankInts = new Shelves(Int32Array, inUse, roomOf)
    this.blankPlaces = new Shelves(Int32Array, inUse, roomOf, -1)
    this.blankBounds = new Shelves(Float64Array, inUse, roomOf, Number.NEGATIVE_INFINITY)
  }

  /** For searches on parts of a graph, hardly two of which have as many tokens and edges. */
  get ofParts(): Scratch {
    this.parts ??= new Scratch(roomFor)
    return this.parts
  }

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

type Numbers = { readonly length: number; readonly buffer: ArrayBufferLike; fill(value: number): unknown }
type Kind<T> = {
  new (length: number): T
  new (buffer: ArrayBufferLike, offset: number, length: number): T
}

/** Arrays of one kind, by length. */
class Shelves<T extends Numbers> {
  private readonly Kind: Kind<T>
  private readonly roomOf: (length: number) => number
  private readonly inUse: Shelf<unknown>[]
  private readonly blank: number
  /** By length: of short arrays, which a search asks for most often, a look at a list. */
  private readonly short: (Shelf<T> | undefined)[] = []
  private readonly long = new Map<number, Shelf<T>>()

  /** @param blank - what new arrays are filled with */
  constructor(Kind: Kind<T>, inUse: Shelf<unknown>[], roomOf: (length: number) => number, blank = 0) {
    this.Kind = Kind
    this.roomOf = roomOf
    this.inUse = inUse
    this.blank = blank
  }

  lend(length: number): T {
    const room = this.roomOf(length)
    const shelf = (room <= SHORT ? this.short[room] : this.long.get(room)) ?? this.shelfFor(room)
    if (shelf.lent === shelf.arrays.length) shelf.arrays.push(this.made(room))
    this.inUse.push(shelf)
    const place = shelf.lent++
    const array = shelf.arrays[place]!
    if (array.length === length) return array
    const beginning = new this.Kind(array.buffer, 0, length)
    shelf.arrays[place] = beginning
    return beginning
  }

  private made(length: number): T {
    const array = new this.Kind(length)
    if (this.blank !== 0) array.fill(this.blank)
    return array
  }

  private shelfFor(room: number): Shelf<T> {
    const shelf: Shelf<T> = { arrays: [], kept: keptOf(room), lent: 0 }
    if (room <= SHORT) {
      while (this.short.length <= room) this.short.push(undefined)
      this.short[room] = shelf
    } else this.long.set(room, shelf)
    return shelf
  }
}

/** A length for arrays that grow: one of a few, so that they are found again. */
export const roomFor = (length: number): number => (length <= 16 ? 16 : 2 ** (32 - Math.clz32(length - 1)))
