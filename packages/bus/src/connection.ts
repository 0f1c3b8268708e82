/** The least of a client, and the one file that names it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, ErrorReply, RESP_TYPES } from '@redis/client'
import { onAbort } from '@sluice/rpc'
import { BusError } from './errors.ts'

/** Milliseconds after which an answer that has not come tells that the connection is dead; longer than any read waits by itself. */
const REPLY_MS = 2_500
const FULL = 'Redis is full: it refuses writes at its maxmemory'
const BYTES = { [RESP_TYPES.BLOB_STRING]: Buffer } as const
type TypeMapping = typeof BYTES
/** Milliseconds between two attempts to connect, up to twice as many. */
const PAUSE_MS = 100

export type Argument = string | number | Buffer
export type Reply = string | number | null | readonly Reply[]

/**
 * Commands over one connection. Nothing is queued while there is none and nothing is sent twice: a write that arrives late, or
 * again, would be one that nobody knows of.
 */
export interface Connection {
  /** @throws BusError `AWAY`, `FULL`; what else Redis answers with as an error, as it is */
  call<T = Reply>(...command: readonly Argument[]): Promise<T>
  close(): void
}

/** A connection of one's own, over which bytes come as they are. */
export interface OwnConnection extends Connection {
  /** The same with bytes in the place of texts. @throws BusError as `call` does */
  callForBytes<T>(...command: readonly Argument[]): Promise<T>
}

/** @throws BusError `AWAY` */
export async function connect(url: string): Promise<OwnConnection> {
  const client = createClient({
    url,
    // Both versions would do; one is tested.
    RESP: 2,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: REPLY_MS },
  })
  // Told by the command that fails.
  client.on('error', () => {})
  const close = () => {
    if (client.isOpen) client.destroy()
  }
  // Who takes the connection and then says nothing would be waited for without end: the greeting has no limit of its own.
  const mute = setTimeout(() => client.destroy(), REPLY_MS)
  try {
    await client.connect()
  } catch (cause) {
    throw new BusError('AWAY', 'no connection to Redis', { cause })
  } finally {
    clearTimeout(mute)
  }
  const send = <T>(command: readonly Argument[], typeMapping?: TypeMapping) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const words = command.map((word) => (typeof word === 'number' ? String(word) : word))
    const reply = client.sendCommand<T>(words, typeMapping && { typeMapping })
    const late = setTimeout(() => {
      reject(new BusError('AWAY', `Redis has not answered for ${REPLY_MS} ms`))
      close()
    }, REPLY_MS).unref()
    reply.then(resolve, (cause: unknown) => {
      // An answer of Redis itself does not end the connection.
      if (!(cause instanceof ErrorReply)) reject(new BusError('AWAY', 'the connection to Redis broke', { cause }))
      else if (cause.message.includes('OOM command not allowed')) reject(new BusError('FULL', FULL, { cause }))
      else reject(cause)
    })
    return promise.finally(() => clearTimeout(late))
  }
  return {
    call: (...command) => send(command),
    callForBytes: (...command) => send(command, BYTES),
    close,
  }
}

/** Work over a connection of its own, which is made again whenever it breaks, until the signal aborts. */
export async function keepConnected(
  url: string,
  signal: AbortSignal,
  work: (connection: OwnConnection) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    let connection: OwnConnection | undefined
    let detach = () => {}
    try {
      connection = await connect(url)
      detach = onAbort(signal, connection.close)
      if (!signal.aborted) await work(connection)
    } catch (error) {
      if (!signal.aborted) onFailure(error)
    }
    detach()
    connection?.close()
    // Not all at once when Redis comes back.
    await sleep(PAUSE_MS * (1 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Fields and values in turn, as Redis answers them. */
export function fieldsOf(flat: readonly Reply[] | null): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (let i = 0; i < (flat?.length ?? 0); i += 2) fields[String(flat![i])] = String(flat![i + 1])
  return fields
}
