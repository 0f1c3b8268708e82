/** Test fixture: decodes the reads of a batched eth_call, for nodes in memory. */
import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { STATIC_READ } from '../src/market/read-calls.ts'

const batch = ReadBatch__factory.createInterface()

/** Returns the reads of a batch. A read that is passed on by a static call has the address of its target. */
export function batchedReads(calldata: Hex): readonly { readonly to: Address; readonly data: Hex }[] {
  const [reads] = batch.decodeFunctionData('run', calldata) as unknown as [{ to: string; data: Hex }[]]
  return [...reads].map(({ to, data }) =>
    toAddress(to) === STATIC_READ.to
      ? { to: toAddress(`0x${data.slice(26, 66)}`), data: `0x${data.slice(66)}` }
      : { to: toAddress(to), data },
  )
}
