/** The Chains page: deployment, sync state, and pools of each chain. */

import { Lede } from '../ui/Lede.tsx'
import { Scroll } from '../ui/Scroll.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import '../styles/chains.css'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { isBehind, type PageChain, type PageChainStatus, useStatus, useStatuses } from '../service/chains.ts'
import { Address } from '../ui/Address.tsx'
import { useChoice } from '../ui/after-paint.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Count } from '../ui/Num.tsx'
import { Row } from '../ui/Row.tsx'
import { useChain, useServiceInfo } from '../ui/service-info.ts'
import { useTitle } from '../ui/title.ts'

/** Label of each state in which the page shows a chain. */
const statusLabels = {
  following: 'Deployed, synced',
  late: 'Behind',
  down: 'Node not answering',
  asleep: 'Deployed, asleep',
  predicted: 'Not deployed yet (address reserved)',
} as const
type StatusKind = keyof typeof statusLabels

/** Maximum number of chains of a group that a narrow screen shows until the user expands the group. */
const MAX_COLLAPSED_TILES = 12

function statusKindOf({ status }: PageChain, chainStatus: PageChainStatus | undefined): StatusKind {
  if (chainStatus?.state === 'failing') return 'down'
  if (chainStatus?.state === 'awake')
    return isBehind(chainStatus) ? 'late' : status === 'predicted' ? 'predicted' : 'following'
  return status === 'predicted' ? 'predicted' : 'asleep'
}

const statusGroups: readonly (readonly [string, readonly StatusKind[]])[] = [
  ['Followed now', ['following', 'late', 'down']],
  ['Deployed; followed when somebody asks', ['asleep']],
  ['Not deployed yet (address reserved)', ['predicted']],
]

export function ChainsPage() {
  useTitle('Chains')
  const { chains } = useServiceInfo()
  const { chain: chosenId } = useSearch({ strict: false }) as { readonly chain?: number }
  const navigate = useNavigate()
  const { data, error, dataUpdatedAt } = useStatuses()
  const rowsOfChains = chains.map((chain) => {
    const chainStatus = data?.chains[chain.id]
    return { ...chain, chainStatus, statusKind: statusKindOf(chain, chainStatus) }
  })
  const followedChains = rowsOfChains.filter(
    ({ chainStatus }) => chainStatus !== undefined && chainStatus.state !== 'asleep',
  )
  return (
    <>
      <Lede page="chains" />
      {error && (
        <div className="above">
          <Failure error={error}>
            {data && `Figures shown are from ${new Date(dataUpdatedAt).toISOString().slice(11, 16)} UTC.`}
          </Failure>
        </div>
      )}
      <dl className="sums">
        {(Object.keys(statusLabels) as StatusKind[]).map((statusKind) => (
          <div key={statusKind}>
            <dd>
              {data || statusKind === 'predicted' ? (
                rowsOfChains.filter((candidate) => candidate.statusKind === statusKind).length
              ) : error ? (
                <span className="q">not known</span>
              ) : (
                <Skeleton like="00" />
              )}
            </dd>
            <dt>
              <i className={`chip chip--${statusKind}`} />
              {statusLabels[statusKind]}
            </dt>
          </div>
        ))}
      </dl>
      <div className="cm">
        <ChainMap
          rows={rowsOfChains}
          chosenId={chosenId ?? rowsOfChains[0]?.id}
          onChoose={(chain) => navigate({ to: '/app/chains', search: { ...(chain !== undefined && { chain }) } })}
        />
        <ChainCard chainId={chosenId} />
      </div>
      {followedChains.length > 0 && <FollowedChains rows={followedChains} />}
    </>
  )
}

type ChainRow = PageChain & { readonly chainStatus: PageChainStatus | undefined; readonly statusKind: StatusKind }

type ChainMapProps = {
  readonly rows: readonly ChainRow[]
  readonly chosenId: number | undefined
  readonly onChoose: (chain: number | undefined) => Promise<void>
}

