/** `npm run serve`: the API alone, for the chains of `deployments/`, configured by the environment (packages/api/src/config.ts). */
import { build } from './lib/run.ts'

await build()
await import('@sluice/api/main')
