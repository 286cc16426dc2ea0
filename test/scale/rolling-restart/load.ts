// Runs clients that book one slot after the other through a single URL and read each booking back. Records every
// request. Runs in a separate process, which the test cannot delay.
import { closeSync, openSync, writeSync } from 'node:fs'
import type { LoadInstructions, RecordedRequest } from './record.ts'

const SLOT_MS = 600_000
const PATIENCE_MS = 30_000
// Short enough for requests at every moment of a restart, and long enough to leave CPU time for the restart.
const PAUSE_MS = 25

let isOver = false
process.once('disconnect', () => process.exit(1))
process.once('message', async (work: LoadInstructions) => {
  process.once('message', () => {
    isOver = true
  })
  const file = openSync(work.file, 'w')
  const write = (recorded: RecordedRequest) => writeSync(file, `${JSON.stringify(recorded)}\n`)
  await Promise.all(work.clients.map((client) => book(work, client, write)))
  closeSync(file)
  process.exit(0)
})

async function book(
  { url, token, startMs }: LoadInstructions,
  client: LoadInstructions['clients'][number],
  write: (recorded: RecordedRequest) => void,
): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const ask = async (method: RecordedRequest['method'], path: string, body?: object) => {
    const sentMs = Date.now()
    const options = { method, headers, body: body && JSON.stringify(body) }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { status, text } = await fetch(`${url}/api/v1/${path}`, { ...options, signal }).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      (error: Error) => ({ status: 0, text: `${error.message}: ${error.cause}` }),
    )
    write({ method, sentMs, tookMs: Date.now() - sentMs, status, text })
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  for (let number = 0; !isOver; number++) {
    const at = (slot: number) => new Date(startMs + slot * SLOT_MS).toISOString()
    await ask('POST', 'bookings', { ...client, from_time: at(number), to_time: at(number + 1) })
    await ask('GET', `bookables/${client.bookable_id}/bookings?from=${at(number)}&to=${at(number + 1)}`)
  }
}
