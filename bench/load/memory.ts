/** Reads the memory of a service that was started with `EXPOSED_GC`. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '../lib/world.ts'
import { rounded } from '../record.ts'

/** Environment variables with which a service collects garbage when its parent process sends a message. */
export const EXPOSED_GC = { NODE_OPTIONS: '--expose-gc' }
/** Milliseconds after which a garbage collection has ended. */
const COLLECTION_MS = 500

/** Returns the memory of the service in MB after garbage collection. */
export async function memoryOf({ child, url }: Service) {
  child.send('collect garbage')
  await sleep(COLLECTION_MS)
  const text = await (await fetch(`${url}/metrics`)).text()
  const read = (kind: string) =>
    rounded(Number(text.match(new RegExp(`memory_bytes{kind="${kind}"} (\\d+)`))![1]) / 1e6)
  return { heapMB: read('heap_used'), residentMB: read('resident') }
}
