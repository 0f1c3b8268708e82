import { LRUCache } from 'lru-cache'

/** Entries of something with a limit, and those dropped so far to keep to it. */
export type StateCount = { readonly entries: number; readonly evicted: number }

type Value = NonNullable<unknown>

export type BoundedOptions<V> = {
  /** Milliseconds after which an entry counts as absent. */
  readonly ttl?: number
  /** Told of what is dropped to keep to the limit. */
  readonly onEvict?: (value: V) => void
}

/** A map with a limit: what was used longest ago goes first, and is counted. */
export class Bounded<K extends Value, V extends Value> {
  private readonly entries: LRUCache<K, V>
  private evicted = 0

  constructor(max: number, { ttl, onEvict }: BoundedOptions<V> = {}) {
    this.entries = new LRUCache<K, V>({
      // As a size, of one for each entry: `max` would set aside room for all of them at once, megabytes of each chain that wakes.
      maxSize: max,
      sizeCalculation: () => 1,
      ...(ttl !== undefined && { ttl }),
      dispose: (value, _key, reason) => {
        if (reason !== 'evict') return
        this.evicted++
        onEvict?.(value)
      },
    })
  }

  get count(): StateCount {
    return { entries: this.entries.size, evicted: this.evicted }
  }

  get size(): number {
    return this.entries.size
  }

  get(key: K): V | undefined {
    return this.entries.get(key)
  }

  /** Without counting as used. */
  peek(key: K): V | undefined {
    return this.entries.peek(key)
  }

  has(key: K): boolean {
    return this.entries.has(key)
  }

  set(key: K, value: V): void {
    this.entries.set(key, value)
  }

  delete(key: K): boolean {
    return this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }

  keys(): Iterable<K> {
    return this.entries.keys()
  }

  values(): Iterable<V> {
    return this.entries.values()
  }

  [Symbol.iterator](): IterableIterator<[K, V]> {
    return this.entries.entries()
  }
}
