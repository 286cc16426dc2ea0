// Tests the six listings of bookings over HTTP: complete answers, overlaps, owners, and bookings that must
// not appear.
import { expect } from 'chai'
import { createBooking, createEvent, createUser } from '../../../../support/factories.ts'
import { createOffice, deleteAllResources, type Office } from '../../../../support/office.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

type ListedBooking = {
  id: number
  from: string
  to: string | null
  of: 'desk' | 'parking' | 'home'
  more: object
}

const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'

/** Each listing, with the way it shows the bookable and the user. */
const listings = [
  {
    path: 'users/{user_id}/bookings',
    address: ({ user }: Office) => `users/${user.id}/bookings`,
    shown: ({ location, building }: Office, bookable: object) => ({
      bookable: { ...bookable, location: { ...location, building } },
    }),
  },
  {
    path: 'users/by-email/{user_email}/bookings',
    address: ({ user }: Office) => `users/by-email/${encodeURIComponent(user.email.toUpperCase())}/bookings`,
    shown: ({ location, building }: Office, bookable: object) => ({
      bookable: { ...bookable, location: { ...location, building } },
    }),
  },
  {
    path: 'buildings/{building_id}/bookings',
    address: ({ building }: Office) => `buildings/${building.id}/bookings`,
    shown: ({ location, user }: Office, bookable: object) => ({ bookable: { ...bookable, location }, user }),
  },
  {
    path: 'locations/{location_id}/bookings',
    address: ({ location }: Office) => `locations/${location.id}/bookings`,
    shown: ({ user }: Office, bookable: object) => ({ bookable, user }),
  },
  {
    path: 'bookables/{bookable_id}/bookings',
    address: ({ parking }: Office) => `bookables/${parking.id}/bookings`,
    only: 'parking',
    shown: ({ user }: Office) => ({ user }),
  },
  {
    path: 'bookings',
    address: () => 'bookings',
    shown: ({ location, building, user }: Office, bookable: object) => ({
      bookable: { ...bookable, location: { ...location, building } },
      user,
    }),
  },
]

