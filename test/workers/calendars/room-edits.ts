// Edits the rooms of one provider in Berth and in their calendars at random.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Period } from '../../../shared/room-calendars/providers/provider.ts'
import type { Random } from '../../harness/random.ts'
import type { TestRequest } from '../../support/calendars/http.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../support/factories.ts'
import type { AnyWorld } from './engine-world.ts'
import { OutsideCalendars } from './outside-calendars.ts'
import { ZONE } from './provider-worlds.ts'

const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
const ROOMS = [0, 1]
const WRITING_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
// From this number of entries in a room on, the next edit removes one: refused entries of the room itself stay for good.
const ENTRIES_MAX = 30

/** Whether a request to a provider changes something there. */
export const isWrite = ({ method, url }: TestRequest): boolean =>
  WRITING_METHODS.includes(method) && !/token$/.test(url.pathname)
export const isCreation = ({ method, url }: TestRequest): boolean =>
  method === 'PUT' || (method === 'POST' && url.pathname.endsWith('/events'))

const EDITS = {
  addOutside: 4,
  moveOutside: 4,
  shortenOutside: 2,
  removeOutside: 2,
  inviteOutside: 1,
  addSeries: 1,
  createEvent: 4,
  createBooking: 2,
  changeEvent: 3,
  cancelEvent: 2,
  moveBooking: 1,
  deleteBooking: 1,
  bothAtOnce: 2,
}

/** Sends a write to the API. Returns a note about its answer for the report, or an empty text. */
export type SendEdit = (method: string, path: string, body?: object) => Promise<string>

type RoomEditsOptions = { database: Knex; calendar: AnyWorld; random: Random; send: SendEdit }

/** The day after tomorrow, so that nothing is over during the test. */
const date = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10)

export class RoomEdits {
  readonly rooms: number[] = []
  readonly database: Knex
  readonly outside: OutsideCalendars
  readonly calendar: AnyWorld
  readonly #send: SendEdit
  readonly #random: Random
  readonly #people: number[] = []
  #location = 0
  #count = 0

  constructor({ database, calendar, random, send }: RoomEditsOptions) {
    this.database = database
    this.calendar = calendar
    this.outside = new OutsideCalendars(calendar)
    this.#send = send
    this.#random = random
  }

  /** Creates rooms, and links them to the calendars. */
  async open() {
    const { database } = this
    const building_id = await createBuilding(database, { timezone: ZONE })
    this.#location = await createLocation(database, { building_id })
    for (const { id } of this.outside.calendars) {
      const bookable_id = await createBookable(database, { location_id: this.#location, type: 2 })
      await database('room_calendars').insert({
        bookable_id,
        provider: this.calendar.provider.name,
        calendar: id,
      })
      this.rooms.push(bookable_id)
      this.#people.push(await createUser(database))
    }
  }

  close() {
    this.outside.close()
  }

  /** The number of requests that change something at the provider. */
  countWrites(): number {
    return this.calendar.proxy.requests.filter(isWrite).length
  }

  /** Makes one edit, and returns what it was. */
  async editOnce(): Promise<string> {
    const kind = (await this.#isCrowded()) ? 'removeOutside' : this.#random.pickKey(EDITS)
    return `${kind}: ${(await EDITORS[kind](this)) ?? 'nothing to edit'}`
  }

  #span(): Period {
    const start = Date.parse(`${date}T08:00:00Z`) + 30 * MINUTE_MS * this.#random.below(12)
    const end = start + 30 * MINUTE_MS * (1 + this.#random.below(3))
    return { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
  }

  async #isCrowded(): Promise<boolean> {
    const entries = await this.outside.list(this.#random.pick(ROOMS))
    return entries.length > ENTRIES_MAX
  }

  get #title(): string {
    return `Meeting ${++this.#count}`
  }

  async pickOutside() {
    const room = this.#random.pick(ROOMS)
    const entries = await this.outside.list(room)
    return entries.length === 0 ? undefined : { room, entry: this.#random.pick(entries) }
  }

  async addOutside(span = this.#span()) {
    const rooms = this.#random.pick([[0], [1], [0, 1]])
    const isOwn = rooms.length === 1 && this.#random.chance(0.3)
    const title = this.#title
    await this.outside.add(rooms, { uid: randomUUID(), title, isOwn, ...span })
    return `${title} in ${rooms} ${show(span)}${isOwn ? ' of the room' : ''}`
  }

  async moveOutside() {
    const found = await this.pickOutside()
    if (!found) return undefined
    const { room, entry } = found
    const span = this.#span()
    await this.outside.move(room, entry, span)
    const moved = [room]
    // A meeting that has several rooms usually moves in all their mailboxes, one after the other.
    if (this.#random.chance(0.8))
      for (const other of ROOMS.filter((each) => each !== room))
        for (const each of await this.outside.list(other))
          if (each.key === null && each.uid === entry.uid && each.from === entry.from) {
            await this.outside.move(other, each, span)
            moved.push(other)
          }
    return `${entry.title} ${show(entry)} in ${moved} to ${show(span)}`
  }

  async shortenOutside() {
    const found = await this.pickOutside()
    if (!found) return undefined
    const { room, entry } = found
    const to = new Date(Date.parse(entry.to) - 15 * MINUTE_MS).toISOString()
    if (to <= new Date(entry.from).toISOString()) return undefined
    await this.outside.move(room, entry, { from: entry.from, to })
    return `${entry.title} ${show(entry)} in ${room}`
  }

  async removeOutside() {
    const found = await this.pickOutside()
    if (!found) return undefined
    await this.outside.remove(found.room, found.entry)
    return `${found.entry.title} ${show(found.entry)} in ${found.room}`
  }

  async inviteOutside() {
    const found = await this.pickOutside()
    if (!found) return undefined
    await this.outside.setPeople(found.room, found.entry, [`guest${++this.#count}@corp.test`])
    return `${found.entry.title} in ${found.room}`
  }

  async addSeries() {
    const title = this.#title
    const time = `${10 + this.#random.below(4)}:00`
    await this.outside.addSeries(title, `${date}T${time}`, 3)
    return `${title} in 0 at ${time}`
  }

  async createEvent(span = this.#span()) {
    const rooms = this.#random.pick([[0], [1], [0, 1]])
    const told = await this.#send('POST', 'events', {
      name: this.#title,
      organizer_user_id: this.#random.pick(this.#people),
      attendees: this.#toAttendees(rooms),
      ...toTimes(span),
    })
    return `in ${rooms} ${show(span)}${told}`
  }

  #toAttendees(rooms: number[]) {
    return rooms.map((room) => ({ type: 'bookable', id: String(this.rooms[room]) }))
  }

  async createBooking() {
    const span = this.#span()
    const room = this.#random.pick(ROOMS)
    const told = await this.#send('POST', 'bookings', {
      bookable_id: this.rooms[room],
      location_id: this.#location,
      user_id: this.#random.pick(this.#people),
      ...toTimes(span),
    })
    return `in ${room} ${show(span)}${told}`
  }

