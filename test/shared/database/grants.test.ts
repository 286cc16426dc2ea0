// Tests a gateway with its own database role: it answers every request, and the database keeps it from writing domain
// tables.

import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { serve } from '../../../gateway/server.ts'
import { connectPool } from '../../../shared/database/database.ts'
import { grantGateway } from '../../../shared/database/grants.ts'
import { ABILITIES, createToken } from '../../../shared/tokens/token-store.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { createCampus, REQUESTS_IN_BUILDINGS } from '../../support/campus.ts'
import { createSignedIn } from '../../support/dashboard/dashboard.ts'
import { createWebhook } from '../../support/dashboard/webhook-examples.ts'
import { createDesk, createUser, hoursFromNow } from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { useWith } from '../../support/use.ts'
import { createWorld, useWorld } from '../../support/world.ts'

const PASSWORD = `it's ? a "long" \\ one: ${randomBytes(4).toString('hex')}`

// The only tables that the gateway may write. In tokens, it may write only the usage columns.
const GATEWAY_WRITE_RIGHTS = [
  'admin_links DELETE',
  'admins.email INSERT',
  'admins.password_hash INSERT',
  'admins.password_hash UPDATE',
  'admins.updated_at UPDATE',
  'device_authorizations.abilities INSERT',
  'device_authorizations.client_id INSERT',
  'device_authorizations.device_code_hash INSERT',
  'device_authorizations.device_name INSERT',
  'device_authorizations.expires_at INSERT',
  'device_authorizations.user_code_hash INSERT',
  'file_chunks DELETE',
  'file_chunks INSERT',
  'files DELETE',
  'files INSERT',
  'files UPDATE',
  'idempotency_keys.created_at UPDATE',
  'idempotency_keys.fingerprint INSERT',
  'idempotency_keys.fingerprint UPDATE',
  'idempotency_keys.key INSERT',
  'idempotency_keys.outcome INSERT',
  'idempotency_keys.outcome UPDATE',
  'idempotency_keys.scope INSERT',
  'jobs.ability INSERT',
  'jobs.actor_name INSERT',
  'jobs.admin_id INSERT',
  'jobs.envelope INSERT',
  'jobs.id INSERT',
  'jobs.import_file_id INSERT',
  'jobs.name INSERT',
  'jobs.plan_id INSERT',
  'jobs.token_id INSERT',
  'receipts.abandoned_at INSERT',
  'receipts.attempt INSERT',
  'sessions DELETE',
  'sessions INSERT',
  'sessions UPDATE',
  'person_sessions DELETE',
  'person_sessions INSERT',
  'person_sessions UPDATE',
  'person_languages INSERT',
  'sign_in_links DELETE',
  'setup_links DELETE',
  'setup_links INSERT',
  'tokens.last_used_at UPDATE',
  'tokens.requests UPDATE',
  'screens.last_seen_at UPDATE',
]

