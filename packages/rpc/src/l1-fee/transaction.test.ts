import { toAddress } from '@sluice/chains'
import { Transaction } from 'ethers'
import { expect, test } from 'vitest'
import { type FeeTransaction, serialize } from './transaction.ts'

const transaction: FeeTransaction = {
  ...{ to: toAddress(`0x${'1'.repeat(40)}`), data: '0x1234', value: 7n, gas: 210_000n, gasPriceWei: 5_000n },
}
const common = { to: transaction.to, data: '0x1234', value: 7n, gasLimit: 210_000n, nonce: 0x1fffff }

test('an unsigned transaction is of EIP-1559, with the gas price as both fees', () => {
  const text = serialize(transaction, 10, 'unsigned')
  const read = Transaction.from(text)
  expect(text.slice(0, 4)).toBe('0x02')
  expect(read).toMatchObject({ ...common, type: 2, chainId: 10n, maxFeePerGas: 5_000n, maxPriorityFeePerGas: 5_000n })
  expect(read.signature).toBeNull()
})

test('a signed transaction is the same with a signature of 67 bytes', () => {
  const read = Transaction.from(serialize(transaction, 10, 'signed'))
  expect(read).toMatchObject({ ...common, type: 2, chainId: 10n })
  expect(read.signature).not.toBeNull()
  // Long enough that the length of the whole takes as many bytes in both forms.
  const long: FeeTransaction = { ...transaction, data: `0x${'ab'.repeat(300)}` }
  const [signed, unsigned] = (['signed', 'unsigned'] as const).map((form) => serialize(long, 10, form).length / 2)
  expect(signed! - unsigned!).toBe(67)
})

test('a legacy transaction has one gas price and no chain', () => {
  const text = serialize(transaction, 1_088, 'legacy')
  const read = Transaction.from(text)
  expect(read).toMatchObject({ ...common, type: 0, chainId: 0n, gasPrice: 5_000n })
  expect(read.signature).toBeNull()
  expect(serialize(transaction, 5, 'legacy')).toBe(text)
})
