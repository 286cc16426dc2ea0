// Checks the free times of people, and the floor plan of a location.
import {
  answered,
  bookDesk,
  create,
  expectRefusal,
  FREE_SLOT_HOURS,
  getDataAt,
  getEtag,
} from '../additions.ts'
import { type Check, createFixedClock, hours } from '../data.ts'
import { times } from '../resources.ts'
import type { Exchange, Session } from '../session.ts'
import { at, data, items, type Json, listOf } from '../shapes.ts'

const HOUR_MS = 3_600_000
const listSpans = (answer: Json | undefined) => {
  const taken = at(answer, 'data', 0, 'taken')
  return (Array.isArray(taken) ? taken : []).map((span) =>
    ['from', 'to'].map((name) => new Date(String(at(span, name))).toISOString()),
  )
}

/** Returns the same instant, written with the given UTC offset in minutes. */
function formatWithOffset(instant: string, aheadMinutes: number): string {
  const shown = new Date(Date.parse(instant) + aheadMinutes * 60_000).toISOString().replace('Z', '')
  const two = (number: number) => String(number).padStart(2, '0')
  return `${shown}+${two(Math.floor(aheadMinutes / 60))}:${two(aheadMinutes % 60)}`
}

const PICTURE_PATTERNS: Record<string, RegExp> = {
  'image/png': /^\x89PNG\r\n/,
  'image/jpeg': /^\xff\xd8/,
  'image/webp': /^RIFF.{4}WEBP/s,
  'image/svg+xml': /^(<\?xml[^>]*>\s*)?<svg\b/,
}
const hasType = (bytes: Uint8Array, type: string | null) =>
  PICTURE_PATTERNS[type ?? '']?.test(Buffer.from(bytes.subarray(0, 1_000)).toString('latin1')) ?? false

/** Compares the documented size with the size in the header of a PNG. The header contains the size before rotation. */
function checkSize(session: Session, { bytes }: Exchange, plan: Json | undefined): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const size = [view.getUint32(16), view.getUint32(20)]
  if (Number(at(plan, 'orientation')) > 4) size.reverse()
  const told = [at(plan, 'width'), at(plan, 'height')]
  session.must(String(told) === String(size), `the size ${size} of the picture`, told.map(Number))
}

