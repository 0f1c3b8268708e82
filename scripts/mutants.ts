/**
 * `npm run mutants [words of names, divided by commas]`: breaks the contracts on purpose, one line at a time (contracts/test/mutants.ts), runs the
 * tests of the invariants and refusals against each, and tells which of them notice; into bench/results/mutants.json. Fails
 * where none does. What is named alone replaces its part of the results.
 *
 * The sources stay as they are: the tests are compiled once, and load the broken code from contracts/cache/mutant.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { record, rounded } from '../bench/record.ts'
import { BUILDS } from '../contracts/deploy/plan.ts'
import { type Mutant, mutants } from '../contracts/test/mutants.ts'
import { root, run } from './lib/run.ts'

type Build = keyof typeof BUILDS
type Result = {
  readonly name: string
  readonly file: string
  readonly build: Build
  readonly seconds: number
  readonly killedBy: readonly string[]
}
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

const RUNS = process.env.RUNS ?? '60'
const contracts = join(root, 'contracts')
const solc = createRequire(join(contracts, 'package.json'))('solc') as { compile(input: string): string }
const folder = join(contracts, 'cache/mutant')
const TARGETS = ['Guard', 'Executor'] as const
/** What says nothing of broken code of one build: gas, and whether the sound builds do the same. */
const NOT_OF_ONE_BUILD = ['Gas.t.sol', 'Builds.t.sol']
const wanted = process.argv.slice(2).join(' ')

mkdirSync(folder, { recursive: true })
try {
  // Without this, a suite that always fails would kill everything.
  for (const build of ['cancun', 'london'] as const) {
    const healthy = await failures({ name: 'none', file: 'core/GuardCore.sol', from: '', to: '' }, build)
    if (healthy.length > 0) throw new Error(`the tests fail without a mutation: ${healthy.join(', ')}`)
  }

  const results = []
  const tried = mutants
    .filter(({ name }) => wanted.split(',').some((words) => name.includes(words)))
    .flatMap((mutant) =>
      (mutant.bothBuilds ? (['cancun', 'london'] as const) : (['cancun'] as const)).map((build) => ({ mutant, build })),
    )
  for (const { mutant, build } of tried) {
    const started = performance.now()
    const killedBy = await failures(mutant, build)
    console.log(
      `${killedBy.length > 0 ? 'killed  ' : 'SURVIVED'}  ${build}  ${mutant.name}${killedBy.length > 0 ? `: ${killedBy.join(', ')}` : ''}`,
    )
    results.push({ ...mutant, build, seconds: rounded((performance.now() - started) / 1000), killedBy })
  }
  const fresh = results.map(({ name, file, build, seconds, killedBy }) => ({ name, file, build, seconds, killedBy }))
  const known = new Map(
    mutants.flatMap(({ name, file }) => earlier(name).map((of) => [`${of.build} ${name}`, { ...of, file }])),
  )
  for (const of of fresh) known.set(`${of.build} ${of.name}`, of)
  const shown = [...known.values()]
  const survived = shown.filter(({ killedBy }) => killedBy.length === 0).map(({ name, build }) => `${name} (${build})`)
  const casesOfEachProperty = Number(RUNS)
  record('mutants', { casesOfEachProperty, killed: shown.length - survived.length, survived, mutants: shown })
  if (survived.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** What an earlier run says of a mutant, which one that names others leaves alone. */
function earlier(name: string): readonly Result[] {
  const { mutants } = JSON.parse(readFileSync(join(root, 'bench/results/mutants.json'), 'utf8')) as {
    mutants: Result[]
  }
  return wanted === ''
    ? []
    : mutants.filter((result) => result.name === name).map((result) => ({ ...result, build: result.build ?? 'cancun' }))
}

/** The tests that fail against a mutant. */
async function failures(mutant: Mutant, build: Build): Promise<string[]> {
  compile(mutant, build)
  const { code, output } = await run('hardhat', ['test', 'solidity', ...tests()], {
    cwd: contracts,
    quiet: true,
    env: { ...process.env, MUTANT: 'true', BUILD: build, RUNS, MODEL_CALLS: '2', FORCE_COLOR: '0' },
  })
  const failed = [...output.matchAll(/\d+\) ((?:testFuzz|test|invariant)_\w+)\(/g)].map(([, name]) => name!)
  if (code !== 0 && failed.length === 0 && !/\d+ failing/.test(output)) {
    throw new Error(`the tests did not run against "${mutant.name}":\n${output.slice(-2_000)}`)
  }
  return [...new Set(code === 0 ? [] : failed.length > 0 ? failed : ['setUp'])]
}

function tests(): string[] {
  const invariants = readdirSync(join(contracts, 'test/invariants')).filter((file) => !NOT_OF_ONE_BUILD.includes(file))
  return ['test/Refusals.t.sol', ...invariants.map((file) => `test/invariants/${file}`)]
}

function compile({ name, file, from, to }: Mutant, build: Build): void {
  const pathOf = (target: (typeof TARGETS)[number]) =>
    `src/${build === 'london' ? 'london/' : ''}${BUILDS[build][target]}.sol`
  const sources = Object.fromEntries(
    readdirSync(join(contracts, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.sol') && !path.startsWith('lenses'))
      .map((path) => [`src/${path}`, { content: readFileSync(join(contracts, 'src', path), 'utf8') }]),
  )
  const source = sources[`src/${file}`]
  if (!source?.content.includes(from)) throw new Error(`"${name}" breaks a line that is not in ${file} any more`)
  source.content = source.content.replace(from, to)
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      evmVersion: BUILDS[build].evmVersion,
      outputSelection: Object.fromEntries(TARGETS.map((target) => [pathOf(target), { '*': ['evm.bytecode.object'] }])),
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const wrong = output.errors?.find(({ severity }) => severity === 'error')
  if (wrong) throw new Error(`"${name}" does not compile:\n${wrong.formattedMessage}`)
  for (const target of TARGETS) {
    writeFileSync(
      join(folder, `${target}.hex`),
      `0x${output.contracts[pathOf(target)]![BUILDS[build][target]]!.evm.bytecode.object}`,
    )
  }
}
