/** Generates the field tables in README.md and in the audit dossier from `src/fields.ts`; a test compares both. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProgram, ops } from '@sluice/program'
import { golden } from '@sluice/program/testing'
import { fieldsOf, type Proof } from '../src/fields.ts'
import type { GuardOrder } from '../src/order.ts'

const README = join(import.meta.dirname, '../README.md')
export const DOSSIER = join(import.meta.dirname, '../../../docs/audit/sdk-fields.md')
const BEGIN = '<!-- fields: made by scripts/field-table.ts -->'
const END = '<!-- /fields -->'

/** Texts of the table for each kind of proof: harm that a hostile value of the field can do, and the proof against it. */
const rows: Readonly<Record<Proof, readonly [harm: string, proof: string]>> = {
  factory: [
    'runs code that keeps the output above the minimum',
    'the address is the CREATE2 address of a known factory, for this operation and the tokens of the leg',
  ],
  registry: ['receives the input', "the address is in the chain's list for this operation"],
  wrapper: ['receives the input', "the address is the chain's wrapper of the native token"],
  request: ['runs code that sets the rate', 'the token is `src` or `dst` of the request'],
  'no-code': ['runs code before and after the trade', 'it is zero, so only code of the singleton runs'],
  flow: ['sends tokens to a wrong place', 'it matches the tokens and legs of the whole route'],
  'pool-key': [
    'selects a pool whose creator chose the price',
    "part of the pool's id, which the route names; the minimum output bounds the price",
  ],
  fee: [
    'requests less than the pair would pay',
    "equal to the factory's fee; at most 1 % for a pair that the caller accepts",
  ],
  'with-pool': ['calls another function or coin of the pool', 'accepted with the pool; the minimum output bounds it'],
  unproven: [
    'receives the input, or sets the price',
    '**none**: `UNSAFE` unless the caller accepts the field, its address, or its pool id',
  ],
}

/** Builds the table of all fields in the golden programs, in the order of the operation codes. */
export function fieldTable(): string {
  const fields = golden.flatMap(({ bytes, pulledToken }) => decodeProgram(bytes, pulledToken).flatMap(fieldsOf))
  const lines = ops.flatMap(({ name, title }) => {
    const fieldsOfOp = new Map(fields.flatMap(({ op, field, proof }) => (op === name ? [[field, proof] as const] : [])))
    return [...fieldsOfOp].map(([field, proof]) => {
      const [harm, how] = rows[proof]
      return `| \`${name}.${field}\` | ${title} | ${harm} | ${how} |`
    })
  })
  return ['| field | operation | can | proof |', '| --- | --- | --- | --- |', ...lines].join('\n')
}

/** Returns the README with the current table. */
export function readmeWithTable(): string {
  const [before, rest] = readFileSync(README, 'utf8').split(BEGIN) as [string, string]
  const [, after] = rest.split(END) as [string, string]
  return `${before}${BEGIN}\n\n${fieldTable()}\n\n${END}${after}`
}

/**
 * Harm and proof for every field of an order in the calldata. `verify` proves all of them.
 *
 * @see `test/hostile.test.ts`, which changes each field in a genuine response
 */
export const orderRows: Readonly<Record<keyof GuardOrder, readonly [harm: string, proof: string]>> = {
  tokenIn: ['spends another token that the sender approved', 'equal to `src` of the request'],
  amountIn: ['spends more', 'equal to `amount`; for an exact output at most `maxFromAmount`, if the caller sets it'],
  tokenOut: ['pays in a worthless token', 'equal to `dst` of the request'],
  minOutput: [
    'lets others keep the rest of the output',
    'the expected output less slippage, or `amountOut`; at least `minToAmount`, if the caller sets it',
  ],
  deadline: [
    'keeps the transaction valid for a worse time',
    'equal to `deadline` of the request, or at most 25 minutes ahead',
  ],
  executor: ['draws the input and keeps the output above the minimum', 'it is in the list of known Executors'],
  wrapper: [
    'makes the swap revert, or takes native output to unwrap',
    "the address is the chain's wrapper of the native token",
  ],
  feePpm: ['keeps a part of the output', 'equal to `convenienceFee` of the request'],
  feeRecipient: ['takes the fee that the caller agreed to', 'equal to `convenienceFeeRecipient` of the request'],
  recipient: ['takes the output', 'equal to `recipient` of the request, or the sender'],
  direct: ["counts the recipient's other income as output", 'false, unless the caller allows `direct`'],
  program: [
    'see the fields of the steps below',
    'decoded completely, and only from its exact encoding; takes all of the input and leaves no remainder',
  ],
  permit: [
    'draws by a signature for another purpose',
    'equal to `permit` of the terms in every field; absent if the terms have none',
  ],
}

function orderTable(): string {
  const rows = Object.entries(orderRows).map(([field, [harm, proof]]) => `| \`${field}\` | ${harm} | ${proof} |`)
  return ['| field | can | proof |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Builds the page of the audit dossier. */
export function dossierPage(): string {
  return `# Fields of a program, and how the SDK proves them

Generated by \`packages/client/scripts/field-table.ts\` from \`packages/client/src/fields.ts\`, which \`verify\`, \`explain\`, and \`excludePools\` use.
The Guard's check of the minimum output bounds every harm below. A proof bounds how much of the output above it a hostile service can take.

## Threat model

The service is hostile: it chooses every byte of the response. Trusted are the request and the terms of the caller, the wallet, the wallet's own node
for simulations, and the list of known contracts in this package ([release.md](release.md)). The call is proven before its fields: \`to\` is a
known Guard, \`from\` is the sender, \`value\` is the input if that is native and zero otherwise, and encoding the decoded calldata again must give
the same bytes. \`calls\` contains at most a reset and an exact approval, then the transaction.

## Fields of the order

\`hostile.test.ts\` changes each of them in a genuine response.

${orderTable()}

## Fields of the steps

\`proof.test.ts\` checks that the table contains every field that the bytes of a step can have.

${fieldTable()}
`
}

if (import.meta.main) {
  writeFileSync(README, readmeWithTable())
  writeFileSync(DOSSIER, dossierPage())
}
