// Tests the ETags of answers to writes, which spare a client the GET between two changes.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createLocation,
  createUser,
} from '../../support/factories.ts'
import type { ApiAnswer } from '../../support/http/http.ts'
import { createOffice, type Office } from '../../support/office.ts'
import { useClient, useWorld } from '../../support/world.ts'

type Write = (etag?: string, key?: string) => Promise<ApiAnswer>
type Resource = { path: string; writes: [Write, Write, Write] }

describe('a write to a single resource', () => {
  // Freezes the clock, because the signed URL of a booking changes every half hour. Deadlines are longer to allow for
  // that.
  const startedMs = Date.now()
  const world = useWorld({ environment: { WRITE_WAIT_MS: '60000' }, now: () => startedMs })
  const client = useClient(world)
  let office: Office
  before(async () => {
    office = await createOffice(world.database)
  })

  const hours = (number: number) => new Date(startedMs + number * 3_600_000).toISOString()
  const write =
    (method: string, path: string, body?: unknown): Write =>
    (etag?: string, key = '') =>
      client.ask(path, {
        method,
        body,
        headers: { ...(etag && { 'If-Match': etag }), ...(key && { 'Idempotency-Key': key }) },
      })
  const booking = async (from: string) => {
    const { bookable_id } = await createDesk(world.database)
    const times = { from, to: hours(3) }
    return `bookings/${await createBooking(world.database, { bookable_id, user_id: office.user.id, ...times })}`
  }

  const resources: Record<string, () => Promise<Resource>> = {
    async 'PUT and PATCH bookings/{id}'() {
      const path = await booking(hours(2))
      const change = (method: string, to: number) => write(method, path, { to_time: hours(to) })
      return { path, writes: [change('PUT', 4), change('PATCH', 5), change('PUT', 6)] }
    },
    async 'POST bookings/{id}/check-in, then PATCH'() {
      const path = await booking(hours(-1))
      const change = (to: number) => write('PATCH', path, { to_time: hours(to) })
      return { path, writes: [write('POST', `${path}/check-in`), change(4), change(5)] }
    },
    async 'POST bookings/{id}/move'() {
      const path = await booking(hours(2))
      const move = async () =>
        write('POST', `${path}/move`, { bookable_id: (await createDesk(world.database)).bookable_id })
      return { path, writes: [await move(), await move(), await move()] }
    },
    async 'PATCH bookables/{id}'() {
      const path = `bookables/${await createBookable(world.database, { location_id: office.location.id })}`
      const change = (description: string) => write('PATCH', path, { description })
      return { path, writes: [change('First'), change('Second'), change('Third')] }
    },
    async 'PATCH buildings/{id}'() {
      const path = `buildings/${await createBuilding(world.database)}`
      const change = (address: string) => write('PATCH', path, { address })
      return { path, writes: [change('First'), change('Second'), change('Third')] }
    },
    async 'PATCH locations/{id}'() {
      const path = `locations/${await createLocation(world.database)}`
      const change = (name: string) => write('PATCH', path, { name })
      return { path, writes: [change('First'), change('Second'), change('Third')] }
    },
    async 'PATCH users/{id}'() {
      const path = `users/${await createUser(world.database)}`
      const change = (name: string) => write('PATCH', path, { name })
      return { path, writes: [change('First'), change('Second'), change('Third')] }
    },
    async 'PUT events/{id}'() {
      const organizer_user_id = await createUser(world.database)
      const times = { from: hours(2), to: hours(3) }
      const path = `events/${await createEvent(world.database, { organizer_user_id, ...times })}`
      const change = (name: string) => write('PUT', path, { name, to_time: hours(4) })
      return { path, writes: [change('First'), change('Second'), change('Third')] }
    },
    async 'PATCH events/{id}'() {
      const organizer_user_id = await createUser(world.database)
      const times = { from: hours(2), to: hours(3) }
      const path = `events/${await createEvent(world.database, { organizer_user_id, ...times })}`
      const change = (name: string) => write('PATCH', path, { name })
      return { path, writes: [change('First'), change('Second'), change('Third')] }
    },
  }

  const readETag = async (path: string) => (await client.get(path)).headers.get('ETag')
  const etagOf = (answer: ApiAnswer) => {
    expect(answer.status, answer.text).to.equal(200)
    return answer.headers.get('ETag') ?? undefined
  }

  for (const [title, create] of Object.entries(resources)) {
    it(`answers with the ETag of a GET; the next change accepts it, but no older ETag: ${title}`, async () => {
      const { path, writes } = await create()
      const [first, second, third] = writes
      const etag = etagOf(await first())
      expect(etag)
        .to.be.a('string')
        .and.equal(await readETag(path))
      const next = etagOf(await second(etag))
      expect(next).to.not.equal(etag)
      expect(next).to.equal(await readETag(path))
      expect((await third(etag)).status).to.equal(412)
      expect((await third(next)).status).to.equal(200)
    })

    it(`answers with the same ETag when it is repeated, regardless of later changes: ${title}`, async () => {
      const { writes } = await create()
      const [first, second] = writes
      const key = `repeated ${title}`.replace(/[^a-z]+/gi, '-')
      const etag = etagOf(await first(undefined, key))
      etagOf(await second(etag))
      const repeated = await first(undefined, key)
      expect(repeated.headers.get('Idempotency-Replayed')).to.equal('true')
      expect(etagOf(repeated)).to.be.a('string').and.equal(etag)
    })

    it(`stores its ETag with the result, so that a redelivered job can return it: ${title}`, async () => {
      const { writes } = await create()
      const [first] = writes
      const answer = await first()
      const [, state = ''] = /^"([\w-]{27})/.exec(etagOf(answer) ?? '') ?? []
      const { rows } = await world.database.raw(
        "SELECT outcome ->> 'etag' AS etag FROM receipts WHERE outcome ->> 'body' = ?",
        [answer.text],
      )
      expect(rows).to.deep.include({ etag: `"${state}"` })
    })

    it(`answers a repeat without an ETag if the previous release stored none: ${title}`, async () => {
      const { writes } = await create()
      const [first] = writes
      const key = `kept ${title}`.replace(/[^a-z]+/gi, '-')
      const answer = await first(undefined, key)
      etagOf(answer)
      await world.database.raw(
        "UPDATE idempotency_keys SET outcome = (outcome::jsonb - 'etag')::json WHERE key = ?",
        [key],
      )
      const repeated = await first(undefined, key)
      expect(repeated.headers.get('Idempotency-Replayed')).to.equal('true')
      expect([repeated.status, repeated.text]).to.deep.equal([200, answer.text])
      expect(repeated.headers.get('ETag')).to.equal(null)
    })
  }

  it('returns no ETag if the write is refused or concerns several resources', async () => {
    const path = await booking(hours(2))
    const refused = await client.patch(path, { to_time: hours(1) })
    expect([refused.status, refused.headers.get('ETag')]).to.deep.equal([422, null])
    const { bookable_id, location_id } = await createDesk(world.database)
    const body = { bookable_id, location_id, user_id: office.user.id, to_time: hours(1) }
    const created = await client.post('bookings', body)
    expect([created.status, created.headers.get('ETag')]).to.deep.equal([200, null])
  })
})
