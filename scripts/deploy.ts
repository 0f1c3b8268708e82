/** `npm run deploy -- --chain <id> [--rpc <url>] [--deployments <dir>] [--dry-run]`; the key comes from DEPLOYER_KEY. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DeployError, deployContracts } from '@sluice/contracts'
import { root, userPath } from './lib/run.ts'

const usage = 'npm run deploy -- --chain <id> [--rpc <url>] [--deployments <dir>] [--dry-run]'
const fail = (text: string): never => {
  console.error(text)
  process.exit(1)
}

const { values } = parseArgs({
  options: {
    chain: { type: 'string' },
    rpc: { type: 'string' },
    deployments: { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
})
if (!values.chain || !/^[1-9][0-9]*$/.test(values.chain)) fail(`--chain must be a chain id: ${usage}`)
const chainId = Number(values.chain)
const rpcUrl =
  values.rpc ?? process.env[`RPC_URL_${chainId}`] ?? fail(`--rpc or RPC_URL_${chainId} must name an endpoint`)
const privateKey = process.env.DEPLOYER_KEY
if (privateKey !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(privateKey))
  fail('DEPLOYER_KEY must be 0x and 64 hex digits')

try {
  const deployment = await deployContracts({
    rpcUrl,
    chainId,
    deploymentsDir: values.deployments ? userPath(values.deployments) : join(root, 'deployments'),
    ...(privateKey ? { privateKey: privateKey as `0x${string}` } : {}),
    dryRun: values['dry-run'] ?? false,
    onProgress: (text) => console.log(text),
  })
  console.log(JSON.stringify(deployment, null, 2))
} catch (error) {
  if (error instanceof DeployError) fail(`${error.code}: ${error.message}`)
  throw error
}
