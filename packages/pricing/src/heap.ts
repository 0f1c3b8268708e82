/** Binary heap of numbered items, the highest key first. An item may be pushed again with a higher key. */
export class MaxHeap {
  private readonly items: number[] = []
  private readonly keys: number[] = []
  private readonly breaksTie: (item: number, other: number) => boolean

  /** @param breaksTie - whether an item goes before another one with the same key */
  constructor(breaksTie: (item: number, other: number) => boolean) {
    this.breaksTie = breaksTie
  }

  private before(item: number, key: number, other: number, otherKey: number): boolean {
    return key > otherKey || (key === otherKey && this.breaksTie(item, other))
  }

  push(item: number, key: number): void {
    const { items, keys } = this
    let at = items.length
    items.push(item)
    keys.push(key)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.before(item, key, items[parent]!, keys[parent]!)) break
      items[at] = items[parent]!
      keys[at] = keys[parent]!
      at = parent
    }
    items[at] = item
    keys[at] = key
  }

  /** The item with the highest key; -1 when there is none. */
  pop(): number {
    const { items, keys } = this
    const top = items[0]
    if (top === undefined) return -1
    const item = items.pop()!
    const key = keys.pop()!
    const size = items.length
    if (size === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && this.before(items[child + 1]!, keys[child + 1]!, items[child]!, keys[child]!)) child++
      if (!this.before(items[child]!, keys[child]!, item, key)) break
      items[at] = items[child]!
      keys[at] = keys[child]!
      at = child
    }
    items[at] = item
    keys[at] = key
    return top
  }
}
