// Tests the Today page and the queue pages in a browser: figures that update by themselves, a failed import
// that is examined and retried, and a queue that is paused and resumed.

import { expect } from 'chai'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { openQueueOf } from '../../../../support/faults/pipeline.ts'
import { eventually, promised } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

describe('administrators on Today and the queue pages, in a browser', function () {
  this.timeout(120_000)
  useChromium()
  const world = useWorld({ workers: ['writes', 'imports', 'exports', 'upkeep'] })
  const signedIn = useSignedIn(world)

  it('see a new booking of the API without reloading the page', async () => {
    const building_id = await createBuilding(world.database, { name: 'Quay', timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { name: 'Deck', building_id })
    const bookable_id = await createBookable(world.database, { location_id })
    const { context, page, complaints } = await openWindow(signedIn)
    await page.goto('/dashboard')
    await page.getByText('1 desk free').first().waitFor()
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
      .getByText('no desk free')
      .first()
      .waitFor({ timeout: promised(10_000) })
    expect(await page.title()).to.equal('not loaded again')
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('examine a failed import, and retry it', async () => {
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
    await page.getByRole('heading', { name: 'users.import' }).waitFor()
    await page.getByText('INSERT INTO users').first().waitFor()
    await page.getByText('file_id').first().waitFor()
    expect(await page.content()).to.not.match(/\bada\b|lovelace/i)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Retry' }).click()
    await eventually(async () => expect(await stateOf()).to.equal('done'))
    expect(await world.database('users').where({ email: 'ada@lovelace.example' })).to.have.length(1)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('pause a queue, see that it is paused, and resume it', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    const { context, page, complaints } = await openWindow(signedIn, {
      viewport: { width: 1280, height: 900 },
    })
    await page.goto('/dashboard/queues/exports')
    await page.getByRole('link', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await eventually(async () => expect(await queue.isPaused()).to.equal(true))
    const other = await context.newPage()
    await other.goto('/dashboard/queue-health')
    await other.getByText('The “exports” queue is paused').waitFor({ timeout: promised(8_000) })
    await page.getByRole('button', { name: 'Resume' }).click()
    await eventually(async () => expect(await queue.isPaused()).to.equal(false))
    await other
      .getByText('The “exports” queue is paused')
      .waitFor({ state: 'detached', timeout: promised(8_000) })
    expect(complaints).to.deep.equal([])
    await context.close()
    await close()
  })
})
