// Microsoft 365: calendars of rooms and people through Graph v1.0.
import type { ReachableNetworks } from '../../networks/reachable-networks.ts'
import { readMicrosoftNotification } from '../notifications.ts'
import { AuthorizedClient, createMicrosoftTokens, type MicrosoftCredentials } from './credentials.ts'
import {
  fromGraphEvent,
  type GraphEvent,
  type GraphPerson,
  OWN_KEY_PROPERTY,
  toGraphAttendees,
  toGraphEvent,
  toGraphTimes,
} from './microsoft-entries.ts'
import { readGraphFault } from './microsoft-faults.ts'
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
import { createFault, HttpClient, type Limits, type ObserveRequest, orElse, readJson } from './requests.ts'

const GRAPH_URL = 'https://graph.microsoft.com'
const PAGE_ENTRIES = 50
const ROOMS_PER_PAGE = 100
const INSTANCES_PER_PAGE = 200
// A daily meeting has 366 occurrences a year.
const INSTANCE_PAGES_MAX = 20
// An id has some 150 characters, and a position may have some 100 kB. Other series are read for each page that has their dates.
const KNOWN_SERIES_MAX = 500
// Graph allows subscriptions to events for less than seven days.
const WATCH_MS = 6 * 24 * 3_600_000
const PREFER = [
  'outlook.timezone="UTC"',
  'outlook.body-content-type="text"',
  'IdType="ImmutableId"',
  `odata.maxpagesize=${PAGE_ENTRIES}`,
].join(', ')

export type MicrosoftOptions = {
  credentials: MicrosoftCredentials
  networks: ReachableNetworks
  graphUrl?: string
  loginUrl?: string
  limits?: Limits
  observe?: ObserveRequest
}

type GraphPage<Value> = { value?: Value[]; '@odata.nextLink'?: string; '@odata.deltaLink'?: string }
type GraphRoom = { emailAddress?: string; displayName?: string; capacity?: number | null }
/** The link of a round of changes, the period that the round began with, and the series that Berth has read for earlier pages. */
type Position = Period & { link: string; series?: string[] }
type CallOptions = { body?: object; version?: string; permission?: string; calendar?: Calendar }

export class MicrosoftProvider implements CalendarProvider {
  readonly name = 'microsoft'
  readonly #client: AuthorizedClient
  readonly #http: HttpClient
  readonly #baseUrl: string

  constructor({ credentials, networks, graphUrl = GRAPH_URL, loginUrl, limits, observe }: MicrosoftOptions) {
    this.#http = new HttpClient(networks, limits, observe)
    this.#baseUrl = `${graphUrl}/v1.0`
    this.#client = new AuthorizedClient(
      this.#http.send,
      createMicrosoftTokens(this.#http.send, credentials, { graphUrl, ...(loginUrl && { loginUrl }) }),
    )
  }

  async listRooms(page: string | null): Promise<RoomPage> {
    const first = `${this.#baseUrl}/places/microsoft.graph.room?$top=${ROOMS_PER_PAGE}`
    const found = await this.#get<GraphPage<GraphRoom>>(page ?? first, { permission: 'Place.Read.All' })
    const rooms = (found.value ?? []).flatMap(({ emailAddress, displayName, capacity }) =>
      emailAddress
        ? [
            {
              calendar: emailAddress,
              address: emailAddress,
              name: displayName ?? emailAddress,
              capacity: capacity ?? null,
            },
          ]
        : [],
    )
    return { rooms, next: found['@odata.nextLink'] ?? null }
  }

  async listChanges(
    calendar: Calendar,
    position: string | null,
    period: Period,
  ): Promise<ChangePage | ExpiredPosition> {
    const current: Position = position ? JSON.parse(position) : this.#startRound(calendar, period)
    const found = await orElse(this.#get<GraphPage<GraphEvent>>(current.link), ['gone'], () => undefined)
    if (!found) return { isExpired: true }
    const link = found['@odata.nextLink'] ?? found['@odata.deltaLink']
    if (!link) throw new ProviderFault('unavailable', 'Microsoft answered a page of changes without a link.')
    const hasMore = found['@odata.nextLink'] !== undefined
    const known = new Set(current.series)
    const { series, ...changes } = await this.#readChanges(calendar, found.value ?? [], current, known)
    const { from, to } = current
    const read = hasMore ? [...new Set([...known, ...series])].slice(0, KNOWN_SERIES_MAX) : []
    const next: Position = { from, to, link, ...(read.length > 0 && { series: read }) }
    return { ...changes, unreadable: [], position: JSON.stringify(next), hasMore }
  }

  #startRound(calendar: Calendar, { from, to }: Period): Position {
    const query = new URLSearchParams({ startDateTime: from, endDateTime: to })
    return { link: `${this.#mailbox(calendar)}/calendarView/delta?${query}`, from, to }
  }

