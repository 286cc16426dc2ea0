// Tests lists in a real browser: on a phone, filters are behind a button and rows are short; on a large
// screen, the headings of a long list stay in view.
import { expect } from 'chai'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { useWorld } from '../../../../support/world.ts'

const PHONE = { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true }
// The height of a line of text, and the padding of a row.
const LINE_HEIGHT_PX = 22
const ROW_PADDING_PX = 20

describe('lists of the dashboard, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const signedIn = useSignedIn(world)
  before(async () => {
    await world.database.raw(
      `INSERT INTO users (name, email) SELECT 'Ada ' || i, 'ada' || i || '@example.com' FROM generate_series(1, 60) AS i`,
    )
    await world.database('audit_log').insert(
      Array.from({ length: 10 }, () => ({
        actor_type: 'admin',
        actor_name: 'a@example.com',
        request_id: 'r',
        action: 'buildings.create',
        resource: 'buildings',
        resource_id: 1,
        after: { name: 'Harbour' },
      })),
    )
  })

  it('show each row in two lines on a phone', async () => {
    const { context, page } = await openWindow(signedIn, PHONE)
    for (const path of ['people', 'audit-log']) {
      await page.goto(`/dashboard/${path}`)
      const heights = await page
        .locator('.listed tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
      expect(heights, path).to.have.length.greaterThan(9)
      expect(Math.max(...heights), path).to.be.at.most(2 * LINE_HEIGHT_PX + ROW_PADDING_PX)
    }
    await context.close()
  })

  it('hide their filters behind a button on a phone, which shows how many filters are set', async () => {
    const { context, page } = await openWindow(signedIn, PHONE)
    await page.goto('/dashboard/people')
    const field = page.getByRole('searchbox', { name: 'Search' })
    const isShown = async () => (await field.isVisible()) && (await page.getByLabel('Status').isVisible())
    expect(await isShown()).to.equal(false)
    await page.getByText('Filter', { exact: true }).click()
    expect(await isShown()).to.equal(true)
    await field.fill('ada42@example.com')
    await page.getByLabel('Status').selectOption('all')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('Filter (2)').waitFor()
    expect(await page.locator('.listed tbody tr').count()).to.equal(1)
    for (const path of ['/dashboard/reports', '/dashboard/visitors']) {
      await page.goto(path)
      const form = page.locator('main form[role="search"]')
      expect(await form.isVisible(), path).to.equal(false)
      await page.getByText('Filter', { exact: true }).click()
      expect(await form.isVisible(), path).to.equal(true)
    }
    await context.close()
  })

  it('show the full name when the pointer is over a cut-off name, and name the link of each row', async () => {
    const { context, page } = await openWindow(signedIn, { viewport: { width: 800, height: 700 } })
    const name = 'Ada 0, whose name is far longer than its column, of the Analytical Engine'
    await world.database('users').where({ name: 'Ada 1' }).update({ name })
    await page.goto('/dashboard/people')
    const [short, cut] = [name, 'Ada 10'].map((each) => page.getByRole('rowheader', { name: each })).reverse()
    await short?.hover()
    await cut?.hover()
    expect(await cut?.getAttribute('title')).to.equal(name)
    expect(await short?.getAttribute('title')).to.equal(null)
    await page.goto('/dashboard/audit-log')
    expect(await page.getByRole('link', { name: /^Show: .*20\d\d/ }).count()).to.equal(10)
    await context.close()
  })

  it('keep the buttons of their form in view', async () => {
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1280, height: 600 } })
    await page.goto('/dashboard/integrations/tokens/new')
    const box = await page.getByRole('button', { name: 'Create token' }).boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).to.be.within(0, 600)
    await context.close()
  })

  it('keep their column headings in view on a large screen', async () => {
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1440, height: 700 } })
    await page.goto('/dashboard/people')
    const heading = page.getByRole('columnheader', { name: 'E-mail' })
    await page.locator('tbody tr').last().scrollIntoViewIfNeeded()
    expect((await heading.boundingBox())?.y).to.be.within(0, 10)
    expect(await page.getByText('Filter', { exact: true }).isVisible()).to.equal(false)
    await context.close()
  })
})
