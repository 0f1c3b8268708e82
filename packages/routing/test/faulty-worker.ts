/**
 * The routing thread with faults for some amounts: 664 takes 3,500 ms before it builds a graph; 665 never ends and
 * sends nothing; 666 never ends; 667 exits the thread; 668 exhausts its memory; 669 takes 600 ms.
 */
import { parentPort } from 'node:worker_threads'
import type { ToThread } from '../src/thread/messages.ts'

parentPort!.on('message', (message: ToThread) => {
  if (message.do !== 'find' || !('amountIn' in message.request)) return
  const { amountIn } = message.request
  if (amountIn >= 666n && amountIn <= 668n) parentPort!.postMessage({ prepared: true })
  const until = performance.now() + (amountIn === 664n ? 3_500 : 600)
  if (amountIn === 664n || amountIn === 669n) while (performance.now() < until);
  if (amountIn === 665n || amountIn === 666n) for (;;);
  if (amountIn === 667n) process.exit(3)
  if (amountIn === 668n) for (const hoard: number[][] = []; ; ) hoard.push(Array.from({ length: 10_000 }, Math.random))
})
await import('../src/thread/worker.ts')
