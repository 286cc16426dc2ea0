// Simulates callers who book continuously while servers fail. Their answers are compared with the database
// afterwards.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { createDesk } from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'

type Answer = { deskId: number; from: string; status: number; id: number | undefined; endedMs: number }

export type BookingAccount = {
  /** The number of answers by status. */
  answers: Record<string, number>
  /** Bookings that were confirmed, but do not exist. */
  lost: number
  /** Bookings that were refused, but exist. */
  doneThoughRefused: number
  /** Unexpected statuses, which mean neither success, nor a temporary refusal, nor an unknown outcome. */
  others: number[]
  /** Bookings with an unknown outcome, which callers would repeat with the same key. */
  unknown: { there: number; missing: number }
  /** The longest period without a successful booking. */
  longestPauseMs: number
}

const SLOT_MS = 600_000
const FIRST_SLOT_MS = Math.ceil(Date.now() / SLOT_MS) * SLOT_MS
const PAUSE_MS = 20
const DONE_MS_MAX = 180_000
const getSlotStart = (number: number) => new Date(FIRST_SLOT_MS + number * SLOT_MS).toISOString()

export class Bookers {
  readonly #answers: Answer[] = []
  readonly #callers: Promise<void>[]
  readonly #desks: number[]
  #isOver = false

  /** Starts one caller for each address, each with a separate desk. */
  static async start(database: Knex, token: string, urls: string[]): Promise<Bookers> {
    const desks = []
    for (const url of urls) desks.push({ url, desk: await createDesk(database) })
    return new Bookers(token, desks)
  }

  private constructor(
    token: string,
    desks: Array<{ url: string; desk: Awaited<ReturnType<typeof createDesk>> }>,
  ) {
    this.#desks = desks.map(({ desk }) => desk.bookable_id)
    this.#callers = desks.map(({ url, desk }) => this.#book(new Client(url, token), desk))
  }

  /** Waits until the given number of further bookings has succeeded, and returns the time of the first. */
  async waitForMoreBookings(bookings: number): Promise<number> {
    const startedMs = performance.now()
    return eventually(() => {
      const done = this.#answers.filter(({ status, endedMs }) => status === 200 && endedMs > startedMs)
      if (done.length < bookings) throw new Error(`${done.length} of ${bookings} are done`)
      return done[0]?.endedMs ?? startedMs
    }, DONE_MS_MAX)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#callers)
  }

  /** Compares the answers with the existing bookings. */
  async account(database: Knex): Promise<BookingAccount> {
    const { rows } = await database.raw<{ rows: Array<{ id: number; desk: number; from: string }> }>(
      `SELECT id, bookable_id AS desk, extract(epoch FROM lower(during)) * 1000 AS "from"
       FROM bookings WHERE bookable_id = ANY(?)`,
      [this.#desks],
    )
    const there = new Map(rows.map(({ id, desk, from }) => [`${desk} ${Number(from)}`, id]))
    const idOf = ({ deskId, from }: Answer) => there.get(`${deskId} ${Date.parse(from)}`)
    const of = (...statuses: number[]) => this.#answers.filter(({ status }) => statuses.includes(status))
    const unknown = of(504).filter((answer) => idOf(answer) !== undefined).length
    const answers: Record<string, number> = {}
    for (const { status } of this.#answers) answers[status] = (answers[status] ?? 0) + 1
    return {
      answers,
      lost: of(200).filter((answer) => answer.id === undefined || idOf(answer) !== answer.id).length,
      doneThoughRefused: of(503).filter((answer) => idOf(answer) !== undefined).length,
      others: this.#answers.map(({ status }) => status).filter((status) => ![200, 503, 504].includes(status)),
      unknown: { there: unknown, missing: of(504).length - unknown },
      longestPauseMs: longestPauseMs(of(200).map(({ endedMs }) => endedMs)),
    }
  }

  async #book(client: Client, desk: Awaited<ReturnType<typeof createDesk>>): Promise<void> {
    for (let number = 0; !this.#isOver; number++) {
      const from = getSlotStart(number)
      const { status, json } = await client.post('bookings', {
        ...desk,
        from_time: from,
        to_time: getSlotStart(number + 1),
      })
      const id = status === 200 ? json.data[0].id : undefined
      this.#answers.push({ deskId: desk.bookable_id, from, status, id, endedMs: performance.now() })
      await wait(PAUSE_MS)
    }
  }
}

function longestPauseMs(instants: number[]): number {
  const pauses = instants.slice(1).map((at, index) => at - (instants[index] ?? at))
  return Math.round(Math.max(0, ...pauses))
}
