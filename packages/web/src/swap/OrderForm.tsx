import { lazy, Suspense, useState } from 'react'
import { plain } from '../format/amount.ts'
import type { Token } from '../service/tokens.ts'
import { Failure } from '../ui/Notice.tsx'
import { Amount } from '../ui/Num.tsx'
import { Age } from './Age.tsx'
import { Cure } from './Cure.tsx'
import { MainAction } from './MainAction.tsx'
import { AmountField, Flip, Least, Rate, type Side, Skeleton, TicketLeg, TokenButton, Worth } from './Ticket.tsx'
import { isDirect, type Swap } from './use-swap.ts'
import { Warnings } from './Warnings.tsx'

const Settings = lazy(async () => ({ default: (await import('./Settings.tsx')).Settings }))

const modes = [
  ['in', 'I pay exactly'],
  ['out', 'I receive exactly'],
] as const

type Props = { readonly swap: Swap; readonly onPick: (side: Side) => void }

/** The ticket before anything is signed, top to bottom: what is paid, received, the least; settings; age; the button. */
export function OrderForm({ swap, onPick }: Props) {
  const { order, live, quote, refused } = swap
  const [settings, setSettings] = useState(false)
  const quiet = live.isAsking || live.isStale
  return (
    <>
      <div className="ticket__mode">
        <fieldset className="seg" aria-label="Which amount is exact">
          {modes.map(([end, name]) => (
            <button key={end} type="button" aria-pressed={order.exact === end} onClick={() => swap.act.exact(end)}>
              {name}
            </button>
          ))}
        </fieldset>
        <button
          type="button"
          className="link"
          aria-expanded={settings}
          aria-controls="settings"
          onClick={() => setSettings(!settings)}
        >
          Settings
        </button>
      </div>
      <div className="leg-in">
        <Pay swap={swap} onPick={onPick} quiet={quiet} />
      </div>
      <div className="leg-in">
        <Flip onFlip={swap.act.flip} />
        <Receive swap={swap} onPick={onPick} quiet={quiet} />
      </div>
      {!refused && order.asked && <Least quote={quote} token={order.dst} quiet={quiet} />}
      <div id="settings">
        <Suspense>{settings && <Settings auto={quote?.slippage} onRecipient={swap.act.recipient} />}</Suspense>
      </div>
      <Foot swap={swap} />
    </>
  )
}

/** Amount that was typed, or that the quote says of this end. */
function AmountOf({ swap, end, quiet }: { readonly swap: Swap; readonly end: 'in' | 'out'; readonly quiet: boolean }) {
  const { order, quote, refused, act } = swap
  const token = end === 'in' ? order.src : order.dst
  const told = end === 'in' ? quote?.fromAmount : quote?.toAmount
  if (order.exact === end)
    return (
      <AmountField
        label={end === 'in' ? 'Amount to pay' : 'Amount to receive at least'}
        value={order.text}
        decimals={token?.decimals ?? 18}
        onChange={(amount) => act.amount(amount, true)}
      />
    )
  return (
    <output className={`amt ${quiet ? 'quiet' : ''} ${long(told, token)}`}>
      {refused || !order.asked ? (
        <span className="q">—</span>
      ) : told !== undefined && token ? (
        <Amount base={told} decimals={token.decimals} digits={9} most={4} />
      ) : (
        <Skeleton like="000 000" />
      )}
    </output>
  )
}

function Pay({ swap, onPick, quiet }: Props & { readonly quiet: boolean }) {
  const { order, quote, balance, short, act } = swap
  const { src, typed, exact, priceOf } = order
  const paying = exact === 'out' ? quote?.fromAmount : typed?.kind === 'amount' ? typed.base : undefined
  return (
    <TicketLeg
      label={exact === 'in' ? 'You pay' : 'You pay, simulated'}
      right={
        balance !== undefined &&
        src &&
        exact === 'in' && (
          <button type="button" className="link" onClick={() => act.amount(plain(balance, src.decimals))}>
            of <Amount base={balance} decimals={src.decimals} most={2} /> {src.symbol}
          </button>
        )
      }
      note={
        <>
          <Worth base={paying} token={src} price={priceOf(src)} />
          {short && balance !== undefined && src && (
            <span className="have">
              You have <Amount base={balance} decimals={src.decimals} digits={9} /> {src.symbol}.
            </span>
          )}
        </>
      }
    >
      <AmountOf swap={swap} end="in" quiet={quiet} />
      <TokenButton token={src} side="pay" onOpen={() => onPick('pay')} />
    </TicketLeg>
  )
}

function Receive({ swap, onPick, quiet }: Props & { readonly quiet: boolean }) {
  const { order, quote, refused } = swap
  const { src, dst, exact, priceOf } = order
  const note =
    quote && src && dst && !refused ? (
      <>
        <Worth base={quote.toAmount} token={dst} price={priceOf(dst)} /> · <Rate quote={quote} src={src} dst={dst} />
      </>
    ) : (
      <>&nbsp;</>
    )
  return (
    <TicketLeg label={exact === 'in' ? 'You receive, simulated' : 'You receive, at worst'} note={note}>
      <AmountOf swap={swap} end="out" quiet={quiet} />
      <TokenButton token={dst} side="receive" onOpen={() => onPick('receive')} />
    </TicketLeg>
  )
}

function Foot({ swap }: { readonly swap: Swap }) {
  const { order, live, quote, refused, failed, tokenOf } = swap
  const isQuoted = !refused && order.asked !== undefined
  return (
    <div className={`ticket__go ${isQuoted ? 'ticket__go--ruled' : ''}`}>
      {isQuoted && <Age live={live} />}
      {(failed || order.broken !== null) && (
        <Failure error={order.broken ?? live.error}>
          <Cure error={live.error} chainId={order.chain.id} token={order.dst?.address} />
        </Failure>
      )}
      {quote && !refused && <Warnings quote={quote} tokenOf={tokenOf} direct={isDirect(quote)} />}
      <MainAction swap={swap} />
    </div>
  )
}

/** From so many digits on, smaller. */
const LONG = 7
function long(amount: string | undefined, token: Token | undefined): string {
  if (amount === undefined || !token) return ''
  return plain(amount, token.decimals).split('.')[0]!.length >= LONG ? 'amt--long' : ''
}
