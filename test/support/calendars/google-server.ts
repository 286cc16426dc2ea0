// A test server that answers as the documents of Google Calendar v3 and of the Directory API say. It has no rules of
// repetition: a series is the list of its instances.
import { randomUUID } from 'node:crypto'
import { expectFields, GOOGLE_EVENT } from './event-fields.ts'
import { startHttp, type TestAnswer, type TestRequest, type TestServer } from './http.ts'
import { readJwt } from './test-keys.ts'

type GoogleTime = { dateTime?: string; date?: string; timeZone?: string }
type Attendee = { email: string; responseStatus?: string; [field: string]: unknown }
export type GoogleFields = {
  start: GoogleTime
  end: GoogleTime
  attendees?: Attendee[]
  status?: string
  [field: string]: unknown
}
export type StoredGoogleEvent = {
  id: string
  fields: GoogleFields
  recurringEventId?: string
  version: number
  changedAt: number
}
type Channel = { id: string; resourceId: string; token: string; address: string; expiration: string }
/**
 * The state that the pages of a list share. The first page fixes the events of the list, so that an event which changes between two
 * pages does not move another one out of the list.
 */
type Round = { ids: string[]; until: number; offset: number }

const PAGE_SIZE = 3
const CHANNEL_SECONDS_MAX = 30 * 24 * 3_600

export class GoogleServer {
  readonly clientEmail = 'berth@project.iam.gserviceaccount.com'
  readonly resources: Array<Record<string, unknown>> = []
  readonly channels = new Map<string, Channel>()
  /** The changes that attendees were mailed about. */
  readonly mails: Array<{ id: string; method: string }> = []
  hasDirectoryScope = true
  /** Whether the service account has domain-wide delegation with the scopes. */
  hasDelegation = true
  /** APIs that are not enabled in the project, such as `Admin SDK API`. */
  readonly disabledApis = new Set<string>()
  tokensIssued = 0
  lastClaims: Record<string, unknown> = {}
  timeZone = 'Europe/Berlin'
  accessRole = 'writer'
  url = ''
  /** Whether copies of events arrive only with `deliverCopies`. */
  delaysCopies = false
  #undelivered: Array<() => void> = []
  #calendars = new Map<string, Map<string, StoredGoogleEvent>>()
  #rounds = new Map<string, Round>()
  /** The people in whose name tokens are. */
  #tokens = new Map<string, string>()
  #clock = 0
  #server: TestServer | undefined

  async start(): Promise<this> {
    this.#server = await startHttp((request) => this.#answer(request))
    this.url = this.#server.url
    return this
  }

  close = async () => this.#server?.close()

  // What somebody does in Google Calendar.

  addRoom(
    resourceEmail: string,
    resourceName: string,
    capacity: number,
    resourceCategory = 'CONFERENCE_ROOM',
  ) {
    this.resources.push({
      kind: 'admin#directory#resources#calendars#CalendarResource',
      resourceId: randomUUID(),
      resourceEmail,
      resourceName,
      capacity,
      resourceCategory,
    })
    this.#calendars.set(resourceEmail, new Map())
  }

  /** Gives a person a calendar. */
  addPerson(address: string) {
    this.#calendars.set(address, new Map())
  }

  removePerson(address: string) {
    this.#calendars.delete(address)
  }

