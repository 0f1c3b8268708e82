/** The verdict panel of the Explain page. */

import type { Explanation } from '@sluice/client'
import { isZeroAddress } from '../format/hex.ts'
import { shorten, utcTextOrUndefined } from '../format/number.ts'
import type { TokenOf } from '../service/tokens.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { Usd } from '../ui/Num.tsx'
import { TokenAmount } from '../ui/TokenAmount.tsx'
import { percentText, type TransactionTerms } from './terms.ts'

type Props = {
  readonly explanation: Explanation
  readonly terms: TransactionTerms
  /** Differences of the transaction's contracts from those deployed on the chain, each as a clause of a sentence. */
  readonly deploymentDifferences: readonly string[]
  /** True while prices are loading. */
  readonly isPending: boolean
  readonly chainName: string
  readonly tokenOf: TokenOf
  readonly link: string
}

type Kind = 'good' | 'warn' | 'bad' | 'info'

/**
 * Shows the verdict on a swap, and the facts that could not be checked. The verdict is `bad` if the contracts are not
 * those deployed on the chain. Otherwise it is `warn` if terms are unusual, `info` if facts are missing, or `good`.
 */
export function Verdict(props: Props) {
  const { terms, deploymentDifferences, isPending, link } = props
  const { unusualTerms, missingFacts } = terms
  const kind: Kind =
    deploymentDifferences.length > 0
      ? 'bad'
      : unusualTerms.length > 0
        ? 'warn'
        : missingFacts.length > 0
          ? 'info'
          : 'good'
  return (
    <div className={`verdict verdict--${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={kind satisfies IconName} />
      <div>
        {kind === 'bad' && <DeploymentWarning {...props} />}
        {kind === 'warn' && (
          <>
            <p>
              <b>Unusual terms: {unusualTerms[0]!.text}.</b>
            </p>
            {unusualTerms.length > 1 && (
              <ul className="verdict__list">
                {unusualTerms.slice(1).map(({ text }) => (
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
        {kind !== 'bad' && <TermsSentence {...props} />}
        {missingFacts.length > 0 && !isPending && (
          <p className="verdict__more">Not known here: {missingFacts.join('; ')}.</p>
        )}
      </div>
      <CopyButton text={link} className="btn btn--small">
        Copy link
      </CopyButton>
    </div>
  )
}

/** Describes the swap in one sentence: amounts, their value, and terms. */
function TermsSentence({ explanation, terms, tokenOf }: Props) {
  const { tokenIn, amountIn, tokenOut, minOutput, recipient, fee, deadline } = explanation
  const { takesUsd, paysUsd, shortfallPercent, unknownPools } = terms
  const usdNote = (value: number | undefined) =>
    value !== undefined && (
      <span className="unit">
        {' '}
        (<Usd value={value} />)
      </span>
    )
  const count = explanation.pools.length
  const pools = count === 1 ? '1 pool' : `${count} pools`
  const recipientText = isZeroAddress(recipient) ? 'the signer' : shorten(recipient)
  const deadlineText = utcTextOrUndefined(deadline)
  const parts = [
    shortfallPercent !== undefined &&
      (shortfallPercent >= 0
        ? `minimum ${percentText(shortfallPercent)} below the value of the input`
        : `minimum ${percentText(-shortfallPercent)} above the value of the input`),
    fee ? `fee ${Number(fee.ppm) / 10_000} %` : 'no fee',
    unknownPools === undefined
      ? pools
      : unknownPools.length === 0
        ? `${pools}, all known`
        : `${pools}, ${unknownPools.length} unknown`,
    deadlineText === undefined ? 'valid for ever' : `valid until ${deadlineText}`,
  ]
  return (
    <p className="verdict__terms">
      Takes <TokenAmount base={amountIn} token={tokenOf(tokenIn)} />
      {usdNote(takesUsd)} from the signer and pays {recipientText} at least{' '}
      <TokenAmount base={minOutput} token={tokenOf(tokenOut)} digits={9} />
      {usdNote(paysUsd)}, or it reverts. <span className="unit">Terms: {parts.filter(Boolean).join(' · ')}.</span>
    </p>
  )
}

function DeploymentWarning({ explanation, terms, deploymentDifferences, chainName, tokenOf }: Props) {
  return (
    <>
      <p>
        <b>Do not sign: {deploymentDifferences[0]}.</b>
      </p>
      <p className="verdict__more">
        {deploymentDifferences.length > 1 && `${deploymentDifferences.length - 1} more below. `}
        {deploymentDifferences[0]!.startsWith('the Executor') ? (
          <>
            The Guard still pays the signer at least{' '}
            <TokenAmount base={explanation.minOutput} token={tokenOf(explanation.tokenOut)} digits={9} /> or everything
            reverts, but unknown code runs in between.
          </>
        ) : (
          <>Not of this deployment: compared with the contracts of {chainName}.</>
        )}
        {terms.unusualTerms.length > 0 && ` Unusual, too: ${terms.unusualTerms.map(({ text }) => text).join('; ')}.`}
      </p>
    </>
  )
}
