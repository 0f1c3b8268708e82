/**
 * `npm run verify-deployment -- <chainId> [--rpc <url>] [--deployments <dir>]`: compares the recorded addresses and
 * hashes with what this source tree compiles to, and with the chain's code where an endpoint is given.
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
  const checks = await verifyDeployment({
    chainId: Number(id),
    deploymentsDir: values.deployments ? userPath(values.deployments) : join(root, 'deployments'),
    ...(values.rpc ? { rpcUrl: values.rpc } : {}),
  })
  for (const { what, ok } of checks) console.log(`${ok ? 'same     ' : 'DIFFERENT'} ${what}`)
  if (checks.some(({ ok }) => !ok)) process.exit(1)
} catch (error) {
  if (!(error instanceof DeployError)) throw error
  console.error(`${error.code}: ${error.message}`)
  process.exit(1)
}
