/**
 * `npm run bench -- sync chains`: measures the cost of loading all chains. Each value is the minimum over many new
 * processes, because other load can only increase it.
 */
import { execFileSync } from 'node:child_process'
import { record, rounded } from '../record.ts'

const RUNS = 25
const LIMITS = { startMs: 150, startMB: 50 }

type Figures = {
  readonly importMs: number
  /** Time to load the registry and compute the chain map. */
  readonly mapMs: number
  /** Additional time to load all chains. */
  readonly allMs: number
  readonly startMB: number
  readonly allMB: number
}

if (process.argv[2] === 'child') console.log(JSON.stringify(await measure()))
else {
  const child = () => execFileSync(process.execPath, [import.meta.filename, 'child'], { encoding: 'utf8' })
  const runs = Array.from({ length: RUNS }, () => JSON.parse(child()) as Figures & { chains: number })
  const minOf = (key: keyof Figures) => rounded(Math.min(...runs.map((run) => run[key])))
  record('chains', {
    chains: runs[0]!.chains,
    runs: RUNS,
    limits: LIMITS,
    startMs: rounded(Math.min(...runs.map((run) => run.importMs + run.mapMs))),
    startMB: minOf('startMB'),
    ofWhich: { importMs: minOf('importMs'), registryAndChainMapMs: minOf('mapMs') },
    thenEveryChainInFull: { ms: minOf('allMs'), MB: minOf('allMB') },
  })
}

/** Measures this process, which has loaded nothing else. Memory is the growth of its resident set. */
async function measure(): Promise<Figures & { chains: number }> {
  const residentBefore = process.memoryUsage().rss
  const memoryGrowthMB = () => (process.memoryUsage().rss - residentBefore) / 1e6
  const importStart = performance.now()
  const { loadRegistry } = await import('@sluice/chains')
  const loadStart = performance.now()
  const registry = loadRegistry()
  registry.chainMap()
  const loadEnd = performance.now()
  const startMB = memoryGrowthMB()
  const allStart = performance.now()
  for (const id of registry.knownIds()) registry.chain(id)
  const chains = registry.knownIds().length
  const allMs = performance.now() - allStart
  const [importMs, mapMs] = [loadStart - importStart, loadEnd - loadStart]
  return { chains, importMs, mapMs, startMB, allMs, allMB: memoryGrowthMB() }
}
