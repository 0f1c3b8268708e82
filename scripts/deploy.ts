/**
 * `npm run deploy`: deploys Guard and Executor to one or more chains. With --unsigned, prints the transactions for a
 * wallet or a Safe to sign. The private key comes from the environment or Hardhat's keystore, never from a flag.
 * Without a key, the node's first account pays.
 */
import { ChainsError, loadRegistry, makeDirectory } from '@sluice/chains'
import {
  DeployError,
  deployContracts,
  deployerKey,
  deployMany,
  resultTable,
  safeDeployment,
  type Target,
  unsignedDeployment,
} from '@sluice/contracts'
import { commandLine, fail } from './lib/command-line.ts'
import { chainsWithRpcUrl, rpcUrlOf } from './lib/rpc-url.ts'
import { deploymentsDirOf, userDirectories } from './lib/run.ts'

const usage = `npm run deploy -- --chain <id> [--rpc <url>] [--deployments <dir>] [--dry-run]
npm run deploy -- --all [--chains <id>,…] [--deployments <dir>] [--dry-run]
npm run -s deploy -- --chain <id> [--rpc <url>] --unsigned [--safe <address>]
  --rpc          else RPC_URL_<id>, else the first public endpoint of the chain's file (CHAINS_DIR, packages/chains/data)
  --deployments  receives <id>.json; else DEPLOYMENTS_DIR, else deployments/
  --dry-run      prints what would be sent and what it would cost
  --all          every chain with a variable RPC_URL_<id>, or those of --chains; estimates all of them before it sends anything
  --unsigned     prints the transactions as JSON and needs no key; with --safe as a batch for the Safe's Transaction Builder
The key is DEPLOYER_KEY of the environment, or of Hardhat's keystore: cd contracts; npx hardhat keystore set DEPLOYER_KEY`

const { values } = commandLine(usage, {
  options: {
    chain: { type: 'string' },
    rpc: { type: 'string' },
    deployments: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    chains: { type: 'string' },
    unsigned: { type: 'boolean', default: false },
    safe: { type: 'string' },
  },
})
const { chain, rpc, deployments, 'dry-run': dryRun, all, chains, unsigned, safe } = values
const deploymentsDir = deploymentsDirOf(deployments)
const printToStdout = (text: string) => console.log(text)

/** Prints to standard error, because standard output may contain JSON. */
const printToStderr = (text: string) => console.error(text)

if (all || chains !== undefined) {
  if (chain || rpc || unsigned || safe) fail(`--all takes neither --chain, --rpc, --unsigned, nor --safe\n${usage}`)
} else if (safe && !unsigned) fail(`--safe goes with --unsigned\n${usage}`)
if (!dryRun && !unsigned) assertWritable(deploymentsDir)

try {
  if (all || chains !== undefined) await deployToAll(targetsOf(chains))
  else await deployToOne(targetOf(idOf(chain ?? '', '--chain'), rpc))
} catch (error) {
  if (error instanceof DeployError || error instanceof ChainsError) fail(`${error.code}: ${error.message}`)
  throw error
}

/** Ends the process, before any transaction is sent, if the directory of deployment records cannot be created. */
function assertWritable(dir: string): void {
  try {
    makeDirectory(dir)
  } catch (error) {
    fail(`--deployments: ${(error as Error).message}`)
  }
}

async function deployToOne(target: Target): Promise<void> {
  if (unsigned && safe !== undefined) {
    const batch = await safeDeployment({ ...target, safe, onProgress: printToStderr })
    return batch ? printToStdout(JSON.stringify(batch, null, 2)) : printToStderr('nothing is left to sign')
  }
  if (unsigned) {
    const transactions = await unsignedDeployment({ ...target, onProgress: printToStderr })
    printToStderr(transactions.length > 0 ? 'in this order, each mined before the next' : 'nothing is left to sign')
    return printToStdout(JSON.stringify(transactions, null, 2))
  }
  const privateKey = dryRun ? undefined : await deployerKey()
  const deployment = await deployContracts({
    ...target,
    deploymentsDir,
    ...(privateKey && { privateKey }),
    dryRun,
    onProgress: printToStdout,
  })
  if (!dryRun) printToStdout(JSON.stringify(deployment, null, 2))
}

async function deployToAll(targets: readonly Target[]): Promise<void> {
  const privateKey = dryRun ? undefined : await deployerKey()
  const results = await deployMany({
    targets,
    deploymentsDir,
    ...(privateKey && { privateKey }),
    dryRun,
    onProgress: printToStdout,
  })
  if (!dryRun) printToStdout(`\n${resultTable(results)}`)
  const failedCount = results.filter(({ status }) => status === 'failed').length
  if (failedCount > 0) fail(`${failedCount} of ${results.length} chains failed; run it again to resume`)
}

/** Returns the chains of a list, or all chains with an endpoint in the environment. */
function targetsOf(list: string | undefined): Target[] {
  const ids = list?.split(',').map((id) => idOf(id.trim(), '--chains')) ?? chainsWithRpcUrl()
  if (ids.length === 0) fail(`no variable RPC_URL_<id> is set: name the chains with --chains\n${usage}`)
  return [...new Set(ids)].map((chainId) => targetOf(chainId))
}

function idOf(text: string, option: string): number {
  return /^[1-9][0-9]*$/.test(text) ? Number(text) : fail(`${option} must be a chain id\n${usage}`)
}

function targetOf(chainId: number, url?: string): Target {
  const rpcUrl =
    url ??
    rpcUrlOf(chainId) ??
    loadRegistry({ chainsDir: userDirectories().CHAINS_DIR }).chain(chainId)?.rpcUrls[0] ??
    fail(`no file of chain ${chainId} names an endpoint: --rpc or RPC_URL_${chainId} must`)
  return { chainId, rpcUrl }
}
