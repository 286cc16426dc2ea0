// Part 3, states of a bookable, and PATCH bookables/{id}. Whatever is changed is put back.
import { type Check, FAR_HOURS, type Found, hours, numberOf, range } from '../data.ts'
import { taggedBookable } from '../resources.ts'
import type { Session } from '../session.ts'
import { at, data, items, type Json, listOf, show } from '../shapes.ts'

async function patch(session: Session, { desk }: Found, body: object): Promise<Json | undefined> {
  session.owes(`the desk ${desk.id} as it was`, () => putBack(session, desk))
  return session.answered(await session.ask(`PATCH bookables/${desk.id}`, body), 200, data(taggedBookable))
}

function putBack(session: Session, { id, name, status, tags }: Found['desk']) {
  return session.ask(`PATCH bookables/${id}`, { name, status, tags })
}

async function listedDesk(session: Session, { desk, location_id }: Found): Promise<Json | undefined> {
  const listed = await session.read(`locations/${location_id}/bookables`, data(listOf(taggedBookable)))
  return items(listed).find((each) => at(each, 'id') === desk.id)
}

const refuses = (name: string, rule: string, body: object): Check => ({
  name: `bookables.${name}`,
  rule,
  async run(session, { desk }) {
    session.refused(await session.ask(`PATCH bookables/${desk.id}`, body), rule)
  },
})

const LONG = 'x'.repeat(256)

export const bookableChecks: Check[] = [
  refuses('name-max', '4 PATCH, name: maximum 255 characters', { name: LONG }),
  refuses('description-max', '4 PATCH, description: maximum 255 characters', { description: LONG }),
  refuses('tag-max', '4 PATCH, tags: each tag maximum 255 characters', { tags: [LONG] }),
  refuses('status-assigned', '3 Assigned (2) can be read but not set', { status: 2 }),
  refuses('status-unknown', '8 Bookable status on update: only 0 or 1', { status: 3 }),
  {
    name: 'bookables.unknown',
    rule: '7.4 An unknown id is a failed call',
    async run(session) {
      session.refused(await session.ask('PATCH bookables/999999999', {}), 'there is no such bookable')
    },
  },
  {
    name: 'bookables.nothing',
    rule: '4 PATCH: every field is optional',
    async run(session, found) {
      const answer = await patch(session, found, {})
      session.must(at(answer, 'data', 'name') === found.desk.name, `the name ${found.desk.name}`, answer)
    },
  },
  {
    name: 'bookables.name',
    rule: '4 PATCH, name: a string of up to 255 characters',
    async run(session, found) {
      const name = 'y'.repeat(255)
      const answer = await patch(session, found, { name })
      session.must(at(answer, 'data', 'name') === name, 'the new name', answer)
      await putBack(session, found.desk)
    },
  },
  {
    name: 'bookables.tags',
    rule: '4 PATCH, tags: replaces the whole tag list, [] removes all, omitted leaves unchanged',
    async run(session, found) {
      const steps: Array<[body: object, tags: string[]]> = [
        [{ tags: ['one', 'two'] }, ['one', 'two']],
        [{ tags: ['three'] }, ['three']],
        [{ status: 0 }, ['three']],
        [{ tags: [] }, []],
      ]
      for (const [body, tags] of steps) {
        const answer = at(await patch(session, found, body), 'data', 'tags')
        session.must(show(answer) === show(tags), `tags ${show(tags)} after ${JSON.stringify(body)}`, answer)
        const listed = at(await listedDesk(session, found), 'tags')
        session.must(show(listed) === show(tags), `tags ${show(tags)} in the listing`, listed)
      }
      await putBack(session, found.desk)
    },
  },
  {
    name: 'bookables.status',
    rule: '3 Flexible -> Blocked -> Flexible; existing reservations are not deleted',
    async run(session, found) {
      const { desk, user, location_id } = found
      const from = FAR_HOURS + 48
      const times = { from_time: hours(from), to_time: hours(from + 1) }
      const body = { bookable_id: desk.id, location_id, user_id: user.id, ...times }
      const booked = session.answered(await session.ask('POST bookings', body), 200)
      const id = numberOf(at(booked, 'data', 0, 'id'))
      session.owes(`the booking ${id}`, () => session.ask(`DELETE bookings/${id}`))
      for (const status of [1, 0]) {
        const answer = await patch(session, found, { status })
        session.must(at(answer, 'data', 'status') === status, `status ${status}`, answer)
        const listed = at(await listedDesk(session, found), 'status')
        session.must(listed === status, `status ${status} in the listing`, listed)
        const kept = items(
          (await session.ask(`GET bookables/${desk.id}/bookings?${range(from, from + 1)}`)).json,
        )
        session.must(
          kept.some((each) => at(each, 'id') === id),
          'the reservation is still there',
          kept,
        )
      }
      session.answered(await session.ask(`DELETE bookings/${id}`), 204)
    },
  },
]
