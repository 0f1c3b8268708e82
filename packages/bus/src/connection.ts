/** Minimal Redis client; the only file that uses the client library. */
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, ErrorReply, RESP_TYPES } from '@redis/client'
import { urlCredentials } from '@sluice/chains'
import { onAbort } from '@sluice/rpc'
import { BusError } from './errors.ts'

/** Milliseconds without a reply after which the connection counts as dead; longer than any blocking read. */
const REPLY_TIMEOUT_MS = 2_500
/** Option of the client library that returns strings as bytes. */
const BYTES_MAPPING = { [RESP_TYPES.BLOB_STRING]: Buffer } as const
type TypeMapping = typeof BYTES_MAPPING
/** Minimum milliseconds between two connection attempts; the maximum is twice as much. */
const RECONNECT_PAUSE_MS = 100

export type Argument = string | number | Buffer
export type RedisReply = string | number | null | readonly RedisReply[]

/**
 * Sends commands over one connection. Commands are never queued while disconnected and never sent twice, because no
 * check would notice a write that Redis executes late or twice.
 */
export interface Connection {
  /** Sends a command. @throws BusError `AWAY`, `FULL`, `CLUSTER`; other errors of Redis are rethrown unchanged */
  call<T = RedisReply>(...command: readonly Argument[]): Promise<T>
  close(): void
}

/** A connection that is not shared, with access to binary replies. */
export interface OwnConnection extends Connection {
  /** Like `call`, but returns strings as bytes. @throws BusError `AWAY`, `FULL`, `CLUSTER` */
  callForBytes<T>(...command: readonly Argument[]): Promise<T>
}

/** Opens a connection. @throws BusError `AWAY` */
export async function connect(url: string): Promise<OwnConnection> {
  const address = new URL(url)
  const { username, password } = urlCredentials(address)
  // The client library cannot decode a percent sign that encodes nothing.
  address.username = ''
  address.password = ''
  const client = createClient({
    url: address.href,
    ...(username && { username }),
    ...(password && { password }),
    // RESP2 and RESP3 would both work; RESP2 is tested.
    RESP: 2,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: REPLY_TIMEOUT_MS, ...tlsOptions(address) },
  })
  // Ignored: the command that fails reports the error.
  client.on('error', () => {})
  const close = () => {
    if (client.isOpen) client.destroy()
  }
  // The client library has no timeout for the handshake, in case a server accepts the connection and never replies.
  const handshakeTimeout = setTimeout(() => client.destroy(), REPLY_TIMEOUT_MS)
  try {
    await client.connect()
  } catch (cause) {
    throw new BusError('AWAY', 'no connection to Redis', { cause })
  } finally {
    clearTimeout(handshakeTimeout)
  }
  const send = <T>(command: readonly Argument[], typeMapping?: TypeMapping) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const commandWords = command.map((word) => (typeof word === 'number' ? String(word) : word))
    const pendingReply = client.sendCommand<T>(commandWords, typeMapping && { typeMapping })
    const replyTimeout = setTimeout(() => {
      reject(new BusError('AWAY', `Redis has not answered for ${REPLY_TIMEOUT_MS} ms`))
      close()
    }, REPLY_TIMEOUT_MS).unref()
    pendingReply.then(resolve, (cause: unknown) => {
      const error = toBusError(cause)
      // A server that became a replica keeps its connections. A new connection may lead to the new primary.
      if (error instanceof BusError && error.code === 'AWAY') close()
      reject(error)
    })
    return promise.finally(() => clearTimeout(replyTimeout))
  }
  return {
    call: (...command) => send(command),
    callForBytes: (...command) => send(command, BYTES_MAPPING),
    close,
  }
}

/** Returns the name of the server for TLS, which proxies route by (SNI). Node.js sends none by default. */
function tlsOptions({ protocol, hostname }: URL) {
  if (protocol !== 'rediss:') return {}
  return { tls: true as const, ...(isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && { servername: hostname }) }
}

/** Converts an error of a command. Other error replies are returned unchanged: they do not end the connection. */
function toBusError(cause: unknown): unknown {
  if (!(cause instanceof ErrorReply)) return new BusError('AWAY', 'the connection to Redis broke', { cause })
  const { message } = cause
  // In Redis 6, the error of a command in a script follows a text of Redis, so the pattern may match anywhere.
  if (/\bREADONLY\b/.test(message)) return new BusError('AWAY', 'Redis has become a replica', { cause })
  if (message.includes('OOM command not allowed'))
    return new BusError('FULL', 'Redis is full: it refuses writes at its maxmemory', { cause })
  if (/\bMISCONF\b/.test(message))
    return new BusError('FULL', 'Redis refuses writes: it cannot write to its disk', { cause })
  if (/\bNOREPLICAS\b/.test(message))
    return new BusError('FULL', 'Redis refuses writes: it has too few replicas', { cause })
  if (/^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/.test(message))
    return new BusError('CLUSTER', 'Redis runs in cluster mode, which is not supported', { cause })
  return cause
}

/** Runs work over its own connection, and again over a new one after every failure, until the signal aborts. */
export async function keepConnected(
  url: string,
  signal: AbortSignal,
  run: (connection: OwnConnection) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    let connection: OwnConnection | undefined
    let detach = () => {}
    try {
      connection = await connect(url)
      detach = onAbort(signal, connection.close)
      if (!signal.aborted) await run(connection)
    } catch (error) {
      if (!signal.aborted) onFailure(error)
    }
    detach()
    connection?.close()
    // Random pause, so that clients do not all reconnect at the same moment.
    await sleep(RECONNECT_PAUSE_MS * (1 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Converts an array of alternating fields and values, as Redis returns a hash, to an object. */
export function fieldsOf(alternating: readonly RedisReply[] | null): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (let i = 0; i < (alternating?.length ?? 0); i += 2) fields[String(alternating![i])] = String(alternating![i + 1])
  return fields
}
