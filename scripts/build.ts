import { build } from './lib/run.ts'

await build()
