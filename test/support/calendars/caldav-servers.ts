// Real CalDAV servers for tests, each with a folder of its own: Debian's radicale and Debian's xandikos.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../time.ts'

const RADICALE = '/usr/bin/radicale'
export const RADICALE_USER = 'berth'
export const RADICALE_PASSWORD = 'caldav-pass-word'
const AUTHORIZATION = `Basic ${Buffer.from(`${RADICALE_USER}:${RADICALE_PASSWORD}`).toString('base64')}`

export const hasRadicale = existsSync(RADICALE)

/** Declares suites that need radicale. Without it, they are skipped with a notice. */
export function describeWithRadicale(title: string, suites: () => void) {
  if (hasRadicale) return suites()
  return describe.skip(`${title} (there is no radicale)`, () => undefined)
}

/** A CalDAV server with one user. */
export abstract class CalDavServer {
  url = ''
  /** The folder of the user's calendars on the server. */
  abstract readonly home: string
  protected readonly folder = mkdtempSync(join(tmpdir(), 'berth-caldav-'))
  #child: ChildProcess | undefined

  /** Returns the command that starts the server. */
  protected abstract configure(port: number): [program: string, ...values: string[]]

  async start(): Promise<this> {
    const port = await findFreePort()
    this.url = `http://127.0.0.1:${port}`
    const [program, ...values] = this.configure(port)
    this.#child = spawn(program, values, { stdio: 'ignore' })
    await eventually(() => fetch(this.url).then((answer) => answer.body?.cancel()))
    return this
  }

  async close() {
    if (this.#child && this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Sends a request as another calendar program does. */
  async request(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: AUTHORIZATION, ...headers },
      ...(body !== undefined && { body }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text
  }

  async addCalendar(name: string, displayName: string): Promise<string> {
    const path = `${this.home}${encodeURIComponent(name)}/`
    await this.request(
      'MKCALENDAR',
      path,
      `<?xml version="1.0"?><c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop>
         <d:displayname>${displayName}</d:displayname>
         <c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set>
       </d:prop></d:set></c:mkcalendar>`,
      { 'Content-Type': 'text/xml' },
    )
    return path
  }

  put = (path: string, text: string) => this.request('PUT', path, text, { 'Content-Type': 'text/calendar' })
}

export class Radicale extends CalDavServer {
  readonly home = `/${RADICALE_USER}/`
  #forgotten = 0

  protected configure(port: number): [string, ...string[]] {
    const users = join(this.folder, 'users')
    writeFileSync(users, `${RADICALE_USER}:${RADICALE_PASSWORD}\n`)
    mkdirSync(join(this.folder, 'collections'))
    const file = join(this.folder, 'config')
    writeFileSync(
      file,
      `[server]\nhosts = 127.0.0.1:${port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = ${users}
htpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = ${join(this.folder, 'collections')}
[rights]\ntype = owner_only\n[web]\ntype = none\n[logging]\nlevel = error\n`,
    )
    return [RADICALE, '--config', file]
  }

  /** Makes the server forget its sync tokens. */
  forgetTokens() {
    const calendars = join(this.folder, 'collections/collection-root', RADICALE_USER)
    for (const name of readdirSync(calendars)) {
      const tokens = join(calendars, name, '.Radicale.cache/sync-token')
      // Moves the folder, because the server may write to it while it is being deleted.
      if (existsSync(tokens)) renameSync(tokens, join(this.folder, `forgotten-${++this.#forgotten}`))
    }
  }
}

/** A server that asks for no password, and that cannot be made to forget its sync tokens. */
export class Xandikos extends CalDavServer {
  readonly home = `/${RADICALE_USER}/calendars/`
  readonly #program: string

  constructor(program: string) {
    super()
    this.#program = program
  }

  protected configure(port: number): [string, ...string[]] {
    mkdirSync(join(this.folder, this.home), { recursive: true })
    const settings = ['--autocreate', '--current-user-principal', `/${RADICALE_USER}/`]
    return [this.#program, '-d', this.folder, '-l', '127.0.0.1', '-p', String(port), ...settings]
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no port')
  return address.port
}
