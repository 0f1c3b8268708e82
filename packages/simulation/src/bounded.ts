import { LRUCache } from 'lru-cache'

/** How full something with a limit is, and how much of it was dropped so far to keep to the limit. */
export type StateCount = { readonly entries: number; readonly evicted: number }

type Value = NonNullable<unknown>

export type BoundedOptions = {
  /** Milliseconds after which an entry counts as absent. */
  readonly ttl?: number
}

/** A map with a limit: what was used longest ago goes first, and is counted. */
export class Bounded<K extends Value, V extends Value> {
  private readonly entries: LRUCache<K, V>
  private evicted = 0

  constructor(max: number, { ttl }: BoundedOptions = {}) {
    this.entries = new LRUCache<K, V>({
      max,
      ...(ttl !== undefined && { ttl }),
      dispose: (_value, _key, reason) => {
        if (reason === 'evict') this.evicted++
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

  [Symbol.iterator](): Iterator<[K, V]> {
    return this.entries.entries()
  }
}
