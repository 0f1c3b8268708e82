/** Response schema of `/status`: the state of a transaction. */
import { z } from 'zod'
import { hexAddress, units } from '../responses.ts'

const hash = z.string().regex(/^0x[0-9a-f]{64}$/)

const swap = z.object({
  src: hexAddress.describe('Input token; NATIVE for the native token.'),
  dst: hexAddress.describe('Output token; NATIVE for the native token.'),
  fromAmount: units.describe('Maximum input of the order in base units.'),
  minToAmount: units.describe('Minimum output of the order in base units.'),
  deadline: z.int().describe('Last second at which the order can be executed, in Unix time.'),
  spent: units
    .nullable()
    .describe('Input that left the sender, according to the logs of the receipt; null unless `landed`.'),
  received: units
    .nullable()
    .describe(
      'Output that the recipient received, according to the logs of the receipt. Null unless `landed`, and if no log shows it: some tokens change balances without logs, and native output that was not unwrapped has no log.',
    ),
  quoted: units.optional().describe('`toAmount` of the request.'),
  difference: z
    .number()
    .nullable()
    .optional()
    .describe('Present if the request has `toAmount`: percent by which `received` exceeds it; negative if it is less.'),
})

export const statusResponse = z.object({
  hash,
  status: z
    .enum(['unknown', 'pending', 'landed', 'reverted'])
    .describe(
      '`unknown`: none of the nodes has the transaction: they have not received it yet, or have dropped it. `pending`: it is not mined yet. `landed`: it was mined and succeeded. `reverted`: it was mined and failed, so only gas was paid.',
    ),
  block: z.int().nullable().describe('Block in which the transaction was mined.'),
  blockHash: hash.nullable(),
  confirmations: z.int().nullable().describe('Number of blocks from `block` to the newest one, both included.'),
  from: hexAddress.nullable().describe('Sender.'),
  to: hexAddress.nullable().describe('Contract that was called.'),
  gasUsed: units.nullable().describe('Gas that the sender paid for, after refunds.'),
  gasCost: z
    .object({
      native: units.describe('Total cost in wei, including `l1Fee`.'),
      l1Fee: units
        .nullable()
        .describe(
          'On rollups: wei paid for publishing the transaction on the parent chain and to the operator; null if the receipt has none.',
        ),
    })
    .nullable()
    .describe('Null if the receipt has no gas price, or if the fee was paid in a token (Celo).'),
  swap: swap
    .nullable()
    .describe('The order, if the transaction calls the Guard Contract directly; null for all other transactions.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Reason of the revert. It is found by simulating the transaction on the state of the parent block, with the timestamp of its own block. Null unless `reverted`, if the node lacks that state, and if the simulation succeeds: then earlier transactions of the same block caused the revert.',
    ),
})
/** Response body of `/status`. */
export type StatusResponse = z.infer<typeof statusResponse>
