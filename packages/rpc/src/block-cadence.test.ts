import { expect, test } from 'vitest'
import { BlockCadence } from './block-cadence.ts'

function habit() {
  const clock = { ms: 1_800_000_000_000 }
  const cadence = new BlockCadence(() => clock.ms)
  let number = 100
  /** Adds a block after some seconds, with a timestamp behind the local clock. */
  const block = (after: number, behind = 0) => {
    clock.ms += 1_000 * after
    cadence.recordHead({ number: number++, timestamp: Math.floor(clock.ms / 1_000) - behind })
  }
  return { clock, cadence, block }
}

test('the usual time between blocks is learned', () => {
  const { cadence, block } = habit()
  for (let count = 0; count < 10; count++) block(12)
  expect(cadence.clock).toMatchObject({ intervalMs: 12_000, behindSeconds: 0, state: 'moving' })
})

test('a chain without blocks for much longer than usual rests, and one that is looked at for the first time after an hour too', () => {
  const { clock, cadence, block } = habit()
  for (let count = 0; count < 10; count++) block(2)
  clock.ms += 3_600_000
  expect(cadence.clock.state).toBe('resting')
  block(0)
  expect(cadence.clock).toMatchObject({ state: 'moving', behindSeconds: 0 })

  const late = habit()
  late.block(0, 3_600)
  expect(late.cadence.clock).toMatchObject({ state: 'resting', behindSeconds: null })
})

test.each([3_600, -3_600])(
  'a node whose blocks come with a time %i seconds behind ours has its clock off',
  (behind) => {
    const { cadence, block } = habit()
    for (let count = 0; count < 5; count++) block(12, behind)
    expect(cadence.clock).toMatchObject({ intervalMs: 12_000, state: 'off' })
  },
)

test('a slow look at the chain now and then is no clock that is off', () => {
  const { cadence, block } = habit()
  for (let count = 0; count < 5; count++) block(12, count === 2 ? 1 : 300)
  expect(cadence.clock.state).not.toBe('off')
})
