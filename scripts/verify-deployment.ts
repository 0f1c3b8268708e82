/**
 * `npm run verify-deployment -- <chainId> [--rpc <url>] [--deployments <dir>]`: compares the recorded addresses and
 * code hashes of the Guard and of every Executor with their sources. With an endpoint, also compares them with the code
 * on the chain.
 */
import { DeployError, verifyDeployment } from '@sluice/contracts'
import { commandLine, fail } from './lib/command-line.ts'
import { rpcUrlOf } from './lib/rpc-url.ts'
import { deploymentsDirOf } from './lib/run.ts'

const usage = `npm run verify-deployment -- <chainId> [--rpc <url>] [--deployments <dir>]
  --rpc          else RPC_URL_<id>; without an endpoint, no chain is read
  --deployments  has <id>.json; else DEPLOYMENTS_DIR, else deployments/`
const { values, positionals } = commandLine(usage, {
  allowPositionals: true,
  options: { rpc: { type: 'string' }, deployments: { type: 'string' } },
})
const [id] = positionals
if (!id || !/^[1-9][0-9]*$/.test(id)) fail(usage)
try {
  const rpcUrl = values.rpc ?? rpcUrlOf(Number(id))
  const { checks, notes } = await verifyDeployment({
    chainId: Number(id),
    deploymentsDir: deploymentsDirOf(values.deployments),
    ...(rpcUrl ? { rpcUrl } : {}),
  })
  for (const { what, ok } of checks) console.log(`${ok ? 'same     ' : 'DIFFERENT'} ${what}`)
  for (const note of notes) console.log(`note      ${note}`)
  if (checks.some(({ ok }) => !ok)) process.exit(1)
} catch (error) {
  if (!(error instanceof DeployError)) throw error
  fail(`${error.code}: ${error.message}`)
}
