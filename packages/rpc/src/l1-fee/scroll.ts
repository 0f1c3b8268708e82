import { deflateRawSync, zstdCompressSync } from 'node:zlib'
import type { Hex } from '@sluice/chains'

const MAGIC_BYTES = 4

/**
 * The transaction as Scroll's oracle counts it since Galileo: compressed as for a batch, or as it is where that is shorter.
 * A batch is one zstd frame without its magic number, and a transaction comes out as long as with the library's defaults.
 *
 * @see calculateTxCompressedSize, scroll-tech/go-ethereum, and encoder-standard, scroll-tech/da-codec
 */
export function scrollCompressed(serialized: Hex): Hex {
  const bytes = Buffer.from(serialized.slice(2), 'hex')
  // Older versions of Node.js have no zstd; deflate comes out within a tenth of it.
  const compressed = zstdCompressSync
    ? zstdCompressSync(bytes).subarray(MAGIC_BYTES)
    : deflateRawSync(bytes, { level: 9 })
  return compressed.length < bytes.length ? `0x${compressed.toString('hex')}` : serialized
}
