/** The Prices page: prices and depth of a chain's tokens. */
import { Skeleton } from '../ui/Skeleton.tsx'
import '../styles/prices.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useMemo, useRef } from 'react'
import { shortNumber } from '../format/number.ts'
import { isBehind, useStatus } from '../service/chains.ts'
import { shouldRetry, sluice } from '../service/client.ts'
import { type PageToken, useTokens } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { TYPING_PAUSE_MS, useChoice } from '../ui/after-paint.ts'
import { Lede } from '../ui/Lede.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Count, Price } from '../ui/Num.tsx'
import { useKey } from '../ui/Shell.tsx'
import { useChain } from '../ui/service-info.ts'
import { useTitle } from '../ui/title.ts'
import { type Depth, isUnlimited } from './curve.ts'
import { DepthPlot, Sparkline } from './DepthPlot.tsx'
import { Confidence, Evidence } from './Evidence.tsx'
import { type PriceEvidence, type PriceRow, priceRowsOf, tokensWithRows } from './rows.ts'

export type PricesParams = {
  readonly chain?: number
  /** Address of the token whose details are shown. */
  readonly token?: string
  /** Text of the search. */
  readonly q?: string
}

const POLL_MS = 15_000
/** Interval and number of the first polls. Their responses omit prices that the service is still loading. */
const FIRST_POLL_MS = 2_000
const FIRST_POLL_COUNT = 4

export function PricesPage() {
  useTitle('Prices')
  const { chain: chainId, token: chosenAddress, q = '' } = useSearch({ strict: false }) as PricesParams
  const chain = useChain(chainId)
  const navigate = useNavigate()
  const change = (changes: PricesParams, replace: boolean) =>
    navigate({ to: '/app/prices', search: (before: PricesParams) => ({ ...before, ...changes }), replace })
  const { data: status } = useStatus(chain.id)
  const tokens = useTokens(chain.id)
  const { rows, error } = usePriceRows(chain.id, tokens.data)
  const failure = error ?? tokens.error
  const searchText = q.trim().toLowerCase()
  const shownRows = rows?.filter(
    ({ symbol, name, address }) =>
      symbol.toLowerCase().includes(searchText) ||
      name.toLowerCase().includes(searchText) ||
      address.toLowerCase() === searchText,
  )
  const pickedRow =
    rows?.find(({ address }) => address.toLowerCase() === chosenAddress?.toLowerCase()) ??
    shownRows?.find(({ depth }) => isDrawable(depth)) ??
    shownRows?.[0]
  return (
    <>
      <Lede page="prices">
        <TokenSearch text={q} onSearch={(text) => change({ q: text }, true)} />
      </Lede>
      {status && (status.state === 'failing' || isBehind(status)) && (
        <div className="above">
          <Notice
            kind="warn"
            title={
              status.state === 'failing'
                ? 'The node of this chain does not answer.'
                : `The chain is ${status.lagSeconds} s behind.`
            }
          >
            Prices are those of block {status.head ?? 'unknown'}. They follow as soon as the node does.
          </Notice>
        </div>
      )}
      {failure && !rows && <Failure error={failure} />}
      <div className="pd">
        <TokenTable
          rows={shownRows}
          pickedRow={pickedRow}
          emptyText={rows?.length === 0 ? 'This chain lists no tokens.' : 'No matching token.'}
          hasFailed={failure !== null}
          onPick={(token) => change({ ...(token !== undefined && { token }) }, false)}
        />
        {pickedRow ? (
          <Detail row={pickedRow} otherRows={rows!} head={status?.head} />
        ) : (
          !rows && !failure && <DetailSkeleton />
        )}
      </div>
    </>
  )
}

type TokenSearchProps = { readonly text: string; readonly onSearch: (text: string) => Promise<void> }

function TokenSearch({ text: appliedText, onSearch }: TokenSearchProps) {
  const field = useRef<HTMLInputElement>(null)
  useKey('/', () => field.current?.focus())
  const [text, setText] = useChoice(appliedText, onSearch, TYPING_PAUSE_MS)
  return (
    <label className="find">
      <span className="sr">Find a token</span>
      <input
        ref={field}
        className="field"
        type="search"
        placeholder="Symbol, name or address"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setText('')}
      />
    </label>
  )
}

type TableProps = {
  readonly rows: readonly PriceRow[] | undefined
  readonly pickedRow: PriceRow | undefined
  /** Shown if there are no rows. */
  readonly emptyText: string
  readonly hasFailed: boolean
  readonly onPick: (address: string | undefined) => Promise<void>
}

function TokenTable({ rows, pickedRow, emptyText, hasFailed, onPick }: TableProps) {
  const [pickedAddress, choose] = useChoice(pickedRow?.address, onPick)
  return (
    <section className="panel" aria-label="Tokens" aria-busy={rows === undefined}>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Token</th>
              <th className="r">Price</th>
              <th className="r" aria-sort="descending">
                Depth at 2 %
              </th>
              <th className="r hide-s">Depth, 0.5–10 % impact</th>
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => (
              <TableRow key={row.address} row={row} isChosen={row.address === pickedAddress} onPick={choose} />
            ))}
            {!rows && !hasFailed && SKELETON_KEYS.map((key) => <SkeletonRow key={key} />)}
          </tbody>
        </table>
      </div>
      {rows?.length === 0 && <p className="opts__none note">{emptyText}</p>}
    </section>
  )
}

