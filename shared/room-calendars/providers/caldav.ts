// CalDAV servers (RFC 4791), whose changes are followed with sync-collection (RFC 6578).

import type { ReachableNetworks } from '../../networks/reachable-networks.ts'
import type { ReadNotification } from '../notifications.ts'
import { DavClient } from './dav.ts'
import { CALDAV, DAV, escapeXml, findChild, findPath, hasElement } from './dav-xml.ts'
import { type CalendarObject, createObjectName, orUnreadable, readEntries, readEntry } from './icalendar.ts'
import { changeObject, removeEntry, writeObject } from './icalendar-write.ts'
import {
  type Calendar,
  type CalendarEntry,
  type CalendarProvider,
  type ChangePage,
  type EntryChange,
  type EntryContent,
  type ExpiredPosition,
  isFault,
  type Period,
  ProviderFault,
  type RoomPage,
  type Watch,
} from './provider.ts'
import { UnreadableEntry } from './recurrences.ts'
import { ANSWER_TOO_LARGE, type Limits, type ObserveRequest, orElse } from './requests.ts'

const OBJECTS_PER_PAGE = 50
const CHANGE_TRIES_MAX = 3

export type CalDavOptions = {
  url: string
  user: string
  password: string
  networks: ReachableNetworks
  limits?: Limits
  observe?: ObserveRequest
}

/** The token of the server, and the objects that changed before it and are still to be read. */
type Position = Period & { token: string; pending: string[] }

export class CalDavProvider implements CalendarProvider {
  readonly name = 'caldav'
  readonly #dav: DavClient

  constructor(options: CalDavOptions) {
    this.#dav = new DavClient(options)
  }

