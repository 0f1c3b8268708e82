/** Tests of the variable `CHAINS`. */
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'

test.each([
  ['1', [1]],
  ['1,10', [1, 10]],
  ['1 , 10,  8453', [1, 10, 8_453]],
  ['9007199254740991', [9_007_199_254_740_991]],
])('CHAINS=%s names chains', (text, chains) => {
  expect(loadConfig({ CHAINS: text }).chains).toEqual(chains)
})

test.each(['0', '01', '1,', ',1', '1,,2', '1;2', 'x1', '1x', '1,0', '-1', '1.5', 'ethereum', '1 2'])(
  'CHAINS=%s is refused',
  (text) => {
    expect(() => loadConfig({ CHAINS: text })).toThrow('CHAINS: must be chain ids')
  },
)
