/** Generates FORMAT.md from the definitions that encoder and decoder use. */
import { amountBytes, DIRECTION, inputKinds, outputKinds, SHARE_DENOMINATOR } from './format.ts'
import type { OpField, OpFields } from './ops/fields.ts'
import { ops } from './ops/index.ts'
import type { Op } from './ops/op.ts'

const bitOf = (flag: number) => Math.log2(flag)

function sizeOf(field: OpField): string {
  switch (field.kind) {
    case 'address':
      return field.flag === undefined ? '20' : `20 if flag bit ${bitOf(field.flag)}`
    case 'bytes32':
      return '32'
    case 'uint':
      return field.exclusiveMax === undefined ? String(field.bytes) : `${field.bytes}, below ${field.exclusiveMax}`
    case 'choice':
      return `1 (${field.choices.map((word, index) => `${index} ${word}`).join(', ')})`
  }
}

const describeFields = (fields: OpFields): string[] =>
  Object.entries(fields).map(([name, field]) => `\`${name}\` ${sizeOf(field)}`)

function fieldsOf({ fields, hops, native }: Op): string {
  const fieldTexts = describeFields(fields)
  if (native === 'only') fieldTexts.push('no `tokenIn`')
  if (hops) fieldTexts.push('`hops` 1', `{${describeFields(hops).join('; ')}} × hops`)
  return fieldTexts.join('; ') || 'none'
}

function rowOf(op: Op): string {
  const cells = [
    `0x${op.code.toString(16).padStart(2, '0')}`,
    op.name,
    fieldsOf(op),
    op.direction ? `\`${op.direction.name}\`: ${op.direction.meaning}` : '',
    op.canBePrepaid ? 'yes' : '',
    op.native ?? '',
    (op.families ?? [op.name]).join(', '),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Returns the text of FORMAT.md. */
export function formatReference(): string {
  const kinds = inputKinds.map((kind, code) => `| ${code} | ${kind} | ${amountBytes[kind] || 'none'} |`)
  return `# The byte format of a program

Made by \`npm run docs\` from [src/ops](src/ops), which encoder and decoder read too.
[Program.sol](../../contracts/src/libraries/Program.sol) is its other half.

A program is steps back to back. All numbers are big-endian; sizes are in bytes.

| part | bytes | |
| --- | --- | --- |
| opcode | 1 | |
| flags | 1 | bits 0–2 input kind, bits 3–4 output kind (${outputKinds.map((kind, code) => `${code} ${kind}`).join(', ')}), bit ${bitOf(DIRECTION)} direction, bits 6–7 of the operation |
| amount | 0–16 | by input kind |
| \`tokenIn\` | 20 | absent if the step pulls: the Guard passes the sender's input to the Executor |
| fields | | by opcode |
| address | 20 | where the output kind is address |

| code | input kind | amount |
| --- | --- | --- |
${kinds.join('\n')}

A share of s is floor(held × s / ${SHARE_DENOMINATOR}), s from 1.

| opcode | operation | fields | direction bit | can be paid ahead | native input | families |
| --- | --- | --- | --- | --- | --- | --- |
${ops.map(rowOf).join('\n')}
`
}
