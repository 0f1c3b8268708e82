/** Deploys Guard and Executor to several chains (`npm run deploy -- --all`, `--chains`). */
import type { Deployment, Hex } from '@sluice/chains'
import { formatEther } from 'viem'
import { deployWithOutcome } from './deploy.ts'
import { DeployError } from './errors.ts'
import { chainFacts } from './networks.ts'

export type Target = { readonly chainId: number; readonly rpcUrl: string }

export type DeployManyOptions = {
  readonly targets: readonly Target[]
  readonly deploymentsDir: string
  readonly privateKey?: Hex
  readonly dryRun?: boolean
  readonly timeoutMs?: number
  readonly onProgress?: (text: string) => void
}

/** Result of the deployment to one chain. */
export type ChainResult = Target & {
  /** `stood`: all contracts existed before. `estimated`: a dry run found missing contracts. */
  readonly status: 'deployed' | 'stood' | 'estimated' | 'failed'
  /** Absent if the deployment failed. */
  readonly deployment?: Deployment
  /** Upper estimate of the cost in wei, from before the first transaction. */
  readonly estimateWei?: bigint
  readonly error?: DeployError
}

/**
 * Deploys to chains one after another. Estimates the costs on all chains before it sends the first transaction.
 * Continues with the next chain if one fails. Existing contracts are verified and not created, so a second call resumes
 * a failed one.
 *
 * @throws errors other than DeployError: these are not failures of a chain
 */
export async function deployMany(options: DeployManyOptions): Promise<ChainResult[]> {
  const { targets, dryRun = false, onProgress = () => {} } = options
  const estimates: ChainResult[] = []
  for (const target of targets) estimates.push(await deployTo(target, options, true))
  onProgress(`estimated cost\n${resultTable(estimates)}`)
  if (dryRun) return estimates
  const results: ChainResult[] = []
  for (const estimate of estimates) {
    const { chainId, rpcUrl, estimateWei } = estimate
    if (estimate.status === 'failed') results.push(estimate)
    else
      results.push({
        ...(await deployTo({ chainId, rpcUrl }, options, false)),
        ...(estimateWei !== undefined && { estimateWei }),
      })
  }
  return results
}

async function deployTo(
  target: Target,
  { deploymentsDir, privateKey, timeoutMs, onProgress = () => {} }: DeployManyOptions,
  dryRun: boolean,
): Promise<ChainResult> {
  const { chainId } = target
  try {
    const { deployment, missingContracts, estimateWei } = await deployWithOutcome({
      ...target,
      deploymentsDir,
      dryRun,
      ...(privateKey && { privateKey }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      onProgress: (text) => onProgress(`[${chainId}] ${text}`),
    })
    const status = missingContracts.length === 0 ? 'stood' : dryRun ? 'estimated' : 'deployed'
    return { ...target, status, deployment, estimateWei }
  } catch (error) {
    if (!(error instanceof DeployError)) throw error
    onProgress(`[${chainId}] failed: ${error.code}: ${error.message}`)
    return { ...target, status: 'failed', error }
  }
}

/** Formats results as a table for a terminal. Omits endpoints, because they may contain API keys. */
export function resultTable(results: readonly ChainResult[]): string {
  const rows = results.map(({ chainId, status, deployment, estimateWei, error }) => [
    String(chainId),
    chainFacts(chainId)?.name ?? '',
    status,
    deployment?.guard.build ?? '',
    deployment?.guard.address ?? '',
    deployment?.executors.at(-1)?.address ?? '',
    String(deployment?.guard.block ?? ''),
    estimateWei === undefined ? '' : formatEther(estimateWei),
    error ? `${error.code}: ${error.message}` : '',
  ])
  const table = [['chain', 'name', 'result', 'build', 'Guard', 'Executor', 'block', 'cost up to', 'failure'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
