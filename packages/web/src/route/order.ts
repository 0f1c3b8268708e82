/** Vertical order and position of the slots of each column: legs of a pair stay together, close to their neighbors. */

export type FlowLink = { readonly size: number; readonly left: Slot; readonly right: Slot }

export type Slot = {
  readonly kind: 'token' | 'gate' | 'pass'
  /** Key of the gates that stay together. */
  readonly pair: string
  readonly flow: number
  readonly column: number
  readonly size: number
  /** Free space around the slot. */
  readonly above: number
  readonly below: number
  y: number
  want: number
  rank: number
  readonly left: FlowLink[]
  readonly right: FlowLink[]
}

/** Number of sweeps that order and place, then of sweeps that only place. */
const ORDERING = 8
const PLACING = 2

const middle = (slot: Slot): number => slot.y + slot.size / 2
const roomOf = (column: readonly Slot[]): number =>
  column.reduce((sum, { size, above, below }) => sum + size + above + below, 0)

/**
 * Computes the position of every slot.
 *
 * @returns the total height
 */
export function order(columns: readonly Slot[][], minSize: number): number {
  const height = Math.max(minSize, ...columns.map(roomOf))
  for (const column of columns) {
    column.sort((x, y) => y.flow - x.flow)
    placeColumn(column, height)
  }
  for (let round = 0; round < ORDERING + PLACING; round++) {
    const forward = round % 2 === 0
    for (const column of forward ? columns : [...columns].reverse()) sweep(column, forward, round < ORDERING, height)
  }
  const allSlots = columns.flat()
  const top = Math.min(...allSlots.map(({ y, above }) => y - above))
  for (const slot of allSlots) slot.y -= top
  return Math.max(...allSlots.map(({ y, size, below }) => y + size + below))
}

function sweep(column: Slot[], forward: boolean, ordering: boolean, height: number): void {
  for (const slot of column) {
    const left = pull(slot.left, 'left')
    const right = pull(slot.right, 'right')
    slot.want = (slot.kind === 'pass' || forward ? left : right) ?? middle(slot)
    // The rank uses both sides, so that slots fed from above stay above bands that only pass.
    slot.rank = left === undefined || right === undefined ? slot.want : (left + right) / 2
  }
  if (ordering) regroup(column)
  placeColumn(column, height)
  for (const slot of column) slot.y = slot.want - slot.size / 2
  separate(column, height)
}

/** Returns the mean position of the other ends, weighted by size. */
function pull(links: readonly FlowLink[], side: 'left' | 'right'): number | undefined {
  const weight = links.reduce((sum, { size }) => sum + size, 0)
  if (weight === 0) return undefined
  return links.reduce((sum, link) => sum + middle(link[side]) * link.size, 0) / weight
}

/** Stacks the slots, centered vertically. */
function placeColumn(column: readonly Slot[], height: number): void {
  let y = (height - roomOf(column)) / 2
  for (const slot of column) {
    slot.y = y + slot.above
    y += slot.above + slot.size + slot.below
  }
}

/** Resolves overlaps by moving slots down, then up. */
function separate(column: readonly Slot[], height: number): void {
  let y = 0
  for (const slot of column) {
    slot.y = Math.max(slot.y, y + slot.above)
    y = slot.y + slot.size + slot.below
  }
  y = height
  for (const slot of [...column].reverse()) {
    slot.y = Math.min(slot.y, y - slot.below - slot.size)
    y = slot.y - slot.above
  }
}

function regroup(column: Slot[]): void {
  const together = new Map<string, Slot[]>()
  for (const slot of column) {
    const key = `${slot.kind} ${slot.pair}`
    const members = together.get(key) ?? []
    members.push(slot)
    together.set(key, members)
  }
  const mean = (slots: readonly Slot[]) =>
    slots.reduce((sum, { rank, size }) => sum + rank * size, 0) / slots.reduce((sum, { size }) => sum + size, 0)
  const sorted = [...together.values()].sort((x, y) => mean(x) - mean(y))
  column.splice(0, column.length, ...sorted.flatMap((slots) => slots.sort((x, y) => y.flow - x.flow)))
}
