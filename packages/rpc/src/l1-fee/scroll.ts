/** Compresses transactions as Scroll's fee model does. */
import { deflateRawSync, zstdCompressSync } from 'node:zlib'
import type { Hex } from '@sluice/chains'

/** Bytes of the magic number at the start of a zstd frame. */
const MAGIC_BYTES = 4

/**
 * Compresses a transaction as Scroll's oracle expects it since the Galileo upgrade. Returns it unchanged if compression
 * would not shorten it. Scroll publishes batches as one zstd frame without the magic number. The default compression
 * level gives the same length for a transaction as Scroll's level.
 *
 * @see calculateTxCompressedSize, scroll-tech/go-ethereum, and encoder-standard, scroll-tech/da-codec
 */
export function compressForScroll(serializedTransaction: Hex): Hex {
  const bytes = Buffer.from(serializedTransaction.slice(2), 'hex')
  // Older versions of Node.js have no zstd. The length with deflate differs by at most 10 %.
  const compressed = zstdCompressSync
    ? zstdCompressSync(bytes).subarray(MAGIC_BYTES)
    : deflateRawSync(bytes, { level: 9 })
  return compressed.length < bytes.length ? `0x${compressed.toString('hex')}` : serializedTransaction
}
