/** The verdict panel of the Explain page. */

import type { Explanation } from '@sluice/client'
import { isZeroAddress } from '../format/hex.ts'
import { brief, utc } from '../format/number.ts'
import type { TokenOf } from '../service/tokens.ts'
import { Copy } from '../ui/Copy.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { Usd } from '../ui/Num.tsx'
import { TokenAmount } from '../ui/TokenAmount.tsx'
import { percentText, type TransactionTerms } from './terms.ts'

type Props = {
  readonly explanation: Explanation
  readonly terms: TransactionTerms
  /** Differences from the deployment. */
  readonly faults: readonly string[]
  /** True while prices are loading. */
  readonly isPending: boolean
  readonly chainName: string
  readonly tokenOf: TokenOf
  readonly link: string
}

type Kind = 'good' | 'warn' | 'bad' | 'info'

/**
 * Shows the verdict on a swap: not of this deployment, unusual terms, or safe terms. Lists terms that cannot be
 * checked, and does not call them safe.
 */
export function Verdict(props: Props) {
  const { terms, faults, isPending, link } = props
  const { unusual, missingTerms } = terms
  const kind: Kind = faults.length > 0 ? 'bad' : unusual.length > 0 ? 'warn' : missingTerms.length > 0 ? 'info' : 'good'
  return (
    <div className={`verdict verdict--${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={kind satisfies IconName} />
      <div>
        {kind === 'bad' && <Differs {...props} />}
        {kind === 'warn' && (
          <>
            <p>
              <b>Unusual terms: {unusual[0]!.text}.</b>
            </p>
            {unusual.length > 1 && (
              <ul className="verdict__list">
                {unusual.slice(1).map(({ text }) => (
                  <li key={text}>Also: {text}.</li>
                ))}
              </ul>
            )}
          </>
        )}
        {kind === 'good' && (
          <p>
            <b>Safe terms.</b>
          </p>
        )}
        {kind === 'info' && (
          <p>
            <b>{isPending ? 'Checking prices…' : 'Nothing unusual, as far as it can be checked here.'}</b>
          </p>
        )}
        {kind !== 'bad' && <Sentence {...props} />}
        {missingTerms.length > 0 && !isPending && (
          <p className="verdict__more">Not known here: {missingTerms.join('; ')}.</p>
        )}
      </div>
      <Copy text={link} className="btn btn--small">
        Copy link
      </Copy>
    </div>
  )
}

/** Describes the swap in one sentence: amounts, their value, and terms. */
function Sentence({ explanation, terms, tokenOf }: Props) {
  const { tokenIn, amountIn, tokenOut, minOutput, recipient, fee, deadline } = explanation
  const { takesUsd, paysUsd, shortfall, unknown } = terms
  const usd = (value: number | undefined) =>
    value !== undefined && (
      <span className="unit">
        {' '}
        (<Usd value={value} />)
      </span>
    )
  const count = explanation.pools.length
  const pools = count === 1 ? '1 pool' : `${count} pools`
  const whom = isZeroAddress(recipient) ? 'the signer' : brief(recipient)
  const parts = [
    shortfall !== undefined &&
      (shortfall >= 0
        ? `minimum ${percentText(shortfall)} below the value of the input`
        : `minimum ${percentText(-shortfall)} above the value of the input`),
    fee ? `fee ${Number(fee.ppm) / 10_000} %` : 'no fee',
    unknown === undefined
      ? pools
      : unknown.length === 0
        ? `${pools}, all known`
        : `${pools}, ${unknown.length} unknown`,
    deadline < 8_640_000_000_000n ? `valid until ${utc(deadline)}` : 'valid for ever',
  ]
  return (
    <p className="verdict__terms">
      Takes <TokenAmount base={amountIn} token={tokenOf(tokenIn)} />
      {usd(takesUsd)} from the signer and pays {whom} at least{' '}
      <TokenAmount base={minOutput} token={tokenOf(tokenOut)} digits={9} />
      {usd(paysUsd)}, or it reverts. <span className="unit">Terms: {parts.filter(Boolean).join(' · ')}.</span>
    </p>
  )
}

function Differs({ explanation, terms, faults, chainName, tokenOf }: Props) {
  return (
    <>
      <p>
        <b>Do not sign: {faults[0]}.</b>
      </p>
      <p className="verdict__more">
        {faults.length > 1 && `${faults.length - 1} more below. `}
        {faults[0]!.startsWith('the Executor') ? (
          <>
            The Guard still pays the signer at least{' '}
            <TokenAmount base={explanation.minOutput} token={tokenOf(explanation.tokenOut)} digits={9} /> or everything
            reverts, but unknown code runs in between.
          </>
        ) : (
          <>Not of this deployment: compared with the contracts of {chainName}.</>
        )}
        {terms.unusual.length > 0 && ` Unusual, too: ${terms.unusual.map(({ text }) => text).join('; ')}.`}
      </p>
    </>
  )
}
