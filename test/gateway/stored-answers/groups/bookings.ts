// Creates, changes and deletes bookings.
import type { Ask } from '../recorder.ts'

const DAY = '2026-03-10'
const desk = { bookable_id: 4, user_id: 1, location_id: 1 }
const at = (hour: string) => `${DAY}T${hour}:00:00Z`

const ACCEPTED_BOOKINGS: Record<string, unknown> = {
  'a desk': { ...desk, from_time: at('08'), to_time: at('12') },
  'right after': { ...desk, from_time: at('12'), to_time: `${DAY}T14:00:00.123456789+01:00` },
  'from now on': { ...desk, from_time: null, to_time: '2026-03-03T13:00:00Z' },
  'for a guest': {
    ...desk,
    from_time: at('15'),
    to_time: at('16'),
    guest_name: ' Guest ',
    guest_email: 'g@example.org',
  },
  'a parking spot': {
    bookable_id: 5,
    user_id: 1,
    location_id: 1,
    user_vehicle_id: 1,
    from_time: at('08'),
    to_time: at('09'),
  },
  'a home office': { bookable_id: 8, user_id: 1, location_id: 1, from_time: at('08'), to_time: at('09') },
  'an assigned one': { bookable_id: 3, user_id: 1, location_id: 1, from_time: at('08'), to_time: at('09') },
}

const REFUSED_BOOKINGS: Record<string, unknown> = {
  nothing: {},
  'wrong types': { bookable_id: '4', user_id: 1.5, location_id: null, to_time: 7, from_time: 'today' },
  'a conflict': { ...desk, from_time: at('11'), to_time: at('13') },
  'a conflict without an end': { bookable_id: 6, user_id: 1, location_id: 1, to_time: at('13') },
  'a conflict with an event': {
    bookable_id: 9,
    user_id: 1,
    location_id: 2,
    from_time: '2026-03-05T09:30:00Z',
    to_time: at('13'),
  },
  'a blocked one': { ...desk, bookable_id: 2, to_time: at('13') },
  'assigned to somebody else': {
    ...desk,
    bookable_id: 3,
    user_id: 2,
    from_time: at('11'),
    to_time: at('12'),
  },
  'unknown ids': { bookable_id: 99, user_id: 99, location_id: 99, to_time: at('13'), user_vehicle_id: 99 },
  'a deactivated user elsewhere': { ...desk, user_id: 3, location_id: 2, to_time: at('13') },
  'the past': { ...desk, from_time: '2026-03-01T08:00:00Z', to_time: '2026-03-01T09:00:00Z' },
  'the wrong way round': { ...desk, from_time: at('10'), to_time: at('10') },
  'no vehicle': { bookable_id: 5, user_id: 2, location_id: 1, to_time: at('13') },
  'another’s vehicle': { bookable_id: 5, user_id: 2, location_id: 1, to_time: at('13'), user_vehicle_id: 1 },
  'an invalid guest': { ...desk, to_time: at('13'), guest_email: 'x', guest_name: 'x'.repeat(256) },
}

export async function askBookings(ask: Ask): Promise<void> {
  for (const [note, body] of Object.entries(ACCEPTED_BOOKINGS)) await ask('POST bookings', { body, note })
  for (const [note, body] of Object.entries(REFUSED_BOOKINGS)) await ask('POST bookings', { body, note })
  await askWithKeys(ask)
  await askChanges(ask)
  await askDeletions(ask)
  await askMoves(ask)
}

async function askWithKeys(ask: Ask): Promise<void> {
  const once = {
    body: { ...desk, from_time: at('18'), to_time: at('19') },
    headers: { 'Idempotency-Key': '"bookings-1"' },
  }
  await ask('POST bookings', { ...once, note: 'with a key' })
  await ask('POST bookings', { ...once, headers: { 'Idempotency-Key': 'bookings-1' }, note: 'again' })
  await ask('POST bookings', { ...once, body: { ...once.body, user_id: 2 }, note: 'another with the key' })
  const conflict = { ...once, headers: { 'Idempotency-Key': 'bookings-2' } }
  await ask('POST bookings', { ...conflict, note: 'a conflict with a key' })
  await ask('POST bookings', { ...conflict, note: 'the conflict again' })
}

async function askChanges(ask: Ask): Promise<void> {
  const to_time = at('11')
  await ask('PUT bookings/14', { body: { to_time }, note: 'none made' })
  await ask('PUT bookings/13', { body: { to_time }, note: 'shorter' })
  await ask('PATCH bookings/13', { body: { from_time: at('07'), to_time }, note: 'longer' })
  await ask('PATCH bookings/13', { body: { to_time: at('13') }, note: 'into another' })
  await ask('PATCH bookings/13', { body: {}, note: 'nothing' })
  await ask('PATCH bookings/13', { body: { to_time: null, from_time: 1 }, note: 'wrong types' })
  await ask('PUT bookings/13', { body: { from_time: at('12'), to_time }, note: 'the wrong way round' })
  await ask('PUT bookings/2', { body: { to_time: '2026-03-03T11:00:00Z' }, note: 'left early' })
  await ask('PUT bookings/2', { body: { to_time: '2026-03-03T12:00:00Z' }, note: 'has ended' })
  await ask('PUT bookings/5', {
    body: { to_time: '2026-03-03T17:00:00Z', user_vehicle_id: null },
    note: 'without its vehicle',
  })
  await ask('PUT bookings/5', {
    body: { to_time: '2026-03-03T17:00:00Z', user_vehicle_id: 2 },
    note: 'another’s',
  })
  await ask('PUT bookings/11', { body: { to_time }, note: 'the room of an event' })
  await ask('PUT bookings/99', { body: { to_time }, note: 'unknown' })
  await ask('PATCH bookings/abc', { body: { to_time }, note: 'no id' })
}

async function askMoves(ask: Ask): Promise<void> {
  const to = (bookable_id: unknown, times = {}) => ({ body: { bookable_id, ...times } })
  await ask('POST bookings/13/move', {
    ...to(1, { from_time: '2026-06-10T06:00:00Z', to_time: '2026-06-10T07:00:00Z' }),
    note: 'to another',
  })
  await ask('POST bookings/13/move', {
    ...to(4, { from_time: at('12'), to_time: at('13') }),
    note: 'a conflict',
  })
  await ask('POST bookings/13/move', { ...to(2), note: 'to a blocked one' })
  await ask('POST bookings/13/move', { ...to(8), note: 'to a home office' })
  await ask('POST bookings/13/move', { ...to(99), note: 'to an unknown one' })
  await ask('POST bookings/13/move', { ...to(6, { user_id: 2, guest_name: 'Eve' }), note: 'for another' })
  await ask('POST bookings/13/move', { ...to('6', { from_time: 'now' }), note: 'wrong types' })
  await ask('POST bookings/99/move', { ...to(6), note: 'unknown' })
  await ask('PATCH bookings/13', {
    body: { guest_name: 'Grace', guest_email: 'grace@example.org', booking_info: 'Interview' },
    note: 'for a guest',
  })
  await ask('GET bookings/13', { note: 'for a guest' })
}

async function askDeletions(ask: Ask): Promise<void> {
  await ask('DELETE bookings/1')
  await ask('DELETE bookings/1', { note: 'again' })
  await ask('DELETE bookings/11', { note: 'the room of an event' })
  const once = { headers: { 'Idempotency-Key': 'bookings-3' } }
  await ask('DELETE bookings/3', { ...once, note: 'with a key' })
  await ask('DELETE bookings/3', { ...once, note: 'with a key, again' })
}
