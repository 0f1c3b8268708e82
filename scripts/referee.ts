/** `npm run -s referee`: compares a mined swap of any router with the best route in the state before the swap. */
import { runReferee } from '@sluice/api/referee'
import { userDirectories } from './lib/run.ts'

process.exitCode = await runReferee({
  command: 'npm run -s referee --',
  args: process.argv.slice(2),
  environment: { ...process.env, ...userDirectories() },
})
