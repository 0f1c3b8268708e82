/**
 * `npm run bench -- families [world or family…]`: compares 100,000 random quotes of each family (or QUOTES) with
 * swaps in the family's original contracts, through the Executor. Both amounts must be equal to the base unit. A world
 * is a node with pools of several families. Writes results/families.json after each family. Skips families whose
 * sources have not changed since their result, so that an interrupted run can be continued. Fails on a mismatch.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import {
  DEPLOYED_FAMILIES,
  deployedOf,
  ekuboCore,
  fuzz,
  type PoolWorld,
  startCurvePools,
  startEkubo,
  startEthereum,
  startLocal,
  startRollupPools,
  stir,
  variableOf,
} from '@sluice/liquidity/testing'
import { keccak256 } from 'ethers'
import { lastRecord, record, rounded, shortCommit } from '../record.ts'

type Result = {
  readonly family: string
  readonly world: string
  /** Origin of the pools' code. */
  readonly source: string
  /** Hashes of the code of some pools. */
  readonly codeHashes: readonly string[]
  readonly commit: string
  /** Hash of the sources that determine the family's quotes. */
  readonly of: string
  readonly date: string
  readonly loadAverage: number
  readonly seconds: number
  readonly pools: number
  readonly quotes: number
  readonly exact: number
  readonly refusedByBoth: number
  /**
   * Number of trades that our code of the family rejects because it cannot compute the exact output. The contract might
   * accept them. These trades do not count as quotes.
   */
  readonly unsupported: number
  readonly mismatches: number
}
type World = {
  readonly name: string
  readonly source: string
  readonly start: (round: number) => Promise<PoolWorld>
  /** True if each round has other random pools. */
  readonly hasRandomPools?: true
}

const QUOTES = Number(process.env.QUOTES ?? 100_000)
const ROUNDS = 5
/** Maximum number of code hashes in the result of a family. */
const MAX_HASHES = 4
const SEED = 1_000
const root = join(import.meta.dirname, '../..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const ekuboCores = [
  { family: 'ekubo', variable: 'EKUBO_CORE', version: 3 },
  { family: 'ekubo-v2', variable: 'EKUBO_V2_CORE', version: 2 },
] as const
const worlds: World[] = [
  { name: 'devnet', source: 'npm, by packages/devnet', start: startLocal },
  { name: 'curve', source: 'state of Ethereum', start: startCurvePools },
  { name: 'linea', source: 'state of Linea', start: () => startRollupPools('linea') },
  { name: 'scroll', source: 'state of Scroll', start: () => startRollupPools('scroll') },
  { name: 'ethereum', source: 'state of Ethereum', start: startEthereum },
]
for (const { family, variable, version } of ekuboCores) {
  const core = await ekuboCore(version)
  if (core)
    worlds.unshift({
      ...worldOfFile(family, 'Ethereum', variable),
      start: (round) => startEkubo(core, SEED + round, version),
    })
}
for (const { family, from, start } of DEPLOYED_FAMILIES) {
  const deployedPools = deployedOf(family)
  if (deployedPools)
    worlds.unshift({
      ...worldOfFile(family, from, variableOf(family)),
      start: (round) => start(deployedPools, SEED + round),
    })
}

/** Returns the fields of a world whose contract code is in a file that an environment variable names. */
function worldOfFile(name: string, from: string, variable: string): Omit<World, 'start'> {
  return { name, source: `code of ${from}, by ${variable}`, hasRandomPools: true } as const
}

const results = new Map(
  (lastRecord<{ families: Result[] }>('families')?.families ?? []).map((result) => [keyOf(result), result]),
)
const requestedNames = process.argv.slice(2)
const isRequested = (world: string, family: string) =>
  requestedNames.length === 0
    ? !isUpToDate(world, family)
    : requestedNames.includes(world) || requestedNames.includes(family)
for (const world of worlds) await measure(world)

async function measure(world: World): Promise<void> {
  let poolWorld = await world.start(0)
  try {
    for (const family of new Set(poolWorld.pools().map((pool) => pool.family))) {
      if (!isRequested(world.name, family)) continue
      const start = performance.now()
      const sum = { exact: 0, refused: 0, unsupported: 0 }
      const mismatches: string[] = []
      const ids = new Set<string>()
      for (let round = 0; round < ROUNDS; round++) {
        if (!world.hasRandomPools) await stir(poolWorld, SEED * round)
        else if (round > 0) {
          await poolWorld.stop()
          poolWorld = await world.start(round)
        }
        for (const { id, family: poolFamily } of poolWorld.pools())
          if (poolFamily === family) ids.add(`${world.hasRandomPools ? round : ''}${id}`)
        const tally = await fuzz(poolWorld, family, Math.ceil(QUOTES / ROUNDS), SEED * (round + 1))
        for (const key of ['exact', 'refused', 'unsupported'] as const) sum[key] += tally[key]
        mismatches.push(...tally.mismatches)
      }
      for (const line of mismatches.slice(0, 20)) console.error(line)
      const seconds = rounded((performance.now() - start) / 1_000)
      results.set(keyOf({ family, world: world.name }), {
        family,
        world: world.name,
        source: world.source,
        codeHashes: await readCodeHashes(poolWorld, family),
        commit: shortCommit(),
        of: fingerprint(family),
        date: new Date().toISOString().slice(0, 10),
        loadAverage: rounded(loadavg()[0]!),
        seconds,
        pools: ids.size,
        quotes: sum.exact + sum.refused + mismatches.length,
        exact: sum.exact,
        refusedByBoth: sum.refused,
        unsupported: sum.unsupported,
        mismatches: mismatches.length,
      })
      console.log(
        `${world.name} ${family}: ${sum.exact} exact, ${sum.refused} refused by both, ${mismatches.length} mismatches, ${seconds} s`,
      )
      if (mismatches.length > 0) process.exitCode = 1
      write()
    }
  } finally {
    await poolWorld.stop()
  }
}

async function readCodeHashes(poolWorld: PoolWorld, family: string): Promise<string[]> {
  const hashes = new Set<string>()
  for (const pool of poolWorld.pools()) {
    if (pool.family !== family || hashes.size === MAX_HASHES) continue
    hashes.add(keccak256(await poolWorld.request<string>('eth_getCode', [pool.address, 'latest'])))
  }
  return [...hashes]
}

/** Returns a hash of the committed sources that determine the family's quotes, without tests and documents. */
function fingerprint(family: string): string {
  const folders = [`dexes/${family}`, 'dexes/common', 'math'].map((name) => `packages/liquidity/src/${name}`)
  const lines = git('ls-tree', '-r', 'HEAD', ...folders).split('\n')
  const sources = lines.filter((line) => line.endsWith('.ts') && !line.endsWith('.test.ts'))
  return createHash('sha256').update(sources.join('\n')).digest('hex').slice(0, 16)
}

function isUpToDate(world: string, family: string): boolean {
  const result = results.get(keyOf({ family, world }))
  return result !== undefined && result.of === fingerprint(family) && result.quotes >= QUOTES
}

function keyOf({ world, family }: { readonly world: string; readonly family: string }): string {
  return `${world} ${family}`
}

function write(): void {
  const families = [...results.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const sum = (key: 'quotes' | 'mismatches') => families.reduce((total, result) => total + result[key], 0)
  record('families', { quotes: sum('quotes'), mismatches: sum('mismatches'), families }, { isPrinted: false })
}
