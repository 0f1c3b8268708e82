/** Tests a mutant of the contracts. It is compiled into contracts/cache/mutant, from which the tests load it. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { BUILDS } from '../../contracts/deploy/plan.ts'
import type { Mutant } from '../../contracts/test/mutants.ts'
import { root, run } from '../lib/run.ts'

export type Build = keyof typeof BUILDS
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

const contracts = join(root, 'contracts')
const solc = createRequire(join(contracts, 'package.json'))('solc') as { compile(input: string): string }
const folder = join(contracts, 'cache/mutant')
const TARGETS = ['Guard', 'Executor'] as const
/**
 * Test files that do not apply to mutants: the gas tests, and the comparison of builds, of which only one is mutated.
 */
const INAPPLICABLE_TESTS = ['Gas.t.sol', 'Builds.t.sol']

/** A mutant without a mutation: the unchanged contracts, with which all tests must pass. */
export const UNBROKEN: Mutant = { name: 'none', file: 'core/GuardCore.sol', from: '', to: '' }

/** Test files to run, by path below contracts/. */
export const testFiles: readonly string[] = [
  'test/Refusals.t.sol',
  ...readdirSync(join(contracts, 'test/invariants'))
    .filter((file) => !INAPPLICABLE_TESTS.includes(file))
    .map((file) => `test/invariants/${file}`),
]

/** Returns the files that contain tests with these names. */
export function filesOf(tests: readonly string[]): readonly string[] {
  return testFiles.filter((file) => {
    const text = readFileSync(join(contracts, file), 'utf8')
    return tests.some((name) => text.includes(`function ${name}(`))
  })
}

/**
 * Returns a hash of everything that determines a mutant's result: its broken sources, the tests, and the number of
 * cases.
 */
export function fingerprint(mutant: Mutant, build: Build, cases: string): string {
  const support = readdirSync(join(contracts, 'test/support'))
    .filter((file) => file.endsWith('.sol'))
    .map((file) => `test/support/${file}`)
  const tests = [...testFiles, ...support].map((file) => readFileSync(join(contracts, file), 'utf8'))
  const text = JSON.stringify([build, cases, sourcesOf(mutant), tests])
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Returns the tests of these files that fail with the last compiled mutant; `setUp` if no test could start. */
export async function findFailedTests(
  files: readonly string[],
  build: Build,
  cases: string,
): Promise<readonly string[]> {
  const { code, output } = await run('hardhat', ['test', 'solidity', ...files], {
    cwd: contracts,
    quiet: true,
    env: { ...process.env, MUTANT: 'true', BUILD: build, RUNS: cases, MODEL_CALLS: '2', FORCE_COLOR: '0' },
  })
  const failedTests = [...output.matchAll(/\d+\) ((?:testFuzz|test|invariant)_\w+)\(/g)].map(([, name]) => name!)
  if (code !== 0 && failedTests.length === 0 && !/\d+ failing/.test(output))
    throw new Error(`the tests did not run:\n${output.slice(-2_000)}`)
  return [...new Set(code === 0 ? [] : failedTests.length > 0 ? failedTests : ['setUp'])]
}

/**
 * Compiles a mutant.
 *
 * @throws Error if the mutant's line is no longer in its file, or the mutant does not compile
 */
export function compileMutant(mutant: Mutant, build: Build): void {
  const pathOf = (target: (typeof TARGETS)[number]) =>
    `src/${build === 'london' ? 'london/' : ''}${BUILDS[build][target]}.sol`
  const input = {
    language: 'Solidity',
    sources: sourcesOf(mutant),
    settings: {
      evmVersion: BUILDS[build].evmVersion,
      outputSelection: Object.fromEntries(TARGETS.map((target) => [pathOf(target), { '*': ['evm.bytecode.object'] }])),
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const firstError = output.errors?.find(({ severity }) => severity === 'error')
  if (firstError) throw new Error(`"${mutant.name}" does not compile:\n${firstError.formattedMessage}`)
  mkdirSync(folder, { recursive: true })
  for (const target of TARGETS) {
    writeFileSync(
      join(folder, `${target}.hex`),
      `0x${output.contracts[pathOf(target)]![BUILDS[build][target]]!.evm.bytecode.object}`,
    )
  }
}

export function removeMutant(): void {
  rmSync(folder, { recursive: true, force: true })
}

function sourcesOf({ name, file, from, to }: Mutant): Readonly<Record<string, { readonly content: string }>> {
  const sources = Object.fromEntries(
    readdirSync(join(contracts, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.sol') && !path.startsWith('lenses'))
      .sort()
      .map((path) => [`src/${path}`, { content: readFileSync(join(contracts, 'src', path), 'utf8') }]),
  )
  const source = sources[`src/${file}`]
  if (!source?.content.includes(from)) throw new Error(`"${name}" breaks a line that is not in ${file} any more`)
  return { ...sources, [`src/${file}`]: { content: source.content.replace(from, () => to) } }
}
