/** Arrays of a kind and length that are kept. A search takes more only where pools disagree on prices. */
const MOST_KEPT = 8

/**
 * Arrays that searches work on, kept between them: for a graph of many pools, making them anew takes longer than most
 * searches. They come as the last search left them, unless a value to fill them with is given.
 */
export class Scratch {
  private readonly floatsOf = new Map<number, Shelf<Float64Array>>()
  private readonly intsOf = new Map<number, Shelf<Int32Array>>()
  private readonly bytesOf = new Map<number, Shelf<Uint8Array>>()
  /** Where the arrays in use go back to, in the order in which they were lent. */
  private readonly inUse: Shelf<unknown>[] = []

  floats(length: number, value?: number): Float64Array {
    const array = this.lend(this.floatsOf, length, () => new Float64Array(length))
    return value === undefined ? array : array.fill(value)
  }

  ints(length: number, value?: number): Int32Array {
    const array = this.lend(this.intsOf, length, () => new Int32Array(length))
    return value === undefined ? array : array.fill(value)
  }

  bytes(length: number, value?: number): Uint8Array {
    const array = this.lend(this.bytesOf, length, () => new Uint8Array(length))
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
        if (shelf.arrays.length > MOST_KEPT && shelf.lent >= MOST_KEPT) shelf.arrays.pop()
      }
    }
  }

  private lend<T>(shelves: Map<number, Shelf<T>>, length: number, make: () => T): T {
    let shelf = shelves.get(length)
    if (!shelf) {
      shelf = { arrays: [], lent: 0 }
      shelves.set(length, shelf)
    }
    if (shelf.lent === shelf.arrays.length) shelf.arrays.push(make())
    this.inUse.push(shelf)
    return shelf.arrays[shelf.lent++]!
  }
}

/** A length for arrays that grow: one of a few, so that they are found again. */
export const roomFor = (length: number): number => Math.max(16, 2 ** Math.ceil(Math.log2(length)))

type Shelf<T> = { readonly arrays: T[]; lent: number }
