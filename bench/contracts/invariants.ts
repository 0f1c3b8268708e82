/**
 * `npm run bench -- contracts invariants [build…] [file…]`: runs the invariant tests in Solidity with 10,000 cases
 * each, on both builds. The variables RUNS and SEED change the number of cases and the seed. A part is one test file on
 * one build: `invariants london Siege` runs one part. Writes results/invariants.json after each part. Skips parts with
 * unchanged code and tests, so that an interrupted run can be continued. Drops the results of parts that have changed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bytecode } from '@sluice/bindings/bytecode'
import { root, run } from '../../scripts/lib/run.ts'
import { lastRecord, record, rounded, shortCommit } from '../record.ts'

type Property = { readonly name: string; readonly runs: number }
type Part = {
  readonly build: string
  readonly file: string
  readonly seed: string
  readonly commit: string
  /** Hash of both contracts, of the tests, and of their number of cases. */
  readonly of: string
  readonly seconds: number
  readonly properties: readonly Property[]
}

const BUILDS = ['cancun', 'london']
const RUNS = process.env.RUNS ?? '10000'
const SEED = process.env.SEED ?? '0x51ce'
const contracts = join(root, 'contracts')
const requestedNames = process.argv.slice(2)
const textOf = (file: string) => readFileSync(join(contracts, 'test/invariants', `${file}.t.sol`), 'utf8')
// Excludes Model.t.sol, which runs all sequences of its model and has no random cases.
const files = readdirSync(join(contracts, 'test/invariants'))
  .map((file) => basename(file, '.t.sol'))
  .filter((file) => /function (testFuzz|invariant)_/.test(textOf(file)))
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const codeHashOf = (name: keyof typeof bytecode) => sha256(Buffer.from(bytecode[name].runtime.slice(2), 'hex'))
const CONTRACTS = { cancun: ['Guard', 'Executor'], london: ['GuardLondon', 'ExecutorLondon'] } as const
/** Returns a hash of everything that determines a part's result. */
const fingerprint = (build: string, file: string) => {
  const code = CONTRACTS[build as keyof typeof CONTRACTS].map(codeHashOf)
  const support = readdirSync(join(contracts, 'test/support'))
    .filter((name) => name.endsWith('.sol'))
    .map((name) => readFileSync(join(contracts, 'test/support', name), 'utf8'))
  return sha256(JSON.stringify([code, textOf(file), support, RUNS, SEED])).slice(0, 16)
}
for (const name of requestedNames)
  if (![...BUILDS, ...files].includes(name)) throw new Error(`no build and no file ${name}`)
const chosenFrom = (all: readonly string[]) => {
  const chosenNames = all.filter((name) => requestedNames.includes(name))
  return chosenNames.length > 0 ? chosenNames : all
}

const parts = new Map<string, Part>(
  (lastRecord<{ parts: Part[] }>('invariants')?.parts ?? []).flatMap((part) =>
    files.includes(part.file) && part.of === fingerprint(part.build, part.file)
      ? [[`${part.build} ${part.file}`, part] as const]
      : [],
  ),
)
for (const build of chosenFrom(BUILDS)) {
  for (const file of chosenFrom(files)) {
    if (parts.has(`${build} ${file}`)) continue
    parts.set(`${build} ${file}`, await measure(build, file))
    write()
  }
}

async function measure(build: string, file: string): Promise<Part> {
  console.log(`\n${file}, ${build} build, ${RUNS} cases`)
  const start = performance.now()
  const { code, output } = await run('hardhat', ['test', 'solidity', `test/invariants/${file}.t.sol`], {
    cwd: contracts,
    capture: true,
    env: { ...process.env, BUILD: build, RUNS, SEED, FORCE_COLOR: '0' },
  })
  if (code !== 0) throw new Error(`${file} failed on the ${build} build`)
  const properties = [...output.matchAll(/✔ ((?:testFuzz|invariant)_(I\d\d_\w+))\(.*\(runs: (\d+)/g)].map(
    ([, , name, runs]) => ({ name: name!, runs: Number(runs) }),
  )
  if (properties.length === 0) throw new Error(`${file} has no property`)
  const seconds = rounded((performance.now() - start) / 1000)
  return { build, file, seed: SEED, commit: shortCommit(), of: fingerprint(build, file), seconds, properties }
}

function write(): void {
  const all = [...parts.values()].sort((a, b) => a.build.localeCompare(b.build) || a.file.localeCompare(b.file))
  const properties = all.flatMap((part) => part.properties)
  const missing = BUILDS.flatMap((build) => files.map((file) => `${build} ${file}`)).filter((key) => !parts.has(key))
  const figures = {
    properties: properties.length,
    fewestRuns: Math.min(...properties.map(({ runs }) => runs)),
    invariants: [...new Set(properties.map(({ name }) => name.slice(0, 3)))].sort(),
    missing,
    parts: all,
  }
  record('invariants', figures, { isPrinted: false })
}
