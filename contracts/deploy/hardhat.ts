import { join } from 'node:path'
import type { Hex } from '@sluice/chains'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import config from '../hardhat.config.ts'

const root = join(import.meta.dirname, '..')

/** Hardhat with one network, `target`, behind the given endpoint; without a key the node's own accounts sign. */
export function hardhatFor(rpcUrl: string, privateKey?: Hex): Promise<HardhatRuntimeEnvironment> {
  const target = {
    type: 'http' as const,
    chainType: 'generic' as const,
    url: rpcUrl,
    accounts: privateKey ? [privateKey] : ('remote' as const),
  }
  return createHardhatRuntimeEnvironment({ ...config, networks: { target } }, {}, root)
}