export const timeChecks: Check[] = [
  {
    name: 'additions.free-busy',
    rule: '4 POST free-busy: by user the times that are taken, without what takes them',
    async run(session, found) {
      const clock = createFixedClock()
      const from = FREE_SLOT_HOURS + 12
      await bookDesk(session, found, from, clock)
      const body = { user_ids: [found.user.id], from: clock(from), to: clock(from + 3) }
      const answer = await session.ask('POST free-busy', body)
      const [own] = items(answered(session, answer, 200, data(listOf(times))))
      session.must(at(own, 'user_id') === found.user.id, `the user ${found.user.id}`, own)
      const spans = listSpans(answer.json)
      session.must(
        String(spans) === String([[clock(from), clock(from + 1)]]),
        'the hour that is taken',
        spans,
      )
      const names = Object.keys(Object(at(own, 'taken', 0))).sort()
      session.must(String(names) === 'from,to', 'from and to alone', names)
    },
  },
  {
    name: 'additions.free-busy-events',
    rule: '4 POST free-busy: bookings and events that touch or overlap are one time, whatever clock is asked with',
    async run(session, found) {
      const clock = createFixedClock()
      const from = FREE_SLOT_HOURS + 20
      const ask = async (more: object = {}) => {
        const span = { from: formatWithOffset(clock(from), 330), to: formatWithOffset(clock(from + 6), 330) }
        return session.ask('POST free-busy', { user_ids: [found.user.id], ...span, ...more })
      }
      const must = async (spans: number[][], why: string, more?: object) => {
        const got = listSpans(answered(session, await ask(more), 200, data(listOf(times))))
        const wanted = spans.map((span) => span.map((hour) => clock(from + hour)))
        session.must(String(got) === String(wanted), `${why}: ${JSON.stringify(wanted)}`, got)
      }
      await bookDesk(session, found, from + 1, clock)
      const event = await create(session, 'events', {
        name: 'Conformance',
        organizer_user_id: found.user.id,
        from_time: formatWithOffset(clock(from + 2), 345),
        to_time: formatWithOffset(clock(from + 3), 345),
        from_timezone: 'Asia/Kathmandu',
        to_timezone: 'Asia/Kathmandu',
      })
      const last = await create(session, 'events', {
        name: 'Conformance',
        organizer_user_id: found.user.id,
        from_time: clock(from + 5),
        to_time: clock(from + 8),
      })
      await must(
        [
          [1, 3],
          [5, 6],
        ],
        'one time for what touches, and none beyond what was asked',
      )
      await must(
        [
          [2, 3],
          [5, 6],
        ],
        'events alone',
        { booking_types: [] },
      )
      session.answered(await session.ask(`DELETE events/${last}`), 204)
      await must([[1, 3]], 'nothing of an event that is cancelled')
      session.answered(await session.ask(`DELETE events/${event}`), 204)
      await must([[1, 2]], 'the booking alone')
    },
  },
  {
    name: 'additions.free-busy-refused',
    rule: '4 POST free-busy: 1 to 100 active users, at most 31 days',
    async run(session, found) {
      const from = Date.parse(hours(FREE_SLOT_HOURS))
      const ask = (user_ids: number[], spanHours: number) =>
        session.ask('POST free-busy', {
          user_ids,
          from: new Date(from).toISOString(),
          to: new Date(from + spanHours * HOUR_MS).toISOString(),
        })
      answered(session, await ask([found.user.id], 31 * 24), 200)
      const refused = async (user_ids: number[], spanHours: number, why: string) =>
        expectRefusal(session, await ask(user_ids, spanHours), 422, 'validation_failed', why)
      await refused([found.user.id], 31 * 24 + 1, 'more than 31 days')
      await refused([found.user.id], 0, 'to is not after from')
      await refused([], 1, 'no user')
      await refused([found.user.id, 999_999_999], 1, 'there is no such user')
      await refused(
        Array.from({ length: 101 }, () => found.user.id),
        1,
        'more than 100 users',
      )
    },
  },
  {
    name: 'additions.plan',
    rule: '4 GET locations/{id}/plan: the picture, if the location has one, with its size in the location',
    async run(session, { location_id }) {
      const location = await session.ask(`GET locations/${location_id}`)
      answered(session, location, 200)
      const plan = getDataAt(location, 'plan')
      const path = `GET locations/${location_id}/plan`
      const answer = await session.ask(path)
      if (plan === null) return session.refused(answer, 'there is no plan')
      session.answered(answer, 200)
      const type = answer.headers.get('Content-Type')
      session.must(type === at(plan, 'type'), 'the type that the location names', type)
      const { bytes } = answer
      session.must(hasType(bytes, type), `a picture of the type ${type}`, bytes.length)
      if (type === 'image/png') checkSize(session, answer, plan)
      const given = session.target.plan
      const isSame = given === undefined || Buffer.compare(given, bytes) === 0
      session.must(isSame, `the ${given?.length} bytes that were uploaded`, bytes.length)
    },
  },
  {
    name: 'additions.plan-etag',
    rule: '4 GET locations/{id}/plan: with an ETag; If-None-Match: 304 without a body',
    async run(session, { location_id }) {
      const ask = (headers = {}) => session.ask(`GET locations/${location_id}/plan`, undefined, { headers })
      const first = await ask()
      answered(session, first, 200)
      const repeated = await ask({ 'If-None-Match': getEtag(first) })
      session.answered(repeated, 304)
      session.must(repeated.bytes.length === 0, 'no body', repeated.bytes.length)
      session.must(getEtag(repeated) === getEtag(first), `the ETag ${getEtag(first)}`, getEtag(repeated))
      session.answered(await ask({ 'If-None-Match': '"another"' }), 200)
    },
  },
]
