// Tests closing several buildings at the same local times: each in its own time zone, once, and with its affected
// bookings.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

const year = new Date().getUTCFullYear() + 1
const closed = [
  { from: `${year}-12-25T00:00`, to: `${year}-12-26T00:00`, reason: 'Christmas' },
  { from: `${year}-10-03T00:00`, to: `${year}-10-04T00:00`, reason: 'Unity Day' },
]

describe('closing several buildings', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let berlin: number
  let newYork: number
  let ids: number[]

  beforeEach(async () => {
    berlin = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    newYork = await createBuilding(world.database, { timezone: 'America/New_York' })
    ids = [berlin, newYork]
  })

  const rulesOf = async (id: number) => (await world.database('buildings').where({ id }).first()).rules
  const setRules = (id: number, rules: object) =>
    world
      .database('buildings')
      .where({ id })
      .update({ rules: JSON.stringify(rules) })
  const close = (input: object = {}) => admin.ask('buildings.close', { ids, closed, ...input })
  const countAudited = async () => {
    const audited = world.database('audit_log').where({ action: 'buildings.set-rules' })
    return (await audited.whereIn('resource_id', ids)).length
  }
  const book = async (building_id: number, from: string, to: string) => {
    const location_id = await createLocation(world.database, { building_id })
    const bookable_id = await createBookable(world.database, { location_id, name: 'Desk 1' })
    const user_id = await createUser(world.database)
    return createBooking(world.database, { bookable_id, user_id, from, to })
  }
  const exists = async (id: number) => Boolean(await world.database('bookings').where({ id }).first())

  it('closes each building in its own time zone, and keeps its other rules', async () => {
    const moving = {
      from: `${year}-03-01T08:00:00.000000Z`,
      to: `${year}-03-01T09:00:00.000000Z`,
      reason: 'Moving',
    }
    await setRules(berlin, { minutes_max: 60, closed: [moving] })
    const { json } = await close()
    expect(json).to.deep.equal({ data: { buildings: 2, added: 4 } })
    expect(await rulesOf(berlin)).to.deep.equal({
      minutes_max: 60,
      closed: [
        moving,
        { from: `${year}-12-24T23:00:00.000000Z`, to: `${year}-12-25T23:00:00.000000Z`, reason: 'Christmas' },
        { from: `${year}-10-02T22:00:00.000000Z`, to: `${year}-10-03T22:00:00.000000Z`, reason: 'Unity Day' },
      ],
    })
    expect((await rulesOf(newYork)).closed[0]).to.deep.include({
      from: `${year}-12-25T05:00:00.000000Z`,
      to: `${year}-12-26T05:00:00.000000Z`,
    })
  })

  it('adds no closed time that a building already has, and then writes no audit entry', async () => {
    const christmas = {
      from: `${year}-12-20T00:00:00.000000Z`,
      to: `${year}-12-31T00:00:00.000000Z`,
      reason: 'Winter',
    }
    await setRules(berlin, { closed: [christmas] })
    expect((await close()).json.data).to.deep.equal({ buildings: 2, added: 3 })
    const [before, audited] = [await rulesOf(berlin), await countAudited()]
    expect((await close()).json.data).to.deep.equal({ buildings: 0, added: 0 })
    expect([await rulesOf(berlin), await countAudited()]).to.deep.equal([before, audited])
    expect(audited).to.equal(2)
  })

  it('adds each closed time once if two administrators close the buildings simultaneously', async () => {
    const answers = await Promise.all([close({ in_the_way: 'ask' }), close({ in_the_way: 'ask' })])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(answers.reduce((sum, { json }) => sum + json.data.added, 0)).to.equal(4)
    for (const id of ids) expect((await rulesOf(id)).closed).to.have.length(2)
  })

  it('changes no building if one has affected bookings and the write does not say what happens to them', async () => {
    const inTheWay = await book(newYork, `${year}-12-26T03:00:00Z`, `${year}-12-26T04:00:00Z`)
    // The same instant is already the next day in Berlin.
    const other = await book(berlin, `${year}-12-26T03:00:00Z`, `${year}-12-26T04:00:00Z`)
    const asked = await close({ in_the_way: 'ask' })
    expect([asked.status, asked.json.code]).to.deep.equal([409, 'in_use'])
    expect(asked.json.detail).to.include('1 booking conflicts with this')
    expect([await rulesOf(berlin), await rulesOf(newYork)]).to.deep.equal([null, null])
    expect((await close({ in_the_way: 'release' })).status).to.equal(200)
    expect([await exists(inTheWay), await exists(other)]).to.deep.equal([false, true])
    expect((await rulesOf(newYork)).closed).to.have.length(2)
  })

  it('does not ask about bookings that were kept in an earlier closure', async () => {
    const kept = await book(berlin, `${year}-12-25T10:00:00Z`, `${year}-12-25T11:00:00Z`)
    expect((await close({ in_the_way: 'leave' })).status).to.equal(200)
    expect((await close({ in_the_way: 'ask' })).json.data).to.deep.equal({ buildings: 0, added: 0 })
    expect(await exists(kept)).to.equal(true)
  })

  it('changes no building if one of them does not exist or would have more than 50 closed times', async () => {
    const many = Array.from({ length: 49 }, (_, at) => ({
      from: `${year}-01-01T00:${String(at).padStart(2, '0')}:00.000000Z`,
      to: `${year}-01-01T00:${String(at + 1).padStart(2, '0')}:00.000000Z`,
      reason: 'Short',
    }))
    await setRules(newYork, { closed: many })
    const full = await close()
    expect([full.status, full.json.errors.closed[0]]).to.deep.equal([
      422,
      `${(await world.database('buildings').where({ id: newYork }).first()).name} would have 51 closed times, but at most 50 are allowed. Delete past closed times first.`,
    ])
    expect(await rulesOf(berlin)).to.equal(null)
    const unknown = await close({ ids: [berlin, 999_999_999] })
    expect([unknown.status, await rulesOf(berlin)]).to.deep.equal([422, null])
  })
})
