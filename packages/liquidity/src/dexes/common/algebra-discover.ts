/** Pool discovery for Algebra factories of all versions. */
import { IAlgebraFactory__factory } from '@sluice/bindings'
import { pairFactory } from './pair-discover.ts'

export const { findPools, creationTopics, createdPool } = pairFactory(
  IAlgebraFactory__factory.createInterface(),
  'poolByPair',
  'Pool',
)
