// Checks the states of a bookable (part 3) and PATCH bookables/{id}. Reverts every change.
import { type Check, DISTANT_SLOT_HOURS, hours, range, type TestData, toNumber } from '../data.ts'
import { taggedBookable } from '../resources.ts'
import type { Session } from '../session.ts'
import { at, data, items, type Json, listOf, show } from '../shapes.ts'

async function patchDesk(session: Session, { desk }: TestData, body: object): Promise<Json | undefined> {
  session.deleteLater(`the desk ${desk.id} as it was`, () => restoreDesk(session, desk))
  return session.answered(await session.ask(`PATCH bookables/${desk.id}`, body), 200, data(taggedBookable))
}

function restoreDesk(session: Session, { id, name, status, tags }: TestData['desk']) {
  return session.ask(`PATCH bookables/${id}`, { name, status, tags })
}

async function findListedDesk(session: Session, { desk, location_id }: TestData): Promise<Json | undefined> {
  const listed = await session.read(`locations/${location_id}/bookables`, data(listOf(taggedBookable)))
  return items(listed).find((each) => at(each, 'id') === desk.id)
}

const createRefusalCheck = (name: string, rule: string, body: object): Check => ({
  name: `bookables.${name}`,
  rule,
  async run(session, { desk }) {
    session.refused(await session.ask(`PATCH bookables/${desk.id}`, body), rule)
  },
})

const TOO_LONG_TEXT = 'x'.repeat(256)

export const bookableChecks: Check[] = [
  createRefusalCheck('name-max', '4 PATCH, name: maximum 255 characters', { name: TOO_LONG_TEXT }),
  createRefusalCheck('description-max', '4 PATCH, description: maximum 255 characters', {
    description: TOO_LONG_TEXT,
  }),
  createRefusalCheck('tag-max', '4 PATCH, tags: each tag maximum 255 characters', { tags: [TOO_LONG_TEXT] }),
  createRefusalCheck('status-assigned', '3 Assigned (2) can be read but not set', { status: 2 }),
  createRefusalCheck('status-unknown', '8 Bookable status on update: only 0 or 1', { status: 3 }),
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
      const answer = await patchDesk(session, found, {})
      session.must(at(answer, 'data', 'name') === found.desk.name, `the name ${found.desk.name}`, answer)
    },
  },
  {
    name: 'bookables.name',
    rule: '4 PATCH, name: a string of up to 255 characters',
    async run(session, found) {
      const name = 'y'.repeat(255)
      const answer = await patchDesk(session, found, { name })
      session.must(at(answer, 'data', 'name') === name, 'the new name', answer)
      await restoreDesk(session, found.desk)
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
        const answer = at(await patchDesk(session, found, body), 'data', 'tags')
        session.must(show(answer) === show(tags), `tags ${show(tags)} after ${JSON.stringify(body)}`, answer)
        const listed = at(await findListedDesk(session, found), 'tags')
        session.must(show(listed) === show(tags), `tags ${show(tags)} in the listing`, listed)
      }
      await restoreDesk(session, found.desk)
    },
  },
  {
    name: 'bookables.status',
    rule: '3 Flexible -> Blocked -> Flexible; existing reservations are not deleted',
    async run(session, found) {
      const { desk, user, location_id } = found
      const from = DISTANT_SLOT_HOURS + 48
      const times = { from_time: hours(from), to_time: hours(from + 1) }
      const body = { bookable_id: desk.id, location_id, user_id: user.id, ...times }
      const booked = session.answered(await session.ask('POST bookings', body), 200)
      const id = toNumber(at(booked, 'data', 0, 'id'))
      session.deleteLater(`the booking ${id}`, () => session.ask(`DELETE bookings/${id}`))
      for (const status of [1, 0]) {
        const answer = await patchDesk(session, found, { status })
        session.must(at(answer, 'data', 'status') === status, `status ${status}`, answer)
        const listed = at(await findListedDesk(session, found), 'status')
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
