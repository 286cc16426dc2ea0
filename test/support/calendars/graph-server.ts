// A test server that answers as the documents of Microsoft Graph v1.0 say, for rooms, events, changes and subscriptions. It
// has no rules of repetition: a series is the list of its occurrences.
import { createHash, randomUUID } from 'node:crypto'
import { expectFields, GRAPH_EVENT } from './event-fields.ts'
import { startHttp, type TestAnswer, type TestRequest, type TestServer } from './http.ts'
import { readJwt } from './test-keys.ts'

type GraphTime = { dateTime: string; timeZone: string }
export type StoredEvent = {
  id: string
  type: 'singleInstance' | 'occurrence' | 'exception' | 'seriesMaster'
  seriesMasterId: string | null
  fields: Record<string, unknown> & { start: GraphTime; end: GraphTime }
  version: number
  changedAt: number
  isDeleted: boolean
  extendedProperties: Array<{ id: string; value: string }>
}
type GraphAttendee = { emailAddress: { address: string }; status?: { response: string } }
type Subscription = Record<string, string> & { id: string; clientState: string; notificationUrl: string }
/**
 * The state that the pages of a list share. The first page fixes the events of the list, so that an event which changes between two
 * pages does not move another one out of the list.
 */
type DeltaState = {
  ids: string[]
  from: number
  to: number
  since: number
  until: number
  offset: number
  size: number
}

const SUBSCRIPTION_MS_MAX = 10_080 * 60_000
const TOKEN_SECONDS = 3_599

export class GraphServer {
  readonly secret = 'a-secret-of-the-app'
  readonly rooms: Array<{ emailAddress: string; displayName: string; capacity: number }> = []
  readonly subscriptions = new Map<string, Subscription>()
  /** What Berth has told the organizers. */
  readonly responses: Array<{ id: string; comment: string; sendResponse: boolean }> = []
  /** Whether the mailbox changes each event by itself just after somebody has written it. */
  changesWhatWasWritten = false
  permissions = ['Calendars.ReadWrite', 'Place.Read.All']
  roomsPerPage = 2
  /** Small pages, so that tests see several. */
  entriesPerPage = 3
  tokensIssued = 0
  url = ''
  /** Whether copies of meetings arrive only with `deliverCopies`. */
  delaysCopies = false
  /** Whether a room declines a meeting that overlaps another entry of its calendar. */
  declinesOverlaps = false
  #aliases = new Map<string, string>()
  #mailboxes = new Map<string, Map<string, StoredEvent>>()
  /** The ids of copies by the id of the meeting and the mailbox. */
  #copies = new Map<string, Map<string, string>>()
  #undelivered: Array<() => void> = []
  #deltaStates = new Map<string, DeltaState>()
  #tokens = new Set<string>()
  #clock = 0
  #server: TestServer | undefined
  readonly #certificate: string | undefined

  constructor({ certificate }: { certificate?: string } = {}) {
    this.#certificate = certificate
  }

  async start(): Promise<this> {
    this.#server = await startHttp((request) => this.#answer(request))
    this.url = this.#server.url
    return this
  }

  close = async () => this.#server?.close()

  // What somebody does in Outlook.

  addRoom(emailAddress: string, displayName: string, capacity: number) {
    this.rooms.push({ emailAddress, displayName, capacity })
    this.#mailboxes.set(emailAddress.toLowerCase(), new Map())
  }

  /** Gives a person a mailbox. */
  addPerson(address: string) {
    this.#mailboxes.set(address.toLowerCase(), new Map())
  }

  /** Gives a mailbox a second address. Its meetings name the first one. */
  addAlias(alias: string, address: string) {
    this.#aliases.set(alias.toLowerCase(), address)
    this.#mailboxes.set(alias.toLowerCase(), this.#events(address))
  }

  removePerson(address: string) {
    this.#mailboxes.delete(address.toLowerCase())
  }

