import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { l1FeeOfReceipt } from './receipt.ts'

const isthmus = { gasUsed: 1_500_000n, l1Fee: 7n, operatorFeeScalar: 3n, operatorFeeConstant: 11n }

test.each([
  ['no fee', { gasUsed: 5n }, null],
  ['null fields', { gasUsed: 5n, l1Fee: null, operatorFeeScalar: null, operatorFeeConstant: null }, null],
  ['data only', { gasUsed: 5n, l1Fee: 0n }, 0n],
  ['Isthmus', isthmus, 7n + 4n + 11n],
  ['Jovian', { ...isthmus, daFootprintGasScalar: 0n }, 7n + 450_000_000n + 11n],
  ['Mantle', { ...isthmus, tokenRatio: 3_000n }, 7n + 450_000_000n + 11n],
  ['a constant only', { gasUsed: 5n, operatorFeeConstant: 11n }, 11n],
])('the fees of a receipt with %s', (_, receipt, expected) => {
  expect(l1FeeOfReceipt(receipt)).toBe(expected)
})

const vectors = JSON.parse(readFileSync(new URL('../../test/fixtures/receipt-fees.json', import.meta.url), 'utf8')) as {
  readonly gasUsed: string
  readonly receipts: readonly {
    readonly name: string
    readonly receipt: Readonly<Record<string, string | null>>
    readonly feeWei: string | null
  }[]
}

test.each(vectors.receipts)('the fee that client and web compute too: $name', ({ receipt, feeWei }) => {
  const fields = Object.entries(receipt).map(([name, quantity]) => [name, quantity === null ? null : BigInt(quantity)])
  const fee = l1FeeOfReceipt({ gasUsed: BigInt(vectors.gasUsed), ...Object.fromEntries(fields) })
  expect(fee?.toString() ?? null).toBe(feeWei)
})
