/** Factories of Algebra, of any version. */
import { IAlgebraFactory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool } from '../../family.ts'
import { findByPair, pairPool } from './pair-discover.ts'

const factory = IAlgebraFactory__factory.createInterface()

export const findPools = (row: DexRow, pairs: readonly (readonly [Address, Address])[]) =>
  findByPair(row, pairs, factory.getFunction('poolByPair').selector)

export const creationTopics: readonly Hex[] = [factory.getEvent('Pool').topicHash as Hex]

/** The pool that a factory has just made. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pool } = factory.decodeEventLog('Pool', log.data, log.topics)
  return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}
