/** Loads the pool lists of `POOLS` from files and URLs, with limits on size and time, and verifies their hashes. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { type PoolList, readPoolList } from '@sluice/liquidity'
import type { PoolSource } from './config.ts'

/** Maximum file size, about ten times the size of a list of 100,000 pools. */
const MAX_BYTES = 32_000_000
/** Timeout of a download. */
const TIMEOUT_MS = 60_000
/** Maximum redirects; downloads of releases need one or two. */
const MAX_REDIRECTS = 3

/** Functions that decode the pool lists, by chain id. Each is called when its chain starts. */
export type PoolListLoaders = ReadonlyMap<number, () => PoolList>

/** Error of a file that must not be used. The message names the file. */
class PoolFileError extends Error {
  override readonly name = 'PoolFileError'
}

type LoadedPoolFile = {
  readonly lists: PoolListLoaders
  /**
   * Messages of failed downloads. For the chain of a missing list, the service searches past logs for pools instead.
   */
  readonly warnings: readonly string[]
}

/**
 * Loads and verifies pool lists. A failed download is only a warning.
 *
 * @throws PoolFileError if a file cannot be read, has another hash, or is not a pool list; also if two lists have the
 *   same chain
 */
export async function loadPoolFiles(sources: readonly PoolSource[]): Promise<LoadedPoolFile> {
  const lists = new Map<number, () => PoolList>()
  const warnings: string[] = []
  for (const source of sources) {
    const name = nameOf(source)
    const bytes = await (source.isUrl ? download(source.location) : readFile(source.location)).catch((error: Error) => {
      if (!source.isUrl) throw new PoolFileError(`POOLS: ${name} cannot be read: ${error.message}`)
      warnings.push(`POOLS: ${name} cannot be downloaded (${reasonOf(error)}): past logs are searched instead`)
      return null
    })
    if (bytes === null) continue
    const hash = createHash('sha256').update(bytes).digest('hex')
    if (source.sha256 !== undefined && hash !== source.sha256)
      throw new PoolFileError(
        `POOLS: ${name} has the SHA-256 ${hash}, not ${source.sha256}: it is not the file that was named`,
      )
    const chainId = chainIdOf(bytes, name)
    if (lists.has(chainId)) throw new PoolFileError(`POOLS: ${name} is a second list of chain ${chainId}: name one`)
    lists.set(chainId, () => readPoolList(bytes))
  }
  return { lists, warnings }
}

function chainIdOf(bytes: Uint8Array, name: string): number {
  try {
    return readPoolList(bytes).chainId
  } catch (error) {
    throw new PoolFileError(`POOLS: ${name} is ${(error as Error).message}`)
  }
}

/** Returns the name of a source for messages. Omits the query and credentials of a URL, which may contain a key. */
function nameOf({ location, isUrl }: PoolSource): string {
  if (!isUrl) return location
  const { origin, pathname } = new URL(location)
  return origin + pathname
}

async function readFile(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error('it is not a file')
    if (stats.size > MAX_BYTES) throw tooLargeError()
    return await file.readFile()
  } finally {
    await file.close()
  }
}

async function download(startUrl: string): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  let url = startUrl
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, { signal, redirect: 'manual' })
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel()
      const redirectUrl = new URL(location, url)
      if (redirectUrl.protocol !== 'https:' && redirectUrl.protocol !== new URL(url).protocol)
        throw new Error(`it is redirected to ${redirectUrl.protocol}//`)
      url = redirectUrl.href
      continue
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`status ${response.status}`)
    }
    return await readBody(response)
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`)
}

async function readBody({ body }: Response): Promise<Uint8Array> {
  const bodyChunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  for (let bodyChunk = await reader?.read(); bodyChunk && !bodyChunk.done; bodyChunk = await reader?.read()) {
    size += bodyChunk.value.length
    if (size > MAX_BYTES) {
      await reader?.cancel()
      throw tooLargeError()
    }
    bodyChunks.push(bodyChunk.value)
  }
  return Buffer.concat(bodyChunks)
}

const tooLargeError = () => new Error(`it is larger than ${MAX_BYTES} bytes`)

const reasonOf = ({ message, cause }: Error) => (cause as { code?: string } | undefined)?.code ?? message
