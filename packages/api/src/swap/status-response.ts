/** Response schema of `/status`: the outcome of a transaction. */
import { z } from 'zod'
import { hexAddress, units } from '../responses.ts'

const hash = z.string().regex(/^0x[0-9a-f]{64}$/)

const swap = z.object({
  src: hexAddress.describe('Input token; NATIVE for the native token.'),
  dst: hexAddress.describe('Output token; NATIVE for the native token.'),
  fromAmount: units.describe('Input of the order in base units: at most this leaves the sender.'),
  minToAmount: units.describe('Least output that the order accepts.'),
  deadline: z.int().describe('Last second at which the order may run, Unix time.'),
  spent: units.nullable().describe('Input that left the sender, by the logs of the receipt; null unless `landed`.'),
  received: units
    .nullable()
    .describe(
      'Output that reached the sender, by the logs of the receipt; null unless `landed`, and if no log reports it: a token that changes balances without logs, or native output without a wrapper.',
    ),
  quoted: units.optional().describe('`toAmount` of the request.'),
  difference: z
    .number()
    .nullable()
    .optional()
    .describe('With `toAmount`: percent by which `received` is above it; below zero for less.'),
})

export const statusResponse = z.object({
  hash,
  status: z
    .enum(['unknown', 'pending', 'landed', 'reverted'])
    .describe(
      '`unknown`: no node behind the chain has the transaction, yet or any more. `pending`: it waits to be mined. `landed`: it succeeded. `reverted`: it was mined and failed; only gas was paid.',
    ),
  block: z.int().nullable().describe('Block in which it was mined.'),
  blockHash: hash.nullable(),
  confirmations: z.int().nullable().describe('Blocks from that block to the newest one, both counted.'),
  from: hexAddress.nullable().describe('Sender.'),
  to: hexAddress.nullable().describe('Contract that was called.'),
  gasUsed: units.nullable().describe('Gas that the sender was charged, after refunds.'),
  gasCost: z
    .object({
      native: units.describe('Wei, `l1Fee` included.'),
      l1Fee: units.nullable().describe('Wei for publishing on the chain below; null if the receipt has none.'),
    })
    .nullable(),
  swap: swap
    .nullable()
    .describe('The order, if the transaction calls the Guard Contract itself; null for any other transaction.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why it reverted: the transaction run again after its parent block, at the time of its own. Null unless `reverted`, if the node lacks that state, and if it does not fail there: then earlier transactions of its block made it fail.',
    ),
})
/** Response body of `/status`. */
export type StatusResponse = z.infer<typeof statusResponse>