type TableRowProps = { readonly row: PriceRow; readonly isChosen: boolean; readonly onPick: (address: string) => void }

const TableRow = memo(function TableRow({ row, isChosen, onPick }: TableRowProps) {
  return (
    <tr className={isChosen ? 'chosen' : undefined} onClick={() => onPick(row.address)}>
      <td>
        <button type="button" className="sym" aria-pressed={isChosen}>
          {row.symbol}
        </button>{' '}
        <span className="hide-s">
          <Address address={row.address} />
        </span>
      </td>
      <td className="r">
        {row.evidence && row.evidence.usd !== null && (
          <span className="hide-s">
            <Confidence confidence={row.evidence.confidence} />
          </span>
        )}
        <Price value={row.evidence?.usd ?? null} />
      </td>
      <td className="r">
        {row.depth && isUnlimited(row.depth['2']) ? (
          'any amount'
        ) : row.depth && row.depth['2'] > 0 ? (
          `$${shortNumber(row.depth['2'])}`
        ) : (
          <span className="q">none</span>
        )}
      </td>
      <td className="hide-s">{row.depth && <Sparkline depth={row.depth} />}</td>
    </tr>
  )
})

const SKELETON_KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

function SkeletonRow() {
  return (
    <tr>
      <td>
        <Skeleton like="WETH 0x0000…0000" />
      </td>
      <td className="r">
        <Skeleton like="$0 000.00" />
      </td>
      <td className="r">
        <Skeleton like="$00.0 M" />
      </td>
      <td className="hide-s" />
    </tr>
  )
}

/** Shows the price and the depth of a token. Memoized, so that typing in the search does not render it again. */
const Detail = memo(function Detail({
  row,
  otherRows,
  head,
}: {
  readonly row: PriceRow
  readonly otherRows: readonly PriceRow[]
  readonly head: number | undefined
}) {
  const { symbol, evidence, depth } = row
  const otherDepths = new Map(
    otherRows.flatMap((candidate): [string, Depth][] =>
      isDrawable(candidate.depth) && candidate !== row ? [[candidate.address, candidate.depth]] : [],
    ),
  )
  return (
    <section className="panel plot" aria-labelledby="picked" aria-live="polite">
      <div className="panel__h">
        <h2 id="picked">{symbol}</h2>
        <span className="note">
          {head !== undefined && (
            <>
              block <Count value={head} />
            </>
          )}
        </span>
      </div>
      <div className="plot__v">
        <Price value={evidence?.usd ?? null} />
      </div>
      {evidence && <Evidence detail={evidence} />}
      {depth && isUnlimited(depth['2']) ? (
        <p className="note">A pool of this token, such as a wrapper, takes any amount at the same price.</p>
      ) : isDrawable(depth) ? (
        <>
          <DepthPlot depth={depth} otherDepths={otherDepths} symbol={symbol} />
          <p className="note">Gray: the other tokens of this chain.</p>
        </>
      ) : (
        <p className="note">
          No depth data. If a pool trades this token, Swap still finds a route and shows what it costs.
        </p>
      )}
    </section>
  )
})

const isDrawable = (depth: Depth | null): depth is Depth =>
  depth !== null && depth['10'] > 0 && !isUnlimited(depth['10'])

/** Placeholder of `Detail` in the same size, so that the table does not move. */
function DetailSkeleton() {
  return (
    <section className="panel plot plot--loading" aria-busy="true" aria-label="Token">
      <div className="panel__h">
        <h2>
          <Skeleton like="WETH" />
        </h2>
      </div>
      <div className="plot__v">
        <Skeleton like="$0 000.00" />
      </div>
    </section>
  )
}

/** Loads prices and depth of all listed tokens, deepest first. Sends no request for a chain without listed tokens. */
function usePriceRows(chainId: number, tokens: readonly PageToken[] | undefined) {
  const rowTokens = useMemo(() => tokens && tokensWithRows(tokens), [tokens])
  const addresses = rowTokens?.map(({ address }) => address) ?? []
  const { data, error } = useQuery({
    queryKey: ['prices and depth', chainId, addresses],
    enabled: addresses.length > 0,
    refetchInterval: ({ state }) => (state.dataUpdateCount < FIRST_POLL_COUNT ? FIRST_POLL_MS : POLL_MS),
    retry: shouldRetry,
    queryFn: async () => {
      const [prices, depths] = await Promise.all([
        sluice.get<Record<string, PriceEvidence>>(`/prices/${chainId}`, { token: addresses, detail: 1 }),
        sluice.get<Record<string, Depth | null>>(`/liquidity/${chainId}`, { token: addresses, curve: 1 }),
      ])
      return { prices, depths }
    },
  })
  const rows = useMemo(() => rowTokens && priceRowsOf(rowTokens, data), [rowTokens, data])
  return { error, rows }
}
