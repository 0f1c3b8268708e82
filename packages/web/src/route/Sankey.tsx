/** The Sankey diagram of a route: a bar per token, a mark (gate) per pool, and a band per leg through the gate. */
import { type KeyboardEvent, useMemo, useRef } from 'react'
import { groupOf } from './families.ts'
import { BAR_WIDTH, type Bar, GATE_WIDTH, type Gate, type Layout } from './layout.ts'
import { truncateText, widthOf } from './measure.ts'

export type SankeyProps = {
  readonly layout: Layout
  readonly symbolOf: (address: string) => string
  /** Returns the formatted amount that arrives at a token; empty to show none. */
  readonly amountOf: (address: string) => string
  /** Index of the leg under the pointer or with the focus. */
  readonly highlightedIndex: number | null
  /** Called with the leg to highlight and its mark in the diagram, or with null to end the highlight. */
  readonly onHighlight: (legIndex: number | null, gateElement?: SVGGElement) => void
  readonly onUnfold: () => void
  /** True to draw bars without token names, because a heading above the diagram shows the names. */
  readonly isBare?: boolean
  /** True to draw gates without names, and bars without amounts, because the diagram is too narrow. */
  readonly compact?: boolean
}

/** Minimum height of a gate whose label has two lines. */
const MIN_TWO_LINE_HEIGHT_PX = 40
/**
 * Maximum height of a gate whose label gets a background. The label is taller than such a gate, so without a background
 * the edges of the band would cross the text.
 */
const MAX_BACKED_LABEL_HEIGHT_PX = 15

export function Sankey({
  layout,
  symbolOf,
  amountOf,
  highlightedIndex,
  onHighlight,
  onUnfold,
  isBare = false,
  compact = false,
}: SankeyProps) {
  const { width, height, bands, bars, gates } = layout
  const svgRef = useRef<SVGSVGElement>(null)
  const gatesInOrder = useMemo(() => [...gates].sort((a, b) => a.x - b.x || a.y - b.y), [gates])
  const viewHeight = Math.ceil(height)
  const moveFocus = (event: KeyboardEvent<SVGGElement>, index: number) => {
    const next = {
      ArrowDown: index + 1,
      ArrowRight: index + 1,
      ArrowUp: index - 1,
      ArrowLeft: index - 1,
      Home: 0,
      End: gatesInOrder.length - 1,
    }[event.key]
    if (event.key === 'Escape') event.currentTarget.blur()
    if (next === undefined) return
    event.preventDefault()
    svgRef.current?.querySelectorAll<SVGGElement>('.gt')[(next + gatesInOrder.length) % gatesInOrder.length]?.focus()
  }
  // Only one gate is a tab stop: the highlighted gate, or else the first gate.
  const tabStopIndex = Math.max(
    0,
    gatesInOrder.findIndex(({ leg }) => leg.index === highlightedIndex),
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset element.
    <svg
      ref={svgRef}
      className={highlightedIndex === null ? undefined : 'lit'}
      viewBox={`0 0 ${width} ${viewHeight}`}
      width={width}
      height={viewHeight}
      role="group"
      aria-label="Route: flow of the order through pools. Arrow keys move between pools."
    >
      <defs>
        <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="hatch" width="2" height="4" />
        </pattern>
      </defs>
      {bands.map(({ leg, path }) => {
        const group = groupOf(leg.protocol)
        const classes = ['bd', `f-${group}`, group === 'wrap' && 'bd--wrap', leg.index === highlightedIndex && 'hot']
        return <path key={leg.index} className={classes.filter(Boolean).join(' ')} d={path} />
      })}
      {bars.map((bar) => (
        <BarMark
          key={bar.id}
          bar={bar}
          symbol={symbolOf(bar.id)}
          amount={compact ? '' : amountOf(bar.id)}
          isBare={isBare}
        />
      ))}
      {gatesInOrder.map((gate, index) => (
        <GateMark
          key={gate.leg.index}
          gate={gate}
          isTabStop={index === tabStopIndex}
          isHighlighted={gate.leg.index === highlightedIndex}
          hasLabel={!compact}
          pair={`${symbolOf(gate.leg.tokenInId)} to ${symbolOf(gate.leg.tokenOutId)}`}
          onHighlight={onHighlight}
          onKeyDown={(event) => (event.key === 'Enter' && gate.leg.foldedLegs ? onUnfold() : moveFocus(event, index))}
          onClick={(event) => (gate.leg.foldedLegs ? onUnfold() : onHighlight(gate.leg.index, event.currentTarget))}
        />
      ))}
    </svg>
  )
}

