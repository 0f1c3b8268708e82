/** Rows that are tokens: each the one pool of what it holds and itself. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Pool, Read, Reads } from '../../family.ts'
import { pairKey } from './direction.ts'

/**
 * The pool of a row's token, where any of the pairs is that of what it holds and itself.
 *
 * @param read - asks what it holds
 * @param decode - gives the address
 */
export function* findTokenRow(
  { family, brand: dex, address }: DexRow,
  pairs: readonly (readonly [Address, Address])[],
  read: Read,
  decode: (answer: Hex) => string,
): Reads<readonly Pool<null>[]> {
  if (!pairs.some((pair) => pair.includes(address))) return []
  const [answer] = yield [read]
  if (!answer) return []
  const held = toAddress(decode(answer))
  const wanted = pairKey([held, address])
  if (!pairs.some((pair) => pairKey(pair) === wanted)) return []
  return [{ id: address, family, dex, address, tokens: [held, address], state: null }]
}
