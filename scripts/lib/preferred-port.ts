import { createServer } from 'node:net'
import { freePort } from '@sluice/devnet'

/** The well-known port when nobody has it, so that wallets find the node; else a free one. */
export function preferredPort(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(freePort()))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)))
  })
}
