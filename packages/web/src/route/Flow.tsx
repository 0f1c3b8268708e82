/**
 * The drawing of a route, whose legs (swaps in single pools) are marks in a Sankey diagram. Wide screens show one
 * diagram. Narrow screens show a compact diagram, and below it a strip for each token pair, which opens on tap.
 */
import type { Route } from '@sluice/client'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { formatCompact } from '../format/amount.ts'
import type { TokenOf } from '../service/tokens.ts'
import { Percent } from '../ui/Num.tsx'
import { graphOf, stripsOf } from './graph.ts'
import { LegCard } from './LegCard.tsx'
import { computeLayout, type Layout } from './layout.ts'
import { Sankey, type SankeyProps } from './Sankey.tsx'

export type DrawnRoute = Pick<Route, 'src' | 'dst' | 'swaps' | 'fromAmount'>

/** Width in pixels below which the diagram has no space for names, so that strips show the names. */
const MIN_WIDTH_WITHOUT_STRIPS = 560
const CARD_SIZE = { width: 288, height: 190 }

type Props = {
  readonly route: DrawnRoute
  readonly tokenOf: TokenOf
  /** Index of the highlighted leg. */
  readonly highlightedIndex: number | null
  readonly onHighlight: (legIndex: number | null) => void
}

export function Flow({ route, tokenOf, highlightedIndex, onHighlight }: Props) {
  const container = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [isUnfolded, setIsUnfolded] = useState(false)
  const [cardPosition, setCardPosition] = useState({ left: 0, top: 0 })
  // Label widths depend on the page's font, so the drawing is repeated once the font has loaded.
  const [, setFontLoaded] = useState(false)
  useLayoutEffect(() => {
    const measure = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(container.current!)
      setWidth(
        Math.floor(container.current!.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)),
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(container.current!)
    document.fonts?.ready.then(() => setFontLoaded(true))
    return () => observer.disconnect()
  }, [])

  const highlight: SankeyProps['onHighlight'] = (legIndex, gateElement) => {
    onHighlight(legIndex)
    const outer = container.current?.parentElement
    if (legIndex === null || !gateElement || !outer) return
    const outerBounds = outer.getBoundingClientRect()
    const gateBounds = gateElement.querySelector('.gt__b')!.getBoundingClientRect()
    const cardTop = gateBounds.height > 168 ? gateBounds.top + gateBounds.height / 2 + 16 : gateBounds.bottom + 8
    setCardPosition({
      left: Math.max(8, Math.min(gateBounds.left - outerBounds.left + 16, outerBounds.width - CARD_SIZE.width - 16)),
      top: Math.min(
        cardTop - outerBounds.top,
        Math.max(gateBounds.top - outerBounds.top - CARD_SIZE.height, outerBounds.height - CARD_SIZE.height),
      ),
    })
  }
  const amounts = useMemo(() => amountTextsOf(route, tokenOf), [route, tokenOf])
  const sharedProps = { highlightedIndex, onHighlight: highlight, onUnfold: () => setIsUnfolded(true) }
  return (
    <div className="flow" ref={container}>
      {width > 0 && (
        <WholeDiagram
          route={route}
          width={width}
          isUnfolded={isUnfolded}
          compact={width < MIN_WIDTH_WITHOUT_STRIPS}
          symbolOf={(address) => tokenOf(address).symbol}
          amountOf={(address) => amounts.get(address) ?? ''}
          {...sharedProps}
        />
      )}
      {width > 0 && width < MIN_WIDTH_WITHOUT_STRIPS && route.swaps.length > 1 && (
        <Strips route={route} width={width} isUnfolded={isUnfolded} tokenOf={tokenOf} {...sharedProps} />
      )}
      {highlightedIndex !== null && route.swaps[highlightedIndex] && (
        <LegCard leg={route.swaps[highlightedIndex]} tokenOf={tokenOf} position={cardPosition} />
      )}
    </div>
  )
}

type SizedRoute = {
  readonly route: DrawnRoute
  readonly width: number
  /** True to draw each leg on its own; false to draw thin legs of a token pair as one mark. */
  readonly isUnfolded: boolean
}

