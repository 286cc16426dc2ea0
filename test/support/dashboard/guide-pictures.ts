// Lists the pictures of the guide for people, which show each task on a phone.
import type { Knex } from 'knex'
import type { Page } from 'playwright-core'
import { createBooking, createHold } from '../factories.ts'

export type Picture = {
  name: string
  path: string
  width?: number
  height?: number
  /** Shows the pages of a person instead of the dashboard. */
  isOfPerson?: boolean
  /** Shows the page before sign-in. */
  isOfStranger?: boolean
  /** Whether the README also shows the picture, in light and dark mode. */
  isForReadme?: boolean
  /** Actions on the page before the picture is taken. */
  act?: (page: Page) => Promise<unknown>
}

const HOUR_MS = 3_600_000
const QUARTER_MS = HOUR_MS / 4
const PHONE_PICTURE = { width: 360, height: 480, isOfPerson: true }

type Seat = { id: number; location_id: number }

export async function listGuidePictures(database: Knex, person: number, now: number): Promise<Picture[]> {
  const at = (hours: number) => new Date(now + hours * HOUR_MS).toISOString()
  // Returns a full quarter of an hour, because people usually book such times.
  const begins = (hours: number) =>
    new Date(Math.floor((now + hours * HOUR_MS) / QUARTER_MS) * QUARTER_MS).toISOString()
  const monday = at(5 * 24).slice(0, 10)
  const free = (type: number) =>
    database('bookables')
      .where({ type, status: 0 })
      .whereNotExists(
        database('bookings').whereRaw('bookable_id = bookables.id AND during && tstzrange(?, ?)', [
          at(-1),
          at(34),
        ]),
      )
      .orderBy('id')
      .select<Seat[]>('id', 'location_id')
  const [desk, offered, ...desks] = await free(0)
  const room = await database('bookables')
    .where({ type: 2 })
    .where('capacity', '>=', 6)
    .orderBy('id')
    .first<Seat>()
  const near = await database('bookings')
    .join('bookables', 'bookables.id', 'bookable_id')
    .whereNot({ user_id: person })
    .whereRaw(`type = 0 AND during @> '${at(5 * 24)}'::timestamptz`)
    .orderBy('bookings.id')
    .first<Seat & { bookable_id: number }>('location_id', 'bookable_id')
  if (!desk || !offered || !room || !near)
    throw new Error('The demo has no free desk, no room or no colleague')
  const asker = await database('users').whereNot({ id: person }).orderBy('id').first<{ id: number }>('id')

  await database('bookable_codes').insert({ bookable_id: desk.id, code: 'guide' })
  await createBooking(database, {
    bookable_id: desk.id,
    user_id: person,
    from: begins(0.25),
    to: begins(4),
    check_in_from: at(-1),
    check_in_until: begins(0.5),
  })
  const meeting = { from: begins(26), to: begins(27) }
  const booked = await createBooking(database, { bookable_id: room.id, user_id: person, ...meeting })
  const wanted = { from: begins(25), to: begins(33) }
  const hold = { kind: 'offer', bookable_id: offered.id, user_id: person, ...wanted, expires_at: at(0.2) }
  const waiting = { user_id: person, during: database.raw('tstzrange(?, ?)', [wanted.from, wanted.to]) }
  const hold_id = await createHold(database, hold)
  await database('waits').insert({ ...waiting, bookable_id: offered.id, state: 'offered', hold_id })
  const asked = desks[0]?.id
  const rules = JSON.stringify({ approvers: { user_ids: [person] } })
  await database('bookables').where({ id: asked }).update({ rules })
  await createHold(database, { bookable_id: asked, user_id: asker?.id, ...wanted, expires_at: at(20) })

  return [
    {
      name: 'people-sign-in',
      path: '/my/sign-in',
      ...PHONE_PICTURE,
      height: 320,
      isOfStranger: true,
      act: (page) => page.getByLabel('E-mail').fill('anna.bauer@harbour.example'),
    },
    {
      name: 'people-near',
      ...PHONE_PICTURE,
      height: 560,
      path: `/my/book?date=${monday}&location=${near.location_id}&near=${near.bookable_id}`,
    },
    {
      name: 'people-weekly',
      path: `/my/book/${desk.id}?date=${monday}`,
      ...PHONE_PICTURE,
      height: 760,
      act: async (page) => {
        await page.locator('summary', { hasText: 'Repeat' }).click()
        for (const weekday of ['Tue', 'Thu'])
          await page.getByRole('checkbox', { name: weekday, exact: true }).check({ force: true })
        await page.locator('input[name="repeat_until"]').fill(at(30 * 24).slice(0, 10))
      },
    },
    { name: 'people-code', path: '/my/at/guide', ...PHONE_PICTURE, height: 360 },
    { name: 'people-room', path: `/my/book?type=2&people=6&date=${monday}`, ...PHONE_PICTURE, height: 600 },
    {
      name: 'people-invite',
      path: `/my/bookings/${booked}/invite`,
      ...PHONE_PICTURE,
      height: 360,
      act: (page) => page.getByRole('textbox').fill('grace@navy.example.org'),
    },
    { name: 'people-hide', path: '/my/me', ...PHONE_PICTURE, height: 420 },
    { name: 'people-offer', path: '/my/waits', ...PHONE_PICTURE },
    { name: 'people-approve', path: '/my/requests', ...PHONE_PICTURE },
  ]
}
