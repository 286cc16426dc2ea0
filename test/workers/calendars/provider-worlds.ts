// One calendar at each provider, with the same actions of somebody who edits it there.

import { ReachableNetworks } from '../../../shared/networks/reachable-networks.ts'
import { CalDavProvider } from '../../../shared/room-calendars/providers/caldav.ts'
import { GoogleProvider } from '../../../shared/room-calendars/providers/google.ts'
import { MicrosoftProvider } from '../../../shared/room-calendars/providers/microsoft.ts'
import type { Calendar, CalendarProvider } from '../../../shared/room-calendars/providers/provider.ts'
import type { Limits } from '../../../shared/room-calendars/providers/requests.ts'
import { fromWallClock } from '../../../shared/schemas/wall-clock.ts'
import {
  type CalDavServer,
  RADICALE_PASSWORD,
  RADICALE_USER,
  Radicale,
} from '../../support/calendars/caldav-servers.ts'
import { GoogleServer } from '../../support/calendars/google-server.ts'
import { GraphServer } from '../../support/calendars/graph-server.ts'
import { type FaultProxy, startFaultProxy } from '../../support/calendars/http.ts'
import { testPrivateKey } from '../../support/calendars/test-keys.ts'

export const ZONE = 'Europe/Berlin'
export const ROOM = 'aquarium@rooms.test'
const WEEK_MS = 7 * 24 * 3_600_000

export type Meeting = { title: string; from: string; to: string; isPrivate?: boolean; isFree?: boolean }
export type ProviderOptions = { limits?: Limits; allowed?: string[]; isRefused?: boolean; url?: string }

export type ProviderWorld = {
  provider: CalendarProvider
  calendar: Calendar
  proxy: FaultProxy
  createProvider(options: ProviderOptions): CalendarProvider
  addMeeting(meeting: Meeting): Promise<string>
  addAllDay(title: string, from: string, to: string): Promise<string>
  /** A weekly meeting of an hour, from a local time such as 2026-10-20T09:00. Returns the id of the series. */
  addSeries(title: string, local: string, count: number): Promise<string>
  move(id: string, from: string, to: string): Promise<void>
  remove(id: string): Promise<void>
  moveOccurrence(seriesId: string, index: number, from: string, to: string): Promise<void>
  cancelOccurrence(seriesId: string, index: number): Promise<void>
  forgetPositions(): void
  countEntries(): Promise<number>
  close(): Promise<void>
}

/** The starts of a weekly meeting at a local time. */
function listStarts(local: string, count: number): string[] {
  const first = Date.parse(`${local}:00Z`)
  return Array.from({ length: count }, (_each, week) => fromWallClock(first + week * WEEK_MS, ZONE))
}
const addHour = (instant: string) => new Date(Date.parse(instant) + 3_600_000).toISOString()
const networksOf = (allowed = ['127.0.0.1']) => new ReachableNetworks(allowed)

const toGraphTime = (instant: string) => ({
  dateTime: `${new Date(instant).toISOString().slice(0, 19)}.0000000`,
  timeZone: 'UTC',
})

type MicrosoftWorld = ProviderWorld & { server: GraphServer }

export async function openMicrosoft(): Promise<MicrosoftWorld> {
  const server = await new GraphServer().start()
  server.addRoom(ROOM, 'Aquarium', 8)
  for (const name of ['Balcony', 'Cellar', 'Den']) server.addRoom(`${name.toLowerCase()}@rooms.test`, name, 4)
  const proxy = await startFaultProxy(server.url)
  const createProvider = ({ limits, allowed, isRefused, url = proxy.url }: ProviderOptions) =>
    new MicrosoftProvider({
      credentials: {
        tenant: 'tenant',
        clientId: 'client',
        clientSecret: isRefused ? 'wrong' : server.secret,
      },
      networks: networksOf(allowed),
      graphUrl: url,
      loginUrl: url,
      ...(limits && { limits }),
    })
  const provider = createProvider({})
  const times = (from: string, to: string) => ({ start: toGraphTime(from), end: toGraphTime(to) })
  const occurrence = (seriesId: string, index: number) => {
    const all = server.listOccurrences(ROOM, seriesId)
    return all[index]?.id ?? ''
  }
  return {
    server,
    provider,
    proxy,
    createProvider,
    calendar: { id: ROOM, zone: ZONE },
    addMeeting: async ({ title, from, to, isPrivate, isFree }) =>
      server.addEvent(ROOM, {
        subject: title,
        ...times(from, to),
        sensitivity: isPrivate ? 'private' : 'normal',
        showAs: isFree ? 'free' : 'busy',
        transactionId: 'localevent:1c2b',
        organizer: { emailAddress: { address: 'ann@corp.test', name: 'Ann' } },
        attendees: [
          {
            emailAddress: { address: 'bob@corp.test', name: 'Bob' },
            type: 'required',
            status: { response: 'accepted' },
          },
          {
            emailAddress: { address: ROOM, name: 'Aquarium' },
            type: 'resource',
            status: { response: 'none' },
          },
        ],
      }).id,
    addAllDay: async (title, from, to) =>
      server.addEvent(ROOM, {
        subject: title,
        isAllDay: true,
        originalStartTimeZone: 'W. Europe Standard Time',
        start: { dateTime: `${from}T00:00:00.0000000`, timeZone: 'UTC' },
        end: { dateTime: `${to}T00:00:00.0000000`, timeZone: 'UTC' },
      }).id,
    addSeries: async (subject, local, count) =>
      server.addSeries(
        ROOM,
        { subject },
        listStarts(local, count).map((start) => [toGraphTime(start), toGraphTime(addHour(start))]),
      ).id,
    move: async (id, from, to) => server.changeEvent(ROOM, id, times(from, to)),
    remove: async (id) => server.deleteEvent(ROOM, id),
    moveOccurrence: async (series, index, from, to) =>
      server.changeEvent(ROOM, occurrence(series, index), times(from, to)),
    cancelOccurrence: async (series, index) => server.deleteEvent(ROOM, occurrence(series, index)),
    forgetPositions: server.expireDeltaLinks,
    countEntries: async () => server.countEvents(ROOM),
    async close() {
      provider.close()
      await proxy.close()
      await server.close()
    },
  }
}

