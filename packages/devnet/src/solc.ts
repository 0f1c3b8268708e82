/** Compiles Solidity offline with a solc from npm, and caches the result by a hash of its inputs in `cache/`. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Artifact, inNodeModules } from './artifact.ts'
import { DevnetError } from './errors.ts'

const require = createRequire(import.meta.url)
const cacheDir = join(import.meta.dirname, '../cache')

/** Input of one run of the compiler. */
export type CompilationUnit = {
  /** Name of the compiler's package. The lockfile determines its version. */
  readonly compiler: 'solc' | 'solc-0.7.6'
  readonly evmVersion: 'istanbul' | 'cancun'
  /** Optimizer runs; fewer runs produce smaller code. If absent, the optimizer is off, which compiles faster. */
  readonly runs?: number
  /** Source text by path. Other imports are resolved in `node_modules`. */
  readonly sources: Readonly<Record<string, string>>
  /** Packages with imported sources. Their versions are part of the cache key. */
  readonly packages: readonly string[]
}

type Import = (path: string) => { contents: string }
type Solc = { compile(input: string, callbacks: { import: Import }): string }
type SolcOutput = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: Artifact['abi']; evm: { bytecode: { object: string } } }>>
}

/**
 * Compiles a unit and returns the contracts of its `sources` by name, without those of imported files.
 *
 * @throws DevnetError COMPILE with solc's own messages
 */
export function compile({ compiler, evmVersion, runs, sources, packages }: CompilationUnit): Record<string, Artifact> {
  const settings = {
    evmVersion,
    ...(runs !== undefined && { optimizer: { enabled: true, runs } }),
    metadata: { bytecodeHash: 'none' },
    outputSelection: Object.fromEntries(
      Object.keys(sources).map((path) => [path, { '*': ['abi', 'evm.bytecode.object'] }]),
    ),
  }
  const input = JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings,
  })
  const versions = [compiler, ...packages].map((name) => readFileSync(inNodeModules(`${name}/package.json`)))
  const key = createHash('sha256').update(versions.join()).update(input).digest('hex').slice(0, 16)
  const cacheFile = join(cacheDir, `${key}.json`)
  if (existsSync(cacheFile)) return JSON.parse(readFileSync(cacheFile, 'utf8')) as Record<string, Artifact>

  const solc = require(compiler) as Solc
  const callbacks = { import: (path: string) => ({ contents: readFileSync(inNodeModules(path), 'utf8') }) }
  const output = JSON.parse(solc.compile(input, callbacks)) as SolcOutput
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (failures.length > 0) throw new DevnetError('COMPILE', failures.map((error) => error.formattedMessage).join('\n'))
  const artifacts: Record<string, Artifact> = {}
  for (const path of Object.keys(sources)) {
    for (const [name, { abi, evm }] of Object.entries(output.contracts[path] ?? {})) {
      artifacts[name] = { abi, bytecode: `0x${evm.bytecode.object}` }
    }
  }
  mkdirSync(cacheDir, { recursive: true })
  writeFileSync(`${cacheFile}.${process.pid}`, JSON.stringify(artifacts))
  renameSync(`${cacheFile}.${process.pid}`, cacheFile)
  return artifacts
}

/** Reads Solidity sources of npm packages by path, such as `publishedSources(['<package>/<path>.sol'])`. */
export const publishedSources = (paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path, readFileSync(inNodeModules(path), 'utf8')]))
