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
  // A signal can arrive several times: on Ctrl-C from the terminal, and from each parent that forwards it. `close` runs
  // once, and without a handler a further signal would end the process before requests in flight are answered.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void server.close().then(() => process.exit(0)))
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
