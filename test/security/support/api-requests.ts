// Sends planted values through every endpoint: in requests that succeed, that are refused, and that cause errors.
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
import { PLANTED_VALUES, STEM } from './marks.ts'

export type Places = Awaited<ReturnType<typeof createMarkedPlaces>>

/** Creates a person with a car, a room and a parking spot, all with planted names. */
export async function createMarkedPlaces({ database }: World) {
  const building_id = await createBuilding(database, { name: `${STEM} House`, address: `${STEM} Street 1` })
  const location_id = await createLocation(database, { building_id, name: `${STEM} floor`, code: STEM })
  const user_id = await createUser(database, {
    name: PLANTED_VALUES.name,
    email: PLANTED_VALUES.email,
    upn: PLANTED_VALUES.upn,
  })
  await createGroup(database, { name: `${STEM} group` })
  const at = (name: string, row = {}) =>
    createBookable(database, { name: `${STEM} ${name}`, location_id, ...row })
  return {
    building_id,
    location_id,
    user_id,
    vehicle_id: await createVehicle(database, { user_id, license_plate: PLANTED_VALUES.plate }),
    desk: await at('desk'),
    parking: await at('parking spot', { type: 1, requires_vehicle: true }),
    room: await at('room', { type: 2, integration_email: `${STEM}.room@example.com` }),
  }
}

/** Returns the tokens that were sent, valid or not. */
export async function sendMarkedRequests(world: World, places: Places): Promise<string[]> {
  const client = await world.client()
  await sendWrites(client, places)
  await importAndExport(client)
  await sendWhatIsRefused(client, places)
  await breakSomething(world, client, places)
  const unknown = generateToken()
  for (const token of [unknown, `${unknown}x`, PLANTED_VALUES.password]) {
    expect((await new Client(world.url, token).get('groups')).status).to.equal(401)
    await client.get(`groups?token=${encodeURIComponent(token)}&access_token=${encodeURIComponent(token)}`)
  }
  const basic = Buffer.from(`${PLANTED_VALUES.admin}:${PLANTED_VALUES.password}`).toString('base64')
  await client.get('groups', { Authorization: `Basic ${basic}` })
  return [client.token ?? '', unknown, basic]
}

async function sendWrites(client: Client, places: Places) {
  const { desk, location_id, user_id, parking, room, vehicle_id } = places
  const times = (from: number) => ({ from_time: hoursFromNow(from), to_time: hoursFromNow(from + 1) })
  const guest = {
    guest_name: PLANTED_VALUES.guest,
    guest_email: PLANTED_VALUES.guestEmail,
    booking_info: PLANTED_VALUES.note,
  }
  const key = { 'Idempotency-Key': `${STEM}-key`, 'User-Agent': STEM }
  const body = {
    bookable_id: desk,
    location_id,
    user_id,
    ...times(1),
    ...guest,
    unknown: PLANTED_VALUES.note,
  }
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
    (
      await client.patch(`bookables/${desk}`, {
        name: `${STEM} new`,
        description: PLANTED_VALUES.note,
        tags: [STEM],
      })
    ).status,
  ).to.equal(200)
  const people = [
    { type: 'user', email: PLANTED_VALUES.email },
    { type: 'visitor', email: PLANTED_VALUES.visitor },
    { type: 'bookable', id: room },
  ]
  const event = {
    name: `${STEM} meeting`,
    description: PLANTED_VALUES.note,
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
    `${STEM}.new@example.com,${PLANTED_VALUES.name},${STEM} team,${PLANTED_VALUES.plate} 2,${PLANTED_VALUES.note}`,
    `${STEM} is no address,${PLANTED_VALUES.name},,,`,
  ].join('\n')
  const fields = { filename: PLANTED_VALUES.file }
  expect((await client.import(list, { ...fields, dry_run: 'true' })).status).to.equal(200)
  const { json } = await client.import(list, { ...fields, update: 'true' })
  expect([json.created, json.errors]).to.deep.equal([[2], [3]])
  expect((await client.import(STEM.repeat(9), fields)).status).to.equal(422)
  const later = { Prefer: 'respond-async', 'Idempotency-Key': `${STEM}-later` }
  await waitForJob(client, await client.import(`${list}\n${STEM}@x.com,${STEM}`, fields, later))
  expect((await client.get('users/export?format=csv')).text).to.include(STEM)
  const file = await waitForJob(client, await client.get('users/export?format=xlsx', later))
  expect((await client.get(`${file}/file`)).status).to.equal(200)
}

