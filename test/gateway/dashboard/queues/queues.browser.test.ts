// Today and the queues as an administrator meets them: figures that move by themselves, a failed list that is looked at
// and tried again, a queue that is paused and resumed; with the real program of the queue board.

import { expect } from 'chai'
import { openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { BOARD } from '../../../support/dashboard/queue-board.ts'
import {
  createBookable,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { openQueueOf } from '../../../support/faults/pipeline.ts'
import { eventually, promised } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

// What the board's own program loads ahead and then does without is its own affair.
const ofOurs = (complaints: string[]) => complaints.filter((each) => !each.includes('using link preload'))

describe('an administrator on Today and the queues, in a browser', function () {
  this.timeout(120_000)
  useChromium()
  const world = useWorld({ workers: ['writes', 'imports', 'exports', 'upkeep'] })
  const signedIn = useSignedIn(world)

  it('sees a new booking of the API without reloading the page', async () => {
    const building_id = await createBuilding(world.database, { name: 'Quay', timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { name: 'Deck', building_id })
    const bookable_id = await createBookable(world.database, { location_id })
    const { context, page, complaints } = await openWindow(signedIn)
    await page.goto('/dashboard')
    await page.getByText('0 of 1').first().waitFor()
    await page.evaluate("document.title = 'not loaded again'")
    const client = await world.client()
    const booking = {
      bookable_id,
      location_id,
      user_id: await createUser(world.database),
      from_time: hoursFromNow(-1),
      to_time: hoursFromNow(1),
    }
    expect((await client.post('bookings', booking)).status).to.equal(200)
    await page
      .getByText('1 of 1')
      .first()
      .waitFor({ timeout: promised(10_000) })
    expect(await page.title()).to.equal('not loaded again')
    expect(ofOurs(complaints)).to.deep.equal([])
    await context.close()
  })

  it('examines a failed import, and retries it', async () => {
    await world.database.raw(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room for Ada Lovelace'; END $$;
      CREATE TRIGGER broken BEFORE INSERT ON users FOR EACH STATEMENT EXECUTE FUNCTION fail()`)
    const client = await world.client('user-write')
    const accepted = await client.import(
      'email,name\nada@lovelace.example,Ada\n',
      {},
      { Prefer: 'respond-async' },
    )
    const { pathname } = new URL(accepted.headers.get('Location') ?? '')
    const stateOf = async () => (await client.get(pathname)).json.data.state
    await eventually(async () => expect(await stateOf()).to.equal('failed'))
    await world.database.raw('DROP TRIGGER broken ON users')

    const { context, page, complaints } = await openWindow(signedIn, {
      viewport: { width: 1280, height: 900 },
    })
    await page.goto('/dashboard/queue-health')
    await page
      .getByText('One job in the “imports” queue failed in the last hour.')
      .waitFor({ timeout: promised(8_000) })
    await page.getByRole('link', { name: /^View the failed/ }).click()
    await page.getByText('users.import', { exact: true }).first().waitFor()
    await page.getByText('INSERT INTO users').first().waitFor()
    await page.getByRole('tab', { name: 'Data' }).click()
    await page.getByText('file_id').first().waitFor()
    expect(await page.content()).to.not.match(/\bada\b|lovelace/i)
    const buttons = page.locator('main ul button:visible')
    expect(await buttons.count(), 'trying again and removing').to.equal(2)
    await page.locator('button:has(.lucide-refresh-cw)').click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await eventually(async () => expect(await stateOf()).to.equal('done'))
    expect(await world.database('users').where({ email: 'ada@lovelace.example' })).to.have.length(1)
    expect(ofOurs(complaints)).to.deep.equal([])
    await context.close()
  })

  it('pauses a queue, sees that it is paused, and resumes it', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    const { context, page, complaints } = await openWindow(signedIn, {
      viewport: { width: 1280, height: 900 },
    })
    await page.goto(`${BOARD}/queue/exports`)
    const choose = async (name: string) => {
      await page.locator('main button[aria-haspopup="menu"]').first().click()
      await page.getByRole('menuitem', { name, exact: true }).click()
      await page.getByRole('button', { name: 'Confirm' }).click()
    }
    await choose('Pause')
    await eventually(async () => expect(await queue.isPaused()).to.equal(true))
    const other = await context.newPage()
    await other.goto('/dashboard/queue-health')
    await other.getByText('The “exports” queue is paused').waitFor({ timeout: promised(8_000) })
    await choose('Resume')
    await eventually(async () => expect(await queue.isPaused()).to.equal(false))
    await other
      .getByText('The “exports” queue is paused')
      .waitFor({ state: 'detached', timeout: promised(8_000) })
    expect(ofOurs(complaints)).to.deep.equal([])
    await context.close()
    await close()
  })

  it('sees no actions that are switched off, and finds the way back', async () => {
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1280, height: 900 } })
    await page.goto('/dashboard/queue-health')
    await page.getByRole('link', { name: 'Queue board' }).click()
    await page.getByRole('link', { name: 'exports' }).first().click()
    await page.locator('main button[aria-haspopup="menu"]').first().click()
    await page.getByRole('menuitem', { name: 'Pause' }).waitFor()
    for (const name of ['Add job', 'Empty', 'Obliterate', 'Set concurrency', 'Set rate limit']) {
      expect(await page.getByText(name, { exact: true }).isVisible(), name).to.equal(false)
    }
    await page.keyboard.press('Escape')
    await page.locator('header button[aria-haspopup="menu"]').last().click()
    await page.getByRole('menuitem', { name: 'Queue health' }).click()
    await page.waitForURL('**/dashboard/queue-health')
    await context.close()
  })
})
