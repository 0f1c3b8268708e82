/** The API as a process of its own, configured by its environment. */
import { loadConfig } from './config.ts'
import { startServer } from './server.ts'
import { stopWhenTold } from './stopping.ts'

try {
  const config = loadConfig()
  const server = await startServer(config)
  stopWhenTold(server.close, config.shutdownGraceMs)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
