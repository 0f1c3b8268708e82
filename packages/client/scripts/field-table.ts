/**
 * Generates the field tables in README.md and in the audit dossier from `src/fields.ts`. A test checks that both files
 * are current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProgram, ops } from '@sluice/program'
import { golden } from '@sluice/program/testing'
import { fieldsOf, type Proof } from '../src/fields.ts'
import type { GuardOrder } from '../src/order.ts'

/**
 * Texts of the table for each kind of proof: `harm` is what a hostile value of the field can do, `proof` rules it out.
 */
const textsByProof: Readonly<Record<Proof, readonly [harm: string, proof: string]>> = {
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
function fieldTable(): string {
  const fields = golden.flatMap(({ bytes, pulledToken }) => decodeProgram(bytes, pulledToken).flatMap(fieldsOf))
  const lines = ops.flatMap(({ name, title }) => {
    const fieldsOfOp = new Map(fields.flatMap(({ op, field, proof }) => (op === name ? [[field, proof] as const] : [])))
    return [...fieldsOfOp].map(([field, proof]) => {
      const [harm, how] = textsByProof[proof]
      return `| \`${name}.${field}\` | ${title} | ${harm} | ${how} |`
    })
  })
  return ['| field | operation | can | proof |', '| --- | --- | --- | --- |', ...lines].join('\n')
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

const tables: Readonly<Record<string, () => string>> = { fields: fieldTable, order: orderTable }

/** Returns the text with current tables. Each is between `<!-- generated: <name> -->` and `<!-- /generated -->`. */
export function withTables(text: string): string {
  const block = /(?<=<!-- generated: (\w+) -->\n\n).*?(?=\n\n<!-- \/generated -->)/gs
  return text.replace(block, (_, name: string) => tables[name]!())
}

/** Files with generated tables. */
export const FILES = ['../README.md', '../../../docs/audit/sdk-fields.md'].map((path) =>
  join(import.meta.dirname, path),
)

if (import.meta.main) for (const file of FILES) writeFileSync(file, withTables(readFileSync(file, 'utf8')))
