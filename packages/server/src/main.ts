/**
 * Entry point of `sluice-server`. Runs the service, or judges one mined swap (`referee`). The command line and the
 * environment configure both.
 */
import { argumentsToEnvironment } from './arguments.ts'
import { isNewEnough, runWithNewerNode } from './newer-node.ts'
import { DEFAULT_GRACE_MS, maxStopMs } from './stop-time.ts'
import { USAGE } from './usage.ts'

const [command, ...refereeArguments] = process.argv.slice(2)
const request = command === 'referee' ? { referee: refereeArguments } : argumentsToEnvironment(process.argv.slice(2))
if ('mistake' in request) {
  console.error(`${request.mistake}\n\n${USAGE}`)
  process.exit(1)
}
if ('help' in request) console.log(USAGE)
else if (!isNewEnough(process.versions.node)) await runWithNewerNode(process.argv.slice(1))
else if ('referee' in request) {
  const { runReferee } = await import('@sluice/api/referee')
  process.exitCode = await runReferee({
    command: 'sluice-server referee',
    args: request.referee,
    environment: process.env,
  })
} else {
  process.env.SHUTDOWN_GRACE_MS ||= String(DEFAULT_GRACE_MS)
  Object.assign(process.env, request.environment)
  // Ends the process if the service has no signal handlers yet, or if its handlers do not finish in time.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => setTimeout(() => process.exit(0), maxStopMs(process.env)))
  const { checkEndpoints } = await import('./check-endpoints.ts')
  const { mistakes, warnings } = await checkEndpoints(process.env)
  for (const warning of warnings) console.error(warning)
  if (mistakes.length > 0) {
    console.error(mistakes.join('\n'))
    process.exit(1)
  }
  await import('@sluice/api/main')
}
