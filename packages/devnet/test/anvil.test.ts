/** Tests of how anvil starts and fails. */
import { expect, it } from 'vitest'
import { startAnvil } from '../src/index.ts'
import { request } from '../src/node.ts'

it('nodes started at the same time have different ports and the requested chain ids', async () => {
  const nodes = await Promise.all([1, 2, 3, 4].map((chainId) => startAnvil({ chainId })))
  try {
    expect(new Set(nodes.map(({ port }) => port)).size).toBe(4)
    const ids = await Promise.all(nodes.map(({ url }) => request(url, 'eth_chainId', [])))
    expect(ids).toEqual(['0x1', '0x2', '0x3', '0x4'])
  } finally {
    await Promise.all(nodes.map(({ stop }) => stop()))
  }
})

it('a used port is an error, instead of connecting to the node that uses it', async () => {
  const first = await startAnvil()
  try {
    await expect(startAnvil({ port: first.port })).rejects.toThrow(/in use/)
  } finally {
    await first.stop()
  }
})

it('a stopped node does not answer any more', async () => {
  const { url, stop } = await startAnvil()
  await stop()
  await expect(request(url, 'eth_chainId', [])).rejects.toThrow()
})
