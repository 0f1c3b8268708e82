import { expect, test } from 'vitest'
import { chainsWithRpcUrl, rpcUrlOf } from './rpc-url.ts'

const env = {
  RPC_URL_10: 'https://a/key, https://b',
  RPC_URL_9: ' https://c ',
  RPC_URL_8: '',
  RPC_URL_one: 'https://d',
}

test('the endpoint of a chain is the first one of its variable', () => {
  expect([10, 9, 8, 7].map((id) => rpcUrlOf(id, env))).toEqual(['https://a/key', 'https://c', undefined, undefined])
})

test('an empty variable does not select a chain', () => {
  expect(chainsWithRpcUrl(env)).toEqual([9, 10])
})
