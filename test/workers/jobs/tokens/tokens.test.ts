// Tests tokens that administrators create and revoke.

import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { generateToken, hashToken } from '../../../../shared/tokens/token-store.ts'
import { ADMIN_ACTOR, readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import { hoursFromNow } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { eventually, promised } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('an administrator’s tokens', () => {
  const world = useWorld()
  const admin = useAdmin(world)

  const newToken = (changes: object = {}) => ({
    name: 'Badge readers',
    abilities: ['read'],
    hash: randomBytes(32).toString('hex'),
    expires_at: null,
    rate_limit_per_minute: null,
    ...changes,
  })
  const count = () => world.database('tokens').then((rows) => rows.length)

  it('get the chosen abilities, and work until they are revoked', async () => {
    const secret = generateToken()
    const hash = hashToken(secret).toString('hex')
    const expires_at = hoursFromNow(48)
    const made = await admin.ask(
      'tokens.create',
      newToken({ hash, expires_at, abilities: ['read', 'read', 'user-write'], rate_limit_per_minute: 50 }),
    )
    expect(made.status).to.equal(200)
    const { id } = made.json.data
    const row = await world.database('tokens').where({ id }).first()
    expect(row).to.deep.include({
      name: 'Badge readers',
      abilities: ['read', 'user-write'],
      rate_limit_per_minute: 50,
      created_by: ADMIN_ACTOR.name,
      revoked_at: null,
    })
    expect(Date.parse(row.expires_at)).to.equal(Date.parse(expires_at))
    const client = new Client(world.url, secret)
    expect((await client.get('groups')).status).to.equal(200)
    expect((await client.post('bookings', {})).status).to.equal(403)
    expect((await admin.ask('tokens.revoke', { id })).json).to.deep.equal({ data: { id } })
    await eventually(async () => expect((await client.get('groups')).status).to.equal(401), promised(1_500))
  })

  it('are recorded in the audit log without their hashes', async () => {
    const token = newToken({ name: 'Audited' })
    const made = await admin.ask('tokens.create', token, { requestId: 'create' })
    const { id } = made.json.data
    await admin.ask('tokens.revoke', { id }, { requestId: 'revoke' })
    const [created, ...others] = await readAudit(world, 'create')
    expect(others).to.deep.equal([])
    const who = { actor_type: 'admin', actor_id: ADMIN_ACTOR.id, actor_name: ADMIN_ACTOR.name }
    expect(created).to.include({ ...who, action: 'tokens.create', resource: 'tokens', resource_id: id })
    expect(created.after).to.include({ name: 'Audited', revoked_at: null })
    const [revoked] = await readAudit(world, 'revoke')
    expect(revoked).to.include({ ...who, action: 'tokens.revoke', resource_id: id })
    expect(revoked.before).to.deep.equal(created.after)
    expect(revoked.after.revoked_at).to.be.a('string')
    const log = JSON.stringify([created, revoked])
    expect(log).to.not.include(token.hash)
    expect(log).to.not.include('"hash"')
  })

  it('are revoked once, and stay unchanged if the request is repeated', async () => {
    const { id } = (await admin.ask('tokens.create', newToken())).json.data
    await Promise.all([1, 2, 3].map(() => admin.ask('tokens.revoke', { id }, { requestId: `revoke ${id}` })))
    expect(await readAudit(world, `revoke ${id}`)).to.have.length(1)
    const { revoked_at } = await world.database('tokens').where({ id }).first()
    expect((await admin.ask('tokens.revoke', { id })).status).to.equal(200)
    expect((await world.database('tokens').where({ id }).first()).revoked_at).to.equal(revoked_at)
    expect((await admin.ask('tokens.revoke', { id: 999_999 })).json.code).to.equal('not_found')
  })

  const bad: Record<string, [field: string, changes: object]> = {
    'without a name': ['name', { name: ' ' }],
    'without an ability': ['abilities', { abilities: [] }],
    'with an ability that does not exist': ['abilities.1', { abilities: ['read', 'fly'] }],
    'with an invalid hash': ['hash', { hash: 'berth_secret' }],
    'if their expiry is in the past': ['expires_at', { expires_at: hoursFromNow(-24) }],
    'with a rate limit of 0': ['rate_limit_per_minute', { rate_limit_per_minute: 0 }],
  }
  for (const [title, [field, changes]] of Object.entries(bad)) {
    it(`are refused ${title}`, async () => {
      const before = await count()
      const { status, json } = await admin.ask('tokens.create', newToken(changes))
      expect(status).to.equal(422)
      expect(json.errors).to.have.all.keys(field)
      expect(await count()).to.equal(before)
    })
  }

  it('are refused if another token has the same hash', async () => {
    const token = newToken()
    expect((await admin.ask('tokens.create', token)).status).to.equal(200)
    const again = await admin.ask('tokens.create', token)
    expect(again.status).to.equal(422)
    expect(again.json.errors).to.deep.equal({ hash: ['A token with this hash already exists.'] })
  })
})
