// Tests in a real browser a gateway that is killed during a form submission: the input is not lost, and the
// form takes effect once when the gateway is back.
import { expect } from 'chai'
import { findFreePort } from '../../../../../local/tools/ports.ts'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { Browser, createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { useWrites } from '../../../../support/faults/pipeline.ts'
import { startGatewayProcess } from '../../../../support/processes.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const SHOWN_MS_MAX = 60_000

describe('a form that a browser sends while the gateway is down', function suite() {
  this.timeout(240_000)
  useChromium()
  const world = useWorld({ workers: [] })
  const writes = useWrites(world)

  it('stays on an offline page, and can be sent again, but takes effect only once', async () => {
    const PORT = String(await findFreePort())
    const environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, PORT }
    const start = () => startGatewayProcess({ ...environment, WRITE_WAIT_MS: '60000' })
    let gateway = await start()
    const signedIn = await createSignedIn(world)
    const own = new Browser(gateway.url)
    for (const [name, value] of signedIn.cookies) own.cookies.set(name, value)
    const { context, page } = await openWindow(own)
    page.setDefaultTimeout(SHOWN_MS_MAX)
    await page.goto('/dashboard/people/new')
    // Polls from the test, because the page's content security policy forbids page.waitForFunction.
    const isControlled = () => page.evaluate('navigator.serviceWorker.controller !== null')
    await eventually(async () => expect(await isControlled()).to.equal(true))
    const name = 'Ada <b>"Countess"</b> & Sons'
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('E-mail', { exact: true }).fill('ada@lovelace.example')
    // The request waits because no worker runs yet.
    await page.getByRole('button', { name: 'Add person' }).click({ noWaitAfter: true })
    await eventually(async () => expect(await writes.queue.getWaitingCount()).to.be.greaterThan(0))
    gateway.kill('SIGKILL')
    await gateway.ended
    await page.getByRole('heading', { name: 'Berth cannot be reached' }).waitFor()
    expect(await page.locator('input[name="name"]').inputValue()).to.equal(name)

    const workers = await world.startWorkers(['writes'])
    gateway = await start()
    await page.getByRole('heading', { name }).waitFor()
    expect(page.url()).to.match(/\/people\/\d+$/)
    expect(await world.database('users').where({ name })).to.have.length(1)
    expect(await world.database('audit_log').where({ action: 'users.create' })).to.have.length(1)
    await context.close()
    gateway.kill('SIGTERM')
    await gateway.ended
    await workers.stop()
  })
})
