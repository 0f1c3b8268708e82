/**
 * `npm run verify-deployment -- <chainId> [--rpc <url>] [--deployments <dir>]`: holds the recorded addresses and hashes of
 * the Guard and of every Executor against their sources, and against the chain's code where an endpoint is given.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DeployError, verifyDeployment } from '@sluice/contracts'
import { root, userPath } from './lib/run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rpc: { type: 'string' }, deployments: { type: 'string' } },
})
const [id] = positionals
if (!id || !/^[1-9][0-9]*$/.test(id)) {
  console.error('npm run verify-deployment -- <chainId> [--rpc <url>] [--deployments <dir>]')
  process.exit(1)
}
try {
  const rpcUrl = values.rpc ?? process.env[`RPC_URL_${id}`]
  const { checks, notes } = await verifyDeployment({
    chainId: Number(id),
    deploymentsDir: values.deployments ? userPath(values.deployments) : join(root, 'deployments'),
    ...(rpcUrl ? { rpcUrl } : {}),
  })
  for (const { what, ok } of checks) console.log(`${ok ? 'same     ' : 'DIFFERENT'} ${what}`)
  for (const note of notes) console.log(`note      ${note}`)
  if (checks.some(({ ok }) => !ok)) process.exit(1)
} catch (error) {
  if (!(error instanceof DeployError)) throw error
  console.error(`${error.code}: ${error.message}`)
  process.exit(1)
}
