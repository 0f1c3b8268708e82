/** Response schema of `/stats`. */
import { z } from 'zod'

const bps = (description: string) => z.number().nullable().describe(`${description}; null if no simulation succeeded.`)
const drift = z
  .array(
    z.object({
      after: z.int().min(1).max(2).describe('Number of blocks after the block of the quote.'),
      samples: z.int().nonnegative().describe('Number of recent samples that the figures are computed from.'),
      wouldRevertPercent: z
        .number()
        .min(0)
        .max(100)
        .describe(
          'Percent of the quotes whose transaction would have reverted, because the output fell below its minimum.',
        ),
      driftBps: z
        .object({
          mean: bps('Mean'),
          median: bps('Median'),
          worst5: bps('5 % of the quotes drift this much or worse'),
        })
        .describe('Basis points by which the simulated output exceeds the quote; negative if the taker receives less.'),
    }),
  )
  .length(2)
  .describe('Figures for one and for two blocks after the quote.')
export const stats = z.object({
  chainId: z.int(),
  samplePercent: z
    .number()
    .describe('Setting: percent of the calls to the node that may be spent on samples; 0 if drift is not measured.'),
  samples: z.int().nonnegative().describe('Number of samples since the service started.'),
  missed: z
    .int()
    .nonnegative()
    .describe('Number of samples without a result: a block was not seen or was reorganized, or the node failed.'),
  blocks: drift,
  families: z
    .array(z.object({ protocol: z.string(), blocks: drift }))
    .describe('Drift of each DEX family: of the legs in its pools, not of whole routes.'),
  brands: z.array(z.object({ dex: z.string(), blocks: drift })),
  pools: z.array(z.object({ pool: z.string(), protocol: z.string(), dex: z.string(), blocks: drift })),
  withdrawing: z
    .array(
      z.object({
        pool: z.string(),
        protocol: z.string(),
        dex: z.string(),
        haircutPercent: z
          .number()
          .min(0)
          .max(100)
          .describe(
            "Percent that is deducted from the pool's output when routes are ranked; 100 while it is excluded.",
          ),
        leftOutUntil: z
          .int()
          .nullable()
          .describe('Time until which the pool is excluded, in Unix seconds; null if it is not excluded.'),
        samples: z
          .number()
          .nonnegative()
          .describe('Weighted number of samples one block after the quote. Older samples have less weight.'),
        withdrew: z
          .number()
          .nonnegative()
          .describe(
            'Weighted number of the samples in which the pool paid less than expected, even after the trades since the quote are taken into account.',
          ),
      }),
    )
    .describe(
      'Pools that repeatedly paid less than expected one block after the quote, even after the trades since the quote are taken into account. In descending order of `haircutPercent`.',
    ),
})
/** Response body of `/stats`. */
export type StatsResponse = z.infer<typeof stats>
