/** Computes the consistent hash ring of nginx's `hash … consistent` (ngx_http_upstream_hash_module). */
import { crc32 } from 'node:zlib'

const POINTS_PER_SERVER = 160

export class Ring {
  private readonly points: readonly { readonly hash: number; readonly server: number }[]

  /** @param servers - names as in nginx's upstream, `<host>:<port>` */
  constructor(servers: readonly string[]) {
    const points = servers.flatMap((name, server) => {
      const base = crc32(name.replace(/:(\d+)$/, '\0$1'))
      const previous = Buffer.alloc(4)
      return Array.from({ length: POINTS_PER_SERVER }, () => {
        const hash = crc32(previous, base)
        previous.writeUInt32LE(hash)
        return { hash, server }
      })
    })
    this.points = points.sort((a, b) => a.hash - b.hash)
  }

  /** Returns the index of the server of a key: that of the first point at or after the key's hash. */
  serverOf(key: string): number {
    const hash = crc32(key)
    let [from, to] = [0, this.points.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.points[middle]!.hash < hash) from = middle + 1
      else to = middle
    }
    return this.points[from % this.points.length]!.server
  }
}
