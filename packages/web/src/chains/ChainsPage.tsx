/** The Chains page: deployment, sync state, and pools of each chain. */

import { Lede } from '../ui/Lede.tsx'
import { Scroll } from '../ui/Scroll.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import '../styles/chains.css'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { type PageChain, type ShownStatus, useStatus, useStatuses } from '../service/chains.ts'
import { Address } from '../ui/Address.tsx'
import { useChoice } from '../ui/after-paint.ts'
import { Copy } from '../ui/Copy.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Count } from '../ui/Num.tsx'
import { useChain, useSetting } from '../ui/setting.ts'
import { useTitle } from '../ui/title.ts'

/** Labels of a chain's state. */
const looks = {
  following: 'Deployed, synced',
  late: 'Behind',
  down: 'Node not answering',
  asleep: 'Deployed, asleep',
  predicted: 'Not deployed yet (address reserved)',
} as const
type Look = keyof typeof looks

/** Lag in seconds from which a chain with a moving clock counts as behind. */
const BEHIND_SECONDS = 30
/** Number of tiles that a group shows on a narrow screen before it folds the others. */
const FEW_TILES = 12

function lookOf({ status }: PageChain, run: ShownStatus | undefined): Look {
  if (run?.state === 'failing') return 'down'
  if (run?.state === 'awake')
    return run.clock === 'moving' && (run.lagSeconds ?? 0) > BEHIND_SECONDS
      ? 'late'
      : status === 'predicted'
        ? 'predicted'
        : 'following'
  return status === 'predicted' ? 'predicted' : 'asleep'
}

const groups: readonly (readonly [string, readonly Look[]])[] = [
  ['Followed now', ['following', 'late', 'down']],
  ['Deployed; followed when somebody asks', ['asleep']],
  ['Not deployed yet (address reserved)', ['predicted']],
]

