// Tests conditional requests: with If-Match, no client overwrites a version that it has not seen, and a
// repeated read of unchanged data gets 304.
import { expect } from 'chai'
import type { Knex } from 'knex'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { createOffice, type Office } from '../../../support/office.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

type Write = { method: 'PUT' | 'PATCH' | 'DELETE'; body?: unknown }
type Resource = { table: string; id: number; path: string; writes: [first: Write, second: Write] }

describe('the If-Match header of a write to a single resource', () => {
  // Both gateways have the same public URL, because responses about bookings contain URLs. Freezes the clock, because
  // the signed URL of a booking changes every half hour. Deadlines are longer to allow for that.
  const environment = { PUBLIC_URL: 'https://desk.example.com', WRITE_WAIT_MS: '60000' }
  const startedMs = Date.now()
  const world = useWorld({ environment, now: () => startedMs })
  const client = useClient(world)
  let office: Office
  let rival: Client
  before(async () => {
    office = await createOffice(world.database)
    // Uses a second gateway, because simultaneous writes at one gateway share a batch and run one after the other.
    const { url } = await world.startGateway()
    rival = new Client(url, client.token)
  })

  const event = async (): Promise<Resource> => {
    const organizer_user_id = await createUser(world.database)
    const times = { from: hoursFromNow(2), to: hoursFromNow(3) }
    const id = await createEvent(world.database, { organizer_user_id, ...times })
    const body = (name: string) => ({ name, to_time: hoursFromNow(4) })
    return {
      table: 'events',
      id,
      path: `events/${id}`,
      writes: [
        { method: 'PUT', body: body('First') },
        { method: 'PUT', body: body('Second') },
      ],
    }
  }
  const bookable = async (): Promise<Resource> => {
    const id = await createBookable(world.database, { location_id: office.location.id })
    return {
      table: 'bookables',
      id,
      path: `bookables/${id}`,
      writes: [
        { method: 'PATCH', body: { description: 'First' } },
        { method: 'PATCH', body: { description: 'Second' } },
      ],
    }
  }
  const gone = async (): Promise<Resource> => {
    const resource = await bookable()
    return { ...resource, writes: [resource.writes[0], { method: 'DELETE' }] }
  }
  const place = (table: 'buildings' | 'locations') => async (): Promise<Resource> => {
    const id = await (table === 'buildings' ? createBuilding : createLocation)(world.database)
    const writes: Resource['writes'] = [
      { method: 'PATCH', body: { name: `First ${id}` } },
      { method: 'DELETE' },
    ]
    return { table, id, path: `${table}/${id}`, writes }
  }
  const user = async (): Promise<Resource> => {
    const id = await createUser(world.database)
    return {
      table: 'users',
      id,
      path: `users/${id}`,
      writes: [
        { method: 'PATCH', body: { name: 'First' } },
        { method: 'PATCH', body: { name: 'Second' } },
      ],
    }
  }
  const group = async (): Promise<Resource> => {
    const id = await createGroup(world.database)
    return {
      table: 'groups',
      id,
      path: `groups/${id}`,
      writes: [{ method: 'PATCH', body: { name: `First ${id}` } }, { method: 'DELETE' }],
    }
  }
  const booking = async (): Promise<Resource> => {
    const { bookable_id } = await createDesk(world.database)
    const times = { from: hoursFromNow(2), to: hoursFromNow(3) }
    const id = await createBooking(world.database, { bookable_id, user_id: office.user.id, ...times })
    return {
      table: 'bookings',
      id,
      path: `bookings/${id}`,
      writes: [
        { method: 'PUT', body: { to_time: hoursFromNow(4) } },
        { method: 'PATCH', body: { to_time: hoursFromNow(5) } },
      ],
    }
  }
  const deleted = async (): Promise<Resource> => {
    const resource = await booking()
    return { ...resource, writes: [resource.writes[0], { method: 'DELETE' }] }
  }
  const cancelled = async (): Promise<Resource> => {
    const resource = await event()
    return { ...resource, writes: [resource.writes[0], { method: 'DELETE' }] }
  }
  const resources = {
    'PUT and PATCH bookings/{id}': booking,
    'DELETE bookings/{id}': deleted,
    'PUT events/{id}': event,
    'DELETE events/{id}': cancelled,
    'PATCH bookables/{id}': bookable,
    'DELETE bookables/{id}': gone,
    'PATCH and DELETE buildings/{id}': place('buildings'),
    'PATCH and DELETE locations/{id}': place('locations'),
    'PATCH users/{id}': user,
    'PATCH and DELETE groups/{id}': group,
  }

  const etagOf = async ({ path }: Resource) => (await client.get(path)).headers.get('ETag') ?? ''
  const write = (
    by: Client,
    { path }: Resource,
    { method, body }: Write,
    headers: Record<string, string> = {},
  ) => by.ask(path, { method, body, headers })
  const waiting = async () => {
    const { rows } = await world.database.raw(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return rows.length
  }
  const lock = async ({ table, id }: Resource): Promise<Knex.Transaction> => {
    const trx = await world.database.transaction()
    await trx(table).where({ id }).forUpdate()
    return trx
  }

  for (const [title, create] of Object.entries(resources)) {
    it(`lets one of two simultaneous changes of the same version win: ${title}`, async () => {
      const resource = await create()
      const etag = await etagOf(resource)
      const [first, second] = resource.writes
      const held = await lock(resource)
      const answers = [write(client, resource, first, { 'If-Match': etag })]
      await eventually(async () => expect(await waiting()).to.equal(1))
      answers.push(write(rival, resource, second, { 'If-Match': etag }))
      await eventually(async () => expect(await waiting()).to.equal(2))
      await held.commit()
      const [won, lost] = await Promise.all(answers)
      expect(won?.status).to.equal(200)
      expect(lost?.status).to.equal(412)
      expect(lost?.json).to.include({ code: 'precondition_failed', status: 412 })
      const { data } = (await client.get(resource.path)).json
      if (resource.table === 'bookings') expect(data.to).to.equal(won?.json.data.to)
      else expect(data.name + data.description).to.include('First')
      expect(data.status).to.equal({ events: 1, bookables: 0 }[resource.table])
    })

    it(`accepts the current ETag, and may be absent: ${title}`, async () => {
      const resource = await create()
      const [first, second] = resource.writes
      expect((await write(client, resource, first)).status).to.equal(200)
      const etag = await etagOf(resource)
      const several = `"aaaaaaaaaaaaaaaaaaaaaaaaaaa", ${etag}`
      expect((await write(client, resource, second, { 'If-Match': several })).status).to.be.oneOf([200, 204])
    })

    it(`refuses ETags that cannot match, and accepts * for any version: ${title}`, async () => {
      const resource = await create()
      const etag = await etagOf(resource)
      const [first, second] = resource.writes
      for (const value of [`W/${etag}`, etag.slice(1, -1), '"', '""', '"*"', ','])
        expect((await write(client, resource, second, { 'If-Match': value })).status, value).to.equal(412)
      expect(await etagOf(resource)).to.equal(etag)
      // The ETag of the same text in another content coding matches too.
      const inBrotli = { 'If-Match': etag.replace(/"$/, '-br"') }
      expect((await write(client, resource, first, inBrotli)).status).to.equal(200)
      const any = await write(client, resource, second, { 'If-Match': '*' })
      expect(any.status).to.be.oneOf([200, 204])
    })

    it(`gets 404 for an unknown resource: ${title}`, async () => {
      const resource = { ...(await create()), path: `${(await create()).table}/999999999` }
      const [, second] = resource.writes
      for (const value of ['*', '"aaaaaaaaaaaaaaaaaaaaaaaaaaa"'])
        expect((await write(client, resource, second, { 'If-Match': value })).status).to.equal(404)
    })
  }

  it('belongs to the idempotent request: a repeat must send the same value', async () => {
    const resource = await bookable()
    const [first, second] = resource.writes
    const etag = await etagOf(resource)
    const condition = (value: string, key: string) => ({ 'If-Match': value, 'Idempotency-Key': key })
    expect((await write(client, resource, first, condition(etag, 'a'))).status).to.equal(200)
    expect((await write(client, resource, second, condition(etag, 'b'))).status).to.equal(412)
    const repeated = await write(client, resource, first, condition(etag, 'a'))
    expect(repeated.status).to.equal(200)
    expect(repeated.headers.get('Idempotency-Replayed')).to.equal('true')
    const refusedAgain = await write(client, resource, second, condition(etag, 'b'))
    expect([refusedAgain.status, refusedAgain.headers.get('Idempotency-Replayed')]).to.deep.equal([
      412,
      'true',
    ])
    const another = await write(client, resource, second, condition(await etagOf(resource), 'b'))
    expect(another.json.code).to.equal('idempotency_key_reused')
  })

  it('If-None-Match gets 304 for every type of resource that is unchanged', async () => {
    const { path: eventPath } = await event()
    const { user, building, location, home } = office
    const paths = [`users/${user.id}`, `users/by-email/${user.email}`, `buildings/${building.id}`]
    const { path: bookingPath } = await booking()
    for (const path of [
      bookingPath,
      ...paths,
      `locations/${location.id}`,
      `bookables/${home.id}`,
      eventPath,
      'me',
    ]) {
      const first = await client.get(path)
      const etag = first.headers.get('ETag') ?? ''
      expect(first.headers.get('Cache-Control'), path).to.equal('private, no-cache')
      const again = await client.get(path, { 'If-None-Match': etag })
      expect([again.status, again.text, again.headers.get('ETag')], path).to.deep.equal([304, '', etag])
    }
    await world.database('users').where({ id: user.id }).update({ name: 'Renamed' })
    const before = (await client.get(`users/${user.id}`)).headers.get('ETag') ?? ''
    await world.database('users').where({ id: user.id }).update({ name: 'Renamed again' })
    expect((await client.get(`users/${user.id}`, { 'If-None-Match': before })).status).to.equal(200)
  })
})
