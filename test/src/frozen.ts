/** A program with a local node whose main thread never comes back: no handler of its own can end it. */
import { startAnvil } from '@sluice/devnet'

const { url } = await startAnvil()
process.on('SIGTERM', () => {})
process.on('SIGINT', () => {})
process.stdout.write(`${url}\n`)
setTimeout(() => {
  for (;;);
}, 100)
