// Tests the listing of a location's bookables and their occupancy.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  type Claim,
  claims,
  type StoredClaim,
  storeClaims,
  withoutConflicts,
} from '../../../../support/claims.ts'
import { createBookable, createBooking, createEvent, createLocation } from '../../../../support/factories.ts'
import { fromMicros, toMicros } from '../../../../support/instants.ts'
import { createOffice, deleteAllResources, type Office } from '../../../../support/office.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const NOW = '2026-11-20T09:30:00.500Z'

describe('locations', () => {
  const world = useWorld({
    workers: [],
    now: () => Date.parse(NOW),
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const client = useClient(world, 'read')
  let office: Office
  beforeEach(async () => {
    await deleteAllResources(world.database)
    office = await createOffice(world.database)
  })

  describe('GET locations/{location_id}/bookables', () => {
    const list = async () => (await client.get(`locations/${office.location.id}/bookables`)).json

    it('answers with every bookable by id, in exactly the documented format', async () => {
      const tags = ['Window', 'a "b", c', '', 'Window ']
      await world.database('bookables').where({ id: office.desk.id }).update({ tags, description: 'kept' })
      await createBookable(world.database)
      expect(await list()).to.deep.equal({
        data: [
          { ...office.desk, tags },
          { ...office.parking, tags: [] },
          { ...office.room, tags: [] },
          { ...office.home, tags: [] },
        ],
      })
    })

    it('returns an empty list for a location without bookables, and 404 for an unknown location', async () => {
      const empty = await createLocation(world.database)
      expect((await client.get(`locations/${empty}/bookables`)).json).to.deep.equal({ data: [] })
      for (const unknown of ['999999', '0', 'abc', '1.0']) {
        const answer = await client.get(`locations/${unknown}/bookables`)
        expect([answer.status, answer.json.code], unknown).to.deep.equal([404, 'not_found'])
      }
    })
  })

  describe('GET locations/{location_id}/bookables/occupancy', () => {
    const path = () => `locations/${office.location.id}/bookables/occupancy`
    const entryOf = async (of: 'desk' | 'parking' | 'room' | 'home') => {
      const { data } = (await client.get(`${path()}?details=true`)).json
      const { occupied, booking_current, booking_next } = data.find(
        ({ name }: { name: string }) => name === office[of].name,
      )
      return { occupied, booking_current, booking_next }
    }
    const book = (of: 'desk' | 'parking' | 'room' | 'home', from: string, to: string | null) =>
      createBooking(world.database, { bookable_id: office[of].id, exclusive: of !== 'home', from, to })

    it('answers with every bookable by id, in exactly the documented format', async () => {
      await book('parking', '2026-11-20T09:00:00.000001Z', '2026-11-20T10:00:00.999999Z')
      await book('desk', '2026-11-21T09:00:00Z', null)
      const uuids = await world.database('bookables').orderBy('id').pluck('uuid')
      const entry = (of: Office['desk'], occupied: boolean, index: number) => ({
        id: uuids[index],
        location_name: office.location.name,
        type: of.type,
        name: of.name,
        occupied,
      })
      const plain = [
        entry(office.desk, false, 0),
        entry(office.parking, true, 1),
        entry(office.room, false, 2),
        entry(office.home, false, 3),
      ]
      for (const query of ['', '?details=false', '?details=0', '?details=No', '?details=OFF'])
        expect((await client.get(path() + query)).json, query).to.deep.equal({ data: plain })

      const current = { from_time: '2026-11-20T09:00:00.000001Z', to_time: '2026-11-20T10:00:00.999999Z' }
      const next = { from_time: '2026-11-21T09:00:00.000000Z', to_time: null }
      const none = { booking_current: null, booking_next: null }
      const [desk, parking, room, home] = plain
      for (const query of ['?details=true', '?details=1', '?details=Yes', '?details=ON']) {
        expect((await client.get(path() + query)).json, query).to.deep.equal({
          data: [
            { ...desk, ...none, booking_next: next },
            { ...parking, ...none, booking_current: current },
            { ...room, ...none },
            { ...home, ...none },
          ],
        })
      }
    })

    it('refuses a value of details that is not a boolean', async () => {
      for (const details of ['maybe', '', '2', 'true&details=true']) {
        const answer = await client.get(`${path()}?details=${details}`)
        expect(answer.status, details).to.equal(422)
        expect(answer.json.errors).to.deep.equal({ details: ['details must be true or false.'] })
      }
    })

    it('counts event rooms as occupied', async () => {
      const meet = async (from: string, to: string) => {
        const event_id = await createEvent(world.database, { from, to })
        await createBooking(world.database, { event_id, bookable_id: office.room.id, from, to })
        return { from_time: from.replace('Z', '.000000Z'), to_time: to.replace('Z', '.000000Z') }
      }
      const now = await meet('2026-11-20T09:00:00Z', '2026-11-20T10:00:00Z')
      const next = await meet('2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z')
      expect(await entryOf('room')).to.deep.equal({
        occupied: true,
        booking_current: now,
        booking_next: next,
      })
    })

    it('shows a bookable as occupied from the first microsecond of a booking until its last', async () => {
      await book('desk', '2026-11-20T09:30:00.5Z', '2026-11-20T09:30:00.500001Z')
      await book('parking', '2026-11-20T09:00:00Z', '2026-11-20T09:30:00.5Z')
      await book('room', '2026-11-20T09:30:00.500001Z', null)
      expect((await entryOf('desk')).occupied).to.equal(true)
      expect((await entryOf('parking')).occupied).to.equal(false)
      const room = await entryOf('room')
      expect(room.occupied).to.equal(false)
      expect(room.booking_next.from_time).to.equal('2026-11-20T09:30:00.500001Z')
    })

    it('shows the same current and next bookings as a simple model', async () => {
      const rows = {
        bookables: [office.desk.id, office.parking.id, office.home.id],
        users: [office.user.id],
        isShared: (bookable: number) => bookable === 2,
      }
      const names = [office.desk.name, office.parking.name, office.home.name]
      const now = toMicros(NOW)
      const near = fc
        .tuple(claims(Date.parse(NOW), { bookables: 3, users: 1 }), fc.integer({ min: -30, max: 30 }))
        .map(([claim, steps]): Claim => {
          const from = now + BigInt(steps) * 900_000_000n
          return { ...claim, from, to: claim.to === null ? null : from + (claim.to - claim.from) }
        })
      const drawn = fc.array(near, { maxLength: 12, size: 'max' })
      await fc.assert(
        fc.asyncProperty(drawn, async (bookings) => {
          await world.database('bookings').delete()
          const stored = await storeClaims(world.database, withoutConflicts(bookings, rows.isShared), rows)
          const { data } = (await client.get(`${path()}?details=true`)).json
          for (const [bookable, name] of names.entries()) {
            const { occupied, booking_current, booking_next } = data.find(
              (each: { name: string }) => each.name === name,
            )
            const expected = computeOccupancy(
              stored.filter((claim) => claim.bookable === bookable),
              now,
            )
            expect({ occupied, booking_current, booking_next }).to.deep.equal(expected)
          }
        }),
        { numRuns: 60 },
      )
    })

    it('answers 404 for an unknown location', async () => {
      for (const unknown of ['999999', '0', 'abc']) {
        const answer = await client.get(`locations/${unknown}/bookables/occupancy?details=true`)
        expect([answer.status, answer.json.code], unknown).to.deep.equal([404, 'not_found'])
      }
    })
  })
})

function computeOccupancy(stored: StoredClaim[], now: bigint) {
  const sorted = [...stored].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.id - b.id))
  const current = sorted.find(({ from, to }) => from <= now && (to === null || to > now))
  const span = (claim: StoredClaim | undefined) =>
    claim
      ? {
          from_time: fromMicros(claim.from),
          to_time: claim.to === null ? null : fromMicros(claim.to),
        }
      : null
  return {
    occupied: current !== undefined,
    booking_current: span(current),
    booking_next: span(sorted.find(({ from }) => from > now)),
  }
}
