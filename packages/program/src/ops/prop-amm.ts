import { address } from './fields.ts'
import { betweenTwo, defineOp } from './op.ts'

/** A venue of proprietary market makers behind their common interface. */
export const propAmm = defineOp(
  {
    name: 'prop-amm',
    title: 'Proprietary market makers',
    mechanism: 'pmm',
    code: 0x1e,
    fields: { pool: address, tokenOut: address },
  },
  betweenTwo,
)