type BarProps = { readonly bar: Bar; readonly symbol: string; readonly amount: string; readonly isBare: boolean }

function BarMark({ bar: { x, y, height, isEnd }, symbol, amount, isBare }: BarProps) {
  const isNamed = !isEnd && !isBare
  const hasAmount = amount !== ''
  const textWidth = Math.max(widthOf(symbol, 600, 14), widthOf(amount)) + 6
  return (
    <g className="tk">
      {isNamed && (
        <rect
          className="tk__k"
          x={x - 3}
          y={y - (hasAmount ? 37 : 19)}
          width={textWidth}
          height={hasAmount ? 36 : 18}
        />
      )}
      <rect x={x} y={y} width={BAR_WIDTH} height={height} />
      {isNamed && (
        <>
          <text className="tk__s" x={x} y={y - (hasAmount ? 22 : 5)}>
            {symbol}
          </text>
          {hasAmount && (
            <text className="tk__a" x={x} y={y - 7}>
              {amount}
            </text>
          )}
        </>
      )}
    </g>
  )
}

function percentText(percent: number): string {
  if (percent >= 99.995) return '100'
  return percent < 0.05 ? '< 0.1' : percent.toFixed(percent < 99.95 ? 1 : 0)
}

type GateProps = {
  readonly gate: Gate
  readonly isTabStop: boolean
  readonly isHighlighted: boolean
  readonly hasLabel: boolean
  /** Names of the two tokens, for screen readers. */
  readonly pair: string
  readonly onHighlight: SankeyProps['onHighlight']
  readonly onKeyDown: (event: KeyboardEvent<SVGGElement>) => void
  readonly onClick: (event: { readonly currentTarget: SVGGElement }) => void
}

function GateMark({
  gate: { leg, x, y, height, labelWidth },
  isTabStop,
  isHighlighted,
  hasLabel,
  pair,
  onHighlight,
  onKeyDown,
  onClick,
}: GateProps) {
  const group = groupOf(leg.protocol)
  const shareLabel = `${percentText(leg.share)} %`
  const middle = y + height / 2
  const shownHeight = Math.max(height, 10)
  const hasTwoLines = height >= MIN_TWO_LINE_HEIGHT_PX
  const name = truncateText(leg.dex, hasTwoLines ? labelWidth : labelWidth - widthOf(shareLabel, 600) - 4)
  const label = hasTwoLines ? `${name} ${shareLabel}` : `${shareLabel} ${name}`
  const fullNameSuffix = name === leg.dex ? '' : `, ${leg.dex}`
  const classes = [
    'gt',
    `f-${group}`,
    group === 'wrap' && 'gt--wrap',
    leg.foldedLegs && 'gt--fold',
    isHighlighted && 'hot',
  ]
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button element.
    <g
      className={classes.filter(Boolean).join(' ')}
      data-leg={leg.index}
      role="button"
      tabIndex={isTabStop ? 0 : -1}
      aria-label={`${label}${fullNameSuffix}, of ${pair}`}
      onPointerEnter={(event) => event.pointerType !== 'touch' && onHighlight(leg.index, event.currentTarget)}
      onPointerLeave={(event) => event.pointerType !== 'touch' && onHighlight(null)}
      onFocus={(event) => onHighlight(leg.index, event.currentTarget)}
      onBlur={() => onHighlight(null)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <rect
        className="gt__hit"
        x={x - 6}
        y={middle - Math.max(12, height / 2)}
        width={Math.max(40, labelWidth)}
        height={Math.max(24, height)}
      />
      {hasLabel && !hasTwoLines && height <= MAX_BACKED_LABEL_HEIGHT_PX && (
        <rect
          className="gt__k"
          x={x + 9}
          y={middle - 8}
          width={widthOf(shareLabel, 600) + widthOf(name) + 14}
          height={16}
        />
      )}
      <rect className="gt__b" x={x} y={middle - shownHeight / 2} width={GATE_WIDTH} height={shownHeight} />
      {hasLabel &&
        (hasTwoLines ? (
          <>
            <text className="gt__n" x={x + 14} y={middle - 3}>
              {name}
            </text>{' '}
            <text className="gt__p" x={x + 14} y={middle + 13}>
              {shareLabel}
            </text>
          </>
        ) : (
          <text x={x + 12} y={middle + 4}>
            <tspan className="gt__p">{shareLabel}</tspan>{' '}
            <tspan className="gt__n" dx="3">
              {name}
            </tspan>
          </text>
        ))}
    </g>
  )
}
