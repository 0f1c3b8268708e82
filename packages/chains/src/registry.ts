import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { ChainsError } from './errors.ts'
import { chainFileSchema, chainHeaderSchema, deploymentSchema, type ParsedChainFile } from './schema.ts'
import type { Chain, ChainMapEntry, Registry } from './types.ts'

/** The chains that come with the package. */
export const CHAIN_DATA_DIR = fileURLToPath(new URL('../data', import.meta.url))
/** The repository's own deployments. */
export const DEPLOYMENTS_DIR = fileURLToPath(new URL('../../../deployments', import.meta.url))

/** Where no source tells the block time. It only sets how often the head is asked for, so a wrong guess is harmless. */
const GUESSED_BLOCK_TIME_MS = 3_000

export type RegistryOptions = {
  /** Overlay: its files replace those of the same chain id and add new ones. */
  readonly chainsDir?: string | undefined
  /** Taken instead of the repository's `deployments/`. */
  readonly deploymentsDir?: string | undefined
}

/**
 * The registry over the chain files and the deployments. Lists two or three directories now and opens a file when its
 * chain is first asked for; the chain map opens all files once, and keeps only what it shows.
 *
 * @throws ChainsError `BAD_DIRECTORY` when a directory cannot be listed. The registry's own methods throw `BAD_FILE`,
 *   which names the file and the field.
 */
export function loadRegistry(options: RegistryOptions = {}): Registry {
  const chainFiles = listById(CHAIN_DATA_DIR)
  if (options.chainsDir !== undefined) for (const [id, path] of listById(options.chainsDir)) chainFiles.set(id, path)
  const deploymentFiles = listById(options.deploymentsDir ?? DEPLOYMENTS_DIR)

  const chain = remember(chainFiles, (path, id) => toChain(parseFile(path, id, chainFileSchema)))
  const deployment = remember(deploymentFiles, (path, id) => parseFile(path, id, deploymentSchema))

  let map: Readonly<Record<string, ChainMapEntry>> | undefined
  const chainMap = () => {
    map ??= Object.freeze(
      Object.fromEntries(
        [...deploymentFiles.keys()]
          .filter((id) => chainFiles.has(id))
          .sort((a, b) => a - b)
          .map((id) => ({
            header: parseFile(chainFiles.get(id)!, id, chainHeaderSchema),
            guard: deployment(id)!.guard,
          }))
          .filter(({ header }) => header.unsupported === undefined)
          .map(({ header, guard }) => [
            String(header.chainId),
            Object.freeze({
              ChainID: String(header.chainId),
              ChainName: header.name,
              RouterAddress: guard.address,
              TrackerName: header.trackerName,
              CoinsPrefix: header.coinsPrefix,
              Status: guard.status,
            }),
          ]),
      ),
    )
    return map
  }

  return {
    supportedIds: () => Object.keys(chainMap()).map(Number),
    knownIds: () => [...chainFiles.keys()].sort((a, b) => a - b),
    chainFile: (id) => chainFiles.get(id),
    chain,
    deployment,
    chainMap,
  }
}

/** `<chainId>.json` files of a directory; anything else in it is not the registry's business. */
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

function remember<T>(files: ReadonlyMap<number, string>, read: (path: string, id: number) => T) {
  const known = new Map<number, T>()
  return (id: number): T | undefined => {
    const path = files.get(id)
    if (path === undefined) return undefined
    let value = known.get(id)
    if (value === undefined) {
      value = read(path, id)
      known.set(id, value)
    }
    return value
  }
}

/** @throws ChainsError `BAD_FILE` naming the file and each field that is wrong */
export function parseFile<S extends z.ZodType<{ chainId: number }>>(path: string, id: number, schema: S): z.output<S> {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new ChainsError('BAD_FILE', `${path}: ${(cause as Error).message}`, { cause })
  }
  const result = schema.safeParse(json)
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${fieldName(issue.path)}: ${issue.message}`)
    throw new ChainsError('BAD_FILE', `${path}: ${problems.join('; ')}`)
  }
  if (result.data.chainId !== id)
    throw new ChainsError('BAD_FILE', `${path}: chainId: is ${result.data.chainId}, but the file is named ${id}.json`)
  return result.data
}

/** `dexes[3].address` */
function fieldName(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'the whole file'
}

function toChain({ notes: _, ...file }: ParsedChainFile): Chain {
  return { ...file, blockTimeMs: file.blockTimeMs ?? GUESSED_BLOCK_TIME_MS }
}
