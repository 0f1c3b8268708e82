/** Traps that a stranger sets for other people's routes: what they cost those who step on them, and those who do not. */
import { startSystem } from '../test/src/service.ts'
import { traps } from '../test/src/traps/traps.ts'
import { tryTrap, type Verdict } from '../test/src/traps/trial.ts'
import { record, rounded } from './record.ts'

const verdicts: Verdict[] = []
for (const trap of traps) {
  const system = await startSystem()
  try {
    verdicts.push(await tryTrap(system, trap))
    console.log(verdicts.at(-1))
  } finally {
    await system.stop()
  }
}

const whole = (value: number | null) => (value === null ? 'reverts' : rounded(value, 2))
record('strangers', {
  trade: '4,000 LINK for UNI on the local chain',
  worstGainBps: Math.min(...verdicts.map(({ gainBps }) => gainBps ?? Number.NEGATIVE_INFINITY)),
  traps: verdicts.map(({ trap, baitedPercent, baitedQuoteBps, baitedLossBps, stepsOnIt, gainBps }) => ({
    trap,
    any: {
      intoTheBaitPercent: baitedPercent,
      quoteOverHonestBps: whole(baitedQuoteBps),
      lossBps: whole(baitedLossBps),
    },
    default: { stepsOnIt, besideHonestBps: whole(gainBps) },
  })),
})
