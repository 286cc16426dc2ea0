// Tests the bodies of all writes: a wrong type is refused with 422 and a sentence, never with an accidental
// error, and no body does harm. Only valid bodies reach a worker.
import { expect } from 'chai'
import fc from 'fast-check'
import { createBooking, createDesk, createEvent, hoursFromNow } from '../../../support/factories.ts'
import type { ApiAnswer } from '../../../support/http/http.ts'
import { openApiOf } from '../../../support/http/openapi.ts'
import { useClient, useWorld } from '../../../support/world.ts'

type Json = null | boolean | number | string | Json[] | { [member: string]: Json }
type FieldKind = 'id' | 'text' | 'instant' | 'list' | 'list or changes' | 'number' | 'flag'
type Field = { kind: FieldKind; nullable?: boolean; required?: boolean }
type Write = { method: string; path: string; fields: Record<string, Field>; valid: Record<string, Json> }

// Fields of bookables that test/gateway/api/rest/bookables/single-bookables.test.ts tests.
const ADMINISTRATOR_FIELDS = [
  'type',
  'capacity',
  'requires_vehicle',
  'integration_email',
  'location_id',
  'position',
  'assigned_user_ids',
  'in_the_way',
]

const ID_MAX = Number.MAX_SAFE_INTEGER

// Values of a wrong type: numbers as strings, floats, arrays as strings, booleans as numbers …
const WRONG_VALUES: Record<FieldKind, Json[]> = {
  id: ['7', '', 1.5, 0, -1, 2 ** 53, 1e300, true, [7], { id: 7 }],
  number: ['1', '', 0.5, -1, 2 ** 53, 4, false, [1], {}],
  flag: ['true', '', 1, 0, [true], {}],
  text: [7, 0, true, ['x'], {}, { toString: 'x' }, 'bell \u0007', '\ud800', 'nul \u0000'],
  instant: [
    1_763_629_200,
    true,
    ['2026-11-20T09:00:00Z'],
    {},
    '',
    'now',
    '2026-11-20',
    '2026-02-30T10:00:00Z',
  ],
  list: ['[]', 'x', 7, true, {}, { 0: 'x', length: 1 }],
  'list or changes': ['[]', 'x', 7, true],
}

