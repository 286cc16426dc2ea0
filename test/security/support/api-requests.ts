// Sends planted values through every endpoint: requests that succeed, that are refused, and that break something.
import { expect } from 'chai'
import { endpoints } from '../../../gateway/app.ts'
import { generateToken } from '../../../shared/tokens/token-store.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createGroup,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import type { World } from '../../support/world.ts'
import { MARKS, STEM } from './marks.ts'

export type Places = Awaited<ReturnType<typeof createMarkedPlaces>>

/** Somebody with a car, a room and a parking spot, all of them with planted names. */
export async function createMarkedPlaces({ database }: World) {
  const building_id = await createBuilding(database, { name: `${STEM} House`, address: `${STEM} Street 1` })
  const location_id = await createLocation(database, { building_id, name: `${STEM} floor`, code: STEM })
  const user_id = await createUser(database, { name: MARKS.name, email: MARKS.email, upn: MARKS.upn })
  await createGroup(database, { name: `${STEM} group` })
  const at = (name: string, row = {}) =>
    createBookable(database, { name: `${STEM} ${name}`, location_id, ...row })
  return {
    building_id,
    location_id,
    user_id,
    vehicle_id: await createVehicle(database, { user_id, license_plate: MARKS.plate }),
    desk: await at('desk'),
    parking: await at('parking spot', { type: 1, requires_vehicle: true }),
    room: await at('room', { type: 2, integration_email: `${STEM}.room@example.com` }),
  }
}

/** Returns the tokens that were sent, good or not. */
export async function sendMarkedRequests(world: World, places: Places): Promise<string[]> {
  const client = await world.client()
  await write(client, places)
  await importAndExport(client)
  await sendWhatIsRefused(client, places)
  await breakSomething(world, client, places)
  const unknown = generateToken()
  for (const token of [unknown, `${unknown}x`, MARKS.password]) {
    expect((await new Client(world.url, token).get('groups')).status).to.equal(401)
    await client.get(`groups?token=${encodeURIComponent(token)}&access_token=${encodeURIComponent(token)}`)
  }
  const basic = Buffer.from(`${MARKS.admin}:${MARKS.password}`).toString('base64')
  await client.get('groups', { Authorization: `Basic ${basic}` })
  return [client.token ?? '', unknown, basic]
}

async function write(client: Client, places: Places) {
  const { desk, location_id, user_id, parking, room, vehicle_id } = places
  const times = (from: number) => ({ from_time: hoursFromNow(from), to_time: hoursFromNow(from + 1) })
  const guest = { guest_name: MARKS.guest, guest_email: MARKS.guestEmail, booking_info: MARKS.note }
  const key = { 'Idempotency-Key': `${STEM}-key`, 'User-Agent': STEM }
  const body = { bookable_id: desk, location_id, user_id, ...times(1), ...guest, unknown: MARKS.note }
  const { json } = await client.post('bookings', body, key)
  const id = json.data[0].id
  for (let repeat = 0; repeat < 2; repeat++)
    expect((await client.post('bookings', body, key)).status).to.equal(200)
  expect((await client.post('bookings', body)).status).to.equal(409)
  expect(
    (await client.post('bookings', { ...body, bookable_id: parking, user_vehicle_id: vehicle_id })).status,
  ).to.equal(200)
  expect((await client.get(`bookings/${id}/livemap`, { Accept: '*/*' })).status).to.equal(200)
  for (const method of ['PUT', 'PATCH']) {
    expect((await client.ask(`bookings/${id}`, { method, body: times(3) })).status).to.equal(200)
  }
  expect((await client.delete(`bookings/${id}`)).status).to.equal(204)
  expect(
    (await client.patch(`bookables/${desk}`, { name: `${STEM} new`, description: MARKS.note, tags: [STEM] }))
      .status,
  ).to.equal(200)
  const people = [
    { type: 'user', email: MARKS.email },
    { type: 'visitor', email: MARKS.visitor },
    { type: 'bookable', id: room },
  ]
  const event = {
    name: `${STEM} meeting`,
    description: MARKS.note,
    organizer_user_id: user_id,
    attendees: people,
  }
  const created = await client.post('events', { ...event, ...times(1) })
  expect(created.status, created.text).to.equal(200)
  expect((await client.put(`events/${created.json.data.id}`, { ...event, ...times(5) })).status).to.equal(200)
}