async function waitForJob(
  client: Client,
  { status, headers, text }: Awaited<ReturnType<Client['get']>>,
): Promise<string> {
  expect(status, text).to.equal(202)
  const { pathname } = new URL(headers.get('Location') ?? '')
  await eventually(async () => expect((await client.get(pathname)).json.data.state).to.equal('done'), 60_000)
  return pathname
}

// Sends planted values to every endpoint: in the path, the query and each field of the body.
async function sendWhatIsRefused(client: Client, places: Places) {
  const ids: Record<string, string | number> = {
    ...places,
    bookable_id: places.desk,
    user_email: PLANTED_VALUES.email,
    id: places.user_id,
  }
  for (const { method, path, query, body, takesFile } of endpoints) {
    const filled = (value: (name: string) => unknown) =>
      path.slice(1).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(value(name))))
    const nameEach = (schema: unknown) => Object.keys((schema as { fields?: object })?.fields ?? {})
    const wrong = Object.fromEntries([...nameEach(query), 'search'].map((name) => [name, STEM]))
    const request =
      body && !takesFile ? { body: Object.fromEntries(nameEach(body).map((name) => [name, STEM])) } : {}
    // Skips deletions, which have no invalid fields and would delete existing resources.
    await client.ask(
      filled((name) => (method === 'DELETE' ? 987_654_321 : (ids[name] ?? 1))),
      { method, ...request },
    )
    await client.ask(`${filled(() => PLANTED_VALUES.visitor)}?${new URLSearchParams(wrong)}`, {
      method,
      ...request,
    })
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
  expect((await client.get(`people/${PLANTED_VALUES.email}`)).status).to.equal(404)
  const week = `from=${hoursFromNow(0)}&to=${hoursFromNow(24)}`
  expect((await client.get(`users/by-email/${PLANTED_VALUES.email}/bookings?${week}`)).status).to.equal(200)
  const form = new FormData()
  form.set('file', new Blob([`email,name\n${STEM}@example.com,${STEM}`]), PLANTED_VALUES.file)
  form.set('update', STEM)
  expect((await client.ask('users/import', { method: 'POST', form })).status).to.equal(422)
}

/** Causes errors of Postgres that quote the row, the value, or the whole statement. */
async function breakSomething({ database }: World, client: Client, places: Places) {
  await database.raw(`
    ALTER TABLE bookings ADD CONSTRAINT bookings__broken CHECK (booking_info <> '${STEM} check');
    CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM NEW.booking_info::integer; END $$;
    CREATE TRIGGER broken BEFORE INSERT ON bookings FOR EACH ROW
    WHEN (NEW.booking_info = '${STEM} cast') EXECUTE FUNCTION break()`)
  const { desk, location_id, user_id } = places
  for (const booking_info of [`${STEM} check`, `${STEM} cast`]) {
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
    const body = {
      bookable_id: desk,
      location_id,
      user_id,
      guest_name: PLANTED_VALUES.guest,
      booking_info,
      ...times,
    }
    expect((await client.post('bookings', body)).status).to.equal(500)
  }
  await database.raw('ALTER TABLE vehicles RENAME TO vehicles_away')
  expect(
    (
      await client.import(`email,license_plates\n${PLANTED_VALUES.email},${STEM}`, {
        filename: PLANTED_VALUES.file,
        update: 'true',
      })
    ).status,
  ).to.equal(500)
  await database.raw('ALTER TABLE vehicles_away RENAME TO vehicles')
  await database.raw('ALTER TABLE users RENAME TO users_away')
  expect((await client.get(`users/by-email/${PLANTED_VALUES.email}`)).status).to.equal(500)
  await database.raw('ALTER TABLE users_away RENAME TO users')
  await createBooking(database, {
    from: hoursFromNow(1),
    to: hoursFromNow(2),
    user_id,
    guest_name: PLANTED_VALUES.guest,
  })
}