  /** The meetings in a mailbox that are not cancelled. */
  listEvents = (mailbox: string): StoredEvent[] =>
    [...this.#events(mailbox).values()].filter(({ isDeleted }) => !isDeleted)

  /** Delivers copies that `delaysCopies` has held back. */
  deliverCopies() {
    for (const deliver of this.#undelivered.splice(0)) deliver()
  }

  /** Declines, as the mailbox of a room does, all meetings to which people invite the room, and removes its copies. */
  declineMeetings(room: string) {
    for (const mailbox of this.#mailboxes.keys())
      for (const event of this.listEvents(mailbox)) {
        if (!event.fields.isOrganizer || !findAttendee(event, room)) continue
        decline(event, room)
        this.#touch(event)
        this.#sendCopies(mailbox, event)
      }
  }

  #overlaps(mailbox: string, { fields: { start, end } }: StoredEvent, copy: string | undefined): boolean {
    return this.listEvents(mailbox).some(
      ({ id, fields }) => id !== copy && toMs(fields.start) < toMs(end) && toMs(fields.end) > toMs(start),
    )
  }

  // Exchange puts a copy of a meeting into the mailbox of each attendee: with an id of its own, and without what the organizer's
  // program has stored with the meeting.
  #sendCopies(mailbox: string, event: StoredEvent) {
    const { isOrganizer, organizer, start, end, subject, sensitivity, showAs, attendees = [] } = event.fields
    if (!isOrganizer || this.#isRoom(mailbox)) return
    const shown = { organizer, start, end, subject, sensitivity, showAs, attendees, isOrganizer: false }
    const wanted = event.isDeleted ? [] : (attendees as GraphAttendee[])
    const copies = this.#copies.get(event.id) ?? new Map<string, string>()
    this.#copies.set(event.id, copies)
    const deliver = () => {
      if (this.declinesOverlaps)
        for (const { address } of wanted.map(({ emailAddress }) => emailAddress))
          if (this.#isRoom(address) && this.#overlaps(address, event, copies.get(address.toLowerCase())))
            decline(event, address)
      const invited = wanted.filter((each) => !isDeclined(each))
      for (const { emailAddress } of invited) {
        const address = emailAddress.address.toLowerCase()
        const copy = this.#mailboxes.get(address)?.get(copies.get(address) ?? '')
        if (copy && !copy.isDeleted) {
          Object.assign(copy.fields, shown)
          this.#touch(copy)
        } else if (this.#mailboxes.has(address))
          copies.set(
            address,
            this.addEvent(address, { ...shown, iCalUId: createUid(event) } as StoredEvent['fields']).id,
          )
      }
      for (const [address, id] of copies)
        if (!invited.some(({ emailAddress }) => emailAddress.address.toLowerCase() === address)) {
          copies.delete(address)
          this.deleteEvent(address, id)
        }
    }
    if (this.delaysCopies) this.#undelivered.push(deliver)
    else deliver()
  }

  #isRoom = (address: string) =>
    this.rooms.some(({ emailAddress }) => emailAddress.toLowerCase() === address.toLowerCase())

  addEvent(mailbox: string, fields: StoredEvent['fields'], rest: Partial<StoredEvent> = {}): StoredEvent {
    const event: StoredEvent = {
      // Ids of Graph have characters that a URL must escape.
      id: `AAMk${randomUUID().replaceAll('-', '')}/+=`,
      type: 'singleInstance',
      seriesMasterId: null,
      fields,
      version: 1,
      changedAt: ++this.#clock,
      isDeleted: false,
      extendedProperties: [],
      ...rest,
    }
    this.#events(mailbox).set(event.id, event)
    return event
  }

  addSeries(
    mailbox: string,
    fields: Record<string, unknown>,
    times: Array<[GraphTime, GraphTime]>,
  ): StoredEvent {
    const [start, end] = times[0] ?? []
    if (!start || !end) throw new Error('A series has at least one occurrence')
    const recurrence = { pattern: { type: 'weekly', interval: 1 }, range: { type: 'noEnd' } }
    const master = this.addEvent(mailbox, { ...fields, recurrence, start, end }, { type: 'seriesMaster' })
    for (const [from, to] of times)
      this.addEvent(
        mailbox,
        { ...fields, start: from, end: to },
        { type: 'occurrence', seriesMasterId: master.id },
      )
    return master
  }

  listOccurrences(mailbox: string, seriesId: string): StoredEvent[] {
    return [...this.#events(mailbox).values()].filter(
      (event) => event.seriesMasterId === seriesId && !event.isDeleted,
    )
  }

  /** Changes an event, as an exception if it is an occurrence. */
  changeEvent(mailbox: string, id: string, fields: Record<string, unknown>) {
    const event = this.#require(mailbox, id)
    Object.assign(event.fields, fields)
    // If the time changes, Exchange asks attendees who have declined again.
    if (fields.start) for (const each of listAttendees(event)) if (isDeclined(each)) delete each.status
    if (event.type === 'occurrence') event.type = 'exception'
    this.#touch(event)
    this.#sendCopies(mailbox, event)
    // A change of an occurrence is one of its series.
    if (event.seriesMasterId) this.#touch(this.#require(mailbox, event.seriesMasterId))
  }

  deleteEvent(mailbox: string, id: string) {
    const event = this.#require(mailbox, id)
    for (const each of [event, ...this.listOccurrences(mailbox, id)]) {
      each.isDeleted = true
      this.#touch(each)
      this.#sendCopies(mailbox, each)
    }
    if (event.seriesMasterId) this.#touch(this.#require(mailbox, event.seriesMasterId))
  }

  countEvents = (mailbox: string) =>
    [...this.#events(mailbox).values()].filter(({ isDeleted }) => !isDeleted).length

  expireTokens = () => this.#tokens.clear()
  expireDeltaLinks = () => this.#deltaStates.clear()

  /** Sends what Graph sends to the address of a subscription, and returns the body. */
  createNotification(subscriptionId: string, extra: Record<string, string> = {}) {
    const { clientState = '', resource = '' }: Partial<Subscription> =
      this.subscriptions.get(subscriptionId) ?? {}
    const common = { subscriptionId, clientState, tenantId: randomUUID(), ...extra }
    return extra.lifecycleEvent
      ? { value: [{ ...common, subscriptionExpirationDateTime: new Date().toISOString() }] }
      : {
          value: [
            {
              ...common,
              changeType: 'updated',
              resource,
              resourceData: { '@odata.type': '#Microsoft.Graph.Event' },
            },
          ],
        }
  }

  #events(mailbox: string): Map<string, StoredEvent> {
    const found = this.#mailboxes.get(mailbox.toLowerCase())
    if (!found) throw new GraphFailure(404, 'ErrorInvalidUser', `The requested user '${mailbox}' is invalid.`)
    return found
  }

  #require(mailbox: string, id: string): StoredEvent {
    const event = this.#events(mailbox).get(id)
    if (!event || event.isDeleted)
      throw new GraphFailure(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')
    return event
  }

  #touch(event: StoredEvent) {
    event.version++
    event.changedAt = ++this.#clock
  }

  async #answer(request: TestRequest): Promise<TestAnswer> {
    try {
      return await this.#route(request)
    } catch (error) {
      if (!(error instanceof GraphFailure)) throw error
      const innerError = { date: new Date().toISOString(), 'request-id': randomUUID() }
      return {
        status: error.status,
        body: { error: { code: error.code, message: error.message, innerError } },
      }
    }
  }

  async #route(request: TestRequest): Promise<TestAnswer> {
    const { method, url, headers, body } = request
    if (url.pathname.endsWith('/oauth2/v2.0/token')) return this.#giveToken(request)
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    if (!this.#tokens.has(token))
      throw new GraphFailure(
        401,
        'InvalidAuthenticationToken',
        'Lifetime validation failed, the token is expired.',
      )
    const [, version, kind, ...rest] = url.pathname.split('/').map(decodeURIComponent)
    if (version !== 'v1.0') throw new GraphFailure(400, 'BadRequest', 'Invalid version')
    const input = body ? JSON.parse(body) : {}
    if (kind === 'places') return this.#listRooms(url)
    this.#requirePermission('Calendars.ReadWrite')
    if (kind === 'subscriptions') return this.#handleSubscription(method, rest[0], input)
    const [mailbox = '', collection, id, action] = rest
    if (collection === 'calendarView' && id === 'delta') return this.#listDelta(request, mailbox)
    if (collection !== 'events')
      throw new GraphFailure(400, 'BadRequest', `Resource not found for ${collection}`)
    if (method === 'POST' && !id) return this.#create(mailbox, input)
    if (method === 'GET' && !id) return this.#findByProperty(url, mailbox)
    const event = this.#require(mailbox, id ?? '')
    if (action === 'instances') return this.#listInstances(request, mailbox, event)
    if (action === 'decline') return this.#decline(mailbox, event, input)
    if (method === 'GET') return { status: 200, body: this.#show(event) }
    const expected = headers['if-match']
    if (expected && expected !== createEtag(event))
      throw new GraphFailure(
        412,
        'ErrorIrresolvableConflict',
        'The change key does not match the current change key.',
      )
    if (method === 'DELETE') {
      this.deleteEvent(mailbox, event.id)
      return { status: 204 }
    }
    if (method !== 'PATCH')
      throw new GraphFailure(405, 'MethodNotAllowed', 'The OData request is not supported.')
    this.changeEvent(mailbox, event.id, normalizeInput(input))
    return { status: 200, body: this.#showWritten(event) }
  }

  #showWritten(event: StoredEvent): object {
    const body = this.#show(event)
    if (this.changesWhatWasWritten) this.#touch(event)
    return body
  }

  #giveToken({ body }: TestRequest): TestAnswer {
    const form = new URLSearchParams(body)
    const assertion = form.get('client_assertion')
    if (form.get('grant_type') !== 'client_credentials' || !form.get('scope')?.endsWith('/.default'))
      return { status: 400, body: { error: 'invalid_request', error_description: 'AADSTS900144' } }
    const isRight = assertion ? this.#isAssertionRight(assertion) : form.get('client_secret') === this.secret
    if (!isRight)
      return {
        status: 401,
        body: {
          error: 'invalid_client',
          error_description: `AADSTS7000215: Invalid client secret provided. Client '${form.get('client_id')}'.`,
        },
      }
    const token = `token-${randomUUID()}`
    this.#tokens.add(token)
    this.tokensIssued++
    return { status: 200, body: { token_type: 'Bearer', expires_in: TOKEN_SECONDS, access_token: token } }
  }

  #isAssertionRight(assertion: string): boolean {
    const jwt = readJwt(assertion, 'PS256')
    if (!jwt || !this.#certificate) return false
    const der = Buffer.from(this.#certificate.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
    const thumbprint = createHash('sha256').update(der).digest('base64url')
    const seconds = Date.now() / 1_000
    return (
      jwt.header.alg === 'PS256' &&
      jwt.header['x5t#S256'] === thumbprint &&
      String(jwt.claims.aud).endsWith('/oauth2/v2.0/token') &&
      jwt.claims.iss === jwt.claims.sub &&
      Number(jwt.claims.exp) > seconds
    )
  }

  #requirePermission(permission: string) {
    if (!this.permissions.includes(permission))
      throw new GraphFailure(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.')
  }

  #listRooms(url: URL): TestAnswer {
    this.#requirePermission('Place.Read.All')
    const first = Number(url.searchParams.get('$skip') ?? 0)
    const value = this.rooms.slice(first, first + this.roomsPerPage)
    const next = new URL(url)
    next.searchParams.set('$skip', String(first + this.roomsPerPage))
    const hasMore = first + this.roomsPerPage < this.rooms.length
    return {
      status: 200,
      body: {
        value: value.map((room) => ({ id: randomUUID(), bookingType: 'standard', ...room })),
        ...(hasMore && { '@odata.nextLink': next.href }),
      },
    }
  }

  #listDelta({ url, headers }: TestRequest, mailbox: string): TestAnswer {
    const known = url.searchParams.get('$deltatoken') ?? url.searchParams.get('$skiptoken')
    const state = known ? this.#deltaStates.get(known) : this.#startDelta(url, headers, mailbox)
    if (!state)
      throw new GraphFailure(
        410,
        'SyncStateNotFound',
        'The sync state generation is not found; full sync required.',
      )
    const events = this.#events(mailbox)
    const round = url.searchParams.has('$deltatoken')
      ? { ...state, ...this.#findChanged(mailbox, state.until), since: state.until }
      : state
    const offset = round.offset + round.size
    const value = round.ids.slice(round.offset, offset).flatMap((id) => {
      const event = events.get(id)
      return (event && this.#showChange(event, round)) ?? []
    })
    const hasMore = offset < round.ids.length
    const token = randomUUID()
    this.#deltaStates.set(token, { ...round, offset: hasMore ? offset : 0 })
    const link = `${url.origin}${url.pathname}?${hasMore ? '$skiptoken' : '$deltatoken'}=${token}`
    return { status: 200, body: { value, [hasMore ? '@odata.nextLink' : '@odata.deltaLink']: link } }
  }

  #startDelta(url: URL, headers: TestRequest['headers'], mailbox: string): DeltaState {
    const [from, to] = ['startDateTime', 'endDateTime'].map((name) =>
      Date.parse(url.searchParams.get(name) ?? ''),
    )
    if (Number.isNaN(from) || Number.isNaN(to))
      throw new GraphFailure(400, 'ErrorInvalidParameter', 'This request requires a time window.')
    const size = Number(/odata\.maxpagesize=(\d+)/.exec(String(headers.prefer))?.[1] ?? 10)

    return {
      ...this.#findChanged(mailbox, 0),
      from: from ?? 0,
      to: to ?? 0,
      since: 0,
      size: Math.min(size, this.entriesPerPage),
    }
  }

  #findChanged(mailbox: string, since: number) {
    const changed = [...this.#events(mailbox).values()].filter(({ changedAt }) => changedAt > since)
    return { ids: changed.map(({ id }) => id), until: this.#clock, offset: 0 }
  }

  // An occurrence has its times alone, and a deleted one is not reported: neither is in the documents, both are in issues
  // 7632 and 4501 of microsoftgraph/microsoft-graph-docs.
  #showChange(event: StoredEvent, { since, from, to }: DeltaState): object | undefined {
    const isInside = toMs(event.fields.start) < to && toMs(event.fields.end) > from
    const removed = {
      '@odata.type': '#microsoft.graph.event',
      id: event.id,
      '@removed': { reason: 'deleted' },
    }
    if (event.type === 'seriesMaster' && !event.isDeleted) {
      const occurrences = [...this.#mailboxes.values()].flatMap((events) => [...events.values()])
      const hasAny = occurrences.some(
        (each) =>
          each.seriesMasterId === event.id &&
          !each.isDeleted &&
          toMs(each.fields.start) < to &&
          toMs(each.fields.end) > from,
      )
      if (hasAny) return this.#show(event)
      return since === 0 ? undefined : removed
    }
    if (event.isDeleted || !isInside) {
      if (since === 0 || event.seriesMasterId) return undefined
      return removed
    }
    if (event.type !== 'occurrence') return this.#show(event)
    const { start, end } = event.fields
    return {
      '@odata.etag': createEtag(event),
      id: event.id,
      type: event.type,
      seriesMasterId: event.seriesMasterId,
      start,
      end,
    }
  }

  #listInstances({ url }: TestRequest, mailbox: string, { id }: StoredEvent): TestAnswer {
    const [from = 0, to = 0] = ['startDateTime', 'endDateTime'].map((name) =>
      Date.parse(url.searchParams.get(name) ?? ''),
    )
    const all = this.listOccurrences(mailbox, id).filter(
      ({ fields }) => toMs(fields.start) < to && toMs(fields.end) > from,
    )
    const first = Number(url.searchParams.get('$skip') ?? 0)
    const next = new URL(url)
    next.searchParams.set('$skip', String(first + 2))
    return {
      status: 200,
      body: {
        value: all.slice(first, first + 2).map((event) => this.#show(event)),
        ...(first + 2 < all.length && { '@odata.nextLink': next.href }),
      },
    }
  }

  #findByProperty(url: URL, mailbox: string): TestAnswer {
    const filter = url.searchParams.get('$filter') ?? ''
    const [, id, value] =
      /^singleValueExtendedProperties\/Any\(ep: ep\/id eq '([^']+)' and ep\/value eq '((?:[^']|'')*)'\)$/.exec(
        filter,
      ) ?? []
    if (id === undefined || value === undefined)
      throw new GraphFailure(400, 'BadRequest', 'Invalid filter clause')
    const wanted = value.replaceAll("''", "'")
    const found = [...this.#events(mailbox).values()].filter(
      (event) =>
        !event.isDeleted && event.extendedProperties.some((each) => each.id === id && each.value === wanted),
    )
    return { status: 200, body: { value: found.map((event) => this.#show(event)) } }
  }

  #create(mailbox: string, input: Record<string, unknown>): TestAnswer {
    const { singleValueExtendedProperties = [], transactionId, ...fields } = input
    const former = [...this.#events(mailbox).values()].find(
      (event) => transactionId && !event.isDeleted && event.fields.transactionId === transactionId,
    )
    if (former) return { status: 201, body: this.#show(former) }
    const address = this.rooms.find(
      ({ emailAddress }) => emailAddress.toLowerCase() === mailbox.toLowerCase(),
    )
    const event = this.addEvent(
      mailbox,
      {
        ...(normalizeInput(fields) as StoredEvent['fields']),
        transactionId,
        isOrganizer: true,
        organizer: {
          emailAddress: {
            address: this.#aliases.get(mailbox.toLowerCase()) ?? mailbox,
            name: address?.displayName ?? mailbox,
          },
        },
      },
      { extendedProperties: singleValueExtendedProperties as StoredEvent['extendedProperties'] },
    )
    this.#sendCopies(mailbox, event)
    return { status: 201, body: this.#showWritten(event) }
  }

  #decline(mailbox: string, event: StoredEvent, input: Record<string, unknown>): TestAnswer {
    const sendResponse = input.sendResponse !== false
    if (event.fields.isOrganizer)
      throw new GraphFailure(
        400,
        'ErrorInvalidRequest',
        "You can't respond to this meeting because you're the organizer.",
      )
    if (sendResponse && event.fields.responseRequested === false)
      throw new GraphFailure(400, 'ErrorInvalidRequest', "The meeting organizer hasn't requested a response.")
    this.responses.push({ id: event.id, comment: String(input.comment ?? ''), sendResponse })
    this.deleteEvent(mailbox, event.id)
    return { status: 202 }
  }

  async #handleSubscription(
    method: string,
    id: string | undefined,
    input: Record<string, string>,
  ): Promise<TestAnswer> {
    const expiry = Date.parse(input.expirationDateTime ?? '')
    if (method !== 'DELETE' && !(expiry > Date.now() && expiry < Date.now() + SUBSCRIPTION_MS_MAX))
      throw new GraphFailure(
        400,
        'InvalidRequest',
        'Subscription expiration can only be 10080 minutes in the future.',
      )
    if (method === 'POST') return this.#subscribe(input)
    const subscription = this.subscriptions.get(id ?? '')
    if (!subscription) throw new GraphFailure(404, 'ResourceNotFound', 'The object was not found.')
    if (method === 'DELETE') {
      this.subscriptions.delete(subscription.id)
      return { status: 204 }
    }
    subscription.expirationDateTime = input.expirationDateTime ?? ''
    return { status: 200, body: subscription }
  }

  async #subscribe(input: Record<string, string>): Promise<TestAnswer> {
    for (const address of [input.notificationUrl, input.lifecycleNotificationUrl]) {
      const token = `Validation: Testing client application reachability for ${randomUUID()} ü&=`
      const isValid = await fetch(`${address}?${new URLSearchParams({ validationToken: token })}`, {
        method: 'POST',
      }).then(
        async (answer) => answer.status === 200 && (await answer.text()) === token,
        () => false,
      )
      if (!isValid) throw new GraphFailure(400, 'ValidationError', 'Subscription validation request failed.')
    }
    const subscription = { ...input, id: randomUUID() } as Subscription
    this.subscriptions.set(subscription.id, subscription)
    return { status: 201, body: subscription }
  }

  #show(event: StoredEvent): object {
    const shown = {
      '@odata.etag': createEtag(event),
      id: event.id,
      changeKey: `key${event.version}`,
      iCalUId: createUid(event),
      subject: '',
      sensitivity: 'normal',
      showAs: 'busy',
      isAllDay: false,
      isCancelled: false,
      isOrganizer: false,
      responseRequested: true,
      transactionId: null,
      attendees: [],
      originalStartTimeZone: 'UTC',
      ...event.fields,
      type: event.type,
      seriesMasterId: event.seriesMasterId,
    }
    expectFields(shown, GRAPH_EVENT)
    return shown
  }
}

class GraphFailure extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const listAttendees = ({ fields }: StoredEvent) => (fields.attendees ?? []) as GraphAttendee[]
const findAttendee = (event: StoredEvent, address: string) =>
  listAttendees(event).find((each) => each.emailAddress.address.toLowerCase() === address.toLowerCase())
const isDeclined = ({ status }: GraphAttendee) => status?.response === 'declined'

function decline(event: StoredEvent, address: string) {
  const attendee = findAttendee(event, address)
  if (attendee) attendee.status = { response: 'declined' }
}

const createEtag = ({ id, version }: StoredEvent) => `W/"${id.slice(4, 12)}${version}"`
const toMs = ({ dateTime }: GraphTime) => Date.parse(`${dateTime.slice(0, 19)}Z`)

// Graph writes seven fractional digits.
function normalizeInput(input: Record<string, unknown>): Record<string, unknown> {
  const extend = (time: unknown) => {
    const { dateTime, timeZone } = time as GraphTime
    return { dateTime: `${dateTime.slice(0, 19)}.0000000`, timeZone }
  }
  return {
    ...input,
    ...(input.start !== undefined && { start: extend(input.start) }),
    ...(input.end !== undefined && { end: extend(input.end) }),
  }
}

// Of the ids of a series, four bytes differ with the occurrence: its date (MS-OXOCAL 2.2.1.27).
const createUid = ({ id, seriesMasterId }: StoredEvent): string =>
  `040000008200E00074C5B7101A82E008${seriesMasterId ? id.slice(4, 12) : '00000000'}${(seriesMasterId ?? id).slice(4, 20)}`
