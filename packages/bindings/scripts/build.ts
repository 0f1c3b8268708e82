/**
 * Builds this package from Hardhat's output: compiles TypeChain's TypeScript to `dist/*.js` with declarations, and
 * writes the bytecode of every contract (creation, runtime, and its immutable variables) to `dist/bytecode.js`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
// Written to a temporary folder and moved into place, so that readers never see a partial build.
const temporaryDir = join(root, `dist.${process.pid}.tmp`)
process.once('exit', () => rmSync(temporaryDir, { recursive: true, force: true }))
const artifacts = join(root, '../../contracts/artifacts/src')

const tsc = join(root, '../../node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', temporaryDir], {
  stdio: 'inherit',
})

type Artifact = {
  contractName: string
  sourceName: string
  bytecode: string
  deployedBytecode: string
  /** Words of the runtime code that the constructor fills in, by the id of the immutable variable. */
  immutableReferences: Record<string, { start: number }[]>
}
const contracts = readdirSync(artifacts, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.json') && file.includes('.sol/'))
  .sort()
  .map((file) => JSON.parse(readFileSync(join(artifacts, file), 'utf8')) as Artifact)
  .filter((artifact) => artifact.bytecode !== '0x')

const names = contracts.map((contract) => contract.contractName)
const duplicateName = names.find((name, index) => names.indexOf(name) !== index)
if (duplicateName) throw new Error(`two contracts are named ${duplicateName}: bytecode is keyed by name`)

const entries = contracts.map(({ contractName, bytecode, deployedBytecode, immutableReferences }) => {
  const immutables = Object.values(immutableReferences).flatMap((words) => words.map(({ start }) => start))
  return `  ${contractName}: { creation: '${bytecode}', runtime: '${deployedBytecode}', immutables: [${immutables}] },`
})
mkdirSync(temporaryDir, { recursive: true })
writeFileSync(join(temporaryDir, 'bytecode.js'), `export const bytecode = {\n${entries.join('\n')}\n}\n`)
writeFileSync(
  join(temporaryDir, 'bytecode.d.ts'),
  `type Code = {
  readonly creation: \`0x\${string}\`
  readonly runtime: \`0x\${string}\`
  /** Offsets in bytes of the words of the runtime code that the constructor fills in. */
  readonly immutables: readonly number[]
}
/** Creation and runtime code of each contract, as compiled by the build. */
export declare const bytecode: {\n${names.map((name) => `  readonly ${name}: Code`).join('\n')}\n}\n`,
)
rmSync(dist, { recursive: true, force: true })
renameSync(temporaryDir, dist)
