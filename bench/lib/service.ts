/** Runs the API as its own process like `npm run serve`, and reports its address to the parent process. */
import { loadConfig, startServer } from '@sluice/api'

const server = await startServer(loadConfig())
// A message from the parent requests a garbage collection.
process.on('message', () => globalThis.gc?.())
process.once('disconnect', () => void server.close().then(() => process.exit(0)))
process.send!(server.url)