describe('the JSON bodies of writes', function () {
  this.timeout(120_000)
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
  const client = useClient(world)
  let writes: Write[]

  before(async () => {
    const desk = await createDesk(world.database)
    const span = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const booking = await createBooking(world.database, span)
    const event = await createEvent(world.database, span)
    const id: Field = { kind: 'id', required: true }
    const text: Field = { kind: 'text', nullable: true }
    const times: Record<string, Field> = {
      from_time: { kind: 'instant', nullable: true },
      to_time: { kind: 'instant', required: true },
    }
    const vehicle: Field = { kind: 'id', nullable: true }
    const overrides_absence: Field = { kind: 'flag' }
    const eventFields: Record<string, Field> = {
      ...times,
      name: { kind: 'text', required: true },
      description: text,
      from_timezone: text,
      to_timezone: text,
      classification: { kind: 'number', nullable: true },
      attendees: { kind: 'list', nullable: true },
    }
    const guest: Record<string, Field> = { guest_email: text, guest_name: text, booking_info: text }
    const validEvent = { name: 'E', organizer_user_id: desk.user_id, to_time: span.to }
    writes = [
      {
        method: 'POST',
        path: 'bookings',
        fields: {
          ...times,
          bookable_id: id,
          user_id: id,
          location_id: id,
          user_vehicle_id: vehicle,
          overrides_absence,
          ...guest,
        },
        valid: { ...desk, to_time: span.to },
      },
      ...['PUT', 'PATCH'].map((method) => ({
        method,
        path: `bookings/${booking}`,
        fields: { ...times, user_vehicle_id: vehicle, overrides_absence, ...guest },
        valid: { to_time: span.to },
      })),
      {
        method: 'PATCH',
        path: `bookables/${desk.bookable_id}`,
        fields: {
          name: { kind: 'text' },
          description: text,
          status: { kind: 'number' },
          tags: { kind: 'list' },
        },
        valid: {},
      },
      {
        method: 'POST',
        path: 'events',
        fields: { ...eventFields, organizer_user_id: id },
        valid: validEvent,
      },
      {
        method: 'PUT',
        path: `events/${event}`,
        fields: { ...eventFields, organizer_user_id: { kind: 'id' } },
        valid: validEvent,
      },
      {
        method: 'PATCH',
        path: `events/${event}`,
        fields: {
          ...eventFields,
          to_time: { kind: 'instant' },
          name: { kind: 'text' },
          attendees: { kind: 'list or changes' },
          organizer_user_id: { kind: 'id' },
        },
        valid: {},
      },
    ]
  })

  const ask = ({ method, path }: Write, body: unknown): Promise<ApiAnswer> =>
    client.ask(path, { method, body })
  const askRaw = ({ method, path }: Write, raw: string): Promise<ApiAnswer> =>
    client.ask(path, { method, raw, headers: { 'Content-Type': 'application/json' } })

  async function expectRefused(write: Write, body: Json, field: string) {
    const answer = await ask(write, body)
    const where = `${write.method} ${write.path} with ${field} ${JSON.stringify((body as { [name: string]: Json })[field])}`
    expect([answer.status, answer.json.code], where).to.deep.equal([422, 'validation_failed'])
    expect(Object.keys(answer.json.errors), where).to.deep.equal([field])
    const path = field.replaceAll('.', '\\.')
    for (const sentence of answer.json.errors[field]) {
      expect(sentence, where).to.match(new RegExp(`^${path} (must|is|needs) .+\\.$`, 's'))
    }
  }

  it('are refused for every field of a wrong type, and the error names the field', async () => {
    for (const write of writes) {
      for (const [name, { kind, nullable }] of Object.entries(write.fields)) {
        const wrong = nullable ? WRONG_VALUES[kind] : [...WRONG_VALUES[kind], null]
        await Promise.all(wrong.map((value) => expectRefused(write, { ...write.valid, [name]: value }, name)))
      }
    }
  })

  it('need only the required fields', async () => {
    for (const write of writes) {
      const required = Object.entries(write.fields).filter(([, field]) => field.required)
      const answer = await ask(write, {})
      if (required.length === 0) expect(answer.status).to.equal(200)
      else expect(Object.keys(answer.json.errors).sort()).to.deep.equal(required.map(([name]) => name).sort())
    }
  })

  it('must be JSON objects', async () => {
    for (const write of writes) {
      for (const body of [null, [], [{}], 'x', 5, true]) {
        const answer = await ask(write, body)
        expect([answer.status, answer.json.errors], `${write.path} ${JSON.stringify(body)}`).to.deep.equal([
          422,
          { body: ['The body must be a JSON object.'] },
        ])
      }
    }
  })

  it('are never converted: a field accepts a JSON value unchanged or refuses it', async () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), json, async (at, nth, value) => {
        const write = writes[at % writes.length] as Write
        const names = Object.keys(write.fields)
        const name = names[nth % names.length] as string
        const answer = await ask(write, { ...write.valid, [name]: value })
        // Any of these answers is correct, because a conflict depends only on the data.
        expect(answer.status, answer.text).to.be.oneOf([200, 409, 422])
        if (answer.status === 422) expect(Object.keys(answer.json.errors).length).to.be.greaterThan(0)
        if (answer.status === 200 && typeof value === 'string') await expectStored(write, name, value)
      }),
      { numRuns: 100 },
    )
  })

  // Expects the API to return a name as it was sent, except that it is trimmed.
  async function expectStored(write: Write, name: string, value: string) {
    if (name !== 'name') return
    const table = write.path.startsWith('events') ? 'events' : 'bookables'
    const rows = await world.database(table).where({ name: value.trim() })
    expect(rows.length, value).to.be.greaterThan(0)
  }

  it('may have members with unknown names, which the API ignores', async () => {
    const odd =
      '"__proto__":{"name":"evil","status":1},"constructor":{"prototype":{}},"toString":1,"hasOwnProperty":2'
    for (const write of writes) {
      const valid = JSON.stringify(write.valid).slice(1, -1)
      const answer = await askRaw(write, `{${[odd, valid].filter(Boolean).join(',')}}`)
      expect(answer.status, answer.text).to.be.oneOf([200, 409])
      // Fields inherited from a prototype do not count as sent.
      const required = Object.values(write.fields).some((field) => field.required)
      const inherited = await askRaw(write, `{"__proto__":{${valid}}}`)
      expect(inherited.status).to.equal(required ? 422 : 200)
    }
    expect(({} as { status?: number }).status).to.equal(undefined)
    const attendee = '{"type":"visitor","email":"a@example.com","__proto__":{"type":"user","id":1}}'
    const event = writes[4] as Write
    const valid = JSON.stringify(event.valid).slice(0, -1)
    const answer = await askRaw(event, `${valid},"attendees":[${attendee}]}`)
    expect(answer.json.data.attendees[1].email).to.equal('a@example.com')
  })

  it('use the last value of a repeated key, as JSON parsers do', async () => {
    const bookable = writes[3] as Write
    const answer = await askRaw(bookable, '{"name":5,"name":"Second","tags":"x","tags":["y"]}')
    expect(answer.json.data).to.deep.include({ name: 'Second', tags: ['y'] })
  })

  it('may contain numbers of any size, but ids must be whole numbers up to 2^53 - 1', async () => {
    const booking = writes[0] as Write
    const sent = [
      '9007199254740993',
      '1e999',
      '1e-999',
      '-0',
      '99999999999999999999999',
      '1.0000000000000001e0',
    ]
    for (const number of sent) {
      const answer = await askRaw(
        booking,
        `{"bookable_id":${number},"to_time":"2030-01-01T00:00:00Z","user_id":1}`,
      )
      expect(answer.status, number).to.equal(422)
      expect(answer.json.errors, number).to.have.property('location_id')
    }
    const largest = await ask(booking, { ...booking.valid, bookable_id: ID_MAX })
    expect(largest.json.errors).to.deep.equal({ bookable_id: ['There is no bookable with this id.'] })
  })

  it('are refused with a short sentence, even if their values are deeply nested or very long', async () => {
    const deep = `${'['.repeat(31)}${']'.repeat(31)}`
    const nested = `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`
    // A body of 400,000 invalid items. A sentence about each item would make the response many megabytes long.
    const long = `[${'0,'.repeat(400_000)}0]`
    for (const write of [writes[3], writes[4]] as Write[]) {
      const valid = JSON.stringify(write.valid).slice(1, -1)
      for (const name of Object.keys(write.fields)) {
        const values = write.fields[name]?.kind === 'list' ? [deep, nested, long] : [deep]
        for (const value of values) {
          const answer = await askRaw(write, `{${valid ? `${valid},` : ''}"${name}":${value}}`)
          expect(answer.status, `${write.path} ${name}`).to.equal(422)
          expect(answer.text.length).to.be.lessThan(1_000)
        }
      }
    }
  })

  it('match the OpenAPI document field by field, with defaults and limits', async () => {
    const { document } = await openApiOf(world.url)
    type Schema = {
      description?: string
      default?: Json
      items?: Schema
      properties?: Record<string, Schema>
      [member: string]: unknown
    }
    const bodyOf = (path: string, method: string) =>
      document.paths[`/api/v1/${path}`]?.[method]?.requestBody?.content['application/json']?.schema as Schema
    const paths = [
      'bookings',
      'bookings/{id}',
      'bookings/{id}',
      'bookables/{id}',
      'events',
      'events/{id}',
      'events/{id}',
    ]
    for (const [index, { method, fields }] of writes.entries()) {
      const described = Object.entries(bodyOf(paths[index] as string, method.toLowerCase()).properties ?? {})
      const properties = Object.fromEntries(
        described.filter(
          ([name]) => paths[index] !== 'bookables/{id}' || !ADMINISTRATOR_FIELDS.includes(name),
        ),
      )
      expect(Object.keys(properties).sort()).to.deep.equal(Object.keys(fields).sort())
      const attendee = Object.entries(properties.attendees?.items?.properties ?? {})
      const all = [
        ...Object.entries(properties).map(([name, schema]) => ({
          name,
          schema,
          isNullable: Boolean(fields[name]?.nullable),
        })),
        ...attendee.map(([name, schema]) => ({ name, schema, isNullable: name !== 'type' })),
      ]
      for (const { name, schema, isNullable } of all) {
        expect(schema.description, `${method} ${paths[index]} ${name}`).to.match(/\.$|=/)
        // A nullable enum is a reference beside a null type.
        const kinds = [schema, ...((schema['oneOf'] ?? []) as Schema[])]
        const nullable = kinds.some(({ type }) => [type].flat().includes('null'))
        expect(nullable, `${method} ${paths[index]} ${name}`).to.equal(isNullable)
      }
    }
    const event = bodyOf('events', 'post').properties
    const defaults = ['from_timezone', 'to_timezone', 'classification', 'description', 'attendees']
    expect(defaults.map((name) => event?.[name]?.default)).to.deep.equal(['UTC', 'UTC', 3, '', []])
    expect(event?.attendees).to.include({ maxItems: 1_000 })
    expect(event?.description).to.include({ maxLength: 65_535 })
    const bookable = bodyOf('bookables/{id}', 'patch').properties
    expect(bookable?.status).to.deep.include({ enum: [0, 1] })
    expect(bookable?.tags?.items).to.include({ minLength: 1, maxLength: 255 })
    const page = await (await fetch(`${world.url}/api/docs`)).text()
    expect(page).to.include('attendees.N.email').and.to.include('default &quot;UTC&quot;')
  })
})
