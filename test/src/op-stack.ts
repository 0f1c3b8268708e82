/** Installs the contracts of an OP Stack chain that return its fee for data on layer 1 (L1). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from './wallet.ts'

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

const [L1_BASE_FEE, BLOB_BASE_FEE] = [20_000_000_000n, 3_000_000_000n]
const [BASE_FEE_SCALAR, BLOB_SCALAR] = [2_269n, 1_055_762n]
/** L1 fee in wei of a byte of a compressed transaction, by the formula of the Fjord upgrade. */
export const WEI_PER_BYTE = (16n * BASE_FEE_SCALAR * L1_BASE_FEE + BLOB_SCALAR * BLOB_BASE_FEE) / 1_000_000n

/**
 * Installs the published bytecode of GasPriceOracle and L1Block at their fixed addresses, with the scalars of Base and
 * high L1 fees.
 */
export async function putOpStackOracle(node: Node): Promise<void> {
  const fixture = join(import.meta.dirname, '../../packages/rpc/test/fixtures/op-stack.json')
  const { gasPriceOracle, l1Block } = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, string>
  const [oracle, block] = ['0x420000000000000000000000000000000000000F', '0x4200000000000000000000000000000000000015']
  await node.request('anvil_setCode', [oracle, gasPriceOracle])
  await node.request('anvil_setCode', [block, l1Block])
  // Storage slots of L1Block: base fee, packed scalars, and blob base fee.
  const slots = { 1: L1_BASE_FEE, 3: (BASE_FEE_SCALAR << 96n) | (BLOB_SCALAR << 64n), 7: BLOB_BASE_FEE }
  for (const [slot, value] of Object.entries(slots))
    await node.request('anvil_setStorageAt', [block, word(BigInt(slot)), word(value)])
  // Flags `isEcotone` and `isFjord` of GasPriceOracle.
  await node.request('anvil_setStorageAt', [oracle, word(0n), word(0x0101n)])
}