  // A server has no list of rooms. These are the calendars of the account, which are found from its URL (RFC 5397, 4791).
  async listRooms(): Promise<RoomPage> {
    const home = await this.#findHome()
    const members = await this.#dav.find(
      home,
      1,
      '<d:resourcetype/><d:displayname/><c:supported-calendar-component-set/>',
    )
    const calendars = members.filter(({ properties }) => {
      const components = findChild(properties, `${CALDAV}:supported-calendar-component-set`)?.children
      return (
        findPath(properties, `${DAV}resourcetype`, `${CALDAV}:calendar`) &&
        (!components?.length || components.some(({ attributes }) => attributes.name === 'VEVENT'))
      )
    })
    const rooms = calendars.map(({ href, properties }) => {
      const path = decodeURIComponent(href.split('/').filter(Boolean).at(-1) ?? href)
      const name = findChild(properties, `${DAV}displayname`)?.text.trim() || path
      return { calendar: href, address: findAddress(path) ?? findAddress(name), name, capacity: null }
    })
    return { rooms, next: null }
  }

  async #findHome(): Promise<string> {
    const findHref = async (path: string, name: string, parent = DAV) => {
      const [found] = await this.#dav.find(path, 0, parent === DAV ? `<d:${name}/>` : `<c:${name}/>`)
      const element = findChild(found?.properties, parent === DAV ? `${DAV}${name}` : `${parent}:${name}`)
      const href = findChild(element, `${DAV}href`)?.text.trim()
      return href && this.#dav.toPath(href)
    }
    const base = this.#dav.basePath
    const principal = (await findHref(base, 'current-user-principal')) ?? base
    return (await findHref(principal, 'calendar-home-set', CALDAV)) ?? base
  }

  async listChanges(
    calendar: Calendar,
    position: string | null,
    period: Period,
  ): Promise<ChangePage | ExpiredPosition> {
    const former: Position | undefined = position ? JSON.parse(position) : undefined
    const found = former ? await this.#findChanges(calendar, former) : await this.#findAll(calendar, period)
    if (!found) return { isExpired: true }
    const { pending, removed, isComplete, ...next } = found
    const [now, later] = [pending.slice(0, OBJECTS_PER_PAGE), pending.slice(OBJECTS_PER_PAGE)]
    const page = await this.#readObjects(calendar, now, next)
    return {
      ...page,
      removed: [...removed, ...page.removed],
      position: JSON.stringify({ ...next, pending: later } satisfies Position),
      hasMore: later.length > 0 || !isComplete,
    }
  }

  // Takes the token first, so that what changes meanwhile is found again. Asking for the objects of the period alone spares
  // reading years of the past.
  async #findAll(calendar: Calendar, { from, to }: Period) {
    const [collection] = await this.#dav.find(calendar.id, 0, '<d:sync-token/>')
    const token = findChild(collection?.properties, `${DAV}sync-token`)?.text.trim()
    if (!token)
      throw new ProviderFault('rejected', 'The CalDAV server does not support sync-collection (RFC 6578).')
    const range = `start="${toUtcText(from)}" end="${toUtcText(to)}"`
    const { members } = await this.#dav.report(
      calendar.id,
      1,
      `<c:calendar-query xmlns:d="DAV:" xmlns:c="${CALDAV}"><d:prop><d:getetag/></d:prop><c:filter>
         <c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:time-range ${range}/></c:comp-filter></c:comp-filter>
       </c:filter></c:calendar-query>`,
    )
    return { from, to, token, pending: members.map(({ href }) => href), removed: [], isComplete: true }
  }

  async #findChanges(calendar: Calendar, former: Position) {
    if (former.pending.length > 0) return { ...former, removed: [], isComplete: true }
    const report = this.#dav.report(
      calendar.id,
      0,
      `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${escapeXml(former.token)}</d:sync-token>
         <d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`,
    )
    const found = await orElse(report, ['gone'], () => undefined)
    if (!found) return undefined
    const { members, syncToken } = found
    const objects = members.filter(({ href }) => href !== this.#dav.toPath(calendar.id))
    return {
      ...former,
      token: syncToken ?? former.token,
      pending: objects.filter(({ status }) => status !== 404).map(({ href }) => href),
      removed: objects.filter(({ status }) => status === 404).map(({ href }) => href),
      // A server that reports a part of the changes says so with the status 507 of the collection.
      isComplete: !members.some(({ status }) => status === 507),
    }
  }

  async #readObjects(calendar: Calendar, hrefs: string[], period: Period): Promise<ReadObjects> {
    const page: ReadObjects = { changed: [], removed: hrefs, unreadable: [] }
    if (hrefs.length === 0) return page
    const found = await orTooLarge(this.#dav.readObjects(calendar.id, hrefs))
    if (!found && hrefs.length > 1) {
      const half = Math.ceil(hrefs.length / 2)
      for (const part of [hrefs.slice(0, half), hrefs.slice(half)]) {
        const { changed, unreadable } = await this.#readObjects(calendar, part, period)
        page.changed.push(...changed)
        page.unreadable.push(...unreadable)
      }
      return page
    }
    const { objects, removed } = found ?? { objects: [], removed: [] }
    const named = new Set([...objects.map(({ href }) => href), ...removed])
    for (const object of objects) readInto(page, object, calendar, period)
    // A server may leave out an object because it failed or the account may not read it. Only an object that is not found is gone.
    for (const href of hrefs.filter((each) => !named.has(each)))
      try {
        const object = await this.#findObject(href)
        if (object) readInto(page, object, calendar, period)
      } catch (error) {
        const reason = explainMissing(error)
        if (reason === undefined) throw error
        page.unreadable.push({ id: href, reason })
      }
    return page
  }

  // Asks for the privileges of the account (RFC 3744). A server without access control does not have this property.
  async mayWrite(calendar: Calendar): Promise<boolean | undefined> {
    const [found] = await this.#dav.find(calendar.id, 0, '<d:current-user-privilege-set/>')
    const privileges = findChild(found?.properties, `${DAV}current-user-privilege-set`)
    if (!privileges) return undefined
    return ['all', 'write', 'bind'].some((name) => hasElement(privileges, `${DAV}${name}`))
  }

  async getEntry(calendar: Calendar, id: string): Promise<CalendarEntry | undefined> {
    const object = await this.#findObject(id)
    return object && orRejected(() => readEntry(object, calendar, id))
  }

  #findObject(id: string): Promise<CalendarObject | undefined> {
    return orElse(this.#dav.getObject(toHref(id)), ['not_found', 'gone'], () => undefined)
  }

  findEntry(calendar: Calendar, key: string): Promise<CalendarEntry | undefined> {
    return this.getEntry(calendar, this.#createHref(calendar, key))
  }

  #createHref({ id }: Calendar, key: string): string {
    return this.#dav.toPath(`${id.replace(/\/?$/, '/')}${createObjectName(key)}`)
  }

  async createEntry(calendar: Calendar, key: string, content: EntryContent): Promise<CalendarEntry> {
    const href = this.#createHref(calendar, key)
    const created = this.#dav.put(href, writeObject(content, key), { 'If-None-Match': '*' })
    // 412: the object is there already. Some servers answer 409 instead.
    await orElse(created, ['conflict', 'exists'], async (fault) => {
      if (await this.getEntry(calendar, href)) return
      if (!(await this.#findObject(href))) throw fault
      throw new ProviderFault('exists', 'The entry became a series, which no longer has its first date.')
    })
    return this.#requireEntry(calendar, href)
  }

  async changeEntry(
    calendar: Calendar,
    id: string,
    version: string,
    change: EntryChange,
  ): Promise<CalendarEntry> {
    const object = await this.#dav.getObject(toHref(id))
    if (object.etag !== version) throw new ProviderFault('conflict', 'The entry has changed meanwhile.')
    const text = orRejected(() => changeObject(object.text, toOriginal(id), change, calendar))
    if (text === undefined) throw new ProviderFault('not_found', 'The series no longer has this occurrence.')
    await this.#dav.put(object.href, text, { 'If-Match': version })
    return this.#requireEntry(calendar, id)
  }

  async changeAttendees(): Promise<CalendarEntry> {
    throw new ProviderFault('rejected', 'Many CalDAV servers do not invite attendees.')
  }

  // Servers may change what they store, so the entry is read again. If the server hides it, this concerns no other entry.
  async #requireEntry(calendar: Calendar, id: string): Promise<CalendarEntry> {
    const entry = await this.getEntry(calendar, id)
    if (!entry) throw new ProviderFault('rejected', 'The server does not show the entry that Berth wrote.')
    return entry
  }

  async cancelEntry(calendar: Calendar, id: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      const object = await this.#findObject(id)
      const text = object && orRejected(() => removeEntry(object.text, toOriginal(id), calendar))
      if (!object || text === undefined) return
      const condition = { 'If-Match': object.etag }
      try {
        if (text !== null) await this.#dav.put(object.href, text, condition)
        else await orElse(this.#dav.delete(object.href, condition), ['not_found', 'gone'], () => undefined)
        return
      } catch (error) {
        // Somebody has changed another occurrence meanwhile.
        if (!isFault(error, 'conflict') || tries >= CHANGE_TRIES_MAX) throw error
      }
    }
  }

  async declineEntry(): Promise<'impossible'> {
    return 'impossible'
  }

  async watch(): Promise<'impossible'> {
    return 'impossible'
  }

  async renew(): Promise<Watch> {
    throw new ProviderFault('not_found', 'CalDAV servers have no watches.')
  }

  async unwatch(): Promise<void> {}

  readNotification(): ReadNotification {
    return { kind: 'malformed' }
  }

  close() {
    this.#dav.close()
  }
}

