/** Chooses the port of a local node. */
import { createServer } from 'node:net'
import { freePort } from '@sluice/devnet'

/** Returns the preferred port if it is free, and another free port if not. Wallets expect the node at a fixed port. */
export function preferredPort(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(freePort()))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)))
  })
}
