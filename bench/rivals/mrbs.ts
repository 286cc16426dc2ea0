// Runs MRBS, a booking system in PHP, from a checkout: PHP's own server with 16 processes, opcache and persistent
// connections to the benchmark's Postgres. Each caller has its own session, because PHP handles the requests of one
// session in turn.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../local/tools/ports.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { createDatabase, type Servers } from '../stage/servers.ts'

export const SESSION_COUNT = 16

const [AREAS, ROOMS] = [10, 2_000]
const [FIRST_HOUR, HOURS_A_DAY] = [8, 8]
const FIRST_DAY_MS = Date.UTC(2030, 0, 1)
const DAY_MS = 86_400_000
const READY_POLL_MS = 100
const [NAME, PASSWORD] = ['bench', 'a long and simple sentence']

type Session = { cookie: string; token: string }

export type Mrbs = {
  /** Creates bookings for some seconds. Returns how long each booking took, and the responses that were not
   * successful bookings. */
  book(seconds: number): Promise<{ timesMs: number[]; seconds: number; failures: Record<string, number> }>
  stop(): Promise<void>
}

export async function startMrbs(servers: Servers, checkout: string): Promise<Mrbs> {
  const folder = join(servers.directory, 'mrbs')
  cpSync(join(checkout, 'web'), join(folder, 'web'), { recursive: true })
  mkdirSync(join(folder, 'sessions'))
  const databaseUrl = await createDatabase(servers, 'mrbs', { isEmpty: true })
  await createMrbsTables(databaseUrl, checkout)
  writeFileSync(join(folder, 'web/config.inc.php'), formatConfig(new URL(databaseUrl)))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const log = openSync(join(folder, 'log'), 'a')
  const options = [
    'opcache.enable_cli=1',
    'opcache.validate_timestamps=0',
    'opcache.file_update_protection=0',
  ]
  const php = spawn(
    'php',
    [
      ...[...options, `session.save_path=${folder}/sessions`].flatMap((each) => ['-d', each]),
      '-S',
      `127.0.0.1:${port}`,
    ],
    {
      cwd: join(folder, 'web'),
      env: { PATH: process.env.PATH, PHP_CLI_SERVER_WORKERS: String(SESSION_COUNT) },
      stdio: ['ignore', log, log],
      // Creates a process group, so that PHP's processes can be ended together.
      detached: true,
    },
  )
  const ended = once(php, 'exit')
  const stop = async () => {
    if (php.pid) process.kill(-php.pid, 'SIGTERM')
    await ended
  }
  try {
    while (!(await fetch(`${url}/robots.txt`).catch(() => undefined))) await sleep(READY_POLL_MS)
    const sessions = await Promise.all(Array.from({ length: SESSION_COUNT }, () => signIn(url)))
    let nextSlot = 0
    return {
      async book(seconds) {
        const timesMs: number[] = []
        const failures: Record<string, number> = {}
        const startedMs = performance.now()
        const endMs = startedMs + seconds * 1_000
        const bookAgainAndAgain = async (session: Session) => {
          while (performance.now() < endMs) {
            const askedMs = performance.now()
            const failure = await bookSlot(url, session, nextSlot++)
            if (failure) failures[failure] = (failures[failure] ?? 0) + 1
            else timesMs.push(performance.now() - askedMs)
          }
        }
        await Promise.all(sessions.map(bookAgainAndAgain))
        return { timesMs, seconds: (performance.now() - startedMs) / 1_000, failures }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw new Error(`${error}\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`)
  }
}

async function createMrbsTables(databaseUrl: string, checkout: string): Promise<void> {
  const hash = execFileSync('php', ['-r', `echo password_hash('${PASSWORD}', PASSWORD_DEFAULT);`], {
    encoding: 'utf8',
  })
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  await database.raw(readFileSync(join(checkout, 'tables.pg.sql'), 'utf8').replaceAll('?', '\\?'))
  await database.raw(
    'INSERT INTO mrbs_users (level, name, display_name, password_hash) VALUES (2, :name, :name, :hash)',
    { name: NAME, hash },
  )
  await database.raw(
    `INSERT INTO mrbs_area (area_name) SELECT 'Area ' || n FROM generate_series(1, ${AREAS}) AS n`,
  )
  await database.raw(
    `INSERT INTO mrbs_room (area_id, room_name, sort_key) SELECT 1 + n % ${AREAS}, 'Room ' || n, n FROM generate_series(1, ${ROOMS}) AS n`,
  )
  await database.destroy()
}

const formatConfig = ({ port, username, password, pathname }: URL) => `<?php
namespace MRBS;
require_once 'lib/autoload.inc';
$timezone = 'UTC';
$dbsys = 'pgsql';
$db_host = '127.0.0.1';
$db_port = ${port};
$db_database = '${pathname.slice(1)}';
$db_login = '${username}';
$db_password = '${password}';
$db_persist = true;
$auth['type'] = 'db';
$auth['session'] = 'php';
`

async function signIn(url: string): Promise<Session> {
  const page = await fetch(`${url}/edit_entry.php`)
  const cookie = readCookie(page)
  const fields = {
    csrf_token: readToken(await page.text()),
    action: 'SetName',
    username: NAME,
    password: PASSWORD,
  }
  const answer = await postForm(`${url}/index.php`, { cookie }, fields)
  const session = readCookie(answer) || cookie
  const form = await fetch(`${url}/edit_entry.php?area=1&room=10`, { headers: { Cookie: session } })
  return { cookie: session, token: readToken(await form.text()) }
}

/** Books one slot. Returns the response if the booking failed. */
async function bookSlot(url: string, session: Session, slot: number): Promise<string | undefined> {
  const [room, hour] = [1 + (slot % ROOMS), Math.floor(slot / ROOMS)]
  const day = new Date(FIRST_DAY_MS + Math.floor(hour / HOURS_A_DAY) * DAY_MS).toISOString().slice(0, 10)
  const startSeconds = (FIRST_HOUR + (hour % HOURS_A_DAY)) * 3_600
  const answer = await postForm(`${url}/edit_entry_handler.php`, session, {
    csrf_token: session.token,
    create_by: NAME,
    name: `Booking ${slot}`,
    type: 'I',
    'rooms[]': String(room),
    start_date: day,
    start_seconds: String(startSeconds),
    end_date: day,
    end_seconds: String(startSeconds + 3_600),
    rep_type: '0',
    returl: 'help.php',
  })
  const text = await answer.text()
  // MRBS redirects to the calendar after a successful booking, and shows a page after a refusal.
  return answer.status === 302 ? undefined : `${answer.status} ${/<h1>.*?<\/h1>/s.exec(text)?.[0] ?? ''}`
}

const postForm = (url: string, { cookie }: { cookie: string }, fields: Record<string, string>) =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie },
    body: new URLSearchParams(fields),
  })

const readCookie = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')

function readToken(page: string): string {
  const [, token] = /name="csrf_token"[^>]*value="([^"]+)"|data-csrf-token/.exec(page) ?? []
  if (!token) throw new Error(`MRBS answered no form: ${page.slice(0, 500)}`)
  return token
}
