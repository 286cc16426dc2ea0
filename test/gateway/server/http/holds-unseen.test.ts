// Tests that a hold for a booking request is not shown as a booking: it changes only answers that say whether
// its bookable is free.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { releaseNoShows } from '../../../../workers/pollers/check-ins/no-shows.ts'
import { updateDailyFigures } from '../../../../workers/pollers/figures/update-daily-figures.ts'
import {
  type Campus,
  createCampus,
  REQUESTS_IN_BUILDINGS,
  REQUESTS_OUTSIDE_BUILDINGS,
} from '../../../support/campus.ts'
import { createHold, createUser, hoursFromNow } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

/** Endpoints that say whether a bookable is free. */
const AVAILABILITY_ENDPOINTS = [
  'GET /availability',
  'GET /bookables/{id}/availability',
  'GET /locations/{location_id}/bookables/occupancy',
  'GET /bookings/{id}/livemap',
  'GET /bookings/{id}/livemap.svg',
]
/** Endpoints whose answers differ at each request, or are about the requests themselves. */
const VARYING_ENDPOINTS = [
  'GET /booking-requests',
  'GET /booking-requests/{id}',
  'GET /me',
  'GET /me/requests',
  'GET /changes',
  'GET /users/export',
  'GET /jobs/{id}',
  'GET /jobs/{id}/file',
]

describe('a hold for somebody on a waitlist', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world)
  let campus: Campus
  let calendar: string

  before(async () => {
    campus = await createCampus(world.database, 'Held')
    // Changes the requests about the campus's desk into requests about its free desk.
    campus = { ...campus, desk: campus.free }
    const { json } = await client.post('calendars', { location_id: campus.location })
    calendar = new URL(json.data.url).pathname.slice('/api/v1/'.length)
  })

  async function readAll() {
    const answers: Record<string, string> = {}
    for (const [endpoint, requestOf] of Object.entries({
      ...REQUESTS_OUTSIDE_BUILDINGS,
      ...REQUESTS_IN_BUILDINGS,
    })) {
      if (!endpoint.startsWith('GET ') || VARYING_ENDPOINTS.includes(endpoint)) continue
      const { path } = await requestOf(campus, client)
      const { status, text } = await client.get(path)
      answers[endpoint] = `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`
    }
    answers['GET /calendars/{secret}.ics'] = (await client.get(calendar)).text
    return answers
  }

  it('changes only the API responses about availability', async () => {
    const before = await readAll()
    const user_id = await createUser(world.database, { name: 'Waiting Wanda' })
    const bookable_id = campus.free
    const hold_id = await createHold(world.database, {
      from: hoursFromNow(-1),
      to: hoursFromNow(3),
      bookable_id,
      user_id,
      guest_name: 'Guest Gus',
    })
    const after = await readAll()
    for (const [endpoint, answer] of Object.entries(after)) {
      expect(answer, endpoint).to.not.match(/Wanda|Gus/)
      if (!AVAILABILITY_ENDPOINTS.includes(endpoint)) expect(answer, endpoint).to.equal(before[endpoint])
    }
    expect(after['GET /availability']).to.not.equal(before['GET /availability'])
    const ofOne = 'GET /bookables/{id}/availability'
    expect(after[ofOne]).to.not.equal(before[ofOne])
    await world.database('bookings').where({ hold_id }).delete()
    expect(await readAll()).to.deep.equal(before)
  })

  it('does not appear in reports, and is not released as a no-show', async () => {
    const { location } = await createCampus(world.database, 'Figured')
    const [{ id: bookable_id }] = await world.database('bookables').where({ location_id: location, type: 0 })
    await world.database('bookings').where({ bookable_id }).delete()
    await createHold(world.database, { from: hoursFromNow(-75), to: hoursFromNow(-73), bookable_id })
    await updateDailyFigures(world.database, createLog('test', 'silent'))
    const of = (table: string) => world.database(table).where({ bookable_id }).select('minutes')
    expect(await of('bookable_figures')).to.deep.equal([])
    expect(await releaseNoShows(world.database, createLog('test', 'silent'))).to.equal(0)
  })
})
