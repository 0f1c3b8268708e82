/** The receipt of a mined swap. */
import type { Proven, Route } from '@sluice/client'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { percentBelow } from '../format/amount.ts'
import { MINUS } from '../format/number.ts'
import type { PageToken } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { Amount, Count } from '../ui/Num.tsx'
import { Plot } from '../ui/Plot.tsx'
import { Row } from '../ui/Row.tsx'
import type { SentSwapReceipt } from './sent-receipt.ts'

type Props = {
  readonly route: Route
  readonly receipt: SentSwapReceipt
  readonly src: PageToken
  readonly dst: PageToken
}

type TicketProps = Props & {
  readonly chainId: number
  readonly fee: Proven['fee'] | undefined
  readonly onNew: () => void
}

/** Shows the amounts, the block, and the gas of the swap. Takes the place of the order form. */
export function ReceiptTicket({ chainId, route, receipt, src, dst, fee, onNew }: TicketProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Moves the focus to the outcome, so that screen readers announce it.
  useEffect(() => heading.current?.focus(), [])
  const blocksLater = receipt.block - route.simulationBlock
  return (
    <>
      <div className="panel__h">
        <h2 tabIndex={-1} ref={heading}>
          Swapped
        </h2>
        <Address address={receipt.hash} />
      </div>
      <dl className="rows">
        <Row name="You paid">
          <Amount base={route.fromAmount} decimals={src.decimals} /> {src.symbol}
        </Row>
        <Row name={receipt.isForRecipient ? 'The recipient received' : 'You received'}>
          {receipt.received === undefined ? (
            'unknown (your node doesn’t keep past state)'
          ) : (
            <>
              <Amount base={receipt.received} decimals={dst.decimals} digits={9} /> {dst.symbol}
            </>
          )}
        </Row>
        <Row name="In block">
          <Count value={receipt.block} /> ({blocksLater === 1 ? '1 block' : `${blocksLater} blocks`} after the quote)
        </Row>
        {fee && (
          <Row name="Integrator fee">
            {Number(fee.ppm) / 10_000} % to <Address address={fee.recipient} />
          </Row>
        )}
        <Row name="Gas used">
          <Count value={receipt.gasUsed} />{' '}
          <span className="unit">
            of <Count value={route.gasEstimate} />
          </span>
        </Row>
      </dl>
      <div className="ticket__go">
        <Link className="btn" to="/app/explain" search={{ chain: chainId }} hash={receipt.hash}>
          Explain this transaction
        </Link>
        <button type="button" className="btn btn--go" onClick={onNew}>
          New swap
        </button>
      </div>
    </>
  )
}

/** Compares the received amount with the quote and with the minimum. */
export function ReceiptPanel({ route, receipt, dst }: Props) {
  const { received } = receipt
  const quotedAmount = BigInt(route.toAmount)
  const percentLess = received === undefined ? undefined : percentBelow(quotedAmount, received)
  const comparisonText =
    percentLess === undefined
      ? ''
      : percentLess === '0'
        ? '0 %'
        : `${percentLess.startsWith('-') ? '+' : MINUS}${percentLess.replace('-', '')} %`
  return (
    <section className="panel landed" aria-labelledby="paid">
      <div className="panel__h">
        <h2 id="paid">Quoted vs received</h2>
        <span className="note">
          block <Count value={receipt.block} />
        </span>
      </div>
      <div className="paid">
        <div>
          <span className="lab">
            Quoted in block <Count value={route.simulationBlock} />
          </span>
          <div className="paid__v">
            <Amount base={quotedAmount} decimals={dst.decimals} digits={9} /> <span className="unit">{dst.symbol}</span>
          </div>
        </div>
        <div>
          <span className="lab">
            Received in block <Count value={receipt.block} />
          </span>
          <div className="paid__v">
            {received === undefined ? (
              <span className="q">unknown (your node doesn’t keep past state)</span>
            ) : (
              <>
                <Amount base={received} decimals={dst.decimals} digits={9} /> <span className="unit">{dst.symbol}</span>
              </>
            )}
          </div>
        </div>
        <div>
          <span className="lab">Difference</span>
          <div className="paid__v">{comparisonText}</div>
        </div>
      </div>
      {received !== undefined && (
        <div className="gauge gauge--wide">
          <Plot>
            {(width) => (
              <ReceivedScale
                {...{ width, quoted: quotedAmount, received, comparisonText }}
                minimum={BigInt(route.minToAmount ?? '0')}
              />
            )}
          </Plot>
        </div>
      )}
    </section>
  )
}

/** Draws the received amount on a scale between the minimum and the quote. */
function ReceivedScale({
  width,
  minimum,
  quoted,
  received,
  comparisonText,
}: {
  readonly width: number
  readonly minimum: bigint
  readonly quoted: bigint
  readonly received: bigint
  readonly comparisonText: string
}) {
  // Position of the quote on the scale, as a fraction of the width.
  const QUOTED_POSITION = 0.97
  const range = quoted - minimum
  // Position between the minimum and the quote in millionths, which is precise enough to draw.
  const position = range > 0n ? Number(((received - minimum) * 1_000_000n) / range) / 1e6 : 1
  const xOf = (fraction: number) => 1 + Math.min(1, Math.max(0, fraction)) * (width - 2)
  const receivedPosition = position * QUOTED_POSITION
  return (
    <svg
      viewBox={`0 0 ${width} 84`}
      role="img"
      aria-label={`Received compared with quoted: ${comparisonText}; the minimum is at the left end`}
    >
      <path className="gauge__axis" d={`M1 44H${width - 1}`} />
      <path className="gauge__end" d={`M${xOf(0)} 28V52`} />
      <text x={xOf(0)} y={72}>
        minimum
      </text>
      <path className="gauge__yes" d={`M${xOf(0)} 44H${xOf(receivedPosition)}`} />
      <path className="gauge__end" d={`M${xOf(QUOTED_POSITION)} 28V52`} />
      <text className="strong" x={xOf(QUOTED_POSITION)} y={20} textAnchor="end">
        quoted
      </text>
      <path className="gauge__mark" d={`m${xOf(receivedPosition)} 46-6 10h12Z`} />
      <text className="strong" x={xOf(receivedPosition)} y={74} textAnchor={receivedPosition > 0.5 ? 'end' : 'start'}>
        {comparisonText === '0 %' ? 'exactly as quoted' : `received, ${comparisonText}`}
      </text>
    </svg>
  )
}
