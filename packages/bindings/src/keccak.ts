/**
 * Keccak-256 in WebAssembly. The search for the pools of a pair hashes up to a hundred pool ids and storage slots, and
 * ethers takes about ten times as long for each.
 */
import { createKeccak } from 'hash-wasm'

type Hex = `0x${string}`

/** One hasher suffices for a thread, because each hash is computed synchronously. */
const hasher = await createKeccak(256)

/**
 * Returns the Keccak-256 hash of bytes.
 *
 * @throws RangeError if the text is not an even number of hex digits after `0x`
 */
export function keccak256(data: Hex | Uint8Array): Hex {
  return `0x${hasher
    .init()
    .update(typeof data === 'string' ? bytesOf(data) : data)
    .digest()}`
}

function bytesOf(hex: Hex): Uint8Array {
  const bytes = Buffer.from(hex.slice(2), 'hex')
  // `Buffer.from` ends silently at the first character that is not a digit.
  if (2 + 2 * bytes.length !== hex.length || !hex.startsWith('0x')) throw new RangeError('the data is not hexadecimal')
  return bytes
}
