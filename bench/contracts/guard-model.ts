/**
 * `npm run bench -- contracts guard-model [calls]`: differential fuzz of the Guard, by default with 1,000,000 calls of
 * each build. Runs random sequences of calls both with the compiled Guard on a local node and with a reference
 * implementation in TypeScript (contracts/test/model). First records which mutants of the Guard the same fuzz detects.
 * Fails at the first difference. Writes results/guard-model.json after each part. A later run continues an interrupted
 * run, and repeats the parts whose code has changed since.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytecode } from '@sluice/bindings/bytecode'
import { Arena, type Finding, type Tally } from '@sluice/contracts/model/arena'
import { compileMutant, guardMutants } from '@sluice/contracts/model/guard-code'
import { root } from '../../scripts/lib/run.ts'
import { lastRecord, record, rounded } from '../record.ts'

type Build = 'cancun' | 'london'
type Part = Tally & {
  readonly seed: number
  readonly seconds: number
  /** Hash of the compiled code and of the model's sources. */
  readonly of: string
}
type MutantResult = {
  readonly name: string
  readonly file: string
  readonly build: Build
  /** Number of calls that were compared, in whole batches, until the mutant was noticed or the limit was reached. */
  readonly calls: number
  readonly isNoticed: boolean
  /** Hash of the compiled code and of the model's sources. */
  readonly of: string
}
type Result = { readonly parts: Record<Build, readonly Part[]>; readonly mutants: readonly MutantResult[] }

const CODE = { cancun: bytecode.Guard.runtime, london: bytecode.GuardLondon.runtime } as const
const BUILDS = ['cancun', 'london'] as const
const CALLS_PER_PART = 50_000
/** Every tenth part runs on a chain without Permit2. */
const NO_PERMIT2_INTERVAL = 10
/** Number of calls after which a mutant counts as missed. */
const MAX_CALLS_PER_MUTANT = 20_000
const calls = Number(process.argv[2] ?? 1_000_000)
if (!Number.isInteger(calls) || calls < 1) throw new Error('the number of calls must be a positive integer')

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex').slice(0, 16)
const modelDir = join(root, 'contracts/test/model')
const sources = readdirSync(modelDir)
  .filter((file) => !file.endsWith('.md'))
  .map((file) => readFileSync(join(modelDir, file), 'utf8'))
/** Returns the hash of compiled code and of the model's sources. */
const fingerprint = (code: string) => sha256(JSON.stringify([code, sources]))

const lastResult = lastRecord<Result>('guard-model') ?? { parts: { cancun: [], london: [] }, mutants: [] }
const parts = {
  cancun: lastResult.parts.cancun.filter(({ of }) => of === fingerprint(CODE.cancun)),
  london: lastResult.parts.london.filter(({ of }) => of === fingerprint(CODE.london)),
}
const mutants: MutantResult[] = []
const arena = await Arena.start()
try {
  for (const mutant of guardMutants)
    for (const build of mutant.bothBuilds ? BUILDS : (['cancun'] as const)) {
      const code = compileMutant(mutant, build)
      const { name, file } = mutant
      const codeHash = fingerprint(code)
      const result = lastResult.mutants.find(
        (mutantResult) => mutantResult.name === name && mutantResult.build === build && mutantResult.of === codeHash,
      )
      if (result) mutants.push(result)
      else {
        const { tally, difference } = await fuzzMutant(code, build)
        mutants.push({ name, file, build, calls: tally.calls, isNoticed: difference !== undefined, of: codeHash })
        console.log(`${difference ? 'noticed' : 'MISSED '}  ${build}  ${name}`)
      }
      write(false)
    }
  const seedCount = Math.ceil(calls / CALLS_PER_PART)
  for (let seed = 1; seed <= seedCount; seed++) for (const build of BUILDS) await measure(build, seed)
  write(true)
} finally {
  await arena.stop()
}

async function measure(build: Build, seed: number): Promise<void> {
  if (parts[build].some((part) => part.seed === seed)) return
  const start = performance.now()
  const hasPermit2 = seed % NO_PERMIT2_INTERVAL !== 0
  const { tally, difference } = await arena.run({ code: CODE[build], build, calls: CALLS_PER_PART, seed, hasPermit2 })
  if (difference) throw new Error(`${build}, seed ${seed}: ${JSON.stringify(difference, null, 2)}`)
  const seconds = rounded((performance.now() - start) / 1000)
  parts[build].push({ seed, seconds, of: fingerprint(CODE[build]), ...tally })
  console.log(`${build}, seed ${seed}: ${tally.calls} calls in ${seconds} s`)
  write(false)
}

/** Fuzzes a mutant. If there is no difference, fuzzes it again on a chain without Permit2. */
async function fuzzMutant(code: string, build: Build): Promise<Finding> {
  const baseline = await arena.run({ code, build, calls: MAX_CALLS_PER_MUTANT, seed: 1 })
  return baseline.difference
    ? baseline
    : arena.run({ code, build, calls: MAX_CALLS_PER_MUTANT, seed: 1, hasPermit2: false })
}

function write(isPrinted: boolean): void {
  const summaryOf = (buildParts: readonly Part[]) => {
    const sum = (figure: (part: Part) => number) => buildParts.reduce((total, part) => total + figure(part), 0)
    const seconds = rounded(sum((part) => part.seconds))
    return {
      calls: sum((part) => part.calls),
      swaps: sum((part) => part.swaps),
      succeeded: sum((part) => part.succeeded),
      answers: sum((part) => part.answers),
      differences: 0,
      seconds,
      callsPerSecond: Math.round(sum((part) => part.calls) / seconds),
      functions: sumOfCounts(buildParts.map(({ functions }) => functions)),
      errors: sumOfCounts(buildParts.map(({ errors }) => errors)),
    }
  }
  const missedMutants = mutants.filter(({ isNoticed }) => !isNoticed).map(({ build, name }) => `${build}  ${name}`)
  const summary = { cancun: summaryOf(parts.cancun), london: summaryOf(parts.london) }
  const noticedCount = mutants.length - missedMutants.length
  record(
    'guard-model',
    { ...summary, mutantsNoticed: noticedCount, mutantsMissed: missedMutants, parts, mutants },
    { isPrinted: false },
  )
  if (isPrinted)
    console.log(JSON.stringify({ ...summary, mutantsNoticed: noticedCount, mutantsMissed: missedMutants }, null, 2))
}

function sumOfCounts(countsOfParts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const counts of countsOfParts)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return Object.fromEntries(Object.entries(sums).sort(([, a], [, b]) => b - a))
}
