/**
 * Build step that compiles the local chain's contracts into `cache/`, so that the build of the chain needs no compiler.
 */
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { compileSources } from './compile.ts'
import { compileFunctions } from './dexes/index.ts'

const units = [...compileFunctions, compileSources]

// Each unit has its own thread. A compiler error ends the process with the compiler's message.
if (isMainThread) for (const index of units.keys()) new Worker(new URL(import.meta.url), { workerData: index })
else units[workerData as number]!()