export function ChainsPage() {
  useTitle('Chains')
  const { chains } = useSetting()
  const { chain: chosenId } = useSearch({ strict: false }) as { readonly chain?: number }
  const navigate = useNavigate()
  const { data, error, dataUpdatedAt } = useStatuses()
  const rowsOfChains = chains.map((chain) => {
    const run = data?.chains[chain.id]
    return { ...chain, run, appearance: lookOf(chain, run) }
  })
  const followedChains = rowsOfChains.filter(({ run }) => run !== undefined && run.state !== 'asleep')
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
        {(Object.keys(looks) as Look[]).map((appearance) => (
          <div key={appearance}>
            <dd>
              {data || appearance === 'predicted' ? (
                rowsOfChains.filter((candidate) => candidate.appearance === appearance).length
              ) : error ? (
                <span className="q">not known</span>
              ) : (
                <Skeleton like="00" />
              )}
            </dd>
            <dt>
              <i className={`chip chip--${appearance}`} />
              {looks[appearance]}
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
        <Card chainId={chosenId} />
      </div>
      {followedChains.length > 0 && <Followed rows={followedChains} />}
    </>
  )
}

type Row = PageChain & { readonly run: ShownStatus | undefined; readonly appearance: Look }

type ChainMapProps = {
  readonly rows: readonly Row[]
  readonly chosenId: number | undefined
  readonly onChoose: (chain: number | undefined) => Promise<void>
}

function ChainMap({ rows, chosenId: applied, onChoose }: ChainMapProps) {
  const [chosenId, choose] = useChoice(applied, onChoose)
  return (
    <section className="panel map" aria-label="Map of chains">
      {groups.map(([name, members]) => (
        <Group
          key={name}
          name={name}
          tiles={rows.filter(({ appearance }) => members.includes(appearance))}
          chosenId={chosenId}
          onChoose={choose}
        />
      ))}
    </section>
  )
}

type GroupProps = {
  readonly name: string
  readonly tiles: readonly Row[]
  readonly chosenId: number | undefined
  readonly onChoose: (chain: number) => void
}

function Group({ name, tiles, chosenId, onChoose }: GroupProps) {
  const [isExpanded, setWhole] = useState(() => innerWidth > 720)
  if (tiles.length === 0) return null
  const shownTiles = isExpanded ? tiles : tiles.slice(0, FEW_TILES)
  return (
    <div className="map__g">
      <h2>
        <span>{name}</span>
        <span className="unit">{tiles.length}</span>
      </h2>
      <div className="tiles">
        {shownTiles.map(({ id, name, appearance, run }) => (
          <Tile key={id} {...{ id, name, appearance, onChoose }} head={run?.head} isChosen={id === chosenId} />
        ))}
      </div>
      {shownTiles.length < tiles.length && (
        <button type="button" className="btn btn--small map__more" onClick={() => setWhole(true)}>
          {tiles.length - shownTiles.length} more
        </button>
      )}
    </div>
  )
}

type TileProps = Pick<Row, 'id' | 'name' | 'appearance'> & {
  readonly head: number | undefined
  readonly isChosen: boolean
  readonly onChoose: (chain: number) => void
}

/** Shows a chain of the map. Renders again only if this chain changes. */
const Tile = memo(function Tile({ id, name, appearance, head, isChosen, onChoose }: TileProps) {
  return (
    <button
      type="button"
      className={`tile tile--${appearance}`}
      aria-pressed={isChosen}
      title={name}
      onClick={() => onChoose(id)}
    >
      <b>{name}</b>
      {appearance === 'down' ? 'down' : head === undefined ? id : `block ${head}`}
      <span className="sr">, {looks[appearance]}</span>
    </button>
  )
})

function Card({ chainId }: { readonly chainId: number | undefined }) {
  const chain = useChain(chainId)
  const { data: run } = useStatus(chain.id)
  const appearance = lookOf(chain, run)
  const command = `npm run deploy -- --chain ${chain.id}`
  const none = <span className="q">—</span>
  return (
    <section className="panel cd" aria-labelledby="chosen-chain" aria-live="polite">
      <div className="panel__h">
        <h2 id="chosen-chain">{chain.name}</h2>
        <span className="note">chain {chain.id}</span>
      </div>
      <dl className="rows">
        <div>
          <dt>Status</dt>
          <dd>{looks[appearance]}</dd>
        </div>
        <div>
          <dt>Guard</dt>
          <dd>{chain.guard ? <Address address={chain.guard} /> : none}</dd>
        </div>
        <div>
          <dt>Head</dt>
          <dd>{run?.head === undefined ? none : <Count value={run.head} />}</dd>
        </div>
        <div>
          <dt>Last block</dt>
          <dd>
            <LastBlock run={run} />
          </dd>
        </div>
        <div>
          <dt>Pools known</dt>
          <dd>{run?.pools === undefined ? none : <Count value={run.pools} />}</dd>
        </div>
        {run?.scan && (
          <div>
            <dt>Past logs searched</dt>
            <dd>
              <Count value={Math.floor(100 * run.scan.progress)} /> <span className="unit">%</span>
            </dd>
          </div>
        )}
      </dl>
      <div className="cd__b">
        {appearance === 'down' && (
          <Notice kind="bad" title="Its node does not answer.">
            {run?.reason}. Quotes are refused until it is back.
          </Notice>
        )}
        {appearance === 'late' && (
          <Notice kind="warn" title={`${run?.lagSeconds} s behind.`}>
            Quotes are of an older block and say so.
          </Notice>
        )}
        {run?.scan?.state === 'failing' && (
          <Notice kind="warn" title="Some pools cannot be found.">
            {sentence(run.scan.reason ?? 'the node does not give past logs')}. Missing: {run.scan.families.join(', ')}.
          </Notice>
        )}
        {run?.scan?.state === 'paused' && (
          <Notice kind="info" title="Pools are still being found.">
            {sentence(run.scan.reason ?? 'the node is busy')}; the search goes on by itself.
          </Notice>
        )}
        {appearance === 'predicted' && (
          <Notice kind="info" title="Anyone can deploy here.">
            The address is fixed by the code. One command: <code>{command}</code> <Copy text={command}>Copy</Copy>
          </Notice>
        )}
        <Link className="btn" to="/" search={{ chain: chain.id }}>
          {appearance === 'predicted' ? `Quotes of ${chain.name}` : `Swap on ${chain.name}`}
        </Link>
      </div>
    </section>
  )
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Shows the lag only if the chain's block times follow real time. */
function LastBlock({ run }: { readonly run: ShownStatus | undefined }) {
  if (run?.clock === 'resting') return 'idle (no new blocks)'
  if (run?.clock === 'off') return 'clock differs from ours'
  if (run?.clock !== 'moving' || run.lagSeconds === undefined) return <span className="q">not known yet</span>
  return <Lag seconds={run.lagSeconds} />
}

function Lag({ seconds }: { readonly seconds: number }) {
  return (
    <>
      <Count value={seconds} /> <span className="unit">s ago</span>
    </>
  )
}

function Followed({ rows }: { readonly rows: readonly Row[] }) {
  const byLag = [...rows].sort((a, b) => (b.run?.lagSeconds ?? 0) - (a.run?.lagSeconds ?? 0))
  const pip = { late: 'pip--warn', down: 'pip--bad' } as Partial<Record<Look, string>>
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
            {byLag.map(({ id, name, appearance, run, guard }) => (
              <tr key={id}>
                <td>
                  <span className={`pip pip--row ${pip[appearance] ?? ''}`} />
                  {name}
                </td>
                <td className="unit">{id}</td>
                <td>{run?.clock === 'resting' ? 'Synced, idle' : looks[appearance]}</td>
                <td className="r">{run?.head !== undefined && <Count value={run.head} />}</td>
                <td className="r">
                  {run?.clock === 'moving' && run.lagSeconds !== undefined && <Lag seconds={run.lagSeconds} />}
                </td>
                <td className="r">{run?.pools !== undefined && <Count value={run.pools} />}</td>
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
