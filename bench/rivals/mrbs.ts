// MRBS as its own documents say to install it: PHP's server with sixteen processes, a database of its own, one session a
// client. A booking is the form that a browser sends.

import { spawn } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from '../../local/ports.ts'
import type { Servers } from '../stage/servers.ts'

const DATABASE = 'mrbs'
const READY_MS_MAX = 20_000
const DAY_SECONDS = 24 * 3600
// The hours in which its rooms may be booked by default, in half hours.
const OPENS_SECONDS = 7 * 3600
const SLOT_SECONDS = 1800
const SLOTS_A_DAY = 22
const FIRST_DAY = Date.UTC(2030, 0, 1)

export type MrbsClient = { cookie: string; token: string }

export type Mrbs = {
  pid: number
  signIn(): Promise<MrbsClient>
  /** Whether it said yes. */
  book(client: MrbsClient, room: number, slot: number): Promise<boolean>
  /** How many bookings lie on a slot. */
  countAt(room: number, slot: number): Promise<number>
  stop(): Promise<void>
}

/** `source` is a checkout of MRBS; `php` must be installed with its pgsql, intl and mbstring. */
export async function startMrbs(servers: Servers, source: string, processes: number): Promise<Mrbs> {
  const client = await createSchema(servers, source, processes)
  const web = join(servers.directory, 'mrbs')
  await cp(join(source, 'web'), web, { recursive: true })
  await writeFile(join(web, 'config.inc.php'), configFor(servers))
  const sessions = join(servers.directory, 'mrbs-sessions')
  await mkdir(sessions)
  const port = await findFreePort()
  const settings = {
    'opcache.enable_cli': 1,
    'session.save_path': sessions,
    display_errors: 0,
    log_errors: 0,
  }
  const child = spawn(
    'php',
    [
      ...Object.entries(settings).flatMap(([name, value]) => ['-d', `${name}=${value}`]),
      ...['-S', `127.0.0.1:${port}`, '-t', web],
    ],
    // A group of its own: its server does not end the processes that it has started.
    {
      env: { PATH: process.env.PATH, PHP_CLI_SERVER_WORKERS: String(processes) },
      stdio: 'ignore',
      detached: true,
    },
  )
  const url = `http://127.0.0.1:${port}`
  await waitUntilServing(url)
  return {
    pid: child.pid as number,
    signIn: () => signIn(url),
    book: (signedIn, room, slot) => book(url, signedIn, room, slot),
    async countAt(room, slot) {
      const { seconds, day } = startOf(slot)
      const { rows } = await client.query<{ number: number }>(
        'SELECT count(*)::int AS number FROM mrbs_entry WHERE room_id = $1 AND start_time = $2',
        [room, day / 1000 + seconds],
      )
      return rows[0]?.number ?? 0
    },
    async stop() {
      process.kill(-(child.pid as number), 'SIGTERM')
      await client.end()
    },
  }
}

async function createSchema(servers: Servers, source: string, rooms: number): Promise<pg.Client> {
  const server = new pg.Client(servers.databaseUrl)
  await server.connect()
  await server.query(`CREATE DATABASE ${DATABASE}`)
  await server.end()
  const client = new pg.Client(databaseUrlOf(servers).href)
  await client.connect()
  await client.query(await readFile(join(source, 'tables.pg.sql'), 'utf8'))
  await client.query(`INSERT INTO mrbs_area (area_name, timezone) VALUES ('Bench', 'Etc/UTC')`)
  await client.query(
    `INSERT INTO mrbs_room (area_id, room_name, sort_key) SELECT 1, 'Room ' || n, n FROM generate_series(1, $1::int) AS n`,
    [rooms],
  )
  return client
}

function databaseUrlOf({ databaseUrl }: Servers): URL {
  const address = new URL(databaseUrl)
  address.pathname = `/${DATABASE}`
  return address
}

function configFor(servers: Servers): string {
  const { hostname, port, username, password } = databaseUrlOf(servers)
  return `<?php
namespace MRBS;
require_once 'lib/autoload.inc';
$timezone = 'Etc/UTC';
$dbsys = 'pgsql';
$db_host = '${hostname}';
$db_port = ${port};
$db_database = '${DATABASE}';
$db_login = '${username}';
$db_password = '${password}';
$db_tbl_prefix = 'mrbs_';
$auth['type'] = 'config';
unset($auth['user'], $auth['admin']);
$auth['user']['bench'] = 'bench';
$auth['admin'][] = 'bench';
`
}

async function waitUntilServing(url: string): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (Date.now() > deadline)
      throw new Error('PHP does not serve MRBS: are php-pgsql, php-intl and php-mbstring there?')
    await sleep(50)
  }
}

async function signIn(url: string): Promise<MrbsClient> {
  const form = await fetch(`${url}/admin.php`)
  const cookie = cookiesOf(form)
  const signedIn = await fetch(`${url}/admin.php`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie },
    body: new URLSearchParams({
      csrf_token: tokenIn(await form.text()),
      action: 'SetName',
      target_url: 'index.php',
      username: 'bench',
      password: 'bench',
    }),
  })
  const ownCookie = cookiesOf(signedIn) || cookie
  const page = await fetch(`${url}/edit_entry.php?area=1&room=1&year=2030&month=1&day=1`, {
    headers: { Cookie: ownCookie },
  })
  return { cookie: ownCookie, token: tokenIn(await page.text()) }
}

async function book(
  url: string,
  { cookie, token }: MrbsClient,
  room: number,
  slot: number,
): Promise<boolean> {
  const { day, seconds } = startOf(slot)
  const date = new Date(day).toISOString().slice(0, 10)
  const answer = await fetch(`${url}/edit_entry_handler.php`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie },
    body: new URLSearchParams({
      csrf_token: token,
      returl: 'index.php',
      name: 'Bench',
      description: '',
      create_by: 'bench',
      area: '1',
      'rooms[]': String(room),
      start_date: date,
      start_seconds: String(seconds),
      end_date: date,
      end_seconds: String(seconds + SLOT_SECONDS),
      type: 'I',
      rep_type: '0',
      rep_interval: '1',
    }),
  })
  await answer.arrayBuffer()
  return answer.status === 302
}

function startOf(slot: number): { day: number; seconds: number } {
  return {
    day: FIRST_DAY + Math.floor(slot / SLOTS_A_DAY) * DAY_SECONDS * 1000,
    seconds: OPENS_SECONDS + (slot % SLOTS_A_DAY) * SLOT_SECONDS,
  }
}

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

function tokenIn(page: string): string {
  const [, token] = /name="csrf_token" value="([^"]+)"/.exec(page) ?? []
  if (!token) throw new Error(`There is no form: ${page.slice(0, 300)}`)
  return token
}
