/** Map with a maximum number of entries that counts evictions. */
import { LRUCache } from 'lru-cache'

/** Current entries of a bounded map, and entries evicted so far. */
export type StateCount = { readonly entries: number; readonly evicted: number }

type Value = NonNullable<unknown>

export type BoundedOptions<V> = {
  /** Milliseconds after which an entry expires. */
  readonly ttl?: number
  /** Called with each entry evicted because of the limit. */
  readonly onEvict?: (value: V) => void
}

/** Map that evicts the least recently used entry at a limit, and counts evictions. */
export class BoundedMap<K extends Value, V extends Value> {
  private readonly entries: LRUCache<K, V>
  private evictedCount = 0

  constructor(max: number, { ttl, onEvict }: BoundedOptions<V> = {}) {
    this.entries = new LRUCache<K, V>({
      // Limit by size 1 per entry: `max` would preallocate all entries, megabytes per chain.
      maxSize: max,
      sizeCalculation: () => 1,
      ...(ttl !== undefined && { ttl }),
      dispose: (value, _key, reason) => {
        if (reason !== 'evict') return
        this.evictedCount++
        onEvict?.(value)
      },
    })
  }

  get count(): StateCount {
    return { entries: this.entries.size, evicted: this.evictedCount }
  }

  get size(): number {
    return this.entries.size
  }

  get(key: K): V | undefined {
    return this.entries.get(key)
  }

  /** Returns a value without marking it as recently used. */
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
