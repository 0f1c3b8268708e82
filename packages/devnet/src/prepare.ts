/** Builds the local chain once, and saves its state and addresses on disk. Later starts only load them. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { bytecode } from '@sluice/bindings/bytecode'
import { executableFamilies } from '@sluice/program'
import { startAnvil } from './anvil.ts'
import { BLOCK_SECONDS, CHAIN_ID, GENESIS_TIMESTAMP } from './constants.ts'
import { withLock } from './lock.ts'
import { request } from './node.ts'
import { writeOverlay } from './overlay.ts'
import { build, type DevnetInfo } from './recipe.ts'

export type Progress = (step: string) => void

/** Options of `prepareDevnet`. */
export type PrepareOptions = {
  /** Folder of the saved chain; by default `.devnet` in the repository's root. */
  readonly dir?: string
  readonly onProgress?: Progress
}

/** A saved local chain. */
export type PreparedDevnet = {
  readonly info: DevnetInfo
  /** State file that anvil loads. */
  readonly stateFile: string
  /** True if the saved chain was up to date. */
  readonly fromCache: boolean
}

const root = join(import.meta.dirname, '../../..')
/** Default folder of the saved chain. */
const DEFAULT_DIR = join(root, '.devnet')

/**
 * Builds the chain if no saved one has the current inputs (see `inputsHash`), and writes the files of `writeOverlay`.
 * Several processes can call it at the same time.
 */
export async function prepareDevnet({ dir = DEFAULT_DIR, onProgress }: PrepareOptions = {}): Promise<PreparedDevnet> {
  const devnet = await loadOrBuild(dir, onProgress ?? (() => {}))
  writeOverlay(dir, devnet.info)
  return devnet
}

async function loadOrBuild(dir: string, onProgress: Progress): Promise<PreparedDevnet> {
  const statesDir = join(dir, 'state')
  const savedDir = join(statesDir, inputsHash())
  if (existsSync(savedDir)) return readSaved(savedDir, true)
  mkdirSync(statesDir, { recursive: true })
  return withLock(join(statesDir, 'lock'), async () => {
    if (existsSync(savedDir)) return readSaved(savedDir, true)
    const draftDir = `${savedDir}.${process.pid}`
    mkdirSync(draftDir, { recursive: true })
    try {
      await buildInto(draftDir, onProgress)
      for (const name of readdirSync(statesDir)) {
        const mustKeep = name === 'lock' || join(statesDir, name) === draftDir
        if (!mustKeep) rmSync(join(statesDir, name), { recursive: true, force: true })
      }
      renameSync(draftDir, savedDir)
    } finally {
      rmSync(draftDir, { recursive: true, force: true })
    }
    return readSaved(savedDir, false)
  })
}

async function buildInto(draftDir: string, onProgress: Progress): Promise<void> {
  onProgress('building the local chain')
  const anvil = await startAnvil({
    chainId: CHAIN_ID,
    // Algebra V1's pool was published without the optimizer and exceeds the EVM's code size limit.
    args: ['--timestamp', String(GENESIS_TIMESTAMP), '--disable-code-size-limit'],
  })
  try {
    await request(anvil.url, 'anvil_setBlockTimestampInterval', [BLOCK_SECONDS])
    const info = await build({ url: anvil.url, deploymentsDir: draftDir, onProgress })
    const state = await request<string>(anvil.url, 'anvil_dumpState', [false])
    // The method returns gzip in hex, but the command line needs plain JSON.
    writeFileSync(join(draftDir, 'chain.json'), gunzipSync(Buffer.from(state.slice(2), 'hex')))
    writeFileSync(join(draftDir, 'info.json'), `${JSON.stringify(info, null, 2)}\n`)
  } finally {
    await anvil.stop()
  }
}

function readSaved(savedDir: string, fromCache: boolean): PreparedDevnet {
  const info = JSON.parse(readFileSync(join(savedDir, 'info.json'), 'utf8')) as DevnetInfo
  return { info, stateFile: join(savedDir, 'chain.json'), fromCache }
}

/**
 * Hashes all inputs of the build: the recipes, the Solidity sources of this package, the deployment scripts, the
 * lockfile, the bytecode of our contracts, and the families that a deployment record lists for the Executor.
 */
function inputsHash(): string {
  const hash = createHash('sha256')
  for (const folder of [
    'packages/devnet/src',
    'packages/devnet/tokens',
    'packages/devnet/helpers',
    'contracts/deploy',
  ]) {
    const path = join(root, folder)
    for (const file of readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.(ts|sol)$/.test(file) || file.endsWith('.test.ts')) continue
      hash.update(file).update(readFileSync(join(path, file)))
    }
  }
  hash.update(readFileSync(join(root, 'package-lock.json')))
  hash.update(JSON.stringify(bytecode)).update(JSON.stringify(executableFamilies))
  return hash.digest('hex').slice(0, 16)
}
