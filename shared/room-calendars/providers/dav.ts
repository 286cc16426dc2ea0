// Requests of WebDAV and CalDAV. Paths of the server are compared as text, so each is brought into one form.
import type { ReachableNetworks } from '../../networks/reachable-networks.ts'
import { escapePath } from '../calendar-spellings.ts'
import {
  CALDAV,
  DAV,
  type DavMember,
  escapeXml,
  findChild,
  hasElement,
  parseXml,
  readMultistatus,
} from './dav-xml.ts'
import type { CalendarObject } from './icalendar.ts'
import { ProviderFault } from './provider.ts'
import {
  createFault,
  type FaultBody,
  type HttpAnswer,
  HttpClient,
  type HttpRequest,
  type Limits,
  type ObserveRequest,
} from './requests.ts'

type DavOptions = {
  url: string
  user: string
  password: string
  networks: ReachableNetworks
  limits?: Limits
  observe?: ObserveRequest
}

export class DavClient {
  readonly #base: URL
  readonly #authorization: string
  readonly #http: HttpClient

  constructor({ url, user, password, networks, limits, observe }: DavOptions) {
    this.#base = new URL(url)
    this.#authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    this.#http = new HttpClient(networks, limits, observe)
  }

  get basePath(): string {
    return this.toPath(this.#base.pathname)
  }

  /** Returns the path of a link, each part escaped in the same way. */
  toPath(href: string): string {
    const target = new URL(href, this.#base)
    // The password goes to this server only.
    if (target.origin !== this.#base.origin)
      throw new ProviderFault('rejected', 'A link of the CalDAV server leads to another host.')
    return escapePath(target.pathname)
  }

  /** Asks for properties of a resource, and with depth 1 also of those inside it. */
  async find(path: string, depth: 0 | 1, properties: string): Promise<DavMember[]> {
    const body = `<d:propfind xmlns:d="DAV:" xmlns:c="${CALDAV}"><d:prop>${properties}</d:prop></d:propfind>`
    return (await this.#askMultistatus('PROPFIND', path, depth, body)).members
  }

  report(path: string, depth: 0 | 1, body: string) {
    return this.#askMultistatus('REPORT', path, depth, body)
  }

  async #askMultistatus(method: string, path: string, depth: 0 | 1, body: string) {
    const headers = { Depth: String(depth), 'Content-Type': 'application/xml; charset=utf-8' }
    const xml = `<?xml version="1.0" encoding="utf-8"?>${body}`
    const { text } = await this.#call({ method, url: this.#toUrl(path), headers, body: xml })
    const { members, syncToken } = readMultistatus(text)
    return { syncToken, members: members.map((member) => ({ ...member, href: this.toPath(member.href) })) }
  }

  /** Reads several objects with one request. `removed` are those that the server says are no longer there. */
  async readObjects(
    calendar: string,
    hrefs: string[],
  ): Promise<{ objects: CalendarObject[]; removed: string[] }> {
    const { members } = await this.report(
      calendar,
      1,
      `<c:calendar-multiget xmlns:d="DAV:" xmlns:c="${CALDAV}"><d:prop><d:getetag/><c:calendar-data/></d:prop>${hrefs
        .map((href) => `<d:href>${escapeXml(href)}</d:href>`)
        .join('')}</c:calendar-multiget>`,
    )
    const objects = members.flatMap(({ href, status, properties }) => {
      const etag = findChild(properties, `${DAV}getetag`)?.text.trim()
      const text = findChild(properties, `${CALDAV}:calendar-data`)?.text
      return status === 200 && etag && text ? [{ href, etag, text }] : []
    })
    return { objects, removed: members.flatMap(({ href, status }) => (status === 404 ? [href] : [])) }
  }

  async getObject(href: string): Promise<CalendarObject> {
    const { text, headers } = await this.#call({ method: 'GET', url: this.#toUrl(href) })
    return { href: this.toPath(href), etag: headers.etag ?? '', text }
  }

  async put(href: string, text: string, condition: Record<string, string>): Promise<void> {
    const headers = { 'Content-Type': 'text/calendar; charset=utf-8', ...condition }
    await this.#call({ method: 'PUT', url: this.#toUrl(href), headers, body: text })
  }

  async delete(href: string, headers: Record<string, string>): Promise<void> {
    await this.#call({ method: 'DELETE', url: this.#toUrl(href), headers })
  }

  close() {
    this.#http.close()
  }

  #toUrl(path: string): string {
    return new URL(this.toPath(path), this.#base).href
  }

  async #call(request: HttpRequest): Promise<HttpAnswer> {
    const headers = { ...request.headers, Authorization: this.#authorization }
    const answer = await this.#http.send({ ...request, headers })
    // All calendars are read with one account of one server, which counts their requests together.
    if (answer.status < 200 || answer.status > 299)
      throw createFault(request, answer, (each) => ({ ...readDavFault(each), isOfProvider: true }))
    return answer
  }
}

// RFC 6578: a token that the server no longer knows breaks the precondition valid-sync-token, with 403 or 409. RFC 4791:
// no-uid-conflict says that another object has this UID.
function readDavFault({ status, text }: HttpAnswer): FaultBody {
  if (status < 400 || !text.trimStart().startsWith('<')) return {}
  try {
    const body = parseXml(text)
    if (hasElement(body, `${DAV}valid-sync-token`)) return { kind: 'gone', code: 'valid-sync-token' }
    if (hasElement(body, `${CALDAV}:no-uid-conflict`)) return { kind: 'exists', code: 'no-uid-conflict' }
  } catch {
    // Many servers explain failures in HTML.
  }
  return {}
}
