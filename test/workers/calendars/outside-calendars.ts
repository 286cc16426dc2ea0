// Edits the calendars of several rooms of one provider, as people do there, and lists what they show.

import {
  type Calendar,
  type CalendarEntry,
  type CalendarProvider,
  isFault,
  type Period,
} from '../../../shared/room-calendars/providers/provider.ts'
import type { Radicale } from '../../support/calendars/caldav-servers.ts'
import type { GoogleServer } from '../../support/calendars/google-server.ts'
import type { GraphServer } from '../../support/calendars/graph-server.ts'
import type { AnyWorld } from './engine-world.ts'
import { createIcs, ZONE } from './provider-worlds.ts'

const SECOND_ROOM = 'balcony@rooms.test'
const DAY_MS = 24 * 3_600_000
const DAYS_AHEAD = 60

export type NewMeeting = Period & {
  uid: string
  title: string
  /** Whether the room itself has the meeting, so that nobody can be told that it is declined. */
  isOwn: boolean
}

const toGraphTime = (instant: string) => ({
  dateTime: `${new Date(instant).toISOString().slice(0, 19)}.0000000`,
  timeZone: 'UTC',
})
const toGoogleTime = (instant: string) => ({ dateTime: new Date(instant).toISOString(), timeZone: ZONE })
const toIcsTime = (instant: string) =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

const graphPerson = (address: string, type = 'required') => ({
  emailAddress: { address, name: address },
  type,
  status: { response: 'none' },
})

type Edits = {
  add(room: string, meeting: NewMeeting): Promise<void>
  /** Replaces all attendees of an entry. */
  setAttendees(room: string, id: string, addresses: string[]): Promise<void>
}

const editGraph = (server: GraphServer): Edits => ({
  async add(room, { uid, title, from, to, isOwn }) {
    const address = isOwn ? room : 'ann@corp.test'
    server.addEvent(room, {
      subject: title,
      iCalUId: uid,
      start: toGraphTime(from),
      end: toGraphTime(to),
      isOrganizer: isOwn,
      organizer: { emailAddress: { address, name: 'Ann' } },
      attendees: isOwn ? [] : [graphPerson('bob@corp.test'), graphPerson(room, 'resource')],
    })
  },
  async setAttendees(room, id, addresses) {
    const attendees = addresses.map((each) => graphPerson(each, each === room ? 'resource' : 'required'))
    server.changeEvent(room, id, { attendees })
  },
})

const editGoogle = (server: GoogleServer): Edits => ({
  async add(room, { uid, title, from, to, isOwn }) {
    server.addEvent(room, {
      summary: title,
      iCalUID: uid,
      start: toGoogleTime(from),
      end: toGoogleTime(to),
      organizer: { email: isOwn ? room : 'ann@corp.test' },
      ...(!isOwn && { attendees: [{ email: 'bob@corp.test' }, { email: room }] }),
    })
  },
  async setAttendees(room, id, addresses) {
    server.changeEvent(room, id, { attendees: addresses.map((email) => ({ email })) })
  },
})

const editCalDav = (server: Radicale): Edits => ({
  async add(room, { uid, title, from, to, isOwn }) {
    const people = ['ORGANIZER;CN=Ann:mailto:ann@corp.test', 'ATTENDEE;CN=Bob:mailto:bob@corp.test']
    const lines = [`UID:${uid}`, `SUMMARY:${title}`, `DTSTART:${toIcsTime(from)}`, `DTEND:${toIcsTime(to)}`]
    await server.put(`${room}${uid}.ics`, createIcs([...lines, ...(isOwn ? [] : people)]))
  },
  // Its entries are edited as whole files, which other edits do.
  setAttendees: async () => undefined,
})

/** The calendars of two rooms at a provider. Its edits do not pass the proxy, so that no fault meets them. */
export class OutsideCalendars {
  readonly calendars: Calendar[]
  readonly #world: AnyWorld
  readonly #provider: CalendarProvider
  readonly #edits: Edits

  constructor(world: AnyWorld) {
    const { server, provider } = world
    this.#world = world
    this.#provider = world.createProvider({ url: server.url })
    const isCalDav = provider.name === 'caldav'
    this.calendars = [
      world.calendar,
      { id: isCalDav ? world.calendar.id.replace(/[^/]+\/$/, 'balcony/') : SECOND_ROOM, zone: ZONE },
    ]
    this.#edits =
      provider.name === 'microsoft'
        ? editGraph(server as GraphServer)
        : provider.name === 'google'
          ? editGoogle(server as GoogleServer)
          : editCalDav(server as Radicale)
  }

  #calendar(room: number): Calendar {
    const calendar = this.calendars[room]
    if (!calendar) throw new Error(`There is no room ${room}`)
    return calendar
  }

  /** All entries of a room that take its time. */
  async list(room: number): Promise<CalendarEntry[]> {
    const period = {
      from: new Date(Date.now() - DAY_MS).toISOString(),
      to: new Date(Date.now() + DAYS_AHEAD * DAY_MS).toISOString(),
    }
    const found = new Map<string, CalendarEntry>()
    for (let position: string | null = null, hasMore = true; hasMore; ) {
      const page = await this.#provider.listChanges(this.#calendar(room), position, period)
      // Somebody else has made the server forget all positions.
      if ('isExpired' in page) return this.list(room)
      // Several pages may have the same series.
      for (const each of page.changed) found.set(each.id, each)
      position = page.position
      hasMore = page.hasMore
    }
    const isLive = ({ isCancelled, isDeclined, isFree }: CalendarEntry) =>
      !isCancelled && !isDeclined && !isFree
    return [...found.values()].filter(isLive).sort((one, other) => one.from.localeCompare(other.from))
  }

  async add(rooms: number[], meeting: NewMeeting) {
    for (const room of rooms) await this.#edits.add(this.#calendar(room).id, meeting)
  }

  /** A weekly meeting in the first room. */
  async addSeries(title: string, local: string, count: number) {
    await this.#world.addSeries(title, local, count)
  }

  /** Replaces the people of an entry. The room stays invited, unless it is the organizer. */
  async setPeople(room: number, { id, key, organizer }: CalendarEntry, people: string[]) {
    if (key !== null) return
    const { id: calendar } = this.#calendar(room)
    const addresses = organizer?.address === calendar ? people : [...people, calendar]
    await this.#unlessGone(this.#edits.setAttendees(calendar, id, addresses))
  }

  async move(room: number, { id, version }: CalendarEntry, period: Period) {
    await this.#unlessGone(this.#provider.changeEntry(this.#calendar(room), id, version, period))
  }

  async remove(room: number, { id }: CalendarEntry) {
    await this.#unlessGone(this.#provider.cancelEntry(this.#calendar(room), id))
  }

  /** Berth may have changed or removed the entry since it was listed: then the person would see that, and give up. */
  async #unlessGone(edit: Promise<unknown>) {
    await edit.catch((error) => {
      const isGone =
        isFault(error, 'conflict', 'not_found', 'gone') || /not found|Not Found/.test(String(error))
      if (!isGone) throw error
    })
  }

  close() {
    this.#provider.close()
  }
}
