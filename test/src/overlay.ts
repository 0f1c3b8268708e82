/** Chain files and deployment files of a test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChainFile, type Deployment, formatChainFile, writeDeployment } from '@sluice/chains'

/** Temporary folders for `CHAINS_DIR` and `DEPLOYMENTS_DIR`. */
export class Overlay {
  readonly dir = mkdtempSync(join(tmpdir(), 'sluice-overlay-'))
  readonly chainsDir = join(this.dir, 'chains')
  readonly deploymentsDir = join(this.dir, 'deployments')

  constructor() {
    mkdirSync(this.chainsDir)
    mkdirSync(this.deploymentsDir)
  }

  get env(): { readonly CHAINS_DIR: string; readonly DEPLOYMENTS_DIR: string } {
    return { CHAINS_DIR: this.chainsDir, DEPLOYMENTS_DIR: this.deploymentsDir }
  }

  addChain(file: ChainFile): void {
    writeFileSync(join(this.chainsDir, `${file.chainId}.json`), formatChainFile(file))
  }

  /** Records that `chainId` has the contracts of `deployment` at the same addresses. */
  addDeployment(chainId: number, deployment: Deployment): void {
    writeDeployment(this.deploymentsDir, { ...deployment, chainId })
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}
