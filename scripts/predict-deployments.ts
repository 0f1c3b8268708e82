/**
 * `npm run predict`: writes `deployments/<chainId>.json` for every chain of the registry on which this tree's contracts
 * can run: where they will stand. Records of what was seen on a chain are kept. `deployments/standard-json` gets what
 * explorers verify the code with, and the clear-signing file the Guard of each chain.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { predictDeployments, readDeployment, standardJson, standardJsonFile } from '@sluice/contracts'
import { getAddress } from 'ethers'
import { root } from './lib/run.ts'

const data = join(root, 'packages/chains/data')
const written = await predictDeployments({ chainsDir: data, deploymentsDir: join(root, 'deployments') })
console.log(`${written.written.length} written, ${written.skipped.length} skipped of ${readdirSync(data).length} files`)
for (const { chainId, reason } of written.skipped) console.log(`  ${chainId}: ${reason}`)

const verification = join(root, 'deployments/standard-json')
mkdirSync(verification, { recursive: true })
for (const build of ['cancun', 'london'] as const)
  for (const contract of ['Guard', 'Executor'] as const)
    writeFileSync(
      join(verification, standardJsonFile(contract, build)),
      `${JSON.stringify(standardJson(contract, build), null, 2)}\n`,
    )

const clearSigning = join(root, 'contracts/erc7730-guard.json')
const guards = written.written
  .toSorted((a, b) => a - b)
  .map((chainId) => {
    const { address } = readDeployment(join(root, 'deployments'), chainId)!.guard
    return `        { "chainId": ${chainId}, "address": "${getAddress(address)}" }`
  })
writeFileSync(
  clearSigning,
  readFileSync(clearSigning, 'utf8').replace(
    /"deployments": \[[^\]]*\]/,
    `"deployments": [\n${guards.join(',\n')}\n      ]`,
  ),
)
