/**
 * Tests that logs which change a Curve pool have one of the topics of its family. The events are those of the sources
 * of curvefi/curve-contract, stableswap-ng, tricrypto-ng, and twocrypto-ng.
 */
import { id } from 'ethers'
import { expect, test } from 'vitest'
import { curveCrypto } from '../curve-crypto/index.ts'
import { curveStable } from './index.ts'

test.each([
  [
    curveStable,
    [
      'TokenExchange(address,int128,uint256,int128,uint256)',
      'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)',
      'AddLiquidity(address,uint256[3],uint256[3],uint256,uint256)',
      'AddLiquidity(address,uint256[],uint256[],uint256,uint256)',
      'RemoveLiquidityOne(address,int128,uint256,uint256,uint256)',
      'NewFee(uint256,uint256)',
      'NewFee(uint256,uint256,uint256)',
      'ApplyNewFee(uint256,uint256)',
      'RampA(uint256,uint256,uint256,uint256)',
    ],
  ],
  [
    curveCrypto,
    [
      'TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)',
      'RemoveLiquidityImbalance(address,uint256,uint256[2],uint256,uint256)',
      'ClaimAdminFee(address,uint256)',
      'ClaimAdminFee(address,uint256[2])',
      'ClaimAdminFee(address,uint256[3])',
    ],
  ],
])('$id', (family, events) => {
  expect(events.filter((event) => !family.topics.includes(id(event) as never))).toEqual([])
})
