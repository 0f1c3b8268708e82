/**
 * Orders and places the tokens, pools, and bands in each column of the route diagram, for `layout.ts`. The legs of a
 * token pair stay together, close to their tokens. A sweep visits the columns from left to right, or from right to left,
 * and moves each slot toward its neighbors.
 */

/** Connection of slots in two neighboring columns, with the height of its band. */
export type FlowLink = { readonly size: number; readonly left: Slot; readonly right: Slot }

/**
 * A place in a column: the bar of a token (`token`), the mark of a leg's pool (`gate`), or the place where a band
 * crosses the column (`pass`).
 */
export type Slot = {
  readonly kind: 'token' | 'gate' | 'pass'
  /** Token pair of a `gate` or `pass`, or id of a `token`. Slots of one kind with the same key stay together. */
  readonly groupKey: string
  /** Fraction of the swap's amount, 0 to 1. */
  readonly flow: number
  readonly column: number
  /** Height in pixels. */
  readonly size: number
  /** Free space around the slot. */
  readonly spaceAbove: number
  readonly spaceBelow: number
  y: number
  /** y coordinate at which the latest sweep would place the middle of the slot, if the column had no other slot. */
  preferredMiddle: number
  /** y coordinate by which slots of a column are sorted. */
  sortRank: number
  readonly leftLinks: FlowLink[]
  readonly rightLinks: FlowLink[]
}

/** Number of sweeps that reorder and place the slots. */
const ORDERING_SWEEPS = 8
/** Number of later sweeps, which place the slots without reordering them. */
const PLACING_SWEEPS = 2

const middleOf = (slot: Slot): number => slot.y + slot.size / 2
const neededHeightOf = (column: readonly Slot[]): number =>
  column.reduce((sum, { size, spaceAbove, spaceBelow }) => sum + size + spaceAbove + spaceBelow, 0)

/**
 * Computes the position of every slot.
 *
 * @returns the total height
 */
export function placeSlots(columns: readonly Slot[][], minHeight: number): number {
  const height = Math.max(minHeight, ...columns.map(neededHeightOf))
  for (const column of columns) {
    column.sort((a, b) => b.flow - a.flow)
    placeColumn(column, height)
  }
  for (let round = 0; round < ORDERING_SWEEPS + PLACING_SWEEPS; round++) {
    const isForward = round % 2 === 0
    for (const column of isForward ? columns : [...columns].reverse())
      sweep(column, isForward, round < ORDERING_SWEEPS, height)
  }
  const allSlots = columns.flat()
  const top = Math.min(...allSlots.map(({ y, spaceAbove }) => y - spaceAbove))
  for (const slot of allSlots) slot.y -= top
  return Math.max(...allSlots.map(({ y, size, spaceBelow }) => y + size + spaceBelow))
}

function sweep(column: Slot[], isForward: boolean, mayReorder: boolean, height: number): void {
  for (const slot of column) {
    const left = neighborMiddle(slot.leftLinks, 'left')
    const right = neighborMiddle(slot.rightLinks, 'right')
    slot.preferredMiddle = (slot.kind === 'pass' || isForward ? left : right) ?? middleOf(slot)
    // Averages both sides. With the right side alone, a sweep to the left would ignore the left neighbors, and more
    // bands would cross.
    slot.sortRank = left === undefined || right === undefined ? slot.preferredMiddle : (left + right) / 2
  }
  if (mayReorder) regroup(column)
  placeColumn(column, height)
  for (const slot of column) slot.y = slot.preferredMiddle - slot.size / 2
  separate(column, height)
}

/** Returns the mean middle of the neighbors on one side, weighted by link size; undefined without neighbors. */
function neighborMiddle(links: readonly FlowLink[], side: 'left' | 'right'): number | undefined {
  const weight = links.reduce((sum, { size }) => sum + size, 0)
  if (weight === 0) return undefined
  return links.reduce((sum, link) => sum + middleOf(link[side]) * link.size, 0) / weight
}

/** Stacks the slots, centered vertically. */
function placeColumn(column: readonly Slot[], height: number): void {
  let y = (height - neededHeightOf(column)) / 2
  for (const slot of column) {
    slot.y = y + slot.spaceAbove
    y += slot.spaceAbove + slot.size + slot.spaceBelow
  }
}

/** Removes overlaps: moves slots down, and then up if the last ones are below the column. */
function separate(column: readonly Slot[], height: number): void {
  let y = 0
  for (const slot of column) {
    slot.y = Math.max(slot.y, y + slot.spaceAbove)
    y = slot.y + slot.size + slot.spaceBelow
  }
  y = height
  for (const slot of [...column].reverse()) {
    slot.y = Math.min(slot.y, y - slot.spaceBelow - slot.size)
    y = slot.y - slot.spaceAbove
  }
}

/** Sorts the groups of a column by their mean rank. A group contains the slots with the same kind and `groupKey`. */
function regroup(column: Slot[]): void {
  const slotsByGroup = new Map<string, Slot[]>()
  for (const slot of column) {
    const key = `${slot.kind} ${slot.groupKey}`
    const members = slotsByGroup.get(key) ?? []
    members.push(slot)
    slotsByGroup.set(key, members)
  }
  const meanRank = (slots: readonly Slot[]) =>
    slots.reduce((sum, { sortRank, size }) => sum + sortRank * size, 0) / slots.reduce((sum, { size }) => sum + size, 0)
  const sortedGroups = [...slotsByGroup.values()].sort((a, b) => meanRank(a) - meanRank(b))
  column.splice(0, column.length, ...sortedGroups.flatMap((slots) => slots.sort((a, b) => b.flow - a.flow)))
}
