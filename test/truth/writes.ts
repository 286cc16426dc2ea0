// Writes whose truth can be looked up: each bears a mark of its own, by which the database tells whether it happened.
import type { Knex } from 'knex'
import { createBookable, createBooking, createDesk, createEvent, hoursFromNow } from '../support/factories.ts'
import type { Answered, Client } from '../support/http/http.ts'
import type { World } from '../support/world.ts'

export type Write = {
  mark: string
  /** The same request each time: a repeat with the same key is a repeat. */
  send(client: Client): Promise<Answered>
  /** How often it has happened. */
  count(): Promise<number>
}

type Desk = Awaited<ReturnType<typeof createDesk>>
type Slot = { from_time: string; to_time: string }
type Asked = { method: string; path: string; body?: unknown }

// So many want the same slot, one after the other or at the same moment.
const RIVALS = 3

/** Makes writes of every kind; those for slots meet each other. */
export class Writer {
  readonly #world: World
  readonly #run = Math.random().toString(36).slice(2, 8)
  #desk: Promise<Desk>
  #made = 0
  #slots = 0

  constructor(world: World) {
    this.#world = world
    this.#desk = createDesk(world.database, { type: 2 })
  }

  async next(): Promise<Write> {
    const number = ++this.#made
    const mark = `${this.#run}-${number}`
    const desk = await this.#desk
    const kinds = [
      () => this.#book(mark, desk),
      () => this.#meet(mark, desk),
      () => this.#move(mark, desk, number),
      () => this.#book(mark, desk),
      () => this.#remove(mark, desk),
      () => this.#rename(mark, desk),
      () => this.#replace(mark, desk),
    ]
    return (kinds[number % kinds.length] as (typeof kinds)[number])()
  }

  #slot(): Slot {
    const start = 24 + 2 * Math.floor(this.#slots++ / RIVALS)
    return { from_time: hoursFromNow(start), to_time: hoursFromNow(start + 2) }
  }

  async #book(mark: string, desk: Desk): Promise<Write> {
    const body = { ...desk, ...this.#slot(), guest_name: mark }
    return this.#write(mark, { method: 'POST', path: 'bookings', body }, 'bookings', { guest_name: mark })
  }

  async #meet(mark: string, { bookable_id, user_id }: Desk): Promise<Write> {
    const attendees = [{ type: 'bookable', id: bookable_id }]
    const body = { name: mark, organizer_user_id: user_id, ...this.#slot(), attendees }
    return this.#write(mark, { method: 'POST', path: 'events', body }, 'events', { name: mark })
  }

  async #move(mark: string, desk: Desk, number: number): Promise<Write> {
    const id = await this.#booking(desk)
    // Its end is its mark: microseconds come out as they went in.
    const to_time = hoursFromNow(3).replace('.000Z', `.${String(number).padStart(6, '0')}Z`)
    const ended = this.#world.database.raw('upper(during) = ?', [to_time])
    const asked = { method: 'PATCH', path: `bookings/${id}`, body: { to_time } }
    return this.#write(mark, asked, 'bookings', { id }, ended)
  }

  async #remove(mark: string, desk: Desk): Promise<Write> {
    const id = await this.#booking(desk)
    const write = this.#write(mark, { method: 'DELETE', path: `bookings/${id}` }, 'bookings', { id })
    return { ...write, count: async () => 1 - (await write.count()) }
  }

  async #rename(mark: string, { location_id }: Desk): Promise<Write> {
    const id = await createBookable(this.#world.database, { location_id, type: 1 })
    const asked = { method: 'PATCH', path: `bookables/${id}`, body: { name: mark } }
    return this.#write(mark, asked, 'bookables', { id, name: mark })
  }

  async #replace(mark: string, { user_id }: Desk): Promise<Write> {
    const span = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const id = await createEvent(this.#world.database, { ...span, organizer_user_id: user_id })
    const body = { name: mark, to_time: hoursFromNow(3) }
    return this.#write(mark, { method: 'PUT', path: `events/${id}`, body }, 'events', { id, name: mark })
  }

  async #booking({ location_id, user_id }: Desk): Promise<number> {
    const bookable_id = await createBookable(this.#world.database, { location_id, type: 0 })
    const span = { from: hoursFromNow(1), to: hoursFromNow(2) }
    return createBooking(this.#world.database, { bookable_id, user_id, ...span })
  }

  #write(mark: string, { method, path, body }: Asked, table: string, row: object, also?: Knex.Raw): Write {
    const headers = {
      'X-Request-Id': mark,
      'Idempotency-Key': mark,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    }
    return {
      mark,
      send: (client) => client.ask(path, { method, body, headers }),
      count: async () => {
        const rows = this.#world.database(table).where(row)
        if (also) rows.whereRaw(also)
        return (await rows).length
      },
    }
  }
}
