/** Arrays of a kind and length that are kept at least. A search takes more only where pools disagree on prices. */
const LEAST_KEPT = 32
/** Numbers that arrays of a kind and length may hold together beyond that: of short ones, thousands are kept. */
const NUMBERS_KEPT = 131_072

/**
 * Arrays that searches work on, kept between them: for a graph of many pools, making them anew takes longer than most
 * searches. They come as the last search left them, unless a value to fill them with is given.
 */
export class Scratch {
  /** Shelves that the arrays in use go back to, in the order in which they were lent. */
  private readonly inUse: Shelf<unknown>[] = []
  private readonly floatArrays = new Shelves(Float64Array, this.inUse)
  private readonly intArrays = new Shelves(Int32Array, this.inUse)
  private readonly byteArrays = new Shelves(Uint8Array, this.inUse)

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
        shelf.lent--
        if (shelf.arrays.length > shelf.kept && shelf.lent >= shelf.kept) shelf.arrays.pop()
      }
    }
  }
}

type Shelf<T> = { readonly arrays: T[]; readonly kept: number; lent: number }

/** Arrays of one kind, by length. */
class Shelves<T> {
  private readonly Kind: new (
    length: number,
  ) => T
  private readonly inUse: Shelf<unknown>[]
  private readonly byLength = new Map<number, Shelf<T>>()
  /** Mostly the same length is asked for as before. */
  private length = -1
  private shelf: Shelf<T> = { arrays: [], kept: 0, lent: 0 }

  constructor(Kind: new (length: number) => T, inUse: Shelf<unknown>[]) {
    this.Kind = Kind
    this.inUse = inUse
  }

  lend(length: number): T {
    if (length !== this.length) this.turnTo(length)
    const { shelf } = this
    if (shelf.lent === shelf.arrays.length) shelf.arrays.push(new this.Kind(length))
    this.inUse.push(shelf)
    return shelf.arrays[shelf.lent++]!
  }

  private turnTo(length: number): void {
    let shelf = this.byLength.get(length)
    if (!shelf) {
      shelf = { arrays: [], kept: Math.max(LEAST_KEPT, Math.floor(NUMBERS_KEPT / length)), lent: 0 }
      this.byLength.set(length, shelf)
    }
    this.shelf = shelf
    this.length = length
  }
}

/** A length for arrays that grow: one of a few, so that they are found again. */
export const roomFor = (length: number): number => Math.max(16, 2 ** Math.ceil(Math.log2(length)))
