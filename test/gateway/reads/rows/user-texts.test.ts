// Tests that a search of users finds the same users no matter how many of the stored search texts are out of date.
import { expect } from 'chai'
import { findUserCandidates } from '../../../../gateway/reads/rows/user-texts.ts'
import { searchBookings } from '../../../../gateway/web/admin/bookings/queries.ts'
import { listUsers } from '../../../../gateway/web/admin/people/queries.ts'
import { searchUsers } from '../../../../gateway/web/pages/search/choices.ts'
import { LOCKS } from '../../../../shared/database/locks.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { writeUserTexts } from '../../../../workers/pollers/user-texts.ts'
import { usePool } from '../../../support/databases.ts'
import { createBooking, createUser, createVehicle, hoursFromNow } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')
const getId = ({ id }: { id: number }) => id

describe('the search for users', () => {
  const world = useWorld({ workers: [], each: true })
  const client = useClient(world, 'read')
  const reads = usePool(world)

  const upkeep = () => writeUserTexts(world.database, log)
  const texts = () => world.database('user_texts').orderBy('user_id').pluck('text')
  /** The candidates among which the search looks for matches. */
  const lookedAt = async (...words: string[]) =>
    (await findUserCandidates(reads, words))?.match(/\d+/g)?.map(Number) ?? []
  const change = (id: number, row: object) => world.database('users').where({ id }).update(row)

  const onPeoplePage = async (search: string) => {
    const slice = { offset: 0, limit: 50 }
    const order = { key: 'email', isDescending: false } as const
    return (await listUsers(reads, { search, state: 'all', group: undefined }, slice, order)).rows.map(getId)
  }
  async function found(search: string) {
    const query = `users?search=${encodeURIComponent(search)}`
    const answers = [await client.get(query), await client.get(`${query}&limit=100`)]
    return [
      ...answers.map(({ json }) => json.data.map(getId)),
      (await searchUsers(reads, search)).map(getId),
      await onPeoplePage(search),
    ]
  }
  const everywhere = (...ids: number[]) => [ids, ids, ids, ids]

  it('finds users before and after upkeep stores their search texts, and then reads only matching rows', async () => {
    const ada = await createUser(world.database, { name: 'Ada Lovelace', email: 'ada@engine.example' })
    const grace = await createUser(world.database, { name: 'Grace Hopper', email: 'grace@navy.example' })
    const words = ['LOVE', 'engine lovel', 'hopper grace', 'ad', 'lovelace hopper', 'ace.', '%%%', 'ünal']
    const before = await Promise.all(words.map(found))
    expect(before.slice(0, 3)).to.deep.equal([everywhere(ada), everywhere(ada), everywhere(grace)])
    expect(await lookedAt('love')).to.have.members([ada, grace])

    await upkeep()
    expect(await texts()).to.deep.equal([
      'ada lovelace ada@engine.example ',
      'grace hopper grace@navy.example ',
    ])
    expect(await Promise.all(words.map(found))).to.deep.equal(before)
    expect(await lookedAt('Love')).to.deep.equal([ada])
    expect(await lookedAt('grace', 'hop')).to.deep.equal([grace])
    expect(await lookedAt('nobody')).to.deep.equal([])
    expect(await world.database('changed_user_texts')).to.deep.equal([])
  })

  it('finds users by their current name, and not by a former name', async () => {
    const user = await createUser(world.database, { name: 'Marie Curie', email: 'm@radium.example' })
    await upkeep()
    await change(user, { name: 'Maria Skłodowska', upn: 'sklodowska@radium.example' })
    for (const each of [async () => undefined, upkeep]) {
      await each()
      expect(await found('skłodowska')).to.deep.equal(everywhere(user))
      expect(await found('curie')).to.deep.equal(everywhere())
      // Only the People page searches UPNs.
      expect(await found('sklodowska')).to.deep.equal([[], [], [], [user]])
    }
    // Deactivated users are not searched, so they need no text.
    await change(user, { deactivated_at: new Date() })
    expect(await world.database('changed_user_texts')).to.deep.equal([])
  })

  it('finds users by their current plates, with or without spaces', async () => {
    const user_id = await createUser(world.database, { name: 'Zoe', email: 'zoe@example.com' })
    await upkeep()
    const vehicle = await createVehicle(world.database, { user_id, license_plate: 'HH QX 123' })
    for (const each of [async () => undefined, upkeep]) {
      await each()
      for (const search of ['hhqx', 'HH QX 1', 'qx123'])
        expect(await onPeoplePage(search)).to.deep.equal([user_id])
    }
    await world.database('vehicles').where({ id: vehicle }).update({ license_plate: 'B AB 9' })
    expect(await onPeoplePage('bab9')).to.deep.equal([user_id])
    await world.database('vehicles').delete()
    for (const each of [async () => undefined, upkeep]) {
      await each()
      for (const search of ['hhqx', 'bab9']) expect(await onPeoplePage(search)).to.deep.equal([])
    }
    expect((await texts()).join()).to.not.include('9')
  })

  it('keeps no search text of a deleted user, not even one that is still to be stored', async () => {
    const user = await createUser(world.database)
    await upkeep()
    expect(await texts()).to.have.length(1)
    await change(user, { name: 'Somebody Else' })
    await world.database('users').where({ id: user }).delete()
    expect(await texts()).to.deep.equal([])
    await upkeep()
    expect(await texts()).to.deep.equal([])
  })

  it('finds the bookings of matching users', async () => {
    const user_id = await createUser(world.database, { name: 'Emmy Noether' })
    await upkeep()
    const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const id = await createBooking(world.database, { ...times, user_id })
    const search = { from: hoursFromNow(0), to: hoursFromNow(3), person: 'noether' }
    const { rows } = await searchBookings(reads, search, { offset: 0, limit: 10 })
    expect(rows.map(getId)).to.deep.equal([id])
  })

  it('scans all users if the index leaves too many candidates', async () => {
    await world.database.raw(
      "INSERT INTO users (name, email) SELECT 'Many ' || n, n || '@many.example' FROM generate_series(1, 5001) AS n",
    )
    expect(await findUserCandidates(reads, ['nobody'])).to.equal(undefined)
    expect(await onPeoplePage('many 4711')).to.have.length(1)
    await upkeep()
    expect(await lookedAt('nobody')).to.deep.equal([])
    expect(await findUserCandidates(reads, ['many'])).to.equal(undefined)
    expect((await client.get('users?search=many&limit=3')).json.data).to.have.length(3)
  })

  it('lets one worker at a time store search texts, because a slower worker might store outdated ones', async () => {
    await createUser(world.database)
    const other = await world.database.transaction()
    await other.raw(`SELECT pg_advisory_xact_lock(${LOCKS.userTexts})`)
    await upkeep()
    expect(await texts()).to.deep.equal([])
    await other.commit()
    await upkeep()
    expect(await texts()).to.have.length(1)
  })
})