function ChainMap({ rows, chosenId: idInUrl, onChoose }: ChainMapProps) {
  const [chosenId, choose] = useChoice(idInUrl, onChoose)
  return (
    <section className="panel map" aria-label="Map of chains">
      {statusGroups.map(([name, kinds]) => (
        <ChainGroup
          key={name}
          name={name}
          tiles={rows.filter(({ statusKind }) => kinds.includes(statusKind))}
          chosenId={chosenId}
          onChoose={choose}
        />
      ))}
    </section>
  )
}

type GroupProps = {
  readonly name: string
  readonly tiles: readonly ChainRow[]
  readonly chosenId: number | undefined
  readonly onChoose: (chain: number) => void
}

function ChainGroup({ name, tiles, chosenId, onChoose }: GroupProps) {
  const [isExpanded, setIsExpanded] = useState(() => innerWidth > 720)
  if (tiles.length === 0) return null
  const shownTiles = isExpanded ? tiles : tiles.slice(0, MAX_COLLAPSED_TILES)
  return (
    <div className="map__g">
      <h2>
        <span>{name}</span>
        <span className="unit">{tiles.length}</span>
      </h2>
      <div className="tiles">
        {shownTiles.map(({ id, name, statusKind, chainStatus }) => (
          <ChainTile
            key={id}
            {...{ id, name, statusKind, onChoose }}
            head={chainStatus?.head}
            isChosen={id === chosenId}
          />
        ))}
      </div>
      {shownTiles.length < tiles.length && (
        <button type="button" className="btn btn--small map__more" onClick={() => setIsExpanded(true)}>
          {tiles.length - shownTiles.length} more
        </button>
      )}
    </div>
  )
}

type TileProps = Pick<ChainRow, 'id' | 'name' | 'statusKind'> & {
  readonly head: number | undefined
  readonly isChosen: boolean
  readonly onChoose: (chain: number) => void
}

/** Shows a chain of the map. Memoized, so that it renders again only if this chain changes. */
const ChainTile = memo(function ChainTile({ id, name, statusKind, head, isChosen, onChoose }: TileProps) {
  return (
    <button
      type="button"
      className={`tile tile--${statusKind}`}
      aria-pressed={isChosen}
      title={name}
      onClick={() => onChoose(id)}
    >
      <b>{name}</b>
      {statusKind === 'down' ? 'down' : head === undefined ? id : `block ${head}`}
      <span className="sr">, {statusLabels[statusKind]}</span>
    </button>
  )
})

