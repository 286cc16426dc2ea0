// Tests that users can be created, changed, deactivated and restored over HTTP.
import { expect } from 'chai'
import { lockImports } from '../../../../../shared/imports/import-lock.ts'
import { readAudit } from '../../../../support/dashboard/admin.ts'
import {
  createBooking,
  createGroup,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('users that the API changes', () => {
  const world = useWorld()
  const client = useClient(world, 'user-write', 'read')

  let counter = 0
  const email = () => `person${++counter}@users.example`
  const row = (id: number) => world.database('users').where({ id }).first()
  const groupsOf = (user_id: number) =>
    world
      .database('group_members')
      .join('groups', 'groups.id', 'group_id')
      .where({ user_id })
      .orderBy('name')
      .pluck('name')
  const changesOf = (resource_id: number) =>
    world.database('changes').where({ type: 'user', resource_id }).orderBy('sequence').pluck('action')

  describe('users that the API creates', () => {
    it('are returned in the same format as by GET, with the same ETag', async () => {
      await createGroup(world.database, { name: 'Sales' })
      const body = {
        name: ' Ada Lovelace ',
        email: 'Ada@users.example',
        upn: 'ada',
        extensionAttributes: {
          extensionAttribute1: 'Sales',
          extensionAttribute2: '',
          extensionAttribute3: null,
        },
        groups: ['Sales', 'Chess'],
        license_plates: ['HH AL 1'],
      }
      const created = await client.post('users', body, { 'X-Request-Id': 'users-created' })
      expect(created.status, created.text).to.equal(200)
      const { id } = created.json.data
      expect(created.json).to.deep.equal({
        data: {
          id,
          name: 'Ada Lovelace',
          email: 'Ada@users.example',
          extensionAttributes: { extensionAttribute1: 'Sales' },
        },
      })
      const found = await client.get(`users/${id}`)
      expect([found.text, found.headers.get('ETag')]).to.deep.equal([
        created.text,
        created.headers.get('ETag'),
      ])
      expect((await row(id)).upn).to.equal('ada')
      expect(await groupsOf(id)).to.deep.equal(['Chess', 'Sales'])
      expect((await client.get(`users/${id}/vehicles`)).json.data).to.have.length(1)
      const [entry, ...others] = await readAudit(world, 'users-created')
      expect(others).to.deep.equal([])
      expect(entry).to.include({ action: 'users.create', resource_id: id, actor_type: 'token' })
      expect(await changesOf(id)).to.deep.equal(['created'])
    })

    it('have an e-mail and a UPN that no other user has, active or deactivated, in any letter case', async () => {
      const [taken, gone] = [email(), email()]
      await createUser(world.database, { email: taken, upn: 'Taken' })
      await createUser(world.database, { email: gone, deactivated_at: new Date() })
      const refused = await client.post('users', { name: 'X', email: taken.toUpperCase(), upn: 'tAKEN' })
      expect(refused.status).to.equal(422)
      expect(refused.json.errors).to.deep.equal({
        email: ['This e-mail address belongs to another user.'],
        upn: ['This UPN belongs to another user.'],
      })
      const restorable = await client.post('users', { name: 'X', email: gone })
      expect(restorable.json.errors).to.deep.equal({
        email: ['This e-mail address belongs to a deactivated user.'],
      })
    })

    it('are created once by several simultaneous requests with the same data', async () => {
      const body = { name: 'Twin', email: email(), groups: ['Twins'] }
      const answers = await Promise.all([1, 2, 3, 4].map(() => client.post('users', body)))
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422, 422])
      for (const { status, json } of answers)
        if (status === 422) expect(json.errors).to.have.all.keys('email')
      expect(await world.database('users').where({ email: body.email })).to.have.length(1)
    })

    it('are created once if a request with an Idempotency-Key is repeated', async () => {
      const body = { name: 'Once', email: email() }
      const key = { 'Idempotency-Key': 'users-once' }
      const [first, again] = [await client.post('users', body, key), await client.post('users', body, key)]
      expect([again.status, again.text]).to.deep.equal([first.status, first.text])
      expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    })

    it('are refused with an error for every invalid field', async () => {
      const refused = await client.post('users', {
        email: 'nobody',
        upn: 'x'.repeat(256),
        extensionAttributes: { extensionAttribute3: 'x'.repeat(1_025), extensionAttribute4: 4 },
        groups: ['fine', 'a;b'],
        license_plates: [''],
      })
      expect(refused.status).to.equal(422)
      expect(refused.json.errors).to.have.all.keys(
        'name',
        'email',
        'upn',
        'extensionAttributes.extensionAttribute3',
        'extensionAttributes.extensionAttribute4',
        'groups.1',
        'license_plates.0',
      )
    })
  })

  describe('users that the API updates', () => {
    const before = {
      name: 'Bob',
      upn: null,
      extension_attributes: { extensionAttribute1: 'a', extensionAttribute2: 'b' },
    }
    let id: number
    beforeEach(async () => {
      id = await createUser(world.database, { ...before, email: email() })
    })
    const change = (body: unknown, headers = {}) => client.patch(`users/${id}`, body, headers)

    it('keep every field and attribute that the request omits', async () => {
      await createVehicle(world.database, { user_id: id, license_plate: 'HH BO 1' })
      const present = await row(id)
      expect((await change({})).json.data).to.include({ id, name: 'Bob' })
      for (const [body, changes] of [
        [{ name: 'Robert' }, { name: 'Robert' }],
        [{ email: 'Robert@users.example' }, { email: 'Robert@users.example' }],
        [{ upn: 'robert' }, { upn: 'robert' }],
        [
          { extensionAttributes: { extensionAttribute2: null, extensionAttribute9: 'c' } },
          { extension_attributes: { extensionAttribute1: 'a', extensionAttribute9: 'c' } },
        ],
        [{ extensionAttributes: {} }, {}],
        [{ upn: null }, { upn: null }],
        [{ extensionAttributes: null }, { extension_attributes: {} }],
      ]) {
        const changed = await change(body)
        expect(changed.status, changed.text).to.equal(200)
        const { updated_at: _, ...after } = await row(id)
        const { updated_at: __, ...expected } = Object.assign(present, changes)
        expect(after, JSON.stringify(body)).to.deep.equal(expected)
        expect(changed.text).to.equal((await client.get(`users/${id}`)).text)
      }
      expect((await client.get(`users/${id}/vehicles`)).json.data).to.have.length(1)
    })

    it('can be sent back exactly as GET returned them', async () => {
      const read = await client.get(`users/${id}`)
      const written = await change(read.json.data)
      expect([written.status, written.text]).to.deep.equal([200, read.text])
    })

    it('get exactly the groups and plates of the request', async () => {
      await change({ groups: ['A', 'B'], license_plates: ['P 1', 'P 2'] })
      const [, kept] = (await client.get(`users/${id}/vehicles`)).json.data
      await change({ groups: ['B', 'C'], license_plates: ['P 2'] }, { 'X-Request-Id': 'users-changed' })
      expect(await groupsOf(id)).to.deep.equal(['B', 'C'])
      expect((await client.get(`users/${id}/vehicles`)).json.data).to.deep.equal([kept])
      const [entry] = await readAudit(world, 'users-changed')
      expect(entry.before.groups).to.deep.equal(['A', 'B'])
      expect(entry.after.groups).to.deep.equal(['B', 'C'])
    })

    it('appear in the change feed, as do their events if the user is renamed', async () => {
      const { json } = await (await world.client('booking-write')).post('events', {
        name: 'Planning',
        organizer_user_id: id,
        to_time: hoursFromNow(2),
      })
      const eventChanges = () =>
        world.database('changes').where({ type: 'event', resource_id: json.data.id }).pluck('action')
      await change({ upn: `upn${id}` })
      expect(await eventChanges()).to.deep.equal(['created'])
      await change({ name: 'Robert' })
      expect(await eventChanges()).to.deep.equal(['created', 'updated'])
      expect(await changesOf(id)).to.deep.equal(['updated', 'updated'])
    })

    it('are changed by only one of two requests with the same ETag', async () => {
      const etag = { 'If-Match': (await client.get(`users/${id}`)).headers.get('ETag') ?? '' }
      const answers = await Promise.all(['A', 'B'].map((name) => change({ name }, etag)))
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412])
      const won = answers.find(({ status }) => status === 200)
      const next = await change({ name: 'C' }, { 'If-Match': won?.headers.get('ETag') ?? '' })
      expect(next.status).to.equal(200)
    })

    it('cannot get the e-mail of another user, but can change the letter case of their own', async () => {
      const taken = email()
      await createUser(world.database, { email: taken })
      const refused = await change({ email: taken, name: 'Never' })
      expect(refused.json.errors).to.deep.equal({ email: ['This e-mail address belongs to another user.'] })
      expect((await row(id)).name).to.equal('Bob')
      const own = (await row(id)).email.toUpperCase()
      expect((await change({ email: own })).json.data.email).to.equal(own)
    })

    it('cannot have their name, e-mail, groups or plates set to null', async () => {
      const refused = await change({ name: null, email: null, groups: null, license_plates: null })
      expect(refused.status).to.equal(422)
      expect(refused.json.errors).to.have.all.keys('name', 'email', 'groups', 'license_plates')
    })

    it('cannot be found if they are deactivated or unknown', async () => {
      await world.database('users').where({ id }).update({ deactivated_at: new Date() })
      for (const unknown of [id, 999_999, 'x']) {
        const refused = await client.patch(`users/${unknown}`, { name: 'X' })
        expect(refused.status).to.equal(404)
        expect(refused.json.detail).to.equal('There is no active user with this id.')
      }
    })
  })

  describe('users that the API deactivates or restores', () => {
    const ask = (id: unknown, verb: string, headers = {}) =>
      client.post(`users/${id}/${verb}`, undefined, headers)

    it('keep their bookings, but lose their calendar addresses', async () => {
      const id = await createUser(world.database)
      const found = await client.get(`users/${id}`)
      const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
      const booking = await createBooking(world.database, { ...times, user_id: id })
      await world.database('calendars').insert({ hash: Buffer.from(`${id}`), user_id: id })
      const off = await ask(id, 'deactivate', { 'X-Request-Id': 'users-off' })
      expect([off.status, off.text]).to.deep.equal([200, found.text])
      expect((await client.get(`users/${id}`)).status).to.equal(404)
      expect(await world.database('bookings').where({ id: booking })).to.have.length(1)
      expect(await world.database('calendars').where({ user_id: id })).to.deep.equal([])
      const on = await ask(id, 'restore')
      expect([on.status, on.text]).to.deep.equal([200, found.text])
      expect((await client.get(`users/${id}`)).text).to.equal(found.text)
      const [entry] = await readAudit(world, 'users-off')
      expect(entry).to.include({ action: 'users.deactivate', resource_id: id, actor_type: 'token' })
      expect(await changesOf(id)).to.deep.equal(['deactivated', 'restored'])
    })

    it('stay unchanged if they are already deactivated or restored', async () => {
      const id = await createUser(world.database)
      for (const [verb, requestId] of [
        ['restore', 'users-on'],
        ['deactivate', 'users-off-1'],
        ['deactivate', 'users-off-2'],
      ] as const)
        expect((await ask(id, verb, { 'X-Request-Id': requestId })).status).to.equal(200)
      expect(await readAudit(world, 'users-on')).to.deep.equal([])
      expect(await readAudit(world, 'users-off-2')).to.deep.equal([])
      expect(await changesOf(id)).to.deep.equal(['deactivated'])
    })

    it('cannot be found if they are unknown or erased', async () => {
      const erased = await createUser(world.database, { is_anonymous: true, deactivated_at: new Date() })
      for (const unknown of [erased, 999_999, 'x'])
        for (const verb of ['deactivate', 'restore']) {
          const refused = await ask(unknown, verb)
          expect([refused.status, refused.json.detail]).to.deep.equal([404, 'There is no user with this id.'])
        }
    })
  })

  it('cannot be changed during an import; a repeat with the same Idempotency-Key then succeeds', async () => {
    const id = await createUser(world.database)
    const asked: Array<[method: string, path: string, body: unknown]> = [
      ['POST', 'users', { name: 'Late', email: email() }],
      ['PATCH', `users/${id}`, { name: 'Late' }],
      ['POST', `users/${id}/deactivate`, undefined],
      ['POST', `users/${id}/restore`, undefined],
    ]
    const send = ([method, path, body]: (typeof asked)[number]) =>
      client.ask(path, { method, body, headers: { 'Idempotency-Key': 'users-import' } })
    await world.database.transaction(async (importing) => {
      await lockImports(importing)
      for (const each of asked) {
        const refused = await send(each)
        expect([refused.status, refused.json.code], each.join()).to.deep.equal([409, 'import_running'])
        expect(refused.headers.get('Retry-After')).to.equal('5')
      }
    })
    for (const each of asked) expect((await send(each)).status, each.join()).to.equal(200)
  })
})
