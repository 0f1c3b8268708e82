/** Compiles the test tokens of `tokens/` with the lockfile's solc, offline, and keeps the result by its inputs' hash. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Artifact } from './artifact.ts'
import { DevnetError } from './errors.ts'

const require = createRequire(import.meta.url)
const sourceDir = join(import.meta.dirname, '../tokens')
const cacheDir = join(import.meta.dirname, '../cache')
const settings = {
  evmVersion: 'shanghai',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

type Solc = { version(): string; compile(input: string): string }
type SolcOutput = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: Artifact['abi']; evm: { bytecode: { object: string } } }>>
}

/** @throws DevnetError COMPILE with solc's own messages */
export function compileTokens(): Record<string, Artifact> {
  const sources = Object.fromEntries(
    readdirSync(sourceDir)
      .filter((file) => file.endsWith('.sol'))
      .sort()
      .map((file) => [file, { content: readFileSync(join(sourceDir, file), 'utf8') }]),
  )
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const solcVersion = (require('solc/package.json') as { version: string }).version
  const key = createHash('sha256').update(solcVersion).update(input).digest('hex').slice(0, 16)
  const cached = join(cacheDir, `tokens-${key}.json`)
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8')) as Record<string, Artifact>

  const solc = require('solc') as Solc
  const output = JSON.parse(solc.compile(input)) as SolcOutput
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
