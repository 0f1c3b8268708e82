/**
 * The routing thread with faults for some amounts: 664 takes 2,000 ms before it builds a graph; 665 never ends and
 * sends nothing; 666 never ends; 667 exits the thread; 668 exhausts its memory; 669 takes 600 ms. Only 666 uses CPU
 * time, so that other tests run at full speed.
 */
import { parentPort } from 'node:worker_threads'
import type { ToThread } from '../src/thread/messages.ts'

/** Blocks the thread. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

function fail(message: ToThread): void {
  if (message.do !== 'find' || !('amountIn' in message.request)) return
  const { amountIn } = message.request
  if (amountIn >= 666n && amountIn <= 668n) parentPort!.postMessage({ prepared: true })
  if (amountIn === 664n) block(2_000)
  if (amountIn === 669n) block(600)
  if (amountIn === 665n) block(Number.POSITIVE_INFINITY)
  if (amountIn === 666n) for (;;);
  if (amountIn === 667n) process.exit(3)
  if (amountIn === 668n) for (const hoard: number[][] = []; ; ) hoard.push(Array.from({ length: 10_000 }, Math.random))
}

// Replaces the thread's listener, which is attached after the imports. An earlier listener would take the messages that
// arrive meanwhile.
const on = parentPort!.on.bind(parentPort!)
parentPort!.on = ((event: 'message', listener: (message: ToThread) => void) =>
  on(event, (message: ToThread) => {
    fail(message)
    listener(message)
  })) as typeof on
await import('../src/thread/worker.ts')
