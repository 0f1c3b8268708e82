/** Finds pools for DEX rows that are tokens: each token is one pool of its underlying token and itself. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Pool, Read, Reads } from '../../family.ts'
import { pairKey } from './direction.ts'

/**
 * Returns the pool of a row's token if it trades one of the pairs.
 *
 * @param read - reads the underlying token
 * @param decode - decodes its address
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
  const underlying = toAddress(decode(answer))
  const key = pairKey([underlying, address])
  if (!pairs.some((pair) => pairKey(pair) === key)) return []
  return [{ id: address, family, dex, address, tokens: [underlying, address], state: null }]
}