  async #pickRow(table: 'events' | 'bookings'): Promise<number | undefined> {
    const { database, rooms } = this
    const ids: number[] = await (table === 'events'
      ? database('events')
          .where({ status: 1 })
          .whereIn(
            'id',
            database('bookings').whereIn('bookable_id', rooms).whereNotNull('event_id').select('event_id'),
          )
      : database('bookings')
          .whereNotNull('user_id')
          .where({ released_at: null })
          .whereIn('bookable_id', rooms)
    )
      .orderBy('id')
      .pluck('id')
    return ids.length === 0 ? undefined : this.#random.pick(ids)
  }

  async changeEvent() {
    const id = await this.#pickRow('events')
    if (id === undefined) return undefined
    const span = this.#span()
    const rooms = this.#random.pick([[0], [1], [0, 1]])
    const { name, organizer_user_id } = await this.database('events').where({ id }).first()
    const told = await this.#send('PUT', `events/${id}`, {
      name,
      organizer_user_id,
      attendees: this.#toAttendees(rooms),
      ...toTimes(span),
    })
    return `${name} to ${rooms} ${show(span)}${told}`
  }

  async cancelEvent() {
    const id = await this.#pickRow('events')
    return id === undefined ? undefined : `${id}${await this.#send('DELETE', `events/${id}`)}`
  }

  async moveBooking() {
    const id = await this.#pickRow('bookings')
    const span = this.#span()
    return id === undefined
      ? undefined
      : `${id} to ${show(span)}${await this.#send('PATCH', `bookings/${id}`, toTimes(span))}`
  }

  async deleteBooking() {
    const id = await this.#pickRow('bookings')
    return id === undefined ? undefined : `${id}${await this.#send('DELETE', `bookings/${id}`)}`
  }

  async bothAtOnce() {
    const span = this.#span()
    return (await Promise.all([this.addOutside(span), this.createEvent(span)])).join(' and ')
  }
}

const EDITORS: Record<keyof typeof EDITS, (edits: RoomEdits) => Promise<string | undefined>> = {
  addOutside: (edits) => edits.addOutside(),
  moveOutside: (edits) => edits.moveOutside(),
  shortenOutside: (edits) => edits.shortenOutside(),
  removeOutside: (edits) => edits.removeOutside(),
  inviteOutside: (edits) => edits.inviteOutside(),
  addSeries: (edits) => edits.addSeries(),
  createEvent: (edits) => edits.createEvent(),
  createBooking: (edits) => edits.createBooking(),
  changeEvent: (edits) => edits.changeEvent(),
  cancelEvent: (edits) => edits.cancelEvent(),
  moveBooking: (edits) => edits.moveBooking(),
  deleteBooking: (edits) => edits.deleteBooking(),
  bothAtOnce: (edits) => edits.bothAtOnce(),
}

const toTimes = ({ from, to }: Period) => ({ from_time: from, to_time: to })
const show = ({ from, to }: Period) =>
  `${new Date(from).toISOString().slice(8, 16)}–${new Date(to).toISOString().slice(11, 16)}`
