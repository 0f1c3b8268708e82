/**
 * Computes Keccak-256 without a library, for example for CREATE2 addresses and pool ids. A test compares it with
 * ethers.
 */
import type { Hex } from './types.ts'

/** Rate of the sponge in bytes. */
const RATE_BYTES = 136
const ROUNDS = 24
const LANES = 25

/**
 * Round constants of the iota step: low and high halves alternate. They come from the linear feedback shift register of
 * FIPS 202.
 */
const ROUND_CONSTANTS = computeRoundConstants()
/** Lanes in the order in which the pi step moves them, starting at lane 1. */
const PI_CYCLE = computePiCycle()
/** Number of bits by which the rho step rotates each lane of `PI_CYCLE`. */
const ROTATIONS = PI_CYCLE.map((_, t) => (((t + 1) * (t + 2)) / 2) % 64)

/** Returns the Keccak-256 hash of the bytes. */
export function keccak256(data: Hex): Hex {
  const length = (data.length - 2) / 2
  const padded = new Uint8Array((Math.floor(length / RATE_BYTES) + 1) * RATE_BYTES)
  for (let k = 0; k < length; k++) padded[k] = Number.parseInt(data.slice(2 + 2 * k, 4 + 2 * k), 16)
  // The padding starts with 0x01 and ends with 0x80. If it is a single byte, that byte is 0x81.
  padded[length]! |= 0x01
  padded[padded.length - 1]! |= 0x80
  const words = new DataView(padded.buffer)
  // Low and high half of each lane. JavaScript computes with 32-bit integers much faster than with a bigint.
  const state = new Int32Array(2 * LANES)
  for (let offset = 0; offset < padded.length; offset += RATE_BYTES) {
    for (let word = 0; word < RATE_BYTES / 4; word++) state[word]! ^= words.getInt32(offset + 4 * word, true)
    permute(state)
  }
  const hash = new Uint8Array(state.buffer, 0, 32)
  return `0x${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function permute(state: Int32Array): void {
  const parity = new Int32Array(10)
  const row = new Int32Array(10)
  for (let round = 0; round < ROUNDS; round++) {
    // Theta: XOR each bit with the parities of two columns.
    for (let i = 0; i < 10; i++)
      parity[i] = state[i]! ^ state[i + 10]! ^ state[i + 20]! ^ state[i + 30]! ^ state[i + 40]!
    for (let x = 0; x < 10; x += 2) {
      const left = (x + 8) % 10
      const right = (x + 2) % 10
      const low = parity[left]! ^ rotateHalf(parity[right]!, parity[right + 1]!, 1)
      const high = parity[left + 1]! ^ rotateHalf(parity[right + 1]!, parity[right]!, 1)
      for (let i = x; i < 2 * LANES; i += 10) {
        state[i]! ^= low
        state[i + 1]! ^= high
      }
    }
    // Rho and pi: rotate the lanes and permute them along one cycle; lane 0 stays.
    let low = state[2]!
    let high = state[3]!
    for (let t = 0; t < LANES - 1; t++) {
      const lane = 2 * PI_CYCLE[t]!
      const bits = ROTATIONS[t]!
      const nextLow = state[lane]!
      const nextHigh = state[lane + 1]!
      state[lane] = bits < 32 ? rotateHalf(low, high, bits) : rotateHalf(high, low, bits - 32)
      state[lane + 1] = bits < 32 ? rotateHalf(high, low, bits) : rotateHalf(low, high, bits - 32)
      low = nextLow
      high = nextHigh
    }
    // Chi: the only nonlinear step.
    for (let start = 0; start < 2 * LANES; start += 10) {
      for (let i = 0; i < 10; i++) row[i] = state[start + i]!
      for (let i = 0; i < 10; i++) state[start + i] = row[i]! ^ (~row[(i + 2) % 10]! & row[(i + 4) % 10]!)
    }
    state[0]! ^= ROUND_CONSTANTS[2 * round]!
    state[1]! ^= ROUND_CONSTANTS[2 * round + 1]!
  }
}

/** Returns the half of a lane after a rotation to the left by 1 to 31 bits. */
function rotateHalf(half: number, otherHalf: number, bits: number): number {
  return (half << bits) | (otherHalf >>> (32 - bits))
}

function computePiCycle(): readonly number[] {
  let [x, y] = [1, 0]
  return Array.from({ length: LANES - 1 }, () => {
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
    return x + 5 * y
  })
}

function computeRoundConstants(): Int32Array {
  const halves = new Int32Array(2 * ROUNDS)
  let register = 1
  for (let round = 0; round < ROUNDS; round++) {
    for (let j = 0; j < 7; j++) {
      const bit = (1 << j) - 1
      if (register & 1) halves[2 * round + (bit < 32 ? 0 : 1)]! |= 1 << (bit % 32)
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0)
    }
  }
  return halves
}
