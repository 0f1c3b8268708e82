/**
 * Computes the positions of the shapes in the diagram of a route. Tokens are bars in columns. Pools are marks (gates)
 * between the columns. A band leads from bar to bar through a gate, and its height is proportional to its amount.
 */
import { foldThinLegs, type GraphToken, graphOf, type RouteGraph, type RouteToDraw, type ShownLeg } from './graph.ts'
import { type FlowLink, placeSlots, type Slot } from './order.ts'

export const BAR_WIDTH = 6
export const GATE_WIDTH = 6
/** Minimum height of a gate with the space around it, in pixels, so that labels do not collide. */
const MIN_ROW_HEIGHT = 24
/** Minimum height of a band in pixels, so that thin legs stay visible. */
const MIN_BAND_HEIGHT = 1.5
/** Default height above a bar for its symbol and amount, in pixels. */
const TOKEN_HEAD_HEIGHT = 40

export type LayoutOptions = {
  readonly width: number
  /** Height in pixels that represents the swap's whole amount. */
  readonly flowHeight?: number
  /** Number of gates of a token pair above which its thin legs are folded into one gate. */
  readonly maxGatesPerPair?: number
  /** True to draw each leg as its own gate. */
  readonly isUnfolded?: boolean
  /** Height above a bar for the symbol and the amount of its token. */
  readonly headHeight?: number
}

export type Bar = {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly height: number
  /** True for the source and the target token. */
  readonly isEnd: boolean
}
export type Gate = {
  readonly leg: ShownLeg
  readonly x: number
  readonly y: number
  readonly height: number
  /** Free width to the right of the gate, for its label. */
  readonly labelWidth: number
}
export type Band = { readonly leg: ShownLeg; readonly path: string }
export type Layout = {
  readonly width: number
  readonly height: number
  readonly bars: readonly Bar[]
  readonly gates: readonly Gate[]
  readonly bands: readonly Band[]
}

/** The slots that the band of a leg connects. */
type LegChain = {
  readonly leg: ShownLeg
  readonly gate: Slot
  /**
   * The bar of the input token, the gate, a passage through each column in between, and the bar of the output token.
   */
  readonly slots: readonly Slot[]
  /** Connections of consecutive slots. */
  readonly links: readonly FlowLink[]
}

export function computeLayout(route: RouteToDraw, options: LayoutOptions): Layout {
  const { width, flowHeight = 320, maxGatesPerPair = 7, isUnfolded = false, headHeight = TOKEN_HEAD_HEIGHT } = options
  const graph = graphOf(route)
  const legs = isUnfolded ? graph.legs : foldThinLegs(graph.legs, maxGatesPerPair)
  const columnStep = (width - BAR_WIDTH) / graph.lastColumn
  // Horizontal distance from a bar to the gates on its right, in which the bands of the bar spread.
  const fanWidth = Math.max(28, Math.min(88, columnStep * 0.24))
  const barX = (column: number) => column * columnStep
  const gateX = (column: number) => barX(column) + BAR_WIDTH + fanWidth

  const { columns, slotByToken } = tokenSlots(graph, flowHeight, headHeight)
  const legChains = legs.map((leg) => addLegChain(leg, slotByToken, columns, flowHeight))
  const height = placeSlots(columns, flowHeight + headHeight / 2)
  const bandOffsets = bandOffsetsOf([...slotByToken.values()])

  const bands = legChains.map(({ leg, gate, slots, links }): Band => {
    const column = slotByToken.get(leg.tokenInId)!.token.column
    const [startY, endY] = [bandOffsets.outgoing.get(links[0]!)!, bandOffsets.incoming.get(links.at(-1)!)!]
    const segments: CurveSegment[] = [[barX(column) + BAR_WIDTH, startY, gateX(column), gate.y]]
    let [x, y] = [gateX(column), gate.y]
    const curveTo = (nextX: number, nextY: number) => {
      const bend = Math.max(x, nextX - Math.max(fanWidth, columnStep * 0.22))
      segments.push([x, y, bend, y], [bend, y, nextX, nextY])
      x = nextX
      y = nextY
    }
    for (const passage of slots.slice(2, -1)) {
      const slotColumn = passage.column
      curveTo(slotColumn % 2 === 1 ? gateX((slotColumn - 1) / 2) : barX(slotColumn / 2), passage.y)
    }
    curveTo(barX(slotByToken.get(leg.tokenOutId)!.token.column), endY)
    return { leg, path: bandOutline(segments, gate.size) }
  })
  return {
    width,
    height,
    bars: [...slotByToken.values()].map(({ token: { id, column }, y, size }) => {
      return { id, x: barX(column), y, height: size, isEnd: id === graph.sourceId || id === graph.targetId }
    }),
    gates: legChains.map(({ leg, gate, slots }) => {
      const crossesColumns = slots.length > 3
      const labelWidth =
        columnStep - BAR_WIDTH - 2 * fanWidth - GATE_WIDTH - 8 + (crossesColumns ? columnStep : fanWidth * 0.35)
      return { leg, x: gateX(slotByToken.get(leg.tokenInId)!.token.column), y: gate.y, height: gate.size, labelWidth }
    }),
    bands,
  }
}

