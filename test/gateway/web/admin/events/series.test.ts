// Tests meetings of a series in the dashboard: changing, cancelling and undoing one, the following ones or all.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createDesk } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('meetings of a series in the dashboard', () => {
  const world = useWorld()
  const client = useClient(world)
  const browser = useSignedIn(world)

  it('are changed and cancelled together, and restored with one undo', async () => {
    const room = await createDesk(world.database, { type: 2 })
    const made = await client.post('events/series', {
      name: 'Planning',
      organizer_user_id: room.user_id,
      from_time: '2031-02-11T09:00:00Z',
      to_time: '2031-02-11T10:00:00Z',
      attendees: [{ type: 'bookable', id: room.bookable_id }],
      repeat: { every: 'day', count: 3 },
    })
    const [, second] = made.json.data.created
    const events = () => world.database('events').where({ series_id: made.json.data.id }).orderBy('id')
    await browser.open(`/dashboard/events/${second.id}/change`)
    await browser.submit('Save changes', { name: 'Review', scope: 'following' })
    expect(browser.words).to.include('Changes saved.')
    expect((await events()).map(({ name }) => name)).to.deep.equal(['Planning', 'Review', 'Review'])
    await browser.open(`/dashboard/events/${second.id}/cancel`)
    await browser.submit('Cancel meeting', { scope: 'all' })
    expect(browser.words).to.include('Meetings cancelled. Their rooms are free again.')
    expect((await events()).map(({ status }) => status)).to.deep.equal([2, 2, 2])
    await browser.submit('Undo')
    expect((await events()).map(({ status }) => status)).to.deep.equal([1, 1, 1])
    const alone = await client.post('events', {
      name: 'Alone',
      organizer_user_id: room.user_id,
      to_time: '2031-01-01T10:00:00Z',
    })
    await browser.open(`/dashboard/events/${alone.json.data.id}/cancel`)
    expect(browser.words).to.not.include('This and following')
  })
})