describe('a gateway with its own database role', () => {
  // Roles belong to the server rather than the database, so each run needs a unique name.
  const role = `Berth "gateway" ${randomBytes(4).toString('hex')}`
  const world = useWorld()
  let roleUrl: string
  const pool = useWith(
    world,
    async () => {
      await grantGateway(world.database, role, 'first password')
      // Grants rights that an earlier release granted.
      await world.database.raw('GRANT INSERT ON receipts, jobs TO ??', [role])
      await grantGateway(world.database, role, PASSWORD)
      const url = new URL(world.databaseUrl)
      url.username = encodeURIComponent(role)
      url.password = encodeURIComponent(PASSWORD)
      roleUrl = url.href
      return connectPool(roleUrl, { connectionsMax: 1 })
    },
    async (opened) => {
      await opened.end()
      await world.database.raw('DROP OWNED BY ??', [role])
      await world.database.raw('DROP ROLE ??', [role])
    },
  )

  it('reads directly, writes through workers, and records when a token was used', async () => {
    const gateway = await serve({ ...world.config, gatewayDatabaseUrl: roleUrl }, createLog('test', 'silent'))
    const { token } = await world.client()
    const client = new Client(`http://127.0.0.1:${gateway.port}`, token)
    const user = await createUser(world.database)
    for (const path of ['groups', 'buildings', `users/${user}`, 'openapi.json']) {
      expect((await client.get(path)).status, path).to.equal(200)
    }
    const { json } = await client.get('/readyz')
    expect(json).to.deep.include({ status: 'ready', postgres: { ok: true }, migrations: { ok: true } })
    const booking = { ...(await createDesk(world.database)), to_time: hoursFromNow(2) }
    const key = { 'Idempotency-Key': 'one' }
    const booked = await client.post('bookings', booking, key)
    expect(booked.status).to.equal(200)
    expect((await client.post('bookings', booking, key)).text).to.equal(booked.text)
    expect((await client.delete(`bookings/${booked.json.data[0].id}`)).status).to.equal(204)
    await gateway.stop()
    const { requests } = await world.database('tokens').first('requests').orderBy('id', 'desc')
    expect(requests).to.equal(6)
  })

  it('cancels writes that no worker executes', async () => {
    const alone = await createWorld({ workers: [], environment: { WRITE_WAIT_MS: '300' } })
    try {
      await grantGateway(alone.database, role, PASSWORD)
      const url = new URL(roleUrl)
      url.pathname = new URL(alone.databaseUrl).pathname
      const gateway = await alone.startGateway({ GATEWAY_DATABASE_URL: url.href })
      const { token } = await alone.client()
      const body = { ...(await createDesk(alone.database)), to_time: hoursFromNow(2) }
      const answer = await new Client(gateway.url, token).post('bookings', body)
      expect(answer.json.code).to.equal('not_executed')
      const rows = await alone.database('receipts').whereNotNull('abandoned_at')
      expect(rows).to.have.length(1)
    } finally {
      await alone.database.raw('DROP OWNED BY ??', [role])
      await alone.close()
    }
  })

  it('can write only its own tables', async () => {
    const { rows } = await world.database.raw<{ rows: Array<{ granted: string }> }>(
      `SELECT relname || ' ' || privilege AS granted
       FROM pg_class,
         unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
         AND has_table_privilege(:role, pg_class.oid, privilege)
       UNION ALL
       SELECT relname || '.' || attname || ' ' || privilege
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid,
         unnest(ARRAY['INSERT', 'UPDATE', 'REFERENCES']) AS privilege
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0
         AND has_column_privilege(:role, attrelid, attnum, privilege)
         AND NOT has_table_privilege(:role, attrelid, privilege)
       ORDER BY 1`,
      { role },
    )
    expect(rows.map(({ granted }) => granted)).to.have.members(GATEWAY_WRITE_RIGHTS)
  })

  it('gets an error from the database if it tries to write any other table', async () => {
    await createUser(world.database)
    for (const statement of [
      'UPDATE users SET name = name',
      'DELETE FROM bookings',
      "INSERT INTO groups (name) VALUES ('x')",
      'TRUNCATE audit_log',
      "UPDATE tokens SET abilities = '{read}'",
      'UPDATE receipts SET abandoned_at = now()',
      `INSERT INTO receipts (attempt, outcome) VALUES (gen_random_uuid(), '{}')`,
      "UPDATE jobs SET name = 'users.import'",
      'DELETE FROM idempotency_keys',
      'DROP TABLE users',
      'CREATE TABLE own (id bigint)',
      'UPDATE migrations SET name = name',
    ]) {
      const failure = await pool.query(statement).catch((error: { code: string }) => error)
      expect(failure, statement).to.have.property('code', '42501')
    }
    const { rows } = await pool.query(
      'SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls FROM pg_roles WHERE rolname = current_user',
    )
    expect(rows[0]).to.deep.equal({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolbypassrls: false,
    })
  })

  it('can read every column except the secrets of webhooks', async () => {
    const { rows } = await world.database.raw<{ rows: Array<{ name: string }> }>(
      `SELECT relname || '.' || attname AS name
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'p')
         AND NOT has_column_privilege(:role, pg_class.oid, attnum, 'SELECT')`,
      { role },
    )
    expect(rows.map(({ name }) => name)).to.have.members(['webhooks.secret', 'webhooks.previous_secret'])
    for (const statement of [
      'SELECT secret FROM webhooks',
      'SELECT count(previous_secret) FROM webhooks',
      'SELECT * FROM webhooks',
      'SELECT to_jsonb(webhooks) FROM webhooks',
    ]) {
      const failure = await pool.query(statement).catch((error: { code: string }) => error)
      expect(failure, statement).to.have.property('code', '42501')
    }
  })

  it('has the rights for every read, even with a token that is limited to buildings', async () => {
    const gateway = await world.startGateway({ GATEWAY_DATABASE_URL: roleUrl })
    const campus = await createCampus(world.database, 'Here')
    for (const buildingIds of [undefined, [campus.building]]) {
      const made = { name: 'reader', abilities: ABILITIES, createdBy: 'test', buildingIds }
      const client = new Client(gateway.url, (await createToken(world.database, made)).token)
      for (const [name, request] of Object.entries(REQUESTS_IN_BUILDINGS)) {
        if (!name.startsWith('GET ')) continue
        const { path } = request(campus)
        expect((await client.get(path)).status, path).to.equal(200)
      }
    }
  })

  it('has the rights for the webhook pages of the dashboard', async () => {
    const gateway = await world.startGateway({ GATEWAY_DATABASE_URL: roleUrl })
    const browser = await createSignedIn({ url: gateway.url, database: world.database })
    const id = await createWebhook(world.database, { description: 'Lobby' })
    for (const path of ['/dashboard/integrations/webhooks', `/dashboard/integrations/webhooks/${id}`])
      expect((await browser.open(path)).text, path).to.include('Lobby')
  })

  it('can read tables that later migrations create', async () => {
    await world.database.raw('CREATE TABLE later (id bigint)')
    expect((await pool.query('SELECT id FROM later')).rows).to.deep.equal([])
  })

  it('can sign in only with its newest password', async () => {
    const url = new URL(roleUrl)
    url.password = encodeURIComponent('first password')
    const old = connectPool(url.href, { connectionsMax: 1 })
    const failure = await old.query('SELECT 1').catch((error: { code: string }) => error.code)
    await old.end()
    expect(failure).to.equal('28P01')
  })
})