  // Graph reports an occurrence of a series with its times alone, and a deleted occurrence not at all. So each series of
  // a page is read as a whole. The occurrences of a daily series fill many pages: `known` has the series that need not be read
  // again. Graph reports a series itself if it changes meanwhile.
  async #readChanges(
    calendar: Calendar,
    events: GraphEvent[],
    period: Period,
    known: Set<string>,
  ): Promise<Pick<ChangePage, 'changed' | 'removed'> & { series: Set<string> }> {
    const removed = new Set<string>()
    const series = new Set<string>()
    const changed: CalendarEntry[] = []
    for (const event of events) {
      if (event['@removed']) removed.add(event.id)
      else if (event.type === 'seriesMaster') series.add(event.id)
      else if (event.seriesMasterId) {
        if (!known.has(event.seriesMasterId)) series.add(event.seriesMasterId)
      } else changed.push(fromGraphEvent(event, calendar))
    }
    for (const id of series) {
      removed.add(id)
      const instances = await orElse(this.#listInstances(calendar, id, period), ['not_found'], () => [])
      changed.push(...instances.map((event) => fromGraphEvent(event, calendar)))
    }
    return { changed, removed: [...removed], series }
  }

  async #listInstances(calendar: Calendar, seriesId: string, { from, to }: Period): Promise<GraphEvent[]> {
    const query = new URLSearchParams({
      startDateTime: from,
      endDateTime: to,
      $top: String(INSTANCES_PER_PAGE),
    })
    const found: GraphEvent[] = []
    let link: string | undefined = `${this.#event(calendar, seriesId)}/instances?${query}`
    for (let page = 0; link && page < INSTANCE_PAGES_MAX; page++) {
      const answer: GraphPage<GraphEvent> = await this.#get(link)
      found.push(...(answer.value ?? []))
      link = answer['@odata.nextLink']
    }
    return found
  }

  async getEntry(calendar: Calendar, id: string): Promise<CalendarEntry | undefined> {
    const event = await this.#findEvent(calendar, id)
    return event && fromGraphEvent(event, calendar)
  }

  #findEvent(calendar: Calendar, id: string): Promise<GraphEvent | undefined> {
    const event = this.#get<GraphEvent>(this.#event(calendar, id), { calendar })
    return orElse(event, ['not_found'], () => undefined)
  }

  async findEntry(calendar: Calendar, key: string): Promise<CalendarEntry | undefined> {
    const event = await this.#findByKey(calendar, key)
    return event && fromGraphEvent(event, calendar)
  }

  // Graph does not say for how long it recognizes a transactionId, so an entry of the same key is looked for first. The
  // transactionId covers two requests at the same time.
  async createEntry(calendar: Calendar, key: string, content: EntryContent): Promise<CalendarEntry> {
    const former = await this.#findByKey(calendar, key)
    if (former) return fromGraphEvent(former, calendar)
    const event = await orElse(
      this.#call<GraphEvent>('POST', `${this.#mailbox(calendar)}/events`, {
        body: toGraphEvent(content, { key }),
        calendar,
      }),
      ['exists'],
      async (fault) => {
        const existing = await this.#findByKey(calendar, key)
        if (existing) return existing
        throw fault
      },
    )
    return fromGraphEvent(event, calendar)
  }

  async #findByKey(calendar: Calendar, key: string): Promise<GraphEvent | undefined> {
    const value = key.replaceAll("'", "''")
    const filter = `singleValueExtendedProperties/Any(ep: ep/id eq '${OWN_KEY_PROPERTY}' and ep/value eq '${value}')`
    const query = new URLSearchParams({ $filter: filter, $top: '1' })
    const found = await this.#get<GraphPage<GraphEvent>>(`${this.#mailbox(calendar)}/events?${query}`, {
      calendar,
    })
    return found.value?.[0]
  }

  async changeEntry(
    calendar: Calendar,
    id: string,
    version: string,
    change: EntryChange,
  ): Promise<CalendarEntry> {
    const isWritten = 'title' in change
    const present = isWritten && change.attendees.length > 0 ? await this.#listAttendees(calendar, id) : []
    const body = isWritten ? toGraphEvent(change, { present }) : toGraphTimes(change)
    const options = { body, version, calendar }
    return fromGraphEvent(await this.#call('PATCH', this.#event(calendar, id), options), calendar)
  }

  async changeAttendees(
    calendar: Calendar,
    id: string,
    version: string,
    attendees: EntryContent['attendees'],
  ): Promise<CalendarEntry> {
    const body = toGraphAttendees(attendees, await this.#listAttendees(calendar, id))
    const options = { body, version, calendar }
    return fromGraphEvent(await this.#call('PATCH', this.#event(calendar, id), options), calendar)
  }

  // PATCH replaces the list, so it repeats what Graph has of attendees who stay.
  async #listAttendees(calendar: Calendar, id: string): Promise<GraphPerson[]> {
    return (await this.#findEvent(calendar, id))?.attendees ?? []
  }

  async cancelEntry(calendar: Calendar, id: string): Promise<void> {
    await orElse(
      this.#call('DELETE', this.#event(calendar, id), { calendar }),
      ['not_found'],
      () => undefined,
    )
  }

  async declineEntry(calendar: Calendar, id: string, sentence: string): Promise<'declined' | 'impossible'> {
    const event = await this.#findEvent(calendar, id)
    if (!event || event.isOrganizer) return 'impossible'
    // Graph refuses a response that the organizer has not asked for.
    const body = { comment: sentence, sendResponse: event.responseRequested !== false }
    await this.#call('POST', `${this.#event(calendar, id)}/decline`, { body })
    return 'declined'
  }

  async watch(calendar: Calendar, address: string, secret: string): Promise<Watch> {
    const body = {
      changeType: 'created,updated,deleted',
      notificationUrl: address,
      lifecycleNotificationUrl: address,
      resource: `users/${calendar.id}/events`,
      expirationDateTime: createExpiry(),
      clientState: secret,
    }
    return toWatch(await this.#call('POST', `${this.#baseUrl}/subscriptions`, { body }))
  }

  async renew(watch: Watch): Promise<Watch> {
    const body = { expirationDateTime: createExpiry() }
    return toWatch(await this.#call('PATCH', this.#subscription(watch), { body }))
  }

  async unwatch(watch: Watch): Promise<void> {
    await orElse(this.#call('DELETE', this.#subscription(watch)), ['not_found'], () => undefined)
  }

  readonly readNotification = readMicrosoftNotification

  close() {
    this.#http.close()
  }

  #mailbox({ id }: Calendar): string {
    return `${this.#baseUrl}/users/${encodeURIComponent(id)}`
  }

  #event(calendar: Calendar, id: string): string {
    return `${this.#mailbox(calendar)}/events/${encodeURIComponent(id)}`
  }

  #subscription({ id }: Watch): string {
    return `${this.#baseUrl}/subscriptions/${encodeURIComponent(id)}`
  }

  #get<Value>(url: string, options: CallOptions = {}): Promise<Value> {
    return this.#call<Value>('GET', url, options)
  }

  async #call<Value>(
    method: string,
    url: string,
    { body, version, permission = 'Calendars.ReadWrite', calendar }: CallOptions = {},
  ): Promise<Value> {
    // The links of pages come from answers, and positions from storage. The token goes to Graph only.
    if (!url.startsWith(`${this.#baseUrl}/`))
      throw new ProviderFault('rejected', 'A link of Microsoft leads to another host.')
    const request = {
      method,
      url,
      headers: {
        Accept: 'application/json',
        Prefer: PREFER,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(version && { 'If-Match': version }),
      },
      ...(body && { body: JSON.stringify(body) }),
      person: calendar?.isPersonal ? calendar.id : undefined,
    }
    const answer = await this.#client.send(request)
    if (answer.status < 200 || answer.status > 299)
      throw createFault(request, answer, (failed) => readGraphFault(failed, permission))
    return answer.text === '' ? (undefined as Value) : readJson<Value>(answer)
  }
}

const createExpiry = () => new Date(Date.now() + WATCH_MS).toISOString()

const toWatch = ({ id, expirationDateTime }: { id: string; expirationDateTime: string }): Watch => ({
  id,
  expiresAt: new Date(expirationDateTime).toISOString(),
})
