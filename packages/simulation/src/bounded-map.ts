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
export class BoundedMap<K extends Value, V extends Value> extends LRUCache<K, V> {
  private readonly evictions: { count: number }

  constructor(max: number, { ttl, onEvict }: BoundedOptions<V> = {}) {
    const evictions = { count: 0 }
    super({
      // Limit by size 1 per entry: `max` would preallocate all entries, megabytes per chain.
      maxSize: max,
      sizeCalculation: () => 1,
      ...(ttl !== undefined && { ttl }),
      dispose: (value, _key, reason) => {
        if (reason !== 'evict') return
        evictions.count++
        onEvict?.(value)
      },
    })
    this.evictions = evictions
  }

  get count(): StateCount {
    return { entries: this.size, evicted: this.evictions.count }
  }
}
