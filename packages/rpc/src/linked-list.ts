/** Doubly linked list for queues with many short-lived entries. */

/** Entry of the list. Its links to other entries are cleared when it is removed. */
export type Link<T> = {
  readonly value: T
  previous: Link<T> | undefined
  next: Link<T> | undefined
  isLinked: boolean
}

/**
 * Queue of values with O(1) removal, used instead of `Map` or `Set` because of garbage collection. When a V8 hash table
 * grows, the old table keeps its entries and a link to the new table. Under load, old tables are promoted to the old
 * generation. All values that they contain then survive every minor collection.
 */
export class LinkedList<T> {
  first: Link<T> | undefined
  last: Link<T> | undefined
  size = 0

  add(value: T): Link<T> {
    const link: Link<T> = { value, previous: this.last, next: undefined, isLinked: true }
    if (this.last) this.last.next = link
    else this.first = link
    this.last = link
    this.size++
    return link
  }

  /** Removes a link. Returns false if it was removed before. */
  remove(link: Link<T>): boolean {
    if (!link.isLinked) return false
    const { previous, next } = link
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.last = previous
    link.previous = undefined
    link.next = undefined
    link.isLinked = false
    this.size--
    return true
  }
}
