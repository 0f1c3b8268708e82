/** Place of a value in a list; taken out, it leads nowhere. */
export type Link<T> = {
  readonly value: T
  previous: Link<T> | undefined
  next: Link<T> | undefined
  isIn: boolean
}

/**
 * Values in order of entry that come and go by the thousand, of which the list keeps nothing. V8 leaves what was in a `Map` or `Set`
 * in the table that it grew out of, and each such table linked to the next. Under load, some of the tables are old by then, and
 * all that was under way as they were left outlives every collection of the young generation.
 */
export class LinkedList<T> {
  first: Link<T> | undefined
  last: Link<T> | undefined
  size = 0

  add(value: T): Link<T> {
    const link: Link<T> = { value, previous: this.last, next: undefined, isIn: true }
    if (this.last) this.last.next = link
    else this.first = link
    this.last = link
    this.size++
    return link
  }

  /** False where it was taken out before. */
  remove(link: Link<T>): boolean {
    if (!link.isIn) return false
    const { previous, next } = link
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.last = previous
    link.previous = undefined
    link.next = undefined
    link.isIn = false
    this.size--
    return true
  }
}
