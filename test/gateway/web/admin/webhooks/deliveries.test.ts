// Tests the deliveries of a webhook, sorted by their column headers.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createDelivery, createWebhook } from '../../../../support/dashboard/webhook-examples.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the deliveries of a webhook', () => {
  const world = useWorld()
  const browser = useSignedIn(world)

  /** Returns the ids of the deliveries on the page. */
  const shown = async (webhook: number, query = '') => {
    await browser.open(`/dashboard/integrations/webhooks/${webhook}${query}`)
    return [...browser.page.text.matchAll(/\/deliveries\/(\d+)"/g)].map(([, id]) => Number(id))
  }
  const sorted = () =>
    [...browser.page.text.matchAll(/<th scope="col"[^>]*aria-sort="(\w+)"[^>]*><a[^>]*>([^<]+)/g)].map(
      ([, direction, name]) => [name, direction],
    )

  it('are listed newest first or sorted by a column header, even when the list refreshes', async () => {
    const { database } = world
    const id = await createWebhook(database)
    const soon = new Date(Date.now() + 3_600_000)
    const over = { next_at: null, delivered_at: new Date() }
    const done = await createDelivery(database, id, {
      ...over,
      type: 'b',
      attempts: 3,
      status: 204,
      took_ms: 9,
    })
    const waiting = await createDelivery(database, id, { type: 'd', attempts: 0 })
    const failed = await createDelivery(database, id, {
      type: 'a',
      attempts: 9,
      status: 500,
      took_ms: 10,
      next_at: null,
    })
    const again = await createDelivery(database, id, { type: 'c', attempts: 1, took_ms: 8, next_at: soon })

    expect(await shown(id)).to.deep.equal([again, failed, waiting, done])
    expect(sorted()).to.deep.equal([['Created', 'descending']])
    expect(browser.words).to.include('1–4 of 4')
    expect(await shown(id, '?sort=created')).to.deep.equal([done, waiting, failed, again])
    expect(await shown(id, '?sort=type')).to.deep.equal([failed, done, again, waiting])
    expect(await shown(id, '?sort=state')).to.deep.equal([failed, again, waiting, done])
    expect(await shown(id, '?sort=-state')).to.deep.equal([done, waiting, again, failed])
    expect(await shown(id, '?sort=-answer')).to.deep.equal([failed, done, again, waiting])
    expect(await shown(id, '?sort=took')).to.deep.equal([waiting, again, done, failed])
    expect(await shown(id, '?sort=attempts')).to.deep.equal([waiting, again, done, failed])
    expect(await shown(id, '?sort=next')).to.deep.equal([waiting, again, done, failed])
    expect(await shown(id, '?sort=type&undelivered=true')).to.deep.equal([failed, again, waiting])
    const [, live = ''] = /data-refresh="([^"]*)"/.exec(browser.page.text) ?? []
    const part = await browser.open(live.replaceAll('&amp;', '&'))
    expect(part.text).to.match(/aria-sort="ascending"[^>]*><a[^>]*>Type/)
    expect((await browser.open(`/dashboard/integrations/webhooks/${id}?sort=secret`)).status).to.equal(422)
  })

  it('are sorted across all pages, not only within one page', async () => {
    const id = await createWebhook(world.database)
    for (let attempts = 0; attempts < 25; attempts += 1)
      await createDelivery(world.database, id, { attempts })
    const first = await shown(id, '?sort=attempts')
    await browser.follow('Next')
    expect(browser.page.path).to.include('sort=attempts')
    expect(browser.words).to.include('21–25 of 25')
    const all = [...first, ...(await shown(id, '?sort=attempts&page=2'))]
    expect(all).to.have.length(25)
    expect(all).to.deep.equal(all.toSorted((one, other) => one - other))
  })

  it('are sorted only by creation time if there are too many, and the page says this', async () => {
    const id = await createWebhook(world.database)
    await world.database.raw(
      `INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at, attempts)
       SELECT ?, 'booking.created', 1, 1, now(), i FROM generate_series(1, 10001) AS i`,
      [id],
    )
    const newest = await shown(id)
    expect(browser.words).to.include('1–20 of more than 10,000').and.not.include('cannot be sorted')
    expect(await shown(id, '?sort=attempts')).to.deep.equal(newest)
    expect(browser.words).to.include(
      'More than 10,000 entries match, so they cannot be sorted by this column.',
    )
    expect(sorted()).to.deep.equal([['Created', 'descending']])
    const [oldest] = await shown(id, '?sort=created')
    await world.database('webhook_deliveries').where({ id: newest[0] }).delete()
    expect((await shown(id, '?sort=attempts'))[0]).to.equal(oldest)
    expect(browser.words).to.include('1–20 of 10,000').and.not.include('cannot be sorted')
  })
})
