// Tests unknown parameters and fields: they are ignored unless the caller asks for strict handling. A field
// that only another endpoint can change is refused if its value differs.
import { expect } from 'chai'
import * as yup from 'yup'
import { endpoints } from '../../../../../gateway/app.ts'
import { createBooking, createDesk, hoursFromNow } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const STRICT_HEADERS = { Prefer: 'handling=strict' }

describe('unknown fields and query parameters', () => {
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)

  for (const { method, path, body, takesFile } of endpoints.filter(({ isOpen }) => !isOpen)) {
    it(`are refused by name if the client prefers strict handling: ${method} ${path}`, async () => {
      const address = path.slice(1).replace(/\{\w+\}/g, '1')
      const form = new FormData()
      form.set('file', new File(['email\n'], 'users.csv'))
      form.set('colour', 'red')
      const answer = await client.ask(`${address}?shade=dark`, {
        method,
        headers: STRICT_HEADERS,
        ...(takesFile ? { form } : body ? { body: { colour: 'red' } } : {}),
      })
      expect(answer.status, answer.text).to.equal(422)
      expect(answer.headers.get('Preference-Applied')).to.equal('handling=strict')
      expect(answer.json.errors.shade?.join()).to.match(/^There is no parameter shade here\./)
      if (body) expect(answer.json.errors.colour).to.deep.equal(['There is no field colour here.'])
    })
  }

  it('are ignored if the client does not prefer strict handling', async () => {
    const desk = await createDesk(world.database)
    const answer = await client.patch(`bookables/${desk.bookable_id}?capcity_min=4`, { satus: 1 })
    expect([answer.status, answer.headers.get('Preference-Applied')]).to.deep.equal([200, null])
    for (const prefer of ['handling=lenient', 'wait=5', 'handling=strictly'])
      expect((await client.get('groups?colour=red', { Prefer: prefer })).status, prefer).to.equal(200)
  })

  it('are refused with the name of the most similar known field, for any spelling of Prefer', async () => {
    const desk = await createDesk(world.database)
    const path = `bookables/${desk.bookable_id}`
    for (const prefer of ['handling=strict', 'Handling="strict"', 'respond-async, handling = strict; x=1']) {
      const { status, json } = await client.patch(path, { satus: 1, name: 'New' }, { Prefer: prefer })
      expect([status, json.errors], prefer).to.deep.equal([
        422,
        { satus: ['There is no field satus here. Did you mean status?'] },
      ])
    }
    const { json } = await client.get('availability?capcity_min=2', STRICT_HEADERS)
    expect(json.errors.capcity_min).to.deep.equal([
      'There is no parameter capcity_min here. Did you mean capacity_min?',
    ])
    const right = await client.patch(path, { status: 1 }, STRICT_HEADERS)
    expect([right.status, right.headers.get('Preference-Applied')]).to.deep.equal([200, 'handling=strict'])
    expect((await client.get(path, STRICT_HEADERS)).status).to.equal(200)
  })

  it('are also found in nested lists and objects, regardless of their names', async () => {
    const { user_id, ...desk } = await createDesk(world.database)
    const span = { from_time: hoursFromNow(1), to_time: hoursFromNow(2) }
    const attendees = [{ type: 'visitor', email: 'v@example.com', nmae: 'V', rol: 1 }]
    const event = await client.post(
      'events',
      { ...span, name: 'E', organizer_user_id: user_id, attendees },
      STRICT_HEADERS,
    )
    expect(event.json.errors).to.have.all.keys('attendees.0.nmae', 'attendees.0.rol')
    const item = { ...desk, ...span, user_id }
    const batch = await client.post(
      'bookings/batch',
      { bookings: [item, { ...item, gest_name: 'G' }] },
      STRICT_HEADERS,
    )
    expect(batch.json.errors).to.deep.equal({
      'bookings.1.gest_name': ['There is no field gest_name here. Did you mean guest_name?'],
    })
    const raw = `{"name": "N", "__proto__": 1, "constructor": {}, "${'x'.repeat(1_000)}": 1}`
    const odd = await client.ask(`bookables/${desk.bookable_id}`, {
      method: 'PATCH',
      raw,
      headers: { ...STRICT_HEADERS, 'Content-Type': 'application/json' },
    })
    expect(Object.keys(odd.json.errors)).to.deep.equal(['__proto__', 'constructor', 'x'.repeat(100)])
  })

  it('are also refused if the client prefers respond-async', async () => {
    const Prefer = 'respond-async, handling=strict'
    expect((await client.import('email\na@example.com\n', { dry_rn: 'true' }, { Prefer })).status).to.equal(
      422,
    )
    const accepted = await client.import('email\na@example.com\n', { dry_run: 'true' }, { Prefer })
    expect(accepted.status, accepted.text).to.equal(202)
    expect(accepted.headers.get('Preference-Applied')).to.equal('handling=strict, respond-async')
  })
})

describe('fields of a booking that only another endpoint can change', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world)

  for (const method of ['PUT', 'PATCH'] as const) {
    it(`are refused by ${method} if they differ, and the error names the right endpoint`, async () => {
      const { database } = world
      const [desk, other] = [await createDesk(database), await createDesk(database)]
      const guest = { guest_name: 'Grace', guest_email: null, booking_info: null }
      const id = await createBooking(database, {
        bookable_id: desk.bookable_id,
        user_id: desk.user_id,
        guest_name: 'Grace',
        from: hoursFromNow(1),
        to: hoursFromNow(2),
      })
      const to_time = hoursFromNow(3)
      const change = (fields: object) =>
        client.ask(`bookings/${id}`, { method, body: { to_time, ...fields } })
      const differing = {
        bookable_id: other.bookable_id,
        location_id: other.location_id,
        user_id: other.user_id,
      }
      for (const [name, value] of [
        ...Object.entries(differing),
        ['bookable_id', null],
        ['bookable_id', [desk.bookable_id]],
        ['user_id', 'x'.repeat(5_000)],
      ] as const) {
        const { status, json } = await change({ [name]: value })
        expect([status, json.errors], name).to.deep.equal([
          422,
          { [name]: [`${name} cannot be changed here: delete the booking and create another.`] },
        ])
      }
      expect((await change(differing)).json.errors).to.have.all.keys(...Object.keys(differing))
      const { to } = (await client.get(`bookings/${id}`)).json.data
      expect(to.slice(0, 19)).to.equal(hoursFromNow(2).slice(0, 19))
      const { bookable_id, location_id, user_id } = desk
      const same = await change({ bookable_id, location_id, user_id, ...guest })
      expect(same.status, same.text).to.equal(200)
      expect((await change({ bookable_id: String(bookable_id), guest_name: ' Grace ' })).status).to.equal(200)
    })
  }

  it('are declared for every resource that can be both created and changed', () => {
    const fieldsOf = (body: unknown) => (body instanceof yup.ObjectSchema ? Object.keys(body.fields) : [])
    const changes = endpoints.filter(
      ({ method, path }) => /^(PUT|PATCH)$/.test(method) && path.endsWith('/{id}'),
    )
    const created = changes.flatMap(({ path, body }) => {
      const create = endpoints.find((each) => each.method === 'POST' && `${each.path}/{id}` === path)
      return create ? [[create.path, fieldsOf(body), fieldsOf(create.body)] as const] : []
    })
    expect(created.map(([path]) => path)).to.include.members(['/bookings', '/events', '/webhooks'])
    for (const [path, known, taken] of created) expect(known, path).to.include.members(taken)
  })
})
