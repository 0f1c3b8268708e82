import { type ReactNode, useEffect, useState } from 'react'
import { brief } from '../format/number.ts'
import type { Token } from '../service/tokens.ts'
import { Icon } from '../ui/Icon.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Amount, Count } from '../ui/Num.tsx'
import { type Signing, type StepState, wasRefused } from './signing.ts'

type Props = {
  readonly signing: Signing
  readonly src: Token
  readonly dst: Token
  readonly amount: bigint
  readonly needsAllowance: boolean
  readonly onCancel: () => void
  readonly onAgain: () => void
}

const SILENT_MS = 60_000

/** Steps of signing, each with what was checked. */
export function SigningPanel({ signing, src, dst, amount, needsAllowance, onCancel, onAgain }: Props) {
  const { steps, allowance, route, explanation, error, hash } = signing
  const allow = {
    approval: `Exactly this amount to the Guard, and no more.`,
    permit: 'By a signature: no transaction of its own.',
    batch: 'In one with the swap: both happen, or neither.',
  }
  return (
    <>
      <div className="panel__h">
        <h2>
          Swap <Amount base={amount} decimals={src.decimals} /> {src.symbol}
        </h2>
        <button type="button" className="link" onClick={onCancel}>
          {error === undefined ? 'Cancel' : 'Back'}
        </button>
      </div>
      <ol className="steps">
        <Step state={steps.check} number={1} title="Transaction read and checked here">
          {explanation && route && (
            <ul className="checks">
              <Check>
                {explanation.recipient.toLowerCase() === route.tx.from.toLowerCase()
                  ? `Pays you, ${brief(explanation.recipient)}, and nobody else`
                  : `Pays ${explanation.recipient}, the account that you named, and nobody else`}
              </Check>
              <Check>
                At least <Amount base={explanation.minOutput} decimals={dst.decimals} digits={9} /> {dst.symbol}
              </Check>
              <Check>
                Takes <Amount base={explanation.amountIn} decimals={src.decimals} /> {src.symbol},{' '}
                {explanation.fee ? `a fee of ${Number(explanation.fee.ppm) / 10_000} %` : 'no fee'}
              </Check>
              <Check>Calls the Guard of this chain, {brief(explanation.guard)}</Check>
              <Check>
                {signing.unknownPools === 0
                  ? 'Every pool was made by a factory that is known here'
                  : `${signing.unknownPools} of the pools cannot be told by their address; the least binds them too`}
              </Check>
              <Check>{route.swaps.length === 1 ? '1 leg' : `${route.swaps.length} legs`}, the same as drawn</Check>
            </ul>
          )}
        </Step>
        {needsAllowance && (
          <Step state={steps.allow} number={2} title={`${src.symbol} approved`}>
            <p className="note">{allowance ? allow[allowance] : 'Only where the allowance is short.'}</p>
          </Step>
        )}
        <Step state={steps.confirm} number={needsAllowance ? 3 : 2} title="Confirm in your wallet">
          {explanation && route && (
            <p className="note">
              It should show the address <span className="mono">{brief(explanation.guard)}</span> and a gas limit of{' '}
              <Count value={signing.gasLimit ?? 0n} />.
            </p>
          )}
        </Step>
        <Step state={steps.land} number={needsAllowance ? 4 : 3} title="Lands in a block">
          {hash && <p className="note mono">{brief(hash)}</p>}
        </Step>
      </ol>
      <Foot signing={signing} dst={dst} onAgain={onAgain} />
    </>
  )
}

function Foot({ signing, dst, onAgain }: Pick<Props, 'signing' | 'dst' | 'onAgain'>) {
  const { lower, error, waitingSince } = signing
  const silent = useSince(waitingSince, SILENT_MS)
  return (
    <div className="ticket__go" aria-live="polite">
      {lower && <Lower lower={lower} dst={dst} />}
      {error === undefined && !lower && (
        <Notice kind="info" title="The quote is held.">
          Figures do not change while you sign. Older than 2 blocks, it is asked again first.
        </Notice>
      )}
      {silent && (
        <Notice kind="warn" title="Still waiting.">
          Look at your wallet.
        </Notice>
      )}
      {error !== undefined &&
        (wasRefused(error) ? (
          <Notice kind="warn" title="You declined in the wallet." urgent>
            Nothing was sent.
          </Notice>
        ) : (
          <Failure error={error} />
        ))}
      {error !== undefined && (
        <button type="button" className="btn btn--go" onClick={onAgain}>
          Ask again
        </button>
      )}
    </div>
  )
}

type LowerProps = { readonly lower: NonNullable<Signing['lower']>; readonly dst: Token }

function Lower({ lower, dst }: LowerProps) {
  const { route, answer } = lower
  return (
    <>
      <Notice kind="warn" title="The market moved while you looked." urgent>
        It now pays <Amount base={route.toAmount} decimals={dst.decimals} digits={9} /> {dst.symbol}, at least{' '}
        <Amount base={route.minToAmount ?? '0'} decimals={dst.decimals} digits={9} />.
      </Notice>
      <button type="button" className="btn btn--go" onClick={() => answer(true)}>
        Sign this one
      </button>
      <button type="button" className="btn" onClick={() => answer(false)}>
        Do not sign
      </button>
    </>
  )
}

type StepProps = {
  readonly state: StepState
  readonly number: number
  readonly title: string
  readonly children?: ReactNode
}

function Step({ state, number, title, children }: StepProps) {
  return (
    <li className={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="dot">{state === 'done' ? <Icon name="good" /> : number}</span>
      <div>
        <h3>
          {title}
          <span className="sr">{state === 'done' ? ', done' : state === 'now' ? ', now' : ', to do'}</span>
        </h3>
        {children}
      </div>
    </li>
  )
}

function Check({ children }: { readonly children: ReactNode }) {
  return (
    <li>
      <Icon name="good" />
      <span>{children}</span>
    </li>
  )
}

/** True once so long has passed. */
function useSince(start: number | undefined, ms: number): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    setPassed(false)
    if (start === undefined) return
    const later = setTimeout(() => setPassed(true), ms)
    return () => clearTimeout(later)
  }, [start, ms])
  return passed
}
