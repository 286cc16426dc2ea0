// A real CalDAV server for tests: Debian's radicale with a folder of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../time.ts'

const PROGRAM = '/usr/bin/radicale'
export const RADICALE_USER = 'berth'
export const RADICALE_PASSWORD = 'caldav-pass-word'
const AUTHORIZATION = `Basic ${Buffer.from(`${RADICALE_USER}:${RADICALE_PASSWORD}`).toString('base64')}`

export const hasRadicale = existsSync(PROGRAM)

/** Declares suites that need radicale. Without it, they are skipped with a notice. */
export function describeWithRadicale(title: string, suites: () => void) {
  if (hasRadicale) return suites()
  return describe.skip(`${title} (there is no radicale)`, () => undefined)
}

export class Radicale {
  url = ''
  readonly #folder = mkdtempSync(join(tmpdir(), 'berth-radicale-'))
  #child: ChildProcess | undefined

  async start(): Promise<this> {
    const port = await findFreePort()
    this.url = `http://127.0.0.1:${port}`
    const users = join(this.#folder, 'users')
    writeFileSync(users, `${RADICALE_USER}:${RADICALE_PASSWORD}\n`)
    mkdirSync(join(this.#folder, 'collections'))
    const file = join(this.#folder, 'config')
    writeFileSync(
      file,
      `[server]\nhosts = 127.0.0.1:${port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = ${users}
htpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = ${join(this.#folder, 'collections')}
[rights]\ntype = owner_only\n[web]\ntype = none\n[logging]\nlevel = error\n`,
    )
    this.#child = spawn(PROGRAM, ['--config', file], { stdio: 'ignore' })
    await eventually(() => fetch(this.url).then((answer) => answer.body?.cancel()))
    return this
  }

  async close() {
    if (this.#child && this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
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
    const path = `/${RADICALE_USER}/${encodeURIComponent(name)}/`
    await this.request(
      'MKCALENDAR',
      path,
      `<?xml version="1.0"?><c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop>
         <d:displayname>${displayName}</d:displayname>
         <c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set>
       </d:prop></d:set></c:mkcalendar>`,
    )
    return path
  }

  /** Makes the server forget its sync tokens. */
  forgetTokens() {
    const root = join(this.#folder, 'collections/collection-root')
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.Radicale.cache/sync-token')) rmSync(join(root, name), { recursive: true })
  }

  put = (path: string, text: string) => this.request('PUT', path, text, { 'Content-Type': 'text/calendar' })
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
