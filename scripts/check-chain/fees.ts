/** Checks the L1 fee model of a chain. */
import { type L1FeeModel, toAddress } from '@sluice/chains'
import { estimateL1Fee } from '@sluice/rpc'
import { type Check, fail, missing, pass, unknown } from './finding.ts'

/** Transaction whose fee is estimated. */
const SAMPLE = {
  to: toAddress('0x00000000000000000000000000000000000000ff'),
  data: '0x',
  value: 0n,
  gas: 100_000n,
} as const

/**
 * L1 fee models in the order of preference if several oracles answer. Mantle comes first, because its oracle also
 * answers the calls of the OP Stack model. Metis is missing: its oracle answers like that of the OP Stack, at the same
 * address.
 */
const MODELS = ['mantle', 'op-stack', 'scroll', 'morph', 'arbitrum', 'linea'] as const satisfies readonly L1FeeModel[]

/** Checks that the oracle of the recorded fee model responds. Otherwise proposes the model whose oracle responds. */
export const checkFees: Check = async ({ chain, rpc, block }) => {
  const check = 'L1 fee model'
  const gasPriceWei = await rpc.gasPrice()
  const fees = await Promise.all(
    MODELS.map(async (model) => ({ model, fee: await estimateL1Fee(rpc, model, { ...SAMPLE, gasPriceWei }, block) })),
  )
  const answeringModels: L1FeeModel[] = fees.filter(({ fee }) => fee !== null).map(({ model }) => model)
  const recordedModel = chain.l1FeeModel
  const expectedModel = recordedModel === 'metis' ? 'op-stack' : recordedModel
  const firstAnswering = answeringModels[0]
  const fix = (model: L1FeeModel) => (file: { l1FeeModel: L1FeeModel }) => {
    file.l1FeeModel = model
  }
  if (recordedModel === 'zksync') return [unknown(check, 'zksync: not asked, such chains are not served')]
  if (answeringModels.includes(expectedModel) && !(firstAnswering === 'mantle' && expectedModel === 'op-stack'))
    return [pass(check, `${recordedModel}: ${fees.find(({ model }) => model === expectedModel)!.fee!.feeWei} wei`)]
  if (firstAnswering !== undefined)
    return recordedModel === 'unknown'
      ? [missing(check, `the oracle of ${firstAnswering} answers, none is recorded`, fix(firstAnswering))]
      : [fail(check, `recorded as ${recordedModel}, but the oracle of ${firstAnswering} answers`, fix(firstAnswering))]
  if (recordedModel === 'none') return [pass(check, 'none, and no oracle answers')]
  if (recordedModel === 'unknown') return [unknown(check, 'no oracle answers, so there may be no such fee')]
  return [fail(check, `recorded as ${recordedModel}, but its oracle does not answer`)]
}
