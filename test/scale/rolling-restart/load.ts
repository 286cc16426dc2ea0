// Clients that book one slot after the other and read each back, through one address; a process of its own, so that nothing
// that a test does holds it up. Every request is written down. It ends when it is told to, with nothing under way.
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Recorded, Work } from './record.ts'

const SLOT_MS = 600_000
const PATIENCE_MS = 30_000
// So many requests are enough to meet every moment of a restart, and leave the machine time for the restart.
const PAUSE_MS = 25

let isOver = false
process.once('disconnect', () => process.exit(1))
process.once('message', async (work: Work) => {
  process.once('message', () => {
    isOver = true
  })
  const file = openSync(work.file, 'w')
  const write = (recorded: Recorded) => writeSync(file, `${JSON.stringify(recorded)}\n`)
  await Promise.all(work.clients.map((client) => book(work, client, write)))
  closeSync(file)
  process.exit(0)
})

async function book(
  { url, token, startMs }: Work,
  client: Work['clients'][number],
  write: (recorded: Recorded) => void,
): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const ask = async (method: Recorded['method'], path: string, body?: object) => {
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
