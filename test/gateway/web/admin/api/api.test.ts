// Tests the API page: its first steps, and example requests that work unchanged.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { endpoints } from '../../../../../gateway/app.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const run = promisify(execFile)

describe('the API page of the dashboard', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let token: string
  let user_id: number
  before(async () => {
    const { database } = world
    // Uses different ids for all resources, so that the test notices if they are confused.
    await createBuilding(database)
    const building_id = await createBuilding(database)
    await createLocation(database)
    await createLocation(database)
    const location_id = await createLocation(database, {
      building_id,
      ...createFloorPlanColumns(drawPng(4, 3)),
    })
    for (let number = 0; number < 5; number++) await createBookable(database, { location_id, status: 1 })
    const bookable_id = await createBookable(database, { location_id })
    await createUser(database, { deactivated_at: new Date() })
    user_id = await createUser(database)
    await createBooking(database, { bookable_id, user_id, from: hoursFromNow(20), to: hoursFromNow(21) })
    await createEvent(database, { from: hoursFromNow(20), to: hoursFromNow(21), organizer_user_id: user_id })
    const gone = await createGroup(database)
    await createGroup(database)
    await database('groups').where({ id: gone }).delete()
    token = (await world.client()).token ?? ''
  })

  const choices = () => browser.form('Show').controls.find(({ name }) => name === 'endpoint')?.options ?? []
  const lineOf = (id: string) => {
    const [, text = ''] = new RegExp(`id="${id}"[^>]*>([\\s\\S]*?)</`).exec(browser.page.text) ?? []
    return text
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  }
  /** Runs a command like a person who has set the token in the shell. */
  async function paste(line: string) {
    const script = `${line} -s -o /dev/null -w '%{http_code}'`
    const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, TOKEN: token } })
    return Number(stdout)
  }

  it('starts with a command that works when it is pasted', async () => {
    await browser.open('/dashboard/integrations')
    expect(await paste(lineOf('first-line'))).to.equal(200)
    for (const link of ['the API reference', 'errors', 'the OpenAPI document']) {
      await browser.open('/dashboard/integrations')
      expect((await browser.follow(link)).status, link).to.equal(200)
    }
  })

  it('lists every endpoint with a command that works unchanged', async () => {
    await browser.open('/dashboard/integrations')
    expect(choices()).to.have.length(endpoints.length)
    for (const id of choices()) {
      await browser.open('/dashboard/integrations')
      await browser.submit('Show', { endpoint: id })
      const line = lineOf('try-line')
      const isWrite = / -X /.test(line) && id !== 'getFreeBusy'
      expect(browser.words.includes('This changes real data.'), id).to.equal(isWrite)
      // Skips endpoints that change data which later examples need, an upload without a file, and examples
      // without data.
      if (
        isWrite
          ? !/^create(Booking|Event)$/.test(id)
          : /Job|export|Series|Webhook|getCalendar|getBookableCalendar|getBookingRequest|Signed/.test(id)
      )
        continue
      expect(await paste(line), line).to.equal(200)
    }
  })

  it('never asks for a token in a form', async () => {
    const { text } = await browser.open('/dashboard/integrations?endpoint=createBooking')
    for (const [, inside = ''] of text.matchAll(/<form\b[^>]*>([\s\S]*?)<\/form>/g)) {
      expect(inside).to.not.include('name="token"')
    }
    expect(text).to.include('name="token"')
  })

  it('escapes hostile names of users and places', async () => {
    for (const text of HOSTILE_TEXTS.filter((each) => !each.includes(' '))) {
      await world.database('users').where({ id: user_id }).update({ email: text })
      const { text: page } = await browser.open('/dashboard/integrations?endpoint=getUserByEmail')
      expectHarmless(page, text)
    }
    expect((await browser.open('/dashboard/integrations?endpoint=nothing')).status).to.equal(200)
  })
})
