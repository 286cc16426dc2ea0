// Tests signing in to people's own pages: with a link that works once, and only while the person is active.
import { expect } from 'chai'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBooking, createUser, hoursFromNow } from '../../../support/factories.ts'
import { createSignInLink, signInAs } from '../../../support/people/person.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { useSmtp } from '../../../workers/pollers/mail/smtp-server.ts'

describe('signing in to people’s own pages', () => {
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      PUBLIC_URL: 'http://desks.example.com',
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Berth <berth@example.com>',
    },
  }))

  it('works once with each link from a mail', async () => {
    const id = await createUser(world.database, { name: 'Anna Berg', email: 'anna@example.com' })
    await createBooking(world.database, { user_id: id, from: hoursFromNow(24), to: hoursFromNow(26) })
    const browser = new Browser(world.url)
    await browser.open('/my')
    expect(browser.page.path).to.equal('/my/sign-in')
    await browser.submit('Send me a link', { email: 'Anna@example.com' })
    expect(browser.words).to.include('If Anna@example.com belongs to somebody here')
    const mail = await eventually(() => smtp.sentTo('anna@example.com').at(-1) ?? expect.fail('No mail yet'))
    const [link = ''] = /http:\S+\/my\/sign-in\/link\?token=[\w-]+/.exec(mail.text) ?? []
    const { pathname, search } = new URL(link)

    const scanner = new Browser(world.url)
    await scanner.open(pathname + search)
    await browser.open(pathname + search)
    await browser.submit('Sign in')
    expect(browser.page.path).to.equal('/my')
    expect(browser.words, 'shows the booking').to.match(/Desk \d+/)

    await scanner.submit('Sign in')
    expect(scanner.words).to.include('This link no longer works')
  })

  it('sends mails in the language of the page until the person has signed in once', async () => {
    await createUser(world.database, { email: 'greta@example.com' })
    // Requests a new link, because somebody else may have requested the first link.
    const pages = {
      de: ['Link zusenden', 'Öffnen Sie diesen Link'],
      en: ['Send me a link', 'Open this link'],
    }
    for (const [language, [submit = '', sentence]] of Object.entries(pages)) {
      const sent = { headers: { 'Accept-Language': language } }
      const browser = new Browser(world.url)
      await browser.open('/my/sign-in', sent)
      const before = smtp.sentTo('greta@example.com').length
      await browser.submit(submit, { email: 'greta@example.com' }, sent)
      const mail = await eventually(
        () => smtp.sentTo('greta@example.com')[before] ?? expect.fail('No mail yet'),
      )
      expect(mail.text).to.include(sentence)
    }
  })

  it('shows the same page for an unknown e-mail address, but sends no mail', async () => {
    const browser = new Browser(world.url)
    await browser.open('/my/sign-in')
    await browser.submit('Send me a link', { email: 'nobody@example.com' })
    expect(browser.words).to.include('If nobody@example.com belongs to somebody here')
    expect(await world.database('mails').whereNull('admin_id').whereNot({ kind: 'sign-in' })).to.have.length(
      0,
    )
  })

  it('sends at most three links per quarter of an hour, with the same message for unknown addresses', async () => {
    const id = await createUser(world.database, { email: 'qqknown@example.com' })
    const seen: Record<string, string[]> = { qqknown: [], qqunknown: [] }
    for (const [name, words] of Object.entries(seen)) {
      const browser = new Browser(world.url)
      for (let count = 0; count < 5; count++) {
        await browser.open('/my/sign-in')
        await browser.submit('Send me a link', {
          email: `${count % 2 ? name : name.toUpperCase()}@example.com`,
        })
        words.push(`${browser.page.status} ${browser.words.toLowerCase().replaceAll(name, 'who')}`)
      }
      expect(words[0]).to.include('sends at most 3 links within 15 minutes')
      expect(words.map((each) => each.slice(0, 3))).to.deep.equal(['200', '200', '200', '429', '429'])
      expect(words[4]).to.include('use the newest link in your mailbox, or try again in 15 minutes')
    }
    expect(seen.qqknown).to.deep.equal(seen.qqunknown)
    expect(await world.database('mails').where({ user_id: id })).to.have.length(3)
  })

  it('explains in plain words if a form came from another site or is too long', async () => {
    const browser = new Browser(world.url)
    await browser.open('/my/sign-in')
    const elsewhere = { headers: { 'Sec-Fetch-Site': 'cross-site' } }
    await browser.submit('Send me a link', { email: 'far@example.com' }, elsewhere)
    expect(browser.words).to.include('This form was not sent from this page. Reload the page and try again.')
    await browser.open('/my/sign-in')
    await browser.submit('Send me a link', { email: `${'a'.repeat(5000)}@example.com` })
    expect(browser.page.status).to.equal(413)
    expect(browser.words).to.include('This form is too long.')
  })

  it('sessions end when the person is deactivated', async () => {
    const id = await createUser(world.database)
    const link = await createSignInLink(world.database, id)
    const browser = await signInAs(world, id)
    await world.database('users').where({ id }).update({ deactivated_at: new Date() })
    await browser.open('/my')
    expect(browser.page.path).to.equal('/my/sign-in')
    await browser.open(link)
    await browser.submit('Sign in')
    expect(browser.words).to.include('This link no longer works')
  })

  it('works with a link that an administrator creates', async () => {
    const id = await createUser(world.database, { name: 'Ben Link' })
    const admin = await createSignedIn(world)
    await admin.open(`/dashboard/people/${id}/sign-in-link`)
    await admin.submit('Create link')
    const [link = ''] = /http:[^<]+\/my\/sign-in\/link\?token=[\w-]+/.exec(admin.page.text) ?? []
    const { pathname, search } = new URL(link)
    const browser = new Browser(world.url)
    await browser.open(pathname + search)
    await browser.submit('Sign in')
    await browser.open('/my/me')
    expect(browser.words).to.include('Ben Link')
  })

  it('does not open the dashboard, and signing in to the dashboard does not open these pages', async () => {
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open('/dashboard')
    expect(browser.page.path).to.equal('/dashboard/sign-in')
    const admin = await createSignedIn(world)
    await admin.open('/my')
    expect(admin.page.path).to.equal('/my/sign-in')
  })
})

describe('people who share the IP address of an office', () => {
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes'],
    environment: {
      PUBLIC_URL: 'http://desks.example.com',
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Berth <berth@example.com>',
      FAILED_SIGN_INS_PER_MINUTE: '5',
    },
  }))

  it('can sign in with valid links and request new ones, even after others have tried many invalid links', async () => {
    const link = await createSignInLink(world.database, await createUser(world.database))
    const wrong = new Browser(world.url)
    await wrong.open('/my/sign-in/link?token=wrong')
    const statuses = new Set<number>()
    for (let count = 0; count < 12; count++) {
      await wrong.open('/my/sign-in/link?token=wrong')
      await wrong.submit('Sign in')
      statuses.add(wrong.page.status)
    }
    expect([...statuses]).to.deep.equal([401, 429])
    for (let count = 0; count < 25; count++) {
      const browser = new Browser(world.url)
      await browser.open('/my/sign-in')
      await browser.submit('Send me a link', { email: `office${count}@example.com` })
      expect(browser.page.status).to.equal(200)
    }
    const browser = new Browser(world.url)
    await browser.open(link)
    await browser.submit('Sign in')
    expect(browser.page.path).to.equal('/my')
    for (let count = 0; count < 25; count++) await signInAs(world, await createUser(world.database))
  })
})
