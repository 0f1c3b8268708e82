/** Response schema of `/stats`. */
import { z } from 'zod'

const bps = (description: string) => z.number().nullable().describe(`${description}; null where nothing was paid.`)
const drift = z
  .array(
    z.object({
      after: z.int().min(1).max(2).describe('Blocks after that of the quote.'),
      samples: z.int().nonnegative().describe('Of the last ones, which the figures are of.'),
      wouldRevertPercent: z
        .number()
        .min(0)
        .max(100)
        .describe('Quotes whose transaction would have reverted within its own slippage.'),
      driftBps: z
        .object({
          mean: bps('Mean'),
          median: bps('Median'),
          worst5: bps('One in twenty is as bad as this, or worse'),
        })
        .describe('Basis points that were paid more than quoted, below 0 against the taker.'),
    }),
  )
  .length(2)
  .describe('One and two blocks later.')
export const stats = z.object({
  chainId: z.int(),
  samplePercent: z.number().describe("Percent of the node's calls that go into this; 0 where nothing is measured."),
  samples: z.int().nonnegative().describe('Since the service started.'),
  missed: z.int().nonnegative().describe('Those that came to nothing: the block was not seen, or the node failed.'),
  blocks: drift,
  families: z.array(z.object({ protocol: z.string(), blocks: drift })).describe('What their pools alone pay.'),
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
          .describe('Of its output, that routes are ranked without; 100 while it is left out.'),
        leftOutUntil: z.int().nullable().describe('Unix seconds; null where it takes part.'),
        samples: z.number().nonnegative().describe('Of one block later, older ones counted as less than one.'),
        withdrew: z.number().nonnegative().describe('Those that paid less than trades explain, counted alike.'),
      }),
    )
    .describe(
      'Pools that pay less a block later than their trades explain, again and again; those that lose most first.',
    ),
})
/** Response body of `/stats`. */
export type StatsResponse = z.infer<typeof stats>
