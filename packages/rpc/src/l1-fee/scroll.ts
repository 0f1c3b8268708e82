/** Fee model of Scroll. */
import { deflateRawSync, zstdCompressSync } from 'node:zlib'
import type { Hex } from '@sluice/chains'

const MAGIC_BYTES = 4

/**
 * Compresses a transaction as Scroll's oracle counts it since Galileo, or returns it unchanged if that is shorter. A
 * batch is one zstd frame without the magic number; the default compression level gives the same length for a
 * transaction.
 *
 * @see calculateTxCompressedSize, scroll-tech/go-ethereum, and encoder-standard, scroll-tech/da-codec
 */
export function scrollCompressed(serializedTransaction: Hex): Hex {
  const bytes = Buffer.from(serializedTransaction.slice(2), 'hex')
  // Older versions of Node.js have no zstd; deflate is within 10 % of its size.
  const compressed = zstdCompressSync
    ? zstdCompressSync(bytes).subarray(MAGIC_BYTES)
    : deflateRawSync(bytes, { level: 9 })
  return compressed.length < bytes.length ? `0x${compressed.toString('hex')}` : serializedTransaction
}
