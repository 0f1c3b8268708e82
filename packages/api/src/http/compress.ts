/** Compresses responses for clients that accept it. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib'
import type { Request } from 'express'

/** Minimum size of bodies that are compressed. Smaller bodies fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1_024
/**
 * Maximum size of bodies that are compressed on the main thread, where compression takes less time than a thread
 * switch.
 */
const MAX_INLINE_BYTES = 16_384
/** Gzip options for bodies that are sent once. Higher levels take twice the time and save 1 %. */
const FAST_LEVEL = { level: 4 } as const
/**
 * Brotli options for bodies that are sent often. The best quality would take ten times as long and delay the first
 * response.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } } as const

export const varyingHeaders = ['Vary', 'Accept-Encoding'] as const

/** Returns the header `Vary` for a body of that size; empty if no client gets it compressed. */
export const varyOf = (bytes: number): readonly string[] => (bytes < MIN_COMPRESSED_BYTES ? [] : varyingHeaders)

export function compressOnce(body: string): Buffer | Promise<Buffer> {
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
  private readonly isCompressible: boolean
  private readonly bodies: Partial<Record<Encoding, Promise<Buffer>>> = {}

  /** @param isCompressible - false for formats that are already compressed */
  constructor(plainBody: Buffer, isCompressible = true) {
    this.plainBody = plainBody
    this.isCompressible = isCompressible && plainBody.length >= MIN_COMPRESSED_BYTES
  }

  /**
   * Returns the bytes in the best encoding that the client accepts, and the headers `Vary` and `Content-Encoding` if
   * they apply.
   */
  async bodyFor(request: Request): Promise<{ readonly bytes: Buffer; readonly headers: readonly string[] }> {
    if (!this.isCompressible) return { bytes: this.plainBody, headers: [] }
    const encoding = ENCODINGS.find((candidate) => accepts(request, candidate))
    if (!encoding) return { bytes: this.plainBody, headers: varyingHeaders }
    this.bodies[encoding] ??= compressions[encoding](this.plainBody)
    return { bytes: await this.bodies[encoding], headers: [...varyingHeaders, 'Content-Encoding', encoding] }
  }
}

/** Returns true if a body that is sent once and has that size is compressed for the client. */
export const compressesFor = (request: Request, bytes: number): boolean =>
  bytes >= MIN_COMPRESSED_BYTES && accepts(request, 'gzip')

function accepts(request: Request, encoding: Encoding): boolean {
  return request.acceptsEncodings(encoding) === encoding
}
