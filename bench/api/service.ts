/** The API as a process of its own, as `npm run serve` runs it, with its log going nowhere. */
import { loadConfig, startServer } from '@sluice/api'

const server = await startServer(loadConfig())
process.send!(server.url)
process.once('disconnect', () => void server.close().then(() => process.exit(0)))