type GoogleWorld = ProviderWorld & { server: GoogleServer }

export async function openGoogle(): Promise<GoogleWorld> {
  const server = await new GoogleServer().start()
  server.addRoom(ROOM, 'Aquarium', 8)
  for (const name of ['Balcony', 'Cellar', 'Den']) server.addRoom(`${name.toLowerCase()}@rooms.test`, name, 4)
  server.addRoom('projector@rooms.test', 'Projector', 0, 'OTHER')
  const proxy = await startFaultProxy(server.url)
  const createProvider = ({ limits, allowed, isRefused, url = proxy.url }: ProviderOptions) =>
    new GoogleProvider({
      credentials: {
        clientEmail: isRefused ? 'somebody@else.test' : server.clientEmail,
        privateKey: testPrivateKey,
        privateKeyId: 'key1',
        subject: 'admin@corp.test',
      },
      networks: networksOf(allowed),
      apiUrl: url,
      directoryUrl: url,
      tokenUrl: `${url}/token`,
      ...(limits && { limits }),
    })
  const provider = createProvider({})
  const times = (from: string, to: string) => ({
    start: { dateTime: new Date(from).toISOString(), timeZone: ZONE },
    end: { dateTime: new Date(to).toISOString(), timeZone: ZONE },
  })
  const originals = new Map<string, string[]>()
  const instance = (seriesId: string, index: number) => {
    const ids = originals.get(seriesId) ?? []
    const alive = server.listInstances(ROOM, seriesId).map(({ id }) => id)
    return ids.filter((id) => alive.includes(id))[index] ?? ''
  }
  return {
    server,
    provider,
    proxy,
    createProvider,
    calendar: { id: ROOM, zone: ZONE },
    addMeeting: async ({ title, from, to, isPrivate, isFree }) =>
      server.addEvent(ROOM, {
        summary: title,
        ...times(from, to),
        visibility: isPrivate ? 'private' : 'default',
        transparency: isFree ? 'transparent' : 'opaque',
        organizer: { email: 'ann@corp.test', displayName: 'Ann' },
        attendees: [
          { email: 'bob@corp.test', displayName: 'Bob', responseStatus: 'accepted' },
          { email: ROOM, displayName: 'Aquarium' },
        ],
      }).id,
    addAllDay: async (summary, from, to) =>
      server.addEvent(ROOM, { summary, start: { date: from }, end: { date: to } }).id,
    addSeries: async (summary, local, count) => {
      const starts = listStarts(local, count)
      const series = server.addSeries(
        ROOM,
        { summary },
        starts.map((start) => [times(start, start).start, times(start, addHour(start)).end]),
      )
      originals.set(
        series,
        server.listInstances(ROOM, series).map(({ id }) => id),
      )
      return series
    },
    move: async (id, from, to) => server.changeEvent(ROOM, id, times(from, to)),
    remove: async (id) => server.deleteEvent(ROOM, id),
    moveOccurrence: async (series, index, from, to) =>
      server.changeEvent(ROOM, instance(series, index), times(from, to)),
    cancelOccurrence: async (series, index) => server.deleteEvent(ROOM, instance(series, index)),
    forgetPositions: server.expireSyncTokens,
    countEntries: async () => server.countEvents(ROOM),
    async close() {
      provider.close()
      await proxy.close()
      await server.close()
    },
  }
}

type CalDavWorld<Server> = ProviderWorld & { server: Server }
/** A series as the test keeps it: what is left of its occurrences, by their original start. */
type Series = {
  title: string
  local: string
  count: number
  left: Map<string, { from: string; to: string }>
  gone: string[]
}

const toUtcText = (instant: string) =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