type ReadObjects = Pick<ChangePage, 'changed' | 'removed' | 'unreadable'>

// One entry that cannot be read must not keep the others from being read.
function readInto(page: ReadObjects, object: CalendarObject, calendar: Calendar, period: Period) {
  try {
    page.changed.push(...readEntries(object, calendar, period))
  } catch (error) {
    if (!(error instanceof UnreadableEntry)) throw error
    page.unreadable.push({ id: object.href, reason: error.message })
  }
}

const isTooLarge = (error: unknown) => error instanceof ProviderFault && error.code === ANSWER_TOO_LARGE

/** Returns undefined if the answer is larger than Berth reads. */
const orTooLarge = <Value>(work: Promise<Value>) =>
  orElse(work, ['rejected'], (fault) => {
    if (!isTooLarge(fault)) throw fault
    return undefined
  })

/** Returns why a server does not return one object, or undefined if the fault may concern other objects as well. */
function explainMissing(error: unknown): string | undefined {
  if (!isFault(error, 'rejected', 'forbidden')) return undefined
  if (isTooLarge(error)) return error.message
  return error.status === undefined ? undefined : `The server does not return the entry: ${error.status}.`
}

/** Throws a fault that concerns only this entry if it cannot be read. */
function orRejected<Value>(read: () => Value): Value {
  try {
    return orUnreadable(read)
  } catch (error) {
    throw error instanceof UnreadableEntry ? new ProviderFault('rejected', error.message) : error
  }
}

// The id of an occurrence is the path of its object, a `#` and the original start of the occurrence. The id of the first
// occurrence is the path alone. A path has no other `#`, because it is escaped there.
const toHref = (id: string) => id.split('#')[0] ?? id
const toOriginal = (id: string): string | undefined => id.split('#')[1]

const toUtcText = (instant: string) =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

const findAddress = (text: string) => (/^[^\s@]+@[^\s@]+$/.test(text) ? text : null)
