/** Generates the tables of docs/audit/limits.md: code sizes of the contracts, and bounds of their gas. Called by `audit-scope.ts`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/run.ts'

/** Maximum size of deployed code (EIP-170). */
const MAX_CODE_BYTES = 24_576
/** Maximum size of init code (EIP-3860). */
const MAX_INIT_CODE_BYTES = 49_152

/** Maximum gas of a transaction since Fusaka (EIP-7825). */
const MAX_TRANSACTION_GAS = 16_777_216

const CONTRACTS = [
  ['Guard', 'cancun'],
  ['GuardLondon', 'london'],
  ['Executor', 'cancun'],
  ['ExecutorLondon', 'london'],
] as const

/** Maximum number of families that the page lists. It lists the families with the most expensive hops. */
const MAX_FAMILIES = 12

const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8'))
const formatNumber = (value: number) => value.toLocaleString('en-US')

/** Returns the path of a contract's artifact in Hardhat's latest build. */
export function artifactOf(contract: string): string {
  const [source, londonSource] = [`src/${contract}.sol`, `src/london/${contract}.sol`]
  const builtSource = existsSync(join(root, 'contracts/artifacts', source)) ? source : londonSource
  return `contracts/artifacts/${builtSource}/${contract}.json`
}

function sizeTable(): string {
  const rows = CONTRACTS.map(([contract, build]) => {
    const { bytecode, deployedBytecode } = read<{ bytecode: string; deployedBytecode: string }>(artifactOf(contract))
    const [initBytes, codeBytes] = [bytecode, deployedBytecode].map((hex) => hex.length / 2 - 1) as [number, number]
    // Upper bound: 200 gas per byte of code, 16 gas per byte of calldata, and 53,000 gas per contract creation.
    const creationGas = codeBytes * 200 + initBytes * 16 + 53_000
    const share = ((100 * creationGas) / MAX_TRANSACTION_GAS).toFixed(0)
    return `| \`${contract}\` | ${build} | ${formatNumber(codeBytes)} | ${formatNumber(MAX_CODE_BYTES - codeBytes)} | ${formatNumber(initBytes)} | ${formatNumber(MAX_INIT_CODE_BYTES - initBytes)} | ${formatNumber(creationGas)} (${share} %) |`
  })
  return [
    '| contract | build | code, bytes | left of 24,576 | init code, bytes | left of 49,152 | maximum gas to create |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

/** Returns a table of the gas bounds that the fuzz tests in `Gas.t.sol` assert, by test. */
function boundsTable(): string {
  const source = readFileSync(join(root, 'contracts/test/invariants/Gas.t.sol'), 'utf8')
  const bounds = new Map(
    [...source.matchAll(/constant (GAS_\w+) = ([\d_]+);/g)].map(([, name, gas]) => [
      name!,
      Number(gas!.replaceAll('_', '')),
    ]),
  )
  const rows = [...source.matchAll(/function (testFuzz_I15_\w+)\([\s\S]*?\b(GAS_\w+)\);\n {4}}/g)].map(
    ([, test, bound]) => `| \`${test}\` | ${formatNumber(bounds.get(bound!)!)} |`,
  )
  if (rows.length !== bounds.size)
    throw new Error(`Gas.t.sol has ${bounds.size} bounds and ${rows.length} tests that use one`)
  return ['| test | maximum gas of the call |', '| --- | ---: |', ...rows].join('\n')
}

type FamilyGas = {
  /** Gas of a hop. */
  readonly hop: number
  /** Additional gas of each piece of liquidity (tick, bin, or level) that the hop crosses. */
  readonly piece: number
  /** Method of the measurement, and details after a colon. */
  readonly basis: string
}

function hopsTable(): string {
  const { families } = read<{ families: Readonly<Record<string, FamilyGas>> }>('bench/results/hop-gas.json')
  const rows = Object.entries(families)
    .sort(([, a], [, b]) => b.hop - a.hop)
    .slice(0, MAX_FAMILIES)
    .map(
      ([family, { hop, piece, basis }]) =>
        `| ${family} | ${formatNumber(hop)} | ${piece > 0 ? formatNumber(piece) : '–'} | ${basis.split(':')[0]} |`,
    )
  return [
    '| family | gas of a hop | gas of each further piece (tick, bin, level) | source |',
    '| --- | ---: | ---: | --- |',
    ...rows,
  ].join('\n')
}

type TradeGas = {
  /** Gas if the Executor holds the tokens between the hops. */
  readonly sluice: number
  /** Gas if pools pay each other and the recipient directly. */
  readonly sluiceDirect?: number
  /** Gas of a bare contract that does the same swap without checks. */
  readonly floor?: number
}

function tradesTable(): string {
  const { about, ...trades } = read<Readonly<Record<string, TradeGas>> & { readonly about: TradeGas }>(
    'bench/results/gas.json',
  )
  const rows = Object.entries(trades).map(
    ([name, { sluice, sluiceDirect, floor }]) =>
      `| ${name} | ${formatNumber(sluice)} | ${sluiceDirect ? formatNumber(sluiceDirect) : '–'} | ${floor ? (sluice / floor).toFixed(3) : '–'} |`,
  )
  return [
    '| trade | gas in custody | gas in direct mode | ratio to a bare contract without checks |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

/** Returns the tables of the page by name. */
export function limitsTables(): Readonly<Record<string, string>> {
  return { sizes: sizeTable(), bounds: boundsTable(), trades: tradesTable(), hops: hopsTable() }
}
