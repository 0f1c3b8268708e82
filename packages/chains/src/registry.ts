/** Registry of chains: chain files, deployments, and the chain map. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { DEPLOYMENTS_DIR, deploymentOf, expectedBuild, readDeploymentFile, readReleases } from './deployments.ts'
import { ChainsError } from './errors.ts'
import { parseFileOf } from './file.ts'
import { chainFileSchema, chainHeaderSchema, type ParsedChainFile } from './schema.ts'
import type { Chain, ChainMapEntry, ContractRecord, Deployment, Registry } from './types.ts'

/** Chain files of this package. */
export const CHAIN_DATA_DIR = fileURLToPath(new URL('../data', import.meta.url))

/**
 * Default block time for chains without a source. It only sets the polling interval of the head, so a wrong value is
 * harmless.
 */
const GUESSED_BLOCK_TIME_MS = 3_000

/** Options of `loadRegistry`. */
export type RegistryOptions = {
  /** Overlay directory: its chain files replace built-in files with the same chain id, and may add chains. */
  readonly chainsDir?: string | undefined
  /** Overlay of `deployments/`: its files replace files with the same chain id, and may add chains. */
  readonly deploymentsDir?: string | undefined
  /** Ids of the chains to include; default: all. */
  readonly allowedIds?: readonly number[] | undefined
}

/**
 * Creates the registry of chain files and deployments. Lists the directories at once, and reads a chain's file when the
 * chain is first requested. The chain map reads all files once and keeps only the fields that it needs.
 *
 * @throws ChainsError `BAD_DIRECTORY` if a directory cannot be listed, `UNKNOWN_CHAIN` if `allowedIds` contains a chain
 *   without a file. Methods of the registry throw `BAD_FILE`, which names the file and the field
 */
export function loadRegistry(options: RegistryOptions = {}): Registry {
  const chainFiles = listById(CHAIN_DATA_DIR)
  if (options.chainsDir !== undefined) for (const [id, path] of listById(options.chainsDir)) chainFiles.set(id, path)
  const { deploymentsDir, allowedIds } = options
  for (const id of allowedIds ?? [])
    if (!chainFiles.has(id)) throw new ChainsError('UNKNOWN_CHAIN', `chain ${id} has no file in the registry`)
  if (allowedIds) for (const id of chainFiles.keys()) if (!allowedIds.includes(id)) chainFiles.delete(id)
  // Files of the overlay use the overlay's releases; files of the repository use the repository's releases.
  const deploymentDirs = new Map([...listById(DEPLOYMENTS_DIR).keys()].map((id) => [id, DEPLOYMENTS_DIR]))
  if (deploymentsDir !== undefined)
    for (const id of listById(deploymentsDir).keys()) deploymentDirs.set(id, deploymentsDir)

  const chain = memoize((id: number) => {
    const path = chainFiles.get(id)
    return path === undefined ? undefined : toChain(parseFileOf(path, id, chainFileSchema))
  })
  const header = memoize((id: number) => parseFileOf(chainFiles.get(id)!, id, chainHeaderSchema))
  const releasesOf = memoize((dir: string) => readReleases(dir))
  const deployment = memoize((id: number): Deployment | undefined => {
    const dir = deploymentDirs.get(id)
    if (dir !== undefined) return deploymentOf(readDeploymentFile(dir, id)!, releasesOf(dir))
    if (!chainFiles.has(id) || header(id).unsupported !== undefined) return undefined
    const predictedDeployment = { chainId: id, build: expectedBuild(header(id).evm), deployed: {} }
    return deploymentOf(predictedDeployment, releasesOf(DEPLOYMENTS_DIR))
  })

  const chainMap = computeOnce(() =>
    Object.freeze(
      Object.fromEntries(
        [...chainFiles.keys()]
          .sort((a, b) => a - b)
          .filter((id) => header(id).unsupported === undefined)
          .map((id) => [String(id), Object.freeze(chainMapEntry(header(id), deployment(id)!.guard))]),
      ),
    ),
  )

  return {
    supportedIds: () => Object.keys(chainMap()).map(Number),
    knownIds: () => [...chainFiles.keys()].sort((a, b) => a - b),
    chainFile: (id) => chainFiles.get(id),
    chain,
    deployment,
    chainMap,
  }
}

/** Lists the `<chainId>.json` files of a directory and ignores all others. */
function listById(directory: string): Map<number, string> {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch (cause) {
    throw new ChainsError('BAD_DIRECTORY', `${directory}: cannot be listed (${(cause as Error).message})`, { cause })
  }
  return new Map(
    names
      .filter((name) => /^[1-9][0-9]*\.json$/.test(name))
      .map((name) => [Number(name.slice(0, -'.json'.length)), join(directory, name)]),
  )
}

function chainMapEntry(header: z.output<typeof chainHeaderSchema>, guard: ContractRecord): ChainMapEntry {
  return {
    ChainID: String(header.chainId),
    ChainName: header.name,
    RouterAddress: guard.address,
    TrackerName: header.trackerName,
    CoinsPrefix: header.coinsPrefix,
    Status: guard.status,
    L1FeeModel: header.l1FeeModel,
  }
}

/** Returns a function that calls `read` once per key. */
function memoize<K, T>(read: (key: K) => T): (key: K) => T {
  const cache = new Map<K, T>()
  return (key) => {
    if (!cache.has(key)) cache.set(key, read(key))
    return cache.get(key)!
  }
}

/** Returns a function that calls `read` once. */
function computeOnce<T>(read: () => T): () => T {
  const cached = memoize<null, T>(read)
  return () => cached(null)
}

function toChain({ notes: _, ...file }: ParsedChainFile): Chain {
  return { ...file, blockTimeMs: file.blockTimeMs ?? GUESSED_BLOCK_TIME_MS }
}