function ChainCard({ chainId }: { readonly chainId: number | undefined }) {
  const chain = useChain(chainId)
  const { data: chainStatus } = useStatus(chain.id)
  const statusKind = statusKindOf(chain, chainStatus)
  const command = `npm run deploy -- --chain ${chain.id}`
  const dash = <span className="q">—</span>
  return (
    <section className="panel cd" aria-labelledby="chosen-chain" aria-live="polite">
      <div className="panel__h">
        <h2 id="chosen-chain">{chain.name}</h2>
        <span className="note">chain {chain.id}</span>
      </div>
      <dl className="rows">
        <Row name="Status">{statusLabels[statusKind]}</Row>
        <Row name="Guard">{chain.guard ? <Address address={chain.guard} /> : dash}</Row>
        <Row name="Head">{chainStatus?.head === undefined ? dash : <Count value={chainStatus.head} />}</Row>
        <Row name="Last block">
          <LastBlock chainStatus={chainStatus} />
        </Row>
        <Row name="Pools known">{chainStatus?.pools === undefined ? dash : <Count value={chainStatus.pools} />}</Row>
        {chainStatus?.scan && (
          <Row name="Past logs searched">
            <Count value={Math.floor(100 * chainStatus.scan.progress)} /> <span className="unit">%</span>
          </Row>
        )}
      </dl>
      <div className="cd__b">
        {statusKind === 'down' && (
          <Notice kind="bad" title="Its node does not answer.">
            {chainStatus?.reason}. Quotes are refused until it is back.
          </Notice>
        )}
        {statusKind === 'late' && (
          <Notice kind="warn" title={`${chainStatus?.lagSeconds} s behind.`}>
            Quotes are of an older block and say so.
          </Notice>
        )}
        {chainStatus?.scan?.state === 'failing' && (
          <Notice kind="warn" title="Some pools cannot be found.">
            {capitalize(chainStatus.scan.reason ?? 'the node does not give past logs')}. Missing:{' '}
            {chainStatus.scan.families.join(', ')}.
          </Notice>
        )}
        {chainStatus?.scan?.state === 'paused' && (
          <Notice kind="info" title="Pools are still being found.">
            {capitalize(chainStatus.scan.reason ?? 'the node is busy')}; the search goes on by itself.
          </Notice>
        )}
        {statusKind === 'predicted' && (
          <Notice kind="info" title="Anyone can deploy here.">
            The address is fixed by the code. One command: <code>{command}</code>{' '}
            <CopyButton text={command}>Copy</CopyButton>
          </Notice>
        )}
        <Link className="btn" to="/" search={{ chain: chain.id }}>
          {statusKind === 'predicted' ? `Quotes of ${chain.name}` : `Swap on ${chain.name}`}
        </Link>
      </div>
    </section>
  )
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Shows the age of the newest block. If block times do not follow real time, shows the reason instead of an age. */
function LastBlock({ chainStatus }: { readonly chainStatus: PageChainStatus | undefined }) {
  if (chainStatus?.clock === 'resting') return 'idle (no new blocks)'
  if (chainStatus?.clock === 'off') return 'clock differs from ours'
  if (chainStatus?.clock !== 'moving' || chainStatus.lagSeconds === undefined)
    return <span className="q">not known yet</span>
  return <Lag seconds={chainStatus.lagSeconds} />
}

function Lag({ seconds }: { readonly seconds: number }) {
  return (
    <>
      <Count value={seconds} /> <span className="unit">s ago</span>
    </>
  )
}

function FollowedChains({ rows }: { readonly rows: readonly ChainRow[] }) {
  const rowsByLag = [...rows].sort((a, b) => (b.chainStatus?.lagSeconds ?? 0) - (a.chainStatus?.lagSeconds ?? 0))
  const dotClasses = { late: 'pip--warn', down: 'pip--bad' } as Partial<Record<StatusKind, string>>
  return (
    <section className="panel cl" aria-labelledby="followed">
      <div className="panel__h">
        <h2 id="followed">Followed now</h2>
        <span className="note">sorted by last block</span>
      </div>
      <Scroll label="Chains followed now">
        <table>
          <thead>
            <tr>
              <th>Chain</th>
              <th>Id</th>
              <th>Status</th>
              <th className="r">Head</th>
              <th className="r" aria-sort="descending">
                Last block
              </th>
              <th className="r">Pools</th>
              <th>Guard</th>
            </tr>
          </thead>
          <tbody>
            {rowsByLag.map(({ id, name, statusKind, chainStatus, guard }) => (
              <tr key={id}>
                <td>
                  <span className={`pip pip--row ${dotClasses[statusKind] ?? ''}`} />
                  {name}
                </td>
                <td className="unit">{id}</td>
                <td>{chainStatus?.clock === 'resting' ? 'Synced, idle' : statusLabels[statusKind]}</td>
                <td className="r">{chainStatus?.head !== undefined && <Count value={chainStatus.head} />}</td>
                <td className="r">
                  {chainStatus?.clock === 'moving' && chainStatus.lagSeconds !== undefined && (
                    <Lag seconds={chainStatus.lagSeconds} />
                  )}
                </td>
                <td className="r">{chainStatus?.pools !== undefined && <Count value={chainStatus.pools} />}</td>
                <td>
                  <Address address={guard} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}
