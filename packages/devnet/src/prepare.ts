/** Builds the local chain once and saves it, so that later starts only load it. */
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
 * Builds the chain if it is missing or its inputs have changed, and writes the files that describe it to the API.
 * Several processes can call it at the same time.
 */
export async function prepareDevnet({ dir = DEFAULT_DIR, onProgress }: PrepareOptions = {}): Promise<PreparedDevnet> {
  const preparedState = await loadOrBuild(dir, onProgress ?? (() => {}))
  writeOverlay(dir, preparedState.info)
  return preparedState
}

async function loadOrBuild(dir: string, onProgress: Progress): Promise<PreparedDevnet> {
  const states = join(dir, 'state')
  const home = join(states, inputsHash())
  if (existsSync(home)) return read(home, true)
  mkdirSync(states, { recursive: true })
  return withLock(join(states, 'lock'), async () => {
    if (existsSync(home)) return read(home, true)
    const draft = `${home}.${process.pid}`
    mkdirSync(draft, { recursive: true })
    try {
      await buildInto(draft, onProgress)
      for (const name of readdirSync(states)) {
        const mustKeep = name === 'lock' || join(states, name) === draft
        if (!mustKeep) rmSync(join(states, name), { recursive: true, force: true })
      }
      renameSync(draft, home)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
    return read(home, false)
  })
}

async function buildInto(draft: string, onProgress: Progress): Promise<void> {
  onProgress('building the local chain')
  const anvil = await startAnvil({
    chainId: CHAIN_ID,
    // Algebra V1's pool was published without the optimizer and exceeds the EVM's code size limit.
    args: ['--timestamp', String(GENESIS_TIMESTAMP), '--disable-code-size-limit'],
  })
  try {
    await request(anvil.url, 'anvil_setBlockTimestampInterval', [BLOCK_SECONDS])
    const info = await build({ url: anvil.url, deploymentsDir: draft, onProgress })
    const state = await request<string>(anvil.url, 'anvil_dumpState', [false])
    // The method returns gzip in hex, but the command line needs plain JSON.
    writeFileSync(join(draft, 'chain.json'), gunzipSync(Buffer.from(state.slice(2), 'hex')))
    writeFileSync(join(draft, 'info.json'), `${JSON.stringify(info, null, 2)}\n`)
  } finally {
    await anvil.stop()
  }
}

function read(home: string, fromCache: boolean): PreparedDevnet {
  const info = JSON.parse(readFileSync(join(home, 'info.json'), 'utf8')) as DevnetInfo
  return { info, stateFile: join(home, 'chain.json'), fromCache }
}

/**
 * Hashes all inputs of the build. These are the recipes, token sources, packages (by the lockfile), the bytecode of our
 * contracts, and the families that the saved deployment records for the Executor.
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
