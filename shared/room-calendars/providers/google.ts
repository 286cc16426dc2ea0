// Google Workspace: calendars of rooms and people through the Calendar API v3, and rooms through the Directory API.

import { randomUUID } from 'node:crypto'
import type { ReachableNetworks } from '../../networks/reachable-networks.ts'
import { createGoogleWatchId, readGoogleNotification } from '../notifications.ts'
import type { GoogleCredentials } from './credentials.ts'
import { overlaps } from './entry-times.ts'
import { CALENDAR_SCOPE, GoogleClients, ROOMS_SCOPE } from './google-clients.ts'
import {
  createGoogleId,
  findOwnAttendee,
  fromGoogleEvent,
  type GoogleAttendee,
  type GoogleEvent,
  toGoogleAttendees,
  toGoogleEvent,
  toGoogleTimes,
} from './google-entries.ts'
import {
  type Calendar,
  type CalendarEntry,
  type CalendarProvider,
  type ChangePage,
  type EntryChange,
  type EntryContent,
  type ExpiredPosition,
  type Period,
  ProviderFault,
  type RoomPage,
  type Watch,
} from './provider.ts'
import {
  createFault,
  type FaultBody,
  type HttpAnswer,
  HttpClient,
  type Limits,
  type ObserveRequest,
  orElse,
  parseJson,
  readJson,
  THROTTLED_REASONS,
} from './requests.ts'

const API_URL = 'https://www.googleapis.com'
const DIRECTORY_URL = 'https://admin.googleapis.com'
const PAGE_ENTRIES = 250
const ROOMS_PER_PAGE = 500
const ROLES_WITHOUT_WRITING = ['none', 'freeBusyReader', 'reader']
const WATCH_SECONDS = 7 * 24 * 3_600

export type GoogleOptions = {
  credentials: GoogleCredentials
  networks: ReachableNetworks
  apiUrl?: string
  directoryUrl?: string
  tokenUrl?: string
  limits?: Limits
  observe?: ObserveRequest
}

type EventList = {
  items?: GoogleEvent[]
  nextPageToken?: string
  nextSyncToken?: string
  accessRole?: string
}
type GoogleRoom = {
  resourceEmail?: string
  resourceName?: string
  generatedResourceName?: string
  capacity?: number
  resourceCategory?: string
}
type Channel = { id: string; resourceId: string; expiration?: string }
/** What the last answer gave to go on with. The parameters of all calls of a round must be the same. */
type Position = Period & { syncToken?: string; pageToken?: string }
type CallOptions = { body?: object; version?: string; permission?: string; calendar?: Calendar }

export class GoogleProvider implements CalendarProvider {
  readonly name = 'google'
  readonly #clients: GoogleClients
  readonly #http: HttpClient
  readonly #calendarsUrl: string
  readonly #roomsUrl: string

  constructor({
    credentials,
    networks,
    apiUrl = API_URL,
    directoryUrl = DIRECTORY_URL,
    tokenUrl,
    limits,
    observe,
  }: GoogleOptions) {
    this.#http = new HttpClient(networks, limits, observe)
    this.#calendarsUrl = `${apiUrl}/calendar/v3`
    this.#roomsUrl = `${directoryUrl}/admin/directory/v1/customer/my_customer/resources/calendars`
    this.#clients = new GoogleClients(this.#http.send, credentials, tokenUrl)
  }

