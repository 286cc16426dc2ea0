// Measures the latency of bookings during an import, and compares it with the latency when nothing is imported.
import { setTimeout as sleep } from 'node:timers/promises'
import { startTaskProcess } from '../stage/tasks.ts'
import type { ImportRequest } from './import-process.ts'
import { type ImportBenchStage, resetUsers } from './stage.ts'

const BOOKING_INTERVAL_MS = 50
const FIRST_CALM_MS = 1_600

type BookingTarget = { bookable_id: number; location_id: number; user_id: number }

/** Creates a desk, and a user who books it, in addition to the users of the import. */
async function createBookingTarget({ database }: ImportBenchStage): Promise<BookingTarget> {
  const [building] = await database('buildings').insert({ name: 'Bench' }).returning('id')
  const [location] = await database('locations')
    .insert({ building_id: building.id, name: 'Bench' })
    .returning('id')
  const [bookable] = await database('bookables')
    .insert({ location_id: location.id, name: 'Desk', type: 0 })
    .returning('id')
  const [user] = await database('users')
    .insert({ name: 'Booker', email: 'booker@example.com' })
    .returning('id')
  return {
    bookable_id: Number(bookable.id),
    location_id: Number(location.id),
    user_id: Number(user.id),
  }
}

type Latency = { calm: number[]; importing: number[] }

/**
 * Alternates phases with and without an import, each as long as an import, until both have enough bookings. The 99th
 * percentile of a few dozen bookings would be the maximum, and other work on the machine should affect both alike.
 */
export async function measureLatency(
  stage: ImportBenchStage,
  file: string,
  bookings: number,
): Promise<Latency> {
  const calm: number[] = []
  const importing: number[] = []
  const { gateway, headers } = stage
  const importer = await startTaskProcess<ImportRequest, void>('users/import-process')
  let calmMs = FIRST_CALM_MS
  while (Math.min(calm.length, importing.length) < bookings) {
    await resetUsers(stage)
    const office = await createBookingTarget(stage)
    calm.push(...(await bookUntil(stage, office, sleep(calmMs))))
    const started = performance.now()
    importing.push(
      ...(await bookUntil(stage, office, importer.run({ url: gateway.url, headers, path: file }))),
    )
    calmMs = performance.now() - started
  }
  await importer.stop()
  return { calm, importing }
}

// Books at a steady rate: waiting for each response would hide how slow the next booking would have been.
async function bookUntil(
  stage: ImportBenchStage,
  office: BookingTarget,
  until: Promise<unknown>,
): Promise<number[]> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  until.then(over, over)
  const times: Promise<number>[] = []
  while (!isOver) {
    times.push(bookSlot(stage, office, nextSlot++))
    await sleep(BOOKING_INTERVAL_MS)
  }
  await until
  return Promise.all(times)
}

let nextSlot = 0

async function bookSlot(
  { gateway, headers }: ImportBenchStage,
  office: BookingTarget,
  slot: number,
): Promise<number> {
  const from = Date.UTC(2090, 0, 1) + slot * 3_600_000
  const body = JSON.stringify({
    ...office,
    from_time: new Date(from).toISOString(),
    to_time: new Date(from + 3_600_000).toISOString(),
  })
  const started = performance.now()
  const answer = await fetch(`${gateway.url}/api/v1/bookings`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  })
  const tookMs = performance.now() - started
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
  return tookMs
}
