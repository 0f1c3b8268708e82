/** Vertical order and position of the slots of each column: legs of a pair stay together, close to their neighbors. */

export type FlowLink = { readonly size: number; readonly left: Slot; readonly right: Slot }

export type Slot = {
  readonly kind: 'token' | 'gate' | 'pass'
  /** Token pair of a gate, or id of a token. Slots of one pair stay together. */
  readonly pair: string
  readonly flow: number
  readonly column: number
  readonly size: number
  /** Free space around the slot. */
  readonly spaceAbove: number
  readonly spaceBelow: number
  y: number
  /** y coordinate that the last sweep wanted for the middle of the slot. */
  wantedMiddle: number
  /** y coordinate by which slots of a column are sorted. */
  sortRank: number
  readonly leftLinks: FlowLink[]
  readonly rightLinks: FlowLink[]
}

/** Sweeps that reorder and place the slots; afterward, sweeps that only place the slots. */
const ORDERING_SWEEPS = 8
const PLACING_SWEEPS = 2

const middleOf = (slot: Slot): number => slot.y + slot.size / 2
const neededHeight = (column: readonly Slot[]): number =>
  column.reduce((sum, { size, spaceAbove, spaceBelow }) => sum + size + spaceAbove + spaceBelow, 0)

/**
 * Computes the position of every slot.
 *
 * @returns the total height
 */
export function placeSlots(columns: readonly Slot[][], minSize: number): number {
  const height = Math.max(minSize, ...columns.map(neededHeight))
  for (const column of columns) {
    column.sort((x, y) => y.flow - x.flow)
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
    slot.wantedMiddle = (slot.kind === 'pass' || isForward ? left : right) ?? middleOf(slot)
    // The rank uses both sides, so that slots fed from above stay above bands that only pass.
    slot.sortRank = left === undefined || right === undefined ? slot.wantedMiddle : (left + right) / 2
  }
  if (mayReorder) regroup(column)
  placeColumn(column, height)
  for (const slot of column) slot.y = slot.wantedMiddle - slot.size / 2
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
  let y = (height - neededHeight(column)) / 2
  for (const slot of column) {
    slot.y = y + slot.spaceAbove
    y += slot.spaceAbove + slot.size + slot.spaceBelow
  }
}

/** Resolves overlaps by moving slots down, then up. */
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

/** Sorts a column by the mean rank of its groups. A group has the slots of one kind and pair. */
function regroup(column: Slot[]): void {
  const slotsByGroup = new Map<string, Slot[]>()
  for (const slot of column) {
    const key = `${slot.kind} ${slot.pair}`
    const members = slotsByGroup.get(key) ?? []
    members.push(slot)
    slotsByGroup.set(key, members)
  }
  const meanRank = (slots: readonly Slot[]) =>
    slots.reduce((sum, { sortRank, size }) => sum + sortRank * size, 0) / slots.reduce((sum, { size }) => sum + size, 0)
  const sorted = [...slotsByGroup.values()].sort((x, y) => meanRank(x) - meanRank(y))
  column.splice(0, column.length, ...sorted.flatMap((slots) => slots.sort((x, y) => y.flow - x.flow)))
}