async function importAndExport(client: Client) {
  const list = [
    'email,name,groups,license_plates,extensionAttribute1',
    `${STEM}.new@example.com,${MARKS.name},${STEM} team,${MARKS.plate} 2,${MARKS.note}`,
    `${STEM} is no address,${MARKS.name},,,`,
  ].join('\n')
  const fields = { filename: MARKS.file }
  expect((await client.import(list, { ...fields, dry_run: 'true' })).status).to.equal(200)
  const { json } = await client.import(list, { ...fields, update: 'true' })
  expect([json.created, json.errors]).to.deep.equal([[2], [3]])
  expect((await client.import(STEM.repeat(9), fields)).status).to.equal(422)
  const later = { Prefer: 'respond-async', 'Idempotency-Key': `${STEM}-later` }
  await finish(client, await client.import(`${list}\n${STEM}@x.com,${STEM}`, fields, later))
  expect((await client.get('users/export?format=csv')).text).to.include(STEM)
  const file = await finish(client, await client.get('users/export?format=xlsx', later))
  expect((await client.get(`${file}/file`)).status).to.equal(200)
}

async function finish(
  client: Client,
  { status, headers, text }: Awaited<ReturnType<Client['get']>>,
): Promise<string> {
  expect(status, text).to.equal(202)
  const { pathname } = new URL(headers.get('Location') ?? '')
  await eventually(async () => expect((await client.get(pathname)).json.data.state).to.equal('done'), 60_000)
  return pathname
}

// Every endpoint, with planted values wherever one fits: in its path, its query and each field of its body.
async function sendWhatIsRefused(client: Client, places: Places) {
  const ids: Record<string, string | number> = {
    ...places,
    bookable_id: places.desk,
    user_email: MARKS.email,
    id: places.user_id,
  }
  for (const { method, path, query, body, takesFile } of endpoints) {
    const filled = (value: (name: string) => unknown) =>
      path.slice(1).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(value(name))))
    const nameEach = (schema: unknown) => Object.keys((schema as { fields?: object })?.fields ?? {})
    const wrong = Object.fromEntries([...nameEach(query), 'search'].map((name) => [name, STEM]))
    const request =
      body && !takesFile ? { body: Object.fromEntries(nameEach(body).map((name) => [name, STEM])) } : {}
    // A deletion has no wrong fields: what exists would be gone.
    await client.ask(
      filled((name) => (method === 'DELETE' ? 987_654_321 : (ids[name] ?? 1))),
      { method, ...request },
    )
    await client.ask(`${filled(() => MARKS.visitor)}?${new URLSearchParams(wrong)}`, { method, ...request })
    if (!body || takesFile) continue
    const json = { 'Content-Type': 'application/json' }
    expect(
      (
        await client.ask(
          filled(() => 1),
          { method, raw: `{"name": "${STEM}`, headers: json },
        )
      ).status,
    ).to.equal(400)
    const type = { 'Content-Type': `text/${STEM}` }
    expect(
      (
        await client.ask(
          filled(() => 1),
          { method, raw: STEM, headers: type },
        )
      ).status,
    ).to.equal(415)
  }
  expect((await client.get(`people/${MARKS.email}`)).status).to.equal(404)
  const week = `from=${hoursFromNow(0)}&to=${hoursFromNow(24)}`
  expect((await client.get(`users/by-email/${MARKS.email}/bookings?${week}`)).status).to.equal(200)
  const form = new FormData()
  form.set('file', new Blob([`email,name\n${STEM}@example.com,${STEM}`]), MARKS.file)
  form.set('update', STEM)
  expect((await client.ask('users/import', { method: 'POST', form })).status).to.equal(422)
}

/** What Postgres says of a fault quotes the row, the value, or the whole statement. */
async function breakSomething({ database }: World, client: Client, places: Places) {
  await database.raw(`
    ALTER TABLE bookings ADD CONSTRAINT bookings__broken CHECK (booking_info <> '${STEM} check');
    CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM NEW.booking_info::integer; END $$;
    CREATE TRIGGER broken BEFORE INSERT ON bookings FOR EACH ROW
    WHEN (NEW.booking_info = '${STEM} cast') EXECUTE FUNCTION break()`)
  const { desk, location_id, user_id } = places
  for (const booking_info of [`${STEM} check`, `${STEM} cast`]) {
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
    const body = { bookable_id: desk, location_id, user_id, guest_name: MARKS.guest, booking_info, ...times }
    expect((await client.post('bookings', body)).status).to.equal(500)
  }
  await database.raw('ALTER TABLE vehicles RENAME TO vehicles_away')
  expect(
    (
      await client.import(`email,license_plates\n${MARKS.email},${STEM}`, {
        filename: MARKS.file,
        update: 'true',
      })
    ).status,
  ).to.equal(500)
  await database.raw('ALTER TABLE vehicles_away RENAME TO vehicles')
  await database.raw('ALTER TABLE users RENAME TO users_away')
  expect((await client.get(`users/by-email/${MARKS.email}`)).status).to.equal(500)
  await database.raw('ALTER TABLE users_away RENAME TO users')
  await createBooking(database, {
    from: hoursFromNow(1),
    to: hoursFromNow(2),
    user_id,
    guest_name: MARKS.guest,
  })
}
