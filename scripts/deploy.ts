/**
 * `npm run deploy -- --chain <id> [--rpc <url>] [--deployments <dir>] [--dry-run]`: brings Guard and Executor to a chain. The
 * key comes from the environment or Hardhat's keystore, never from a flag; without one the node's own first account pays.
 */
import { join } from 'node:path'
import { chainFacts, DeployError, deployContracts, deployerKey } from '@sluice/contracts'
import { commandLine, fail } from './lib/command-line.ts'
import { root, userPath } from './lib/run.ts'

const usage = `npm run deploy -- --chain <id> [--rpc <url>] [--deployments <dir>] [--dry-run]
  --rpc          else RPC_URL_<id>, else the first public endpoint of packages/chains/data/<id>.json
  --deployments  receives <id>.json; else deployments/
  --dry-run      tells what would be sent and what it would cost
The key is DEPLOYER_KEY of the environment, or of Hardhat's keystore: cd contracts; npx hardhat keystore set DEPLOYER_KEY`

const { values } = commandLine(usage, {
  options: {
    chain: { type: 'string' },
    rpc: { type: 'string' },
    deployments: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
})
const { chain, rpc, deployments, 'dry-run': dryRun } = values
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
