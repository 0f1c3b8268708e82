/**
 * Finds the pools of rows whose address is a pool, or a token that can be exchanged for its underlying token. Such a
 * token is a pool of the underlying token and itself.
 */
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Pool, Read, Reads, TokenPair } from '../../family.ts'
import { pairKey } from './direction.ts'
import { contractPool } from './make-pool.ts'

/**
 * Returns the pool of a row's token and its underlying token if one of the pairs consists of these tokens.
 *
 * @param read - read of the underlying token's address
 * @param decode - returns the address from the result of the read
 */
export function* findTokenRow(
  row: DexRow,
  pairs: readonly TokenPair[],
  read: Read,
  decode: (answer: Hex) => string,
): Reads<readonly Pool<null>[]> {
  const { address } = row
  if (!pairs.some((pair) => pair.includes(address))) return []
  const [answer] = yield [read]
  if (!answer) return []
  const underlying = toAddress(decode(answer))
  const key = pairKey([underlying, address])
  if (!pairs.some((pair) => pairKey(pair) === key)) return []
  return [contractPool(row, address, [underlying, address])]
}

/**
 * Returns the pool at the row's address if it trades one of the pairs.
 *
 * @param read - read of the pool's tokens
 * @param decode - returns the tokens from the result of the read
 */
export function* findRowPool(
  row: DexRow,
  pairs: readonly TokenPair[],
  read: Read,
  decode: (answer: Hex) => readonly string[],
): Reads<readonly Pool<null>[]> {
  const [answer] = yield [read]
  if (!answer) return []
  const tokens = decode(answer).map(toAddress)
  const isRequested = pairs.some((pair) => pair.every((token) => tokens.includes(token)))
  return isRequested ? [contractPool(row, row.address, tokens)] : []
}
