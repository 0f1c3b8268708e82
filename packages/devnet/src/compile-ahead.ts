/**
 * Part of the build: compiles what the local chain is made of into `cache/`, so that nothing waits for a compiler when the chain
 * is built.
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { compileSources } from './compile.ts'
import { toCompile } from './dexes/index.ts'

const units = [...toCompile, compileSources]

// A thread for each. An error of one, which is in the compiler's own words, ends the process.
if (isMainThread) for (const index of units.keys()) new Worker(new URL(import.meta.url), { workerData: index })
else units[workerData as number]!()