  /** The events of a calendar that are not cancelled. */
  listEvents = (calendar: string): StoredGoogleEvent[] =>
    [...this.#events(calendar).values()].filter(({ fields }) => fields.status !== 'cancelled')

  /** Delivers copies that `delaysCopies` has held back. */
  deliverCopies() {
    for (const deliver of this.#undelivered.splice(0)) deliver()
  }

  /** Declines, as the calendar of a room does, all meetings to which people invite the room. */
  declineMeetings(room: string) {
    for (const calendar of this.#calendars.keys())
      for (const { id, fields } of this.#isPerson(calendar) ? this.listEvents(calendar) : [])
        if (fields.attendees?.some(({ email }) => email === room))
          this.changeEvent(calendar, id, {
            attendees: fields.attendees.map((each) =>
              each.email === room ? { ...each, responseStatus: 'declined' } : each,
            ),
          })
  }

  // Google shows an event in the calendar of each attendee, with the same id, and without private properties.
  #sendCopies(calendar: string, { id, fields }: StoredGoogleEvent) {
    const { start, end, summary, visibility, transparency, organizer, attendees = [], status } = fields
    if ((organizer as { email?: string } | undefined)?.email !== calendar || !this.#isPerson(calendar)) return
    const shown = { start, end, summary, visibility, transparency, organizer: { email: calendar }, attendees }
    const coming = attendees.filter(({ responseStatus }) => responseStatus !== 'declined')
    const invited = status === 'cancelled' ? [] : coming.map(({ email }) => email)
    const deliver = () => {
      for (const [address, events] of this.#calendars) {
        if (address === calendar) continue
        const isInvited = invited.includes(address)
        if (isInvited && !events.has(id)) this.addEvent(address, { ...shown }, { id })
        else if (isInvited) this.changeEvent(address, id, { ...shown, status: 'confirmed' })
        else if (events.has(id) && events.get(id)?.fields.status !== 'cancelled')
          this.changeEvent(address, id, { status: 'cancelled' })
      }
    }
    if (this.delaysCopies) this.#undelivered.push(deliver)
    else deliver()
  }

  #isPerson = (calendar: string) => !this.resources.some(({ resourceEmail }) => resourceEmail === calendar)

  addEvent(calendar: string, fields: GoogleFields, rest: Partial<StoredGoogleEvent> = {}): StoredGoogleEvent {
    const id = rest.id ?? randomUUID().replaceAll('-', '')
    const event = { id, fields, version: 1, ...rest, changedAt: ++this.#clock }
    this.#events(calendar).set(id, event)
    return event
  }

  /** Returns the id of the series. The series itself is never listed, because instances are asked for. */
  addSeries(
    calendar: string,
    fields: Record<string, unknown>,
    times: Array<[GoogleTime, GoogleTime]>,
  ): string {
    const seriesId = randomUUID().replaceAll('-', '')
    for (const [start, end] of times) {
      const original = new Date(start.dateTime ?? '').toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
      this.addEvent(
        calendar,
        { ...fields, iCalUID: `${seriesId}@google.com`, start, end, originalStartTime: start },
        { id: `${seriesId}_${original}Z`, recurringEventId: seriesId },
      )
    }
    return seriesId
  }

  listInstances(calendar: string, seriesId: string): StoredGoogleEvent[] {
    return [...this.#events(calendar).values()].filter(
      ({ recurringEventId, fields }) => recurringEventId === seriesId && fields.status !== 'cancelled',
    )
  }

  changeEvent(calendar: string, id: string, fields: Record<string, unknown>) {
    const event = this.#require(calendar, id)
    Object.assign(event.fields, fields)
    // If the time changes, Google asks attendees who have declined again.
    if (fields.start)
      for (const each of event.fields.attendees ?? [])
        if (each.responseStatus === 'declined') each.responseStatus = 'needsAction'
    event.version++
    event.changedAt = ++this.#clock
    this.#sendCopies(calendar, event)
  }

  deleteEvent(calendar: string, id: string) {
    const instances = this.listInstances(calendar, id)
    for (const event of instances.length > 0 ? instances : [this.#require(calendar, id)])
      this.changeEvent(calendar, event.id, { status: 'cancelled' })
  }

  countEvents = (calendar: string) =>
    [...this.#events(calendar).values()].filter(({ fields }) => fields.status !== 'cancelled').length

  expireTokens = () => this.#tokens.clear()
  expireSyncTokens = () => this.#rounds.clear()

  /** The headers of what Google sends to the address of a channel. */
  createNotification(channelId: string, state = 'exists'): Record<string, string> {
    const { id = '', resourceId = '', token = '' } = this.channels.get(channelId) ?? {}
    return {
      'x-goog-channel-id': id,
      'x-goog-channel-token': token,
      'x-goog-resource-id': resourceId,
      'x-goog-resource-state': state,
      'x-goog-message-number': state === 'sync' ? '1' : '2',
    }
  }

  #events(calendar: string): Map<string, StoredGoogleEvent> {
    return this.#calendars.get(calendar) ?? refuse(404, 'notFound', 'Not Found')
  }

  #require(calendar: string, id: string): StoredGoogleEvent {
    return this.#events(calendar).get(id) ?? refuse(404, 'notFound', 'Not Found')
  }

  async #answer(request: TestRequest): Promise<TestAnswer> {
    try {
      return this.#route(request)
    } catch (error) {
      if (!(error instanceof GoogleFailure)) throw error
      const { status: code, reason, message } = error
      return {
        status: code,
        body: { error: { code, message, errors: [{ domain: 'global', reason, message }] } },
      }
    }
  }

  #route(request: TestRequest): TestAnswer {
    const { method, url, headers, body } = request
    if (url.pathname === '/token') return this.#giveToken(body)
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    if (!this.#tokens.has(token)) refuse(401, 'authError', 'Request had invalid authentication credentials.')
    const input = body ? JSON.parse(body) : {}
    if (url.pathname.startsWith('/admin/directory/v1/customer/my_customer/resources/calendars'))
      return this.#listResources(url)
    const [, , , kind, calendar = '', collection, id, action] = url.pathname
      .split('/')
      .map(decodeURIComponent)
    this.#requireApi('Google Calendar API')
    if (kind === 'channels') return this.#stopChannel(input)
    if (this.#isPerson(calendar) && this.#tokens.get(token) !== calendar) refuse(404, 'notFound', 'Not Found')
    if (kind !== 'calendars' || collection !== 'events') refuse(404, 'notFound', 'Not Found')
    if (id === 'watch' && !action) return this.#watch(calendar, input)
    if (!id) return method === 'POST' ? this.#insert(url, calendar, input) : this.#list(url, calendar)
    return this.#handleEvent(request, calendar, this.#require(calendar, id), input)
  }

  #handleEvent(
    { method, url, headers }: TestRequest,
    calendar: string,
    event: StoredGoogleEvent,
    input: GoogleFields,
  ): TestAnswer {
    if (method === 'GET') return { status: 200, body: this.#show(event, calendar) }
    const expected = headers['if-match']
    if (expected && expected !== createEtag(event)) refuse(412, 'conditionNotMet', 'Precondition Failed')
    this.#mail(url, event, method)
    if (method === 'DELETE') {
      if (event.fields.status === 'cancelled') refuse(410, 'deleted', 'Resource has been deleted')
      this.deleteEvent(calendar, event.id)
      return { status: 204 }
    }
    if (method !== 'PATCH') refuse(404, 'notFound', 'Not Found')
    this.changeEvent(calendar, event.id, input)
    return { status: 200, body: this.#show(event, calendar) }
  }

  #mail(url: URL, { id, fields }: StoredGoogleEvent, method: string) {
    if (url.searchParams.get('sendUpdates') === 'all' && fields.attendees?.length)
      this.mails.push({ id, method })
  }

  #giveToken(body: string): TestAnswer {
    const form = new URLSearchParams(body)
    const jwt = readJwt(form.get('assertion') ?? '..', 'RS256')
    const isRight =
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
      jwt?.header.alg === 'RS256' &&
      jwt.claims.iss === this.clientEmail &&
      String(jwt.claims.aud).endsWith('/token') &&
      Number(jwt.claims.exp) - Number(jwt.claims.iat) <= 3_600 &&
      typeof jwt.claims.sub === 'string'
    const subject = String(jwt?.claims.sub)
    const isKnown = subject === 'admin@corp.test' || this.#calendars.has(subject)
    if (!isRight || !jwt || !isKnown)
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
    if (!this.hasDelegation)
      return {
        status: 401,
        body: {
          error: 'unauthorized_client',
          error_description:
            'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
        },
      }
    this.lastClaims = jwt.claims
    const token = `ya29.${randomUUID()}`
    this.#tokens.set(token, String(jwt.claims.sub))
    this.tokensIssued++
    return { status: 200, body: { access_token: token, expires_in: 3_599, token_type: 'Bearer' } }
  }

  #requireApi(api: string) {
    if (this.disabledApis.has(api))
      refuse(
        403,
        'accessNotConfigured',
        `${api} has not been used in project 123 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/… then retry.`,
      )
  }

  #listResources(url: URL): TestAnswer {
    this.#requireApi('Admin SDK API')
    if (!this.hasDirectoryScope) refuse(403, 'forbidden', 'Not Authorized to access this resource/api')
    const first = Number(url.searchParams.get('pageToken') ?? 0)
    const hasMore = first + 2 < this.resources.length
    return {
      status: 200,
      body: {
        kind: 'admin#directory#resources#calendars#calendarResourcesList',
        items: this.resources.slice(first, first + 2),
        ...(hasMore && { nextPageToken: String(first + 2) }),
      },
    }
  }

  #list(url: URL, calendar: string): TestAnswer {
    const parameter = (name: string) => url.searchParams.get(name) ?? undefined
    const [syncToken, pageToken, timeMin, timeMax] = ['syncToken', 'pageToken', 'timeMin', 'timeMax'].map(
      parameter,
    )
    if (syncToken && (timeMin || timeMax))
      refuse(400, 'invalid', 'Sync token cannot be used with requested filters.')
    if (parameter('singleEvents') !== 'true') throw new Error('This server lists single events only')
    const known = pageToken ?? syncToken
    const former = known ? this.#rounds.get(known) : undefined
    if (known && !former)
      refuse(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.')
    const events = this.#events(calendar)
    const begin = (): Round => ({
      ids: [...events.values()]
        .filter((event) => event.changedAt > (former?.until ?? 0) && isInPeriod(event, timeMin, timeMax))
        .map(({ id }) => id),
      until: this.#clock,
      offset: 0,
    })
    const round = former && pageToken ? former : begin()
    const offset = round.offset + PAGE_SIZE
    const token = randomUUID()
    this.#rounds.set(token, { ...round, offset })
    return {
      status: 200,
      body: {
        kind: 'calendar#events',
        timeZone: this.timeZone,
        accessRole: this.accessRole,
        items: round.ids
          .slice(round.offset, offset)
          .map((id) => this.#show(this.#require(calendar, id), calendar)),
        ...(offset < round.ids.length ? { nextPageToken: token } : { nextSyncToken: token }),
      },
    }
  }

  #insert(url: URL, calendar: string, input: GoogleFields & { id?: string }): TestAnswer {
    const { id, ...fields } = input
    if (id !== undefined && !/^[a-v0-9]{5,1024}$/.test(id))
      refuse(400, 'invalid', 'Invalid resource id value.')
    // Google keeps the ids of deleted events.
    if (id !== undefined && this.#events(calendar).has(id))
      refuse(409, 'duplicate', 'The requested identifier already exists.')
    const organizer = { email: calendar, self: true }
    const event = this.addEvent(calendar, { ...fields, organizer }, id === undefined ? {} : { id })
    this.#mail(url, event, 'POST')
    this.#sendCopies(calendar, event)
    return { status: 200, body: this.#show(event, calendar) }
  }

  #watch(calendar: string, input: Record<string, unknown>): TestAnswer {
    const { id, type, address, token } = input as Record<string, string>
    if (type !== 'web_hook' || !id || !/^[\w+/=-]{1,64}$/.test(id)) refuse(400, 'required', 'Required')
    if (this.channels.has(id ?? '')) refuse(400, 'channelIdNotUnique', `Channel id ${id} not unique`)
    const seconds = Number((input.params as { ttl?: string } | undefined)?.ttl ?? 604_800)
    const channel: Channel = {
      id: id ?? '',
      resourceId: Buffer.from(calendar).toString('base64url'),
      token: token ?? '',
      address: address ?? '',
      expiration: String(Date.now() + Math.min(seconds, CHANNEL_SECONDS_MAX) * 1_000),
    }
    this.channels.set(channel.id, channel)
    const { address: _address, ...shown } = channel
    return { status: 200, body: { kind: 'api#channel', resourceUri: this.url, ...shown } }
  }

  #stopChannel({ id, resourceId }: { id?: string; resourceId?: string }): TestAnswer {
    if (this.channels.get(id ?? '')?.resourceId !== resourceId)
      refuse(404, 'notFound', `Channel '${id}' not found`)
    this.channels.delete(id ?? '')
    return { status: 204 }
  }

  #show(event: StoredGoogleEvent, calendar: string): object {
    const { id, fields, recurringEventId } = event
    const common = { kind: 'calendar#event', etag: createEtag(event), id }
    const shown =
      fields.status === 'cancelled' && recurringEventId
        ? { ...common, status: 'cancelled', recurringEventId, originalStartTime: fields.originalStartTime }
        : {
            ...common,
            status: 'confirmed',
            iCalUID: `${id}@google.com`,
            ...fields,
            ...(recurringEventId && { recurringEventId }),
            ...(fields.attendees && {
              attendees: fields.attendees.map((each) => ({
                responseStatus: 'needsAction',
                ...each,
                ...(each.email === calendar && { self: true, resource: true }),
              })),
            }),
          }
    expectFields(shown, GOOGLE_EVENT)
    return shown
  }
}

function isInPeriod({ fields }: StoredGoogleEvent, timeMin?: string, timeMax?: string): boolean {
  const toMs = ({ dateTime, date }: GoogleTime) => Date.parse(dateTime ?? `${date}T00:00:00Z`)
  return (
    (!timeMin || toMs(fields.end) > Date.parse(timeMin)) &&
    (!timeMax || toMs(fields.start) < Date.parse(timeMax))
  )
}

class GoogleFailure extends Error {
  readonly status: number
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

function refuse(status: number, reason: string, message: string): never {
  throw new GoogleFailure(status, reason, message)
}

const createEtag = ({ id, version }: StoredGoogleEvent) => `"${id.slice(0, 8)}${version}"`