type TokenSlot = Slot & { readonly token: GraphToken }

/** Creates the columns of slots, with the tokens in the even columns. `addLegChain` adds gates and passages later. */
function tokenSlots(graph: RouteGraph, flowHeight: number, headHeight: number) {
  const columns: Slot[][] = Array.from({ length: 2 * graph.lastColumn + 1 }, () => [])
  const slotByToken = new Map<string, TokenSlot>()
  for (const token of graph.tokens) {
    const isEnd = token.id === graph.sourceId || token.id === graph.targetId
    const size = Math.max(3, token.flow * flowHeight)
    const slot = createSlot('token', token.id, token.flow, 2 * token.column, size, isEnd ? 0 : headHeight, 8)
    slotByToken.set(token.id, Object.assign(slot, { token }))
    columns[2 * token.column]!.push(slot)
  }
  return { columns, slotByToken }
}

function createSlot(
  kind: Slot['kind'],
  groupKey: string,
  flow: number,
  column: number,
  size: number,
  spaceAbove: number,
  spaceBelow: number,
): Slot {
  return {
    kind,
    groupKey,
    flow,
    column,
    size,
    spaceAbove,
    spaceBelow,
    y: 0,
    preferredMiddle: 0,
    sortRank: 0,
    leftLinks: [],
    rightLinks: [],
  }
}

/** Adds the gate of a leg, and its passages through the columns in between, to `columns`. */
function addLegChain(
  leg: ShownLeg,
  slotByToken: ReadonlyMap<string, TokenSlot>,
  columns: Slot[][],
  flowHeight: number,
): LegChain {
  const from = slotByToken.get(leg.tokenInId)!
  const to = slotByToken.get(leg.tokenOutId)!
  const size = Math.max(MIN_BAND_HEIGHT, leg.flow * flowHeight)
  const padding = Math.max(0, (MIN_ROW_HEIGHT - size) / 2) + (size > MIN_ROW_HEIGHT ? 3 : 0)
  const groupKey = `${leg.tokenInId}>${leg.tokenOutId}`
  const gate = createSlot('gate', groupKey, leg.flow, from.column + 1, size, padding, padding)
  columns[gate.column]!.push(gate)
  const slots: Slot[] = [from, gate]
  for (let column = from.column + 2; column < to.column; column++) {
    const passage = createSlot('pass', groupKey, leg.flow, column, size, 8, 8)
    columns[column]!.push(passage)
    slots.push(passage)
  }
  slots.push(to)
  const links = slots.slice(1).map((right, k): FlowLink => {
    const link = { size, left: slots[k]!, right }
    link.left.rightLinks.push(link)
    right.leftLinks.push(link)
    return link
  })
  return { leg, gate, slots, links }
}

/**
 * Computes the y coordinates at which bands leave and reach each bar. The bands of a bar are stacked in the vertical
 * order of their other ends.
 */
function bandOffsetsOf(bars: readonly Slot[]) {
  const middle = (slot: Slot) => slot.y + slot.size / 2
  const outgoing = new Map<FlowLink, number>()
  const incoming = new Map<FlowLink, number>()
  for (const bar of bars)
    for (const [links, opposite, offsets] of [
      [bar.rightLinks, 'right', outgoing],
      [bar.leftLinks, 'left', incoming],
    ] as const) {
      const totalSize = links.reduce((sum, { size }) => sum + size, 0)
      const scale = Math.min(1, bar.size / (totalSize || 1))
      let y = bar.y + Math.max(0, (bar.size - totalSize) / 2)
      for (const link of [...links].sort((a, b) => middle(a[opposite]) - middle(b[opposite]))) {
        offsets.set(link, y)
        y += link.size * scale
      }
    }
  return { outgoing, incoming }
}

type CurveSegment = readonly [startX: number, startY: number, endX: number, endY: number]

/** Returns the outline of a band as one closed path, because between separate pieces seams would be visible. */
function bandOutline(segments: readonly CurveSegment[], height: number): string {
  const format = (value: number) => value.toFixed(1)
  const edgePath = (edgeSegments: readonly CurveSegment[], offset: number) =>
    edgeSegments
      .map(([x0, y0, x1, y1]) => {
        const middle = format((x0 + x1) / 2)
        if (Math.abs(y0 - y1) < 0.05) return `L${format(x1)} ${format(y1 + offset)}`
        return `C${middle} ${format(y0 + offset)} ${middle} ${format(y1 + offset)} ${format(x1)} ${format(y1 + offset)}`
      })
      .join('')
  const reversedSegments = [...segments].reverse().map(([x0, y0, x1, y1]): CurveSegment => [x1, y1, x0, y0])
  const [startX, startY] = segments[0]!
  const [, , endX, endY] = segments.at(-1)!
  return `M${format(startX)} ${format(startY)}${edgePath(segments, 0)}L${format(endX)} ${format(endY + height)}${edgePath(reversedSegments, height)}Z`
}
