// Tests swapping two bookings from the page of a booking, or by selecting both in the list.
import { expect } from 'chai'
import pg from 'pg'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createBooking, createLocation, createUser } from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-25T09:30:00Z')
const FRIDAY = { from: '2026-11-27T08:00:00Z', to: '2026-11-27T16:00:00Z' }
const EVENING = { from: '2026-11-27T16:00:00Z', to: '2026-11-27T18:00:00Z' }

describe('the page for swapping bookings', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let location_id: number
  let [bow, stern, one, other] = [0, 0, 0, 0]
  beforeEach(async () => {
    location_id = await createLocation(world.database, { name: 'Deck' })
    bow = await createBookable(world.database, { location_id, name: 'Bow 1' })
    stern = await createBookable(world.database, { location_id, name: 'Stern 2' })
    one = await book(bow, 'Anna Bauer')
    other = await book(stern, 'Ben Vogel')
  })

  const book = async (bookable_id: number, name: string, times = FRIDAY) =>
    createBooking(world.database, {
      bookable_id,
      user_id: await createUser(world.database, { name }),
      ...times,
    })
  const placeOf = async (id: number) =>
    (await world.database('bookings').where({ id }).first())?.bookable_id as number

  it('lists the bookings of the place on that day, and shows the changes before it swaps', async () => {
    await browser.open(`/dashboard/bookings/${one}`)
    await browser.follow('Swap')
    expect(browser.words).to.include('Ben Vogel').and.not.include('Anna Bauer Bow 1')
    await browser.follow('Swap')
    expect(browser.words).to.include('Swap Bow 1 and Stern 2?')
    await browser.submit('Swap')
    expect(browser.words).to.include('Swapped: Anna Bauer now has Stern 2, and Ben Vogel has Bow 1.')
    expect(await Promise.all([one, other].map(placeOf))).to.deep.equal([stern, bow])
  })

  it('does not answer 503 if Postgres fails after the swap, because 503 means that nothing has changed', async () => {
    await browser.open(`/dashboard/bookings/swap?ids=${one},${other}`)
    const { query } = pg.Pool.prototype
    pg.Pool.prototype.query = function failing(this: pg.Pool, ...args: unknown[]) {
      if (JSON.stringify(args).includes('audit_log WHERE attempt = $1'))
        return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      return Reflect.apply(query, this, args)
    } as typeof query
    await browser.submit('Swap').finally(() => {
      pg.Pool.prototype.query = query
    })
    expect(browser.page.status).to.equal(504)
    expect(await Promise.all([one, other].map(placeOf))).to.deep.equal([stern, bow])
  })

  it('lists only bookings that can be swapped without a third one, those at the same time first', async () => {
    const make = (name: string) => createBookable(world.database, { location_id, name })
    const [mast, keel, rudder] = [await make('Mast 3'), await make('Keel 4'), await make('Rudder 5')]
    await book(mast, 'Carla Weiss', { from: '2026-11-27T06:00:00Z', to: '2026-11-27T07:00:00Z' })
    await book(keel, 'Dora Klein', { from: '2026-11-27T06:00:00Z', to: '2026-11-27T07:00:00Z' })
    await book(keel, 'Emil Kurz', { from: '2026-11-27T12:00:00Z', to: '2026-11-27T13:00:00Z' })
    await book(bow, 'Franz Lang', EVENING)
    await book(rudder, 'Gerda Rot', { from: '2026-11-27T12:00:00Z', to: '2026-11-27T17:00:00Z' })
    await browser.open(`/dashboard/bookings/swap?ids=${one}`)
    const offered = [...browser.page.text.matchAll(/aria-label="Swap with ([^"]+)"/g)].map(([, each]) => each)
    expect(offered).to.deep.equal(['Ben Vogel, Stern 2', 'Emil Kurz, Keel 4', 'Carla Weiss, Mast 3'])
    await browser.submit('Search', { person: 'weiss' })
    expect(browser.words).to.include('Carla Weiss').and.not.include('Ben Vogel')
  })

  it('opens from one booking, shows its place and time, and leads back to it', async () => {
    for (const start of [one, other]) {
      const desk = start === one ? 'Bow 1' : 'Stern 2'
      await browser.open(`/dashboard/bookings/${start}`)
      await browser.follow('Swap')
      expect(browser.words).to.match(new RegExp(`Currently ${desk}, Deck, from .*27.* to `))
      await browser.follow('Swap')
      await browser.follow('Cancel')
      expect(browser.page.path).to.equal(`/dashboard/bookings/${start}`)
    }
    await browser.follow('Swap')
    await browser.follow('Swap')
    const { path } = await browser.submit('Swap')
    expect(path).to.equal(`/dashboard/bookings/${other}`)
  })

  it('swaps two bookings selected in the list, and leads back to the list', async () => {
    await browser.open('/dashboard/bookings?from=2026-11-27&to=2026-11-27')
    await browser.submit('Swap two selected', { ids: [String(one), String(other)] })
    const { path } = await browser.submit('Swap')
    expect(path).to.include('/dashboard/bookings?from=2026-11-27')
    expect(await Promise.all([one, other].map(placeOf))).to.deep.equal([stern, bow])
  })

  it('names the third person whose booking prevents a swap', async () => {
    await world
      .database('bookings')
      .where({ id: one })
      .update({ during: '[2026-11-27 08:00+00,2026-11-27 18:00+00)' })
    await book(stern, 'Carla Weiss', EVENING)
    await browser.open(`/dashboard/bookings/swap?ids=${one},${other}`)
    await browser.submit('Swap')
    expect(browser.words).to.include('Stern 2 is taken by Carla Weiss')
    expect(await Promise.all([one, other].map(placeOf))).to.deep.equal([bow, stern])
  })

  it('says that a booking has been moved since, and shows the current places', async () => {
    const third = await createBookable(world.database, { location_id, name: 'Mast 3' })
    await browser.open(`/dashboard/bookings/swap?ids=${one},${other}`)
    await world.database('bookings').where({ id: other }).update({ bookable_id: third })
    await browser.submit('Swap')
    expect(browser.words).to.include('One of the bookings was moved in the meantime.').and.include('Mast 3')
    expect(await placeOf(one)).to.equal(bow)
  })

  it('asks for two bookings if none, three or a past one are selected', async () => {
    const past = await book(bow, 'Dora', { from: '2026-11-20T08:00:00Z', to: '2026-11-20T16:00:00Z' })
    for (const ids of ['', `?ids=${one},${other},${await book(bow, 'Emil', EVENING)}`, `?ids=${past}`]) {
      await browser.open(`/dashboard/bookings/swap${ids}`)
      expect(browser.words, ids).to.include('Select two bookings that have not ended.')
    }
  })
})
