// Tests users that administrators create, change, deactivate and restore.

import { expect } from 'chai'
import { lockImports } from '../../../../shared/imports/import-lock.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import { createBookable, createGroup, createUser, hoursFromNow } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('an administrator’s users', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const client = useClient(world)
  const admin = useAdmin(world)

  let counter = 0
  const email = () => `person${++counter}@example.org`
  const find = (id: number) => world.database('users').where({ id }).first()
  const groupsOf = (user_id: number) =>
    world
      .database('group_members')
      .join('groups', 'groups.id', 'group_id')
      .where({ user_id })
      .orderBy('name')
      .pluck('name')
  const platesOf = (user_id: number) =>
    world.database('vehicles').where({ user_id }).orderBy('license_plate').pluck('license_plate')

  it('can be created with all fields', async () => {
    await createGroup(world.database, { name: 'Sales' })
    const person = { name: ' Ada Lovelace ', email: 'Ada@Example.org', upn: 'ada' }
    const extension_attributes = {
      extensionAttribute1: 'Sales',
      extensionAttribute99: ' x ',
      extensionAttribute2: '',
    }
    const belongings = { groups: ['Sales', 'Chess', 'Chess'], license_plates: ['B-ER 2', 'B-ER 1'] }
    const body = { ...person, extension_attributes, ...belongings }
    const made = await admin.ask('users.create', body, { requestId: 'made' })
    expect(made.status).to.equal(200)
    const { id } = made.json.data
    expect(await find(id)).to.deep.include({
      ...person,
      name: 'Ada Lovelace',
      extension_attributes: { extensionAttribute1: 'Sales', extensionAttribute99: 'x' },
      deactivated_at: null,
    })
    expect(await groupsOf(id)).to.deep.equal(['Chess', 'Sales'])
    expect(await platesOf(id)).to.deep.equal(['B-ER 1', 'B-ER 2'])
    expect(await world.database('groups').where({ name: 'Sales' })).to.have.length(1)
    expect((await client.get('users/by-email/ada@example.org')).json.data.id).to.equal(id)
    const [entry, ...others] = await readAudit(world, 'made')
    expect(others).to.deep.equal([])
    expect(entry).to.deep.include({
      action: 'users.create',
      resource: 'users',
      resource_id: id,
      before: null,
    })
    expect(entry.after).to.deep.include({
      name: 'Ada Lovelace',
      groups: ['Chess', 'Sales'],
      license_plates: ['B-ER 1', 'B-ER 2'],
    })
  })

  it('change only in the given fields', async () => {
    const body = {
      name: 'Bob',
      email: email(),
      upn: `bob${counter}`,
      groups: ['A', 'B'],
      license_plates: ['P 1', 'P 2'],
    }
    const extension_attributes = { extensionAttribute1: 'x' }
    const made = await admin.ask('users.create', { ...body, extension_attributes })
    const { id } = made.json.data
    await admin.ask('users.edit', { id, name: 'Robert' })
    expect(await find(id)).to.deep.include({
      name: 'Robert',
      email: body.email,
      upn: body.upn,
      extension_attributes,
    })
    expect(await groupsOf(id)).to.deep.equal(['A', 'B'])
    expect(await platesOf(id)).to.deep.equal(['P 1', 'P 2'])
    const cleared = { upn: null, extension_attributes: {}, groups: ['B', 'C'], license_plates: [] }
    const mail = email()
    const edit = { id, email: mail.toUpperCase(), ...cleared }
    expect((await admin.ask('users.edit', edit, { requestId: 'edit' })).status).to.equal(200)
    const { rows } = await world.database.raw('SELECT name, email, upn FROM users WHERE id = ?', [id])
    expect(rows).to.deep.equal([{ name: 'Robert', email: mail.toUpperCase(), upn: null }])
    expect(await groupsOf(id)).to.deep.equal(['B', 'C'])
    expect(await platesOf(id)).to.deep.equal([])
    const [entry] = await readAudit(world, 'edit')
    expect(entry.before).to.deep.include({
      upn: body.upn,
      groups: ['A', 'B'],
      license_plates: ['P 1', 'P 2'],
    })
    expect(entry.after).to.deep.include({ upn: null, groups: ['B', 'C'], license_plates: [] })
  })

  it('keep the ids of vehicles and the plates on bookings when license plates change', async () => {
    const made = await admin.ask('users.create', {
      name: 'P',
      email: email(),
      license_plates: ['OLD', 'STAYS'],
    })
    const { id } = made.json.data
    const ids = await world.database('vehicles').where({ user_id: id }).orderBy('license_plate').pluck('id')
    const bookable_id = await createBookable(world.database, { type: 1, requires_vehicle: true })
    const { location_id } = await world.database('bookables').where({ id: bookable_id }).first()
    const time = { from_time: hoursFromNow(1), to_time: hoursFromNow(2) }
    const booking = { bookable_id, location_id, user_id: id, user_vehicle_id: ids[0], ...time }
    const booked = await client.post('bookings', booking)
    expect(booked.status).to.equal(200)
    await admin.ask('users.edit', { id, license_plates: ['STAYS', 'NEW'] })
    expect(await world.database('vehicles').where({ license_plate: 'STAYS' }).pluck('id')).to.deep.equal([
      ids[1],
    ])
    const [kept] = await world.database('bookings').where({ id: booked.json.data[0].id })
    expect(kept).to.include({ license_plate: 'OLD', vehicle_id: null })
  })

  it('need a unique e-mail and UPN, even among deactivated users', async () => {
    const taken = email()
    await createUser(world.database, { email: taken, upn: 'Taken' })
    const gone = email()
    await createUser(world.database, { email: gone, deactivated_at: new Date() })
    const both = await admin.ask('users.create', { name: 'X', email: taken.toUpperCase(), upn: 'tAKEN' })
    expect(both.status).to.equal(422)
    expect(both.json.errors).to.deep.equal({
      email: ['This e-mail address belongs to another user.'],
      upn: ['This UPN belongs to another user.'],
    })
    const id = await createUser(world.database, { email: email() })
    const edited = await admin.ask('users.edit', { id, email: gone })
    expect(edited.json.errors).to.deep.equal({
      email: ['This e-mail address belongs to a deactivated user.'],
    })
    const own = (await find(id)).email
    expect((await admin.ask('users.edit', { id, email: own.toUpperCase() })).status).to.equal(200)
  })

  it('are created once if several administrators create the same user simultaneously', async () => {
    for (let round = 0; round < 5; round++) {
      const body = { name: 'Twin', email: email(), groups: [`Group ${round}`], license_plates: ['T 1'] }
      const answers = await Promise.all([1, 2, 3, 4].map(() => admin.ask('users.create', body)))
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422, 422])
      for (const { status, json } of answers)
        if (status === 422) expect(json.errors).to.have.all.keys('email')
      expect(await world.database('users').where({ email: body.email })).to.have.length(1)
    }
  })

  const wrong: Record<string, [field: string, changes: object]> = {
    'an empty name': ['name', { name: ' ' }],
    'an invalid e-mail': ['email', { email: 'nobody' }],
    'a UPN that is too long': ['upn', { upn: 'x'.repeat(256) }],
    'an attribute that is too long': [
      'extension_attributes.extensionAttribute3',
      { extension_attributes: { extensionAttribute3: 'x'.repeat(1_025) } },
    ],
    'a group with a semicolon': ['groups.1', { groups: ['a', 'b;c'] }],
    'a plate with a semicolon': ['license_plates.0', { license_plates: ['B;1'] }],
    'an empty plate': ['license_plates.0', { license_plates: [' '] }],
  }
  for (const [title, [field, changes]] of Object.entries(wrong)) {
    it(`cannot be created with ${title}`, async () => {
      const { status, json } = await admin.ask('users.create', { name: 'X', email: email(), ...changes })
      expect(status).to.equal(422)
      expect(json.errors).to.have.all.keys(field)
    })
  }

  it('can be deactivated and restored together, and unchanged users are skipped', async () => {
    const [one, two, three] = [
      await createUser(world.database),
      await createUser(world.database),
      await createUser(world.database, { deactivated_at: '2026-01-01T00:00:00Z' }),
    ]
    const ids = [three, one, two, one]
    const { json } = await admin.ask('users.deactivate', { ids }, { requestId: 'off' })
    expect(json).to.deep.equal({ data: { deactivated: 2 } })
    expect((await client.get(`users/${one}`)).status).to.equal(404)
    expect((await find(three)).deactivated_at).to.match(/^2026-01-01/)
    const off = await readAudit(world, 'off')
    expect(off.map(({ action, resource_id }) => [action, resource_id])).to.deep.equal([
      ['users.deactivate', one],
      ['users.deactivate', two],
    ])
    expect(off[0].before).to.include({ deactivated_at: null })
    expect(off[0].after.deactivated_at).to.be.a('string')
    const restored = await admin.ask('users.restore', { ids: [one, three, one] }, { requestId: 'on' })
    expect(restored.json).to.deep.equal({ data: { restored: 2 } })
    expect((await admin.ask('users.restore', { ids: [one] })).json).to.deep.equal({ data: { restored: 0 } })
    expect((await client.get(`users/${one}`)).status).to.equal(200)
    expect((await client.get(`users/${two}`)).status).to.equal(404)
    expect(await readAudit(world, 'on')).to.have.length(2)
  })

  it('all stay unchanged if one of the ids is unknown', async () => {
    const id = await createUser(world.database)
    for (const job of ['users.deactivate', 'users.restore'] as const) {
      const { status, json } = await admin.ask(job, { ids: [id, 999_999] })
      expect(status).to.equal(422)
      expect(json.errors).to.deep.equal({ ids: ['There is no person with the id 999999.'] })
    }
    expect((await find(id)).deactivated_at).to.equal(null)
    expect((await admin.ask('users.edit', { id: 999_999, name: 'x' })).status).to.equal(404)
  })

  describe('users during an import', () => {
    it('cannot be changed; the write is refused immediately', async () => {
      const id = await createUser(world.database)
      const asked = {
        'users.create': { name: 'X', email: email() },
        'users.edit': { id, name: 'X' },
        'users.deactivate': { ids: [id] },
        'users.restore': { ids: [id] },
        'bookings.release': {},
      } as const
      await world.database.transaction(async (importing) => {
        await lockImports(importing)
        for (const [job, input] of Object.entries(asked)) {
          const { status, json } = await admin.ask(job as keyof typeof asked, input)
          expect([status, json.code], job).to.deep.equal([409, 'import_running'])
          expect(json.detail).to.include('An import is running')
        }
      })
      expect((await admin.ask('users.edit', asked['users.edit'])).status).to.equal(200)
    })

    it('cause no failure if a write and an import create the same user simultaneously', async () => {
      for (let round = 0; round < 10; round++) {
        const mail = email()
        const [imported, made] = await Promise.all([
          client.import(`email,name\n${mail},Imported\n`),
          admin.ask('users.create', { name: 'Made', email: mail }),
        ])
        expect(imported.status).to.equal(200)
        expect(made.status).to.be.oneOf([200, 409, 422])
        const [user, ...others] = await world.database('users').where({ email: mail })
        expect(others).to.deep.equal([])
        expect(user.name).to.equal(made.status === 200 ? 'Made' : 'Imported')
      }
    })
  })
})
