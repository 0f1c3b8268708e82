/** Finds pools for rows whose address is a token. Such a token is a pool of its underlying token and itself. */
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Pool, Read, Reads, TokenPair } from '../../family.ts'
import { pairKey } from './direction.ts'

/**
 * Returns the pool of a row's token if it trades one of the pairs.
 *
 * @param read - read of the underlying token's address
 * @param decode - returns the address from the result of the read
 */
export function* findTokenRow(
  { family, brand: dex, address }: DexRow,
  pairs: readonly TokenPair[],
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
