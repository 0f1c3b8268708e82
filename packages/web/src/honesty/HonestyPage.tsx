/** The Accuracy page: drift of simulated output one and two blocks after a quote. */
import { Skeleton } from '../ui/Skeleton.tsx'
import '../styles/prices.css'
import '../styles/honesty.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { shorten, utcText } from '../format/number.ts'
import { FamilyMark } from '../route/FamilyMark.tsx'
import { useStatus } from '../service/chains.ts'
import { shouldRetry, sluice } from '../service/client.ts'
import { useChoice } from '../ui/after-paint.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Lede } from '../ui/Lede.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Bps, Count, Percent } from '../ui/Num.tsx'
import { useChain } from '../ui/service-info.ts'
import { useTitle } from '../ui/title.ts'
import { DriftPlot } from './DriftPlot.tsx'
import {
  type DelayedDrift,
  type DriftKind,
  type DriftRow,
  type DriftStats,
  parseDriftStats,
  titleByKind,
} from './drift.ts'
import { LeftOutPools } from './LeftOutPools.tsx'

export type HonestyParams = {
  readonly chain?: number
  /** Kind of the rows in the table. */
  readonly by?: DriftKind
  /** Key of the row whose details are shown. */
  readonly pick?: string
}

const REFETCH_MS = 5_000

export function HonestyPage() {
  useTitle('Accuracy')
  const { chain: chainId, by = 'family', pick: pickedKey } = useSearch({ strict: false }) as HonestyParams
  const chain = useChain(chainId)
  const navigate = useNavigate()
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['stats', chain.id],
    refetchInterval: REFETCH_MS,
    retry: shouldRetry,
    queryFn: async () => parseDriftStats(await sluice.stats(chain.id)),
  })
  const { data: status } = useStatus(chain.id)
  const rows = data?.rows[by]
  const pickedRow = rows?.find(({ key }) => key === pickedKey) ?? rows?.[0]
  return (
    <>
      <Lede page="honesty" />
      {error && data && (
        <div className="above">
          <Notice kind="warn" title="The service does not answer.">
            These figures were measured until {utcText(Math.floor(dataUpdatedAt / 1000))}.
          </Notice>
        </div>
      )}
      {!error && status?.state === 'failing' && (
        <div className="above">
          <Notice kind="warn" title="The node of this chain does not answer.">
            Nothing new is measured until it does.
          </Notice>
        </div>
      )}
      {error && !data && <Failure error={error} />}
      {!(error && !data) && <ChainStats stats={data} />}
      {data && <SamplingNote stats={data} />}
      {data && data.fadingPools.length > 0 && <LeftOutPools pools={data.fadingPools} />}
      {!(error && !data) && (
        <div className={`pd ${error ? 'hn--stale' : ''}`}>
          <section className="panel" aria-labelledby="measured" aria-busy={!data}>
            <div className="panel__h hn__h">
              <h2 id="measured">{titleByKind[by]}</h2>
              <KindChoice
                selected={by}
                onChoose={(kind) =>
                  navigate({ to: '/app/honesty', search: { ...(chainId && { chain: chainId }), by: kind } })
                }
              />
            </div>
            <DriftTable
              rows={rows}
              pickedRow={pickedRow}
              onPick={(key) =>
                navigate({
                  to: '/app/honesty',
                  search: { ...(chainId && { chain: chainId }), by, ...(key !== undefined && { pick: key }) },
                })
              }
            />
          </section>
          {pickedRow && <Detail row={pickedRow} otherRows={rows!} />}
        </div>
      )}
    </>
  )
}

type KindsProps = { readonly selected: DriftKind; readonly onChoose: (kind: DriftKind) => Promise<void> }

function KindChoice({ selected, onChoose }: KindsProps) {
  const [by, choose] = useChoice(selected, onChoose)
  return (
    <fieldset className="seg" aria-label="Figures by">
      {(Object.keys(titleByKind) as DriftKind[]).map((kind) => (
        <button key={kind} type="button" aria-pressed={kind === by} onClick={() => choose(kind)}>
          {titleByKind[kind]}
        </button>
      ))}
    </fieldset>
  )
}

/** Shows the statistics of the whole chain. */
function ChainStats({ stats }: { readonly stats: DriftStats | undefined }) {
  const [oneBlock, twoBlocks] = stats?.chain ?? []
  const renderFigure = (name: string, value: ReactNode) => (
    <div>
      <dd>{stats ? value : <Skeleton like="−0.00 bps" />}</dd>
      <dt>{name}</dt>
    </div>
  )
  return (
    <dl className="hn__sums" aria-busy={!stats}>
      {renderFigure('quotes re-checked', <Count value={stats?.samples ?? 0} />)}
      {renderFigure('median, 1 block later', <Bps value={oneBlock?.medianBps} />)}
      {renderFigure('median, 2 blocks later', <Bps value={twoBlocks?.medianBps} />)}
      {renderFigure(
        'would revert, 2 blocks later',
        twoBlocks && twoBlocks.samples > 0 ? (
          <Percent value={twoBlocks.wouldRevertPercent} />
        ) : (
          <span className="q">not known</span>
        ),
      )}
    </dl>
  )
}

