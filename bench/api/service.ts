/** The API as a process of its own, as `npm run serve` runs it, that tells its address to whoever started it. */
import { loadConfig, startServer } from '@sluice/api'

const server = await startServer(loadConfig())
process.on('message', () => globalThis.gc?.())
process.once('disconnect', () => void server.close().then(() => process.exit(0)))
process.send!(server.url)
