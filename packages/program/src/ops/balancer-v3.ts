import { address } from './fields.ts'
import { defineOp, inSeries } from './op.ts'

/** Several pools of the vault in one unlock. A hop whose pool is one of its tokens goes through the buffer of that share. */
export const balancerV3 = defineOp(
  {
    name: 'balancer-v3',
    title: 'Balancer V3',
    mechanism: 'weighted',
    code: 0x09,
    fields: { vault: address },
    hops: { pool: address, tokenOut: address },
    singleton: 'vault',
    trustedIn: 'vaultsV3',
  },
  (step) =>
    inSeries(step, ({ pool, tokenOut }, sold) =>
      pool === tokenOut || pool === sold ? bufferId(step.vault, pool) : pool,
    ),
)

/** The buffer of a share as a pool: 32 bytes, since the share's own address is a vault where shares are made. */
const bufferId = (vault: `0x${string}`, share: `0x${string}`): `0x${string}` => `${share}${vault.slice(2, 26)}`
