/** Compiles `tokens/` and `helpers/` with the lockfile's solc, offline, and keeps the result by its inputs' hash. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Artifact, inNodeModules } from './artifact.ts'
import { DevnetError } from './errors.ts'

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, '..')
const cacheDir = join(root, 'cache')
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

type Import = (path: string) => { contents: string }
type Solc = { compile(input: string, callbacks: { import: Import }): string }
type SolcOutput = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: Artifact['abi']; evm: { bytecode: { object: string } } }>>
}

/** Every contract by its name. @throws DevnetError COMPILE with solc's own messages */
export function compileSources(): Record<string, Artifact> {
  const sources = Object.fromEntries(
    ['tokens', 'helpers'].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((file) => file.endsWith('.sol'))
        .sort()
        .map((file) => [`${folder}/${file}`, { content: readFileSync(join(root, folder, file), 'utf8') }]),
    ),
  )
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const versions = ['solc', '@openzeppelin/contracts', '@uniswap/v4-core', '@balancer-labs/v3-solidity-utils'].map(
    (name) => readFileSync(inNodeModules(`${name}/package.json`)),
  )
  const key = createHash('sha256').update(versions.join()).update(input).digest('hex').slice(0, 16)
  const cached = join(cacheDir, `${key}.json`)
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8')) as Record<string, Artifact>

  const solc = require('solc') as Solc
  const callbacks = { import: (path: string) => ({ contents: readFileSync(inNodeModules(path), 'utf8') }) }
  const output = JSON.parse(solc.compile(input, callbacks)) as SolcOutput
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (failures.length > 0) throw new DevnetError('COMPILE', failures.map((error) => error.formattedMessage).join('\n'))
  const artifacts: Record<string, Artifact> = {}
  for (const contracts of Object.values(output.contracts)) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      artifacts[name] = { abi, bytecode: `0x${evm.bytecode.object}` }
    }
  }
  mkdirSync(cacheDir, { recursive: true })
  writeFileSync(`${cached}.${process.pid}`, JSON.stringify(artifacts))
  renameSync(`${cached}.${process.pid}`, cached)
  return artifacts
}