for (const { path, address, only, shown } of listings) {
  describe(`GET ${path}`, () => {
    const world = useWorld({ workers: [] })
    const client = useClient(world, 'read')
    let office: Office
    beforeEach(async () => {
      await deleteAllResources(world.database)
      office = await createOffice(world.database)
    })

    const book = (of: ListedBooking['of'] | 'room', from: string, to: string | null, row: object = {}) =>
      createBooking(world.database, {
        bookable_id: office[of].id,
        user_id: office.user.id,
        exclusive: of !== 'home',
        ...row,
        from,
        to,
      })
    const list = async (query = WEEK_QUERY) => (await client.get(`${address(office)}?${query}`)).json.data
    const idsOf = (data: Array<{ id: number }>) => data.map(({ id }) => id)

    it('answers with every booking, in exactly the documented format', async () => {
      const rows = {
        guest_name: 'Gwen Guest',
        guest_email: 'gwen@example.com',
        booking_info: 'An interview',
        license_plate: 'HH-AB 1',
      }
      const made: ListedBooking[] = [
        { of: 'home', from: '2026-02-01T08:00:00.000001Z', to: null, more: { guest: null } },
        {
          of: 'parking',
          from: '2026-03-02T07:00:00.000000Z',
          to: '2026-03-02T18:00:00.000000Z',
          more: { guest: 'Gwen Guest', license_plate: 'HH-AB 1' },
        },
        {
          of: 'desk',
          from: '2026-03-03T08:15:00.123456Z',
          to: '2026-03-03T16:00:00.999999Z',
          more: { guest: 'gwen@example.com' },
        },
        {
          of: 'parking',
          from: '2026-03-04T07:00:00.000000Z',
          to: '2026-03-04T18:00:00.000000Z',
          more: { guest: null, license_plate: null },
        },
      ].map((booking) => ({ id: 0, ...booking })) as ListedBooking[]
      const extra = [{}, rows, { guest_email: rows.guest_email, license_plate: 'kept by mistake' }, {}]
      for (const [index, booking] of made.entries())
        booking.id = await book(booking.of, booking.from, booking.to, extra[index])

      const answer = await client.get(`${address(office)}?${WEEK_QUERY}`)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
      expect(answer.json).to.deep.equal({
        data: made
          .filter(({ of }) => !only || of === only)
          .map(({ id, from, to, of, more }) => ({
            id,
            from,
            to,
            livemap: `${world.url}/api/v1/bookings/${id}/livemap`,
            ...shown(office, office[of]),
            ...more,
          })),
      })
    })

    it('returns an empty list when no bookings exist', async () => {
      expect(await list()).to.deep.equal([])
    })

    it('omits bookings that end at “from” or begin at “to”, and orders by start and then id', async () => {
      await book('parking', '2026-03-01T12:00:00Z', '2026-03-02T00:00:00Z')
      const last = await book('parking', '2026-03-08T23:59:59.999999Z', '2026-03-09T12:00:00Z')
      await book('parking', '2026-03-09T12:00:00Z', null)
      const first = await book('parking', '2026-03-02T00:00:00Z', '2026-03-02T00:00:00.000001Z')
      const second = await book('parking', '2026-03-02T00:00:00.000001Z', '2026-03-03T00:00:00Z')
      expect(idsOf(await list())).to.deep.equal([first, second, last])
      const touching = 'from=2026-03-03T00:00:00Z&to=2026-03-08T23:59:59.999999Z'
      expect(await list(touching)).to.deep.equal([])
    })

    it('includes a booking that lasts several years and contains the whole range', async () => {
      const id = await book('parking', '1999-01-01T00:00:00Z', '2026-03-05T00:00:00Z')
      expect(idsOf(await list())).to.deep.equal([id])
    })

    it('never includes event rooms', async () => {
      const during = { from: '2026-03-03T09:00:00Z', to: '2026-03-03T10:00:00Z' }
      const event_id = await createEvent(world.database, { ...during, organizer_user_id: office.user.id })
      await createBooking(world.database, { ...during, event_id, bookable_id: office.parking.id })
      expect(await list()).to.deep.equal([])
    })

    it('builds links from the Host header of the request, or from PUBLIC_URL if set', async () => {
      const id = await book('parking', '2026-03-02T07:00:00Z', null)
      const gateway = await world.startGateway({ PUBLIC_URL: 'https://desk.example.com/berth/' })
      const response = await fetch(`${gateway.url}/api/v1/${address(office)}?${WEEK_QUERY}`, {
        headers: { Authorization: `Bearer ${client.token}` },
      })
      const { data } = (await response.json()) as { data: Array<{ livemap: string }> }
      expect(data[0]?.livemap).to.equal(`https://desk.example.com/berth/api/v1/bookings/${id}/livemap`)
    })

    it('includes bookings of a deactivated user, except in the listing of that user', async () => {
      const id = await book('parking', '2026-03-02T07:00:00Z', null)
      await world.database('users').update({ deactivated_at: new Date() })
      const answer = await client.get(`${address(office)}?${WEEK_QUERY}`)
      if (path.startsWith('users')) {
        expect(answer.status).to.equal(404)
        expect(answer.json.code).to.equal('not_found')
      } else {
        expect(idsOf(answer.json.data)).to.deep.equal([id])
        expect(answer.json.data[0].user).to.deep.equal(office.user)
      }
    })

    if (path.includes('{')) {
      it('answers 404 for unknown users, places and bookables', async () => {
        await book('parking', '2026-03-02T07:00:00Z', null)
        for (const unknown of [
          '999999',
          '0',
          '-1',
          '1.5',
          'abc',
          '9007199254740992',
          '%00',
          'a%40b.example',
        ]) {
          const answer = await client.get(`${path.replace(/\{\w+\}/, unknown)}?${WEEK_QUERY}`)
          expect([answer.status, answer.json.code], unknown).to.deep.equal([404, 'not_found'])
        }
      })
    }

    it('excludes bookings of other people and places', async () => {
      const id = await book('parking', '2026-03-02T07:00:00Z', '2026-03-02T08:00:00Z')
      const other = await createOffice(world.database)
      const elsewhere = await createBooking(world.database, {
        bookable_id: other.desk.id,
        user_id: await createUser(world.database),
        from: '2026-03-02T07:00:00Z',
        to: null,
      })
      expect(idsOf(await list())).to.deep.equal(path === 'bookings' ? [id, elsewhere] : [id])
    })
  })
}
