/** The lists of a swap's terms, such as slippage and recipient, that differ from the defaults or are invalid. */
import { Notice } from '../ui/Notice.tsx'
import { MainButton } from './MainButton.tsx'
import type { OrderTerms, Term } from './terms.ts'

const labelByTerm: Readonly<Record<Term['name'], string>> = {
  slippage: 'Slippage tolerance',
  impact: 'Max price impact',
  recipient: 'Recipient',
  fee: 'Integrator fee',
}

/** Lists every term that differs from its default. */
export function TermList({ terms }: { readonly terms: OrderTerms }) {
  if (terms.list.length === 0) return null
  return (
    <dl className="terms" aria-label="Terms of this swap">
      {terms.list.map(({ name, value, feeRecipient, needsAcceptance }) => (
        <div key={name} className={needsAcceptance ? 'terms__new' : undefined}>
          <dt>
            {labelByTerm[name]}
            {needsAcceptance && <span className="terms__from"> from the link</span>}
          </dt>
          <dd>
            {name === 'recipient' ? 'not your wallet' : `${value} %`}
            {feeRecipient !== undefined && ' to'}
          </dd>
          {(name === 'recipient' || feeRecipient !== undefined) && (
            <dd className="mono terms__a">{feeRecipient ?? value}</dd>
          )}
        </div>
      ))}
    </dl>
  )
}

/** Asks the user to accept the terms in the URL, because another person may have chosen them. */
export function AcceptTerms({ terms, boughtSymbol }: { readonly terms: OrderTerms; readonly boughtSymbol: string }) {
  const recipient = terms.list.find(({ name, needsAcceptance }) => name === 'recipient' && needsAcceptance)
  const title = recipient
    ? `The link sends all ${boughtSymbol} to another account.`
    : 'The link sets terms of this swap.'
  return (
    <>
      <Notice kind="warn" title={title} urgent>
        Continue only if you agree to the terms above.
      </Notice>
      <button type="button" className="btn" onClick={terms.reset}>
        Use the defaults
      </button>
      <MainButton kind="ask" onClick={terms.accept}>
        Accept these terms
      </MainButton>
    </>
  )
}

/** Lists the invalid terms. */
export function TermProblems({ terms }: { readonly terms: OrderTerms }) {
  return (
    <>
      {terms.problems.map((text) => (
        <Notice key={text} kind="bad" title={text} urgent />
      ))}
      <button type="button" className="btn" onClick={terms.reset}>
        Use the defaults
      </button>
      <MainButton>Correct the terms</MainButton>
    </>
  )
}
