// Tests the Idempotency-Key: the first request with a key does the work, and a repeat gets exactly the same answer.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createBooking, hoursFromNow } from '../support/factories.ts'
import { countBookings, countLockWaits, createSlot, type NewBooking } from '../support/faults/pipeline.ts'
import type { ApiAnswer } from '../support/http/http.ts'
import { eventually } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

const KEY_HEADER = 'Idempotency-Key'

describe('Idempotency-Key', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')
  let slot: NewBooking
  let key: Record<string, string>

  beforeEach(async () => {
    slot = await createSlot(world)
    key = { [KEY_HEADER]: randomUUID() }
  })

  /** Skips the check that the answer matches the OpenAPI document of this release. */
  const askUndocumented = (body: NewBooking, headers: Record<string, string>) =>
    fetch(`${world.url}/api/v1/bookings`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json' },
    })

  const kept = () => world.database('idempotency_keys').where({ key: key[KEY_HEADER] })

  function expectReplay(first: ApiAnswer, second: ApiAnswer) {
    expect(first.headers.has('Idempotency-Replayed')).to.equal(false)
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true')
    expect([second.status, second.text]).to.deep.equal([first.status, first.text])
    expect(second.headers.get('Content-Type')).to.equal(first.headers.get('Content-Type'))
  }

  it('makes a repeat return the first answer byte for byte, and books only once', async () => {
    const first = await client.post('bookings', slot, key)
    const second = await client.post('bookings', slot, key)
    expect(first.status).to.equal(200)
    expectReplay(first, second)
    expect(await countBookings(world, slot)).to.equal(1)
  })

  it('recognizes a repeat despite another field order, time offset or unknown fields', async () => {
    const first = await client.post('bookings', slot, key)
    const otherWords = { colour: 'red', ...Object.fromEntries(Object.entries(slot).reverse()) }
    const to_time = slot.to_time.replace('.000Z', '+00:00')
    expectReplay(first, await client.post('bookings', { ...otherWords, to_time }, key))
  })

  it('replays a conflict even if the desk has become free', async () => {
    await createBooking(world.database, { ...toSlot(slot) })
    const first = await client.post('bookings', slot, key)
    await world.database('bookings').where({ bookable_id: slot.bookable_id }).delete()
    expect(first.status).to.equal(409)
    expectReplay(first, await client.post('bookings', slot, key))
    expect(await countBookings(world, slot)).to.equal(0)
  })

  it('replays a refusal even if the data would now allow the request', async () => {
    const user = world.database('users').where({ id: slot.user_id })
    await user.clone().update({ deactivated_at: new Date() })
    const first = await client.post('bookings', slot, key)
    await user.clone().update({ deactivated_at: null })
    expect(first.json.errors).to.have.all.keys('user_id')
    expectReplay(first, await client.post('bookings', slot, key))
    expect(await countBookings(world, slot)).to.equal(0)
  })

  it('replays the 204 and the 404 of a deletion', async () => {
    const id = await createBooking(world.database, toSlot(slot))
    const first = await client.delete(`bookings/${id}`, key)
    expect(first.status).to.equal(204)
    expectReplay(first, await client.delete(`bookings/${id}`, key))
    const otherKey = { [KEY_HEADER]: randomUUID() }
    const missing = await client.delete(`bookings/${id}`, otherKey)
    expect(missing.status).to.equal(404)
    expectReplay(missing, await client.delete(`bookings/${id}`, otherKey))
  })

  it('replays a success even if the request would now be refused', async () => {
    // The booking ends soon, so that it is over when the request is repeated.
    const short = {
      ...slot,
      from_time: hoursFromNow(-1),
      to_time: new Date(Date.now() + 4_000).toISOString(),
    }
    const first = await client.post('bookings', short, key)
    expect(first.status).to.equal(200)
    await world.database('users').where({ id: slot.user_id }).update({ deactivated_at: new Date() })
    await eventually(() => expect(new Date().toISOString() > short.to_time).to.equal(true))
    expect((await client.post('bookings', short)).status).to.equal(422)
    expectReplay(first, await client.post('bookings', short, key))
  })

  it('refuses a different request body with the same key', async () => {
    const first = await client.post('bookings', slot, key)
    const other = await client.post('bookings', { ...slot, from_time: hoursFromNow(25) }, key)
    expect([other.status, other.json.code]).to.deep.equal([422, 'idempotency_key_reused'])
    expectReplay(first, await client.post('bookings', slot, key))
  })

  it('applies only to the same token, method and path', async () => {
    expect((await client.post('bookings', slot, key)).status).to.equal(200)
    const other = await world.client('booking-write')
    expect((await other.post('bookings', slot, key)).json.code).to.equal('booking_conflict')
    const ids = [await createBooking(world.database, toSlot()), await createBooking(world.database, toSlot())]
    for (const id of ids) expect((await client.delete(`bookings/${id}`, key)).status).to.equal(204)
    expect(await kept()).to.have.length(4)
  })

  it('treats all spellings of a resource path as the same path', async () => {
    const first = await client.post('bookings', slot, key)
    expectReplay(first, await client.post('bookings/', slot, key))
    expect(await countBookings(world, slot)).to.equal(1)
    const [{ id }] = first.json.data
    const moved = { to_time: hoursFromNow(30) }
    const changed = await client.patch(`bookings/${id}/`, moved, key)
    expect(changed.status).to.equal(200)
    for (const path of [
      `bookings/${id}`,
      `bookings/0${id}`,
      `bookings/%3${String(id)[0]}${String(id).slice(1)}/`,
    ])
      expectReplay(changed, await client.patch(path, moved, key))
    expect(await kept()).to.have.length(2)
  })

  it('finds outcomes that the previous release stored under the request path', async () => {
    const first = await client.post('bookings', slot, key)
    const { rows } = await world.database.raw(
      `SELECT scope, replace(scope, 'token:' || id, 'token') AS shown FROM idempotency_keys
       JOIN tokens ON scope LIKE 'token:' || id || ' %' WHERE key = ?`,
      [key[KEY_HEADER] ?? ''],
    )
    expect(rows.map(({ shown }: { shown: string }) => shown)).to.deep.equal(['token POST /api/v1/bookings'])
    expectReplay(first, await client.post('bookings/', slot, key))
  })

  // Simulates an answer that a worker of a newer release has stored.
  it('replays a refusal whose code only a newer release knows', async () => {
    await createBooking(world.database, toSlot(slot))
    const first = await client.post('bookings', slot, key)
    const [{ outcome }] = await kept()
    const rename = (text: string) => text.replaceAll('booking_conflict', 'not_on_a_whim')
    const newer = { ...outcome, refused: rename(outcome.refused), body: rename(outcome.body) }
    await kept().update({ outcome: newer })
    const second = await askUndocumented(slot, key)
    expect([second.status, await second.json()]).to.deep.equal([409, JSON.parse(rename(first.text))])
  })

  it('is the same key with or without quotes', async () => {
    const first = await client.post('bookings', slot, key)
    expectReplay(first, await client.post('bookings', slot, { [KEY_HEADER]: `"${key[KEY_HEADER]}"` }))
  })

  it('may have up to 255 characters', async () => {
    key = { [KEY_HEADER]: '~'.repeat(255) }
    const first = await client.post('bookings', slot, key)
    expectReplay(first, await client.post('bookings', slot, key))
  })

  for (const [title, value] of [
    ['empty', ''],
    ['an empty quoted string', '""'],
    ['256 characters long', 'k'.repeat(256)],
    ['two words', 'my key'],
    ['outside of ASCII', 'schl\u00fcssel'],
  ] as const) {
    it(`is refused if the key is ${title}, and the request books nothing`, async () => {
      const answer = await client.post('bookings', slot, { [KEY_HEADER]: value })
      expect(answer.status).to.equal(422)
      expect(answer.json.errors).to.deep.equal({
        [KEY_HEADER]: [`${KEY_HEADER} must be 1 to 255 visible ASCII characters.`],
      })
      expect(await countBookings(world, slot)).to.equal(0)
    })
  }

  it('runs only one of many simultaneous requests with the same key', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('bookings', slot, key)))
    const [first] = answers.filter(
      ({ status, headers }) => status === 200 && !headers.has('Idempotency-Replayed'),
    )
    if (!first) throw new Error('Nobody won')
    for (const answer of answers.filter((each) => each !== first)) {
      if (answer.status === 200) expectReplay(first, answer)
      else {
        expect([answer.status, answer.json.code]).to.deep.equal([409, 'idempotency_key_in_use'])
        expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
      }
    }
    expect(await countBookings(world, slot)).to.equal(1)
    // The answer “in use” is not stored for the key.
    expectReplay(first, await client.post('bookings', slot, key))
  })

  it('is reported as in use while its first request runs, and replays the answer afterwards', async () => {
    const holder = await world.database.transaction()
    await holder('bookables').where({ id: slot.bookable_id }).forUpdate()
    const asked = client.post('bookings', slot, key)
    // Waits until the first request is blocked by the bookable, because it then holds its key.
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    const second = await eventually(async () => {
      const answer = await client.post('bookings', { ...slot }, key)
      expect(answer.json.code).to.equal('idempotency_key_in_use')
      return answer
    })
    expect([second.status, second.headers.get('Retry-After')]).to.deep.equal([409, '1'])
    await holder.rollback()
    const first = await asked
    expect(first.status).to.equal(200)
    expectReplay(first, await client.post('bookings', slot, key))
  })

  it('expires after 24 hours, so that a repeat runs the request again', async () => {
    const first = await client.post('bookings', slot, key)
    await kept().update({ created_at: world.database.raw("now() - interval '23 hours 59 minutes'") })
    expectReplay(first, await client.post('bookings', slot, key))
    await kept().update({ created_at: world.database.raw("now() - interval '24 hours 1 second'") })
    const anew = await client.post('bookings', slot, key)
    expect(anew.json.code).to.equal('booking_conflict')
    expectReplay(anew, await client.post('bookings', slot, key))
  })
})

/** Returns the times of a booking for a factory, or an unrelated time if no slot is given. */
function toSlot(slot?: NewBooking) {
  if (!slot) return { from: hoursFromNow(100), to: hoursFromNow(101) }
  return { bookable_id: slot.bookable_id, from: slot.from_time, to: slot.to_time }
}