  async listRooms(page: string | null): Promise<RoomPage> {
    const query = new URLSearchParams({
      maxResults: String(ROOMS_PER_PAGE),
      ...(page && { pageToken: page }),
    })
    const found = await this.#call<{ items?: GoogleRoom[]; nextPageToken?: string }>(
      'GET',
      `${this.#roomsUrl}?${query}`,
      { permission: ROOMS_SCOPE },
    )
    const rooms = (found.items ?? []).flatMap((room) =>
      // The list has projectors and cars as well.
      room.resourceEmail && room.resourceCategory !== 'OTHER'
        ? [
            {
              calendar: room.resourceEmail,
              address: room.resourceEmail,
              name: room.resourceName ?? room.generatedResourceName ?? room.resourceEmail,
              capacity: room.capacity ?? null,
            },
          ]
        : [],
    )
    return { rooms, next: found.nextPageToken ?? null }
  }

  async listChanges(
    calendar: Calendar,
    position: string | null,
    period: Period,
  ): Promise<ChangePage | ExpiredPosition> {
    const current: Position = position ? JSON.parse(position) : { from: period.from, to: period.to }
    const { from, to, syncToken, pageToken } = current
    const query = new URLSearchParams({
      singleEvents: 'true',
      showDeleted: 'true',
      maxResults: String(PAGE_ENTRIES),
      // Google refuses limits of time beside a sync token.
      ...(syncToken ? { syncToken } : { timeMin: from, timeMax: to }),
      ...(pageToken && { pageToken }),
    })
    const list = this.#call<EventList>('GET', `${this.#events(calendar)}?${query}`)
    const found = await orElse(list, ['gone'], () => undefined)
    if (!found) return { isExpired: true }
    const { nextPageToken, nextSyncToken } = found
    if (!nextPageToken && !nextSyncToken)
      throw new ProviderFault('unavailable', 'Google answered a page of changes without a token.')
    const next: Position = nextPageToken
      ? { ...current, pageToken: nextPageToken }
      : { from, to, ...(nextSyncToken && { syncToken: nextSyncToken }) }
    return {
      ...readChanges(found, calendar, current),
      unreadable: [],
      position: JSON.stringify(next),
      hasMore: nextPageToken !== undefined,
    }
  }

  async mayWrite(calendar: Calendar): Promise<boolean> {
    const query = new URLSearchParams({ singleEvents: 'true', maxResults: '1', fields: 'accessRole' })
    const list = this.#call<EventList>('GET', `${this.#events(calendar)}?${query}`, { calendar })
    const { accessRole } = await list
    return !ROLES_WITHOUT_WRITING.includes(accessRole ?? 'none')
  }

  async getEntry(calendar: Calendar, id: string): Promise<CalendarEntry | undefined> {
    const event = await this.#findEvent(calendar, id)
    return event && fromGoogleEvent(event, calendar)
  }

  #findEvent(calendar: Calendar, id: string): Promise<GoogleEvent | undefined> {
    const event = this.#call<GoogleEvent>('GET', this.#event(calendar, id), { calendar })
    return orElse(event, ['not_found', 'gone'], () => undefined)
  }

  // Google answers an id that was never used as it answers a calendar that does not exist, so the calendar itself is asked for.
  async findEntry(calendar: Calendar, key: string): Promise<CalendarEntry | undefined> {
    const event = await this.#findEvent(calendar, createGoogleId(key))
    if (event) return fromGoogleEvent(event, calendar)
    await this.mayWrite(calendar)
    return undefined
  }

  async createEntry(calendar: Calendar, key: string, content: EntryContent): Promise<CalendarEntry> {
    const created = this.#call<GoogleEvent>('POST', `${this.#events(calendar)}?${mailIf(content)}`, {
      body: toGoogleEvent(content, { key }),
      calendar,
    })
    const event = await orElse(created, ['exists'], async (fault) => {
      // Google keeps the ids of deleted events, and still answers them as cancelled.
      const existing = await this.#findEvent(calendar, createGoogleId(key))
      if (existing) return existing
      throw fault
    })
    return fromGoogleEvent(event, calendar)
  }

  async changeEntry(
    calendar: Calendar,
    id: string,
    version: string,
    change: EntryChange,
  ): Promise<CalendarEntry> {
    const isWritten = 'title' in change
    const present = isWritten && change.attendees.length > 0 ? await this.#listAttendees(calendar, id) : []
    const event = await this.#call<GoogleEvent>('PATCH', `${this.#event(calendar, id)}?sendUpdates=all`, {
      body: isWritten ? toGoogleEvent(change, { present }) : toGoogleTimes(change),
      version,
      calendar,
    })
    return fromGoogleEvent(event, calendar)
  }

  async changeAttendees(
    calendar: Calendar,
    id: string,
    version: string,
    attendees: EntryContent['attendees'],
  ): Promise<CalendarEntry> {
    const body = toGoogleAttendees(attendees, await this.#listAttendees(calendar, id))
    const options = { body, version, calendar }
    const url = `${this.#event(calendar, id)}?sendUpdates=all`
    return fromGoogleEvent(await this.#call<GoogleEvent>('PATCH', url, options), calendar)
  }

  // PATCH replaces the list, so it repeats what Google has of attendees who stay.
  async #listAttendees(calendar: Calendar, id: string): Promise<GoogleAttendee[]> {
    return (await this.#findEvent(calendar, id))?.attendees ?? []
  }

  async cancelEntry(calendar: Calendar, id: string): Promise<void> {
    const deleted = this.#call('DELETE', `${this.#event(calendar, id)}?sendUpdates=all`, { calendar })
    await orElse(deleted, ['not_found', 'gone'], () => undefined)
  }

  async declineEntry(calendar: Calendar, id: string, sentence: string): Promise<'declined' | 'impossible'> {
    const event = await this.#findEvent(calendar, id)
    const own = event && findOwnAttendee(event, calendar)
    if (!event?.attendees || !own || event.status === 'cancelled') return 'impossible'
    if (own.responseStatus === 'declined') return 'declined'
    // PATCH replaces lists, so it takes all attendees. The version keeps an attendee who comes in between.
    const attendees = event.attendees.map((each) =>
      each === own ? { ...each, responseStatus: 'declined', comment: sentence } : each,
    )
    await this.#call('PATCH', `${this.#event(calendar, id)}?sendUpdates=all`, {
      body: { attendees },
      ...(event.etag && { version: event.etag }),
    })
    return 'declined'
  }

  async watch(calendar: Calendar, address: string, secret: string): Promise<Watch> {
    const channel = await this.#call<Channel>('POST', `${this.#events(calendar)}/watch`, {
      body: {
        id: randomUUID(),
        type: 'web_hook',
        address,
        token: secret,
        params: { ttl: String(WATCH_SECONDS) },
      },
    })
    const expiresAtMs = Number(channel.expiration) || Date.now() + WATCH_SECONDS * 1_000
    return {
      id: createGoogleWatchId(channel.id, channel.resourceId),
      expiresAt: new Date(expiresAtMs).toISOString(),
    }
  }

  /** Google cannot renew a channel: a new one takes its place. Until the caller ends the former one, both notify. */
  renew(_watch: Watch, calendar: Calendar, address: string, secret: string): Promise<Watch> {
    return this.watch(calendar, address, secret)
  }

  async unwatch(watch: Watch): Promise<void> {
    const [id, resourceId] = watch.id.split(' ')
    const stopped = this.#call('POST', `${this.#calendarsUrl}/channels/stop`, { body: { id, resourceId } })
    await orElse(stopped, ['not_found', 'gone'], () => undefined)
  }

  readonly readNotification = readGoogleNotification

  close() {
    this.#http.close()
  }

  #events({ id }: Calendar): string {
    return `${this.#calendarsUrl}/calendars/${encodeURIComponent(id)}/events`
  }

  #event(calendar: Calendar, id: string): string {
    return `${this.#events(calendar)}/${encodeURIComponent(id)}`
  }

  async #call<Value>(
    method: string,
    url: string,
    { body, version, permission = CALENDAR_SCOPE, calendar }: CallOptions = {},
  ): Promise<Value> {
    const request = {
      method,
      url,
      headers: {
        Accept: 'application/json',
        ...(body && { 'Content-Type': 'application/json' }),
        ...(version && { 'If-Match': version }),
      },
      ...(body && { body: JSON.stringify(body) }),
      person: calendar?.isPersonal ? calendar.id : undefined,
    }
    const answer = await this.#clients.send(request, calendar)
    if (answer.status < 200 || answer.status > 299)
      throw createFault(request, answer, (failed) => readGoogleFault(failed, permission))
    return answer.text === '' ? (undefined as Value) : readJson<Value>(answer)
  }
}

