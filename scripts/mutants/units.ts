/**
 * Tests mutants of a sample of a package's lines with StrykerJS, against the tests that need no node. A hash of the
 * seed and of each line's text selects the sample, so that an edit elsewhere does not change it. The first score of
 * each seed is kept: later scores are higher because of tests that were written for the survivors.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { record, rounded } from '../../bench/record.ts'
import { root, run } from '../lib/run.ts'

/**
 * Sources to mutate, by package or `package/part`. The other sources are tables, wiring, and texts of the API
 * documentation.
 */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  api: ['src/!(docs)/!(*-response).ts', 'src/!(main|index|server|services|*response|*responses|error-table).ts'],
  // Most code in subfolders is covered by tests with a Redis server, which are not run here.
  bus: ['src/!(index|errors|scripts).ts'],
  client: ['src/!(types|known-contracts|known-guards).ts'],
  // store/worker.ts runs in a thread, in which StrykerJS activates no mutant.
  liquidity: ['src/{market,store,trust,math}/**/!(worker).ts', 'src/dexes/**/math.ts'],
  'liquidity/families': ['src/math/**/*.ts', 'src/dexes/**/math.ts'],
  pricing: ['src/**/*.ts'],
  program: ['src/*.ts'],
  quoting: ['src/**/*.ts'],
  routing: ['src/**/*.ts'],
  'routing/encode': ['src/{encode,exact}/**/*.ts'],
  rpc: ['src/**/*.ts'],
  simulation: ['src/**/*.ts'],
  solver: ['src/**/*.ts'],
}
const RESULTS = join(root, 'bench/results/unit-mutants.json')
const equivalents = JSON.parse(
  readFileSync(join(root, 'scripts/mutants/equivalent.json'), 'utf8'),
) as readonly Equivalent[]
/** Lines without an expression, which have no mutants. */
const NO_EXPRESSION = /^\s*($|\/[/*]|\*|import\b|(export )?(type|interface)\b|readonly\b|[)\]}{(,;]+$)/
const MUTANT_TIMEOUT_MS = 30_000
/** Timeout of the run of all tests without a mutant. It leaves room for other jobs on the machine. */
const DRY_RUN_TIMEOUT_MINUTES = 30
const DEFAULT_SEED = '1'
/** Default number of sampled lines. A line has about two mutants. */
const DEFAULT_LINES = '20'

type MutantStatus = 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'CompileError' | 'RuntimeError' | 'Ignored'
type Report = {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly mutants: readonly {
          readonly mutatorName: string
          readonly replacement: string
          readonly status: MutantStatus
          readonly location: { readonly start: { readonly line: number } }
        }[]
      }
    >
  >
}
type Mutant = { readonly at: string; readonly line: string; readonly replacement: string }
/** Mutant that no test can kill, because it behaves like the source. */
type Equivalent = {
  readonly path: string
  readonly line: string
  readonly replacement: string
  readonly reason: string
}
type SeedResult = {
  readonly seed: string
  readonly date?: string
  readonly lines: number
  /** Score of the first run with this seed. */
  readonly firstScorePercent?: number
  readonly killed: number
  /** Mutants in `killed` for which the tests did not end, so that no test failed. */
  readonly timeouts?: number
  readonly survived: readonly Mutant[]
  readonly equivalent?: readonly (Mutant & Pick<Equivalent, 'reason'>)[]
  /** Percentage of killed mutants among those that are not equivalent. */
  readonly scorePercent: number
}
type PackageResult = { readonly seeds: readonly SeedResult[] }
/** Seed and number of lines of a sample. */
type Sample = { readonly seed: string; readonly lines: number }

export const isUnitPackage = (name: string): boolean => name in SOURCES

/**
 * Tests the sample of a package and records the survivors.
 *
 * @throws Error if StrykerJS leaves no report
 */
export async function testPackageMutants(name: string, args: readonly string[] = []): Promise<void> {
  const sample = readSample(args)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-stryker-'))
  const file = join(folder, 'report.json')
  const config = join(folder, 'stryker.json')
  const options = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutants/unit.vitest.config.ts', related: false },
    mutate: linesOf(name, sample),
    // Texts are not mutated, because most of them are not part of an interface.
    mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    // A mutant that times out counts as killed, so the timeout must be long enough on a busy machine.
    timeoutMS: MUTANT_TIMEOUT_MS,
    dryRunTimeoutMinutes: DRY_RUN_TIMEOUT_MINUTES,
    reporters: ['json'],
    jsonReporter: { fileName: file },
    tempDirName: join(folder, 'copy'),
    ignorePatterns: [
      '.git',
      '.devnet',
      '.turbo',
      'bench',
      'contracts/{artifacts*,cache*,node_modules,forge}',
      'deploy',
      'packages/{devnet,server,web}',
    ],
  }
  writeFileSync(config, JSON.stringify(options))
  try {
    const env = { ...process.env, MUTATED_PACKAGE: folderOf(name) }
    const { code, output } = await run('stryker', ['run', config, '--logLevel', 'warn'], { quiet: true, env })
    if (code !== 0) throw new Error(`StrykerJS failed:\n${output.slice(-3_000)}`)
    const result = resultOf(JSON.parse(readFileSync(file, 'utf8')) as Report, sample)
    writeResult(name, result)
    for (const { at, line, replacement } of result.survived) console.log(`SURVIVED  ${at}  ${line}  →  ${replacement}`)
    console.log(`${name}: ${result.killed} killed, ${result.survived.length} survived, ${result.scorePercent} %`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readSample(args: readonly string[]): Sample {
  const options = { seed: { type: 'string' }, lines: { type: 'string' } } as const
  const { seed = DEFAULT_SEED, lines = DEFAULT_LINES } = parseArgs({ args: [...args], options }).values
  if (!/^[1-9]\d{0,3}$/.test(lines)) throw new Error('--lines must be an integer from 1 to 9999')
  return { seed, lines: Number(lines) }
}

/** Returns the package in a key of `SOURCES`. */
const folderOf = (name: string) => name.split('/')[0]!

function linesOf(name: string, { seed, lines: count }: Sample): readonly string[] {
  const paths = globSync(
    SOURCES[name]!.map((path) => `packages/${folderOf(name)}/${path}`),
    { cwd: root },
  )
  const lines = paths
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
    .flatMap((path) => {
      const texts = readFileSync(join(root, path), 'utf8').split('\n')
      return texts.flatMap((text, i) =>
        NO_EXPRESSION.test(text) ? [] : [{ path, line: i + 1, rank: rankOf(seed, path, text) }],
      )
    })
  const sample = lines.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, count)
  return sample.map(({ path, line }) => `${path}:${line}-${line}`)
}

const rankOf = (seed: string, path: string, text: string) =>
  createHash('sha256').update(`${seed}\n${path}\n${text}`).digest('hex')

function resultOf({ files }: Report, { seed, lines }: Sample): SeedResult {
  const mutants = Object.entries(files).flatMap(([path, { mutants }]) => {
    const texts = readFileSync(join(root, path), 'utf8').split('\n')
    return mutants.map(({ mutatorName, replacement, status, location: { start } }) => ({
      ...{ at: `${path}:${start.line}`, line: texts[start.line - 1]!.trim() },
      ...{ replacement: `${mutatorName}: ${replacement.trim()}`, status },
    }))
  })
  const killedCount = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const timeouts = mutants.filter(({ status }) => status === 'Timeout').length
  const remaining = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ status: _, ...mutant }) => ({ ...mutant, reason: reasonOf(mutant) }))
  const survivors = remaining.flatMap(({ reason, ...mutant }) => (reason === undefined ? [mutant] : []))
  const equivalent = remaining.flatMap(({ reason, ...mutant }) => (reason === undefined ? [] : [{ ...mutant, reason }]))
  const scorePercent = rounded((100 * killedCount) / Math.max(1, killedCount + survivors.length))
  const date = new Date().toISOString().slice(0, 10)
  return { seed, date, lines, killed: killedCount, timeouts, survived: survivors, equivalent, scorePercent }
}

/** Returns the reason why a mutant is equivalent, from equivalent.json; undefined if it is not listed there. */
function reasonOf({ at, line, replacement }: Mutant): string | undefined {
  const path = at.slice(0, at.lastIndexOf(':'))
  const equivalent = equivalents.find(
    (mutant) => mutant.path === path && mutant.line === line && mutant.replacement === replacement,
  )
  return equivalent?.reason
}

function writeResult(name: string, result: SeedResult): void {
  const packages = readEarlierResults()
  const { seeds = [] } = packages[name] ?? {}
  const earlierResult = seeds.find(({ seed, lines }) => seed === result.seed && lines === result.lines)
  const firstScorePercent = earlierResult
    ? (earlierResult.firstScorePercent ?? earlierResult.scorePercent)
    : result.scorePercent
  const updatedResults = [...seeds.filter(({ seed }) => seed !== result.seed), { ...result, firstScorePercent }]
  record('unit-mutants', { packages: { ...packages, [name]: { seeds: updatedResults } } }, { isPrinted: false })
}

function readEarlierResults(): Readonly<Record<string, PackageResult>> {
  return (JSON.parse(readFileSync(RESULTS, 'utf8')) as { packages: Record<string, PackageResult> }).packages
}
