/** Serves static files, such as the documentation, from memory: compressed and with entity tags. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Request, Response } from 'express'
import { FixedBytes, varyHeader } from './compress.ts'
import { contextOf } from './context.ts'
import { hasTag, tagOf, weakTag } from './tags.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}
/** Extensions of formats that are already compressed. */
const COMPRESSED_EXTENSIONS = ['.png', '.woff2']
const YEAR_SECONDS = 31_536_000

/** `Cache-Control` of files with a content hash in their name. */
export const FOREVER = `public, max-age=${YEAR_SECONDS}, immutable`
/**
 * `Cache-Control` of files that the next build may replace: browsers ask at each request whether the file has changed.
 */
export const REVALIDATE = 'no-cache'

/** A file in memory. */
export type StaticFile = {
  readonly type: string
  readonly bytes: FixedBytes
  readonly etag: string
}

/** Creates a static file. @param name - determines the content type by its extension */
export function staticFile(name: string, body: Buffer): StaticFile {
  const extension = extname(name)
  const bytes = new FixedBytes(body, !COMPRESSED_EXTENSIONS.includes(extension))
  return { type: types[extension]!, bytes, etag: tagOf(body) }
}

/**
 * Reads all files of a directory, keyed by path, such as `/index.html`. Returns an empty map if `index.html` is
 * missing.
 */
export function readFiles(dir: string): ReadonlyMap<string, StaticFile> {
  if (!existsSync(join(dir, 'index.html'))) return new Map()
  const names = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    names.flatMap(({ name, parentPath }) => {
      if (!types[extname(name)]) return []
      const path = join(parentPath, name).slice(dir.replace(/\/+$/, '').length).replaceAll('\\', '/')
      return [[path, staticFile(name, readFileSync(join(parentPath, name)))] as const]
    }),
  )
}

/** Sends a file, or status 304 if the client has it. @param headers - additional headers: names and values alternate */
export async function sendFile(
  request: Request,
  response: Response,
  file: StaticFile,
  cacheControl: string,
  headers: readonly string[],
): Promise<void> {
  const { bytes, headers: encodingHeaders } = await file.bytes.bodyFor(request)
  const tag = encodingHeaders.includes('Content-Encoding') ? weakTag(file.etag) : file.etag
  const allHeaders = [...headers, 'X-Request-Id', contextOf(response).id, 'ETag', tag, 'Cache-Control', cacheControl]
  if (hasTag(request, file.etag)) {
    response.writeHead(304, [...allHeaders, ...(encodingHeaders.length > 0 ? varyHeader : [])])
    response.end()
    return
  }
  response.writeHead(200, [
    'Content-Type',
    file.type,
    'Content-Length',
    String(bytes.length),
    ...encodingHeaders,
    ...allHeaders,
  ])
  response.end(bytes)
}
