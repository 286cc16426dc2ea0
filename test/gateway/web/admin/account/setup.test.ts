// Tests how the first administrator is created: once, with the link that the gateway logs at its start.

import { Writable } from 'node:stream'
import { expect } from 'chai'
import pino from 'pino'
import { serve } from '../../../../../gateway/server.ts'
import { createFirstAdmin } from '../../../../../gateway/web/admin/account/accounts.ts'
import { createSecret, hashSecret } from '../../../../../gateway/web/sessions/secrets.ts'
import { connectPool } from '../../../../../shared/database/database.ts'
import type { RunningProcess } from '../../../../../shared/runtime/process.ts'
import { Browser, PASSWORD } from '../../../../support/dashboard/dashboard.ts'
import { useWith } from '../../../../support/use.ts'
import { useWorld } from '../../../../support/world.ts'

describe('creating the first administrator', () => {
  const world = useWorld({ each: true, workers: [] })
  const running = useWith(
    world,
    () => [] as RunningProcess[],
    (all) => Promise.all(all.map((each) => each.stop())),
  )

  /** Starts a gateway, and returns the link that it logs, or undefined if it logs none. */
  async function start({ waitMs = 20_000 } = {}): Promise<string | undefined> {
    const lines: string[] = []
    const output = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    running.push(await serve({ ...world.config, port: 0 }, pino({ level: 'info' }, output)))
    const link = () => /"link":"([^"]+)"/.exec(lines.join(''))?.[1]
    const deadline = Date.now() + waitMs
    while (!link() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
    return link()
  }
  const filled = { email: 'ada@example.com', password: PASSWORD, repeated: PASSWORD }
  const BUTTON = 'Create administrator'

  async function open(link: string | undefined) {
    const browser = new Browser(world.url)
    const { pathname, search } = new URL(link ?? expect.fail('No link was told'))
    await browser.open(pathname + search)
    return browser
  }

  it('works with a link once, and signs the administrator in immediately', async () => {
    const link = await start()
    const browser = await open(link)
    await browser.submit(BUTTON, filled)
    expect(browser.words).to.include('You are the first administrator.').and.include('ada@example.com')
    const again = await open(link)
    expect(again.page.status).to.equal(404)
    expect(again.words).to.include('This link does not work')
    expect((await new Browser(world.url).signIn('ada@example.com')).status).to.equal(200)
    expect(await start({ waitMs: 1_000 }), 'a later start').to.equal(undefined)
    const stored = await world.database('setup_links')
    expect(stored).to.have.length(0)
  })

  it('requires a password that is long enough and entered twice', async () => {
    const browser = await open(await start())
    await browser.submit(BUTTON, { ...filled, password: 'short', repeated: 'short', email: 'ada' })
    expect(browser.page.status).to.equal(422)
    expect(browser.words)
      .to.include('Password must be at least 12 characters long.')
      .and.include('E-mail must be a valid e-mail address.')
    await browser.submit(BUTTON, { ...filled, repeated: `${PASSWORD}.` })
    expect(browser.words).to.include('The passwords do not match.')
    expect(await world.database('admins')).to.have.length(0)
  })

  it('succeeds only once, even if many people have opened links', async () => {
    const links = [await start(), await start()]
    expect(links[0]).to.not.equal(links[1])
    const browsers = await Promise.all([...links, ...links].map(open))
    const answers = await Promise.all(
      browsers.map((browser, number) =>
        browser.submit(BUTTON, { ...filled, email: `ada${number}@example.com` }, { follow: false }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 404, 404, 404])
    expect(await world.database('admins')).to.have.length(1)
  })

  it('succeeds only once if several links are used at the same instant', async () => {
    const secrets = Array.from({ length: 8 }, createSecret)
    const expires_at = new Date(Date.now() + 60_000)
    await world
      .database('setup_links')
      .insert(secrets.map((each) => ({ hash: hashSecret(each), expires_at })))
    const pool = connectPool(world.databaseUrl, { connectionsMax: secrets.length })
    await Promise.all(secrets.map(() => pool.query('SELECT pg_sleep(0.05)')))
    const made = await Promise.all(
      secrets.map((each, number) =>
        createFirstAdmin(pool, each, { email: `ada${number}@example.com`, passwordHash: 'x' }),
      ),
    )
    await pool.end()
    expect(made.filter((id) => id !== undefined)).to.have.length(1)
    expect(await world.database('admins')).to.have.length(1)
  })

  it('fails with an old or wrong link, or if an administrator exists already', async () => {
    const link = await start()
    await world.database('setup_links').update({ expires_at: new Date(Date.now() - 1000) })
    expect((await open(link)).page.status).to.equal(404)
    for (const token of ['', 'x', 'A'.repeat(43)]) {
      expect((await open(`http://x/dashboard/setup?token=${token}`)).page.status).to.equal(404)
    }
    const fresh = await start()
    const browser = await open(fresh)
    await world.database('admins').insert({ email: 'first@example.com', password_hash: 'x' })
    expect((await browser.submit(BUTTON, filled)).status).to.equal(404)
    expect(await world.database('admins')).to.have.length(1)
  })

  it('waits for the database tables before it creates a link', async () => {
    await world.database.raw('ALTER TABLE setup_links RENAME TO setup_links_later')
    const told = start({ waitMs: 30_000 })
    await new Promise((resolve) => setTimeout(resolve, 500))
    await world.database.raw('ALTER TABLE setup_links_later RENAME TO setup_links')
    expect(await told).to.match(/\/dashboard\/setup\?token=/)
  })
})
