/** The steps panel of the Explain page. */
import type { Explanation } from '@sluice/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { FamilyMark } from '../route/FamilyMark.tsx'
import { groupOf } from '../route/families.ts'
import type { TokenOf } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { Amount } from '../ui/Num.tsx'
import { type DecodedStep, inputTextOf, outputTextOf, partiesOf, poolOrSingletonOf, titleOf } from './steps.ts'

type Props = {
  readonly explanation: Explanation
  readonly tokenOf: TokenOf
  readonly highlightedKey: string | null
  readonly onHighlight: (key: string | null) => void
}

/** Horizontal position of each party, as a fraction of the width. */
const PARTY_POSITIONS = { you: 0.08, guard: 0.36, executor: 0.64, pool: 0.92 } as const
type Party = keyof typeof PARTY_POSITIONS
/** Height of the drawing in a lane. A lane is the row of one step. */
const LANE_HEIGHT_PX = 44

/**
 * Shows each step of the Executor as token transfers (arrows) between the parties. The first and the last lane show the
 * transfers of the Guard.
 */
export function Steps({ explanation, tokenOf, highlightedKey, onHighlight }: Props) {
  const { steps, mode, amountIn, minOutput, tokenIn, tokenOut } = explanation
  const lanesRef = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(400)
  useEffect(() => {
    // The observer also reports the initial size, after the layout. Reading the size here would force a layout.
    const lanes = lanesRef.current!
    const observer = new ResizeObserver(() => setWidth(lanes.querySelector('.lanes__names')!.clientWidth))
    observer.observe(lanes)
    return () => observer.disconnect()
  }, [])
  const src = tokenOf(tokenIn)
  const dst = tokenOf(tokenOut)
  return (
    <section className="panel steps-panel" aria-labelledby="steps">
      <div className="panel__h">
        <h2 id="steps">{steps.length === 1 ? '1 step' : `${steps.length} steps`}</h2>
        <span className="note">token transfers in order</span>
      </div>
      <div className="lanes" ref={lanesRef}>
        <div className="lanes__h" aria-hidden="true">
          <div />
          <div />
          <div className="lanes__names">
            <span className="at-you">You</span>
            <span className="at-guard">Guard</span>
            <span className="at-executor">
              Exec<i className="hide-s">utor</i>
            </span>
            <span className="at-pool">Pool</span>
          </div>
        </div>
        <ol>
          <Lane number="" width={width} moves={[['you', 'guard', 22, 'ink']]}>
            <b>Guard takes the input</b>{' '}
            <span className="unit">
              <Amount base={amountIn} decimals={src.decimals} /> {src.symbol}, as each step needs it
            </span>
          </Lane>
          {steps.map((step, index) => (
            <StepLane
              // biome-ignore lint/suspicious/noArrayIndexKey: a step has no key other than its index.
              key={index}
              {...{ step, index, width, mode, tokenOf, highlightedKey, onHighlight }}
            />
          ))}
          <Lane number="" width={width} moves={mode === 'custody' ? [['guard', 'you', 22, 'accent']] : []}>
            <b>{mode === 'custody' ? 'Guard checks and pays you' : 'Guard checks what you received'}</b>{' '}
            <span className="unit">
              at least <Amount base={minOutput} decimals={dst.decimals} digits={9} /> {dst.symbol}, or everything
              reverts
            </span>
          </Lane>
        </ol>
      </div>
    </section>
  )
}

type StepLaneProps = Omit<Props, 'explanation'> & {
  readonly step: DecodedStep
  readonly index: number
  readonly width: number
  readonly mode: Explanation['mode']
}

function StepLane({ step, index, width, mode, tokenOf, highlightedKey, onHighlight }: StepLaneProps) {
  const { symbol, decimals } = tokenOf(step.tokenIn)
  const { baseUnits, text } = inputTextOf(step, symbol)
  const { from, to } = partiesOf(step, mode)
  const key = `step ${index}`
  const moves: Move[] = []
  if (from) moves.push([from, 'pool', 15, 'family'])
  if (to) moves.push(['pool', to, 30, 'family'])
  return (
    <Lane
      number={String(index + 1)}
      width={width}
      moves={moves}
      family={step.op}
      isHighlighted={highlightedKey === key}
      onHighlight={(isOn) => onHighlight(isOn ? key : null)}
    >
      <b>
        <FamilyMark family={step.op} />
        {titleOf(step)}
      </b>{' '}
      <Address address={poolOrSingletonOf(step)} />{' '}
      <span className="unit">
        {baseUnits !== undefined && <Amount base={baseUnits} decimals={decimals} digits={6} />} {text},{' '}
        {outputTextOf(step, mode)}
      </span>
    </Lane>
  )
}

/** Arrow of a token transfer, at `y` pixels below the top of the lane. */
type Move = readonly [from: Party, to: Party, y: number, color: 'ink' | 'accent' | 'family']

type LaneProps = {
  readonly number: string
  readonly width: number
  readonly moves: readonly Move[]
  readonly family?: string
  readonly isHighlighted?: boolean
  readonly onHighlight?: (isOn: boolean) => void
  readonly children: ReactNode
}

function Lane({ number, width, moves, family, isHighlighted = false, onHighlight, children }: LaneProps) {
  const xOf = (party: Party) => Math.round(PARTY_POSITIONS[party] * width) + 0.5
  return (
    <li
      className={`lane ${isHighlighted ? 'hot' : ''} ${family ? `f-${groupOf(family)}` : ''}`}
      {...(onHighlight && {
        tabIndex: 0,
        onPointerEnter: () => onHighlight(true),
        onPointerLeave: () => onHighlight(false),
        onFocus: () => onHighlight(true),
        onBlur: () => onHighlight(false),
      })}
    >
      <span className="lane__n">{number}</span>
      <div className="lane__t">{children}</div>
      <svg viewBox={`0 0 ${width} ${LANE_HEIGHT_PX}`} preserveAspectRatio="none" aria-hidden="true">
        {(Object.keys(PARTY_POSITIONS) as Party[]).map((party) => (
          <path key={party} className="rail" d={`M${xOf(party)} 0V${LANE_HEIGHT_PX}`} />
        ))}
        {moves.map(([from, to, y, color]) => {
          // The two lines of the arrowhead extend backward from the tip.
          const backSign = xOf(to) > xOf(from) ? -1 : 1
          const tip = xOf(to)
          return (
            <g key={y} className={`move move--${color}`}>
              <path d={`M${xOf(from)} ${y}H${tip}`} />
              <path d={`M${tip + backSign * 6} ${y - 4}L${tip} ${y}L${tip + backSign * 6} ${y + 4}`} />
            </g>
          )
        })}
      </svg>
    </li>
  )
}
