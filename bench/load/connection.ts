/** Minimal HTTP/1.1 client with one persistent connection. Uses little processor time. */
import { connect, type Socket } from 'node:net'

export type Answer = { readonly status: number; readonly bodyBytes: number; readonly ms: number }

const HEADERS_END = Buffer.from('\r\n\r\n')

/**
 * Connection with one request at a time. Responses must have a `Content-Length`, like those of Express and of nodes.
 */
export class Connection {
  private readonly socket: Socket
  private receivedBytes: Buffer = Buffer.alloc(0)
  private sentAt = 0
  private pendingRequest: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined
  private readonly reopen: () => Promise<Connection>

  private constructor(socket: Socket, reopen: () => Promise<Connection>) {
    this.socket = socket
    this.reopen = reopen
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.onChunk(chunk))
    socket.on('error', (error) => this.pendingRequest?.reject(error))
    socket.on('close', () => this.pendingRequest?.reject(new Error('the server closed the connection')))
  }

  /**
   * Opens a connection.
   *
   * @param localAddress - source address, such as 127.0.0.2, to act as one of several callers on one machine
   */
  static open(url: string, localAddress?: string): Promise<Connection> {
    const { hostname, port } = new URL(url)
    const options = { host: hostname, port: Number(port), ...(localAddress && { localAddress }) }
    return new Promise((resolve, reject) => {
      const reopen = () => Connection.open(url, localAddress)
      const socket = connect(options, () => resolve(new Connection(socket, reopen)))
      socket.once('error', reject)
    })
  }

  /** Returns this connection, or a new one if the server has closed it. Servers close connections that are idle. */
  async reconnect(): Promise<Connection> {
    return this.socket.destroyed || this.socket.readableEnded ? this.reopen() : this
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.pendingRequest = { resolve, reject }
      this.sentAt = performance.now()
      this.socket.write(request)
    })
  }

  close(): void {
    this.pendingRequest = undefined
    this.socket.destroy()
  }

  private onChunk(chunk: Buffer): void {
    this.receivedBytes = this.receivedBytes.length === 0 ? chunk : Buffer.concat([this.receivedBytes, chunk])
    const end = this.receivedBytes.indexOf(HEADERS_END)
    if (end < 0) return
    const head = this.receivedBytes.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      this.pendingRequest?.reject(new Error(`an answer without Content-Length: ${head}`))
      return
    }
    const bodyBytes = Number(length)
    if (this.receivedBytes.length < end + HEADERS_END.length + bodyBytes) return
    this.receivedBytes = Buffer.alloc(0)
    this.pendingRequest?.resolve({ status: Number(head.slice(9, 12)), bodyBytes, ms: performance.now() - this.sentAt })
  }
}

export function postJson(path: string, body: string): string {
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
}

export function getRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\nReferer: https://bench.example/\r\n\r\n`
}

export function postRpc(body: string): string {
  return postJson('/', body)
}
