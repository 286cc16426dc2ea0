// Free times of people, and the floor plan of a location.
import { answered, book, create, dataAt, etagOf, refusedAs, SLOT } from '../additions.ts'
import { type Check, hours, stoppedClock } from '../data.ts'
import { times } from '../resources.ts'
import type { Exchange, Session } from '../session.ts'
import { at, data, items, type Json, listOf } from '../shapes.ts'

const HOUR_MS = 3_600_000
const spansOf = (answer: Json | undefined) => {
  const taken = at(answer, 'data', 0, 'taken')
  return (Array.isArray(taken) ? taken : []).map((span) =>
    ['from', 'to'].map((name) => new Date(String(at(span, name))).toISOString()),
  )
}

/** The same moment as a clock shows it that is so many minutes ahead of UTC. */
function onClock(instant: string, aheadMinutes: number): string {
  const shown = new Date(Date.parse(instant) + aheadMinutes * 60_000).toISOString().replace('Z', '')
  const two = (number: number) => String(number).padStart(2, '0')
  return `${shown}+${two(Math.floor(aheadMinutes / 60))}:${two(aheadMinutes % 60)}`
}

const isPng = (bytes: Uint8Array) =>
  Buffer.from(bytes.subarray(0, 8)).toString('latin1') === '\x89PNG\r\n\x1a\n'
const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8

/** The header of a PNG has its size, before it is turned. */
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
      const clock = stoppedClock()
      const from = SLOT + 12
      await book(session, found, from, clock)
      const body = { user_ids: [found.user.id], from: clock(from), to: clock(from + 3) }
      const answer = await session.ask('POST free-busy', body)
      const [own] = items(answered(session, answer, 200, data(listOf(times))))
      session.must(at(own, 'user_id') === found.user.id, `the user ${found.user.id}`, own)
      const spans = spansOf(answer.json)
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
      const clock = stoppedClock()
      const from = SLOT + 20
      const ask = async (more: object = {}) => {
        const span = { from: onClock(clock(from), 330), to: onClock(clock(from + 6), 330) }
        return session.ask('POST free-busy', { user_ids: [found.user.id], ...span, ...more })
      }
      const must = async (spans: number[][], why: string, more?: object) => {
        const got = spansOf(answered(session, await ask(more), 200, data(listOf(times))))
        const wanted = spans.map((span) => span.map((hour) => clock(from + hour)))
        session.must(String(got) === String(wanted), `${why}: ${JSON.stringify(wanted)}`, got)
      }
      await book(session, found, from + 1, clock)
      const event = await create(session, 'events', {
        name: 'Conformance',
        organizer_user_id: found.user.id,
        from_time: onClock(clock(from + 2), 345),
        to_time: onClock(clock(from + 3), 345),
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
      const from = Date.parse(hours(SLOT))
      const ask = (user_ids: number[], spanHours: number) =>
        session.ask('POST free-busy', {
          user_ids,
          from: new Date(from).toISOString(),
          to: new Date(from + spanHours * HOUR_MS).toISOString(),
        })
      answered(session, await ask([found.user.id], 31 * 24), 200)
      const refused = async (user_ids: number[], spanHours: number, why: string) =>
        refusedAs(session, await ask(user_ids, spanHours), 422, 'validation_failed', why)
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
      const plan = dataAt(location, 'plan')
      const path = `GET locations/${location_id}/plan`
      const answer = await session.ask(path)
      if (plan === null) return session.refused(answer, 'there is no plan')
      session.answered(answer, 200)
      const type = answer.headers.get('Content-Type')
      session.must(type === at(plan, 'type'), 'the type that the location names', type)
      const { bytes } = answer
      session.must(
        type === 'image/png' ? isPng(bytes) : isJpeg(bytes),
        `a picture of the type ${type}`,
        bytes.length,
      )
      if (isPng(bytes)) checkSize(session, answer, plan)
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
      const repeated = await ask({ 'If-None-Match': etagOf(first) })
      session.answered(repeated, 304)
      session.must(repeated.bytes.length === 0, 'no body', repeated.bytes.length)
      session.must(etagOf(repeated) === etagOf(first), `the ETag ${etagOf(first)}`, etagOf(repeated))
      session.answered(await ask({ 'If-None-Match': '"another"' }), 200)
    },
  },
]
