/** The drawing of a route: one diagram; on narrow screens a compact one, and a strip per token pair that opens on tap. */
import type { Route } from '@sluice/client'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { compact } from '../format/amount.ts'
import type { TokenOf } from '../service/tokens.ts'
import { Percent } from '../ui/Num.tsx'
import { graphOf, stripsOf } from './graph.ts'
import { LegCard } from './LegCard.tsx'
import { type Layout, layout } from './layout.ts'
import { Sankey, type SankeyProps } from './Sankey.tsx'

export type DrawnRoute = Pick<Route, 'src' | 'dst' | 'swaps' | 'fromAmount'>

/** Width in pixels below which the diagram has no room for names, so that a strip per token pair shows them. */
const STRIPS_BELOW = 560
const CARD = { width: 288, height: 190 }

type Props = {
  readonly route: DrawnRoute
  readonly tokenOf: TokenOf
  readonly highlighted: number | null
  readonly onLight: (leg: number | null) => void
}

export function Flow({ route, tokenOf, highlighted, onLight }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [unfolded, setUnfolded] = useState(false)
  const [cardPosition, setAt] = useState({ left: 0, top: 0 })
  // Label widths depend on the page's font, so the drawing is repeated once the font has loaded.
  const [, typeCame] = useState(false)
  useLayoutEffect(() => {
    const measure = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(box.current!)
      setWidth(Math.floor(box.current!.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box.current!)
    document.fonts?.ready.then(() => typeCame(true))
    return () => observer.disconnect()
  }, [])

  const light: SankeyProps['onLight'] = (leg, gate) => {
    onLight(leg)
    const outer = box.current?.parentElement
    if (leg === null || !gate || !outer) return
    const from = outer.getBoundingClientRect()
    const mark = gate.querySelector('.gt__b')!.getBoundingClientRect()
    const cardTop = mark.height > 168 ? mark.top + mark.height / 2 + 16 : mark.bottom + 8
    setAt({
      left: Math.max(8, Math.min(mark.left - from.left + 16, from.width - CARD.width - 16)),
      top: Math.min(cardTop - from.top, Math.max(mark.top - from.top - CARD.height, from.height - CARD.height)),
    })
  }
  const amounts = useMemo(() => amountsOf(route, tokenOf), [route, tokenOf])
  const sharedProps = { highlighted, onLight: light, onUnfold: () => setUnfolded(true) }
  return (
    <div className="flow" ref={box}>
      {width > 0 && (
        <Whole
          route={route}
          width={width}
          unfolded={unfolded}
          compact={width < STRIPS_BELOW}
          symbol={(address) => tokenOf(address).symbol}
          amount={(address) => amounts.get(address) ?? ''}
          {...sharedProps}
        />
      )}
      {width > 0 && width < STRIPS_BELOW && route.swaps.length > 1 && (
        <Strips route={route} width={width} unfolded={unfolded} tokenOf={tokenOf} {...sharedProps} />
      )}
      {highlighted !== null && route.swaps[highlighted] && (
        <LegCard leg={route.swaps[highlighted]} tokenOf={tokenOf} position={cardPosition} />
      )}
    </div>
  )
}

type SizedRoute = { readonly route: DrawnRoute; readonly width: number; readonly unfolded: boolean }

/** Heights in pixels that represent the whole order. */
const HEIGHTS = { one: 72, few: 220, many: 320, compact: 150 } as const
/** Number of legs from which the diagram is taller. */
const MANY_LEGS = 4
/**
 * In the compact diagram: height above a bar for its symbol, and number of legs of a pair from which thin legs are
 * folded.
 */
const COMPACT = { head: 20, most: 4 } as const

function Whole({ route, width, unfolded, ...sankeyProps }: SizedRoute & Omit<SankeyProps, 'layout'>) {
  const { compact = false } = sankeyProps
  const drawnFlow = useMemo(() => {
    const count = route.swaps.length
    if (count === 1) return layout(route, { width, unfolded, flowHeight: HEIGHTS.one, head: 0 })
    if (compact) return layout(route, { width, unfolded, flowHeight: HEIGHTS.compact, ...COMPACT })
    return layout(route, { width, unfolded, flowHeight: count < MANY_LEGS ? HEIGHTS.few : HEIGHTS.many })
  }, [route, width, unfolded, compact])
  return <Sankey layout={drawnFlow} {...sankeyProps} compact={compact && route.swaps.length > 1} />
}

function Strips({
  route,
  width,
  unfolded,
  tokenOf,
  ...sankeyProps
}: SizedRoute & { readonly tokenOf: TokenOf } & Omit<SankeyProps, 'layout' | 'symbol' | 'amount'>) {
  const strips = useMemo(
    () =>
      stripsOf(graphOf(route)).map((strip) => {
        const flowHeight = Math.max(24, 132 * Math.sqrt(strip.flow))
        const stripRoute = { src: strip.a, dst: strip.b, swaps: strip.legs }
        const drawnFlow = layout(stripRoute, { width, flowHeight, maxLegs: 6, unfolded, head: 0 })
        // Legs are numbered within the strip, but the card and the table use their index in the route.
        const withOffset = <T extends Layout['gates'][number] | Layout['bands'][number]>(mark: T): T => {
          return { ...mark, leg: { ...mark.leg, index: strip.legs[mark.leg.index]!.index } }
        }
        return {
          strip,
          drawn: { ...drawnFlow, gates: drawnFlow.gates.map(withOffset), bands: drawnFlow.bands.map(withOffset) },
        }
      }),
    [route, width, unfolded],
  )
  const symbol = (address: string) => tokenOf(address).symbol
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) =>
    setOpen(open.has(key) ? new Set([...open].filter((column) => column !== key)) : new Set([...open, key]))
  return strips.map(({ strip: { a, b, flow, legs }, drawn }) => {
    const key = `${a}${b}`
    return (
      <div className="strip" key={key}>
        <button type="button" className="strip__h" aria-expanded={open.has(key)} onClick={() => toggle(key)}>
          <span>
            {symbol(a)} → {symbol(b)}
          </span>
          <span className="unit">
            <Percent value={flow * 100} maxDecimals={1} />, {legs.length === 1 ? '1 pool' : `${legs.length} pools`}
          </span>
        </button>
        {open.has(key) && <Sankey layout={drawn} symbol={symbol} amount={() => ''} isBare {...sankeyProps} />}
      </div>
    )
  })
}

/** Returns the total amount that arrives at each token, formatted. */
function amountsOf({ src, fromAmount, swaps }: DrawnRoute, tokenOf: TokenOf): ReadonlyMap<string, string> {
  const sums = new Map<string, bigint>([[src.toLowerCase(), BigInt(fromAmount)]])
  for (const { tokenOut, amountOut } of swaps) {
    const key = tokenOut.toLowerCase()
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(amountOut))
  }
  return new Map([...sums].map(([address, amount]) => [address, compact(amount, tokenOf(address).decimals)]))
}
