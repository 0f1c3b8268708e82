/** `npm run -s referee`: compares a mined swap of any router with the best route in the state in which it was mined. */
import { runReferee } from '@sluice/api/referee'
import { userPath } from './lib/run.ts'

const { CHAINS_DIR, DEPLOYMENTS_DIR, ...environment } = process.env
process.exitCode = await runReferee({
  command: 'npm run -s referee --',
  args: process.argv.slice(2),
  environment: {
    ...environment,
    ...(CHAINS_DIR && { CHAINS_DIR: userPath(CHAINS_DIR) }),
    ...(DEPLOYMENTS_DIR && { DEPLOYMENTS_DIR: userPath(DEPLOYMENTS_DIR) }),
  },
})
