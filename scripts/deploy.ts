/**
 * `npm run deploy -- --chain <id> [--rpc <url>] [--deployments <dir>] [--dry-run]`: brings Guard and Executor to a chain. The
 * key comes from the environment or Hardhat's keystore, never from a flag; without one the node's own first account pays.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chainFacts, DeployError, deployContracts, deployerKey } from '@sluice/contracts'
import { root, userPath } from './lib/run.ts'

const usage = `npm run deploy -- --chain <id> [--rpc <url>] [--deployments <dir>] [--dry-run]
  --rpc          else RPC_URL_<id>, else the first public endpoint of packages/chains/data/<id>.json
  --deployments  receives <id>.json; else deployments/
  --dry-run      tells what would be sent and what it would cost
The key is DEPLOYER_KEY of the environment, or of Hardhat's keystore: cd contracts; npx hardhat keystore set DEPLOYER_KEY`
const fail = (text: string): never => {
  console.error(text)
  process.exit(1)
}

function options() {
  try {
    return parseArgs({
      options: {
        chain: { type: 'string' },
        rpc: { type: 'string' },
        deployments: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`)
  }
}

const { chain, rpc, deployments, 'dry-run': dryRun } = options()
if (!chain || !/^[1-9][0-9]*$/.test(chain)) fail(`--chain must be a chain id\n${usage}`)
const chainId = Number(chain)
const rpcUrl =
  rpc ??
  process.env[`RPC_URL_${chainId}`] ??
  chainFacts(chainId)?.rpcUrls[0] ??
  fail(`chain ${chainId} is not in the registry: --rpc or RPC_URL_${chainId} must name an endpoint`)

try {
  const key = dryRun ? undefined : await deployerKey()
  const deployment = await deployContracts({
    rpcUrl,
    chainId,
    deploymentsDir: deployments ? userPath(deployments) : join(root, 'deployments'),
    ...(key ? { privateKey: key } : {}),
    dryRun,
    onProgress: (text) => console.log(text),
  })
  if (!dryRun) console.log(JSON.stringify(deployment, null, 2))
} catch (error) {
  if (error instanceof DeployError) fail(`${error.code}: ${error.message}`)
  throw error
}
