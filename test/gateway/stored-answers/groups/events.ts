// Creates and replaces events.
import type { Ask } from '../recorder.ts'

const at = (hour: string) => `2026-03-12T${hour}:00:00Z`
const event = { name: 'Planning', from_time: at('08'), to_time: at('09'), organizer_user_id: 1 }

const ACCEPTED_EVENTS: Record<string, unknown> = {
  'the least': { name: 'x', to_time: at('07'), organizer_user_id: 2 },
  'with everybody': {
    ...event,
    description: ' *Plans*\n',
    classification: 1,
    from_timezone: 'Europe/Berlin',
    to_timezone: 'UTC',
    attendees: [
      { type: 'user', id: 2 },
      { type: 'user', id: '2' },
      { type: 'user', email: 'ADA@example.com' },
      { type: 'visitor', email: 'visitor@example.org' },
      { type: 'bookable', id: '7' },
      { type: 'bookable', email: 'elbe@rooms.example.com' },
    ],
  },
}

const REFUSED_EVENTS: Record<string, unknown> = {
  nothing: {},
  'wrong types': { name: 1, to_time: 'x', organizer_user_id: '1', classification: 9, attendees: {} },
  'wrong attendees': {
    ...event,
    attendees: [{ type: 'x' }, { type: 'user' }, { type: 'visitor', id: 1 }, { type: 'user', email: 'x' }, 7],
  },
  'unknown attendees': {
    ...event,
    organizer_user_id: 99,
    attendees: [
      { type: 'user', id: 3 },
      { type: 'user', email: 'nobody@example.com' },
      { type: 'bookable', id: 10 },
    ],
  },
  'a taken room': { ...event, attendees: [{ type: 'bookable', id: 7 }] },
  'a blocked room': { ...event, attendees: [{ type: 'bookable', id: 2 }] },
  'an assigned desk': { ...event, organizer_user_id: 2, attendees: [{ type: 'bookable', id: 3 }] },
  'an unknown zone': { ...event, from_timezone: 'Mars/Olympus', to_timezone: '+01:00' },
  'ambiguous times': { ...event, from_time: '2026-03-12T08:00:00', from_timezone: 'Europe/Berlin' },
  'the wrong way round': { ...event, to_time: at('08') },
}

export async function askEvents(ask: Ask): Promise<void> {
  for (const [note, body] of Object.entries(ACCEPTED_EVENTS)) await ask('POST events', { body, note })
  for (const [note, body] of Object.entries(REFUSED_EVENTS)) await ask('POST events', { body, note })
  const room = { type: 'bookable', id: 9 }
  await ask('PUT events/5', {
    body: { name: 'Moved', from_time: at('10'), to_time: at('11'), attendees: [room] },
    note: 'to another room',
  })
  await ask('PUT events/5', { body: { name: 'Longer', to_time: at('12') }, note: 'without a room' })
  await ask('PUT events/5', { body: { name: 'x', to_time: at('09') }, note: 'the wrong way round' })
  await ask('PUT events/5', { body: {}, note: 'nothing' })
  await ask('PUT events/3', { body: { name: 'Again', to_time: at('12') }, note: 'a cancelled one' })
  await ask('PUT events/99', { body: { name: 'x', to_time: at('12') }, note: 'unknown' })
  await ask('GET events/5', { note: 'as it is now' })
  const once = { body: event, headers: { 'Idempotency-Key': 'events-1' } }
  await ask('POST events', { ...once, note: 'with a key' })
  await ask('POST events', { ...once, note: 'with a key, again' })
  const answers = { 'of the organizer': 1, 'of the organizer who declines': 3, 'of an unknown status': 4 }
  for (const [note, status] of Object.entries(answers))
    await ask('POST events/5/answer', { body: { user_id: 1, status }, note })
  await ask('POST events/5/attendees/99/answer', { body: { status: 1 }, note: 'of an unknown attendee' })
  await ask('POST events/3/attendees/1/answer', { body: { status: 1 }, note: 'to a cancelled event' })
}
