// Prepares the database for `npm start`: first the tables, the gateway's own role and demo data, which the processes
// need to start, and then an administrator and a token. Reuses what an earlier start created if it still works.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import pg from 'pg'
import { seedDemo } from '../commands/seed/demo.ts'
import { createAdmin, setAdminPassword, verifyPassword } from '../shared/administrators/admin-store.ts'
import { connectDatabase } from '../shared/database/database.ts'
import { grantGateway } from '../shared/database/grants.ts'
import { migrateUp } from '../shared/database/migrations.ts'
import { ABILITIES, createToken, hashToken } from '../shared/tokens/token-store.ts'
import type { LocalRecord } from './tools/record.ts'
import { CliError, print } from './tools/terminal.ts'

type PreparationOptions = {
  databaseUrl: string
  /** Whether the database belongs to `npm start`, which may then set its roles and passwords. */
  isOwn: boolean
  demo: boolean
  previous: Partial<LocalRecord>
}

const ADMIN_EMAIL = 'admin@example.com'
const GATEWAY_ROLE = 'berth_gateway'
const CREATED_BY = 'npm start'
const CONNECT_MS_MAX = 10_000
const SERVER_VERSION_MIN = 150_000

export async function prepareDatabase({ databaseUrl, isOwn, demo, previous }: PreparationOptions) {
  await checkServer(databaseUrl)
  const database = connectDatabase(databaseUrl, { applicationName: 'berth-local' })
  try {
    const migrations = await migrateUp(database, { onWait: print })
    if (migrations.length > 0)
      print(`Applied ${migrations.length} database ${migrations.length === 1 ? 'migration' : 'migrations'}.`)
    const gatewayEnvironment = isOwn ? await setUpGatewayRole(database, databaseUrl) : {}
    if (demo) await seedDemo(database)
    /** Creates the administrator and the token, or finds those of the last start. */
    const ensureAccess = async () => {
      const token = await ensureToken(database, previous.token)
      const admin = await ensureAdmin(database, isOwn, previous.admin)
      await database.destroy()
      return { token, admin }
    }
    return { gatewayEnvironment, ensureAccess }
  } catch (error) {
    await database.destroy()
    throw error
  }
}

// Checks the server on a separate connection, because knex would print a failure with its stack trace and retry for
// seconds.
async function checkServer(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS_MAX })
  const version = await client
    .connect()
    .then(() => client.query("SELECT current_setting('server_version_num')::int AS version"))
    .then(({ rows }) => Number(rows[0]?.version ?? 0))
    .catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`Cannot connect to the database in DATABASE_URL: ${error.message || error.code}.`)
    })
    .finally(() => client.end().catch(() => undefined))
  if (version >= SERVER_VERSION_MIN) return
  throw new CliError(
    `Berth needs PostgreSQL 15 or later, but DATABASE_URL points to version ${Math.floor(version / 10_000)}.`,
  )
}

// Sets a new password for the role at each start. Only the processes of this start need the password, so no file has to
// store it.
async function setUpGatewayRole(database: Knex, databaseUrl: string): Promise<Record<string, string>> {
  const password = randomBytes(24).toString('hex')
  await grantGateway(database, GATEWAY_ROLE, password)
  const url = new URL(databaseUrl)
  url.username = GATEWAY_ROLE
  url.password = password
  return { GATEWAY_DATABASE_URL: url.href }
}

/** Creates an administrator if there is none. Returns an empty password if only the administrator knows it. */
async function ensureAdmin(
  database: Knex,
  isOwn: boolean,
  previous?: LocalRecord['admin'],
): Promise<LocalRecord['admin']> {
  const email = previous?.email ?? ADMIN_EMAIL
  const row = await database('admins')
    .whereRaw('lower(email) = lower(?)', [email])
    .first<{ password_hash: string; disabled_at: string | null } | undefined>()
  const known = previous?.password
  if (row && known && !row.disabled_at && (await verifyPassword(known, row.password_hash)))
    return { email, password: known }
  const fresh = { email, password: randomBytes(9).toString('hex') }
  if (!row) await createAdmin(database, fresh)
  else if (isOwn && !previous) await setAdminPassword(database, fresh)
  else return { email, password: '' }
  return fresh
}

async function ensureToken(database: Knex, previous: string | undefined): Promise<string> {
  if (previous && (await isUsableToken(database, previous))) return previous
  const owner = { name: CREATED_BY, createdBy: CREATED_BY }
  return (await createToken(database, { ...owner, abilities: ABILITIES })).token
}

async function isUsableToken(database: Knex, token: string): Promise<boolean> {
  const row = await database('tokens')
    .where({ hash: hashToken(token), revoked_at: null })
    .whereRaw('(expires_at IS NULL OR expires_at > now())')
    .first<{ abilities: string[] } | undefined>('abilities')
  return row !== undefined && ABILITIES.every((ability) => row.abilities.includes(ability))
}
