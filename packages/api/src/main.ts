/** The API as a process of its own, configured by its environment. */
import { loadConfig } from './config.ts'
import { startServer } from './server.ts'

try {
  const server = await startServer(loadConfig())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void server.close().then(() => process.exit(0)))
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
