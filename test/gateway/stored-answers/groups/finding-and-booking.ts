// Sends requests of Berth's additions to the interface that find and book places.
import type { Ask } from '../recorder.ts'

export async function askFindingAndBooking(ask: Ask): Promise<void> {
  await ask('GET bookings/4')
  await ask('GET bookings/5')
  await ask('GET bookings/11', { note: 'the room of an event' })
  await ask('GET bookings/none')
  await askAvailability(ask)
  await askChecks(ask)
  await askBatches(ask)
  await askSeries(ask)
  await askEventSeries(ask)
}

async function askAvailability(ask: Ask): Promise<void> {
  const day = 'from=2026-03-04T09:00:00Z&to=2026-03-04T10:00:00Z'
  await ask(`GET availability?${day}&location_id=1`)
  await ask(`GET availability?${day}&building_id=1&user_id=2&type=0`)
  await ask(`GET availability?${day}&building_id=1&limit=2`)
  await ask(`GET availability?${day}&building_id=1&tag=window&tag=quiet&capacity_min=1`)
  await ask(`GET availability?${day}&building_id=99`)
  await ask('GET availability')
  await ask(`GET bookables/1/availability?${day}`)
  await ask('GET bookables/1/availability?from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z')
  await ask(`GET bookables/99/availability?${day}`)
  const times = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' }
  await ask('POST free-busy', { body: { user_ids: [2, 1], ...times } })
  await ask('POST free-busy', {
    note: 'unknown users',
    body: { user_ids: [1, 99, 3], ...times, booking_types: [2] },
  })
  await ask('POST free-busy', { note: 'wrong', body: { user_ids: [], booking_types: [4], from: times.from } })
}

async function askChecks(ask: Ask): Promise<void> {
  const times = { from_time: '2026-03-04T09:00:00Z', to_time: '2026-03-04T10:00:00Z' }
  const bodies: Record<string, unknown> = {
    allowed: { bookable_id: 1, user_id: 1, location_id: 1, ...times },
    'a conflict': { bookable_id: 6, user_id: 1, location_id: 1, ...times },
    'wrong in itself': { bookable_id: 1, ...times },
    'wrong by the data': { bookable_id: 99, user_id: 3, location_id: 1, ...times },
    blocked: { bookable_id: 2, user_id: 1, location_id: 1, ...times },
  }
  for (const [note, body] of Object.entries(bodies)) await ask('POST bookings/check', { note, body })
}

async function askBatches(ask: Ask): Promise<void> {
  const desk = { bookable_id: 4, user_id: 1, location_id: 1 }
  const at = (from: string, to: string) => ({
    from_time: `2026-03-20T${from}:00Z`,
    to_time: `2026-03-20T${to}:00Z`,
  })
  const bookings = [
    { ...desk, ...at('10:00', '11:00') },
    { ...desk, ...at('09:30', '10:30') },
    { ...desk, ...at('11:00', '12:00'), user_id: 3 },
  ]
  await ask('POST bookings/batch', { body: { bookings } })
  await ask('POST bookings/batch', { body: { bookings, atomic: true }, note: 'all or none' })
  await ask('POST bookings/batch', { body: { bookings: [] }, note: 'none' })
  await ask('POST bookings/batch', { body: { bookings: [desk, 7], atomic: 1 }, note: 'wrong' })
}

async function askSeries(ask: Ask): Promise<void> {
  const desk = { bookable_id: 4, user_id: 1, location_id: 1 }
  const body = { ...desk, from_time: '2026-03-27T08:00:00Z', to_time: '2026-03-27T09:00:00Z' }
  const repeat = { every: 'week', on: [5, 1], count: 3 }
  const { json } = await ask('POST bookings/series', { body: { ...body, repeat } })
  await ask('POST bookings/series', { body: { ...body, repeat }, note: 'taken' })
  const daily = { every: 'day', until: '2026-03-28' }
  await ask('POST bookings/series', { body: { ...body, repeat: daily, on_conflict: 'skip' }, note: 'skip' })
  await ask('POST bookings/series', { body: { ...body, repeat: { every: 'day', on: [1] } }, note: 'wrong' })
  await ask(`GET series/${json.data.id}`)
  await ask(`DELETE series/${json.data.id}?from=2026-03-30T00:00:00Z`)
  await ask(`GET series/${json.data.id}`, { note: 'deleted from a day on' })
  await ask('GET series/99')
  await ask('DELETE series/99')
}

async function askEventSeries(ask: Ask): Promise<void> {
  const body = {
    name: 'Weekly',
    organizer_user_id: 1,
    from_time: '2026-03-27T12:00:00Z',
    to_time: '2026-03-27T13:00:00Z',
    attendees: [{ type: 'bookable', id: 9 }],
  }
  const repeat = { every: 'week', count: 3 }
  const { json } = await ask('POST events/series', { body: { ...body, repeat } })
  await ask('POST events/series', { body: { ...body, repeat }, note: 'taken' })
  await ask('POST events/series', { body: { ...body, repeat: { every: 'month' } }, note: 'wrong' })
  const second = `events/${json.data.created[1].id}`
  await ask(`PATCH ${second}?scope=following`, { body: { name: 'Later' } })
  await ask(`DELETE ${second}?scope=next`, { note: 'an unknown scope' })
  await ask(`DELETE ${second}?scope=following`)
  await ask(`GET event-series/${json.data.id}`)
  await ask(`DELETE event-series/${json.data.id}`)
  await ask(`GET event-series/${json.data.id}?include=details`, { note: 'cancelled' })
  await ask('GET event-series/99')
  await ask('DELETE event-series/99')
}
