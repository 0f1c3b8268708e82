/** `npx @sluice/server`: the service as a process, configured by its command line and its environment. */
import { readArguments } from './arguments.ts'
import { USAGE } from './usage.ts'

const asked = readArguments(process.argv.slice(2))
if ('mistake' in asked) {
  console.error(`${asked.mistake}\n\n${USAGE}`)
  process.exit(1)
}
if ('help' in asked) console.log(USAGE)
else {
  Object.assign(process.env, asked.environment)
  await import('@sluice/api/main')
}
