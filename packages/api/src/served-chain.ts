/** A chain that this process serves: its live state together with its admission control. */
import type { Chain, Deployment } from '@sluice/chains'
import { LiveChain, type LiveChainOptions } from '@sluice/quoting'
import { type AdmissionOptions, ChainAdmission } from './admission/admission.ts'

type Options = Omit<LiveChainOptions, 'isBusy'> & {
  /** Address of the Guard contract as responses spell it. */
  readonly routerAddress: string
  readonly admission: AdmissionOptions
}

export class ServedChain {
  readonly chain: Chain
  readonly deployment: Deployment
  readonly routerAddress: string
  readonly liveChain: LiveChain
  readonly admission: ChainAdmission

  /** @throws QuotingError `NO_EXECUTOR` */
  constructor({ routerAddress, admission, ...options }: Options) {
    this.chain = options.chain
    this.deployment = options.deployment
    this.routerAddress = routerAddress
    this.admission = new ChainAdmission(admission)
    this.liveChain = new LiveChain({ ...options, isBusy: () => this.admission.load.running > 0 })
  }
}
