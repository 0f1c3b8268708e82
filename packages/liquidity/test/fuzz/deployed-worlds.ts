/** Families whose deployed code files hold that environment variables name, each with the worlds of pools that are made of it. */
import { startAmbient } from './ambient.ts'
import type { DeployedCode } from './deployed.ts'
import { startEchodex } from './echodex.ts'
import { startFluidDex } from './fluid-dex.ts'
import { startIziswap } from './iziswap.ts'
import { startKyberClassic } from './kyber-classic.ts'
import { startKyberElastic } from './kyber-elastic.ts'
import { startLitePsm } from './lite-psm.ts'
import { startSyncswap } from './syncswap.ts'
import type { PoolWorld } from './world.ts'

export type DeployedFamily = {
  readonly family: string
  /** Chain that the code comes from. */
  readonly from: string
  /** Pools drawn at random, the same at every run with a seed. @throws Error for accounts that are not those of the family */
  readonly start: (deployment: DeployedCode, seed: number) => Promise<PoolWorld>
}

export const DEPLOYED_FAMILIES: readonly DeployedFamily[] = [
  { family: 'ambient', from: 'Scroll', start: startAmbient },
  { family: 'echodex', from: 'Linea', start: startEchodex },
  { family: 'fluid-dex', from: 'Ethereum', start: startFluidDex },
  { family: 'iziswap', from: 'Linea', start: startIziswap },
  { family: 'kyber-classic', from: 'Ethereum', start: startKyberClassic },
  { family: 'kyber-elastic', from: 'Linea', start: startKyberElastic },
  { family: 'lite-psm', from: 'Ethereum', start: startLitePsm },
  { family: 'syncswap', from: 'Linea', start: startSyncswap },
]
