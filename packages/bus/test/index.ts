/** Test helpers for tests and benchmarks of other packages. */
export { connect } from '../src/connection.ts'
export { StateFollower } from '../src/follower.ts'
export { keysOf } from '../src/keys.ts'
export { Lease } from '../src/lease.ts'
export { type PublishedState, Publisher } from '../src/publisher.ts'
export { type FaultReport, runFaults } from './faults/run.ts'
export { hasRedis, TestRedis } from './redis.ts'
export { familyOf, syntheticPool } from './synthetic-pools.ts'
