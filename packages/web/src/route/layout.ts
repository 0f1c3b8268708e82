/**
 * Computes the layout of a route's bars, gates, and bands. Tokens are bars in columns, pools are gates between the
 * columns, and the height of a band is its share of the order. Pure functions from sizes to geometry.
 */
import { type Drawn, fold, type GraphToken, graphOf, type RouteGraph, type ShownLeg } from './graph.ts'
import { type FlowLink, order, type Slot } from './order.ts'

export const BAR = 6
export const GATE = 6
/** Minimum row height of a gate, so that labels do not collide. */
const ROW = 24
const THINNEST = 1.5
/** Height above a bar for its symbol and amount. */
const TOKEN_HEAD = 40

export type LayoutOptions = {
  readonly width: number
  /** Height that represents the whole order. */
  readonly flowHeight?: number
  /** Number of legs of a pair from which thin legs fold. */
  readonly maxLegs?: number
  readonly unfolded?: boolean
  readonly head?: number
}

export type Bar = {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly height: number
  readonly isEnd: boolean
}
export type Gate = {
  readonly leg: ShownLeg
  readonly x: number
  readonly y: number
  readonly height: number
  /** Width for the label. */
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

type Chain = {
  readonly leg: ShownLeg
  readonly gate: Slot
  readonly slots: readonly Slot[]
  readonly links: readonly FlowLink[]
}

export function layout(route: Drawn, options: LayoutOptions): Layout {
  const { width, flowHeight = 320, maxLegs = 7, unfolded = false, head = TOKEN_HEAD } = options
  const graph = graphOf(route)
  const legs = unfolded ? graph.legs : fold(graph.legs, maxLegs)
  const step = (width - BAR) / graph.last
  const fan = Math.max(28, Math.min(88, step * 0.24))
  const barAt = (column: number) => column * step
  const gateAt = (column: number) => barAt(column) + BAR + fan

  const { columns, bySlot } = tokenSlots(graph, flowHeight, head)
  const chains = legs.map((leg) => chainOf(leg, bySlot, columns, flowHeight))
  const height = order(columns, flowHeight + head / 2)
  const ports = portsOf([...bySlot.values()])

  const bands = chains.map(({ leg, gate, slots, links }): Band => {
    const column = bySlot.get(leg.a)!.token.column
    const [enter, leave] = [ports.out.get(links[0]!)!, ports.into.get(links.at(-1)!)!]
    const segments: Piece[] = [[barAt(column) + BAR, enter, gateAt(column), gate.y]]
    let [x, y] = [gateAt(column), gate.y]
    const curveTo = (nextX: number, nextY: number) => {
      const bend = Math.max(x, nextX - Math.max(fan, step * 0.22))
      segments.push([x, y, bend, y], [bend, y, nextX, nextY])
      x = nextX
      y = nextY
    }
    for (const pass of slots.slice(2, -1)) {
      const index = pass.column
      curveTo(index % 2 === 1 ? gateAt((index - 1) / 2) : barAt(index / 2), pass.y)
    }
    curveTo(barAt(bySlot.get(leg.b)!.token.column), leave)
    return { leg, path: outline(segments, gate.size) }
  })
  return {
    width,
    height,
    bars: [...bySlot.values()].map(({ token: { id, column }, y, size }) => {
      return { id, x: barAt(column), y, height: size, isEnd: id === graph.src || id === graph.dst }
    }),
    gates: chains.map(({ leg, gate, slots }) => {
      const passes = slots.length > 3
      const labelWidth = step - BAR - 2 * fan - GATE - 8 + (passes ? step : fan * 0.35)
      return { leg, x: gateAt(bySlot.get(leg.a)!.token.column), y: gate.y, height: gate.size, labelWidth }
    }),
    bands,
  }
}

type TokenSlot = Slot & { readonly token: GraphToken }

/** Places tokens in even columns, and gates and passing bands in odd columns. */
function tokenSlots(graph: RouteGraph, flowHeight: number, head: number) {
  const columns: Slot[][] = Array.from({ length: 2 * graph.last + 1 }, () => [])
  const bySlot = new Map<string, TokenSlot>()
  for (const token of graph.tokens) {
    const isEnd = token.id === graph.src || token.id === graph.dst
    const size = Math.max(3, token.flow * flowHeight)
    const slot = slotOf('token', token.id, token.flow, 2 * token.column, size, isEnd ? 0 : head, 8)
    bySlot.set(token.id, Object.assign(slot, { token }))
    columns[2 * token.column]!.push(slot)
  }
  return { columns, bySlot }
}

function slotOf(
  kind: Slot['kind'],
  pair: string,
  flow: number,
  column: number,
  size: number,
  above: number,
  below: number,
): Slot {
  return { kind, pair, flow, column, size, above, below, y: 0, want: 0, rank: 0, left: [], right: [] }
}

function chainOf(leg: ShownLeg, bySlot: ReadonlyMap<string, TokenSlot>, columns: Slot[][], flowHeight: number): Chain {
  const from = bySlot.get(leg.a)!
  const to = bySlot.get(leg.b)!
  const size = Math.max(THINNEST, leg.flow * flowHeight)
  const pad = Math.max(0, (ROW - size) / 2) + (size > ROW ? 3 : 0)
  const pair = `${leg.a}>${leg.b}`
  const gate = slotOf('gate', pair, leg.flow, from.column + 1, size, pad, pad)
  columns[gate.column]!.push(gate)
  const slots: Slot[] = [from, gate]
  for (let column = from.column + 2; column < to.column; column++) {
    const pass = slotOf('pass', pair, leg.flow, column, size, 8, 8)
    columns[column]!.push(pass)
    slots.push(pass)
  }
  slots.push(to)
  const links = slots.slice(1).map((right, k): FlowLink => {
    const link = { size, left: slots[k]!, right }
    link.left.right.push(link)
    right.left.push(link)
    return link
  })
  return { leg, gate, slots, links }
}

/** Computes the vertical offsets where bands leave and meet a bar, sorted by the position of their other ends. */
function portsOf(bars: readonly Slot[]) {
  const middle = (slot: Slot) => slot.y + slot.size / 2
  const out = new Map<FlowLink, number>()
  const into = new Map<FlowLink, number>()
  for (const bar of bars)
    for (const [links, opposite, ports] of [
      [bar.right, 'right', out],
      [bar.left, 'left', into],
    ] as const) {
      const total = links.reduce((sum, { size }) => sum + size, 0)
      const squeeze = Math.min(1, bar.size / (total || 1))
      let y = bar.y + Math.max(0, (bar.size - total) / 2)
      for (const link of [...links].sort((p, q) => middle(p[opposite]) - middle(q[opposite]))) {
        ports.set(link, y)
        y += link.size * squeeze
      }
    }
  return { out, into }
}

/** x and y of both ends. */
type Piece = readonly [number, number, number, number]

/** Returns one closed outline per leg: along the upper edge and back along the lower edge. Separate pieces would show seams. */
function outline(segments: readonly Piece[], height: number): string {
  const f = (value: number) => value.toFixed(1)
  const edge = (list: readonly Piece[], offset: number) =>
    list
      .map(([x0, y0, x1, y1]) => {
        const middle = f((x0 + x1) / 2)
        if (Math.abs(y0 - y1) < 0.05) return `L${f(x1)} ${f(y1 + offset)}`
        return `C${middle} ${f(y0 + offset)} ${middle} ${f(y1 + offset)} ${f(x1)} ${f(y1 + offset)}`
      })
      .join('')
  const reversedPieces = [...segments].reverse().map(([x0, y0, x1, y1]): Piece => [x1, y1, x0, y0])
  const [startX, startY] = segments[0]!
  const [, , endX, endY] = segments.at(-1)!
  return `M${f(startX)} ${f(startY)}${edge(segments, 0)}L${f(endX)} ${f(endY + height)}${edge(reversedPieces, height)}Z`
}
