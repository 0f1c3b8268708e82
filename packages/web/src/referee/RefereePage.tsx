/** The Referee page: compares a mined swap with the best route at the same state of the chain. */
import { SkeletonRows } from '../ui/Row.tsx'
import '../styles/explain.css'
import '../styles/prices.css'
import '../styles/referee.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isHash } from '../format/hex.ts'
import { Lede } from '../ui/Lede.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { useChain } from '../ui/service-info.ts'
import { useTitle } from '../ui/title.ts'
import { JudgedSwap } from './JudgedSwap.tsx'
import { reasonNotJudged } from './outcomes.ts'
import type { RefereeParams } from './params.ts'
import { useReport } from './use-report.ts'

export function RefereePage() {
  useTitle('Referee')
  const params = useSearch({ strict: false }) as RefereeParams
  const { hash } = params
  const chain = useChain(params.chain)
  const navigate = useNavigate()
  const { data: report, error, isFetching } = useReport(chain.id, hash)
  const change = (changes: RefereeParams) =>
    navigate({ to: '/app/referee', search: (before: RefereeParams) => ({ ...before, ...changes }) })
  const isInvalidHash = hash !== undefined && !isHash(hash.trim())
  const outcome = report && reasonNotJudged(report, chain.name)
  return (
    <>
      <Lede page="referee" />
      <HashForm
        key={hash}
        hash={hash ?? ''}
        chain={chain.name}
        // A shared link always names its chain, even the default chain.
        onAsk={(text) => navigate({ to: '/app/referee', search: { chain: chain.id, hash: text } })}
      />
      <div className="spaced stack">
        {hash === undefined && (
          <Notice kind="info" title="Nothing to judge yet.">
            Paste the hash of a mined swap on {chain.name}.
          </Notice>
        )}
        {isInvalidHash && (
          <Notice kind="bad" title="That isn’t a transaction hash." urgent>
            A hash is 0x and 64 hex digits.
          </Notice>
        )}
        {error && !report && <Failure error={error} />}
        {outcome && (
          <div role="status">
            <Notice kind={outcome.kind} title={outcome.title}>
              {outcome.text}
            </Notice>
          </div>
        )}
        {!isInvalidHash && isFetching && !report && <JudgingSkeleton />}
        {report && !outcome && <JudgedSwap {...{ report, params, chain, onChange: change }} />}
      </div>
    </>
  )
}

type HashFormProps = { readonly hash: string; readonly chain: string; readonly onAsk: (hash: string) => void }

function HashForm({ hash, chain, onAsk }: HashFormProps) {
  const [typedHash, setTypedHash] = useState(hash)
  return (
    <form
      className="panel paste"
      onSubmit={(event) => {
        event.preventDefault()
        if (typedHash.trim() !== '') onAsk(typedHash.trim())
      }}
    >
      <label className="lab" htmlFor="hash">
        Hash of a transaction on {chain}
      </label>
      <span />
      <input
        className="field mono"
        id="hash"
        spellCheck={false}
        autoComplete="off"
        placeholder="0x…"
        value={typedHash}
        onChange={(event) => setTypedHash(event.target.value)}
      />
      <button type="submit" className="btn">
        Judge
      </button>
    </form>
  )
}

/** Duration after which the placeholder explains the wait. */
const LONG_WAIT_MS = 4_000

/** Placeholder of the verdict. Explains a long wait. */
function JudgingSkeleton() {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  const names = ['Paid', 'Best simulated', 'Proven bound', 'Left on the table, net of gas']
  return (
    <section className="panel" aria-label="Verdict" aria-busy="true">
      <div className="panel__h">
        <h2>Judging…</h2>
      </div>
      <p className="note referee__wait" role="status">
        {isLong
          ? 'Still reading: the block before is quoted from all of its pools, which takes some seconds the first time.'
          : 'Reading the transaction, and quoting the same trade at the state before it.'}
      </p>
      <SkeletonRows names={names} like="000 000.000000" />
    </section>
  )
}
