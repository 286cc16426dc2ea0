// Tests the frame of the dashboard in a browser: signing in, the menu on a phone, pages without scripts,
// copying, and parts that reload.

import { expect } from 'chai'
import { html } from '../../../../../gateway/html/html.ts'
import { sentence } from '../../../../../gateway/web/locales/translate.ts'
import { definePage as pageOf } from '../../../../../gateway/web/pages/page/page.ts'
import { showFactList, showTable } from '../../../../../gateway/web/pages/ui/parts.ts'
import { createAdmin } from '../../../../../shared/administrators/admin-store.ts'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { Browser, createSignedIn, PASSWORD } from '../../../../support/dashboard/dashboard.ts'
import { useStage } from '../../../../support/dashboard/dashboard-stage.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const EMAIL = 'ada@example.com'

describe('the frame of dashboard pages, in a browser', () => {
  useChromium()
  const world = useWorld()
  before(async () => {
    await createAdmin(world.database, { email: EMAIL, password: PASSWORD })
  })

  for (const javaScriptEnabled of [true, false]) {
    it(`lets an administrator sign in, create a token and sign out ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { context, page, complaints } = await openWindow(new Browser(world.url), { javaScriptEnabled })
      await page.goto('/dashboard/integrations/tokens/new')
      await page.getByLabel('E-mail').fill(EMAIL)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'Name' }).fill('Display')
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('Copy it now').waitFor()
      expect(await page.locator('#token').textContent()).to.match(/^berth_/)
      const buttons = page.getByRole('button', { name: /^Copy/ })
      await eventually(async () => expect(await buttons.count()).to.equal(javaScriptEnabled ? 2 : 0))
      await page.getByRole('link', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed out.').waitFor()
      expect(complaints).to.deep.equal([])
      await context.close()
    })
  }

  it('skips to the main content of a page with its first link', async () => {
    const { context, page } = await openWindow(await createSignedIn(world, EMAIL))
    await page.goto('/dashboard/settings')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    // Waits, because Chromium moves the focus only when it draws the page next.
    await eventually(async () => expect(await page.evaluate('document.activeElement.id')).to.equal('main'))
    await context.close()
  })

  it('copies a new token with a button', async () => {
    const { context, page } = await openWindow(await createSignedIn(world, EMAIL), {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.goto('/dashboard/integrations/tokens/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Copied')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).to.equal(await page.locator('#token').textContent())
    await context.close()
  })

  it('creates a token that works until it is revoked', async () => {
    const { context, page, complaints } = await openWindow(await createSignedIn(world, EMAIL))
    await page.goto('/dashboard/integrations/tokens')
    await page.getByRole('link', { name: 'New token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Door display')
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = await page.locator('#token').textContent()
    const client = new Client(world.url, token ?? '')
    expect((await client.get('groups')).status).to.equal(200)
    await page.goto('/dashboard/integrations/tokens')
    await page.getByLabel('More actions for Door display').click()
    await page.getByRole('link', { name: /^Revoke/ }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('Token revoked.').waitFor()
    await eventually(async () => expect((await client.get('groups')).status).to.equal(401))
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('has a menu on a phone that can be used with a keyboard', async () => {
    const { context, page } = await openWindow(await createSignedIn(world, EMAIL), {
      viewport: { width: 390, height: 844 },
    })
    await page.goto('/dashboard/integrations/tokens/new')
    const link = page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Settings' })
    expect(await link.isVisible()).to.equal(false)
    await page.getByRole('button', { name: 'Menu' }).focus()
    await page.keyboard.press('Enter')
    expect(await link.isVisible()).to.equal(true)
    await page.keyboard.press('Escape')
    expect(await link.isVisible()).to.equal(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.click()
    await page.waitForURL('**/dashboard/settings')
    await context.close()
  })

  it('moves the focus to the first error of a form', async () => {
    const { context, page } = await openWindow(await createSignedIn(world, EMAIL))
    await page.goto('/dashboard/integrations/tokens/new')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('Name is required.').waitFor()
    // Waits, because Chromium moves the focus only when it draws the page, after the text already exists.
    await eventually(async () =>
      expect(await page.evaluate("document.activeElement.getAttribute('role')")).to.equal('alert'),
    )
    await context.close()
  })
})

describe('parts of pages that reload, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  let count = 0
  const counting = pageOf({
    path: '/counting',
    title: sentence`Counting`,
    live: {
      count: {
        everySeconds: 0.1,
        show: () =>
          html`<p>Counted <b>${++count}</b></p><a href="#here">Here</a><details><summary>More</summary><p>of it</p></details>`,
      },
    },
    show: async (call) => html`${await call.live('count')}`,
  })

  const stage = useStage(world, [counting])

  it('keep the focus and expanded details, and lead to sign-in when the session ends', async () => {
    const signedIn = await createSignedIn(stage, EMAIL)
    const { context, page } = await openWindow(signedIn)
    await page.goto('/dashboard/counting')
    await page.getByText('More').click()
    await page.getByRole('link', { name: 'Here' }).focus()
    const before = count
    await eventually(async () => {
      expect(Number(await page.locator('b').textContent())).to.be.greaterThan(before + 3)
    })
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Here')
    expect(await page.getByText('of it').isVisible(), 'what was opened stays open').to.equal(true)
    await world.database('sessions').delete()
    await page.waitForURL('**/dashboard/sign-in?next=*counting')
    await context.close()
  })
})

describe('texts on pages, in a browser', () => {
  useChromium()
  const world = useWorld()
  const words = pageOf({
    path: '/words',
    title: sentence`Today`,
    access: 'everybody',
    show: () => html`<div class="grid figures">${[
      '23 von 219',
      '0 von 24',
      '0 von 18',
      '94',
      '102',
      '12',
    ].map((figure) => html`<div class="card figure"><strong>${figure}</strong></div>`)}</div>
<div class="card">${showFactList([['Changed', 'yan.hahn@harbour.example']])}</div>
<div class="card">${showTable(
      'Jobs',
      [
        { label: 'Name', show: () => 'writes' },
        { label: 'Fehlgeschlagen', show: () => '0' },
      ],
      [{}],
      '',
    )}</div>
<fieldset class="form" disabled>Shown</fieldset>
<div class="timeline-scroll"><table class="timeline"><thead><tr><th class="name">Name</th><th>7:00</th></tr></thead>
<tbody><tr><th><a href="#">Amazon</a><small>Besprechungsraum, 8 Personen</small></th><td></td></tr></tbody></table></div>`,
  })
  const stage = useStage(world, [words])

  it('are neither wrapped nor cut off if there is room for them', async () => {
    const { context, page } = await openWindow(new Browser(stage.url), {
      viewport: { width: 360, height: 780 },
    })
    await page.goto('/dashboard/words')
    const linesOf = (selector: string) =>
      page.evaluate<number[]>(`[...document.querySelectorAll('${selector}')].map((each) =>
        Math.round(each.clientHeight / parseFloat(getComputedStyle(each).lineHeight)))`)
    expect(await linesOf('.facts dd'), 'an e-mail on a phone').to.deep.equal([1])
    expect(await linesOf('td[data-label=Fehlgeschlagen]'), 'a label on a phone').to.deep.equal([1])
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await linesOf('.figure strong'), 'figures').to.deep.equal([1, 1, 1, 1, 1, 1])
    const [whole = 0, shown = 0] = await page.evaluate<number[]>(
      '[document.querySelector(".timeline small")].flatMap((each) => [each.scrollWidth, each.clientWidth])',
    )
    expect(whole, 'a room and its capacity').to.be.at.most(shown)
    await context.close()
  })

  it('have no input border if the administrator may only read them', async () => {
    const { context, page } = await openWindow(new Browser(stage.url))
    await page.goto('/dashboard/words')
    expect(
      await page.evaluate('getComputedStyle(document.querySelector("fieldset")).borderTopWidth'),
    ).to.equal('0px')
    await context.close()
  })
})
