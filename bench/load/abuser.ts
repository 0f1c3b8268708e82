/** Abusive client in its own process. Sends requests without pause, on sixteen connections of one address. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from './connection.ts'
import { requestGenerators, type Target } from './expensive-requests.ts'

const CONNECTIONS = 16

export type AbuseOrder = {
  readonly url: string
  readonly target: Target
  readonly kind: string
  readonly seconds: number
}
export type AbuseReport = { readonly answers: Readonly<Record<string, number>> }

process.on('message', (order: AbuseOrder) => void abuse(order).then((report) => process.send!(report)))
process.once('disconnect', () => process.exit(0))
process.send!('ready')

async function abuse({ url, target, kind, seconds }: AbuseOrder): Promise<AbuseReport> {
  const next = requestGenerators(target)[kind]!
  const end = performance.now() + seconds * 1000
  const answers: Record<string, number> = {}
  const client = async () => {
    let connection: Connection | undefined
    while (performance.now() < end) {
      try {
        connection ??= await Connection.open(url, '127.0.0.66')
        const { status } = await Promise.race([
          connection.send(next()),
          sleep(end + 1_000 - performance.now(), { status: 0 }),
        ])
        answers[status] = (answers[status] ?? 0) + 1
      } catch {
        answers.cut = (answers.cut ?? 0) + 1
        connection?.close()
        connection = undefined
        await sleep(5)
      }
    }
    connection?.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  return { answers }
}
