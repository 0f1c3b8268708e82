/** Compresses responses for clients that accept it. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib'
import type { Request } from 'express'

/** Minimum size of bodies that are compressed. Smaller bodies fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1_024
/**
 * Maximum size of bodies that are compressed on the main thread: compressing so few bytes takes less time than a switch
 * to another thread.
 */
const MAX_INLINE_BYTES = 16_384
/** Gzip options for bodies that are sent once. Higher levels take twice the time and save 1 %. */
const FAST_LEVEL = { level: 4 } as const
/**
 * Brotli options for bodies that are sent often. The best quality would take ten times as long and delay the first
 * response.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } } as const

/** Name and value of the header `Vary`, for caches: the body depends on the encodings that the client accepts. */
export const varyHeader = ['Vary', 'Accept-Encoding'] as const

/**
 * Returns name and value of the header `Vary` for a body of `byteCount` bytes; empty if no client gets it compressed.
 */
export const varyOf = (byteCount: number): readonly string[] => (byteCount < MIN_COMPRESSED_BYTES ? [] : varyHeader)

/** Compresses a body that is sent once, with gzip. Small bodies are compressed synchronously. */
export function gzipForOneResponse(body: string): Buffer | Promise<Buffer> {
  return body.length <= MAX_INLINE_BYTES ? gzipSync(body, FAST_LEVEL) : promisify(gzip)(body, FAST_LEVEL)
}

const compressions = {
  br: (body: Buffer) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
} as const
type Encoding = keyof typeof compressions
/** Encodings in order of preference; brotli output is smaller. */
const ENCODINGS = ['br', 'gzip'] as const

/** A body that never changes. Each encoding is computed at the first request for it and kept. */
export class FixedBytes {
  private readonly plainBody: Buffer
  private readonly isWorthCompressing: boolean
  private readonly bodies: Partial<Record<Encoding, Promise<Buffer>>> = {}

  /** @param isCompressible - false for formats that are already compressed */
  constructor(plainBody: Buffer, isCompressible = true) {
    this.plainBody = plainBody
    this.isWorthCompressing = isCompressible && plainBody.length >= MIN_COMPRESSED_BYTES
  }

  /**
   * Returns the bytes in the best encoding that the client accepts, and the headers `Vary` and `Content-Encoding` if
   * they apply.
   */
  async bodyFor(request: Request): Promise<{ readonly bytes: Buffer; readonly headers: readonly string[] }> {
    if (!this.isWorthCompressing) return { bytes: this.plainBody, headers: [] }
    const encoding = ENCODINGS.find((candidate) => accepts(request, candidate))
    if (!encoding) return { bytes: this.plainBody, headers: varyHeader }
    this.bodies[encoding] ??= compressions[encoding](this.plainBody).catch((error: unknown) => {
      // A failure, such as a lack of memory, may pass, so the next request tries again.
      delete this.bodies[encoding]
      throw error
    })
    return { bytes: await this.bodies[encoding], headers: [...varyHeader, 'Content-Encoding', encoding] }
  }
}

/** Returns true if a body of `byteCount` bytes is to be sent to the client through `gzipForOneResponse`. */
export const compressesFor = (request: Request, byteCount: number): boolean =>
  byteCount >= MIN_COMPRESSED_BYTES && accepts(request, 'gzip')

function accepts(request: Request, encoding: Encoding): boolean {
  return request.acceptsEncodings(encoding) === encoding
}
