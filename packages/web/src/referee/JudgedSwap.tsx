/** The result panels of the Referee page. */
import { Link } from '@tanstack/react-router'
import { shorten } from '../format/number.ts'
import type { PageChain } from '../service/chains.ts'
import { type TokenOf, useTokenNames } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Bps, Count } from '../ui/Num.tsx'
import { Row } from '../ui/Row.tsx'
import { TokenAmount } from '../ui/TokenAmount.tsx'
import { BetterRoute } from './BetterRoute.tsx'
import { comparisonText, isSandwichUnknown } from './outcomes.ts'
import { type ComparedState, type RefereeParams, stateLabels } from './params.ts'
import type { Comparison, RefereeReport, Sandwich, Trade } from './report.ts'
import { Scale } from './Scale.tsx'

type Props = {
  readonly report: RefereeReport
  readonly params: RefereeParams
  readonly chain: PageChain
  readonly onChange: (changes: RefereeParams) => void
}

/** Shows a judged swap: the verdict, its metrics, the transactions around it in the block, and the better route. */
export function JudgedSwap({ report, params, chain, onChange }: Props) {
  const { trades, sandwich, gaps } = report
  const trade = trades[(params.trade ?? 1) - 1] ?? trades[0]!
  const { comparisons, src, dst, fees } = trade
  const comparison = comparisons.find(({ state }) => state === params.at) ?? comparisons[0]
  const legs = comparison?.legs ?? []
  const namedTokens = [src, dst, ...legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])]
  const { tokenOf } = useTokenNames(chain.id, [
    ...namedTokens,
    ...fees.map(({ token }) => token),
    ...(sandwich ? [sandwich.token] : []),
  ])
  return (
    <>
      {comparison ? (
        <Banner comparison={comparison} trade={trade} tokenOf={tokenOf} />
      ) : (
        <Notice kind="warn" title="This trade is not comparable.">
          Another trade of the same transaction is.
        </Notice>
      )}
      {trades.length > 1 && (
        <fieldset className="seg referee__trades" aria-label="Trade">
          {trades.map(({ trader }, k) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: a trade of a batch has no key other than its index.
              key={k}
              type="button"
              aria-pressed={trades[k] === trade}
              onClick={() => onChange({ trade: k + 1 })}
            >
              Trade {k + 1} of {shorten(trader)}
            </button>
          ))}
        </fieldset>
      )}
      {comparison?.isPending && (
        <Notice kind="info" title="Pools are still being found.">
          A better route may appear. This page asks again by itself.
        </Notice>
      )}
      <Neighbors sandwich={sandwich} isUnknown={isSandwichUnknown(report)} tokenOf={tokenOf} />
      <div className="referee">
        <TradeMetrics
          {...{ report, trade, comparison, tokenOf, chainId: chain.id, hash: params.hash ?? '', onChange }}
        />
        {comparison && (
          <section className="panel plot referee__scale" aria-labelledby="scale">
            <div className="panel__h">
              <h2 id="scale">Paid, best, and bound</h2>
              <span className="note">basis points of the best</span>
            </div>
            <Scale paid={trade.amountOut} comparison={comparison} />
            <p className="note">
              100 bps are 1 %. The best is what the route of this service pays in simulation at that state, before gas.
              No route over the pools that it knows pays more than the bound.
            </p>
          </section>
        )}
      </div>
      {comparison && legs.length > 0 && <BetterRoute {...{ trade, comparison, tokenOf }} />}
      {gaps.length > 0 && (
        <Notice kind="info" title="Not known:">
          <ul className="referee__gaps">
            {gaps.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}

type BannerProps = { readonly comparison: Comparison; readonly trade: Trade; readonly tokenOf: TokenOf }

function Banner({ comparison, trade, tokenOf }: BannerProps) {
  const { kind, title, text } = comparisonText(comparison)
  return (
    <div className={`verdict verdict--${kind}`} role="status">
      <Icon name={kind} />
      <div>
        <p>
          <b>{title}</b>
        </p>
        <p className="verdict__more">
          Gave <TokenAmount base={trade.amountIn} token={tokenOf(trade.src)} /> and received{' '}
          <TokenAmount base={trade.amountOut} token={tokenOf(trade.dst)} digits={9} />. {text}
        </p>
      </div>
      <CopyButton text={location.href} className="btn btn--small">
        Copy link
      </CopyButton>
    </div>
  )
}

type TradeMetricsProps = {
  readonly report: RefereeReport
  readonly trade: Trade
  readonly comparison: Comparison | undefined
  readonly tokenOf: TokenOf
  readonly chainId: number
  readonly hash: string
  readonly onChange: (changes: RefereeParams) => void
}

function TradeMetrics({ report, trade, comparison, tokenOf, chainId, hash, onChange }: TradeMetricsProps) {
  const { trader, recipient, comparisons, fees } = trade
  const dst = tokenOf(trade.dst)
  const amountOrUnknown = (base: bigint | null) =>
    base === null ? <span className="q">not known</span> : <TokenAmount base={base} token={dst} digits={9} />
  return (
    <section className="panel" aria-labelledby="figures">
      <div className="panel__h">
        <h2 id="figures">Figures</h2>
        {comparisons.length > 1 ? (
          <fieldset className="seg" aria-label="State of the chain">
            {comparisons.map(({ state }) => (
              <button
                key={state}
                type="button"
                aria-pressed={state === comparison?.state}
                onClick={() => onChange({ at: state })}
              >
                {stateLabels[state]}
              </button>
            ))}
          </fieldset>
        ) : (
          comparison && <span className="note">{stateText(comparison.state, report.index)}</span>
        )}
      </div>
      <dl className="rows referee__rows">
        <Row name="Paid" className="strong">
          {amountOrUnknown(trade.amountOut)}
        </Row>
        {comparison && (
          <>
            <Row name="Best simulated">{amountOrUnknown(comparison.bestAmountOut)}</Row>
            <Row name="Proven bound">{amountOrUnknown(comparison.boundAmountOut)}</Row>
            <Row name="Left on the table, net of gas" className="strong">
              <Bps value={comparison.leftNetBps} />
            </Row>
            <Row name="Left before gas">
              <Bps value={comparison.leftBps} />
            </Row>
            <Row name="Left at most, by the bound">
              <Bps value={comparison.maxLeftBps} />
            </Row>
          </>
        )}
        <Row name="The same swap, a block earlier">{amountOrUnknown(trade.amountOutAtParent)}</Row>
        {fees.map((fee) => (
          <Row key={`${fee.account}${fee.token}`} name="Fee, it seems">
            <TokenAmount base={fee.amount} token={tokenOf(fee.token)} /> to <Address address={fee.account} />
          </Row>
        ))}
        <Row name="Trader">
          <Address address={trader} />
        </Row>
        {recipient.toLowerCase() !== trader.toLowerCase() && (
          <Row name="Paid to">
            <Address address={recipient} />
          </Row>
        )}
        {report.block !== null && (
          <Row name="Mined">
            block <Count value={report.block} />
            {report.index !== null && `, position ${report.index}`}
          </Row>
        )}
      </dl>
      <p className="referee__more">
        <Link to="/app/explain" search={{ chain: chainId }} hash={hash}>
          Explain the transaction
        </Link>
        <a href="/docs/referee.html">How it is judged</a>
      </p>
    </section>
  )
}

/**
 * Names the state at which the routes are compared. Before the first transaction of a block, the state equals that at
 * the end of the previous block.
 *
 * @param index - index of the transaction in its block
 */
const stateText = (state: ComparedState, index: number | null): string =>
  index === 0 ? 'First in its block: both states are one' : stateLabels[state]

type NeighborsProps = {
  readonly sandwich: Sandwich | null
  /** True if the service could not check for a sandwich. */
  readonly isUnknown: boolean
  readonly tokenOf: TokenOf
}

function Neighbors({ sandwich, isUnknown, tokenOf }: NeighborsProps) {
  if (!sandwich)
    return isUnknown ? (
      <Notice kind="info" title="Sandwich: not known.">
        The transactions around it could not all be read.
      </Notice>
    ) : (
      <Notice kind="info" title="No sandwich seen.">
        No two transactions of its block trade around it in one of its pools.
      </Notice>
    )
  const { frontHash, backHash, attacker, pool, token, gain } = sandwich
  return (
    <Notice kind="warn" title="Looks like a sandwich.">
      <Address address={frontHash} /> before it and <Address address={backHash} /> after it, both of{' '}
      <Address address={attacker} />, trade in the pool <Address address={pool} /> and took{' '}
      <TokenAmount base={gain} token={tokenOf(token)} /> out of it.
    </Notice>
  )
}
