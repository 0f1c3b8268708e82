/**
 * Compares the registry's data about chains with the chains themselves.
 *
 * `npm run check:chain -- <id>… | --all [--rpc <url>] [--chains <dir>] [--write] [--report <file>]`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type ChainFile, formatChainFile, loadRegistry } from '@sluice/chains'
import { checkChain } from './check-chain/check.ts'
import type { Finding } from './check-chain/finding.ts'
import { formatCounts, formatDiff, formatTable } from './check-chain/report.ts'
import { commandLine, fail } from './lib/command-line.ts'
import { endpointsOf } from './lib/rpc-url.ts'
import { root, userDirectories, userPath } from './lib/run.ts'

const usage = `npm run check:chain -- <id>… | --all
  --rpc <url>      calls only this endpoint (with one chain); default: RPC_URL_<id>, or those of the chain's file
  --chains <dir>   files that override the registry; default: CHAINS_DIR
  --write          corrects the chain's file by the values read from the chain
  --report <file>  writes all findings as JSON`

/** Maximum number of chains that are checked at the same time. */
const CONCURRENT_CHAINS = 12

/** Exit code for an invalid command line; 1 means findings. */
const USAGE_EXIT_CODE = 2

const config = {
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    rpc: { type: 'string' },
    chains: { type: 'string' },
    write: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
} as const
const { values, positionals } = commandLine(usage, config, USAGE_EXIT_CODE)
const refuse = (text: string): never => fail(text, USAGE_EXIT_CODE)
const invalidId = positionals.find((text) => !/^[1-9][0-9]*$/.test(text))
if (invalidId !== undefined) refuse(`${invalidId} is not a chain id\n${usage}`)
if (values.all === positionals.length > 0) refuse(usage)

const { CHAINS_DIR, DEPLOYMENTS_DIR } = userDirectories()
const chainsDir = values.chains ? userPath(values.chains) : CHAINS_DIR
const registry = loadRegistry({ chainsDir, deploymentsDir: DEPLOYMENTS_DIR })
const ids = values.all ? [...registry.knownIds()] : positionals.map(Number)
if (values.rpc !== undefined && ids.length !== 1) refuse(`--rpc goes with one chain\n${usage}`)
const unknownId = ids.find((id) => registry.chain(id) === undefined)
if (unknownId !== undefined) refuse(`chain ${unknownId} is not in the registry`)

const findingsByChain = new Map<number, readonly Finding[]>()
const queue = [...ids]
await Promise.all(Array.from({ length: CONCURRENT_CHAINS }, checkQueue))
for (const id of ids) printOrWriteFixes(id, findingsByChain.get(id)!)

const allFindings = [...findingsByChain.values()].flat()
if (values.all) console.log(`\n${ids.length} chains: ${formatCounts(allFindings)}`)
if (values.report) {
  const report = ids.map((chainId) => ({
    chainId,
    name: registry.chain(chainId)!.name,
    findings: findingsByChain
      .get(chainId)!
      .map(({ check, status, detail, fix }) => ({ check, status, detail, fixable: !!fix })),
  }))
  writeFileSync(userPath(values.report), `${JSON.stringify(report, null, 2)}\n`)
}
process.exit(allFindings.some(({ status }) => status === 'fail') ? 1 : 0)

async function checkQueue(): Promise<void> {
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const chain = registry.chain(id)!
    const findings = await checkChain(chain, registry.deployment(id), endpointsOf(id, values.rpc, chain.rpcUrls))
    findingsByChain.set(id, findings)
    console.log(
      values.all
        ? `${id} ${chain.name}: ${formatCounts(findings)}`
        : `${id} ${chain.name}\n${formatTable(findings)}\n${formatCounts(findings)}`,
    )
  }
}

/** Prints the corrections of the chain's file as a diff. With --write, writes them to the file instead. */
function printOrWriteFixes(id: number, findings: readonly Finding[]): void {
  const fixes = findings.flatMap(({ fix }) => fix ?? [])
  if (fixes.length === 0) return
  const path = registry.chainFile(id)!
  const file = JSON.parse(readFileSync(path, 'utf8')) as ChainFile
  const before = formatChainFile(file)
  for (const fix of fixes) fix(file)
  const after = formatChainFile(file)
  if (values.write) {
    writeFileSync(path, after)
    console.log(`${relative(root, path)}: ${fixes.length} corrected`)
  } else console.log(`\n${formatDiff(relative(root, path), before, after)}`)
}
