/** Twenty transactions of different length, density, and repetition, the same in each run. */
import { type Hex, toAddress } from '@sluice/chains'
import { concat, dataSlice, id, toBeHex, zeroPadValue } from 'ethers'
import type { FeeTransaction } from '../src/index.ts'

/** Returns incompressible bytes. */
function noise(length: number, seed = 'noise'): Hex {
  const words = Array.from({ length: Math.ceil(length / 32) }, (_, i) => id(`${seed}${i}`))
  return dataSlice(concat(words), 0, length) as Hex
}

/** Returns a call with typical words: repeated tokens, amounts, offsets, zeros, and accounts. */
function call(words: number): Hex {
  const seed = `call${words}`
  const kinds = [
    (i: number) => noise(20, `token${i % 4}`),
    (i: number) => noise(8, `${seed}amount${i}`),
    (i: number) => toBeHex(32 * i),
    () => '0x',
    (i: number) => noise(20, `${seed}account${i}`),
  ]
  const word = (i: number) => zeroPadValue(kinds[Number(BigInt(id(`${seed}${i}`)) % 5n)]!(i), 32)
  return concat([noise(4, seed), ...Array.from({ length: words }, (_, i) => word(i))]) as Hex
}

/** Returns a swap in the Executor's format: hops with a family, a pool, two of three tokens, and a fee. */
function swap(hops: number): Hex {
  const seed = `swap${hops}`
  const hop = (i: number) =>
    concat([toBeHex(i % 256, 1), noise(20, `${seed}pool${i}`), noise(20, `hub${i % 3}`), toBeHex(3_000, 3)])
  const head = [noise(4, 'swap'), zeroPadValue(noise(20, seed), 32), zeroPadValue(noise(9, seed), 32)]
  return concat([...head, ...Array.from({ length: hops }, (_, i) => hop(i))]) as Hex
}

const datas: readonly Hex[] = [
  '0x',
  ...[1, 2, 4, 8, 12, 20, 30, 45, 60].map(call),
  ...[1, 2, 3, 5, 8, 13, 21].map(swap),
  noise(600),
  `0x${'00'.repeat(600)}`,
  `0x${'ab'.repeat(3_000)}`,
]

export const transactions: readonly FeeTransaction[] = datas.map((data, i) => ({
  to: toAddress(noise(20, `to${i % 2}`)),
  data,
  value: i % 3 === 0 ? 10n ** 18n : 0n,
  gas: BigInt(90_000 + 47_000 * i),
  gasPriceWei: BigInt(1_000_000 + 37_000_000 * i),
}))
