/** Compiles mutants of the Guard (copies with one changed line), which the differential fuzz must detect. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { BUILDS } from '../../deploy/plan.ts'
import { type Mutant, mutants } from '../mutants.ts'

type Build = keyof typeof BUILDS
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly evm: { readonly deployedBytecode: { readonly object: string } } }>>
    >
  >
}

const src = join(import.meta.dirname, '../../src')
/** Folders of contracts/src with the Guard's sources. */
const FOLDERS = ['core', 'interfaces', 'libraries', 'slots']
const GUARD_FILES = [
  'core/GuardCore.sol',
  'core/Loan.sol',
  'libraries/Orders.sol',
  'libraries/Permits.sol',
  'libraries/Transfers.sol',
]

/** The mutants of `../mutants.ts` that change the Guard. */
export const guardMutants: readonly Mutant[] = mutants.filter(({ file }) => GUARD_FILES.includes(file))

/**
 * Returns the runtime code of a mutant.
 *
 * @throws Error if the file does not contain the line to change, or if the mutant does not compile
 */
export function compileMutant({ name, file, from, to }: Mutant, build: Build): string {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const target = `src/${build === 'london' ? 'london/' : ''}${BUILDS[build].Guard}.sol`
  const paths = [
    target.slice(4),
    ...FOLDERS.flatMap((folder) => readdirSync(join(src, folder)).map((file) => `${folder}/${file}`)),
  ]
  const sources = Object.fromEntries(
    paths
      .filter((path) => path !== 'core/ExecutorCore.sol')
      .map((path) => [`src/${path}`, { content: readFileSync(join(src, path), 'utf8') }]),
  )
  const source = sources[`src/${file}`]
  if (!source?.content.includes(from)) throw new Error(`"${name}" breaks a line that is not in ${file}`)
  const input = {
    language: 'Solidity',
    sources: { ...sources, [`src/${file}`]: { content: source.content.replace(from, () => to) } },
    settings: {
      evmVersion: BUILDS[build].evmVersion,
      outputSelection: { [target]: { '*': ['evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const failure = output.errors?.find(({ severity }) => severity === 'error')
  if (failure) throw new Error(`"${name}" does not compile:\n${failure.formattedMessage}`)
  return `0x${output.contracts[target]![BUILDS[build].Guard]!.evm.deployedBytecode.object}`
}
