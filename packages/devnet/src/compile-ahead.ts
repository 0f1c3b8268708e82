/** Compiles what takes longest in a thread of its own, while the chain's first contracts are deployed. */
import { isMainThread, Worker } from 'node:worker_threads'
import { balancerV3Contracts } from './dexes/balancer-v3.ts'

/** Ends when the result is in the cache. @throws DevnetError COMPILE */
export function compileAhead(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  new Worker(new URL(import.meta.url)).once('error', reject).once('exit', () => resolve())
  return promise
}

if (!isMainThread) balancerV3Contracts()
