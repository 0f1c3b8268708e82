/** Compresses responses for clients that accept it. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib'
import type { Request } from 'express'

/** Smaller bodies fit into one packet anyway. */
export const MIN_COMPRESSED_BYTES = 1_024
/** Larger bodies are compressed in the thread pool. For smaller ones the switch takes longer than the compression. */
const MAX_INLINE_BYTES = 16_384
/** For bodies that are sent once. Higher levels take twice the time to save one percent. */
const ONCE = { level: 4 } as const
/** For bodies that are sent many times. Brotli's best quality takes ten times as long, which the first client would wait for. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } } as const

export const varyingHeaders = ['Vary', 'Accept-Encoding'] as const

/** Compresses a body that is sent once. Returns undefined when the client does not accept gzip. */
export function compressOnce(request: Request, body: string): Buffer | Promise<Buffer> | undefined {
  if (!accepts(request, 'gzip')) return undefined
  return body.length <= MAX_INLINE_BYTES ? gzipSync(body, ONCE) : promisify(gzip)(body, ONCE)
}

const compressions = {
  br: (body: Buffer) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
} as const
type Encoding = keyof typeof compressions
/** In order of preference: brotli is smaller. */
const ENCODINGS = ['br', 'gzip'] as const

/** A body that never changes. Each encoding is computed when a client first asks for it. */
export class FixedBytes {
  private readonly plain: Buffer
  private readonly isCompressible: boolean
  private readonly encoded: Partial<Record<Encoding, Promise<Buffer>>> = {}

  /** @param isCompressible - false for formats that are compressed themselves */
  constructor(plain: Buffer, isCompressible = true) {
    this.plain = plain
    this.isCompressible = isCompressible && plain.length >= MIN_COMPRESSED_BYTES
  }

  /** Returns the bytes for a client, with `Vary` and `Content-Encoding`. */
  async for(request: Request): Promise<{ readonly bytes: Buffer; readonly headers: readonly string[] }> {
    if (!this.isCompressible) return { bytes: this.plain, headers: [] }
    const encoding = ENCODINGS.find((each) => accepts(request, each))
    if (!encoding) return { bytes: this.plain, headers: varyingHeaders }
    this.encoded[encoding] ??= compressions[encoding](this.plain)
    return { bytes: await this.encoded[encoding], headers: [...varyingHeaders, 'Content-Encoding', encoding] }
  }
}

function accepts(request: Request, encoding: Encoding): boolean {
  return request.acceptsEncodings(encoding) === encoding
}