// After the first round, Google also reports events outside the period.
function readChanges(
  { items = [] }: EventList,
  calendar: Calendar,
  period: Period,
): Pick<ChangePage, 'changed' | 'removed'> {
  const removed: string[] = []
  const changed: CalendarEntry[] = []
  for (const event of items) {
    const entry = event.status === 'cancelled' ? undefined : fromGoogleEvent(event, calendar)
    if (entry && overlaps(entry, period)) changed.push(entry)
    else removed.push(event.id)
  }
  return { changed, removed }
}

// Google mails attendees only if it is asked to. An entry without attendees has nobody to tell.
const mailIf = ({ attendees }: EntryContent) =>
  new URLSearchParams({ sendUpdates: attendees.length > 0 ? 'all' : 'none' })

type GoogleError = { message?: unknown; errors?: Array<{ reason?: unknown }>; status?: unknown }

function readGoogleFault({ text }: HttpAnswer, permission: string): FaultBody {
  const { error } = (parseJson(text) ?? {}) as { error?: GoogleError }
  const reason = Array.isArray(error?.errors) ? error.errors[0]?.reason : undefined
  const code = typeof reason === 'string' ? reason : undefined
  return {
    permission,
    ...(code && { code, isOfProvider: THROTTLED_REASONS.includes(code) }),
    ...(typeof error?.message === 'string' && { text: error.message }),
  }
}
