/** Generates docs/dexes.md: the served DEX entries by family and by chain, and the reasons for the others. */
import type { Chain, DexRow } from '@sluice/chains'
import { families, rowsOf } from '@sluice/liquidity'

/** Reasons why families of the registry are not served. */
const REASONS: Readonly<Record<string, string>> = {
  'other-pair-amm': 'pairs of a curve of their own',
  'syncswap-aqua': 'a curve whose source is not public',
  'maverick-v2': 'not written yet: no genuine code to check against',
  'solidly-v3': 'not written yet: no genuine code to check against',
  'balancer-v1': 'a fork whose pools no registry lists by pairs',
  'prop-amm': 'off until drift measurements vouch for the venue',
  ekubo: 'the second version has another interface',
  'liquidity-book': 'version 2.0 swaps by other rules',
  curve: 'its kind of registry is not read',
}

const isServed = (row: DexRow): boolean => families.some((family) => rowsOf(family, row).length > 0)
const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

/**
 * Returns the page.
 *
 * @throws Error if an entry is not served and its family has no reason above
 */
export function dexCoverage(chains: readonly Chain[]): string {
  const rows = chains.flatMap(({ dexes }) => dexes)
  const served = rows.filter(isServed).length
  const byFamily = [...Map.groupBy(rows, ({ family }) => family)].sort(
    ([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1),
  )
  return `# DEX deployments that are routed through

Made by \`npm run docs\` from the chain registry (\`packages/chains/data\`) and the families of \`packages/liquidity/src/dexes\`.
${served.toLocaleString('en')} of ${rows.length.toLocaleString('en')} rows of ${chains.length} chains are served, ${share(served, rows.length)}. A row is one deployment of a DEX: a
factory, a vault, a registry.

## By family

| family | rows | served | chains | why not |
| --- | ---: | ---: | ---: | --- |
${byFamily.map(([family, list]) => familyLine(family, list, chains)).join('\n')}

## By chain

| chain | rows | served | families served, with their rows | not served |
| --- | ---: | ---: | --- | --- |
${chains.map(chainLine).join('\n')}
`
}

function familyLine(family: string, rows: readonly DexRow[], chains: readonly Chain[]): string {
  const served = rows.filter(isServed).length
  const on = chains.filter(({ dexes }) => dexes.some((row) => row.family === family)).length
  const why = served === rows.length ? '' : REASONS[family]
  if (why === undefined) throw new Error(`${family}: no reason is given why its rows are not served`)
  return `| ${family} | ${rows.length} | ${served} | ${on} | ${why} |`
}

function chainLine({ chainId, name, dexes }: Chain): string {
  const counted = (rows: readonly DexRow[]) =>
    [...Map.groupBy(rows, ({ family }) => family)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([family, list]) => (list.length > 1 ? `${family} ${list.length}` : family))
      .join(', ')
  const served = dexes.filter(isServed)
  const remaining = dexes.filter((row) => !isServed(row))
  return `| ${name} (${chainId}) | ${dexes.length} | ${served.length} | ${counted(served)} | ${counted(remaining)} |`
}
