/** Creates the registry of chains, which reads chain files and deployments and builds the chain map (GET /chains). */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { DEPLOYMENTS_DIR, deploymentOf, expectedBuild, readDeploymentFile, readReleases } from './deployments.ts'
import { ChainsError } from './errors.ts'
import { parseFileOfChain } from './file.ts'
import { chainFileSchema, chainHeaderSchema, type ParsedChainFile } from './schema.ts'
import type { Chain, ChainMapEntry, ContractRecord, Deployment, Registry } from './types.ts'

/** Directory of the built-in chain files. */
export const CHAIN_DATA_DIR = fileURLToPath(new URL('../data', import.meta.url))

/**
 * Block time of chains for which no source states it. It only scales intervals and timeouts, and the number of blocks
 * after which a token is trusted. A wrong value makes these too short or too long.
 */
const GUESSED_BLOCK_TIME_MS = 3_000

/** Options of `loadRegistry`. */
export type RegistryOptions = {
  /** Directory of chain files that replace built-in files with the same chain id, and can add chains. */
  readonly chainsDir?: string | undefined
  /** Directory of deployment files that replace files of the repository with the same chain id, and can add chains. */
  readonly deploymentsDir?: string | undefined
  /** Ids of the chains to include; default: all. */
  readonly allowedIds?: readonly number[] | undefined
}

/**
 * Creates the registry. Lists the directories immediately, but reads a chain file only when its chain is first
 * requested. The chain map reads all chain files once, and keeps only the fields that it needs.
 *
 * @throws ChainsError `BAD_DIRECTORY` if a directory cannot be listed, `UNKNOWN_CHAIN` if `allowedIds` contains a chain
 *   without a file. Methods of the registry throw `BAD_FILE`, with the path and the field in its message
 */
export function loadRegistry(options: RegistryOptions = {}): Registry {
  const chainFiles = pathsById(CHAIN_DATA_DIR)
  if (options.chainsDir !== undefined) for (const [id, path] of pathsById(options.chainsDir)) chainFiles.set(id, path)
  const { deploymentsDir, allowedIds } = options
  for (const id of allowedIds ?? [])
    if (!chainFiles.has(id)) throw new ChainsError('UNKNOWN_CHAIN', `chain ${id} has no file in the registry`)
  if (allowedIds) for (const id of chainFiles.keys()) if (!allowedIds.includes(id)) chainFiles.delete(id)
  // Directory of each chain's deployment file. The file is combined with the releases of the same directory.
  const deploymentDirs = new Map([...pathsById(DEPLOYMENTS_DIR).keys()].map((id) => [id, DEPLOYMENTS_DIR]))
  if (deploymentsDir !== undefined)
    for (const id of pathsById(deploymentsDir).keys()) deploymentDirs.set(id, deploymentsDir)

  const chain = memoize((id: number) => {
    const path = chainFiles.get(id)
    return path === undefined ? undefined : toChain(parseFileOfChain(path, id, chainFileSchema))
  })
  const headerOf = memoize((id: number) => parseFileOfChain(chainFiles.get(id)!, id, chainHeaderSchema))
  const releasesOf = memoize((dir: string) => readReleases(dir))
  const deployment = memoize((id: number): Deployment | undefined => {
    const dir = deploymentDirs.get(id)
    if (dir !== undefined) return deploymentOf(readDeploymentFile(dir, id)!, releasesOf(dir))
    if (!chainFiles.has(id) || headerOf(id).unsupported !== undefined) return undefined
    const predictedDeployment = { chainId: id, build: expectedBuild(headerOf(id).evm), deployed: {} }
    return deploymentOf(predictedDeployment, releasesOf(DEPLOYMENTS_DIR))
  })

  const chainMap = computeOnce(() =>
    Object.freeze(
      Object.fromEntries(
        [...chainFiles.keys()]
          .sort((a, b) => a - b)
          .filter((id) => headerOf(id).unsupported === undefined)
          .map((id) => [String(id), Object.freeze(chainMapEntry(headerOf(id), deployment(id)!.guard))]),
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

/** Returns the paths of the `<chainId>.json` files of a directory, by chain id. Ignores all other files. */
function pathsById(directory: string): Map<number, string> {
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

/** Returns a function that calls `read` once per key and caches the result. */
function memoize<K, T>(read: (key: K) => T): (key: K) => T {
  const cache = new Map<K, T>()
  return (key) => {
    if (!cache.has(key)) cache.set(key, read(key))
    return cache.get(key)!
  }
}

/** Returns a function that calls `read` once and caches the result. */
function computeOnce<T>(read: () => T): () => T {
  const cached = memoize<null, T>(read)
  return () => cached(null)
}

function toChain({ notes: _, ...file }: ParsedChainFile): Chain {
  return { ...file, blockTimeMs: file.blockTimeMs ?? GUESSED_BLOCK_TIME_MS }
}
