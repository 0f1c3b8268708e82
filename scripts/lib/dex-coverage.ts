/**
 * Generates docs/dexes.md. The page lists the DEX deployments (rows of the chains' files) that the service serves, by
 * family and by chain. For the other deployments it gives the reasons.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chain, DexRow } from '@sluice/chains'
import { exactIdOf, families, familyOf, rowsOf, twinIdOf } from '@sluice/liquidity'
import type { Summary } from '../coverage-pools/report.ts'
import { EXCLUDED, REASONS, SILENT } from './dex-reasons.ts'
import { root } from './run.ts'

const isServed = (row: DexRow): boolean => families.some((family) => rowsOf(family, row).length > 0)
const formatShare = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

/** Results of `npm run coverage:pools -- --recorded` that the page shows, by chain. */
export type RecordedShares = Readonly<Record<'ethereum' | 'linea' | 'scroll', RecordedChain>>

type RecordedChain = Pick<Summary, 'swaps' | 'transactions' | 'pools' | 'unused'> & {
  readonly blocks: number
  readonly from: number
  readonly to: number
}

/** Reads the committed results. */
export const recordedShares = (): RecordedShares =>
  JSON.parse(readFileSync(join(root, 'bench/results/pool-coverage.json'), 'utf8')) as RecordedShares

/**
 * Returns the page.
 *
 * @param recorded - shares of recorded swaps in pools that quotes can use
 * @throws Error if a row is not served and its family has no reason in `REASONS`
 */
export function dexCoverage(chains: readonly Chain[], recorded: RecordedShares): string {
  const rows = chains.flatMap(({ dexes }) => dexes)
  const servedCount = rows.filter(isServed).length
  const byFamily = [...Map.groupBy(rows, ({ family }) => family)].sort(
    ([a, rowsA], [b, rowsB]) => rowsB.length - rowsA.length || (a < b ? -1 : 1),
  )
  return `# DEX deployments that are routed through

Made by \`npm run docs\` from the chain registry (\`packages/chains/data\`) and the families of \`packages/liquidity/src/dexes\`.
${servedCount.toLocaleString('en')} of ${rows.length.toLocaleString('en')} rows of ${chains.length} chains are served, ${formatShare(servedCount, rows.length)}. A row is one deployment of a DEX: a
factory, a vault, a registry.

## By family

| family | rows | served | chains | why not |
| --- | ---: | ---: | ---: | --- |
${byFamily.map(([family, list]) => familyLine(family, list, chains)).join('\n')}

## Pools that are left out

Rows say nothing of pools. These pools of served rows are not traded. *Sampled* families are quoted from swaps simulated at each block
([decision](decisions/sampled-pools.md)), all others by exact math. Families with *exact, or sampled* sample the pools that their math does not
reproduce, such as those with a hook in swaps or of an unknown implementation. All that are sampled have a budget at each block, and pools of tokens
requested less lately wait beyond it.

| family | quoted | pools left out | why |
| --- | --- | --- | --- |
${families
  .filter(({ id }) => exactIdOf(id) === null)
  .map(excludedLine)
  .sort()
  .join('\n')}

## What changes without a log

Some state of a pool changes without a log that the service follows: with time, or because another contract sets it. It is refreshed at every block, of
*all* pools of the family or of *some*, or within a *budget*. The budget for parameters refreshes pools of tokens requested in the last ten minutes at
every block, as long as their reads take less than 30 million gas, and the others in turns, with at least 10 million gas a block: a thousand idle
pools of Slipstream take ten blocks. Pools whose state shows that nothing can change are not read. What is left to the audit is as of the last log after
which the pool is read again, or of the last audit: up to about 43 minutes old.

| family | refreshed | pools | left to the audit |
| --- | --- | --- | --- |
${families.flatMap(silentLines).sort().join('\n')}

${recordedSection(recorded)}
## By chain

| chain | rows | served | families served, with their rows | not served |
| --- | ---: | ---: | --- | --- |
${chains.map(chainLine).join('\n')}
`
}

