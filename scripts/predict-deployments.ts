/**
 * `npm run predict`: writes `deployments/releases.json` with the addresses that the contracts of this tree get on every
 * chain, by build. Also writes the input for verification on explorers to `deployments/standard-json`, and the Guard's
 * address on each chain to the clear-signing file (ERC-7730).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'
import { predictReleases, standardJson, standardJsonFile } from '@sluice/contracts'
import { getAddress } from 'ethers'
import { root } from './lib/run.ts'

await predictReleases(join(root, 'deployments'))

const verification = join(root, 'deployments/standard-json')
mkdirSync(verification, { recursive: true })
for (const build of ['cancun', 'london'] as const)
  for (const contract of ['Guard', 'Executor'] as const)
    writeFileSync(
      join(verification, standardJsonFile(contract, build)),
      `${JSON.stringify(standardJson(contract, build), null, 2)}\n`,
    )

const clearSigning = join(root, 'contracts/erc7730-guard.json')
const guards = Object.values(loadRegistry().chainMap()).map(
  ({ ChainID, RouterAddress }) => `        { "chainId": ${ChainID}, "address": "${getAddress(RouterAddress)}" }`,
)
writeFileSync(
  clearSigning,
  readFileSync(clearSigning, 'utf8').replace(
    /"deployments": \[[^\]]*\]/,
    `"deployments": [\n${guards.join(',\n')}\n      ]`,
  ),
)
