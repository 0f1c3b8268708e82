/**
 * What a process pays to know all chains: `npm run bench -- chains`. Each figure is the best of many fresh processes,
 * since other work on the machine only ever adds; every chain has a deployment, so the chain map is as large as it gets.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { record, rounded } from './record.ts'

const RUNS = 25
const LIMITS = { startMs: 150, startMB: 50 }

type Figures = {
  readonly importMs: number
  readonly mapMs: number
  readonly allMs: number
  readonly startMB: number
  readonly allMB: number
}

if (process.argv[2] === 'child') console.log(JSON.stringify(await measure(process.argv[3]!)))
else {
  const deploymentsDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    const ids = await writeDeployments(deploymentsDir)
    const child = () =>
      execFileSync(process.execPath, [import.meta.filename, 'child', deploymentsDir], { encoding: 'utf8' })
    const runs = Array.from({ length: RUNS }, () => JSON.parse(child()) as Figures)
    const of = (key: keyof Figures) => rounded(Math.min(...runs.map((run) => run[key])))
    record('chains', {
      chains: ids.length,
      runs: RUNS,
      limits: LIMITS,
      startMs: rounded(Math.min(...runs.map((run) => run.importMs + run.mapMs))),
      startMB: of('startMB'),
      ofWhich: { importMs: of('importMs'), registryAndChainMapMs: of('mapMs') },
      thenEveryChainInFull: { ms: of('allMs'), MB: of('allMB') },
    })
  } finally {
    rmSync(deploymentsDir, { recursive: true })
  }
}

/** In a process that has loaded nothing yet. Memory is what the resident set grew by. */
async function measure(deploymentsDir: string): Promise<Figures> {
  const before = process.memoryUsage().rss
  const grown = () => (process.memoryUsage().rss - before) / 1e6
  const t0 = performance.now()
  const { loadRegistry: load } = await import('@sluice/chains')
  const t1 = performance.now()
  const registry = load({ deploymentsDir })
  registry.chainMap()
  const t2 = performance.now()
  const startMB = grown()
  const t3 = performance.now()
  for (const id of registry.knownIds()) registry.chain(id)
  return { importMs: t1 - t0, mapMs: t2 - t1, startMB, allMs: performance.now() - t3, allMB: grown() }
}

async function writeDeployments(directory: string): Promise<readonly number[]> {
  const { loadRegistry: load } = await import('@sluice/chains')
  const hash = `0x${'11'.repeat(32)}`
  const contract = {
    address: `0x${'22'.repeat(20)}`,
    salt: hash,
    initCodeHash: hash,
    codeHash: hash,
    build: 'cancun',
    status: 'predicted',
  }
  const ids = load({ deploymentsDir: directory }).knownIds()
  for (const chainId of ids) {
    const deployment = { chainId, guard: contract, executors: [{ ...contract, version: 1, families: ['uniswap-v2'] }] }
    writeFileSync(join(directory, `${chainId}.json`), JSON.stringify(deployment))
  }
  return ids
}
