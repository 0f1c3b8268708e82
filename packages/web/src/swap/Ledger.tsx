/** The list of transactions sent by this page. */
import { getStatus } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isHash } from '../format/hex.ts'
import { shorten, utcText } from '../format/number.ts'
import { sluice } from '../service/client.ts'
import { Amount, Count } from '../ui/Num.tsx'
import { useServiceInfo } from '../ui/service-info.ts'
import { type ConnectedWallet, useWallet } from '../wallet/use-wallet.ts'
import { batchOutcome, type EntryOutcome } from './batch-outcome.ts'
import { type LedgerEntry, removeEntries, updateEntry } from './ledger.ts'

const POLL_MS = 3_000
/** Maximum number of entries shown before the user opens the full list. */
const MAX_LISTED = 3

/** Lists the transactions sent by this page and their outcomes. */
export function Ledger({ entries }: { readonly entries: readonly LedgerEntry[] }) {
  const [isOpen, setIsOpen] = useState(false)
  const shownEntries = isOpen ? entries : entries.slice(0, MAX_LISTED)
  const hiddenCount = entries.length - shownEntries.length
  const isFinished = ({ status }: LedgerEntry) => status !== 'pending'
  return (
    <section className="panel ledger" id="transactions" aria-labelledby="ledger">
      <div className="panel__h">
        <h2 id="ledger">Transactions</h2>
        {entries.some(isFinished) && (
          <button type="button" className="link" onClick={() => removeEntries(isFinished)}>
            Clear
          </button>
        )}
      </div>
      <ul>
        {shownEntries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {hiddenCount > 0 && (
        <button type="button" className="link ledger__more" onClick={() => setIsOpen(true)}>
          Show {hiddenCount} more
        </button>
      )}
      {/* Shows nothing, but polls the outcome of each pending entry that is not in the list. */}
      {entries
        .filter((entry) => entry.status === 'pending' && !shownEntries.includes(entry))
        .map((entry) => (
          <OutcomeFollower key={entry.id} entry={entry} />
        ))}
    </section>
  )
}

function OutcomeFollower({ entry }: { readonly entry: LedgerEntry }) {
  useOutcome(entry)
  return null
}

const statusText = { pending: 'Pending', landed: 'Confirmed', failed: 'Reverted' } as const

function Entry({ entry }: { readonly entry: LedgerEntry }) {
  const { id, kind, chainId, src, dst, fromAmount, toAmount, status, block, received, sentAt } = entry
  const state = useOutcome(entry)
  return (
    <li className={`ledger__e ledger__e--${status}`}>
      <div>
        <b>
          {kind === 'approval' && 'Approve '}
          <Amount base={fromAmount} decimals={src.decimals} /> {src.symbol}
          {kind !== 'approval' && ` → ${dst.symbol}`}
        </b>
        <span className="ledger__s" title={utcText(Math.floor(sentAt / 1000))}>
          {statusText[status]}
          {block !== undefined && (
            <>
              {' in '}
              <Count value={block} />
            </>
          )}
        </span>
      </div>
      <div className="note">
        <span>
          {kind !== 'approval' && (
            <>
              Quoted <Amount base={toAmount} decimals={dst.decimals} />
              {received !== undefined && (
                <>
                  {' · received '}
                  <Amount base={received} decimals={dst.decimals} />
                </>
              )}
            </>
          )}
          {status === 'pending' && state === 'unknown' && (
            <>
              {kind === 'approval' ? '' : ' · '}
              Not seen on-chain yet.{' '}
              <button type="button" className="link" onClick={() => removeEntries((candidate) => candidate.id === id)}>
                Forget
              </button>
            </>
          )}
        </span>
        {isHash(id) ? (
          <Link className="mono" to="/app/explain" search={{ chain: chainId }} hash={id} title={id}>
            {shorten(id)}
          </Link>
        ) : (
          <span title={id}>see your wallet</span>
        )}
      </div>
    </li>
  )
}

/**
 * Follows an entry until it is mined, and records the outcome.
 *
 * @returns the latest state that the service or the wallet reported
 */
function useOutcome(entry: LedgerEntry): string | undefined {
  const wallet = useWallet()
  const { local } = useServiceInfo()
  const chainWallet = wallet?.chainId === entry.chainId ? wallet : undefined
  const guard = entry.chainId === local?.chainId ? local.contracts.guard : undefined
  const { data } = useQuery({
    queryKey: ['transaction', entry.chainId, entry.id, chainWallet?.address],
    enabled: entry.status === 'pending',
    refetchInterval: POLL_MS,
    retry: false,
    queryFn: () => (entry.kind === 'batch' ? outcomeOfBatch(entry, chainWallet) : outcomeOf(entry, chainWallet, guard)),
  })
  useEffect(() => {
    if (!data || entry.status !== 'pending') return
    const { state: _, ...change } = data
    if (Object.keys(change).length > 0) updateEntry(entry.id, change)
  }, [data, entry.id, entry.status])
  return data?.state
}

async function outcomeOf(
  { chainId, id, toAmount }: LedgerEntry,
  wallet: ConnectedWallet | undefined,
  guard: string | undefined,
): Promise<EntryOutcome> {
  const node = wallet && (await wallet.open()).wallet
  const answer = await getStatus(sluice, chainId, id, { toAmount, guard, ...(node?.request && { node }) })
  const { status: state, block, swap } = answer
  if (state === 'reverted') return { state, status: 'failed', ...(block !== null && { block }) }
  if (state !== 'landed') return { state }
  const receivedAmount = swap?.received ?? undefined
  return {
    state,
    status: 'landed',
    ...(block !== null && { block }),
    ...(receivedAmount !== undefined && { received: receivedAmount }),
  }
}

/** Requests the outcome of a batch from its wallet, because only the wallet knows the id of a batch. */
async function outcomeOfBatch({ id }: LedgerEntry, wallet: ConnectedWallet | undefined): Promise<EntryOutcome> {
  return wallet ? batchOutcome(id, (await wallet.open()).wallet) : { state: 'pending' }
}
