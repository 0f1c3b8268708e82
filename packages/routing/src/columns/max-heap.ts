/** Binary heap that returns the item with the highest `bound` first. */
export class MaxHeap<Item extends { readonly bound: number }> {
  private readonly items: Item[] = []

  push(item: Item): void {
    const { items } = this
    let index = items.length
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (items[parent]!.bound >= item.bound) break
      items[index] = items[parent]!
      index = parent
    }
    items[index] = item
  }

  pop(): Item | undefined {
    const { items } = this
    const top = items[0]
    const lastItem = items.pop()
    if (items.length === 0 || !lastItem) return top
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= items.length) break
      if (child + 1 < items.length && items[child + 1]!.bound > items[child]!.bound) child++
      if (items[child]!.bound <= lastItem.bound) break
      items[index] = items[child]!
      index = child
    }
    items[index] = lastItem
    return top
  }
}