/** Shows the share of the calls to the chain's node that measure drift, and the number of failed measurements. */
function SamplingNote({ stats: { samplePercent, samples, missed } }: { readonly stats: DriftStats }) {
  if (samplePercent === 0)
    return (
      <div className="above">
        <Notice kind="info" title="This service measures nothing.">
          Its operator has switched it off (DRIFT_SAMPLE_PERCENT=0).
        </Notice>
      </div>
    )
  const share = <Percent value={samplePercent} />
  return (
    <p className="note hn__share">
      {samples === 0 ? (
        <>
          Nothing measured yet. {share} of the calls to the node go into this: it takes quotes, and the blocks after
          them.
        </>
      ) : (
        <>
          {share} of the calls to the node go into this. <Count value={missed} /> couldn’t be re-checked (missed or
          reorged block).
        </>
      )}
    </p>
  )
}

type TableProps = {
  readonly rows: readonly DriftRow[] | undefined
  readonly pickedRow: DriftRow | undefined
  readonly onPick: (key: string | undefined) => Promise<void>
}

function DriftTable({ rows, pickedRow, onPick }: TableProps) {
  const [pickedKey, choose] = useChoice(pickedRow?.key, onPick)
  return (
    <>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th className="r" aria-sort="descending">
                Samples
              </th>
              <th className="r">Median</th>
              <th className="r hide-s">Worst 5 %</th>
              <th className="r">Would revert</th>
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => (
              <TableRow key={row.key} row={row} isChosen={row.key === pickedKey} onPick={choose} />
            ))}
            {!rows && SKELETON_KEYS.map((key) => <SkeletonRow key={key} />)}
          </tbody>
        </table>
      </div>
      {rows?.length === 0 && <p className="opts__none note">No data yet. Make a quote and wait two blocks.</p>}
      {rows && rows.length > 0 && (
        <p className="note hn__foot">Two blocks later, in basis points of what was quoted.</p>
      )}
    </>
  )
}

type TableRowProps = { readonly row: DriftRow; readonly isChosen: boolean; readonly onPick: (key: string) => void }

const TableRow = memo(function TableRow({ row, isChosen, onPick }: TableRowProps) {
  const [oneBlock, twoBlocks] = row.driftByDelay
  return (
    <tr className={isChosen ? 'chosen' : undefined} onClick={() => onPick(row.key)}>
      <td>
        {row.family !== undefined && <FamilyMark family={row.family} />}{' '}
        <button type="button" className="sym" aria-pressed={isChosen} title={row.key}>
          {row.dex === undefined ? row.key : shorten(row.key)}
        </button>{' '}
        {row.dex !== undefined && <span className="q hide-s">{row.dex}</span>}
      </td>
      <td className="r">
        <Count value={oneBlock.samples + twoBlocks.samples} />
      </td>
      <td className="r">
        <Bps value={twoBlocks.medianBps} hasNoUnit />
      </td>
      <td className="r hide-s">
        <Bps value={twoBlocks.worst5PercentBps} hasNoUnit />
      </td>
      <td className="r">
        <WouldRevert drift={twoBlocks} />
      </td>
    </tr>
  )
})

function WouldRevert({ drift: { samples, wouldRevertPercent } }: { readonly drift: DelayedDrift }) {
  return samples > 0 ? <Percent value={wouldRevertPercent} /> : <span className="q">–</span>
}

const SKELETON_KEYS = ['a', 'b', 'c', 'd', 'e', 'f']

function SkeletonRow() {
  return (
    <tr>
      <td>
        <Skeleton like="uniswap-v3" />
      </td>
      <td className="r">
        <Skeleton like="000" />
      </td>
      <td className="r">
        <Skeleton like="−0.00" />
      </td>
      <td className="r hide-s">
        <Skeleton like="−0.00" />
      </td>
      <td className="r">
        <Skeleton like="0.00 %" />
      </td>
    </tr>
  )
}

function Detail({ row, otherRows }: { readonly row: DriftRow; readonly otherRows: readonly DriftRow[] }) {
  return (
    <section className="panel plot" aria-labelledby="picked">
      <div className="panel__h">
        <h2 id="picked" className="hn__name">
          {row.dex === undefined ? row.key : shorten(row.key)}
        </h2>
        {row.dex === undefined ? null : <CopyButton text={row.key}>Copy the pool</CopyButton>}
      </div>
      <DriftPlot row={row} otherRows={otherRows.filter((candidate) => candidate !== row)} />
      <div className="scroll">
        <table className="hn__figures">
          <thead>
            <tr>
              <th>Later</th>
              <th className="r">Samples</th>
              <th className="r">Mean</th>
              <th className="r">Worst 5 %</th>
              <th className="r">Would revert</th>
            </tr>
          </thead>
          <tbody>
            {row.driftByDelay.map((drift, k) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the number of blocks.
              <tr key={k}>
                <td>{k === 0 ? '1 block' : '2 blocks'}</td>
                <td className="r">
                  <Count value={drift.samples} />
                </td>
                <td className="r">
                  <Bps value={drift.meanBps} hasNoUnit />
                </td>
                <td className="r">
                  <Bps value={drift.worst5PercentBps} hasNoUnit />
                </td>
                <td className="r">
                  <WouldRevert drift={drift} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="note">
        Would revert: the transaction would have paid below the minimum, so it would have reverted and cost gas. Recent
        quotes only.
      </p>
    </section>
  )
}
