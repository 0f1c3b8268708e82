/**
 * Writes docs/audit/limits.md: the size of the deployed code, and the worst cases of gas. `npm run audit:scope` runs
 * it.
 */
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

/** Number of families with the most expensive hops that the page lists. */
const MAX_ROWS = 12

const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8'))
const formatNumber = (value: number) => value.toLocaleString('en-US')

/** Returns the path of a compiled contract in Hardhat's latest build. */
export function artifactOf(contract: string): string {
  const [plain, london] = [`src/${contract}.sol`, `src/london/${contract}.sol`]
  const folder = existsSync(join(root, 'contracts/artifacts', plain)) ? plain : london
  return `contracts/artifacts/${folder}/${contract}.json`
}

function sizeTable(): string {
  const rows = CONTRACTS.map(([contract, build]) => {
    const { bytecode, deployedBytecode } = read<{ bytecode: string; deployedBytecode: string }>(artifactOf(contract))
    const [init, code] = [bytecode, deployedBytecode].map((hex) => hex.length / 2 - 1) as [number, number]
    // 200 gas per byte of code, at most 16 per byte of calldata, and 53,000 per contract creation.
    const creation = code * 200 + init * 16 + 53_000
    const share = ((100 * creation) / MAX_TRANSACTION_GAS).toFixed(0)
    return `| \`${contract}\` | ${build} | ${formatNumber(code)} | ${formatNumber(MAX_CODE_BYTES - code)} | ${formatNumber(init)} | ${formatNumber(MAX_INIT_CODE_BYTES - init)} | ${formatNumber(creation)} (${share} %) |`
  })
  return [
    '| contract | build | code, bytes | left of 24,576 | init code, bytes | left of 49,152 | gas to create, at most |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

/** Returns a table of the bounds that `Gas.t.sol` asserts for any amount, by test. */
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
  return ['| test | gas of the call, at most |', '| --- | ---: |', ...rows].join('\n')
}

/** Gas of a hop, gas of each further piece of liquidity that it crosses, and how both were measured. */
type Hop = { readonly hop: number; readonly piece: number; readonly basis: string }

function hopsTable(): string {
  const { families } = read<{ families: Readonly<Record<string, Hop>> }>('bench/results/hop-gas.json')
  const rows = Object.entries(families)
    .sort(([, a], [, b]) => b.hop - a.hop)
    .slice(0, MAX_ROWS)
    .map(
      ([family, { hop, piece, basis }]) =>
        `| ${family} | ${formatNumber(hop)} | ${piece > 0 ? formatNumber(piece) : '–'} | ${basis.split(':')[0]} |`,
    )
  return [
    '| family | gas of a hop | of each further piece (tick, bin, level) | by |',
    '| --- | ---: | ---: | --- |',
    ...rows,
  ].join('\n')
}

type Trade = { readonly sluice: number; readonly sluiceDirect?: number; readonly floor?: number }

function tradesTable(): string {
  const { about, ...trades } = read<Readonly<Record<string, Trade>> & { readonly about: Trade }>(
    'bench/results/gas.json',
  )
  const rows = Object.entries(trades).map(
    ([name, { sluice, sluiceDirect, floor }]) =>
      `| ${name} | ${formatNumber(sluice)} | ${sluiceDirect ? formatNumber(sluiceDirect) : '–'} | ${floor ? (sluice / floor).toFixed(3) : '–'} |`,
  )
  return [
    '| trade | gas, in custody | direct | over a bare contract without checks |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

export function limitsPage(): string {
  return `# Code size and gas

Made by \`npm run audit:scope\` from the compiled contracts and \`bench/results\`; a test compares it with them.

## Code size

${sizeTable()}

The share is of the largest transaction since Fusaka (EIP-7825): a batch that creates Guard and Executor fits into one. What no longer fits into the
Executor goes into another one: orders name theirs, and each is a contract of its own.

## Gas bounded for any amount

By fuzz tests of invariant 15, on both builds: gas of the call alone, after the same call in the same transaction, so without cold accounts and slots, and
without the 21,000 and the calldata of a transaction. Whole transactions are below.

${boundsTable()}

## Gas of trades

Of whole transactions, after refunds, from [bench/results/gas.json](../../bench/results/gas.json) (\`npm run bench -- gas\`).

${tradesTable()}

## Most expensive families

The ${MAX_ROWS} with the most expensive hop, from [bench/results/hop-gas.json](../../bench/results/hop-gas.json) (\`npm run measure:gas\`).

${hopsTable()}

There is no bound on the number of steps of a program, nor on the pieces that a pool crosses: the transaction's gas is the bound. A program that
runs out of it reverts whole. A pool or token that burns gas can make a swap revert and takes nothing else.
`
}
