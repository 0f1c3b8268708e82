/** Tests endpoints of chains that the registry does not have, or that `CHAINS` leaves out. */
import { expect, test } from 'vitest'
import { startWithoutChain } from './src/service.ts'

const NODE = 'http://127.0.0.1:9'

test('the service does not start with an endpoint of an unknown chain', async () => {
  const start = startWithoutChain({ RPC_URL_10: NODE, RPC_URL_8543: NODE, RPC_URL_999999: NODE })
  await expect(start).rejects.toThrow(
    expect.objectContaining({
      name: 'ConfigError',
      message: `The environment is wrong:
  RPC_URL_8543: chain 8543 is not supported: correct the id, or add a file for the chain (CHAINS_DIR)
  RPC_URL_999999: chain 999999 is not supported: correct the id, or add a file for the chain (CHAINS_DIR)`,
    }),
  )
})

test('an endpoint of a chain that CHAINS leaves out is ignored', async () => {
  const server = await startWithoutChain({ CHAINS: '1', RPC_URL_10: NODE })
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  await server.close()
})
