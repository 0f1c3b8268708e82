/** Keccak-256 without a library, such as for CREATE2 addresses and pool ids. A test compares it with ethers. */
import type { Hex } from './types.ts'

/** Rate of the sponge in bytes. */
const RATE = 136
const LANE = (1n << 64n) - 1n
const ROUNDS = 24

/** Round constants of the iota step, from the linear feedback shift register of FIPS 202. */
const ROUND_CONSTANTS = roundConstants()

/** Hashes bytes. */
export function keccak256(data: Hex): Hex {
  const digits = `${data.slice(2)}01`
  const blocks = Math.ceil(digits.length / (2 * RATE))
  const paddedDigits = digits.padEnd(blocks * 2 * RATE, '0')
  // The padding starts with 0x01 and ends with 0x80. If it is a single byte, that byte is 0x81.
  const last = (Number.parseInt(paddedDigits.slice(-2), 16) | 0x80).toString(16)
  const message = paddedDigits.slice(0, -2) + last
  const state: bigint[] = Array.from({ length: 25 }, () => 0n)
  for (let offset = 0; offset < message.length; offset += 2 * RATE) {
    for (let lane = 0; lane < RATE / 8; lane++)
      state[lane]! ^= swapBytes(BigInt(`0x${message.slice(offset + 16 * lane, offset + 16 * lane + 16)}`))
    permute(state)
  }
  return `0x${[0, 1, 2, 3].map((lane) => swapBytes(state[lane]!).toString(16).padStart(16, '0')).join('')}`
}

function permute(a: bigint[]): void {
  for (let round = 0; round < ROUNDS; round++) {
    // Theta: XOR each bit with the parities of two columns.
    const parity = [0, 1, 2, 3, 4].map((x) => a[x]! ^ a[x + 5]! ^ a[x + 10]! ^ a[x + 15]! ^ a[x + 20]!)
    for (let i = 0; i < 25; i++) a[i]! ^= parity[(i + 4) % 5]! ^ rotate(parity[(i + 1) % 5]!, 1)
    // Rho and pi: rotate the lanes and permute them along one cycle; lane 0 stays.
    let [x, y] = [1, 0]
    let lane = a[1]!
    for (let t = 1; t <= 24; t++) {
      ;[x, y] = [y, (2 * x + 3 * y) % 5]
      const next = a[x + 5 * y]!
      a[x + 5 * y] = rotate(lane, ((t * (t + 1)) / 2) % 64)
      lane = next
    }
    // Chi: the only nonlinear step.
    for (let row = 0; row < 25; row += 5) {
      const oldRow = a.slice(row, row + 5)
      for (let k = 0; k < 5; k++) a[row + k] = oldRow[k]! ^ (~oldRow[(k + 1) % 5]! & LANE & oldRow[(k + 2) % 5]!)
    }
    a[0]! ^= ROUND_CONSTANTS[round]!
  }
}

function rotate(lane: bigint, bits: number): bigint {
  return ((lane << BigInt(bits)) | (lane >> BigInt(64 - bits))) & LANE
}

/** Reverses the bytes of a lane; lanes are little-endian. */
function swapBytes(lane: bigint): bigint {
  const bytes = lane.toString(16).padStart(16, '0').match(/../g)!
  return BigInt(`0x${bytes.reverse().join('')}`)
}

function roundConstants(): readonly bigint[] {
  let register = 1
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt((1 << j) - 1)
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0)
    }
    return constant
  })
}
