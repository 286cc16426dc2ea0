// Brings the database to where `npm start` can use it: tables, the gateway's own role, somebody who may sign in, a
// token, and something to look at. What an earlier start made is kept where it still works.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import pg from 'pg'
import { seedDemo } from '../commands/seed/demo.ts'
import { createAdmin, setAdminPassword, verifyPassword } from '../shared/admins.ts'
import { connectDatabase } from '../shared/database.ts'
import { grantGateway } from '../shared/grants.ts'
import { migrateUp } from '../shared/migrations.ts'
import { ABILITIES, createToken, hashToken } from '../shared/tokens.ts'
import type { LocalRecord } from './record.ts'
import { Problem, say } from './terminal.ts'

export type Wish = {
  databaseUrl: string
  /** The database is our own: roles and passwords in it are ours to set. */
  own: boolean
  demo: boolean
  known: Partial<LocalRecord>
}

export type Prepared = {
  token: string
  admin: { email: string; password: string }
  gatewayDatabaseUrl: string | undefined
}

const ADMIN_EMAIL = 'admin@example.com'
const GATEWAY_ROLE = 'berth_gateway'
const MAKER = 'npm start'
const CONNECT_MS_MAX = 10_000
const SERVER_VERSION_MIN = 150_000

export async function prepareDatabase({ databaseUrl, own, demo, known }: Wish): Promise<Prepared> {
  await checkServer(databaseUrl)
  const database = connectDatabase(databaseUrl, { applicationName: 'berth-local' })
  try {
    const migrations = await migrateUp(database)
    if (migrations.length > 0) say(`Brought the database up to date (${migrations.length} migrations).`)
    const gatewayDatabaseUrl = own ? await giveRole(database, databaseUrl) : undefined
    const admin = await findAdmin(database, own, known.admin)
    const token = await findToken(database, known.token)
    if (demo) await seedDemo(database)
    return { token, admin, gatewayDatabaseUrl }
  } finally {
    await database.destroy()
  }
}

// By a connection of its own: knex would print the failure with its stack, and try for seconds.
async function checkServer(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS_MAX })
  const version = await client
    .connect()
    .then(() =>
      client.query<{ version: number }>("SELECT current_setting('server_version_num')::int AS version"),
    )
    .then(({ rows }) => rows[0]?.version ?? 0)
    .catch((error: NodeJS.ErrnoException) => {
      throw new Problem(`The database cannot be reached (DATABASE_URL): ${error.message || error.code}.`)
    })
    .finally(() => client.end().catch(() => undefined))
  if (version >= SERVER_VERSION_MIN) return
  throw new Problem(
    `Berth needs PostgreSQL 15 or later; DATABASE_URL leads to version ${Math.floor(version / 10_000)}.`,
  )
}

// A new password every time: nobody but the processes of this start needs it, so that no file has to keep it.
async function giveRole(database: Knex, databaseUrl: string): Promise<string> {
  const password = randomBytes(24).toString('hex')
  await grantGateway(database, GATEWAY_ROLE, password)
  const url = new URL(databaseUrl)
  url.username = GATEWAY_ROLE
  url.password = password
  return url.href
}

/** The password is empty where nobody but its owner knows it. */
async function findAdmin(
  database: Knex,
  own: boolean,
  known?: LocalRecord['admin'],
): Promise<LocalRecord['admin']> {
  const email = known?.email ?? ADMIN_EMAIL
  const row = await database('admins')
    .whereRaw('lower(email) = lower(?)', [email])
    .first<{ password_hash: string; disabled_at: string | null } | undefined>()
  if (
    row &&
    known?.password &&
    !row.disabled_at &&
    (await verifyPassword(known.password, row.password_hash))
  ) {
    return { email, password: known.password }
  }
  const fresh = { email, password: randomBytes(9).toString('hex') }
  if (!row) await createAdmin(database, fresh)
  else if (own && !known) await setAdminPassword(database, fresh)
  else return { email, password: '' }
  return fresh
}

async function findToken(database: Knex, known: string | undefined): Promise<string> {
  if (known && (await isGoodToken(database, known))) return known
  const { token } = await createToken(database, { name: MAKER, abilities: ABILITIES, createdBy: MAKER })
  return token
}

async function isGoodToken(database: Knex, token: string): Promise<boolean> {
  const row = await database('tokens')
    .where({ hash: hashToken(token), revoked_at: null })
    .whereRaw('(expires_at IS NULL OR expires_at > now())')
    .first<{ abilities: string[] } | undefined>('abilities')
  return row !== undefined && ABILITIES.every((ability) => row.abilities.includes(ability))
}
