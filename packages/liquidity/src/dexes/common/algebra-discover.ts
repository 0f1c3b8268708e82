/** Finds pools of Algebra factories of all versions, which have one pool per pair. */
import { IAlgebraFactory__factory } from '@sluice/bindings'
import { pairFactory } from './pair-discover.ts'

export const { findPools, creationTopics, createdPool } = pairFactory(
  IAlgebraFactory__factory.createInterface(),
  'poolByPair',
  'Pool',
)
