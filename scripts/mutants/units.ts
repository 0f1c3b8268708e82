/**
 * Tests mutants of one package with StrykerJS on a sample of its lines, against the tests that need no node. A hash of
 * each line's text selects the sample, so the same code has the same mutants, and an edit elsewhere does not change
 * them.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { record, rounded } from '../../bench/record.ts'
import { root, run } from '../lib/run.ts'

/** Sources to mutate, by package. Other sources are tables and wiring. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  api: ['src/**/*.ts'],
  liquidity: ['src/{market,store,trust,math}/**/*.ts', 'src/dexes/**/math.ts'],
  pricing: ['src/**/*.ts'],
  program: ['src/*.ts'],
  quoting: ['src/**/*.ts'],
  routing: ['src/**/*.ts'],
  rpc: ['src/**/*.ts'],
  simulation: ['src/**/*.ts'],
  solver: ['src/**/*.ts'],
}
const RESULTS = join(root, 'bench/results/unit-mutants.json')
/** Lines without an expression, which have no mutants. */
const NO_EXPRESSION = /^\s*($|\/[/*]|\*|import\b|(export )?(type|interface)\b|readonly\b|[)\]}{(,;]+$)/
/** Number of sampled lines, with about two mutants each. */
const LINES = Number(process.env.LINES ?? '20')
const SEED = process.env.SEED ?? '1'

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
type PackageResult = {
  readonly seed: string
  readonly lines: number
  readonly killed: number
  readonly survived: readonly { readonly at: string; readonly line: string; readonly replacement: string }[]
  readonly scorePercent: number
}

export const isUnitPackage = (name: string): boolean => name in SOURCES

/**
 * Tests the sample of a package and records the survivors.
 *
 * @throws Error if StrykerJS leaves no report
 */
export async function tryPackage(name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-stryker-'))
  const file = join(folder, 'report.json')
  const config = join(folder, 'stryker.json')
  const options = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutants/unit.vitest.config.ts', related: false },
    mutate: sampleOf(name),
    // Texts are not mutated. Tests cover those that are part of a contract.
    mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    reporters: ['json'],
    jsonReporter: { fileName: file },
    tempDirName: join(folder, 'copy'),
    ignorePatterns: [
      '.git',
      '.devnet',
      'bench',
      'contracts/{artifacts*,cache*,node_modules,forge}',
      'deploy',
      'packages/{bus,devnet,server,web}',
    ],
  }
  writeFileSync(config, JSON.stringify(options))
  try {
    const env = { ...process.env, MUTATED_PACKAGE: name }
    const { code, output } = await run('stryker', ['run', config, '--logLevel', 'warn'], { quiet: true, env })
    if (code !== 0) throw new Error(`StrykerJS failed:\n${output.slice(-3_000)}`)
    const result = resultOf(JSON.parse(readFileSync(file, 'utf8')) as Report)
    record('unit-mutants', { packages: { ...earlier(), [name]: result } }, { shown: false })
    for (const { at, line, replacement } of result.survived) console.log(`SURVIVED  ${at}  ${line}  →  ${replacement}`)
    console.log(`${name}: ${result.killed} killed, ${result.survived.length} survived, ${result.scorePercent} %`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function sampleOf(name: string): readonly string[] {
  const paths = globSync(
    SOURCES[name]!.map((path) => `packages/${name}/${path}`),
    { cwd: root },
  )
  const lines = paths
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
    .flatMap((path) => {
      const texts = readFileSync(join(root, path), 'utf8').split('\n')
      return texts.flatMap((text, k) =>
        NO_EXPRESSION.test(text) ? [] : [{ path, line: k + 1, rank: rankOf(path, text) }],
      )
    })
  const sample = lines.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, LINES)
  return sample.map(({ path, line }) => `${path}:${line}-${line}`)
}

const rankOf = (path: string, text: string) => createHash('sha256').update(`${SEED}\n${path}\n${text}`).digest('hex')

function resultOf({ files }: Report): PackageResult {
  const mutants = Object.entries(files).flatMap(([path, { mutants }]) => {
    const texts = readFileSync(join(root, path), 'utf8').split('\n')
    return mutants.map(({ mutatorName, replacement, status, location: { start } }) => ({
      ...{ at: `${path}:${start.line}`, line: texts[start.line - 1]!.trim() },
      ...{ replacement: `${mutatorName}: ${replacement.trim()}`, status },
    }))
  })
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const survived = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ status: _, ...mutant }) => mutant)
  const scorePercent = rounded((100 * killed) / Math.max(1, killed + survived.length))
  return { seed: SEED, lines: LINES, killed, survived, scorePercent }
}

function earlier(): Readonly<Record<string, PackageResult>> {
  try {
    return (JSON.parse(readFileSync(RESULTS, 'utf8')) as { packages: Record<string, PackageResult> }).packages
  } catch {
    return {}
  }
}