/** Height in pixels of the swap's whole amount, for a route with one, few, or many legs, and in the compact diagram. */
const FLOW_HEIGHTS = { one: 72, few: 220, many: 320, compact: 150 } as const
/** Minimum number of legs for the height `many`. */
const MIN_MANY_LEGS = 4
/** Height in pixels above a bar of the compact diagram, for its symbol. */
const COMPACT_HEAD_HEIGHT = 20

function WholeDiagram({ route, width, isUnfolded, ...sankeyProps }: SizedRoute & Omit<SankeyProps, 'layout'>) {
  const { compact = false } = sankeyProps
  const routeLayout = useMemo(() => {
    const count = route.swaps.length
    if (count === 1) return computeLayout(route, { width, isUnfolded, flowHeight: FLOW_HEIGHTS.one, headHeight: 0 })
    if (compact)
      return computeLayout(route, {
        width,
        isUnfolded,
        flowHeight: FLOW_HEIGHTS.compact,
        headHeight: COMPACT_HEAD_HEIGHT,
      })
    return computeLayout(route, {
      width,
      isUnfolded,
      flowHeight: count < MIN_MANY_LEGS ? FLOW_HEIGHTS.few : FLOW_HEIGHTS.many,
    })
  }, [route, width, isUnfolded, compact])
  return <Sankey layout={routeLayout} {...sankeyProps} compact={compact && route.swaps.length > 1} />
}

function Strips({
  route,
  width,
  isUnfolded,
  tokenOf,
  ...sankeyProps
}: SizedRoute & { readonly tokenOf: TokenOf } & Omit<SankeyProps, 'layout' | 'symbolOf' | 'amountOf'>) {
  const strips = useMemo(
    () =>
      stripsOf(graphOf(route)).map((strip) => {
        const flowHeight = Math.max(24, 132 * Math.sqrt(strip.flow))
        const stripRoute = { src: strip.tokenInId, dst: strip.tokenOutId, swaps: strip.legs }
        const stripLayout = computeLayout(stripRoute, {
          width,
          flowHeight,
          maxGatesPerPair: 6,
          isUnfolded,
          headHeight: 0,
        })
        // The layout numbers the legs of the strip, but the tooltip and the table need the leg's index in the route.
        const withRouteIndex = <T extends Layout['gates'][number] | Layout['bands'][number]>(mark: T): T => {
          return { ...mark, leg: { ...mark.leg, index: strip.legs[mark.leg.index]!.index } }
        }
        return {
          strip,
          layout: {
            ...stripLayout,
            gates: stripLayout.gates.map(withRouteIndex),
            bands: stripLayout.bands.map(withRouteIndex),
          },
        }
      }),
    [route, width, isUnfolded],
  )
  const symbolOf = (address: string) => tokenOf(address).symbol
  const [openKeys, setOpenKeys] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) =>
    setOpenKeys(
      openKeys.has(key) ? new Set([...openKeys].filter((openKey) => openKey !== key)) : new Set([...openKeys, key]),
    )
  return strips.map(({ strip: { tokenInId, tokenOutId, flow, legs }, layout }) => {
    const key = `${tokenInId}${tokenOutId}`
    return (
      <div className="strip" key={key}>
        <button type="button" className="strip__h" aria-expanded={openKeys.has(key)} onClick={() => toggle(key)}>
          <span>
            {symbolOf(tokenInId)} → {symbolOf(tokenOutId)}
          </span>
          <span className="unit">
            <Percent value={flow * 100} maxDecimals={1} />, {legs.length === 1 ? '1 pool' : `${legs.length} pools`}
          </span>
        </button>
        {openKeys.has(key) && (
          <Sankey layout={layout} symbolOf={symbolOf} amountOf={() => ''} isBare {...sankeyProps} />
        )}
      </div>
    )
  })
}

/** Returns the total amount that arrives at each token, formatted. */
function amountTextsOf(route: DrawnRoute, tokenOf: TokenOf): ReadonlyMap<string, string> {
  const sumByToken = new Map<string, bigint>([[route.src.toLowerCase(), BigInt(route.fromAmount)]])
  for (const { tokenOutId, amountOut } of graphOf(route).legs)
    sumByToken.set(tokenOutId, (sumByToken.get(tokenOutId) ?? 0n) + BigInt(amountOut))
  return new Map(
    [...sumByToken].map(([address, amount]) => [address, formatCompact(amount, tokenOf(address).decimals)]),
  )
}