export const createIcs = (...events: string[][]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN']
    .concat(events.flatMap((lines) => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT']))
    .concat('END:VCALENDAR', '')
    .join('\r\n')

export async function openCalDav(): Promise<CalDavWorld<Radicale>> {
  const world = await openCalDavWith(new Radicale())
  return { ...world, forgetPositions: () => world.server.forgetTokens() }
}

export async function openCalDavWith<Server extends CalDavServer>(
  server: Server,
): Promise<CalDavWorld<Server>> {
  await server.start()
  const path = await server.addCalendar(ROOM, 'Aquarium')
  for (const name of ['Balcony', 'Cellar', 'Den']) await server.addCalendar(name.toLowerCase(), name)
  const proxy = await startFaultProxy(server.url)
  const createProvider = ({ limits, allowed, isRefused, url = proxy.url }: ProviderOptions) =>
    new CalDavProvider({
      url: `${url}/`,
      user: RADICALE_USER,
      password: isRefused ? 'wrong' : RADICALE_PASSWORD,
      networks: networksOf(allowed),
      ...(limits && { limits }),
    })
  const provider = createProvider({})
  const meetings = new Map<string, string[]>()
  const series = new Map<string, Series>()
  let number = 0
  const putMeeting = async (href: string, lines: string[], from: string, to: string) => {
    meetings.set(href, lines)
    await server.put(href, createIcs([...lines, `DTSTART:${toUtcText(from)}`, `DTEND:${toUtcText(to)}`]))
  }
  const putSeries = async (href: string) => {
    const { title, local, count, left, gone } = series.get(href) as Series
    const start = `${local.replaceAll(/[-:]/g, '')}00`
    const end = `${new Date(Date.parse(`${local}:00Z`) + 3_600_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`
    const master = [
      `UID:${href}`,
      `SUMMARY:${title}`,
      `DTSTART;TZID=${ZONE}:${start}`,
      `DTEND;TZID=${ZONE}:${end}`,
      `RRULE:FREQ=WEEKLY;COUNT=${count}`,
      ...gone.map((each) => `EXDATE:${toUtcText(each)}`),
    ]
    const moved = [...left].filter(
      ([original, { from, to }]) => from !== original || to !== addHour(original),
    )
    const exceptions = moved.map(([original, { from, to }]) => [
      `UID:${href}`,
      `SUMMARY:${title}`,
      `RECURRENCE-ID:${toUtcText(original)}`,
      `DTSTART:${toUtcText(from)}`,
      `DTEND:${toUtcText(to)}`,
    ])
    await server.put(href, createIcs(master, ...exceptions))
  }
  return {
    server,
    provider,
    proxy,
    createProvider,
    calendar: { id: path, zone: ZONE },
    async addMeeting({ title, from, to, isPrivate, isFree }) {
      const href = `${path}meeting-${++number}.ics`
      const lines = [
        `UID:meeting-${number}`,
        `SUMMARY:${title}`,
        `CLASS:${isPrivate ? 'PRIVATE' : 'PUBLIC'}`,
        `TRANSP:${isFree ? 'TRANSPARENT' : 'OPAQUE'}`,
        'ORGANIZER;CN=Ann:mailto:ann@corp.test',
        'ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED:mailto:bob@corp.test',
        `ATTENDEE;CN=Aquarium;CUTYPE=ROOM;PARTSTAT=NEEDS-ACTION:mailto:${ROOM}`,
      ]
      await putMeeting(href, lines, from, to)
      return href
    },
    async addAllDay(title, from, to) {
      const href = `${path}day-${++number}.ics`
      const date = (text: string) => text.replaceAll('-', '')
      await server.put(
        href,
        createIcs([
          `UID:day-${number}`,
          `SUMMARY:${title}`,
          `DTSTART;VALUE=DATE:${date(from)}`,
          `DTEND;VALUE=DATE:${date(to)}`,
        ]),
      )
      return href
    },
    async addSeries(title, local, count) {
      const href = `${path}series-${++number}.ics`
      const left = new Map(listStarts(local, count).map((from) => [from, { from, to: addHour(from) }]))
      series.set(href, { title, local, count, left, gone: [] })
      await putSeries(href)
      return href
    },
    move: (id, from, to) => putMeeting(id, meetings.get(id) ?? [], from, to),
    remove: (id) => server.request('DELETE', id).then(() => undefined),
    async moveOccurrence(id, index, from, to) {
      const { left } = series.get(id) as Series
      left.set([...left.keys()][index] ?? '', { from, to })
      await putSeries(id)
    },
    async cancelOccurrence(id, index) {
      const { left, gone } = series.get(id) as Series
      const original = [...left.keys()][index] ?? ''
      left.delete(original)
      gone.push(original)
      await putSeries(id)
    },
    forgetPositions: () => {
      throw new Error('This server cannot be made to forget positions')
    },
    async countEntries() {
      const text = await server.request('PROPFIND', path, undefined, { Depth: '1' })
      return (text.match(/\.ics<\/(?:\w+:)?href>/g) ?? []).length
    },
    async close() {
      provider.close()
      await proxy.close()
      await server.close()
    },
  }
}
