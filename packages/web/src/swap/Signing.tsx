/** The panel of the Swap page that shows the progress of signing a swap. */
import { ClientError } from '@sluice/client'
import { type ReactNode, useEffect, useState } from 'react'
import { shorten } from '../format/number.ts'
import type { PageToken } from '../service/tokens.ts'
import { Icon } from '../ui/Icon.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Amount, Count } from '../ui/Num.tsx'
import { MainButton } from './MainButton.tsx'
import { type Signing, type StepState, wasRejected } from './signing.ts'

type Props = {
  readonly signing: Signing
  readonly src: PageToken
  readonly dst: PageToken
  readonly amount: bigint
  readonly needsAllowance: boolean
  readonly onCancel: () => void
  readonly onRetry: () => void
}

/** Time without a response of the wallet after which the panel asks the user to check the wallet. */
const SILENT_MS = 60_000

/** Shows the steps of signing with the results of their checks. */
export function SigningPanel({ signing, src, dst, amount, needsAllowance, onCancel, onRetry }: Props) {
  const { steps, allowance, route, proof, error, hash, lastSent } = signing
  const allowanceTexts = {
    approval: 'Exactly this amount for the Guard, no more.',
    permit: 'By a signature, without a transaction.',
    batch: 'Together with the swap: both happen, or neither.',
  }
  return (
    <>
      <div className="panel__h">
        <h2>
          Swap <Amount base={amount} decimals={src.decimals} /> {src.symbol}
        </h2>
        {(error !== undefined || lastSent !== 'swap') && (
          <button type="button" className="link" onClick={onCancel}>
            {error !== undefined ? 'Back' : lastSent === 'approval' ? 'Stop before the swap' : 'Cancel'}
          </button>
        )}
      </div>
      <ol className="steps">
        <Step state={steps.check} number={1} title="We checked the transaction">
          {proof && route && (
            <ul className="checks">
              <Check>
                {proof.recipient.toLowerCase() === route.tx.from.toLowerCase()
                  ? `Pays you, ${shorten(proof.recipient)}, and nobody else`
                  : `Pays ${proof.recipient}, the account that you named, and nobody else`}
              </Check>
              <Check>
                At least <Amount base={proof.minOutput} decimals={dst.decimals} digits={9} /> {dst.symbol}
              </Check>
              <Check>
                Takes <Amount base={proof.amountIn} decimals={src.decimals} /> {src.symbol},{' '}
                {proof.fee ? `a fee of ${Number(proof.fee.ppm) / 10_000} % to ${proof.fee.recipient}` : 'no fee'}
              </Check>
              <Check>Calls the Guard of this chain, {shorten(proof.guard)}</Check>
              <Check>
                {signing.unknownPoolCount === 0
                  ? 'Every pool is from a known factory'
                  : `${signing.unknownPoolCount} ${signing.unknownPoolCount === 1 ? 'pool isn’t' : 'pools aren’t'} from a known factory; your minimum still applies`}
              </Check>
              <Check>Route matches the one shown</Check>
            </ul>
          )}
        </Step>
        {needsAllowance && (
          <Step
            state={steps.allow}
            number={2}
            title={steps.allow === 'done' ? `${src.symbol} approved` : `Approve ${src.symbol}`}
          >
            <p className="note">{allowance ? allowanceTexts[allowance] : 'Skipped if already approved.'}</p>
          </Step>
        )}
        <Step state={steps.confirm} number={needsAllowance ? 3 : 2} title="Confirm in your wallet">
          {proof && route && (
            <p className="note">
              Your wallet should show the address <span className="mono">{shorten(proof.guard)}</span> and a gas limit
              of <Count value={signing.gasLimit ?? 0n} />.
            </p>
          )}
        </Step>
        <Step state={steps.land} number={needsAllowance ? 4 : 3} title="Confirmed on-chain">
          {hash && <p className="note mono">{shorten(hash)}</p>}
        </Step>
      </ol>
      <Foot {...{ signing, src, dst, amount, onRetry }} />
    </>
  )
}

type FootProps = Pick<Props, 'signing' | 'src' | 'dst' | 'amount' | 'onRetry'>

function Foot({ signing, src, dst, amount, onRetry }: FootProps) {
  const { lowerQuote, error, waitingSince, lastSent } = signing
  const isSilent = useHasPassed(waitingSince, SILENT_MS)
  return (
    <div className="ticket__go" aria-live="polite">
      {lowerQuote && <LowerQuote quote={lowerQuote} dst={dst} />}
      {error === undefined && !lowerQuote && (
        <Notice kind="info" title={lastSent === 'swap' ? 'Sent.' : 'Quote locked while you sign.'}>
          {lastSent === 'swap'
            ? 'It stays listed under Transactions, also after a reload.'
            : 'If it gets older than 2 blocks we refresh it first.'}
        </Notice>
      )}
      {isSilent && (
        <Notice kind="warn" title="Still waiting.">
          Check your wallet.
        </Notice>
      )}
      {error !== undefined &&
        (wasRejected(error) && lastSent === 'swap' ? (
          <Notice kind="warn" title="You canceled the transaction in the wallet." urgent>
            Nothing was swapped.
          </Notice>
        ) : wasRejected(error) ? (
          <Notice kind="warn" title="You declined in the wallet." urgent>
            {lastSent === 'nothing' ? (
              'Nothing was sent.'
            ) : (
              <>
                No swap was sent. Your approval of <Amount base={amount} decimals={src.decimals} /> {src.symbol} stays.
              </>
            )}
          </Notice>
        ) : (
          <Failure error={error} />
        ))}
      {error !== undefined && canRetry(signing) && <MainButton onClick={onRetry}>Ask again</MainButton>}
    </div>
  )
}

/** Returns true if a retry cannot send the same swap twice. */
function canRetry({ error, lastSent }: Signing): boolean {
  const code = error instanceof ClientError ? error.code : undefined
  return code === 'REVERTED' || code === 'REJECTED' || (lastSent !== 'swap' && code !== 'PENDING')
}

type LowerQuoteProps = { readonly quote: NonNullable<Signing['lowerQuote']>; readonly dst: PageToken }

function LowerQuote({ quote, dst }: LowerQuoteProps) {
  const { route, answer } = quote
  return (
    <>
      <Notice kind="warn" title="The price moved." urgent>
        It now pays <Amount base={route.toAmount} decimals={dst.decimals} digits={9} /> {dst.symbol}, at least{' '}
        <Amount base={route.minToAmount ?? '0'} decimals={dst.decimals} digits={9} />.
      </Notice>
      <MainButton onClick={() => answer(true)}>Accept new quote</MainButton>
      <button type="button" className="btn" onClick={() => answer(false)}>
        Cancel
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

/** Returns true once `ms` milliseconds have passed since `startedAt` was set; false while it is undefined. */
function useHasPassed(startedAt: number | undefined, ms: number): boolean {
  const [hasPassed, setHasPassed] = useState(false)
  useEffect(() => {
    setHasPassed(false)
    if (startedAt === undefined) return
    const timeout = setTimeout(() => setHasPassed(true), ms)
    return () => clearTimeout(timeout)
  }, [startedAt, ms])
  return hasPassed
}
