/** Entry point of the API process. Environment variables configure it. */
import { loadConfig } from './config.ts'
import { lockDataDir } from './data-dir.ts'
import { loadPoolFiles } from './pool-files.ts'
import { startServer } from './server.ts'

try {
  const { config, reason, release } = lockDataDir(loadConfig())
  process.once('exit', release)
  const { lists: poolListLoaders, warnings } = await loadPoolFiles(config.pools)
  for (const warning of warnings) console.error(warning)
  const server = await startServer(config, { poolListLoaders })
  if (reason !== undefined) console.error(`Known pools are not kept between runs: ${reason}`)
  // A signal can arrive several times: Ctrl-C in a terminal also reaches each parent process, which may forward it. So
  // the handlers stay installed: without them, the second signal would end the process while requests are in flight.
  // `close` stops the server only once, however often it is called.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void server.close().then(() => process.exit(0)))
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