function recordedSection({ ethereum, linea, scroll }: RecordedShares): string {
  const chains = Object.entries({ ethereum, linea, scroll })
  return `## Swaps of real blocks

\`npm run coverage:pools -- --recorded\` counts the swaps of the recorded blocks whose pools a quote can use, and
\`npm run coverage:pools -- --chain <id> --rpc <url>\` those of the newest blocks of any chain, with the pools of the 200 most
traded tokens. A swap is one event of a known kind of DEX, or one trade of a pair that logs its reserves. *Unread* pools are of a served row, but
the recorded state lacks slots that their reading needs. The recorded states also lack the storage of most factories: a pool
that names no factory there may name one on the chain. *Up to* counts the unread as usable.

| chain | blocks | swaps | served | sampled | unread | invisible | usable | up to | of transactions | of pools |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${chains.map(([name, coverage]) => recordedLine(name, coverage)).join('\n')}

- A recorded pool is assigned to a row by the factory that it names, by its CREATE2 address, by an event that one family alone emits, by its
  code, or by the name of its share. Its state is then read and quoted as on the chain.
- Trades of contracts without a known event are not counted: they are pools, market makers, or no exchange at all. \`--json\` lists them.
- The sampled pools of Ethereum are of Angstrom, whose hook takes swaps only in blocks that its operator unlocks. The recorded block was one.
  Those of Linea and Scroll are aqua and range pools of SyncSwap, and a fork of Uniswap V3 on Linea that no public source names: its row has the
  factory's address for a brand.
- The pools of Ring trade its own wrappers of tokens. Quotes of those tokens use them, others do not, as no served family wraps.
- Linea's blocks begin in July 2023. Horizondex and Echodex, a quarter of the swaps there, traded in the first of them. Recorded states lack most
  ticks of Kyber Elastic's lists: a pool of it is usable between those that are known.

Swaps that no quote could use:

| chain | swaps | pools | state | why |
| --- | ---: | ---: | --- | --- |
${chains.flatMap(([name, { unused }]) => unused.map(({ swaps, pools, state, reason }) => `| ${name} | ${swaps} | ${pools} | ${state} | ${reason} |`)).join('\n')}
`
}

function recordedLine(name: string, { blocks, from, to, swaps, transactions, pools }: RecordedChain): string {
  const { total, served, sampled, unread, invisible, usablePercent, usableOrUnreadPercent } = swaps
  const counts = [total, served, sampled, unread, invisible].join(' | ')
  const percents = [usablePercent, usableOrUnreadPercent, transactions.usablePercent, pools.usablePercent]
  return `| ${name} | ${blocks} (${from} to ${to}) | ${counts} | ${percents.map((percent) => `${percent} %`).join(' | ')} |`
}

function excludedLine({ id, sampled }: (typeof families)[number]): string {
  const { pools, why } = EXCLUDED[id] ?? { pools: '', why: '' }
  const exact = familyOf(twinIdOf(id)) ? 'exact, or sampled' : 'exact'
  return `| ${id} | ${sampled || id === 'prop-amm' ? 'sampled' : exact} | ${pools} | ${why} |`
}

/** @throws Error if a family refreshes state that `SILENT` does not name */
function silentLines({ id, sampled, refreshStates, parameterGas, movesSilently }: (typeof families)[number]): string[] {
  if (exactIdOf(id) !== null) return []
  const { refreshed, audited = '' } = SILENT[id] ?? {}
  if ((refreshStates !== undefined) !== (refreshed !== undefined)) throw new Error(`${id}: SILENT is out of date`)
  if (!refreshed) return audited ? [`| ${id} |  |  | ${audited} |`] : []
  const isBudgeted = sampled !== undefined || parameterGas !== undefined
  const pools = isBudgeted ? 'budget' : movesSilently ? 'some' : 'all'
  return [`| ${id} | ${refreshed} | ${pools} | ${audited} |`]
}

function familyLine(family: string, rows: readonly DexRow[], chains: readonly Chain[]): string {
  const servedCount = rows.filter(isServed).length
  const chainCount = chains.filter(({ dexes }) => dexes.some((row) => row.family === family)).length
  const why = servedCount === rows.length ? '' : REASONS[family]
  if (why === undefined) throw new Error(`${family}: no reason is given why its rows are not served`)
  return `| ${family} | ${rows.length} | ${servedCount} | ${chainCount} | ${why} |`
}

function chainLine({ chainId, name, dexes }: Chain): string {
  const countText = (rows: readonly DexRow[]) =>
    [...Map.groupBy(rows, ({ family }) => family)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([family, list]) => (list.length > 1 ? `${family} ${list.length}` : family))
      .join(', ')
  const servedRows = dexes.filter(isServed)
  const remaining = dexes.filter((row) => !isServed(row))
  return `| ${name} (${chainId}) | ${dexes.length} | ${servedRows.length} | ${countText(servedRows)} | ${countText(remaining)} |`
}
